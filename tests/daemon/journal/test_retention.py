"""Whatever goes by retention: the state is that of all events, nobody loses what he lacks unsaid, the chain holds."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from dealer_daemon.events import Event, EventsExpired, RoundVoided, TablePaused, TableResumed
from dealer_daemon.journal import (
    EventsRemoved,
    Journal,
    JournalDamaged,
    JournalMisuse,
    JournalTooNew,
    Snapshot,
    export_file,
    verify_file,
)
from dealer_daemon.retention import STEADY_S
from dealer_daemon.round import STATE_VERSION, TableState, fold
from dealer_daemon.station import kept, retention
from dealer_daemon.station.kept import FIRST_KEPT, UPGRADES, kept_state, snapshot_of, upgraded
from dealer_daemon.station.retention import Retention
from dealer_daemon.station.setup import recover
from dealer_drivers.instant import NS_PER_S, Instant

DAY_S = 86_400
TABLES = ("r1", "r2")
MEMORY = Path("/dev/shm")


class Life:
    """A journal with a retention of 90 days, and a clock that is set by hand."""

    def __init__(self, state_dir: Path, maker: Any) -> None:
        self.state_dir = state_dir
        self.maker = maker
        self.now_s = 1_700_000_000
        self.heard: list[Event] = []
        self.open()

    def open(self) -> None:
        self.journal = Journal.open(self.state_dir, boot="boot", clock=self.now)
        self.journal.add_listener(self.hear)
        self.retention = Retention(self.journal, 90, self.now, "boot", {})
        self.retention.step()
        self.now_s += int(STEADY_S)  # the clock is steady from here on

    def hear(self, events: Sequence[Event]) -> None:
        self.heard.extend(events)
        for event in events:
            if isinstance(event.data, EventsExpired):
                positions = self.journal.cursors(event.table)
                behind = {name for name, at in positions.items() if at < event.data.to_sequence}
                assert {f"ack/{name}" for name in event.data.consumers} == behind - {"published"}
                unpublished = positions.get("published", 0) < event.data.to_sequence
                assert event.data.reason == ("never_published" if unpublished else "consumer_behind")

    def now(self) -> Instant:
        return Instant(self.now_s * NS_PER_S, self.now_s * NS_PER_S)

    def commit(self, *events: Event, **more: Any) -> None:
        dated = [msgspec.structs.replace(event, wall_ns=self.now_s * NS_PER_S) for event in events]
        self.journal.commit(dated, **more)

    def round(self, table: str, end: bool = True) -> None:
        """A round: opened by a command, closed, its outcome with evidence."""
        number = self.journal.last_sequence(table) + 1
        self.maker.next[table] = number
        subject = f"{table}-{number}"
        event = self.maker.event(table, number, self.maker.opened(table).data, subject)
        self.commit(event, command=self.maker.command(table, f"c{number}"))
        self.maker.next[table] = number + 1
        self.commit(msgspec.structs.replace(self.maker.closed(table), subject=subject))
        if end:
            blob = self.maker.evidence(number % 5)
            outcome = msgspec.structs.replace(self.maker.outcome(table, number % 37, [blob]), subject=subject)
            self.commit(outcome, evidence=[blob])

    def days(self, days: int) -> None:
        """Time passes and the station runs: the clock is looked at each day."""
        self.now_s += days * DAY_S

    def settle(self) -> int:
        steps = 0
        while self.retention.step():
            steps += 1
            assert steps < 10_000
        return steps

    def acknowledge(self, **more: int) -> None:
        for table in TABLES:
            if last := self.journal.last_sequence(table):
                self.journal.set_cursors(
                    {(table, "published"): last} | {(table, f"ack/{n}"): s for n, s in more.items()}
                )


@pytest.fixture
def life(state_dir: Path, maker: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(retention, "SLICE_ROWS", 16)
    alive = Life(state_dir, maker)
    yield alive
    alive.journal.close()


def test_old_rows_go_and_the_rest_can_be_proved(life: Life) -> None:
    for _ in range(20):
        life.round("r1")
    life.acknowledge(bank=60)
    life.days(100)
    life.round("r1")
    life.acknowledge(bank=60)
    state = recover(life.journal, "r1")
    assert life.settle() > 3, "in slices"
    journal = life.journal
    first = journal.first_sequence("r1")
    assert first == 61
    assert [event.sequence for event in journal.events("r1", after=60)] == [61, 62, 63]
    assert journal.event_at("r1", 20) is None
    for after in (0, 59):
        with pytest.raises(EventsRemoved, match=r"before 61 were removed by retention; 61 is the first") as caught:
            list(journal.events("r1", after=after))
        assert caught.value.first == 61
    assert journal.reply_to("r1", "server-1", "c1") is not None, "answered stays answered"
    assert recover(journal, "r1") == state
    report = verify_file(journal.path)
    assert report.problems == []
    assert (report.removed_through, report.evidence) == (80, 1)
    begins, *lines = export_file(journal.path)
    assert begins["data"]["removed_through"] == 80
    assert [line["sequence"] for line in lines if line["kind"] == "event"] == [61, 62, 63]
    hashes = {line["row"]: line["hash"] for line in lines}
    assert [line["data"]["hash"] for line in lines if line["kind"] == "anchor"][-1] == begins["data"]["removed_hash"]
    assert min(hashes) == 81
    assert life.settle() == 0
    life.journal.close()
    life.open()
    assert recover(life.journal, "r1") == state
    assert life.journal.first_sequence("r1") == 61


def test_nothing_goes_that_a_consumer_lacks_until_it_is_said(life: Life) -> None:
    for _ in range(4):
        life.round("r1")
    life.acknowledge(bank=7, lobby=12)
    life.days(80)
    assert life.settle() == 0
    assert life.journal.first_sequence("r1") == 1
    life.days(12)
    life.settle()
    said = [event.data for event in life.heard if isinstance(event.data, EventsExpired)]
    assert said == [EventsExpired(from_sequence=8, to_sequence=12, consumers=["bank"], reason="consumer_behind")]
    assert life.journal.first_sequence("r1") == 13
    life.days(1)
    assert life.settle() == 0, "said once"


def test_what_no_broker_took_is_said_as_that(life: Life) -> None:
    life.round("r1")
    life.days(91)
    life.settle()
    said = [event.data for event in life.heard if isinstance(event.data, EventsExpired)]
    assert said == [EventsExpired(from_sequence=1, to_sequence=3, consumers=[], reason="never_published")]


def test_the_newest_outcome_and_the_open_round_stay(life: Life) -> None:
    for _ in range(5):
        life.round("r1")
    life.round("r1", end=False)
    life.round("r2")
    life.acknowledge()
    life.days(200)
    life.settle()
    journal = life.journal
    outcome = journal.newest("r1", "round.outcome")
    assert outcome is not None
    assert outcome.sequence == 15
    assert [journal.event_at("r1", n) is not None for n in range(10, 18)] == [False, False, False, *[True] * 5]
    assert journal.newest("r2", "round.outcome") is not None
    assert journal.signed_event_at("r2", 3) is not None
    assert all(journal.evidence(name) for name in outcome.data.evidence)  # type: ignore[attr-defined]
    assert verify_file(journal.path).problems == []
    life.maker.next["r1"] = 18
    blob = life.maker.evidence(99)
    life.commit(
        msgspec.structs.replace(life.maker.outcome("r1", 3, [blob]), subject=journal.event_at("r1", 17).subject),  # type: ignore[union-attr]
        evidence=[blob],
    )
    life.acknowledge()
    life.days(1)
    life.round("r2")
    life.acknowledge()
    life.days(200)
    life.settle()
    assert journal.event_at("r1", 15) is None, "there is a newer one by now"
    assert journal.newest("r1", "round.outcome").sequence == 18  # type: ignore[union-attr]
    assert verify_file(journal.path).problems == []


def test_nothing_goes_by_a_clock_that_jumped(life: Life) -> None:
    life.round("r1")
    life.acknowledge()
    mono = life.now()
    jumped = Instant(mono.mono_ns, mono.wall_ns + 1_000 * DAY_S * NS_PER_S)
    watch = Retention(life.journal, 90, lambda: jumped, "boot", {})
    assert not watch.step()
    assert life.journal.first_sequence("r1") == 1


def test_for_ever(life: Life) -> None:
    life.round("r1")
    life.acknowledge()
    life.retention = Retention(life.journal, 0, life.now, "boot", {})
    life.days(10_000)
    assert life.settle() == 0


def removed(life: Life) -> Path:
    for _ in range(8):
        life.round("r1")
    life.acknowledge()
    life.days(100)
    life.round("r1")
    life.round("r1")
    life.acknowledge()
    life.settle()
    assert verify_file(life.journal.path).problems == []
    life.journal.close()
    return life.journal.path


@pytest.mark.parametrize(
    ("statement", "what", "opens"),
    [
        ("DELETE FROM entries WHERE id = 33", "row 33", False),
        ("UPDATE removed SET last_row = 33", "row", False),
        ("DELETE FROM removed", "missing", False),
        ("UPDATE entries SET body = CAST(replace(body, '\"rows\"', '\"rowz\"') || ' ' AS BLOB) WHERE kind = 'anchor'",
         "retention removed", False),
        ("UPDATE states SET body = x'7b7d'", "is not what was kept", True),
        ("DELETE FROM states", "is not what was kept", True),
        ("DELETE FROM answered WHERE number = 2", "answers to commands", True),
        ("UPDATE answered SET reply = x'7b7d' WHERE number = 2", "answers to commands", True),
        ("INSERT INTO entries SELECT 1, dealer_table, kind, 1, type, subject, wall_ns, mono_ns, boot, client, "
         "command_id, body, evidence, hash, signature, signed FROM entries WHERE sequence = 25", "it was put in", True),
        ("UPDATE uses SET last_row = 7 WHERE last_row > 30", "names it last", True),
    ],
)  # fmt: skip
def test_a_hand_in_what_retention_left_is_found_out(
    life: Life, tamper: Any, statement: str, what: str, opens: bool
) -> None:
    path = removed(life)
    path.with_name("journal.head").unlink()
    tamper(statement)
    assert any(what in problem.what for problem in verify_file(path).problems)
    if not opens:
        with pytest.raises(JournalDamaged):
            Journal.open(life.state_dir, boot="after")


def test_a_state_that_was_changed_is_not_taken(life: Life, tamper: Any) -> None:
    removed(life)
    tamper("UPDATE states SET body = CAST(replace(body, 'r1', 'r2') AS BLOB)", "DELETE FROM snapshots")
    with (
        closing(Journal.open(life.state_dir, boot="after")) as journal,
        pytest.raises(JournalDamaged, match="state of table r1 after event 24 is not what was kept"),
    ):
        recover(journal, "r1")


@pytest.mark.parametrize("change", ["reply = x'7b7d'", "digest = 'other'", "command_id = 'c1' || 'x'"])
def test_an_answer_that_was_changed_is_not_given(life: Life, tamper: Any, change: str) -> None:
    removed(life)
    tamper(f"UPDATE answered SET {change} WHERE number = 1")
    with (
        closing(Journal.open(life.state_dir, boot="after")) as journal,
        pytest.raises(JournalDamaged, match="is not what was kept"),
    ):
        journal.reply_to("r1", "server-1", "c1x" if "command_id" in change else "c1")


def test_rows_go_only_with_the_state_after_them(journal: Journal, maker: Any) -> None:
    maker.round(journal, "r1", 1)
    head = journal.head()
    for states in ([], [Snapshot("r1", 2, b"", 1)]):
        with pytest.raises(JournalMisuse, match="states after these events"):
            journal.remove(4, states, lambda *_: False, 0)
    with pytest.raises(JournalMisuse, match="cannot be the last to go"):
        journal.remove(5, [Snapshot("r1", 3, b"", 1)], lambda *_: False, 0)
    assert journal.head() == head
    assert journal.first_sequence("r1") == 1


def test_a_damaged_row_is_not_removed_unseen(life: Life, tamper: Any) -> None:
    for _ in range(5):
        life.round("r1")
    life.acknowledge()
    tamper("UPDATE entries SET client = 'other' WHERE id = 5")
    life.days(100)
    with pytest.raises(JournalDamaged, match="row 5 is not what was written, so it is not removed"):
        life.settle()
    assert life.journal.first_sequence("r1") == 1


def test_every_state_version_since_events_go_has_a_step_to_the_next() -> None:
    """Whoever raises ``STATE_VERSION`` adds the step: the events that it could be folded from anew are gone."""
    assert sorted(UPGRADES) == list(range(FIRST_KEPT, STATE_VERSION))


def test_a_kept_state_of_an_older_version_is_brought_up(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    removed(life)
    life.open()
    state = kept_state(life.journal, "r1")
    steps = {STATE_VERSION: lambda body: body | {"rounds": body["rounds"] + 100}, STATE_VERSION + 1: lambda body: body}
    found = life.journal.kept_state("r1")
    assert found is not None
    assert upgraded(found, steps, STATE_VERSION + 2) == msgspec.structs.replace(state, rounds=state.rounds + 100)
    monkeypatch.setattr(kept, "STATE_VERSION", STATE_VERSION - 1)
    with pytest.raises(JournalTooNew, match="kept by a newer version of dealer-station"):
        kept_state(life.journal, "r1")


class Hosted:
    def __init__(self) -> None:
        self.committed = TableState(table="r1")
        self.said: list[EventsExpired] = []

    def expired(self, data: EventsExpired) -> None:
        self.said.append(data)


def test_a_table_that_is_taken_up_says_it_itself(life: Life) -> None:
    """Its core goes on from its own events: nobody else may put one behind them."""
    life.round("r1")
    host = Hosted()
    last = life.journal.last_sequence("r1")
    life.retention = Retention(life.journal, 90, life.now, "boot", {"r1": host})
    life.retention.step()
    life.now_s += int(STEADY_S)
    life.days(100)
    assert life.retention.step(), "the command's row goes"
    assert host.said == []
    assert life.retention.step()
    assert [data.to_sequence for data in host.said] == [3]
    assert life.journal.last_sequence("r1") == last


class RetentionMachine(RuleBasedStateMachine):
    """Commits, acknowledgements, days, restarts and retention beside plain lists that forget nothing."""

    make: Any = None

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
        self.life = Life(self.folder / "state", self.make())

    def teardown(self) -> None:
        self.life.journal.close()
        shutil.rmtree(self.folder)

    @rule(table=st.sampled_from(TABLES), rounds=st.integers(1, 4))
    def rounds(self, table: str, rounds: int) -> None:
        for _ in range(rounds):
            if fold(TableState(table=table), self.of(table)).round is not None:
                self.void(table)
            self.life.round(table)

    @rule(table=st.sampled_from(TABLES))
    def open_round(self, table: str) -> None:
        if fold(TableState(table=table), self.of(table)).round is None:
            self.life.round(table, end=False)

    @rule(table=st.sampled_from(TABLES))
    def void(self, table: str) -> None:
        current = fold(TableState(table=table), self.of(table)).round
        if current is not None:
            data = RoundVoided(reason="x", by="pit", seen={})
            self.one(table, data, current.id)

    @rule(table=st.sampled_from(TABLES), pause=st.booleans())
    def pause(self, table: str, pause: bool) -> None:
        data = TablePaused(reason="x", by="pit", detail="") if pause else TableResumed(reason="x", by="pit")
        self.one(table, data, None)

    def one(self, table: str, data: Any, subject: str | None) -> None:
        sequence = self.life.journal.last_sequence(table) + 1
        self.life.commit(self.life.maker.event(table, sequence, data, subject))

    @rule(
        table=st.sampled_from(TABLES),
        name=st.sampled_from(["published", "ack/bank", "ack/lobby"]),
        back=st.integers(0, 6),
    )
    def acknowledge(self, table: str, name: str, back: int) -> None:
        last = self.life.journal.last_sequence(table)
        gone = self.life.journal.first_sequence(table) - 1  # who registers later cannot miss what was gone before
        self.life.journal.set_cursors({(table, name): max(gone, last - back)})

    @rule(days=st.sampled_from([1, 30, 89, 91, 200]), steps=st.integers(0, 4))
    def time(self, days: int, steps: int) -> None:
        self.life.days(days)
        for _ in range(steps):
            self.life.retention.step()

    @rule()
    def snapshot(self) -> None:
        for table in TABLES:
            if self.of(table) and self.life.journal.event_at(table, self.of(table)[-1].sequence) is not None:
                self.life.journal.save_snapshot(snapshot_of(fold(TableState(table=table), self.of(table))))

    @rule()
    def restart(self) -> None:
        self.life.journal.close()
        self.life.open()

    def of(self, table: str) -> list[Event]:
        return [event for event in self.life.heard if event.table == table]

    @invariant()
    def the_fold_is_that_of_all_events(self) -> None:
        for table in TABLES:
            assert recover(self.life.journal, table) == fold(TableState(table=table), self.of(table))

    @invariant()
    def what_is_there_is_what_was_committed(self) -> None:
        journal = self.life.journal
        for table in TABLES:
            first = journal.first_sequence(table)
            assert list(journal.events(table, after=first - 1)) == self.of(table)[first - 1 :]
            outcomes = [event for event in self.of(table) if event.data.type == "round.outcome"]
            assert journal.newest(table, "round.outcome") == (outcomes[-1] if outcomes else None)
            current = fold(TableState(table=table), self.of(table)).round
            for event in self.of(table):
                if current is not None and event.subject == current.id:
                    assert journal.event_at(table, event.sequence) == event
                if event.data.type == "round.opened":
                    assert journal.reply_to(table, "server-1", f"c{event.sequence}") is not None

    @invariant()
    def nobody_loses_what_he_lacks_unsaid(self) -> None:
        journal = self.life.journal
        for table in TABLES:
            said = [event.data for event in self.of(table) if isinstance(event.data, EventsExpired)]
            gone = journal.first_sequence(table) - 1
            lowest = min(({"published": 0} | journal.cursors(table)).values())
            for missing in range(lowest + 1, gone + 1):
                assert any(data.from_sequence <= missing <= data.to_sequence for data in said), missing

    @rule()
    def verify(self) -> None:
        assert verify_file(self.life.journal.path, expect_head=self.life.journal.head()).problems == []


def run_machine(maker: Any, examples: int, steps: int) -> None:
    RetentionMachine.make = type(maker)
    run_state_machine_as_test(
        RetentionMachine,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


def test_the_fold_never_notices_what_is_gone(maker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "SLICE_ROWS", 8)
    run_machine(maker, 15, 25)


@pytest.mark.soak
def test_the_fold_never_notices_what_is_gone_for_long(maker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "SLICE_ROWS", 8)
    run_machine(maker, 400, 60)
