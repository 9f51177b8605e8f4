"""What two systems say of the same rounds: where they agree, differ, or only one of them speaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from dealer_calibration.bounds import CONFIDENCE, at_most, rounds_for
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
    the shadow said of it, where it has no result: what it said of one round since its result before, which explains
    no second one, and what lasted."""

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
    """The whole comparison. Rounds from before or after both were there are left out, and counted in ``outside``;
    ``after`` are those of the other system from after the shadow's last event. The other system is there from its first
    result to its last, the shadow from its first event to its station's last: a shadow that stood was there."""

    table: str
    game: str
    compared: tuple[str, ...]
    first: datetime | None
    last: datetime | None
    pairs: int
    agree: int
    differences: tuple[Difference, ...]
    outside: tuple[int, int]
    after: int
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
            "outside": {"ours": self.outside[0], "theirs": self.outside[1], "theirs_after_ours": self.after},
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
    first, last = _common(shadow, theirs, late, timedelta(seconds=window_s))
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
    said = _Whys(shadow, window_s)
    found += [
        Difference("only_theirs", one.time - late, None, one, whys=said.of(one.time - late)) for one in theirs_inside
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
        after=sum(last is not None and one.time - late > last for one in others),
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
    shadow: Shadow, theirs: Sequence[Theirs], late: timedelta, window: timedelta
) -> tuple[datetime | None, datetime | None]:
    """The time in which both systems were there, a window more at both ends."""
    if not shadow.outcomes or not theirs:
        return None, None
    first = max(shadow.first, theirs[0].time - late) - window
    last = min(shadow.last, theirs[-1].time - late) + window
    return first, last


class _Whys:
    """What the shadow said of rounds of which it has no result. Asked in the order of time."""

    def __init__(self, shadow: Shadow, window_s: float) -> None:
        self._shadow = shadow
        self._window = timedelta(seconds=window_s)
        self._told: set[int] = set()
        """What was about one round, and has explained one."""

    def of(self, at: datetime) -> tuple[Why, ...]:
        """The reasons for a round of that time: what lasted then, and what was said since the result before of no
        round that another one is explained by."""
        before = max((one.time for one in self._shadow.outcomes if one.time < at), default=None)
        found = tuple(why for why in self._shadow.whys if self._explains(why, before, at))
        self._told |= {why.sequence for why in found if not why.lasts}
        return found

    def _explains(self, why: Why, before: datetime | None, at: datetime) -> bool:
        if why.time > at + self._window:
            return False
        if why.lasts:
            return why.end is None or why.end >= at - self._window
        return (before is None or why.time > before) and why.sequence not in self._told
