"""Whether an event was signed when it was committed is part of the chain: it never goes out without, unsaid."""

from __future__ import annotations

import hashlib
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dealer_daemon.events import Event
from dealer_daemon.journal import (
    FILE_NAME,
    Journal,
    JournalDamaged,
    SignedEvent,
    Snapshot,
    export_file,
    salvage,
    verify_file,
)
from dealer_daemon.journal.chain import encode_fields, genesis, mark
from dealer_daemon.journal.signatures import runs
from dealer_daemon.mqtt.envelope import encode_stored, event_checker, event_signer
from dealer_daemon.signing import SigningKey

KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
SIGN = event_signer("studio-1", KEY)
CHECK = event_checker("studio-1", {KEY.id: KEY.public})

# Written by the version that did not yet have signatures in the chain: r1 has events 1 to 3 unsigned (rows 1 to 4) and
# 4 to 9 signed with KEY, r2 has events 1 to 3 signed; rows of commands are between them.
WRITTEN_BY_2 = Path(__file__).parent / "data" / "journal-v2.bin"
HEAD_OF_2 = (16, "53d55e773d620c3bd12e51aa9c791c9434a89a09fba97d017a2a05bbc80f8d11")
BODIES_OF_2 = "971b39220d4765859e58ac38c8a75eb6ebc9c74a53041fb38628b79789e31b54"
"""SHA-256 over the messages of its events, a line each, as that version sent them."""


def fill(state_dir: Path, maker: Any, rounds: int = 2) -> Path:
    with closing(Journal.open(state_dir, boot="b", sign=SIGN)) as journal:
        for number in range(rounds):
            maker.round(journal, "r1", number)
        journal.set_cursors({("r1", "published"): 3 * rounds})
    return state_dir / FILE_NAME


def all_of(journal: Journal) -> list[SignedEvent]:
    return [each for table in journal.tables() for each in journal.signed_events(table)]


def words_of(path: Path) -> list[tuple[int | None, str]]:
    return [(problem.row, problem.what) for problem in verify_file(path).problems]


def with_mark(path: Path, row: int, signature: bytes) -> str:
    """What somebody writes who knows how a signature is stored: everybody can make the mark."""
    with closing(sqlite3.connect(path)) as db:
        (row_hash,) = db.execute("SELECT hash FROM entries WHERE id = ?", (row,)).fetchone()
    return (mark(row_hash, signature) + signature).hex()


GARBAGE, ANOTHER = "garbage", "another's"


def statement(path: Path, harm: str) -> str:
    if harm == GARBAGE:
        return f"UPDATE entries SET signature = x'{with_mark(path, 5, bytes(88))}' WHERE id = 5"
    if harm == ANOTHER:
        other = event_signer("studio-1", SigningKey(Ed25519PrivateKey.generate()))
        with closing(Journal.open(path.parent, boot="b")) as journal:
            event = journal.event_at("r1", 4)
        assert event is not None
        return f"UPDATE entries SET signature = x'{with_mark(path, 5, other(event))}' WHERE id = 5"
    return harm


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ("UPDATE entries SET signature = NULL WHERE id = 5", "signature of event 4 of r1 is gone"),
        ("UPDATE entries SET signature = NULL", "signature of event 1 of r1 is gone"),
        (GARBAGE, "signature of event 4 of r1 is not what was stored"),
        (ANOTHER, "signature of event 4 of r1 is not what was stored"),
        ("UPDATE entries SET signature = NULL, signed = NULL WHERE id = 5", "row 5 is not what was written"),
        ("UPDATE entries SET signed = x'00' WHERE id = 5", "row 5 is not what was written"),
    ],
)
def test_a_signed_event_never_goes_out_unsigned(
    state_dir: Path, maker: Any, tamper: Any, harm: str, words: str
) -> None:
    path = fill(state_dir, maker)
    Journal.open(state_dir, boot="c", sign=SIGN).close()
    tamper(statement(path, harm))
    assert words_of(path), "nobody needs a key to find it"
    with pytest.raises(JournalDamaged, match=words):
        Journal.open(state_dir, boot="c", sign=SIGN)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_it_is_found_where_it_is_read_however_long_the_journal(state_dir: Path, maker: Any, tamper: Any) -> None:
    """A start looks at the newest rows; an old one is proved when it is sent."""
    fill(state_dir, maker, rounds=60)
    tamper("UPDATE entries SET signature = NULL WHERE id = 5")
    with closing(Journal.open(state_dir, boot="c", sign=SIGN)) as journal:
        assert len(list(journal.signed_events("r1", after=4))) == 176
        with pytest.raises(JournalDamaged, match="signature of event 4 of r1 is gone, and the event was signed"):
            list(journal.signed_events("r1"))
        with pytest.raises(JournalDamaged, match="event 4"):
            journal.signed_event_at("r1", 4)


def test_a_signature_cannot_be_put_in(state_dir: Path, maker: Any, tamper: Any) -> None:
    with closing(Journal.open(state_dir, boot="b")) as journal:
        maker.round(journal, "r1", 1)
        event = journal.event_at("r1", 1)
    assert event is not None
    path = state_dir / FILE_NAME
    assert words_of(path) == []
    tamper(f"UPDATE entries SET signature = x'{with_mark(path, 1, SIGN(event))}' WHERE id = 1")
    assert [(row, "put in" in what) for row, what in words_of(path)] == [(1, True)]
    with pytest.raises(JournalDamaged, match="signature of event 1 of r1 was put in"):
        Journal.open(state_dir, boot="c", sign=SIGN)


def test_the_chain_is_computed_again_from_an_export(state_dir: Path, maker: Any) -> None:
    """By what the page says, and nothing of ours but the encoding: signed and unsigned rows in one journal."""
    path = fill(state_dir, maker, rounds=1)
    with closing(Journal.open(state_dir, boot="c")) as journal:
        maker.round(journal, "r1", 2)
    first, *rows = export_file(path)
    with closing(sqlite3.connect(path)) as db:
        bodies = dict(db.execute("SELECT id, body FROM entries"))
    previous = genesis(first["data"]["journal_id"], first["data"]["created_wall_ns"])
    for row in rows:
        evidence = "[" + ",".join(f'["{name}","{media}"]' for name, media in row["evidence"]) + "]"
        fields = [
            row["row"], row["table"], row["kind"], row["sequence"], row["type"], row["subject"], row["wall_ns"],
            row["mono_ns"], row["boot"], row.get("client"), row.get("command"), bodies[row["row"]], evidence,
        ]  # fmt: skip
        fields += [bytes.fromhex(row["signed"])] if "signed" in row else []
        previous = hashlib.sha256(previous + encode_fields(fields)).digest()
        assert previous.hex() == row["hash"]
    assert [row["row"] for row in rows if "signed" in row] == [1, 3, 4]


@pytest.fixture
def old(state_dir: Path) -> Path:
    state_dir.mkdir()
    return Path(shutil.copy(WRITTEN_BY_2, state_dir / FILE_NAME))


def test_a_journal_from_before_is_read_as_it_is(old: Path) -> None:
    report = verify_file(old, expect_head=HEAD_OF_2, check=CHECK, signed_from=5)
    assert (report.problems, report.signed, report.events) == ([], 9, {"r1": 9, "r2": 3})
    assert sum("signed" in line for line in export_file(old)) == 0


def test_a_journal_from_before_goes_on_and_keeps_its_bodies(old: Path, state_dir: Path, maker: Any) -> None:
    with closing(Journal.open(state_dir, boot="c", sign=SIGN)) as journal:
        assert journal.head().row == HEAD_OF_2[0] + 1, "a row says which events have no signature"
        bodies = [encode_stored("studio-1", each) for each in all_of(journal)]
        assert hashlib.sha256(b"\n".join(bodies)).hexdigest() == BODIES_OF_2
        maker.next = {"r1": 10}
        maker.round(journal, "r1", 5)
        assert [each.signature is not None for each in journal.signed_events("r1")] == [False] * 3 + [True] * 9
    head = journal.head()
    report = verify_file(old, expect_head=HEAD_OF_2, check=CHECK, signed_from=5)
    assert (report.problems, report.signed) == ([], 12)
    with closing(Journal.open(state_dir, boot="d", sign=SIGN)) as journal:
        assert journal.head() == head, "once"


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ("UPDATE entries SET signature = NULL WHERE id = 7", "event 5 of r1 is gone"),
        ("DELETE FROM removed", "put in"),
        ("UPDATE entries SET signature = (SELECT signature FROM entries WHERE id = 5) WHERE id = 1", "event 1 of r1"),
        ("UPDATE entries SET body = replace(body, '[[1,4]]', '[[1,9]]') WHERE kind = 'anchor'", "not what was written"),
    ],
)
def test_the_events_from_before_are_guarded_from_then_on(
    old: Path, state_dir: Path, tamper: Any, harm: str, words: str
) -> None:
    Journal.open(state_dir, boot="c", sign=SIGN).close()
    tamper(harm.replace("replace(body", "CAST(replace(CAST(body AS TEXT)").replace("'[[1,9]]')", "'[[1,9]]') AS BLOB)"))
    assert words_of(old)
    with pytest.raises(JournalDamaged, match=words):
        Journal.open(state_dir, boot="d", sign=SIGN)


def states(sequence: int) -> list[Snapshot]:
    return [Snapshot("r1", sequence, b"{}", 1)]


@pytest.mark.usefixtures("old")
def test_retention_takes_along_what_was_noted(state_dir: Path, tamper: Any) -> None:
    """Rows that stay alone behind the anchor, too: unsigned event 2 stays so, signed event 5 stays signed."""
    with closing(Journal.open(state_dir, boot="c", sign=SIGN)) as journal:
        journal.remove(7, states(5), lambda _t, sequence, _s: sequence in (2, 5), 0)
        kept = [journal.signed_event_at("r1", sequence) for sequence in (2, 5)]
        assert [None if each is None else each.signature is not None for each in kept] == [False, True]
        assert len(list(journal.signed_events("r1", after=5))) == 4
    assert verify_file(state_dir / FILE_NAME).problems == []
    tamper("UPDATE entries SET signature = NULL WHERE sequence = 5")
    assert [row for row, _ in words_of(state_dir / FILE_NAME)] == [7]
    with closing(Journal.open(state_dir, boot="d", sign=SIGN)) as journal, pytest.raises(JournalDamaged, match="gone"):
        journal.signed_event_at("r1", 5)


def rescued(path: Path, to: Path, sign: Callable[[Event], bytes] | None = None) -> Any:
    report = salvage(path, to, by="A. Tam", boot="s", sign=sign)
    assert verify_file(to / FILE_NAME).problems == []
    return report


def test_salvage_makes_a_lost_signature_again_or_says_that_it_is_gone(
    state_dir: Path, tmp_path: Path, maker: Any, tamper: Any
) -> None:
    path = fill(state_dir, maker, rounds=4)
    with closing(Journal.open(state_dir, boot="c")) as journal:
        before = [encode_stored("studio-1", each) for each in all_of(journal)]
    tamper(
        "UPDATE entries SET signature = NULL WHERE sequence = 4", "UPDATE entries SET signature = x'00' WHERE id = 3"
    )
    again = rescued(path, tmp_path / "again", SIGN)
    assert (again.rows, again.stopped, again.signatures_made_again, again.signatures_missing) == (16, None, 2, 0)
    with closing(Journal.open(tmp_path / "again", boot="c")) as journal:
        assert [encode_stored("studio-1", each) for each in all_of(journal)] == before
    other = event_signer("studio-1", SigningKey(Ed25519PrivateKey.generate()))
    for to, sign in (("none", None), ("other", other)):
        gone = rescued(path, tmp_path / to, sign)
        assert (gone.rows, gone.signatures_made_again, gone.signatures_missing) == (16, 0, 2)
        with closing(Journal.open(tmp_path / to, boot="c", sign=SIGN)) as journal:
            maker.next = {"r1": 13}
            maker.round(journal, "r1", 9)
            signed = [each.signature is not None for each in journal.signed_events("r1")]
        assert [number for number, is_so in enumerate(signed, 1) if not is_so] == [2, 4], "by a person's word"


@pytest.mark.parametrize("migrated", [False, True])
def test_salvage_of_a_journal_from_before(
    old: Path, state_dir: Path, tmp_path: Path, tamper: Any, maker: Any, migrated: bool
) -> None:
    if migrated:
        Journal.open(state_dir, boot="c").close()
    tamper("UPDATE entries SET boot = 'x' WHERE id = 12")
    report = rescued(old, tmp_path / "new", SIGN)
    assert (report.rows, report.signatures_missing) == (11, 0)
    with closing(Journal.open(tmp_path / "new", boot="d")) as journal:
        # Behind the loss rows are numbered anew: what was noted of the old ones must not be taken for theirs.
        last = journal.last_sequence("r1")
        maker.next = {"r1": last + 1}
        for number in range(6):
            maker.round(journal, "r1", number)
        assert [each.signature is not None for each in journal.signed_events("r1")][:8] == [
            False, False, False, True, True, True, True, True,
        ]  # fmt: skip
    with closing(Journal.open(tmp_path / "new", boot="e", sign=SIGN)) as journal:
        maker.next = {"r1": journal.last_sequence("r1") + 1}
        maker.round(journal, "r1", 7)
    assert verify_file(tmp_path / "new" / FILE_NAME).problems == []


@pytest.mark.parametrize("seed", range(20))
def test_runs_name_the_unsigned_and_no_signed_one(seed: int) -> None:
    rng = random.Random(seed)
    rows = sorted(rng.sample(range(1, 60), rng.randrange(30)))
    events = [(row, rng.random() < 0.6) for row in rows]
    found = runs(events)
    for row, has_one in events:
        assert any(first <= row <= last for first, last in found) is not has_one
    assert found == sorted(found)
    assert len(found) <= sum(has_one for _, has_one in events) + 1
