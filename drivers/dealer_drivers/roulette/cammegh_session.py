"""What both Cammegh models have in common: frames and time in, readings and commands out.

Judging a spin is not done here; a session only says what the wheel said, by each model's own rules for its flags.

Basic output (``*S``, ``*N``, ``*W``) is read as RIM, NO_MORE_BETS and RESULT, each said once and without counter, rotor
or flags. That is little to judge a spin by, so the session says once that the wheel should be set to advanced output.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable

from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault, Reading, Unreadable
from dealer_drivers.readings.roulette import (
    BallRested,
    NumberUnreadable,
    NumberWitness,
    Rotation,
    WheelFault,
    WheelPhase,
    WheelStatus,
)
from dealer_drivers.roulette.cammegh_codec import CammeghCodec
from dealer_drivers.roulette.cammegh_dialogue import Ask, Dialogue
from dealer_drivers.roulette.cammegh_frames import (
    Advanced,
    Answer,
    BareNumber,
    Basic,
    BasicWord,
    Extended,
    Frame,
    NotAFrame,
    PocketEvent,
    RimSensor,
    WheelEvents,
)
from dealer_drivers.roulette.cammegh_options import CammeghOptions
from dealer_drivers.roulette.cammegh_parameters import ParameterCheck
from dealer_drivers.roulette.cammegh_selftest import SELF_TEST, self_test_notice
from dealer_drivers.roulette.pockets import pocket_of_field

SILENT_AFTER_S = 5.0
"""Status comes every 500 ms; 5 s without a frame is offline. Also the time a wheel may need after power-on."""
RAW_LIMIT = 256

STATE_RIM, STATE_NO_MORE_BETS, STATE_RESULT = 3, 4, 5
BALL_IN_PLAY = frozenset({STATE_RIM, STATE_NO_MORE_BETS})
IDLE_STATES = frozenset({1, 2, 6, 7})
"""No ball on the track, so questions cannot disturb a game."""
PHASES = {
    1: WheelPhase.IDLE,
    2: WheelPhase.BETTING,
    STATE_RIM: WheelPhase.RIM,
    STATE_NO_MORE_BETS: WheelPhase.NO_MORE_BETS,
    STATE_RESULT: WheelPhase.RESULT,
    6: WheelPhase.CLOSED,
    7: WheelPhase.NO_BALL,
}
BASIC_PHASES = {
    BasicWord.START: WheelPhase.RIM,
    BasicWord.NO_MORE_BETS: WheelPhase.NO_MORE_BETS,
    BasicWord.WINNER: WheelPhase.RESULT,
}
ROTATIONS = {0: Rotation.CLOCKWISE, 1: Rotation.COUNTER_CLOCKWISE}

NOT_ACKNOWLEDGED = "not_acknowledged"
PARAMETER_CHANGED = "parameter_changed"
PARAMETER_UNREAD = "parameter_unread"


class CammeghSession(abc.ABC):
    """One Cammegh wheel. ``driver.Session`` says what each call promises."""

    def __init__(self, options: CammeghOptions) -> None:
        self._options = options
        self._codec = CammeghCodec()
        self._dialogue = Dialogue()
        self._parameters = ParameterCheck(options.expected_parameters)
        self._faults: set[str] = set()
        self._heard_ns: int | None = None
        """When the newest valid frame came, or the link opened; ``None`` while there is no link."""
        self._noise = 0
        """Bytes since then that were no frame."""
        self._previous: Advanced | None = None
        """The newest status frame of this connection."""
        self._state_since: Instant | None = None
        """When its state, with its spin counter, was first seen."""
        self._basic_said = False

    # The session protocol

    def opened(self, at: Instant) -> Output:
        self._forget()
        self._heard_ns = at.mono_ns
        if self._options.ask:
            for ask in (Ask("*V", "V"), *self._at_connect(), *self._parameters.start()):
                self._dialogue.ask(ask)
        return Output(send=self._dialogue.step(at.mono_ns, idle=False))

    def feed(self, data: bytes, at: Instant) -> Output:
        dropped = self._codec.dropped
        readings: list[Reading] = []
        frames = rejected = 0
        for frame in self._codec.feed(data):
            if isinstance(frame, NotAFrame):
                why = frame.reason
            elif not self._knows(frame):
                why = f"a packet that this model does not send: {type(frame).__name__.lower()} frame"
            else:
                frames += 1
                readings += self._heard(frame, at)
                readings += self._on_frame(frame, at)
                continue
            rejected += len(frame.raw)
            self._noise += len(frame.raw)
            readings.append(Unreadable(at=at, raw=frame.raw[:RAW_LIMIT], reason=why))
        rejected += self._codec.dropped - dropped
        self._noise += self._codec.dropped - dropped
        # Nothing is sent from here: what an answer answers would depend on how the stream was cut. A tick sends.
        return Output(tuple(readings), frames=frames, rejected=rejected)

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        thrown = self._codec.held
        self._forget()
        self._heard_ns = None
        return Output(rejected=thrown)

    def tick(self, at: Instant) -> Output:
        if self._heard_ns is None:
            return NOTHING
        readings: list[Reading] = []
        if at.mono_ns >= self._silent_ns(self._heard_ns):
            readings += self._fault(at, Fault.SILENT, self._silent_detail())
        for ask in self._dialogue.overdue(at.mono_ns):
            readings += self._unanswered(ask, at)
        return Output(tuple(readings), self._dialogue.step(at.mono_ns, idle=self._idle()))

    def deadline_ns(self) -> int | None:
        if self._heard_ns is None:
            return None
        times = [self._dialogue.deadline_ns(idle=self._idle())]
        if Fault.SILENT not in self._faults:
            times.append(self._silent_ns(self._heard_ns))
        return min((time for time in times if time is not None), default=None)

    def request(self, action: DeviceAction, at: Instant) -> Output:
        if not self._options.control or self._heard_ns is None:
            return NOTHING
        match action:
            case DeviceAction.ACKNOWLEDGE_VOID:
                self._dialogue.ask(Ask("*R", "R"), first=True)
            case DeviceAction.SELF_TEST:
                self._dialogue.ask(SELF_TEST)
            case _:
                return NOTHING
        return Output(send=self._dialogue.step(at.mono_ns, idle=self._idle()))

    # What a model adds

    @abc.abstractmethod
    def _wheel_faults(self, frame: Advanced, at: Instant) -> frozenset[WheelFault]:
        """The flags that count now, by the model's own timing rules."""

    @abc.abstractmethod
    def _rotor_rpm(self, frame: Advanced) -> float | None:
        """The rotor's speed, ``None`` when the frame does not say."""

    def _rotor(self, frame: Advanced) -> Rotation | None:
        return ROTATIONS[frame.direction]

    def _ball(self, frame: Advanced) -> Rotation | None:  # noqa: ARG002
        return None

    @abc.abstractmethod
    def _knows(self, frame: Frame) -> bool:
        """Whether this model sends such packets at all."""

    def _at_connect(self) -> Iterable[Ask]:
        """Commands beyond ``*V`` and the parameters; what sets something only under ``control``."""
        return ()

    def _on_status(self, frame: Advanced, at: Instant) -> list[Reading]:  # noqa: ARG002
        """Readings beside the status itself. ``_previous`` is still the frame before."""
        return []

    def _on_rim_sensor(self, frame: RimSensor, at: Instant) -> list[Reading]:  # noqa: ARG002
        return []

    def _on_answer(self, ask: Ask, answer: Answer | None, at: Instant) -> list[Reading]:  # noqa: ARG002
        """The model's own commands: their answers, or ``None`` when none came."""
        return []

    # Frames

    def _on_frame(self, frame: Frame, at: Instant) -> list[Reading]:
        match frame:
            case Advanced():
                return self._status(frame, at)
            case BareNumber(number=number):
                return [self._rested(frame, number, NumberWitness.BARE, at)]
            case PocketEvent(number=number):
                return self._in_pocket(frame, number, at)
            case RimSensor():
                return self._on_rim_sensor(frame, at)
            case Basic():
                return self._basic(frame, at)
            case Answer():
                return self._answer(frame, at)
        return []

    def _status(self, frame: Advanced, at: Instant) -> list[Reading]:
        previous = self._previous
        if previous is None or (previous.state, previous.spin) != (frame.state, frame.spin):
            self._state_since = at
        readings: list[Reading] = [
            WheelStatus(
                at=at,
                raw=frame.raw,
                phase=PHASES[frame.state],
                spin=frame.spin,
                number_shown=pocket_of_field(frame.number, self._options.zeros),
                rotor_rpm=self._rotor_rpm(frame),
                rotor=self._rotor(frame),
                ball=self._ball(frame),
                faults=self._wheel_faults(frame, at),
            )
        ]
        readings += self._on_status(frame, at)
        self._previous = frame
        if frame.state == STATE_RIM and previous is not None and previous.state not in BALL_IN_PLAY:
            readings += self._cleared(at, NOT_ACKNOWLEDGED, "The wheel runs the next ball.", frame.raw)
        # The sensor before the number: a result stands on its frame's number, and by then all of the frame is known.
        if isinstance(frame, Extended) and frame.pocket is not None and frame.events & WheelEvents.BALL_IN_POCKET:
            readings += self._in_pocket(frame, frame.pocket, at)
        if frame.state == STATE_RESULT:
            readings.append(self._rested(frame, frame.number, NumberWitness.FRAME, at))
        return readings

    def _basic(self, frame: Basic, at: Instant) -> list[Reading]:
        self._previous = None  # it was another output's, and its counter says nothing of this spin
        number = pocket_of_field(frame.number, self._options.zeros)
        readings: list[Reading] = [
            WheelStatus(
                at=at,
                raw=frame.raw,
                phase=BASIC_PHASES[frame.word],
                spin=None,
                number_shown=number,
                rotor_rpm=None,
                rotor=None,
                periodic=False,
            )
        ]
        if frame.word is BasicWord.WINNER:
            readings.append(self._rested(frame, frame.number, NumberWitness.FRAME, at))
        if not self._basic_said:
            self._basic_said = True
            detail = "The wheel sends basic output, without counter, rotor and flags. Set its port to advanced output."
            readings.append(DeviceNotice(at=at, raw=frame.raw, notice="basic_output", detail=detail))
        return readings

    def _rested(self, frame: Frame, field: str, witness: NumberWitness, at: Instant) -> Reading:
        number = pocket_of_field(field, self._options.zeros)
        if number is None:
            return NumberUnreadable(at=at, raw=frame.raw, text=field.strip(), witness=witness)
        return BallRested(at=at, raw=frame.raw, number=number, witness=witness, spin=self._spin())

    def _in_pocket(self, frame: Frame, field: str, at: Instant) -> list[Reading]:
        """The pocket sensor. Outside a spin it sees the last spin's ball, which says nothing about this one."""
        state = self._previous.state if self._previous else None
        if state not in BALL_IN_PLAY and state != STATE_RESULT:
            return []
        return [self._rested(frame, field, NumberWitness.POCKET, at)]

    # Commands and their answers

    def _answer(self, answer: Answer, at: Instant) -> list[Reading]:
        ask = self._dialogue.answered(answer)
        if ask is None:
            said = answer.raw.strip().decode("ascii")
            detail = f"The wheel answered {said!r} to a command that was not ours: another program uses its line."
            return [DeviceNotice(at=at, raw=answer.raw, notice="foreign_answer", detail=detail)]
        match ask.code:
            case "V":
                return [DeviceNotice(at=at, raw=answer.raw, notice="identity", detail=answer.text)]
            case "T":
                return self._parameter(ask.key, answer, at)
            case "F":
                return [self_test_notice(answer, at)]
            case "R" if answer.text == "OK":
                return self._cleared(
                    at, NOT_ACKNOWLEDGED, "The wheel took the acknowledgement of its void.", answer.raw
                )
            case "R":
                return self._fault(at, NOT_ACKNOWLEDGED, self._void_detail(f"answered {answer.text!r} to"), answer.raw)
        return self._on_answer(ask, answer, at)

    def _unanswered(self, ask: Ask, at: Instant) -> list[Reading]:
        match ask.code:
            case "V":
                return []
            case "T":
                return self._parameter(ask.key, None, at)
            case "F":
                return [self_test_notice(None, at)]
            case "R":
                return self._fault(at, NOT_ACKNOWLEDGED, self._void_detail("did not answer"))
        return self._on_answer(ask, None, at)

    def _void_detail(self, did: str) -> str:
        return f"The wheel {did} `*R`: acknowledge the void on the wheel itself, and check the cable's transmit line."

    def _parameter(self, letter: str, answer: Answer | None, at: Instant) -> list[Reading]:
        if not self._parameters.found(letter, answer.text if answer is not None else None):
            return []
        raw = answer.raw if answer is not None else b""
        unread, changed = self._parameters.unread(), self._parameters.differences()
        if unread:
            detail = f"The wheel did not tell parameters {', '.join(unread)}: check the cable's transmit line."
            readings = self._fault(at, PARAMETER_UNREAD, detail, raw)
        else:
            readings = self._cleared(at, PARAMETER_UNREAD, "All expected parameters were read.", raw)
        if changed:
            detail = "; ".join(changed) + ". Stop the table and have a technician restore the calibrated set."
            readings += self._fault(at, PARAMETER_CHANGED, detail, raw)
        elif not unread:
            readings += self._cleared(at, PARAMETER_CHANGED, "Parameters are as calibrated.", raw)
        return readings

    # Bookkeeping

    def _fault(self, at: Instant, fault: str, detail: str, raw: bytes = b"") -> list[Reading]:
        if fault in self._faults:
            return []
        self._faults.add(fault)
        return [DeviceFault(at=at, raw=raw, fault=fault, detail=detail)]

    def _cleared(self, at: Instant, fault: str, detail: str, raw: bytes) -> list[Reading]:
        if fault not in self._faults:
            return []
        self._faults.remove(fault)
        return [DeviceFault(at=at, raw=raw, fault=fault, detail=detail, cleared=True)]

    def _heard(self, frame: Frame, at: Instant) -> list[Reading]:
        self._heard_ns = at.mono_ns
        self._noise = 0
        return self._cleared(at, Fault.SILENT, "The wheel speaks again.", frame.raw)

    def _silent_ns(self, heard_ns: int) -> int:
        return heard_ns + round(SILENT_AFTER_S * NS_PER_S)

    def _silent_detail(self) -> str:
        if self._noise:
            return (
                f"{self._noise} bytes came and none of them is a packet of this wheel: probably the wrong speed "
                "(9600 8N1), the wrong driver for the model, or crossed wires."
            )
        return "The wheel is silent: check its power, the cable, and that no other program reads the port."

    def _idle(self) -> bool:
        return self._previous is not None and self._previous.state in IDLE_STATES

    def _spin(self) -> int | None:
        return self._previous.spin if self._previous is not None else None

    def _forget(self) -> None:
        self._codec.reset()
        self._dialogue.reset()
        self._noise = 0
        self._previous = None
        self._state_since = None
        self._basic_said = False
