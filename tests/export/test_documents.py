"""Sessions as HTML, Markdown and SVG: all that the text has, and nothing that acts."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from blockview.core.lines import Role, Span, plain
from blockview.core.model import Block, Place, Session
from blockview.export.colours import style_sheet
from blockview.export.html import html_chunks
from blockview.export.lines import session_lines
from blockview.export.markdown import markdown_chunks
from blockview.export.svg import MOST_LINES, TooLong, svg_text
from tests import samples

HOSTILE = (
    "</pre></details><script>document.title='ran'</script><img src=http://127.0.0.1:9/x onerror=alert(1)> & \" \x1b[31m"
    "\n```\n````\n# heading\n<svg onload=alert(1)>]]>"
)
HOSTILE_SESSION = replace(
    samples.SESSION,
    title=f"<title>{HOSTILE}",
    blocks=(
        Block(
            0, HOSTILE, Place(1, 0), (replace(samples.CHANGED, server=HOSTILE, result=samples.text_result(HOSTILE)),)
        ),
        *samples.SESSION.blocks,
    ),
)


def html(session: Session = HOSTILE_SESSION) -> str:
    return "".join(html_chunks(session, samples.prepare_sample, width=80))


class _Document(HTMLParser):
    """What a browser makes of a document: its elements, their attributes, and the text in `pre`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.printed = ""
        self._within: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._within and self._within.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "pre" in self._within:
            self.printed += data


def test_html_has_all_lines_of_the_text_and_no_element_of_a_recording() -> None:
    document = _Document(html())
    assert document.tags == {
        "html", "head", "meta", "title", "style", "body", "h1", "details", "summary", "pre", "span",
    }  # fmt: skip
    assert document.attributes == {"lang", "charset", "http-equiv", "content", "name", "class", "open", "id"}
    rule = "─" * 80
    lines = [plain(line).rstrip(" ") for line in session_lines(HOSTILE_SESSION, samples.prepare_sample, width=80)]
    assert [line for line in document.printed.split("\n") if line] == [
        line for line in lines[1:] if line not in ("", rule)
    ]


def test_html_fetches_nothing_and_knows_light_and_dark() -> None:
    text = html(samples.SESSION)
    assert not re.search(r"https?:|url\(|@import|src=|href=", text)
    assert "default-src 'none'" in text and "prefers-color-scheme:dark" in text


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no browser here")
def test_a_browser_runs_nothing_of_a_recording(tmp_path: Path) -> None:
    file = tmp_path / "session.html"
    file.write_text(html(), encoding="utf-8")
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    seen = subprocess.run([*command, "--dump-dom", file.as_uri()], capture_output=True, text=True, timeout=120).stdout
    assert "<title>ran</title>" not in seen and "&lt;script&gt;" in seen and "<img" not in seen


@given(st.text(st.sampled_from("`~ #<>a\n"), max_size=60))
def test_markdown_keeps_what_was_recorded_inside_its_fences(prompt: str) -> None:
    session = Session("s", "test", (Block(0, prompt, Place(1, 0)),), call_counts=[0])
    text = "".join(markdown_chunks(session, samples.prepare_sample, width=40))
    fence = None
    outside = []
    for line in text.split("\n"):
        opening = re.match(r"`{3,}", line)
        if fence is None and opening:
            fence = opening[0]
        elif fence is not None and re.fullmatch(rf"{fence}`*", line):
            fence = None
        elif fence is None:
            outside.append(line)
    assert fence is None
    assert set(outside) <= {"", "## Block 1"}


def test_a_picture_is_xml_with_each_span_at_its_column() -> None:
    line = (Span("日本 "), Span("&<x>", Role.CHANGED), Span("  "), Span("end", Role.QUIET))
    root = Xml.fromstring(svg_text([line, (), (Span("next"),)], 40))
    space = {"svg": "http://www.w3.org/2000/svg"}
    spans = root.findall("svg:text/svg:tspan", space)
    assert [(span.text, span.get("class"), span.get("x")) for span in spans] == [
        ("日本", None, "16.0"),
        ("&<x>", "changed", "58.0"),
        ("end", "quiet", "108.4"),
        ("next", None, "16.0"),
    ]
    texts = root.findall("svg:text", space)
    assert [text.get("y") for text in texts] == ["31", "71"]


def test_pictures_have_an_end() -> None:
    with pytest.raises(TooLong):
        svg_text([()] * (MOST_LINES + 1), 80)
    assert svg_text([()] * MOST_LINES, 80)


def test_each_role_that_has_a_meaning_has_a_style() -> None:
    for rules in (style_sheet(), style_sheet(fill=True)):
        assert {role.value for role in Role if f".{role.value}{{" in rules} == {role.value for role in Role} - {
            "plain",
            "assistant",
        }
