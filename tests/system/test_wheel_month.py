"""Weeks of simulated spins with every fault, in process: no wrong number, none invented, the good ones accepted.

The bytes go from the simulator's own encoders straight through driver, validation and round, on simulated time.
What counts is the simulator's record of what really happened.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.config import TableConfig, parse_config
from dealer_daemon.events import AttemptHeld, AttemptRefused, RoundOutcome, RoundVoided, TablePaused
from dealer_daemon.replay import Player
from dealer_daemon.state import TableState
from dealer_drivers.recording import Entry
from hw_sim.device import Bytes, SimDevice
from hw_sim.scenario import build_device, load_scenario, parse_scenario
from hw_sim.truth import TruthLog
from support.checker import may_count

CONFIG = """
[station]
site = "s"
state_dir = "state"
[tables.r1]
game = "roulette"
round_source = "device"
tries_before_pause = 1000000
[tables.r1.spin]
{spin}
[[tables.r1.devices]]
name = "wheel"
driver = "{driver}"
port = "/dev/dealer/wheel"
{options}
"""

M360_FAULTS = """
title = "an M360 with extended frames on which everything goes wrong"
[[devices]]
name = "wheel"
model = "m360"
table = "fast"
extended = true
[devices.rates]
weak_launch = 0.1
same_direction = 0.04
flying_ball = 0.03
flying_ball_unflagged = 0.03
endless_ball = 0.03
rotor_stop = 0.04
rotor_reversal = 0.04
wrong_bare = 0.05
missing_bare = 0.05
counter_wrap = 0.03
torn_line = 0.05
glued_lines = 0.05
lost_bytes = 0.05
bit_flips = 0.05
stall = 0.04
unplug = 0.04
power_cycle = 0.03
"""
WINDOW = 60
"""Throws among which an outcome is looked for: fewer than the counter takes to come round."""
KINDS = {
    "ss2": ("cammegh-ss2", 'laps = "unobserved"\nunobserved = "accept"', ""),
    "m360": ("cammegh-m360", 'laps = "counted"', "extended = true"),
}


def wire(device: SimDevice, truth: TruthLog, spins: int) -> Iterator[Entry]:
    """The device's bytes as they arrive at the host, until so many spins are over."""
    device.attached()
    yield Entry(0, 0.0, "ev", event="open")
    while len(truth.records) < spins:
        at_s = device.next_s()
        for action in device.advance(at_s):
            if isinstance(action, Bytes):
                yield Entry(0, at_s, "rx", action.data)
            else:
                yield Entry(0, at_s, "ev", event="open" if action.inserted else "close", reason="plug")
                if action.inserted:
                    device.attached()


def table(kind: str, folder: Path) -> TableConfig:
    driver, spin, options = KINDS[kind]
    return parse_config(CONFIG.format(driver=driver, spin=spin, options=options), folder / "s.toml").tables["r1"]


def run(kind: str, spins: int, seed: int, folder: Path) -> dict[str, Any]:
    scenario = load_scenario("roulette-faults") if kind == "ss2" else parse_scenario(M360_FAULTS, "m360")
    truth = TruthLog()
    device = build_device(scenario.devices[0], seed, truth)
    config = table(kind, folder)
    player = Player(config, config.devices[0], TableState(table="r1"))
    outcomes: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    for decision in player.play(wire(device, truth, spins)):
        for event in decision.events:
            match event.data:
                case RoundOutcome() as data:
                    outcomes.append(data.facts)
                case AttemptRefused() | AttemptHeld() | RoundVoided() | TablePaused() as data:
                    counts[f"{data.type}:{data.reason}"] += 1
                case _:
                    pass
    return compare(kind, outcomes, truth.records) | {"seed": seed, "ends": dict(counts)}


def compare(kind: str, outcomes: list[dict[str, Any]], truth: list[dict[str, Any]]) -> dict[str, Any]:
    """Every outcome against the throw that it is, in order; and how many throws that must count do."""
    wrong, refusals_published, accepted, must, at = [], [], 0, 0, 0
    published = set()
    for facts in outcomes:
        found = [
            index
            for index in range(at, min(at + WINDOW, len(truth)))
            if truth[index]["counter"] == facts["spin"] and truth[index]["shown"] == facts["number"]
        ]
        if not found:
            wrong.append({"after": truth[max(at - 1, 0) : at + 6], "published": facts})
            continue
        # The counter begins anew at a power cycle and a number may come twice: the throw that may count is the one.
        at = next((index for index in found if may_count(truth[index], laps_seen=kind == "m360")), found[0])
        throw = truth[at]
        published.add(at)
        if not may_count(throw, laps_seen=kind == "m360"):
            refusals_published.append(throw)
        # A flipped bit may hide laps (the pocket's own, for one); it must never make any.
        hidden = "bit_flips" in throw["faults"] and facts["laps"] is not None and facts["laps"] < throw["laps"]
        if kind == "m360" and facts["laps"] != throw["laps"] and not hidden:
            wrong.append({"laps": facts["laps"], "truth": throw})
        at += 1
    for index, throw in enumerate(truth[1:-1], start=1):
        if throw["expect"] == "accept":
            must += 1
            accepted += index in published
    return {
        "kind": kind,
        "throws": len(truth),
        "outcomes": len(outcomes),
        "wrong": wrong,
        "published_against_the_rules": refusals_published,
        "good": must,
        "good_accepted": accepted,
    }


def check(figures: dict[str, Any]) -> None:
    print(json.dumps({key: value if not isinstance(value, list) else len(value) for key, value in figures.items()}))
    assert figures["wrong"] == []
    assert figures["published_against_the_rules"] == []
    assert figures["good"] > 0
    assert figures["good_accepted"] >= 0.97 * figures["good"]


@pytest.mark.parametrize("kind", KINDS)
def test_some_hundred_spins(kind: str, tmp_path: Path) -> None:
    check(run(kind, 300, 20260101, tmp_path))


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_twenty_thousand_spins(kind: str, seed: int, tmp_path: Path) -> None:
    check(run(kind, 20_000, seed, tmp_path))
