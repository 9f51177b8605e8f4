"""Deck sets: which of them is whole, who says so, and what went wrong with it or its shuffler (``games.md`` §10)."""

from __future__ import annotations

from typing import ClassVar, Literal

from dealer_daemon.events.base import EventData

HowVerified = Literal["shuffler", "scan"]
"""By a shuffler, or by a full scan of its cards with the table's reader."""


class DeckInserted(EventData, frozen=True, kw_only=True):
    """A person said which set lies in the shuffler."""

    type: ClassVar[str] = "deck.inserted"
    device: str
    deck_set: str
    by: str


class DeckShuffling(EventData, frozen=True, kw_only=True):
    """A set is in the shuffler and its shuffle began: whatever was known of it holds no more."""

    type: ClassVar[str] = "deck.shuffling"
    device: str
    deck_set: str | None = None
    """Null: nobody knows which. No shoe starts before a person says it."""
    job: int
    """The machine's own number of this shuffle."""


class DeckRemoved(EventData, frozen=True, kw_only=True):
    """The shuffler is empty: the set was taken out of it."""

    type: ClassVar[str] = "deck.removed"
    device: str
    deck_set: str


class DeckScanStarted(EventData, frozen=True, kw_only=True):
    """Every card of the set is passed over the table's reader once, to verify it; these cards are no hand."""

    type: ClassVar[str] = "deck.scan_started"
    deck_set: str
    cards: int
    """How many there must be."""
    by: str


class DeckScanRefused(EventData, frozen=True, kw_only=True):
    """A card of the scan could not be told, is foreign, or was there before; which one is told at the end, sorted."""

    type: ClassVar[str] = "deck.scan_refused"
    deck_set: str
    reason: str
    detail: str
    scanned: int
    """Cards that count so far."""


class DeckVerified(EventData, frozen=True, kw_only=True):
    """The set is whole: the right count, every card the right number of times, no foreign card."""

    type: ClassVar[str] = "deck.verified"
    deck_set: str
    how: HowVerified
    cards: int
    device: str | None = None
    """The shuffler that says so."""
    job: int | None = None
    by: str
    evidence: list[str] = []
    """What the shuffler said. None for a scan: it would hold the cards in the order in which they were passed."""


class DeckFailed(EventData, frozen=True, kw_only=True):
    """The set is out until it is verified again."""

    type: ClassVar[str] = "deck.failed"
    deck_set: str
    reason: str
    detail: str
    missing: list[str] = []
    """Cards, where a scan tells them; a card stands there as often as it is missing."""
    doubled: list[str] = []
    foreign: list[str] = []
    """Codes that are no card of the set."""
    device: str | None = None
    job: int | None = None
    by: str
    evidence: list[str] = []


class ShufflerTamper(EventData, frozen=True, kw_only=True):
    """The shuffler left the USB while in use and came back, or sent the order of its cards: somebody may know more of
    them than anybody should."""

    type: ClassVar[str] = "shuffler.tamper"
    device: str
    cause: Literal["usb_reenumerated", "order_offered"]
    job: int | None = None
    """The shuffle that it was about: no set is verified by it. Null for an order: that is not known, and holds for the
    one under way."""
    detail: str
    evidence: list[str] = []


class ShufflerChange(EventData, frozen=True, kw_only=True):
    """The cards of a continuous shuffler are being changed, or the change is over (``feeding``)."""

    type: ClassVar[str] = "shuffler.change"
    device: str
    stage: Literal["feeding", "emptying", "empty", "loading"]
    inside: int
    """Cards in it."""
