"""The consumers that the documentation gives: whatever is killed, each settles every event once and in order."""

from __future__ import annotations

import random
from pathlib import Path

import paho.mqtt.publish as publish
import pytest

from dealer_daemon.mqtt.envelope import encode_event, event_signer
from dealer_daemon.signing.keys import make_key, read_signing_key
from hw_sim.simulation import running
from support.checker import committed, sent_of
from support.consumers import NodeConsumer, PythonConsumer, Settled
from support.live import BASE, SITE, TABLE, Live, until
from support.mqtt_outbox import event, outcome

SPEED = 25.0
SETTLED = ("round.outcome", "outcome.corrected", "round.voided")


def outcomes(consumer: Settled) -> int:
    return len(consumer.settled())


def due(here: Live) -> list[dict[str, object]]:
    """What a consumer must have settled in the end: each once, in the order of the journal."""
    ends = [each for each in committed(here.state) if each["type"] in SETTLED]
    return [
        {
            "id": f"{SITE}/{TABLE}/{each['sequence']}",
            "type": each["type"],
            "round": each["subject"],
            "data": sent_of(each),
        }
        for each in ends
    ]


async def settle_on(consumers: list[Settled], what: str) -> None:
    """Every consumer settles something that none of them had."""
    before = max(outcomes(consumer) for consumer in consumers)
    for consumer in consumers:
        more = lambda c=consumer: outcomes(c) > before  # noqa: E731
        await until(more, f"{what}: settling goes on:\n{consumer.child.said()}")  # type: ignore[arg-type]


async def killed_and_restarted(here: Live, consumers: list[Settled], victims: list[str]) -> None:
    for victim in victims:
        if victim == "daemon":
            await here.daemon.kill()
            await here.daemon_up()
        elif victim == "broker":
            await here.broker.kill()
            await here.broker_up()
        elif victim == "all":
            for child in (here.broker, here.daemon, *(consumer.child for consumer in consumers)):
                await child.kill()
            for consumer in consumers:
                await consumer.child.start()
            await here.broker_up()
            await here.daemon_up()
        else:
            for consumer in consumers:
                await consumer.child.kill()
                await consumer.child.start()
        await settle_on(consumers, f"after the end of {victim}")


async def play(folder: Path, victims: list[str]) -> None:
    here = Live(folder)
    private, public = make_key(folder / "keys")
    consumers: list[Settled] = [
        PythonConsumer(folder, here.port, [public]),
        NodeConsumer(folder, here.port, [public]),
    ]
    try:
        async with running("roulette", speed=SPEED, seed=12, run_dir=folder / "dev") as wheel:
            here.configure(wheel.ports["wheel"], speed=SPEED)
            text = here.config.read_text().replace("[mqtt]", f'signing_key_file = "{private}"\n[mqtt]', 1)
            here.config.write_text(text)
            await here.broker_up()
            await here.daemon_up()
            for consumer in consumers:
                await consumer.child.start()
            await settle_on(consumers, "at the beginning")
            await killed_and_restarted(here, consumers, victims)
            before = len(links_lost(here))
        await until(lambda: len(links_lost(here)) > before, "the wheel is gone")
        for consumer in consumers:
            done = lambda c=consumer: c.handled() == committed(here.state)[-1]["sequence"]  # noqa: E731
            await until(done, f"everything is handled:\n{consumer.child.said()}")  # type: ignore[arg-type]
        last = committed(here.state)[-1]["sequence"]
        forge(here.port, last + 1, private, make_key(folder / "foreign")[0])
        for consumer in consumers:
            refused = lambda c=consumer: c.child.said().count("no station signed") == 3  # noqa: E731
            await until(refused, f"forgeries are refused:\n{consumer.child.said()}")  # type: ignore[arg-type]
            assert consumer.handled() == last
            assert consumer.settled() == due(here)
            assert consumer.child.running
        assert await here.daemon.end() == 0
    finally:
        for child in (here.daemon, here.broker, *(consumer.child for consumer in consumers)):
            await child.kill()


def links_lost(here: Live) -> list[dict[str, object]]:
    return [each for each in committed(here.state) if each["data"].get("fault") == "link_lost"]


def forge(port: int, sequence: int, ours: Path, foreign: Path) -> None:
    """Three outcomes that would be the next: unsigned, signed by somebody, and by the station but for one letter."""
    forged = event(sequence, outcome("17"), TABLE)
    unsigned = encode_event(SITE, forged)
    by_somebody = encode_event(SITE, forged, event_signer(SITE, read_signing_key(foreign))(forged))
    by_station = encode_event(SITE, forged, event_signer(SITE, read_signing_key(ours))(forged))
    bodies = [unsigned, by_somebody, by_station.replace(b'"number":"17"', b'"number":"18"')]
    assert len(set(bodies)) == 3
    topic = f"{BASE}/events/round.outcome"
    publish.multiple([(topic, body, 1, False) for body in bodies], hostname="127.0.0.1", port=port)


async def test_whatever_is_killed_each_event_is_settled_once_and_in_order(tmp_path: Path) -> None:
    await play(tmp_path, ["consumers", "broker", "daemon"])


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_killed_again_and_again(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    await play(tmp_path, [chance.choice(["consumers", "broker", "daemon", "all"]) for _ in range(40)])
