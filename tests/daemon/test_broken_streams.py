"""Streams that once were judged wrongly, kept as they were found (``tests/recordings``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.config import parse_config
from dealer_daemon.events import AttemptHeld, AttemptRefused, RoundOutcome
from dealer_daemon.replay import Player
from dealer_daemon.state import TableState
from dealer_drivers.recording import read_recording

CONFIG = """
[station]
site = "s"
state_dir = "state"
[tables.r1]
game = "roulette"
round_source = "device"
[tables.r1.spin]
laps = "counted"
[[tables.r1.devices]]
name = "wheel"
port = "/dev/dealer/wheel"
"""
SS2 = 'driver = "cammegh-ss2"\nlap_events = true\ncontrol = true\n'
M360 = 'driver = "cammegh-m360"\nextended = true\n'


@pytest.mark.parametrize(
    ("name", "wheel", "ends"),
    [
        ("lap-flip", M360, ["refused:too_few_laps"]),
        ("pp-disagrees", M360, ["held:witnesses_disagree"]),
        ("void-flag-in-5", M360, ["refused:ball_left_wheel"]),
        ("stall-two-launches", SS2, ["refused:too_few_laps"]),
        ("bounce-flip", SS2, ["refused:too_few_laps"]),
    ],
)
def test_no_outcome_comes_of_it(name: str, wheel: str, ends: list[str], repository: Path, tmp_path: Path) -> None:
    table = parse_config(CONFIG + wheel, tmp_path / "s.toml").tables["r1"]
    recording = read_recording(repository / "tests" / "recordings" / f"{name}.rec.jsonl")
    player = Player(table, table.devices[0], TableState(table="r1"))
    found = []
    for decision in player.play(recording.entries):
        for event in decision.events:
            match event.data:
                case AttemptRefused(reason=reason):
                    found.append(f"refused:{reason}")
                case AttemptHeld(reason=reason):
                    found.append(f"held:{reason}")
                case RoundOutcome(facts=facts):
                    found.append(f"outcome:{facts['number']}")
                case _:
                    pass
    assert found == ends
