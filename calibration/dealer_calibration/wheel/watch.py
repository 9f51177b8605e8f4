"""What a wheel that a technician turns has done so far: where it stands, its free runs, the passes of its mark. Pure.

Angles are the encoder's, in degrees of the wheel, as the wheel's file has them: an absolute encoder's own, of a counter
those from its index mark on. They grow over turns and never wrap.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dealer_daemon.validation.turn_motion import Stillness
from dealer_daemon.validation.turn_track import Jump, Sample, Track
from dealer_drivers.readings import Reading
from dealer_drivers.readings.wheel import IndexMark, WheelAngle

FASTEST_DEG_S = 4 * 360.0
"""No wheel is faster: a count that says so is misread (``max_turns_per_s``)."""
STILL_DEG, STILL_S = 0.2, 0.75
LEFT_DEG = 2.0
"""Further than a standing wheel trembles."""
MOST_GAP_S = 0.25
"""A longer hole in a run, and its speeds are not known."""
RUN_DEG = 720.0
"""A shorter way is a wheel that is turned to its next place; a longer one is a spin."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The wheel stands at ``encoder_deg``; ``dither_deg`` is half of what the angle wavers by."""

    encoder_deg: float
    dither_deg: float


@dataclass(frozen=True, slots=True)
class Run:
    """One spin from rest to rest: seconds and encoder degrees of each count. ``whole``: no count was missing."""

    t_s: tuple[float, ...]
    encoder_deg: tuple[float, ...]
    whole: bool

    @property
    def turns(self) -> float:
        """Net turns, signed as the counts are."""
        return (self.encoder_deg[-1] - self.encoder_deg[0]) / 360


@dataclass(frozen=True, slots=True)
class MarkPass:
    """The encoder's angle at a pass of the mark, and its distance from the pass before, off whole turns; ``None``
    without one before."""

    encoder_deg: float
    off_deg: float | None


@dataclass(slots=True)
class WheelWatch:
    """Fed with readings. ``since_still`` is of the newest rest; everything else only grows."""

    runs: list[Run] = field(default_factory=list)
    passes: list[MarkPass] = field(default_factory=list)
    counts: int = 0
    jumps: int = 0
    """The count was somewhere else at once."""
    lives: int = 0
    """The device began to count anew."""
    absolute: bool = True
    _track: Track = field(default_factory=lambda: Track(FASTEST_DEG_S))
    _still: Stillness = field(default_factory=lambda: Stillness(STILL_DEG, STILL_S))
    _life: int | None = None
    _base_deg: float | None = None
    """What to add to the track's angle to have the encoder's."""
    _last_mark_deg: float | None = None
    _last_passes: int | None = None
    _samples: list[tuple[float, float]] = field(default_factory=list)
    """Of the run that is under way, on the track's scale."""
    _resting: list[float] = field(default_factory=list)
    _whole: bool = True

    def feed(self, reading: Reading) -> None:
        """One reading; those that are no counts change nothing."""
        match reading:
            case WheelAngle():
                self._angle(reading)
            case IndexMark() if reading.life == self._life:
                self._mark(reading)
            case _:
                pass

    def standing(self) -> Standing | None:
        """Where the wheel stands; ``None`` while it moves, has only just come to rest, or knows no place."""
        if self._base_deg is None or self._still.lasted_s() < STILL_S or not self._still.steady():
            return None
        return Standing(self._base_deg + self._still.deg(), (max(self._resting) - min(self._resting)) / 2)

    @property
    def placed(self) -> bool:
        """The encoder's angle is known: a counter has seen its index."""
        return self._base_deg is not None

    def _angle(self, reading: WheelAngle) -> None:
        if reading.life != self._life:
            self._begin(reading)
        fit = self._track.add(reading)
        if fit is None:
            return
        self.counts += 1
        if isinstance(fit, Jump):
            self.jumps += 1
            self._begin(reading)
            fit = self._track.add(reading)
            assert isinstance(fit, Sample)
        if reading.absolute and self._base_deg is None:
            self._base_deg = reading.count * 360 / reading.per_turn - fit.deg
        self._whole &= fit.gap_s <= MOST_GAP_S and not reading.counts_lost
        self._still.add(fit, MOST_GAP_S)
        self._follow(fit)

    def _begin(self, reading: WheelAngle) -> None:
        self.lives += self._life is not None and reading.life != self._life
        self._life, self.absolute = reading.life, reading.absolute
        self._track.restart()
        self._still.clear()
        self._samples.clear()
        self._resting.clear()
        self._base_deg = self._last_mark_deg = self._last_passes = None
        self._whole = True

    def _follow(self, fit: Sample) -> None:
        self._samples.append((fit.t_s, fit.deg))
        if self._still.lasted_s() < STILL_S:
            self._resting.clear()
            return
        self._resting.append(fit.deg)
        if len(self._resting) == 1:
            self._finish()
        elif len(self._samples) > len(self._resting):
            del self._samples[: len(self._samples) - len(self._resting)]

    def _finish(self) -> None:
        """It has come to rest: what it did since the rest before is one run, or a move to another place."""
        samples = self._samples
        base = self._base_deg
        if base is not None and abs(samples[-1][1] - samples[0][1]) >= RUN_DEG:
            times, degs = zip(*samples, strict=True)
            self.runs.append(Run(times, tuple(base + deg for deg in degs), self._whole))
        self._whole = True

    def _mark(self, mark: IndexMark) -> None:
        first = self._last_passes is None
        if mark.passes == self._last_passes:
            return
        self._last_passes = mark.passes
        at_deg = self._track.mark_deg(mark)
        if at_deg is None:
            return
        if not self.absolute and self._base_deg is None:
            self._base_deg = -at_deg
        assert self._base_deg is not None
        # What the latch holds when it is first looked at may be of yesterday.
        before, self._last_mark_deg = self._last_mark_deg, at_deg
        if first and self.absolute:
            self._last_mark_deg = None
            return
        off = None if before is None else (at_deg - before + 180) % 360 - 180
        self.passes.append(MarkPass(self._base_deg + at_deg, off))
