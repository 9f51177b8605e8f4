"""``wheel-counter``: a quadrature encoder with index behind a small counter on a serial line.

The counter reports by itself, some fifty times a second, with its own clock and a check value
(``docs/reference/wheel-counter.md``). Nothing is sent to it but, with ``control = true``, the command that sets zero.
"""

from __future__ import annotations

from dealer_drivers.driver import (
    NOTHING,
    AngleSource,
    DeviceAction,
    Driver,
    DriverOptions,
    Maturity,
    Observes,
    Output,
    SerialSettings,
)
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault, Reading, Unreadable
from dealer_drivers.readings.wheel import (
    LEAST_COUNTS,
    TOO_COARSE,
    AngleUnreadable,
    EncoderFault,
    IndexMark,
    WheelAngle,
)
from dealer_drivers.wheel.counter_clock import ClockCheck
from dealer_drivers.wheel.counter_lines import Answer, CounterCodec, Report, Spoilt, command_line

BAUD_RATES = frozenset({19200, 38400, 57600, 115200})
"""Twenty reports a second of 58 bytes need 11600."""
SILENT_AFTER_S = 1.0
ANSWER_S = 0.5
WRAPS_AT = 1 << 32
CLOCK_WRAPS = 1 << 32
"""Milliseconds: 49.7 days."""
CLOCK_OFF_S, CLOCK_OFF_PART = 1.0, 0.02
"""What a counter's clock and ours may differ by over an absence. A counter whose clock ran on has counted on too."""
CLOCK_WINDOWS_S = (2.0, 30.0)
"""A clock that is far off is found within two of the short ones, before a turn can end; a little off, of the long."""
SET_ZERO = "set_zero"


class CounterOptions(DriverOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of ``wheel-counter``."""

    counts_per_turn: int = 4096
    """Counts in one turn of the wheel: four for each line of the encoder's disc."""
    baud: int = 115200
    """The line's speed, as the counter is set."""
    control: bool = False
    """May the station set the counter to zero? Without it nothing is ever sent."""

    def problems(self) -> list[OptionError]:
        """Everything that is impossible about these options."""
        problems = []
        if not LEAST_COUNTS <= self.counts_per_turn <= 1 << 24:
            problems.append(OptionError("counts_per_turn", f"must be {LEAST_COUNTS} to {1 << 24}: {TOO_COARSE}"))
        if self.baud not in BAUD_RATES:
            problems.append(OptionError("baud", f"must be one of {', '.join(map(str, sorted(BAUD_RATES)))}"))
        return problems

    def angle_source(self) -> AngleSource:
        """It reports by itself, and knows no place before its index."""
        return AngleSource(absolute=False, turns=WRAPS_AT / self.counts_per_turn, per_turn=self.counts_per_turn)


class CounterSession:
    """One counter."""

    def __init__(self, options: CounterOptions) -> None:
        self._options = options
        self._codec = CounterCodec()
        self._heard_ns: int | None = None
        self._silent = False
        self._life = self._reported_ns = 0
        self._last: Report | None = None
        self._millis = 0
        """The counter's clock without its wrap, in this life."""
        self._clocks = [ClockCheck(window_s) for window_s in CLOCK_WINDOWS_S]
        self._clock_off = False
        self._answer_by_ns: int | None = None
        self._away_ns: int | None = None
        """When it was last heard before the link was lost; ``None`` once it has been heard again."""

    def opened(self, at: Instant) -> Output:
        self._codec.reset()
        self._heard_ns = at.mono_ns
        if self._away_ns is None:
            self._begin_life()
        return NOTHING

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        if self._answer_by_ns is not None:
            self._last = self._away_ns = None  # nobody knows whether its zero was set
        elif self._last is not None and self._away_ns is None:
            self._away_ns = self._reported_ns
        self._heard_ns = self._answer_by_ns = None
        self._restart_clocks()
        return Output(rejected=self._codec.reset())

    def feed(self, data: bytes, at: Instant) -> Output:
        dropped = self._codec.dropped
        readings: list[Reading] = []
        frames = rejected = 0
        for line in self._codec.feed(data):
            if isinstance(line, Spoilt):
                rejected += len(line.raw)
                readings.append(Unreadable(at=at, raw=line.raw, reason=line.reason))
                continue
            frames += 1
            readings += self._heard(line.raw, at)
            readings += self._answered(line, at) if isinstance(line, Answer) else self._report(line, at)
        return Output(tuple(readings), frames=frames, rejected=rejected + self._codec.dropped - dropped)

    def tick(self, at: Instant) -> Output:
        readings: list[Reading] = []
        if self._answer_by_ns is not None and at.mono_ns >= self._answer_by_ns:
            self._answer_by_ns = None
            readings.append(self._zero_failed("it did not answer", b"", at))
        silent_ns = self._silent_ns()
        if silent_ns is not None and at.mono_ns >= silent_ns:
            self._silent = True
            detail = "The wheel's counter says nothing: check its power, the cable and the line's speed."
            readings.append(DeviceFault(at=at, raw=b"", fault=Fault.SILENT, detail=detail))
        return Output(tuple(readings))

    def deadline_ns(self) -> int | None:
        times = [ns for ns in (self._silent_ns(), self._answer_by_ns) if ns is not None]
        return min(times, default=None)

    def request(self, action: DeviceAction, at: Instant) -> Output:
        """Takes ``set_zero``, with ``control = true``."""
        if action.value != SET_ZERO or not self._options.control or self._heard_ns is None:
            return NOTHING
        self._answer_by_ns = at.mono_ns + round(ANSWER_S * NS_PER_S)
        return Output(send=(command_line("Z"),))

    def _begin_life(self) -> None:
        self._life += 1
        self._last, self._millis = None, 0
        self._restart_clocks()

    def _restart_clocks(self) -> None:
        for clock in self._clocks:
            clock.restart()

    def _silent_ns(self) -> int | None:
        if self._heard_ns is None or self._silent:
            return None
        return self._heard_ns + round(SILENT_AFTER_S * NS_PER_S)

    def _heard(self, raw: bytes, at: Instant) -> list[Reading]:
        self._heard_ns = at.mono_ns
        if not self._silent:
            return []
        self._silent = False
        return [DeviceFault(at=at, raw=raw, fault=Fault.SILENT, detail="The counter speaks again.", cleared=True)]

    def _report(self, report: Report, at: Instant) -> list[Reading]:
        last = self._last
        if last is not None:
            step = (report.millis - last.millis) % CLOCK_WRAPS
            if report.restarted or step >= CLOCK_WRAPS // 2 or not self._ran_on(step, at):
                self._begin_life()
                last = None
            else:
                self._millis += step
        self._last, self._reported_ns, self._away_ns = report, at.mono_ns, None
        life = self._life
        readings = self._clock(report, at)
        if self._life != life:
            last = None
        if self._clock_off:
            # How fast the wheel turned, and for how long it rested, would be told by that clock.
            return [*readings, AngleUnreadable(at=at, raw=report.raw, reason="the counter's clock is off")]
        readings += [
            WheelAngle(
                at=at,
                raw=report.raw,
                count=report.count % WRAPS_AT,
                per_turn=self._options.counts_per_turn,
                wraps_at=WRAPS_AT,
                absolute=False,
                life=self._life,
                device_s=self._millis / 1000,
                counts_lost=report.counts_lost,
            )
        ]
        known = last is not None and not last.unlatched and (last.passes, last.latch) == (report.passes, report.latch)
        if not report.unlatched and not known:
            latch = report.latch % WRAPS_AT
            readings.append(
                IndexMark(at=at, raw=report.raw, passes=report.passes, count=latch, life=self._life),
            )
        return readings

    def _clock(self, report: Report, at: Instant) -> list[Reading]:
        """Compares the counter's clock with the station's: the fault begins, or ends."""
        for clock in self._clocks:
            clock.note(self._millis / 1000, at)
        rate = next((clock.rate for clock in self._clocks if clock.rate is not None), None)
        if (rate is not None) is self._clock_off:
            return []
        self._clock_off = rate is not None
        if rate is None:
            self._begin_life()  # what it counted meanwhile belongs to no time
            self._last = report
            detail = "The counter's clock runs as the station's again."
        else:
            detail = (
                f"The counter's clock makes {rate:.2f} seconds in one: what it says of the wheel cannot be judged. "
                "Switch the counter off and on; if that does not help, exchange it."
            )
        fault = EncoderFault.CLOCK_OFF
        return [DeviceFault(at=at, raw=report.raw, fault=fault, detail=detail, cleared=rate is None)]

    def _ran_on(self, step_ms: int, at: Instant) -> bool:
        """After an absence: the counter's clock ran for as long as ours, so its power did not fail."""
        if self._away_ns is None:
            return True
        away_s = (at.mono_ns - self._away_ns) / NS_PER_S
        return abs(step_ms / 1000 - away_s) <= CLOCK_OFF_S + CLOCK_OFF_PART * away_s

    def _answered(self, answer: Answer, at: Instant) -> list[Reading]:
        if self._answer_by_ns is None or answer.command != "Z":
            return []
        self._answer_by_ns = None
        if answer.word != "OK":
            return [self._zero_failed("the counter refuses", answer.raw, at)]
        self._begin_life()
        return [DeviceNotice(at=at, raw=answer.raw, notice="zero_set", detail="This place is zero from now on.")]

    def _zero_failed(self, why: str, raw: bytes, at: Instant) -> Reading:
        detail = f"The counter's zero was not set: {why}. The wheel must stand still; try again."
        return DeviceFault(at=at, raw=raw, fault=EncoderFault.ZERO_NOT_SET, detail=detail)


def _observes(_options: CounterOptions) -> frozenset[Observes]:
    # Passes of the index: turns seen a second way.
    return frozenset({Observes.ANGLE, Observes.LAPS})


def _serial(options: CounterOptions) -> SerialSettings:
    return SerialSettings(options.baud, 8, "N", 1)


def _actions(options: CounterOptions) -> frozenset[DeviceAction]:
    return frozenset(action for action in DeviceAction if action.value == SET_ZERO and options.control)


DRIVER = Driver(
    name="wheel-counter",
    summary="Colour wheel with a quadrature encoder and index behind a counter on a serial line",
    maturity=Maturity.GENERIC,
    provenance="a line format of ours, docs/reference/wheel-counter.md",
    options=CounterOptions,
    session=CounterSession,
    observes=_observes,
    serial=_serial,
    offline_after_s=SILENT_AFTER_S,
    actions=_actions,
)
