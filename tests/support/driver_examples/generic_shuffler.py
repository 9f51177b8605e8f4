"""``generic-shuffler``: a set that is shuffled and found whole, and one that is asked for its state."""

from __future__ import annotations

import binascii
from pathlib import Path

from dealer_drivers.conformance import Example, Examples, passed, received, seen
from dealer_drivers.readings.shuffler import DeckReport, MachineState, OrderThrownAway, ShufflerLevel


def line(body: str) -> bytes:
    """A line with its check value, CRC-16/CCITT-FALSE."""
    return f"@{body}*{binascii.crc_hqx(body.encode(), 0xFFFF):04X}\r\n".encode()


def examples(folder: Path) -> Examples:  # noqa: ARG001
    states = ["idle", "shuffling", "shuffling", "ready", "ready", "ready"]
    lines = [line(f"S,{n},{state},{7 + (n > 0)},blue,faces,416,0,0,0,-") for n, state in enumerate(states)]
    levels = [line(f"L,{n},{inside},feeding,3") for n, inside in enumerate((416, 380, 379, 300, 416))]
    return Examples(
        plays=(
            Example(
                name="a set",
                steps=received(0.5, *lines, every_s=1.0),
                expect=tuple(
                    seen(DeckReport, state=MachineState(state), deck_set="blue", counted=416)
                    for state in ("idle", "shuffling", "ready")
                ),
                check_bits=16,
                resync_bytes=120,
                gathers=(DeckReport,),
                no_value=(OrderThrownAway,),
                read_only=True,
            ),
            Example(
                name="levels",
                options={"low_level": 350},
                steps=received(0.5, *levels, every_s=1.0),
                expect=tuple(seen(ShufflerLevel, inside=inside) for inside in (416, 380, 300, 416)),
                check_bits=16,
                resync_bytes=80,
                gathers=(ShufflerLevel,),
                no_value=(OrderThrownAway,),
                read_only=True,
            ),
            Example(
                name="asked",
                sends=(rb"@Q\*AB24\r\n",),
                options={"poll_s": 1.0},
                steps=(*received(0.5, *lines, every_s=1.0), *passed(7.0)),
                check_bits=16,
                resync_bytes=120,
                gathers=(DeckReport,),
                no_value=(OrderThrownAway,),
            ),
        ),
        refused={"baud": (110,), "poll_s": (0.1, 5.0), "low_level": (-1, 1000)},
    )
