"""A set of layouts, each read by the cloth's reader and counted by a person. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dealer_calibration.bench import Finding
from dealer_calibration.bounds import at_most

READ = 0.9
"""Part of the clean layouts that must be read."""


@dataclass(frozen=True, slots=True)
class LayoutRead:
    """``counted`` by a person; ``None`` where it is not laid out cleanly. ``read``: beans, or ``None`` when refused."""

    number: int
    counted: int | None
    read: int | None
    reasons: tuple[str, ...]
    detail: str

    def as_json(self) -> dict[str, Any]:
        """For the calibration's record."""
        return {"layout": self.number, "counted": self.counted, "read": self.read, "reasons": list(self.reasons)}


def counted_of(text: str) -> int | None:
    """A number from 1 to 200; ``x`` for a layout that is not clean. Raises ``ValueError``."""
    word = text.strip().lower()
    if word in ("x", "-"):
        return None
    if not (word.isascii() and word.isdigit()) or not 1 <= int(word) <= 200:
        raise ValueError(
            f"{text.strip()!r} is no number of beans: type 1 to 200, or x where they are not laid out clean"
        )
    return int(word)


def counts_of(text: str) -> list[int | None]:
    """One layout a line; empty lines and those from ``#`` on do not count. Raises ``ValueError`` with the line."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if words := line.partition("#")[0].strip():
            try:
                found.append(counted_of(words))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
    return found


def judged(layouts: Sequence[LayoutRead]) -> list[Finding]:
    """What the set says."""
    read = [one for one in layouts if one.read is not None]
    wrong = [one for one in read if one.read != one.counted]
    clean = [one for one in layouts if one.counted is not None]
    good = sum(one.read is not None for one in clean)
    reasons = dict(Counter(one.reasons[0] for one in layouts if one.read is None and one.reasons).most_common())
    figures = {"layouts": len(layouts), "read": len(read), "wrong": len(wrong), "refused": reasons}
    found = []
    if wrong:
        first = wrong[0]
        counted = "not clean" if first.counted is None else f"{first.counted} beans"
        found.append(
            Finding(
                code="read_wrong",
                ok=False,
                said=f"{len(wrong)} of {len(read)} were read wrongly; layout {first.number}: counted {counted}, read "
                f"{first.read}",
                do_next="count that layout again; if it was counted rightly, do not use this camera: calibrate again "
                "in better light",
                figures=figures,
            )
        )
    elif read:
        most = at_most(0, len(read))
        found.append(
            Finding(
                code="read_wrong",
                ok=True,
                said=f"none of {len(read)} read layouts was wrong; by that many, at most {most:.0%} are (95 % sure)",
                figures={**figures, "wrong_at_most": round(most, 5)},
            )
        )
    said = f"{good} of {len(clean)} clean layouts were read"
    if clean and good >= READ * len(clean):
        found.append(Finding(code="read_rate", ok=True, said=said))
    else:
        why = next((f": {one.reasons[0]}: {one.detail}" for one in clean if one.read is None and one.reasons), "")
        found.append(Finding(code="read_rate", ok=False, said=f"{said}{why}", do_next="mend that and calibrate again"))
    return found
