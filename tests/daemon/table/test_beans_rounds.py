"""Fan-tan rounds through a whole table: betting, the bowl, layouts that count and layouts that do not."""

from __future__ import annotations

from itertools import count
from typing import Any

from dealer_daemon.commands import Command, CommandName, Role
from dealer_daemon.events import Event
from dealer_daemon.games import TableDevice, load_game
from dealer_daemon.games.fan_tan import FanTanSettings
from dealer_daemon.round import TableState, fold
from dealer_daemon.table import Decision, Rules, Table, TableSetup
from dealer_daemon.validation.beans_rules import BeansRules
from dealer_drivers.camera.readings import SceneMoved, SceneStill
from dealer_drivers.driver import DeviceAction, Observes
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.beans import BeansSeen, BeansUnclear

CAMERA = TableDevice(
    name="camera",
    driver="bean-camera",
    observes=frozenset({Observes.BEANS}),
    actions=frozenset({DeviceAction.LOOK}),
)


class Cloth:
    """A table, its camera, and what lies on its cloth: a count, or why there is none. Every look is answered."""

    def __init__(self, source: str = "server", **rules: Any) -> None:
        game = load_game("fan-tan")
        settings = FanTanSettings(beans=BeansRules(**({"confirm": "uncovered"} | rules)))
        self.setup = TableSetup(
            name="f1",
            rules=Rules(game, settings, source, 3),  # type: ignore[arg-type]
            devices=(CAMERA,),
            version="test",
            config_hash="0" * 64,
        )
        self.table = Table(self.setup, TableState(table="f1"), boot="boot-1")
        self.events: list[Event] = []
        self.now_s = 10.0
        self.asks = 0
        self.asked_s: float | None = None
        self.lies: int | str = "covered"
        self._ids = count(1)
        self._take(self.table.start(self.at))

    @property
    def at(self) -> Instant:
        return Instant(round(self.now_s * 1e9), round(self.now_s * 1e9))

    def words(self) -> list[str]:
        """The events since the last call: their type, and what they say."""
        events, self.events = self.events, []
        said = []
        for event in events:
            data = event.data
            facts = getattr(data, "facts", None)
            detail = facts["beans"] if facts else getattr(data, "reason", None)
            said.append(data.type if detail is None else f"{data.type}:{detail}")
        return said

    def _take(self, decision: Decision) -> None:
        self.events += decision.events
        for _, action in decision.actions:
            if action is DeviceAction.LOOK:
                self.asks, self.asked_s = self.asks + 1, self.now_s

    def _see(self, reading: Reading) -> None:
        self._take(self.table.readings("camera", [reading], reading.at))

    def tell(self, name: CommandName, role: Role = Role.SERVER, **args: Any) -> None:
        command = Command(id=f"c{next(self._ids)}", name=name, client="t", role=role, by="the-server", args=args)
        decision = self.table.command(command, self.at, lambda _sequence: None)
        assert decision.command is not None
        assert decision.command.reply.ok, decision.command.reply
        self._take(decision)

    def wait(self, seconds: float) -> None:
        """Time passes in steps of a tenth; looks are answered half a second after they were asked for."""
        for _ in range(round(seconds * 10)):
            self.now_s += 0.1
            due = self.table.deadline_ns()
            if due is not None and due <= self.at.mono_ns:
                self._take(self.table.tick(self.at))
            if self.asked_s is not None and self.now_s - self.asked_s >= 0.5:
                first, self.asked_s = self.asked_s + 0.1, None
                start = Instant(round(first * 1e9), round(first * 1e9))
                common: dict[str, Any] = {
                    "at": self.at, "raw": b"look", "ask": self.asks, "first": start, "last": self.at, "frames": 5,
                }  # fmt: skip
                if isinstance(self.lies, str):
                    self._see(BeansUnclear(**common, reasons=(self.lies,), detail="so"))
                else:
                    beans = self.lies
                    self._see(BeansSeen(**common, beans=beans, groups=-(-beans // 4), remainder=(beans - 1) % 4 + 1))

    def hand(self, leaves: int | str, seconds: float = 10) -> None:
        """A hand works on the cloth and leaves it like this."""
        self._see(SceneMoved(at=self.at, raw=b"moved", taken=self.at))
        self.asked_s = None
        self.wait(seconds)
        self.lies = leaves
        since = Instant(round((self.now_s - 0.5) * 1e9), round((self.now_s - 0.5) * 1e9))
        self._see(SceneStill(at=self.at, raw=b"still", since=since))


def test_rounds_of_a_server() -> None:
    cloth = Cloth()
    cloth.hand("covered")
    cloth.tell(CommandName.ROUND_OPEN)
    cloth.wait(5)
    cloth.tell(CommandName.BETTING_CLOSE)
    cloth.wait(1)
    cloth.hand(78, 40)
    cloth.wait(5)
    assert cloth.words()[-4:] == ["round.opened", "betting.closed", "attempt.started", "round.outcome:78"]
    # The next round: the old layout lies there until the cloth is cleared, and betting is open meanwhile.
    cloth.tell(CommandName.ROUND_OPEN)
    cloth.wait(3)
    cloth.hand("covered")
    cloth.wait(3)
    assert cloth.words() == ["round.opened"]
    cloth.tell(CommandName.BETTING_CLOSE)
    cloth.hand("beans_touch", 30)
    cloth.wait(12)
    cloth.hand(41)
    cloth.wait(5)
    assert cloth.words() == [
        "betting.closed",
        "attempt.started",
        "attempt.refused:beans_touch",
        "attempt.started",
        "round.outcome:41",
    ]


def test_no_bowl_in_sight_leaves_it_to_the_dealer() -> None:
    cloth = Cloth()
    cloth.hand("no_beans")
    cloth.tell(CommandName.ROUND_OPEN)
    cloth.wait(2)
    cloth.tell(CommandName.BETTING_CLOSE)
    cloth.hand(12, 20)
    cloth.wait(5)
    assert cloth.words()[-2:] == ["attempt.started", "attempt.unconfirmed:12"]


def test_a_dealer_who_lays_on_before_confirming_confirms_the_whole() -> None:
    """The heap is out of the camera's sight, and the dealer paused in the middle of the count."""
    cloth = Cloth()
    cloth.hand("no_beans")
    cloth.tell(CommandName.ROUND_OPEN)
    cloth.wait(2)
    cloth.tell(CommandName.BETTING_CLOSE)
    cloth.hand(12, 20)
    cloth.wait(5)
    assert cloth.words()[-1] == "attempt.unconfirmed:12"
    cloth.hand(14, 20)
    assert cloth.words() == ["attempt.withdrawn"]
    cloth.wait(10)
    assert cloth.words() == ["attempt.unconfirmed:14"]
    cloth.tell(CommandName.ATTEMPT_CONFIRM, Role.DEALER)
    assert cloth.words() == ["round.outcome:14"]


def test_a_hand_that_rests_over_the_old_layout_makes_no_new_one_of_it() -> None:
    cloth = Cloth()
    cloth.hand("covered")
    cloth.tell(CommandName.ROUND_OPEN)
    cloth.wait(5)
    cloth.tell(CommandName.BETTING_CLOSE)
    cloth.wait(1)
    cloth.hand(78, 40)
    cloth.wait(5)
    assert cloth.words()[-1] == "round.outcome:78"
    cloth.tell(CommandName.ROUND_OPEN)
    cloth.wait(2)
    cloth.hand("occluded", 2)
    cloth.wait(3)
    cloth.tell(CommandName.BETTING_CLOSE)
    cloth.hand(78, 1)
    cloth.wait(6)
    assert cloth.words()[-1] == "attempt.held:layout_not_new"


def test_three_refused_layouts_call_the_manager() -> None:
    cloth = Cloth()
    cloth.hand("covered")
    cloth.tell(CommandName.ROUND_OPEN)
    cloth.wait(2)
    cloth.tell(CommandName.BETTING_CLOSE)
    for _ in range(3):
        cloth.hand("groups_not_four", 20)
        cloth.wait(12)
    assert cloth.words()[-2:] == ["attempt.refused:groups_not_four", "table.paused:tries_exhausted"]


def test_rounds_of_a_table_without_a_server() -> None:
    cloth = Cloth(source="device")
    for beans in (9, 130):
        cloth.hand("no_beans", 2)
        cloth.wait(2)
        cloth.hand("covered", 2)
        cloth.wait(5)
        cloth.hand(beans, 30)
        cloth.wait(6)
        assert cloth.words()[-4:] == ["round.opened", "attempt.started", "betting.closed", f"round.outcome:{beans}"]


def test_what_the_journal_holds_folds_to_the_same_state() -> None:
    cloth = Cloth()
    cloth.hand("covered")
    cloth.tell(CommandName.ROUND_OPEN)
    cloth.tell(CommandName.BETTING_CLOSE)
    cloth.wait(2)
    cloth.hand(200, 60)
    cloth.wait(5)
    assert fold(TableState(table="f1"), cloth.events) == cloth.table.state
    assert cloth.table.state.outcome is not None
    assert cloth.table.state.outcome.facts == {"remainder": 4, "parity": "even", "beans": 200, "groups": 50}
