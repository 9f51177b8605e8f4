"""Breaking things while they run: by the control port and by the library's own calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hw_sim.control import control_port
from hw_sim.faults import UnknownFault
from hw_sim.simulation import Simulation, UnknownDevice, running

Ask = Callable[..., Awaitable[dict[str, Any]]]


@asynccontextmanager
async def controlled(scenario: str = "roulette", speed: float = 200) -> AsyncIterator[tuple[Simulation, Ask]]:
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


def there(port: str) -> bool:
    return Path(port).is_symlink()


async def test_a_fault_is_injected_into_the_next_spin() -> None:
    async with controlled() as (sim, ask):
        await sim.pause("wheel")
        (before,) = (await ask(do="truth"))["in_play"] or [{"spin": 0}]
        assert await ask(do="inject", device="wheel", fault="wrong_bare") == {"ok": True}
        await ask(do="resume", device="wheel")
        records = await asyncio.wait_for(sim.until_truth(before["spin"] + 2), 10)
    struck = [record["spin"] for record in records if "wrong_bare" in record["faults"]]
    assert struck == [before["spin"] + 1]


async def test_the_truth_so_far_and_since() -> None:
    async with controlled() as (sim, ask):
        await asyncio.wait_for(sim.until_truth(2), 10)
        answer = await ask(do="truth", since=1)
        assert answer["ok"]
        assert answer["truth"][0]["spin"] == 2
        assert all(record["finished"] for record in answer["truth"])
        assert all(not record["finished"] for record in answer["in_play"])


async def test_unplug_and_replug() -> None:
    async with controlled() as (sim, ask):
        path = sim.ports["wheel"]
        assert (await ask(do="unplug", device="wheel"))["ok"]
        assert not there(path)
        assert (await ask(do="status"))["devices"][0]["plugged"] is False
        assert (await ask(do="replug", device="wheel"))["ok"]
        assert there(path)
        assert (await ask(do="unplug", device="wheel", seconds=0.05))["ok"]
        async with asyncio.timeout(5):
            while not (await ask(do="status"))["devices"][0]["plugged"]:
                pass


async def test_every_spin_without_the_plug_says_so() -> None:
    async with running("roulette", speed=200, seed=4) as sim:
        await asyncio.wait_for(sim.until_truth(1), 10)
        await sim.unplug("wheel")
        out = len(sim.truth())
        await asyncio.wait_for(sim.until_truth(out + 2), 10)
        await sim.replug("wheel")
        back = len(sim.truth())
        records = await asyncio.wait_for(sim.until_truth(back + 2), 10)
    unplugged = ["unplug" in record["faults"] for record in records]
    assert unplugged[:out] == [False] * out
    assert all(unplugged[out : back + 1])
    assert not unplugged[back + 1]


async def test_an_unplug_that_has_not_ended_leaves_nothing_behind() -> None:
    async with controlled() as (_, ask):
        assert (await ask(do="unplug", device="wheel", seconds=3600))["ok"]


async def test_power_cycle() -> None:
    async with controlled() as (sim, ask):
        await asyncio.wait_for(sim.until_truth(2), 10)
        known = len(sim.truth())
        assert (await ask(do="power_cycle", device="wheel"))["ok"]
        await asyncio.wait_for(sim.until_truth(known + 2), 10)
        assert 1 in [record["counter"] for record in sim.truth()[known:]]


async def test_a_paused_wheel_hangs_with_its_port_there() -> None:
    async with controlled() as (sim, ask):
        await asyncio.wait_for(sim.until_truth(1), 10)
        assert (await ask(do="pause", device="wheel"))["ok"]
        unheard = [(await ask(do="status"))["devices"][0]["unheard_bytes"] for _ in range(50)]
        assert len(set(unheard)) == 1
        assert there(sim.ports["wheel"])
        assert (await ask(do="resume", device="wheel"))["ok"]
        known = len(sim.truth())
        records = await asyncio.wait_for(sim.until_truth(known + 1), 10)
        assert "stall" in records[known]["faults"], "the host heard nothing for a while"


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        ({"do": "inject", "device": "wheel", "fault": "wobble"}, "weak_launch"),
        ({"do": "inject", "device": "shoe", "fault": "stall"}, "wheel"),
        ({"do": "inject", "device": "wheel"}, "fault"),
        ({"do": "explode"}, "explode"),
        ({"do": "truth", "sinse": 3}, "sinse"),
        ({}, "do"),
    ],
)
async def test_what_it_cannot_do_it_says(request_: dict[str, str], names: str) -> None:
    async with controlled() as (_, ask):
        answer = await ask(**request_)
        assert answer["ok"] is False
        assert names in answer["error"]
        assert (await ask(do="status"))["ok"], "and goes on"


async def test_noise_is_answered_and_too_much_of_it_ends_the_connection() -> None:
    async with running("roulette") as sim, control_port(sim) as address:
        name, port = address.removeprefix("tcp://").split(":")
        reader, writer = await asyncio.open_connection(name, int(port))
        writer.write(b"\xff\x00 what?\n")
        assert json.loads(await reader.readline())["ok"] is False
        writer.write(b"x" * 200_000 + b"\n")
        with suppress(ConnectionResetError):
            assert await asyncio.wait_for(reader.readline(), 10) == b""
        writer.close()
        assert not sim.task.done()


async def test_the_librarys_own_calls_name_what_there_is() -> None:
    async with running("roulette-m360") as sim:
        with pytest.raises(UnknownDevice, match="wheel"):
            sim.inject("shoe", "weak_launch")
        with pytest.raises(UnknownFault, match="weak_launch"):
            sim.inject("wheel", "wobble")
        with pytest.raises(UnknownFault, match="m360"):
            sim.inject("wheel", "no_ball")
        with pytest.raises(UnknownDevice, match="wheel"):
            await sim.unplug("shoe")


async def test_the_same_seed_gives_the_same_truth() -> None:
    truths = []
    for _ in range(2):
        async with running("roulette-faults", speed=3000, seed=11) as sim:
            truths.append((await asyncio.wait_for(sim.until_truth(15), 20))[:15])
    assert truths[0] == truths[1]
    assert any(record["faults"] for record in truths[0])


async def test_truth_is_written_as_it_happens_and_what_is_unfinished_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "truth.jsonl"
    async with running("roulette", speed=200, truth=file) as sim:
        await asyncio.wait_for(sim.until_truth(1), 10)
        assert json.loads(file.read_text().splitlines()[0])["finished"]
        known = await asyncio.wait_for(sim.until_truth(len(sim.truth()) + 1), 10)
    # A record ends where the next spin begins: one is always in play.
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["finished"] for line in lines] == [True] * len(known) + [False]
    assert [line["spin"] for line in lines] == list(range(1, len(lines) + 1))
    assert all(line["written_unix_s"] > 1.6e9 for line in lines)
