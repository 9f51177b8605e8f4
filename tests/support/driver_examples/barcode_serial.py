"""``barcode-serial``: a plain deck's codes, with a suffix, by rests alone, and with a trigger."""

from __future__ import annotations

from pathlib import Path

from dealer_drivers.conformance import Example, Examples, passed, received, seen
from dealer_drivers.readings.shoe import CardForeign, CardRead

SILENT = "a scanner speaks when a card passes, and has no cadence"
CARDS = ("8S", "AH", "TD", "2C", "KS")


def examples(folder: Path) -> Examples:  # noqa: ARG001
    lines = received(0.5, *(card.encode() + b"\r\n" for card in CARDS), b"JOKER\r\n", every_s=2.0)
    rests = (*received(0.5, *(card.encode() for card in CARDS), every_s=2.0), *passed(12.0))
    expect = tuple(seen(CardRead, card=card) for card in CARDS)
    return Examples(
        plays=(
            Example(
                name="lines",
                counted=("repeated",),
                options={"codebook": "rank-suit"},
                steps=lines,
                expect=(*expect, seen(CardForeign, code="JOKER")),
                resync_bytes=12,
                silent_for_ever=SILENT,
                no_value=(CardForeign,),
                read_only=True,
            ),
            Example(
                name="rests",
                counted=("repeated",),
                options={"codebook": "rank-suit", "suffix": "none"},
                steps=rests,
                expect=expect,
                resync_bytes=4,
                resync_rest_s=0.25,
                silent_for_ever=SILENT,
                no_value=(CardForeign,),
            ),
            Example(
                name="trigger",
                sends=(rb"\x16[TU]\r",),
                counted=("repeated",),
                options={"codebook": "rank-suit", "trigger_on": "16540D", "trigger_off": "16550D"},
                steps=lines,
                resync_bytes=12,
                silent_for_ever=SILENT,
                no_value=(CardForeign,),
            ),
        ),
        refused={
            "codebook": ("/nowhere/book.toml", ""),
            "baud": (0, 2_000_000),
            "trigger_on": ("GG",),
            "prefix": ("\r", "é"),
            "aim_ids": (["C"],),
            "no_read": (["8S"],),
            "idle_gap_ms": (0, 10_000),
            "repeat_window_ms": (-1,),
            "code_length": (0, 40),
        },
    )
