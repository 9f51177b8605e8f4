"""The daemon as a service: what a service manager hears of the real process, and when its watchdog is not fed."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from hw_sim.simulation import running
from support.checker import committed
from support.live import Live, live, until
from support.notify_socket import NotifySocket, notify_socket

SPEED = 25.0
SLOW = 10.0
WATCHDOG_S = 4.0


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[NotifySocket]:
    with notify_socket(tmp_path) as listening:
        yield listening


@pytest.fixture
async def here(tmp_path: Path, manager: NotifySocket) -> AsyncIterator[Live]:
    """A station whose wheel is not there, and that speaks to ``manager``."""
    async with live(tmp_path) as station:
        station.configure(str(tmp_path / "no-wheel"), speed=SPEED)
        station.daemon.environment = manager.environment(WATCHDOG_S)
        yield station


async def test_ready_comes_after_the_journal_and_the_tables_and_stopping_before_the_end(
    here: Live, manager: NotifySocket
) -> None:
    await here.daemon.start()
    await until(lambda: manager.words() == ["READY"], "the station is ready")
    assert (here.state / "journal.sqlite3").exists()
    assert (here.state / "control.sock").exists()
    await until(lambda: "fault of wheel" in manager.status, "the status says what is wrong")
    assert "1 of 1 tables can play" in manager.status
    await until(lambda: manager.count("WATCHDOG") >= 3, "the watchdog is fed")
    fed = [at for at, fields in manager.said() if "WATCHDOG" in fields]
    assert max(b - a for a, b in itertools.pairwise(fed)) < WATCHDOG_S
    assert await here.daemon.end() == 0
    assert manager.words() == ["READY", "STOPPING"]
    assert manager.status.startswith("stopping")


async def test_a_station_that_cannot_start_is_never_ready_and_says_why(here: Live, manager: NotifySocket) -> None:
    text = here.config.read_text()
    here.config.write_text(text.replace('"roulette"', '"roulete"'))
    await here.daemon.start()
    assert await here.daemon.ended() == 2
    here.config.write_text(text)
    here.state.mkdir()
    (here.state / "journal.sqlite3").write_bytes(b"no journal" * 1000)
    await here.daemon.start()
    assert await here.daemon.ended() == 1
    assert manager.words() == []
    first, second = manager.statuses
    assert "tables.r1.game" in first
    assert "journal" in second


async def test_failed_starts_in_a_row_wait_and_say_so_and_a_stop_ends_the_wait(
    here: Live, manager: NotifySocket, tmp_path: Path
) -> None:
    here.daemon.environment = {**manager.environment(), "RUNTIME_DIRECTORY": str(tmp_path)}
    here.state.mkdir()
    (here.state / "journal.sqlite3").write_bytes(b"no journal" * 1000)
    await here.daemon.start()
    assert await here.daemon.ended() == 1
    await here.daemon.start()
    await until(lambda: "waits 2 s: 1 starts in a row failed" in manager.status, "it says that it waits")
    assert await here.daemon.ended() == 1
    (tmp_path / "failed-starts").write_text("6")
    (here.state / "journal.sqlite3").unlink()
    await here.daemon.start()
    await until(lambda: "waits 60 s" in manager.status, "it waits longer")
    assert await here.daemon.end() == 0, "a stop in the wait is a stop"
    assert (tmp_path / "failed-starts").read_text() == "0"


async def test_a_stalled_process_is_not_fed_and_one_that_goes_on_says_that_it_was_late(
    here: Live, manager: NotifySocket
) -> None:
    await here.daemon_up()
    await until(lambda: manager.count("WATCHDOG") >= 2, "the watchdog is fed")
    pid = here.daemon.process.pid  # type: ignore[union-attr]
    os.kill(pid, signal.SIGSTOP)
    await until(lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T", "it stands")
    fed = manager.count("WATCHDOG")
    stands_until_s = time.monotonic() + 3
    await until(lambda: time.monotonic() > stands_until_s, "time passes")
    assert manager.count("WATCHDOG") == fed
    os.kill(pid, signal.SIGCONT)
    await until(lambda: any("watchdog not fed: the event loop was" in line for line in manager.statuses), "it is said")
    await until(lambda: manager.count("WATCHDOG") > fed, "it is fed again")
    assert '"state": "withheld"' in here.daemon.said()
    await until(lambda: '"state": "fed"' in here.daemon.said(), "the log says both")


async def test_a_disk_that_is_full_is_said_and_kills_nobody(here: Live, manager: NotifySocket, tmp_path: Path) -> None:
    async with running("roulette", speed=SPEED, seed=6, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SPEED)
        await here.daemon_up()
        await until(lambda: any(event["type"] == "round.outcome" for event in here.events()), "an outcome")
        pid = here.daemon.process.pid  # type: ignore[union-attr]
        await limit_files(pid, "1")
        await until(lambda: "r1 stands: " in manager.status and "0 of 1 tables" in manager.status, "the status says it")
        fed = manager.count("WATCHDOG")
        await until(lambda: manager.count("WATCHDOG") >= fed + 3, "what waits for the disk is not killed")
        await limit_files(pid, "unlimited")
        await until(lambda: "1 of 1 tables can play" in manager.status, "the table goes on")
        assert await here.daemon.end() == 0


async def test_a_stop_waits_for_the_spin_that_is_under_way(here: Live, manager: NotifySocket, tmp_path: Path) -> None:
    def attempts() -> list[str]:
        return [event["type"] for event in here.events() if event["type"].startswith("attempt.")]

    async with running("roulette", speed=SLOW, seed=6, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SLOW)
        here.daemon.command = (*here.daemon.command, "--finish-s", "60")
        await here.daemon_up()
        await until(lambda: attempts()[-1:] == ["attempt.started"], "a spin is under way")
        os.kill(here.daemon.process.pid, signal.SIGTERM)  # type: ignore[union-attr]
        await until(lambda: manager.words() == ["READY", "STOPPING"], "it says at once that it stops")
        assert await here.daemon.ended() == 0
        assert '"stop_waits"' in here.daemon.said()
        assert committed(here.state)[-1]["type"] in ("round.outcome", "attempt.refused", "attempt.held"), (
            "it was judged"
        )


async def limit_files(pid: int, size: str) -> None:
    """No file of the process may grow: what a full disk does to SQLite's log."""
    child = await asyncio.create_subprocess_exec("prlimit", "--pid", str(pid), f"--fsize={size}:unlimited")
    assert await child.wait() == 0
