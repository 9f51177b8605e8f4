"""Everything of a table that must survive a crash. It changes only by folding events (``round.py``)."""

from __future__ import annotations

from typing import Literal

import msgspec

from dealer_daemon.events import Facts

STATE_VERSION = 4
"""Goes up when the meaning of the state changes, so that a stored one is folded anew."""


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step of a card round: a card on a position, a gate that opened, or the server's word on what comes next."""

    position: str | None = None
    card: str | None = None
    unit: str | None = None
    shoe_id: str | None = None
    """The shoe that the card came out of."""
    evidence: list[str] = []
    withheld: bool = False
    """The card was read and servers do not know it yet."""
    by: str | None = None
    """The service manager who named this card by the video."""
    reason: str | None = None
    """Why that person did."""
    gate: str | None = None
    expect: Facts | None = None


class OpenRound(msgspec.Struct, frozen=True, kw_only=True):
    """The round in play. ``attempt`` counts from 1 and is the one under way or the next one."""

    id: str
    source: str
    betting: Literal["open", "closed"] = "open"
    attempt: int = 1
    tries: int = 0
    """Refused attempts in a row since the round began or was resumed."""
    token: int | None = None
    """The device's own counter when the round opened."""
    phase: Literal["waiting", "running", "held", "unconfirmed"] = "waiting"
    held_for: str | None = None
    """Why a held attempt is; of no meaning in another phase."""
    seen: Facts = {}
    """What a held or unconfirmed attempt showed."""
    witnesses: list[str] = []
    evidence: list[str] = []
    """Evidence of a held or unconfirmed attempt."""
    last_refusal: str | None = None
    by_hand: bool = False
    """The service manager lets the result be keyed in."""
    server: list[Facts] = []
    steps: list[Step] = []
    """Cards, gates and the server's words, in order, at a card table."""
    gate: str | None = None
    """The gate that the round waits at."""
    doubt: Step | None = None
    """A card that was read for a position that is not due yet, because one before it was missed."""
    shoe_id: str | None = None
    hand_in_shoe: int | None = None


class Shoe(msgspec.Struct, frozen=True, kw_only=True):
    """The cards dealt between two shuffles, as far as they were seen."""

    id: str
    decks: int
    hands: int = 0
    drawn: dict[str, int] = {}
    """How often each card came out of this shoe."""
    units: list[str] = []
    """Physical cards that came out, where their codes tell."""
    burnt: list[str] = []
    """Cards burnt from this shoe, in order."""
    cut_card: bool = False
    """The cut card was seen: no hand after the one in play."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The newest final outcome, corrections included."""

    sequence: int
    round: str
    facts: Facts
    token: int | None


class TableState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that must survive a crash."""

    table: str
    sequence: int = 0
    rounds: int = 0
    round: OpenRound | None = None
    paused: str | None = None
    """Why the table stands; ``None`` when it does not."""
    outcome: Outcome | None = None
    shoe: Shoe | None = None
    shoes: int = 0
    """Shoes begun so far."""
    previous: list[Step] = []
    """The steps of the newest round that ended, and the cards of hands that were skipped since: by them cards are known
    that are reported once more."""
    skipping: bool = False
    """The cards that come belong to a hand that gives no result."""
    faults: dict[str, list[str]] = {}
    """Standing faults by device."""


class FoldError(ValueError):
    """An event that cannot follow on this state: the journal is not what a table wrote."""
