"""The journal while a daemon has it open: commits, reads, cursors and snapshots on one connection."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dealer_daemon.commands import CommandRecord
from dealer_daemon.events import Event
from dealer_daemon.evidence import Evidence
from dealer_daemon.journal import blobs
from dealer_daemon.journal.cursors import moved, read_cursors, refuse_ahead, write_cursors
from dealer_daemon.journal.entry import EVENT_COLUMNS, INSERT, Head, Link, command_of, draft, event_of, named_by
from dealer_daemon.journal.errors import CommandRepeated, JournalMisuse, SequenceConflict, damaged, from_sqlite
from dealer_daemon.journal.files import Opened, open_files
from dealer_daemon.journal.snapshots import Snapshot, put_snapshot, read_snapshot
from dealer_daemon.journal.tail import read_end
from dealer_drivers.instant import Instant

PAGE = 256
"""Events read at a time, so that no statement stays open (it would hold the WAL) while a reader is slow."""

MAINTAIN_AFTER_COMMITS = 32
"""Below so many commits a checkpoint is not worth its extra fsyncs."""

Listener = Callable[[Sequence[Event]], None]


def system_now() -> Instant:
    """This moment on the computer's clocks."""
    return Instant(time.monotonic_ns(), time.time_ns())


class Journal:
    """One append-only, hash-chained log: audit trail, crash recovery and outbox at once (``design.md``, layer 7).

    Everything is synchronous and belongs to the thread that opened it. Any method but ``close`` may raise
    ``JournalUnavailable`` (try again), ``JournalDamaged`` (a person must look) or ``JournalMisuse`` (closed, or
    called from another thread).
    """

    def __init__(self, opened: Opened, boot: str, clock: Callable[[], Instant]) -> None:
        """Use ``Journal.open``. Raises ``JournalDamaged`` or ``sqlite3.Error`` when the last rows do not verify."""
        self._opened = opened
        self._path = opened.path
        self._db = opened.connection
        self._boot = boot
        self._clock = clock
        self._listeners: list[Listener] = []
        self._commits_since_checkpoint = 0
        self._end, self._sequences = read_end(self._db, self._path)

    @classmethod
    def open(cls, state_dir: Path, *, boot: str, clock: Callable[[], Instant] = system_now) -> Journal:
        """Open the journal in ``state_dir``, or begin a new one, and verify its last rows.

        ``boot`` is the id of this run of the daemon. Raises ``JournalBusy``, ``StateDirUnusable``, ``JournalTooNew``,
        ``JournalDamaged`` or ``JournalUnavailable``.
        """
        opened = open_files(state_dir)
        try:
            return cls(opened, boot, clock)
        except BaseException as error:
            opened.close()
            if isinstance(error, sqlite3.Error):
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
        with self._transaction("committing"):
            new, media = blobs.sort_out(self._db, evidence, (name for event in events for name in named_by(event)))
            rows = draft(self._end, events, command, at, self._boot, media)
            for blob in new:
                self._db.execute(blobs.INSERT, (blob.hash, blob.media_type, blob.body))
            for row in rows:
                self._db.execute(INSERT, row)
            for snapshot in snapshots:
                put_snapshot(self._db, snapshot)
        self._end = Link(rows[-1][0], rows[-1][-1])
        self._sequences.update(sequences)
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
        """The table's events with a sequence above ``after``, in order, at most ``limit``.

        Events that are committed while the iterator runs are given too. Raises ``JournalTooNew`` at an event of a
        type that this version does not know.
        """
        end = None if limit is None else after + limit
        while end is None or after < end:
            size = PAGE if end is None else min(PAGE, end - after)
            page = self._read(
                f"SELECT {EVENT_COLUMNS} FROM entries WHERE dealer_table = ? AND sequence > ? "
                "ORDER BY sequence LIMIT ?",
                (table, after, size),
            )
            for row in page:
                event = event_of(row, self._path)
                if event.sequence != after + 1:
                    raise damaged(self._path, f"event {after + 1} of table {table} is missing")
                after = event.sequence
                yield event
            if len(page) < size:
                return

    def event_at(self, table: str, sequence: int) -> Event | None:
        """The table's event with this sequence."""
        return self._one_event("dealer_table = ? AND sequence = ?", (table, sequence))

    def newest(self, table: str, type_word: str) -> Event | None:
        """The table's last event of a type (``round.outcome``)."""
        return self._one_event(
            "dealer_table = ? AND type = ? AND sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1", (table, type_word)
        )

    def last_sequence(self, table: str) -> int:
        """The table's last sequence; 0 before its first event."""
        return self._sequences.get(table, 0)

    def tables(self) -> list[str]:
        """The names of the tables that have events."""
        return sorted(self._sequences)

    def reply_to(self, table: str, client: str, command_id: str) -> CommandRecord | None:
        """What was answered to a client's command of this id, however long ago."""
        found = self._read(
            "SELECT body FROM entries WHERE dealer_table = ? AND client = ? AND command_id = ?",
            (table, client, command_id),
        )
        return command_of(found[0][0], self._path) if found else None

    def evidence(self, name: str) -> Evidence | None:
        """The evidence of this hash."""
        with self._reading():
            return blobs.read_evidence(self._db, name)

    def head(self) -> Head:
        """The end of the chain. Kept elsewhere, it proves later that nothing was cut off (``verify_file``)."""
        return Head(self._end.id, self._end.hash.hex())

    def cursor(self, table: str, name: str) -> int:
        """How far the reader ``name`` is done with the table's events; 0 when it never was set."""
        return self.cursors(table).get(name, 0)

    def cursors(self, table: str) -> dict[str, int]:
        """All cursors of a table by name."""
        with self._reading():
            return read_cursors(self._db, table)

    def set_cursors(self, positions: Mapping[tuple[str, str], int], *, rewind: bool = False) -> None:
        """Set cursors ``{(table, name): sequence}`` in one transaction. Lower values are ignored unless ``rewind``.

        Raises ``CursorAhead`` for one beyond the table's last event, and sets none then.
        """
        refuse_ahead(positions, self._sequences)
        with self._reading():
            rows = moved(self._db, positions, rewind=rewind)
        if rows:  # else no fsync for an acknowledgement that says nothing new
            with self._transaction("setting cursors"):
                write_cursors(self._db, rows)

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

    def maintain(self, *, force: bool = False) -> bool:
        """Carry the write-ahead log into the database while nothing is going on; says whether it did.

        For a moment when nobody waits, such as just after betting opened: it takes some ms, and without it a
        commit takes them once in a while. Does nothing until enough was committed, unless ``force``.
        """
        if not force and self._commits_since_checkpoint < MAINTAIN_AFTER_COMMITS:
            return False
        # PASSIVE: never waits for a reader, takes what it can.
        self._read("PRAGMA wal_checkpoint(PASSIVE)")
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
            yield
            self._db.execute("COMMIT")
        except BaseException as error:
            # Where even this fails the transaction is as good as gone, and the next one tries again.
            with contextlib.suppress(sqlite3.Error):
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise from_sqlite(error, self._path, doing) from error
            raise

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise from_sqlite(error, self._path, "reading") from error

    def _next_sequences(self, events: Sequence[Event]) -> dict[str, int]:
        """The last sequences of the tables of ``events`` after them. Raises ``SequenceConflict``."""
        sequences: dict[str, int] = {}
        for event in events:
            expected = sequences.get(event.table, self.last_sequence(event.table)) + 1
            if event.sequence != expected:
                raise SequenceConflict(
                    f"{event.data.type} of table {event.table} came with sequence {event.sequence}; "
                    f"the next is {expected}"
                )
            sequences[event.table] = expected
        return sequences

    def _one_event(self, where: str, arguments: Sequence[str | int]) -> Event | None:
        found = self._read(f"SELECT {EVENT_COLUMNS} FROM entries WHERE {where}", arguments)
        return event_of(found[0], self._path) if found else None

    def _read(self, sql: str, arguments: Sequence[str | int] = ()) -> list[Any]:
        with self._reading():
            return self._db.execute(sql, arguments).fetchall()
