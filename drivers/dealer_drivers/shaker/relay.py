"""Driver ``shaker-relay``: a motor behind a serial relay board, and a "stopped" input at the plate (``devices.md`` §4).

The board (``relay_codec.py``) says its input on every change and twice a second. It never switches its relay off by
itself, so the session times the shake, and does not rest before the board has said that the relay is off: also after a
lost link, since a board keeps its relay as it was.
"""

from __future__ import annotations

from dealer_drivers.driver import (
    NOTHING,
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
from dealer_drivers.readings import DeviceFault, Fault, Reading, Unreadable
from dealer_drivers.shaker.cycles import Cycles
from dealer_drivers.shaker.relay_codec import OFF, ON, QUERY, InputLine, RelayAnswer, RelayCodec, command

SILENT_S = 1.5
"""Three lines of the input are missing."""
BUSY_SILENT_S = 0.95
"""While the plate moves, one missing line is enough: a board that lost its power is back after a second."""
OFF_EVERY_S = 0.5
"""Until the board says that its relay is off."""
STUCK_S = 5.0
"""So long the board may owe that word: a late answer takes three seconds."""
RELAY_STUCK = "relay_stuck"
RAW_LIMIT = 256


class RelayOptions(DriverOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of ``shaker-relay``."""

    control: bool = False
    """May the station switch the relay? Without it, not a byte is sent: the dealer's button starts the shaker."""
    shake_ms: int = 4000
    """How long the relay is on for one shake, 200 to 20000."""
    baud: int = 9600
    """Of the board's serial line."""

    def problems(self) -> list[OptionError]:
        """Figures out of range."""
        return [
            OptionError(key, f"{value} is out of range; it must be {low} to {high}")
            for key, value, low, high in (
                ("shake_ms", self.shake_ms, 200, 20_000),
                ("baud", self.baud, 300, 1_000_000),
            )
            if not low <= value <= high
        ]

    def shake_told(self) -> tuple[str, float]:
        """See ``DriverOptions``."""
        return "shake_ms", self.shake_ms / 1000


class RelaySession:
    """One board. ``driver.Session`` says what each call promises."""

    def __init__(self, options: RelayOptions) -> None:
        self._options = options
        self._codec = RelayCodec()
        self._cycles = Cycles()
        self._up = False
        self._heard_ns = 0
        self._off_ns: int | None = None
        """When the relay is switched off next; ``None``: it is known to be off, or not ours to switch."""
        self._owed_ns: int | None = None
        """Since when the board owes the word that its relay is off."""
        self._asking = False
        """The relay was switched on and the board has not said so yet."""
        self._silent = self._stuck = False

    def opened(self, at: Instant) -> Output:
        self._forget()
        self._up = True
        self._heard_ns = at.mono_ns
        if not self._options.control:
            return NOTHING
        return Output(send=self._switch_off(at))

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        held = self._codec.held
        self._forget()
        self._up = False
        return Output(self._speaks(at, b""), rejected=held)

    def feed(self, data: bytes, at: Instant) -> Output:
        readings: list[Reading] = []
        frames = rejected = 0
        if data:
            self._heard_ns = at.mono_ns  # a line that noise has spoilt was said, too
        for frame in self._codec.feed(data):
            if isinstance(frame, bytes):
                rejected += len(frame)
                readings.append(Unreadable(at=at, raw=frame[:RAW_LIMIT], reason="no line or answer of this board"))
                continue
            frames += 1
            readings += self._speaks(at, frame.raw)
            readings += self._input(frame, at) if isinstance(frame, InputLine) else self._relay(frame, at)
        return Output(tuple(readings), frames=frames, rejected=rejected)

    def tick(self, at: Instant) -> Output:
        if not self._up:
            return NOTHING
        readings: list[Reading] = []
        if not self._silent and at.mono_ns >= self._silent_ns():
            self._silent = True
            self._cycles.forget()
            detail = "The relay board is silent: check its power and cable, and that no other program reads the port."
            readings.append(DeviceFault(at=at, raw=b"", fault=Fault.SILENT, detail=detail))
            if self._off_ns is not None:
                self._off_ns = at.mono_ns  # whatever has become of it, this shake is over
        send: tuple[bytes, ...] = ()
        if self._off_ns is not None and at.mono_ns >= self._off_ns:
            send = self._switch_off(at)
        if self._owed_ns is not None and not self._stuck and at.mono_ns >= self._stuck_ns(self._owed_ns):
            self._stuck = True
            detail = (
                "The board does not say that its relay is off: the motor may be running. Switch it off by hand, and "
                "check the cable's transmit line."
            )
            readings.append(DeviceFault(at=at, raw=b"", fault=RELAY_STUCK, detail=detail))
        return Output(tuple(readings), send)

    def deadline_ns(self) -> int | None:
        if not self._up:
            return None
        times = [self._off_ns, None if self._silent else self._silent_ns()]
        if self._owed_ns is not None and not self._stuck:
            times.append(self._stuck_ns(self._owed_ns))
        return min((time for time in times if time is not None), default=None)

    def request(self, action: DeviceAction, at: Instant) -> Output:
        if action is not DeviceAction.START_SHAKE or not self._options.control or not self._up:
            return NOTHING
        if self._off_ns is not None and self._owed_ns is None:
            return NOTHING  # it is on
        self._owed_ns = None
        self._cycles.ask(self._options.shake_ms / 1000)
        self._asking = True
        self._off_ns = at.mono_ns + self._options.shake_ms * (NS_PER_S // 1000)
        return Output(send=(command(ON), command(QUERY)))

    def _input(self, line: InputLine, at: Instant) -> list[Reading]:
        return [self._cycles.idle(at, line.raw) if line.stopped else self._cycles.shakes(at, line.raw)]

    def _relay(self, answer: RelayAnswer, at: Instant) -> list[Reading]:
        if answer.on:
            if not self._asking:
                return []
            self._asking = False
            return [self._cycles.taken(at, answer.raw)]
        if self._owed_ns is None:
            return []
        self._owed_ns = self._off_ns = None
        if not self._stuck:
            return []
        self._stuck = False
        detail = "The board says that its relay is off."
        return [DeviceFault(at=at, raw=answer.raw, fault=RELAY_STUCK, detail=detail, cleared=True)]

    def _switch_off(self, at: Instant) -> tuple[bytes, ...]:
        self._asking = False
        self._owed_ns = at.mono_ns if self._owed_ns is None else self._owed_ns
        self._off_ns = at.mono_ns + round(OFF_EVERY_S * NS_PER_S)
        return command(OFF), command(QUERY)

    def _speaks(self, at: Instant, raw: bytes) -> tuple[Reading, ...]:
        if not self._silent:
            return ()
        self._silent = False
        return (DeviceFault(at=at, raw=raw, fault=Fault.SILENT, detail="The board speaks again.", cleared=True),)

    def _silent_ns(self) -> int:
        return self._heard_ns + round((BUSY_SILENT_S if self._cycles.shaking else SILENT_S) * NS_PER_S)

    def _stuck_ns(self, owed_ns: int) -> int:
        return owed_ns + round(STUCK_S * NS_PER_S)

    def _forget(self) -> None:
        self._codec.reset()
        self._cycles.forget()
        self._off_ns = self._owed_ns = None
        self._asking = False


def _observes(options: RelayOptions) -> frozenset[Observes]:  # noqa: ARG001
    return frozenset({Observes.SHAKE})


def _actions(options: RelayOptions) -> frozenset[DeviceAction]:
    return frozenset({DeviceAction.START_SHAKE} if options.control else ())


def _serial(options: RelayOptions) -> SerialSettings:
    return SerialSettings(baud=options.baud)


DRIVER = Driver(
    name="shaker-relay",
    summary='dice shaker behind a serial relay board with a "stopped" input',
    maturity=Maturity.GENERIC,
    provenance="one common kind of relay board; the lines of the input are ours",
    options=RelayOptions,
    session=RelaySession,
    observes=_observes,
    serial=_serial,
    offline_after_s=SILENT_S,
    actions=_actions,
)
