"""``manual-entry``: the lines of a table's screen."""

from __future__ import annotations

import json
from pathlib import Path

from dealer_drivers.conformance import Example, Examples, passed, received, seen
from dealer_drivers.readings.entry import ResultEntered


def entry(round_id: str, number: str) -> bytes:
    """One entry."""
    return json.dumps({"by": "dealer 7", "round": round_id, "result": {"number": number}}).encode() + b"\n"


def examples(folder: Path) -> Examples:  # noqa: ARG001
    entered = (("17", "17"), ("3", "8"), ("3", "3"), ("0", "0"))
    steps = [
        step
        for n, pair in enumerate(entered)
        for step in received(1.0 + 5.0 * n, *(entry(f"r1-{n}", number) for number in pair), every_s=0.5)
    ]
    return Examples(
        plays=(
            Example(
                name="twice the same",
                picks="its two entries, without what was refused between them",
                options={"again_s": 2.0},
                steps=(*steps, *passed(25.0)),
                expect=(
                    seen(ResultEntered, by="dealer 7", round="r1-0", result={"number": "17"}),
                    seen(ResultEntered, round="r1-2", result={"number": "3"}),
                    seen(ResultEntered, round="r1-3", result={"number": "0"}),
                ),
                resync_bytes=180,
                silent_for_ever="people enter a result when there is one",
            ),
        ),
        refused={"again_s": (0.0, 601.0)},
    )
