"""Results of fair and of biased wheels and dice, as draws of the questions and as lines of an export.

The draws are made by formulas of their own, so that thousands of months pass quickly and the questions' own way from
facts to draws has something to be compared with.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from dealer_calibration.statistics.question import Draws, Ints, Question
from dealer_daemon.games.rainbow_wheel import COUNTS
from dealer_daemon.games.roulette import RED, WHEEL_ORDER, number_facts
from dealer_daemon.games.sic_bo import dice_facts

NUMBERS = np.array(WHEEL_ORDER)
_RED = np.isin(NUMBERS, sorted(RED))
COLORS = [color for color, count in COUNTS.items() for _ in range(count)]
"""A wheel whose colours lie together."""
_PLACE_OF_COLOR = np.array([list(COUNTS).index(color) for color in COLORS])


def wheel_draws(pockets: Ints, clockwise: Ints) -> list[Draws]:
    """Of roulette: pocket indices, and whether the rotor turned clockwise."""
    rounds = np.arange(len(pockets))
    colored = rounds[pockets != 0]
    red = _RED[pockets[colored]]
    by_way = [_draws(rounds[clockwise == way], pockets[clockwise == way]) for way in (1, 0)]
    return [
        *[_draws(rounds, pockets)] * 3,
        *by_way,
        _draws(rounds[1:], np.diff(pockets) % 37),
        _draws(colored[1:], (red[1:] != red[:-1]).astype(np.int64)),
    ]


def dice_draws(throws: Ints) -> list[Draws]:
    """Of sic bo: rows of three values, left to right."""
    rounds = np.arange(len(throws))
    three = np.repeat(rounds, 3)
    sums = throws.sum(axis=1)
    counts = np.stack([(throws == face).sum(axis=1) for face in range(1, 7)], axis=1)
    kinds = (counts > 0).sum(axis=1) - 1
    kept = np.minimum(counts[1:], counts[:-1]).sum(axis=1)
    big = sums >= 11
    return [
        _draws(three, np.sort(throws, axis=1).ravel() - 1),
        _draws(rounds, sums - 3),
        _draws(rounds, kinds),
        Draws(three, np.tile(np.arange(3), len(throws)), throws.ravel() - 1),
        Draws(rounds[1:], kinds[:-1], kept),
        _draws(rounds[1:], (big[1:] != big[:-1]).astype(np.int64)),
    ]


def rainbow_draws(places: Ints) -> list[Draws]:
    """Of the rainbow wheel: segments."""
    rounds = np.arange(len(places))
    everything = _draws(rounds, places)
    half = places // 26
    return [
        everything,
        _draws(rounds, _PLACE_OF_COLOR[places]),
        everything,
        everything,
        _draws(rounds[1:], np.diff(places) % 52),
        _draws(rounds[1:], (half[1:] != half[:-1]).astype(np.int64)),
    ]


def fair_draws(game: str, random: Generator, rounds: int) -> list[Draws]:
    """A fair table of ``game``; a wheel's rotor turns this way and that in turn."""
    if game == "roulette":
        return wheel_draws(random.integers(37, size=rounds), np.arange(rounds) % 2)
    if game == "sic-bo":
        return dice_draws(random.integers(1, 7, size=(rounds, 3)))
    return rainbow_draws(random.integers(52, size=rounds))


def biased(question: Question, random: Generator, draws: int, bias: float) -> Draws:
    """Draws of which the question's watched cell, or narrowest window from cell 0 on, comes up 1 + ``bias`` times as
    often; the others keep their shares among each other."""
    group = random.choice(len(question.chances), size=draws, p=question.shares)
    cell = np.empty(draws, dtype=np.int64)
    for index, row in enumerate(question.chances):
        chances = np.array(row)
        more = range(min(question.windows)) if question.windows else [question.watched[index]]
        chances[list(more)] *= 1 + bias
        others = np.setdiff1d(np.arange(len(row)), list(more))
        chances[others] *= (1 - chances[list(more)].sum()) / chances[others].sum()
        here = group == index
        cell[here] = random.choice(len(row), size=int(here.sum()), p=chances)
    return Draws(np.arange(draws), group, cell)


def biased_pockets(random: Generator, rounds: int, pockets: Sequence[int], bias: float) -> Ints:
    """Pocket indices of a wheel on which each of ``pockets`` comes up 1 + ``bias`` times as often."""
    more = list(pockets)
    chances = np.full(37, (1 - len(more) * (1 + bias) / 37) / (37 - len(more)))
    chances[more] = (1 + bias) / 37
    return random.choice(37, size=rounds, p=chances)


def roulette_facts(pocket: int, direction: str | None = "clockwise") -> dict[str, Any]:
    return number_facts(str(WHEEL_ORDER[pocket])) | {"laps": None, "rotor_direction": direction, "rotor_rpm": 14.0}


def throw_facts(values: Sequence[int]) -> dict[str, Any]:
    return dice_facts([int(value) for value in values])


def segment_facts(segment: int | None, color: str | None = None, wheel: str = "sha256:ab") -> dict[str, Any]:
    return {"segment": segment, "color": color or COLORS[segment or 0], "turns": 4, "segment_map": wheel}


def line(
    game: str, sequence: int, facts: dict[str, Any], table: str = "r1", time: str | None = None, **more: Any
) -> bytes:
    """A row of an export: an outcome, or with ``replaces`` its correction."""
    kind = "outcome.corrected" if "replaces" in more else "round.outcome"
    row = {
        "kind": "event",
        "type": kind,
        "sequence": sequence,
        "time": time
        or f"2026-01-{1 + sequence // 86400:02}T{sequence // 3600 % 24:02}:{sequence // 60 % 60:02}:00.000000Z",
        "subject": f"{table}-{sequence}",
        "data": {"game": game, "facts": facts} | more,
        "table": table,
        "row": sequence,
        "hash": "00",
    }
    return json.dumps(row).encode() + b"\n"


def _draws(rounds: Ints, cells: Ints) -> Draws:
    return Draws(rounds, np.zeros(len(cells), dtype=np.int64), cells)
