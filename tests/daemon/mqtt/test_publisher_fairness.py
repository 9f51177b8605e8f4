"""Resends are fair: no consumer, however often it asks, holds up what is new, and every one that asks gets it all."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.mqtt import publisher as publisher_module
from dealer_daemon.mqtt.repeats import Repeats
from support.mqtt_bench import Bench, Make
from support.mqtt_link import settle, until
from support.mqtt_outbox import opened


async def test_a_new_event_goes_out_at_once_while_somebody_asks_again_and_again(make: Make) -> None:
    bench = make(in_flight=4)
    bench.outbox.commit(*[opened()] * 200)
    await bench.link.connect()
    await bench.link.ack_all()
    for _ in range(20):
        bench.publisher.resend(1)
        await settle()
        await bench.link.ack(2)
        before = len(bench.sequences)
        [new] = bench.outbox.commit(opened())
        await settle()
        await bench.link.ack(1)
        assert bench.sequences[before] == new.sequence, "the next that goes out"


async def test_nothing_is_sent_again_before_the_broker_took_what_is_new(make: Make) -> None:
    bench = make(in_flight=4)
    bench.outbox.commit(*[opened()] * 3)
    await bench.link.connect()
    await bench.link.ack_all()
    bench.outbox.commit(opened())
    await settle()
    bench.publisher.resend(1)
    await settle()
    assert bench.sequences[3:] == [4]
    await bench.link.ack_all()
    assert bench.sequences[3:] == [4, 1, 2, 3, 4]


async def test_what_is_asked_for_while_it_is_still_to_come_is_not_sent_twice(make: Make) -> None:
    bench = make(in_flight=2)
    bench.outbox.commit(*[opened()] * 9)
    await bench.link.connect()
    await bench.link.ack_all()
    bench.publisher.resend(2)
    await settle()
    for again in (2, 3, 7):
        bench.publisher.resend(again)
    await bench.link.ack_all()
    assert bench.sequences[9:] == [2, 3, 4, 5, 6, 7, 8, 9]


async def test_a_refused_repeat_ends_the_repeat_and_nothing_else(make: Make) -> None:
    bench = make(in_flight=1)
    bench.outbox.commit(*[opened()] * 5)
    await bench.link.connect()
    await bench.link.ack_all()
    bench.publisher.resend(1)
    await settle()
    await bench.link.ack(1, code=0x97)
    bench.outbox.commit(opened())
    await settle()
    await bench.link.ack_all()
    assert bench.sequences[5:] == [1, 6]
    assert bench.publisher.problems == []


def test_a_pause_as_long_as_the_part_took_follows_it() -> None:
    repeats = Repeats()
    repeats.ask(1, 3)
    assert repeats.limit(10.0, last=9) == 3
    for sequence in (1, 2, 3):
        repeats.sent(sequence)
        repeats.answered(sequence)
    repeats.ask(1, 3)
    repeats.ask(2, 4)
    repeats.end_when_done(14.0, last=9)
    assert repeats.limit(17.9, last=9) == 0
    assert repeats.limit(18.0, last=9) == 3
    repeats.sent(3)
    repeats.answered(3)
    repeats.end_when_done(19.0, last=9)
    assert not repeats.waiting, "what was asked for twice while it waited is one part"


async def test_the_next_part_begins_by_itself_after_the_pause(make: Make) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 3)
    await bench.link.connect()
    await bench.link.ack_all()
    bench.publisher.resend(2)
    await settle()
    await asyncio.sleep(0.05)
    await bench.link.ack(1)
    bench.publisher.resend(1)
    await bench.link.ack_all()
    assert bench.sequences[3:] == [2, 3]
    await until(lambda: len(bench.sequences) > 5)
    await bench.link.ack_all()
    assert bench.sequences[5:] == [1, 2, 3]


class Receiver:
    """A consumer as the reference asks for: the next is handled, anything else thrown away, what lacks asked for."""

    def __init__(self, bench: Bench, lost: set[int]) -> None:
        self.bench = bench
        self.handled = 0
        self.lost = lost
        self.seen = 0

    def take(self) -> None:
        for message in self.bench.link.sent[self.seen :]:
            if "/events/" in message.topic:
                sequence = json.loads(message.payload)["sequence"]
                if sequence in self.lost:
                    self.lost.discard(sequence)  # the broker threw it away, once
                elif sequence == self.handled + 1:
                    self.handled = sequence
        self.seen = len(self.bench.link.sent)

    def ask(self) -> None:
        if self.handled < self.bench.outbox.last_sequence("r1"):
            self.bench.publisher.resend(self.handled + 1)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.sampled_from(["commit", "ack", "ask", "spam", "drop", "lose"]), max_size=40),
    st.sets(st.integers(1, 20)),
    st.integers(1, 4),
)
def test_a_receiver_that_asks_for_what_it_lacks_ends_with_everything(
    steps: list[str], lost: set[int], window: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publisher_module, "MAX_RESENT", 4)
        asyncio.run(_ends_with_everything(steps, lost, window))


async def _ends_with_everything(steps: list[str], lost: set[int], window: int) -> None:
    bench = Bench(in_flight=window, replay_after_broker_loss=2)
    receiver = Receiver(bench, lost)
    bench.outbox.commit(opened())
    await bench.link.connect()
    for step in steps:
        if step == "commit":
            bench.outbox.commit(opened())
            await settle()
        elif step == "ack":
            await bench.link.ack(2)
        elif step == "ask":
            receiver.ask()
            await settle()
        elif step == "spam":
            bench.publisher.resend(1)
            await settle()
        else:
            await bench.link.drop()
            await bench.link.connect(session_present=step == "drop")
        receiver.take()
    async with asyncio.timeout(20):
        while receiver.handled < bench.outbox.last_sequence("r1"):
            await bench.link.ack_all()
            receiver.take()
            receiver.ask()
            bench.publisher.resend(1)  # a stuck one asks all the time
            await asyncio.sleep(0)
            await settle()
    bench.close()
