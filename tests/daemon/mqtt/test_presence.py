"""Birth and will: an old will never buries a new birth."""

from __future__ import annotations

import asyncio
import json

import pytest

from dealer_daemon.mqtt.presence import Presence, will_of
from dealer_daemon.mqtt.presence_body import ask_of
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics
from support.mqtt_link import FakeLink, settle, until


@pytest.fixture(autouse=True)
def presence(link: FakeLink, topics: Topics, retained: RetainedTopics) -> Presence:
    made = Presence(topics, retained, link, boot="new", version="1.2", since="2026-01-01T00:00:00.000000Z")
    link.on_connected(made.connected)
    link.subscribe(topics.presence, made.received)
    return made


async def born(link: FakeLink, topics: Topics) -> bytes:
    """Connects, and the broker gives the birth back to its subscriber."""
    await link.connect()
    [birth] = await link.ack()
    await link.deliver(topics.presence, birth.payload)
    return birth.payload


async def test_the_birth_says_who_is_there_and_over_what(link) -> None:
    await link.connect()
    [birth] = link.sent
    assert birth.retain
    said = json.loads(birth.payload)
    assert said.pop("connection")
    assert said == {
        "online": True,
        "boot": "new",
        "version": "1.2",
        "since": "2026-01-01T00:00:00.000000Z",
        "protocol": "5",
    }


def test_the_will_carries_the_boot(topics) -> None:
    will = will_of(topics, "new")
    assert (will.topic, json.loads(will.payload)) == (topics.presence, {"online": False, "boot": "new"})


@pytest.mark.parametrize(
    "over",
    [b'{"online":false,"boot":"old"}', b'{"online":false,"boot":"new"}', b"", b"null", b"[[", b'{"online":true}'],
)
async def test_whatever_stands_over_the_birth_is_replaced_by_it(link, topics, over: bytes) -> None:
    birth = await born(link, topics)
    await link.deliver(topics.presence, over)
    await until(lambda: len(link.sent) == 2)
    assert link.sent[1].payload == birth


async def test_what_stood_there_before_our_birth_is_nobodys_business(link, topics) -> None:
    await link.connect()
    await link.deliver(topics.presence, b'{"online":false,"boot":"old"}', retained=True)
    await link.deliver(topics.presence, b'{"online":false,"boot":"new"}')  # queued while we were away
    [birth] = await link.ack()
    await link.deliver(topics.presence, birth.payload)
    await asyncio.sleep(0.06)  # longer than the distance between repeats
    assert len(link.sent) == 1


async def test_an_echo_of_the_connection_before_is_not_our_birth_of_this_one(link, topics, presence) -> None:
    """It waited in the broker's queue for our session, and comes before what the broker keeps now."""
    back: list[int] = []
    presence.on_birth_back(lambda: back.append(len(link.sent)))
    old = await born(link, topics)
    assert back == [1]
    await link.drop()
    await link.connect()
    await link.deliver(topics.presence, old)
    assert back == [1]
    await link.ack_all()
    assert link.sent[-1].payload != old
    await link.deliver(topics.presence, link.sent[-1].payload)
    assert len(back) == 2


async def test_who_asks_is_answered_by_who_is_there(link, topics, presence) -> None:
    question = ask_of("q-1", "other")
    await link.deliver(topics.presence, question)
    assert link.sent == [], "nobody is there yet"
    birth = json.loads(await born(link, topics))
    await link.deliver(topics.presence, question)
    [answer] = await link.ack()
    assert not answer.retain
    assert json.loads(answer.payload) == {**birth, "answers": "q-1"}
    assert presence.problem is not None
    assert "other" in presence.problem.detail
    for ours_or_nobodys in (ask_of("q-2", "new"), answer.payload, b'{"online":true,"boot":"other","answers":"q-3"}'):
        await link.deliver(topics.presence, ours_or_nobodys)
    await asyncio.sleep(0.06)  # longer than the distance between repeats
    assert link.open == []


async def test_a_second_station_is_a_problem_and_no_storm(link, topics, presence) -> None:
    met: list[str] = []
    presence.on_contested(met.append)
    birth = await born(link, topics)
    for _ in range(20):
        await link.deliver(topics.presence, b'{"online":true,"boot":"other"}')
    assert presence.problem is not None
    assert "other" in presence.problem.detail
    assert len(met) == 1
    await until(lambda: len(link.sent) == 2)
    await link.ack()
    await link.deliver(topics.presence, birth)
    assert presence.problem is None
    assert len(link.sent) == 2


async def test_leaving_on_purpose_is_said_and_not_taken_back(link, topics, presence) -> None:
    await born(link, topics)
    leaving = asyncio.create_task(presence.goodbye())
    await settle()
    [message] = await link.ack()
    await leaving
    assert message.retain
    said = json.loads(message.payload)
    assert (said["online"], said["boot"]) == (False, "new")
    await link.deliver(topics.presence, message.payload)
    await asyncio.sleep(0.06)
    assert len(link.sent) == 2


async def test_leaving_without_a_connection_ends_too(link, presence) -> None:
    await presence.goodbye()
    assert link.sent == []
