"""Where a calibration goes: which key of a device or of a game it stands for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CalibrationSlot:
    """The ``kind`` of calibration that fits, and the dotted ``key`` that it fills.

    With ``file`` the key gets the path of the attached file of that name; without, it gets the calibration's values.
    """

    kind: str
    key: str
    file: str | None = None
