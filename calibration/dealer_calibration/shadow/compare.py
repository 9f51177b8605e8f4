"""What two systems say of the same rounds: where they agree, differ, or only one of them speaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from dealer_calibration.shadow.bound import CONFIDENCE, at_most, rounds_for
from dealer_calibration.shadow.ours import Ours, Shadow, Why
from dealer_calibration.shadow.pairing import pair
from dealer_calibration.shadow.theirs import BadResultsError, Theirs
from dealer_calibration.shadow.values import NoFact, comparable, fact_at

Kind = Literal["differ", "only_theirs", "only_ours"]
GOAL = 1e-4
"""The share for which the report says how many rounds it takes: one wrong result in ten thousand."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One round of which the two do not say the same. ``facts`` are the names of those that differ; ``whys`` are what
    the shadow said since its result before, where it has none of this round."""

    kind: Kind
    time: datetime
    ours: Ours | None
    theirs: Theirs | None
    facts: tuple[str, ...] = ()
    whys: tuple[Why, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        ours, theirs = self.ours, self.theirs
        return {
            "kind": self.kind,
            "time": self.time.isoformat(),
            "differs": list(self.facts),
            "ours": None
            if ours is None
            else {
                "sequence": ours.sequence,
                "round": ours.round,
                "time": ours.time.isoformat(),
                "facts": ours.facts,
                "attempts": ours.attempts,
                "evidence": list(ours.evidence),
            },
            "theirs": None
            if theirs is None
            else {"line": theirs.line, "time": theirs.time.isoformat(), **theirs.facts, **theirs.rest},
            "why_not_ours": [
                {"sequence": why.sequence, "type": why.type, "text": why.text, "evidence": list(why.evidence)}
                for why in self.whys
            ],
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """The whole comparison. Rounds before the first or after the last result of either system are left out, and
    counted in ``outside``."""

    table: str
    game: str
    compared: tuple[str, ...]
    first: datetime | None
    last: datetime | None
    pairs: int
    agree: int
    differences: tuple[Difference, ...]
    outside: tuple[int, int]
    offset_s: float
    widest_s: float

    def count(self, kind: Kind) -> int:
        """Differences of a kind."""
        return sum(one.kind == kind for one in self.differences)

    @property
    def unexplained(self) -> int:
        """Rounds of theirs of which the shadow has no result and does not say why."""
        return sum(one.kind == "only_theirs" and not one.whys for one in self.differences)

    @property
    def differ_at_most(self) -> float:
        """With ``CONFIDENCE`` at most so large a share of rounds differ."""
        return at_most(self.count("differ"), self.pairs)

    @property
    def lost_at_most(self) -> float:
        """With ``CONFIDENCE`` at most so large a share of rounds is missed without a reason."""
        return at_most(self.unexplained, self.pairs + self.count("only_theirs"))

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "table": self.table,
            "game": self.game,
            "compared": list(self.compared),
            "first": None if self.first is None else self.first.isoformat(),
            "last": None if self.last is None else self.last.isoformat(),
            "pairs": self.pairs,
            "agree": self.agree,
            "differ": self.count("differ"),
            "only_theirs": self.count("only_theirs"),
            "only_theirs_without_reason": self.unexplained,
            "only_ours": self.count("only_ours"),
            "outside": {"ours": self.outside[0], "theirs": self.outside[1]},
            "theirs_later_s": round(self.offset_s, 3),
            "widest_s": round(self.widest_s, 3),
            "confidence": CONFIDENCE,
            "differ_at_most": self.differ_at_most,
            "lost_at_most": self.lost_at_most,
            "rounds_for_one_in_10000": rounds_for(GOAL),
            "differences": [one.as_json() for one in self.differences],
        }


def compare(shadow: Shadow, theirs: Sequence[Theirs], *, window_s: float, offset_s: float | None) -> Comparison:
    """Compares the shadow's results with ``theirs``, which are in the order of time.

    ``window_s`` is how far two results of one round may be apart, ``offset_s`` how much later theirs come where that
    is known. Raises ``BadResultsError`` for a fact that the shadow's results do not have.
    """
    compared = tuple(theirs[0].facts) if theirs else ()
    ours = shadow.outcomes
    _check_names(ours, compared)
    paired = pair([one.time for one in ours], [one.time for one in theirs], window_s, offset_s)
    late = timedelta(seconds=paired.offset_s)
    first, last = _common(ours, theirs, late, timedelta(seconds=window_s))
    found: list[Difference] = []
    agree = 0
    for i, j in paired.pairs:
        wrong = tuple(name for name in compared if not _same(name, ours[i], theirs[j]))
        agree += not wrong
        if wrong:
            found.append(Difference("differ", ours[i].time, ours[i], theirs[j], wrong))
    mine = [ours[i] for i in paired.only_ours]
    others = [theirs[j] for j in paired.only_theirs]
    inside = [one for one in mine if first <= one.time <= last] if first and last else []
    theirs_inside = [one for one in others if first <= one.time - late <= last] if first and last else []
    found += [Difference("only_ours", one.time, one, None) for one in inside]
    found += [
        Difference("only_theirs", one.time - late, None, one, whys=_whys(shadow, one.time - late, window_s))
        for one in theirs_inside
    ]
    return Comparison(
        table=shadow.table,
        game=shadow.game,
        compared=compared,
        first=first,
        last=last,
        pairs=len(paired.pairs),
        agree=agree,
        differences=tuple(sorted(found, key=lambda one: one.time)),
        outside=(len(mine) - len(inside), len(others) - len(theirs_inside)),
        offset_s=paired.offset_s,
        widest_s=paired.widest_s,
    )


def _check_names(ours: Sequence[Ours], compared: Sequence[str]) -> None:
    for name in compared if ours else ():
        try:
            fact_at(ours[0].facts, name)
        except NoFact as error:
            raise BadResultsError(f"{error}. Rename the column with --column, or name those to compare") from error


def _same(name: str, ours: Ours, theirs: Theirs) -> bool:
    try:
        value = fact_at(ours.facts, name)
    except NoFact:
        return False  # a hand without it, where the other system has one
    return comparable(name, value) == comparable(name, theirs.facts[name])


def _common(
    ours: Sequence[Ours], theirs: Sequence[Theirs], late: timedelta, window: timedelta
) -> tuple[datetime | None, datetime | None]:
    """The time in which both systems spoke, a window more at both ends."""
    if not ours or not theirs:
        return None, None
    first = max(ours[0].time, theirs[0].time - late) - window
    last = min(ours[-1].time, theirs[-1].time - late) + window
    return first, last


def _whys(shadow: Shadow, at: datetime, window_s: float) -> tuple[Why, ...]:
    """What the shadow said between its result before that time and that time."""
    window = timedelta(seconds=window_s)
    before = max((one.time for one in shadow.outcomes if one.time < at), default=None)
    return tuple(why for why in shadow.whys if (before is None or why.time > before) and why.time <= at + window)
