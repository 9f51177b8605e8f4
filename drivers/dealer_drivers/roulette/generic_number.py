"""``generic-number``: any wheel that prints its numbers as lines of text, described by the configuration.

For makes without a public format (``devices.md`` §1, "Other wheels"). One regular expression must match a whole line;
a line that does not is unreadable. Nothing is known but what the named groups say: with ``number`` alone there are no
phases and so no fresh spin, no laps, no rotor. Wrong options are found when the configuration is read.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

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
from dealer_drivers.readings.roulette import (
    BallLaps,
    BallRested,
    NumberUnreadable,
    NumberWitness,
    WheelFault,
    WheelPhase,
    WheelStatus,
    pocket_names,
)
from dealer_drivers.roulette.generic_patterns import repeat_problem
from dealer_drivers.roulette.lines import LINE_LIMIT, Line, LineSplitter

NO_FAULT = "none"
GROUPS = frozenset({"number", "state", "laps", "flags"})
BAUD_RATES = frozenset({1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200})
OFFLINE_AFTER_S = 5.0
LONGEST_SILENCE_S = 600.0
"""Between two numbers of a wheel that is played: ten minutes."""


class GenericNumberOptions(DriverOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of ``generic-number``."""

    pattern: str
    """A regular expression for a whole line, with the named group ``number``; ``state``, ``laps``, ``flags`` if any."""
    baud: int = 9600
    data_bits: Literal[7, 8] = 8
    parity: Literal["N", "E", "O"] = "N"
    stop_bits: Literal[1, 2] = 1
    terminator: str = ""
    """What ends a line; empty: any of CR, LF and CR LF."""
    states: dict[str, str] = msgspec.field(default_factory=dict)
    """Text of the group ``state`` to a phase: idle, betting, rim, no_more_bets, result, closed, no_ball."""
    faults: dict[str, str] = msgspec.field(default_factory=dict)
    """Text of the group ``flags`` to a fault of the wheel, or ``"none"``."""
    numbers: dict[str, str] = msgspec.field(default_factory=dict)
    """Texts of the group ``number`` that do not name their pocket themselves, such as ``37 = "00"``."""
    zeros: Literal[1, 2, 3, 4] = 1
    """Zero pockets of this wheel: 1 (0), 2 (and 00), 3 (and 000), 4 (and 0000)."""
    periodic: bool = False
    """Lines with a ``state`` come on their own several times a second, so that a gap in a spin means something."""
    silent_after_s: float = 0.0
    """Report the wheel as silent after so long without a line; 0: it may be silent for ever."""

    def problems(self) -> list[OptionError]:
        """Everything that is impossible about these options."""
        problems = []
        if self.baud not in BAUD_RATES:
            problems.append(OptionError("baud", f"must be one of {', '.join(map(str, sorted(BAUD_RATES)))}"))
        if len(self.terminator) > 4 or not self.terminator.isascii():
            problems.append(OptionError("terminator", "must be at most four ASCII characters"))
        if not 0 <= self.silent_after_s <= LONGEST_SILENCE_S:
            problems.append(OptionError("silent_after_s", f"must be 0 to {LONGEST_SILENCE_S:g}; 0 switches it off"))
        pockets = pocket_names(self.zeros)
        problems += _unknown_words("states", self.states, frozenset(WheelPhase))
        problems += _unknown_words("faults", self.faults, frozenset(WheelFault) | {NO_FAULT})
        problems += _unknown_words("numbers", self.numbers, pockets)
        return problems + self._pattern_problems()

    def zero_pockets(self) -> int:
        """As it is set."""
        return self.zeros

    def _pattern_problems(self) -> list[OptionError]:
        try:
            groups = re.compile(self.pattern).groupindex.keys()
        except (re.error, RecursionError) as error:
            return [OptionError("pattern", f"is no regular expression: {error}")]
        problems = []
        if "number" not in groups:
            problems.append(OptionError("pattern", "lacks the named group number, as in (?P<number>[0-9]{1,2})"))
        if unknown := sorted(groups - GROUPS):
            problems.append(OptionError("pattern", f"unknown groups {', '.join(unknown)}; known are {_list(GROUPS)}"))
        for group, option, mapping in (("state", "states", self.states), ("flags", "faults", self.faults)):
            if group in groups and not mapping:
                problems.append(OptionError(option, f"the pattern has the group {group}: say what its texts mean"))
            if group not in groups and mapping:
                problems.append(OptionError(option, f"the pattern has no group {group}, so this would never be used"))
        if (why := repeat_problem(self.pattern)) is not None:
            problems.append(OptionError("pattern", why))
        return problems


def _unknown_words(option: str, mapping: dict[str, str], known: frozenset[str]) -> list[OptionError]:
    return [
        OptionError(f"{option}.{text}", f"{word!r} is none of {_list(known)}")
        for text, word in mapping.items()
        if word not in known
    ]


def _list(words: frozenset[str]) -> str:
    return ", ".join(sorted(words, key=lambda word: (len(word), word)))


class GenericNumberSession:
    """One such wheel. Nothing is ever sent to it."""

    def __init__(self, options: GenericNumberOptions) -> None:
        self._options = options
        self._pattern = re.compile(options.pattern)
        self._pockets = pocket_names(options.zeros)
        self._lines = LineSplitter(terminator=options.terminator.encode("ascii"))
        self._heard_ns: int | None = None
        self._silent = False

    def opened(self, at: Instant) -> Output:
        self._lines.reset()
        self._heard_ns = at.mono_ns
        return NOTHING

    def feed(self, data: bytes, at: Instant) -> Output:
        dropped = self._lines.dropped
        readings: list[Reading] = []
        frames = rejected = 0
        for line in self._lines.feed(data):
            read = self._read(line, at)
            if isinstance(read, str):
                rejected += len(line.raw)
                readings.append(Unreadable(at=at, raw=line.raw, reason=read))
            else:
                frames += 1
                readings += self._heard(line, at) + read
        return Output(tuple(readings), frames=frames, rejected=rejected + self._lines.dropped - dropped)

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        self._heard_ns = None
        return Output(rejected=self._lines.reset())

    def tick(self, at: Instant) -> Output:
        deadline_ns = self.deadline_ns()
        if deadline_ns is None or at.mono_ns < deadline_ns:
            return NOTHING
        self._silent = True
        detail = "No line that the pattern matches: check power, cable, serial settings, and the pattern."
        return Output((DeviceFault(at=at, raw=b"", fault=Fault.SILENT, detail=detail),))

    def deadline_ns(self) -> int | None:
        if self._heard_ns is None or self._silent or not self._options.silent_after_s:
            return None
        return self._heard_ns + round(self._options.silent_after_s * NS_PER_S)

    def request(self, action: DeviceAction, at: Instant) -> Output:  # noqa: ARG002
        return NOTHING

    def _heard(self, line: Line, at: Instant) -> list[Reading]:
        self._heard_ns = at.mono_ns
        if not self._silent:
            return []
        self._silent = False
        return [DeviceFault(at=at, raw=line.raw, fault=Fault.SILENT, detail="The wheel speaks again.", cleared=True)]

    def _read(self, line: Line, at: Instant) -> list[Reading] | str:
        """What the line says, or why it says nothing."""
        if line.too_long:
            return f"longer than {LINE_LIMIT} bytes"
        if line.first:
            # It may be the end of a line, and the end of a line may look like a whole one.
            return "joined in mid-line"
        try:
            match = self._pattern.fullmatch(line.body.decode("ascii"))
        except UnicodeDecodeError:
            return "not ASCII (are the serial settings right?)"
        if match is None:
            return "does not match the pattern"
        begin, end = match.span("number")
        if match.string[max(begin - 1, 0) : begin].isdigit() or match.string[end : end + 1].isdigit():
            return "the pattern cuts a number in two: what stands beside the group number must not be a digit"
        said = {group: text.strip() for group, text in match.groupdict().items() if text is not None}
        return self._readings(said, line.raw, at)

    def _readings(self, said: dict[str, str], raw: bytes, at: Instant) -> list[Reading] | str:
        phase = self._options.states.get(said["state"]) if "state" in said else None
        if phase is None and "state" in self._pattern.groupindex:
            return f"state {said.get('state', '')!r} is not among the option states"
        fault = self._options.faults.get(said["flags"]) if said.get("flags") else NO_FAULT
        if fault is None:
            return f"flags {said['flags']!r} are not among the option faults"
        laps = said.get("laps", "")
        if laps and not laps.isdecimal():
            return f"laps {laps!r} are no number"
        number = self._pocket(said.get("number", ""))
        readings: list[Reading] = []
        if phase is not None:
            faults = frozenset({WheelFault(fault)}) if fault != NO_FAULT else frozenset()
            readings.append(
                WheelStatus(
                    at=at,
                    raw=raw,
                    phase=WheelPhase(phase),
                    spin=None,
                    number_shown=number,
                    rotor_rpm=None,
                    rotor=None,
                    faults=faults,
                    periodic=self._options.periodic,
                )
            )
        if laps:
            readings.append(BallLaps(at=at, raw=raw, laps=int(laps)))
        if phase is not None and phase != WheelPhase.RESULT:
            return readings
        if number is None:
            text = said.get("number", "")
            return [*readings, NumberUnreadable(at=at, raw=raw, text=text, witness=NumberWitness.FRAME)]
        return [*readings, BallRested(at=at, raw=raw, number=number, witness=NumberWitness.FRAME)]

    def _pocket(self, text: str) -> str | None:
        """The pocket that the text names. ``07`` is 7; ``00`` is double zero unless ``numbers`` says otherwise."""
        if text in self._options.numbers:
            return self._options.numbers[text]
        name = text[1:] if re.fullmatch(r"0[1-9]", text) else text
        return name if name in self._pockets else None


def _observes(options: GenericNumberOptions) -> frozenset[Observes]:
    seen = {Observes.NUMBER}
    groups = re.compile(options.pattern).groupindex
    if "state" in groups:
        seen.add(Observes.PHASE)
    if "laps" in groups:
        seen.add(Observes.LAPS)
    return frozenset(seen)


def _serial(options: GenericNumberOptions) -> SerialSettings:
    return SerialSettings(options.baud, options.data_bits, options.parity, options.stop_bits)


DRIVER = Driver(
    name="generic-number",
    summary="Any wheel that prints numbers as lines of text, described by serial settings and one regular expression",
    maturity=Maturity.GENERIC,
    provenance="the configuration describes the format; nothing is known of the device",
    options=GenericNumberOptions,
    session=GenericNumberSession,
    observes=_observes,
    serial=_serial,
    offline_after_s=OFFLINE_AFTER_S,
    offline_for=lambda options: options.silent_after_s or OFFLINE_AFTER_S,
)
