"""What a word of the catalogue is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Language(StrEnum):
    """What a screen may be set to."""

    ENGLISH = "en"
    SIMPLIFIED = "zh-Hans"
    TRADITIONAL = "zh-Hant"


class Kind(StrEnum):
    """Where a word stands."""

    REFUSED = "refused"
    """``reason`` of ``attempt.refused``: a rule was broken, or the card could not be told; it is made again."""
    HELD = "held"
    """``reason`` of ``attempt.held``: a person must look."""
    VIOLATION = "violation"
    """``reason`` of ``violation``."""
    IGNORED = "ignored"
    """``reason`` of ``card.repeated``."""
    SKIPPED = "skipped"
    """``reason`` of ``hand.skipped``."""
    PAUSE = "pause"
    """``reason`` of ``table.paused``."""
    RESUMED = "resumed"
    """``reason`` of ``table.resumed``."""
    VOID = "void"
    """``reason`` of ``round.voided``."""
    SHOE = "shoe"
    """``reason`` of ``shoe.ended``."""
    DECK = "deck"
    """``reason`` of ``deck.failed`` and, beside those of a card that is refused, of ``deck.scan_refused``."""
    REMEDY = "remedy"
    """``remedy`` of ``attempt.refused``."""
    FAULT = "fault"
    """``fault`` of ``device.fault`` and ``device.recovered``."""
    RETURNED = "returned"
    """``reason`` of ``device.returned``."""
    EXPIRED = "expired"
    """``reason`` of ``events.expired``."""
    LOST = "lost"
    """``reason`` of ``events.lost``."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word's texts, and for the reference what it means and what to do."""

    kinds: tuple[Kind, ...]
    english: str
    simplified: str
    traditional: str
    meaning: str
