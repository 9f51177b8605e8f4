"""``barcode-keyboard``: key events of Linux."""

from __future__ import annotations

from pathlib import Path

from dealer_drivers.conformance import Example, Examples, passed, received, seen
from dealer_drivers.readings.shoe import CardRead
from support.keys import ENTER, events, press, typed

CARDS = ("8S", "AH", "TD")


def examples(folder: Path) -> Examples:  # noqa: ARG001
    texts = [events([*typed(card), *press(ENTER)]) for card in CARDS]
    return Examples(
        plays=(
            Example(
                name="typed",
                options={"codebook": "rank-suit"},
                steps=(*received(0.5, *texts, events(typed("2C")), every_s=2.0), *passed(9.0)),
                expect=tuple(seen(CardRead, card=card) for card in (*CARDS, "2C")),
                undamaged="the kernel hands out whole records, never a part of one and never another's",
                picks="records of other keys lie between those of a code",
                resync_bytes=700,  # a key that hangs spoils the next text
                resync_rest_s=0.25,
                silent_for_ever="a scanner types when a card passes, and has no cadence",
                read_only=True,
            ),
        ),
        refused={"codebook": ("/nowhere/book.toml",), "prefix": ("\n", "é"), "layout": ("de",)},
    )
