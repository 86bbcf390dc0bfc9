"""One server of a config: the members that tools give it, checked and with variables replaced.

A server that cannot be used is kept, with its reasons, so that the person sees it. No reason repeats a value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from blockview.core.jsontext import wire_text
from blockview.dispatch.documents import BadConfig, read_file
from blockview.dispatch.expand import (
    Expanded,
    Surroundings,
    Tool,
    expand,
    from_environment,
    is_variable_name,
    literal,
)
from blockview.dispatch.masking import shown_command, shown_url
from blockview.dispatch.servers import Entry, Scope, Server, header_problem, url_problem

_HOW = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "streamable_http": "http",
    "sse": "sse",
}
_NOT_FOR_COMMANDS = ("url", "bearer_token", "bearer_token_env_var", "http_headers", "env_http_headers")
_NOT_FOR_URLS = ("args", "env", "env_vars", "cwd", "bearer_token")
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,39}", re.ASCII)
_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Halves of surrogate pairs; those between them stand for bytes that are not UTF-8."""
_SETTING = re.compile(r"\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*?)\s*", re.DOTALL)


def read_entry(name: str, options: object, tool: Tool, scope: Scope, source: str, around: Surroundings) -> Entry:
    """The server `name` out of what a config says of it.

    Args:
        name: Its name in the config.
        options: What stands behind the name, of any type.
        tool: Whose rules it is read by.
        scope: Whose config it is.
        source: Its path, for the person.
        around: What variables are replaced from; commands run in its workspace, else in its current folder.
    """
    if not isinstance(options, dict):
        return Entry(Server(name, "", source=source), scope, tool, "it is not described by an object")
    reader = _Reader(tool, around)
    server = reader.server(name, options, source)
    return Entry(server, scope, tool, "; ".join(dict.fromkeys(reader.problems)))


class _Reader:
    """Reads the members of one server and collects what is wrong with them."""

    def __init__(self, tool: Tool, around: Surroundings) -> None:
        self.tool = tool
        self.around = around
        self.problems: list[str] = []

    def server(self, name: str, options: Mapping[str, object], source: str) -> Server:
        how = self._how(options)
        if options.get("disabled") is True or options.get("enabled") is False:
            self.problems.append("it is switched off there")
        if self.tool is Tool.CODEX:
            self._codex_conflicts(options)
        if how == "stdio":
            return self._started(name, options, source)
        return self._reached(name, how, options, source)

    def _how(self, options: Mapping[str, object]) -> str:
        stated = None if self.tool is Tool.CODEX else options.get("type", options.get("transport"))
        if stated is None:
            if not {"command", "url"} & set(options):
                self.problems.append("it has neither a command nor a url")
            return "stdio" if "command" in options or "url" not in options else "http"
        how = _HOW.get(stated) if isinstance(stated, str) else None
        if how is None:
            self.problems.append("its type is not one of stdio, http, sse")
            return "stdio" if "command" in options else "http"
        return how

    def _codex_conflicts(self, options: Mapping[str, object]) -> None:
        kind = "command" if "command" in options else "url"
        for key in _NOT_FOR_COMMANDS if kind == "command" else _NOT_FOR_URLS:
            if kind in options and key in options:
                self.problems.append(f"Codex takes no {key} beside a {kind}")

    def _started(self, name: str, options: Mapping[str, object], source: str) -> Server:
        path = self._text(options, "command")
        if not path.value:
            self.problems.append("it has no command")
        command = [self._path(path), *map(self._path, self._arguments(options))]
        if any("\0" in argument.value for argument in command):
            self.problems.append("its command holds a NUL character")
        env = {**self._env_file(options), **self._environment(options)}
        folder, shown_folder = self._folder(options)
        return Server(
            name,
            "stdio",
            command=tuple(argument.value for argument in command),
            env={key: text.value for key, text in env.items()},
            folder=folder,
            source=source,
            shown=shown_command(command) if path.value else "",
            shown_folder=shown_folder,
            hidden=_names(env, "variable"),
        )

    def _reached(self, name: str, how: str, options: Mapping[str, object], source: str) -> Server:
        url = self._text(options, "url")
        if not url.value:
            self.problems.append("it has no url")
        elif not url.problems and (problem := url_problem(url.value)):
            self.problems.append(f"its url is {problem}")
        headers = self._headers(options)
        for at, (key, text) in enumerate(headers.items(), 1):
            if problem := header_problem(key, text.value):
                self.problems.append(f"{_member('headers', at, key)}: {problem}")
        return Server(
            name,
            how,
            url=url.value,
            headers={key: text.value for key, text in headers.items()},
            source=source,
            shown=shown_url(url),
            hidden=_names(headers, "header"),
        )

    def _expand(self, text: str) -> Expanded:
        expanded = expand(text, self.tool, self.around)
        self.problems += expanded.problems
        if _HALF.search(expanded.value):
            self.problems.append("a text of it holds half of a surrogate pair, which is no character")
        return expanded

    def _text(self, options: Mapping[str, object], key: str) -> Expanded:
        value = options.get(key)
        if value is None or isinstance(value, str):
            return self._expand(value or "")
        self.problems.append(f"its {key} is not a text")
        return literal("")

    def _arguments(self, options: Mapping[str, object]) -> list[Expanded]:
        values = options.get("args")
        if values is None:
            return []
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            self.problems.append("its args are not a list of texts")
            return []
        return [self._expand(value) for value in values]

    def _table(self, options: Mapping[str, object], key: str) -> dict[str, Expanded]:
        values = options.get(key)
        if values is None:
            return {}
        if not isinstance(values, dict):
            self.problems.append(f"its {key} is not an object")
            return {}
        table = {}
        for at, (name, value) in enumerate(values.items(), 1):
            if isinstance(value, str):
                table[name] = self._expand(value)
            elif isinstance(value, int):
                table[name] = literal(wire_text(value))  # also for more digits than Python itself prints
            elif value is not None:  # VS Code: null takes a variable away, and none is handed on here unasked
                self.problems.append(f"{_member(key, at, name)} is not a text")
        return table

    def _environment(self, options: Mapping[str, object]) -> dict[str, Expanded]:
        given = self._table(options, "env")
        for at, (name, text) in enumerate(given.items(), 1):
            if not name or "=" in name or "\0" in name or _HALF.search(name):
                self.problems.append(f"env: entry {at}: that is no name for an environment variable")
            elif "\0" in text.value:
                self.problems.append(f"{_member('env', at, name)} holds a NUL character")
        table = {**self._codex_variables(options), **given}
        path = table.get("PATH")
        if path is not None and self.tool is Tool.VSCODE and self.around.environ.get("PATH"):
            # VS Code appends to PATH instead of replacing it.
            whole = f"{self.around.environ['PATH']}{os.pathsep}{path.value}"
            table["PATH"] = Expanded(whole, path.shown, path.names)
        return table

    def _codex_variables(self, options: Mapping[str, object]) -> dict[str, Expanded]:
        """`env_vars` of Codex: variables that are handed on where they are set."""
        if self.tool is not Tool.CODEX:
            return {}
        values = options.get("env_vars", [])
        if not isinstance(values, list):
            self.problems.append("its env_vars are not a list")
            return {}
        table = {}
        for at, value in enumerate(values, 1):
            name = value.get("name") if isinstance(value, dict) else value
            if not isinstance(name, str):
                self.problems.append("its env_vars are not a list of names")
            elif isinstance(value, dict) and value.get("source", "local") != "local":
                self.problems.append(f"{_member('env_vars', at, name)} is known to another machine alone")
            elif name in self.around.environ:
                table[name] = from_environment(name, self.around.environ)
        return table

    def _headers(self, options: Mapping[str, object]) -> dict[str, Expanded]:
        if self.tool is not Tool.CODEX:
            return self._table(options, "headers")
        headers = self._table(options, "http_headers")
        environ = self.around.environ
        for name, variable in self._table(options, "env_http_headers").items():
            if environ.get(variable.value, "").strip():  # Codex leaves a header out whose variable is empty
                headers[name] = from_environment(variable.value, environ)
        bearer = self._text(options, "bearer_token_env_var")
        if bearer.value:
            headers["Authorization"] = from_environment(bearer.value, environ, prefix="Bearer ")
            self.problems += headers["Authorization"].problems
        return headers

    def _env_file(self, options: Mapping[str, object]) -> dict[str, Expanded]:
        """`envFile` of VS Code and Cursor: lines of NAME=VALUE."""
        if self.tool not in (Tool.VSCODE, Tool.CURSOR) or "envFile" not in options:
            return {}
        path = self._text(options, "envFile")
        if not path.value or path.problems:
            return {}
        file = Path(self._base(), self._path(path).value)
        try:
            data = read_file(file)
        except BadConfig as error:
            self.problems.append(f"envFile {error}")
            return {}
        if data is None:
            self.problems.append(f"envFile {file}: no such file")
            return {}
        return {name: literal(value) for name, value in settings(data.decode("utf-8-sig", "replace")).items()}

    def _folder(self, options: Mapping[str, object]) -> tuple[str, str]:
        """The working directory as it is, and as it may be shown."""
        given = self._path(self._text(options, "cwd"))
        folder, shown = (os.path.normpath(os.path.join(self._base(), text)) for text in (given.value, given.shown))
        return folder, shown

    def _base(self) -> str:
        return self.around.workspace or self.around.current

    def _path(self, text: Expanded) -> Expanded:
        """VS Code takes `~` for the home folder at the start of a command, an argument and a folder."""
        if self.tool is not Tool.VSCODE or not (text.value == "~" or text.value.startswith(("~/", "~\\"))):
            return text
        home = self.around.home
        return Expanded(home + text.value[1:], home + text.shown[1:], text.names)


def settings(text: str) -> dict[str, str]:
    r"""The variables of an environment file: NAME=VALUE lines, `#` comments, values in quotes, `\n` in double ones."""
    found = {}
    for line in text.splitlines():
        setting = None if line.lstrip().startswith("#") else _SETTING.fullmatch(line)
        if setting is not None:
            found[setting[1]] = _unquoted(setting[2])
    return found


def _unquoted(value: str) -> str:
    quote = value[:1]
    if len(value) < 2 or quote not in ("'", '"', "`") or not value.endswith(quote):
        return value
    inner = value[1:-1]
    return inner.replace(r"\n", "\n").replace(r"\r", "\r") if quote == '"' else inner


def _member(key: str, at: int, name: str) -> str:
    """A member in a message: by its name, or by its place where a value may stand in the name's stead."""
    return f"{key}: {name}" if _NAME.fullmatch(name) else f"{key}: entry {at}"


def _names(texts: Mapping[str, Expanded], what: str) -> tuple[str, ...]:
    """The names of variables or headers, with the environment variables that their values come from."""
    shown = []
    for at, (name, text) in enumerate(texts.items(), 1):
        known = name if _NAME.fullmatch(name) else f"{what} {at}"
        origin = ", ".join(f"${{{each}}}" if is_variable_name(each) else "a variable" for each in text.names)
        shown.append(f"{known} from {origin}" if origin else known)
    return tuple(shown)
