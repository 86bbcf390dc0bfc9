"""Configs as the tools that own them read them: places, forms, variables, and what is wrong with them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.dispatch.configs import Machine, discover, read_config
from blockview.dispatch.documents import BadConfig, json_object
from blockview.dispatch.entries import read_entry, settings
from blockview.dispatch.expand import Expanded, Surroundings, Tool, expand
from blockview.dispatch.masking import shown_command, shown_url
from blockview.dispatch.places import project_folders
from blockview.dispatch.servers import Entry, Scope, Server, Servers, destination, with_shadows

SECRET = "hunter2hunter2"


class Desk:
    """A home folder and a repository with a folder in it, which is the current one."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.repo = root / "repo"
        self.current = self.repo / "sub"
        for folder in (self.home, self.repo / ".git", self.current):
            folder.mkdir(parents=True)
        self.environ = {"HOME": str(self.home), "TOKEN": SECRET, "EMPTY": ""}
        self.platform = "linux"

    @property
    def machine(self) -> Machine:
        return Machine(self.current, self.home, self.environ, self.platform)

    def write(self, path: Path, content: object) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def found(self) -> Servers:
        return discover(self.machine)

    def only(self) -> Entry:
        found = self.found()
        assert not found.problems
        (entry,) = found.entries
        return entry

    def claude(self, **options: object) -> Entry:
        self.write(self.repo / ".mcp.json", {"mcpServers": {"s": options}})
        return self.only()

    def vscode(self, **options: object) -> Entry:
        self.write(self.repo / ".vscode" / "mcp.json", {"servers": {"s": options}})
        return self.only()

    def cursor(self, **options: object) -> Entry:
        self.write(self.repo / ".cursor" / "mcp.json", {"mcpServers": {"s": options}})
        return self.only()

    def codex(self, lines: str) -> Entry:
        self.write(self.home / ".codex" / "config.toml", f'model = "m"\n[mcp_servers.s]\n{lines}\n')
        return self.only()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def named(*names: str) -> dict[str, object]:
    return {"mcpServers": {name: {"command": f"run-{name}"} for name in names}}


# Places


def test_the_configs_of_all_tools_are_found_the_nearest_first(desk: Desk) -> None:
    home, config = desk.home, desk.home / ".config"
    own = {**named("user"), "projects": {str(desk.repo): named("local"), "/elsewhere": named("other")}, "history": [1]}
    desk.write(home / ".claude.json", own)
    desk.write(config / "Claude" / "claude_desktop_config.json", named("desktop"))
    desk.write(config / "Code" / "User" / "mcp.json", {"servers": {"code": {"command": "x"}}})
    desk.write(config / "Code" / "User" / "profiles" / "p1" / "mcp.json", {"servers": {"profile": {"command": "x"}}})
    desk.write(home / ".cursor" / "mcp.json", named("cursor"))
    desk.write(home / ".codex" / "config.toml", '[mcp_servers.codex]\ncommand = "x"')
    desk.write(desk.current / ".mcp.json", named("near"))
    desk.write(desk.repo / ".mcp.json", named("project"))
    desk.write(desk.repo / ".vscode" / "mcp.json", {"servers": {"folder-code": {"command": "x"}}})
    desk.write(desk.repo / ".cursor" / "mcp.json", named("folder-cursor"))
    desk.write(desk.repo / ".codex" / "config.toml", '[mcp_servers.folder-codex]\ncommand = "x"')
    desk.write(desk.repo.parent / ".mcp.json", named("outside"))
    found = desk.found()
    project = ["near", "local", "project", "folder-code", "folder-cursor", "folder-codex"]
    user = ["user", "desktop", "code", "profile", "cursor", "codex"]
    assert [entry.server.name for entry in found.entries] == project + user
    assert {entry.server.name for entry in found.entries if entry.scope is Scope.PROJECT} == set(project)
    assert not found.problems


def test_outside_a_repository_only_the_current_folder_counts(desk: Desk) -> None:
    (desk.repo / ".git").rmdir()
    desk.write(desk.repo / ".mcp.json", named("planted"))
    desk.write(desk.current / ".mcp.json", named("mine"))
    assert project_folders(desk.current) == [desk.current]
    assert desk.only().server.name == "mine"


def test_folders_that_the_environment_names(desk: Desk) -> None:
    desk.environ |= {name: str(desk.home / name) for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME")}
    desk.write(desk.home / "CLAUDE_CONFIG_DIR" / ".claude.json", named("claude"))
    desk.write(desk.home / "CODEX_HOME" / "config.toml", '[mcp_servers.codex]\ncommand = "x"')
    desk.write(desk.home / "XDG_CONFIG_HOME" / "Code" / "User" / "mcp.json", {"servers": {"code": {"command": "x"}}})
    desk.write(desk.home / ".claude.json", named("not-read"))
    assert [entry.server.name for entry in desk.found().entries] == ["claude", "code", "codex"]


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("darwin", "Library/Application Support"), ("win32", "AppData/Roaming"), ("linux", ".config")],
)
def test_the_folder_for_applications(desk: Desk, platform: str, folder: str) -> None:
    desk.platform = platform
    desk.write(desk.home / folder / "Claude" / "claude_desktop_config.json", named("desktop"))
    assert desk.only().tool == "Claude Desktop"


def test_in_the_home_folder_a_users_config_is_read_once(desk: Desk) -> None:
    desk.current = desk.home
    desk.write(desk.home / ".cursor" / "mcp.json", named("one"))
    assert desk.only().scope is Scope.USER


def test_nothing_there_is_nothing_wrong(desk: Desk) -> None:
    found = desk.found()
    assert found.entries == () and found.problems == ()
    assert str(desk.repo / ".mcp.json") in found.looked_at
    assert str(desk.home / ".claude.json") in found.looked_at


def test_the_same_name_in_two_configs_is_listed_twice_and_the_nearest_wins(desk: Desk) -> None:
    near = desk.write(desk.repo / ".mcp.json", named("a"))
    desk.write(desk.home / ".claude.json", named("a"))
    entries = with_shadows(desk.found().entries)
    assert [entry.shadowed_by for entry in entries] == ["", str(near)]


# Claude Code


def test_claude_code_replaces_variables_everywhere(desk: Desk) -> None:
    entry = desk.claude(command="${CMD:-npx}", args=["-y", "${TOKEN}", "$TOKEN", "${EMPTY}"], env={"A": "x${TOKEN}"})
    assert entry.problem == ""
    assert entry.server.command == ("npx", "-y", SECRET, "$TOKEN", "")
    assert entry.server.env == {"A": f"x{SECRET}"}
    assert entry.server.folder == str(desk.repo)
    seen = destination(entry.server)
    assert seen.command == 'npx -y "${TOKEN}" \'$TOKEN\' "${EMPTY}"'
    assert seen.hidden == ("A from ${TOKEN}",)


def test_claude_code_urls_and_headers(desk: Desk) -> None:
    entry = desk.claude(type="http", url="https://${HOST:-h.example}/mcp?k=${TOKEN}", headers={"X": "B ${TOKEN}"})
    assert entry.server.url == f"https://h.example/mcp?k={SECRET}"
    assert entry.server.headers == {"X": f"B {SECRET}"}
    assert destination(entry.server).command == "https://h.example/mcp?k=${TOKEN}"


def test_an_unset_variable_makes_the_server_unusable(desk: Desk) -> None:
    entry = desk.claude(command="run", args=["${NOPE}", "${NOPE}"], env={"A": "${ALSO}"})
    assert entry.problem == "the environment variable NOPE is not set; the environment variable ALSO is not set"
    assert destination(entry.server).command == 'run "${NOPE}" "${NOPE}"'


@pytest.mark.parametrize(
    ("options", "how"),
    [
        ({"command": "x"}, "stdio"),
        ({"type": "stdio", "command": "x"}, "stdio"),
        ({"url": "https://h.example/sse"}, "http"),
        ({"type": "http", "url": "https://h.example"}, "http"),
        ({"type": "streamable-http", "url": "https://h.example"}, "http"),
        ({"transport": "streamableHttp", "url": "https://h.example"}, "http"),
        ({"type": "sse", "url": "https://h.example"}, "sse"),
    ],
)
def test_the_type_of_a_server(desk: Desk, options: dict[str, object], how: str) -> None:
    entry = desk.claude(**options)
    assert (entry.server.how, entry.problem) == (how, "")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "it has neither a command nor a url; it has no command"),
        ({"type": "stdio", "url": "https://h.example"}, "it has no command"),
        ({"type": "http", "command": "x"}, "it has no url"),
        ({"type": "ws", "url": "https://h.example"}, "its type is not one of stdio, http, sse"),
        ({"command": [SECRET]}, "its command is not a text; it has no command"),
        ({"command": "x", "args": SECRET}, "its args are not a list of texts"),
        ({"command": "x", "args": [{"a": SECRET}]}, "its args are not a list of texts"),
        ({"command": "x", "args": [f"{SECRET}\0"]}, "its command holds a NUL character"),
        ({"command": "x", "env": [SECRET]}, "its env is not an object"),
        ({"command": "x", "env": {"A": [SECRET]}}, "env: A is not a text"),
        (
            {"command": "x", "env": {"A": "", f"B={SECRET}": ""}},
            "env: entry 2: that is no name for an environment variable",
        ),
        ({"command": "x", "env": {"": SECRET}}, "env: entry 1: that is no name for an environment variable"),
        ({"command": "x", "env": {"A": f"{SECRET}\0"}}, "env: A holds a NUL character"),
        ({"command": "x", "env": {f"B {SECRET}": [1]}}, "env: entry 1 is not a text"),
        ({"command": "x", "args": [f"${{{SECRET}-{SECRET}}}"]}, "an environment variable is not set"),
        (
            {"command": "x", "env": {"A": "\ud800"}},
            "a text of it holds half of a surrogate pair, which is no character",
        ),
        ({"url": f"unix://{SECRET}"}, "its url is not an http or https URL"),
        (
            {"url": "https://h.example", "headers": {f"X {SECRET}": ""}},
            "headers: entry 1: that is no name for a header",
        ),
        (
            {"url": "https://h.example", "headers": {"X": f"{SECRET}\r\nY: 1"}},
            "headers: X: it holds a line break or NUL",
        ),
        ({"command": "x", "disabled": True}, "it is switched off there"),
    ],
)
def test_an_entry_that_cannot_be_used_is_kept_with_its_reason(
    desk: Desk, options: dict[str, object], problem: str
) -> None:
    entry = desk.claude(**options)
    assert entry.problem == problem
    assert SECRET not in str(destination(entry.server).hidden)


def test_a_secret_in_place_of_a_variables_name_is_not_repeated(desk: Desk) -> None:
    token = "ghp_" + "a1B2" * 9
    path = desk.repo / "config.toml"
    path.write_text(f'[mcp_servers.a]\nurl = "https://h.example"\nbearer_token_env_var = "{token}"')
    (entry,) = read_config(path, desk.machine)
    assert entry.problem == "an environment variable is not set"
    assert destination(entry.server).hidden == ("Authorization from a variable",)


@pytest.mark.parametrize(
    "odd",
    ["9" * 5000, '"\\ud800"', "1e999", "-0", '{"a": "\\udc00"}'],
    ids=["long", "half", "infinite", "zero", "inner"],
)
def test_an_odd_value_spoils_no_other_server(desk: Desk, odd: str) -> None:
    path = desk.write(desk.repo / ".mcp.json", "")
    servers = f'{{"odd": {{"command": "x", "env": {{"A": {odd}}}}}, "good": {{"command": "x"}}}}'
    path.write_text(f'{{"history": {odd}, "mcpServers": {servers}}}')
    found = desk.found()
    assert found.problems == ()
    assert [entry.server.name for entry in found.entries] == ["odd", "good"]
    assert found.entries[1].problem == ""


def test_an_integer_of_any_length_is_a_variables_digits(desk: Desk) -> None:
    path = desk.write(desk.repo / ".mcp.json", "")
    path.write_text(f'{{"mcpServers": {{"a": {{"command": "x", "env": {{"A": {"9" * 5000}}}}}}}}}')
    (entry,) = desk.found().entries
    assert (entry.problem, entry.server.env) == ("", {"A": "9" * 5000})


def test_what_is_nested_too_deeply_is_said(desk: Desk) -> None:
    path = desk.write(desk.repo / ".mcp.json", "")
    path.write_text('{"mcpServers": {"a": ' + "[" * 5000 + "]" * 5000 + "}}")
    assert desk.found().problems == (f"{path}: nested too deeply",)


def test_an_entry_of_another_type_is_kept(desk: Desk) -> None:
    desk.write(desk.repo / ".mcp.json", {"mcpServers": {"bad": SECRET, "good": {"command": "x"}}})
    bad, good = desk.found().entries
    assert bad.problem == "it is not described by an object"
    assert good.problem == ""


def test_claude_desktop_replaces_nothing(desk: Desk) -> None:
    path = desk.home / ".config" / "Claude" / "claude_desktop_config.json"
    desk.write(path, {"mcpServers": {"s": {"command": "run", "args": ["${TOKEN}", "${NOPE}"]}}})
    entry = desk.only()
    assert entry.server.command == ("run", "${TOKEN}", "${NOPE}")
    assert destination(entry.server).command == "run '${TOKEN}' '${NOPE}'"
    assert entry.server.folder == str(desk.current)
    assert entry.problem == ""


# VS Code


def test_vscode_variables(desk: Desk) -> None:
    desk.environ["PATH"] = "/bin"
    args = [
        "${workspaceFolder}/a",
        "${workspaceFolderBasename}",
        "${userHome}",
        "${/}",
        "${env:TOKEN}",
        "${TOKEN}",
        "~/b",
    ]
    env = {"N": 5, "B": True, "GONE": None, "PATH": "/more"}
    entry = desk.vscode(type="stdio", command="~/bin/x", args=args, env=env, cwd="${workspaceFolder}/sub")
    assert entry.problem == ""
    home, repo = str(desk.home), str(desk.repo)
    assert entry.server.command == (f"{home}/bin/x", f"{repo}/a", "repo", home, os.sep, SECRET, "${TOKEN}", f"{home}/b")
    assert entry.server.env == {"N": "5", "B": "true", "PATH": f"/bin{os.pathsep}/more"}
    assert entry.server.folder == f"{repo}/sub"
    assert f"/a repo {home} / \"${{TOKEN}}\" '${{TOKEN}}'" in destination(entry.server).command


@pytest.mark.parametrize("reference", ["input:key", "config:a.b", "command:x", "workspaceFolder:other"])
def test_what_only_vscode_knows_makes_the_server_unusable(desk: Desk, reference: str) -> None:
    entry = desk.vscode(command="x", env={"A": f"${{{reference}}}"})
    assert reference in entry.problem


def test_vscode_takes_comments_and_trailing_commas(desk: Desk) -> None:
    text = """\ufeff// Größe
    { "inputs": [], /* one
      two */ "servers": { "s": { "command": "x", "args": ["//no", "a,]", "\\"/*", ], }, }, }"""
    desk.write(desk.repo / ".vscode" / "mcp.json", text)
    assert desk.only().server.command == ("x", "//no", "a,]", '"/*')


def test_an_environment_file(desk: Desk) -> None:
    desk.write(desk.repo / ".env", f"# c\nA={SECRET}\nexport B = 'x y'\nC=\"l\\nm\"\n\nbroken\nD=\n")
    entry = desk.vscode(command="x", envFile="${workspaceFolder}/.env", env={"A": "own"})
    assert entry.server.env == {"A": "own", "B": "x y", "C": "l\nm", "D": ""}
    assert destination(entry.server).hidden == ("A", "B", "C", "D")
    missing = desk.vscode(command="x", envFile="${workspaceFolder}/nope")
    assert missing.problem == f"envFile {desk.repo}/nope: no such file"


def test_the_users_vscode_config_has_no_workspace(desk: Desk) -> None:
    path = desk.home / ".config" / "Code" / "User" / "mcp.json"
    desk.write(path, {"servers": {"s": {"command": "x", "args": ["${workspaceFolder}"]}}})
    entry = desk.only()
    assert "workspaceFolder" in entry.problem
    assert entry.server.folder == str(desk.current)


# Cursor


def test_cursor_variables(desk: Desk) -> None:
    args = ["${env:TOKEN}", "${workspaceFolder}", "${workspaceFolderBasename}", "${pathSeparator}", "${input:x}"]
    entry = desk.cursor(command="x", args=args, env={"A": "${userHome}"})
    assert entry.server.command == ("x", SECRET, str(desk.repo), "repo", os.sep, "${input:x}")
    assert entry.server.env == {"A": str(desk.home)}
    assert entry.problem == ""


# Codex


def test_codex_hands_named_variables_on(desk: Desk) -> None:
    entry = desk.codex(
        'command = "npx"\nargs = ["${TOKEN}"]\nenv = { A = "${TOKEN}" }\ncwd = "x"\n'
        'env_vars = ["TOKEN", "NOPE", { name = "EMPTY", source = "local" }]'
    )
    assert entry.problem == ""
    assert entry.server.command == ("npx", "${TOKEN}")
    assert entry.server.env == {"TOKEN": SECRET, "EMPTY": "", "A": "${TOKEN}"}
    assert entry.server.folder == str(desk.current / "x")
    assert destination(entry.server).hidden == ("TOKEN from ${TOKEN}", "EMPTY from ${EMPTY}", "A")


def test_codex_urls(desk: Desk) -> None:
    entry = desk.codex(
        'url = "https://h.example/mcp"\nbearer_token_env_var = "TOKEN"\nhttp_headers = { X = "1" }\n'
        'env_http_headers = { Y = "TOKEN", Z = "EMPTY", W = "NOPE" }'
    )
    assert (entry.server.how, entry.problem) == ("http", "")
    assert entry.server.headers == {"X": "1", "Y": SECRET, "Authorization": f"Bearer {SECRET}"}
    assert destination(entry.server).hidden == ("X", "Y from ${TOKEN}", "Authorization from ${TOKEN}")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ('url = "https://h.example"\nbearer_token_env_var = "NOPE"', "the environment variable NOPE is not set"),
        ('url = "https://h.example"\nenabled = false', "it is switched off there"),
        ('command = "x"\nurl = "https://h.example"', "Codex takes no url beside a command"),
        ('url = "https://h.example"\nbearer_token = "t"', "Codex takes no bearer_token beside a url"),
        (
            'command = "x"\nenv_vars = [{ name = "A", source = "remote" }]',
            "env_vars: A is known to another machine alone",
        ),
        ("args = []", "it has neither a command nor a url; it has no command"),
    ],
)
def test_codex_entries_that_cannot_be_used(desk: Desk, lines: str, problem: str) -> None:
    assert desk.codex(lines).problem == problem


# A config that the person names


@pytest.mark.parametrize(
    ("name", "content", "tool"),
    [
        ("any.json", named("s"), Tool.CLAUDE_CODE),
        ("any.json", {"mcpServers": {"s": {"command": "x", "args": ["${env:TOKEN}"]}}}, Tool.CURSOR),
        ("claude_desktop_config.json", named("s"), Tool.CLAUDE_DESKTOP),
        ("any.json", {"servers": {"s": {"command": "x"}}}, Tool.VSCODE),
        (".vscode/mcp.json", {"servers": {"s": {"command": "x"}}}, Tool.VSCODE),
        (".cursor/mcp.json", named("s"), Tool.CURSOR),
        ("any.toml", '[mcp_servers.s]\ncommand = "x"', Tool.CODEX),
    ],
)
def test_a_named_config_is_known_by_its_content(desk: Desk, name: str, content: object, tool: Tool) -> None:
    path = desk.write(desk.repo.parent / "elsewhere" / name, content)
    (entry,) = read_config(path, desk.machine)
    assert (entry.tool, entry.scope, entry.problem) == (tool, Scope.CONFIG, "")
    assert entry.server.source == str(path)
    in_project = name.startswith(".")
    assert entry.server.folder == str(desk.repo.parent / "elsewhere" if in_project else desk.current)


def test_a_named_claude_code_file_has_the_projects_servers_too(desk: Desk) -> None:
    path = desk.write(desk.home / "copy.json", {**named("user"), "projects": {str(desk.repo): named("local")}})
    assert [entry.server.name for entry in read_config(path, desk.machine)] == ["local", "user"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file"),
        ('{"a": 1}', 'expected "mcpServers", "servers" or [mcp_servers]'),
        ("[1]", "a JSON object is expected, this is array"),
        ('{"mcpServers": 5}', "the servers are not in an object"),
    ],
)
def test_a_named_config_that_is_none(desk: Desk, content: str | None, words: str) -> None:
    path = desk.repo / "c.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BadConfig) as caught:
        read_config(path, desk.machine)
    assert str(caught.value).startswith(f"{path}: ") and words in str(caught.value)


# What is wrong with a config


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (".mcp.json", b'{\n "a": tru}', "not JSON: not a JSON token (line 2, byte 8)"),
        (".mcp.json", b'{"a" "%s"}' % SECRET.encode(), "not JSON: unexpected value (line 1, byte 5)"),
        (".mcp.json", b'\xef\xbb\xbf{"\xc3\xa9" }', "not JSON: unexpected '}' (line 1, byte 9)"),
        (".mcp.json", b"// no\n{}", "not JSON: not a JSON token (line 1, byte 0)"),
        (".mcp.json", b"", "not JSON: the text ends too early (line 1, byte 0)"),
        (".mcp.json", b"{\n\xff}", "not UTF-8 (line 2, byte 2)"),
        (".mcp.json", b'{"a":' + b"[" * 100_000, "not JSON"),
        (".mcp.json", b'{"mcpServers": []}', "the servers are not in an object"),
        (".mcp.json", b'"%s"' % SECRET.encode(), "a JSON object is expected, this is string"),
        (".vscode/mcp.json", "{ /* ä */ \n] }".encode(), "not JSON: unexpected ']' (line 2, byte 12)"),
        (
            ".codex/config.toml",
            b'a = 1\nb = "%s' % SECRET.encode(),
            "not TOML: the text ends too early (line 2, byte 25)",
        ),
        (".codex/config.toml", b"a = 1\n[[", "not TOML: the text ends too early (line 2, byte 8)"),
        (".codex/config.toml", "a = 1\nb = 'é' x".encode(), "not TOML (line 2, byte 15)"),
        (".codex/config.toml", b"mcp_servers = 5", "the servers are not in an object"),
        (".codex/config.toml", b"a = " + b"9" * 5000, "not TOML that can be read"),
    ],
)
def test_a_malformed_config_is_one_located_line_and_the_others_go_on(
    desk: Desk, name: str, content: bytes, words: str
) -> None:
    path = desk.write(desk.current / name, "")
    path.write_bytes(content)
    desk.write(desk.home / ".claude.json", named("good"))
    found = desk.found()
    assert [entry.server.name for entry in found.entries] == ["good"]
    (problem,) = found.problems
    assert problem.startswith(f"{path}: ") and words in problem
    assert SECRET not in problem and "\n" not in problem


def test_what_is_no_file_is_said_and_not_waited_for(desk: Desk) -> None:
    os.mkfifo(desk.current / ".mcp.json")
    (desk.current / ".cursor" / "mcp.json").mkdir(parents=True)
    assert [problem.rpartition(": ")[2] for problem in desk.found().problems] == ["not a file", "not a file"]


# What holds for every config

TOOLS = st.sampled_from(list(Tool))
PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "${",
                "}",
                ":-",
                "${TOKEN}",
                "${env:TOKEN}",
                "${env:",
                "${input:x}",
                "${NOPE}",
                "${workspaceFolder}",
                "${:-}",
                "$",
            ]
        ),
        st.text(max_size=5),
    ),
    max_size=8,
).map("".join)
AROUND = Surroundings({"TOKEN": SECRET}, "/home", "/current", "/work")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | PIECES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PIECES, inner, max_size=3),
    max_leaves=8,
)
MEMBERS = ("type", "command", "args", "env", "url", "headers", "cwd", "env_vars", "http_headers", "env_http_headers")
OPTIONS = st.dictionaries(st.sampled_from([*MEMBERS, "bearer_token_env_var", "transport", "enabled"]), JSON, max_size=6)


@given(PIECES, TOOLS)
def test_replacing_variables_is_total_and_never_shows_a_value(text: str, tool: Tool) -> None:
    expanded = expand(text, tool, AROUND)
    if not expanded.names and not expanded.problems and "${" not in text:
        assert expanded.value == expanded.shown == text
    assert (SECRET in expanded.value) == ("TOKEN" in expanded.names)
    for shown in (shown_command([expanded, expanded]), shown_url(expanded), repr(expanded)):
        assert SECRET not in shown


@given(JSON | OPTIONS, TOOLS)
def test_reading_an_entry_is_total_and_shows_no_value(options: object, tool: Tool) -> None:
    entry = read_entry("s", options, tool, Scope.PROJECT, "/p", AROUND)
    seen = destination(entry.server)
    for shown in (repr(entry), repr(seen), entry.problem, repr(AROUND)):
        assert SECRET not in shown
    if not entry.problem:
        assert entry.server.how in ("stdio", "http", "sse")
        assert bool(entry.server.command) != bool(entry.server.url)


@given(st.binary(max_size=40) | PIECES.map(str.encode), st.booleans())
def test_a_config_of_any_bytes_is_an_object_or_a_named_failure(data: bytes, comments: bool) -> None:
    try:
        json_object(Path("c.json"), data, comments=comments)
    except BadConfig as error:
        assert str(error).startswith("c.json: ")


@given(st.text())
def test_an_environment_file_of_any_text_is_read(text: str) -> None:
    assert all(isinstance(value, str) for value in settings(text).values())


@pytest.mark.parametrize(
    "unit",
    ["${", "tokentoken", '"\\"', "/*", "a=", "a:", "-", "[", "x ", "a://", "a1", "sk-", "eyJaaaaaaaaaa.", "Bearer "],
)
def test_hostile_texts_are_not_searched_over_and_over(unit: str) -> None:
    """Work that grew with the square of this length would take many minutes."""
    text = unit * (200_000 // len(unit)) + "}"
    for tool in Tool:
        expanded = expand(text, tool, AROUND)
        assert expanded.value == text
        assert shown_command([expanded])
        assert shown_url(Expanded(f"https://h.example/{text}", f"https://h.example/{text}"))
    with pytest.raises(BadConfig):
        json_object(Path("c"), text.encode(), comments=True)


def test_servers_that_differ_in_what_they_run_are_not_equal() -> None:
    assert Server("s", "stdio", ("node", "a.js")) != Server("s", "stdio", ("node", "b.js"))
