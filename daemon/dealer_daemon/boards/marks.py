"""What a board shows of one result, and what it counts, by game. A game that is not named here has its winner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from dealer_daemon.games.roulette import POCKETS
from dealer_daemon.validation.turn_map import COUNTS

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """See ``ResultBody``."""

    value: str | None = None
    colour: str | None = None
    dice: tuple[int, ...] = ()
    cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counted:
    """One fact that is counted. ``values`` gives what one result adds. ``ways`` has every value, in the order in which
    it is shown, with its part of the whole; where it is ``None`` the values are those that came, in order. ``heat``:
    hot and cold are told, by these parts."""

    of: str
    values: Callable[[Facts], list[str]]
    ways: Mapping[str, int] | None = None
    heat: bool = True


@dataclass(frozen=True, slots=True)
class GameMarks:
    """Of one game."""

    mark: Callable[[Facts], Mark]
    counted: tuple[Counted, ...] = ()


FACES = range(1, 7)
_SUMS: dict[str, int] = {}
for _dice in product(FACES, repeat=3):
    _SUMS[str(sum(_dice))] = _SUMS.get(str(sum(_dice)), 0) + 1
SEATS = ("p1", "p2", "p3")


def mark_of(game: str, facts: Facts) -> Mark:
    """What is shown of a result. One whose facts are not as this version knows them is shown without a value."""
    try:
        return _marks(game).mark(facts)
    except (KeyError, TypeError, AttributeError):
        return Mark()


def values_of(counted: Counted, facts: Facts) -> list[str]:
    """What a result adds to a tally: nothing where its facts are not as this version knows them."""
    try:
        return counted.values(facts)
    except (KeyError, TypeError, AttributeError):
        return []


def counted_of(game: str) -> tuple[Counted, ...]:
    """The facts of a game that are counted."""
    return _marks(game).counted


def _marks(game: str) -> GameMarks:
    return GAMES.get(game, _BY_WINNER)


def _fact(name: str) -> Callable[[Facts], list[str]]:
    """The values of a fact that may be null, as zero's colour is no even chance."""
    return lambda facts: [] if facts[name] is None else [str(facts[name])]


def _even(*values: str) -> dict[str, int]:
    return dict.fromkeys(values, 1)


def _plain(of: str, *values: str) -> Counted:
    """A fact with so few values that none is hot."""
    return Counted(of, _fact(of), _even(*values), heat=False)


def _winner(facts: Facts) -> Mark:
    return Mark(value=facts.get("winner"))


def _size(facts: Facts) -> list[str]:
    return ["triple" if facts["triple"] else facts["size"]]


def _seat(seat: str) -> Callable[[Facts], list[str]]:
    return lambda facts: [facts["winners"][seat]]


def _dealer(facts: Facts) -> Mark:
    dealer = facts["dealer"]
    word = "blackjack" if dealer["blackjack"] else "bust" if dealer["bust"] else str(dealer["total"])
    return Mark(value=word, cards=tuple(dealer["cards"]))


def _dealers_end(facts: Facts) -> list[str]:
    return [str(_dealer(facts).value)]


def _cards(facts: Facts) -> Mark:
    return Mark(cards=tuple(facts["cards"]))


_BY_WINNER = GameMarks(_winner, (Counted("winner", _fact("winner")),))
_SIX_CARDS = GameMarks(_cards)

GAMES: Mapping[str, GameMarks] = {
    # The roads count a shoe; its last results are shown as at every game.
    "baccarat": GameMarks(_winner),
    "dragon-tiger": GameMarks(
        lambda facts: Mark(value=facts["winner"], cards=(facts["dragon"], facts["tiger"])),
        (_plain("winner", "dragon", "tiger", "tie"),),
    ),
    "roulette": GameMarks(
        lambda facts: Mark(value=facts["number"], colour=facts["color"]),
        (
            Counted("number", _fact("number"), _even(*sorted(POCKETS, key=int))),
            Counted("color", _fact("color"), {"red": 18, "black": 18, "green": 1}),
            _plain("parity", "odd", "even"),
            _plain("range", "low", "high"),
            _plain("dozen", "1", "2", "3"),
            _plain("column", "1", "2", "3"),
        ),
    ),
    "sic-bo": GameMarks(
        lambda facts: Mark(value=str(facts["sum"]), dice=tuple(facts["dice"])),
        (
            Counted("face", lambda facts: [str(face) for face in facts["dice"]], _even(*map(str, FACES))),
            Counted("sum", _fact("sum"), _SUMS),
            Counted("size", _size, _even("small", "big", "triple"), heat=False),
            _plain("parity", "odd", "even"),
        ),
    ),
    "rainbow-wheel": GameMarks(
        lambda facts: Mark(value=facts["color"], colour=facts["color"]),
        (Counted("color", _fact("color"), COUNTS),),
    ),
    "fan-tan": GameMarks(
        lambda facts: Mark(value=str(facts["remainder"])),
        (Counted("remainder", _fact("remainder"), _even("1", "2", "3", "4")), _plain("parity", "odd", "even")),
    ),
    "niu-niu": GameMarks(
        lambda facts: Mark(value=facts["hands"]["banker"]["rank"], cards=tuple(facts["hands"]["banker"]["cards"])),
        tuple(Counted(seat, _seat(seat), _even("banker", "player"), heat=False) for seat in SEATS),
    ),
    "blackjack": GameMarks(_dealer, (Counted("dealer", _dealers_end),)),
    "san-gong": _SIX_CARDS,
    "koi": _SIX_CARDS,
    "brawl": _SIX_CARDS,
}
