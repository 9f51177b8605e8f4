"""A scanner that types: key events to texts to cards (``devices.md`` §3; ``struct input_event`` of 64-bit Linux).

The stream is events of 24 bytes one behind the other, cut anywhere; each open begins with a whole one.
"""

from __future__ import annotations

import struct
from enum import StrEnum

from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Reading, Unreadable
from dealer_drivers.readings.shoe import CardTrouble, ScannerFault
from dealer_drivers.shoe.barcode_session import describe
from dealer_drivers.shoe.card_text import NS_PER_MS, CardText, TextRules, unreadable
from dealer_drivers.shoe.keyboard_keys import EV_KEY, KeyDecoder, KeyedText

EVENT = struct.Struct("<qqHHi")
"""Seconds, microseconds, type, code, value."""
EV_SYN = 0
SYN_REPORT, SYN_DROPPED = 0, 3


class KeyEnd(StrEnum):
    """How the scanner ends a text."""

    AUTO = "auto"
    """Enter, Tab, or nothing but a rest."""
    KEY = "key"
    """Enter or Tab; a text that only rests is a torn one."""


class KeyboardSession:
    """Key events and time in, readings out. A scanner has no cadence: its silence means nothing.

    ``idle_gap_ms``: a rest of this length ends a text. A valid frame is what the kernel ends with ``SYN_REPORT``.
    """

    def __init__(self, rules: TextRules, idle_gap_ms: int, end: KeyEnd, layout: str) -> None:
        self._book = rules.book
        self._idle_gap_ns = idle_gap_ms * NS_PER_MS
        self._end = end
        self._cards = CardText(rules)
        self._keys = KeyDecoder(layout)
        self._held = b""
        self._dropping = False
        self._lost_keys = False
        self._last_byte: Instant | None = None
        self._book_told = False

    def opened(self, at: Instant) -> Output:
        """The link is up: says once which code book is in use."""
        self._reset()
        if self._book_told:
            return NOTHING
        self._book_told = True
        return Output((DeviceNotice(at=at, raw=b"", notice="code_book", detail=describe(self._book)),))

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        """The link is down: what is half typed is thrown away."""
        self._reset()
        self._cards.interrupted()
        return NOTHING

    def feed(self, data: bytes, at: Instant) -> Output:
        """Events arrived."""
        rested = self._rested(at)
        if not data:
            return rested
        self._last_byte = at
        self._held += data
        readings = list(rested.readings)
        frames = 0
        whole = len(self._held) - len(self._held) % EVENT.size
        events, self._held = self._held[:whole], self._held[whole:]
        for event in EVENT.iter_unpack(events):
            _, _, kind, code, value = event
            if kind == EV_SYN:
                readings += self._dropped(event, at) if code == SYN_DROPPED else []
                frames += self._reported() if code == SYN_REPORT else 0
            elif kind == EV_KEY and self._dropping:
                self._drop()
            elif kind == EV_KEY:
                keyed = self._keys.key(code, value)
                if keyed is not None:
                    readings.append(self._read(keyed, at))
        return Output(tuple(readings), (), frames, rested.rejected)

    def tick(self, at: Instant) -> Output:
        """Time passed: a rest may have ended a text."""
        return self._rested(at)

    def deadline_ns(self) -> int | None:
        """When a rest ends what is held."""
        if self._last_byte is None or not (self._held or self._keys.pending):
            return None
        return self._last_byte.mono_ns + self._idle_gap_ns

    def request(self, action: DeviceAction, at: Instant) -> Output:  # noqa: ARG002
        """A keyboard cannot be asked for anything."""
        return NOTHING

    def _reported(self) -> int:
        """How many valid frames end here. After a drop the kernel's events are of no use up to the next report."""
        dropped, self._dropping = self._dropping, False
        return 0 if dropped else 1

    def _dropped(self, event: tuple[int, ...], at: Instant) -> list[Reading]:
        """The kernel threw events away, and any number of cards with them: nobody looked, as after a lost link. It is
        over as soon as it is said."""
        again = self._dropping
        self._drop()
        if again:
            return []
        self._cards.interrupted()
        raw = EVENT.pack(*event)
        begun, over = "the station could not keep up with the scanner: see to its load", "its keys are read again"
        return [
            DeviceFault(at=at, raw=raw, fault=ScannerFault.KEYS_LOST, detail=begun),
            DeviceFault(at=at, raw=raw, fault=ScannerFault.KEYS_LOST, detail=over, cleared=True),
        ]

    def _drop(self) -> None:
        self._keys.events_lost()
        self._dropping = self._lost_keys = True

    def _rested(self, at: Instant) -> Output:
        due = self.deadline_ns()
        if due is None or at.mono_ns < due:
            return NOTHING
        assert self._last_byte is not None
        piece, self._held = self._held, b""
        readings: list[Reading] = []
        keyed = self._keys.rest()
        if keyed is not None:
            readings.append(self._read(keyed, self._last_byte))
        if piece:
            reason = f"{len(piece)} bytes instead of a key event of {EVENT.size}"
            readings.append(Unreadable(at=self._last_byte, raw=piece, reason=reason))
        return Output(tuple(readings), (), 0, len(piece))

    def _read(self, keyed: KeyedText, at: Instant) -> Reading:
        lost, self._lost_keys = self._lost_keys, False
        if lost:  # a whole card may have been among them
            detail = f"{keyed.problem}: the station could not keep up"
            return unreadable(at, keyed.raw, CardTrouble.TORN, detail)
        if keyed.problem is not None:
            return unreadable(at, keyed.raw, CardTrouble.NOT_TEXT, keyed.problem)
        if not keyed.ended and self._end is KeyEnd.KEY:
            detail = "a text without Enter or Tab: torn, or the scanner sends another end"
            return unreadable(at, keyed.raw, CardTrouble.TORN, detail)
        return self._cards.read(keyed.text.encode("ascii"), at, keyed.raw)

    def _reset(self) -> None:
        self._keys.reset()
        self._held = b""
        self._dropping = self._lost_keys = False
