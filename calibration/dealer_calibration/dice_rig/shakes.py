"""A set of shakes, each read by the rig's reader and typed by a person: what agrees, what is refused, what is wrong.
Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from dealer_calibration.bench import Finding
from dealer_calibration.bounds import at_most
from dealer_calibration.dice_rig.margins import LIMITS, NEAR, bars, histograms

Typed: TypeAlias = tuple[int, ...] | None
"""What a person saw, ascending; ``None``: a die does not lie flat, or something is in the way."""

NOT_FLAT = ("x", "-")
SHAKES = 60
"""Of a set: no wrong one among 60 bounds the rate of wrong ones at 4.9 %."""
READ = 0.9
"""Part of the shakes with all dice flat that must be read."""
ENOUGH = 0.8
"""Part of a set: some are refused rightly."""
EACH_VALUE = 5


def typed_dice(text: str) -> Typed:
    """``1 3 6``, ``1-3-6`` or ``136``; ``x`` where they do not all lie flat. Raises ``ValueError``."""
    words = text.strip().lower()
    if words in NOT_FLAT:
        return None
    digits = re.sub(r"[\s,;-]+", "", words)
    if not digits or any(digit not in "123456" for digit in digits):
        raise ValueError(f"{text.strip()!r} are no dice: type their values, as 1 3 6, or x where one does not lie flat")
    return tuple(sorted(int(digit) for digit in digits))


def truth_of(text: str) -> list[Typed]:
    """One shake a line; empty lines and those from ``#`` on do not count. Raises ``ValueError`` with the line."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].strip()
        if words:
            try:
                found.append(typed_dice(words))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
    return found


@dataclass(frozen=True, slots=True)
class ShakeRead:
    """One shake. ``read`` is ``None`` when it was refused, and ``reasons`` say why. ``used``: see ``margins``."""

    number: int
    typed: Typed
    read: tuple[int, ...] | None
    reasons: tuple[str, ...]
    detail: str
    used: Mapping[str, float]

    def readable(self, count: int) -> bool:
        """Whether a reader should have read it."""
        return self.typed is not None and len(self.typed) == count

    def as_json(self) -> dict[str, Any]:
        """For the calibration's record."""
        return {
            "shake": self.number,
            "typed": None if self.typed is None else list(self.typed),
            "read": None if self.read is None else list(self.read),
            "reasons": list(self.reasons),
            "used": dict(self.used),
        }


@dataclass(frozen=True, slots=True)
class Tally:
    """A set of shakes of ``count`` dice."""

    shakes: Sequence[ShakeRead]
    count: int

    @property
    def read(self) -> list[ShakeRead]:
        """Those that were read, rightly or not."""
        return [one for one in self.shakes if one.read is not None]

    @property
    def wrong(self) -> list[ShakeRead]:
        """Read, and otherwise than typed: that there was anything to read is wrong, too, where a die was not flat."""
        return [one for one in self.read if one.read != one.typed]

    @property
    def flat(self) -> list[ShakeRead]:
        """Those that should be read."""
        return [one for one in self.shakes if one.readable(self.count)]

    def confusion(self) -> list[list[int]]:
        """Rows: typed 1 to 6. Columns: read 1 to 6, then refused. Dice, each shake's in ascending order."""
        table = [[0] * 7 for _ in range(6)]
        for one in self.flat:
            assert one.typed is not None
            seen = one.read if one.read is not None and len(one.read) == len(one.typed) else (7,) * len(one.typed)
            for true, told in zip(one.typed, seen, strict=True):
                table[true - 1][told - 1] += 1
        return table

    def reasons(self) -> dict[str, int]:
        """How often each reason came first among the refused, the most frequent first."""
        return dict(Counter(one.reasons[0] for one in self.shakes if one.read is None and one.reasons).most_common())

    def histograms(self) -> dict[str, list[int]]:
        """How much of each limit readings used."""
        return histograms(one.used for one in self.flat)

    def figures(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        return {
            "shakes": len(self.shakes),
            "flat": len(self.flat),
            "read": len(self.read),
            "wrong": len(self.wrong),
            "wrong_at_most": round(at_most(len(self.wrong), len(self.read)), 5) if self.read else None,
            "refused": self.reasons(),
            "confusion": self.confusion(),
            "margins": self.histograms(),
        }


def judged(tally: Tally) -> list[Finding]:
    """What the set says of the rig."""
    return [_right(tally), *_enough(tally), _rate(tally), _refuses(tally), _values(tally), *_near(tally)]


def _right(tally: Tally) -> Finding:
    read, wrong = len(tally.read), tally.wrong
    figures = {"read": read, "wrong": len(wrong), "confusion": tally.confusion(), "refused": tally.reasons()}
    if wrong:
        first = wrong[0]
        typed = "dice that do not lie flat" if first.typed is None else shown(first.typed)
        return Finding(
            code="read_wrong",
            ok=False,
            said=f"{len(wrong)} of {read} were read wrongly; shake {first.number}: typed {typed}, read "
            f"{shown(first.read)}",
            do_next="look at the picture of that shake; if it was typed rightly, do not use this rig: change light, "
            "plate or dice and calibrate again",
            figures=figures,
        )
    if not read:
        return Finding(
            code="read_wrong", ok=False, said="no shake was read", do_next="see why they were refused", figures=figures
        )
    most = at_most(0, read)
    return Finding(
        code="read_wrong",
        ok=True,
        said=f"none of {read} read shakes was wrong; by that many, at most {most:.1%} are (95 % sure)",
        figures={**figures, "wrong_at_most": round(most, 5)},
    )


def _enough(tally: Tally) -> list[Finding]:
    read = len(tally.read)
    if read >= ENOUGH * SHAKES or tally.wrong or not read:
        return []
    return [
        Finding(
            code="few_shakes",
            ok=None,
            said=f"{read} read shakes prove little: a set has {SHAKES}, which bound the wrong ones at "
            f"{at_most(0, SHAKES):.1%}",
            do_next=f"calibrate with {SHAKES} shakes before the table opens",
        )
    ]


def _rate(tally: Tally) -> Finding:
    flat = tally.flat
    good = sum(one.read is not None for one in flat)
    figures = {"flat": len(flat), "read": good}
    if not flat:
        return Finding(
            code="read_rate", ok=False, said="no shake had all dice flat", do_next="look at the shaker", figures=figures
        )
    said = f"{good} of {len(flat)} shakes with all dice flat were read"
    if good >= READ * len(flat):
        return Finding(code="read_rate", ok=True, said=said, figures=figures)
    why = Counter(one.reasons[0] for one in flat if one.read is None and one.reasons).most_common(1)
    detail = next((one.detail for one in flat if one.read is None and one.reasons[:1] == (why[0][0],)), "")
    return Finding(
        code="read_rate",
        ok=False,
        said=f"{said}, {READ:.0%} must be; most often refused as {why[0][0]}: {detail}",
        do_next="mend that (docs/reference/reasons.md) and calibrate again",
        figures=figures,
    )


def _refuses(tally: Tally) -> Finding:
    bad = [one for one in tally.shakes if not one.readable(tally.count)]
    figures = {"not_flat": len(bad), "refused": sum(one.read is None for one in bad)}
    if not bad:
        return Finding(
            code="refuses",
            ok=None,
            said="every shake had all dice flat: that others are refused was not seen",
            do_next="lay a die aslant and one on another, and look at them with dice live",
            figures=figures,
        )
    passed = sum(one.read is not None for one in bad)
    if passed:
        return Finding(
            code="refuses",
            ok=False,
            said=f"{passed} of {len(bad)} shakes whose dice do not all lie flat were read",
            do_next="calibrate again in steadier light; do not use this rig until then",
            figures=figures,
        )
    return Finding(
        code="refuses",
        ok=True,
        said=f"all {len(bad)} shakes with dice that do not lie flat are refused",
        figures=figures,
    )


def _values(tally: Tally) -> Finding:
    seen = Counter(value for one in tally.read if one.read == one.typed for value in one.read or ())
    few = [f"{value} ({seen[value]})" for value in range(1, 7) if seen[value] < EACH_VALUE]
    figures = {str(value): seen[value] for value in range(1, 7)}
    if few:
        return Finding(
            code="values_seen",
            ok=None,
            said=f"these were read rightly fewer than {EACH_VALUE} times: {', '.join(few)}",
            do_next="take more shakes",
            figures=figures,
        )
    return Finding(
        code="values_seen", ok=True, said=f"every value was read rightly {min(seen.values())} times", figures=figures
    )


def _near(tally: Tally) -> list[Finding]:
    found = list[Finding]()
    for name, counts in tally.histograms().items():
        parts = sorted(one.used[name] for one in tally.flat if name in one.used)
        high = parts[min(len(parts) - 1, int(0.95 * len(parts)))]
        if high > NEAR:
            found.append(
                Finding(
                    code=f"limit_{name}",
                    ok=None,
                    said=f"{LIMITS[name]}: one of twenty shakes uses {high:.0%} of what is allowed {bars(counts)}",
                    do_next="expect refused shakes; light, focus and the camera's place decide it",
                    figures={"used": high},
                )
            )
    return found


def shown(values: Sequence[int] | None) -> str:
    """Dice for a person."""
    return "nothing" if values is None else " ".join(map(str, values))
