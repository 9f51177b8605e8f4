"""``barcode-hidpos``: reports as published."""

from __future__ import annotations

from pathlib import Path

from dealer_drivers.conformance import Example, Examples, received, seen
from dealer_drivers.readings.shoe import CardForeign, CardRead
from support.umockdev import hid_report

SILENT = "a scanner speaks when a card passes, and has no cadence"
WHOLE = "USB checks each packet and sends it again; a report comes whole or not at all"
CARDS = ("8S", "AH", "TD")


def examples(folder: Path) -> Examples:  # noqa: ARG001
    long = hid_report(b"X" * 56, more=True) + hid_report(b"Y" * 8)
    steps = received(0.5, *(hid_report(card.encode()) for card in CARDS), long, hid_report(b"2C"), every_s=2.0)
    return Examples(
        plays=(
            Example(
                name="reports",
                options={"codebook": "rank-suit"},
                steps=steps,
                expect=(
                    *(seen(CardRead, card=card) for card in CARDS),
                    seen(CardForeign),
                    seen(CardRead, card="2C"),
                ),
                undamaged=WHOLE,
                resync_bytes=0,
                resync_rest_s=0.25,
                silent_for_ever=SILENT,
                no_value=(CardForeign,),
                read_only=True,
            ),
            Example(
                name="trigger",
                sends=(b"\x04[\x00\x01]",),
                options={"codebook": "rank-suit", "trigger_on": "0401", "trigger_off": "0400"},
                steps=steps,
                undamaged=WHOLE,
                resync_bytes=0,
                resync_rest_s=0.25,
                silent_for_ever=SILENT,
                no_value=(CardForeign,),
            ),
        ),
        refused={"codebook": ("/nowhere/book.toml",), "trigger_on": ("GG", "00" * 65), "code_length": (0, 40)},
    )
