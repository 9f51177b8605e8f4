"""Each step of a shuffler's walk is over when the machine told what it should, and names what is wrong."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_calibration.shufflers.walk import BATCH, CONTINUOUS, StepName, Walk, not_heard
from dealer_drivers.instant import Instant
from dealer_drivers.readings.shuffler import DeckReport, MachineState, OrderThrownAway, Phase, ShufflerLevel
from hw_sim.scenario import parse_scenario
from hw_sim.simulation import running

AT = Instant(0, 0)
SPEED = 50.0
SHUFFLING, READY, MISMATCH, IDLE = MachineState.SHUFFLING, MachineState.READY, MachineState.MISMATCH, MachineState.IDLE


def report(state: MachineState, job: int, **about: Any) -> DeckReport:
    plain: dict[str, Any] = {"deck_set": None, "faces": True, "counted": None, "missing": 0, "extra": 0, "foreign": 0}
    plain |= {"jam": False, "door_open": False, "misread": False}
    return DeckReport(at=AT, raw=b"", state=state, job=job, **(plain | about))


def level(inside: int, phase: Phase = Phase.FEEDING, changes: int = 3) -> ShufflerLevel:
    return ShufflerLevel(at=AT, raw=b"", inside=inside, phase=phase, changes=changes)


def judged(walk: Walk, name: StepName, *readings: Any) -> Any:
    since = len(walk.levels if walk.continuous else walk.reports)
    walk.feed(readings)
    return walk.judge(name, since)


@pytest.mark.parametrize(
    ("about", "ok", "words"),
    [
        ({"counted": 416}, True, "a whole set is told"),
        ({"counted": 416, "faces": False}, True, "not recognised"),
        ({"counted": 416, "deck_set": "red"}, True, "whole"),
        ({"counted": 416, "deck_set": "green"}, False, 'calls the set "green"'),
        ({"counted": 312}, False, "counts 312 cards as a whole set, and this table's has 416"),
        ({"state": MISMATCH, "missing": 1}, False, "1 missing"),
        ({"counted": 416, "misread": True}, False, "not recognised"),
    ],
)
def test_a_whole_set(about: dict[str, Any], ok: bool, words: str) -> None:
    walk = Walk(8, frozenset({"red", "blue"}))
    state = about.pop("state", READY)
    found = judged(walk, "whole_set", report(SHUFFLING, 7), report(state, 7, **about))
    assert (found.ok, words in found.said) == (ok, True)


@pytest.mark.parametrize(
    ("state", "about", "ok", "words"),
    [
        (MISMATCH, {"missing": 1}, True, "was found out"),
        (READY, {}, False, "calls a set whole"),
        (MISMATCH, {"missing": 2}, False, "2 missing"),
        (MISMATCH, {"missing": 1, "foreign": 1}, False, "1 foreign"),
        (MISMATCH, {"extra": 1}, False, "1 too many"),
        (MISMATCH, {}, False, "does not say how"),
    ],
)
def test_a_card_that_is_missing(state: MachineState, about: dict[str, Any], ok: bool, words: str) -> None:
    found = judged(Walk(1), "short_set", report(SHUFFLING, 7), report(state, 7, **about))
    assert (found.ok, words in found.said) == (ok, True)


@given(st.lists(st.sampled_from([report(READY, 6), report(IDLE, 7), report(SHUFFLING, 7), report(MISMATCH, 8)])))
def test_nothing_is_said_of_a_shuffle_that_was_not_seen_from_its_beginning_to_its_end(heard: list[DeckReport]) -> None:
    assert judged(Walk(1), "whole_set", *heard) is None


def test_an_opened_door() -> None:
    assert judged(Walk(1), "door", report(READY, 7)) is None
    assert judged(Walk(1), "door", report(IDLE, 7, door_open=True)) is None
    assert judged(Walk(1), "door", report(READY, 7), report(READY, 7, door_open=True)) is None
    assert judged(Walk(1), "door", report(READY, 7), report(IDLE, 8, door_open=True)).ok
    assert judged(Walk(1), "door", report(READY, 7), report(IDLE, 7, door_open=True)).ok


def test_a_continuous_machine() -> None:
    walk = Walk(6)
    walk.feed([level(300)])
    assert walk.steps() == CONTINUOUS
    assert judged(walk, "level", level(300)) is None
    assert judged(walk, "level", level(300), level(270)).ok
    assert judged(walk, "level", level(300), level(340)).ok is False
    assert judged(walk, "change", level(300)) is None
    assert judged(walk, "change", level(300, changes=4)).ok is None
    assert judged(walk, "change", level(0, Phase.EMPTY, 4), level(300, changes=5)).ok


def test_an_order_of_cards_is_a_fault_and_silence_names_what_to_look_at() -> None:
    walk = Walk(1)
    assert walk.order_finding().ok
    walk.feed([OrderThrownAway(at=AT, raw=b"", detail="")])
    assert walk.order_finding().ok is False
    assert walk.steps() == BATCH
    for step in (*BATCH, *CONTINUOUS):
        assert not_heard(step).do_next


SCENARIO = """
title = "a shuffler at the bench"
[[devices]]
name = "shuffler"
model = "shuffler"
decks = 1
shuffle_s = [3.0, 4.0]
put_in_s = [0.5, 1.0]
repair_s = [2.0, 3.0]
rest_s = [2.0, 3.0]
wait_for_host = true
shuffles = {shuffles}
"""
CONFIG = """
[station]
site = "studio-1"
state_dir = "{state}"
[tables.c1]
game = "three-cards"
round_source = "device"
[tables.c1.shoe]
decks = 1
deck_sets = ["red", "blue"]
[[tables.c1.devices]]
name = "scanner"
driver = "barcode-serial"
port = "/dev/dealer/none"
codebook = "rank-suit"
[[tables.c1.devices]]
name = "shuffler"
driver = "generic-shuffler"
port = "{port}"
"""


@pytest.mark.parametrize(
    ("shuffles", "wrong"),
    [
        (["good", "missing", "good", "door"], {}),
        (["good", "good", "good", "door"], {"short_set": "calls a set whole"}),
        (["missing", "good", "missing", "good", "door"], {"whole_set": "1 missing", "short_set": "calls a set whole"}),
        (["good", "missing", "order", "door"], {"order_offered": "an order of the cards"}),
        (["good", "missing", *["good"] * 40], {"door": "nothing was heard"}),
    ],
    ids=["well", "counter-blind", "short", "order", "door-switch"],
)
async def test_a_simulated_shuffler(tmp_path: Path, shuffles: list[str], wrong: dict[str, str]) -> None:
    scenario = parse_scenario(SCENARIO.format(shuffles=json.dumps(shuffles)), "bench.toml")
    async with running(scenario, speed=SPEED, seed=3, run_dir=tmp_path / "dev") as sim:
        path = tmp_path / "station.toml"
        path.write_text(CONFIG.format(state=tmp_path / "state", port=sim.ports["shuffler"]))
        (tmp_path / "state").mkdir()
        place = ["--config", str(path), "--table", "c1", "--device", "shuffler", "--speed", f"{SPEED:g}", "--yes"]
        command = [sys.executable, "-m", "dealer_calibration", "shuffler", *place, "--json", "--step-s", "60"]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, stderr=None)
        out, _ = await process.communicate()
    assert process.returncode == (1 if wrong else 0)
    findings = {one["code"]: one for one in json.loads(out.splitlines()[-1])["findings"]}
    assert {code for code, one in findings.items() if one["ok"] is not True} == wrong.keys()
    assert all(words in findings[code]["said"] for code, words in wrong.items())
