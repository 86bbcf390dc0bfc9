"""The state of the list of sessions without a widget: what is shown, in which order, and where the cursor is."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from enum import StrEnum
from operator import itemgetter

from blockview.core.listing import Level, Listing
from blockview.core.pickerlines import when


class Order(StrEnum):
    """By what the list is sorted; what is newest, largest or first in the alphabet comes first."""

    WHEN = "when"
    CALLS = "calls"
    ERRORS = "errors"
    PROJECT = "project"

    @property
    def next(self) -> Order:
        """The order that comes after this one."""
        orders = list(Order)
        return orders[(orders.index(self) + 1) % len(orders)]


class Fuzzy:
    """Words to look for whose letters may stand apart; without capitals they find either case.

    Every word must be found. The better a word is found, the higher the listing stands: as a whole, at the start of a
    word, with its letters close together.
    """

    def __init__(self, text: str) -> None:
        """Prepare to look for the words of `text`."""
        self._words = [_Word(word) for word in text.split()]

    def badness(self, text: str, lower: str) -> int | None:
        """How badly the words are found in `text`, 0 at best; None when one is not found.

        Args:
            text: Where to look.
            lower: The same without capitals.
        """
        total = 0
        for word in self._words:
            badness = word.badness(text, lower)
            if badness is None:
                return None
            total += badness
        return total


class _Word:
    def __init__(self, word: str) -> None:
        self._word = word
        self._any_case = word == word.lower()

    def badness(self, text: str, lower: str) -> int | None:
        where = lower if self._any_case else text
        at = where.find(self._word)
        if at >= 0:
            return 0 if at == 0 or not where[at - 1].isalnum() else 1
        end = -1
        for letter in self._word:
            end = where.find(letter, end + 1)
            if end < 0:
                return None
        start = end + 1
        for letter in reversed(self._word):
            start = where.rfind(letter, 0, start)
        return 2 + end - start - len(self._word)


class Picking:
    """Which sessions are shown, and in which order. The cursor stays with its session when others come or go."""

    def __init__(self, listings: Iterable[Listing] = ()) -> None:
        """Show `listings`."""
        self._listings: dict[str, Listing] = {}
        self._sorted: list[str] = []
        """All that is not hidden by its tool or project, in order."""
        self._shown: list[str] = []
        self._texts: dict[str, tuple[str, str]] = {}
        """What is looked at to find a session, as it is and without capitals."""
        self._stale = True
        self._cursor = 0
        self._followed: str | None = None
        """The session that the cursor stays with."""
        self.order = Order.WHEN
        self.text = ""
        """What is looked for."""
        self.tool = ""
        self.project = ""
        """The one tool and the one project that are shown; empty for all."""
        self.put(listings)

    # What there is

    def put(self, listings: Iterable[Listing]) -> None:
        """Begin anew with these listings; the cursor stays with its session if that is among them."""
        self._listings = {listing.name: listing for listing in listings}
        self._texts.clear()
        self._stale = True

    def update(self, old: Iterable[Listing], new: Iterable[Sequence[Listing]]) -> None:
        """Take in what was found out: for each old listing those that stand in its place."""
        for listing, found in zip(old, new, strict=True):
            if listing.name not in self._listings:
                continue  # listed anew meanwhile
            self._texts.pop(listing.name, None)
            if len(found) == 1 and found[0].name == listing.name and not listing.doubtful:
                self._listings[listing.name] = found[0]
                moved = found[0].changed != listing.changed
                self._stale |= bool(moved or self.order is not Order.WHEN or self.text or self.project)
            else:
                del self._listings[listing.name]
                self._listings.update((each.name, each) for each in found)
                self._stale = True

    @property
    def found(self) -> int:
        """How many sessions there are as far as known, shown or not."""
        return sum(not listing.doubtful for listing in self._listings.values())

    @property
    def open(self) -> int:
        """Of how many sessions or files more can be found out."""
        return sum(not listing.settled for listing in self._listings.values())

    def unsettled(self, first: range) -> Iterator[Listing]:
        """What more can be found out about: the shown lines `first`, then what is not known at all, then the rest."""
        lines = self._lines()
        seen = [self._listings[lines[line]] for line in first if line < len(lines)]
        others = self._listings.values()
        yield from (each for each in seen if not each.settled)
        yield from (each for each in others if each.level is Level.FOUND and not each.settled)
        yield from (each for each in others if each.level is not Level.FOUND and not each.settled)

    # What is shown

    def __len__(self) -> int:
        """The number of lines."""
        return len(self._lines())

    def __getitem__(self, line: int) -> Listing:
        """The session on a line."""
        return self._listings[self._lines()[line]]

    def sort(self, order: Order) -> None:
        """Sort in another way."""
        self.order = order
        self._stale = True

    def look_for(self, text: str) -> None:
        """Show only what has these words, the best first; all when there are none. The cursor goes to the best."""
        among = set(self._lines()) if text.startswith(self.text) else None
        self.text = text
        self._show(among)
        if text.strip():
            self.move_to(0)

    def narrow(self, *, tool: str | None = None, project: str | None = None) -> None:
        """Show only one tool, or only one project; all where it is empty."""
        self.tool = self.tool if tool is None else tool
        self.project = self.project if project is None else project
        self._stale = True

    @property
    def narrowed(self) -> bool:
        """Whether sessions may be hidden."""
        return bool(self.text.strip() or self.tool or self.project)

    def widen(self) -> bool:
        """Show one step more: what does not have the words, then other projects, then other tools; False at the end."""
        if self.text:
            self.look_for("")
        elif self.project:
            self.narrow(project="")
        elif self.tool:
            self.narrow(tool="")
        else:
            return False
        return True

    # The cursor

    @property
    def cursor(self) -> int:
        """The line of the cursor."""
        return max(0, min(self._cursor, len(self._lines()) - 1))

    def move_to(self, line: int) -> None:
        """Put the cursor on a line. At the top it stays there, whatever comes to stand there."""
        self._cursor = line
        self._followed = self._lines()[line] if 0 < line < len(self._lines()) else None

    @property
    def chosen(self) -> Listing | None:
        """The session under the cursor."""
        return self[self.cursor] if len(self) else None

    # How it is worked out

    def _lines(self) -> list[str]:
        if self._stale:
            self._stale = False
            fitting = sorted(filter(self._fits, self._listings.values()), key=self._sort_key)
            self._sorted = [each.name for each in fitting]
            self._show()
        return self._shown

    def _show(self, among: Container[str] | None = None) -> None:
        """Work out anew what has the words, among some if given; the cursor follows its session."""
        self._shown = self._sorted
        if self.text.strip():
            fuzzy = Fuzzy(self.text)
            names = self._sorted if among is None else [name for name in self._sorted if name in among]
            ranked = [(badness, name) for name in names if (badness := fuzzy.badness(*self._text(name))) is not None]
            ranked.sort(key=itemgetter(0))
            self._shown = [name for _, name in ranked]
        if self._followed is not None:
            self._cursor = next((line for line, name in enumerate(self._shown) if name == self._followed), self._cursor)

    def _text(self, name: str) -> tuple[str, str]:
        texts = self._texts.get(name)
        if texts is None:
            listing = self._listings[name]
            text = f"{listing.headline} {listing.title} {listing.folder} {listing.made_by} {when(listing)}"
            texts = self._texts[name] = text, text.lower()
        return texts

    def _fits(self, listing: Listing) -> bool:
        if listing.doubtful:
            return False
        return self.tool in ("", listing.made_by) and self.project in ("", listing.project)

    def _sort_key(self, listing: Listing) -> tuple[str | float, float, str, str]:
        first: str | float = 0.0
        numbers = listing.numbers
        if self.order is Order.CALLS:
            first = -numbers.calls if numbers else 1.0
        elif self.order is Order.ERRORS:
            first = -numbers.errors if numbers else 1.0
        elif self.order is Order.PROJECT:
            first = listing.folder.lower() or "\U0010ffff"
        return first, -listing.changed, listing.path, listing.id
