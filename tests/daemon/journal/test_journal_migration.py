"""A journal of an older version is brought to the present schema when a daemon opens it, whole or not at all."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dealer_daemon.events import encode_data
from dealer_daemon.journal import Head, Journal, JournalDamaged, JournalTooNew, export_file, verify_file
from dealer_daemon.journal.ddl import SCHEMA_VERSION, SCHEMAS
from dealer_daemon.journal.schema import schema_differences
from dealer_daemon.mqtt.envelope import encode_event, encode_stored

# Written by the version before signatures and retention: 15 events and a snapshot of r1, 4 events of r2, 6 commands,
# 6 pieces of evidence.
WRITTEN_BY_1 = Path(__file__).parent / "data" / "journal-v1.bin"
HEAD = Head(25, "bcf9e26cdb833a32ba7c199b0e5c24e9340167241b50d4e2ed0a9777efdda4bc")
BODIES_OF_1 = "a0fd443e57ed5340b7f8ce794818204f778711fb87ba74e43b7eb9ce9506356b"
"""SHA-256 over the messages of its events, a line each, as that version sent them."""


@pytest.fixture
def old(state_dir: Path) -> Path:
    state_dir.mkdir()
    return Path(shutil.copy(WRITTEN_BY_1, state_dir / "journal.sqlite3"))


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        (found,) = db.execute("PRAGMA user_version").fetchone()
    return int(found)


def test_an_old_journal_is_read_as_it_is(old: Path) -> None:
    report = verify_file(old, expect_head=HEAD)
    assert report.problems == []
    assert (report.events, report.commands, report.evidence) == ({"r1": 15, "r2": 4}, 6, 6)
    assert [line["kind"] for line in export_file(old)].count("event") == 19
    assert version(old) == 1, "reading changes nothing"


@pytest.mark.usefixtures("old")
def test_the_events_of_an_old_version_keep_their_bodies(state_dir: Path) -> None:
    """Byte for byte, and so their ids, whatever the types of events have got since."""
    with closing(Journal.open(state_dir, boot="after")) as journal:
        bodies = [
            encode_stored("studio-1", each) for table in journal.tables() for each in journal.signed_events(table)
        ]
    assert hashlib.sha256(b"\n".join(bodies)).hexdigest() == BODIES_OF_1


def test_a_field_that_a_type_got_later_is_not_sent_of_old_rows(state_dir: Path, maker: Any) -> None:
    with closing(Journal.open(state_dir, boot="b")) as journal:
        maker.round(journal, "r1", 1)
        for stored in journal.signed_events("r1"):
            written = encode_data(stored.event.data)
            assert encode_stored("s", stored) == encode_event("s", stored.event)
            older = msgspec.json.encode(
                {key: value for key, value in msgspec.json.decode(written).items() if key != "game"}
            )
            body = msgspec.json.decode(encode_event("s", stored.event, None, older))
            assert body["data"] == {
                key: value for key, value in msgspec.json.decode(older).items() if key not in stored.event.data.secret
            }


def test_an_old_journal_goes_on(old: Path, state_dir: Path, maker: Any) -> None:
    with closing(Journal.open(state_dir, boot="after", sign=lambda event: b"%d" % event.sequence)) as journal:
        assert journal.head() == HEAD
        assert journal.cursors("r1") == {"published": 15, "ack/bank": 12, "outcome": 15}
        assert [event.sequence for event in journal.events("r1")] == list(range(1, 16))
        assert journal.reply_to("r1", "server-1", "c3") is not None
        assert journal.snapshot("r1", 6) is not None
        maker.next = {"r1": 16}
        maker.round(journal, "r1", 7)
        signatures = [signed.signature for signed in journal.signed_events("r1", after=14)]
        assert signatures == [None, b"16", b"17", b"18"]
    assert version(old) == SCHEMA_VERSION
    with closing(sqlite3.connect(old)) as db:
        assert schema_differences(db, SCHEMAS[SCHEMA_VERSION]) == []
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        uses = dict(db.execute("SELECT hash, last_row FROM uses"))
        assert len(uses) == 7
    report = verify_file(old, expect_head=HEAD)
    assert report.problems == []
    with closing(sqlite3.connect(old)) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(JournalTooNew):
        Journal.open(state_dir, boot="before")


def test_a_file_that_is_not_what_its_version_says_is_not_touched(old: Path, state_dir: Path) -> None:
    with closing(sqlite3.connect(old)) as db:
        db.execute("DROP INDEX entries_by_command")
    before = old.read_bytes()
    with pytest.raises(JournalDamaged, match="entries_by_command of the database is not as the daemon made it"):
        Journal.open(state_dir, boot="after")
    assert old.read_bytes()[100:] == before[100:]
    assert version(old) == 1


KILLED = """
import os, signal, sys
from pathlib import Path
from dealer_daemon.journal import Journal, migrate, files
point, count = sys.argv[2], 0
whole = migrate._from_1_to_2
if point == "connect":
    def _from_1_to_2(connection, path):
        os.kill(os.getpid(), signal.SIGKILL)
    migrate._from_1_to_2 = _from_1_to_2
else:
    class Watched:
        def __init__(self, connection): self.__dict__["inner"] = connection
        def __getattr__(self, name): return getattr(self.inner, name)
        def execute(self, sql, *rest):
            global count
            count += 1
            if count == int(point):
                self.inner.execute("PRAGMA cache_spill = ON")
                os.kill(os.getpid(), signal.SIGKILL)
            return self.inner.execute(sql, *rest)
    def watched(connection, path, boot):
        return migrate.migrate(Watched(connection), path, boot)
    files.migrate = watched
Journal.open(Path(sys.argv[1]), boot="killed").close()
print("whole", count)
"""


@pytest.mark.parametrize("point", ["connect", "6", "12", "16", "22", "24", "30", "36"])
def test_a_kill_in_the_middle_leaves_the_old_journal(old: Path, state_dir: Path, point: str) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(state_dir), point], capture_output=True, text=True, timeout=60
    )
    assert killed.returncode == -9, killed.stdout + killed.stderr
    report = verify_file(old, expect_head=HEAD)
    assert (report.problems, report.events) == ([], {"r1": 15, "r2": 4})
    with closing(Journal.open(state_dir, boot="after")) as journal:
        assert journal.head() == HEAD
    assert version(old) == SCHEMA_VERSION
    assert verify_file(old, expect_head=HEAD).problems == []
