"""What any shuffler can say, whoever made it, and the one line that each frame is written as.

The lines are our own format (``docs/reference/generic-shuffler.md``). A maker's codec gives the same frames; they are
written as these lines before anything else sees them (``guard.py``), so that recordings, evidence and the session know
one format, and an order of cards has no form that it could be kept in.
"""

from __future__ import annotations

import binascii
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from dealer_drivers.readings.shuffler import MachineState, Phase


class Flag(StrEnum):
    """What is wrong with the machine now, whatever it does."""

    JAM = "jam"
    DOOR = "door"
    """A door or cover stands open that is not the way in which cards are put in and taken out."""
    MISREAD = "misread"
    """A card of this shuffle could not be recognised."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of the machine. ``job`` goes up with every start of the machine, opening of a door, and beginning of a
    shuffle or count. ``faces``: each card was recognised, not only counted. ``sequence`` is new in every frame."""

    sequence: int
    state: MachineState
    job: int
    deck_set: str | None
    faces: bool
    counted: int | None
    missing: int = 0
    extra: int = 0
    foreign: int = 0
    flags: frozenset[Flag] = frozenset()


@dataclass(frozen=True, slots=True)
class Level:
    """How many cards a continuous shuffler holds, and how often its cards were changed so far."""

    sequence: int
    inside: int
    phase: Phase
    changes: int


@dataclass(frozen=True, slots=True)
class OrderOffered:
    """The machine sent cards in an order. What it sent is gone."""


@dataclass(frozen=True, slots=True)
class Thrown:
    """So many bytes were no frame, and are gone."""

    size: int


@dataclass(frozen=True, slots=True)
class Reenumerated:
    """The machine left the USB and came back, while the station used it, for the so-manieth time."""

    times: int


Said: TypeAlias = Status | Level
"""What a machine may say."""
Frame: TypeAlias = Said | OrderOffered | Thrown | Reenumerated

BEGIN, STAR, CR, LF = ord("@"), ord("*"), 0x0D, 0x0A
NONE = "-"


def check(body: bytes) -> int:
    """CRC-16/CCITT-FALSE: polynomial 1021, from FFFF, not reflected."""
    return binascii.crc_hqx(body, 0xFFFF)


def line(body: str) -> bytes:
    """A line of the format: ``body`` is what stands between the mark and the check."""
    text = body.encode("ascii")
    return b"@%b*%04X\r\n" % (text, check(text))


QUESTION = line("Q")
"""All that is ever sent to a shuffler: say your state. There is no question for an order, and none may be added."""


def encode(frame: Frame) -> bytes:
    """The line of a frame."""
    match frame:
        case Status():
            counted = NONE if frame.counted is None else frame.counted
            flags = "+".join(flag for flag in Flag if flag in frame.flags) or NONE
            seen = f"{'faces' if frame.faces else 'count'},{counted},{frame.missing},{frame.extra},{frame.foreign}"
            head = f"S,{frame.sequence},{frame.state},{frame.job},{frame.deck_set or NONE}"
            return line(f"{head},{seen},{flags}")
        case Level():
            return line(f"L,{frame.sequence},{frame.inside},{frame.phase},{frame.changes}")
        case OrderOffered():
            return line("X,order")
        case Thrown():
            return line(f"X,thrown,{frame.size}")
        case Reenumerated():
            return line(f"X,usb,{frame.times}")
