"""Whatever the broker, the disk and the power do, in any order."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.mqtt import publisher as publisher_module
from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.mqtt.messages import Outgoing
from support.mqtt_bench import TOPICS, Bench, sequences
from support.mqtt_link import settle
from support.mqtt_outbox import opened, outcome

HELD = Problem("held", "for a while")


@settings(deadline=None, max_examples=250)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["commit", "ack", "ack_late", "refuse", "drop", "lose", "resend", "restart", "hold", "release"]
            ),
            st.integers(0, 15),
        ),
        max_size=40,
    ),
    st.integers(1, 5),
)
def test_whatever_happens_a_receiver_that_knows_ids_ends_with_everything_in_order(
    steps: list[tuple[str, int]], window: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publisher_module, "MAX_RESENT", 4)
        asyncio.run(ends_with_everything(steps, window))


def assert_no_leap(bench: Bench) -> None:
    """Nobody ever sees an event before all those in front of it were sent on the same or an earlier connection."""
    highest = bench.sequences[0] if bench.sequences else 0
    for sequence in bench.sequences:
        assert sequence <= highest + 1
        highest = max(highest, sequence)


async def ends_with_everything(steps: list[tuple[str, int]], window: int) -> None:
    bench = Bench(in_flight=window, replay_after_broker_loss=3)
    received: list[Outgoing] = []
    held_at: int | None = None
    for step, n in steps:
        if step == "commit":
            bench.outbox.commit(outcome(str(len(bench.outbox.stored))), opened())
            await settle()
        elif step in ("ack", "ack_late"):
            received += await bench.link.ack(2, last_first=step == "ack_late")
        elif step == "refuse":
            bench.link.open.sort(key=lambda each: "/events/" not in each[0].topic)  # events first, in order
            if bench.link.open and "/events/" in bench.link.open[0][0].topic:
                await bench.link.ack(1, code=0x97)
                bench.publisher._retry_now()
                await settle()
        elif step in ("drop", "lose"):
            await bench.link.drop()
            await bench.link.connect(session_present=step == "drop")
        elif step == "resend" and bench.outbox.stored:
            bench.publisher.resend(min(n + 1, len(bench.outbox.stored)))
            await settle()
        elif step == "hold":
            bench.publisher.hold(HELD)
            held_at = len(bench.sequences)
        elif step == "release":
            bench.publisher.release(HELD.code)
            await settle()
            held_at = None
        elif step == "restart":
            bench = bench.restarted(in_flight=window)
            await bench.link.connect()
            held_at = None
        assert held_at is None or len(bench.sequences) == held_at
        assert len(sequences([m for m, _ in bench.link.open])) <= window
        assert_no_leap(bench)
    bench.publisher.release(HELD.code)
    await settle()
    if not bench.link.up:
        await bench.link.connect()
    while bench.link.open:
        received += await bench.link.ack()
    bench.close()
    assert bench.publisher.cursor == len(bench.outbox.stored)
    events = [m for m in received if "/events/" in m.topic]
    assert set(sequences(events)) == set(range(1, len(bench.outbox.stored) + 1))
    assert len({m.payload for m in events}) == len(bench.outbox.stored), "one event, one body"
    if bench.outbox.stored:
        newest = max(s for s in range(1, len(bench.outbox.stored) + 1) if s % 2)
        shown = [m for m in received if m.topic == TOPICS.outcome]
        assert json.loads(shown[-1].payload)["sequence"] == newest
