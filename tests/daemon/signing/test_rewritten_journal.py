"""A journal whose whole chain was made anew: the chain is good, and a public key and a kept head say that it is not."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dealer_daemon.cli import main
from dealer_daemon.journal import FILE_NAME, Journal
from dealer_daemon.journal.chain import genesis
from dealer_daemon.journal.entry import COLUMNS, Entry, hash_of
from dealer_daemon.journal.seen import NAME
from dealer_daemon.journal.signatures import digest_of, marked
from dealer_daemon.mqtt.envelope import event_signer
from dealer_daemon.mqtt.head_body import encode_head
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.signing import SigningKey, make_key, read_signing_key
from support.mqtt_outbox import event, opened, outcome

TOPICS = Topics("dealer/v1", "studio-1", "r1")
Change = Callable[[sqlite3.Connection], object]


@pytest.fixture
def station(tmp_path: Path) -> Path:
    """A folder with a signed journal of three events, its head, and the public key."""
    key_file, _ = make_key(tmp_path)
    fill(tmp_path / "state", read_signing_key(key_file), tmp_path / "head")
    return tmp_path


def fill(state: Path, key: SigningKey | None, head: Path | None = None) -> None:
    journal = Journal.open(state, boot="b", sign=None if key is None else event_signer("studio-1", key))
    for sequence, data in enumerate((opened(), outcome("17"), opened()), start=1):
        journal.commit([event(sequence, data)])
    if head is not None:
        head.write_bytes(encode_head(TOPICS, journal, "2026-01-01T00:00:00Z", key) + b"\n")
    journal.close()


def rewrite(state: Path, change: Change) -> None:
    """Change rows behind the daemon's back, and make every hash after them right again."""
    path = state / FILE_NAME
    db = sqlite3.connect(path, isolation_level=None)
    triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        db.execute(f"DROP TRIGGER {name}")
    change(db)
    previous = genesis(*db.execute("SELECT journal_id, created_wall_ns FROM about").fetchone())
    for *columns, stored in db.execute(f"SELECT {COLUMNS}, signature FROM entries ORDER BY id").fetchall():
        plain = None if stored is None else stored[16:]
        row = replace(Entry(*columns), signed=digest_of(plain))
        previous = hash_of(row, previous)
        new = (previous, row.signed, marked(plain, previous), row.id)
        db.execute("UPDATE entries SET hash = ?, signed = ?, signature = ? WHERE id = ?", new)
    for _, sql in triggers:
        db.execute(sql)
    db.close()
    (state / NAME).unlink(missing_ok=True)  # who rewrites the one forgets the other not


def verified(station: Path, *more: str) -> int:
    return main(["journal", "verify", str(station / "state" / FILE_NAME), *more])


def by_key(station: Path) -> list[str]:
    return ["--public-key", str(station / "signing-key.pub.pem"), "--site", "studio-1"]


def other_number(db: sqlite3.Connection) -> None:
    body = db.execute("SELECT body FROM entries WHERE id = 2").fetchone()[0]
    db.execute("UPDATE entries SET body = ? WHERE id = 2", (body.replace(b'"17"', b'"18"'),))


def other_time(db: sqlite3.Connection) -> None:
    db.execute("UPDATE entries SET wall_ns = wall_ns + 1000000 WHERE id = 2")


def without_its_signature(db: sqlite3.Connection) -> None:
    other_number(db)
    db.execute("UPDATE entries SET signature = NULL WHERE id = 2")


def signed_by_another(db: sqlite3.Connection) -> None:
    stranger = event_signer("studio-1", SigningKey(Ed25519PrivateKey.generate()))
    other_number(db)
    stored = bytes(16) + stranger(event(2, outcome("18")))  # whose mark is made anew with the chain
    db.execute("UPDATE entries SET signature = ? WHERE id = 2", (stored,))


def with_no_signatures(db: sqlite3.Connection) -> None:
    other_number(db)
    db.execute("UPDATE entries SET signature = NULL")


def test_what_was_not_touched_is_good(station: Path) -> None:
    assert verified(station) == 0
    assert verified(station, *by_key(station)) == 0
    assert verified(station, *by_key(station)[:2], "--head", str(station / "head")) == 0
    rewrite(station / "state", lambda _db: None)
    assert verified(station, *by_key(station)) == 0, "the rewriting by itself is seen by nobody"


@pytest.mark.parametrize(
    "change", [other_number, other_time, without_its_signature, signed_by_another, with_no_signatures]
)
def test_a_rewritten_event_has_a_good_chain_and_no_good_signature(station: Path, change: Change) -> None:
    rewrite(station / "state", change)
    assert verified(station) == 0
    assert verified(station, *by_key(station)) == 1
    assert verified(station, "--head", str(station / "head")) == 1


def test_a_cut_off_end_and_a_head_of_somebody_else_are_found(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rewrite(station / "state", lambda db: db.execute("DELETE FROM entries WHERE id = 3"))
    assert verified(station, *by_key(station)) == 0, "by itself an end tells nothing"
    assert verified(station, *by_key(station), "--head", str(station / "head")) == 1
    assert "cut off" in capsys.readouterr().err
    fill(station / "other", SigningKey(Ed25519PrivateKey.generate()), station / "forged")
    assert verified(station, *by_key(station), "--head", str(station / "forged")) == 1
    assert "proves nothing" in capsys.readouterr().err


@pytest.mark.parametrize(
    "more",
    [
        ["--public-key", "absent"],
        ["--public-key", "{}/signing-key.pem", "--site", "studio-1"],
        ["--public-key", "{}/signing-key.pub.pem"],
        ["--head", "absent"],
        ["--head", "{}/signing-key.pub.pem"],
        ["--head", "{}/head", "--expect-head", "1:" + "0" * 64],
        ["--expect-head", "1:0"],
        ["--signed-from", "2"],
        ["--site", "studio-1"],
        ["--signed-from", "1", "--head", "{}/head"],
    ],
)
def test_what_cannot_be_compared_is_said(station: Path, more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert verified(station, *(text.format(station) for text in more)) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    if more[0] in ("--signed-from", "--site"):
        assert f"{more[0]} says nothing without --public-key" in said


def test_a_site_or_a_key_of_another_station_is_said_once_and_not_of_each_event(
    station: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_key(tmp_path / "other")
    other = ["--public-key", str(tmp_path / "other/signing-key.pub.pem"), "--site", "studio-1"]
    for given, compared in (
        ([*by_key(station)[:2], "--site", "studio-9"], "site studio-9, key "),
        (other, "site studio-1"),
    ):
        assert verified(station, *given) == 1
        said = capsys.readouterr()
        assert said.err.count("\n") == 1
        assert "row 1: of 3 signatures none is right" in said.err
        assert "either the site or the keys that were given are not this station's" in said.err
        assert f"signatures checked 3, with {compared}" in said.out
    both = [*by_key(station), *other[:2]]
    assert verified(station, *both) == 0
    assert ", keys " in capsys.readouterr().out


def test_an_unsigned_journal_is_not_good_by_a_key_and_good_from_where_signing_began(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key_file, _ = make_key(tmp_path)
    fill(tmp_path / "state", None)
    assert verified(tmp_path, *by_key(tmp_path)) == 1
    sign = event_signer("studio-1", read_signing_key(key_file))
    journal = Journal.open(tmp_path / "state", boot="b", sign=sign)
    journal.commit([event(4, opened())])
    journal.close()
    capsys.readouterr()
    assert verified(tmp_path, *by_key(tmp_path)) == 1
    assert "--signed-from 4" in capsys.readouterr().err
    assert verified(tmp_path, *by_key(tmp_path), "--signed-from", "4") == 0


def first_ones_unsigned(db: sqlite3.Connection) -> None:
    other_number(db)
    db.execute("UPDATE entries SET signature = NULL WHERE id <= 2")


def test_events_that_lost_their_signatures_are_not_taken_for_older_than_the_key(station: Path) -> None:
    rewrite(station / "state", first_ones_unsigned)
    assert verified(station) == 0
    assert verified(station, *by_key(station)) == 1


def test_a_signature_that_is_not_what_was_stored_needs_no_key_to_be_found(
    station: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = station / "state" / FILE_NAME
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        triggers = [sql for (sql,) in db.execute("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")]
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")]
        for name in names:
            db.execute(f"DROP TRIGGER {name}")
        (stored,) = db.execute("SELECT signature FROM entries WHERE id = 2").fetchone()
        db.execute("UPDATE entries SET signature = ? WHERE id = 2", (stored[:-1] + bytes([stored[-1] ^ 1]),))
        for sql in triggers:
            db.execute(sql)
    assert verified(station) == 1
    assert "row 2: its signature" in capsys.readouterr().err
