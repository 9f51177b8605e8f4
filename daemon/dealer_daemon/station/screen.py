"""The table's screen in the station: lends each table to it, tells it of changes, and serves it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import structlog

from dealer_daemon.commands import Command, Reply
from dealer_daemon.config import ScreenConfig
from dealer_daemon.config.screen import listen_address
from dealer_daemon.events import Event
from dealer_daemon.evidence import Evidence
from dealer_daemon.journal import Journal, JournalUnavailable
from dealer_daemon.people import PeopleFile
from dealer_daemon.screen.app import Screen
from dealer_daemon.screen.board import BoardView, board_view
from dealer_daemon.screen.build import view
from dealer_daemon.screen.desk import Desk
from dealer_daemon.screen.door import Door
from dealer_daemon.screen.feed import LOOK_EVERY_S, Feed
from dealer_daemon.screen.gatekeeper import Gatekeeper, NobodyMayAct
from dealer_daemon.screen.manager_view import manager_view
from dealer_daemon.screen.memory import Memory, remember
from dealer_daemon.screen.recall import ENOUGH, Recall, recall
from dealer_daemon.screen.sight import DeviceSight, Sight, face_of
from dealer_daemon.screen.technician_view import TechnicianView, tail_of, technician_view
from dealer_daemon.screen.view import View
from dealer_daemon.screen.workshop import Workshop
from dealer_daemon.station.board import TableBoard
from dealer_daemon.station.host import TableHost
from dealer_daemon.web import Listen, WebServer
from dealer_drivers.clock import Clock
from dealer_drivers.link import LinkState
from dealer_drivers.secret_files import secret_file


class Parts(Protocol):
    """What is needed of a table's parts (``station.TableParts``)."""

    host: TableHost
    board: TableBoard

    def links(self) -> dict[str, LinkState]:
        """How each device's link is."""
        ...

    def heard(self) -> bool:
        """Whether the broker is connected."""
        ...

    def status(self) -> dict[str, Any]:
        """As ``dealer-daemon status`` has it: ``devices`` and ``mqtt`` are shown to technicians."""
        ...

    def watch(self, changed: Callable[[], None]) -> None:
        """Calls back after each commit, and when a link changed."""
        ...


class TableOnScreen:
    """One table as the screen has it. Raises ``JournalError`` when its newest events cannot be read."""

    def __init__(self, parts: Parts, journal: Journal, clock: Clock, boot: str) -> None:
        self._parts = parts
        self._clock = clock
        self._boot = boot
        self._face = face_of(parts.host.config)
        name, last = parts.host.config.name, parts.host.committed.sequence
        after = max(last - ENOUGH, journal.first_sequence(name) - 1)
        events = list(journal.events(name, after=after))
        self._recall = recall(Recall(), events)
        self._memory = remember(Memory(), events)
        self._tail = tail_of((), events)
        self._journal = journal
        self.feed = Feed(self._view, self.now_ns)
        self.board = Feed(self._board_view, self.now_ns)
        self.desk = Feed(lambda: manager_view(self.sight(), self._memory), self.now_ns)
        self.workshop = Feed(self._technicians, self.now_ns)
        for feed in self.feeds():
            parts.watch(feed.changed)

    def feeds(self) -> tuple[Feed, ...]:
        """Of each kind of page."""
        return self.feed, self.board, self.desk, self.workshop

    @property
    def memory(self) -> Memory:
        """What a service manager may go back to."""
        return self._memory

    def evidence_type(self, name: str) -> str | None:
        """Its media type; ``None`` also while the journal cannot be read."""
        try:
            return self._journal.evidence_type(name)
        except JournalUnavailable:
            return None

    def evidence(self, name: str) -> Evidence | None:
        """Out of the journal; ``None`` also while it cannot be read."""
        try:
            return self._journal.evidence(name)
        except JournalUnavailable:
            return None

    def heard(self, events: Sequence[Event]) -> None:
        """The journal committed ``events``, of whatever table."""
        name = self._parts.host.config.name
        own = [event for event in events if event.table == name]
        self._recall = recall(self._recall, own)
        self._memory = remember(self._memory, own)
        self._tail = tail_of(self._tail, own)

    def sight(self) -> Sight:
        """As of now."""
        host = self._parts.host
        if self._face.config is not host.config:  # read again while the station runs
            self._face = face_of(host.config)
        return Sight(
            face=self._face,
            boot=self._boot,
            state=host.committed,
            recall=self._recall,
            devices={name: DeviceSight(link.state, link.reason) for name, link in self._parts.links().items()},
            stalled=host.stalled,
            held=host.held,
            heard=self._parts.heard(),
        )

    def command(self, command: Command) -> Reply:
        """The table's answer."""
        return self._parts.host.command(command)

    def now_ns(self) -> int:
        """The station's wall clock."""
        return self._clock.now().wall_ns

    def _technicians(self) -> TechnicianView:
        status = self._parts.status()
        return technician_view(self.sight(), self._memory, self._tail, status["devices"], status["mqtt"])

    def _view(self) -> View:
        return view(self.sight())

    def _board_view(self) -> BoardView:
        return board_view(self._parts.board.body(), self._parts.host.config, self._boot)


class StationScreen:
    """Serves the screen of every table from ``start`` to ``stop``. Raises ``CredentialMissing``
    and ``PeopleFileError``."""

    def __init__(
        self, config: ScreenConfig, parts: Mapping[str, Parts], journal: Journal, clock: Clock, boot: str
    ) -> None:
        self._tables = {name: TableOnScreen(one, journal, clock, boot) for name, one in parts.items()}
        address = listen_address(config.listen)
        more = [*Desk(self._tables).routes(), *Workshop(self._tables).routes()]
        self._screen = Screen(self._tables, _gatekeeper(config), [address.host, *config.names], boot, more)
        files = [None if path is None else secret_file(path) for path in (config.cert_file, config.key_file)]
        listen = Listen(host=address.host, port=address.port, cert_file=files[0], key_file=files[1])
        self._server = WebServer(self._screen.app, listen)
        self._remove = journal.add_listener(self._heard)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listen. Raises ``BindError``, and ``OSError`` or ``ssl.SSLError`` for a certificate that cannot be used."""
        await self._server.start()
        self._task = asyncio.create_task(self._look(), name="screen")
        structlog.get_logger().info("screen_listens", url=self._server.url)

    @property
    def url(self) -> str:
        """Where it is served."""
        return self._server.url

    async def stop(self) -> None:
        """Serve no more. Idempotent."""
        self._remove()
        self._screen.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._server.stop()

    def _heard(self, events: Sequence[Event]) -> None:
        for table in self._tables.values():
            table.heard(events)

    async def _look(self) -> None:
        """What no commit tells is looked at now and then, where anybody looks."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            for table in self._tables.values():
                for feed in table.feeds():
                    loop.call_soon(feed.show)  # one that fails is said in the log, and is not the others' affair


def _gatekeeper(config: ScreenConfig) -> Gatekeeper:
    if config.people_file is None:
        return NobodyMayAct()
    return Door(PeopleFile(secret_file(config.people_file)))
