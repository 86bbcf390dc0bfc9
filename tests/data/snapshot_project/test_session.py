"""What the recorded session looks like, and what its call sends."""

from pathlib import Path

from blockview.pytest_plugin import assert_dispatched

HERE = Path(__file__).parent


def test_the_session(session_snapshot):
    session = session_snapshot(HERE / "session.jsonl", tools=HERE / "tools.json")
    session.text(width=80)
    session.json()
    session.svg(size=(80, 24), press=["j"])


def test_what_is_sent(session_snapshot):
    call = session_snapshot(HERE / "session.jsonl").call("toolu_01")
    assert_dispatched(call, {"path": "server.go", "line": 5, "scale": 1.0}, tools=HERE / "tools.json")
    assert_dispatched(call, {"path": "server.go", "line": 5.0, "scale": 1.0}, tools=HERE / "tools.json", depth="off")
