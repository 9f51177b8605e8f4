"""A hand as the roads see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Side: TypeAlias = Literal["banker", "player"]
Winner: TypeAlias = Literal["banker", "player", "tie"]


@dataclass(frozen=True, slots=True)
class Hand:
    """``natural``: decided by an eight or nine on two cards; ``total``: the winning total, of a tie that of both."""

    winner: Winner
    player_pair: bool
    banker_pair: bool
    natural: bool
    total: int


def hand_of(facts: Mapping[str, Any]) -> Hand:
    """The hand of a baccarat outcome's facts (``games.md`` §4)."""
    player, banker, winner = facts["player"], facts["banker"], facts["winner"]
    won = banker if winner == "banker" else player
    return Hand(
        winner=winner,
        player_pair=player["pair"] is not None,
        banker_pair=banker["pair"] is not None,
        natural=bool(player["natural"] or banker["natural"]),
        total=won["total"],
    )


@dataclass(frozen=True, slots=True)
class Series:
    """A logical column: one unbroken series of the same side, ties left out, however it bends where it is drawn."""

    side: Side
    length: int


def series_of(winners: Sequence[Winner]) -> list[Series]:
    """The logical columns, left to right."""
    found: list[Series] = []
    for winner in winners:
        if winner == "tie":
            continue
        if found and found[-1].side == winner:
            found[-1] = Series(winner, found[-1].length + 1)
        else:
            found.append(Series(winner, 1))
    return found
