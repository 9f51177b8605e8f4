"""``wheel-modbus``: an absolute multi-turn encoder on Modbus RTU, asked some forty times a second (``devices.md`` §5).

One question at a time. An answer counts only while its question stands: Modbus RTU numbers nothing, so whatever comes
unasked is an answer too late, and the line is left alone until no more of them can follow.

A count is as old as its question and not as its answer: an encoder looks when it is asked, while the answer waits in an
adapter (16 ms in some) or for a busy machine. At 260 degrees a second 5 ms are 1.3 degrees, which look like a slip.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto

from dealer_drivers.driver import NOTHING, DeviceAction, Driver, Maturity, Observes, Output
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault, Reading, Unreadable
from dealer_drivers.readings.wheel import AngleUnreadable, EncoderFault, IndexMark, WheelAngle
from dealer_drivers.wheel.modbus_options import (
    ANGLE_WORDS,
    REFERENCE_EVERY,
    REFERENCE_WORDS,
    ModbusOptions,
    serial_settings,
)
from dealer_drivers.wheel.rtu_codec import (
    READ,
    WRITE,
    Exceptional,
    Frame,
    Registers,
    RtuCodec,
    Written,
    read_request,
    write_request,
)

SILENT_AFTER_S = 1.0
SILENT_POLL_S = 0.25
"""From one question to the next while nothing answers."""
SET_ZERO = "set_zero"
"""The station's word for: this place is zero from now on."""
ZERO_WITHIN_DEG = 1.0
"""The wheel stands when its zero is set; what is read next is nearly 0."""
EVIDENCE_BYTES = 256
STEADY_ANSWERS = 40
"""Good answers in a row that end a fault: one that comes and goes stays one fault. And so many counts in a row that
cannot be are no misread ones (``devices.md`` §5) but a wrong option."""


class _Asked(Enum):
    ANGLE = auto()
    REFERENCE = auto()
    ZERO = auto()


class ModbusSession:
    """One encoder."""

    def __init__(self, options: ModbusOptions) -> None:
        self._options = options
        self._codec = RtuCodec(frozenset({ANGLE_WORDS, REFERENCE_WORDS}))
        self._range = options.counts_per_turn * options.turns
        self._up = False
        self._asked: _Asked | None = None
        self._sent_ns: int | None = None
        """When the newest question went out; ``None`` where nobody says it, as of frames that are played again."""
        self._late_ns = 0
        """When the answer is late."""
        self._next_ns = 0
        """When the next question may go out."""
        self._drained_ns = 0
        """Until when the line is left alone because of answers that nobody asked for."""
        self._heard_ns = 0
        self._questions = self._good = self._outside = 0
        self._zero_wanted = self._zero_unproved = False
        self._answer_bytes = bytearray()
        self._standing: dict[str, DeviceFault] = {}

    def opened(self, at: Instant) -> Output:
        self._codec.reset()
        self._up = True
        self._asked = self._sent_ns = None
        self._heard_ns = at.mono_ns
        self._questions = self._good = self._outside = self._drained_ns = 0
        # Whatever another master's answer is still on the line ends before the first question.
        self._next_ns = at.mono_ns + self._ns(self._options.answer_ms / 1000)
        return NOTHING

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        self._up = self._zero_wanted = self._zero_unproved = False
        self._asked = None
        self._answer_bytes.clear()
        return Output(rejected=self._codec.reset())

    def feed(self, data: bytes, at: Instant) -> Output:
        dropped = self._codec.dropped
        if self._asked is not None:
            self._answer_bytes += data[: EVIDENCE_BYTES - len(self._answer_bytes)]
        self._next_ns = max(self._next_ns, at.mono_ns + self._ns(self._options.quiet_s()))
        readings: list[Reading] = []
        frames = rejected = 0
        for frame in self._codec.feed(data):
            said = self._frame(frame, at)
            if said is None:
                rejected += len(frame.raw)
            else:
                frames += 1
                readings += said
        return Output(tuple(readings), frames=frames, rejected=rejected + self._codec.dropped - dropped)

    def tick(self, at: Instant) -> Output:
        if not self._up:
            return NOTHING
        readings: list[Reading] = []
        rejected = 0
        if self._asked is not None and at.mono_ns >= self._late_ns:
            readings, rejected = self._unanswered(at)
        if self._silent_at() <= at.mono_ns:
            detail = "The encoder does not answer: check its power, the cable, its address and the line's speed."
            readings += self._begin(Fault.SILENT, detail, at)
        if self._asked is not None or at.mono_ns < self._next_ns:
            return Output(tuple(readings), rejected=rejected)
        rejected += self._codec.reset()
        return Output(tuple(readings), (self._ask(at),), rejected=rejected)

    def deadline_ns(self) -> int | None:
        if not self._up:
            return None
        return min(self._late_ns if self._asked is not None else self._next_ns, self._silent_at())

    def request(self, action: DeviceAction, at: Instant) -> Output:
        """Takes ``set_zero``, with ``control = true``; the question goes out when the line is free."""
        if action.value != SET_ZERO or not self._options.control or not self._up:
            return NOTHING
        self._zero_wanted = True
        return self.tick(at)

    def sent(self, at: Instant) -> None:
        """The question is on the line. The encoder looks a steady time later; its answer may wait long to be read."""
        self._sent_ns = at.mono_ns

    # -- questions ----------------------------------------------------------------------------------------

    def _ask(self, at: Instant) -> bytes:
        options = self._options
        silent = Fault.SILENT in self._standing
        period_s = SILENT_POLL_S if silent else options.poll_ms / 1000
        self._late_ns = at.mono_ns + self._ns(options.answer_ms / 1000)
        self._next_ns = at.mono_ns + self._ns(period_s)
        self._answer_bytes.clear()
        if self._zero_wanted:
            self._zero_wanted, self._asked = False, _Asked.ZERO
            return write_request(options.slave, options.zero_register, 1)
        self._questions += 1
        reference = options.reference_register
        if reference is not None and self._questions % REFERENCE_EVERY == 0:
            self._asked = _Asked.REFERENCE
            return read_request(options.slave, reference, REFERENCE_WORDS)
        self._asked = _Asked.ANGLE
        return read_request(options.slave, options.register, ANGLE_WORDS)

    def _unanswered(self, at: Instant) -> tuple[list[Reading], int]:
        """The time for an answer is over. The next question waits as long again: one that comes after all must not
        be taken for the next one's."""
        asked, self._asked = self._asked, None
        raw = bytes(self._answer_bytes)
        rejected = self._codec.reset()
        self._next_ns = max(self._next_ns, at.mono_ns + self._ns(self._options.answer_ms / 1000))
        readings: list[Reading] = []
        if raw:
            readings.append(Unreadable(at=at, raw=raw, reason="no answer with a right check value in time"))
        if asked is _Asked.ZERO:
            readings += self._zero_failed("it did not answer", at)
        return readings, rejected

    # -- answers ------------------------------------------------------------------------------------------

    def _frame(self, frame: Frame, at: Instant) -> list[Reading] | None:
        """What an answer says; ``None`` when it is not the one that was asked for."""
        if frame.slave != self._options.slave:
            detail = (
                f"An answer came from address {frame.slave}; {self._options.slave} was asked. Are two devices on this "
                "line, or is the option slave wrong?"
            )
            self._wait_out(at)
            self._good = 0
            return self._begin(EncoderFault.WRONG_ADDRESS, detail, at, frame.raw) or None
        if not self._fits(frame):
            self._wait_out(at)
            return None
        asked, self._asked = self._asked, None
        self._heard_ns = at.mono_ns
        readings = self._end(Fault.SILENT, "The encoder answers again.", at, frame.raw)
        if isinstance(frame, Exceptional):
            if asked is _Asked.ZERO:
                return readings + self._zero_failed(frame.meaning, at, frame.raw)
            self._good = 0
            detail = f"The encoder answers with an error: {frame.meaning}. Check the options register and slave."
            readings += self._begin(EncoderFault.EXCEPTION, detail, at, frame.raw)
            return [*readings, AngleUnreadable(at=at, raw=frame.raw, reason=frame.meaning)]
        if isinstance(frame, Written):
            self._zero_unproved = True
            return readings
        self._good += 1
        if self._good >= STEADY_ANSWERS:
            readings += self._end(EncoderFault.EXCEPTION, "The encoder gives its count again.", at, frame.raw)
            readings += self._end(EncoderFault.WRONG_ADDRESS, "Only the right address answers.", at, frame.raw)
        if len(frame.words) == REFERENCE_WORDS:
            return readings + self._reference(frame, at)
        return readings + self._angle(frame, at)

    def _fits(self, frame: Frame) -> bool:
        function = WRITE if self._asked is _Asked.ZERO else READ
        match frame:
            case Exceptional():
                return self._asked is not None and frame.function == function
            case Written():
                wanted = (self._options.zero_register, 1)
                return self._asked is _Asked.ZERO and (frame.register, frame.value) == wanted
            case Registers():
                # Its length says which of the two questions it answers: a recording may hold them in another rhythm.
                reference = len(frame.words) == REFERENCE_WORDS
                asks = self._asked in (_Asked.ANGLE, _Asked.REFERENCE)
                return asks and (not reference or self._options.reference_register is not None)

    def _wait_out(self, at: Instant) -> None:
        """Something answered that was not asked: more of it may be on its way. But for one time only: a recording
        answers in its own rhythm and would never be asked again."""
        if self._asked is None and at.mono_ns >= self._drained_ns:
            self._drained_ns = at.mono_ns + self._ns(self._options.answer_ms / 1000)
            self._next_ns = max(self._next_ns, self._drained_ns)

    def _angle(self, frame: Registers, at: Instant) -> list[Reading]:
        count = self._count(frame.words)
        if count >= self._range:
            return self._out_of_range(count, at, frame.raw)
        self._outside = 0
        cleared = self._end(
            EncoderFault.OUT_OF_RANGE, "The encoder gives counts within its turns again.", at, frame.raw
        )
        options = self._options
        angle = WheelAngle(
            at=at,
            raw=frame.raw,
            count=count,
            per_turn=options.counts_per_turn,
            wraps_at=self._range,
            absolute=True,
            device_s=None if self._sent_ns is None else self._sent_ns / NS_PER_S,
        )
        return [*cleared, *self._prove_zero(count, at, frame.raw), angle]

    def _out_of_range(self, count: int, at: Instant, raw: bytes) -> list[Reading]:
        reason = f"count 0x{count:08X} is outside the encoder's {self._options.turns} turns"
        self._outside += 1
        said: list[Reading] = []
        if self._outside >= STEADY_ANSWERS:
            detail = (
                f"Nothing but counts that the encoder cannot have: {reason}. Check the options turns, counts_per_turn, "
                "register and low_word_first; if they are right, the encoder is faulty."
            )
            said = self._begin(EncoderFault.OUT_OF_RANGE, detail, at, raw)
        return [*said, AngleUnreadable(at=at, raw=raw, reason=reason)]

    def _reference(self, frame: Registers, at: Instant) -> list[Reading]:
        count = self._count(frame.words[1:])
        if count >= self._range:
            reason = f"reference count 0x{count:08X} is outside the encoder's {self._options.turns} turns"
            return [AngleUnreadable(at=at, raw=frame.raw, reason=reason)]
        return [IndexMark(at=at, raw=frame.raw, passes=frame.words[0], count=count)]

    def _count(self, words: tuple[int, ...]) -> int:
        high, low = reversed(words) if self._options.low_word_first else words
        return high << 16 | low

    # -- zero and faults ----------------------------------------------------------------------------------

    def _prove_zero(self, count: int, at: Instant, raw: bytes) -> list[Reading]:
        if not self._zero_unproved:
            return []
        self._zero_unproved = False
        away = min(count, self._range - count) * 360 / self._options.counts_per_turn
        if away > ZERO_WITHIN_DEG:
            return self._zero_failed(f"the count after it is {count}", at, raw)
        cleared = self._end(EncoderFault.ZERO_NOT_SET, "The encoder's zero is set.", at, raw)
        return [*cleared, DeviceNotice(at=at, raw=raw, notice="zero_set", detail="This place is zero from now on.")]

    def _zero_failed(self, why: str, at: Instant, raw: bytes = b"") -> list[Reading]:
        detail = f"The encoder's zero was not set: {why}. Check the option zero_register; the wheel must stand still."
        return self._begin(EncoderFault.ZERO_NOT_SET, detail, at, raw)

    def _begin(self, fault: str, detail: str, at: Instant, raw: bytes = b"") -> list[Reading]:
        if fault in self._standing:
            return []
        self._standing[fault] = DeviceFault(at=at, raw=raw, fault=fault, detail=detail)
        return [self._standing[fault]]

    def _end(self, fault: str, detail: str, at: Instant, raw: bytes) -> list[Reading]:
        standing = self._standing.pop(fault, None)
        return [] if standing is None else [replace(standing, at=at, raw=raw, detail=detail, cleared=True)]

    def _silent_at(self) -> int:
        return _NEVER if Fault.SILENT in self._standing else self._heard_ns + self._ns(SILENT_AFTER_S)

    @staticmethod
    def _ns(seconds: float) -> int:
        return round(seconds * NS_PER_S)


_NEVER = 1 << 63


def _observes(options: ModbusOptions) -> frozenset[Observes]:
    seen = {Observes.ANGLE}
    # Passes of a mark on the wheel itself: turns seen a second way.
    return frozenset(seen | {Observes.LAPS} if options.reference_register is not None else seen)


def _actions(options: ModbusOptions) -> frozenset[DeviceAction]:
    return frozenset(action for action in DeviceAction if action.value == SET_ZERO and options.control)


DRIVER = Driver(
    name="wheel-modbus",
    summary="Colour wheel with an absolute multi-turn encoder on Modbus RTU, polled",
    maturity=Maturity.DOCUMENTED,
    provenance="the registers of one common encoder as described (devices.md §5) and the Modbus specification; the "
    "reference registers are ours",
    options=ModbusOptions,
    session=ModbusSession,
    observes=_observes,
    serial=serial_settings,
    offline_after_s=SILENT_AFTER_S,
    actions=_actions,
)
