"""The scoreboard on its retained topic: there for whoever comes, and never before what it is made of."""

from __future__ import annotations

import json
from pathlib import Path

from dealer_daemon.mqtt.behind import Behind
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics
from support.mqtt_brokers import mosquitto
from support.mqtt_link import until
from support.mqtt_outbox import MemoryOutbox, opened, outcome
from support.mqtt_uplink import EVERYTHING, TOPICS, running, uplink_to
from support.mqtt_wire import Witness


def test_where_it_is() -> None:
    assert TOPICS.board == "dealer/v1/studio-1/r1/board"
    assert Topics("dealer/v1", "studio-1", "r1", shadow=True).board == "shadow/dealer/v1/studio-1/r1/board"


async def test_a_late_joiner_finds_the_newest_board_at_a_real_broker(tmp_path: Path) -> None:
    outbox = MemoryOutbox()
    async with running(mosquitto(tmp_path)) as broker, uplink_to(broker.port, outbox) as uplink:
        outbox.commit(opened(), outcome("17"))
        uplink.set_board(2, b'{"sequence":2}')
        outbox.commit(opened(), outcome("5"))
        uplink.set_board(4, b'{"sequence":4}')
        await until(lambda: uplink.published == 4 and uplink._retained.settled)
        async with Witness.connected(broker.port) as witness:
            await witness.subscribe(EVERYTHING)
            seen = await witness.until(lambda seen: any(m.topic == TOPICS.board for m in seen))
    board = next(m for m in seen if m.topic == TOPICS.board)
    assert (json.loads(board.payload), board.retain) == ({"sequence": 4}, True)


async def test_at_a_broker_the_board_comes_after_its_outcome(tmp_path: Path) -> None:
    outbox = MemoryOutbox()
    async with running(mosquitto(tmp_path)) as broker, Witness.connected(broker.port) as witness:
        await witness.subscribe(EVERYTHING)
        outbox.commit(opened(), outcome("17"))
        async with uplink_to(broker.port, outbox) as uplink:
            uplink.set_board(2, b'{"sequence":2}')  # before there is a connection, as at a start with a backlog
            seen = await witness.until(lambda seen: any(m.topic == TOPICS.board for m in seen))
    topics = [m.topic for m in seen]
    assert topics.index(TOPICS.board) > topics.index(TOPICS.events("round.outcome"))


class Taken:
    """What would be published."""

    def __init__(self) -> None:
        self.values: list[bytes] = []

    def set(self, _topic: str, payload: bytes) -> None:
        self.values.append(payload)


def behind(published: int) -> tuple[Behind, list[bytes]]:
    taken = Taken()
    retained: RetainedTopics = taken  # type: ignore[assignment]
    return Behind(retained, "t", published), taken.values


def test_a_value_waits_for_its_sequence_and_goes_out_once() -> None:
    value, taken = behind(4)
    value.set(5, b"five")
    value.reached(4)
    assert taken == []
    value.reached(5)
    value.reached(6)
    assert taken == [b"five"]


def test_a_newer_value_takes_the_place_of_one_that_waits() -> None:
    value, taken = behind(3)
    value.set(5, b"five")
    value.set(7, b"seven")
    value.reached(6)
    assert taken == [], "five was passed over: a display needs the newest alone"
    value.reached(9)
    assert taken == [b"seven"]


def test_what_is_out_already_is_set_at_once() -> None:
    value, taken = behind(5)
    value.set(5, b"five")
    assert taken == [b"five"]


def test_events_that_are_sent_again_are_waited_for() -> None:
    value, taken = behind(9)
    value.reached(2)
    value.set(5, b"five")
    assert taken == []
    value.reached(5)
    assert taken == [b"five"]
