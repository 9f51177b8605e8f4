"""Blackjack as it is dealt, with players who decide by chance: each book's rules written anew (``games.md`` §4).

A hand is a script that says what the players decide and asks for the next card: its plan and the cards that lie there
say everything.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

from hw_sim.shoe.cards import Card
from hw_sim.shoe.rules import Laid, Rules

Said: TypeAlias = dict[str, Any]
"""What a server says with ``card.expect``."""
Script: TypeAlias = Generator["Said | str", Card | None, dict[str, str]]
"""Yields what is said, or the position whose card must be sent in; returns who won each hand."""
SEATS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """What a rule book prints for its kind of table; the defaults are classic of 001."""

    decks: int = 8
    line: bool = False
    """Infinite: one start for all and a line of cards, from a continuous shuffler."""
    boxes: int = 1
    """Hands of a seat at the first deal; with two their second cards may change places."""
    real_pairs: bool = False
    """Only equal ranks may be split, and not T J Q K 5; else cards of equal value."""
    splits: int = 1
    split_again: bool = False
    """Split hands may be doubled, and split aces go on."""
    free: bool = False
    most: int = 8
    dealer_most: int = 8
    hits_soft_17: bool = False
    """And a dealer's 22 is a draw."""
    stops: bool = False
    """The dealer takes no card after the second when every hand is bust or a blackjack."""


BOOKS: Mapping[str, Book] = {
    "classic-001": Book(),
    "classic-003": Book(most=99, dealer_most=99, stops=True),
    "infinite-001": Book(decks=6, line=True, dealer_most=99),
    "free-bet-001": Book(real_pairs=True, splits=3, split_again=True, free=True, hits_soft_17=True),
    "switch-001": Book(boxes=2, hits_soft_17=True),
}


def blackjack_rules(book: str) -> Rules:
    """The rules of a book of ``BOOKS``; each hand has its own by ``anew``. Raises ``KeyError``."""
    printed = BOOKS[book]
    return _planned(printed, 0)


def _planned(book: Book, plan: int) -> Rules:
    played = _Played(book, plan)
    return Rules(
        "blackjack",
        book.decks,
        2 + 2 * book.boxes,
        lambda laid: played.at(laid).position,
        lambda laid: played.at(laid).won,
        said=lambda laid: played.at(laid).said,
        anew=lambda rng: _planned(book, rng.getrandbits(64)),
        continuous=book.line,
    )


class _Played:
    """The hand of one plan as far as cards lie there."""

    def __init__(self, book: Book, plan: int) -> None:
        self._book, self._plan = book, plan
        self._begin()

    def _begin(self) -> None:
        self._script = (_line if self._book.line else _seats)(self._book, Random(self._plan))
        self._taken: list[tuple[str, Card]] = []
        self.said: list[Said] = []
        self.won: dict[str, str] = {}
        self.position: str | None = None
        """The next position; ``None`` when the hand is complete."""
        self._go_on(lambda: next(self._script))

    def at(self, laid: Laid) -> _Played:
        """Goes on to these cards; from the beginning where they are not those that came before and more."""
        cards = list(laid.items())
        if cards[: len(self._taken)] != self._taken:
            self._begin()
        for position, card in cards[len(self._taken) :]:
            assert position == self.position, f"a card lies on {position} and {self.position} came next"
            self._taken.append((position, card))
            self._go_on(lambda card=card: self._script.send(card))  # type: ignore[misc]
        return self

    def _go_on(self, step: Callable[[], Said | str]) -> None:
        try:
            asked = step()
            while not isinstance(asked, str):
                self.said = [*self.said, asked]
                asked = next(self._script)
            self.position = asked
        except StopIteration as end:
            self.position, self.won = None, end.value


def points(cards: Sequence[Card]) -> tuple[int, bool]:
    """The total, and whether an ace counts eleven in it."""
    low = sum(min(card.pips, 10) for card in cards)
    soft = low <= 11 and any(card.rank == "A" for card in cards)
    return (low + 10 if soft else low), soft


@dataclass(slots=True)
class _Box:
    """One hand of a seat. ``root``: the hand of the first deal that it goes back to."""

    seat: int
    number: int
    root: int
    cards: list[Card] = field(default_factory=list)
    numbered: int = 0
    split: bool = False
    switched: bool = False

    @property
    def where(self) -> Said:
        return {"seat": self.seat, "hand": self.number}

    @property
    def total(self) -> int:
        return points(self.cards)[0]

    @property
    def natural(self) -> bool:
        return self.total == 21 and len(self.cards) == 2 and not (self.split or self.switched)

    def take(self) -> Generator[Said | str, Card | None, None]:
        self.numbered += 1
        card = yield f"seat{self.seat}.h{self.number}.{self.numbered}"
        assert card is not None
        self.cards.append(card)


def _seats(book: Book, rng: Random) -> Script:
    """A hand with up to three seats in play."""
    seats = sorted(rng.sample(range(1, SEATS + 1), rng.randint(1, 3)))
    yield {"action": "seats", "seats": seats}
    at = {seat: [_Box(seat, number, number) for number in range(1, book.boxes + 1)] for seat in seats}
    first = [box for boxes in at.values() for box in boxes]
    dealer: list[Card] = []
    for box in first:
        yield from box.take()
    yield from _to_dealer(dealer)
    for box in first:
        yield from box.take()
    for boxes in at.values():
        if len(boxes) == 2 and rng.random() < 0.4:
            one, other = boxes
            yield {"action": "switch", "seat": one.seat}
            one.cards[1], other.cards[1] = other.cards[1], one.cards[1]
            one.switched = other.switched = True
        for box in list(boxes):
            yield from _decide(book, rng, box, boxes)
    yield {"action": "done"}
    yield from _to_dealer(dealer)
    hands = [box for boxes in at.values() for box in boxes]
    if not (book.stops and all(box.natural or box.total > 21 for box in hands)):
        yield from _dealer_plays(book, dealer)
    return {f"seat{box.seat}.h{box.number}": _won(book, box, dealer) for box in hands}


def _decide(book: Book, rng: Random, box: _Box, boxes: list[_Box]) -> Generator[Said | str, Card | None, None]:
    """One hand's decisions, and then those of the hands that are split from it."""
    new: list[_Box] = []
    while _may_split(book, box, boxes) and rng.random() < 0.7:
        yield {"action": "split", **box.where}
        other = _Box(box.seat, len(boxes) + 1, box.root, [box.cards.pop()], numbered=1, split=True)
        box.split = True
        boxes.append(other)
        new.append(other)
        yield from box.take()
        yield from other.take()
    if box.split and box.cards[0].rank == "A" and not book.split_again:
        pass  # one card each
    elif 9 <= box.total <= 11 and (book.split_again or not box.split) and rng.random() < 0.6:
        yield {"action": "double", **box.where, **({"free": True} if book.free else {})}
        yield from box.take()
    else:
        while box.total < 21 and len(box.cards) < book.most and rng.random() < _keenness(box.total):
            yield {"action": "hit", **box.where}
            yield from box.take()
        if box.total <= 21 and rng.random() < 0.5:
            yield {"action": "stand", **box.where}
    for other in new:
        yield from _decide(book, rng, other, boxes)


def _keenness(total: int) -> float:
    return 1.0 if total < 12 else 0.7 if total < 17 else 0.1


def _may_split(book: Book, box: _Box, boxes: list[_Box]) -> bool:
    if len(box.cards) != 2 or sum(other.root == box.root for other in boxes) > book.splits:
        return False
    one, other = box.cards
    if book.real_pairs:
        return one.rank == other.rank and one.rank not in "TJQK5"
    return min(one.pips, 10) == min(other.pips, 10)


def _line(book: Book, rng: Random) -> Script:
    """Infinite: somebody takes the first card of every window, and after a pair now and then somebody one more."""
    player: list[Card] = []
    dealer: list[Card] = []
    yield from _onto(player, "player.1")
    yield from _to_dealer(dealer)
    yield from _onto(player, "player.2")
    hitting, dealt, window = list(player), 0, 0
    pair = min(player[0].pips, 10) == min(player[1].pips, 10)
    while (window == 0 or points(hitting)[0] < 21) and len(hitting) < book.most:
        if rng.random() > _keenness(points(hitting)[0]):
            break
        window += 1
        for extra in range(1 + (pair and window == 1 and rng.random() < 0.5)):
            dealt += 1
            yield {"action": "community", "window": window}
            yield from _onto([] if extra else hitting, f"community.{dealt}")
    yield {"action": "done"}
    yield from _to_dealer(dealer)
    yield from _dealer_plays(book, dealer)
    return {}


def _onto(cards: list[Card], position: str) -> Generator[Said | str, Card | None, None]:
    card = yield position
    assert card is not None
    cards.append(card)


def _to_dealer(dealer: list[Card]) -> Generator[Said | str, Card | None, None]:
    yield from _onto(dealer, f"dealer.{len(dealer) + 1}")


def _dealer_plays(book: Book, dealer: list[Card]) -> Generator[Said | str, Card | None, None]:
    while len(dealer) < book.dealer_most:
        total, soft = points(dealer)
        if total > 17 or (total == 17 and not (soft and book.hits_soft_17)):
            return
        yield from _to_dealer(dealer)


def _won(book: Book, box: _Box, dealer: list[Card]) -> str:
    """``player``, ``dealer`` or ``push``."""
    total = points(dealer)[0]
    natural = total == 21 and len(dealer) == 2
    if box.total > 21:
        return "dealer"
    if box.natural or natural:
        return "push" if box.natural and natural else "player" if box.natural else "dealer"
    if total > 21:
        return "push" if total == 22 and book.hits_soft_17 else "player"
    return "push" if box.total == total else "player" if box.total > total else "dealer"
