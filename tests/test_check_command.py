"""`blockview check`, its exit codes, and what it writes for others."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from blockview.cli import main
from blockview.core.findings import Kind
from tests.readers.lines import answers, prompt, result, says, use

Check = Callable[..., tuple[int, str, str]]


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Run the command; exit code, stdout and stderr."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_COLOR", "1")

    def check(*arguments: str | Path) -> tuple[int, str, str]:
        code = main(["check", *map(str, arguments)])
        return code, *capsys.readouterr()

    return check


def write(path: Path, text: str = "done") -> Path:
    lines = [prompt("go"), says(use("t1", line=5.0)), answers(result("t1", content=text))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def tools(folder: Path, **properties: object) -> Path:
    path = folder / "tools.json"
    path.write_text(json.dumps([{"name": "add", "inputSchema": {"type": "object", "properties": properties}}]))
    return path


def test_findings_stand_below_their_session(check: Check, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl")
    code, out, err = check(path, "--tools", tools(tmp_path, line={"type": "integer"}))
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        str(path),
        "  changed     block 1, demo.add, line 2: /line 5.0 is sent as 5: the schema says integer",
        "1 call in 1 session: 1 changed",
    ]


def test_nothing_found_is_fine(check: Check, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl")
    assert check(path, "--tools", tools(tmp_path, line={"type": "number"})) == (
        0,
        "1 call in 1 session: nothing found\n",
        "",
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), 1),
        (("--fail-on", "none"), 0),
        (("--fail-on", "error,pending"), 0),
        (("--fail-on", "error,no-schema"), 1),
        (("--filter", "tool:other"), 0),
        (("--fail-on", "nonsense"), 2),
        (("--slow", "soon"), 2),
        (("--json", "--sarif", "-"), 2),
        (("--baseline", "missing.json"), 2),
        (("--junit", "no/such/folder/x.xml"), 2),
    ],
)
def test_exit_codes(check: Check, tmp_path: Path, arguments: tuple[str, ...], code: int) -> None:
    found, _, err = check(write(tmp_path / "a.jsonl"), *arguments)
    assert found == code
    assert err.count("\n") == (code == 2)


def test_a_baseline_accepts_what_is_known_and_nothing_new(check: Check, tmp_path: Path) -> None:
    path, baseline = write(tmp_path / "a.jsonl"), tmp_path / "known.json"
    assert check(path, "--write-baseline", baseline)[0] == 1
    code, out, _ = check(path, "--baseline", baseline)
    assert (code, out) == (0, "1 call in 1 session: nothing found; 1 known\n")
    write(path, text='{"id":1234567890123456800}')
    code, out, _ = check(path, "--baseline", baseline)
    assert code == 1 and "1 rounded; 1 known" in out


def test_what_was_skipped_in_reading_is_a_finding_and_what_cannot_be_read_is_told(check: Check, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl")
    with path.open("a") as file:
        file.write('{"broken\n')
    (tmp_path / "notes.txt").write_text("no recording")
    code, out, err = check(tmp_path, "--filter", "-tool:*")
    assert (code, err) == (0, "")  # what a filter leaves out is not told
    code, out, err = check(tmp_path)
    assert code == 1 and "unread      line 4: " in out and err == ""
    code, out, err = check(path, tmp_path / "notes.txt")
    assert code == 2 and err.startswith(f"blockview: {tmp_path / 'notes.txt'}: no known recording")
    assert err.count("\n") == 1
    assert "1 unread" in out


def test_the_json_document(check: Check) -> None:
    code, out, _ = check("demo", "--json")
    (session,) = json.loads(out)["sessions"]
    assert (code, session["source"], session["calls"]) == (1, "demo", 16)
    assert {
        "kind": "rejected",
        "level": "error",
        "path": "/line",
        "tool": "select",
        "id": "toolu_02",
    }.items() <= session["findings"][2].items()


def test_junit_has_a_case_for_each_call_and_a_failure_where_it_fails(check: Check, tmp_path: Path) -> None:
    file = tmp_path / "out.xml"
    path = write(tmp_path / "a.jsonl", text="\x00\x1b[31m]]>&<\ud800")
    check(path, "demo", "--junit", file, "--fail-on", "rejected")
    root = Xml.fromstring(file.read_text(encoding="utf-8"))
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == ("testsuites", "17", "2", "0")
    assert [suite.get("name") for suite in root] == [str(path), "demo"]
    failed = [case for case in root.iter("testcase") if case.find("failure") is not None]
    assert [case.get("classname") for case in failed] == ["editor.select", "tickets.search"]
    failure = failed[0].find("failure")
    assert failure is not None and failure.get("type") == "rejected"
    assert "/line 5.5 is not of type" in (failure.get("message") or "")


def test_sarif_has_rules_results_with_their_place_and_what_the_baseline_knows(check: Check, tmp_path: Path) -> None:
    baseline = tmp_path / "known.json"
    path = write(tmp_path / "a b.jsonl")
    check(path, "--write-baseline", baseline)
    _, out, _ = check(path, "demo", "--sarif", "-", "--baseline", baseline)
    log = json.loads(out)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert (log["version"], [rule["id"] for rule in rules]) == ("2.1.0", [kind.value for kind in Kind])
    first = run["results"][0]
    assert (first["ruleId"], first["level"], rules[first["ruleIndex"]]["id"]) == ("no-schema", "warning", "no-schema")
    assert first["suppressions"][0]["kind"] == "external"
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("/a%20b.jsonl") and place["region"]["startLine"] == 2
    raw = path.read_bytes()
    region = place["region"]
    assert raw[region["byteOffset"] : region["byteOffset"] + region["byteLength"]].startswith(b"{")
    assert all(result["message"]["text"] and result["partialFingerprints"] for result in run["results"])
    assert "suppressions" not in run["results"][1]
