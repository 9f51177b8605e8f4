"""What ``status`` writes of words that others chose: as they are, whatever a terminal's markup would make of them."""

from __future__ import annotations

from typing import Any

import pytest

from dealer_daemon.cli.status import _show

STATE: dict[str, Any] = {
    "game": "roulette", "phase": "idle", "round": None, "attempt": None, "last_sequence": 0, "paused": None,
    "stalled": None, "held": None, "shadow": False, "consumers": {},
}  # fmt: skip
WHEEL: dict[str, Any] = {
    "driver": "d", "maturity": "generic", "link": "waiting", "bytes_in": 0, "valid_frames": 0, "rejected_bytes": 0,
    "last_reading": None, "faults": [], "link_reason": "",
}  # fmt: skip
WORDS = "could not open [/dev/dealer/wheel] [red]"


@pytest.mark.parametrize("place", ["link", "problem", "paused", "stalled"])
def test_words_with_brackets_are_shown_whole(capsys: pytest.CaptureFixture[str], place: str) -> None:
    state = STATE | ({place: WORDS} if place in STATE else {})
    wheel = WHEEL | ({"link_reason": WORDS} if place == "link" else {})
    mqtt = {"connected": True, "protocol": "5", "published": 0, "problems": [WORDS] if place == "problem" else []}
    table = {"state": state, "devices": {"wheel": wheel}, "mqtt": mqtt}
    _show({"site": "s", "version": "1", "since": "now", "tables": {"r1": table}})
    assert WORDS in capsys.readouterr().out
