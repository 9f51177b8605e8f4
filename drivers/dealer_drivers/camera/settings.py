"""What the camera's processes are told: where the camera is, how to set it, what to do with its pictures."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from dealer_drivers.codes.symbology import Symbology

LOOK_S = 4.0
"""A question what lies there is answered within it, if only by the word that it cannot be told. Five pictures of the
slowest camera and their reading take a second of it; the rest is for scenes that come to rest late, and for doubts."""


class CodesTask(msgspec.Struct, frozen=True, kw_only=True, tag="codes", forbid_unknown_fields=True):
    """Codes of cards in a window: what to look for in every picture."""

    symbology: Symbology
    length: int | None = None
    second_reader: bool = True


class SceneTask(msgspec.Struct, frozen=True, kw_only=True, tag="scene", forbid_unknown_fields=True):
    """Things that come to rest, and are read when asked.

    ``reader`` names a function as ``package.module:function``, which makes a ``StillReader`` (``scene.py``) of
    ``options``; ``quiet_s`` is how long nothing may have moved.
    """

    reader: str
    options: dict[str, Any] = {}
    quiet_s: float = 0.5


Task: TypeAlias = CodesTask | SceneTask


class CameraSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``source`` is a V4L path or an http address. ``exposure``, ``focus``, ``width`` and ``height`` are in the
    camera's own units and for V4L cameras only; ``None`` leaves them alone. ``speed`` is that of the station's clock,
    other than 1 only with simulated cameras."""

    source: str
    task: Task
    exposure: float | None = None
    focus: float | None = None
    width: int | None = None
    height: int | None = None
    speed: float = 1.0

    @property
    def is_stream(self) -> bool:
        """Whether it comes over the network."""
        return self.source.startswith(("http://", "https://"))
