"""``wheel-counter``: reports of the format in ``docs/reference/wheel-counter.md``."""

from __future__ import annotations

from pathlib import Path

from dealer_drivers.conformance import Example, Examples, received, seen
from dealer_drivers.readings.wheel import IndexMark, WheelAngle


def closed(body: str) -> bytes:
    """A line with its check value."""
    value = 0xFFFF
    for byte in body.encode():
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0xA001 if value & 1 else value >> 1
    return f"{body}*{value:04X}\r\n".encode()


def examples(folder: Path) -> Examples:  # noqa: ARG001
    lines = [closed(f"@{1000 + 20 * n},{100 * n},{n // 10},{1000 * (n // 10)},0") for n in range(40)]
    steps = received(0.1, *lines, every_s=0.02)
    return Examples(
        plays=(
            Example(
                name="turning",
                steps=steps,
                check_bits=16,
                counted=("device_s", "life"),  # since the first line that was read; and its lives
                resync_bytes=80,
                expect=tuple(
                    one
                    for n in range(40)
                    for one in (
                        seen(WheelAngle, count=100 * n, absolute=False),
                        *([seen(IndexMark, passes=n // 10)] if n % 10 == 0 else []),
                    )
                ),
                gathers=(IndexMark,),
                read_only=True,
            ),
        ),
        refused={"counts_per_turn": (4,), "baud": (9600,)},
    )
