"""What other programs use: schemas and print, by the public names."""

import json
from pathlib import Path

import pytest

import blockview
from blockview.cli import main
from blockview.core.prepare import Found, Missing

DEMO = Path(blockview.__file__).parent / "demo"


@pytest.fixture
def session() -> blockview.Session:
    return blockview.open_session(DEMO / "session.jsonl")


@pytest.mark.parametrize("form", ["text", "ansi", "markdown", "html", "json"])
def test_a_session_in_print_is_what_the_command_prints(
    session: blockview.Session, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--tools", str(DEMO / "tools.json"), "--format", form, "--width", "90", "--filter", "tool:select"]
    assert main(["render", str(DEMO / "session.jsonl"), *arguments]) == 0
    made = blockview.render(session, form, tools=DEMO / "tools.json", width=90, filter="tool:select")
    assert made == capsys.readouterr().out


def test_parts_and_depth(session: blockview.Session) -> None:
    made = json.loads(blockview.render(session, "json", tools=DEMO / "tools.json", depth="off", call="toolu_01"))
    ((call,),) = [block["calls"] for block in made["blocks"]]
    assert (call["id"], call["changes"]) == ("toolu_01", [])
    assert "block 2" in blockview.render(session, block=2) and "block 1" not in blockview.render(session, block=2)


def test_schemas_come_from_the_recording_and_a_file(session: blockview.Session) -> None:
    call = session.blocks[0].calls[0]
    assert isinstance(blockview.lookup_in(session)(call), Missing)
    found = blockview.lookup_in(session, DEMO / "tools.json")(call)
    assert isinstance(found, Found) and found.source == "tools.json"


@pytest.mark.parametrize("wrong", [{"form": "pdf"}, {"depth": "all"}, {"filter": "is:wrong"}])
def test_what_is_not_there_is_a_value_error(session: blockview.Session, wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"pdf|all|wrong"):
        blockview.render(session, **wrong)  # type: ignore[arg-type]
