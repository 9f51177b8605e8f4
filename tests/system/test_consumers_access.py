"""The documented consumers under the access list that the station writes, and before a broker that says no."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest

from dealer_daemon.acl import grants, mosquitto_acl, read_clients
from dealer_daemon.config import load_config
from hw_sim.simulation import running
from support.checker import committed
from support.consumers import NodeConsumer, PythonConsumer, Settled
from support.live import BASE, PREFIX, SITE, TABLE, Live, until
from support.mqtt_wire import (
    PINGREQ,
    PINGRESP,
    PUBLISH,
    SUBSCRIBE,
    Peer,
    Publish,
    packet,
    scripted_broker,
    suback_packet,
)

SPEED = 25.0
MAKE = {"py-settler": PythonConsumer, "js-settler": NodeConsumer}
NOT_AUTHORIZED = 0x87
CLIENTS = """
[clients.py-settler]
kind = "consumer"
tables = ["*"]
[clients.js-settler]
kind = "consumer"
tables = ["r1"]
"""


@pytest.mark.parametrize("roles_by_topic", [False, pytest.param(True, marks=pytest.mark.soak)])
async def test_a_consumer_that_comes_late_gets_everything_under_its_access_list(
    tmp_path: Path, roles_by_topic: bool
) -> None:
    here = Live(tmp_path)
    consumers: list[Settled] = [PythonConsumer(tmp_path, here.port), NodeConsumer(tmp_path, here.port)]
    try:
        async with running("roulette", speed=SPEED, seed=12, run_dir=tmp_path / "dev") as wheel:
            here.configure(wheel.ports["wheel"], speed=SPEED)
            secure(here, roles_by_topic)
            await here.broker_up()
            await here.daemon_up()
            played = lambda: len([each for each in committed(here.state) if each["type"] == "round.outcome"])  # noqa: E731
            await until(lambda: here.state.exists() and played() >= 2, f"rounds are played:\n{here.daemon.said()}")
            for consumer in consumers:
                await consumer.child.start()
            for consumer in consumers:
                there = committed(here.state)[-1]["sequence"]
                done = lambda c=consumer, n=there: c.handled() >= n  # noqa: E731
                await until(done, f"nothing is missing:\n{consumer.child.said()}")  # type: ignore[arg-type]
                assert consumer.settled()[0]["id"].startswith(f"{SITE}/{TABLE}/")
                assert len(consumer.settled()) >= 2
    finally:
        for child in (here.daemon, here.broker, *(consumer.child for consumer in consumers)):
            await child.kill()


def secure(here: Live, roles_by_topic: bool) -> None:
    """The generated list. The consumers give no user name: theirs are the rights of all who give none."""
    (here.folder / "secret").write_text("a-secret")
    (here.folder / "secret").chmod(0o600)
    mqtt = f'[mqtt]\nusername = "table-pc"\npassword_file = "{here.folder}/secret"\n'
    mqtt += f"roles_by_topic = {str(roles_by_topic).lower()}"
    here.config.write_text(here.config.read_text().replace("[mqtt]", mqtt, 1))
    (here.folder / "clients.toml").write_text(CLIENTS)
    config = load_config(here.config)
    station, *others = grants(config, read_clients(here.folder / "clients.toml", config), "table-pc")
    nameless = "".join(mosquitto_acl([grant]).replace(f"user {grant.user}\n", "") for grant in others)
    (here.folder / "acl").write_text(nameless + mosquitto_acl([station]))
    subprocess.run(["mosquitto_passwd", "-c", "-b", here.folder / "passwords", "table-pc", "a-secret"], check=True)
    with (here.folder / "mosquitto.conf").open("a") as conf:
        conf.write(f"user root\npassword_file {here.folder}/passwords\nacl_file {here.folder}/acl\n")


async def test_what_the_broker_refuses_is_said_and_tried_again(tmp_path: Path) -> None:
    cases = {tmp_path / f"{name}-{len(tables)}": (name, tables) for name in MAKE for tables in ("+", f"b7,{TABLE}")}
    for folder in cases:
        folder.mkdir()
    await asyncio.gather(*(is_refused_and_tries_again(folder, *case) for folder, case in cases.items()))


async def is_refused_and_tries_again(folder: Path, name: str, tables: str) -> None:
    table = tables.split(",")[-1]
    allowed, acknowledged = asyncio.Event(), asyncio.Event()
    subscribed: list[bool] = []

    async def broker(peer: Peer, _number: int) -> None:
        await peer.accept()
        state = json.dumps({"last_sequence": 0}).encode()
        while True:
            got = await peer.read()
            code = None if allowed.is_set() else NOT_AUTHORIZED
            if got.kind == SUBSCRIBE:
                subscribed.append(allowed.is_set())
                peer.send(suback_packet(peer.version, got, code))
                if len(subscribed) == 1:
                    peer.send(Publish(f"{BASE}/state", state, 1, True, False, 7, {}).encode(peer.version))
            elif got.kind == PUBLISH:
                message = got.publish(peer.version)
                assert message.topic == f"{BASE}/acks/{name}"
                peer.acknowledge(message, code or 0)
                if allowed.is_set() and True in subscribed:
                    acknowledged.set()
            elif got.kind == PINGREQ:
                peer.send(packet(PINGRESP, 0, b""))

    async with scripted_broker(broker) as port:
        consumer: Settled = MAKE[name](folder, port)  # type: ignore[abstract]
        consumer.child.command = ("env", f"TABLES={tables}", *consumer.child.command)
        try:
            await consumer.child.start()
            for words in (
                f"refuses reading {PREFIX}/{SITE}/{table}/events/+",
                f"refuses publishing to {BASE}/acks/{name}",
            ):
                await until(lambda w=words: w in consumer.child.said(), f"it says {words}")  # type: ignore[misc]
            assert consumer.child.running
            allowed.set()
            async with asyncio.timeout(20):
                await acknowledged.wait()
        finally:
            await consumer.child.kill()
