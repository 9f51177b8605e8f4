"""From the journal to the broker: in order, none lost, a repeat always the same bytes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.events import OutcomeCorrected
from dealer_daemon.journal import JournalDamaged, JournalTooNew, JournalUnavailable
from dealer_daemon.mqtt import outbox as outbox_module
from dealer_daemon.mqtt import publisher as publisher_module
from dealer_daemon.mqtt.messages import Outgoing
from dealer_daemon.mqtt.publisher import Publisher
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics
from support.mqtt_link import FakeLink, settle, until
from support.mqtt_outbox import MemoryOutbox, opened, outcome

TOPICS = Topics("dealer/v1", "studio-1", "r1")


class Bench:
    """A publisher over a journal in memory and a link in the test's hand."""

    def __init__(self, outbox: MemoryOutbox | None = None, **options: int) -> None:
        self.outbox = outbox or MemoryOutbox()
        self.link = FakeLink()
        self.retained = RetainedTopics(self.link, min_interval_s=0.05)
        self.link.on_connected(lambda *_: self.retained.connected())
        self.link.on_disconnected(lambda *_: self.retained.disconnected())
        self.publisher = Publisher(self.outbox, self.link, TOPICS, self.retained, **options)
        self.publisher.start()

    def close(self) -> None:
        self.publisher.close()
        self.retained.close()

    @property
    def sequences(self) -> list[int]:
        return sequences(self.link.sent)

    def restarted(self, **options: int) -> Bench:
        """The process ends without a word (nothing is flushed) and a new one starts over the same journal."""
        kept = dict(self.outbox.kept)
        self.close()
        self.outbox.kept = kept
        return Bench(self.outbox, **options)


def sequences(messages: list[Outgoing]) -> list[int]:
    return [json.loads(m.payload)["sequence"] for m in messages if "/events/" in m.topic]


Make = Callable[..., Bench]


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    made: list[Bench] = []

    def one(outbox: MemoryOutbox | None = None, **options: int) -> Bench:
        made.append(Bench(outbox, **options))
        return made[-1]

    yield one
    for bench in made:
        bench.close()


async def test_events_go_out_in_order_each_on_the_topic_of_its_type(make: Make) -> None:
    bench = make()
    bench.outbox.commit(opened(), outcome("17"))
    await bench.link.connect()
    bench.outbox.commit(opened())
    await settle()
    await bench.link.ack_all()
    events = [m for m in bench.link.sent if "/events/" in m.topic]
    assert [m.topic.rpartition("/")[2] for m in events] == ["round.opened", "round.outcome", "round.opened"]
    assert sequences(events) == [1, 2, 3]
    assert not any(m.retain for m in events)
    assert bench.publisher.cursor == 3


async def test_nothing_is_published_before_it_is_committed_and_nothing_within_the_commit(make: Make) -> None:
    bench = make()
    await bench.link.connect()
    bench.outbox.commit(opened())
    assert bench.sequences == []
    await settle()
    assert bench.sequences == [1]


async def test_the_window_is_never_exceeded(make: Make) -> None:
    bench = make(in_flight=4)
    bench.outbox.commit(*[opened()] * 20)
    await bench.link.connect()
    assert bench.sequences == [1, 2, 3, 4]
    await bench.link.ack(1)
    assert bench.sequences == [1, 2, 3, 4, 5]
    while bench.link.open:
        assert len(bench.link.open) <= 4
        await bench.link.ack(2)
    assert bench.sequences == list(range(1, 21))


async def test_the_cursor_is_the_highest_contiguous_acknowledgement(make: Make) -> None:
    bench = make(in_flight=4)
    bench.outbox.commit(*[opened()] * 4)
    await bench.link.connect()
    first = bench.link.open.pop(0)
    await bench.link.ack(last_first=True)
    assert bench.publisher.cursor == 0
    first[1].set_result(None)
    await settle()
    assert bench.publisher.cursor == 4


async def test_after_a_loss_it_goes_on_right_after_the_cursor_with_the_same_bodies(make: Make) -> None:
    bench = make()
    bench.outbox.commit(*[outcome(str(n)) for n in range(6)])
    await bench.link.connect()
    await bench.link.ack(2)
    await bench.link.drop()
    await bench.link.connect()
    await bench.link.ack_all()
    assert bench.sequences == [1, 2, 3, 4, 5, 6, 3, 4, 5, 6]
    by_id: dict[str, set[bytes]] = {}
    for message in bench.link.sent:
        by_id.setdefault(json.loads(message.payload)["id"], set()).add(message.payload)
    assert len(by_id) == 6
    assert all(len(bodies) == 1 for bodies in by_id.values())


async def test_an_answer_from_a_connection_that_is_gone_acknowledges_nothing(make: Make) -> None:
    bench = make(in_flight=2)
    bench.outbox.commit(*[opened()] * 3)
    await bench.link.connect()
    old, bench.link.open = bench.link.open, []
    await bench.link.drop()
    await bench.link.connect()
    for _, future in old:
        future.set_result(None)
    await settle()
    assert bench.publisher.cursor == 0
    await bench.link.ack_all()
    assert bench.publisher.cursor == 3


async def test_what_a_lost_broker_acknowledged_out_of_turn_counts_for_nothing(make: Make) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 2)
    await bench.link.connect()
    bench.link.open.reverse()
    await bench.link.ack(1)  # event 2
    await bench.link.drop()
    await bench.link.connect(session_present=False)
    await bench.link.ack(1)  # event 1
    assert bench.publisher.cursor == 1
    await bench.link.drop()
    await bench.link.connect()
    assert bench.sequences == [1, 2, 1, 2, 2]


async def test_acknowledgements_are_kept_in_batches_and_a_restart_goes_on_behind_them(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_module, "FLUSH_AFTER_S", 0.05)
    bench = make()
    bench.outbox.commit(*[opened()] * 50)
    await bench.link.connect()
    await bench.link.ack_all()
    await until(lambda: bench.outbox.kept.get("published") == 50)
    assert bench.outbox.writes < 10
    bench.outbox.commit(opened())
    again = bench.restarted()
    await again.link.connect()
    assert again.sequences == [51]
    again.close()


async def test_a_crash_before_the_cursor_is_kept_repeats_and_loses_nothing(make: Make) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 5)
    await bench.link.connect()
    await bench.link.ack_all()
    again = bench.restarted()
    await again.link.connect()
    assert again.sequences == [1, 2, 3, 4, 5]
    again.close()


async def test_a_disk_that_does_not_take_the_cursor_stops_nothing_and_is_said(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_module, "FLUSH_AFTER_S", 0.01)
    monkeypatch.setattr(outbox_module, "RETRY_S", 0.02)
    bench = make()
    bench.outbox.write_error = JournalUnavailable("disk full")
    bench.outbox.commit(*[opened()] * 3)
    await bench.link.connect()
    await bench.link.ack_all()
    await until(lambda: [p.code for p in bench.publisher.problems] == ["publisher_position"])
    assert "disk full" in bench.publisher.problems[0].detail
    bench.outbox.commit(opened())
    await settle()
    assert bench.sequences == [1, 2, 3, 4]
    bench.outbox.write_error = None
    await until(lambda: bench.outbox.kept.get("published") == 3)
    assert bench.publisher.problems == []


async def test_a_broker_that_lost_our_session_gets_the_last_events_again(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_module, "FLUSH_AFTER_S", 0.01)
    bench = make(replay_after_broker_loss=3)
    bench.outbox.commit(*[opened()] * 8)
    await bench.link.connect(session_present=False)
    await bench.link.ack_all()
    assert bench.sequences == list(range(1, 9)), "the very first session lost nothing"
    await until(lambda: bench.outbox.kept["published"] == 8)
    await bench.link.drop()
    await bench.link.connect(session_present=False)
    assert bench.sequences[8:] == [6, 7, 8]
    assert bench.outbox.kept["published"] == 5, "a crash now must not forget the repeat"
    await bench.link.drop()
    await bench.link.connect(session_present=True)
    assert bench.sequences[11:] == [6, 7, 8], "an interrupted repeat is taken up again"


async def test_after_a_brokers_loss_the_slowest_consumer_decides_how_far_back(make: Make) -> None:
    bench = make(replay_after_broker_loss=2)
    bench.outbox.commit(*[opened()] * 9)
    await bench.link.connect()
    await bench.link.ack_all()
    await bench.link.deliver(TOPICS.acks("fast"), b'{"sequence": 9}')
    await bench.link.deliver(TOPICS.acks("slow"), b'{"sequence": 4}', retained=True)
    assert bench.publisher.consumer_acks == {"fast": 9, "slow": 4}
    await bench.link.drop()
    await bench.link.connect(session_present=False)
    assert bench.sequences[9:] == [5, 6, 7, 8, 9]


async def test_acknowledgements_of_consumers_survive_a_restart_of_everything(make: Make) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 300)
    await bench.link.connect()
    await bench.link.ack_all()
    await bench.link.deliver(TOPICS.acks("settler"), b'{"sequence": 50}')
    bench.publisher.close()
    again = bench.restarted()
    assert again.publisher.consumer_acks == {"settler": 50}
    await again.link.connect(session_present=False)
    assert again.sequences[0] == 51
    again.close()


async def test_a_consumer_that_never_came_back_does_not_make_us_repeat_for_ever(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher_module, "MAX_REPLAY", 20)
    bench = make(replay_after_broker_loss=2)
    bench.outbox.commit(*[opened()] * 50)
    await bench.link.connect()
    await bench.link.ack_all()
    await bench.link.deliver(TOPICS.acks("gone"), b'{"sequence": 1}')
    await bench.link.drop()
    await bench.link.connect(session_present=False)
    assert bench.sequences[50] == 31


@pytest.mark.parametrize(
    "payload",
    [
        b"{}",
        b"5",
        b'{"sequence": "5"}',
        b'{"sequence": -1}',
        b'{"sequence": 4}',
        b'{"sequence": 1.5}',
        b"\xff",
        b"[" * 9999,
    ],
)
async def test_an_acknowledgement_that_cannot_be_changes_nothing(make: Make, payload: bytes) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 3)
    await bench.link.deliver(TOPICS.acks("c"), b'{"sequence": 2, "more": true}')
    await bench.link.deliver(TOPICS.acks("c"), payload)
    assert bench.publisher.consumer_acks == {"c": 2}


async def test_a_consumer_whose_acknowledgement_is_cleared_is_no_more(make: Make) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 3)
    await bench.link.deliver(TOPICS.acks("c"), b'{"sequence": 2}')
    await bench.link.deliver(TOPICS.acks("c"), b"")
    assert bench.publisher.consumer_acks == {}


async def test_a_resend_goes_in_order_and_then_on(make: Make) -> None:
    bench = make(in_flight=4)
    bench.outbox.commit(*[opened()] * 6)
    await bench.link.connect()
    await bench.link.ack_all()
    assert bench.publisher.resend(3) == 4
    bench.outbox.commit(opened())
    await settle()
    await bench.link.ack_all()
    assert bench.sequences == [1, 2, 3, 4, 5, 6, 3, 4, 5, 6, 7]
    assert bench.publisher.cursor == 7


async def test_a_resend_of_what_is_not_published_yet_skips_nothing(make: Make) -> None:
    bench = make(in_flight=2)
    bench.outbox.commit(*[opened()] * 6)
    await bench.link.connect()
    await bench.link.ack(1)
    bench.publisher.resend(5)
    await bench.link.ack_all()
    assert set(bench.sequences) == set(range(1, 7))
    assert bench.publisher.cursor == 6


@pytest.mark.parametrize("from_sequence", [0, -1, 3])
async def test_a_resend_of_what_does_not_exist_is_refused(make: Make, from_sequence: int) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 2)
    with pytest.raises(ValueError, match="between 1 and 2"):
        bench.publisher.resend(from_sequence)


def outcomes(bench: Bench) -> list[bytes]:
    return [m.payload for m in bench.link.sent if m.topic == TOPICS.outcome]


async def test_the_outcome_topic_has_the_body_of_the_newest_outcome_after_its_event_was_accepted(make: Make) -> None:
    bench = make()
    await bench.link.connect()
    bench.outbox.commit(opened(), outcome("17"), opened())
    await settle()
    assert outcomes(bench) == []
    await bench.link.ack(1)
    assert outcomes(bench) == []
    await bench.link.ack_all()
    event_body = next(m.payload for m in bench.link.sent if m.topic == TOPICS.events("round.outcome"))
    assert outcomes(bench) == [event_body]
    assert next(m for m in bench.link.sent if m.topic == TOPICS.outcome).retain


async def test_a_correction_is_the_newest_outcome(make: Make) -> None:
    bench = make()
    await bench.link.connect()
    corrected = OutcomeCorrected(replaces=1, game="roulette", facts={"number": "3"}, reason="video", by="mgr")
    bench.outbox.commit(outcome("17"), corrected)
    await settle()
    await bench.link.ack_all()
    assert json.loads(outcomes(bench)[-1])["type"] == "outcome.corrected"


async def test_a_repeat_of_old_events_never_puts_an_old_outcome_back(make: Make) -> None:
    bench = make()
    await bench.link.connect()
    bench.outbox.commit(outcome("1"), outcome("2"), outcome("3"))
    await settle()
    await bench.link.ack_all()
    before = len(bench.link.sent)
    await bench.link.drop()
    await bench.link.connect(session_present=False)
    await bench.link.ack_all()
    again = [m.payload for m in bench.link.sent[before:] if m.topic == TOPICS.outcome]
    assert {json.loads(body)["data"]["facts"]["number"] for body in again} == {"3"}


async def test_after_a_restart_the_newest_published_outcome_is_shown_again(make: Make) -> None:
    bench = make()
    await bench.link.connect()
    bench.outbox.commit(outcome("1"), outcome("2"), opened())
    await settle()
    await bench.link.ack_all()
    bench.publisher.close()
    again = bench.restarted()
    again.outbox.commit(outcome("3"))
    await again.link.connect()
    assert [json.loads(body)["sequence"] for body in outcomes(again)] == [2]
    await again.link.ack_all()
    assert [json.loads(body)["sequence"] for body in outcomes(again)] == [2, 4]
    again.close()


async def test_state_and_devices_are_retained_and_the_newest_wins(make: Make) -> None:
    bench = make()
    await bench.link.connect()
    for n in range(5):
        bench.publisher.set_state({"round": n})
        bench.publisher.set_device("wheel", {"frames": n})
    await bench.link.ack_all()
    await until(lambda: len(bench.link.sent) >= 4)
    await bench.link.ack_all()
    assert [json.loads(m.payload) for m in bench.link.sent if m.topic == TOPICS.state] == [{"round": 0}, {"round": 4}]
    devices = [m for m in bench.link.sent if m.topic == TOPICS.device("wheel")]
    assert json.loads(devices[-1].payload) == {"frames": 4}
    assert all(m.retain for m in devices)


@pytest.mark.parametrize("error", [JournalTooNew("newer version"), JournalDamaged("not what was written")])
async def test_a_row_that_cannot_be_read_stops_the_table_and_is_never_skipped(make: Make, error: Exception) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 6)
    bench.outbox.unreadable[4] = error  # type: ignore[assignment]
    await bench.link.connect()
    await bench.link.ack_all()
    bench.outbox.commit(opened())
    await settle()
    assert bench.sequences == [1, 2, 3]
    assert [p.code for p in bench.publisher.problems] == ["journal_unreadable"]
    assert "event 4" in bench.publisher.problems[0].detail
    assert str(error) in bench.publisher.problems[0].detail


async def test_a_gap_in_the_journal_stops_the_table(make: Make) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 4)
    del bench.outbox.stored[1]
    await bench.link.connect()
    await bench.link.ack_all()
    assert bench.sequences == [1]
    assert [p.code for p in bench.publisher.problems] == ["journal_unreadable"]


async def test_a_journal_that_cannot_be_read_now_is_read_later(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher_module, "RETRY_S", 0.02)
    bench = make()
    bench.outbox.commit(*[opened()] * 3)
    bench.outbox.unreadable[2] = JournalUnavailable("busy")
    await bench.link.connect()
    await bench.link.ack_all()
    assert bench.publisher.problems
    bench.outbox.unreadable.clear()
    await until(lambda: bench.sequences == [1, 2, 3])
    await bench.link.ack_all()
    assert bench.publisher.problems == []


async def test_a_refused_event_holds_back_everything_after_it_and_is_tried_alone(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher_module, "RETRY_S", 0.02)
    bench = make()
    bench.outbox.commit(*[opened()] * 5)
    await bench.link.connect()
    await bench.link.ack(1)
    await bench.link.ack(1, code=0x97)
    await bench.link.ack()
    assert bench.publisher.cursor == 1
    assert [p.code for p in bench.publisher.problems] == ["event_refused"]
    assert "event 2" in bench.publisher.problems[0].detail
    await until(lambda: len(bench.link.open) == 1)
    assert bench.sequences == [1, 2, 3, 4, 5, 2]
    await bench.link.ack(1, code=0x97)
    await until(lambda: len(bench.link.open) == 1)
    await bench.link.ack_all()
    assert bench.sequences == [1, 2, 3, 4, 5, 2, 2, 3, 4, 5]
    assert bench.publisher.cursor == 5
    assert bench.publisher.problems == []


async def test_an_event_larger_than_the_broker_takes_is_said(make: Make) -> None:
    bench = make()
    bench.link.refuse_at_once = 0x95
    bench.outbox.commit(opened())
    await bench.link.connect()
    assert [p.code for p in bench.publisher.problems] == ["event_refused"]
    assert "0x95" in bench.publisher.problems[0].detail


async def test_draining_waits_for_the_last_acknowledgement_and_keeps_the_cursor(make: Make) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 3)
    await bench.link.connect()
    draining = asyncio.create_task(bench.publisher.drain(10))
    await settle()
    assert not draining.done()
    await bench.link.ack_all()
    assert await draining is True
    assert bench.outbox.kept["published"] == 3
    bench.outbox.commit(opened())
    await settle()
    assert bench.sequences == [1, 2, 3], "nothing is sent after the drain"


async def test_draining_waits_for_the_outcome_topic_too(make: Make) -> None:
    bench = make()
    bench.outbox.commit(outcome("17"))
    await bench.link.connect()
    draining = asyncio.create_task(bench.publisher.drain(10))
    await settle()
    await bench.link.ack(1)
    assert [m.topic for m, _ in bench.link.open] == [TOPICS.outcome]
    assert not draining.done()
    await bench.link.ack_all()
    assert await draining is True


async def test_draining_ends_in_time_and_at_once_where_waiting_is_of_no_use(make: Make) -> None:
    bench = make()
    bench.outbox.commit(opened())
    assert await bench.publisher.drain(60) is False, "there is no connection"
    other = make()
    other.outbox.commit(opened())
    await other.link.connect()
    assert await other.publisher.drain(0.02) is False, "the broker does not answer"
    third = make()
    third.outbox.commit(opened())
    third.outbox.unreadable[1] = JournalDamaged("x")
    await third.link.connect()
    assert await third.publisher.drain(60) is False, "the row cannot be read"


async def test_closing_leaves_nobody_listening(make: Make) -> None:
    bench = make()
    bench.publisher.close()
    assert bench.outbox.listeners == 0


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.sampled_from(["commit", "ack", "ack_late", "refuse", "drop", "lose", "resend", "restart"]), max_size=40
    ),
    st.integers(1, 5),
)
def test_whatever_happens_a_receiver_that_knows_ids_ends_with_everything_in_order(
    steps: list[str], window: int
) -> None:
    asyncio.run(ends_with_everything(steps, window))


def assert_no_leap(bench: Bench) -> None:
    """Nobody ever sees an event before all those in front of it were sent on the same or an earlier connection."""
    highest = bench.sequences[0] if bench.sequences else 0
    for sequence in bench.sequences:
        assert sequence <= highest + 1
        highest = max(highest, sequence)


async def ends_with_everything(steps: list[str], window: int) -> None:
    bench = Bench(in_flight=window, replay_after_broker_loss=3)
    received: list[Outgoing] = []
    for step in steps:
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
            bench.publisher.resend(len(bench.outbox.stored) // 2 + 1)
            await settle()
        elif step == "restart":
            bench = bench.restarted(in_flight=window)
            await bench.link.connect()
        assert len(sequences([m for m, _ in bench.link.open])) <= window
        assert_no_leap(bench)
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
