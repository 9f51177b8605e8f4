"""The life of a round, and of the table round it."""

from __future__ import annotations

from typing import ClassVar

from dealer_daemon.events.base import EventData, Facts
from dealer_daemon.events.devices import CalibrationRef


class TableStarted(EventData, frozen=True, kw_only=True):
    """The daemon took the table up, for the first time or again."""

    type: ClassVar[str] = "table.started"
    boot: str
    """Id of this run of the daemon."""
    version: str
    config_hash: str
    """SHA-256 of the table's configuration as read."""
    game: str
    clock_speed: float = 1.0
    """1 except with simulated devices that run fast."""
    shadow: bool = False
    """The table plays beside another system and nothing is settled on what it says."""
    rules: Facts = {}
    """By what rounds are played, where it is no default: ``game``, ``round_source``, and of a card game its own keys.
    An open round is played to its end by these."""


class TableReconfigured(EventData, frozen=True, kw_only=True):
    """The running station took up other values of some keys of the table's configuration."""

    type: ClassVar[str] = "table.reconfigured"
    config_hash: str
    """SHA-256 of the table's configuration from here on."""
    changed: Facts
    """The keys and what they are from here on."""


class RoundOpened(EventData, frozen=True, kw_only=True):
    """A round began; bets may be taken until ``betting.closed``."""

    type: ClassVar[str] = "round.opened"
    game: str
    source: str
    """``device`` or ``server``."""
    shoe_id: str | None = None
    hand_in_shoe: int | None = None
    spin: int | None = None
    """The wheel's own spin counter when the round opened."""
    server: Facts | None = None
    """What the server handed over with ``round.open``, unread."""


class BettingClosed(EventData, frozen=True, kw_only=True):
    """No more bets."""

    type: ClassVar[str] = "betting.closed"
    game: str
    source: str
    shoe_id: str | None = None
    hand_in_shoe: int | None = None
    server: Facts | None = None


class AttemptStarted(EventData, frozen=True, kw_only=True):
    """An attempt is under way: the ball is on the track."""

    type: ClassVar[str] = "attempt.started"
    attempt: int


class AttemptRefused(EventData, frozen=True, kw_only=True):
    """The attempt did not count by the rules; it is made again."""

    type: ClassVar[str] = "attempt.refused"
    secret: ClassVar[frozenset[str]] = frozenset({"kept"})
    reason: str
    remedy: str
    attempt: int
    detail: str
    evidence: list[str]
    position: str | None = None
    """Where the card was to lie, at a card table."""
    kept: list[str] = []
    """As in ``attempt.held``."""
    figures: dict[str, int | float] = {}
    """Of reasons that have them: what was ``seen`` against what is ``needed``."""


class AttemptHeld(EventData, frozen=True, kw_only=True):
    """Not clear what happened: a person must look. Nothing counts until somebody with the right decided."""

    type: ClassVar[str] = "attempt.held"
    secret: ClassVar[frozenset[str]] = frozenset({"kept", "card", "position", "unit"})
    reason: str
    attempt: int
    detail: str
    seen: Facts
    evidence: list[str]
    kept: list[str] = []
    """Evidence that must not be named yet: there are 52 cards to try, and one of them gives the hash."""
    card: str | None = None
    """A card that was read for a position that is not due yet: it lies there once those before it are known. Without a
    position the physical card that is asked about: it is one that a person named, or another."""
    position: str | None = None
    unit: str | None = None


class EntryAllowed(EventData, frozen=True, kw_only=True):
    """The service manager lets the result of this round be keyed in by hand (``games.md`` §9). What its device says
    of the round does not count any more; an attempt that was under way or held is given up."""

    type: ClassVar[str] = "entry.allowed"
    reason: str
    by: str


class AttemptUnconfirmed(EventData, frozen=True, kw_only=True):
    """The result is there and waits for the dealer's word that the spin was valid (laps unobserved)."""

    type: ClassVar[str] = "attempt.unconfirmed"
    attempt: int
    facts: Facts
    detail: str
    """What the dealer is asked, in a sentence."""
    evidence: list[str]
    witnesses: list[str] = []


class AttemptWithdrawn(EventData, frozen=True, kw_only=True):
    """What waited for the dealer's word changed before it came: the same attempt goes on, and is read again."""

    type: ClassVar[str] = "attempt.withdrawn"
    attempt: int
    detail: str


class Violation(EventData, frozen=True, kw_only=True):
    """Something happened that the procedure does not allow now; it is recorded and is no result."""

    type: ClassVar[str] = "violation"
    secret: ClassVar[frozenset[str]] = frozenset({"kept"})
    reason: str
    detail: str
    evidence: list[str]
    kept: list[str] = []
    """As in ``attempt.held``."""


class TablePaused(EventData, frozen=True, kw_only=True):
    """The table stands until a service manager resumes or voids."""

    type: ClassVar[str] = "table.paused"
    reason: str
    by: str
    detail: str = ""


class TableResumed(EventData, frozen=True, kw_only=True):
    """A service manager let the table go on."""

    type: ClassVar[str] = "table.resumed"
    reason: str
    by: str


class RoundOutcome(EventData, frozen=True, kw_only=True):
    """The one result of a round. Money is settled on it."""

    type: ClassVar[str] = "round.outcome"
    secret: ClassVar[frozenset[str]] = frozenset({"rest_left"})
    game: str
    facts: Facts
    attempts: int
    evidence: list[str]
    source: str
    """``device``, ``manual`` or ``manager`` (a held attempt decided by a person)."""
    by: str | None = None
    """Who decided, where a person did."""
    reason: str | None = None
    """Why that person decided so."""
    witnesses: list[str] = []
    """The devices and fields that agreed on the value."""
    shoe_id: str | None = None
    hand_in_shoe: int | None = None
    last_hand: bool | None = None
    server: list[Facts] = []
    """Every object that the server handed over in this round, in order, unread."""
    calibrations: dict[str, CalibrationRef] = {}
    """By device, the calibration that the table had in use when the outcome was told."""
    rest_left: bool = False
    """A person decided the whole hand, and cards of it may still pass that nothing tells from the next one's."""


class RoundVoided(EventData, frozen=True, kw_only=True):
    """The round is cancelled; stakes go back. ``seen`` are the facts known so far."""

    type: ClassVar[str] = "round.voided"
    secret: ClassVar[frozenset[str]] = frozenset({"rest_left"})
    reason: str
    by: str
    seen: Facts
    rest_left: bool = False
    """Cards of the hand may still pass that nothing tells from the next one's."""


class OutcomeCorrected(EventData, frozen=True, kw_only=True):
    """The outcome with sequence ``replaces`` was wrong; these facts stand instead (002, 003: by the video)."""

    type: ClassVar[str] = "outcome.corrected"
    replaces: int
    game: str
    facts: Facts
    reason: str
    by: str
    shoe_id: str | None = None
    """At a card table: the shoe of the hand, and the card on each position as it is now and as it was read."""
    cards: dict[str, str] = {}
    was: dict[str, str] = {}
    dealt_from: dict[str, str] = {}
    """The shoe of each position whose card is of another one: the shoe was changed in the middle of the hand."""
