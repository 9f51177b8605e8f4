"""Any interleaving of readings, commands, unplugs and restarts: one end a round, no gap in the sequence."""

from __future__ import annotations

import contextlib
from collections import Counter

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import (
    DeviceLent,
    DeviceReturned,
    RoundOpened,
    RoundOutcome,
    RoundVoided,
    TablePaused,
    TableResumed,
)
from dealer_daemon.table.arguments import Refusal
from dealer_daemon.validation.spin_rules import SpinRules
from dealer_drivers.readings.roulette import WheelFault, WheelPhase
from support.tables import Driven
from support.wheel import Wheel

NUMBERS = st.integers(0, 36).map(str)
COMMANDS = st.sampled_from([name for name in CommandName if name is not CommandName.OUTCOME_CORRECT])


class TableMachine(RuleBasedStateMachine):
    """Drives a table with whatever a wheel, people and the mains can do."""

    @initialize(source=st.sampled_from(["device", "server"]), unobserved=st.sampled_from(["accept", "confirm"]))
    def begin(self, source: str, unobserved: str) -> None:
        self.table = Driven(source, SpinRules(unobserved=unobserved))  # type: ignore[arg-type]
        self.wheel = Wheel()
        self.table.start(self.wheel.at)
        self.true_numbers: set[str] = set()

    @rule(phase=st.sampled_from(list(WheelPhase)), times=st.integers(1, 6), fault=st.sampled_from([*WheelFault, None]))
    def frames(self, phase: WheelPhase, times: int, fault: WheelFault | None) -> None:
        faults = [] if fault is None else [fault]
        self.true_numbers.add(str(self.wheel.shown))
        self.table.see(self.wheel.frame(phase, *faults, times=times).take())

    @rule(number=NUMBERS, bare=NUMBERS, same=st.booleans(), laps=st.integers(0, 20))
    def spin(self, number: str, bare: str, same: bool, laps: int) -> None:
        self.true_numbers.add(number)
        wheel = self.wheel.betting().rim().laps(laps).no_more_bets().bare(number if same else bare)
        self.table.see(wheel.result(number).next_game().take())

    @rule(number=NUMBERS)
    def half_a_spin(self, number: str) -> None:
        self.true_numbers.add(number)
        self.table.see(self.wheel.betting().rim().no_more_bets().bare(number).result(number, times=1).take())

    @rule(seconds=st.floats(0.1, 60))
    def silence(self, seconds: float) -> None:
        self.table.tick(self.wheel.wait(seconds).at)

    @rule()
    def unplug(self) -> None:
        self.table.see(self.wheel.lost().wait(2).back().take())

    @rule(waits=st.booleans())
    def bench_asks(self, waits: bool) -> None:
        if waits and "wheel" not in self.table.table.state.lent:
            self.table.table.wishes.setdefault("wheel", "Li")
            return
        with contextlib.suppress(Refusal):
            self.table._keep(self.table.table.lend("wheel", "Li", self.wheel.at))

    @rule(resume=st.booleans())
    def bench_gives_back(self, resume: bool) -> None:
        self.table.table.wishes.clear()
        self.table.see(self.wheel.lost().wait(2).back().take())
        self.table._keep(self.table.table.take_back("wheel", "given_back", self.wheel.at, resume=resume))

    @invariant()
    def stands_while_a_device_is_away(self) -> None:
        events = getattr(self, "table", None) and self.table.events
        away = paused = False
        for event in events or []:
            match event.data:
                case DeviceLent():
                    assert paused
                    away = True
                case DeviceReturned():
                    away = False
                case TablePaused():
                    paused = True
                case TableResumed():
                    assert not away
                    paused = False
                case RoundOpened() | RoundOutcome(source="device"):
                    assert not away

    @rule(spin=st.integers(0, 255))
    def power_cycle(self, spin: int) -> None:
        self.wheel.spin = spin

    @rule()
    def restart(self) -> None:
        self.table = self.table.restart()
        self.table.start(self.wheel.at)

    @rule(name=COMMANDS, role=st.sampled_from(list(Role)), number=NUMBERS)
    def command(self, name: CommandName, role: Role, number: str) -> None:
        if name is CommandName.ATTEMPT_DECIDE:
            self.true_numbers.add(number)
        args = {"reason": "because", "number": number, "from": 1}
        self.table.ask(name, self.wheel.at, role, **args)

    @rule(replaces=st.integers(1, 60), number=NUMBERS)
    def correct(self, replaces: int, number: str) -> None:
        self.table.ask(
            CommandName.OUTCOME_CORRECT, self.wheel.at, Role.MANAGER, replaces=replaces, number=number, reason="video"
        )

    @invariant()
    def sequence_has_no_gap(self) -> None:
        assert [event.sequence for event in self.table.events] == list(range(1, len(self.table.events) + 1))

    @invariant()
    def every_round_has_one_end_at_most_and_only_the_last_has_none(self) -> None:
        opened = [event.subject for event in self.table.events if isinstance(event.data, RoundOpened)]
        ends = Counter(
            event.subject for event in self.table.events if isinstance(event.data, RoundOutcome | RoundVoided)
        )
        assert len(opened) == len(set(opened))
        assert set(ends) <= set(opened)
        assert all(count == 1 for count in ends.values())
        assert all(ends[subject] == 1 for subject in opened[:-1])

    @invariant()
    def no_outcome_is_invented(self) -> None:
        for event in self.table.events:
            if isinstance(event.data, RoundOutcome):
                assert event.data.facts["number"] in self.true_numbers

    @invariant()
    def nothing_counts_while_the_table_is_paused(self) -> None:
        paused = False
        for event in self.table.events:
            if isinstance(event.data, TablePaused | TableResumed):
                paused = isinstance(event.data, TablePaused)
            elif isinstance(event.data, RoundOutcome) and event.data.source == "device" and event.data.by is None:
                assert not paused


TestTable = TableMachine.TestCase
TestTable.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
