"""A scene that comes to rest: when nothing moves any more, and what is read then. Pure: pictures and time in.

Nothing counts that one picture alone shows: a look needs several different pictures of the same still scene, each read
by itself, and all of them alike; and nothing may move from the first of them on. A picture that is the very one before
it is no second picture (a stream that stands still repeats its last one, ``devices.md`` §4): neither in a look, nor for
the time that nothing has moved. That time is one of pictures that came: what happened between two of them that are as
far apart nobody saw.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from dealer_drivers.camera.movement import Movement
from dealer_drivers.camera.settings import LOOK_S

Pixels: TypeAlias = npt.NDArray[np.uint8]

AGREEING = 5
"""Different pictures in a row that must be read alike."""
MOST_PICTURES = 12
"""Looked at for one question; a scene that noise makes doubtful now and then gets this many chances in all."""


LONG_GAP_S = 0.25
"""Of real time. Pictures of the slowest camera in use come every tenth of a second, on a busy machine some come late:
only a gap that is as long as the quiet time, and as this, breaks it."""
RESTING = 4
"""So many pictures after the last that moved must show no movement, however far apart they are. Half a second has five
of the slowest camera; on a busy machine it had two, and what is shaken looks the same in two now and then."""


_FROZEN = "the camera gives the same picture again and again: restart the camera"


class SceneDoubt(StrEnum):
    """Why a scene gives no value, whatever lies there."""

    MOVING = "moving"
    """It did not come to rest."""
    FRAMES_DISAGREE = "frames_disagree"
    """Two pictures of the same still scene were read differently."""
    CAMERA_FAULT = "camera_fault"
    """The camera gives the same picture again and again, or too few."""


class NotSure(Protocol):
    """What a reader answers instead of a value: words of the documented list, the strongest first."""

    @property
    def reasons(self) -> tuple[str, ...]: ...
    @property
    def detail(self) -> str: ...


class ReaderError(Exception):
    """A reader cannot be made of these options; ``key`` is the one, the text says which file and what to do."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key


class StillReader(Protocol):
    """Reads one picture. Pure, and never raises on pixels."""

    def read(self, picture: Pixels) -> Any | NotSure:
        """A value, or something with ``reasons`` and ``detail``."""
        ...

    def same(self, one: Any, other: Any) -> bool:
        """Two values that show the same things at the same places."""
        ...

    def encode(self, value: Any) -> dict[str, Any]:
        """The value as JSON has it."""
        ...


@dataclass(frozen=True, slots=True)
class Moved:
    """Something moves, since the picture taken at ``taken_ns``."""

    taken_ns: int


@dataclass(frozen=True, slots=True)
class CameToRest:
    """Nothing moved for the set time; the first picture like the later ones was taken at ``since_ns``."""

    since_ns: int


@dataclass(frozen=True, slots=True)
class Looked:
    """The answer to question ``ask``: a value, or reasons. ``pixels`` is the last picture looked at that shows the
    value or, where one does, the first reason."""

    ask: int
    first_ns: int
    last_ns: int
    frames: int
    value: dict[str, Any] | None
    reasons: tuple[str, ...]
    detail: str
    pixels: Pixels


SceneEvent: TypeAlias = Moved | CameToRest | Looked


@dataclass(slots=True)
class _Question:
    ask: int
    since_ns: int
    frames: int = 0
    rested: bool = False
    """A picture since the question showed the scene at rest."""
    first_ns: int = 0
    agreeing: list[tuple[Any, int]] = field(default_factory=list)
    """Values in a row, each with when its picture was taken."""
    reasons: Counter[str] = field(default_factory=Counter)
    details: dict[str, str] = field(default_factory=dict)
    """What the newest picture with this reason says of it."""
    shown: dict[str, Pixels] = field(default_factory=dict)
    """That picture."""
    digests: set[bytes] = field(default_factory=set)


class SceneWatcher:
    """``quiet_s``: so long nothing may move before the scene is still. ``look_s``: a question is answered within it,
    if only with ``moving``."""

    def __init__(self, reader: StillReader, quiet_s: float, look_s: float = LOOK_S) -> None:
        self._reader = reader
        self._quiet_ns = round(quiet_s * 1e9)
        self._gap_ns = max(self._quiet_ns, round(LONG_GAP_S * 1e9))
        self._look_ns = round(look_s * 1e9)
        self._movement = Movement()
        self._still: bool | None = None
        self._since_ns = 0
        self._alike = 0
        """Pictures since then, without movement."""
        self._newest: Pixels | None = None
        self._newest_ns = 0
        """The newest picture that was not the very one before it, and when it was taken."""
        self._question: _Question | None = None

    def ask(self, ask: int, now_ns: int) -> None:
        """What lies there? Pictures taken from now on answer it; an older question is dropped."""
        self._question = _Question(ask, now_ns)

    def picture(self, pixels: Pixels, taken_ns: int) -> list[SceneEvent]:
        """One picture, in order."""
        repeated = self._newest is not None and np.array_equal(pixels, self._newest)
        events = [] if repeated else self._scene(pixels, taken_ns)
        question = self._question
        if question is not None and taken_ns > question.since_ns:
            answer = self._answer(question, pixels, taken_ns)
            if answer is not None:
                self._question = None
                events.append(answer)
        return events

    def _scene(self, pixels: Pixels, taken_ns: int) -> list[SceneEvent]:
        """What a picture that is another than before it says of the scene."""
        gap_ns, self._newest, self._newest_ns = taken_ns - self._newest_ns, pixels, taken_ns
        self._alike += 1
        if self._movement.changed(pixels):
            self._since_ns, self._alike = taken_ns, 0
            if self._still is not False:
                self._still = False
                return [Moved(taken_ns)]
        elif self._still is None:
            self._still, self._since_ns, self._alike = False, taken_ns, 0
            return [Moved(taken_ns)]
        elif not self._still and gap_ns >= self._gap_ns:
            self._since_ns, self._alike = taken_ns, 0
        elif not self._still and self._alike >= RESTING and taken_ns - self._since_ns >= self._quiet_ns:
            self._still = True
            return [CameToRest(self._since_ns)]
        return []

    def _answer(self, question: _Question, pixels: Pixels, taken_ns: int) -> Looked | None:
        late = taken_ns - question.since_ns >= self._look_ns
        if not self._still:
            if not late and not question.rested:
                return None
            if not question.rested and taken_ns - self._newest_ns >= self._look_ns / 2:
                return self._looked(question, pixels, taken_ns, None, (SceneDoubt.CAMERA_FAULT,), _FROZEN)
            # What lies there after it moved again is not what was asked about.
            detail = f"something moved in the picture for {self._look_ns / 1e9:g} s"
            if question.rested:
                detail = "something moved in the picture after it had come to rest, before it was read"
            return self._looked(question, pixels, taken_ns, None, (SceneDoubt.MOVING,), detail)
        question.rested = True
        digest = hashlib.sha256(pixels.tobytes()).digest()
        if digest in question.digests:
            if not late:
                return None
            return self._looked(question, pixels, taken_ns, None, (SceneDoubt.CAMERA_FAULT,), _FROZEN)
        question.digests.add(digest)
        question.frames += 1
        question.first_ns = question.first_ns or taken_ns
        self._read(question, pixels, taken_ns)
        if len(question.agreeing) >= AGREEING:
            value = self._reader.encode(question.agreeing[0][0])
            question.first_ns, question.frames = question.agreeing[0][1], len(question.agreeing)
            return self._looked(question, pixels, taken_ns, value, (), "")
        if question.frames < MOST_PICTURES and not late:
            return None
        reasons = tuple(word for word, _ in question.reasons.most_common()) or (SceneDoubt.CAMERA_FAULT,)
        detail = question.details.get(reasons[0], "the camera gives too few pictures")
        return self._looked(question, question.shown.get(reasons[0], pixels), taken_ns, None, reasons, detail)

    def _read(self, question: _Question, pixels: Pixels, taken_ns: int) -> None:
        answer = self._reader.read(pixels)
        reasons: tuple[str, ...] | None = getattr(answer, "reasons", None)
        if reasons is not None:
            question.agreeing.clear()
            question.reasons.update(map(str, reasons))
            question.details[str(reasons[0])] = answer.detail
            question.shown |= dict.fromkeys(map(str, reasons), pixels)
            return
        if question.agreeing and not self._reader.same(question.agreeing[0][0], answer):
            question.agreeing.clear()
            question.reasons.update([str(SceneDoubt.FRAMES_DISAGREE)])
            question.details[SceneDoubt.FRAMES_DISAGREE] = "two pictures of the same still scene were read differently"
            question.shown[SceneDoubt.FRAMES_DISAGREE] = pixels
        question.agreeing.append((answer, taken_ns))

    def _looked(
        self,
        question: _Question,
        pixels: Pixels,
        taken_ns: int,
        value: dict[str, Any] | None,
        reasons: tuple[str, ...],
        detail: str,
    ) -> Looked:
        first_ns = question.first_ns or taken_ns
        return Looked(question.ask, first_ns, taken_ns, question.frames, value, reasons, detail, pixels)
