"""All of a table's MQTT against a real mosquitto: killed, restarted, frozen, and locked."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.commands import Command, Reply
from dealer_daemon.journal import Journal
from dealer_daemon.mqtt.reconnect import MqttVersion
from support.mqtt_brokers import Broker, mosquitto
from support.mqtt_link import until
from support.mqtt_outbox import MemoryOutbox, opened, outcome
from support.mqtt_uplink import EVERYTHING, TOPICS, running, uplink_to
from support.mqtt_wire import V5, Publish, Witness


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
        await until(lambda: uplink.published == 3 and uplink._retained.settled)
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


async def test_what_a_late_joiner_finds_at_a_broker_that_forgot_everything(broker: Broker) -> None:
    outbox = MemoryOutbox()
    async with uplink_to(broker.port, outbox) as uplink:
        outbox.commit(outcome("17"))
        uplink.set_state({"sequence": 1})
        await until(lambda: uplink.published == 1 and uplink._retained.settled)
        broker.kill()
        await broker.start()
        await until(lambda: uplink.status.connected)
        async with Witness.connected(broker.port) as witness:
            await witness.subscribe(EVERYTHING)
            await witness.until(lambda seen: {m.topic for m in seen} >= {TOPICS.outcome, TOPICS.state, TOPICS.presence})


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
            connection._wire.dispose()  # the cable is cut: no goodbye, and we have not noticed
            await witness.until(lambda seen: json.loads(seen[-1].payload) == {"online": False, "boot": "boot-a"})
            async with uplink_to(broker.port, MemoryOutbox(), boot="boot-b"):
                await witness.until(lambda seen: json.loads(seen[-1].payload).get("boot") == "boot-b")


async def test_an_old_will_that_comes_late_does_not_bury_the_birth(broker: Broker) -> None:
    async with uplink_to(broker.port, MemoryOutbox(), boot="new"), Witness.connected(broker.port) as other:
        await other.subscribe(TOPICS.presence)
        await other.until(lambda seen: bool(seen) and json.loads(seen[-1].payload)["boot"] == "new")
        await other.publish(TOPICS.presence, b'{"online":false,"boot":"old"}', retain=True)
        await other.until(lambda seen: [json.loads(m.payload)["boot"] for m in seen[-2:]] == ["old", "new"])
        async with Witness.connected(broker.port, "late") as late:
            await late.subscribe(TOPICS.presence)
            [found] = await late.until(bool)
        assert (json.loads(found.payload)["online"], json.loads(found.payload)["boot"]) == (True, "new")


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


async def test_a_whole_backlog_goes_out_with_few_writes_of_the_cursor(broker: Broker) -> None:
    outbox = MemoryOutbox()
    outbox.commit(*[outcome(str(n % 37)) for n in range(2000)])
    async with uplink_to(broker.port, outbox) as uplink:
        since = asyncio.get_running_loop().time()
        await until(lambda: uplink.published == 2000, timeout_s=30)
        took_s = asyncio.get_running_loop().time() - since
    assert outbox.writes <= 2 + took_s / 0.5, "the cursor is kept in batches"
