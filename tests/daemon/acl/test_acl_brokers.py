"""The access lists in the brokers they are for: each user does what it may, and nothing else arrives anywhere."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from paho.mqtt.enums import MQTTProtocolVersion

from dealer_daemon.acl import Grant, ejabberd_acl, grants, mosquitto_acl, read_clients
from dealer_daemon.config import load_config
from support.ejabberd import Node
from support.mqtt_brokers import Broker, free_port, mosquitto
from support.mqtt_person import V5, V311, Person

CONFIG = """
[station]
site = "studio-1"
state_dir = "state"
[mqtt]
username = "table-pc"
{by} = true
"""
TABLE = """
[tables.{name}]
game = "roulette"
spin = {{laps = "unobserved", unobserved = "accept"}}
[[tables.{name}.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/{name}"
"""
CLIENTS = """
[clients.lobby-7]
kind = "server"
tables = ["r1"]
[clients.lobby-8]
kind = "server"
tables = ["r2"]
[clients.screen]
kind = "dealer"
tables = ["r1"]
[clients.pit]
kind = "manager"
tables = ["*"]
[clients.audit]
kind = "consumer"
tables = ["r1"]
"""
USERS = ("table-pc", "lobby-7", "lobby-8", "screen", "pit", "audit", "nobody")
SAID = ("events/round.outcome", "outcome", "state", "board", "devices/wheel", "presence", "journal")
ASKED = ("commands/consumer/lobby-7", "commands/consumer/lobby-8", "commands/consumer/audit")
NAMED = ("commands/server/lobby-7", "commands/server/lobby-8", "commands/dealer/screen", "commands/manager/pit")
HEARD = (
    "commands",
    "commands/dealer",
    "commands/manager",
    "commands/technician",
    *ASKED,
    "acks/lobby-7",
    "acks/audit",
)
REPLIES = ("replies/lobby-7", "replies/pit", "replies/audit")
TOPICS = [f"dealer/v1/studio-1/{table}/{name}" for table in ("r1", "r2") for name in (*SAID, *HEARD, *NAMED, *REPLIES)]
ELSEWHERE = ["dealer/v1/studio-2/r1/outcome", "dealer/v1/studio-2/r1/commands", "dealer/v1/studio-1/r1", "other"]


def at(table: str, *names: str) -> set[str]:
    return {f"dealer/v1/studio-1/{table}/{name}" for name in names}


MAY_WRITE = {
    "table-pc": at("r1", *SAID, *REPLIES) | at("r2", *SAID, *REPLIES),
    "lobby-7": at("r1", "commands", "commands/consumer/lobby-7", "acks/lobby-7"),
    "lobby-8": at("r2", "commands", "commands/consumer/lobby-8"),
    "screen": at("r1", "commands/dealer"),
    "pit": at("r1", "commands/manager") | at("r2", "commands/manager"),
    "audit": at("r1", "commands/consumer/audit", "acks/audit"),
    "nobody": set(),
}
OWN = ("outcome", "presence", "journal")
MAY_READ = {
    "table-pc": at("r1", *HEARD, *OWN) | at("r2", *HEARD, *OWN),
    "lobby-7": at("r1", *SAID, "acks/lobby-7", "replies/lobby-7"),
    "lobby-8": at("r2", *SAID),
    "screen": at("r1", *SAID),
    "pit": at("r1", *SAID, "replies/pit") | at("r2", *SAID, "replies/pit"),
    "audit": at("r1", *SAID, "acks/audit", "replies/audit"),
    "nobody": set(),
}


MAY_WRITE_BY_NAME = MAY_WRITE | {
    "lobby-7": at("r1", "commands/server/lobby-7", "commands/consumer/lobby-7", "acks/lobby-7"),
    "lobby-8": at("r2", "commands/server/lobby-8", "commands/consumer/lobby-8"),
    "screen": at("r1", "commands/dealer/screen"),
    "pit": at("r1", "commands/manager/pit") | at("r2", "commands/manager/pit"),
}
MAY_READ_BY_NAME = MAY_READ | {"table-pc": MAY_READ["table-pc"] | at("r1", *NAMED) | at("r2", *NAMED)}


@pytest.fixture
def by() -> str:
    """By what the topics of commands tell who speaks."""
    return "roles_by_topic"


@pytest.fixture
def found(tmp_path: Path, by: str) -> list[Grant]:
    """The grants of the configuration, and a user of the test's own that may do everything."""
    (tmp_path / "station.toml").write_text(CONFIG.format(by=by) + TABLE.format(name="r1") + TABLE.format(name="r2"))
    (tmp_path / "clients.toml").write_text(CLIENTS)
    config = load_config(tmp_path / "station.toml")
    clients = read_clients(tmp_path / "clients.toml", config)
    return [*grants(config, clients, "table-pc"), Grant("all-seeing", ("#",), ("#",))]


def write_passwords(path: Path) -> None:
    path.touch(mode=0o600)
    for user in (*USERS, "all-seeing"):
        subprocess.run(["mosquitto_passwd", "-b", path, user, f"{user}-secret"], check=True)


@asynccontextmanager
async def mosquitto_with(folder: Path, found: list[Grant]) -> AsyncIterator[Broker]:
    (folder / "acl").write_text(mosquitto_acl(found))
    write_passwords(folder / "passwords")
    lines = ["allow_anonymous false", f"password_file {folder}/passwords", f"acl_file {folder}/acl"]
    broker = mosquitto(folder, lines)
    await broker.start()
    try:
        yield broker
    finally:
        broker.stop()


@asynccontextmanager
async def ejabberd_with(folder: Path, found: list[Grant]) -> AsyncIterator[Broker]:
    if shutil.which("ejabberdctl", path="/usr/sbin:/usr/bin") is None:
        pytest.skip("ejabberd is not installed")
    node = Node(folder / "e", "acl", "127.0.0.1", free_port(), secrets.token_hex(16), None)
    listen = f'listen:\n  - port: {node.port}\n    ip: "127.0.0.1"\n    module: mod_mqtt\n'
    # Any password will do: who somebody is, is not what is tested here.
    head = 'hosts: ["studio.test"]\nauth_method: anonymous\nanonymous_protocol: login_anon\n'
    (folder / "e" / "ejabberd.yml").write_text(head + listen + ejabberd_acl(found, "studio.test"))
    try:
        await node.start()
        yield node
    finally:
        node.kill()


CASES = [
    pytest.param(mosquitto_with, V5, "roles_by_topic", id="mosquitto, MQTT 5"),
    pytest.param(mosquitto_with, V311, "roles_by_topic", id="mosquitto, MQTT 3.1.1"),
    pytest.param(ejabberd_with, V5, "roles_by_topic", id="ejabberd, MQTT 5"),
    pytest.param(mosquitto_with, V5, "names_by_topic", id="mosquitto, names"),
    pytest.param(ejabberd_with, V5, "names_by_topic", id="ejabberd, names", marks=pytest.mark.soak),
]


async def arrived(person: Person, body: bytes) -> None:
    async with asyncio.timeout(10):
        while not any(message.payload == body for message in person.messages):
            await asyncio.sleep(0.005)


@pytest.mark.parametrize(("start", "version", "by"), CASES)
async def test_each_user_publishes_and_reads_what_the_list_says_and_nothing_else(
    tmp_path: Path, found: list[Grant], start: type, version: MQTTProtocolVersion, by: str
) -> None:
    named = by == "names_by_topic"
    may_write, may_read = (MAY_WRITE_BY_NAME, MAY_READ_BY_NAME) if named else (MAY_WRITE, MAY_READ)
    everywhere = TOPICS + ELSEWHERE
    async with (
        start(tmp_path, found) as broker,
        Person(broker.port, "#", user="all-seeing", password="all-seeing-secret", version=version) as all_seeing,
    ):
        for user in USERS:
            async with Person(broker.port, user=user, password=f"{user}-secret", version=version) as person:
                # Publishing: what arrives at somebody who sees everything.
                all_seeing.messages.clear()
                refused = {topic for topic in everywhere if await person.publish(topic, user.encode())}
                await all_seeing.publish("end", b"end")
                await arrived(all_seeing, b"end")
                written = {m.topic for m in all_seeing.messages if m.payload == user.encode()}
                assert written == may_write[user], f"{user} publishes"
                # MQTT 3.1.1 has no way to refuse a message: a broker acknowledges it and gives it to nobody.
                assert refused == (set(everywhere) - written if version is V5 else set())
                # Reading: each topic by its name, and what would show everything at once.
                for topic_filter in [*everywhere, "dealer/v1/#", "dealer/v1/studio-1/+/commands/#", "#"]:
                    await person.subscribe(topic_filter)
                person.messages.clear()
                for topic in everywhere:
                    await all_seeing.publish(topic, b"to all")
                if may_read[user]:
                    await all_seeing.publish(min(may_read[user]), b"end")
                    await arrived(person, b"end")
                assert {message.topic for message in person.messages} == may_read[user], f"{user} reads"


async def test_who_does_not_say_who_he_is_does_not_come_in(tmp_path: Path, found: list[Grant]) -> None:
    async with mosquitto_with(tmp_path, found) as broker:
        for user, password in ((None, ""), ("lobby-7", "wrong"), ("stranger", "x")):
            with pytest.raises(PermissionError):
                async with Person(broker.port, user=user, password=password):
                    pass
