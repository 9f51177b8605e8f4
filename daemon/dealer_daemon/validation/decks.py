"""Is a set of cards whole? By what a shuffler says of it, or by a scan of every card (``games.md`` §10). Pure.

Whole means: the right count, every card the right number of times, and no foreign card.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from dealer_drivers.cards import CARDS_IN_DECK
from dealer_drivers.readings.shuffler import DeckReport, MachineState

RANKS, SUITS = "A23456789TJQK", "SHCD"
MOST_FOREIGN = 16
"""Foreign codes that are named; more than a few are another set of cards."""


class DeckReason(StrEnum):
    """Why a deck set failed: it is out until it is verified again."""

    # By what its shuffler says.
    COUNT_OFF = "deck_count_off"
    FOREIGN = "deck_foreign_card"
    ONLY_COUNTED = "deck_only_counted"
    JAMMED = "deck_jammed"
    DOOR_OPENED = "deck_door_opened"
    MISREAD = "deck_misread"
    UNFINISHED = "deck_unfinished"
    UNWATCHED = "deck_unwatched"
    TAMPERED = "deck_tampered"
    ORDER_KNOWN = "deck_order_known"
    OLD_CARDS = "deck_old_cards"
    # By a scan.
    NOT_EXACT = "deck_not_exact"
    CARD_DOUBLED = "deck_card_doubled"
    """A single card of the scan: it was there before."""
    CARD_READ_BEFORE = "deck_card_read_before"
    """A single card of the scan: it may be one that was read before it."""
    SCAN_CANCELLED = "deck_scan_cancelled"
    SCAN_INTERRUPTED = "deck_scan_interrupted"


class ShoeReason(StrEnum):
    """Why no shoe may start, beside what the shuffler reports of itself (``ShufflerFault``)."""

    NOT_HEARD = "shuffler_not_heard"
    CHANGING = "shuffler_changing"
    SCANNING = "deck_scan_underway"
    SET_FAILED = "deck_set_failed"
    SET_UNCLEAR = "deck_set_unclear"


class DeckTrouble(StrEnum):
    """What is wrong with a shuffler's word, as a device's fault."""

    SET_UNNAMED = "deck_set_unnamed"
    SET_UNKNOWN = "deck_set_unknown"
    JOB_REPEATED = "shuffler_job_repeated"


@dataclass(frozen=True, slots=True)
class Flaw:
    """The set is not whole, or nobody can say so. ``detail`` is a sentence for people."""

    reason: DeckReason
    detail: str


def judge_report(report: DeckReport, cards: int, *, counted_is_enough: bool) -> Flaw | None:
    """What stands against a set of ``cards`` cards whose shuffle ended with ``report``; ``None``: it is whole."""
    upset = judge_upset(report)
    if upset is not None:
        return upset
    if report.state is not MachineState.READY:
        return Flaw(DeckReason.UNFINISHED, "the shuffle ended and the machine does not call the set whole")
    if report.counted != cards:
        return Flaw(DeckReason.COUNT_OFF, f"the shuffler counted {report.counted} cards, and the set has {cards}")
    if not report.faces and not counted_is_enough:
        detail = "the shuffler only counts cards and does not recognise them: scan the set (deck.verify)"
        return Flaw(DeckReason.ONLY_COUNTED, detail)
    return None


def judge_upset(report: DeckReport) -> Flaw | None:
    """What stands against a set that lies in the machine, whatever was known of it before."""
    if report.jam:
        return Flaw(DeckReason.JAMMED, "a card jammed in the shuffler")
    if report.door_open:
        return Flaw(DeckReason.DOOR_OPENED, "a door of the shuffler was opened while the set was in it")
    if report.misread:
        return Flaw(DeckReason.MISREAD, "the shuffler could not recognise a card")
    if report.foreign:
        return Flaw(DeckReason.FOREIGN, f"the shuffler found foreign cards: {report.foreign}")
    if report.missing or report.extra or report.state is MachineState.MISMATCH:
        return Flaw(DeckReason.COUNT_OFF, f"{report.missing} cards are missing and {report.extra} are too many")
    return None


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What a scan found. Cards as often as they are missing or too many; at most 16 foreign codes."""

    missing: list[str]
    doubled: list[str]
    foreign: list[str]

    @property
    def exact(self) -> bool:
        """The set is whole."""
        return not (self.missing or self.doubled or self.foreign)


NOTHING_FOUND = ScanResult([], [], [])


class DeckScan:
    """One scan of a set of ``decks`` decks. It keeps how often each card came, and nothing of their order."""

    def __init__(self, decks: int) -> None:
        self.decks = decks
        self._counts: Counter[str] = Counter()
        self._units: set[str] = set()
        self._doubled: Counter[str] = Counter()
        self._foreign: Counter[str] = Counter()

    @property
    def cards(self) -> int:
        """How many cards the set has."""
        return self.decks * CARDS_IN_DECK

    @property
    def scanned(self) -> int:
        """Cards that count so far."""
        return self._counts.total()

    @property
    def over(self) -> bool:
        """As many cards came as the set has."""
        return self.scanned + self._doubled.total() >= self.cards

    def card(self, card: str, unit: str | None) -> bool:
        """A card was read; whether it counts. One too many of its kind does not, nor the same physical card again."""
        if (unit is not None and unit in self._units) or self._counts[card] >= self.decks:
            self._doubled[card] += 1
            return False
        self._counts[card] += 1
        if unit is not None:
            self._units.add(unit)
        return True

    def has(self, unit: str) -> bool:
        """This physical card came already."""
        return unit in self._units

    def foreign(self, code: str) -> None:
        """A code that is no card of the set."""
        if code in self._foreign or len(self._foreign) < MOST_FOREIGN:
            self._foreign[code] += 1

    def result(self) -> ScanResult:
        """What was found so far, as if it were all."""
        whole = [rank + suit for suit in SUITS for rank in RANKS]
        missing = [card for card in whole for _ in range(self.decks - self._counts[card])]
        return ScanResult(missing, sorted(self._doubled.elements()), sorted(self._foreign))
