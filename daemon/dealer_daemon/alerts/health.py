"""How a table, its devices and its computer are, as far as alerts depend on it. Facts, no judgements.

``None`` means everywhere that it is not known: of that no alert begins, and none ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dealer_daemon.bodies import ConsumerBody, HeldBody


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceHealth:
    """One device."""

    link: Literal["opening", "up", "waiting", "stopped", "given_up"]
    link_reason: str = ""
    heard: bool = True
    """A valid frame came since the station started: a fault that does not stand is none."""
    recorder: str | None = None
    """What is wrong with its flight recorder."""
    calibration_old: str | None = None
    """What is to be said of its age, where that is too great."""
    drifts: Mapping[str, str] = field(default_factory=dict)
    """What is to be said of readings that drift, by quantity."""
    drift_known: bool = True
    """Enough was read since the station started to say that nothing drifts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableHealth:
    """One table's devices, and its way to the journal and to the broker."""

    devices: Mapping[str, DeviceHealth] = field(default_factory=dict)
    connected: bool | None = True
    """``None`` before the first connection was made or has failed."""
    broker_problem: str = ""
    """Why it is not connected."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """What else stands in the way of publishing, by code."""
    held: HeldBody | None = None
    published: int = 0
    """Everything up to this sequence has the broker."""
    oldest_waits_s: float | None = 0.0
    """Age of the oldest event that the broker has not acknowledged; 0 where none waits."""
    consumers: Mapping[str, ConsumerBody] = field(default_factory=dict)
    stalled: str | None = None
    """Why nothing can be committed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostHealth:
    """The computer, and the station as a whole."""

    free_bytes: int | None = None
    """On the file system of the state directory."""
    clock_synchronised: bool | None = None
    clock_jump_s: float | None = None
    """By how much the wall clock jumped within the last hour; 0 for not at all. ``None`` before the station ran for an
    hour without a jump."""
    unsigned_away: bool = False
    """Events leave this computer and nothing signs them."""
    monitoring_problem: str | None = None
    """Why the figures are not served."""
    settled: bool = True
    """The station runs long enough for devices to have spoken that have something to say."""
