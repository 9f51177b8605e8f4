"""A table's host when the journal is not what it was: the station ends and says why, whoever asked."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest
import structlog

from dealer_daemon.bodies import HeldBody
from dealer_daemon.commands import Command, CommandName, ErrorCode, Role
from dealer_daemon.config import parse_config
from dealer_daemon.events import EventsExpired
from dealer_daemon.journal import Journal, JournalDamaged, JournalError, JournalUnavailable
from dealer_daemon.station.host import STANDS_FOR, TableHost
from dealer_daemon.table.arguments import Refusal
from dealer_drivers.clock import SystemClock
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault
from dealer_drivers.readings.shoe import CardRead, PositionHint, ShoeSlot
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


def resume(command_id: str, host: TableHost) -> Command:
    args = {"reason": "looked at", "pause": host.committed.paused_at}
    return Command(
        id=command_id, name=CommandName.TABLE_RESUME, client="m", role=Role.MANAGER, by="manager-1", args=args
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


@pytest.mark.parametrize("reason", sorted(STANDS_FOR))
async def test_a_host_that_is_held_stands_and_answers_every_command_with_the_reason(
    host: TableHost, reason: str
) -> None:
    assert host.command(pause("c-1")).ok
    assert host.command(resume("c-2", host)).ok
    sequence = host.committed.sequence
    host.hold(HeldBody(reason=reason, detail="stop this one"))
    assert host.committed.paused == reason
    assert host.state_message({})["held"] == {"reason": reason, "detail": "stop this one"}
    for command in (pause("c-1"), pause("c-3"), resume("c-4", host)):
        reply = host.command(command)
        assert (reply.ok, reply.error) == (False, ErrorCode.UNAVAILABLE)
        assert f"{reason}: stop this one" in reply.message
    assert host.committed.sequence == sequence + 1, "nothing but the pause"
    assert host._journal.reply_to("r1", "m", "c-3") is None, "it may be sent again when the station is released"


async def test_a_host_whose_journal_is_not_checked_refuses_commands_and_plays_on(host: TableHost) -> None:
    host.hold(HeldBody(reason="journal_unchecked", detail="the broker does not show it"))
    assert host.command(pause("c-1")).error is ErrorCode.UNAVAILABLE
    assert host.committed.paused is None
    host.hold(None)
    assert host.state_message({})["held"] is None
    assert host.command(pause("c-1")).ok


async def test_events_that_expire_are_a_warning(host: TableHost) -> None:
    with structlog.testing.capture_logs() as logs:
        host._log = structlog.get_logger()
        host.expired(EventsExpired(from_sequence=1, to_sequence=1, consumers=["dwh"], reason="consumer_behind"))
    assert [(entry["log_level"], entry["event_type"]) for entry in logs] == [("warning", "events.expired")]


async def test_a_device_is_not_lent_while_that_cannot_be_written(
    host: TableHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = host._journal.commit

    def full(*arguments: object) -> None:
        del arguments
        raise JournalUnavailable("the disk is full")

    monkeypatch.setattr(host._journal, "commit", full)
    for _ in range(2):
        with pytest.raises(Refusal, match="the disk is full"):
            host.lend("wheel", "Li")
    assert host.committed.lent == {}
    monkeypatch.setattr(host._journal, "commit", commit)
    host._drain()
    assert host.committed.lent == {}, "what was decided meanwhile is undone behind it"
    assert host.committed.paused == "maintenance", "and the table says why it stands"
    host.lend("wheel", "Li")
    assert host.committed.lent == {"wheel": "Li"}
    assert host.stop()


async def test_nobody_waits_for_a_device_that_another_bench_has(host: TableHost) -> None:
    host.lend("wheel", "Li")
    with pytest.raises(Refusal, match=r"another bench \(Li\)"):
        host.wish("wheel", "Chan")
    host.take_back("wheel", "given_back")
    host.wish("wheel", "Chan")
    with pytest.raises(Refusal, match=r"another bench \(Chan\) waits"):
        host.wish("wheel", "Li")
    host.unwish("wheel")
    host.lend("wheel", "Li")


async def test_a_bench_lets_no_table_go_on_whose_station_is_held(host: TableHost) -> None:
    host.lend("wheel", "Li")
    host.hold(HeldBody(reason=sorted(STANDS_FOR)[0], detail="stop this one"))
    host.take_back("wheel", "given_back", resume=True)
    assert host.committed.lent == {}
    assert host.committed.paused == sorted(STANDS_FOR)[0], "the reason that only a person ends, and not the bench's"


class HandClock(SystemClock):
    """Stands until it is put forward."""

    def __init__(self) -> None:
        super().__init__()
        self.at = super().now()

    def now(self) -> Instant:
        return self.at


SHOE_TABLE = """
[station]
site = "s"
state_dir = "state"
[tables.b1]
game = "baccarat"
round_source = "device"
[tables.b1.shoe]
require_verified = false
[[tables.b1.devices]]
name = "shoe"
driver = "angel-eye"
port = "/dev/shoe"
"""


async def test_what_time_has_decided_comes_before_what_is_said_after_it(tmp_path: Path) -> None:
    """The wait for the shoe's own result is over, and its timer was late: the hand has its outcome."""
    config, clock = parse_config(SHOE_TABLE, tmp_path / "station.toml").tables["b1"], HandClock()
    with closing(Journal.open(tmp_path / "state", boot="b")) as journal:
        host = TableHost(config, journal, clock, boot="b", clock_speed=1, act=lambda *_: None, changed=lambda: None)
        host.start()
        for slot, index, card in (("player", 1, "8S"), ("banker", 1, "5C"), ("player", 2, "AD"), ("banker", 2, "3H")):
            hint = PositionHint(ShoeSlot(slot), index)
            host.readings("shoe", (CardRead(at=clock.at, raw=card.encode(), card=card, hint=hint),), clock.at)
        assert host.committed.round is not None
        clock.at = clock.at.plus_s(2.5)
        void = Command(
            id="c1", name=CommandName.ROUND_VOID, client="m", role=Role.MANAGER, by="m", args={"reason": "slow"}
        )
        reply = host.command(void)
        assert (reply.ok, reply.error) == (False, ErrorCode.NOT_NOW)
        assert host.committed.outcome is not None
        assert host.committed.outcome.facts["winner"] == "player"
        host.stop()


def withdrawn(host: TableHost) -> Callable[[], None]:
    """What a look at the files finds: the wheel's calibration was withdrawn a moment ago."""

    def look() -> None:
        fault = DeviceFault(at=SystemClock().now(), raw=b"", fault=Fault.CALIBRATION_WITHDRAWN, detail="changed")
        host.readings("wheel", (fault,), fault.at)

    return look


async def test_nobody_lets_a_table_go_on_before_the_files_were_looked_at(host: TableHost) -> None:
    assert host.command(pause("c-1")).ok
    host.look = withdrawn(host)
    reply = host.command(resume("c-2", host))
    assert (reply.ok, "restart the station" in (reply.message or "")) == (False, True)


async def test_a_bench_that_gives_back_resumes_nothing_before_the_files_were_looked_at(host: TableHost) -> None:
    host.lend("wheel", "Li")
    host.look = withdrawn(host)
    host.take_back("wheel", "given_back", resume=True)
    assert host.committed.paused == "calibration_withdrawn"
