"""What the camera's process is told: where the camera is, how to set it, what to look for."""

from __future__ import annotations

import msgspec

from dealer_drivers.codes.symbology import Symbology


class CameraSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``source`` is a V4L path or an http address. ``exposure``, ``focus``, ``width`` and ``height`` are in the
    camera's own units and for V4L cameras only; ``None`` leaves them alone."""

    source: str
    symbology: Symbology
    length: int | None = None
    second_reader: bool = True
    exposure: float | None = None
    focus: float | None = None
    width: int | None = None
    height: int | None = None

    @property
    def is_stream(self) -> bool:
        """Whether it comes over the network."""
        return self.source.startswith(("http://", "https://"))
