"""Command lines and URLs as a person may see them: exact and quoted for a shell, with what looks secret masked.

Masked are: what came out of an environment variable (its name stands there instead), values behind flags and names
that look secret, values of `-e NAME=VALUE` and of headers, user information and query values of URLs, long random path
segments of URLs, and tokens of well-known shapes. All else stays as it is: the person decides by it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence

from blockview.core.safetext import visible
from blockview.dispatch.expand import Expanded

MASK = "•••"

_Mask = Callable[[str, tuple[str, ...]], str]
"""Masks an argument, of which the values of these environment variables are already shown as `${NAME}`."""

_SECRET_NAME = re.compile(
    r"token(?!s|iz)|secret|passw|passphrase|api[-_.]?key|access[-_.]?key|private[-_.]?key|credential|bearer"
    r"|authorization|connection[-_.]?string|signature|(?:^|[-_.])(?:auth|key|pat|pass|pwd|dsn|jwt|cookie|session)$",
    re.IGNORECASE,
)
_PLAIN_NAME = re.compile(r"(?:^-*no-.*|.*(?:file|path|dir|url|uri|name|type|mode|count|limit|id))$", re.IGNORECASE)
_KNOWN_TOKEN = re.compile(
    r"\b(?:[sprx]k-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}"
    r"|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*)"
)
_SCHEME = re.compile(r"\b((?:Bearer|Basic)\s+)(\S+)", re.IGNORECASE)
_ASSIGNED = re.compile(r"(?<![\w.-])([\w.-]++)([\"']?\s?[=:]\s?|\s+)", re.ASCII)
_ASSIGNED_VALUE = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s\"',;}]+")
_ALL_WORDS = re.compile(r"[^\"']+")
_VARIABLE_SETTING = re.compile(r"(-e|--env=)?([A-Za-z_][\w.]*=)(.*)", re.DOTALL)
_HEADER = re.compile(r"([^\s:=]+\s*[:=]\s*)(.*)", re.DOTALL)
_URL = re.compile(r"(?<![\w+.-])[a-zA-Z][a-zA-Z0-9+.-]*+://[^\s\"'<>]+")
_URL_PARTS = re.compile(r"([^:]+://)([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_LONG_WORD = re.compile(r"[\w-]{32,}", re.ASCII)
_SAFE = re.compile(r"[\w@%+=:,./•-]+", re.ASCII)


def shown_command(arguments: Sequence[Expanded]) -> str:
    """A command line on one line, quoted for a shell, secrets masked, control characters visible.

    An argument that holds the value of an environment variable stands in double quotes with `${NAME}` in it.
    """
    shown = []
    mask: _Mask = _masked
    for argument in arguments:
        names = argument.names
        shown.append(_quoted(mask(argument.shown, names), names))
        mask = _mask_of_next(argument.shown)
    return _visible(" ".join(shown))


def shown_url(url: Expanded) -> str:
    """A URL on one line, without its user information, query values and fragment."""
    return _visible(_masked_url(url.shown, url.names))


def looks_secret(name: str) -> bool:
    """Whether the value of a flag, variable or member of that name is better not shown."""
    return bool(_SECRET_NAME.search(name)) and not _PLAIN_NAME.match(name)


def _mask_of_next(argument: str) -> _Mask:
    """How the argument behind `argument` is masked."""
    if argument in ("-e", "--env"):
        return _masked_setting
    if argument in ("-H", "--header"):
        return _masked_header
    if argument == "-p":
        return _masked_unless_plain
    if argument == "-u":
        return _masked_behind_user
    if argument.startswith("-") and "=" not in argument and looks_secret(argument):
        return _masked_value
    return _masked


def _masked(text: str, names: tuple[str, ...]) -> str:
    """Any argument, with the parts of it that look secret masked."""
    if (setting := _VARIABLE_SETTING.fullmatch(text)) and setting[1]:
        return f"{setting[1]}{_masked_setting(text.removeprefix(setting[1]), names)}"
    text = _URL.sub(lambda url: _masked_url(url[0], names), text)
    text = _masked_assignments(text, names)
    text = _SCHEME.sub(lambda match: match[1] + _hidden(match[2], names), text)
    return _KNOWN_TOKEN.sub(MASK, text)


def _masked_value(text: str, names: tuple[str, ...]) -> str:
    return _masked(text, names) if text.startswith("--") else _hidden(text, names)


def _masked_unless_plain(text: str, names: tuple[str, ...]) -> str:
    """Behind `-p` a port or a path stays; anything else may be a password."""
    plain = re.fullmatch(r"[0-9:.]+|[./~].*", text)
    return _masked(text, names) if plain else _hidden(text, names)


def _masked_behind_user(text: str, names: tuple[str, ...]) -> str:
    user, colon, password = text.partition(":")
    return f"{user}:{_hidden(password, names)}" if colon else _masked(text, names)


def _masked_setting(text: str, names: tuple[str, ...]) -> str:
    setting = _VARIABLE_SETTING.fullmatch(text)
    return _masked(text, names) if setting is None else setting[2] + _hidden(setting[3], names)


def _masked_header(text: str, names: tuple[str, ...]) -> str:
    header = _HEADER.fullmatch(text)
    return _hidden(text, names) if header is None else header[1] + _hidden(header[2], names)


def _masked_assignments(text: str, names: tuple[str, ...]) -> str:
    """`NAME=value`, `"name": "value"` and `--name value` inside one text, where the name looks secret."""
    kept, position = [], 0
    while found := _ASSIGNED.search(text, position):
        name, separator = found[1], found[2]
        kept.append(text[position : found.end()])
        position = found.end()
        if looks_secret(name) and (not separator.isspace() or name.startswith("-")):
            whole = _ALL_WORDS if name.lower().endswith("authorization") else _ASSIGNED_VALUE
            value = None if _SCHEME.match(text, position) else whole.match(text, position)
            if value:
                kept.append(_hidden(value[0], names))
                position = value.end()
    return "".join([*kept, text[position:]])


def _masked_url(url: str, names: tuple[str, ...]) -> str:
    parts = _URL_PARTS.fullmatch(url)
    if parts is None:
        return _hidden(url, names)
    scheme, place, path, query, fragment = parts.groups(default="")
    if "@" in place:
        user, _, host = place.rpartition("@")
        place = f"{_hidden(user, names)}@{host}"
    path = "/".join(_masked_segment(segment, names) for segment in path.split("/"))
    if query:
        query = "?" + "&".join(_masked_query(member, names) for member in query[1:].split("&"))
    return f"{scheme}{place}{path}{query}" + (f"#{_hidden(fragment[1:], names)}" if fragment else "")


def _masked_segment(segment: str, names: tuple[str, ...]) -> str:
    random = _LONG_WORD.fullmatch(segment) and re.search(r"\d", segment) and re.search("[A-Za-z]", segment)
    return MASK if random else _KNOWN_TOKEN.sub(MASK, segment)


def _masked_query(member: str, names: tuple[str, ...]) -> str:
    name, equals, value = member.partition("=")
    return f"{name}={_hidden(value, names)}" if equals else _hidden(member, names)


def _hidden(text: str, names: tuple[str, ...]) -> str:
    """The mask, or the text itself where it is nothing but names of environment variables."""
    return text if not text or (names and re.fullmatch(f"(?:{_any_of(names)})+", text)) else MASK


def _visible(text: str) -> str:
    return visible(text.replace("\t", r"\t"))  # a tab is no blank to whoever reads the argument


def _quoted(text: str, names: tuple[str, ...]) -> str:
    if not names or "${" not in text:
        return text if _SAFE.fullmatch(text) else shlex.quote(text)
    parts = re.split(f"({_any_of(names)})", text)
    parts[::2] = (re.sub(r'([\\"$`])', r"\\\1", literal) for literal in parts[::2])
    return f'"{"".join(parts)}"'


def _any_of(names: tuple[str, ...]) -> str:
    return "|".join(re.escape(f"${{{name}}}") for name in names)


_PLAIN_URL = re.compile(r"(\w+://)(?:[^\s/@'\"]*@)?([^\s?#'\"]*)(?:[?#][^\s'\"]*)?")


def plain_urls(text: str) -> str:
    """A message with the URLs in it cut to scheme, host and path: what else stands in them may be secret."""
    return _PLAIN_URL.sub(lambda match: match[1] + match[2], text)
