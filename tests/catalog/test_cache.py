"""The cache of tool lists: what it answers, that it is private, and that nothing in it can do harm."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blockview.catalog.cache import ToolsCache, cache_folder
from blockview.catalog.file import read_tools
from blockview.core.model import Place, ToolCall, ToolSpec
from blockview.core.prepare import Found, Missing

MONDAY, TUESDAY = datetime(2026, 3, 9, 12, tzinfo=UTC), datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def cache(tmp_path: Path) -> ToolsCache:
    return ToolsCache(tmp_path / "cache" / "tools")


def call(tool: str, server: str | None = "editor", *, mcp: bool = True) -> ToolCall:
    return ToolCall("1", tool, tool, "{}", Place(1, 0), server=server, mcp=mcp)


def spec(name: str, schema: str | None = '{"type":"object"}') -> ToolSpec:
    return ToolSpec("whatever", name, schema)


def source(found: Found | Missing) -> str:
    assert isinstance(found, Found), found
    return found.source


def reason(missing: Found | Missing) -> str:
    assert isinstance(missing, Missing), missing
    return missing.reason


def test_what_is_stored_is_found_also_by_the_next_run(cache: ToolsCache) -> None:
    schema = '{"type": "object", "properties": {"id": {"maximum": 9007199254740993.0, "default": 1.10}}}'
    cache.store("editor", "node editor.js", [spec("open", schema)], MONDAY)
    for one in (cache, ToolsCache(cache.folder)):
        assert one.lookup(call("open")) == Found(json.loads(schema), "cache, 2026-03-09")


def test_schemas_keep_their_characters(cache: ToolsCache) -> None:
    schema = '{ "a" : 1.10, "b":1e400, "c":\t12345678901234567890123, "d":"é\\u00e9" }'
    cache.store("editor", "", [ToolSpec(None, "open", schema, output_schema='{"x": -0}')], MONDAY)
    (file,) = cache.folder.iterdir()
    assert schema in file.read_text()
    assert '{"x": -0}' in file.read_text()
    assert read_tools(file) == (ToolSpec(None, "open", schema, output_schema='{"x": -0}'),)


@pytest.mark.parametrize(
    "schema",
    ['{"default":NaN}', '{"default":"\\ud800"}', '{"default":"\udcff"}', '{"x":' + "[" * 3000 + "]" * 3000 + "}"],
)
def test_an_odd_schema_spoils_no_other(cache: ToolsCache, schema: str) -> None:
    cache.store("editor", "", [spec("odd", schema), spec("open")], MONDAY)
    assert source(cache.lookup(call("open"))) == "cache, 2026-03-09"
    cache.lookup(call("odd"))
    assert cache.ignored == ()


def test_a_server_is_found_by_its_exact_name_else_as_clients_write_it(cache: ToolsCache) -> None:
    cache.store("my.editor", "a", [spec("open")], MONDAY)
    assert source(cache.lookup(call("open", "my_editor"))) == "cache, 2026-03-09"
    cache.store("my_editor", "b", [spec("open")], TUESDAY)
    assert source(cache.lookup(call("open", "my_editor"))) == "cache, 2026-03-10"
    assert source(cache.lookup(call("open", "my.editor"))) == "cache, 2026-03-09"
    assert (
        reason(cache.lookup(call("open", "my editor"))) == "the cache has open of several servers: my.editor, my_editor"
    )
    assert reason(cache.lookup(call("open", "other"))) == ""


def test_a_call_without_a_server_needs_one_that_has_the_tool(cache: ToolsCache) -> None:
    cache.store("editor", "", [spec("open"), spec("close")], MONDAY)
    cache.store("browser", "", [spec("open")], TUESDAY)
    assert source(cache.lookup(call("close", None))) == "cache, 2026-03-09"
    assert reason(cache.lookup(call("open", None))) == "the cache has open of several servers: browser, editor"
    assert reason(cache.lookup(call("paint", None))) == ""
    assert reason(cache.lookup(call("close", None, mcp=False))) == ""


def test_of_several_lists_under_one_name_the_newest_counts(cache: ToolsCache) -> None:
    cache.store("editor", "new", [spec("open")], TUESDAY)
    cache.store("editor", "old", [spec("open"), spec("gone")], MONDAY)
    assert source(cache.lookup(call("open"))) == "cache, 2026-03-10"
    assert reason(cache.lookup(call("gone"))) == "cache, 2026-03-10, does not have gone"


def test_the_same_server_replaces_its_list(cache: ToolsCache) -> None:
    cache.store("editor", "x", [spec("open")], TUESDAY)
    cache.store("editor", "x", [spec("close")], MONDAY)
    assert len(list(cache.folder.iterdir())) == 1
    assert source(cache.lookup(call("close"))) == "cache, 2026-03-09"


def test_a_tool_without_a_schema_is_missing_with_a_reason(cache: ToolsCache) -> None:
    cache.store("editor", "", [spec("open", None)], MONDAY)
    assert reason(cache.lookup(call("open"))) == "cache, 2026-03-09 has no input schema for open"


def test_only_the_user_may_read_it_whatever_the_umask(cache: ToolsCache) -> None:
    before = os.umask(0)
    try:
        cache.store("editor", "", [spec("open")], MONDAY)
    finally:
        os.umask(before)
    (file,) = cache.folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(cache.folder.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["../../evil", "/etc/passwd", "a\0b", "x" * 5000, "", "\ud800"])
def test_a_name_never_becomes_a_path(cache: ToolsCache, name: str) -> None:
    cache.store(name, "", [spec("open")], MONDAY)
    assert source(cache.lookup(call("open", name))) == "cache, 2026-03-09"
    (file,) = cache.folder.parent.parent.rglob("*.json")
    assert file.parent == cache.folder
    assert len(file.name) == 37


def test_a_list_that_cannot_be_written_whole_leaves_the_old_one(
    cache: ToolsCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.store("editor", "", [spec("open")], MONDAY)

    def fail(*paths: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        cache.store("editor", "", [spec("close")], TUESDAY)
    assert len(list(cache.folder.iterdir())) == 1
    assert source(cache.lookup(call("open"))) == "cache, 2026-03-09"


GOOD = '{"server":"editor","listed":"2026-03-09T12:00:00+00:00","tools":[{"name":"open","inputSchema":{}}]}'


def test_the_file_that_the_others_spoil_is_good(cache: ToolsCache) -> None:
    cache.folder.mkdir(parents=True)
    (cache.folder / "a.json").write_text(GOOD)
    assert cache.lookup(call("open")) == Found({}, "cache, 2026-03-09")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not a list of tools"),
        (b"\xff\xfe\x00", "not a list of tools"),
        (GOOD[:-20].encode(), "not a list of tools"),
        (b"[" * 100_000, "not a list of tools"),
        (b'{"server":1,"listed":[],"tools":{}}', "not a list of tools"),
        (GOOD.replace("2026-03-09T12", "yesterday").encode(), "its date cannot be used"),
        (GOOD.replace("2026-03-09T12:00:00+00:00", "0001-01-01T00:00:00+14:00").encode(), "its date cannot be used"),
        (GOOD.encode() + b" " * 8_000_000, "too large"),
    ],
    ids=["empty", "binary", "cut", "deep", "types", "date", "year-1", "huge"],
)
def test_a_file_that_cannot_be_used_is_passed_over_with_a_reason(cache: ToolsCache, content: bytes, why: str) -> None:
    cache.store("browser", "", [spec("open")], MONDAY)
    (cache.folder / "bad.json").write_bytes(content)
    assert source(cache.lookup(call("open", "browser"))) == "cache, 2026-03-09"
    assert cache.ignored == (f"cache file bad.json is ignored: {why}",)
    assert reason(cache.lookup(call("open"))) == cache.ignored[0]


def test_links_pipes_and_folders_are_no_lists(cache: ToolsCache, tmp_path: Path) -> None:
    cache.folder.mkdir(parents=True)
    (tmp_path / "elsewhere").write_text(GOOD)
    (cache.folder / "link.json").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(cache.folder / "pipe.json")
    (cache.folder / "folder.json").mkdir()
    assert isinstance(cache.lookup(call("open")), Missing)
    assert [line.split()[2] for line in cache.ignored] == ["folder.json", "link.json", "pipe.json"]


def test_a_cache_that_is_gone_or_no_folder_says_nothing_or_why(cache: ToolsCache) -> None:
    assert reason(cache.lookup(call("open"))) == ""
    cache.folder.parent.mkdir()
    cache.folder.write_text("a file")
    assert reason(ToolsCache(cache.folder).lookup(call("open"))) == "the cache cannot be read: a link, or not a folder"


@pytest.mark.parametrize("link", ["cache/tools", "cache"])
def test_a_link_in_place_of_the_folder_is_not_followed(cache: ToolsCache, tmp_path: Path, link: str) -> None:
    target = tmp_path / "elsewhere"
    theirs = target if link == "cache/tools" else target / "tools"
    theirs.mkdir(parents=True)
    theirs.chmod(0o755)
    (theirs / "a.json").write_text(GOOD)
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(target)
    with pytest.raises(OSError, match="a link, or not a folder"):
        cache.store("editor", "", [spec("open")], MONDAY)
    assert reason(cache.lookup(call("open"))) == "the cache cannot be read: a link, or not a folder"
    assert [file.name for file in theirs.iterdir()] == ["a.json"]
    assert stat.S_IMODE(theirs.stat().st_mode) == 0o755


def test_a_folder_of_another_user_is_no_cache(cache: ToolsCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.store("editor", "", [spec("open")], MONDAY)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(OSError, match="belongs to another user"):
        cache.store("editor", "", [spec("open")], MONDAY)
    assert reason(cache.lookup(call("open"))) == "the cache cannot be read: the folder belongs to another user"


def test_the_display_asks_the_cache_last(tmp_path: Path) -> None:
    recording = tmp_path / "calls.jsonl"
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "open", "arguments": {"line": 5.0}},
    }
    recording.write_text(json.dumps(request) + "\n")
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    schema = '{"type":"object","properties":{"line":{"type":"integer"}}}'
    ToolsCache(tmp_path / "cache" / "blockview" / "tools").store("editor", "", [spec("open", schema)], MONDAY)

    def shown(*options: str) -> dict[str, object]:
        command = [sys.executable, "-m", "blockview", "render", str(recording), "--format", "json", *options]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found: dict[str, object] = json.loads(done.stdout)["blocks"][0]["calls"][0]
        return found

    assert shown()["dispatched"] == '{"line":5}'
    assert shown()["schema"] == {"state": "found", "source": "cache, 2026-03-09"}
    tools = tmp_path / "tools.json"
    tools.write_text('[{"name":"open","inputSchema":{}}]')
    assert shown("--tools", str(tools))["schema"] == {"state": "found", "source": "tools.json"}


def test_the_tests_have_a_cache_of_their_own() -> None:
    assert Path(os.environ["XDG_CACHE_HOME"]) in cache_folder().parents
    assert Path.home() not in cache_folder().parents
