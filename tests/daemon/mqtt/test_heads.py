"""The journal's head at the broker: it tells a rewritten journal, and keeps an old copy from speaking."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.events import Event
from dealer_daemon.journal import FILE_NAME, Journal, JournalUnavailable, verify_file
from dealer_daemon.mqtt import heads as module
from dealer_daemon.mqtt.envelope import encode_event, event_checker, event_signer, verify_event
from dealer_daemon.mqtt.head_body import HEAD_LAG, encode_head, held_by, read_head, verify_head
from dealer_daemon.mqtt.heads import JournalHeads, Signing
from dealer_daemon.mqtt.messages import Incoming
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.signing import SigningKey
from dealer_daemon.station.adopt import give_up
from support.mqtt_brokers import Broker, mosquitto
from support.mqtt_journal import KEY, NOW, SIGNED, STRANGER, UNSIGNED, codes, journal_in, station, write
from support.mqtt_link import FakeLink, settle, until
from support.mqtt_outbox import START_WALL_NS, opened, outcome
from support.mqtt_person import Person
from support.mqtt_uplink import EVERYTHING, TOPICS, running


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Broker]:
    async with running(mosquitto(tmp_path)) as made:
        yield made


@pytest.fixture
async def seen(broker: Broker) -> AsyncIterator[Person]:
    async with Person(broker.port, EVERYTHING) as made:
        yield made


def sequences(seen: Person) -> list[int]:
    return [json.loads(m.payload)["sequence"] for m in seen.messages if "/events/" in m.topic]


def heads(seen: Person) -> list[bytes]:
    return [bytes(m.payload) for m in seen.messages if m.topic == TOPICS.journal]


async def test_the_head_follows_the_events_and_proves_the_journal(tmp_path: Path, broker: Broker, seen: Person) -> None:
    with journal_in(tmp_path / "state") as journal:
        write(journal, opened(), outcome("17"))
        async with station(broker, journal) as uplink:
            await until(lambda: uplink.published == 2 and bool(heads(seen)))
            write(journal, opened())
            await until(lambda: json.loads(heads(seen)[-1])["last_sequence"] == 3)
            assert uplink.problems == []
        await until(
            lambda: any(not json.loads(m.payload)["online"] for m in seen.messages if m.topic == TOPICS.presence)
        )
        kept = heads(seen)[-1]
        assert verify_head(kept, SIGNED.keys)
        assert not verify_event(kept, SIGNED.keys)
        head = read_head(kept)
        assert head is not None
        assert (head.row, head.hash) == tuple(journal.head())
    check = event_checker(TOPICS.site, SIGNED.keys)
    report = verify_file(tmp_path / "state" / FILE_NAME, None, (head.row, head.hash), check)
    assert report.ok
    assert report.signed == 3


async def test_an_old_copy_of_the_journal_sends_nothing_until_a_person_adopts_it(
    tmp_path: Path, broker: Broker, seen: Person
) -> None:
    state = tmp_path / "state"
    with journal_in(state) as journal:
        write(journal, opened(), opened())
        async with station(broker, journal) as uplink:
            await until(lambda: uplink.published == 2)
    shutil.copytree(state, tmp_path / "backup")
    with journal_in(state) as journal:
        write(journal, opened(), outcome("17"))
        async with station(broker, journal) as uplink:
            await until(lambda: uplink.published == 4)
    shutil.rmtree(state)
    shutil.copytree(tmp_path / "backup", state)

    with journal_in(state, boot="boot-b") as journal:
        write(journal, opened(), boot="boot-b")
        await until(lambda: sequences(seen) == [1, 2, 3, 4])
        before = sequences(seen)
        async with station(broker, journal, boot="boot-b") as uplink:
            await until(lambda: "journal_behind" in codes(uplink))
            assert "event 4" in " ".join(problem.detail for problem in uplink.problems)
            write(journal, opened(), outcome("3"), boot="boot-b")
            await asyncio.sleep(0.3)  # longer than any message takes; nothing is to come
            assert sequences(seen) == before
        # It has played on, past the number of the newer copy, and is the old copy still.
        async with station(broker, journal, boot="boot-b") as uplink:
            await until(lambda: "journal_behind" in codes(uplink))
        assert json.loads(heads(seen)[-1])["last_sequence"] == 4, "the newer head is not written over"
        shown = [m.payload for m in seen.messages if m.topic == TOPICS.outcome]
        assert json.loads(shown[-1])["sequence"] == 4, "and neither is the newer outcome"
        give_up(journal, "r1", 4, journal.journal_id, boot="boot-b", by="anna")
        async with station(broker, journal, boot="boot-b") as uplink:
            await until(lambda: sequences(seen)[-1] == journal.last_sequence("r1"))
            assert uplink.problems == []
            uplink.resend(1)
            await until(lambda: len(sequences(seen)) == len(before) + 2)
    after = [json.loads(m.payload) for m in seen.messages if "/events/" in m.topic][len(before) :]
    assert [event["sequence"] for event in after] == [6, 6], "nothing that the held station wrote, whatever its number"
    assert after[-1]["type"] == "events.lost"
    assert (after[-1]["data"]["from_sequence"], after[-1]["data"]["by"]) == (1, "anna")


async def test_a_new_journal_does_not_repeat_the_numbers_of_the_lost_one(
    tmp_path: Path, broker: Broker, seen: Person
) -> None:
    with journal_in(tmp_path / "a") as journal:
        write(journal, opened(), opened())
        lost = journal.journal_id
        async with station(broker, journal) as uplink:
            await until(lambda: uplink.published == 2)
    with journal_in(tmp_path / "b") as journal:
        write(journal, opened())
        async with station(broker, journal) as uplink:
            await until(lambda: "journal_other" in codes(uplink))
        await until(lambda: sequences(seen) == [1, 2])
        give_up(journal, "r1", 2, lost, boot="boot-b", by="anna")
        async with station(broker, journal) as uplink:
            await until(lambda: journal.last_sequence("r1") in sequences(seen))
            assert journal.last_sequence("r1") == 3
    assert sequences(seen) == [1, 2, 3], "event 1 of the new journal has a number that was used"


async def test_without_a_key_an_old_copy_is_found_and_a_new_journal_is_not_held(tmp_path: Path, broker: Broker) -> None:
    state = tmp_path / "state"
    with journal_in(state, UNSIGNED) as journal:
        write(journal, opened())
    shutil.copytree(state, tmp_path / "backup")
    with journal_in(state, UNSIGNED) as journal:
        write(journal, opened())
        async with station(broker, journal, UNSIGNED) as uplink:
            await until(lambda: uplink.published == 2)
    with journal_in(tmp_path / "backup", UNSIGNED) as journal:
        async with station(broker, journal, UNSIGNED) as uplink:
            await until(lambda: "journal_behind" in codes(uplink))
    with journal_in(tmp_path / "new", UNSIGNED) as journal:
        write(journal, opened())
        async with station(broker, journal, UNSIGNED) as uplink:
            await until(lambda: uplink.published == 1)
            assert uplink.problems == []


async def test_one_of_two_stations_of_one_name_and_key_is_held_though_the_other_is_gone(
    tmp_path: Path, broker: Broker
) -> None:
    with journal_in(tmp_path / "a") as one, journal_in(tmp_path / "b") as two:
        write(one, opened())
        write(two, opened(), opened())
        async with station(broker, one) as first:
            await until(lambda: first.published == 1)
            async with station(broker, two, boot="boot-b") as second:
                await until(lambda: "station_contested" in codes(second))
        async with station(broker, two, boot="boot-b") as second:
            await until(lambda: "journal_other" in codes(second))


@pytest.mark.parametrize("other_key", [None, STRANGER])
async def test_a_head_of_another_key_holds_a_station_that_has_one_and_is_not_written_over(
    tmp_path: Path, broker: Broker, seen: Person, other_key: SigningKey | None
) -> None:
    with journal_in(tmp_path / "state") as journal, journal_in(tmp_path / "other") as other:
        write(journal, opened())
        write(other, *[opened()] * 5)
        body = encode_head(TOPICS, other, NOW, other_key)
        await seen.publish(TOPICS.journal, body, retain=True)
        async with station(broker, journal) as uplink:
            await until(lambda: codes(uplink) == ["journal_other"])
            [problem] = uplink.problems
            assert f"--after {5 + HEAD_LAG} --journal {other.journal_id} " in problem.detail
        assert sequences(seen) == []
        assert heads(seen) == [body]
        # It was nobody's: a person takes it away.
        await seen.publish(TOPICS.journal, b"", retain=True)
        async with station(broker, journal) as uplink:
            await until(lambda: uplink.published == 1)
            assert uplink.problems == []
            assert not held_by(journal.cursors("r1"))


async def test_two_stations_of_one_name_with_a_key_each_do_not_both_speak(
    tmp_path: Path, broker: Broker, seen: Person
) -> None:
    theirs = Signing(STRANGER, {STRANGER.id: STRANGER.public})
    with journal_in(tmp_path / "a") as one, journal_in(tmp_path / "b", theirs) as two:
        write(one, opened())
        write(two, opened(), opened())
        async with station(broker, one) as first:
            await until(lambda: first.published == 1 and bool(heads(seen)))
            async with station(broker, two, theirs, boot="boot-b") as second:
                await until(lambda: "station_contested" in codes(second))
                write(one, opened())
                await until(lambda: first.published == 2)
        async with station(broker, two, theirs, boot="boot-b") as second:
            await until(lambda: "journal_other" in codes(second))
    assert sequences(seen) == [1, 2]
    assert {bool(verify_head(head, SIGNED.keys)) for head in heads(seen)} == {True}


async def test_a_forged_head_of_this_very_journal_holds_nothing(tmp_path: Path, broker: Broker, seen: Person) -> None:
    with journal_in(tmp_path / "state") as journal:
        write(journal, opened())
        body = encode_head(TOPICS, journal, NOW, STRANGER).replace(b'"last_sequence":1', b'"last_sequence":9')
        await seen.publish(TOPICS.journal, body, retain=True)
        async with station(broker, journal) as uplink:
            await until(lambda: uplink.published == 1)
            assert uplink.problems == []


async def test_an_outcome_that_the_journal_lacks_holds_though_the_head_is_gone(
    tmp_path: Path, broker: Broker, seen: Person
) -> None:
    with journal_in(tmp_path / "a") as journal:
        write(journal, opened(), outcome("17"))
        async with station(broker, journal) as uplink:
            await until(lambda: any(m.topic == TOPICS.outcome for m in seen.messages))
            await until(lambda: uplink.published == 2)
    await seen.publish(TOPICS.journal, b"", retain=True)
    for name, events in (("b", [opened()]), ("c", [opened(), outcome("3"), opened()])):
        with journal_in(tmp_path / name, boot="boot-b") as journal:
            write(journal, *events, boot="boot-b")
            async with station(broker, journal) as uplink:
                await until(lambda: {"journal_behind", "journal_other"} & set(codes(uplink)) != set())


class Hold:
    """A publisher that only remembers what holds it."""

    def __init__(self) -> None:
        self.held: set[str] = set()
        self.passing = False
        self.detail = ""

    def hold(self, problem: Any, *, passing: bool = False) -> None:
        self.passing, self.detail = passing, problem.detail
        self.held.add(problem.code)

    def release(self, code: str) -> bool:
        had = code in self.held
        self.held.discard(code)
        return had


@pytest.fixture
async def alone(
    tmp_path: Path, link: FakeLink, retained: RetainedTopics, topics: Topics
) -> AsyncIterator[tuple[JournalHeads, Hold]]:
    with journal_in(tmp_path / "state") as journal:
        write(journal, opened())
        gate = Hold()
        made = JournalHeads(topics, retained, gate, journal, SIGNED, lambda: NOW)
        link.on_connected(lambda _present, _version: made.connected())
        link.on_disconnected(lambda _reason: made.disconnected())
        made.start()
        yield made, gate
        made.close()


async def test_nothing_is_sent_in_a_connection_before_the_broker_was_looked_at(
    alone: tuple[JournalHeads, Hold], link: FakeLink
) -> None:
    made, gate = alone
    for _ in range(2):  # the second time after a loss, with a head of ours on the topic
        assert gate.held == {module.UNCHECKED}
        await link.connect()
        assert gate.held == {module.UNCHECKED}
        assert not [m for m in link.sent if m.topic == TOPICS.journal]
        made.birth_came_back()
        await settle()
        assert gate.held == set()
        assert [m.topic for m in link.sent] == [TOPICS.journal]
        await link.drop()
        made.connected()  # what the publisher is told comes after this
        link.sent.clear()


async def test_time_opens_nothing_and_a_slow_broker_is_said(
    alone: tuple[JournalHeads, Hold], link: FakeLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLOW_S", 0.02)
    made, gate = alone
    assert gate.passing
    await link.connect()
    await until(lambda: not gate.passing)
    assert gate.held == {module.UNCHECKED}
    assert "access list" in gate.detail
    assert link.sent == []
    made.birth_came_back()
    assert gate.held == set(), "however late, it is the broker's word"


@pytest.mark.parametrize("refused", [TOPICS.journal, TOPICS.outcome])
async def test_a_broker_that_does_not_let_us_look_says_nothing_for_us(
    alone: tuple[JournalHeads, Hold], link: FakeLink, refused: str
) -> None:
    made, gate = alone
    await link.connect()
    made.subscription_refused(TOPICS.commands)
    made.subscription_refused(refused)
    made.birth_came_back()
    assert gate.held == {module.UNCHECKED}
    await link.drop()
    await link.connect()
    made.birth_came_back()
    assert gate.held == set(), "the next connection is asked anew"


async def test_what_holds_is_not_taken_back_by_what_comes_later(
    alone: tuple[JournalHeads, Hold], link: FakeLink, tmp_path: Path
) -> None:
    made, gate = alone
    await link.connect()
    with journal_in(tmp_path / "other") as other:
        write(other, *[opened()] * 5)
        made.received(Incoming(TOPICS.journal, encode_head(TOPICS, other, NOW, KEY)))
    made.birth_came_back()
    for later in (b"", b"{", encode_head(TOPICS, made._journal, NOW, KEY)):
        made.received(Incoming(TOPICS.journal, later))
    await link.drop()
    await link.connect()
    made.birth_came_back()
    await settle()
    assert gate.held == {"journal_other"}
    assert link.sent == []


async def test_our_own_head_coming_back_is_answered_with_nothing(
    alone: tuple[JournalHeads, Hold], link: FakeLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HEAD_EVERY_S", 0.0)
    made, _ = alone
    await link.connect()
    made.birth_came_back()
    await link.ack()
    made.received(Incoming(TOPICS.journal, link.sent[-1].payload))
    await asyncio.sleep(0.02)
    assert len([m for m in link.sent if m.topic == TOPICS.journal]) == 1


HEAD = {
    "site": "studio-1", "table": "r1", "journal_id": "8e6a0e953a8c4925bc087bf8f5eacd15", "row": 3, "hash": "0" * 64,
    "last_sequence": 2, "time": NOW,
}  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"journal_id": "x`; rm -rf ~ #"},
        {"journal_id": "a" * 65},
        {"journal_id": "a\n"},
        {"journal_id": ""},
        {"time": "\x1b[2J"},
        {"time": "now " * 50_000},
        {"hash": "0" * 100_000},
        {"row": 2**63},
        {"row": -1},
        {"last_sequence": 2**63},
        {"last_sequence": -1},
    ],
)
async def test_what_no_station_writes_is_no_head_and_comes_before_no_person(
    alone: tuple[JournalHeads, Hold], link: FakeLink, wrong: dict[str, Any]
) -> None:
    """A head is shown within a command that a person is to run, kept in the journal, and looked up by its row."""
    made, gate = alone
    await link.connect()
    made.received(Incoming(TOPICS.journal, json.dumps(HEAD | wrong).encode(), True))
    made.birth_came_back()
    assert gate.held == set()
    made.received(Incoming(TOPICS.journal, json.dumps(HEAD).encode(), True))
    assert gate.held == {"journal_other"}


async def test_the_signed_outcome_of_another_table_says_nothing_of_this_one(
    alone: tuple[JournalHeads, Hold], link: FakeLink
) -> None:
    made, gate = alone
    await link.connect()
    for table, held in (("r2", False), ("r1", True)):
        event = Event(
            table=table, sequence=900, subject="r-1", wall_ns=START_WALL_NS, mono_ns=5, boot="b", data=outcome("3")
        )
        body = encode_event(TOPICS.site, event, event_signer(TOPICS.site, KEY)(event))
        assert verify_event(body, SIGNED.keys)
        made.outcome_received(Incoming(TOPICS.outcome, body, True))
        assert ("journal_behind" in gate.held) == held


@pytest.mark.parametrize("old", [True, False])
async def test_a_journal_that_cannot_be_read_just_then_opens_nothing(
    alone: tuple[JournalHeads, Hold], link: FakeLink, monkeypatch: pytest.MonkeyPatch, old: bool
) -> None:
    """What the broker keeps is compared when the disk is back, and not forgotten meanwhile."""
    monkeypatch.setattr(module, "RETRY_S", 0.05)
    made, gate = alone
    journal = made._journal
    head = HEAD | {"journal_id": journal.journal_id, "row": 999 if old else journal.head().row}
    head["hash"] = journal.head().hash
    disk = {"well": False}
    row_hash = Journal.row_hash

    def read(self: Journal, row: int) -> str | None:
        if not disk["well"]:
            raise JournalUnavailable("the disk does not answer")
        return row_hash(self, row)

    monkeypatch.setattr(Journal, "row_hash", read)
    await link.connect()
    made.received(Incoming(TOPICS.journal, json.dumps(head).encode(), True))
    made.birth_came_back()
    assert gate.held == {module.UNCHECKED}
    assert "the disk does not answer" in gate.detail
    assert not gate.passing, "a person is told"
    await link.drop()
    await link.connect()
    made.birth_came_back()
    assert gate.held == {module.UNCHECKED}, "another connection does not make it read"
    disk["well"] = True
    await until(lambda: module.UNCHECKED not in gate.held)
    assert gate.held == ({"journal_behind"} if old else set())


async def test_heads_without_end_hold_once_and_do_not_fill_the_journal(
    alone: tuple[JournalHeads, Hold], link: FakeLink
) -> None:
    made, gate = alone
    await link.connect()
    for number in range(100):
        made.received(Incoming(TOPICS.journal, json.dumps(HEAD | {"journal_id": f"{number:032x}"}).encode()))
    made.birth_came_back()
    assert gate.held == {"journal_other"}
    assert len(held_by(made._journal.cursors("r1"))) == module.MOST_HELD
