"""The judge of the colour wheel before readings that a simulated wheel gives, or the test itself; no driver."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from dealer_daemon.games.rainbow_wheel import turn_facts
from dealer_daemon.validation.signals import Contradicted, Judged, NotJudged, Signal, Unseen
from dealer_daemon.validation.turn import TurnJudge
from dealer_daemon.validation.turn_map import WheelMap, parse_wheel
from dealer_daemon.validation.turn_rules import TurnRules
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.wheel import IndexMark, WheelAngle
from hw_sim.wheel.faults import TurnDesk, TurnFault
from hw_sim.wheel.layout import wheel_file
from hw_sim.wheel.options import ColourWheelOptions
from hw_sim.wheel.truth import Turn
from hw_sim.wheel.turntable import Turntable

RULES = TurnRules(wheel="wheel.toml")
WIRE_ONLY = frozenset(
    {
        TurnFault.MISREAD,
        TurnFault.MISREAD_LONG,
        TurnFault.BUSY,
        TurnFault.LATE_ANSWERS,
        TurnFault.GARBLED,
        TurnFault.LOST_FRAMES,
        TurnFault.UNPLUG,
        TurnFault.POWER_CYCLE,
        TurnFault.COUNTS_LOST,
    }
)
"""Faults that need a wire."""


def at(seconds: float) -> Instant:
    ns = round(seconds * 1e9)
    return Instant(ns, ns)


@dataclass
class Said:
    """What the judge said in one turn: a word each, ``ok:17`` for an accepted segment."""

    words: list[str]
    facts: dict[str, Any] | None


@dataclass
class Listener:
    """Keeps the signals with their moments."""

    log: list[tuple[float, Signal]] = field(default_factory=list)

    def during(self, record: dict[str, Any]) -> Said:
        """Of the turn of a truth record."""
        begin_s, end_s = record["times_s"]["opened"] - 1e-3, record["times_s"]["ended"] - 1e-3
        words, facts = [], None
        for at_s, signal in self.log:
            if not begin_s <= at_s < end_s:
                continue
            match signal:
                case Judged(value=value):
                    facts = dict(value.facts)
                    words.append(f"ok:{facts['segment']}")
                case NotJudged(verdict=verdict):
                    words.append(verdict.reason)
                case Unseen(verdict=verdict):
                    words.append(f"unseen:{verdict.reason}")
                case Contradicted():
                    words.append("contradicted")
                case _:
                    pass
        return Said(words, facts)


class BareWheel(Listener):
    """A turntable whose encoder's counts go to the judge as readings: no bytes, so a thousand turns take seconds."""

    def __init__(self, options: ColourWheelOptions, seed: int, *, hertz: float, jitter_s: float = 0.001) -> None:
        super().__init__()
        self.records: list[dict[str, Any]] = []
        self._rng = Random(f"{seed}/jitter")
        desk = TurnDesk(Random(f"{seed}/faults"), options.rates)
        self.table = Turntable(options, Random(f"{seed}/wheel"), desk, self._finished, lambda _: None)
        self.wheel = map_of(self.table)
        self.judge = TurnJudge(RULES, self.wheel, turn_facts)
        self._hertz, self._jitter_s = hertz, jitter_s
        self._sent = 0

    def _finished(self, turn: Turn) -> None:
        self.records.append(turn.as_json())

    def play(self, turns: int) -> Iterator[tuple[dict[str, Any], Said]]:
        """So many turns, each with what was said of it."""
        for number in range(turns):
            self.log.clear()
            while len(self.records) <= number:
                self.step()
            yield self.records[number], self.during(self.records[number])

    def step(self) -> None:
        """Time goes on to the next count."""
        table, encoder = self.table, self.table.encoder
        wraps_at = encoder.per_turn * 4096
        table.advance(table.now_s + 1 / self._hertz)
        count = table.count()
        # The count is a little older than the moment at which it is heard.
        now = at(table.now_s + self._rng.uniform(0, self._jitter_s))
        self._feed(
            WheelAngle(
                at=now,
                raw=b"",
                count=count % wraps_at,
                per_turn=encoder.per_turn,
                wraps_at=wraps_at,
                absolute=True,
            )
        )
        self._sent += 1
        if self._sent % 4 == 0 and encoder.latch_deg is not None:
            latch = encoder.counts(encoder.latch_deg) % wraps_at
            self._feed(IndexMark(at=now, raw=b"", passes=encoder.passes, count=latch))

    def _feed(self, reading: Reading) -> None:
        self.log += [(self.table.now_s, signal) for signal in self.judge.feed("wheel", reading)]


def map_of(table: Turntable) -> WheelMap:
    """A turntable's calibration, for an absolute encoder."""
    encoder = table.encoder
    text = wheel_file(
        name="bare",
        segments=table.segments,
        direction="up" if encoder.sign > 0 else "down",
        offset_deg=encoder.sign * encoder.zero_deg,
        reference_deg=encoder.mark_angle(),
        correction_deg=encoder.corrections(),
        slowing=table.dynamics.slowing(),
        roll_back_deg=min(350, table.dynamics.roll_back_deg() + 30),
    )
    text += f"least_slowing_deg_s2 = {0.95 * math.degrees(table.dynamics.c0):.2f}\n"
    return parse_wheel(text.encode(), Path("bare.toml"))


def failure(record: dict[str, Any], said: Said) -> str | None:
    """What is wrong with a verdict, against the truth; ``None`` when nothing is."""
    accepted = [word for word in said.words if word.startswith("ok:")]
    right = accepted == [f"ok:{record['segment']}"]
    if accepted and not right:
        return "a wrong segment"
    if accepted and record["turns"] < 3:
        return "fewer than three turns"
    if accepted and record["expect"] in ("refuse", "hold"):
        return f"accepted, and it is to {record['expect']}"
    if right and said.facts is not None and abs(said.facts["turns"] - record["turns"]) > 0.02:
        return f"{said.facts['turns']} turns"
    if not said.words:
        return "lost: nothing was said of it"
    return None


PLAIN = """
wheel = 1
name = "plain"
segments = [{colors}]
direction = "{direction}"
offset_deg = {offset}
reference_deg = 10.0
slowing_deg_s2 = 40.0
roll_back_deg = 170.0
"""
COLORS = ["yellow"] * 24 + ["blue"] * 12 + ["pink"] * 8 + ["green"] * 4 + ["purple"] * 2 + ["orange", "red"]


def plain_file(direction: str = "up", offset: float = 0.0, colors: Sequence[str] = COLORS, more: str = "") -> str:
    """A wheel file whose encoder is true."""
    listed = ", ".join(f'"{color}"' for color in colors)
    return PLAIN.format(colors=listed, direction=direction, offset=offset) + more


class PlainWheel:
    """A true absolute encoder turned by the test, forty counts a second; each pass of its mark is said."""

    HERTZ = 40

    def __init__(self, rules: TurnRules = RULES, file: str = "", **judge: Any) -> None:
        self.wheel = parse_wheel((file or plain_file()).encode(), Path("plain.toml"))
        self.judge = TurnJudge(rules, self.wheel, turn_facts, **judge)
        self.t_s = 100.0
        self.deg = 3.0
        """Where the wheel stands; 3.0 is well inside segment 0."""
        self.speed = 0.0
        self.slip_deg = 0.0
        self.marks = True
        self.passes = 1
        self.signals: list[Signal] = []
        self.feed(IndexMark(at=at(self.t_s), raw=b"", passes=1, count=self.count(10.0)))

    def count(self, deg: float) -> int:
        return round((deg + self.slip_deg) / 360 * 4096) % (4096 * 4096)

    def feed(self, reading: Reading) -> list[Signal]:
        said = self.judge.feed("wheel", reading)
        self.signals += said
        return said

    def see(self, *, at_deg: float | None = None, gap_s: float = 1 / HERTZ) -> None:
        """The next count, and the mark if it passed since the last one."""
        before, self.deg = self.deg, self.deg if at_deg is None else at_deg
        self.t_s += gap_s
        angle = WheelAngle(
            at=at(self.t_s), raw=b"", count=self.count(self.deg), per_turn=4096, wraps_at=4096 * 4096, absolute=True
        )
        self.feed(angle)
        old, new = ((deg - 10.0) // 360 for deg in (before, self.deg))
        if old != new and self.marks:
            self.passes += 1
            latch = self.count(10.0 + 360 * max(old, new))
            self.feed(IndexMark(at=at(self.t_s), raw=b"", passes=self.passes, count=latch))

    def rest(self, seconds: float) -> None:
        for _ in range(round(seconds * self.HERTZ)):
            self.see()

    def turn(self, degrees: float, *, slowing: float = 20.0, leave_deg: float = 0.0) -> None:
        """Pushed for half a second, then slowing evenly; so long before it would rest the test may take over."""
        way, sign = abs(degrees), 1 if degrees > 0 else -1
        # The push's way and the run's: v/4 + v²/2a.
        speed = slowing * (-0.25 + (0.0625 + 2 * way / slowing) ** 0.5)
        start_deg = self.deg
        for tick in range(1, self.HERTZ // 2 + 1):
            t = tick / self.HERTZ
            self.see(at_deg=start_deg + sign * speed * t * t)
        self.speed = sign * speed
        end_s = (speed - (2 * slowing * leave_deg) ** 0.5) / slowing
        self.go(-sign * slowing, end_s)

    def go(self, change: float, seconds: float) -> None:
        """Goes on from its present speed with an even change, degrees/s², for whole counts within so many seconds; a
        wheel that comes to a stand in this time stays there."""
        start_deg, speed = self.deg, self.speed
        stands_s = -speed / change if change * speed < 0 else float("inf")
        for tick in range(1, int(seconds * self.HERTZ + 1e-9) + 1):
            t = min(tick / self.HERTZ, stands_s)
            self.see(at_deg=start_deg + speed * t + change * t * t / 2)
            self.speed = speed + change * t
        if seconds >= stands_s - 1 / self.HERTZ:
            self.see(at_deg=start_deg + speed * stands_s + change * stands_s**2 / 2)
            self.speed = 0.0

    def swing(self, degrees: float, change: float = 25.0) -> None:
        """From rest to rest by no hand: half the way faster, half slower."""
        start_deg, sign, way = self.deg, 1 if degrees > 0 else -1, abs(degrees)
        half_s = (way / change) ** 0.5
        for tick in range(1, int(2 * half_s * self.HERTZ) + 1):
            t = tick / self.HERTZ
            done = change * t * t / 2 if t < half_s else way - change * (2 * half_s - t) ** 2 / 2
            self.see(at_deg=start_deg + sign * done)
        self.see(at_deg=start_deg + degrees)

    def words(self) -> list[str]:
        """What was said of attempts."""
        return [word(signal) for signal in self.signals]


def word(signal: Signal) -> str:
    """A signal in a word."""
    match signal:
        case Judged(value=value):
            return f"ok:{value.facts['segment']}"
        case NotJudged(verdict=verdict) | Unseen(verdict=verdict):
            return f"{type(signal).__name__}:{verdict.reason}"
        case _:
            return type(signal).__name__


def spun(wheel: PlainWheel, degrees: float, **how: float) -> list[str]:
    """A turn from a verified rest to another; what was said of it."""
    wheel.rest(1.5)
    wheel.turn(degrees, **how)
    wheel.rest(2.0)
    return wheel.words()
