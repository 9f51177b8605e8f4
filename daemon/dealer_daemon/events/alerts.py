"""What a person must see to, and when it is over."""

from __future__ import annotations

from typing import ClassVar, Literal

from dealer_daemon.events.base import EventData


class AlertRaised(EventData, frozen=True, kw_only=True):
    """Something needs a person. Said once, and once when it is over (``alert.cleared``), over restarts too."""

    type: ClassVar[str] = "alert.raised"
    code: str
    """What it is, a word of alerts.md."""
    severity: Literal["warning", "error"]
    device: str | None = None
    """The device that it is about; null where it is about none."""
    about: str | None = None
    """What else it is about: the reason of a pause, a fault, a consumer, a deck set, a problem with the broker."""
    detail: str = ""
    """What is known of it, for a person. Never anything that a round showed."""
    suggestion: str
    """What to do, in English; alerts.md has the other languages."""
    runbook: str
    """Page and anchor of all steps, below the documentation of the station's version."""


class AlertCleared(EventData, frozen=True, kw_only=True):
    """The alert of that code, device and ``about`` is over."""

    type: ClassVar[str] = "alert.cleared"
    code: str
    severity: Literal["resolved"] = "resolved"
    device: str | None = None
    about: str | None = None
    raised: int
    """Sequence of its ``alert.raised``."""
