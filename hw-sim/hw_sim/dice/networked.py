"""A shaker that takes text commands over MQTT and says its state in texts (``devices.md`` §4). Pure."""

from __future__ import annotations

from urllib.parse import parse_qsl

from hw_sim.device import Action, Bytes, Plug
from hw_sim.dice.faults import ShakerFault
from hw_sim.dice.options import NetworkedOptions
from hw_sim.dice.thrower import Thrower
from hw_sim.dice.truth import ShakeRecord
from hw_sim.truth import TruthLog

IDLE, SHAKING, TAKEN, FAULT = "S0", "S1", "S2", "S90"
TAKEN_S, MOVES_S, OVER_S = (0.02, 0.15), (0.05, 0.3), (0.0, 0.05)
"""From the command to S2, from there to S1, and by how much the motor runs over its time."""
STALE_S, LATE_S, AGAIN_S, EARLY_S = (0.005, 0.015), (2.5, 6.0), (0.005, 0.03), (0.3, 0.8)
START_UP_S, POWER_FAILS_S = (1.0, 3.0), (0.5, 1.5)
CYCLE = (
    ("pattern", 1, 9),
    ("parameter1", 0, 100),
    ("parameter2", 0, 100),
    ("amplitude", 1, 100),
    ("duration", 200, 20_000),
)
"""What a cycle is told, in this order, with its limits; the duration is in milliseconds."""


def cycle_ms(command: str) -> int | None:
    """How long a ``/cycle/`` command wants to shake; ``None`` when it is not a whole one."""
    head, _, query = command.partition("?")
    if head != "/cycle/":
        return None
    told = parse_qsl(query, keep_blank_values=True)
    if [key for key, _ in told] != [key for key, _, _ in CYCLE]:
        return None
    for (_, value), (_, least, most) in zip(told, CYCLE, strict=True):
        if not (value.isascii() and value.isdecimal() and least <= int(value) <= most):
            return None
    return int(told[-1][1])


class NetworkedShaker(Thrower):
    """The shaker; its port is a link to a broker, each piece of bytes one message."""

    driver, model = "shaker-networked", "shaker-networked"

    def __init__(self, options: NetworkedOptions, seed: int, truth: TruthLog) -> None:
        super().__init__(options, seed, truth)
        self._button_s = options.button_s
        self._state = IDLE
        self._up = True
        self._lag_s = 0.0
        self._twice = False

    # --- what it says

    def _say(self, text: str, record: ShakeRecord | None = None) -> None:
        """Says a text, now or as late as this shake has it."""

        def arrives() -> None:
            self._out.append(Bytes(text.encode("ascii")))

        if record is not None:
            record.said.append((self._now_s + self._lag_s, text))
        self._powered_after(self._lag_s, arrives)
        if self._twice:
            self._powered_after(self._lag_s + self._rng.uniform(*AGAIN_S), arrives)

    def _enter(self, state: str, record: ShakeRecord, *, lost: bool = False) -> None:
        self._state = state
        if not lost:
            self._say(state, record)

    # --- what it is told

    def receive(self, data: bytes) -> list[Action]:
        """One message on the command topic, now; what it says comes with the next ``advance``."""
        if self._up:
            command = data.decode("ascii", "replace")
            if command == "/state":
                self._powered_after(self._rng.uniform(*TAKEN_S), lambda: self._say(self._state))
            elif (duration_ms := cycle_ms(command)) is not None:
                if self._state in (TAKEN, SHAKING):
                    self._powered_after(self._rng.uniform(*TAKEN_S), lambda: self._say(self._state))
                else:
                    self._cycle(duration_ms / 1000, command)
        return self._flush()

    def attached(self) -> None:
        """The broker took the subscription: the present state is said once."""
        self._say(self._state)

    def press(self) -> None:
        """The dealer's button: it shakes without having been told by the host."""
        if not self._up or self._state in (TAKEN, SHAKING):
            return
        record = self._begin("button")
        self._manner(record)
        self._state = TAKEN
        self._shake(record, self._rng.uniform(*self._button_s))

    def _manner(self, record: ShakeRecord) -> None:
        """How it answers during this shake."""
        late = record.order.has(ShakerFault.LATE_ANSWER)
        self._lag_s = self._rng.uniform(*LATE_S) if late else 0.0
        self._twice = record.order.has(ShakerFault.DOUBLED_ANSWERS)

    def _cycle(self, duration_s: float, command: str) -> None:
        record = self._begin("host", command)
        has = record.order.has
        self._manner(record)
        if has(ShakerFault.NO_ANSWER):
            self._finish(record)
            return
        if has(ShakerFault.STALE_IDLE):
            self._powered_after(self._rng.uniform(*STALE_S), lambda: self._say(IDLE, record))
        self._state = TAKEN
        taken_s = self._rng.uniform(*TAKEN_S)
        lost = has(ShakerFault.LOST_TAKEN)
        self._powered_after(taken_s, lambda: self._enter(TAKEN, record, lost=lost))
        moves_s = taken_s + self._rng.uniform(*MOVES_S)
        if has(ShakerFault.MOTION_FAULT):
            self._powered_after(moves_s, lambda: self._stands_still(FAULT, record))
        elif has(ShakerFault.IDLE_BEFORE_MOVED):
            self._powered_after(moves_s, lambda: self._stands_still(IDLE, record))
        else:
            self._powered_after(moves_s, lambda: self._shake(record, duration_s))

    def _stands_still(self, state: str, record: ShakeRecord) -> None:
        self._enter(state, record)
        self._finish(record)
        self._lag_s, self._twice = 0.0, False

    def _shake(self, record: ShakeRecord, duration_s: float) -> None:
        """The motor turns, now, for so long."""
        has = record.order.has
        self._motor_on(record)
        self._enter(SHAKING, record, lost=has(ShakerFault.LOST_SHAKING))
        ends_s = duration_s + self._rng.uniform(*OVER_S)
        if has(ShakerFault.POWER_CUT):
            fails_s = self._rng.uniform(*POWER_FAILS_S)
            self._powered_after(min(fails_s, 0.8 * ends_s), self.power_cycle)
        if has(ShakerFault.MOTION_FAULT_MIDWAY):
            self._powered_after(ends_s * self._rng.uniform(0.2, 0.8), lambda: self._ends(record, FAULT))
            return
        if has(ShakerFault.IDLE_WHILE_MOVING):
            early_s = min(self._rng.uniform(*EARLY_S), 0.8 * ends_s)
            self._powered_after(early_s, lambda: self._say(IDLE, record))
        self._powered_after(ends_s, lambda: self._ends(record, IDLE))

    def _ends(self, record: ShakeRecord, state: str) -> None:
        """The motor stops, now."""
        lost = state == IDLE and record.order.has(ShakerFault.LOST_IDLE)
        self._enter(state, record, lost=lost)
        self._motor_off(record)
        self._lag_s, self._twice = 0.0, False

    def power_cycle(self) -> None:
        """Power fails, now: the link breaks, a shake ends there; some seconds later it is there again and idle."""
        self._epoch += 1
        self._up = False
        self._lag_s, self._twice = 0.0, False
        self._state = IDLE
        self._out.append(Plug(inserted=False))
        record = self._record
        if record is not None:
            record.faults.add(ShakerFault.POWER_CUT)
            if "motor_on" in record.times_s and "motor_off" not in record.times_s:
                self._motor_off(record)
            elif "motor_on" not in record.times_s:
                self._finish(record)
        self._powered_after(self._rng.uniform(*START_UP_S), self._starts_up)

    def _starts_up(self) -> None:
        self._up = True
        self._out.append(Plug(inserted=True))
