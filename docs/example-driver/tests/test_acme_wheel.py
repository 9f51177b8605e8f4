"""The driver keeps the laws that every driver keeps, on what was written and on what was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from acme_wheel import DRIVER
from acme_wheel.examples import EXAMPLES

from dealer_drivers.conformance import Check, Example, checks, recorded

RECORDINGS = Path(__file__).parent.parent / "recordings"


@pytest.mark.parametrize("check", checks(DRIVER, EXAMPLES), ids=str)
def test_what_was_written(check: Check) -> None:
    check()


def _of_recordings() -> list[Check]:
    plays = [
        Example(name=path.name, steps=recorded(path)[0], check_bits=8, resync_bytes=32)
        for path in sorted(RECORDINGS.glob("*.rec.jsonl"))
    ]
    return checks(DRIVER, plays)


@pytest.mark.parametrize("check", _of_recordings(), ids=str)
def test_what_was_recorded(check: Check) -> None:
    check()
