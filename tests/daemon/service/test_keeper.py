"""What the keeper sees of a station that hangs: drivers, decisions that nobody tries to commit, a loop that is late."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from dealer_daemon.bodies import HeldBody
from dealer_daemon.config import load_config
from dealer_daemon.journal import Journal, JournalUnavailable
from dealer_daemon.service import watchdog
from dealer_daemon.service.line import TableSays
from dealer_daemon.service.notify import Notifier
from dealer_daemon.station import Station
from dealer_daemon.station.host import STANDS_FOR, TableHost
from dealer_daemon.station.keeper import Keeper
from dealer_drivers.clock import SystemClock
from dealer_drivers.errors import LinkLost
from dealer_drivers.link import Link
from dealer_drivers.transports.base import Channel
from dealer_drivers.transports.gate import GatedTransport
from support.bench import wheel_config
from support.live import until
from support.notify_socket import NotifySocket, notify_socket
from support.roulette_host import roulette_host
from support.scripted_link import Echo

WATCHDOG_S = 0.8


@dataclass
class Device:
    busy_s: float = 0.0


@dataclass
class Host:
    untried_s: float | None = None


@dataclass
class Watched:
    manager: NotifySocket
    keeper: Keeper
    host: Host = field(default_factory=Host)
    device: Device = field(default_factory=Device)

    async def feeds_stop(self, why: str) -> None:
        await until(lambda: why in self.manager.status, f"the status says {why!r}")
        fed = self.manager.count("WATCHDOG")
        said_s = time.monotonic()
        await until(lambda: time.monotonic() > said_s + 2 * WATCHDOG_S, "time passes")
        assert self.manager.count("WATCHDOG") == fed

    async def feeds_go_on(self) -> None:
        fed = self.manager.count("WATCHDOG")
        await until(lambda: self.manager.count("WATCHDOG") > fed + 1, "it is fed again")
        assert "not fed" not in self.manager.status


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    with notify_socket(tmp_path) as manager:
        keeper = Keeper(Notifier(manager.address, WATCHDOG_S), lambda: [TableSays("r1", None, connected=True)])
        found = Watched(manager, keeper)
        hosts, devices = cast("Any", {"r1": found.host}), cast("Any", {"r1/wheel": found.device})
        keeper.watch(hosts, devices)
        yield found
        await keeper.close()


async def test_a_driver_that_is_stuck_starves_it_and_one_that_comes_back_feeds_it(watched: Watched) -> None:
    watched.device.busy_s = watchdog.STUCK_S + 1
    await watched.feeds_stop("the driver of r1/wheel is stuck")
    watched.device.busy_s = 0
    await watched.feeds_go_on()


async def test_decisions_that_nobody_tries_to_commit_starve_it(watched: Watched) -> None:
    watched.host.untried_s = watchdog.UNTRIED_S + 1
    await watched.feeds_stop("decisions of r1 wait for the journal")
    watched.host.untried_s = 0.2
    await watched.feeds_go_on()


async def test_time_outs_that_nobody_looks_at_starve_it(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "UNTICKED_S", 0.3)
    await watched.feeds_stop("no time-out of a table was looked at")
    watched.keeper.stopping()
    fed = watched.manager.count("WATCHDOG")
    await until(lambda: watched.manager.count("WATCHDOG") > fed, "a stop is no hang")


async def test_a_loop_that_is_late_is_not_fed_for_that_time(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "LATE_S", 0.3)
    await until(lambda: watched.manager.count("WATCHDOG") > 1, "it is fed")
    time.sleep(0.6)  # noqa: ASYNC251 - a driver that blocks
    await until(lambda: "the event loop was 0." in watched.manager.status, "it is said")
    await until(lambda: "not fed" not in watched.manager.status, "the next time is on time")


async def test_a_host_says_how_long_what_waits_was_not_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Journal.open(tmp_path, boot="b")) as journal:
        host: TableHost = roulette_host(journal)
        host.start()
        assert host.untried_s is None

        def full(*_: object) -> None:
            raise JournalUnavailable("disk full")

        monkeypatch.setattr(journal, "commit", full)
        host.hold(HeldBody(reason=min(STANDS_FOR), detail="x"))
        assert host.untried_s is not None
        assert host.untried_s < 5
        monkeypatch.undo()
        assert host.stop()
        assert host.untried_s is None


class Hangs:
    """A port whose opening, writing or closing never ends, until it is let go."""

    name, hint, warning = "hangs", "", None

    def __init__(self, where: str) -> None:
        self.where = where
        self.go = asyncio.Event()

    async def _at(self, where: str) -> None:
        if where == self.where:
            await self.go.wait()

    async def open(self) -> Channel:
        await self._at("open")
        return self

    async def read(self) -> bytes:
        if self.where == "close":
            raise LinkLost("gone")
        return await asyncio.get_running_loop().create_future()

    async def write(self, data: bytes) -> None:
        del data
        await self._at("write")

    async def close(self) -> None:
        await self._at("close")


@pytest.mark.parametrize("where", ["open", "write", "close", "nowhere"])
async def test_a_link_says_for_how_long_its_port_has_kept_it(where: str) -> None:
    port = Hangs(where)
    link = Link(port, Echo(greeting=(b"?",)), SystemClock(), on_output=lambda *_: None, on_state=lambda _: None)
    task = asyncio.create_task(link.run())
    if where == "nowhere":
        await until(lambda: link.state.state == "up", "it is up")
    else:
        await until(lambda: link.busy_s > 0.1, "it says that it is kept")
        port.go.set()
    await until(lambda: link.busy_s == 0, "it waits for the device again")
    await link.stop()
    await task


async def test_a_device_that_is_lent_is_not_stuck() -> None:
    gate = GatedTransport(Hangs("nowhere"))
    assert not gate.lent
    await gate.lend("a bench has it")
    assert gate.lent
    gate.give_back()
    assert not gate.lent


@pytest.mark.parametrize("hurried", [True, False])
async def test_a_stop_waits_no_longer_than_it_may_and_not_after_a_second_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hurried: bool
) -> None:
    config = load_config(wheel_config(tmp_path, str(tmp_path / "no-wheel")))
    station = Station(config, finish_s=60.0 if hurried else 0.3)
    monkeypatch.setattr(station, "_under_way", lambda: ["r1"])
    hurry = asyncio.Event()
    began_s = time.monotonic()
    waits = asyncio.create_task(station._finished(hurry))
    await asyncio.sleep(0)
    assert not waits.done()
    if hurried:
        hurry.set()
    await waits
    assert (0 if hurried else 0.3) <= time.monotonic() - began_s < 30
