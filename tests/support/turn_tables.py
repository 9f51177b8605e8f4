"""A table with a rainbow wheel that the test turns."""

from __future__ import annotations

from typing import Any

from dealer_daemon.commands import Command, CommandName, Role
from dealer_daemon.events import EventData
from dealer_daemon.games import TableDevice
from dealer_daemon.games.rainbow_wheel import GAME, RainbowSettings
from dealer_daemon.round import TableState
from dealer_daemon.table import Decision, Rules, Table, TableSetup
from dealer_drivers.driver import Observes
from dealer_drivers.readings import Reading
from support.tables import word
from support.turns import PlainWheel, at

ENCODER = TableDevice(name="wheel", driver="wheel-counter", observes=frozenset({Observes.ANGLE, Observes.LAPS}))


class Floor:
    """A table with a rainbow wheel, and a wheel that the test turns."""

    def __init__(self, settings: RainbowSettings, source: str, *others: TableDevice) -> None:
        setup = TableSetup(
            name="w1",
            rules=Rules(GAME, GAME.load(settings), source, 3),  # type: ignore[arg-type]
            devices=(ENCODER, *others),
            version="test",
            config_hash="0" * 64,
        )
        self.table = Table(setup, TableState(table="w1"), boot="b")
        self._setup = setup
        self.events: list[EventData] = []
        self.due: list[tuple[float, CommandName]] = []
        """What will be asked of the table, and when; in order."""
        self.wheel = PlainWheel()
        self.keep(self.table.start(at(self.wheel.t_s)))
        self.wheel.feed = self.feed  # type: ignore[method-assign]

    def feed(self, reading: Reading) -> list[Any]:
        while self.due and self.due[0][0] <= self.wheel.t_s:
            self.ask(self.due.pop(0)[1])
        self.keep(self.table.readings("wheel", [reading], reading.at))
        return []

    def keep(self, decision: Decision) -> None:
        self.events += [event.data for event in decision.events]

    def restart(self) -> None:
        """A new process, which knows only what was committed."""
        self.table = Table(self._setup, self.table.state, boot="b2")
        self.keep(self.table.start(at(self.wheel.t_s)))

    def ask(self, name: CommandName) -> None:
        command = Command(
            id=f"c{len(self.events)}", name=name, client="t", role=Role.MANAGER, by="m", args={"reason": "x"}
        )
        self.keep(self.table.command(command, at(self.wheel.t_s), lambda _: None))

    def words(self) -> list[str]:
        return [word(event) for event in self.events]
