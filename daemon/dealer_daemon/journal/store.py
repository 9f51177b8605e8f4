"""The journal while a daemon has it open: commits, reads, cursors and snapshots on one connection."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dealer_daemon.commands import CommandRecord
from dealer_daemon.events import Event, EventsLost
from dealer_daemon.evidence import Evidence
from dealer_daemon.journal import blobs, uses
from dealer_daemon.journal.anchor import read_anchor, read_state
from dealer_daemon.journal.cursors import forget_cursors, moved, read_cursors, refuse_ahead, write_cursors
from dealer_daemon.journal.entry import INSERT, Answer, Head, Link, answer_of, draft, named_by, stored_answer
from dealer_daemon.journal.errors import (
    DATABASE_ERRORS,
    CommandRepeated,
    EventsRemoved,
    JournalDamaged,
    JournalMisuse,
    SequenceConflict,
    damaged,
    from_sqlite,
)
from dealer_daemon.journal.files import Opened, open_files
from dealer_daemon.journal.order import follows, goes_on
from dealer_daemon.journal.prune import Kept, remove_rows
from dealer_daemon.journal.reading import SignedEvent, proved, signed_event
from dealer_daemon.journal.seen import Seen
from dealer_daemon.journal.snapshots import Snapshot, put_snapshot, read_snapshot
from dealer_daemon.journal.tail import read_end
from dealer_daemon.retention import OldRow
from dealer_drivers.instant import Instant

PAGE = 256
"""Events read at a time, so that no statement stays open (it would hold the WAL) while a reader is slow."""

MAINTAIN_AFTER_COMMITS = 32
"""Below so many commits a checkpoint is not worth its extra fsyncs."""

Listener = Callable[[Sequence[Event]], None]
Signer = Callable[[Event], bytes]


def system_now() -> Instant:
    """This moment on the computer's clocks."""
    return Instant(time.monotonic_ns(), time.time_ns())


class Journal:
    """One append-only, hash-chained log: audit trail, crash recovery and outbox at once (``design.md``, layer 7).

    Everything is synchronous and belongs to the thread that opened it. Any method but ``close`` may raise
    ``JournalUnavailable`` (try again), ``JournalDamaged`` (a person must look) or ``JournalMisuse`` (closed, or
    called from another thread).
    """

    def __init__(self, opened: Opened, boot: str, clock: Callable[[], Instant], sign: Signer | None) -> None:
        """Use ``Journal.open``. Raises ``JournalDamaged`` or ``sqlite3.Error`` when the last rows do not verify."""
        self._opened = opened
        self._path = opened.path
        self._db = opened.connection
        self._boot = boot
        self._clock = clock
        self._sign = sign
        self._listeners: list[Listener] = []
        self._commits_since_checkpoint = 0
        self._anchor = read_anchor(self._db, self._path)
        self._end, self._sequences = read_end(self._db, self._path, self._anchor)
        opened.see_that_nothing_was_cut_off(self._end, self._sequences, self._anchor.last_row)
        self._note_end()

    @classmethod
    def open(
        cls, state_dir: Path, *, boot: str, clock: Callable[[], Instant] = system_now, sign: Signer | None = None
    ) -> Journal:
        """Open the journal in ``state_dir``, or begin a new one, and verify its last rows.

        ``boot`` is the id of this run of the daemon. ``sign`` makes the signature that is stored with each event as it
        is committed. Raises ``JournalBusy``, ``StateDirUnusable``, ``JournalTooNew``, ``JournalDamaged`` or
        ``JournalUnavailable``.
        """
        opened = open_files(state_dir, boot)
        try:
            return cls(opened, boot, clock, sign)
        except BaseException as error:
            opened.close()
            if isinstance(error, DATABASE_ERRORS):
                raise from_sqlite(error, opened.path, "opening the journal") from error
            raise

    @property
    def path(self) -> Path:
        """The journal's file."""
        return self._path

    @property
    def journal_id(self) -> str:
        """The id that this file got when it was made; another file that starts at sequence 1 has another."""
        return self._opened.journal_id

    def commit(
        self,
        events: Sequence[Event],
        evidence: Sequence[Evidence] = (),
        command: CommandRecord | None = None,
        snapshots: Sequence[Snapshot] = (),
    ) -> None:
        """Write all of it in one transaction; when this returns it is on the disk, when it raises nothing of it is.

        Each event's ``sequence`` is exactly one more than the last of its table. Every piece of evidence that an event
        names is given here or was before. Then the listeners are called.

        Raises ``SequenceConflict``, ``CommandRepeated``, ``EvidenceConflict``, ``JournalMisuse``;
        ``JournalUnavailable`` when the disk does not take it: the same commit may be made again. (Where it was the
        disk's flush that failed, and the process ends before another commit, the next start may find this one whole.)
        """
        if not events and command is None:
            raise JournalMisuse("a commit needs an event or a command")
        sequences = self._next_sequences(events)
        if command is not None and self.reply_to(command.table, command.command.client, command.command.id):
            raise CommandRepeated(
                f"command {command.command.id} of {command.command.client} was answered before; give that reply again"
            )
        at = Instant(events[0].mono_ns, events[0].wall_ns) if events else self._clock()
        signatures = [None if self._sign is None else self._sign(event) for event in events]
        with self._transaction("committing"):
            new, media = blobs.sort_out(self._db, evidence, (name for event in events for name in named_by(event)))
            rows = draft(self._end, events, command, at, self._boot, media, signatures)
            for blob in new:
                self._db.execute(blobs.INSERT, (blob.hash, blob.media_type, blob.body))
            for row in rows:
                self._db.execute(INSERT, row.columns)
                uses.note(self._db, row.id, row.evidence)
            for snapshot in snapshots:
                put_snapshot(self._db, snapshot)
        self._end = Link(rows[-1].id, rows[-1].hash)
        self._sequences.update(sequences)
        self._note_end()
        self._commits_since_checkpoint += 1
        for listener in tuple(self._listeners):
            listener(events)

    def add_listener(self, callback: Listener) -> Callable[[], None]:
        """Call ``callback`` with the events of every commit from now on, after it is on the disk, in this thread.

        It must not raise: the events are facts by then. The answer takes the listener away again.
        """
        self._listeners.append(callback)

        def remove() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(callback)

        return remove

    def events(self, table: str, after: int = 0, limit: int | None = None) -> Iterator[Event]:
        """As ``signed_events``, without the signatures."""
        return (signed.event for signed in self.signed_events(table, after, limit))

    def signed_events(self, table: str, after: int = 0, limit: int | None = None) -> Iterator[SignedEvent]:
        """The table's events with a sequence above ``after``, in order, at most ``limit``, with their signatures.

        Each row is proved against the one before it. Events that are committed while the iterator runs are given too.
        Raises ``EventsRemoved`` when the first of them is gone by retention, ``JournalDamaged`` at a row that is not
        what was written, and ``JournalTooNew`` at an event of a type that this version does not know.
        """
        left = limit
        while left is None or left > 0:
            if after < self._anchor.base(table):
                raise EventsRemoved(table, self.first_sequence(table))
            size = PAGE if left is None else min(PAGE, left)
            last = self.last_sequence(table)
            page = self._proved("dealer_table = ? AND sequence > ? ORDER BY sequence LIMIT ?", (table, after, size))
            for row in page:
                signed = signed_event(row, self._path, self._anchor)
                if not goes_on(after, signed.event):
                    raise damaged(self._path, f"event {after + 1} of table {table} is missing")
                after = signed.event.sequence
                yield signed
            if len(page) < size:
                if after < last:
                    raise damaged(self._path, f"event {after + 1} of table {table} is missing")
                return
            left = None if left is None else left - size

    def event_at(self, table: str, sequence: int) -> Event | None:
        """The table's event with this sequence; ``None`` when there is none, or it is gone by retention."""
        return self._one_event("dealer_table = ? AND sequence = ?", (table, sequence))

    def signed_event_at(self, table: str, sequence: int) -> SignedEvent | None:
        """As ``event_at``, with the signature."""
        found = self._proved("dealer_table = ? AND sequence = ?", (table, sequence))
        return signed_event(found[0], self._path, self._anchor) if found else None

    def newest(self, table: str, type_word: str) -> Event | None:
        """The table's last event of a type (``round.outcome``)."""
        return self._one_event(
            "dealer_table = ? AND type = ? AND sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1", (table, type_word)
        )

    def recent(self, table: str, types: Collection[str], of: str, most: int) -> list[Event]:
        """The table's events of ``types``, in order, from its ``most`` newest ones of type ``of`` on: from the first
        that is kept where there are fewer."""
        sql = "SELECT sequence FROM entries WHERE dealer_table = ? AND type = ? AND sequence IS NOT NULL"
        counted = self._read(f"{sql} ORDER BY sequence DESC LIMIT 1 OFFSET ?", (table, of, most - 1))
        first = max(self.first_sequence(table), counted[0][0] if counted else 0)
        marks = ", ".join("?" * len(types))
        where = f"dealer_table = ? AND type IN ({marks}) AND sequence >= ? ORDER BY sequence"
        rows = self._proved(where, (table, *types, first))
        return [signed_event(row, self._path, self._anchor).event for row in rows]

    def given_up(self, table: str) -> int:
        """The sequence of the newest ``events.lost`` by which everything before it was given up; 0 where nothing was.

        Other events than this journal's may have been published under the numbers below it.
        """
        where = "dealer_table = ? AND type = ? AND sequence IS NOT NULL ORDER BY sequence DESC"
        for row in self._proved(where, (table, EventsLost.type)):
            event = signed_event(row, self._path, self._anchor).event
            if isinstance(event.data, EventsLost) and event.data.from_sequence == 1:
                return event.sequence
        return 0

    def first_sequence(self, table: str) -> int:
        """The first sequence of which the table's events are all there: 1 until retention took some away."""
        return self._anchor.base(table) + 1

    def last_sequence(self, table: str) -> int:
        """The table's last sequence; 0 before its first event."""
        return self._sequences.get(table, 0)

    def tables(self) -> list[str]:
        """The names of the tables that have events."""
        return sorted(self._sequences)

    def reply_to(self, table: str, client: str, command_id: str) -> Answer | None:
        """What was answered to a client's command of this id, however long ago."""
        found = self._proved("dealer_table = ? AND client = ? AND command_id = ?", (table, client, command_id))
        if found:
            return answer_of(found[0][11], self._path)
        with self._reading():
            return stored_answer(self._db, self._path, table, client, command_id)

    def evidence(self, name: str) -> Evidence | None:
        """The evidence of this hash."""
        with self._reading():
            blob = blobs.read_evidence(self._db, self._path, name)
            if blob is not None:
                blobs.see_that_it_is_called_so(self._db, self._path, blob)
            return blob

    def evidence_type(self, name: str) -> str | None:
        """The media type of the evidence of this hash, without reading it."""
        with self._reading():
            return blobs.stored_type(self._db, name)

    def head(self) -> Head:
        """The end of the chain. Kept elsewhere, it proves later that nothing was cut off (``verify_file``)."""
        return Head(self._end.id, self._end.hash.hex())

    def row_hash(self, row: int) -> str | None:
        """The hash of a row, hexadecimal; ``None`` when it is not there, or not any more."""
        found = self._read("SELECT hash FROM entries WHERE id = ?", (row,))
        return bytes(found[0][0]).hex() if found else None

    def cursor(self, table: str, name: str) -> int:
        """How far the reader ``name`` is done with the table's events; 0 when it never was set."""
        return self.cursors(table).get(name, 0)

    def cursors(self, table: str) -> dict[str, int]:
        """All cursors of a table by name."""
        with self._reading():
            return read_cursors(self._db, self._path, table)

    def set_cursors(self, positions: Mapping[tuple[str, str], int], *, rewind: bool = False) -> None:
        """Set cursors ``{(table, name): sequence}`` in one transaction. Lower values are ignored unless ``rewind``.

        Raises ``CursorAhead`` for one beyond the table's last event, and sets none then.
        """
        refuse_ahead(positions, self._sequences)
        with self._reading():
            rows = moved(self._db, self._path, positions, rewind=rewind)
        if rows:  # else no fsync for an acknowledgement that says nothing new
            with self._transaction("setting cursors"):
                write_cursors(self._db, rows)

    def forget_cursors(self, table: str, names: Collection[str]) -> None:
        """Take cursors of a table away, as if they had never been set: their readers are no more."""
        with self._transaction("forgetting cursors"):
            forget_cursors(self._db, table, names)

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a table's state as of one of its events, instead of the one kept before. A cache, no more.

        Raises ``JournalMisuse`` when the table has no such event.
        """
        with self._transaction("saving a snapshot"):
            put_snapshot(self._db, snapshot)

    def snapshot(self, table: str, state_version: int) -> Snapshot | None:
        """The table's snapshot. ``None`` when there is none of this ``state_version``, or when it or its event is not
        what it was: fold from the beginning then."""
        with self._reading():
            return read_snapshot(self._db, table, state_version)

    def kept_state(self, table: str) -> Snapshot | None:
        """The table's state after the last of its events that is gone, of whatever version; ``None`` when none is gone.

        Raises ``JournalDamaged`` when it is not what was kept: nothing can take its place.
        """
        with self._reading():
            found = read_state(self._db, self._path, self._anchor, table)
        return None if found is None else Snapshot(table, found[0], found[2], found[1])

    def oldest_rows(self, limit: int) -> list[OldRow]:
        """The next rows that retention would take, at most ``limit``."""
        rows = self._read(
            "SELECT id, dealer_table, sequence, wall_ns FROM entries WHERE id > ? ORDER BY id LIMIT ?",
            (self._anchor.last_row, limit),
        )
        return [OldRow(*row) for row in rows]

    def old_until(self, table: str, first: int, older_than_ns: int, limit: int) -> int:
        """The last of the table's events from ``first`` on, without a break and at most ``limit``, that are too old."""
        last = first - 1
        for sequence, wall_ns in self._read(
            "SELECT sequence, wall_ns FROM entries WHERE dealer_table = ? AND sequence >= ? ORDER BY sequence LIMIT ?",
            (table, first, limit),
        ):
            if wall_ns > older_than_ns:
                break
            last = sequence
        return last

    def remove(self, through: int, states: Iterable[Snapshot], keep: Kept, older_than_ns: int) -> None:
        """Remove the oldest rows up to ``through``, and evidence that no row names then, in one transaction.

        ``states`` are the states of the tables after the last of their events that go; ``keep`` says by table, sequence
        and subject which events stay though they are older. A row of its own, in the chain, says what went
        (``anchor``). Answers to commands stay.

        Raises ``JournalMisuse`` when a state is missing or is of another event.
        """
        given = {state.table: state for state in states}
        with self._transaction("removing old rows"):
            anchor, end = remove_rows(
                self._db, self._path, self._anchor, self._end, through, given, keep,
                older_than_ns=older_than_ns, at=self._clock(), boot=self._boot,
            )  # fmt: skip
        self._anchor, self._end = anchor, end
        self._commits_since_checkpoint += 1
        self._note_end()

    def maintain(self, *, force: bool = False) -> bool:
        """Carry the write-ahead log into the database while nothing is going on; says whether it did.

        For a moment when nobody waits, such as just after betting opened: it takes some ms, and without it a
        commit takes them once in a while. Does nothing until enough was committed, unless ``force``.
        """
        if not force and self._commits_since_checkpoint < MAINTAIN_AFTER_COMMITS:
            return False
        # PASSIVE: never waits for a reader, takes what it can.
        self._read("PRAGMA wal_checkpoint(PASSIVE)")
        self._opened.seen.sync()
        self._commits_since_checkpoint = 0
        return True

    def close(self) -> None:
        """Close the file and let go of the lock. Closing again does nothing."""
        self._opened.close()

    @contextlib.contextmanager
    def _transaction(self, doing: str) -> Iterator[None]:
        """All of the block or nothing of it, durable at the end. Database errors come out as the journal's."""
        try:
            if self._db.in_transaction:  # a rollback failed together with the disk
                self._db.execute("ROLLBACK")
            self._opened.see_that_files_are_ours()
            self._db.execute("BEGIN IMMEDIATE")
            self._see_that_the_end_is_ours()
            yield
            self._db.execute("COMMIT")
        except BaseException as error:
            # Where even this fails the transaction is as good as gone, and the next one tries again.
            with contextlib.suppress(sqlite3.Error):
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            if isinstance(error, DATABASE_ERRORS):
                raise from_sqlite(error, self._path, doing) from error
            raise

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except DATABASE_ERRORS as error:
            raise from_sqlite(error, self._path, "reading") from error

    def _next_sequences(self, events: Sequence[Event]) -> dict[str, int]:
        """The last sequences of the tables of ``events`` after them. Raises ``SequenceConflict``."""
        sequences: dict[str, int] = {}
        for event in events:
            last = sequences.get(event.table, self.last_sequence(event.table))
            if not follows(last, event):
                raise SequenceConflict(
                    f"{event.data.type} of table {event.table} came with sequence {event.sequence}; "
                    f"the next is {last + 1}"
                )
            sequences[event.table] = event.sequence
        return sequences

    def _see_that_the_end_is_ours(self) -> None:
        row = self._db.execute("SELECT id, hash FROM entries ORDER BY id DESC LIMIT 1").fetchone()
        if (row or (0, self._anchor.hash)) != (self._end.id, self._end.hash):
            raise JournalDamaged(
                f"{self._path}: row {self._end.id} is not its end any more: it was cut off, or another program writes "
                "in it, while the daemon runs. Nothing more is written. Stop the daemon, run `dealer-daemon journal "
                "verify` on a copy, and go on as docs/howto/recover-a-journal.md says"
            )

    def _note_end(self) -> None:
        head = self.head()
        self._opened.seen.note(
            Seen(journal_id=self.journal_id, row=head.row, hash=head.hash, sequences=self._sequences)
        )

    def _one_event(self, where: str, arguments: Sequence[str | int]) -> Event | None:
        found = self._proved(where, arguments)
        return signed_event(found[0], self._path, self._anchor).event if found else None

    def _proved(self, where: str, arguments: Sequence[str | int]) -> list[Any]:
        with self._reading():
            rows = proved(self._db, self._path, self._anchor, where, arguments)
        self._opened.see_that_files_are_ours()
        return rows

    def _read(self, sql: str, arguments: Sequence[str | int] = ()) -> list[Any]:
        with self._reading():
            return self._db.execute(sql, arguments).fetchall()
