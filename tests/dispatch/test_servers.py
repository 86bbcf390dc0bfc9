"""Servers as the person gives and sees them: flags, masks, and which server a recorded name means."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.dispatch.expand import Expanded, literal
from blockview.dispatch.masking import shown_command, shown_url
from blockview.dispatch.servers import (
    BadOption,
    Entry,
    Scope,
    Server,
    Servers,
    destination,
    find_server,
    only_given,
    servers_of_flags,
    with_shadows,
)

SECRET = "hunter2hunter2"


def flags(commands: Sequence[str] = (), urls: Sequence[str] = (), headers: Sequence[str] = ()) -> tuple[Server, ...]:
    return tuple(entry.server for entry in servers_of_flags(commands, urls, headers, "/here"))


def command(*arguments: str) -> str:
    return shown_command([literal(argument) for argument in arguments])


def servers(*entries: Entry) -> Servers:
    return Servers(with_shadows(entries))


def entry(name: str, scope: Scope = Scope.PROJECT, source: str = "/p/.mcp.json", problem: str = "") -> Entry:
    return Entry(Server(name, "stdio", ("run", name), source=source), scope, "Claude Code", problem)


# Flags


def test_a_command_is_split_as_a_shell_does_and_runs_in_the_current_folder() -> None:
    (server,) = flags(["files=npx -y 'a b' --x=1"])
    assert server == Server("files", "stdio", ("npx", "-y", "a b", "--x=1"), folder="/here", source="--server")


def test_a_url_gets_the_header() -> None:
    (server,) = flags(urls=["web=https://h.example/mcp?a=b"], headers=["Authorization: Bearer x:y"])
    assert (server.how, server.url) == ("http", "https://h.example/mcp?a=b")
    assert server.headers == {"Authorization": "Bearer x:y"}
    assert flags(urls=["web=https://h.example/sse"])[0].how == "http"


def test_with_several_urls_a_header_names_its_server() -> None:
    urls = ["a=https://a.example", "b=http://b.example"]
    first, second = flags(urls=urls, headers=["b=X-Key: 1", "a=X-Other: 2"])
    assert (first.headers, second.headers) == ({"X-Other": "2"}, {"X-Key": "1"})
    with pytest.raises(BadOption, match="which server gets X-Key"):
        flags(urls=urls, headers=[f"X-Key: {SECRET}"])


@pytest.mark.parametrize(
    ("commands", "urls", "headers", "words"),
    [
        (["npx"], [], [], "--server takes NAME=COMMAND"),
        (["=npx"], [], [], "--server takes NAME=COMMAND"),
        (["a="], [], [], "--server takes NAME=COMMAND"),
        ([f"a=run '{SECRET}"], [], [], "--server a: no closing quotation"),
        (["a=''"], [], [], "--server a: no command"),
        ([f"a=https://h.example/{SECRET}"], [], [], "use --url a=URL"),
        (["a=x\0"], [], [], "NUL"),
        (["a=x", "a=y"], [], [], "two servers are named a"),
        (["a=x"], ["a=http://h.example"], [], "two servers are named a"),
        ([], ["a=http://h.example", "a=http://i.example"], [], "two servers are named a"),
        ([], [f"a=ftp://h.example/{SECRET}"], [], "--url a: not an http or https URL"),
        ([], [f"a=http://[{SECRET}"], [], "--url a: not a URL"),
        ([], ["a=http://"], [], "--url a: not a URL"),
        ([], ["a=http://h.example:99999"], [], "--url a: not a URL"),
        ([], ["a=http://h.example"], [SECRET], "--header takes"),
        ([], ["a=http://h.example"], [f"X: {SECRET}\r\nEvil: 1"], "--header takes"),
        ([], ["a=http://h.example"], [f"b=X: {SECRET}"], "--header takes"),
        (["a=x"], [], [f"X: {SECRET}"], "--header needs a --url"),
    ],
)
def test_a_flag_that_cannot_be_understood(commands: list[str], urls: list[str], headers: list[str], words: str) -> None:
    with pytest.raises(BadOption) as caught:
        flags(commands, urls, headers)
    assert words in str(caught.value)
    assert SECRET not in str(caught.value)


# What is shown


def test_a_command_is_shown_exactly_quoted_for_a_shell() -> None:
    assert command("/bin/sh", "-c", "touch ./PWNED") == "/bin/sh -c 'touch ./PWNED'"
    assert command("npx", "-y", "@x/server@1.2", "--max-tokens", "100", "--author", "me", "") == (
        "npx -y @x/server@1.2 --max-tokens 100 --author me ''"
    )
    assert command("a\x1b[2Jb", "c\nd", "\u202e", "e\tf") == r"'a\x1b[2Jb' 'c\nd' '\u202e' 'e\tf'"


@given(st.lists(st.text("ab '\"$\\*;|&<>~#"), min_size=1))
def test_a_shell_reads_the_shown_command_as_it_is_run(arguments: list[str]) -> None:
    assert shlex.split(command(*arguments)) == arguments


@pytest.mark.parametrize(
    "arguments",
    [
        ("--token", SECRET),
        (f"--token={SECRET}",),
        ("--api-key", f"-{SECRET}"),
        ("--password", SECRET),
        ("-e", f"HARMLESS={SECRET}"),
        (f"--env=HARMLESS={SECRET}",),
        (f"-eHARMLESS={SECRET}",),
        ("env", f"MY_API_KEY={SECRET}", "run"),
        ("--header", f"X-Thing: {SECRET}"),
        ("-H", f"Authorization: Bearer {SECRET}"),
        (f"Authorization: Bearer {SECRET}",),
        (f"Authorization: token {SECRET}",),
        (f"postgres://user:{SECRET}@db.example/x",),
        (f"--db=postgres://user:{SECRET}@db.example/x",),
        (f"https://h.example/mcp?key={SECRET}",),
        ("sh", "-c", f"TOKEN={SECRET} run --secret {SECRET}; run --password '{SECRET}'"),
        (f'{{"apiKey": "{SECRET}", "n": 1}}',),
        (f"ghp_{SECRET}{SECRET}",),
        (f"x sk-{SECRET}{SECRET} y",),
    ],
    ids=lambda arguments: " ".join(arguments).replace(SECRET, "*")[:30],
)
def test_what_looks_secret_is_masked(arguments: tuple[str, ...]) -> None:
    server = Server("s", "stdio", ("run", *arguments, "last"))
    shown = destination(server).command
    assert SECRET not in shown
    assert "•••" in shown
    assert shown.startswith(("run ", "'run")) and shown.endswith(" last")
    assert SECRET not in repr(server)


def test_flags_without_a_value_hide_nothing() -> None:
    assert command("run", "--no-auth", "x", "--token-file", "/t", "--token", "--verbose") == (
        "run --no-auth x --token-file /t --token --verbose"
    )
    assert command("node", "-e", "console.log(1)") == "node -e 'console.log(1)'"
    assert command("docker", "run", "-e", "TOKEN", "image") == "docker run -e TOKEN image"


def test_a_variable_stands_for_its_value() -> None:
    arguments = [
        literal("run"),
        Expanded(SECRET, "${TOKEN}", ("TOKEN",)),
        Expanded(f"a b {SECRET}", "a b ${TOKEN}", ("TOKEN",)),
        Expanded(f'"$x" {SECRET}', '"$x" ${TOKEN}', ("TOKEN",)),
        literal("--token"),
        Expanded(SECRET, "${TOKEN}", ("TOKEN",)),
        literal("--token"),
        Expanded(f"half{SECRET}", "half${TOKEN}", ("TOKEN",)),
        literal("${TOKEN}"),
    ]
    assert shown_command(arguments) == (
        'run "${TOKEN}" "a b ${TOKEN}" "\\"\\$x\\" ${TOKEN}" --token "${TOKEN}" --token ••• \'${TOKEN}\''
    )


def test_a_url_is_shown_without_what_may_be_secret() -> None:
    url = f"https://u:{SECRET}@h.example:8080/mcp/v1?key={SECRET}&{SECRET}#{SECRET}"
    assert shown_url(literal(url)) == "https://•••@h.example:8080/mcp/v1?key=•••&•••#•••"
    long = "a1" * 20
    assert shown_url(literal(f"https://h.example/s/{long}/mcp")) == "https://h.example/s/•••/mcp"
    assert shown_url(Expanded(f"https://h.example/?k={SECRET}", "https://h.example/?k=${K}", ("K",))) == (
        "https://h.example/?k=${K}"
    )


def test_values_of_variables_and_headers_are_in_no_text_of_a_server() -> None:
    server = Server(
        "s", "http", env={"A": SECRET}, url="http://h.example/", headers={"X-Key": SECRET}, source="/p/.mcp.json"
    )
    seen = destination(server)
    assert seen.hidden == ("A", "X-Key")
    for text in (repr(server), str(server), f"{server.__rich_repr__()}", repr(seen), repr(entry("s")), f"{[server]}"):
        assert SECRET not in text
    assert "X-Key" in repr(server)


# Which server is meant


def test_what_was_not_given_is_held_back_and_a_call_for_it_is_told_how_to_give_it() -> None:
    flag, near = entry("mine", Scope.FLAG, "--server"), entry("my.server", source="/a b/.mcp.json")
    found = only_given(servers(flag, near, entry("mine", Scope.USER, "/far")))
    assert find_server(found, "mine").server is flag.server
    choice = find_server(found, "my_server")
    assert choice.server is None
    assert choice.reason.startswith("my.server is configured in /a b/.mcp.json, but ")
    assert choice.reason.endswith("add --config '/a b/.mcp.json'")
    assert find_server(found, "my_server", lambda: ["my_server"]).server is flag.server  # it answers for the only one
    assert "is configured" not in find_server(found, "else", lambda: ["else", "mine"]).reason


def test_a_message_names_a_few_of_many_servers() -> None:
    names = [f"s{number}" for number in range(2000)]
    flags = [entry(f"f{number}", Scope.FLAG, "--server") for number in range(20)]
    reason = find_server(servers(*flags), "x", lambda: names).reason
    assert "the recording names s0, s1, s2, s3, s4, s5, s6, s7 and 1,992 more; given: f0, " in reason
    assert len(reason) < 300 and len(find_server(servers(*flags), None).reason) < 200


def test_of_a_server_that_is_held_back_and_cannot_be_used_the_reason_is_told() -> None:
    found = only_given(servers(entry("a", problem="the variable X is not set")))
    assert "the variable X is not set" in find_server(found, "a").reason


def test_exactly_the_recorded_name_comes_first() -> None:
    found = servers(entry("my_server", source="/a"), entry("my server", source="/b"))
    choice = find_server(found, "my server")
    assert choice.server is not None and choice.server.source == "/b"
    assert choice.reason == "configured in /b"
    assert choice.route.destination == destination(choice.server)


def test_else_the_sanitised_name() -> None:
    choice = find_server(servers(entry("my.server")), "my_server")
    assert choice.server is not None and choice.server.name == "my.server"
    assert "my.server" in choice.reason
    assert find_server(servers(entry("my_server")), "my.server").server is not None


def test_one_name_in_two_configs_is_one_candidate() -> None:
    found = servers(entry("my.server", source="/near"), entry("my.server", Scope.USER, "/far"))
    choice = find_server(found, "my_server")
    assert choice.server is not None and choice.server.source == "/near"


def test_names_that_are_alike_are_refused_with_both() -> None:
    route = find_server(servers(entry("my.server"), entry("my:server")), "my_server").route
    assert route.destination is None
    assert "my.server" in route.reason and "my:server" in route.reason


@pytest.mark.parametrize("recorded", ["plugin_tools_github", "claude_ai_github", "GitHub", "git", "寸止"])
def test_no_name_is_guessed(recorded: str) -> None:
    choice = find_server(servers(entry("github", Scope.FLAG, "--server")), recorded)
    assert choice.server is None
    assert recorded in choice.reason and "--server" in choice.reason


def test_a_given_server_answers_for_a_recorded_name_that_ends_in_its_own() -> None:
    found = servers(entry("other", Scope.FLAG, "--server"), entry("everything", Scope.FLAG, "--server"))
    choice = find_server(found, "mcp-servers/everything")
    assert choice.server is not None and choice.server.name == "everything"
    assert choice.reason == "everything answers for mcp-servers/everything, given by --server"
    assert find_server(servers(entry("everything")), "mcp-servers/everything").server is None


@pytest.mark.parametrize("scope", [Scope.FLAG, Scope.CONFIG])
def test_the_only_given_server_answers_for_the_only_recorded_one(scope: Scope) -> None:
    found = servers(entry("mine", scope, "--here"), entry("project"))
    choice = find_server(found, "theirs", lambda: ["theirs"])
    assert choice.server is not None and choice.server.name == "mine"
    assert choice.reason.startswith("mine answers for theirs, ")
    assert find_server(found, "theirs", lambda: ["theirs", "others"]).server is None
    two = servers(entry("mine", scope, "--here"), entry("yours", scope, "--here"))
    assert find_server(two, "theirs", lambda: ["theirs"]).server is None


def test_when_none_answers_both_lists_of_names_are_told() -> None:
    choice = find_server(servers(entry("mine", Scope.FLAG, "--server")), "a b", lambda: ["a b", "c"])
    assert choice.reason == (
        "none of the given servers answers for 'a b': the recording names 'a b', c; given: mine; "
        "for example --server 'a b'=COMMAND"
    )


def test_a_name_is_never_told_whole_where_it_is_too_long() -> None:
    name = "a" * 1_000_000
    found = servers(entry("a"), entry(name, Scope.FLAG))
    assert find_server(found, name).reason == "given by /p/.mcp.json"
    assert len(find_server(found, f"b{name}", lambda: [name]).reason) < 400
    with pytest.raises(BadOption, match=r"two servers are named a{60}…$"):
        servers_of_flags([f"{name}=x", f"{name}=x"], [], [], "/")


def test_a_url_that_stands_where_a_name_belongs_is_told_without_its_secrets() -> None:
    with pytest.raises(BadOption) as caught:
        servers_of_flags([], ["https://me:hunter2@h.example/?key=x"], [], "/")
    assert str(caught.value) == "--url https://h.example/: not an http or https URL"


def test_a_name_of_any_script_is_found() -> None:
    assert find_server(servers(entry("寸止")), "寸止").server is not None


def test_one_flag_alone_answers_for_calls_without_a_server() -> None:
    one = entry("a", Scope.FLAG, "--server")
    two = entry("b", Scope.FLAG, "--url")
    project = entry("c")
    choice = find_server(servers(one, project), None)
    assert choice.server == one.server
    assert "--server" in choice.reason
    several = find_server(servers(one, two), None)
    assert several.server is None and "a, b" in several.reason
    none = find_server(servers(project), "")
    assert none.server is None and "--server NAME=COMMAND" in none.reason


def test_the_nearest_of_one_name_wins_even_when_it_cannot_be_used() -> None:
    far = entry("a", Scope.USER, "/home/.claude.json")
    found = servers(entry("a", Scope.FLAG, "--server"), entry("a"), far)
    assert [each.shadowed_by for each in found.entries] == ["", "--server", "--server"]
    choice = find_server(found, "a")
    assert choice.server is not None and choice.server.source == "--server"
    assert choice.reason == "given by --server"
    refused = find_server(servers(entry("a", problem="the environment variable X is not set"), far), "a")
    assert refused.server is None
    assert refused.reason == "a in /p/.mcp.json cannot be used: the environment variable X is not set"


def test_reasons_hold_nothing_that_acts_on_a_terminal() -> None:
    for found in (servers(), servers(entry("a\x1b]b"), entry("a\x1b}b")), servers(entry("a\x1b[b", problem="\x1b"))):
        for name in ("a\x1b[b", "a__b"):
            assert "\x1b" not in find_server(found, name).reason


def test_a_server_may_speak_the_older_transport() -> None:
    (entry,) = servers_of_flags([], [], ["X: y"], "/", ["old=http://127.0.0.1:9/sse"])
    assert (entry.server.how, entry.server.url, entry.server.source) == ("sse", "http://127.0.0.1:9/sse", "--sse")
    assert entry.server.headers == {"X": "y"}
