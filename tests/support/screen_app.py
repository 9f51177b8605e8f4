"""The screen's own application over tables that a test plays, at a free port: pages and feed are the real ones."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dealer_daemon.boards import Kept, board_body, keep
from dealer_daemon.boards.build import GAMES_WITH_ROADS
from dealer_daemon.commands import Command, Reply
from dealer_daemon.evidence import Evidence
from dealer_daemon.screen.app import Screen
from dealer_daemon.screen.board import BoardView, board_view
from dealer_daemon.screen.build import view
from dealer_daemon.screen.desk import Desk
from dealer_daemon.screen.feed import Feed
from dealer_daemon.screen.gatekeeper import Gatekeeper, NobodyMayAct
from dealer_daemon.screen.manager_view import manager_view
from dealer_daemon.screen.memory import Memory, remember
from dealer_daemon.screen.sight import Sight
from dealer_daemon.screen.technician_view import TechnicianView, tail_of, technician_view
from dealer_daemon.screen.workshop import Workshop
from dealer_daemon.web import Listen, WebServer
from support.screen_play import BOOT, ScreenPlay


class PlayedTable:
    """A table of the screen. ``commands`` are those that were asked; ``reply`` is what is answered."""

    def __init__(self, play: ScreenPlay) -> None:
        self.play = play
        self.commands: list[Command] = []
        self.boot = BOOT
        self.pieces: dict[str, Evidence] = {}
        self.feed = Feed(lambda: view(self.sight()), self.now_ns)
        self.board = Feed(self._board, self.now_ns)
        self.desk = Feed(lambda: manager_view(self.sight(), self.memory), self.now_ns)
        self.health: dict[str, dict[str, Any]] = {}
        self.workshop = Feed(self._technicians, self.now_ns)

    def _technicians(self) -> TechnicianView:
        mqtt = {"connected": True, "protocol": "5", "published": 3, "consumers": {}, "problems": []}
        return technician_view(self.sight(), self.memory, tail_of((), self.play.events), self.health, mqtt)

    def _board(self) -> BoardView:
        config = self.play.config
        kept = Kept(game=config.game, with_shoe=config.game in GAMES_WITH_ROADS)
        return board_view(board_body(keep(kept, self.play.events), config.name), config, BOOT)

    def feeds(self) -> tuple[Feed, ...]:
        return self.feed, self.board, self.desk, self.workshop

    @property
    def memory(self) -> Memory:
        return remember(Memory(), self.play.events)

    def evidence_type(self, name: str) -> str | None:
        piece = self.pieces.get(name)
        return None if piece is None else piece.media_type

    def evidence(self, name: str) -> Evidence | None:
        return self.pieces.get(name)

    def sight(self) -> Sight:
        return replace(self.play.sight, boot=self.boot)

    def command(self, command: Command) -> Reply:
        self.commands.append(command)
        return Reply(command=command.id, ok=True)

    def now_ns(self) -> int:
        return time.time_ns()


@contextlib.asynccontextmanager
async def served(
    tables: Mapping[str, PlayedTable],
    gatekeeper: Gatekeeper | None = None,
    *,
    port: int = 0,
    boot: str = BOOT,
    tls: Path | None = None,
) -> AsyncIterator[str]:
    """The address, ``http://127.0.0.1:port``, until the block ends. ``tls``: ``NAME`` of ``NAME.pem`` and
    ``NAME.key``."""
    screen = Screen(
        tables, gatekeeper or NobodyMayAct(), boot=boot, more=[*Desk(tables).routes(), *Workshop(tables).routes()]
    )
    files = {} if tls is None else {"cert_file": tls.with_suffix(".pem"), "key_file": tls.with_suffix(".key")}
    server = WebServer(screen.app, Listen(host="127.0.0.1", port=port, **files))
    await server.start()
    try:
        yield server.url
    finally:
        screen.close()
        await server.stop()
