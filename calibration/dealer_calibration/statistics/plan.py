"""What is looked at in one game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec
import numpy as np

from dealer_calibration.statistics.outcomes import BadExportError, Outcome, Series
from dealer_calibration.statistics.question import Draws, Question

F = TypeVar("F", bound=msgspec.Struct)


@dataclass(frozen=True)
class Plan:
    """The questions of a game, the first of which is its main one, and the draws for them.

    ``draws`` answers one ``Draws`` a question; ``split`` names the wheel that a round was played on where the facts
    say it: two wheels are never thrown together.
    """

    game: str
    questions: tuple[Question, ...]
    draws: Callable[[Series], Sequence[Draws]]
    left_out: tuple[str, ...]
    """What cannot be asked, and why not."""
    split: Callable[[Outcome], str | None] = lambda _: None


def read_facts(series: Series, outcome: Outcome, form: type[F]) -> F:
    """The facts as ``form``. Raises ``BadExportError`` where they are not."""
    try:
        return msgspec.convert(outcome.facts, form)
    except msgspec.ValidationError as error:
        raise bad(series, outcome, str(error)) from error


def bad(series: Series, outcome: Outcome, why: str) -> BadExportError:
    """The outcome cannot be counted, and so nothing is: a count that leaves out what it does not know is a guess."""
    return BadExportError(
        f"event {outcome.sequence} of table {series.table} is no outcome of {series.game}: {why}; "
        "see what was published there, correct it, or begin after it with --since"
    )


def draws(rows: Iterable[tuple[int, int, int]]) -> Draws:
    """From rows of round, group and cell."""
    table = np.array(list(rows), dtype=np.int64).reshape(-1, 3)
    return Draws(table[:, 0], table[:, 1], table[:, 2])
