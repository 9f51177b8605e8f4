"""A shaker's motor on a serial relay board with a "stopped" input: one common kind of board. Pure.

The host switches with four bytes, ``A0 01 01 A2`` on and ``A0 01 00 A1`` off, which are not answered, and asks with
``A0 01 05 A6``; the answer is the frame of the relay's state. The input is told as a line, ``I1=0`` (the plate moves)
or ``I1=1`` (it stands), on change and twice a second.
"""

from __future__ import annotations

from hw_sim.device import Action, Bytes
from hw_sim.dice.faults import ShakerFault
from hw_sim.dice.options import RelayOptions
from hw_sim.dice.thrower import Thrower
from hw_sim.dice.truth import ShakeRecord
from hw_sim.truth import TruthLog

HEAD, CHANNEL = 0xA0, 0x01
OFF, ON, QUERY = 0x00, 0x01, 0x05
EVERY_S, SWAY_S = 0.5, 0.02
"""From one line to the next, and by how much more or less."""
ANSWER_S, LATE_S, AGAIN_S = (0.005, 0.04), (1.5, 3.0), (0.005, 0.03)
STARTS_S, COASTS_S = (0.03, 0.12), (0.1, 0.4)
"""From the motor's start to a moving plate, and from its stop to a standing one."""
STUCK_S, GLIMPSE_S = (20.0, 40.0), (0.2, 0.6)
START_UP_S, POWER_FAILS_S = (1.0, 3.0), (0.5, 1.5)


def frame(operation: int) -> bytes:
    """A frame of the board's wire, with its sum."""
    return bytes([HEAD, CHANNEL, operation, (HEAD + CHANNEL + operation) & 0xFF])


class RelayShaker(Thrower):
    """The board, the motor and the plate."""

    driver, model = "shaker-relay", "shaker-relay"

    def __init__(self, options: RelayOptions, seed: int, truth: TruthLog) -> None:
        super().__init__(options, seed, truth)
        self._button_s = options.button_s
        self._mid_line = options.attach_mid_line
        self._relay = self._turns = False
        self._stands = True
        """What the input says."""
        self._up = True
        self._got = b""
        self._lines = 0
        self._held: ShakeRecord | None = None
        """The shake whose faults the input and the answers have."""
        self._line_after(self._rng.uniform(0, EVERY_S))

    # --- what it says

    def _send(self, data: bytes) -> None:
        if self._mid_line:
            self._mid_line, data = False, data[self._rng.randrange(1, len(data) - 1) :]
        self._out.append(Bytes(data))
        if self._has(ShakerFault.DOUBLED_ANSWERS):
            self._powered_after(self._rng.uniform(*AGAIN_S), lambda: self._out.append(Bytes(data)))

    def _has(self, fault: ShakerFault) -> bool:
        return self._held is not None and self._held.order.has(fault)

    def _line_after(self, seconds: float) -> None:
        """The next line comes then, unless one comes before."""
        self._lines += 1
        number = self._lines

        def unless_another_came() -> None:
            if number == self._lines:
                self._line()

        self._powered_after(seconds, unless_another_came)

    def _line(self) -> None:
        self._send(b"I1=1\r\n" if self._stands else b"I1=0\r\n")
        self._line_after(EVERY_S + self._rng.uniform(-SWAY_S, SWAY_S))

    def _input(self, stands: bool) -> None:
        """The input changes, now."""
        if stands != self._stands:
            self._stands = stands
            if self._held is not None:
                self._held.said.append((self._now_s, "I1=1" if stands else "I1=0"))
            if self._up:
                self._line()

    # --- what it is told

    def attached(self) -> None:
        """A host opened the port: the board does not notice; the wire may be in the middle of a line."""
        if isinstance(self.options, RelayOptions) and self.options.attach_mid_line:
            self._mid_line = True

    def receive(self, data: bytes) -> list[Action]:
        """The host sent bytes, now; what the board says comes with the next ``advance``."""
        if not self._up:
            return []
        self._got += data
        while (begin := self._got.find(HEAD)) >= 0:
            self._got = self._got[begin:]
            if len(self._got) < 4:
                break
            if self._got[1] == CHANNEL and self._got[:4] == frame(self._got[2]):
                operation, self._got = self._got[2], self._got[4:]
                self._do(operation)
            else:
                self._got = self._got[1:]
        else:
            self._got = b""
        return self._flush()

    def _do(self, operation: int) -> None:
        match operation:
            case 0x01:
                self._switch_on()
            case 0x00:
                if self._relay:
                    self._relay = False
                    self._stop()
            case 0x05:
                self._answer()

    def _answer(self) -> None:
        if self._has(ShakerFault.LOST_ANSWER):
            return
        wait_s = self._rng.uniform(*(LATE_S if self._has(ShakerFault.LATE_ANSWER) else ANSWER_S))
        self._powered_after(wait_s, lambda: self._send(frame(ON if self._relay else OFF)))

    def _switch_on(self) -> None:
        if self._relay:
            return
        if self._turns:  # the dealer's button runs it already
            self._relay = True
            return
        record = self._begin("host", frame(ON).hex(" ").upper())
        self._held = record
        if record.order.has(ShakerFault.NO_ANSWER):
            self._finish(record)
            return
        self._relay = True
        if record.order.has(ShakerFault.NOT_MOVED):
            return
        self._start(record)

    def press(self) -> None:
        """The dealer's button: the motor runs for some seconds without the relay."""
        if not self._up or self._turns or self._relay:
            return
        record = self._begin("button")
        self._held = record
        self._start(record)
        self._powered_after(self._rng.uniform(*self._button_s), self._stop)

    # --- motor and plate

    def _start(self, record: ShakeRecord) -> None:
        """The motor turns, now."""
        self._turns = True
        has = record.order.has
        self._motor_on(record)
        if not has(ShakerFault.STOPPED_STUCK):
            self._while_turning(self._rng.uniform(*STARTS_S), record, stands=False)
        if has(ShakerFault.STOPPED_WHILE_MOVING):
            begin_s = self._rng.uniform(0.4, 1.0)
            self._while_turning(begin_s, record, stands=True)
            self._while_turning(begin_s + self._rng.uniform(*GLIMPSE_S), record, stands=False)
        if has(ShakerFault.POWER_CUT):
            self._powered_after(self._rng.uniform(*POWER_FAILS_S), lambda: self._fails_in(record))

    def _while_turning(self, seconds: float, record: ShakeRecord, *, stands: bool) -> None:
        """The input changes so much later, if the motor turns still."""

        def changes() -> None:
            if self._turns and self._record is record:
                self._input(stands)

        self._after(seconds, changes)

    def _fails_in(self, record: ShakeRecord) -> None:
        if self._record is record and self._turns:
            self.power_cycle()

    def _stop(self) -> None:
        """Nothing drives the motor any more, now."""
        record = self._record
        if not self._turns:
            if record is not None:  # it never turned
                self._finish(record)
            return
        if self._relay:
            return
        self._turns = False
        assert record is not None
        self._after(self._rng.uniform(*COASTS_S), lambda: self._at_stand(record))

    def _at_stand(self, record: ShakeRecord) -> None:
        """The plate stands."""
        if self._record is not record:
            return
        if record.order.has(ShakerFault.MOVING_STUCK):
            self._after(self._rng.uniform(*STUCK_S), self._unstuck)
        else:
            self._input(stands=True)
        self._motor_off(record)

    def _unstuck(self) -> None:
        if not self._turns:
            self._input(stands=True)

    def power_cycle(self) -> None:
        """Power fails, now: silence, the relay falls, the motor coasts; some seconds later the board is there again."""
        self._epoch += 1
        self._up = self._relay = False
        self._got = b""
        if self._record is not None:
            self._record.faults.add(ShakerFault.POWER_CUT)
        self._stop()
        self._powered_after(self._rng.uniform(*START_UP_S), self._starts_up)

    def _starts_up(self) -> None:
        self._up = True
        self._line()
