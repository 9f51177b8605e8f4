"""Key events of a scanner that types, to texts (``devices.md`` §3; codes of Linux ``input-event-codes.h``).

A key counts when it is pressed, once: its release and the kernel's repeats while it is held are not
characters, and equal characters in a row are two presses. SHIFT holds for as long as it is down. What
cannot be a code (a key without a character, Ctrl or Alt held, events lost by the kernel, a key pressed
twice without a release, which is how two copies of one keyboard look) spoils the text up to its end.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

MAX_TEXT = 128
"""Characters held; see ``barcode_codec.MAX_FRAME``."""
EVIDENCE_EVENTS = 32
"""Events of a text kept as evidence."""

EV_KEY = 1
RELEASE, PRESS, REPEAT = 0, 1, 2
KEY_TAB, KEY_ENTER, KEY_CAPSLOCK, KEY_KPENTER = 15, 28, 58, 96
SHIFTS = frozenset({42, 54})
CHORDS = frozenset({29, 97, 56, 100, 125, 126})
"""Ctrl, Alt and Meta, left and right."""
ENDS = frozenset({KEY_ENTER, KEY_KPENTER, KEY_TAB})
Layout = Mapping[int, tuple[str, str]]
"""Key code: the character without and with SHIFT."""


def _rows(*rows: tuple[int, str, str]) -> Layout:
    return {
        first + place: pair
        for first, plain, shifted in rows
        for place, pair in enumerate(zip(plain, shifted, strict=True))
    }


LAYOUTS: Mapping[str, Layout] = {
    "us": _rows(
        (2, "1234567890-=", "!@#$%^&*()_+"),
        (16, "qwertyuiop[]", "QWERTYUIOP{}"),
        (30, "asdfghjkl;'`", 'ASDFGHJKL:"~'),
        (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
        (57, " ", " "),
    ),
}
"""By name. Scanners leave the factory as US keyboards; set them so, whatever the host's own keyboard is."""


@dataclass(frozen=True, slots=True)
class KeyedText:
    """What was typed up to an end key or a rest; nothing, where the end key came alone.

    ``raw`` is its first events as evidence, eight bytes each: type, code (16 bits), value (32 bits), little-endian.
    ``problem`` is a sentence when the text must not be used; ``ended`` is false when no end key came.
    """

    raw: bytes
    text: str
    problem: str | None
    ended: bool


class KeyDecoder:
    """Texts out of key events in their order. Raises ``KeyError`` for a layout that there is not."""

    def __init__(self, layout: str = "us") -> None:
        self._layout = LAYOUTS[layout]
        self._down: set[int] = set()
        self._caps = False
        self._text: list[str] = []
        self._raw = bytearray()
        self._problem: str | None = None
        self._ended = False
        """A text just ended with its key, and a second one may follow at once: Tab, Enter."""
        self._rested = False
        """It ended with a rest, and its key may still come."""

    @property
    def pending(self) -> bool:
        """A rest would end something."""
        return self._ended or self._typed

    def key(self, code: int, value: int) -> KeyedText | None:
        """A key event: the text that it ends, if it ends one."""
        if len(self._raw) < 8 * EVIDENCE_EVENTS:
            self._raw += struct.pack("<HHi", EV_KEY, code & 0xFFFF, max(-(2**31), min(value, 2**31 - 1)))
        if value == RELEASE:
            self._down.discard(code)
            return None
        if value != PRESS:
            return None
        if code in self._down:
            self._spoil(f"key {code} was pressed twice without a release: events lost, or the keyboard is read twice")
        self._down.add(code)
        if code in ENDS:
            again = (self._ended or self._rested) and not self._typed
            self._ended, self._rested = True, False
            keyed = self._end(ended=True)
            return None if again else keyed
        self._ended = self._rested = False
        self._press(code)
        return None

    def events_lost(self) -> None:
        """The kernel dropped events (``SYN_DROPPED``): what is being typed cannot be known."""
        self._down.clear()
        self._spoil("the kernel dropped key events")

    def rest(self) -> KeyedText | None:
        """No key came for a while: what was typed is a text without an end key."""
        self._ended, self._rested = False, self._rested or self._typed
        return self._end(ended=False) if self._typed else None

    def reset(self) -> None:
        """The link is gone: what is held is thrown away, and no key is believed to be down."""
        self._down.clear()
        self._caps = False
        self._ended = self._rested = False
        self._clear()

    @property
    def _typed(self) -> bool:
        return bool(self._text) or self._problem is not None

    def _press(self, code: int) -> None:
        if code in SHIFTS or code in CHORDS:
            return
        if code == KEY_CAPSLOCK:
            self._caps = not self._caps
        elif code not in self._layout:
            self._spoil(f"key {code} has no character; a scanner's function keys and keypad mode must be off")
        elif self._down & CHORDS:
            self._spoil("a key came with Ctrl, Alt or Meta held; a scanner's control characters must be off")
        elif len(self._text) == MAX_TEXT:
            self._spoil(f"more than {MAX_TEXT} characters without an end")
        else:
            plain, shifted = self._layout[code]
            upper = bool(self._down & SHIFTS) != (self._caps and plain.isalpha())
            self._text.append(shifted if upper else plain)

    def _spoil(self, problem: str) -> None:
        if self._problem is None:
            self._problem = problem

    def _end(self, *, ended: bool) -> KeyedText:
        keyed = KeyedText(bytes(self._raw), "".join(self._text), self._problem, ended)
        self._clear()
        return keyed

    def _clear(self) -> None:
        self._text.clear()
        self._raw.clear()
        self._problem = None
