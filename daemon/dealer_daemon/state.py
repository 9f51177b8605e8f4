"""Everything of a table that must survive a crash. It changes only by folding events (``round.py``)."""

from __future__ import annotations

from typing import Literal

import msgspec

from dealer_daemon.events import Facts

STATE_VERSION = 12
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
    misread_unit: str | None = None
    """The physical card that was read here before a person said that another lies here: it may lie elsewhere."""
    misread_card: str | None = None
    """As which card it was read: said to lie here all the same, it is that physical card again."""
    gate: str | None = None
    expect: Facts | None = None


class ShoeSaid(msgspec.Struct, frozen=True, kw_only=True):
    """The shoe's own result of the hand in play, where the hand could not end by it at once."""

    winner: str
    player_pair: bool
    banker_pair: bool
    evidence: list[str] = []


class OpenRound(msgspec.Struct, frozen=True, kw_only=True):
    """The round in play. ``attempt`` counts from 1 and is the one under way or the next one."""

    id: str
    source: str
    betting: Literal["open", "closed"] = "open"
    attempt: int = 1
    tries: int = 0
    """Refused attempts in a row since the round began or was resumed."""
    opened_ns: int | None = None
    """When it was opened, Unix ns."""
    token: int | None = None
    """The device's own counter when the round opened."""
    phase: Literal["waiting", "running", "held", "unconfirmed"] = "waiting"
    held_for: str | None = None
    """Why a held attempt is; of no meaning in another phase."""
    asked_ns: int | None = None
    """When a person was asked about a held or unconfirmed attempt, Unix ns; of no meaning in another phase."""
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
    asked: Step | None = None
    """The physical card that a person is asked about: one that was named before it was read, or another."""
    shoe_said: ShoeSaid | None = None
    """The shoe's own result, as long as no person said that the hand goes on whatever the shoe says."""
    drawn_while_held: bool = False
    """A card was drawn while the hand was held: it may be of the next one, whose result the shoe gives then."""
    drawn_while_paused: bool = False
    """A card was drawn while the table stood, and no person said yet that the hand goes on with the card that is
    due."""
    shoe_id: str | None = None
    hand_in_shoe: int | None = None


class Shoe(msgspec.Struct, frozen=True, kw_only=True):
    """The cards dealt between two shuffles, as far as they were seen."""

    id: str
    decks: int
    deck_set: str | None = None
    """The set of cards that it was made of, where that is known."""
    hands: int = 0
    drawn: dict[str, int] = {}
    """How often each card came out of this shoe."""
    units: list[str] = []
    """Physical cards that came out, where their codes tell."""
    burnt: list[str] = []
    """Cards burnt from this shoe, in order."""
    last_burn: Step | None = None
    """The newest of them, on the place that the shoe named, as long as no card of a hand followed: it may be reported
    once more."""
    cut_card: bool = False
    """The cut card was seen: no hand after the one in play."""


class DeckSet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of one set of cards."""

    status: Literal["unknown", "shuffling", "verified", "failed", "in_play", "used"] = "unknown"
    """``used``: a shoe was made of it, which ended."""
    how: Literal["shuffler", "scan"] | None = None
    """How it was verified last."""
    device: str | None = None
    """The shuffler that did, or that shuffles it."""
    reason: str | None = None
    """Why it failed."""
    verification: int | None = None
    """Sequence of the event by which it was verified last."""


class Decks(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The deck sets of a table and where they are (``games.md`` §10)."""

    sets: dict[str, DeckSet] = {}
    """Those of which something is known, by id."""
    inside: dict[str, str] = {}
    """Which set lies in a shuffler, by device."""
    told: dict[str, str] = {}
    """Which set a person said lies there, until its shuffle begins; by device."""
    jobs: dict[str, int] = {}
    """The newest shuffle of each device of which it was known whose cards it is about."""
    unnamed: dict[str, int] = {}
    """The newest shuffle of each device of which nobody said whose cards it was about."""
    suspect: list[str] = []
    """Shufflers that were tampered with and of which no later shuffle is known."""
    scan: str | None = None
    """The set whose cards are being scanned."""
    stage: str | None = None
    """Where the change of a continuous shuffler's cards stands; ``None`` when none is under way."""
    old_cards: bool = False
    """New cards were put into a continuous shuffler that had not been empty."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The newest final outcome, corrections included."""

    sequence: int
    round: str
    facts: Facts
    token: int | None


class StandingAlert(msgspec.Struct, frozen=True, kw_only=True):
    """An alert that was raised and not cleared."""

    code: str
    severity: Literal["warning", "error"]
    device: str | None
    about: str | None
    detail: str
    sequence: int
    """Of its ``alert.raised``."""
    since_ns: int
    """When that was, Unix ns."""


class Expired(msgspec.Struct, frozen=True, kw_only=True):
    """The newest events that retention took from somebody who had not acknowledged them."""

    to_sequence: int
    consumers: list[str]
    reason: str


class TableState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that must survive a crash."""

    table: str
    sequence: int = 0
    rounds: int = 0
    round: OpenRound | None = None
    paused: str | None = None
    """Why the table stands; ``None`` when it does not."""
    paused_at: int | None = None
    """Sequence of the event by which it does: the pause that a person's answer names."""
    paused_ns: int | None = None
    """When that was, Unix ns."""
    paused_by: str | None = None
    """Who asked for it. A person's words may be those that the station has for another reason."""
    read_ns: int | None = None
    """When a reader gave the newest card, Unix ns: until then it was surely there."""
    read_mono_ns: int | None = None
    """The same on the machine's monotonic clock, which nobody sets."""
    outcome: Outcome | None = None
    result_due: bool = False
    """The newest hand ended by its cards, and no card was read since: the shoe's own result that comes is of it."""
    shoe: Shoe | None = None
    shoes: int = 0
    """Shoes begun so far."""
    decks: Decks = Decks()
    previous: list[Step] = []
    """The steps of the newest round that ended, and the cards of hands that were skipped since: by them cards are known
    that are reported once more."""
    previous_round: str | None = None
    """Which round that was, as long as all its steps are kept."""
    skipping: bool = False
    """The cards that come belong to a hand that gives no result."""
    given_up: bool = False
    """A person ended the newest hand: more of its cards may come."""
    rest_left: bool = False
    """So it is, nothing would tell them from the next hand's, and nobody was asked yet to take them away."""
    corrected: dict[str, int] = {}
    """Sequence of the newest correction of each round whose outcome was corrected; few are."""
    faults: dict[str, list[str]] = {}
    """Standing faults by device."""
    shadow: bool = False
    """Its events were a shadow's: never may a server be given them as a live table's."""
    lent: dict[str, str] = {}
    """Devices in the hands of a technician's bench, and who has them."""
    bench_pause: int | None = None
    """Sequence of the newest pause that was made for a bench: no other is a bench's to end."""
    rules: Facts = {}
    """By what it was played when it was taken up last (``table.started``)."""
    alerts: dict[str, StandingAlert] = {}
    """What a person must see to, by code, device and what it is about (``alert_key``)."""
    expired: Expired | None = None


def phase_of(state: TableState) -> str:
    """What the table is doing, in one word: ``phase`` of its retained state, and what screens and figures say."""
    if state.paused is not None:
        return "paused"
    if state.round is None:
        return "idle"
    if state.round.phase != "waiting":
        return state.round.phase
    return "betting" if state.round.betting == "open" else "waiting"


def alert_key(code: str, device: str | None, about: str | None) -> str:
    """What makes an alert one: two of one key are never raised at once."""
    return "/".join((code, device or "", about or ""))


class FoldError(ValueError):
    """An event that cannot follow on this state: the journal is not what a table wrote."""
