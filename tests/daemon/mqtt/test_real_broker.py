"""All of a table's MQTT against a real mosquitto: killed, restarted, frozen, locked, and over TLS."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.commands import Command, Reply
from dealer_daemon.events import EventData
from dealer_daemon.journal import Journal
from dealer_daemon.mqtt.outbox import Outbox
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.settings import BrokerSettings
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.mqtt.uplink import Uplink
from support.mqtt_brokers import Broker, free_port, mosquitto
from support.mqtt_link import until
from support.mqtt_outbox import MemoryOutbox, opened, outcome
from support.mqtt_wire import V5, Publish, Witness

TOPICS = Topics("dealer/v1", "studio-1", "r1")
EVERYTHING = f"{TOPICS.base}/#"


async def no_commands(_table: str, command: Command) -> Reply:
    return Reply(command=command.id, ok=True)


@asynccontextmanager
async def uplink_to(
    port: int,
    outbox: Outbox,
    *,
    boot: str = "boot-a",
    handler: Callable[..., Any] = no_commands,
    in_flight: int = 16,
    **changes: Any,
) -> AsyncIterator[Uplink]:
    fast = {"backoff_min_s": 0.02, "backoff_max_s": 0.2, "refused_wait_s": 0.2, "ack_timeout_s": 5}
    settings = BrokerSettings(**{"host": "127.0.0.1", "port": port, "client_id": "studio-1-r1", **fast, **changes})
    uplink = Uplink(
        settings,
        TOPICS,
        outbox,
        handler,
        boot=boot,
        version="test",
        since="2026-01-01T00:00:00.000000Z",
        in_flight=in_flight,
    )
    uplink.start()
    try:
        yield uplink
    finally:
        await uplink.stop(timeout_s=2)


@asynccontextmanager
async def running(broker: Broker) -> AsyncIterator[Broker]:
    await broker.start()
    try:
        yield broker
    finally:
        broker.stop()


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Broker]:
    async with running(mosquitto(tmp_path)) as started:
        yield started


def events_of(seen: list[Publish]) -> list[dict[str, Any]]:
    return [json.loads(m.payload) for m in seen if m.topic.startswith(f"{TOPICS.base}/events/")]


async def test_what_a_late_joiner_finds(broker: Broker) -> None:
    outbox = MemoryOutbox()
    async with uplink_to(broker.port, outbox) as uplink:
        outbox.commit(opened(), outcome("17"), opened())
        uplink.set_state({"doing": "betting", "sequence": 3})
        uplink.set_device("wheel", {"link": "up"})
        await until(lambda: uplink.published == 3)
        assert uplink.status.version is MqttVersion.V5
        assert uplink.problems == []
        async with Witness.connected(broker.port) as witness:
            await witness.subscribe(EVERYTHING)
            seen = await witness.until(lambda seen: len(seen) >= 4)
    found = {m.topic: json.loads(m.payload) for m in seen}
    assert all(m.retain for m in seen)
    assert found[TOPICS.outcome]["sequence"] == 2
    assert found[TOPICS.state] == {"doing": "betting", "sequence": 3}
    assert found[TOPICS.device("wheel")] == {"link": "up"}
    assert (found[TOPICS.presence]["online"], found[TOPICS.presence]["protocol"]) == (True, "5")


async def test_no_event_is_lost_over_five_kills_of_a_broker_that_forgets_everything(tmp_path: Path) -> None:
    """The consumer does what every consumer must: it knows ids, and asks again for what is missing."""
    outbox, have = MemoryOutbox(), dict[int, bytes]()
    broker = mosquitto(tmp_path)
    bodies: dict[int, set[bytes]] = {}
    stop = asyncio.Event()

    async def table() -> None:
        while not stop.is_set():
            outbox.commit(outcome(str(len(outbox.stored) % 37)))
            await asyncio.sleep(0.002)

    async with running(broker), uplink_to(broker.port, outbox) as uplink:

        async def consume() -> None:
            async with Witness.connected(broker.port, "settler", clean=False) as witness:
                taken = 0
                await witness.subscribe(f"{TOPICS.base}/events/+")
                while True:
                    seen = await witness.until(lambda seen, taken=taken: len(seen) > taken, timeout_s=60)
                    for message in seen[taken:]:
                        sequence = json.loads(message.payload)["sequence"]
                        bodies.setdefault(sequence, set()).add(message.payload)
                        if sequence > len(have) + 1:
                            uplink.resend(len(have) + 1)
                        elif sequence == len(have) + 1:
                            have[sequence] = message.payload
                    taken = len(seen)

        async def consumer() -> None:
            while True:
                try:
                    await consume()
                except (ConnectionError, OSError, asyncio.IncompleteReadError, TimeoutError):
                    await asyncio.sleep(0.02)

        tasks = [asyncio.create_task(table()), asyncio.create_task(consumer())]
        try:
            for _ in range(5):
                reached = len(have) + 50
                await until(lambda reached=reached: len(have) >= reached, timeout_s=20)
                broker.kill()
                await until(lambda: not uplink.status.connected)
                await broker.start()
            stop.set()
            await tasks[0]
            await until(lambda: len(have) == len(outbox.stored), timeout_s=20)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
    assert len(outbox.stored) > 250
    assert all(len(found) == 1 for found in bodies.values()), "a repeat has the same body"
    assert set(bodies) == set(range(1, len(outbox.stored) + 1)), "nothing is invented"


async def test_a_table_restarted_from_its_journal_goes_on_with_the_same_bodies(broker: Broker, tmp_path: Path) -> None:
    seen: list[Publish] = []
    async with Witness.connected(broker.port) as witness:
        await witness.subscribe(f"{TOPICS.base}/events/+")
        for boot in range(3):
            journal = Journal.open(tmp_path / "state", boot=f"boot-{boot}")
            try:
                async with uplink_to(broker.port, journal, boot=f"boot-{boot}") as uplink:
                    last = journal.last_sequence("r1")
                    made = MemoryOutbox()
                    made.stored = list(journal.events("r1"))
                    journal.commit(made.commit(opened(), outcome(str(boot))))
                    await until(lambda uplink=uplink, last=last: uplink.published == last + 2)
            finally:
                journal.close()
        seen = await witness.until(lambda seen: len(seen) >= 6)
    assert [each["sequence"] for each in events_of(seen)] == [1, 2, 3, 4, 5, 6]


async def test_an_orderly_stop_delivers_everything_and_says_goodbye_last(broker: Broker) -> None:
    outbox = MemoryOutbox()
    async with Witness.connected(broker.port) as witness:
        await witness.subscribe(EVERYTHING)
        async with uplink_to(broker.port, outbox, in_flight=4) as uplink:
            await until(lambda: uplink.status.connected)
            outbox.commit(*[opened()] * 500)
        seen = await witness.until(lambda seen: len(events_of(seen)) >= 500)
        seen = await witness.until(lambda seen: b'"online":false' in seen[-1].payload)
    assert [each["sequence"] for each in events_of(seen)] == list(range(1, 501))
    assert json.loads(seen[-1].payload)["boot"] == "boot-a"
    assert "version" in json.loads(seen[-1].payload), "it is the goodbye and not the will"


async def test_the_will_stands_when_a_station_is_cut_off_and_a_new_birth_replaces_it(broker: Broker) -> None:
    async with Witness.connected(broker.port) as witness:
        await witness.subscribe(TOPICS.presence)
        async with uplink_to(broker.port, MemoryOutbox()) as uplink:
            await until(lambda: uplink.status.connected)
            await witness.until(lambda seen: bool(seen) and json.loads(seen[-1].payload)["online"])
            connection = uplink._client._connection
            assert connection is not None
            connection._dispose()  # the cable is cut: no goodbye, and we have not noticed
            await witness.until(lambda seen: json.loads(seen[-1].payload) == {"online": False, "boot": "boot-a"})
            connection._sock = None
            async with uplink_to(broker.port, MemoryOutbox(), boot="boot-b"):
                await witness.until(lambda seen: json.loads(seen[-1].payload).get("boot") == "boot-b")


async def test_an_old_will_that_comes_late_does_not_bury_the_birth(broker: Broker) -> None:
    async with uplink_to(broker.port, MemoryOutbox(), boot="new"), Witness.connected(broker.port) as other:
        await other.subscribe(TOPICS.presence)
        await other.until(lambda seen: bool(seen) and json.loads(seen[-1].payload)["boot"] == "new")
        await other.publish(TOPICS.presence, b'{"online":false,"boot":"old"}', retain=True)
        await other.until(lambda seen: len(seen) >= 3)
        async with Witness.connected(broker.port, "late") as late:
            await late.subscribe(TOPICS.presence)
            [found] = await late.until(bool)
        assert (json.loads(found.payload)["online"], json.loads(found.payload)["boot"]) == (True, "new")


async def test_two_stations_with_one_client_id_are_told_so(broker: Broker) -> None:
    async with uplink_to(broker.port, MemoryOutbox(), refused_wait_s=30) as first:
        await until(lambda: first.status.connected)
        async with uplink_to(broker.port, MemoryOutbox(), boot="boot-b", refused_wait_s=30) as second:
            both = (first, second)
            await until(lambda: any("mqtt_taken_over" in [p.code for p in each.problems] for each in both))
            await until(lambda: any(each.status.connected for each in both))


async def test_a_frozen_broker_is_left_and_found_again_and_nothing_is_lost(broker: Broker) -> None:
    outbox = MemoryOutbox()
    async with Witness.connected(broker.port) as witness:
        await witness.subscribe(f"{TOPICS.base}/events/+")
        async with uplink_to(broker.port, outbox, ack_timeout_s=0.5, connack_timeout_s=0.5) as uplink:
            await until(lambda: uplink.status.connected)
            outbox.commit(opened())
            await until(lambda: uplink.published == 1)
            broker.signal(signal.SIGSTOP)
            outbox.commit(opened(), outcome("3"))
            await until(lambda: not uplink.status.connected)
            assert uplink.problems
            broker.signal(signal.SIGCONT)
            await until(lambda: uplink.published == 3)
        seen = await witness.until(lambda seen: {e["sequence"] for e in events_of(seen)} == {1, 2, 3})
    assert len({m.payload for m in seen}) == 3


async def test_commands_are_answered_on_the_response_topic_once_in_effect(broker: Broker) -> None:
    effects: list[str] = []

    async def handler(_table: str, command: Command) -> Reply:
        if command.id not in effects:
            effects.append(command.id)
        return Reply(command=command.id, ok=True, result={"n": effects.index(command.id) + 1})

    body = json.dumps(
        {"id": "c-1", "type": "round.open", "source": "/lobby", "data": {"by": "settlement", "role": "server"}}
    ).encode()
    async with uplink_to(broker.port, MemoryOutbox(), handler=handler) as uplink:
        await until(lambda: uplink.status.connected)
        async with Witness.connected(broker.port, "lobby", version=V5) as lobby:
            await lobby.subscribe("lobby/in")
            await lobby.subscribe(TOPICS.replies("lobby"))
            for _ in range(2):
                await lobby.publish(TOPICS.commands, body, values={8: "lobby/in", 9: b"r-1"})
            await lobby.publish(TOPICS.commands, body)
            await lobby.publish(TOPICS.commands, body, values={8: TOPICS.outcome})
            seen = await lobby.until(lambda seen: len(seen) >= 4)
    assert effects == ["c-1"]
    assert [m.topic for m in seen] == ["lobby/in", "lobby/in", TOPICS.replies("lobby"), TOPICS.replies("lobby")]
    assert len({m.payload for m in seen}) == 1
    assert seen[0].properties[9] == b"r-1"
    assert seen[0].properties[3] == "application/cloudevents+json; charset=utf-8"
    assert json.loads(seen[0].payload)["data"]["ok"] is True


async def test_a_command_that_was_retained_is_not_carried_out(broker: Broker) -> None:
    handled: list[str] = []

    async def handler(_table: str, command: Command) -> Reply:
        handled.append(command.id)
        return Reply(command=command.id, ok=True)

    def command(command_id: str) -> bytes:
        data = {"by": "settlement", "role": "server"}
        return json.dumps({"id": command_id, "type": "round.void", "source": "/lobby", "data": data}).encode()

    async with Witness.connected(broker.port, "lobby") as lobby:
        await lobby.publish(TOPICS.commands, command("stale"), retain=True)
        async with uplink_to(broker.port, MemoryOutbox(), handler=handler) as uplink:
            await until(lambda: uplink.status.connected)
            await lobby.publish(TOPICS.commands, command("fresh"))
            await until(lambda: bool(handled))
    assert handled == ["fresh"]


async def test_acknowledgements_of_consumers_reach_the_publisher(broker: Broker) -> None:
    outbox = MemoryOutbox()
    outbox.commit(*[opened()] * 5)
    async with uplink_to(broker.port, outbox) as uplink, Witness.connected(broker.port) as settler:
        await until(lambda: uplink.published == 5)
        await settler.publish(TOPICS.acks("settler"), b'{"sequence":4}', retain=True)
        await until(lambda: uplink.consumer_acks == {"settler": 4})


async def test_an_access_list_that_forbids_an_event_stops_the_table_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dealer_daemon.mqtt.publisher.RETRY_S", 0.1)
    acl = tmp_path / "acl"
    rules = [f"topic readwrite {TOPICS.base}/{rest}" for rest in ("presence", "outcome", "events/round.opened")]
    acl.write_text("\n".join([*rules, f"topic read {TOPICS.base}/#"]) + "\n")
    acl.chmod(0o600)
    outbox = MemoryOutbox()
    broker = mosquitto(tmp_path, ["allow_anonymous true", f"acl_file {acl}"])
    async with running(broker), uplink_to(broker.port, outbox) as uplink:
        outbox.commit(opened(), outcome("17"), opened())
        await until(lambda: "event_refused" in [p.code for p in uplink.problems])
        assert uplink.published == 1
        detail = next(p.detail for p in uplink.problems if p.code == "event_refused")
        assert "event 2" in detail
        assert "Not authorized" in detail
        acl.write_text(f"topic readwrite {TOPICS.base}/#\n")
        broker.signal(signal.SIGHUP)
        await until(lambda: uplink.published == 3)
        assert [p.code for p in uplink.problems] == []


def broker_password(path: Path, user: str, password: str) -> None:
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(path), user, password], check=True)


async def test_a_password_from_a_file_opens_the_broker_and_a_wrong_one_is_said(tmp_path: Path) -> None:
    passwords, secret = tmp_path / "passwords", tmp_path / "secret"
    broker_password(passwords, "r1", "right")
    secret.write_text("wrong\n")
    broker = mosquitto(tmp_path, ["allow_anonymous false", f"password_file {passwords}"])
    async with (
        running(broker),
        uplink_to(broker.port, MemoryOutbox(), username="r1", password_file=secret) as uplink,
    ):
        await until(lambda: "mqtt_refused" in [p.code for p in uplink.problems])
        assert "wrong" not in str(uplink.problems)
        secret.write_text("right\n")
        await until(lambda: uplink.status.connected)


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate authority, a broker's and a client's certificate, made with openssl."""
    folder = tmp_path_factory.mktemp("pki")

    def run(*command: str) -> None:
        subprocess.run(["openssl", *command], cwd=folder, check=True, capture_output=True)

    def key(name: str) -> list[str]:
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key"]

    for authority in ("ca", "other"):
        subject = f"/CN=test {authority}"
        run("req", "-x509", *key(authority), "-out", f"{authority}.pem", "-days", "2", "-subj", subject)
    (folder / "san").write_text("subjectAltName=IP:127.0.0.1\n")
    for name in ("broker", "client"):
        run("req", *key(name), "-out", f"{name}.csr", "-subj", f"/CN={name}")
        signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "san"]
        run("x509", "-req", "-in", f"{name}.csr", "-out", f"{name}.pem", *signing)
    return folder


def tls_broker(folder: Path, pki: Path) -> Broker:
    listener = [f"cafile {pki}/ca.pem", f"certfile {pki}/broker.pem", f"keyfile {pki}/broker.key"]
    return mosquitto(folder, listener=[*listener, "require_certificate true"])


async def test_over_tls_both_sides_prove_themselves_and_every_message_of_a_burst_arrives(
    tmp_path: Path, pki: Path
) -> None:
    outbox = MemoryOutbox()
    outbox.commit(*[opened()] * 300)
    files = {"ca_file": pki / "ca.pem", "cert_file": pki / "client.pem", "key_file": pki / "client.key"}
    broker = tls_broker(tmp_path, pki)
    async with running(broker), uplink_to(broker.port, outbox, tls=True, **files) as uplink:
        await until(lambda: uplink.published == 300)
        assert uplink.problems == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ca_file": "other.pem"}, "certificate verify failed"),
        ({"ca_file": "absent.pem"}, "No such file"),
        ({"host": "localhost"}, "Hostname mismatch"),
    ],
)
async def test_a_broker_that_cannot_prove_itself_is_not_spoken_to(
    tmp_path: Path, pki: Path, changes: dict[str, str], words: str
) -> None:
    files = {"ca_file": pki / "ca.pem", "cert_file": pki / "client.pem", "key_file": pki / "client.key"}
    if "ca_file" in changes:
        files["ca_file"] = pki / changes["ca_file"]
    more = {"host": changes["host"]} if "host" in changes else {}
    broker = tls_broker(tmp_path, pki)
    async with running(broker), uplink_to(broker.port, MemoryOutbox(), tls=True, **files, **more) as uplink:
        await until(lambda: bool(uplink.problems))
        assert uplink.problems[0].code == "mqtt_tls"
        assert words in uplink.problems[0].detail


async def test_a_burst_of_messages_in_one_tls_record_is_read_to_its_end(tmp_path: Path, pki: Path) -> None:
    """Retained acknowledgements of many consumers come at once, and the selector reports only the first bytes."""
    files = {"ca_file": pki / "ca.pem", "cert_file": pki / "client.pem", "key_file": pki / "client.key"}
    broker = tls_broker(tmp_path, pki)
    plain_port = free_port()
    broker.more_ports.append(plain_port)
    config = tmp_path / "mosquitto.conf"
    config.write_text(config.read_text() + f"listener {plain_port} 127.0.0.1\nallow_anonymous true\n")
    outbox = MemoryOutbox()
    outbox.commit(opened())
    async with running(broker):
        async with Witness.connected(plain_port) as settler:
            for n in range(60):
                await settler.publish(TOPICS.acks(f"c{n}"), b'{"sequence":1}', retain=True)
        async with uplink_to(broker.port, outbox, tls=True, **files) as uplink:
            await until(lambda: len(uplink.consumer_acks) == 60)


def numbers(count: int) -> list[EventData]:
    return [outcome(str(n % 37)) for n in range(count)]


async def test_a_whole_backlog_goes_out_with_few_writes_of_the_cursor(broker: Broker) -> None:
    outbox = MemoryOutbox()
    outbox.commit(*numbers(2000))
    async with uplink_to(broker.port, outbox) as uplink:
        since = asyncio.get_running_loop().time()
        await until(lambda: uplink.published == 2000, timeout_s=30)
        took_s = asyncio.get_running_loop().time() - since
    assert outbox.writes <= 2 + took_s / 0.5, "the cursor is kept in batches"
