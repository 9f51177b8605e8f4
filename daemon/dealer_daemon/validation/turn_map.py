"""A wheel's calibration: which colour lies where, and what its encoder and its friction are like. A TOML file::

    wheel = 1                      # the form of this file
    name = "wheel-7"
    segments = ["red", "yellow", ...]    # 52, in the order in which their numbers rise: 0, 1, ...
    direction = "up"               # the segment number under the pointer rises while the encoder's count rises
    offset_deg = 3.46              # where the pointer is, from the beginning of segment 0, when the encoder says 0
    keep_out_deg = 0.7             # so near to a boundary no rest counts
    slowing_deg_s2 = 25.0          # what this wheel slows by without a hand: constant part, imbalance included
    slowing_per_s = 0.03           # and the part that grows with its speed

Needed where the table checks the reference mark: ``reference_deg``. Optional: ``correction_deg``, ``roll_back_deg``,
``least_slowing_deg_s2``. Measured by the bench from free spins: ``most_slowing_deg_s2`` and the keys that need it.
"""

from __future__ import annotations

import hashlib
import math
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

SEGMENTS = 52
SEGMENT_DEG = 360 / SEGMENTS
COUNTS = {"yellow": 24, "blue": 12, "pink": 8, "green": 4, "purple": 2, "orange": 1, "red": 1}
"""Rule book 002."""
LEAST_SLOWING_DEG_S2 = 2.0
"""No wheel with a pointer between pegs runs more freely. A light prize wheel that was measured lost 5.4."""
MOST_CORRECTION_DEG = 10.0
"""Real encoders were 1.5 to 3.8 degrees out of true (``devices.md`` §5)."""

ROUNDING_DEG_S2 = 0.01

Degrees = Annotated[float, msgspec.Meta(ge=0, lt=360)]
Positive = Annotated[float, msgspec.Meta(gt=0, le=2000)]


class WheelFileError(ValueError):
    """A wheel's file cannot be used. ``problems`` lists everything that is wrong with the file at ``path``."""

    def __init__(self, path: Path, problems: list[str]) -> None:
        super().__init__(f"wheel file {path}: {'; '.join(problems)}")
        self.path = path
        self.problems = problems


class WheelFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the file."""

    wheel: Literal[1]
    name: str
    segments: list[str]
    direction: Literal["up", "down"]
    offset_deg: Degrees
    keep_out_deg: Annotated[float, msgspec.Meta(ge=0.1, le=3)] = 0.7
    slowing_deg_s2: Positive
    least_slowing_deg_s2: Positive | None = None
    """What its friction alone slows it by, at low speed, imbalance left out: the mean over whole turns."""
    slowing_per_s: Annotated[float, msgspec.Meta(ge=0, le=5)] = 0.0
    most_slowing_deg_s2: Positive | None = None
    """What its friction alone slows it by at most, as ``least_slowing_deg_s2``. With it a turn that no free coast of
    this wheel explains is refused."""
    least_slowing_per_s: Annotated[float, msgspec.Meta(ge=0, le=5)] = 0.0
    """What each degree a second of speed adds to the least slowing; ``slowing_per_s`` is what it adds to the most."""
    imbalance_deg_s2: Annotated[float, msgspec.Meta(ge=0, le=500)] | None = None
    """How hard its heavy side pulls at most. Needs ``imbalance_at_deg``."""
    imbalance_at_deg: Degrees | None = None
    """Where the pointer is, from the beginning of segment 0, when that pull is strongest towards rising numbers."""
    roll_back_deg: Annotated[float, msgspec.Meta(ge=10, le=350)] = 170.0
    """How far this wheel may roll back after it stopped uphill."""
    reference_deg: Degrees | None = None
    """The encoder's angle at the reference mark. A counter counts from its index mark: 0 there."""
    correction_deg: list[float] = []
    """What to add to the encoder's angle, at equal steps over a turn from the encoder's 0 on."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the pointer is: the segment, the angle from its beginning, and how far the nearest boundary is."""

    segment: int
    color: str
    angle_deg: float
    margin_deg: float


@dataclass(frozen=True, slots=True)
class WheelMap:
    """A checked wheel file. ``sha256`` is of the file's bytes: ``sha256:…``, as ``sha256sum`` has it."""

    file: WheelFile
    sha256: str

    def place(self, true_deg: float) -> Place:
        """The pointer's place at an angle of the encoder that is corrected already."""
        sign = 1 if self.file.direction == "up" else -1
        pointer = (sign * true_deg + self.file.offset_deg) % 360
        segment = min(int(pointer / SEGMENT_DEG), SEGMENTS - 1)
        inside = pointer - segment * SEGMENT_DEG
        return Place(segment, self.file.segments[segment], inside, min(inside, SEGMENT_DEG - inside))

    def slowing(self, speed_deg_s: float) -> float:
        """The most that this wheel changes its speed by without a hand, degrees per second squared."""
        return self.file.slowing_deg_s2 + self.file.slowing_per_s * abs(speed_deg_s)

    def pull_height(self, pointer_deg: float) -> float:
        """What gravity has stored in the wheel there, (degrees/s)²/2; 0 where its imbalance was not measured."""
        file = self.file
        if file.imbalance_deg_s2 is None or file.imbalance_at_deg is None:
            return 0.0
        return -math.degrees(file.imbalance_deg_s2) * math.sin(math.radians(pointer_deg - file.imbalance_at_deg))

    @property
    def least_slowing_deg_s2(self) -> float:
        """The least that this wheel slows by without a hand, as a mean over whole turns, degrees per second squared."""
        measured = self.file.least_slowing_deg_s2
        return min(LEAST_SLOWING_DEG_S2, self.file.slowing_deg_s2 / 2) if measured is None else measured

    def correction(self, encoder_deg: float) -> float:
        """What to add to an angle of the encoder."""
        points = self.file.correction_deg
        if not points:
            return 0.0
        where = encoder_deg % 360 / 360 * len(points)
        index = int(where) % len(points)
        part = where - int(where)
        return points[index] * (1 - part) + points[(index + 1) % len(points)] * part


def load_wheel(path: Path) -> WheelMap:
    """The wheel in the file, checked. Raises ``WheelFileError`` with file, key and reason."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise WheelFileError(path, ["there is no such file"]) from None
    except OSError as error:
        raise WheelFileError(path, [f"cannot be read: {error.strerror}"]) from error
    return parse_wheel(content, path)


def parse_wheel(content: bytes, path: Path) -> WheelMap:
    """As ``load_wheel``, from the file's bytes; ``path`` is for messages."""
    try:
        values = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # what UTF-8 and TOML decoding raise
        raise WheelFileError(path, [f"is no TOML: {error}"]) from error
    try:
        file = msgspec.convert(values, WheelFile, strict=True)
    except msgspec.ValidationError as error:
        raise WheelFileError(path, [_spoken(error)]) from error
    if problems := _problems(file):
        raise WheelFileError(path, problems)
    return WheelMap(file, "sha256:" + hashlib.sha256(content).hexdigest())


def _spoken(error: msgspec.ValidationError) -> str:
    reason, _, where = str(error).partition(" - at `$.")
    return f"{where.rstrip('`')}: {reason}" if where else reason


def _problems(file: WheelFile) -> list[str]:
    found = []
    if len(file.segments) != SEGMENTS:
        found.append(f"segments: {len(file.segments)} entries; the wheel has {SEGMENTS}")
    counts = Counter(file.segments)
    if unknown := sorted(counts.keys() - COUNTS.keys()):
        found.append(f"segments: {', '.join(map(repr, unknown))} is none of {', '.join(COUNTS)}")
    wrong = [f"{counts[color]} {color} for {wanted}" for color, wanted in COUNTS.items() if counts[color] != wanted]
    if wrong:
        found.append(f"segments: {', '.join(wrong)}")
    if len(file.correction_deg) in (1, 2, 3) or len(file.correction_deg) > 360:
        found.append("correction_deg: 4 to 360 entries at equal steps, or none")
    if not all(abs(value) <= MOST_CORRECTION_DEG for value in file.correction_deg):
        found.append(f"correction_deg: each is -{MOST_CORRECTION_DEG:g} to {MOST_CORRECTION_DEG:g}")
    elif not _rises(file.correction_deg):
        found.append("correction_deg: falls so steeply that the wheel's angle would go back while the encoder's rises")
    least = file.least_slowing_deg_s2
    if least is not None and not least <= file.slowing_deg_s2:
        found.append("least_slowing_deg_s2: above slowing_deg_s2, which is the most that the wheel slows by")
    found += _friction_problems(file)
    numbers = (file.offset_deg, file.slowing_deg_s2, file.slowing_per_s, file.keep_out_deg, *file.correction_deg)
    if not all(map(math.isfinite, numbers)):
        found.append("every number must be finite")
    return found


def _friction_problems(file: WheelFile) -> list[str]:
    found = []
    least, most = file.least_slowing_deg_s2, file.most_slowing_deg_s2
    if most is not None and (least is None or not least <= most <= file.slowing_deg_s2):
        found.append(
            "most_slowing_deg_s2: must be least_slowing_deg_s2 at least and slowing_deg_s2 at most, which counts the "
            "imbalance in; take all of them from one calibration"
        )
    if file.least_slowing_per_s > file.slowing_per_s:
        found.append("least_slowing_per_s: above slowing_per_s, which is the most")
    if (file.imbalance_deg_s2 is None) is not (file.imbalance_at_deg is None):
        found.append("imbalance_deg_s2, imbalance_at_deg: one without the other; take both from one calibration")
    pulled = (most or 0.0) + (file.imbalance_deg_s2 or 0.0)
    if most is not None and pulled > file.slowing_deg_s2 + ROUNDING_DEG_S2:
        found.append(
            f"imbalance_deg_s2: with most_slowing_deg_s2 it makes {pulled:g}; slowing_deg_s2, which counts both in, "
            f"is {file.slowing_deg_s2:g}; take all of them from one calibration"
        )
    return found


def _rises(correction_deg: list[float]) -> bool:
    """The corrected angle rises with the encoder's, all round: each place on the wheel has one angle."""
    step_deg = 360 / max(1, len(correction_deg))
    following = correction_deg[1:] + correction_deg[:1]
    return all(after - before > -step_deg for before, after in zip(correction_deg, following, strict=True))
