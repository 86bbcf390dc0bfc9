"""Recorded text made safe to print: nothing invisible, nothing that acts, and a known width in terminal cells.

A terminal obeys control characters and hides others. Everything recorded passes through `visible` before it becomes
a `Span`; `cut`, `wrap_lines` and `one_line` then fit it to a width without tearing a character apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from types import ModuleType

ELLIPSIS = "…"
NAME_WIDTH = 60
"""Cells of a name inside a message."""
TAB_SIZE = 4

# C0, DEL, C1; soft hyphen; grapheme joiner; bidi marks; fillers; zero width; separators; embeddings, overrides,
# isolates and invisible operators; variation selectors; surrogates; annotation anchors; noncharacters; shorthand and
# music controls; tags and supplementary variation selectors.
_SUSPECT = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
    + "\U000e0000-\U000e0fff]"
)
# Those of them for which `str.isprintable` holds (a test asks it).
_PRINTABLE_SUSPECT = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# Inside a JSON text these stand only in strings, where an escape means the same and is harmless on a terminal.
_UNSAFE_IN_JSON = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff0-\uffff\U000e0000-\U000e0fff]"
)
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\b": r"\b", "\f": r"\f"}
_ZWJ = "\u200d"
_VARIATION = "\ufe0e\ufe0f"
# Every character here is one cell wide on its own (a test asks the width tables), so its texts need no measuring.
_NOT_NARROW = re.compile(
    "[^\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0377\u0391-\u0482\u2010-\u2027\u2190-\u2193\u2248\u2500-\u25fc]"
)
# These take two cells each, and neither join with each other nor with what is narrow (a test asks the tables as well).
_WIDE = (
    "\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60\U0001f600-\U0001f64f"
)
_BEHIND_WIDE = re.compile(f"(?<=[{_WIDE}])")
_NOT_SIMPLE = re.compile(_NOT_NARROW.pattern.replace("]", f"{_WIDE}]"))
_FILLER = "\0"


def visible(text: str) -> str:
    r"""`text` on one line, with every character that is invisible or acts shown as an escape.

    Control characters read `\x1b` or `\n`, bidi and zero-width ones `\u202e`, bytes that were not UTF-8 `\xff`; a tab
    is expanded to spaces. Joiners and variation selectors stay where they belong to an emoji; letters of any script
    stay.
    """
    if is_narrow(text) or (text.isprintable() and not _PRINTABLE_SUSPECT.search(text)):
        return text
    if "\t" in text:
        text = text.expandtabs(TAB_SIZE)
    return _SUSPECT.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character, text, at = match[0], match.string, match.start()
    if character == _ZWJ and _is_emoji(text[at - 1 : at], _VARIATION) and _is_emoji(text[at + 1 : at + 2], ""):
        return character
    if character in _VARIATION and at and unicodedata.category(text[at - 1])[0] in "SPN":
        return character
    code = ord(character)
    if code < 0x100:
        return _NAMED.get(character) or f"\\x{code:02x}"
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible_json(text: str) -> str:
    r"""The JSON text `text` with what is invisible or acts escaped inside its strings; it means the same.

    A bare carriage return is white space in JSON, and on a terminal it would overwrite the line: it becomes a blank.
    """
    return _UNSAFE_IN_JSON.sub(_json_escape, text.replace("\r", " "))


def _json_escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _is_emoji(character: str, also: str) -> bool:
    if not character:
        return False
    return character >= "\U0001f000" or character in also or unicodedata.category(character) in ("So", "Sm")


def is_narrow(text: str) -> bool:
    """Whether a recorded text is visible as it is, and takes one cell for each character.

    False says little: a text with characters that are not in a short list is narrow for `cell_width` alone.
    """
    return text.isprintable() if text.isascii() else not _NOT_NARROW.search(text)


def cell_width(text: str) -> int:
    """How many terminal cells the visible text `text` takes."""
    if text.isascii() or not _NOT_NARROW.search(text):
        return len(text)
    return max(0, int(_tables().wcswidth(text)))


@cache
def _tables() -> ModuleType:
    """Loading the width tables costs as much as a small screen; most recordings never need them."""
    import wcwidth

    return wcwidth


def _clusters(text: str, start: int = 0) -> Iterator[tuple[str, int]]:
    """What a reader sees as single characters from an offset on, each with its width in cells."""
    return ((cluster, cell_width(cluster)) for cluster in _tables().iter_graphemes(text, start))


def cut(text: str, width: int) -> str:
    """The visible text `text` in at most `width` cells, ending in `…` when something is left out.

    A wide character is never halved. Below one cell nothing is left.
    """
    if width <= 0:
        return ""
    if cell_width(text) <= width:
        return text
    if not _NOT_NARROW.search(text, 0, width):
        return text[: width - 1] + ELLIPSIS
    kept, used = [], 0
    for cluster, cells in _clusters(text):
        if used + cells > width - 1:
            break
        kept.append(cluster)
        used += cells
    return "".join(kept) + ELLIPSIS


def one_line(text: str, width: int) -> str:
    """The recorded text `text` made visible and cut to `width` cells, at a cost that follows the width alone."""
    start = text[: 8 * max(width, 1)]
    shown = visible(start)
    return cut(shown if len(start) == len(text) else shown + ELLIPSIS, width)


def short_name(name: str) -> str:
    """A name from outside as it stands inside a message: visible, and no longer than a message can bear."""
    return one_line(name, NAME_WIDTH)


def wrap_lines(text: str, width: int) -> Iterator[str]:
    r"""The recorded text `text` as visible lines of at most `width` cells (at least 1), made as they are asked for.

    Breaks at `\n` and `\r\n`, then between words, then anywhere. Leading and inner spaces are kept; the one space at
    which a line breaks is not.
    """
    width = max(width, 1)
    position, length = 0, len(text)
    while position <= length:
        newline = text.find("\n", position)
        line = text[position : newline if newline >= 0 else length]
        position += len(line) + 1
        if not (line.isascii() and line.isprintable()):
            line = visible(line.removesuffix("\r"))
            if not is_narrow(line):
                yield from _wrap_wide(line, width)
                continue
        if len(line) <= width:
            yield line
        else:
            for start, end in narrow_rows(line, width):
                yield line[start:end]


def wrap(text: str, width: int) -> list[str]:
    """All lines of `wrap_lines`."""
    return list(wrap_lines(text, width))


def narrow_rows(line: str, width: int) -> Iterator[tuple[int, int]]:
    """Where the rows of at most `width` cells begin and end in a line whose characters are each one cell wide."""
    position, length = 0, len(line)
    while length - position > width:
        space = line.rfind(" ", position, position + width + 1)
        if space > position and not line[position:space].isspace():
            yield position, space
            position = space + 1
        else:
            yield position, position + width
            position += width
    yield position, length


def _wrap_wide(line: str, width: int) -> Iterator[str]:
    """Only what goes into a row is looked at, so a line of any length costs what its rows cost."""
    position, length = 0, len(line)
    while position <= length:
        window = line[position : position + width + 2]
        take = _slow_row if width < 2 or _NOT_SIMPLE.search(window) else _simple_row
        row, position = take(line, position, width)
        yield row


def _simple_row(line: str, position: int, width: int) -> tuple[str, int]:
    """The next row of characters that take one cell or two, and where the one after it begins.

    Behind each wide character comes a filler, so that one character is one cell.
    """
    cells = _FILLER.join(_BEHIND_WIDE.split(line[position : position + width + 1]))
    if len(cells) <= width:
        return cells.replace(_FILLER, ""), len(line) + 1
    end = width
    if cells[end] == " ":
        following = 1
    else:
        space = cells.rfind(" ", 0, end)
        following = int(space > 0 and not cells[:space].isspace())
        end = space if following else end - (cells[end] == _FILLER)
    row = cells[:end].replace(_FILLER, "")
    return row, position + len(row) + following


def _slow_row(line: str, position: int, width: int) -> tuple[str, int]:
    """The next row of any characters, and where the one after it begins."""
    shown: list[str] = []
    starts: list[int] = []
    used = 0
    for cluster, cells in _clusters(line, position):
        text, cells = (cluster, cells) if cells <= width else (ELLIPSIS, 1)  # a wide character in a single column
        if used + cells > width:
            if cluster == " ":
                return "".join(shown), position + 1
            space = next((at for at in range(len(shown) - 1, 0, -1) if shown[at] == " "), 0)
            if any(text != " " for text in shown[:space]):
                return "".join(shown[:space]), starts[space] + 1
            return "".join(shown), position
        shown.append(text)
        starts.append(position)
        used += cells
        position += len(cluster)
    return "".join(shown), len(line) + 1
