"""The conversation with the wheel: bytes and time in, readings and bytes to send out. It knows nothing else."""

from __future__ import annotations

from acme_wheel.codec import Codec, Junk, Line, checked
from acme_wheel.options import AcmeOptions
from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading, Unreadable
from dealer_drivers.readings.roulette import (
    BallLaps,
    BallRested,
    NumberUnreadable,
    NumberWitness,
    WheelPhase,
    WheelStatus,
    pocket_names,
)

SILENT_AFTER_S = 3.0
"""Lines come twice a second; six are missing."""
PHASES = {"B": WheelPhase.BETTING, "R": WheelPhase.RIM, "N": WheelPhase.NO_MORE_BETS, "W": WheelPhase.RESULT}
BALL_RUNS = (WheelPhase.RIM, WheelPhase.NO_MORE_BETS)
VOID_SEEN = checked(b"A")


class AcmeSession:
    """One wheel, over all its connections."""

    def __init__(self, options: AcmeOptions) -> None:
        self._options = options
        self._pockets = pocket_names(options.zeros)
        self._codec = Codec()
        self._heard: Instant | None = None
        """When the newest line came, or the link opened; ``None`` while it is down."""
        self._silent = False

    def opened(self, at: Instant) -> Output:
        """The link is up. Whatever is asked of the device at connect is sent from here; this one is asked nothing."""
        self._codec.reset()
        self._heard = at
        return NOTHING

    def feed(self, data: bytes, at: Instant) -> Output:
        """Bytes arrived: any bytes, cut anywhere."""
        readings: list[Reading] = []
        frames = rejected = 0
        for found in self._codec.feed(data):
            if isinstance(found, Junk):
                rejected += len(found.raw)
                readings.append(Unreadable(at=at, raw=found.raw, reason=found.reason))
            else:
                frames += 1
                readings += self._speaks(found, at) + self._read(found, at)
        return Output(tuple(readings), frames=frames, rejected=rejected)

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        """The link is down: half a line is no line, and nothing is due any more."""
        self._heard = None
        return Output(rejected=self._codec.reset())

    def tick(self, at: Instant) -> Output:
        """Time passed."""
        due_ns = self.deadline_ns()
        if due_ns is None or at.mono_ns < due_ns:
            return NOTHING
        self._silent = True
        detail = "The wheel is silent: check its power, the cable, and that no other program reads the port."
        return Output((DeviceFault(at=at, raw=b"", fault=Fault.SILENT, detail=detail),))

    def deadline_ns(self) -> int | None:
        """When silence is to be reported; ``None`` once it is."""
        return None if self._heard is None or self._silent else self._heard.plus_s(SILENT_AFTER_S).mono_ns

    def request(self, action: DeviceAction, at: Instant) -> Output:  # noqa: ARG002
        """The station asks: only with ``control``, and only what the wheel can do."""
        if action is not DeviceAction.ACKNOWLEDGE_VOID or not self._options.control:
            return NOTHING
        return Output(send=(VOID_SEEN,))

    def _speaks(self, line: Line, at: Instant) -> list[Reading]:
        self._heard = at
        if not self._silent:
            return []
        self._silent = False
        detail = "The wheel speaks again."
        return [DeviceFault(at=at, raw=line.raw, fault=Fault.SILENT, detail=detail, cleared=True)]

    def _read(self, line: Line, at: Instant) -> list[Reading]:
        phase = PHASES[line.state]
        known = line.number in self._pockets
        status = WheelStatus(
            at=at,
            raw=line.raw,
            phase=phase,
            spin=line.spin,
            number_shown=line.number if known else None,
            rotor_rpm=None,  # the wheel does not say
            rotor=None,
        )
        if phase in BALL_RUNS:
            return [status, BallLaps(at=at, raw=line.raw, laps=line.laps)]
        if phase is not WheelPhase.RESULT:
            return [status]
        witness = NumberWitness.FRAME
        if not known:
            return [status, NumberUnreadable(at=at, raw=line.raw, text=line.number, witness=witness)]
        return [status, BallRested(at=at, raw=line.raw, number=line.number, witness=witness, spin=line.spin)]
