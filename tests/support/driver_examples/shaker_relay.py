"""``shaker-relay``: the board's lines and answers."""

from __future__ import annotations

from pathlib import Path

from dealer_drivers.conformance import Example, Examples, passed, received, seen
from dealer_drivers.readings.shaker import ShakerIdle, ShakerShaking

STOPPED, MOVING = b"I1=1\r\n", b"I1=0\r\n"
RELAY_OFF = bytes.fromhex("A00100A1")
QUERY = bytes.fromhex("A00105A6")


def examples(folder: Path) -> Examples:  # noqa: ARG001
    lines = [STOPPED] * 3 + [MOVING] * 6 + [STOPPED] * 4
    steps = (*received(0.3, *lines, every_s=0.5), *passed(7.0))
    return Examples(
        plays=(
            Example(
                name="the dealer's button",
                counted=("cycle",),
                steps=steps,
                expect=tuple(seen(ShakerIdle if line == STOPPED else ShakerShaking) for line in lines),
                resync_bytes=48,
                read_only=True,
            ),
            Example(
                name="started",
                counted=("cycle",),
                sends=(rb"\xa0\x01(\x00\xa1|\x01\xa2|\x05\xa6)",),
                options={"control": True},
                steps=steps,
                answer=lambda sent: RELAY_OFF if sent == QUERY else b"",
                resync_bytes=48,
            ),
        ),
        refused={"shake_ms": (0, 30_000), "baud": (0,)},
    )
