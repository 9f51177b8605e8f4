"""Telegrams of an Angel Eye II-EX, and how often each is sent (``devices.md`` §2). The shoe's side, written anew."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from enum import Enum, auto
from random import Random

ENQ, STX, ETX, ACK, NAK = b"\x05", b"\x02", b"\x03", b"\x06", b"\x15"
SEQUENCE = "123456789ABCDEF0"
GAP_S = 0.05
"""From the last copy of one message to the next message."""

SUIT_CODES = {"D": 1, "C": 2, "S": 3, "H": 4}
CANNOT_READ, OVERDRAW, BACKWARDS_AT_EXIT, BACKWARDS_MIDWAY, WRONG_CARD_CODE = 1, 2, 4, 5, 6
TO_PLAYER, TO_BANKER, FIRST_BURN, BURN_COUNT = 0, 1, 4, 5
IN_ERROR = 1
RESULTS = {"player": 1, "tie": 2, "banker": 4}
FORCE_QUIT = 7


def check(data: bytes) -> bytes:
    """The two characters over ``data``: the exclusive or of its bytes, in hexadecimal."""
    total = 0
    for byte in data:
        total ^= byte
    return format(total, "02X").encode("ascii")


def telegram(sequence: str, code: str, payload: Sequence[int] = ()) -> bytes:
    """One message as it is on the wire. ``payload``: seven-bit values; bit 7 is set here."""
    body = (sequence + code).encode("ascii") + bytes(value | 0x80 for value in payload) + ETX
    return ENQ + body + check(body)


def card_bytes(place: int, index: int, rank: int, suit: str) -> tuple[int, int]:
    """The payload of a card: where it goes, its number there from 1, and what it is (rank 1 to 13)."""
    return place << 4 | index, SUIT_CODES[suit] << 4 | rank


def result_byte(winner: int, player_pair: bool = False, banker_pair: bool = False) -> tuple[int]:
    """The payload of the shoe's own result."""
    return (winner << 4 | banker_pair << 1 | player_pair,)


class Fate(Enum):
    """What becomes of one copy of a telegram on its way."""

    WHOLE = auto()
    DAMAGED = auto()
    """One bit of payload or check is wrong."""
    LOST = auto()


class Sender:
    """Sends each message ``sends`` times, ``gap_s`` apart, one message after the other. An acknowledgement spares
    the copies not sent yet."""

    def __init__(self, rng: Random, sends: int, gap_s: float) -> None:
        self._rng = rng
        self.sends = sends
        self._gap_s = gap_s
        self._waiting: deque[tuple[float, bytes, tuple[Fate, ...]]] = deque()
        self._copies: deque[tuple[float, bytes]] = deque()
        self._free_s = -math.inf
        self._sequence = 0

    def restart(self) -> None:
        """Power is back: nothing waits, and the sequence begins anew."""
        self._waiting.clear()
        self._copies.clear()
        self._sequence = 0

    def put(self, now_s: float, code: str, payload: Sequence[int] = (), fates: Sequence[Fate] = ()) -> None:
        """A new message. ``fates`` of its copies, one each; by default all are whole."""
        sequence = SEQUENCE[self._sequence % len(SEQUENCE)]
        self._sequence += 1
        message = telegram(sequence, code, payload)
        self._waiting.append((now_s, message, tuple(fates) or (Fate.WHOLE,) * self.sends))

    def next_s(self) -> float:
        """When the next copy is due; ``math.inf`` when none is."""
        if self._copies:
            return self._copies[0][0]
        return max(self._waiting[0][0], self._free_s) if self._waiting else math.inf

    def due(self, now_s: float) -> bytes:
        """The copy that is due now, as it arrives; empty when it is lost."""
        if not self._copies:
            _, message, fates = self._waiting.popleft()
            at_s = now_s
            for fate in fates:
                self._copies.append((at_s, self._as_it_fares(message, fate)))
                at_s += self._gap_s
        _, data = self._copies.popleft()
        self._free_s = now_s + GAP_S
        return data

    def acknowledged(self) -> None:
        """The host took the message that is being sent."""
        self._copies.clear()

    def _as_it_fares(self, message: bytes, fate: Fate) -> bytes:
        if fate is Fate.LOST:
            return b""
        if fate is Fate.WHOLE:
            return message
        # Bits 0 to 3 of anything after the code: neither ETX nor a control character can come of it.
        places = [place for place in range(3, len(message)) if message[place] != ETX[0]]
        spoilt = bytearray(message)
        spoilt[self._rng.choice(places)] ^= 1 << self._rng.randrange(4)
        return bytes(spoilt)
