"""Card tables in scenarios: on real ports, through the control port, and refused with file, key and reason."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dealer_drivers.driver import load_driver
from dealer_drivers.instant import Instant
from dealer_drivers.readings.shoe import CardRead
from dealer_drivers.shoe.codebook_file import load_codebook
from hw_sim.cli import main
from hw_sim.control import control_port
from hw_sim.device import UnknownWord
from hw_sim.faults import UnknownFault
from hw_sim.scenario import ScenarioError, load_scenario, parse_scenario
from hw_sim.shoe.faults import SCANNER_FAULTS, SHOE_FAULTS, CardFault
from hw_sim.shoe.options import AngelEyeOptions, CardWindowOptions, HidPosOptions, ScannerOptions
from hw_sim.simulation import Simulation, running

SHOE = '[[devices]]\nname = "shoe"\nmodel = "angel-eye"\n'
SCANNER = '[[devices]]\nname = "scanner"\nmodel = "scanner"\ngame = "baccarat"\n'
NOW = Instant(1, 1)
Ask = Callable[..., Awaitable[dict[str, Any]]]


@asynccontextmanager
async def controlled(text: str, speed: float = 300) -> AsyncIterator[tuple[Simulation, Ask]]:
    scenario = parse_scenario(f'title = "test"\n{text}', "test.toml")
    async with running(scenario, speed=speed, seed=4) as sim, control_port(sim) as address:
        name, port = address.removeprefix("tcp://").split(":")
        reader, writer = await asyncio.open_connection(name, int(port))

        async def ask(**request: Any) -> dict[str, Any]:
            writer.write(json.dumps(request).encode() + b"\n")
            answer: dict[str, Any] = json.loads(await asyncio.wait_for(reader.readline(), 10))
            return answer

        try:
            yield sim, ask
        finally:
            writer.close()


@asynccontextmanager
async def heard(path: str) -> AsyncIterator[bytearray]:
    """Everything that comes out of a pty while the block lasts."""
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    data = bytearray()
    loop = asyncio.get_running_loop()
    loop.add_reader(fd, lambda: data.extend(os.read(fd, 4096)))
    try:
        yield data
    finally:
        loop.remove_reader(fd)
        os.close(fd)


def cards_read(driver: str, data: bytes, **options: object) -> list[str]:
    """What the station's own driver makes of the bytes; a repeated telegram once."""
    loaded = load_driver(driver)
    session = loaded.session(loaded.parse_options(options))
    session.opened(NOW)
    return [reading.card for reading in session.feed(data, NOW).readings if isinstance(reading, CardRead)]


def test_the_shipped_scenarios_of_card_tables() -> None:
    assert isinstance(load_scenario("baccarat").devices[0], AngelEyeOptions)
    for name, game in (
        ("baccarat-scanner", "baccarat"),
        ("dragon-tiger", "dragon-tiger"),
        ("blackjack", "blackjack"),
    ):
        (scanner,) = load_scenario(name).devices
        assert isinstance(scanner, ScannerOptions)
        assert scanner.game == game
        assert scanner.codes != "rank-suit", "the cut card must have a code"


def test_the_shipped_scenarios_of_a_window_and_of_a_usb_scanner() -> None:
    (window,) = load_scenario("card-window").devices
    assert isinstance(window, CardWindowOptions)
    (usb,) = load_scenario("baccarat-hidpos").devices
    assert isinstance(usb, HidPosOptions)
    assert CardFault.UNPLUG not in usb.faults()


def test_the_fault_scenario_has_every_fault() -> None:
    shoe, scanner = load_scenario("cards-faults").devices
    assert set(shoe.rates) == SHOE_FAULTS
    assert set(scanner.rates) == SCANNER_FAULTS - {CardFault.MISREAD}
    assert all(0.4 < sum(device.rates.values()) < 1.5 for device in (shoe, scanner))


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        (SHOE + 'game = "baccarat"\n', "devices[0]", "unknown field `game`"),
        (SHOE + "sends = 4\n", "devices[0].sends", "<= 3"),
        (SHOE + "card_s = [3.0, 1.0]\n", "devices[0].card_s", "over the most"),
        (SHOE + 'top = ["8S", "1S"]\n', "devices[0].top", "'1S' is no card"),
        (SHOE + f"top = {['8S'] * 9}\n", "devices[0].top", "has 8 of 8S"),
        (SHOE + "rates = { double_scan = 0.1 }\n", "devices[0].rates", "'double_scan'"),
        (SHOE + "rates = { weak_launch = 0.1 }\n", "devices[0].rates", "weak_launch"),
        (SHOE + 'hands = ["restart@1"]\n', "devices[0].hands", "from 2"),
        (SHOE.replace("shoe", "../s"), "devices[0].name", "letters"),
        (SCANNER.replace("baccarat", "bridge"), "devices[0].game", "bridge"),
        (SCANNER + 'book = "classic-001"\n', "devices[0].book", "blackjack alone"),
        (SCANNER.replace("baccarat", "blackjack") + 'book = "002"\n', "devices[0].book", "switch-001"),
        (
            SCANNER.replace("baccarat", "blackjack") + 'book = "infinite-001"\nrates = { cut_card = 0.1 }\n',
            "devices[0].rates",
            "'cut_card'",
        ),
        (SCANNER + 'order = "reveal"\n', "devices[0].order", "deal, open"),
        (SCANNER + "burn = true\n", "devices[0].burn", "only dragon tiger"),
        (SCANNER + 'prefix = "ä"\n', "devices[0].prefix", "ASCII"),
        (SCANNER + 'hands = ["passed_twice"]\n', "devices[0].hands", "passed_twice"),
        (SCANNER + 'codes = "unit"\nrates = { misread = 0.1 }\n', "devices[0].rates", "'misread'"),
        (SCANNER.replace("baccarat", "koi") + "rates = { cut_card = 0.1 }\n", "devices[0].rates", "'cut_card'"),
    ],
)
def test_what_cannot_be_is_refused(text: str, key: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse_scenario(f'title = "x"\n{text}', "some.toml")
    assert refused.value.key.startswith(key)
    assert reason in refused.value.reason


async def test_a_driver_reads_the_shoe_on_its_pty_as_the_truth_says() -> None:
    async with controlled(SHOE + "wait_for_host = true\n") as (sim, _), heard(sim.ports["shoe"]) as data:
        records = await asyncio.wait_for(sim.until_truth(6), 30)
        cards = [card for record in records for card in record["cards"].values()]
        async with asyncio.timeout(10):
            while len(read := cards_read("angel-eye", bytes(data))) < len(cards):
                await asyncio.sleep(0)  # the last bytes are on their way
    assert read[: len(cards)] == cards


async def test_a_driver_reads_the_scanner_with_the_book_that_lies_beside_its_port() -> None:
    text = SCANNER + 'codes = "unit"\naim = "]C0"\nwait_for_host = true\n'
    async with controlled(text) as (sim, ask):
        (path,) = (await ask(do="status"))["devices"][0]["files"]
        assert load_codebook(Path(path)).decks == 8
        async with heard(sim.ports["scanner"]) as data:
            records = await asyncio.wait_for(sim.until_truth(6), 30)
            cards = [card for record in records for card in record["cards"].values()]
            options = {"codebook": path, "aim_ids": ["]C"]}
            async with asyncio.timeout(10):
                while len(read := cards_read("barcode-serial", bytes(data), **options)) < len(cards):
                    await asyncio.sleep(0)  # the last bytes are on their way
        assert read[: len(cards)] == cards


async def test_a_fault_is_injected_into_the_next_hand() -> None:
    async with controlled(SHOE) as (sim, ask):
        await ask(do="pause", device="shoe")
        (before,) = (await ask(do="truth"))["in_play"]
        assert await ask(do="inject", device="shoe", fault="unreadable") == {"ok": True}
        await ask(do="resume", device="shoe")
        records = await asyncio.wait_for(sim.until_truth(before["hand"] + 2), 20)
    assert [record["hand"] for record in records if record["faults"]] == [before["hand"] + 1]


async def test_the_dealer_does_as_told() -> None:
    async with controlled(SHOE + 'starts = "told"\n') as (sim, ask):
        assert sim.truth() == []
        assert await ask(do="tell", device="shoe", word="deal") == {"ok": True}
        assert len(await asyncio.wait_for(sim.until_truth(1), 20)) == 1
        assert [record["hand"] for record in (await ask(do="truth", since=1))["in_play"]] == [2]


async def test_the_plug_and_the_power() -> None:
    async with controlled(SHOE) as (_, ask):
        assert (await ask(do="pause", device="shoe"))["ok"]
        assert (await ask(do="unplug", device="shoe"))["ok"]
        assert (await ask(do="status"))["devices"][0]["plugged"] is False
        assert (await ask(do="replug", device="shoe"))["ok"]
        assert (await ask(do="power_cycle", device="shoe"))["ok"]
        (record,) = (await ask(do="truth"))["in_play"]
    assert record["faults"] == ["power_cycle", "unplug"]
    assert {struck["expect"] for struck in record["struck"]} <= {"either", "hold"}


async def test_what_nobody_knows_is_said() -> None:
    async with controlled(SHOE + SCANNER) as (sim, ask):
        answer = await ask(do="tell", device="shoe", word="hurry")
        assert (answer["ok"], "rescan" in answer["error"]) == (False, True)
        answer = await ask(do="inject", device="scanner", fault="restart")
        assert (answer["ok"], "double_scan" in answer["error"]) == (False, True)
        with pytest.raises(UnknownFault, match="angel-eye"):
            sim.inject("shoe", "double_scan")
        assert not sim.task.done()  # type: ignore[union-attr]
    async with running("roulette") as sim:
        with pytest.raises(UnknownWord, match="nobody stands at wheel"):
            await sim.tell("wheel", "rescan")


def test_the_command_lists_scenarios_and_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    names = {scenario["name"]: scenario["devices"] for scenario in listed["scenarios"]}
    assert names["cards-faults"] == ["shoe", "scanner"]
    assert {fault.value for fault in SHOE_FAULTS | SCANNER_FAULTS} <= set(listed["faults"])


def test_the_command_says_where_the_code_book_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["run", "baccarat-scanner", "--seconds", "0.1", "--run-dir", str(tmp_path), "--seed", "1"]) == 0
    (device,) = json.loads(capsys.readouterr().out)["devices"]
    assert device["driver"] == "barcode-serial"
    assert device["files"] == [str(tmp_path / "scanner.codebook.toml")]
    assert load_codebook(Path(device["files"][0])).decks == 8
