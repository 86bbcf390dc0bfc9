"""What a check found, as SARIF 2.1.0 (OASIS), which code hosts show beside the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from urllib.parse import quote

import msgspec

from blockview.core.baseline import known
from blockview.core.findings import Checked, Finding, Kind
from blockview.core.safetext import visible, visible_json
from blockview.export.audit import Audit, call_name

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = tuple(Kind)


def sarif_text(audits: Sequence[Audit], version: str) -> str:
    """The SARIF log.

    Args:
        audits: What was found in each session.
        version: The version of this tool.
    """
    rules = [
        {
            "id": kind.value,
            "shortDescription": {"text": kind.help},
            "defaultConfiguration": {"level": kind.level.value},
        }
        for kind in _RULES
    ]
    driver = {"name": "blockview", "version": version, "rules": rules}
    results = [result for audit in audits for result in _results(audit)]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return visible_json(msgspec.json.format(msgspec.json.encode(log), indent=1).decode()) + "\n"


def _results(audit: Audit) -> Iterator[dict[str, object]]:
    for checked, found in audit.findings():
        path = f"{visible(found.path)} " if found.path else ""
        name = "" if checked is None else f"{call_name(checked.call)}: "
        result: dict[str, object] = {
            "ruleId": found.kind.value,
            "ruleIndex": _RULES.index(found.kind),
            "level": found.kind.level.value,
            "message": {"text": f"{name}{path}{visible(found.message)}"},
            "locations": [_location(audit, checked, found)],
            "partialFingerprints": {"blockview/v1": _fingerprint(checked, found)},
        }
        if audit.knows(checked, found):
            result["suppressions"] = [{"kind": "external", "justification": "known by the baseline"}]
        yield result


def _location(audit: Audit, checked: Checked | None, found: Finding) -> dict[str, object]:
    place = found.place
    region: dict[str, int] = {"startLine": max(place.line, 1)}
    if place.length:
        region |= {"byteOffset": place.byte, "byteLength": place.length}
    physical = {"artifactLocation": {"uri": _uri(audit.source)}, "region": region}
    location: dict[str, object] = {"physicalLocation": physical}
    if checked is not None:
        full = f"{call_name(checked.call)}{visible(found.path)}"
        location["logicalLocations"] = [{"fullyQualifiedName": full, "kind": "call"}]
    return location


def _uri(source: str) -> str:
    """A path as a URI reference (RFC 3986); a session of a database is a fragment of its file."""
    path, mark, session = source.partition("#")
    return quote(PurePath(path).as_posix(), errors="surrogateescape") + (mark and f"#{quote(session)}")


def _fingerprint(checked: Checked | None, found: Finding) -> str:
    one = known(found, None if checked is None else checked.call)
    return visible("|".join((one.kind, one.server, one.tool, one.path)))
