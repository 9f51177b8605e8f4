"""What a reader said, against the order in which the cards passed it. Pure."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dealer_drivers.cards import DECK


@dataclass(frozen=True, slots=True)
class OrderReport:
    """``wrong``: (passed, read) with how often; ``unheard``: cards that passed and gave nothing, by their place in the
    pile, counted from 1; ``additional``: readings that no card accounts for. ``exchanged``: pairs of cards of which
    each was always read as the other: their codes stand in each other's place in the code book. ``before``: those of
    ``additional`` that came before the pile's first card, which was read behind them."""

    wrong: dict[tuple[str, str], int]
    unheard: tuple[tuple[int, str], ...]
    additional: tuple[str, ...]
    exchanged: tuple[tuple[str, str], ...]
    before: tuple[str, ...]


def sorted_pile(decks: int) -> list[str]:
    """The cards as they pass: spades, hearts, clubs, diamonds, each from the ace to the king, deck after deck."""
    return list(DECK) * decks


def against_order(passed: Sequence[str], read: Sequence[str]) -> OrderReport:
    """Compares ``read`` with ``passed`` by the fewest changes that make one of the other."""
    wrong: Counter[tuple[str, str]] = Counter()
    unheard: list[tuple[int, str]] = []
    additional: list[str] = []
    pairs = _aligned(passed, read)
    for place, said in pairs:
        if place is None:
            assert said is not None
            additional.append(said)
        elif said is None:
            unheard.append((place + 1, passed[place]))
        elif said != passed[place]:
            wrong[passed[place], said] += 1
    times = Counter(passed)
    exchanged = tuple(
        (one, other)
        for (one, other), n in sorted(wrong.items())
        if one < other and n == times[one] and wrong[other, one] == times[other]
    )
    return OrderReport(dict(wrong), tuple(unheard), tuple(additional), exchanged, _before(passed, pairs))


def _before(passed: Sequence[str], pairs: Sequence[tuple[int | None, str | None]]) -> tuple[str, ...]:
    """What was read before the first card; a first card that was read twice is none."""
    leading = list(itertools.takewhile(lambda pair: pair[0] is None, pairs))
    if len(leading) == len(pairs) or pairs[len(leading)] != (0, passed[0]):
        return ()
    said = tuple(one for _, one in leading if one is not None)
    return said if any(one != passed[0] for one in said) else ()


def _aligned(passed: Sequence[str], read: Sequence[str]) -> list[tuple[int | None, str | None]]:
    """Pairs of a place in ``passed`` and what was read there; ``None`` where one of them has nothing."""
    costs = _costs(passed, read)
    found: list[tuple[int | None, str | None]] = []
    i, j = len(passed), len(read)
    while i or j:
        here = costs[i][j]
        if i and j and here == costs[i - 1][j - 1] + (passed[i - 1] != read[j - 1]):
            i, j = i - 1, j - 1
            found.append((i, read[j]))
        elif i and here == costs[i - 1][j] + 1:
            i -= 1
            found.append((i, None))
        else:
            j -= 1
            found.append((None, read[j]))
    return found[::-1]


def _costs(passed: Sequence[str], read: Sequence[str]) -> list[list[int]]:
    """The fewest changes from each beginning of one to each beginning of the other (Levenshtein)."""
    rows = [list(range(len(read) + 1))]
    for i, card in enumerate(passed, 1):
        row = [i]
        for j, said in enumerate(read, 1):
            row.append(min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (card != said)))
        rows.append(row)
    return rows
