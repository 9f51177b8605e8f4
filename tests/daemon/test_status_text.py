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


ALERT: dict[str, Any] = {
    "code": "device_down", "severity": "error", "device": "wheel", "about": None, "detail": WORDS,
    "suggestion": "Check the plug.",
    "runbook": "docs/howto/runbook.md#device_down", "since": "2026-01-31T20:15:00.000000Z", "sequence": 7,
}  # fmt: skip
HOST: dict[str, Any] = {
    "clock_synchronised": False, "clock_error_s": None, "clock_jumps": 0, "disk_free_bytes": 3 << 30,
    "disk_size_bytes": 9 << 30, "loop_late_p99_s": 0.005, "monitoring_problem": "the port [9464] is taken",
}  # fmt: skip


def test_alerts_stand_above_the_devices_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    mqtt = {"connected": True, "protocol": "5", "published": 0, "problems": [], "acknowledged_p99_s": 0.01}
    table = {"state": STATE, "devices": {"wheel": WHEEL}, "mqtt": mqtt, "alerts": [ALERT], "commit_p99_s": 0.0025}
    _show({"site": "s", "version": "1", "since": "now", "host": HOST, "tables": {"r1": table}})
    said = capsys.readouterr().out
    assert f"error device_down (wheel): {WORDS}, since 2026-01-31T20:15:00.000000Z" in said.replace("\n", " ")
    assert "A device is not connected. Check the plug. docs/howto/runbook.md#device_down" in said
    assert "clock: not synchronised, disk: 3.0 GiB free, loop late by at most 5 ms (99 %)" in said
    assert "99 % committed within 2.5 ms, acknowledged within 10 ms" in said
    assert "the port [9464] is taken" in said


def test_a_pause_says_by_which_number_it_is_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    state = STATE | {"phase": "paused", "paused": "looked at", "paused_at": 1203}
    mqtt = {"connected": True, "protocol": "5", "published": 0, "problems": []}
    table = {"state": state, "devices": {}, "mqtt": mqtt}
    _show({"site": "s", "version": "1", "since": "now", "tables": {"r1": table}})
    assert "paused: looked at (pause 1203)" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["link", "problem", "paused", "stalled"])
def test_words_with_brackets_are_shown_whole(capsys: pytest.CaptureFixture[str], place: str) -> None:
    state = STATE | ({place: WORDS} if place in STATE else {})
    wheel = WHEEL | ({"link_reason": WORDS} if place == "link" else {})
    mqtt = {"connected": True, "protocol": "5", "published": 0, "problems": [WORDS] if place == "problem" else []}
    table = {"state": state, "devices": {"wheel": wheel}, "mqtt": mqtt}
    _show({"site": "s", "version": "1", "since": "now", "tables": {"r1": table}})
    assert WORDS in capsys.readouterr().out
