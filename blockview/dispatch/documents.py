"""Config files as values: strict JSON, JSON with comments and trailing commas, TOML. What is wrong is located."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec

from blockview.core.jsontext import JsonError, Kind, loads, parse
from blockview.core.lenient import build
from blockview.core.raw import text_of

_TOO_LARGE = 64 * 1024 * 1024
"""Bytes; a file of configs beyond it is something else."""

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\Z))|//[^\r\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\Z))|,(?=[ \t\r\n]*[}\]])', re.DOTALL)
_INK = re.compile(r"[^\r\n]")


class BadConfig(ValueError):
    """A config cannot be read. The message holds its path and place, and none of its text: secrets stand there."""


def read_file(path: Path) -> bytes | None:
    """The bytes of a config, or None where there is no such file.

    Raises:
        BadConfig: something is there that cannot be read.
    """
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise BadConfig(f"{path}: not a file")
        if found.st_size > _TOO_LARGE:
            raise BadConfig(f"{path}: too large for a config")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        raise BadConfig(f"{path}: no permission to read it") from None
    except OSError as error:
        raise BadConfig(f"{path}: {error.strerror or 'cannot be read'}") from None


def json_object(path: Path, data: bytes, *, comments: bool) -> Mapping[str, msgspec.Raw]:
    """The members of a JSON object, undecoded: such files hold much beside servers.

    Args:
        path: For the messages.
        data: The file's bytes, with or without a byte order mark.
        comments: Also take comments and trailing commas, as VS Code does.

    Raises:
        BadConfig: it is no JSON object.
    """
    text = _decoded(path, data)
    try:
        return _OBJECT.decode(text.encode())
    except (msgspec.DecodeError, RecursionError):
        plain = _without_comments(text) if comments else text
    try:
        return _OBJECT.decode(plain.encode())
    except (msgspec.DecodeError, RecursionError):
        return _slowly(path, plain, text, data)


def toml_table(path: Path, data: bytes) -> Mapping[str, object]:
    """The top table of a TOML file.

    Raises:
        BadConfig: it is not TOML.
    """
    import tomllib

    text = _decoded(path, data)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadConfig(f"{path}: not TOML{_toml_place(str(error), text)}") from None
    except (ValueError, RecursionError):
        raise BadConfig(f"{path}: not TOML that can be read") from None


def member(path: Path, raw: msgspec.Raw | None) -> object:
    """The value of one undecoded member of the config at `path`; None where it is absent.

    Raises:
        BadConfig: it is nested too deeply.
    """
    if raw is None:
        return None
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):  # JSON all the same: long integers, halves of surrogate pairs
        pass
    try:
        return loads(text_of(raw))
    except JsonError as error:
        raise BadConfig(f"{path}: {error.problem}") from None


def _decoded(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadConfig(f"{path}: not UTF-8 (line {line}, byte {error.start})") from None


def _without_comments(text: str) -> str:
    """The text with blanks for comments and trailing commas, so that all places stay where they are."""
    text = _COMMENT.sub(lambda found: found[1] or _INK.sub(" ", found[0]), text)
    return _TRAILING_COMMA.sub(lambda found: found[1] or " ", text)


def _slowly(path: Path, plain: str, text: str, data: bytes) -> Mapping[str, msgspec.Raw]:
    """The members of `plain`, or what is wrong with it; it is `text` without comments, which is `data` decoded.

    The fast decoder refuses JSON too, for halves of surrogate pairs and deep nesting in members that nobody asks for.
    """
    try:
        tree = parse(plain)
    except JsonError as found:
        line = text.count("\n", 0, found.position) + 1
        byte = len(data) - len(text[found.position :].encode())
        # A long token is somebody's value; only punctuation is repeated.
        problem = found.problem if len(found.problem) <= len("unexpected '}'") else _without_value(found.problem)
        raise BadConfig(f"{path}: not JSON: {problem} (line {line}, byte {byte})") from None
    kind = tree.nodes[0].kind
    if kind is not Kind.OBJECT:
        raise BadConfig(f"{path}: a JSON object is expected, this is {kind}")
    members: Mapping[str, msgspec.Raw] = build(dict[str, msgspec.Raw], tree)
    return members


def _without_value(problem: str) -> str:
    return "unexpected value" if problem.startswith("unexpected ") else problem


def _toml_place(message: str, text: str) -> str:
    place = re.search(r"at line (\d+), column (\d+)", message)
    if place is None:
        return f": the text ends too early (line {text.count(chr(10)) + 1}, byte {len(text.encode())})"
    line, column = int(place[1]), int(place[2])
    before = text.replace("\r\n", "\n").split("\n")[:line]
    byte = len("\n".join([*before[:-1], before[-1][: column - 1]]).encode())
    return f" (line {line}, byte {byte})"
