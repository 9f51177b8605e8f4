"""What Cammegh wheels send, as values (``devices.md`` §1). Fields keep the wheel's own words; meaning comes later."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag, StrEnum


@dataclass(frozen=True, slots=True)
class Frame:
    """One packet. ``raw`` is its exact bytes with the terminator; of CR LF, the CR (see ``lines.Line``)."""

    raw: bytes


@dataclass(frozen=True, slots=True)
class Advanced(Frame):
    """``*X;S;GGG;WW;F;RRR;D``, a status frame.

    ``number`` is the field as sent, two characters. ``rotor_tenths`` is rpm × 10. ``direction`` is 0 clockwise,
    1 counter-clockwise. What the bits of ``flags`` mean depends on the model.
    """

    state: int
    spin: int
    number: str
    flags: int
    rotor_tenths: int
    direction: int


class WheelEvents(IntFlag):
    """The field EEEE of an extended frame."""

    ROTOR_STOPPED = 0x0001
    LEGAL_SPEED = 0x0002
    TOO_FAST = 0x0004
    TOO_SLOW = 0x0008
    CLOCKWISE = 0x0010
    COUNTER_CLOCKWISE = 0x0020
    DIRECTION_UNKNOWN = 0x0040
    NO_BALL = 0x0080
    BALL_IN_POCKET = 0x0100


LAP_TICKS_PER_S = 32768


@dataclass(frozen=True, slots=True)
class Extended(Advanced):
    """The advanced frame plus ``;EEEE;BB;d;TTTTT;PP`` (M360, ``*m 2``).

    ``laps`` of the ball as the wheel counts them, ``ball`` its direction ``"0"``, ``"1"`` or ``"?"``, ``lap_ticks``
    the newest lap in 1/32768 s (``None``: ``?????``), ``pocket`` two characters (``None``: ``??``).
    """

    events: WheelEvents
    laps: int
    ball: str
    lap_ticks: int | None
    pocket: str | None


class BasicWord(StrEnum):
    """The three packets of a wheel set to basic output."""

    START = "S"
    NO_MORE_BETS = "N"
    WINNER = "W"


@dataclass(frozen=True, slots=True)
class Basic(Frame):
    """``*S``, ``*N``, ``*W 21`` or ``*W21``. ``number`` is two characters for a winner, else empty."""

    word: BasicWord
    number: str = ""


@dataclass(frozen=True, slots=True)
class BareNumber(Frame):
    """A winning number on a line of its own, two characters, ``27`` or `` 6``."""

    number: str


@dataclass(frozen=True, slots=True)
class RimSensor(Frame):
    """``*bs n``: the ball passed rim sensor ``sensor``."""

    sensor: int


@dataclass(frozen=True, slots=True)
class PocketEvent(Frame):
    """``*bn nn``: the ball is in a pocket, two characters."""

    number: str


@dataclass(frozen=True, slots=True)
class Answer(Frame):
    """A reply to a command: ``*u OK``, ``*T d 15``, ``*V V2.50 …``. ``code`` is the letter, ``text`` what follows."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class NotAFrame(Frame):
    """Bytes that are no packet, and why."""

    reason: str
