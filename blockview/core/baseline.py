"""Known findings: a file of them accepts what is like them, so that a check fails for new ones only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from blockview.core.findings import Finding
from blockview.core.model import ToolCall

VERSION = 1

_NUMBER = re.compile(r"/[0-9]+(?=/|\Z)")


class Known(msgspec.Struct, frozen=True, order=True, omit_defaults=True):
    """What findings have in common that are accepted together: the same kind at the same place of the same tool.

    In `path` each element of an array is written as `*`.
    """

    kind: str
    server: str = ""
    tool: str = ""
    path: str = ""


class _Baseline(msgspec.Struct, frozen=True, rename={"version": "blockview-baseline"}):
    version: int
    known: tuple[Known, ...]


def known(finding: Finding, call: ToolCall | None) -> Known:
    """What a finding is known as."""
    if call is None:
        return Known(finding.kind.value)
    return Known(finding.kind.value, call.server or "", call.tool or call.name, _NUMBER.sub("/*", finding.path))


def read_baseline(text: bytes) -> Mapping[Known, None]:
    """The known findings of a file.

    Raises:
        ValueError: it is no such file; the message says why.
    """
    try:
        found = msgspec.json.decode(text, type=_Baseline)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"not a baseline: {error}") from None
    if found.version != VERSION:
        raise ValueError(f"a baseline of version {found.version}, which is not known here")
    return dict.fromkeys(found.known)


def baseline_text(found: Iterable[Known]) -> str:
    """The file that accepts these findings, one on a line, in a fixed order."""
    rows = ",\n".join(" " + msgspec.json.encode(one).decode() for one in sorted(set(found)))
    return f'{{"blockview-baseline":{VERSION},"known":[\n{rows}\n]}}\n'
