"""The lines of a shuffler, written from ``docs/reference/generic-shuffler.md``, with their own check value. Pure."""

from __future__ import annotations

from collections.abc import Iterable

FLAGS = ("jam", "door", "misread")


def check(data: bytes) -> int:
    """CRC-16/CCITT-FALSE, bit by bit."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def closed(body: str) -> bytes:
    """A line: mark, body, check, end."""
    data = body.encode("ascii")
    return b"@" + data + f"*{check(data):04X}".encode("ascii") + b"\r\n"


def status(
    sequence: int,
    state: str,
    job: int,
    deck_set: str | None = None,
    *,
    faces: bool = True,
    counted: int | None = None,
    missing: int = 0,
    extra: int = 0,
    foreign: int = 0,
    flags: Iterable[str] = (),
) -> bytes:
    """What the machine does with the cards in it."""
    shown = "+".join(flag for flag in FLAGS if flag in set(flags)) or "-"
    fields = (
        "S",
        sequence % 65536,
        state,
        job,
        deck_set or "-",
        "faces" if faces else "count",
        "-" if counted is None else counted,
        missing,
        extra,
        foreign,
        shown,
    )
    return closed(",".join(map(str, fields)))


def level(sequence: int, inside: int, phase: str, changes: int) -> bytes:
    """How many cards a continuous machine holds."""
    return closed(f"L,{sequence % 65536},{inside},{phase},{changes}")


def order(cards: Iterable[str]) -> bytes:
    """What no machine should ever send, and some can: the order of the cards."""
    return closed(",".join(("O", *cards)))


QUESTION_LINE = closed("Q")
"""The host asks for the state."""
