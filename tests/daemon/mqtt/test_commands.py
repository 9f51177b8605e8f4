"""Commands: handled in order, answered once each, and nothing that a client sends can stop them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dealer_daemon.commands import Command, Reply
from dealer_daemon.mqtt import commands as module
from dealer_daemon.mqtt.commands import Commands
from dealer_daemon.mqtt.topics import Topics
from support.mqtt_link import FakeLink, settle


def body(command_id: str = "c-1", **changes: Any) -> bytes:
    data = {"by": "settlement", "role": "server", **changes.pop("data", {})}
    message = {"id": command_id, "type": "round.open", "source": "/platform/lobby-7", "data": data}
    return json.dumps({**message, **changes}).encode()


class Table:
    """A handler that remembers its replies, as the journal does."""

    def __init__(self) -> None:
        self.handled: list[str] = []
        self.replies: dict[str, Reply] = {}
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, table: str, command: Command) -> Reply:
        assert table == "r1"
        await self.gate.wait()
        if command.args.get("fail"):
            raise RuntimeError("a bug")
        if command.args.get("cancel"):
            raise asyncio.CancelledError
        if command.args.get("unserialisable"):
            return Reply(command=command.id, ok=True, result={"x": object()})
        if command.id not in self.replies:
            self.handled.append(command.id)
            self.replies[command.id] = Reply(command=command.id, ok=True, result={"n": len(self.handled)})
        return self.replies[command.id]


@pytest.fixture
async def table() -> Table:
    return Table()


@pytest.fixture(autouse=True)
async def commands(link: FakeLink, topics: Topics, table: Table) -> AsyncIterator[Commands]:
    made = Commands(link, topics, table)
    link.subscribe(topics.commands, made.received)
    made.start()
    await link.connect()
    yield made
    table.gate.set()
    await made.stop()


def answers(link: FakeLink) -> list[dict[str, Any]]:
    return [json.loads(m.payload)["data"] for m in link.sent]


async def test_a_command_is_answered_to_its_client(link, topics) -> None:
    await link.deliver(topics.commands, body())
    [reply] = link.sent
    assert reply.topic == topics.replies("lobby-7")
    assert reply.correlation is None
    assert not reply.retain
    assert answers(link) == [{"command": "c-1", "ok": True, "error": None, "message": "", "result": {"n": 1}}]


async def test_a_repeat_has_one_effect_and_the_same_reply(link, topics, table) -> None:
    await link.deliver(topics.commands, body())
    await link.deliver(topics.commands, body())
    assert table.handled == ["c-1"]
    assert link.sent[0] == link.sent[1]


async def test_the_response_topic_of_the_request_is_used_with_its_correlation(link, topics) -> None:
    await link.deliver(topics.commands, body(), response_topic="lobby/7/in", correlation=b"\x00\x01")
    assert (link.sent[0].topic, link.sent[0].correlation) == ("lobby/7/in", b"\x00\x01")


async def test_a_response_topic_that_is_ours_is_not_written_to(link, topics) -> None:
    for topic in (topics.outcome, topics.presence, "dealer/v1/studio-1/r2/commands", "a/#"):
        await link.deliver(topics.commands, body(), response_topic=topic)
    assert {m.topic for m in link.sent} == {topics.replies("lobby-7")}


async def test_commands_are_handled_in_the_order_in_which_they_came(link, topics, table) -> None:
    table.gate.clear()
    for n in range(5):
        await link.deliver(topics.commands, body(f"c-{n}"))
    assert table.handled == []
    table.gate.set()
    await settle()
    for _ in range(10):
        await settle()
    assert table.handled == [f"c-{n}" for n in range(5)]


async def test_a_retained_command_is_stale_and_ignored(link, topics, table) -> None:
    await link.deliver(topics.commands, body(), retained=True)
    await link.deliver(topics.commands, b"")
    assert table.handled == []
    assert link.sent == []


async def test_what_is_no_command_is_refused_where_an_address_is_known(link, topics) -> None:
    await link.deliver(topics.commands, body(type="round.opne"))
    await link.deliver(topics.commands, b"nonsense")
    await link.deliver(topics.commands, b"nonsense", response_topic="lobby/7/in")
    assert [m.topic for m in link.sent] == [topics.replies("lobby-7"), "lobby/7/in"]
    assert [a["error"] for a in answers(link)] == ["unknown_command", "malformed"]


@pytest.mark.parametrize("how", ["fail", "cancel", "unserialisable"])
async def test_a_handler_that_fails_ends_its_command_and_no_other(link, topics, how: str) -> None:
    await link.deliver(topics.commands, body("bad", data={how: True}))
    await settle()
    await link.deliver(topics.commands, body("good"))
    await settle()
    assert [(a["command"], a["ok"], a["error"]) for a in answers(link)] == [
        ("bad", False, "unavailable"),
        ("good", True, None),
    ]


async def test_a_flood_is_answered_and_bounded(link, topics, table, monkeypatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING", 3)
    table.gate.clear()
    for n in range(6):
        await link.deliver(topics.commands, body(f"c-{n}"))
    assert [(a["command"], a["error"]) for a in answers(link)] == [("c-4", "unavailable"), ("c-5", "unavailable")]


async def test_a_reply_that_cannot_be_sent_stops_nothing(link, topics, table) -> None:
    await link.drop()
    await link.deliver(topics.commands, body("c-1"))
    await link.connect()
    await link.deliver(topics.commands, body("c-2"))
    await link.drop()
    await link.connect()
    await link.deliver(topics.commands, body("c-1"))
    assert table.handled == ["c-1", "c-2"]
    assert [a["command"] for a in answers(link)] == ["c-2", "c-1"]


async def test_stopping_answers_those_that_wait_and_refuses_new_ones(link, topics, table, commands) -> None:
    table.gate.clear()
    await link.deliver(topics.commands, body("c-1"))
    await link.deliver(topics.commands, body("c-2"))
    stopping = asyncio.create_task(commands.stop())
    await settle()
    await link.deliver(topics.commands, body("c-3"))
    table.gate.set()
    await stopping
    assert [(a["command"], a["ok"]) for a in answers(link)] == [("c-3", False), ("c-1", True), ("c-2", True)]


async def test_a_handler_that_hangs_does_not_keep_the_station_from_stopping(link, topics, table, commands) -> None:
    table.gate.clear()
    await link.deliver(topics.commands, body())
    await commands.stop(timeout_s=0.02)
    assert table.handled == []
