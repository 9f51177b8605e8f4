"""A camera over a scene: what its process says, to readings (``devices.md`` §4). Pure.

An answer counts for the newest question only: one that was asked before the link was lost, or before a newer question,
is dropped and said. When its pictures were taken stands in the answer, so that the judge can tell an old scene.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dealer_drivers.camera.living import STILL_S, LivingPicture
from dealer_drivers.camera.messages import (
    Ask,
    Beat,
    CameraRefused,
    Gap,
    LookMade,
    Message,
    MessageLines,
    PictureFile,
    Ready,
    Scene,
    Sight,
    encode,
)
from dealer_drivers.camera.readings import Look, LookUnclear, SceneMoved, SceneStill
from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceNotice, Picture, Reading, Unreadable

Seen = Callable[[dict[str, Any], dict[str, Any]], Look | None]
"""From a look's value and the fields that every look has to the reading; ``None`` for a value that cannot be."""


class SceneSession:
    """``seen`` and ``unclear`` make the family's readings; ``unclear`` is a reading type of its own."""

    def __init__(self, seen: Seen, unclear: type[LookUnclear]) -> None:
        self._seen = seen
        self._unclear = unclear
        self._lines = MessageLines()
        self._asked = 0
        self._answered = 0
        self._pictures: dict[str, Picture] = {}
        self._living = LivingPicture("nothing in it counts", STILL_S)

    def opened(self, at: Instant) -> Output:
        """The link is up."""
        self._lines.reset()
        self._pictures.clear()
        self._answered = self._asked
        self._living.opened(at)
        return NOTHING

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        """The link is down: no question is answered any more."""
        self._lines.reset()
        self._pictures.clear()
        self._answered = self._asked
        return Output(self._living.lost(at))

    def feed(self, data: bytes, at: Instant) -> Output:
        """Bytes arrived."""
        readings: list[Reading] = []
        found, rejected = self._lines.feed(data)
        for message, line in found:
            readings += self._message(message, line, at)
        return Output(tuple(readings), (), len(found), rejected)

    def tick(self, at: Instant) -> Output:  # noqa: ARG002
        """Nothing waits for time here."""
        return NOTHING

    def deadline_ns(self) -> int | None:
        """None."""
        return None

    def request(self, action: DeviceAction, at: Instant) -> Output:  # noqa: ARG002
        """Asks what lies there."""
        if action is not DeviceAction.LOOK:
            return NOTHING
        self._asked += 1
        return Output(send=(encode(Ask(self._asked)),))

    def _message(self, message: Message, line: bytes, at: Instant) -> tuple[Reading, ...]:
        match message:
            case Scene(moving=True):
                return (SceneMoved(at=at, raw=line, taken=at.plus_s(-message.age_ms / 1000)),)
            case Scene():
                return (SceneStill(at=at, raw=line, since=at.plus_s(-message.age_ms / 1000)),)
            case PictureFile():
                return self._picture(message, line, at)
            case LookMade():
                return self._look(message, line, at)
            case Beat():
                return self._living.beat(message, line, at)
            case Ready():
                return (DeviceNotice(at=at, raw=line, notice="camera", detail=message.detail),)
            case CameraRefused() | Sight() | Gap():
                # The first the transport has said, the second is no word of a scene, and a look has its own times.
                return ()

    def _picture(self, message: PictureFile, line: bytes, at: Instant) -> tuple[Reading, ...]:
        picture = message.picture()
        if picture is None:
            return (Unreadable(at=at, raw=line[:256], reason="a picture's file is not the one that was named"),)
        self._pictures = {picture.sha256: picture}
        return ()

    def _look(self, message: LookMade, line: bytes, at: Instant) -> tuple[Reading, ...]:
        picture = self._pictures.pop(message.picture, None)
        if message.ask != self._asked or message.ask <= self._answered:
            return (Unreadable(at=at, raw=line[:256], reason=f"an answer to question {message.ask}, which is old"),)
        if picture is None:
            return (Unreadable(at=at, raw=line[:256], reason="a look without its picture"),)
        self._answered = message.ask
        fields: dict[str, Any] = {
            "at": at,
            "raw": line,
            "pictures": (picture,),
            "ask": message.ask,
            "first": at.plus_s(-message.first_age_ms / 1000),
            "last": at.plus_s(-message.last_age_ms / 1000),
            "frames": message.frames,
        }
        if message.value is None:
            return (self._unclear(**fields, reasons=message.reasons, detail=message.detail),)
        reading = self._seen(message.value, fields)
        if reading is None:
            return (Unreadable(at=at, raw=line[:256], reason="a look whose value cannot be"),)
        return (reading,)
