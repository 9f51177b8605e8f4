"""How the wheel moves, from its last few counts: speed, slowing, and steps that no wheel makes. Pure."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from dealer_daemon.validation.turn_track import Sample

WINDOW_S = 0.4
"""Two halves of it give two speeds, and their difference the slowing."""
JITTER_S = 0.003
"""A polled count is so much older or younger than its neighbours' distance says."""
SLOWING_MARGIN = 1.5
SLOWING_NOISE_DEG_S2 = 12.0
SLOWING_PER_SPEED = JITTER_S * 2 / (WINDOW_S / 2) ** 2
"""What jitter adds to a slowing at a speed, per second squared."""

RESIDUAL_DEG = 0.2
"""What calibration leaves of an encoder's unevenness: it looks like a slowing that grows with the square of speed."""

STEP_SAMPLES = 6
"""Counts on either side of a step: a straight line through each, and the step is between the lines."""
STEP_SEEMS_DEG = 0.35
STEP_DEG = 0.5
"""The size that devices.md §5 asks an alarm for."""
STEP_PER_SPEED_S = 0.002
STEP_ALONE = 0.5
"""So much of a step, at least, is between two samples."""
STEP_AT_PEG_DEG = 1.2
"""A wheel that crawls over a peg is held up by so much; one that stands or runs is not."""
CRAWL_DEG_S = (2.0, 36.0)
STEP_SPEED_NOISE_DEG_S = 8.0
STEP_SPEED_PART = 0.05


@dataclass(frozen=True, slots=True)
class Pace:
    """``before`` and ``now`` are speeds of the two halves of the window, degrees a second; ``span_s`` lies between."""

    before: float
    now: float
    span_s: float


class Motion:
    """The last samples."""

    def __init__(self) -> None:
        self._samples: list[Sample] = []
        self._steps: deque[Sample] = deque()
        """Samples that seem to stand behind a step, until enough follow to tell."""

    def clear(self) -> None:
        """What was seen before does not belong to what comes."""
        self._samples.clear()
        self._steps.clear()

    def add(self, sample: Sample) -> None:
        """One sample, in order."""
        samples = self._samples
        samples.append(sample)
        oldest_s = sample.t_s - WINDOW_S
        while len(samples) > 2 * STEP_SAMPLES and samples[1].t_s <= oldest_s:
            del samples[0]

    def pace(self) -> Pace | None:
        """Both speeds; ``None`` while too little was seen."""
        samples = self._samples
        last = samples[-1]
        first = next((i for i, sample in enumerate(samples) if sample.t_s >= last.t_s - WINDOW_S), 0)
        first = max(0, first - 1)
        middle = (first + len(samples)) // 2
        a, b = samples[first], samples[middle]
        if last.t_s - a.t_s < 0.7 * WINDOW_S or not a.t_s < b.t_s < last.t_s:
            return None
        before = (b.deg - a.deg) / (b.t_s - a.t_s)
        now = (last.deg - b.deg) / (last.t_s - b.t_s)
        return Pace(before, now, (last.t_s - a.t_s) / 2)

    def step(self, pace: Pace, slowing_deg_s2: float) -> tuple[float | None, bool]:
        """The step in the encoder's angle that the last samples show, and whether one may still turn out to be there.

        A step leaves the speed as it was; a hand does not.
        """
        samples = self._samples
        if len(samples) < 2 * STEP_SAMPLES:
            return None, False
        new, old = samples[-1], samples[-2]
        off = abs(new.deg - old.deg - pace.before * (new.t_s - old.t_s))
        if off > STEP_SEEMS_DEG + JITTER_S * abs(pace.before):
            self._steps.append(new)
        while self._steps and self._steps[0].t_s < samples[-STEP_SAMPLES].t_s:
            self._steps.popleft()
        if not self._steps or self._steps[0] is not samples[-STEP_SAMPLES]:
            return None, bool(self._steps)
        self._steps.popleft()
        step = self._measured(slowing_deg_s2)
        return step, bool(self._steps)

    def _measured(self, slowing_deg_s2: float) -> float | None:
        """The step before the last ``STEP_SAMPLES`` samples, ``None`` where it is none."""
        samples = self._samples
        left, right = samples[-2 * STEP_SAMPLES : -STEP_SAMPLES], samples[-STEP_SAMPLES:]
        middle_s = (left[-1].t_s + right[0].t_s) / 2
        (at_left, speed_left), (at_right, speed_right) = _line(left, middle_s), _line(right, middle_s)
        speed = abs(speed_left)
        span_s = (right[-1].t_s - left[0].t_s) / 2
        steady = STEP_SPEED_NOISE_DEG_S + STEP_SPEED_PART * speed + SLOWING_MARGIN * slowing_deg_s2 * span_s
        step = at_right - at_left
        crawls = CRAWL_DEG_S[0] < max(speed, abs(speed_right)) < CRAWL_DEG_S[1]
        least = STEP_AT_PEG_DEG if crawls else STEP_DEG + STEP_PER_SPEED_S * speed
        if abs(speed_right - speed_left) > steady or abs(step) <= least:
            return None
        # A hand's work lies in every interval, a step in one.
        around = (_rate(left[-3], left[-1]) + _rate(right[0], right[2])) / 2
        alone = right[0].deg - left[-1].deg - around * (right[0].t_s - left[-1].t_s)
        return step if alone / step >= STEP_ALONE else None


def slowing_limit(slowing_deg_s2: float, speed_deg_s: float) -> float:
    """What a measured change of speed must exceed to be a hand's, degrees per second squared."""
    uneven = RESIDUAL_DEG * math.radians(speed_deg_s) ** 2
    return SLOWING_MARGIN * slowing_deg_s2 + SLOWING_NOISE_DEG_S2 + SLOWING_PER_SPEED * abs(speed_deg_s) + uneven


def _rate(a: Sample, b: Sample) -> float:
    return (b.deg - a.deg) / (b.t_s - a.t_s) if b.t_s > a.t_s else 0.0


def _line(samples: Sequence[Sample], at_s: float) -> tuple[float, float]:
    """The least-squares line's value at ``at_s`` and its slope."""
    n = len(samples)
    times = [sample.t_s - at_s for sample in samples]
    degs = [sample.deg for sample in samples]
    mean_t, mean_deg = sum(times) / n, sum(degs) / n
    spread = sum((t - mean_t) ** 2 for t in times)
    if spread == 0:
        return mean_deg, 0.0
    slope = sum((t - mean_t) * (deg - mean_deg) for t, deg in zip(times, degs, strict=True)) / spread
    return mean_deg - slope * mean_t, slope


DRIFT_DEG = 0.1
"""Between the beginning, the middle and the end of a rest: a wheel at its turning point, which lingers, is seen."""


REST_PARTS, PART_COUNTS = 3, 2
"""A rest is looked at in so many parts, and in each lie so many counts at least."""
LEAST_AT_REST = REST_PARTS * PART_COUNTS
"""Counts without which nobody can tell a rest."""


class Stillness:
    """Since when the wheel has kept within a band of ``2 * still_deg``. Looks back ``look_back_s``."""

    def __init__(self, still_deg: float, look_back_s: float) -> None:
        self._band = 2 * still_deg
        self._look_back_s = look_back_s
        self._samples: deque[Sample] = deque()
        self._since_s = self._low = self._high = 0.0

    def clear(self) -> None:
        """Nothing is known."""
        self._samples.clear()

    def add(self, sample: Sample, most_gap_s: float) -> None:
        """One sample. What does not lie in one band with it is forgotten, and all that was before a gap."""
        samples = self._samples
        if not samples or sample.gap_s > most_gap_s:
            samples.clear()
            self._since_s = sample.t_s
            self._low = self._high = sample.deg
        samples.append(sample)
        self._low, self._high = min(self._low, sample.deg), max(self._high, sample.deg)
        if self._high - self._low > self._band:
            self._begin_anew(sample.deg)
        while samples[0].t_s < sample.t_s - self._look_back_s:
            samples.popleft()

    def _begin_anew(self, deg: float) -> None:
        """It has stood since the first of the last samples that lie in one band."""
        samples = self._samples
        low = high = deg
        kept = 0
        for sample in reversed(samples):
            if max(high, sample.deg) - min(low, sample.deg) > self._band:
                break
            low, high = min(low, sample.deg), max(high, sample.deg)
            kept += 1
        while len(samples) > kept:
            samples.popleft()
        self._low, self._high, self._since_s = low, high, samples[0].t_s

    def lasted_s(self) -> float:
        """For how long it has stood."""
        return self._samples[-1].t_s - self._since_s if self._samples else 0.0

    @property
    def since_s(self) -> float:
        """When it came to rest, by the samples' clock."""
        return self._since_s

    def steady(self) -> bool:
        """It does not creep, as far as is looked back. From then on how it came there counts no more."""
        samples = list(self._samples)
        third = len(samples) // REST_PARTS
        if third < PART_COUNTS:
            return False
        first, middle, last = (
            sum(sample.deg for sample in part) / third
            for part in (samples[:third], samples[(len(samples) - third) // 2 :][:third], samples[-third:])
        )
        if abs(last - first) > DRIFT_DEG or abs(middle - (first + last) / 2) > DRIFT_DEG:
            return False
        self._low = min(sample.deg for sample in samples)
        self._high = max(sample.deg for sample in samples)
        return True

    def deg(self) -> float:
        """Where it stands."""
        return sum(sample.deg for sample in self._samples) / len(self._samples)
