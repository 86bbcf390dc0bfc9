"""Variables in configured texts, as the tools that own the configs replace them.

| tool | forms |
|---|---|
| Claude Code | `${NAME}`, `${NAME:-default}` |
| VS Code | `${env:NAME}`, `${input:ID}`, `${workspaceFolder}`, `${workspaceFolderBasename}`, `${userHome}`, `${cwd}`, `${pathSeparator}`, `${/}` |
| Cursor | `${env:NAME}`, `${workspaceFolder}`, `${workspaceFolderBasename}`, `${userHome}`, `${pathSeparator}`, `${/}` |
| Claude Desktop, Codex | none: `${NAME}` stays as it is |

Tools differ in what an unset variable becomes (Claude Code warns and passes the text on, VS Code passes nothing). Here
it is a problem, because a call sent with half a credential answers the wrong question.
"""  # noqa: E501 (a table row)

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from blockview.core.safetext import one_line

_REFERENCE = re.compile(r"\$\{([^}]+)\}")
_VARIABLE_NAME = re.compile(r"[A-Z_][A-Z0-9_]{0,79}|[A-Za-z_]\w{0,23}", re.ASCII)
_WIDEST = 80
"""Cells of a reference in a message."""


class Tool(StrEnum):
    """The tools whose configs are read; the value is the name for the person."""

    CLAUDE_CODE = "Claude Code"
    CLAUDE_DESKTOP = "Claude Desktop"
    VSCODE = "VS Code"
    CURSOR = "Cursor"
    CODEX = "Codex"


class Discreet(msgspec.Struct, frozen=True):
    """Something that holds secrets: what `fit_to_show` gives is its `repr`, also in tracebacks with local variables."""

    def fit_to_show(self) -> list[tuple[str, Any]]:
        """Names and values that anybody may see."""
        return []

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.fit_to_show())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """What rich prints."""
        return self.fit_to_show()


class Surroundings(Discreet, frozen=True):
    """What variables are replaced from. `workspace` is the project's folder, empty where there is none."""

    environ: Mapping[str, str]
    home: str
    current: str
    workspace: str = ""

    def fit_to_show(self) -> list[tuple[str, Any]]:
        """All but the environment."""
        return [("home", self.home), ("current", self.current), ("workspace", self.workspace)]


class Expanded(Discreet, frozen=True):
    """A configured text: as it is used, and as it may be shown, with `${NAME}` where a variable's value stands.

    `names` are the environment variables whose values are in it, `problems` say what could not be replaced.
    """

    value: str
    shown: str
    names: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def fit_to_show(self) -> list[tuple[str, Any]]:
        """The names of the variables, and no text: a literal one may be a secret."""
        return [("names", self.names), ("problems", self.problems)]


class _Replaced(NamedTuple):
    value: str | None
    """None: the reference stays as it is written."""
    variable: str = ""
    problem: str = ""


def literal(text: str) -> Expanded:
    """A text in which nothing is replaced."""
    return Expanded(text, text)


def from_environment(name: str, environ: Mapping[str, str], *, prefix: str = "") -> Expanded:
    """The value of an environment variable behind a fixed `prefix`."""
    found = _environment(name, environ)
    return Expanded(
        prefix + (found.value or ""), f"{prefix}${{{name}}}", (name,), (found.problem,) if found.problem else ()
    )


def expand(text: str, tool: Tool, around: Surroundings) -> Expanded:
    """`text` with the variables replaced that `tool` replaces in its configs. Never raises."""
    replace = _REPLACE.get(tool)
    if replace is None or "${" not in text or "}" not in text:
        return literal(text)
    last = text.rindex("}") + 1  # every search inside ends at a brace: the cost stays linear
    values, shown, names, problems = [], [], [], []
    position = 0
    for found in _REFERENCE.finditer(text, 0, last):
        before, written = text[position : found.start()], found[0]
        position = found.end()
        replaced = replace(found[1], around)
        values += [before, written if replaced.value is None else replaced.value]
        if replaced.variable:
            names.append(replaced.variable)
            shown += [before, f"${{{replaced.variable}}}"]
        else:
            shown += [before, written if replaced.value is None else replaced.value]
        if replaced.problem:
            problems.append(replaced.problem)
    rest = text[position:]
    return Expanded(
        "".join([*values, rest]),
        "".join([*shown, rest]),
        tuple(dict.fromkeys(names)),
        tuple(dict.fromkeys(problems)),
    )


def is_variable_name(name: str) -> bool:
    """Whether that reads like a variable's name; anything else may be a secret that stands where a name belongs."""
    return bool(_VARIABLE_NAME.fullmatch(name))


def _environment(name: str, environ: Mapping[str, str]) -> _Replaced:
    try:
        return _Replaced(environ[name], name)
    except (KeyError, ValueError):
        which = f"the environment variable {name}" if is_variable_name(name) else "an environment variable"
        return _Replaced(None, name, f"{which} is not set")


def _editor_alone(reference: str) -> _Replaced:
    return _Replaced(None, problem=f"${{{one_line(reference, _WIDEST)}}} is known to the editor alone")


def _claude_code(reference: str, around: Surroundings) -> _Replaced:
    name, has_default, default = reference.partition(":-")
    found = _environment(name, around.environ)
    return _Replaced(default) if found.problem and has_default else found


def _editor(reference: str, around: Surroundings) -> _Replaced:
    kind, _, argument = reference.partition(":")
    match kind:
        case "env":
            return _environment(argument, around.environ)
        case "userHome":
            return _Replaced(around.home)
        case "pathSeparator" | "/":
            return _Replaced(os.sep)
        case "workspaceFolder" | "workspaceFolderBasename" if argument or not around.workspace:
            return _editor_alone(reference)
        case "workspaceFolder":
            return _Replaced(around.workspace)
        case "workspaceFolderBasename":
            return _Replaced(os.path.basename(around.workspace))
    return _Replaced(None)


def _vscode(reference: str, around: Surroundings) -> _Replaced:
    kind, _, argument = reference.partition(":")
    match kind:
        case "input":
            return _Replaced(None, problem=f"VS Code asks the person for ${{input:{one_line(argument, _WIDEST)}}}")
        case "config" | "command" | "extensionInstallFolder":
            return _editor_alone(reference)
        case "cwd":
            return _Replaced(around.workspace or around.current)
        case "workspaceRoot":  # the old name, still taken
            return _editor("workspaceFolder", around)
    return _editor(reference, around)


_REPLACE = {Tool.CLAUDE_CODE: _claude_code, Tool.VSCODE: _vscode, Tool.CURSOR: _editor}
