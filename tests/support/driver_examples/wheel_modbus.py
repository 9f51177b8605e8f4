"""``wheel-modbus``: an encoder that answers."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from dealer_drivers.conformance import Example, Examples, passed, seen
from dealer_drivers.readings.wheel import IndexMark, WheelAngle

COUNT = 70_000
READ_IN_HALF_A_SECOND = 17


def crc(data: bytes) -> bytes:
    """CRC-16 of Modbus, low byte first."""
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0xA001 if value & 1 else value >> 1
    return bytes((value & 0xFF, value >> 8))


def encoder(sent: bytes, count: int = COUNT) -> bytes:
    """One at rest, whose mark passed 17 times."""
    if sent[:2] != b"\x01\x03" or sent[-2:] != crc(sent[:-2]):
        return b""
    words = {0: count.to_bytes(4, "big"), 16: (17).to_bytes(2, "big") + count.to_bytes(4, "big")}[sent[3]]
    body = bytes((1, 3, len(words))) + words
    return body + crc(body)


def examples(folder: Path) -> Examples:  # noqa: ARG001
    return Examples(
        plays=(
            Example(
                name="at rest",
                sends=(rb"\x01\x03\x00\x00\x00\x02\xc4\x0b",),
                steps=passed(0.7),
                answer=encoder,
                expect=(seen(WheelAngle, count=COUNT, per_turn=4096, absolute=True),) * 25,
                check_bits=16,
                resync_bytes=32,
            ),
            *(
                Example(
                    name=f"at rest elsewhere, {count}",
                    steps=passed(0.5),
                    answer=partial(encoder, count=count),
                    expect=(seen(WheelAngle, count=count, per_turn=4096, absolute=True),) * READ_IN_HALF_A_SECOND,
                    check_bits=16,
                    resync_bytes=32,
                )
                for count in (0, 4095)
            ),
            Example(
                name="with a reference mark",
                sends=(rb"\x01\x03\x00(\x00\x00\x02\xc4\x0b|\x10\x00\x03\x04\x0e)",),
                options={"reference_register": 16, "poll_ms": 50},
                steps=passed(1.5),
                answer=encoder,
                check_bits=16,
                resync_bytes=32,
                gathers=(IndexMark,),
            ),
        ),
        refused={"slave": (0, 248), "baud": (110,), "poll_ms": (1, 200), "counts_per_turn": (4,), "turns": (0,)},
    )
