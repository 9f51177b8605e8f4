"""Retained topics: the broker's copy becomes equal to ours, with as few messages as that takes."""

from __future__ import annotations

from dealer_daemon.mqtt.retained import RetainedTopics
from support.mqtt_link import until


async def test_the_newest_of_many_values_wins_and_the_rest_are_never_sent(link, retained) -> None:
    await link.connect()
    for n in range(10):
        retained.set("t", b"%d" % n)
    assert [m.payload for m in link.sent] == [b"0"]
    assert not retained.settled
    await link.ack_all()
    assert [m.payload for m in link.sent] == [b"0", b"9"]
    assert all(m.retain for m in link.sent)
    assert retained.settled


async def test_a_value_set_while_offline_goes_out_at_connect_and_again_at_each_reconnect(link, retained) -> None:
    retained.set("t", b"a")
    retained.set("u", b"b")
    assert link.sent == []
    await link.connect()
    await link.ack_all()
    await link.drop()
    retained.set("t", b"c")
    await link.connect()
    assert [(m.topic, m.payload) for m in link.sent] == [("t", b"a"), ("u", b"b"), ("t", b"c"), ("u", b"b")]


async def test_an_equal_value_is_not_sent_again_but_can_be_repeated(link, retained) -> None:
    await link.connect()
    retained.set("t", b"a")
    await link.ack_all()
    retained.set("t", b"a")
    assert len(link.sent) == 1
    retained.repeat("t")
    await until(lambda: len(link.sent) == 2)


async def test_values_that_are_not_urgent_keep_their_distance_and_urgent_ones_do_not_wait(link) -> None:
    retained = RetainedTopics(link, min_interval_s=60)
    link.on_connected(lambda *_: retained.connected())
    await link.connect()
    retained.set("t", b"1", urgent=False)
    await link.ack_all()
    retained.set("t", b"2", urgent=False)
    assert len(link.sent) == 1
    assert retained.settled, "a value that waits for its time holds nothing up"
    retained.set("t", b"3", urgent=True)
    assert [m.payload for m in link.sent] == [b"1", b"3"]
    retained.close()


async def test_a_value_that_waited_is_sent_when_its_time_has_come(link, retained) -> None:
    await link.connect()
    retained.set("t", b"1", urgent=False)
    await link.ack_all()
    retained.set("t", b"2", urgent=False)
    retained.set("t", b"3", urgent=False)
    await until(lambda: len(link.sent) == 2)
    assert link.sent[-1].payload == b"3"


async def test_a_refused_value_is_a_problem_until_it_is_taken(link, retained) -> None:
    await link.connect()
    retained.set("t", b"1")
    await link.ack(code=0x87)
    assert [p.code for p in retained.problems] == ["mqtt_retained_refused"]
    assert "t:" in retained.problems[0].detail
    assert link.open == [], "it waits before it tries again"
    retained.set("t", b"2")
    await link.ack_all()
    assert retained.problems == []
    assert [m.payload for m in link.sent] == [b"1", b"2"]


async def test_a_value_too_large_for_the_broker_is_a_problem_too(link, retained) -> None:
    await link.connect()
    link.refuse_at_once = 0x95
    retained.set("t", b"1")
    assert retained.problems
    assert retained.settled


async def test_a_value_lost_with_its_connection_is_sent_on_the_next(link, retained) -> None:
    await link.connect()
    retained.set("t", b"1")
    await link.drop()
    assert retained.settled
    await link.connect()
    await link.ack_all()
    assert [m.payload for m in link.sent] == [b"1", b"1"]


async def test_a_forgotten_topic_is_left_alone(link, retained) -> None:
    await link.connect()
    retained.set("t", b"1")
    retained.forget("t")
    await link.ack_all()
    retained.repeat("t")
    await link.drop()
    await link.connect()
    assert len(link.sent) == 1
