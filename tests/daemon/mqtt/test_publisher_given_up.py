"""What a person gave up is never sent: not by itself, not after the broker's loss, and whoever asks."""

from __future__ import annotations

import json

import pytest

from dealer_daemon.events import EventsLost
from support.mqtt_bench import TOPICS, Bench, Make
from support.mqtt_link import settle
from support.mqtt_outbox import MemoryOutbox, event, opened, outcome

LOST = EventsLost(from_sequence=1, to_sequence=9, reason="journal_adopted", by="A. Tam")


@pytest.fixture
def adopted() -> MemoryOutbox:
    """Events 1 to 6 are of this journal, the last three not published; 7 to 9 were never here."""
    outbox = MemoryOutbox()
    outbox.commit(*[opened()] * 3, outcome("17"), *[opened()] * 2)
    outbox.kept = {"published": 3, "outcome": 4, "ack/settler": 2}
    outbox.stored.append(event(10, LOST))
    return outbox


@pytest.fixture
async def bench(make: Make, adopted: MemoryOutbox) -> Bench:
    return make(adopted, replay_after_broker_loss=100)


async def test_the_first_thing_that_is_sent_is_that_it_is_given_up(bench: Bench) -> None:
    await bench.link.connect()
    await bench.link.ack_all()
    assert bench.sequences == [10]
    assert bench.publisher.cursor == 10
    assert [m.topic for m in bench.link.sent if m.topic == TOPICS.outcome] == [], "nor is an old outcome shown again"


async def test_a_resend_from_before_begins_there(bench: Bench) -> None:
    await bench.link.connect()
    bench.outbox.commit(opened())
    await settle()
    await bench.link.ack_all()
    assert bench.publisher.resend(1) == 2
    await settle()
    await bench.link.ack_all()
    assert bench.sequences == [10, 11, 10, 11]


async def test_a_broker_that_forgot_gets_nothing_from_before(bench: Bench) -> None:
    for _ in range(2):
        await bench.link.connect(session_present=False)
        await bench.link.ack_all()
        await bench.link.drop()
    await bench.link.deliver(TOPICS.acks("late"), json.dumps({"sequence": 0}).encode())
    await bench.link.connect(session_present=False)
    await bench.link.ack_all()
    assert bench.sequences == [10, 10, 10]


async def test_a_restart_changes_nothing_in_that(bench: Bench) -> None:
    again = bench.restarted(replay_after_broker_loss=100)
    again.outbox.commit(outcome("3"))
    await again.link.connect(session_present=False)
    await again.link.ack_all()
    assert again.sequences == [10, 11]
    again.close()
