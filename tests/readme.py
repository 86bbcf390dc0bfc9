"""Fills in the parts of README.md that the program itself says: `python -m tests.readme` writes them.

Keys and marks stand between comments of that name; a `console` block is a command and what it prints.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from blockview.ui.actions import MARKS, keys_markdown

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_CONSOLE = re.compile(r"(?<=^```console\n)\$ ([^\n]*)\n.*?(?=^```$)", re.MULTILINE | re.DOTALL)


def renewed(text: str) -> str:
    """The README with all such parts as they are now."""
    text = _between("keys", keys_markdown(), text)
    text = _between("marks", marks_markdown(), text)
    return _CONSOLE.sub(lambda match: f"$ {match[1]}\n{printed(match[1])}", text)


def marks_markdown() -> str:
    rows = "".join(f"| `{glyph}` | {word} | {meaning} |\n" for glyph, word, meaning in MARKS)
    return f"| mark | word | meaning |\n|---|---|---|\n{rows}"


def printed(command: str) -> str:
    """What a shell command prints in the root folder: stdout, then stderr."""
    shell = f'blockview() {{ "{sys.executable}" -m blockview "$@"; }}\n{command}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", shell], cwd=ROOT, capture_output=True, text=True, env=environment, check=True)
    return done.stdout + done.stderr


def _between(name: str, content: str, text: str) -> str:
    pattern = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
    return pattern.sub(lambda _: content, text)


if __name__ == "__main__":
    README.write_text(renewed(README.read_text()))
