"""What becomes of one unit staked on a bet."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Result:
    """``word``: ``win``, ``lose``, ``push`` (stake back), ``half`` (half of it back), ``none`` (not offered in this
    round, or settled under another bet), ``unprinted`` (the book does not say). ``net``: units won or lost;
    None where the book prints no odds."""

    word: str
    net: Fraction | None


LOSE = Result("lose", Fraction(-1))
PUSH = Result("push", Fraction(0))
HALF = Result("half", Fraction(-1, 2))
NONE = Result("none", None)
UNPRINTED = Result("unprinted", None)


def win(odds: str | int | float | Fraction | None) -> Result:
    return Result("win", None if odds is None else Fraction(str(odds)))


def net(units: Fraction) -> Result:
    """A result of several stakes together."""
    return Result("win" if units > 0 else "lose" if units < 0 else "push", units)
