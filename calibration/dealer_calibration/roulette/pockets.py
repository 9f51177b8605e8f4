"""Whether the wheel knows its pockets: what it said against where the ball lay. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dealer_daemon.games.roulette import WHEEL_ORDER

ORDER = tuple(map(str, WHEEL_ORDER))
FEWEST_PAIRS = 4
"""Of fewer wrong numbers nobody can say by what rule they are wrong."""


@dataclass(frozen=True, slots=True)
class PocketCheck:
    """``seen``: how often the wheel named each pocket; ``never``: those that it never named, in the wheel's order.
    ``wrong``: (where the ball lay, what the wheel said). ``rule``: ``""``, ``shifted`` by ``shift`` pockets clockwise,
    ``reversed``, or ``no_rule``."""

    spins: int
    seen: Counter[str]
    never: tuple[str, ...]
    wrong: tuple[tuple[str, str], ...]
    rule: str = ""
    shift: int = 0

    @property
    def chance(self) -> float:
        """That a given pocket which works was not hit in so many spins."""
        return (1 - 1 / len(ORDER)) ** self.spins

    @property
    def neighbours(self) -> bool:
        """The pockets that never came lie side by side: one sensor's."""
        if not 2 <= len(self.never) < len(ORDER):
            return False
        places = {ORDER.index(pocket) for pocket in self.never}
        begins = sum((place - 1) % len(ORDER) not in places for place in places)
        return begins == 1


def check_pockets(pairs: Iterable[tuple[str | None, str]]) -> PocketCheck:
    """From pairs (where the ball lay, ``None`` where nobody looked; what the wheel said), single-zero wheel."""
    told = list(pairs)
    seen = Counter(said for _, said in told)
    never = tuple(pocket for pocket in ORDER if not seen[pocket])
    both = [(lay, said) for lay, said in told if lay is not None]
    wrong = tuple((lay, said) for lay, said in both if lay != said)
    rule, shift = _rule(both) if wrong else ("", 0)
    return PocketCheck(len(told), seen, never, wrong, rule, shift)


def _rule(both: Sequence[tuple[str, str]]) -> tuple[str, int]:
    places = [(ORDER.index(lay), ORDER.index(said)) for lay, said in both if lay in ORDER and said in ORDER]
    if len(places) < FEWEST_PAIRS:
        return "no_rule", 0
    size = len(ORDER)
    shifts = {(said - lay) % size for lay, said in places}
    if len(shifts) == 1:
        shift = shifts.pop()
        return "shifted", shift if shift <= size // 2 else shift - size
    if len({(said + lay) % size for lay, said in places}) == 1:
        return "reversed", 0
    return "no_rule", 0
