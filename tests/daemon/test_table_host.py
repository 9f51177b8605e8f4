"""A table's host when the journal is not what it was: the station ends and says why, whoever asked."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from dealer_daemon.commands import Command, CommandName, ErrorCode, Role
from dealer_daemon.journal import Journal, JournalDamaged, JournalError
from dealer_daemon.station.host import TableHost
from support.roulette_host import roulette_host


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[TableHost]:
    with closing(Journal.open(tmp_path / "state", boot="b")) as journal:
        made = roulette_host(journal)
        made.start()
        yield made
        made.stop()
        if made.failed.done():
            made.failed.exception()


def pause(command_id: str) -> Command:
    args = {"reason": "a look at the wheel"}
    return Command(
        id=command_id, name=CommandName.TABLE_PAUSE, client="m", role=Role.MANAGER, by="manager-1", args=args
    )


def gone(file: Path) -> None:
    file.unlink()


def replaced(file: Path) -> None:
    other = file.with_name("copy")
    shutil.copy(file, other)
    other.rename(file)


def cut_off(file: Path) -> None:
    os.truncate(file, 4096)


def added_to(file: Path) -> None:
    columns = (
        "dealer_table, kind, sequence + 1, type, subject, wall_ns, mono_ns, boot, client, command_id, body, evidence"
    )
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute(
            f"INSERT INTO entries SELECT id + 1, {columns}, hash, signature, signed FROM entries "
            "ORDER BY id DESC LIMIT 1"
        )


@pytest.mark.parametrize("harm", [gone, replaced, cut_off, added_to], ids=lambda harm: str(harm.__name__))
async def test_a_command_that_meets_a_journal_that_is_not_ours_ends_the_station_with_words(
    host: TableHost, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    assert host.command(pause("c-1")).ok
    harm(tmp_path / "state" / "journal.sqlite3")
    replies = [host.command(pause(f"c-{n}")) for n in (2, 3)]
    for reply in replies:
        assert (reply.ok, reply.error) == (False, ErrorCode.UNAVAILABLE)
        assert "journal.sqlite3" in reply.message
        assert "None" not in reply.message
    assert isinstance(host.failed.exception(), JournalError)
    assert host.stalled is not None


async def test_what_a_timer_meets_ends_the_station_too(host: TableHost, tmp_path: Path) -> None:
    added_to(tmp_path / "state" / "journal.sqlite3")
    decision = host._table.start(host._clock.now())
    with pytest.raises(JournalDamaged):
        host._take(decision)
    assert isinstance(host.failed.exception(), JournalDamaged)
