"""What a person looks for, a text or a regular expression, and where it stands in decoded texts."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from blockview.core.bytefind import literal_parts, regex_parts, spelled
from blockview.core.find import HEAD, WHOLE
from blockview.core.model import Block, Text, ToolCall
from blockview.core.names import shown_name
from blockview.core.prepare import Prepared


class Hit(NamedTuple):
    """A text that holds what was looked for.

    `block` and `call` are those of its row, as in `Position`; `block` is WHOLE for the session's title. `what` is what
    the text is: "title", "prompt", the role of a text, "call", "arguments" or "result"; `name` is the name of the call
    as the screen shows it. `context` is the line around the first place, or a piece of it, and `start` and `end` are
    where in it the place is, in characters.
    """

    block: int
    call: int
    what: str
    name: str
    context: str
    start: int
    end: int


_AROUND = 200
"""Characters before and behind a place that are kept as its context, and at most of the place itself."""
_MOST = 400
_ESCAPED = re.compile(r'["\\/\x00-\x1f]|[^\x00-\x7f]')
"""What JSON text may spell otherwise than as itself."""
_REGEX_ESCAPE = re.compile(r"\\.", re.DOTALL)
"""`\\S` holds no capital letter that is looked for."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_JSON_STARTS = ("{", "[", '"')
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class Needle:
    """What to look for: a text, or a regular expression in Python's way of writing.

    Without capitals it finds either case, with a capital it is taken as it is. It is looked for in decoded texts, in
    JSON text also in what its strings say.
    """

    def __init__(self, text: str, *, regex: bool = False, exact: bool = False) -> None:
        """Prepare to look for `text`, which must not be empty.

        Args:
            text: The text or the regular expression.
            regex: Which of both it is.
            exact: Whether capitals matter even if there are none.

        Raises:
            ValueError: it is no regular expression; the message says why in a few words.
        """
        self.text = text
        self.regex = regex
        letters = _REGEX_ESCAPE.sub("", text) if regex else text
        any_case = not exact and letters == letters.lower()
        try:
            with warnings.catch_warnings(action="ignore"):  # of what other versions of Python may take otherwise
                flags = re.IGNORECASE if any_case else re.NOFLAG
                self._pattern = re.compile(text if regex else re.escape(text), flags)
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(str(error)) from None
        self.any_case = bool(self._pattern.flags & re.IGNORECASE)
        """Whether capitals do not matter."""
        self.parts = regex_parts(text) if regex else literal_parts(text)
        """Texts that each stand in all that is found."""
        self._simple = self.any_case and not regex and text.isascii()
        self._may_be_escaped = regex or _ESCAPED.search(text) is not None

    def found_in(self, text: str | None) -> bool:
        """Whether `text` holds the needle."""
        if text is None:
            return False
        if self._simple and text.isascii():
            return self.text in text.lower()  # five times as fast as the pattern, and the same for ASCII
        return self._pattern.search(text) is not None

    def found_in_json(self, text: str | None) -> bool:
        """Whether JSON text holds the needle, as it is written or in what its strings say."""
        if text is None:
            return False
        if self.found_in(text):
            return True
        return ("\\u" in text or (self._may_be_escaped and "\\" in text)) and self.found_in(unescaped(text))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where in `text` the needle stands, as (start, end) in characters."""
        return [match.span() for match in self._pattern.finditer(text)]

    def place_in_json(self, data: bytes, *, forward: bool) -> int | None:
        """The offset of the first or last place in JSON text, as UTF-8, however a literal needle is escaped there."""
        if self.regex:
            text = data.decode()
            spans = self.spans(text)
            return len(text[: spans[0 if forward else -1][0]].encode()) if spans else None
        pattern = re.compile(spelled(self.text, any_case=self.any_case))
        if forward:
            first = pattern.search(data)
            return first.start() if first else None
        return max((match.start() for match in pattern.finditer(data)), default=None)

    def rows(self, block: Block, prepared: Callable[[ToolCall], Prepared]) -> tuple[int, ...]:
        """The rows of a block that hold the needle: HEAD for its prompt and texts, else the number of a call.

        Args:
            block: The block to look through.
            prepared: What is sent for a call; asked only where the recorded texts do not hold the needle.
        """
        rows = [HEAD] if self.in_texts(block) else []
        rows += [number for number, call in enumerate(block.calls) if self.in_call(call, prepared)]
        return tuple(rows)

    def in_texts(self, block: Block) -> bool:
        """Whether a block's prompt, or a text in it, holds the needle."""
        return self.found_in(block.prompt) or any(
            isinstance(item, Text) and self.found_in(item.text) for item in block.items
        )

    def in_call(self, call: ToolCall, prepared: Callable[[ToolCall], Prepared]) -> bool:
        """Whether anything that is shown of a call holds the needle; see `rows`."""
        return next(self._where(call, prepared), None) is not None

    def _where(self, call: ToolCall, prepared: Callable[[ToolCall], Prepared]) -> Iterator[tuple[str, str]]:
        """What holds the needle of all that is shown of a call, and what that is called."""
        named = (shown_name(call), call.name, call.id)  # a call that is called so is one thing to look at
        yield from islice((("call", text) for text in named if self.found_in(text)), 1)
        yield from (("call", text) for text in (call.status_note, call.agent) if self.found_in(text))
        if call.arguments is not None and self.found_in_json(call.arguments):
            yield "arguments", call.arguments
        elif (sent := prepared(call).dispatched) is not None and self.found_in_json(sent):
            yield "arguments", sent
        if (result := call.result) is not None:
            text = result.text
            if self.found_in_json(text) if text.startswith(_JSON_STARTS) else self.found_in(text):
                yield "result", text
            if result.structured is not None and self.found_in_json(result.structured):
                yield "result", result.structured

    def in_title(self, title: str) -> Iterator[Hit]:
        """The hit in a session's title, if there is one."""
        if self.found_in(title):
            yield self._hit(WHOLE, HEAD, "title", title)

    def hits(self, block: Block, prepared: Callable[[ToolCall], Prepared]) -> Iterator[Hit]:
        """Every text of a block that holds the needle, with the line around the first place in it.

        Args:
            block: The block to look through.
            prepared: What is sent for a call; asked only where the recorded arguments do not hold the needle.
        """
        if self.found_in(block.prompt):
            yield self._hit(block.index, HEAD, "prompt", block.prompt)
        number = 0
        for item in block.items:
            if isinstance(item, Text):
                if self.found_in(item.text):
                    yield self._hit(block.index, HEAD, item.role, item.text)
                continue
            for what, text in self._where(item, prepared):
                yield self._hit(block.index, number, what, text, shown_name(item))
            number += 1

    def _hit(self, block: int, call: int, what: str, text: str, name: str = "") -> Hit:
        match = self._pattern.search(text)
        if match is None:
            text = unescaped(text)
            match = self._pattern.search(text)
        start, end = match.span() if match is not None else (0, 0)
        left = max(text.rfind("\n", 0, start) + 1, start - _AROUND)
        right = text.find("\n", end)
        right = min(right if right >= 0 else len(text), max(end, start + 1) + _AROUND, start + _MOST)
        return Hit(block, call, what, name, text[left:right], start - left, min(end, right) - left)


def unescaped(text: str) -> str:
    """JSON text with every escape replaced by what it stands for; a lone surrogate stays one."""
    plain = _ESCAPE.sub(_character, text)
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), plain)


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _SHORT_ESCAPES.get(escape[2], escape[2])
