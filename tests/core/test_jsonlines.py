"""JSON trees as rows: everything is there, as written, and folds are where they should be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blockview.core.jsonlines import MANY_CHILDREN, Annotation, JsonRows
from blockview.core.jsontext import CONTAINERS, Node, parse
from blockview.core.lines import Role, Span, plain
from blockview.core.rows import Fold, Row, Section, Target
from blockview.core.safetext import cell_width, visible
from tests.core.strategies import json_texts


def rows_of(
    text: str,
    width: int = 100,
    *,
    toggled: frozenset[int] = frozenset(),
    fold: Fold = Fold.AUTO,
    annotations: dict[str, Annotation] | None = None,
    exact: bool = False,
) -> JsonRows:
    return JsonRows(
        parse(text),
        width=width,
        call=0,
        section=Section.RESULT,
        toggled=toggled,
        fold=fold,
        annotations=annotations,
        exact=exact,
    )


def lines(rows: JsonRows) -> list[str]:
    return [plain(rows[at].line) for at in range(len(rows))]


def test_a_tree_starts_open_with_counts_and_a_key_column() -> None:
    text = '{"name":"nightly","limit":5,"opts":{"retries":3,"ratio":0.50},"list":[true,null],"one":{"a":1},"none":{}}'
    assert lines(rows_of(text)) == [
        "  ▾ {} 6 keys",
        '      name:  "nightly"',
        "      limit: 5",
        "    ▾ opts:  {} 2 keys",
        "        retries: 3",
        "        ratio:   0.50",
        "    ▾ list:  [] 2 items",
        "        0: true",
        "        1: null",
        "    ▾ one:   {} 1 key",
        "        a: 1",
        "      none:  {}",
    ]


def test_numbers_and_duplicate_keys_are_as_written() -> None:
    text = '{"v":-0.0,"w":1E5,"x":1e1000,"y":123.000,"z":12345678901234567890,"a":1,"a":2}'
    assert [line.split(": ")[1] for line in lines(rows_of(text))[1:]] == [
        "-0.0",
        "1E5",
        "1e1000",
        "123.000",
        "12345678901234567890",
        "1",
        "2",
    ]


def test_a_name_that_could_be_mistaken_keeps_its_quotes() -> None:
    shown = lines(rows_of(r'{"":1,"0":2,"a b":3,"x\u202ey":4,"k\u0065y":5}'))
    assert [line.split(":")[0].strip() for line in shown[1:]] == ['""', '"0"', '"a b"', r'"x\u202ey"', "key"]


def test_scalars_are_trees_too() -> None:
    assert lines(rows_of("348555896224571969\n", exact=True)) == ["    348555896224571969   exact digits"]
    assert lines(rows_of('"text"')) == ['    "text"']


def test_exact_digits_are_pointed_out_only_where_a_double_fails() -> None:
    shown = lines(rows_of("[9007199254740993,9007199254740992,1.5]", exact=True))
    assert shown[1:] == ["      0: 9007199254740993   exact digits", "      1: 9007199254740992", "      2: 1.5"]


def test_folding_a_container_hides_what_is_in_it() -> None:
    text = '{"a":{"b":1,"c":[2]},"d":3}'
    assert lines(rows_of(text, toggled=frozenset({1}))) == ["  ▾ {} 2 keys", "    ▸ a: {} 2 keys", "      d: 3"]
    assert lines(rows_of(text, toggled=frozenset({0}))) == ["  ▸ {} 2 keys"]


def test_all_folded_and_all_open() -> None:
    text = '{"a":{"b":1},"s":"one\\ntwo"}'
    assert lines(rows_of(text, fold=Fold.CLOSED)) == [
        "  ▾ {} 2 keys",
        "    ▸ a: {} 1 key",
        r'    ▸ s: "one\ntwo" (2 lines)',
    ]
    assert lines(rows_of(text, fold=Fold.OPEN)) == [
        "  ▾ {} 2 keys",
        "    ▾ a: {} 1 key",
        "        b: 1",
        "    ▾ s: 2 lines",
        "      │ one",
        "      │ two",
    ]
    assert lines(rows_of(text, fold=Fold.OPEN, toggled=frozenset({1, 3})))[1:] == [
        "    ▸ a: {} 1 key",
        r'    ▸ s: "one\ntwo" (2 lines)',
    ]


def test_a_long_container_below_the_first_level_starts_folded() -> None:
    many = ",".join(["0"] * (MANY_CHILDREN + 1))
    text = f'{{"rows":[{many}],"few":[1]}}'
    assert lines(rows_of(text)) == [
        "  ▾ {} 2 keys",
        f"    ▸ rows: [] {MANY_CHILDREN + 1} items",
        "    ▾ few:  [] 1 item",
        "        0: 1",
    ]
    assert len(rows_of(text, toggled=frozenset({1}))) == 4 + MANY_CHILDREN + 1
    assert len(rows_of(f"[{many}]")) == MANY_CHILDREN + 2


def test_a_long_string_is_one_row_that_opens_in_place() -> None:
    text = '{"long":"' + "word " * 40 + 'end","n":1}'
    folded = rows_of(text, 40)
    assert lines(folded)[1:] == ['    ▸ long: "word word… (203 characters)', "      n:    1"]
    assert folded[1].foldable
    opened = lines(rows_of(text, 40, toggled=frozenset({1})))
    assert opened[1] == "    ▾ long: 203 characters"
    assert " ".join(line.removeprefix("      │ ") for line in opened[2:-1]) == "word " * 40 + "end"
    assert opened[-1] == "      n:    1"


def test_a_number_of_5000_digits_opens_to_all_of_them() -> None:
    text = '{"n":' + "7" * 5000 + "}"
    folded = lines(rows_of(text, 80, exact=True))
    assert folded[1].startswith("    ▸ n: 7777777")
    assert "… (5,000 digits)" in folded[1]
    opened = lines(rows_of(text, 80, toggled=frozenset({1})))
    assert "".join(line.removeprefix("      │ ") for line in opened[2:]) == "7" * 5000


def test_what_changed_stands_beside_the_value_and_in_the_gutter() -> None:
    note = Annotation("→", Role.CHANGED, (Span("was 5.0", Role.WAS), Span("integer", Role.QUIET)))
    rows = rows_of('{"a":{"limit":5}}', annotations={"/a/limit": note})
    assert lines(rows)[2] == "→       limit: 5   was 5.0   integer"
    assert Span("5", Role.CHANGED) in rows[2].line
    assert Span("→", Role.CHANGED) == rows[2].line[0]
    folded = rows_of('{"a":{"limit":5}}', annotations={"/a/limit": note}, toggled=frozenset({1}))
    assert lines(folded)[1] == "    ▸ a: {} 1 key   → inside"


def test_words_without_room_stand_below_the_value() -> None:
    note = Annotation("→", Role.CHANGED, (Span("was 9007199254740992.0", Role.WAS), Span("integer", Role.QUIET)))
    assert lines(rows_of('{"big":9007199254740992,"b":1}', 40, annotations={"/big": note})) == [
        "  ▾ {} 2 keys",
        "→     big: 9007199254740992",
        "        was 9007199254740992.0   integer",
        "      b:   1",
    ]


def test_many_words_about_a_container_stand_below_it() -> None:
    note = Annotation("?", None, (Span("this was not looked at"),))
    assert lines(rows_of('{"a":[1]}', 40, annotations={"/a": note})) == [
        "  ▾ {} 1 key",
        "?   ▾ a: [] 1 item",
        "        this was not looked at",
        "        0: 1",
    ]


def test_a_duplicate_that_is_not_sent_has_its_own_row() -> None:
    shown = lines(rows_of('{"a":3}', annotations={"/a": Annotation(dropped=("1", '"two"'))}))
    assert shown[1] == "      a: 3"
    assert shown[2].startswith("→     a: 1   not sent")
    assert shown[3].startswith('→     a: "two"   not sent')


def test_notes_find_their_place_under_odd_names() -> None:
    note = Annotation("→", None, (Span("here"),))
    shown = lines(rows_of('{"x/y":{"m~n":[1,2]},"":0}', annotations={"/x~1y/m~0n/1": note, "/": note}))
    assert [line for line in shown if "here" in line] == ["→         1: 2   here", '→     "":    0   here']


def test_a_target_is_found_or_the_container_that_hides_it() -> None:
    text = '{"a":{"b":1},"c":2}'
    assert rows_of(text).index_of(Target(0, Section.RESULT, 3)) == 3
    folded = rows_of(text, toggled=frozenset({1}))
    assert folded.index_of(Target(0, Section.RESULT, 2)) == 1
    assert folded.index_of(Target(0, Section.RESULT, 3)) == 2
    assert folded.index_of(Target(1, Section.RESULT, 3)) is None
    assert folded.index_of(Target(0, Section.ARGUMENTS, 3)) is None


def test_deep_trees_stay_inside_the_width() -> None:
    rows = rows_of("[" * 3000 + "1" + "]" * 3000, 40)
    assert len(rows) == 3001
    assert plain(rows[3000].line).endswith("0: 1")
    assert cell_width(plain(rows[2999].line)) <= 40


def test_hostile_strings_and_names_are_shown_as_escapes() -> None:
    shown = lines(rows_of('{"\u202ekey\u200b":"\x7f\u202e\ufeff"}'))
    assert shown[1] == '      "\\u202ekey\\u200b": "\\x7f\\u202e\\ufeff"'


@given(json_texts())
def test_every_literal_of_an_open_tree_is_on_screen(text: str) -> None:
    tree = parse(text)
    rows = rows_of(text, 10_000)
    assert len(rows) == len(tree.nodes)
    for number, node in enumerate(tree.nodes):
        line = plain(rows[number].line)
        assert rows[number].target == Target(0, Section.RESULT, number)
        if node.kind not in CONTAINERS:
            assert visible(tree.literal(number)) in line
        elif node.size:
            assert f" {node.size:,} " in line
        else:
            assert line.endswith(("{}", "[]"))


@given(json_texts(), st.integers(1, 60), st.sampled_from(Fold), st.frozensets(st.integers(0, 8)))
def test_no_row_is_wider_than_asked(text: str, width: int, fold: Fold, toggled: frozenset[int]) -> None:
    note = Annotation("→", Role.CHANGED, (Span("was something", Role.WAS), Span("integer")), ("1",))
    rows = rows_of(text, width, fold=fold, toggled=toggled, annotations={"": note, "/a": note, "/a/0": note})
    for line in lines(rows):
        assert cell_width(line) <= width
        assert visible(line) == line


@given(json_texts())
def test_open_with_everything_toggled_is_closed(text: str) -> None:
    nodes = parse(text).nodes
    first_level_stays_open = frozenset({0}) if nodes[0].kind in CONTAINERS else frozenset()
    toggled = frozenset(range(len(nodes))) - first_level_stays_open
    assert lines(rows_of(text, 40, fold=Fold.OPEN, toggled=toggled)) == lines(rows_of(text, 40, fold=Fold.CLOSED))


class LongWay(JsonRows):
    """Rows that are all made the way that suits every value."""

    def _plain(self, number: int, node: Node) -> None:
        return None


@given(json_texts(), st.integers(1, 60), st.booleans())
def test_the_short_way_to_a_row_leads_where_the_long_one_does(text: str, width: int, exact: bool) -> None:
    def made(kind: type[JsonRows]) -> list[Row]:
        note = Annotation("→", Role.CHANGED, (Span("was something", Role.WAS),))
        rows = kind(
            parse(text), width=width, call=0, section=Section.RESULT, annotations={"/a": note, "/b": note}, exact=exact
        )
        return [rows[at] for at in range(len(rows))]

    assert made(JsonRows) == made(LongWay)
