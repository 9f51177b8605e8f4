"""What is published again and what stays on show: broker losses, consumers, resends, outcome, state."""

from __future__ import annotations

import asyncio
import json

import pytest

from dealer_daemon.events import EventsLost, OutcomeCorrected
from dealer_daemon.mqtt import outbox as outbox_module
from dealer_daemon.mqtt import publisher as publisher_module
from dealer_daemon.mqtt.errors import Problem
from support.mqtt_bench import TOPICS, Bench, Make
from support.mqtt_link import settle, until
from support.mqtt_outbox import event, opened, outcome


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


async def test_a_broker_that_lost_our_session_gets_the_last_events_again(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_module, "FLUSH_AFTER_S", 0.01)
    bench = make(replay_after_broker_loss=3)
    bench.outbox.commit(*[opened()] * 8)
    await bench.link.connect(session_present=False)
    await bench.link.ack_all()
    assert bench.sequences == list(range(1, 9)), "the very first session lost nothing"
    await until(lambda: bench.outbox.kept.get("published") == 8)
    await bench.link.drop()
    await bench.link.connect(session_present=False)
    assert bench.sequences[8:] == [6, 7, 8]
    assert bench.outbox.kept["published"] == 5, "a crash now must not forget the repeat"
    await bench.link.drop()
    await bench.link.connect(session_present=True)
    assert bench.sequences[11:] == [6, 7, 8], "an interrupted repeat is taken up again"


async def test_a_broker_that_comes_and_goes_does_not_make_the_repeat_longer_each_time(make: Make) -> None:
    bench = make(replay_after_broker_loss=3)
    bench.outbox.commit(*[opened()] * 20)
    await bench.link.connect()
    await bench.link.ack_all()
    for _ in range(3):
        before = len(bench.sequences)
        await bench.link.drop()
        await bench.link.connect(session_present=False)
        assert bench.sequences[before:] == [18, 19, 20]
    await bench.link.ack_all()
    assert bench.publisher.cursor == 20


async def test_a_resend_goes_on_after_a_brokers_loss(make: Make) -> None:
    bench = make(replay_after_broker_loss=3)
    bench.outbox.commit(*[opened()] * 9)
    await bench.link.connect()
    await bench.link.ack_all()
    bench.publisher.resend(2)
    await settle()
    await bench.link.ack(1)
    before = len(bench.sequences)
    await bench.link.drop()
    await bench.link.connect(session_present=False)
    await bench.link.ack_all()
    assert bench.sequences[before:] == [7, 8, 9, 3, 4, 5, 6, 7, 8, 9], "what the loss repeats is no less"


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


async def test_a_resend_waits_for_what_is_new_and_takes_it_along_in_order(make: Make) -> None:
    bench = make(in_flight=4)
    bench.outbox.commit(*[opened()] * 6)
    await bench.link.connect()
    await bench.link.ack_all()
    assert bench.publisher.resend(3) == 4
    bench.outbox.commit(opened())
    await settle()
    await bench.link.ack_all()
    assert bench.sequences == [1, 2, 3, 4, 5, 6, 7, 3, 4, 5, 6, 7]
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


async def test_a_long_resend_comes_in_parts_and_new_events_go_first(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher_module, "MAX_RESENT", 3)
    bench = make(in_flight=2)
    bench.outbox.commit(*[opened()] * 9)
    await bench.link.connect()
    await bench.link.ack_all()
    assert bench.publisher.resend(2) == 3
    bench.outbox.commit(opened())
    await settle()
    await bench.link.ack_all()
    assert bench.sequences[9:] == [10, 2, 3, 4]
    assert bench.publisher.cursor == 10


async def test_a_long_resend_with_nothing_new_ends_where_it_was(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher_module, "MAX_RESENT", 3)
    bench = make()
    bench.outbox.commit(*[opened()] * 9)
    await bench.link.connect()
    await bench.link.ack_all()
    bench.publisher.resend(2)
    await settle()
    await bench.link.ack(1)
    await bench.link.drop()
    await bench.link.connect()
    await bench.link.ack_all()
    assert bench.sequences[9:] == [2, 3, 4, 3, 4]
    assert bench.publisher.cursor == 9
    assert await bench.publisher.drain(1) is True


async def test_a_resend_from_further_back_waits_for_the_one_under_way(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher_module, "MAX_RESENT", 3)
    bench = make(in_flight=1)
    bench.outbox.commit(*[opened()] * 12)
    await bench.link.connect()
    await bench.link.ack_all()
    bench.publisher.resend(5)
    await settle()
    await bench.link.ack(1)
    bench.publisher.resend(2)
    await settle()
    await bench.link.ack_all()
    await until(lambda: len(bench.link.open) > 0)
    await bench.link.ack_all()
    assert bench.sequences[12:] == [5, 6, 7, 2, 3, 4]
    assert bench.publisher.cursor == 12


async def test_a_restart_in_a_long_resend_repeats_nothing_by_itself(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher_module, "MAX_RESENT", 3)
    bench = make()
    bench.outbox.commit(*[opened()] * 9)
    await bench.link.connect()
    await bench.link.ack_all()
    bench.publisher.resend(2)
    bench.publisher.close()
    again = bench.restarted()
    again.outbox.commit(opened())
    await again.link.connect()
    assert again.sequences == [10]
    again.close()


async def test_a_brokers_loss_in_a_long_resend_repeats_what_it_would_have_without(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher_module, "MAX_RESENT", 3)
    bench = make(replay_after_broker_loss=2)
    bench.outbox.commit(*[opened()] * 12)
    await bench.link.connect()
    await bench.link.ack_all()
    bench.publisher.resend(2)
    await settle()
    await bench.link.ack(1)
    await bench.link.drop()
    await bench.link.connect(session_present=False)
    await bench.link.ack_all()
    assert bench.sequences[12 + 3 :] == [11, 12, 3, 4]
    assert bench.publisher.cursor == 12


async def test_what_retention_took_is_passed_over_and_cannot_be_sent_again(make: Make) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 6)
    bench.outbox.first = 4
    bench.outbox.stored = bench.outbox.stored[3:]
    with pytest.raises(ValueError, match="between 4 and 6"):
        bench.publisher.resend(3)
    await bench.link.connect()
    await bench.link.ack_all()
    assert bench.sequences == [4, 5, 6]
    assert bench.publisher.cursor == 6
    assert bench.publisher.problems == []


async def test_a_loss_that_the_journal_tells_is_stepped_over(make: Make) -> None:
    bench = make()
    bench.outbox.commit(*[opened()] * 3)
    lost = EventsLost(from_sequence=4, to_sequence=6, reason="journal_salvaged", by="service")
    bench.outbox.stored.append(event(7, lost))
    bench.outbox.commit(opened())
    await bench.link.connect()
    await bench.link.ack_all()
    assert bench.sequences == [1, 2, 3, 7, 8]
    assert bench.publisher.cursor == 8
    assert bench.publisher.problems == []


HELD = Problem("journal_behind", "an old copy was put back")


async def test_while_held_no_event_and_no_restored_outcome_is_sent(make: Make) -> None:
    bench = make()
    bench.outbox.commit(outcome("1"), opened())
    await bench.link.connect()
    await bench.link.ack_all()
    bench.publisher.close()
    held = bench.restarted(held=HELD)
    held.outbox.commit(opened())
    await held.link.connect()
    held.publisher.set_state({"phase": "idle"})
    held.publisher.resend(1)
    await settle()
    assert [m.topic for m in held.link.sent] == [TOPICS.state]
    assert held.publisher.problems == [HELD]
    assert held.publisher.release("another") is False
    assert held.publisher.release(HELD.code) is True
    await settle()
    await held.link.ack_all()
    assert held.sequences == [3, 1, 2, 3]
    assert outcomes(held)
    assert held.publisher.problems == []
    held.close()


async def test_each_hold_is_released_by_itself_and_a_drain_waits_only_for_one_that_passes(make: Make) -> None:
    bench = make()
    bench.publisher.hold(Problem("asking", "a moment"), passing=True)
    bench.publisher.hold(HELD)
    bench.outbox.commit(opened())
    await bench.link.connect()
    assert await bench.publisher.drain(60) is False, "a person must look first"
    other = make()
    other.publisher.hold(Problem("asking", "a moment"), passing=True)
    other.publisher.hold(HELD)
    other.outbox.commit(opened())
    await other.link.connect()
    other.publisher.release(HELD.code)
    draining = asyncio.create_task(other.publisher.drain(60))
    await settle()
    assert other.sequences == []
    other.publisher.release("asking")
    await settle()
    await other.link.ack_all()
    assert await draining is True


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
