"""From the journal to the broker: in order, none lost, a repeat always the same bytes."""

from __future__ import annotations

import asyncio
import json

import pytest

from dealer_daemon.journal import JournalDamaged, JournalTooNew, JournalUnavailable
from dealer_daemon.mqtt import outbox as outbox_module
from dealer_daemon.mqtt import publisher as publisher_module
from support.mqtt_bench import TOPICS, Make, sequences
from support.mqtt_link import settle, until
from support.mqtt_outbox import opened, outcome


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
