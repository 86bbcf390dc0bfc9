"""The list's state without a widget."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from blockview.core.coercion import Depth
from blockview.core.find import HEAD, Position, Survey
from blockview.core.model import Block, ContentBlock, Diagnostic, Place, Session, Status, Text, ToolCall, ToolResult
from blockview.core.needle import Needle
from blockview.core.prepare import Found, Lookup, Missing
from blockview.core.view import Tally, View
from tests.work import calls_in

HERE = Place(1, 0)


def call(arguments: str = "{}", *, tool: str = "run", status: Status = Status.OK, result: str = "") -> ToolCall:
    content = ToolResult((ContentBlock("text", result),))
    return ToolCall("id", f"mcp__srv__{tool}", tool, arguments, HERE, server="srv", status=status, result=content)


def session(*blocks: tuple[str, list[ToolCall]], bad_lines: int = 0) -> Session:
    made = [Block(number, prompt, HERE, tuple(calls)) for number, (prompt, calls) in enumerate(blocks)]
    problems = tuple(Diagnostic(Place(line, 0), "not JSON") for line in range(bad_lines))
    return Session("s.jsonl", "test", made, diagnostics=problems, call_counts=[len(block.calls) for block in made])


def knows(schema: dict[str, object]) -> Lookup:
    return lambda call: Found(schema, "test")


LINE_IS_INTEGER = knows({"properties": {"line": {"type": "integer"}}})
THREE = session(("one", [call(), call()]), ("two", []), ("three", [call()]))


def last(steps: Iterator[Position | None]) -> Position | None:
    every = list(steps)
    return every[-1] if every else None


def positions(view: View) -> list[Position]:
    return [view.position(line) for line in range(view.lines)]


def test_a_small_session_starts_unfolded_and_a_large_one_folded() -> None:
    assert positions(View(THREE)) == [(0, HEAD), (0, 0), (0, 1), (1, HEAD), (2, HEAD), (2, 0)]
    large = View(session(*[("p", [call()] * 30)] * 10))
    assert (large.lines, large.is_open(0)) == (10, False)


def test_every_line_of_a_row_maps_back() -> None:
    view = View(THREE)
    assert [view.line(position) for position in positions(view)] == list(range(view.lines))


def test_folding_takes_the_cursor_to_the_block_and_keeps_it_elsewhere() -> None:
    view = View(THREE)
    view.move_to(2)
    view.set_open(0, False)
    assert view.cursor == Position(0)
    view.move_to(99)
    assert view.cursor == Position(2, 0)
    view.set_open(0, True)
    assert (view.cursor, view.cursor_line) == (Position(2, 0), 5)
    view.set_all_open(False)
    assert (view.cursor, view.cursor_line) == (Position(2), 2)


def test_in_and_out() -> None:
    view = View(THREE)
    assert view.step_in() and view.cursor == Position(0, 0)
    assert not view.step_in()
    view.step_out()
    view.step_out()
    assert (view.cursor, view.is_open(0)) == (Position(0), False)
    assert view.step_in() and view.is_open(0)
    view.move_to(3)
    assert not view.step_in()


def test_what_could_not_be_read_is_the_last_row() -> None:
    view = View(session(("one", []), bad_lines=2))
    view.move_to(99)
    assert view.cursor == view.diagnostics_position == Position(1)
    assert view.call(view.cursor) is None
    assert not view.step_in()
    view.step_out()
    view.set_all_open(True)
    assert view.cursor_line == 1


def test_an_empty_session_has_no_rows_and_survives_every_move() -> None:
    view = View(session())
    view.move_to(3)
    view.set_all_open(True)
    view.find("x")
    assert view.lines == 0
    assert last(view.seek_found(forward=True)) is None
    assert last(view.seek_mark(forward=False)) is None
    assert view.marked.complete


def test_the_tally_of_marks_follows_the_depth() -> None:
    view = View(
        session(("one", [call('{"line":5.0}'), call('{"line":5}')]), ("two", [call(status=Status.TOOL_ERROR)])),
        LINE_IS_INTEGER,
    )
    for _ in view.marked.explore():
        pass
    assert (view.tally, view.marked.complete) == (Tally(1, 0, 1), True)
    view.set_depth(Depth.OFF)
    assert (view.tally, view.marked.complete) == (Tally(), False)
    for _ in view.marked.explore(1):
        pass
    assert view.tally == Tally(0, 0, 1)


def test_a_spelling_change_and_a_client_tool_without_schema_are_no_marks() -> None:
    own = ToolCall("id", "Bash", "Bash", '{"n":1e3}', HERE, mcp=False, status=Status.OK)
    view = View(session(("one", [own])), lambda call: Missing("none"))
    assert view.prepared(Position(0, 0)).dispatched == '{"n":1000.0}'
    for _ in view.marked.explore():
        pass
    assert (view.tally, view.marked.hits) == (Tally(), 0)


def test_next_and_previous_mark_go_around() -> None:
    bad = call(status=Status.DENIED)
    view = View(session(("a", [call(), bad]), ("b", [call()]), ("c", [bad, call(), bad])), LINE_IS_INTEGER)
    seen = []
    for _ in range(4):
        found = last(view.seek_mark(forward=True))
        assert found is not None
        view.go(found)
        seen.append(found)
    assert seen == [(0, 1), (2, 0), (2, 2), (0, 1)]
    assert last(view.seek_mark(forward=False)) == (2, 2)


def test_previous_mark_from_the_row_of_what_could_not_be_read() -> None:
    view = View(session(("a", [call(status=Status.DENIED)]), bad_lines=1), LINE_IS_INTEGER)
    view.move_to(99)
    assert last(view.seek_mark(forward=False)) == (0, 0)
    assert last(view.seek_mark(forward=True)) == (0, 0)


def test_depth_changes_what_is_sent_at_once() -> None:
    view = View(session(("a", [call('{"line":5.0}')])), LINE_IS_INTEGER)
    where = Position(0, 0)
    assert view.prepared(where).dispatched == '{"line":5}'
    view.set_depth(Depth.OFF)
    assert view.prepared(where).dispatched == '{"line":5.0}'


def test_find_looks_everywhere_and_hides_nothing() -> None:
    blocks = (
        ("a prompt with needle", []),
        ("b", [call('{"needle":1}'), call()]),
        ("c", [call(result="a needle in a result")]),
        ("d", [call(tool="needle_tool")]),
        ("e", [call('{"escaped":"need\\u006ce"}')]),
        ("f", [call("[")]),
    )
    view = View(session(*blocks))
    before = view.lines
    view.find("needle")
    assert view.found is not None
    for _ in view.found.explore():
        pass
    assert [(block, view.found.rows(block)) for block in range(6)] == [
        (0, (HEAD,)),
        (1, (0,)),
        (2, (0,)),
        (3, (0,)),
        (4, (0,)),
        (5, ()),
    ]
    assert (view.found.hits, view.lines) == (5, before)
    assert [view.found.ordinal(Position(*at)) for at in [(0, HEAD), (2, 0), (4, 0), (5, 0)]] == [1, 3, 5, None]


def test_find_sees_the_dispatched_spelling_and_follows_the_depth() -> None:
    view = View(session(("a", [call('{"line":5.0}')])), LINE_IS_INTEGER)
    view.find('"line":5}')
    assert last(view.seek_found(forward=True)) == (0, 0)
    view.set_depth(Depth.OFF)
    assert last(view.seek_found(forward=True)) is None
    view.find("")
    assert last(view.seek_found(forward=True)) is None


def test_texts_of_a_block_belong_to_its_own_row() -> None:
    block = Block(0, "p", HERE, (Text("assistant", "I will look"), call()))
    view = View(Session("s", "test", [block]))
    view.find("will look")
    assert last(view.seek_found(forward=True, here=True)) == (0, HEAD)


def test_smart_case() -> None:
    assert Needle("line").found_in("a LINE")
    assert not Needle("Line").found_in("a line")
    assert Needle("a.b").spans("a.b axb A.B") == [(0, 3), (8, 11)]
    assert not Needle("x").found_in(None)


@given(text=st.text("aAbBéÉ", max_size=8), needle=st.text("aAbBé", min_size=1, max_size=2))
def test_being_found_is_having_a_span(text: str, needle: str) -> None:
    looking = Needle(needle)
    assert looking.found_in(text) == bool(looking.spans(text))
    assert looking.found_in(text) == (needle in (text.lower() if needle == needle.lower() else text))


HITS = st.lists(st.lists(st.integers(HEAD, 4), unique=True, max_size=4).map(sorted).map(tuple), min_size=1, max_size=8)


@given(hits=HITS, block=st.integers(0, 7), call_number=st.integers(HEAD, 5), forward=st.booleans(), here=st.booleans())
def test_seek_agrees_with_brute_force(
    hits: list[tuple[int, ...]], block: int, call_number: int, forward: bool, here: bool
) -> None:
    origin = Position(block % len(hits), call_number)
    every = [Position(block, row) for block, rows in enumerate(hits) for row in rows]
    if not forward:
        every.reverse()
    ahead = [at for at in every if (at == origin and here) or (at > origin if forward else at < origin)]
    expected = next(iter(ahead + every), None)
    assert last(Survey(len(hits), hits.__getitem__).seek(origin, forward=forward, here=here)) == expected


def test_a_survey_looks_into_each_block_once() -> None:
    looked: list[int] = []

    def look(block: int) -> tuple[int, ...]:
        looked.append(block)
        return ()

    survey = Survey(5, look)
    assert last(survey.seek(Position(3), forward=False)) is None
    for _ in survey.explore(2):
        pass
    assert sorted(looked) == [0, 1, 2, 3, 4]
    assert (survey.looked, survey.complete) == (5, True)


def test_a_hundred_thousand_blocks_open_without_looking_into_them() -> None:
    class Lazy(list[Block]):
        def __getitem__(self, index: object) -> Block:  # type: ignore[override]
            raise AssertionError(index)

        def __len__(self) -> int:
            return 100_000

    session = Session("s", "test", Lazy(), call_counts=[3] * 100_000)

    def open_and_jump() -> None:
        view = View(session)
        view.set_all_open(True)
        view.move_to(view.lines - 1)
        assert view.cursor == Position(99_999, 2)

    assert calls_in(open_and_jump) < 1_000
