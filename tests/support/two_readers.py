"""A card table with two scanners, driven by hand."""

from __future__ import annotations

from itertools import count
from typing import Any

import msgspec

from dealer_daemon.commands import Command, CommandName, Reply, Role
from dealer_daemon.events import Event
from dealer_daemon.games import CardGame, TableDevice, load_game
from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.round import TableState, fold
from dealer_daemon.table import Decision, Rules, Table, TableSetup
from dealer_drivers.driver import Observes
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceNotice, Reading
from dealer_drivers.readings.shoe import CardRead
from support.card_tables import START, word

WAIT_S = 1.5


class TwoReaders:
    """``first`` and ``second`` read; ``say`` is anybody's word."""

    def __init__(self, game: str = "baccarat", source: str = "server", **settings: Any) -> None:
        found = load_game(game)
        assert isinstance(found, CardGame)
        shoe = {"require_verified": False, "decks": settings.pop("decks", 8)}
        chosen = msgspec.convert({"shoe": shoe} | settings, found.settings)
        observes = frozenset({Observes.CARD})
        self.setup = TableSetup(
            name="t1",
            rules=Rules(found, chosen, source, 3, WAIT_S),  # type: ignore[arg-type]
            devices=(
                TableDevice(name="first", driver="barcode-serial", observes=observes),
                TableDevice(name="second", driver="barcode-serial", observes=observes, role="witness"),
            ),
            version="test",
            config_hash="0" * 64,
        )
        self.procedure: Procedure = found.procedure(chosen, source == "device")
        self.at = START
        self.events: list[Event] = []
        self._ids = count(1)
        self.start()

    @property
    def state(self) -> TableState:
        return self.table.state

    def start(self) -> None:
        """The station starts, or starts anew; both readers are up at once."""
        self.table = Table(self.setup, fold(TableState(table="t1"), self.events), boot="boot")
        self._keep(self.table.start(self.at))
        for device in ("first", "second"):
            self.see(device, DeviceNotice(at=self.at, raw=b"", notice="code_book", detail="rank-suit"))

    def _keep(self, decision: Decision) -> list[str]:
        self.events += decision.events
        assert fold(TableState(table="t1"), self.events) == self.table.state
        return [word(event.data) for event in decision.events]

    def wait(self, seconds: float) -> list[str]:
        """Time passes; the table is called when it asked to be."""
        until, out = self.at.plus_s(seconds), list[str]()
        while (due_ns := self.table.deadline_ns()) is not None and due_ns <= until.mono_ns:
            self.at = self.at.plus_s(max(0, due_ns - self.at.mono_ns) / 1e9 + 1e-6)
            out += self._keep(self.table.tick(self.at))
        self.at = max(self.at, until, key=lambda at: at.mono_ns)
        return out

    def see(self, device: str, reading: Reading) -> list[str]:
        return self._keep(self.table.readings(device, [reading], self.at))

    def reads(self, device: str, text: str, *, at: Instant | None = None, **more: Any) -> list[str]:
        self.at = self.at.plus_s(0.1)
        raw = f"{device} {text}".encode()
        return self.see(device, CardRead(at=at or self.at, raw=raw, card=text, code=text, **more))

    def both(self, cards: str) -> list[str]:
        out = []
        for text in cards.split():
            self.at = self.at.plus_s(2)
            out += self.reads("first", text) + self.reads("second", text)
        return out

    def say(self, name: CommandName, role: Role = Role.SERVER, **args: Any) -> Reply:
        """A command that is carried out."""
        reply = self.ask(name, role, **args)
        assert reply.ok, reply
        return reply

    def ask(self, name: CommandName, role: Role = Role.SERVER, **args: Any) -> Reply:
        """A command that may be refused."""
        if role is not Role.SERVER:
            args = {"reason": "video"} | args
        self.at = self.at.plus_s(0.1)
        number, sent_ns = next(self._ids), self.at.wall_ns
        command = Command(id=f"c{number}", name=name, client="x", role=role, by="x", args=args, sent_ns=sent_ns)
        decision = self.table.command(command, self.at, lambda sequence: self.events[sequence - 1])
        self._keep(decision)
        assert decision.command is not None
        return decision.command.reply

    def of(self, kind: type[Any]) -> list[Any]:
        return [event.data for event in self.events if isinstance(event.data, kind)]
