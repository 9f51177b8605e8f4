"""The simulated fan-tan dealer, and a station's camera and judge that watch him."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

import cv2
import numpy as np
import pytest

from dealer_daemon.games.fan_tan import layout_facts
from dealer_daemon.validation.beans import BeansJudge
from dealer_daemon.validation.beans_rules import BeansRules
from dealer_daemon.validation.signals import Ask, BettingOver, Judged, NotJudged, Ready, Signal, Started
from dealer_drivers.beans.profile import parse_profile
from dealer_drivers.beans.reader import BeansReader
from dealer_drivers.camera.readings import SceneMoved, SceneStill
from dealer_drivers.camera.scene import CameToRest, Looked, Moved, SceneWatcher
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.beans import BeansSeen, BeansUnclear
from hw_sim.beans.layout import LayoutFault, heap, lay_out, spoil
from hw_sim.beans.options import BeanTableOptions
from hw_sim.beans.table import BeanTable, Phase
from hw_sim.device import UnknownWord
from hw_sim.faults import UnknownFault
from hw_sim.scenario import build_device, load_scenario
from hw_sim.truth import TruthLog


def at(ns: int) -> Instant:
    return Instant(ns, ns)


class Watched:
    """A table, its camera at five pictures a second, and a judge; everything in the table's own time."""

    def __init__(self, options: BeanTableOptions, rules: BeansRules) -> None:
        cv2.setNumThreads(1)
        self.truth = TruthLog()
        self.table = BeanTable(options, 3, self.truth)
        (profile,) = self.table.files().values()
        self.watcher = SceneWatcher(BeansReader(parse_profile(profile.encode())), quiet_s=0.5)
        self.judge = BeansJudge(rules, layout_facts, camera="camera")
        self.asks = 0

    def signals(self, seconds: float) -> Iterator[Signal]:
        """What the judge says while the table goes on. The round waits for its attempt whenever none is under way."""
        end_s = self.table.now_s + seconds
        while self.table.now_s < end_s:
            self.table.advance(self.table.now_s + 0.2)
            now_ns = round(self.table.now_s * 1e9)
            yield from self._say(self.judge.tick(at(now_ns)), now_ns)
            if not self.judge.underway():
                yield from self._say(self.judge.due(at(now_ns)), now_ns)
            for event in self.watcher.picture(self.table.shot()(), now_ns):  # type: ignore[misc]
                yield from self._say(self.judge.feed("camera", self._reading(event, now_ns)), now_ns)

    def until(self, last: type[Signal], seconds: float) -> list[Signal]:  # type: ignore[valid-type]
        """What the judge says until it says this; without what it asks the camera."""
        said: list[Signal] = []
        for signal in self.signals(seconds):
            if not isinstance(signal, Ask):
                said.append(signal)
            if isinstance(signal, last):
                break
        return said

    def _say(self, signals: list[Signal], now_ns: int) -> list[Signal]:
        for signal in signals:
            if isinstance(signal, Ask):
                self.asks += 1
                self.watcher.ask(self.asks, now_ns)
        return signals

    def _reading(self, event: Moved | CameToRest | Looked, now_ns: int) -> Reading:
        match event:
            case Moved():
                return SceneMoved(at=at(now_ns), raw=b"", taken=at(event.taken_ns))
            case CameToRest():
                return SceneStill(at=at(now_ns), raw=b"", since=at(event.since_ns))
            case Looked(value=None):
                return BeansUnclear(
                    at=at(now_ns), raw=b"", ask=event.ask, first=at(event.first_ns), last=at(event.last_ns),
                    frames=event.frames, reasons=event.reasons, detail=event.detail,
                )  # fmt: skip
            case Looked():
                return BeansSeen(
                    at=at(now_ns), raw=b"", ask=event.ask, first=at(event.first_ns), last=at(event.last_ns),
                    frames=event.frames, **(event.value or {}),
                )  # fmt: skip


def quick(**more: object) -> BeanTableOptions:
    return BeanTableOptions(
        name="camera",
        covered_s=(4.0, 4.0),
        group_s=(0.8, 0.8),
        rest_s=(9.0, 9.0),
        **more,  # type: ignore[arg-type]
    )


def test_a_round_from_the_bowl_to_the_result() -> None:
    watched = Watched(quick(beans=(11,), layouts=("good",)), BeansRules(confirm="uncovered"))
    said = watched.until(Judged, 20)
    assert said[:-1] == [Ready(), Started(), BettingOver()]
    assert isinstance(said[-1], Judged)
    assert said[-1].value.facts == {"remainder": 3, "parity": "odd", "beans": 11, "groups": 3}
    assert watched.table.phase is Phase.LAID


def test_a_layout_that_is_not_clean_is_laid_out_again() -> None:
    watched = Watched(quick(beans=(10,), layouts=("touching",)), BeansRules(patience_s=4.0, confirm="uncovered"))
    refused = watched.until(NotJudged, 20)[-1]
    assert isinstance(refused, NotJudged)
    assert refused.verdict.reason == "beans_touch"
    watched.table.tell("rearrange")
    judged = watched.until(Judged, 20)[-1]
    assert isinstance(judged, Judged)
    assert judged.value.facts["remainder"] == 2
    (record,) = watched.truth.records
    assert (record["fault"], record["expect"], record["attempt"]) == ("touching", "refuse", 1)


def test_a_table_told_what_to_do_waits_for_it() -> None:
    table = BeanTable(quick(starts="told", beans=(5, 6)), 1, TruthLog())
    table.advance(500)
    assert table.phase is Phase.COVERED
    table.tell("clear")
    table.tell("lay_out")
    table.advance(520)
    assert table.phase is Phase.LAID
    table.advance(900)
    assert table.in_play() == {
        **table.in_play(),  # type: ignore[dict-item]
        "round": 1,
        "beans": 5,
        "groups": 2,
        "remainder": 1,
        "expect": "accept",
        "finished": False,
        "phase": "laid",
    }
    table.tell("clear")
    table.advance(910)
    assert (table.phase, table.in_play()["beans"]) == (Phase.COVERED, 6)  # type: ignore[index]
    with pytest.raises(UnknownWord, match="lay_out"):
        table.tell("shake")
    with pytest.raises(UnknownFault, match="touching"):
        table.inject("weak_launch")
    table.inject("five")
    table.tell("lay_out")


def test_the_same_seed_gives_the_same_pictures() -> None:
    one, two = (BeanTable(quick(), 7, TruthLog()) for _ in range(2))
    for table in (one, two):
        table.advance(9.3)
    first, second = one.shot(), two.shot()
    assert first is not None
    assert second is not None
    assert np.array_equal(first(), second())
    assert first().shape == (600, 800, 3)


def test_the_scenario_builds() -> None:
    scenario = load_scenario("fantan")
    device = build_device(scenario.devices[0], 1, TruthLog())
    assert isinstance(device, BeanTable)
    assert json.loads(device.files()["camera.beans.json"])["version"] == 1


@pytest.mark.parametrize(
    ("options", "key"),
    [
        (quick(layouts=("weak_launch",)), "layouts"),
        (BeanTableOptions(name="a b"), "name"),
        (BeanTableOptions(name="a", rest_s=(2, 1)), "rest_s"),
    ],
)
def test_options_that_cannot_be(options: BeanTableOptions, key: str) -> None:
    assert [found for found, _ in options.problems()] == [key]


@pytest.mark.parametrize("count", range(1, 201, 7))
def test_layouts_hold_what_they_say(count: int) -> None:
    layout = lay_out(count, Random(count))
    assert len(layout.beans) == count
    assert {len(group) for group in layout.groups[:-1]} <= {4}
    assert len(layout.groups[-1]) == count % 4 or 4


def test_what_is_spoilt_differs_from_what_was_clean() -> None:
    layout = lay_out(60, Random(1))
    sizes = {
        fault: sorted(len(group) for group in spoil(layout, fault, Random(2)).groups)
        for fault in (LayoutFault.FIVE, LayoutFault.THREE, LayoutFault.HOLE)
    }
    assert sizes[LayoutFault.FIVE][-1] == 5
    assert sizes[LayoutFault.THREE][0] == 3
    assert len(sizes[LayoutFault.HOLE]) == 14
    assert len(spoil(layout, LayoutFault.STRAY, Random(2)).beans) == 61
    assert len(heap(layout, Random(2), 12)) == 12
