"""How often what happened at a table since the station started. Pure: counts of committed events, by their words."""

from __future__ import annotations

from collections import Counter

from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    Event,
    OutcomeCorrected,
    RoundOpened,
    RoundOutcome,
    RoundVoided,
    TablePaused,
    Violation,
)
from dealer_daemon.words import WORDS

PERSON = "person"
"""Stands for a reason that is a person's own text: no figure has a name that somebody typed."""
STATION = "station"


class Tally:
    """See the module."""

    def __init__(self) -> None:
        self.events = 0
        self.rounds = 0
        self.outcomes: Counter[str] = Counter()
        """By source: ``device``, ``manual``, ``manager``."""
        self.voided: Counter[str] = Counter()
        """By reason."""
        self.corrected = 0
        self.refused: Counter[str] = Counter()
        self.held: Counter[str] = Counter()
        self.paused: Counter[str] = Counter()
        self.violations: Counter[str] = Counter()
        self.last_outcome_ns: int | None = None
        """When the newest outcome since the start was decided, Unix ns."""

    def count(self, event: Event) -> None:
        """One committed event."""
        self.events += 1
        match event.data:
            case RoundOpened():
                self.rounds += 1
            case RoundOutcome() as data:
                self.outcomes[data.source] += 1
                self.last_outcome_ns = event.wall_ns
            case RoundVoided() as data:
                self.voided[_word(data.reason)] += 1
            case OutcomeCorrected():
                self.corrected += 1
            case AttemptRefused() as data:
                self.refused[_word(data.reason)] += 1
            case AttemptHeld() as data:
                self.held[_word(data.reason)] += 1
            case TablePaused() as data:
                self.paused[_word(data.reason) if data.by == STATION else PERSON] += 1
            case Violation() as data:
                self.violations[_word(data.reason)] += 1
            case _:
                pass


def _word(reason: str) -> str:
    return reason if reason in WORDS else PERSON
