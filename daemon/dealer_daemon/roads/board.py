"""Everything that a scoreboard shows of a shoe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dealer_daemon.roads.big import Bead, Cell, beads, big_road
from dealer_daemon.roads.derived import ROADS, Mark, derived
from dealer_daemon.roads.good import good_roads
from dealer_daemon.roads.hand import Hand, Series, Side, series_of


@dataclass(frozen=True, slots=True)
class Board:
    """``derived`` by the road's name. ``ask``: the mark that each derived road would get if the next hand were won by
    that side (庄问路, 闲问路); ``None`` where it would get none."""

    beads: list[Bead]
    big: list[Cell]
    columns: list[Series]
    derived: dict[str, list[Mark]]
    ask: dict[Side, dict[str, Mark | None]]
    good: list[str]


def board(hands: Sequence[Hand]) -> Board:
    """The board after these hands, in order, of one shoe."""
    winners = [hand.winner for hand in hands]
    columns = series_of(winners)
    roads = {name: derived(columns, back) for name, back in ROADS.items()}
    sides: tuple[Side, ...] = ("banker", "player")
    return Board(
        beads=beads(hands),
        big=big_road(hands),
        columns=columns,
        derived=roads,
        ask={side: _asked(series_of([*winners, side]), roads) for side in sides},
        good=good_roads(columns),
    )


def _asked(columns: Sequence[Series], roads: dict[str, list[Mark]]) -> dict[str, Mark | None]:
    found: dict[str, Mark | None] = {}
    for name, back in ROADS.items():
        marks = derived(columns, back)
        found[name] = marks[-1] if len(marks) > len(roads[name]) else None
    return found
