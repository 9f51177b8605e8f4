"""Journals that older versions wrote while four tables played: what they meant then they mean now.

Each was copied, by SQLite's backup, out of a running `demo --speed 8` (roulette, baccarat, win three cards, colour
wheel) of the last version that wrote its schema, some rounds open; beside it stands the state of each table as that
version itself folded it.

Of the ones called "kept" that version's own retention took the older half: how the tables stood then is kept in its
form of that time, and cannot be folded anew.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dealer_daemon.cli import main
from dealer_daemon.journal import FILE_NAME, Head, Journal, JournalTooNew, verify_file
from dealer_daemon.journal.ddl import SCHEMA_VERSION, SCHEMAS
from dealer_daemon.round import apply
from dealer_daemon.station.kept import FIRST_KEPT, kept_state

DATA = Path(__file__).parent / "data"
OLDER = range(1, SCHEMA_VERSION)
KEPT = sorted(int(path.stem.rpartition("-")[2]) for path in DATA.glob("kept-by-state-*.gz"))
GIVEN_UP = ".newest_ns"
"""A gap counted from the newest event, once; now it counts from when the reader was heard (``read_ns``), and a state
that does not know that makes a gap of the start."""


@dataclass
class Played:
    """One of the files, unpacked into a state directory, and what its own version said of it."""

    state_dir: Path
    states: dict[str, Any]

    @property
    def file(self) -> Path:
        return self.state_dir / FILE_NAME

    def version(self) -> int:
        with closing(sqlite3.connect(self.file)) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
        return int(version)

    def set_version(self, version: int) -> None:
        with closing(sqlite3.connect(self.file)) as db:
            db.execute(f"PRAGMA user_version = {version}")

    def head(self) -> Head:
        with closing(sqlite3.connect(self.file)) as db:
            row, row_hash = db.execute("SELECT id, hash FROM entries ORDER BY id DESC LIMIT 1").fetchone()
        return Head(row, row_hash.hex())


@pytest.fixture(params=OLDER)
def played(request: pytest.FixtureRequest, state_dir: Path) -> Played:
    version: int = request.param
    found = unpacked(f"played-by-schema-{version}", state_dir)
    assert found.version() == version
    return found


@pytest.fixture(params=KEPT)
def kept(request: pytest.FixtureRequest, state_dir: Path) -> Played:
    return unpacked(f"kept-by-state-{request.param}", state_dir)


def unpacked(name: str, state_dir: Path) -> Played:
    state_dir.mkdir()
    (state_dir / FILE_NAME).write_bytes(gzip.decompress((DATA / f"{name}.gz").read_bytes()))
    return Played(state_dir, json.loads((DATA / f"{name}.states.json").read_text()))


def folded(journal: Journal, table: str) -> Any:
    state = kept_state(journal, table)
    for event in journal.events(table, after=state.sequence):
        state = apply(state, event)
    return msgspec.json.decode(msgspec.json.encode(state))


def lost(before: Any, now: Any, place: str = "") -> list[str]:
    """Where a state says something else than it said before, or nothing any more. It may say more."""
    if isinstance(before, dict) and isinstance(now, dict):
        gone = [f"{place}.{key}" for key in before if key not in now]
        return gone + [each for key in before if key in now for each in lost(before[key], now[key], f"{place}.{key}")]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [
            each
            for number, pair in enumerate(zip(before, now, strict=True))
            for each in lost(*pair, f"{place}[{number}]")
        ]
    return [] if before == now else [f"{place}: {before!r} -> {now!r}"]


def test_what_is_lost_is_found() -> None:
    assert lost({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}], "c": 4}) == [".a[1].b: 2 -> 3"]
    assert lost({"a": [1], "b": 1}, {"a": [1, 2]}) == [".b", ".a: [1] -> [1, 2]"]


def test_every_older_schema_has_a_journal_that_was_played() -> None:
    assert {int(path.stem.rpartition("-")[2]) for path in DATA.glob("played-by-schema-*.gz")} == set(OLDER)
    assert set(SCHEMAS) == {*OLDER, SCHEMA_VERSION}
    assert KEPT[:4] == [FIRST_KEPT, 7, 8, 9]


def test_it_verifies_as_it_is_and_once_it_is_brought_up_to_date(played: Played) -> None:
    head = played.head()
    before = verify_file(played.file, expect_head=head)
    assert before.problems == []
    assert set(before.events) == {"b1", "c1", "r1", "w1"}
    assert min(before.events.values()) > 10
    Journal.open(played.state_dir, boot="after").close()
    assert played.version() == SCHEMA_VERSION
    after = verify_file(played.file, expect_head=head)
    assert (after.problems, after.events, after.commands, after.evidence) == (
        [],
        before.events,
        before.commands,
        before.evidence,
    )


def test_it_folds_to_the_state_that_its_own_version_had(played: Played) -> None:
    with closing(Journal.open(played.state_dir, boot="after")) as journal:
        states = {table: folded(journal, table) for table in journal.tables()}
    assert any(state["round"] is not None for state in states.values()), "some rounds were open"
    assert lost(played.states, states) == []


def test_states_that_are_kept_of_removed_events_mean_what_they_meant(kept: Played, maker: Any) -> None:
    head = kept.head()
    with closing(Journal.open(kept.state_dir, boot="after")) as journal:
        assert journal.first_sequence("b1") > 10, "older events are gone"
        states = {table: folded(journal, table) for table in journal.tables()}
        assert [each for each in lost(kept.states, states) if not each.endswith(GIVEN_UP)] == []
        maker.next["b1"] = kept.states["b1"]["sequence"] + 1
        maker.round(journal, "b1", 1)
    assert kept.version() == SCHEMA_VERSION
    assert verify_file(kept.file, expect_head=head).problems == []


def test_it_goes_on_with_the_next_sequence(played: Played, maker: Any) -> None:
    with closing(Journal.open(played.state_dir, boot="after")) as journal:
        last = {table: max(event.sequence for event in journal.events(table)) for table in journal.tables()}
        assert last == {table: state["sequence"] for table, state in played.states.items()}
        for table, sequence in last.items():
            maker.next[table] = sequence + 1
            maker.round(journal, table, 3)
    report = verify_file(played.file)
    assert report.problems == []
    assert report.events == {table: sequence + 3 for table, sequence in last.items()}


def test_a_version_that_does_not_know_it_refuses_it_and_leaves_it(played: Played) -> None:
    played.set_version(SCHEMA_VERSION + 1)
    content = played.file.read_bytes()
    with pytest.raises(JournalTooNew, match=f"schema version {SCHEMA_VERSION + 1} and this program knows up to"):
        Journal.open(played.state_dir, boot="after")
    assert played.file.read_bytes() == content


CONFIG = """
[station]
site = "studio-1"
state_dir = "{}"
[mqtt]
url = "mqtt://127.0.0.1:1"
[tables.r1]
game = "roulette"
round_source = "device"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/no-such-wheel"
"""


@pytest.mark.parametrize("command", ["run", "verify"])
def test_a_station_says_how_to_go_on_with_a_newer_journal(
    command: str, played: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played.set_version(SCHEMA_VERSION + 1)
    config = tmp_path / "station.toml"
    config.write_text(CONFIG.format(played.state_dir))
    words = ["run", "--config", str(config)] if command == "run" else ["journal", "verify", str(played.file)]
    assert main(words) != 0
    said = capsys.readouterr()
    assert "Install the version of dealer-station that wrote it, or a newer one" in said.err + said.out
