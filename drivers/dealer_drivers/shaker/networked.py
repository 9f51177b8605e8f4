"""Driver ``shaker-networked``: a shaker that takes text commands over MQTT (``devices.md`` §4).

It says ``S0`` idle, ``S1`` shaking, ``S2`` command taken, ``S90`` motion fault, without any ids, so:

- a state that the broker kept is of any age, and is said to people only;
- an idle counts for the newest cycle only once that cycle was seen to shake (``cycles.py``);
- an answer to ``/state`` looks like a state said unasked. An idle that may answer a question asked before the shaker
  began to shake is dropped, and so is a shaking that may answer one asked before it stood; the question is put again.

While it shakes the question is put at such a pace that a shaker which lost its power falls silent for long enough to be
noticed: its start-up takes a second or more.
"""

from __future__ import annotations

from dealer_drivers.clock import Clock
from dealer_drivers.driver import NOTHING, DeviceAction, Driver, Maturity, Observes, Output, SerialSettings
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault, Reading, Unreadable
from dealer_drivers.shaker.cycles import Cycles
from dealer_drivers.shaker.networked_options import NetworkedOptions
from dealer_drivers.transports.base import Transport
from dealer_drivers.transports.mqtt import MqttTransport, mqtt_settings
from dealer_drivers.transports.mqtt_lines import MqttLines, MqttMessage, sent_line

STATE_TOPIC, COMMAND_TOPIC = "state", "command"
ASK_STATE = b"/state"
IDLE, SHAKING, TAKEN, MOTION_FAULT = b"S0", b"S1", b"S2", b"S90"
MOTION_FAULTED = "motion_fault"

BUSY_POLL_S = 0.4
"""Between two questions while it shakes or should; it answers within 150 ms."""
BUSY_SILENT_S = 0.95
"""Longest silence while it shakes: two questions unanswered. Its start-up takes a second or more."""
MISSED_POLLS = 2.2
"""Idle for so many questions without a word: it is gone."""
ANSWER_S = 1.0
"""A question that is older than this is answered or lost."""
COMMAND_S = 10.0
"""A start command that led to nothing for so long is no longer waited for."""
RAW_LIMIT = 256


class NetworkedSession:
    """One shaker. ``driver.Session`` says what each call promises."""

    def __init__(self, options: NetworkedOptions) -> None:
        self._options = options
        self._lines = MqttLines()
        self._cycles = Cycles()
        self._up = False
        self._heard_ns = 0
        self._command_ns = 0
        self._poll_ns: int | None = None
        """When the next question is due; ``None`` where none is put."""
        self._asked_ns: int | None = None
        """When the newest question was put that nothing was heard since."""
        self._put_ns: int | None = None
        """When the newest question was put."""
        self._stale_ns = 0
        """Until then a shaking may be the answer to a question from before it stood."""
        self._doubtful_ns = 0
        """Until then an idle may be the answer to a question from before the shaking."""
        self._silent = self._faulted = self._kept_told = False

    def opened(self, at: Instant) -> Output:
        self._forget()
        self._up = True
        self._heard_ns = at.mono_ns
        self._kept_told = False
        return self._question(at)

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        held = self._lines.held
        self._forget()
        self._up = False
        return Output(self._speaks(at, b""), rejected=held)

    def feed(self, data: bytes, at: Instant) -> Output:
        readings: list[Reading] = []
        frames = rejected = 0
        for message in self._lines.feed(data):
            if isinstance(message, MqttMessage) and message.topic == STATE_TOPIC and message.payload in _STATES:
                frames += 1
                readings += self._state(message, at)
                continue
            raw = message.raw if isinstance(message, MqttMessage) else message
            rejected += len(raw)
            why = "no state of this shaker" if isinstance(message, MqttMessage) else "no line of a message"
            readings.append(Unreadable(at=at, raw=raw[:RAW_LIMIT], reason=why))
        return Output(tuple(readings), frames=frames, rejected=rejected)

    def tick(self, at: Instant) -> Output:
        if not self._up:
            return NOTHING
        readings: tuple[Reading, ...] = ()
        if self._options.ask and not self._silent and at.mono_ns >= self._silent_ns():
            self._silent = True
            self._cycles.forget()
            detail = "The shaker does not answer: check its power and network, and that it uses the same topic base."
            readings = (DeviceFault(at=at, raw=b"", fault=Fault.SILENT, detail=detail),)
        if self._cycles.asked and at.mono_ns - self._command_ns >= round(COMMAND_S * NS_PER_S):
            self._cycles.asked = False
        if self._poll_ns is None or at.mono_ns < self._poll_ns:
            return Output(readings)
        return Output(readings, self._question(at).send)

    def deadline_ns(self) -> int | None:
        if not self._up or not self._options.ask:
            return None
        times = [self._poll_ns, None if self._silent else self._silent_ns()]
        return min((time for time in times if time is not None), default=None)

    def request(self, action: DeviceAction, at: Instant) -> Output:
        if action is not DeviceAction.START_SHAKE or not self._options.control or not self._up:
            return NOTHING
        self._cycles.ask(self._options.duration_ms / 1000)
        # What it says from here on must come at the pace of a busy shaker, counted from the command.
        self._heard_ns = self._command_ns = at.mono_ns
        self._poll_ns = at.mono_ns + round(BUSY_POLL_S * NS_PER_S)
        return Output(send=(sent_line(COMMAND_TOPIC, self._options.cycle()),))

    def _state(self, message: MqttMessage, at: Instant) -> list[Reading]:
        if message.kept:
            if self._kept_told:
                return []
            self._kept_told = True
            detail = (
                f"The broker kept an old state ({message.payload.decode()}); it counts for nothing. "
                "Switch retained states off at the shaker."
            )
            return [DeviceNotice(at=at, raw=message.raw, notice="kept_state", detail=detail)]
        self._heard_ns = at.mono_ns
        readings = list(self._speaks(at, message.raw))
        state = message.payload
        if state != MOTION_FAULT:
            readings += self._mended(at, message.raw)
        if state == IDLE and self._cycles.shaking and at.mono_ns < self._doubtful_ns:
            return readings  # a question is due soon, and its answer will tell
        if state == SHAKING and not self._cycles.shaking and at.mono_ns < self._stale_ns:
            self._poll_ns = min(self._poll_ns or self._stale_ns, self._stale_ns)
            return readings
        readings += self._told(state, message.raw, at)
        self._asked_ns = None
        self._pace(at)
        return readings

    def _told(self, state: bytes, raw: bytes, at: Instant) -> list[Reading]:
        match state:
            case b"S0":
                if self._cycles.shaking and self._put_ns is not None:
                    self._stale_ns = self._put_ns + round(ANSWER_S * NS_PER_S)
                return [self._cycles.idle(at, raw)]
            case b"S1":
                if not self._cycles.shaking and self._asked_ns is not None:
                    self._doubtful_ns = self._asked_ns + round(ANSWER_S * NS_PER_S)
                return [self._cycles.shakes(at, raw)]
            case b"S2":
                return [self._cycles.taken(at, raw)]
        reading = self._cycles.faulted(at, raw)
        if self._faulted:
            return [reading]
        self._faulted = True
        detail = "The shaker reports a motion fault: look what blocks it, then start it again."
        return [reading, DeviceFault(at=at, raw=raw, fault=MOTION_FAULTED, detail=detail)]

    def _mended(self, at: Instant, raw: bytes) -> tuple[Reading, ...]:
        if not self._faulted:
            return ()
        self._faulted = False
        detail = "The shaker goes on."
        return (DeviceFault(at=at, raw=raw, fault=MOTION_FAULTED, detail=detail, cleared=True),)

    def _speaks(self, at: Instant, raw: bytes) -> tuple[Reading, ...]:
        if not self._silent:
            return ()
        self._silent = False
        return (DeviceFault(at=at, raw=raw, fault=Fault.SILENT, detail="The shaker speaks again.", cleared=True),)

    # Questions

    @property
    def _busy(self) -> bool:
        return self._cycles.shaking or self._cycles.asked

    def _pace(self, at: Instant) -> None:
        if self._options.ask:
            wait_s = BUSY_POLL_S if self._busy else self._options.poll_s
            self._poll_ns = at.mono_ns + round(wait_s * NS_PER_S)

    def _question(self, at: Instant) -> Output:
        if not self._options.ask:
            return NOTHING
        self._asked_ns = self._put_ns = at.mono_ns
        self._pace(at)
        return Output(send=(sent_line(COMMAND_TOPIC, ASK_STATE),))

    def _silent_ns(self) -> int:
        # A command that is not taken is the judge's to notice: only a shaker that was heard to shake must go on.
        limit_s = BUSY_SILENT_S if self._cycles.shaking else MISSED_POLLS * self._options.poll_s
        return self._heard_ns + round(limit_s * NS_PER_S)

    def _forget(self) -> None:
        self._lines.reset()
        self._cycles.forget()
        self._poll_ns = self._asked_ns = self._put_ns = None
        self._doubtful_ns = self._stale_ns = 0


_STATES = frozenset({IDLE, SHAKING, TAKEN, MOTION_FAULT})


def _transport(port: str, options: NetworkedOptions, clock: Clock) -> Transport:  # noqa: ARG001
    settings = mqtt_settings(
        port,
        (STATE_TOPIC,),
        username=options.username,
        password_file=options.password_file,
        ca_file=options.ca_file,
    )
    return MqttTransport(settings)


def _observes(options: NetworkedOptions) -> frozenset[Observes]:  # noqa: ARG001
    return frozenset({Observes.SHAKE})


def _actions(options: NetworkedOptions) -> frozenset[DeviceAction]:
    return frozenset({DeviceAction.START_SHAKE} if options.control else ())


def _serial(options: NetworkedOptions) -> SerialSettings:  # noqa: ARG001
    return SerialSettings()


DRIVER = Driver(
    name="shaker-networked",
    summary="dice shaker that takes text commands over MQTT",
    maturity=Maturity.DOCUMENTED,
    provenance="states, commands and their order as an integrator describes them (devices.md §4); topics, ranges and "
    "times are ours",
    options=NetworkedOptions,
    session=NetworkedSession,
    observes=_observes,
    serial=_serial,
    offline_after_s=11.0,
    offline_for=lambda options: MISSED_POLLS * options.poll_s + 1.0,
    transport=_transport,
    actions=_actions,
    transports=frozenset({"mqtt", "recording"}),
)
