"""``barcode-camera``: what its process says of pictures."""

from __future__ import annotations

import json
from pathlib import Path

from dealer_drivers.conformance import Example, Examples, passed, received, seen
from dealer_drivers.readings.shoe import CardRead

PIPE = "lines come through a pipe from a process of ours"
WATCHED = "a process without beats is ended by the transport: the link is lost, and that is reported"
MEMORY = 10 * 1024 * 1024
"""One picture in base64."""


def line(kind: str, **fields: object) -> bytes:
    """A line of the camera's process."""
    return json.dumps({"type": kind} | fields, separators=(",", ":")).encode() + b"\n"


def card(first: int, code: str) -> list[bytes]:
    """A code in three pictures, and pictures without one."""
    shown = [
        line("sight", frame=first + n, picture=f"{first + n:064x}", text=code, aim="]C0", doubts=[]) for n in range(3)
    ]
    beat = line("beat", frame=first + 3, fresh=3)
    return [*shown, line("sight", frame=first + 3, picture=f"{first + 3:064x}", doubts=["no_code"]), beat]


def examples(folder: Path) -> Examples:  # noqa: ARG001
    ready = line("ready", detail="640 x 480")
    lines = [ready, *card(1, "8S"), *card(11, "AH"), *card(21, "TD")]
    return Examples(
        plays=(
            Example(
                name="three cards",
                options={"codebook": "rank-suit", "symbology": "code128"},
                steps=(*received(0.5, *lines, every_s=0.1), *passed(4.0)),
                expect=tuple(seen(CardRead, card=name) for name in ("8S", "AH", "TD")),
                undamaged=PIPE,
                memory_bytes=MEMORY,
                resync_bytes=400,
                silent_for_ever=WATCHED,
                read_only=True,
            ),
        ),
        refused={"codebook": ("/nowhere/book.toml",), "symbology": ("braille",), "gone_ms": (0, 6000), "width": (8,)},
        unbounded={
            "exposure": "in the camera's own units",
            "focus": "in the camera's own units",
        },
    )
