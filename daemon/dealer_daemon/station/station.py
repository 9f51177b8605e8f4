"""The station: opens the journal, takes up every table with its devices and its broker, and stops in order.

One event loop, one thread: what is decided first is committed first. It stops by itself only where going on
would lose or invent something, and says why.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import structlog

from dealer_daemon.bodies import HeldBody
from dealer_daemon.commands import Command, CommandName, Reply
from dealer_daemon.config import Config, TableConfig
from dealer_daemon.journal import Journal, JournalUnavailable
from dealer_daemon.log import tell_left_out
from dealer_daemon.monitoring import Histogram, StationFigures
from dealer_daemon.monitoring.histogram import ACKNOWLEDGED_S
from dealer_daemon.mqtt.envelope import event_signer
from dealer_daemon.mqtt.heads import Signing
from dealer_daemon.mqtt.settings import broker_settings
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.mqtt.uplink import Uplink
from dealer_daemon.service.line import TableSays
from dealer_daemon.service.notify import Notifier
from dealer_daemon.station.board import TableBoard
from dealer_daemon.station.calibration import keep_calibrations
from dealer_daemon.station.control import ControlServer
from dealer_daemon.station.device import DeviceHost
from dealer_daemon.station.host import TableHost
from dealer_daemon.station.keeper import Keeper
from dealer_daemon.station.lending import lease
from dealer_daemon.station.messages import alert_bodies
from dealer_daemon.station.monitoring import MonitoringServer
from dealer_daemon.station.reload import reload
from dealer_daemon.station.retention import Retention
from dealer_daemon.station.screen import StationScreen
from dealer_daemon.station.seeing import HostWatch, TableWatch
from dealer_daemon.station.setup import VERSION
from dealer_daemon.station.signing import station_key, with_known_keys
from dealer_drivers.calibration import CalibrationStore
from dealer_drivers.clock import Clock, SystemClock
from dealer_drivers.driver import DeviceAction
from dealer_drivers.instant import Instant
from dealer_drivers.link import LinkState

TICK_S = 0.25
"""How late a time-out of a table may be noticed: half a frame of a wheel."""
HEALTH_EVERY_S = 5.0
ALERTS_EVERY_S = 1.0
STATE_AFTER_S = 0.01
"""The table's state and board follow its events by so much: they, and what they are settled on, go out first."""
RECORDINGS = "recordings"


def client_id(site: str, table: TableConfig) -> str:
    """The table's name at the broker, which throws out the older of two clients of one name: a live table and a shadow
    of another station may have the same name at one site."""
    return f"dealer-shadow-{site}-{table.name}" if table.shadow else f"dealer-{site}-{table.name}"


class TableParts:
    """One table's host, devices and uplink."""

    def __init__(self, station: Station, config: TableConfig) -> None:
        self.config = config
        self._show_state: asyncio.TimerHandle | None = None
        self._waiters: list[asyncio.Future[None]] = []
        self._watchers: list[Callable[[], None]] = []
        self.acknowledged = Histogram(ACKNOWLEDGED_S)
        self.host = TableHost(
            config,
            station.journal,
            station.clock,
            boot=station.boot,
            clock_speed=station.clock_speed,
            act=self._act,
            changed=self._changed,
            command_max_age_s=station.config.mqtt.command_max_age_s,
        )
        self.board = TableBoard(config, station.journal)
        keep_days = station.config.station.flight_recorder_days
        recordings = Path(station.config.station.state_dir) / RECORDINGS if keep_days else None
        self.devices: dict[str, DeviceHost] = {
            device.name: DeviceHost(
                config.name,
                device,
                station.clock,
                recordings,
                keep_days,
                readings=self.host.readings,
                changed=self._device_changed,
                calibration_max_age_days=station.config.station.calibration_max_age_days,
                store=CalibrationStore(station.config.calibrations),
            )
            for device in config.devices
        }
        self.host.look = self.look_at_calibrations
        site = station.config.station.site
        self.uplink = Uplink(
            broker_settings(station.config.mqtt, client_id(site, config)),
            Topics(station.config.mqtt.prefix, site, config.name, config.shadow),
            station.journal,
            self._answer,
            boot=station.boot,
            version=VERSION,
            since=station.since,
            in_flight=station.config.mqtt.in_flight,
            roles_by_topic=station.config.mqtt.roles_by_topic,
            names_by_topic=station.config.mqtt.names_by_topic,
            journal=station.journal,
            signing=station.signing,
            now=lambda: station.clock.now().rfc3339(),
            consumer_gone_s=station.config.mqtt.consumer_gone_s,
            consumers_changed=self._changed,
            held_changed=self._held_changed,
            acknowledged=self.acknowledged.observe,
        )
        self.seeing = TableWatch(self, station.journal)

    def start(self) -> None:
        """The table's first event, then its connection to the broker."""
        self.host.start()
        self.uplink.start()
        self.show()

    def show(self) -> None:
        """All retained messages as they should stand now."""
        self.show_state()
        for name in self.devices:
            self.show_device(name)

    def look_at_calibrations(self) -> None:
        """A calibration that was withdrawn since the station took it up makes the table stand."""
        for device in self.devices.values():
            device.look_at_calibration()

    def show_device(self, name: str, *, urgent: bool = False) -> None:
        """One device's health."""
        self.uplink.set_device(name, self._health(name), urgent=urgent)

    def _health(self, name: str) -> dict[str, Any]:
        held, faults = self.host.held, self.host.committed.faults.get(name, [])
        return self.devices[name].message(
            faults, None if held is None else held.reason, self.host.committed.lent.get(name)
        )

    def links(self) -> dict[str, LinkState]:
        """How each device's link is."""
        return {name: device.link.state for name, device in self.devices.items()}

    def heard(self) -> bool:
        """Whether the broker is connected."""
        return self.uplink.status.connected

    def watch(self, changed: Callable[[], None]) -> None:
        """Calls back after each commit, and when a link changed."""
        self._watchers.append(changed)

    def news(self) -> asyncio.Future[None]:
        """Done after the next thing that the table commits."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        return waiter

    def status(self) -> dict[str, Any]:
        """Everything about the table, for the status command."""
        mqtt = self.uplink.status
        return {
            "state": self.host.state_message(self.uplink.consumers),
            "devices": {name: self._health(name) for name in self.devices},
            "mqtt": {
                "connected": mqtt.connected,
                "protocol": mqtt.version,
                "published": self.uplink.published,
                "consumers": dict(self.uplink.consumer_acks),
                "problems": [str(problem) for problem in self.uplink.problems],
                "acknowledged_p99_s": self.acknowledged.at_most_s(0.99),
            },
            "alerts": [msgspec.to_builtins(alert) for alert in alert_bodies(self.host.alerts.values())],
            "commit_p99_s": self.host.commits.at_most_s(0.99),
        }

    def says(self) -> TableSays:
        """How the table is, for one line."""
        host, state = self.host, self.host.committed
        held = None if host.held is None else f"held: {host.held.reason}"
        stands = host.stalled or held or state.paused
        return TableSays(self.config.name, stands, self.uplink.status.connected, tuple(sorted(state.faults)))

    async def _answer(self, table: str, command: Command) -> Reply:
        del table  # an uplink serves one table
        reply = self.host.command(command)
        if command.name is CommandName.EVENTS_RESEND and reply.ok:
            # A command that was answered long ago and comes again gets its answer; its events may be gone since.
            with contextlib.suppress(ValueError):
                self.uplink.resend(int(reply.result["from"]))
        return reply

    def _act(self, device: str, action: DeviceAction) -> None:
        self.devices[device].request(action)

    def _device_changed(self, name: str) -> None:
        self.show_device(name, urgent=True)
        self._tell()

    def _tell(self) -> None:
        for changed in self._watchers:
            changed()

    def _held_changed(self) -> None:
        problem = self.uplink.held
        self.host.hold(None if problem is None else HeldBody(reason=problem.code, detail=problem.detail))
        self.show()
        self._tell()

    def _changed(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()
        self._tell()
        if self._show_state is None:
            self._show_state = asyncio.get_running_loop().call_later(STATE_AFTER_S, self.show_state)

    def show_state(self) -> None:
        """What the table is doing, now, and its scoreboard."""
        if self._show_state is not None:
            self._show_state.cancel()
            self._show_state = None
        self.uplink.set_state(self.host.state_message(self.uplink.consumers))
        if (board := self.board.news()) is not None:
            self.uplink.set_board(*board)


class Station:
    """See the module. ``clock_speed`` is 1 except with simulated devices that run fast; ``finish_s``: how long a stop
    waits for attempts that are under way; ``notifier``: the service manager; ``read`` gives the configuration as its
    file says it now, or raises ``ConfigErrors``; ``log_level_given``: whatever the file says of it does not count.
    """

    def __init__(
        self,
        config: Config,
        *,
        clock_speed: float = 1.0,
        finish_s: float = 0.0,
        notifier: Notifier | None = None,
        read: Callable[[], Config] | None = None,
        log_level_given: bool = False,
    ) -> None:
        self.config = config
        self.clock_speed = clock_speed
        self.clock: Clock = SystemClock(clock_speed)
        self.boot = str(uuid.uuid4())
        self.since = self.clock.now().rfc3339()
        self.journal: Journal
        self.retention: Retention
        self.screen: StationScreen | None = None
        """``None`` where no pages are served."""
        self.signing: Signing
        self.tables: dict[str, TableParts] = {}
        self.watch = HostWatch(config, self.clock.now(), boot=self.boot, version=VERSION, speed=clock_speed)
        self.monitoring = MonitoringServer(config.monitoring, self.figures, self.status, self._monitoring_told)
        self._ticked_s = time.monotonic()
        self._finish_s = finish_s
        self.notifier = notifier or Notifier()
        self.read = read or (lambda: config)
        self.log_level_given = log_level_given
        self.keeper: Keeper
        self._log = structlog.get_logger()

    async def run(self, stop: asyncio.Event, hurry: asyncio.Event | None = None) -> bool:
        """Run until ``stop`` is set, and then to the end of what is under way, as long as the stop waits for it and
        ``hurry`` is not set. Says whether everything was committed and acknowledged by then.

        Raises ``KeyFileError``, ``PeopleFileError`` or ``CredentialMissing`` when a secret cannot be used,
        ``JournalError`` when the journal cannot be opened or is damaged, ``BindError`` when the screen's port is
        another's, ``FoldError`` when its events are not a table's, and whatever went wrong that must not be papered
        over.
        """
        state_dir = Path(self.config.station.state_dir)
        key = station_key(self.config)
        sign = None if key is None else event_signer(self.config.station.site, key)
        self.journal = Journal.open(state_dir, boot=self.boot, clock=self.clock.now, sign=sign)
        try:
            self.signing = with_known_keys(self.config, key)
            return await self._run(state_dir, stop, hurry)
        finally:
            self.journal.close()

    async def _run(self, state_dir: Path, stop: asyncio.Event, hurry: asyncio.Event | None) -> bool:
        log = self._log
        tasks: list[asyncio.Task[Any]] = []
        self.tables = {name: TableParts(self, table) for name, table in self.config.tables.items()}
        keep_calibrations(self.config)
        hosts = {name: parts.host for name, parts in self.tables.items()}
        days = self.config.station.retention_days
        self.retention = Retention(self.journal, days, self.clock.now, self.boot, hosts)
        if self.config.screen is not None:
            self.screen = StationScreen(self.config.screen, self.tables, self.journal, self.clock, self.boot)
        self.keeper = Keeper(self.notifier, lambda: [parts.says() for parts in self.tables.values()])
        control = ControlServer(
            state_dir, self.status, functools.partial(lease, self.tables), functools.partial(reload, self)
        )
        try:
            await control.start()
            for parts in self.tables.values():
                parts.start()
            if self.screen is not None:
                await self.screen.start()
            tasks = [asyncio.create_task(stop.wait(), name="stop"), asyncio.create_task(self._keep_time(), name="time")]
            tasks.append(asyncio.create_task(self.monitoring.start(), name="monitoring"))
            for parts in self.tables.values():
                tasks += [asyncio.create_task(device.link.run()) for device in parts.devices.values()]
            every = ((name, parts.devices) for name, parts in self.tables.items())
            self.keeper.watch(hosts, {f"{name}/{key}": host for name, its in every for key, host in its.items()})
            log.info("station_started", site=self.config.station.site, boot=self.boot, version=VERSION)
            failures = [parts.host.failed for parts in self.tables.values()]
            await self._until(tasks[0], tasks, failures)
            self.keeper.stopping()
            if self._finish_s and self._under_way():
                tasks.append(asyncio.create_task(self._finished(hurry), name="finish"))
                await self._until(tasks[-1], tasks, failures)
        finally:
            self.keeper.stopping()
            try:
                complete = await self._close(control, tasks)
            finally:
                await self.keeper.close()
        log.info("station_stopped", state="complete" if complete else "incomplete")
        return complete

    async def _until(
        self, end: asyncio.Task[Any], tasks: list[asyncio.Task[Any]], failures: list[asyncio.Future[None]]
    ) -> None:
        running = {task for task in tasks if not task.done()}
        while not end.done():
            done, _ = await asyncio.wait([*running, *failures], return_when=asyncio.FIRST_COMPLETED)
            for ended in done:
                ended.result()  # a link that gave up ends well; anything else must be heard
            running -= done

    def _under_way(self) -> list[str]:
        """Tables where an attempt is under way: a restart in it is a re-throw, which players see."""
        rounds = {name: parts.host.committed.round for name, parts in self.tables.items()}
        return [name for name, current in rounds.items() if current is not None and current.phase == "running"]

    async def _finished(self, hurry: asyncio.Event | None) -> None:
        """Until no attempt is under way, or ``hurry`` is set, or the time for it is over. Of what is still under way
        then the journal knows that it was not seen to its end."""
        under_way = ", ".join(self._under_way())
        self._log.info("stop_waits", detail=f"attempts under way: {under_way}", wait_s=self._finish_s)
        told = asyncio.create_task((hurry or asyncio.Event()).wait(), name="hurry")
        try:
            async with asyncio.timeout(self._finish_s):
                while self._under_way() and not told.done():
                    awaited: list[asyncio.Future[Any]] = [told, *(parts.news() for parts in self.tables.values())]
                    await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            self._log.warning("stop_waited", detail=f"still under way: {', '.join(self._under_way())}")
        finally:
            told.cancel()

    async def _close(self, control: ControlServer, tasks: list[asyncio.Task[Any]]) -> bool:
        """Devices first, so that nothing new comes; then what waits for the disk; then the broker."""
        await control.stop()
        if self.screen is not None:
            await self.screen.stop()
        await self.monitoring.stop()
        for parts in self.tables.values():
            for device in parts.devices.values():
                await device.stop()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        complete = True
        for parts in self.tables.values():
            complete &= parts.host.stop()
            parts.show_state()
        stopped = await asyncio.gather(*(parts.uplink.stop() for parts in self.tables.values()))
        return complete and all(stopped)

    async def _keep_time(self) -> None:
        health_at = alerts_at = self.clock.now()
        self.watch.look_at_computer()
        while True:
            due = self.clock.now().plus_s(TICK_S)
            await self.clock.sleep_until(due.mono_ns)
            self.watch.late.observe(self.clock.now().since_s(due) / self.clock.speed)
            self._ticked_s = time.monotonic()
            for parts in self.tables.values():
                parts.host.tick()
            if (now := self.clock.now()).since_s(alerts_at) >= ALERTS_EVERY_S:
                alerts_at = now
                self._look(now)
            self.keeper.ticked()
            if self.clock.now().since_s(health_at) >= HEALTH_EVERY_S:
                health_at = self.clock.now()
                self.watch.look_at_computer()
                tell_left_out()
                self._maintain()
                for parts in self.tables.values():
                    parts.look_at_calibrations()
                    for name in parts.devices:
                        parts.show_device(name)

    def _look(self, at: Instant) -> None:
        """Raise and clear the alerts of every table."""
        self.watch.look_at_clock(at)
        health = self.watch.health(at)
        for parts in self.tables.values():
            parts.seeing.look(health, at)

    def _monitoring_told(self, problem: str | None) -> None:
        self.watch.monitoring_problem = problem

    def figures(self) -> StationFigures:
        """All figures of this moment."""
        at = self.clock.now()
        tables = {name: parts.seeing.figures(at) for name, parts in self.tables.items()}
        return self.watch.figures(time.monotonic() - self._ticked_s, self.journal.path, tables)

    def _maintain(self) -> None:
        """Remove old rows and checkpoint the journal while nobody waits for a commit.

        A disk that fails now is met by the next commit.
        """
        if not self._under_way():
            with contextlib.suppress(JournalUnavailable):
                self.retention.step()
                self.journal.maintain()

    def status(self) -> dict[str, Any]:
        """The whole station in one object, for ``dealer-daemon status``."""
        return {
            "site": self.config.station.site,
            "boot": self.boot,
            "version": VERSION,
            "since": self.since,
            "journal": {"file": str(self.journal.path), "id": self.journal.journal_id},
            "host": self.watch.status(),
            "tables": {name: parts.status() for name, parts in self.tables.items()},
        }
