"""Snapshot tests of recorded sessions in anybody's project, and an assertion on what a call sends.

The fixture `session_snapshot` renders a session and compares it with a file in the project's snapshots folder;
`--blockview-update` writes the files. Nothing but pytest is loaded before a test asks for it.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from blockview.core.coercion import Depth
    from blockview.core.model import Session, ToolCall
    from blockview.core.prepare import Lookup

_FOLDER = "blockview_snapshots"
_UPDATE = "--blockview-update"
_MOST_LINES = 60
"""Lines of a difference that are shown."""
_UNSAFE = re.compile(r"[^\w.=-]+")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting of this plugin."""
    group = parser.getgroup("blockview")
    group.addoption(_UPDATE, action="store_true", help="write the snapshots of sessions instead of comparing them")
    parser.addini(_FOLDER, "folder of the snapshots of sessions, from the project's root", default="snapshots")


@pytest.fixture
def session_snapshot(request: pytest.FixtureRequest) -> Callable[..., SessionSnapshot]:
    """Makes a `SessionSnapshot` of a recording's path or of a session."""
    root = request.config.rootpath
    test = _UNSAFE.sub("_", request.node.name)
    place = root / str(request.config.getini(_FOLDER)) / request.path.stem / test
    store = _Store(place, root, update=bool(request.config.getoption(_UPDATE)))

    def session_snapshot(
        session: str | os.PathLike[str] | Session,
        *,
        tools: str | os.PathLike[str] | None = None,
        depth: Depth | str = "top",
    ) -> SessionSnapshot:
        return SessionSnapshot(session, store, tools=tools, depth=depth)

    return session_snapshot


class SessionSnapshot:
    """Compares what a session looks like with what it looked like when its snapshot was written.

    Each method writes or compares a file of its own; the second use of the same kind in a test gets the number 2. Times
    are printed in UTC and the recording by its name alone, so that the files are the same on every machine.

    Args:
        session: The recording's path, or a session.
        store: Where the files are.
        tools: A tools file for schemas that the recording does not have.
        depth: How far coercion reaches: "top", "deep" or "off".
    """

    def __init__(
        self,
        session: str | os.PathLike[str] | Session,
        store: _Store,
        *,
        tools: str | os.PathLike[str] | None = None,
        depth: Depth | str = "top",
    ) -> None:
        from msgspec.structs import replace

        from blockview import Depth, lookup_in, open_session

        opened = open_session(session) if isinstance(session, str | os.PathLike) else session
        self.session: Session = replace(opened, source=Path(opened.source).name)
        self.lookup: Lookup = lookup_in(self.session, tools)
        self._depth = Depth(depth)
        self._store = store

    def text(self, *, width: int = 100, block: int | None = None, call: str | None = None, filter: str = "") -> None:
        """Compare it as text; the choice of a part is that of `blockview.render`.

        Raises:
            AssertionError: it differs, or there is no snapshot yet.
        """
        self._compare("txt", self._rendered("text", width=width, block=block, call=call, filter=filter))

    def json(self, *, block: int | None = None, call: str | None = None, filter: str = "") -> None:
        """Compare it as the JSON of `blockview render --format json`, indented.

        Raises:
            AssertionError: it differs, or there is no snapshot yet.
        """
        import msgspec

        made = self._rendered("json", block=block, call=call, filter=filter)
        self._compare("json", msgspec.json.format(made, indent=1) + "\n")

    def svg(self, *, size: tuple[int, int] = (120, 36), press: Sequence[str] = ()) -> None:
        """Compare a picture of the app, which Textual draws: pin its version where pictures are kept.

        Args:
            size: Columns and rows of the terminal.
            press: Keys to press first, such as "j", "enter" or "tab".

        Raises:
            AssertionError: it differs, or there is no snapshot yet.
        """
        from blockview.ui.picture import picture

        with _utc():
            made = picture(self.session, self.lookup, self._depth, size, press)
        self._compare("svg", made)

    def call(self, identity: str) -> ToolCall:
        """The call of that id.

        Raises:
            LookupError: there is none.
        """
        found = (call for block in self.session.blocks for call in block.calls if call.id == identity)
        call = next(found, None)
        if call is None:
            raise LookupError(f"{self.session.source}: no call with the id {identity}")
        return call

    def _rendered(self, form: str, **options: object) -> str:
        from blockview import render

        with _utc():
            return render(self.session, form, lookup=self.lookup, depth=self._depth, **options)  # type: ignore[arg-type]

    def _compare(self, kind: str, made: str) -> None:
        __tracebackhide__ = True
        problem = self._store.problem(kind, made)
        if problem:
            pytest.fail(problem, pytrace=False)


class _Store:
    """The files of one test."""

    def __init__(self, place: Path, root: Path, *, update: bool) -> None:
        self._place, self._root, self._update = place, root, update
        self._used: dict[str, int] = {}

    def problem(self, kind: str, made: str) -> str:
        """Compare what was made with its file, or write that; what is wrong with it, for a person."""
        number = self._used[kind] = self._used.get(kind, 0) + 1
        path = self._place.with_name(f"{self._place.name}{f'-{number}' if number > 1 else ''}.{kind}")
        name = path.relative_to(self._root) if path.is_relative_to(self._root) else path
        if self._update:
            self._write(path, made)
            return ""
        try:
            kept = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return f"no snapshot yet: {name}\nwrite it with: pytest {_UPDATE}"
        if kept == made:
            return ""
        lines = difflib.unified_diff(kept.splitlines(), made.splitlines(), "snapshot", "now", lineterm="", n=2)
        shown = list(islice(lines, _MOST_LINES + 1))
        more = ["…"] if len(shown) > _MOST_LINES else []
        return "\n".join([f"not as in {name}", *shown[:_MOST_LINES], *more, f"accept it with: pytest {_UPDATE}"])

    @staticmethod
    def _write(path: Path, made: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.write_text(made, encoding="utf-8", newline="\n")
        fresh.replace(path)


def assert_dispatched(
    call: ToolCall,
    expected: Mapping[str, object] | str | None,
    *,
    lookup: Lookup | None = None,
    tools: str | os.PathLike[str] | None = None,
    depth: Depth | str = "top",
) -> None:
    """Assert what goes over the wire for a call, character for character.

    Args:
        call: The recorded call.
        expected: The arguments, which are written as the MCP SDK writes them (so that 5 and 5.0 differ, and so does
            the order of members); or their text; or None for a call without arguments.
        lookup: Asked for the tool's schema.
        tools: A tools file that has it.
        depth: How far coercion reaches: "top", "deep" or "off".

    Raises:
        AssertionError: something else is sent.
    """
    __tracebackhide__ = True
    from blockview import Depth, prepare
    from blockview.core.jsontext import wire_text
    from blockview.core.prepare import Missing, no_lookup

    if tools is not None:
        from blockview.catalog.file import FileCatalog, read_tools

        lookup = FileCatalog(read_tools(Path(tools)), Path(tools).name).lookup
    prepared = prepare(call, lookup or no_lookup, Depth(depth))
    wanted = expected if expected is None or isinstance(expected, str) else wire_text(dict(expected))
    if prepared.blocked or prepared.dispatched != wanted:
        told = [f"call {call.id} sends   {prepared.blocked or prepared.dispatched}", f"expected  {wanted}"]
        told += [f"  {one.path} {one.before} → {one.after} ({one.why.value})" for one in prepared.changes]
        told += [f"  no schema: {prepared.schema.reason}"] if isinstance(prepared.schema, Missing) else []
        raise AssertionError("\n".join(told))


@contextmanager
def _utc() -> Iterator[None]:
    """Times are printed in UTC while it lasts, where the machine can change its zone."""
    before = os.environ.get("TZ")
    _set_zone("UTC")
    try:
        yield
    finally:
        _set_zone(before)


def _set_zone(zone: str | None) -> None:
    import time

    if zone is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = zone
    if hasattr(time, "tzset"):
        time.tzset()
