"""A card window as a scenario device: what its pictures show is what the truth says was dealt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import groupby

import pytest
import zxingcpp

from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import Output
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link
from dealer_drivers.readings import Reading
from dealer_drivers.readings.shoe import CardRead, CardTrouble, CardUnreadable
from dealer_drivers.shoe.barcode_camera import DRIVER
from dealer_drivers.transports.factory import device_transport
from hw_sim.scenario import parse_scenario
from hw_sim.shoe.device import WindowDevice
from hw_sim.simulation import running
from support.dealt import Dealt, dealt

Window = Callable[..., Dealt]
LOOK_S = 0.25


@pytest.fixture
def window() -> Window:
    usual = {"name": "window", "model": "card-window", "game": "dragon-tiger", "between_s": [0.1, 0.2]}
    return lambda **options: dealt(3, **(usual | options))


def sights(table: Dealt, hands: int) -> list[tuple[str, ...]]:
    """What is in view, one entry whenever it changes; () is an empty window."""
    device, seen = table.device, []
    assert isinstance(device, WindowDevice)
    while len(table.truth) < hands or seen[-1]:
        table.go_on(LOOK_S)
        codes = tuple(sorted(code.text for code in zxingcpp.read_barcodes(device.shot()())))
        if not seen or seen[-1] != codes:
            seen.append(codes)
    return seen


def test_every_card_is_seen_and_leaves_before_the_next(window: Window) -> None:
    table = window(top=["8S", "KD", "TC", "TC"], card_s=[2.6, 2.7])
    seen = sights(table, 2)
    assert [codes[0] for codes in seen if codes] == ["8S", "KD", "TC", "TC"]
    assert seen[::2] == [()] * 5, "an empty window between any two, equal ones too"
    assert [list(record["cards"].values()) for record in table.truth] == [["8S", "KD"], ["TC", "TC"]]


def test_what_goes_wrong_in_a_window(window: Window) -> None:
    faults = ["skipped_card@1", "foreign@1", "double_scan@1", "unreadable@1"]
    table = window(top=["8S", "KD"] * 4, hands=faults)
    seen = [codes for codes in sights(table, 4) if codes]
    struck = [(each["fault"], each["position"]) for record in table.truth for each in record["struck"]]
    assert struck == [(fault.partition("@")[0], "dragon.1") for fault in faults]
    assert seen[:2] == [("8S",), ("KD",)], "a spoilt code is not seen at all, and the card comes again"
    assert seen[2] != ("8S",)
    assert len(seen[2]) == 1
    assert seen[3:5] == [("8S",), ("KD",)]
    assert seen[5:8] == [("8S",), ("8S",), ("KD",)]
    assert len(seen[8]) == 2
    assert seen[-2:] == [("8S",), ("KD",)]


async def test_the_stations_driver_reads_the_window_of_a_scenario() -> None:
    scenario = parse_scenario(
        'title = "t"\n[[devices]]\nname = "window"\nmodel = "card-window"\ngame = "dragon-tiger"\n'
        "between_s = [0.1, 0.2]\nrest_s = [3.0, 3.0]\ncard_s = [5.0, 5.0]\nrescan_s = [5.0, 5.0]\n"
        'hands = ["unreadable@1"]\nwait_for_host = true\n',
        "t.toml",
    )
    readings: list[Reading] = []
    options = DRIVER.parse_options({"codebook": "rank-suit", "symbology": "datamatrix"})

    def told(output: Output, at: Instant) -> None:  # noqa: ARG001
        readings.extend(output.readings)

    async with running(scenario, speed=2, seed=5) as sim:
        transport = device_transport(DRIVER, sim.ports["window"], options)
        link = Link(transport, DRIVER.session(options), SystemClock(), on_output=told, on_state=lambda _state: None)
        task = asyncio.create_task(link.run())
        try:
            (record, *_) = await asyncio.wait_for(sim.until_truth(1), 60)
        finally:
            await link.stop()
            await task
    # The first card is shown twice, because of the second code beside it: one of its looks may be told before that code
    # comes into view.
    read = [card for card, _ in groupby(reading.card for reading in readings if isinstance(reading, CardRead))]
    assert read[:2] == list(record["cards"].values())
    troubles = [reading.reason for reading in readings if isinstance(reading, CardUnreadable)]
    assert CardTrouble.TWO_CODES in troubles
