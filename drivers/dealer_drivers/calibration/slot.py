"""Where a calibration goes: which key of a device or of a game it stands for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CalibrationSlot:
    """The ``kind`` of calibration that fits, and the dotted ``key`` that it fills.

    With ``file`` the key gets the path of the attached file of that name; without, it gets the calibration's values.
    An empty ``key``: it fills nothing, and is there for what readings are held against (``calibration.drift``).
    ``section``: another kind that fits, and which section of its values the key gets; one without it fills nothing.
    """

    kind: str
    key: str
    file: str | None = None
    section: tuple[str, str] | None = None

    def takes(self, kind: str) -> bool:
        """Whether a calibration of that kind may go here."""
        return kind == self.kind or (self.section is not None and kind == self.section[0])

    def section_of(self, kind: str) -> str | None:
        """The section of such a calibration's values that the key gets; ``None``: all of them."""
        return self.section[1] if self.section is not None and kind == self.section[0] else None


CARD_READER = CalibrationSlot("card-reader", "")
"""How many cards a reader read at their first pass, when every card of a pile passed it."""
