"""What was committed is there, in order, once, and exactly as it was; what may not be committed leaves no trace."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from dealer_daemon.events import BettingClosed, Event, EventData, RoundOpened, TableResumed, encode_data
from dealer_daemon.evidence import Evidence
from dealer_daemon.journal import (
    CommandRepeated,
    EvidenceConflict,
    Head,
    Journal,
    JournalMisuse,
    SequenceConflict,
    verify_file,
)
from dealer_drivers.instant import Instant

BOOT = "boot-1"


def test_events_come_back_as_they_were_and_in_order(journal: Journal, state_dir: Any, maker: Any) -> None:
    blob = maker.evidence(1)
    events = [
        maker.opened("r1", server={"lucky": [17, 23], "multipliers": {"17": 0.5}, "名": "财神"}),
        maker.closed("r1"),
        maker.outcome("r1", 17, [blob]),
    ]
    other = maker.event("b1", 1, TableResumed(reason="ok", by="manager"), subject=None)
    journal.commit(events[:2])
    journal.commit([events[2], other], [blob])
    assert list(journal.events("r1")) == events
    journal.close()
    with closing(Journal.open(state_dir, boot="boot-2")) as again:
        assert list(again.events("r1")) == events
        assert list(again.events("b1")) == [other]
        assert again.tables() == ["b1", "r1"]
        assert (again.last_sequence("r1"), again.last_sequence("b1"), again.last_sequence("x")) == (3, 1, 0)


def test_the_body_is_kept_byte_for_byte(journal: Journal, maker: Any) -> None:
    event = maker.opened("r1", server={"b": 1, "a": 1.0})
    journal.commit([event])
    with closing(sqlite3.connect(f"file:{journal.path}?mode=ro", uri=True)) as db:
        assert db.execute("SELECT body FROM entries").fetchall() == [(encode_data(event.data),)]


def test_a_part_of_the_events(journal: Journal, maker: Any) -> None:
    events = [maker.closed("r1") for _ in range(600)]  # more than two pages
    journal.commit(events)
    assert list(journal.events("r1")) == events
    assert list(journal.events("r1", after=300)) == events[300:]
    assert list(journal.events("r1", after=10, limit=300)) == events[10:310]
    assert list(journal.events("r1", after=590, limit=300)) == events[590:]
    assert list(journal.events("r1", limit=0)) == []
    assert list(journal.events("r1", after=600)) == []
    assert list(journal.events("other")) == []


def test_a_slow_reader_gets_what_is_committed_meanwhile(journal: Journal, maker: Any) -> None:
    journal.commit([maker.closed("r1") for _ in range(256)])
    reading = journal.events("r1")
    first = next(reading)
    journal.commit([maker.closed("r1"), maker.closed("r1")])
    assert [first.sequence, *(event.sequence for event in reading)] == list(range(1, 259))


def test_single_events(journal: Journal, maker: Any) -> None:
    blob = maker.evidence(1)
    outcome = maker.outcome("r1", 8, [blob])
    journal.commit([outcome, maker.closed("r1")], [blob])
    assert journal.event_at("r1", 1) == outcome
    assert journal.event_at("r1", 3) is None
    assert journal.event_at("r2", 1) is None
    assert journal.newest("r1", "round.outcome") == outcome
    newer = maker.outcome("r1", 9, [])
    journal.commit([newer, maker.closed("r1")])
    assert journal.newest("r1", "round.outcome") == newer
    assert journal.newest("r1", "round.voided") is None
    assert journal.newest("r2", "round.outcome") is None


@pytest.mark.parametrize("sequences", [[2], [0], [1, 3], [1, 1], [1, 2, 4]])
def test_a_sequence_that_is_not_the_next_writes_nothing(journal: Journal, maker: Any, sequences: list[int]) -> None:
    with pytest.raises(SequenceConflict, match="the next is"):
        journal.commit([maker.event("r1", sequence) for sequence in sequences])
    assert journal.head() == Head(0, journal.head().hash)
    assert journal.tables() == []
    journal.commit([maker.event("r1", 1)])
    with pytest.raises(SequenceConflict, match="with sequence 1; the next is 2"):
        journal.commit([maker.event("r1", 1)])
    assert journal.last_sequence("r1") == 1


def test_evidence_is_kept_once(journal: Journal, maker: Any) -> None:
    blob = maker.evidence(1)
    journal.commit([maker.outcome("r1", 1, [blob])], [blob, blob])
    journal.commit([maker.outcome("r1", 1, [blob])], [blob])
    journal.commit([maker.outcome("r1", 1, [blob])])  # named again, given before
    assert journal.evidence(blob.hash) == blob
    assert journal.evidence("sha256:00") is None
    report = verify_file(journal.path)
    assert (report.ok, report.evidence, report.rows) == (True, 1, 3)


def test_evidence_that_no_event_names_is_covered_by_the_chain(journal: Journal, maker: Any) -> None:
    blob = maker.evidence(1)
    journal.commit([maker.closed("r1")], [blob])
    journal.commit([], [maker.evidence(2)], maker.command("r1", "c1"))
    report = verify_file(journal.path)
    assert (report.ok, report.evidence) == (True, 2)


def test_an_event_may_not_name_evidence_that_is_nowhere(journal: Journal, maker: Any) -> None:
    absent = maker.evidence(5)
    with pytest.raises(EvidenceConflict, match=absent.hash):
        journal.commit([maker.outcome("r1", 1, [absent])], [maker.evidence(6)])
    assert journal.evidence(maker.evidence(6).hash) is None
    assert journal.head().row == 0


def test_evidence_under_a_wrong_name_is_refused(journal: Journal, maker: Any) -> None:
    right = maker.evidence(1)
    wrong = Evidence(right.hash, right.body + b" ")
    with pytest.raises(EvidenceConflict, match="not the hash of its body"):
        journal.commit([maker.outcome("r1", 1, [wrong])], [wrong])
    assert journal.evidence(right.hash) is None


def test_stored_evidence_of_another_length_is_noticed(
    journal: Journal, state_dir: Any, maker: Any, tamper: Any
) -> None:
    blob = maker.evidence(1)
    journal.commit([maker.outcome("r1", 1, [blob])], [blob])
    journal.close()
    tamper("UPDATE evidence SET body = x'00'")
    with closing(Journal.open(state_dir, boot=BOOT)) as again:
        with pytest.raises(EvidenceConflict, match="journal verify"):
            again.commit([maker.outcome("r1", 1, [blob])], [blob])
        assert again.last_sequence("r1") == 1


def test_the_first_media_type_of_a_blob_stays(journal: Journal, maker: Any) -> None:
    blob = maker.evidence(1)
    journal.commit([maker.outcome("r1", 1, [blob])], [blob])
    journal.commit([maker.outcome("r1", 1, [blob])], [Evidence(blob.hash, blob.body, "image/png")])
    assert journal.evidence(blob.hash) == blob
    assert verify_file(journal.path).ok


def test_a_command_is_answered_from_the_journal(journal: Journal, state_dir: Any, maker: Any) -> None:
    record = maker.command("r1", "c1")
    journal.commit([maker.closed("r1")], command=record)
    refusal = maker.command("r1", "c2")
    journal.commit([], command=refusal)
    journal.close()
    with closing(Journal.open(state_dir, boot=BOOT)) as again:
        assert again.reply_to("r1", "server-1", "c1") == (record.digest, record.reply)
        assert again.reply_to("r1", "server-1", "c2") == (refusal.digest, refusal.reply)
        assert again.reply_to("r1", "server-2", "c1") is None
        assert again.reply_to("r2", "server-1", "c1") is None
        assert again.last_sequence("r1") == 1, "a command takes no sequence"


def test_a_command_is_committed_once(journal: Journal, maker: Any) -> None:
    journal.commit([], command=maker.command("r1", "c1"))
    with pytest.raises(CommandRepeated, match="give that reply again"):
        journal.commit([maker.closed("r1")], command=maker.command("r1", "c1"))
    assert journal.last_sequence("r1") == 0
    journal.commit([], command=maker.command("r1", "c1", client="server-2"))
    journal.commit([], command=maker.command("r2", "c1"))
    assert journal.head().row == 3


def test_the_times_of_a_command(state_dir: Any, maker: Any) -> None:
    with closing(Journal.open(state_dir, boot=BOOT, clock=lambda: Instant(5, 6))) as journal:
        event = maker.closed("r1")
        journal.commit([], command=maker.command("r1", "alone"))
        journal.commit([event], command=maker.command("r1", "with an event"))
    with closing(sqlite3.connect(journal.path)) as db:
        rows = db.execute("SELECT kind, mono_ns, wall_ns, boot FROM entries ORDER BY id").fetchall()
    times = (event.mono_ns, event.wall_ns, BOOT)
    assert rows == [("command", 5, 6, BOOT), ("command", *times), ("event", *times)]


def test_listeners_hear_of_commits_that_are_on_the_disk(journal: Journal, maker: Any) -> None:
    heard: list[list[int]] = []

    def listen(events: Any) -> None:
        with closing(sqlite3.connect(f"file:{journal.path}?mode=ro", uri=True)) as db:
            (last,) = db.execute("SELECT max(sequence) FROM entries").fetchone()
        assert journal.last_sequence("r1") == last
        heard.append([event.sequence for event in events])

    remove = journal.add_listener(listen)
    journal.commit([maker.closed("r1"), maker.closed("r1")])
    with pytest.raises(SequenceConflict):
        journal.commit([maker.event("r1", 9)])
    journal.commit([], command=maker.command("r1", "c1"))
    remove()
    remove()
    journal.commit([maker.event("r1", 3)])
    assert heard == [[1, 2], []]


def test_a_listener_may_commit(journal: Journal, maker: Any) -> None:
    def answer(events: tuple[Event, ...]) -> None:
        if events and events[0].data.type == "round.opened":
            journal.commit([maker.closed("r1")])

    journal.add_listener(answer)
    journal.commit([maker.opened("r1")])
    assert [event.data.type for event in journal.events("r1")] == ["round.opened", "betting.closed"]
    assert verify_file(journal.path).ok


class Unlisted(EventData, frozen=True, kw_only=True):
    type = "not.listed"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (Unlisted(), "not in EVENT_TYPES"),
        (BettingClosed(game="roulette", source=None), "could not be read back"),  # type: ignore[arg-type]
        (RoundOpened(game="roulette", source="device", spin="7"), "could not be read back"),  # type: ignore[arg-type]
    ],
)
def test_an_event_that_could_not_be_read_back_is_refused(
    journal: Journal, maker: Any, data: EventData, says: str
) -> None:
    with pytest.raises(JournalMisuse, match=says):
        journal.commit([maker.event("r1", 1), maker.event("r1", 2, data)])
    assert journal.head().row == 0


def test_misuse_leaves_the_journal_usable(journal: Journal, maker: Any) -> None:
    with pytest.raises(JournalMisuse, match="needs an event or a command"):
        journal.commit([])
    with pytest.raises(OverflowError):
        journal.commit([maker.event("r1", 1), Event(**{**_fields(maker.event("r1", 2)), "mono_ns": 2**63})])
    assert (journal.last_sequence("r1"), list(journal.events("r1"))) == (0, [])
    journal.commit([maker.event("r1", 1)])
    assert verify_file(journal.path).rows == 1
    journal.close()
    journal.close()
    with pytest.raises(JournalMisuse, match="closed database"):
        journal.commit([maker.event("r1", 2)])
    with pytest.raises(JournalMisuse, match="closed database"):
        journal.event_at("r1", 1)


def _fields(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__struct_fields__}


def test_the_head_moves_with_every_row(journal: Journal, maker: Any) -> None:
    heads = [journal.head()]
    journal.commit([maker.closed("r1")])
    heads.append(journal.head())
    journal.commit([maker.closed("r1")], command=maker.command("r1", "c1"))
    heads.append(journal.head())
    assert [head.row for head in heads] == [0, 1, 3]
    assert len({head.hash for head in heads}) == 3
    assert verify_file(journal.path).head == heads[-1]
