"""While it is not known whether the table may speak it says nothing; while it may not, it says why and obeys nobody."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

from dealer_daemon.commands import Command, Reply
from dealer_daemon.mqtt.command_codec import parse_command
from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.mqtt.heads import UNCHECKED
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.uplink import Uplink
from dealer_daemon.mqtt.voice import Voice
from support.mqtt_brokers import mosquitto
from support.mqtt_journal import codes, journal_in, station, write
from support.mqtt_link import FakeLink, until
from support.mqtt_outbox import opened
from support.mqtt_person import Person
from support.mqtt_uplink import EVERYTHING, TOPICS, running

LOOKING = Problem(UNCHECKED, "is looked at")
SLOW = Problem(UNCHECKED, "it does not show it")
BEHIND = Problem("journal_behind", "an old copy")
OTHER = Problem("journal_other", "another one")


class Gate:
    def hold(self, problem: Problem, *, passing: bool = False) -> None: ...

    def release(self, code: str) -> bool:  # noqa: ARG002
        return True


class Table:
    """A voice over a link, and the state that would be said."""

    def __init__(self, link: FakeLink, retained: RetainedTopics) -> None:
        self.link, self.retained = link, retained
        self.voice = Voice(Gate(), retained, self.say)
        self.say()

    def say(self) -> None:
        held = self.voice.held
        self.retained.set("state", b"well" if held is None else held.code.encode())

    async def said(self) -> list[bytes]:
        await self.link.ack_all()
        return [message.payload for message in self.link.sent if message.topic == "state"]


async def test_nothing_is_said_before_the_look_and_all_after_it(link: FakeLink, retained: RetainedTopics) -> None:
    table = Table(link, retained)
    table.voice.hold(LOOKING, passing=True)
    retained.set("presence", b"here", always=True)
    await link.connect()
    assert await table.said() == []
    assert [message.topic for message in link.sent] == ["presence"]
    assert retained.settled, "what may not be sent is not waited for"
    assert not await table.voice.decided(0.01)
    table.voice.release(UNCHECKED)
    assert await table.voice.decided(0.01)
    assert table.voice.held is None
    assert await table.said() == [b"well"]


async def test_what_holds_is_the_first_word_and_stays_it_over_later_looks(
    link: FakeLink, retained: RetainedTopics
) -> None:
    table = Table(link, retained)
    table.voice.hold(LOOKING, passing=True)
    await link.connect()
    table.voice.hold(BEHIND)
    assert await table.voice.decided(0.01), "it is decided before the look is over"
    assert await table.said() == [b"journal_behind"]
    table.voice.release(UNCHECKED)
    table.voice.hold(OTHER)
    await link.drop()
    table.voice.hold(LOOKING, passing=True)
    await link.connect()
    assert {*await table.said()} == {b"journal_behind"}
    assert await table.voice.decided(0.01)


async def test_a_look_that_takes_too_long_is_a_hold_that_ends(link: FakeLink, retained: RetainedTopics) -> None:
    table = Table(link, retained)
    table.voice.hold(LOOKING, passing=True)
    await link.connect()
    waiting = asyncio.create_task(table.voice.decided())
    table.voice.hold(SLOW)
    assert await waiting
    assert await table.said() == [UNCHECKED.encode()]
    table.voice.release(UNCHECKED)
    retained._min_interval_s = 0
    assert (await table.said())[-1] == b"well"


async def test_whoever_waits_when_the_table_stops_is_not_told_that_it_may(
    link: FakeLink, retained: RetainedTopics
) -> None:
    table = Table(link, retained)
    table.voice.hold(LOOKING, passing=True)
    waiting = asyncio.create_task(table.voice.decided())
    await asyncio.sleep(0)
    table.voice.close()
    assert not await waiting


async def test_a_command_of_which_it_is_not_known_yet_when_the_table_stops_is_not_done(tmp_path: Path) -> None:
    done: list[str] = []

    async def handler(_table: str, asked: Command) -> Reply:
        done.append(asked.id)
        return Reply(command=asked.id, ok=True)

    with journal_in(tmp_path / "state") as journal:
        async with running(mosquitto(tmp_path)) as broker, station(broker, journal, handler=handler) as uplink:
            uplink._voice.hold(LOOKING, passing=True)
            parsed = parse_command(command("c-1", "round.open"))
            assert isinstance(parsed, Command)
            answering = asyncio.create_task(uplink._answer("r1", parsed))
            await asyncio.sleep(0)
            uplink._voice.close()
            reply = await answering
    assert (reply.ok, reply.error) == (False, "unavailable")
    assert UNCHECKED in reply.message
    assert done == []


def command(command_id: str, name: str, **data: Any) -> bytes:
    body = {"id": command_id, "type": name, "source": "/lobby", "data": {"by": "x", "role": "server", **data}}
    return json.dumps(body).encode()


async def test_an_old_journal_says_so_and_carries_out_nothing(tmp_path: Path) -> None:
    """A command that waited in the broker for the station comes before the look is over, and is refused no less."""
    done: list[str] = []
    uplinks: list[Uplink] = []

    async def handler(_table: str, asked: Command) -> Reply:
        done.append(asked.id)
        return Reply(command=asked.id, ok=True)

    def show() -> None:
        for uplink in uplinks:
            uplink.set_state({"held": None if uplink.held is None else uplink.held.code})

    state = tmp_path / "state"
    with journal_in(state) as journal:
        write(journal, opened())
    shutil.copytree(state, tmp_path / "backup")
    async with running(mosquitto(tmp_path)) as broker, Person(broker.port, EVERYTHING) as seen:
        with journal_in(state) as journal:
            write(journal, opened())
            async with station(broker, journal, handler=handler, held_changed=show) as uplink:
                uplink.set_state({"held": None})
                await until(lambda: uplink.published == 2)
                await seen.publish(TOPICS.commands, command("c-1", "round.open"))
                await until(lambda: done == ["c-1"])
        await seen.publish(TOPICS.commands, command("c-2", "round.open"))
        with journal_in(tmp_path / "backup", boot="boot-b") as journal:
            async with station(broker, journal, boot="boot-b", handler=handler, held_changed=show) as uplink:
                uplinks.append(uplink)
                uplink.set_state({"held": None, "of": "boot-b"})
                await until(lambda: "journal_behind" in codes(uplink))
                await seen.publish(TOPICS.commands, command("c-3", "events.resend", **{"from": 1}))
                replies = [TOPICS.replies("lobby")]
                await until(lambda: len([m for m in seen.messages if m.topic in replies]) == 3)
        answers = [json.loads(m.payload)["data"] for m in seen.messages if m.topic in replies]
        assert [(answer["command"], answer["ok"]) for answer in answers] == [
            ("c-1", True),
            ("c-2", False),
            ("c-3", False),
        ]
        assert all("journal_behind" in answer["message"] for answer in answers[1:])
        assert {answer.get("error") for answer in answers[1:]} == {"unavailable"}
        assert done == ["c-1"]
        states = [json.loads(m.payload) for m in seen.messages if m.topic == TOPICS.state]
        assert states == [{"held": None}, {"held": "journal_behind"}]
