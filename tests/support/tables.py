"""A table driven by hand: its events, and what the journal would fold them to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

from dealer_daemon.commands import Command, CommandName, Reply, Role
from dealer_daemon.events import Event, EventData
from dealer_daemon.games import TableDevice, load_game
from dealer_daemon.games.roulette import RouletteSettings
from dealer_daemon.round import TableState, fold
from dealer_daemon.table import Decision, Rules, Table, TableSetup
from dealer_daemon.validation.spin_rules import SpinRules
from dealer_drivers.driver import DeviceAction, Observes
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading

WHEEL = TableDevice(
    name="wheel", driver="cammegh-ss2", observes=frozenset({Observes.PHASE, Observes.NUMBER, Observes.ROTOR})
)


class Driven:
    """A roulette table; every decision is checked against the fold of all that came before."""

    def __init__(
        self,
        source: str = "device",
        spin: SpinRules | None = None,
        tries: int = 3,
        history: Iterable[Event] = (),
        devices: tuple[TableDevice, ...] = (WHEEL,),
    ) -> None:
        game = load_game("roulette")
        settings = RouletteSettings(spin=spin or SpinRules(unobserved="accept"))
        self.setup = TableSetup(
            name="r1",
            rules=Rules(game, settings, source, tries),  # type: ignore[arg-type]
            devices=devices,
            version="test",
            config_hash="0" * 64,
        )
        self.events: list[Event] = list(history)
        self.actions: list[tuple[str, DeviceAction]] = []
        self.evidence: dict[str, bytes] = {}
        self._ids = count(1)
        self.table = Table(self.setup, fold(TableState(table="r1"), self.events), boot="boot-1")

    def _keep(self, decision: Decision) -> list[EventData]:
        self.events += decision.events
        self.actions += decision.actions
        self.evidence |= {piece.hash: piece.body for piece in decision.evidence}
        assert fold(TableState(table="r1"), self.events) == self.table.state
        return [event.data for event in decision.events]

    def start(self, at: Instant) -> list[EventData]:
        return self._keep(self.table.start(at))

    def see(self, readings: Iterable[Reading], device: str = "wheel") -> list[EventData]:
        out: list[EventData] = []
        for reading in readings:
            out += self._keep(self.table.readings(device, [reading], reading.at))
        return out

    def tick(self, at: Instant) -> list[EventData]:
        return self._keep(self.table.tick(at))

    def ask(self, name: CommandName, at: Instant, role: Role = Role.SERVER, **args: Any) -> Reply:
        command = Command(id=f"c{next(self._ids)}", name=name, client="test", role=role, by=f"the-{role}", args=args)
        before = len(self.events)
        decision = self.table.command(command, at, self.event_at)
        self._keep(decision)
        assert decision.command is not None
        reply = decision.command.reply
        assert reply.ok or len(self.events) == before, "a refused command must leave no event"
        return reply

    def event_at(self, sequence: int) -> Event | None:
        return self.events[sequence - 1] if 1 <= sequence <= len(self.events) else None

    def restart(self) -> Driven:
        """A new process that knows only what was committed."""
        again = Driven.__new__(Driven)
        again.setup, again.events, again.actions, again.evidence = (
            self.setup,
            list(self.events),
            [],
            dict(self.evidence),
        )
        again._ids = self._ids
        again.table = Table(self.setup, fold(TableState(table="r1"), self.events), boot="boot-2")
        return again

    def words(self) -> list[str]:
        """The events so far, outcomes with their number."""
        return [word(event.data) for event in self.events]


def word(data: EventData) -> str:
    """An event in a word."""
    number = getattr(data, "facts", {}).get("number")
    reason = getattr(data, "reason", None)
    return ":".join(str(part) for part in (data.type, number, reason) if part is not None)
