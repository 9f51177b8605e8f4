"""What devices saw. A reading never says what it means for the game.

Every reading carries the raw bytes it came from and the moment its last byte arrived. Each family of devices has its
own module of readings (``readings/roulette.py``, ...); here are those that any device can give. They stand apart from
the drivers: the station judges a table's readings whatever drivers are installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dealer_drivers.instant import Instant


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture file as it came from the device's process, and its name."""

    sha256: str
    """Lower-case hex of ``data``'s hash."""
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One sighting. ``raw`` is the evidence: the exact bytes of the frame, its
    terminator included where it has one; empty for readings that time alone produced.
    ``pictures`` are those that the frame names: evidence too."""

    at: Instant
    raw: bytes
    pictures: tuple[Picture, ...] = ()

    def impossible(self) -> str | None:
        """Why no device can have seen this, however it is read: a driver that says it is wrong. ``None``: it can be.

        The station plays on readings as they are, so the conformance suite asks this of each.
        """
        return None


class Fault(StrEnum):
    """What can be wrong with a device, whatever it is. Families add their own words as plain strings."""

    LINK_LOST = "link_lost"
    """The port closed, the plug was pulled, the serial server went away."""
    LINK_REFUSED = "link_refused"
    """The port could not be opened: absent, in use, no rights."""
    SILENT = "silent"
    """The link is up and nothing valid came for longer than the device may be quiet."""
    NO_VALID_FRAME = "no_valid_frame"
    """Bytes come and none of them is a frame: probably the wrong speed or the wrong device."""
    CALIBRATION_MISMATCH = "calibration_mismatch"
    """The calibration was made with another device: its serial number is not this one's."""
    CALIBRATION_WITHDRAWN = "calibration_withdrawn"
    """The device was changed since its calibration was made: by that it is read wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFault(Reading):
    """Something is wrong with the device. Given once when it begins, and once with ``cleared`` when it ends.

    ``detail`` is a sentence for a person that says what to do next.
    """

    fault: str
    detail: str
    cleared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceNotice(Reading):
    """Something a technician should know and that stops nothing: identity, version, a setting read back."""

    notice: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable(Reading):
    """Bytes that are no frame of this device: torn, glued, noise. ``raw`` holds at most the first 256 of them."""

    reason: str
