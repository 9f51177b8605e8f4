"""Cards, gates and shoes."""

from __future__ import annotations

from typing import ClassVar

from dealer_daemon.events.base import EventData, Facts
from dealer_daemon.events.decks import HowVerified


class CardDrawn(EventData, frozen=True, kw_only=True):
    """A card lies on its position and is known to the servers."""

    type: ClassVar[str] = "card.drawn"
    secret: ClassVar[frozenset[str]] = frozenset({"place"})
    card: str
    """Rank and suit, ``"8S"``."""
    position: str
    unit: str | None = None
    """The physical card, where its code tells."""
    evidence: list[str] = []
    by: str | None = None
    """The service manager who named the card by the video; null when it was read."""
    reason: str | None = None
    """Why that person did."""
    place: str | None = None
    """Of a burnt card: where the shoe said that it went, by which it is known when it is reported once more. Never
    leaves the station: to everybody else the card lies nowhere."""


class CardWithheld(EventData, frozen=True, kw_only=True):
    """A card was read that servers must not know yet; ``card.drawn`` follows when betting closes or its gate opens."""

    type: ClassVar[str] = "card.withheld"
    secret: ClassVar[frozenset[str]] = frozenset({"card", "unit", "evidence"})
    position: str
    card: str = ""
    """Never leaves the station with this event."""
    unit: str | None = None
    evidence: list[str] = []
    """Nor does this: there are 52 cards to try, and one of them gives the hash."""
    by: str | None = None
    reason: str | None = None


class CardRepeated(EventData, frozen=True, kw_only=True):
    """The same physical card was reported again: ignored."""

    type: ClassVar[str] = "card.repeated"
    secret: ClassVar[frozenset[str]] = frozenset({"card"})
    reason: str
    card: str = ""
    """Never leaves the station: it may be a withheld one."""


class CardCorrected(EventData, frozen=True, kw_only=True):
    """A service manager put another card on a position by the video, before the outcome."""

    type: ClassVar[str] = "card.corrected"
    position: str
    card: str
    was: str
    reason: str
    by: str


class CardExpected(EventData, frozen=True, kw_only=True):
    """The server said what comes next (blackjack)."""

    type: ClassVar[str] = "card.expected"
    args: Facts
    server: Facts | None = None


class HandSkipped(EventData, frozen=True, kw_only=True):
    """The station joined in the middle of a hand: it gives no result, and the next one counts."""

    type: ClassVar[str] = "hand.skipped"
    reason: str
    detail: str


class CardSkipped(EventData, frozen=True, kw_only=True):
    """A card of a hand that gives no result: it came out of the shoe and is counted there, and lies nowhere."""

    type: ClassVar[str] = "card.skipped"
    secret: ClassVar[frozenset[str]] = frozenset({"card", "unit", "kept"})
    position: str
    """Where the shoe says that it went."""
    card: str = ""
    """Never leaves the station: it is nobody's to bet on or to see."""
    unit: str | None = None
    kept: list[str] = []
    """Its evidence, which would give it away: there are 52 cards to try."""


class GateWaiting(EventData, frozen=True, kw_only=True):
    """The round waits until the server opens this gate."""

    type: ClassVar[str] = "gate.waiting"
    gate: str
    seen: Facts
    """The facts so far, for the bets of this gate."""


class GateOpened(EventData, frozen=True, kw_only=True):
    """The server let the round go on."""

    type: ClassVar[str] = "gate.opened"
    gate: str
    server: Facts | None = None


class GateVoided(EventData, frozen=True, kw_only=True):
    """The bets of this gate are void, the round stands (003: 仅保险下注无效)."""

    type: ClassVar[str] = "gate.voided"
    gate: str
    reason: str
    by: str


class ShoeResultHeard(EventData, frozen=True, kw_only=True):
    """The shoe gave its own result of a hand that could not end by it at once: a card is missing, a person looks, a
    gate is shut. It is held against the cards when they are known, after a restart too."""

    type: ClassVar[str] = "shoe.result"
    secret: ClassVar[frozenset[str]] = frozenset({"winner", "player_pair", "banker_pair", "kept"})
    winner: str = ""
    """Never leaves the station: it says more than the cards that servers know, and it is no result."""
    player_pair: bool = False
    banker_pair: bool = False
    kept: list[str] = []
    """Its evidence, which would give it away."""


class ShoeBegan(EventData, frozen=True, kw_only=True):
    """A shoe is in play."""

    type: ClassVar[str] = "shoe.started"
    shoe_id: str
    hand_in_shoe: int
    """0: no hand was dealt from it yet."""
    decks: int
    deck_set: str | None = None
    verified: bool = False
    """Its deck set was verified since it was played last."""
    by: str = "station"
    verified_by: HowVerified | None = None
    verification: int | None = None
    """Sequence of the ``deck.verified`` that this shoe rests on."""


class ShoeCutCard(EventData, frozen=True, kw_only=True):
    """The cut card was seen: the round in play is the last of the shoe (004)."""

    type: ClassVar[str] = "shoe.cut_card"
    shoe_id: str
    hand_in_shoe: int


class ShoeEnded(EventData, frozen=True, kw_only=True):
    """No more hands are dealt from this shoe."""

    type: ClassVar[str] = "shoe.ended"
    shoe_id: str
    hand_in_shoe: int
    reason: str
    by: str = "station"
