"""Why a table stands while its round waits for an attempt that cannot begin: said once, and once when it is over. Pure.

A shaker that shakes on for ever, a lamp that flickers over the plate: nothing of it ends an attempt, because none has
begun, and without a word the table would only be quiet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from dealer_daemon.validation.signals import Signal, Trouble
from dealer_drivers.instant import Instant

STANDS_S = 10.0
"""A shaker that stood and dice that rolled on are at rest sooner. Ours."""


class Standing(StrEnum):
    """What keeps an attempt from beginning."""

    SHAKER_NOT_STANDING = "shaker_not_standing"
    PICTURE_NOT_AT_REST = "picture_not_at_rest"
    LAID_OUT_BEFORE = "laid_out_before"


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing, at one device; ``detail`` says what to do."""

    device: str
    word: Standing
    detail: str


class StandsWhy:
    """Told at every step what keeps the attempt from beginning; answers what is to be said of it."""

    def __init__(self) -> None:
        self._since: dict[Cause, Instant] = {}
        self._said: set[Cause] = set()

    def now(self, at: Instant, causes: Iterable[Cause]) -> list[Signal]:
        """What began to be said ``STANDS_S`` after it began, and what is over."""
        self._since = {cause: self._since.get(cause, at) for cause in causes}
        over = [cause for cause in self._said if cause not in self._since]
        begun = [
            cause for cause, since in self._since.items() if cause not in self._said and at.since_s(since) >= STANDS_S
        ]
        self._said = self._said.difference(over).union(begun)
        signals: list[Signal] = [Trouble(cause.word, "", cleared=True, device=cause.device) for cause in over]
        return signals + [Trouble(cause.word, cause.detail, device=cause.device) for cause in begun]

    def deadline_ns(self) -> int | None:
        """When something will have stood for too long."""
        waits = [since.plus_s(STANDS_S).mono_ns for cause, since in self._since.items() if cause not in self._said]
        return min(waits, default=None)
