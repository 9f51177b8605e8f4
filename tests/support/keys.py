"""What a US keyboard's scanner types, as Linux input events: type, code, value."""

from __future__ import annotations

import struct
from collections.abc import Iterable

Event = tuple[int, int, int]
SYN: Event = (0, 0, 0)
ENTER, TAB, SHIFT = 28, 15, 42
CODES = {character: code for code, character in enumerate("1234567890-=", start=2)}
CODES |= {character: code for code, character in enumerate("qwertyuiop[]", start=16)}
CODES |= {character: code for code, character in enumerate("asdfghjkl", start=30)}
CODES |= {character: code for code, character in enumerate("zxcvbnm", start=44)}
SHIFTED = {"#": "3"}


def press(code: int, *, shift: bool = False) -> list[Event]:
    """A key down and up again, each a report of its own, with its scan code as real keyboards send it."""
    down = [(4, 4, 0x70000 + code), (1, code, 1), SYN, (4, 4, 0x70000 + code), (1, code, 0), SYN]
    return [(1, SHIFT, 1), SYN, *down, (1, SHIFT, 0), SYN] if shift else down


def typed(text: str) -> list[Event]:
    """``text`` without an end key."""
    found: list[Event] = []
    for character in text:
        plain = SHIFTED.get(character, character.lower())
        found += press(CODES[plain], shift=plain != character)
    return found


def events(found: Iterable[Event]) -> bytes:
    """``struct input_event`` of 64-bit Linux, 24 bytes each."""
    return b"".join(struct.pack("<qqHHi", 1, 2, *event) for event in found)
