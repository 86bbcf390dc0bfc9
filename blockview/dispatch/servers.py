"""Servers that calls can be sent to: what is started or reached, how it may be shown, and which one a call means.

A server comes from a flag, from a config that the person named, or from a config in the current folder or the user's
own. None of the functions here or in `configs` takes a recording or its path: a recording can never supply a command,
a URL, an environment or a place where configs are looked for.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import msgspec

from blockview.core.names import sanitised
from blockview.core.replaying import Destination, Route
from blockview.core.safetext import ELLIPSIS, NAME_WIDTH, short_name, visible
from blockview.dispatch.expand import Discreet, literal
from blockview.dispatch.masking import plain_urls, shown_command, shown_url

_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)", re.DOTALL)
_MOST_NAMES = 8
"""Names in one message."""
_CONTROL = re.compile(r"[\0\r\n]")


class BadOption(ValueError):
    """A server cannot be made out of a flag. The message names the server, never the command or a header's value."""


class Server(Discreet, frozen=True):
    """One configured server. `how` is "stdio" (`command`, `env`, `folder`), "http" or "sse" (`url`, `headers`).

    `source` says where it is configured ("--server", the path of a config), for the person. `shown` is the command
    line or URL and `hidden` the names of variables and headers as a person may see them; where they are empty,
    `destination` makes them. A server's `repr` holds no values of variables and headers and no masked text.
    """

    name: str
    how: str
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    folder: str = ""
    url: str = ""
    headers: Mapping[str, str] = {}
    source: str = ""
    shown: str = ""
    shown_folder: str = ""
    hidden: tuple[str, ...] = ()

    def fit_to_show(self) -> list[tuple[str, Any]]:
        """What a person sees before the server is started."""
        seen = destination(self)
        return [
            ("name", self.name),
            ("how", self.how),
            ("shown", seen.command),
            ("folder", seen.folder),
            ("source", self.source),
            ("hidden", seen.hidden),
        ]


def destination(server: Server) -> Destination:
    """The server as a person sees it before it is started or reached."""
    if server.shown:
        shown = server.shown
    elif server.url:
        shown = shown_url(literal(server.url))
    else:
        shown = shown_command([literal(argument) for argument in server.command])
    return Destination(
        name=server.name,
        how=server.how,
        command=shown,
        folder=server.shown_folder or server.folder,
        source=server.source,
        hidden=server.hidden or (*server.env, *server.headers),
    )


class Scope(StrEnum):
    """Whose server it is, the nearest first. The value is the word for the person."""

    FLAG = "flag"
    CONFIG = "--config"
    PROJECT = "project"
    USER = "user"


GIVEN = (Scope.FLAG, Scope.CONFIG)
"""Whose servers the command line gives."""


class Entry(msgspec.Struct, frozen=True):
    """A server as found. `problem` says why it cannot be used, `shadowed_by` where a nearer one of its name is.

    `tool` is the name of the tool whose config it stands in, empty for a flag.
    """

    server: Server
    scope: Scope
    tool: str = ""
    problem: str = ""
    shadowed_by: str = ""


class Servers(msgspec.Struct, frozen=True):
    """All servers that were found, the nearest first.

    `problems` has one line for each config that cannot be read, `looked_at` the paths of all places where configs may
    be, there or not. `held_back` are those that are not to be started, since the person named neither them nor their
    config: a call for one of them is told so.
    """

    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = ()
    looked_at: tuple[str, ...] = ()
    held_back: tuple[Entry, ...] = ()


def only_given(servers: Servers) -> Servers:
    """The servers that the command line gives, by themselves or in a config that it names; the others held back."""
    given = tuple(entry for entry in servers.entries if entry.scope in GIVEN)
    others = tuple(entry for entry in servers.entries if entry.scope not in GIVEN)
    return msgspec.structs.replace(servers, entries=given, held_back=others)


class Choice(msgspec.Struct, frozen=True):
    """The server that a call is meant for. Without one, `reason` says why; with one, how it was found."""

    server: Server | None
    reason: str

    @property
    def route(self) -> Route:
        """The choice as the app and the command line show it."""
        return Route(None if self.server is None else destination(self.server), self.reason)


def with_shadows(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries, nearest first, with those marked that a nearer one of the same name hides.

    An entry that cannot be used hides others all the same: what the person configured nearest is meant.
    """
    nearest: dict[str, Entry] = {}
    marked = []
    for entry in entries:
        first = nearest.setdefault(entry.server.name, entry)
        marked.append(entry if first is entry else msgspec.structs.replace(entry, shadowed_by=first.server.source))
    return tuple(marked)


def find_server(servers: Servers, recorded: str | None, named: Callable[[], Collection[str]] = tuple) -> Choice:
    """The server for calls that were recorded for the server `recorded`, None where the recording names none.

    Taken is the nearest server of exactly that name, else the one whose sanitised name is the sanitised recorded name,
    when there is one only. Of the servers given on the command line it is else the one that is called by the last
    path part of the recorded name, or the only one there is, for a recording that names no other server. Calls that
    name no server go to the one server given by a flag.

    Args:
        servers: All servers that were found.
        recorded: The server's name in the recording.
        named: Tells all server names in the recording; asked only where it matters, empty where it is not known.
    """
    reachable = [entry for entry in servers.entries if not entry.shadowed_by]
    if not recorded:
        return _for_unnamed([entry for entry in reachable if entry.scope is Scope.FLAG])
    found = _by_name(reachable, recorded)
    if found is None:
        found = _of_given([entry for entry in reachable if entry.scope in GIVEN], recorded, named)
        held_back = [entry for entry in servers.held_back if not entry.shadowed_by]
        if found.server is None and (other := _by_name(held_back, recorded)) is not None:
            return _held_back(other)
    return found


def _by_name(reachable: list[Entry], recorded: str) -> Choice | None:
    """The server of that name, or of one that is written the same way; None when nothing is called so."""
    exact = [entry for entry in reachable if entry.server.name == recorded]
    if exact:
        return _usable(exact[0], _place(exact[0]))
    alike = [entry for entry in reachable if sanitised(entry.server.name) == sanitised(recorded)]
    if len(alike) > 1:
        names = _several([entry.server.name for entry in alike])
        return Choice(None, f"the recorded server {_words(recorded)} can be any of {names}; {_how_to_give(recorded)}")
    if alike:
        return _usable(alike[0], f"{_words(alike[0].server.name)}, {_place(alike[0])}")
    return None


def _held_back(choice: Choice) -> Choice:
    """What is said of a server that could be started if the person had named it."""
    server = choice.server
    if server is None:
        return choice
    why = "without asking (--yes) only servers that the command line gives are started"
    give = f"add --config {shlex.quote(server.source)}"
    return Choice(None, visible(f"{_words(server.name)} is configured in {server.source}, but {why}: {give}"))


def _of_given(given: list[Entry], recorded: str, named: Callable[[], Collection[str]]) -> Choice:
    """Which of the servers on the command line answers for a name that none of them has."""
    if not given:
        return Choice(None, f"no server named {_words(recorded)} is configured; {_how_to_give(recorded)}")
    short = recorded.rpartition("/")[2] or recorded
    last = [entry for entry in given if entry.server.name == short]
    names = () if last else named()
    if last or (len(given) == 1 and set(names) == {recorded}):
        chosen = (last or given)[0]
        return _usable(chosen, f"{_words(chosen.server.name)} answers for {_words(recorded)}, {_place(chosen)}")
    there = f"the recording names {_several(names)}; " if names else ""
    here = _several([entry.server.name for entry in given])
    example = f"for example --server {_flag_name(short)}=COMMAND"
    return Choice(None, f"none of the given servers answers for {_words(recorded)}: {there}given: {here}; {example}")


def _for_unnamed(flags: list[Entry]) -> Choice:
    if len(flags) == 1:
        return _usable(flags[0], f"the recording names no server, {flags[0].server.source} gives one")
    if flags:
        names = _several([entry.server.name for entry in flags])
        return Choice(None, f"the recording names no server and several are given: {names}")
    return Choice(None, "the recording names no server; give one with --server NAME=COMMAND or --url NAME=URL")


def _usable(entry: Entry, reason: str) -> Choice:
    if entry.problem:
        name, source = _words(entry.server.name), entry.server.source
        return Choice(None, visible(f"{name} in {source} cannot be used: {entry.problem}"))
    return Choice(entry.server, visible(reason))


def _place(entry: Entry) -> str:
    return f"{'given by' if entry.scope is Scope.FLAG else 'configured in'} {entry.server.source}"


def _words(name: str) -> str:
    """A name inside a message. What was meant as a URL and is taken as a name may hold a secret."""
    name = plain_urls(name) if len(name) <= NAME_WIDTH else plain_urls(name[:NAME_WIDTH]) + ELLIPSIS
    return visible(name) if name.isprintable() and " " not in name else repr(name)


def _several(names: Collection[str]) -> str:
    """Names inside a message: the first of them, and how many more there are."""
    more = len(names) - _MOST_NAMES
    return ", ".join(map(_words, islice(names, _MOST_NAMES))) + (f" and {more:,} more" if more > 0 else "")


def _flag_name(name: str) -> str:
    """A name as it has to be written in a flag, unless nobody would type it."""
    return visible(shlex.quote(name)) if len(name) <= NAME_WIDTH else "NAME"


def _how_to_give(name: str) -> str:
    return f"give it with --server {_flag_name(name)}=COMMAND, --url or --config"


def servers_of_flags(
    commands: Sequence[str], urls: Sequence[str], headers: Sequence[str], folder: str, streams: Sequence[str] = ()
) -> tuple[Entry, ...]:
    """The servers of `--server NAME=COMMAND`, `--url NAME=URL`, `--header [SERVER=]NAME: VALUE` and `--sse NAME=URL`.

    A header without a server's name goes to the only URL; with several URLs it must name one, so that no credential
    reaches another host. Commands are split as a POSIX shell does and run in `folder`.

    Raises:
        BadOption: a flag cannot be understood, or a name is given twice.
    """
    started = [_named(text, "--server", "COMMAND") for text in commands]
    reached = [("http", *_named(text, "--url", "URL")) for text in urls]
    reached += [("sse", *_named(text, "--sse", "URL")) for text in streams]
    names = [name for name, _ in started] + [name for _, name, _ in reached]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise BadOption(f"two servers are named {_words(twice)}")
    own: dict[str, dict[str, str]] = {name: {} for _, name, _ in reached}
    for text in headers:
        target, header, value = _header(text, list(own))
        own[target][header] = value
    servers = [_command_server(name, command, folder) for name, command in started]
    servers += [_url_server(how, name, url, own[name]) for how, name, url in reached]
    return tuple(Entry(server, Scope.FLAG) for server in servers)


def _named(text: str, flag: str, what: str) -> tuple[str, str]:
    name, equals, rest = text.partition("=")
    if not equals or not name.strip() or not rest.strip():
        raise BadOption(f"{flag} takes NAME={what}")
    return name.strip(), rest.strip()


def _command_server(name: str, command: str, folder: str) -> Server:
    try:
        arguments = tuple(shlex.split(command))
    except ValueError as error:
        raise BadOption(f"--server {_words(name)}: {str(error)[:1].lower()}{str(error)[1:]}") from None
    if not arguments or not arguments[0]:
        raise BadOption(f"--server {_words(name)}: no command")
    if len(arguments) == 1 and arguments[0].startswith(("http://", "https://")):
        raise BadOption(f"--server {_words(name)}: that is a URL; use --url {_words(name)}=URL")
    if "\0" in command:
        raise BadOption(f"--server {_words(name)}: the command holds a NUL character")
    return Server(name, "stdio", arguments, folder=folder, source="--server")


def _url_server(how: str, name: str, url: str, headers: Mapping[str, str]) -> Server:
    flag = "--url" if how == "http" else "--sse"
    if problem := url_problem(url):
        raise BadOption(f"{flag} {_words(name)}: {problem}")
    return Server(name, how, url=url, headers=headers, source=flag)


def _header(text: str, names: Sequence[str]) -> tuple[str, str, str]:
    named = [name for name in names if text.startswith(f"{name}=")]
    target = max(named, key=len, default="")
    parts = _HEADER.fullmatch(text[len(target) + 1 :] if target else text)
    if parts is None or header_problem(parts[1], parts[2]):
        raise BadOption("--header takes 'NAME: VALUE' or 'SERVER=NAME: VALUE' with the name of a --url or --sse server")
    if not names:
        raise BadOption("--header needs a --url or --sse")
    if not target and len(names) > 1:
        which = f"which server gets {short_name(parts[1])}?"
        raise BadOption(f"with several URLs, --header takes 'SERVER=NAME: VALUE' ({which})")
    return target or names[0], parts[1], parts[2].strip()


def url_problem(url: str) -> str:
    """Why nothing can be reached at that URL, or empty. The URL is not repeated."""
    try:
        parts = urlsplit(url)
        valid = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return "not a URL"
    if parts.scheme not in ("http", "https"):
        return "not an http or https URL"
    return "" if valid and not _CONTROL.search(url) else "not a URL"


def header_problem(name: str, value: str) -> str:
    """Why that header cannot be sent, or empty. Neither name nor value is repeated: either may be a secret."""
    if not _HEADER.fullmatch(f"{name}:"):
        return "that is no name for a header"
    return "it holds a line break or NUL" if _CONTROL.search(value) else ""
