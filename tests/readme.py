"""Fills in the parts of README.md that the program itself says: `python -m tests.readme` writes them.

Keys, marks, filter words, findings and places stand between comments of that name; a `console` block is a command and
what it prints, with times of its own in place of those that a live server took.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from blockview.core.findings import Kind
from blockview.core.query import HELP
from blockview.readers.places import KNOWN, System
from blockview.ui.actions import MARKS, keys_markdown

MOVED = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "NO_COLOR")
"""Variables by which a person's own files would have a say."""

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_CONSOLE = re.compile(r"(?<=^```console\n)\$ ([^\n]*)\n.*?(?=^```$)", re.MULTILINE | re.DOTALL)


def renewed(text: str) -> str:
    """The README with all such parts as they are now."""
    text = _between("keys", keys_markdown(), text)
    text = _between("marks", marks_markdown(), text)
    text = _between("filter", filter_markdown(), text)
    text = _between("findings", findings_markdown(), text)
    text = _between("places", places_markdown(), text)
    return _CONSOLE.sub(lambda match: f"$ {match[1]}\n{printed(match[1])}", text)


def marks_markdown() -> str:
    rows = "".join(f"| `{glyph}` | {word} | {meaning} |\n" for glyph, word, meaning in MARKS)
    return f"| mark | word | meaning |\n|---|---|---|\n{rows}"


def filter_markdown() -> str:
    rows = "".join(f"| `{usage}` | {meaning} |\n" for usage, meaning in HELP)
    return f"| word | keeps |\n|---|---|\n{rows}"


def findings_markdown() -> str:
    rows = "".join(f"| `{kind.value}` | {kind.level.value} | {kind.help} |\n" for kind in Kind)
    return f"| finding | level | meaning |\n|---|---|---|\n{rows}"


def places_markdown() -> str:
    """Where recordings are looked for on Linux: for each tool its folders, and the variables that move them."""
    files: dict[tuple[str, str, str], list[str]] = {}
    for known in KNOWN:
        *moved, base = known.bases[System.LINUX]
        variables = " ".join(f"`{name}`" for name in re.findall(r"\$\{(\w+)\}", " ".join(moved)))
        files.setdefault((known.tool, base, variables), []).append(known.pattern)
    rows = ""
    for (tool, base, variables), patterns in files.items():
        written = " ".join(f"`{_braces(pattern)}`" for pattern in patterns if pattern)
        rows += f"| {tool} | `{base}` | {variables} | {written} |\n"
    return f"| tool | folder | moved by | files |\n|---|---|---|---|\n{rows}"


def _braces(pattern: str) -> str:
    """Alternatives as a shell writes them: a bar would end the cell of the table."""
    parts = (f"{{{part.replace('|', ',')}}}" if "|" in part else part for part in pattern.split("/"))
    return "/".join(parts)


def printed(command: str) -> str:
    """What a shell command prints in the root folder, stdout and stderr as they come, for somebody without configs.

    A command that says that it cannot is no example.
    """
    shell = f'blockview() {{ "{sys.executable}" -m blockview "$@"; }}\n{command}'
    with TemporaryDirectory() as home:
        own = {name: value for name, value in os.environ.items() if name not in MOVED}
        environment = {**own, "HOME": home, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "TZ": "UTC"}
        done = subprocess.run(
            ["bash", "-c", shell],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )
    if done.returncode not in (0, 1):
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout)
    return steady(done.stdout) if "blockview replay" in command else done.stdout


def steady(text: str) -> str:
    """What a replay prints, as if it always took as long and ran at one time of day; all else keeps its column."""
    text = re.sub(r"\b[\d.]+ m?s\b( *)", lambda took: "3 ms".ljust(len(took[0]) if took[1] else 0), text)
    return re.sub(r"\b\d\d:\d\d:\d\d$", "14:26:05", text, flags=re.MULTILINE)


def _between(name: str, content: str, text: str) -> str:
    pattern = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
    return pattern.sub(lambda _: content, text)


if __name__ == "__main__":
    README.write_text(renewed(README.read_text()))
