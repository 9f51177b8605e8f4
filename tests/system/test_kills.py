"""``kill -9`` at random moments, with the wheel and a consumer going on: nothing lost, doubled or invented.

``DEALER_KILLS`` sets how many (default 8 of each; ``make soak`` does 50).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from pathlib import Path

import pytest

from hw_sim.simulation import running
from support.checker import broken_promises, committed
from support.live import Live, live, until

SPEED = 30.0
KILLS = int(os.environ.get("DEALER_KILLS", "8"))


async def settle(here: Live) -> None:
    """The wheel stands still; wait until everything committed has arrived."""
    await here.daemon.end()
    wanted = committed(here.state)[-1]["sequence"]
    await here.daemon_up()
    await until(
        lambda: {event["sequence"] for event in here.events()} >= set(range(1, wanted + 1)), "all events arrive", 60
    )
    await here.daemon.end()
    last = committed(here.state)[-1]["sequence"]
    await until(lambda: last in {event["sequence"] for event in here.events()}, "the last event arrives")


def check(here: Live, truth: list[dict[str, object]]) -> dict[str, int]:
    journal = committed(here.state)
    received = [message["body"] for message in here.messages() if "/events/" in message["topic"]]
    assert broken_promises(journal, received, truth) == []
    outcomes = sum(event["type"] == "round.outcome" for event in journal)
    return {
        "spins": len(truth),
        "outcomes": outcomes,
        "events": len(journal),
        "received": len(received),
        "repeats": len(received) - len(journal),
    }


async def kill_often(here: Live, what: str, kills: int, chance: random.Random) -> None:
    victim = here.daemon if what == "daemon" else here.broker
    for _ in range(kills):
        await asyncio.sleep(chance.uniform(0.3, 2.5))  # the random moment is what is tested
        assert here.daemon.running, here.daemon.said()[-2000:]
        await victim.kill()
        await (here.daemon_up() if what == "daemon" else here.broker_up())


@pytest.mark.parametrize("what", ["daemon", "broker"])
async def test_killed_again_and_again(what: str, tmp_path: Path, record_property: pytest.RecordProperty) -> None:
    seed = random.randrange(2**31)
    print(f"seed {seed}")
    figures = await run_kills(what, KILLS, tmp_path, seed)
    record_property("figures", json.dumps(figures))
    assert figures["outcomes"] >= 3


@pytest.mark.soak
@pytest.mark.parametrize("what", ["daemon", "broker"])
async def test_killed_fifty_times(what: str, tmp_path: Path) -> None:
    seed = random.randrange(2**31)
    print(json.dumps({"what": what, "seed": seed, "kills": 50} | await run_kills(what, 50, tmp_path, seed)))


async def run_kills(what: str, kills: int, folder: Path, seed: int) -> dict[str, int]:
    chance = random.Random(seed)
    async with live(folder) as here, running("roulette", speed=SPEED, seed=seed, run_dir=folder / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SPEED)
        await here.daemon_up()
        await kill_often(here, what, kills, chance)
        await until(lambda: any(e["type"] == "round.outcome" for e in here.events()), "an outcome")
        await wheel.until_truth(len(wheel.truth()) + 2)
        await wheel.pause("wheel")
        await settle(here)
        return check(here, wheel.truth(in_play=True))
