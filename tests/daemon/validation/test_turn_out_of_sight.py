"""Turns of the colour wheel while the station is down, or its link is: none is ever counted in part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dealer_daemon.games.rainbow_wheel import turn_facts
from dealer_daemon.validation.signals import Judged, Signal
from dealer_daemon.validation.turn import TurnJudge
from dealer_daemon.validation.turn_map import SEGMENT_DEG
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.readings.wheel import IndexMark, WheelAngle
from support.turns import RULES, PlainWheel, at

Why = Literal["link", "silence", "station"]
LEAST = 12
"""Counts: 0.3 s, more than the longest gap that a turn bears."""


@dataclass(frozen=True)
class Dark:
    """From one count to another nothing is seen, and why."""

    first: int
    last: int
    why: Why


@dataclass(frozen=True)
class Spin:
    """From one count to another the wheel turned so far."""

    first: int
    last: int
    degrees: float


class DarkWheel(PlainWheel):
    """A wheel that is out of sight now and then; it turns on all the same, and its encoder counts on."""

    def __init__(self, darks: list[Dark], *, counts_turns: bool = True) -> None:
        self.darks = darks
        self.counts_turns = counts_turns
        self.n = 0
        self.dark = False
        self.accepted: list[tuple[int, float, Judged]] = []
        super().__init__()

    def see(self, *, at_deg: float | None = None, gap_s: float = 1 / PlainWheel.HERTZ) -> None:
        self.n += 1
        for dark in self.darks:
            if dark.first == self.n:
                self._goes_dark(dark.why)
        self.dark = any(dark.first <= self.n < dark.last for dark in self.darks)
        super().see(at_deg=at_deg, gap_s=gap_s)
        self._hear(self.judge.tick(at(self.t_s)))

    def _goes_dark(self, why: Why) -> None:
        if why == "link":
            self._hear(
                self.judge.feed("wheel", DeviceFault(at=at(self.t_s), raw=b"", fault=Fault.LINK_LOST, detail=""))
            )
        elif why == "station":
            self.judge = TurnJudge(RULES, self.wheel, turn_facts)

    def feed(self, reading: Reading) -> list[Signal]:
        if self.dark:
            return []
        if not self.counts_turns and isinstance(reading, WheelAngle):
            reading = replace(reading, count=reading.count % 4096, wraps_at=4096)
        elif not self.counts_turns and isinstance(reading, IndexMark):
            reading = replace(reading, count=reading.count % 4096)
        said = self.judge.feed("wheel", reading)
        self._hear(said)
        return said

    def _hear(self, signals: list[Signal]) -> None:
        self.signals += signals
        self.accepted += [(self.n, self.deg, signal) for signal in signals if isinstance(signal, Judged)]

    def spin(self, degrees: float) -> Spin:
        first = self.n
        self.turn(degrees)
        return Spin(first, self.n, degrees)


DARKS = st.builds(
    lambda first, long, why: Dark(first, first + long, why),
    st.integers(1, 1500),
    st.one_of(st.integers(LEAST, 39), st.integers(40, 800)),
    st.sampled_from(["link", "silence", "station"]),
)
TURNS = st.tuples(st.floats(0.4, 3.0), st.floats(800, 1600), st.sampled_from([1, -1]))
"""Seconds of rest, and degrees of the turn after it."""


@pytest.mark.parametrize("counts_turns", [True, False], ids=["counts turns", "counts one turn"])
@settings(max_examples=25, deadline=None, phases=[Phase.generate])  # to shrink one of these takes minutes
@given(st.lists(DARKS, min_size=1, max_size=3), st.lists(TURNS, min_size=1, max_size=3))
def test_a_turn_is_counted_whole_or_not_at_all(
    counts_turns: bool, darks: list[Dark], turns: list[tuple[float, float, int]]
) -> None:
    wheel = DarkWheel(darks, counts_turns=counts_turns)
    spins = []
    for rest_s, degrees, sign in turns:
        wheel.rest(rest_s)
        spins.append(wheel.spin(sign * degrees))
    wheel.rest(2)
    while any(dark.last >= wheel.n - 2 * wheel.HERTZ for dark in darks):
        wheel.rest(1)  # all is seen again, and the wheel was verified at rest
    spins.append(wheel.spin(1080 + (5.5 * SEGMENT_DEG - wheel.deg) % 360))
    wheel.rest(2)
    assert wheel.words()[-2] == "ok:5", "the first turn after it was seen again counts"
    for n, deg, judged in wheel.accepted:
        spin = next(spin for spin in reversed(spins) if spin.last < n)
        facts = judged.value.facts
        assert not [dark for dark in darks if dark.first <= n and dark.last > spin.first - 0.75 * wheel.HERTZ]
        assert facts["segment"] == int(deg % 360 / SEGMENT_DEG)
        assert -0.0005 <= abs(spin.degrees) / 360 - facts["turns"] < 0.012  # type: ignore[operator]  # rounded
        assert facts["turns"] >= 3  # type: ignore[operator]


@pytest.mark.parametrize("why", ["link", "silence", "station"])
@pytest.mark.parametrize("back_deg", [900.0, 400.0, 60.0, 6.0])
def test_a_turn_that_runs_on_when_it_is_seen_again_is_never_a_result(why: Why, back_deg: float) -> None:
    """The station sees the wheel again so far before it rests; the next turn from that rest is a good one."""
    wheel = DarkWheel([])
    wheel.rest(1.5)
    wheel.darks = [Dark(wheel.n + 20, wheel.n + 10_000, why)]
    wheel.turn(2000, leave_deg=back_deg)
    wheel.darks = []
    wheel.go(-20, wheel.speed / 20)
    wheel.rest(2)
    assert wheel.accepted == []
    assert wheel.judge.waiting()
    told = [word for word in wheel.words() if ":" in word]
    # To a station that begins anew less than two segments are no spin.
    assert told or (why, back_deg) == ("station", 6.0), "somebody is told that a turn was not seen whole"
    wheel.turn(1080 + 5 * SEGMENT_DEG)
    wheel.rest(2)
    assert len(wheel.accepted) == 1
