"""The simulated shuffler: what it says in a shuffle with each fault, and on a real port."""

from __future__ import annotations

import asyncio
import itertools
import math
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import Output
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link
from dealer_drivers.readings import DeviceFault, Reading
from dealer_drivers.readings.shuffler import DeckReport
from dealer_drivers.shuffler.codec import GenericFormat
from dealer_drivers.shuffler.frames import Frame, OrderOffered, Status
from dealer_drivers.shuffler.generic import DRIVER
from dealer_drivers.transports.factory import device_transport
from hw_sim.device import Bytes
from hw_sim.faults import UnknownFault
from hw_sim.scenario import ScenarioError, build_device, load_scenario, parse_scenario
from hw_sim.shuffler.device import CapturedShuffler, ShufflerDevice
from hw_sim.shuffler.faults import ShuffleFault
from hw_sim.simulation import running
from hw_sim.truth import TruthLog

HEAD = 'title = "t"\n[[devices]]\nname = "shuffler"\nmodel = "shuffler"\n'


def device(more: str, seed: int = 3) -> tuple[ShufflerDevice, TruthLog]:
    truth = TruthLog()
    made = build_device(parse_scenario(HEAD + more, "t.toml").devices[0], seed, truth)
    assert isinstance(made, ShufflerDevice)
    return made, truth


def said(machine: ShufflerDevice, truth: TruthLog, shuffles: int = 2) -> list[Frame]:
    """The frames of so many shuffles."""
    data = b""
    while len(truth.records) < shuffles:
        data += b"".join(action.data for action in machine.advance(machine.next_s()) if isinstance(action, Bytes))
    return GenericFormat().feed(data)


@pytest.mark.parametrize("tells_set", [True, False])
def test_two_sets_in_turn_each_shuffled_and_taken_out(tells_set: bool) -> None:
    machine, truth = device(f"tells_set = {str(tells_set).lower()}\n")
    frames = said(machine, truth, 4)
    assert not [frame for frame in frames if not isinstance(frame, Status)]
    states = [str(frame.state) for frame in frames if isinstance(frame, Status)]
    assert [state for state, _ in itertools.groupby(states)] == ["ready", "idle", *["shuffling", "ready", "idle"] * 4]
    assert [(record["deck_set"], record["expect"], record["taken"]) for record in truth.records] == [
        ("blue", "verify", True),
        ("red", "verify", True),
    ] * 2
    named = {frame.deck_set for frame in frames if isinstance(frame, Status)}
    assert named == ({"red", "blue", None} if tells_set else {None})
    jobs = [job for job, _ in itertools.groupby(frame.job for frame in frames if isinstance(frame, Status))]
    assert jobs == sorted(set(jobs))


@pytest.mark.parametrize("fault", ShuffleFault)
def test_what_a_fault_looks_like(fault: ShuffleFault) -> None:
    machine, truth = device(f'shuffles = ["{fault.value}"]\n')
    frames = said(machine, truth)
    first, second = truth.records[:2]
    assert (first["fault"], second["fault"]) == (fault.value, None)
    statuses = [frame for frame in frames if isinstance(frame, Status) and frame.job == first["job"]]
    assert first["expect"] == ("verify" if fault in ("silence", "hang", "unplug") else "fail")
    assert second["deck_set"] == ("red" if first["expect"] == "verify" else "blue"), "put right and shuffled again"
    last = next(frame for frame in reversed(statuses) if frame.state != "idle")
    match fault:
        case ShuffleFault.MISSING | ShuffleFault.EXTRA | ShuffleFault.FOREIGN:
            assert last.state == "mismatch"
            assert last.missing or last.extra
            assert bool(last.foreign) == (fault is ShuffleFault.FOREIGN)
        case ShuffleFault.MISREAD | ShuffleFault.JAM:
            assert last.flags == {fault.value}
        case ShuffleFault.ORDER:
            assert frames.count(OrderOffered()) == 1
        case ShuffleFault.DOOR | ShuffleFault.POWER_CYCLE:
            assert last.state == "ready"
            after = [frame for frame in frames if isinstance(frame, Status) and frame.job == first["job"] + 1]
            assert {frame.state for frame in after} == {"idle"}
        case ShuffleFault.HANG:
            assert [f for f in statuses if statuses.count(f) > 2], "the same line again and again"
        case _:
            assert last.state == "ready"


def test_a_machine_that_only_counts_sees_no_foreign_card() -> None:
    machine, truth = device('faces = false\nshuffles = ["foreign", "extra"]\n')
    statuses = [frame for frame in said(machine, truth) if isinstance(frame, Status)]
    assert {frame.faces for frame in statuses} == {False}
    assert truth.records[0]["fault"] == "missing"


@pytest.mark.parametrize("seed", [1, 2])
def test_how_time_is_cut_changes_nothing(seed: int) -> None:
    rates = "[devices.rates]\n" + "".join(f"{fault.value} = 0.1\n" for fault in ShuffleFault)
    (one, first), (other, second) = device(rates, seed), device(rates, seed)
    rng, until_s = Random(seed), 600.0
    whole = one.advance(until_s)
    pieces = []
    while other.now_s < until_s:
        pieces += other.advance(min(until_s, other.now_s + rng.uniform(0.01, 5)))
    assert pieces == whole
    assert first.records == second.records
    assert {record["fault"] for record in first.records} & set(ShuffleFault)


def test_faults_from_outside() -> None:
    machine, truth = device("")
    machine.inject("jam")
    with pytest.raises(UnknownFault, match="misread"):
        machine.inject("fire")
    while machine.in_play() is None:
        machine.advance(machine.next_s())
    machine.power_cycle()
    said(machine, truth, 2)
    assert truth.records[0]["fault"] == "power_cycle"


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ('shuffles = ["fire"]', "shuffles"),
        ("deck_sets = []", "deck_sets"),
        ('deck_sets = ["Red"]', "deck_sets"),
        ('serves = "scanner"\ndeck_sets = ["red"]', "deck_sets"),
        ("shuffle_s = [9, 3]", "shuffle_s"),
        ('name = "a/b"', "name"),
    ],
)
def test_what_cannot_be(more: str, key: str) -> None:
    text = HEAD.replace('name = "shuffler"\n', "") + more if key == "name" else HEAD + more
    with pytest.raises(ScenarioError, match=key):
        parse_scenario(text, "t.toml")


def test_a_shuffler_serves_a_table_that_is_there() -> None:
    options = parse_scenario(HEAD + 'serves = "shoe"', "t.toml").devices[0]
    with pytest.raises(ScenarioError, match="no card table 'shoe'"):
        build_device(options, 1, TruthLog())


@pytest.mark.parametrize("scenario", ["baccarat-two-sets", "three-cards-shuffled"])
def test_in_the_scenarios_every_shoe_takes_a_set_out_of_the_machine(scenario: str) -> None:
    loaded = load_scenario(scenario)
    truth = TruthLog()
    table = build_device(loaded.devices[0], 5, truth)
    machine = build_device(loaded.devices[1], 5, truth, {table.name: table})
    assert isinstance(machine, ShufflerDevice)
    taken = 0
    while taken < 3:
        now_s = min(table.next_s(), machine.next_s())
        assert now_s < math.inf
        table.advance(now_s)
        machine.advance(now_s)
        taken = sum(record.get("taken", False) for record in truth.records)
    shoes = max(record["shoe"] for record in truth.records if "shoe" in record)
    assert shoes >= taken


async def test_on_a_port_through_the_drivers_own_link(tmp_path: Path) -> None:
    """Real bytes on a pty, forty times as fast; the plug is pulled in the middle."""
    text = HEAD + "wait_for_host = true\nshuffle_s = [40, 41]\nrest_s = [20, 21]\nput_in_s = [8, 9]\n"
    readings: list[Reading] = []
    news = asyncio.Event()

    def hear(output: Output, at: Instant) -> None:  # noqa: ARG001
        readings.extend(output.readings)
        news.set()

    async def until(what: Any) -> None:
        async with asyncio.timeout(20):
            while not what():
                news.clear()
                await news.wait()

    def states() -> list[str]:
        return [str(reading.state) for reading in readings if isinstance(reading, DeckReport)]

    async with running(parse_scenario(text, "t.toml"), speed=40, seed=4, run_dir=tmp_path) as simulation:
        options = DRIVER.parse_options({})
        transport = device_transport(DRIVER, simulation.ports["shuffler"], options)
        link = Link(transport, DRIVER.session(options), SystemClock(), on_output=hear, on_state=lambda _: None)
        linked = asyncio.create_task(link.run())
        await until(lambda: "shuffling" in states())
        await simulation.unplug("shuffler")
        await until(lambda: isinstance(readings[-1], DeviceFault) and readings[-1].fault == "link_lost")
        await simulation.replug("shuffler")
        before = len(states())
        await until(lambda: "ready" in states()[before:])
        await link.stop()
        await linked


def test_the_capture_holds_what_was_said(tmp_path: Path) -> None:
    captured, _ = device('port = "umockdev"\ncount = 3\n')
    assert isinstance(captured, CapturedShuffler)
    files = captured.files()
    assert set(files) == {"shuffler.umockdev", "shuffler.pcap"}
    assert captured.advance(1e9) == []
    assert captured.next_s() == math.inf
    assert b"ready" in bytes(files["shuffler.pcap"])  # type: ignore[arg-type]
    assert captured.run_line(tmp_path).startswith("umockdev-run ")
