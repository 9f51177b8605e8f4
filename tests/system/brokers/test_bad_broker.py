"""A table's whole MQTT against a broker that misbehaves: what is said, and that all arrives in order in the end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.mqtt.hearing import RENEWALS
from dealer_daemon.mqtt.uplink import Uplink
from support.bad_broker import BadBroker, Step
from support.mqtt_link import until
from support.mqtt_outbox import MemoryOutbox, opened, outcome
from support.mqtt_uplink import TOPICS, uplink_to
from support.mqtt_wire import scripted_broker

EVENTS = 8
QUICK = {"ack_timeout_s": 0.12, "connack_timeout_s": 0.12, "refused_wait_s": 0.02, "backoff_max_s": 0.04}
"""Shorter than any broker needs, longer than a late acknowledgement of this one."""


@pytest.fixture(autouse=True)
def quick_retries() -> Iterable[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dealer_daemon.mqtt.publisher.RETRY_S", 0.02)
        patch.setattr("dealer_daemon.mqtt.retained.RETRY_S", 0.02)
        yield


@asynccontextmanager
async def station(broker: BadBroker, outbox: MemoryOutbox) -> AsyncIterator[tuple[Uplink, list[str]]]:
    """A table over the broker, and every problem that it said, once each time."""
    said: list[str] = []
    async with scripted_broker(broker.serve) as port, uplink_to(port, outbox, protocol="5", **QUICK) as uplink:
        uplink._retained._min_interval_s = 0.02
        watch = asyncio.create_task(note_problems(uplink, said))
        try:
            yield uplink, said
        finally:
            watch.cancel()
            await asyncio.wait({watch})


async def note_problems(uplink: Uplink, said: list[str]) -> None:
    uplink._client.on_problem(lambda problem: said.append(str(problem)) if problem else None)
    while True:
        said += [str(problem) for problem in uplink.problems if str(problem) not in said]
        await asyncio.sleep(0.002)


async def play(broker: BadBroker, outbox: MemoryOutbox, uplink: Uplink) -> None:
    """Commits rounds until the script is at its end, some more, and waits until all of it is acknowledged."""
    while broker.script or len(outbox.stored) < EVENTS:
        made = outbox.commit(outcome(str(len(outbox.stored) % 37)), opened())
        await until(lambda last=made[-1].sequence: uplink.published >= last)
    newest = max(event.sequence for event in outbox.stored if event.data.type == "round.outcome")
    await until(lambda: uplink.published == len(outbox.stored) and not uplink.problems)
    await until(lambda: shown(broker, TOPICS.outcome).get("sequence") == newest)
    await until(lambda: bool(shown(broker, TOPICS.presence).get("online")))


def shown(broker: BadBroker, topic: str) -> dict[str, Any]:
    """What a late joiner finds on a topic."""
    found: dict[str, Any] = json.loads(broker.retained.get(topic, b"{}"))
    return found


def handled(bodies: list[bytes]) -> int:
    """How far a consumer comes that does no more than the documentation asks: the next sequence, and no other."""
    last = 0
    for body in bodies:
        last += json.loads(body)["sequence"] == last + 1
    return last


def assert_all_is_well(broker: BadBroker, outbox: MemoryOutbox) -> None:
    wanted = len(outbox.stored)
    assert handled(broker.stored) == wanted, "in order, and no gap stays"
    assert len(set(broker.stored)) == wanted, "one event, one body"


SAID = {
    Step.BUSY: "mqtt_unreachable: the broker refused the connection: Server busy",
    Step.MUTE_CONNECT: "mqtt_no_answer: the port is open and CONNECT (MQTT 5) stayed unanswered",
    Step.HALF_CONNACK: "mqtt_no_answer: the port is open and CONNECT (MQTT 5) stayed unanswered",
    Step.NO_QOS_1: "mqtt_refused: the broker offers no QoS 1",
    Step.RECEIVE_0: "mqtt_no_answer: the connection broke: Protocol error",
    Step.SMALL_PACKETS: "event_refused: event 1 is not accepted",
    Step.SILENT: "mqtt_lost: the broker acknowledged nothing for",
    Step.LOSE: "mqtt_lost: the broker acknowledged nothing for",
    Step.QUOTA: "(0x97)",
    Step.NOT_AUTHORIZED: "(0x87)",
    Step.SHUT_DOWN: "mqtt_lost: the broker ended the session: Server shutting down",
    Step.CUT: "mqtt_lost: the connection broke",
    Step.HALF: "mqtt_lost: the broker acknowledged nothing for",
    Step.HALF_AND_CUT: "mqtt_lost: the connection broke",
    Step.FROZEN: "mqtt_lost: the broker acknowledged nothing for",
    Step.ALIAS: "mqtt_lost: the broker sent a message by a topic alias",
}
NO_TROUBLE = [
    Step.RECEIVE_1, Step.FORGET, Step.LATE, Step.SWAPPED, Step.NO_SUBSCRIBERS, Step.TWICE, Step.UNKNOWN,
]  # fmt: skip


@pytest.mark.parametrize("step", SAID, ids=str)
async def test_what_a_broker_does_wrong_is_said_and_nothing_is_lost(step: Step) -> None:
    broker, outbox = BadBroker([step]), MemoryOutbox()
    outbox.commit(outcome("7"), opened())
    async with station(broker, outbox) as (uplink, said):
        await play(broker, outbox, uplink)
        # Silence towards a retained topic is noticed while the events go on.
        await until(lambda: any(SAID[step] in problem for problem in said))
        await until(lambda: not uplink.problems)
        assert_all_is_well(broker, outbox)


LOOKS = [
    Step.BUSY, Step.MUTE_CONNECT, Step.HALF_CONNACK, Step.NO_QOS_1, Step.RECEIVE_0, Step.SILENT, Step.LOSE, Step.LATE,
    Step.QUOTA, Step.NOT_AUTHORIZED, Step.SHUT_DOWN, Step.CUT, Step.HALF, Step.HALF_AND_CUT, Step.FROZEN, Step.TWICE,
    Step.UNKNOWN, Step.ALIAS,
]  # fmt: skip


@pytest.mark.parametrize("step", LOOKS, ids=str)
async def test_a_look_that_fails_is_made_again(step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dealer_daemon.mqtt.scout.SHOWN_S", 0.2)
    broker, outbox = BadBroker(looks=[step]), MemoryOutbox()
    async with station(broker, outbox) as (uplink, _):
        await play(broker, outbox, uplink)
        assert not broker.looks
        assert uplink.held is None
        assert_all_is_well(broker, outbox)


@pytest.mark.parametrize("step", NO_TROUBLE, ids=str)
async def test_what_is_odd_and_allowed_needs_nobody(step: Step) -> None:
    broker, outbox = BadBroker([step]), MemoryOutbox()
    async with station(broker, outbox) as (uplink, said):
        await play(broker, outbox, uplink)
        assert [problem for problem in said if not problem.startswith("mqtt_lost")] == []
        assert_all_is_well(broker, outbox)


async def test_with_a_receive_maximum_of_one_the_next_message_waits_for_the_answer() -> None:
    broker, outbox = BadBroker([Step.RECEIVE_1, Step.SILENT]), MemoryOutbox()
    outbox.commit(*[opened()] * 5)
    async with station(broker, outbox) as (uplink, _):
        await until(lambda: len(broker.script) == 0)
        await until(lambda: not uplink.status.connected)
        assert len(broker.sent) <= 1
        await play(broker, outbox, uplink)
        assert_all_is_well(broker, outbox)


async def test_a_broker_that_shuts_down_again_and_again_is_not_taken_for_a_second_station() -> None:
    broker, outbox = BadBroker([Step.SHUT_DOWN] * 5), MemoryOutbox()
    async with station(broker, outbox) as (uplink, said):
        await play(broker, outbox, uplink)
        assert not any(problem.startswith("mqtt_taken_over") for problem in said)
        assert_all_is_well(broker, outbox)


async def test_a_table_that_has_become_deaf_connects_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dealer_daemon.mqtt.hearing.ECHO_EVERY_S", 0.05)
    broker, outbox = BadBroker([Step.DEAF]), MemoryOutbox()
    async with station(broker, outbox) as (uplink, said):
        await play(broker, outbox, uplink)
        await until(lambda: broker.sessions == 2 and uplink.status.connected and not uplink.problems)
        assert any(problem.startswith("mqtt_deaf: nothing comes back on") for problem in said)
        assert any("delivers nothing that we subscribed to" in problem for problem in said)
        births = broker.births
        await until(lambda: broker.births >= births + 5)
        assert broker.sessions == 2, "who hears is left alone"
        broker.deaf = True  # in the middle of a session
        await until(lambda: broker.sessions == 3)
        broker.deaf = False
        await until(lambda: uplink.status.connected and not uplink.problems)
        assert_all_is_well(broker, outbox)


async def test_a_table_that_may_not_read_stays_connected_in_the_end_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dealer_daemon.mqtt.hearing.ECHO_EVERY_S", 0.05)
    broker, outbox = BadBroker(), MemoryOutbox()
    broker.deaf = True
    async with station(broker, outbox) as (uplink, _):
        await until(lambda: broker.sessions == 1 + RENEWALS)
        outbox.commit(outcome("7"))
        await until(lambda: uplink.published == 1)
        with pytest.raises(TimeoutError):
            await until(lambda: broker.sessions > 1 + RENEWALS, timeout_s=0.4)
        assert [problem.code for problem in uplink.problems] == ["mqtt_deaf"]


async def test_a_broker_that_hides_its_loss_is_repaired_by_the_consumer_that_asks() -> None:
    broker, outbox = BadBroker(), MemoryOutbox()
    async with station(broker, outbox) as (uplink, _):
        await play(broker, outbox, uplink)
        broker.script.append(Step.FORGET_AND_LIE)
        outbox.commit(opened())
        await until(lambda: not broker.script and uplink.published == len(outbox.stored))
        at = handled(broker.stored)
        assert at < len(outbox.stored), "the station cannot know"
        uplink.resend(at + 1)
        await until(lambda: handled(broker.stored) == len(outbox.stored))


SCRIPTS = st.lists(st.sampled_from([step for step in Step if step is not Step.FORGET_AND_LIE]), max_size=6)


@settings(deadline=None, max_examples=8)
@given(SCRIPTS)
def test_whatever_the_broker_does_all_events_arrive_in_order(script: list[Step]) -> None:
    asyncio.run(survives(script))


@pytest.mark.soak
@settings(deadline=None, max_examples=400)
@given(st.lists(st.sampled_from(Step), max_size=12))
def test_whatever_the_broker_does_for_long(script: list[Step]) -> None:
    asyncio.run(survives(script))


async def survives(script: list[Step]) -> None:
    broker, outbox = BadBroker(script), MemoryOutbox()
    async with station(broker, outbox) as (uplink, _):
        await play(broker, outbox, uplink)
        if Step.FORGET_AND_LIE in script and (at := handled(broker.stored)) < len(outbox.stored):
            uplink.resend(at + 1)
            await until(lambda: handled(broker.stored) == len(outbox.stored))
        assert_no_leap(broker.sent)
        assert_all_is_well(broker, outbox)


def assert_no_leap(sent: list[int]) -> None:
    """No event goes over the wire before all those in front of it have, on the same or an earlier connection."""
    highest = 0
    for sequence in sent:
        assert sequence <= highest + 1
        highest = max(highest, sequence)
