"""A simulated colour wheel before the station's driver and judge, without ports and clocks."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

from dealer_daemon.games.rainbow_wheel import turn_facts
from dealer_daemon.validation.signals import Signal
from dealer_daemon.validation.turn import TurnJudge
from dealer_daemon.validation.turn_map import parse_wheel
from dealer_daemon.validation.turn_rules import TurnRules
from dealer_drivers.driver import Driver, Output
from dealer_drivers.readings import Reading
from dealer_drivers.supervised import SupervisedSession
from dealer_drivers.wheel.counter import DRIVER as COUNTER
from dealer_drivers.wheel.modbus import DRIVER as MODBUS
from hw_sim.device import Action, Bytes
from hw_sim.truth import TruthLog
from hw_sim.wheel.device import ColourWheel, colour_wheel
from hw_sim.wheel.options import WheelCounterOptions, WheelModbusOptions
from support.turns import RULES, Listener, at

DRIVERS: dict[str, tuple[Driver, dict[str, object]]] = {
    "wheel-modbus": (MODBUS, {"reference_register": 16}),
    "wheel-counter": (COUNTER, {}),
}


class WiredWheel(Listener):
    """Device, driver and judge on one wire."""

    def __init__(self, options: WheelModbusOptions | WheelCounterOptions, seed: int, rules: TurnRules = RULES) -> None:
        super().__init__()
        self.truth = TruthLog()
        self.device: ColourWheel = colour_wheel(options, seed, self.truth)
        driver, values = DRIVERS[self.device.driver]
        self.session = SupervisedSession(driver.session(driver.parse_options(values)), "port", "hint")
        (text,) = self.device.files().values()
        self.wheel = parse_wheel(text.encode(), Path("wheel.toml"))
        self.judge = TurnJudge(rules, self.wheel, turn_facts)
        self.up = True
        self.readings: list[Reading] = []
        self.keep = False

    def run(self, seconds: float, turns: int = sys.maxsize) -> None:
        """So many seconds, or until so many turns are over."""
        device = self.device
        end_s = device.now_s + seconds
        self._take(self.session.opened(at(device.now_s)))
        while device.now_s < end_s and len(self.truth.records) < turns:
            deadlines = [ns / 1e9 for ns in (self.session.deadline_ns(), self.judge.deadline_ns()) if ns is not None]
            self._do(device.advance(max(device.now_s, min([device.next_s(), end_s, *deadlines]))))
            if self.up:
                self._take(self.session.tick(at(device.now_s)))
            self._note(self.judge.tick(at(device.now_s)))

    def _do(self, actions: Sequence[Action]) -> None:
        for action in actions:
            now = at(self.device.now_s)
            if isinstance(action, Bytes):
                if self.up:
                    self._take(self.session.received(action.data, now))
            else:
                self.up = action.inserted
                self._take(self.session.opened(now) if self.up else self.session.lost(now, "plug pulled"))

    def _take(self, output: Output) -> None:
        for reading in output.readings:
            if self.keep:
                self.readings.append(reading)
            self._note(self.judge.feed("wheel", reading))
        for data in output.send:
            self.session.sent(len(data), at(self.device.now_s))
            self._do(self.device.receive(data))

    def _note(self, signals: list[Signal]) -> None:
        self.log += [(self.device.now_s, signal) for signal in signals]


class HeldUpWheel(WiredWheel):
    """The same with a host that is held up now and then: what it does meanwhile, it does when it may go on."""

    def __init__(self, options: WheelModbusOptions, seed: int, *, up_to_s: float, every_s: float) -> None:
        super().__init__(options, seed)
        self._rng = Random(f"{seed}/host")
        self._up_to_s, self._every_s = up_to_s, every_s
        self._busy = (0.0, 0.0)
        self._arrived = b""

    def run(self, seconds: float, turns: int = sys.maxsize) -> None:
        device = self.device
        end_s = device.now_s + seconds
        self._take(self.session.opened(at(device.now_s)))
        while device.now_s < end_s and len(self.truth.records) < turns:
            deadlines = [ns / 1e9 for ns in (self.session.deadline_ns(), self.judge.deadline_ns()) if ns is not None]
            self._do(device.advance(max(device.now_s, min([device.next_s(), end_s, *deadlines]))))
            if not self._arrived and all(device.now_s < deadline_s for deadline_s in deadlines):
                continue
            free_s = self._free_s(device.now_s)
            while device.now_s < free_s:
                self._do(device.advance(max(device.now_s, min(device.next_s(), free_s))))
            data, self._arrived = self._arrived, b""
            if data:
                self._take(self.session.received(data, at(device.now_s)))
            self._take(self.session.tick(at(device.now_s)))
            self._note(self.judge.tick(at(device.now_s)))

    def _do(self, actions: Sequence[Action]) -> None:
        for action in actions:
            assert isinstance(action, Bytes)
            self._arrived += action.data

    def _free_s(self, now_s: float) -> float:
        while self._busy[1] < now_s:
            begin_s = self._busy[1] + self._rng.expovariate(1 / self._every_s)
            self._busy = (begin_s, begin_s + self._rng.uniform(0, self._up_to_s))
        return self._busy[1] if self._busy[0] <= now_s else now_s
