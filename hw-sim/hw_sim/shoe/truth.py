"""What really happened in a hand: which card lies where, who won, and what went wrong on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hw_sim.shoe.cards import Card
from hw_sim.shoe.faults import CardFault, Expect
from hw_sim.shoe.rules import Rules


@dataclass(frozen=True, slots=True)
class Struck:
    """A fault as it struck. ``position``: of the card that it struck at, ``None`` after the hand."""

    fault: CardFault
    at_s: float
    position: str | None
    expect: Expect


@dataclass(slots=True)
class Hand:
    """One hand. Times are seconds of the device's own clock, keyed by what happened."""

    device: str
    rules: Rules
    shoe: int
    """Shoes are counted from 1 since the simulation began, ``number`` likewise hands."""
    number: int
    hand_in_shoe: int
    cards: dict[str, Card] = field(default_factory=dict)
    """Where the cards lie, in the order in which they came."""
    read_as: dict[str, Card] = field(default_factory=dict)
    """What the reader took a card for, where that is another one."""
    burnt: list[Card] = field(default_factory=list)
    """Cards put away: those burnt from a new shoe before its first hand, and those that nobody wanted."""
    last_hand: bool = False
    """The cut card was seen: no hand is dealt from this shoe after this one."""
    said: list[dict[str, Any]] = field(default_factory=list)
    """What the players' server said so far, as ``card.expect`` takes it (blackjack)."""
    swept: bool = False
    """The dealer took the cards away before a result stood: a person voided the hand."""
    struck: list[Struck] = field(default_factory=list)
    finished: bool = False
    times_s: dict[str, float] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether all cards that the rules give lie there."""
        return self.rules.follows(self.cards) is None

    def strike(self, fault: CardFault, at_s: float, expect: Expect, position: str | None = None) -> None:
        """Something went wrong."""
        self.struck.append(Struck(fault, at_s, position, expect))

    def as_json(self) -> dict[str, Any]:
        """The record, as it is written."""
        return {
            "device": self.device,
            "game": self.rules.game,
            "shoe": self.shoe,
            "hand": self.number,
            "hand_in_shoe": self.hand_in_shoe,
            "cards": _texts(self.cards),
            "said": self.said,
            "winner": self.rules.winner(self.cards) if self.complete else None,
            "complete": self.complete,
            "swept": self.swept,
            "last_hand": self.last_hand,
            "read_as": _texts(self.read_as),
            "burnt": [card.text for card in self.burnt],
            "faults": sorted({struck.fault.value for struck in self.struck}),
            "struck": [
                {
                    "fault": struck.fault.value,
                    "at_s": round(struck.at_s, 4),
                    "position": struck.position,
                    "expect": struck.expect.value,
                }
                for struck in self.struck
            ],
            "times_s": {what: round(at_s, 4) for what, at_s in self.times_s.items()},
            "finished": self.finished,
        }


def _texts(cards: Mapping[str, Card]) -> dict[str, str]:
    return {position: card.text for position, card in cards.items()}
