"""A sic bo table driven by hand: its devices' words go in, events and what is asked of devices come out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from dealer_daemon.commands import Command, CommandName, Reply, Role
from dealer_daemon.config.roles import check_devices
from dealer_daemon.events import Event
from dealer_daemon.games import AttemptGame, TableDevice, load_game
from dealer_daemon.games.sic_bo import SicBoSettings
from dealer_daemon.round import TableState, fold
from dealer_daemon.table import Decision, Rules, Table, TableSetup
from dealer_daemon.validation.dice_rules import ShakeRules
from dealer_drivers.driver import DeviceAction, Observes
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from support.throws import LAY, Hall

SHAKER = TableDevice(
    name="shaker",
    driver="shaker-networked",
    observes=frozenset({Observes.SHAKE}),
    actions=frozenset({DeviceAction.START_SHAKE}),
)
CAMERA = TableDevice(
    name="camera",
    driver="sicbo-camera",
    observes=frozenset({Observes.DICE}),
    actions=frozenset({DeviceAction.LOOK}),
)


class DiceTable(Hall):
    """As ``Hall``, with a whole table for its judge. ``said`` has the events' words: ``round.outcome:2-3-6``,
    ``attempt.refused:leaning``, and ``start`` and ``look`` for what is asked of devices."""

    def __init__(
        self,
        source: str = "server",
        tries: int = 3,
        history: Sequence[Event] = (),
        tower: bool = False,
        devices: tuple[TableDevice, ...] = (),
        **rules: Any,
    ) -> None:
        game = load_game("sic-bo")
        assert isinstance(game, AttemptGame)
        settings = SicBoSettings(shake=ShakeRules(**rules))
        devices = devices or ((CAMERA,) if tower else (SHAKER, CAMERA))
        assert check_devices(game, settings, devices) == []
        self.setup = TableSetup(
            name="s1",
            rules=Rules(game, settings, source, tries),  # type: ignore[arg-type]
            devices=devices,
            version="test",
            config_hash="0" * 64,
        )
        self.events: list[Event] = list(history)
        self._ids = count(1)
        self.table = Table(self.setup, fold(TableState(table="s1"), self.events), boot="boot-1")
        super().__init__(self)  # type: ignore[arg-type]
        self.lies = None if tower else LAY

    # what ``Hall.wait`` asks of a judge

    def deadline_ns(self) -> int | None:
        return self.table.deadline_ns()

    def tick(self, at: Instant) -> Any:
        return self.table.tick(at)

    def take(self, step: Any) -> DiceTable:
        decision: Decision = step
        self.events += decision.events
        assert fold(TableState(table="s1"), self.events) == self.table.state
        self.said += [_word(event) for event in decision.events]
        for _, action in decision.actions:
            if action is DeviceAction.LOOK:
                self._asked(outside=not self.table._play.underway())
            elif action is DeviceAction.START_SHAKE:
                self.said.append("start")
        return self

    def read(self, reading: Reading, device: str = "camera") -> DiceTable:
        return self.take(self.table.readings(device, [reading], self.at))

    def start(self) -> DiceTable:
        return self.take(self.table.start(self.at))

    def order(self, name: CommandName, role: Role = Role.SERVER, **args: Any) -> Reply:
        command = Command(id=f"c{next(self._ids)}", name=name, client="test", role=role, by=f"the-{role}", args=args)
        decision = self.table.command(command, self.at, lambda sequence: self.events[sequence - 1])
        self.take(decision)
        assert decision.command is not None
        return decision.command.reply

    def open(self) -> DiceTable:
        assert self.order(CommandName.ROUND_OPEN).ok
        return self

    def close(self) -> DiceTable:
        """Betting is closed, and a moment passes."""
        assert self.order(CommandName.BETTING_CLOSE).ok
        self.wait(0.1)
        return self


def _word(event: Event) -> str:
    data = event.data
    dice = getattr(data, "facts", {}).get("dice")
    parts = [data.type, "-".join(map(str, dice)) if dice else None, getattr(data, "reason", None)]
    return ":".join(part for part in parts if part)
