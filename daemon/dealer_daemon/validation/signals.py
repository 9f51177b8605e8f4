"""What a judge tells the table, the same words for every kind of attempt: a spin, a shake, a turn, a layout.

A judge turns readings into these; what they mean for the round is settled in ``table.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.driver import DeviceAction


@dataclass(frozen=True, slots=True)
class Ready:
    """The device waits for a new attempt. ``token`` is its own count of attempts, where it has one."""

    token: int | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """An attempt is under way, seen from its beginning."""


@dataclass(frozen=True, slots=True)
class BettingOver:
    """The device itself says: no more bets."""


@dataclass(frozen=True, slots=True)
class Value:
    """What an attempt gave: the game's facts, and which witnesses agreed on them."""

    facts: Mapping[str, object]
    witnesses: tuple[str, ...]
    token: int | None = None
    source: str = "device"
    """``device``, or ``manual`` where people keyed it in."""
    by: str | None = None
    """Who did."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The attempt is over and its value stands."""

    value: Value


@dataclass(frozen=True, slots=True)
class NeedsConfirmation:
    """The value stands if the dealer says that the attempt was valid."""

    value: Value
    detail: str


@dataclass(frozen=True, slots=True)
class NotJudged:
    """The attempt is over without a value: refused by a rule, or held for a person."""

    verdict: Refused | Held


@dataclass(frozen=True, slots=True)
class Contradicted:
    """After its value stood, the device said something else of the same attempt."""

    detail: str
    seen: Mapping[str, object] = field(default_factory=dict)
    reason: str = "two_pockets"
    """Why it is held where the value still waits for the dealer's word."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A value that nobody has taken yet (it waits for the dealer's word, or for its witnesses) stands no more.

    ``held``: a person must look. ``None``: the judge looks again, in the same attempt. Means nothing once the outcome
    is out.
    """

    detail: str
    held: Held | None = None


@dataclass(frozen=True, slots=True)
class Unseen:
    """An attempt happened or is under way and its beginning was not seen; ``token`` is the device's count of it."""

    token: int | None
    verdict: Held


@dataclass(frozen=True, slots=True)
class Trouble:
    """The device says that something is wrong with it outside an attempt; once when it begins, once when it ends.
    ``device``: which one, where it is another than the one that just spoke."""

    fault: str
    detail: str
    cleared: bool = False
    device: str | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """The device must do something once all that is said here is committed."""

    device: str
    action: DeviceAction


Signal: TypeAlias = (
    Ready
    | Started
    | BettingOver
    | Judged
    | NeedsConfirmation
    | NotJudged
    | Contradicted
    | Withdrawn
    | Unseen
    | Trouble
    | Ask
)
