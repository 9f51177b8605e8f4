"""Twenty-nine real hand spins of a light prize wheel, and one coast of it, through the judge.

The records hold when and where the wheel fell below 0.35, 0.20 and 0.10 turns a second and where it stopped; between
those points its way is laid as smoothly as they allow. Where a spin began is where the one before it stopped.
"""

from __future__ import annotations

import csv
import datetime as dt
import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.games.rainbow_wheel import turn_facts
from dealer_daemon.validation.signals import Judged, NotJudged, Signal
from dealer_daemon.validation.turn import TurnJudge
from dealer_daemon.validation.turn_map import SEGMENT_DEG, WheelMap, parse_wheel
from dealer_daemon.validation.turn_rules import TurnRules
from dealer_drivers.readings.wheel import WheelAngle
from support.turns import at

RULES = TurnRules(wheel="real.toml", reference="unchecked")
PER_TURN = 4096
PUSH_S = 0.4
BEFORE_S, AFTER_S = 2.0, 2.5
UNKNOWN_RUN_S = 15.7
"""Spin 20's beginning is torn; spin 22, as fast, took so long to 0.35."""

SHORT_RUN_S = 2.0
"""Of a shorter run before the first point no more is known than its speeds: when the push began was not recorded."""


@dataclass
class Piece:
    """A way from one known point to the next: seconds, degrees, and the speeds at both ends in degrees a second."""

    seconds: float
    degrees: float
    speed_from: float
    speed_to: float

    def at(self, part: float) -> float:
        """Degrees after a part of the time."""
        h, d = self.seconds, self.degrees
        a, b = self.speed_from * h, self.speed_to * h
        return a * part + (3 * d - 2 * a - b) * part**2 + (a + b - 2 * d) * part**3


@dataclass
class Run(Piece):
    """A long run out: the speed falls by a power of time that fits the way."""

    def at(self, part: float) -> float:
        drop = self.speed_from - self.speed_to
        power = drop / (self.speed_from - self.degrees / self.seconds) - 1
        return self.seconds * (self.speed_from * part - drop * part ** (power + 1) / (power + 1))


def counts(start_deg: float, sign: int, pieces: list[Piece]) -> list[tuple[float, float]]:
    """The way at forty counts a second, with rests before and after: second, angle."""
    found = []
    end_s = BEFORE_S + sum(piece.seconds for piece in pieces) + AFTER_S
    for tick in range(round(end_s * 40)):
        t, deg = tick / 40 - BEFORE_S, 0.0
        for piece in pieces:
            if t <= 0:
                break
            deg += piece.at(min(1.0, t / piece.seconds)) if t < piece.seconds else piece.degrees
            t -= piece.seconds
        found.append((tick / 40, start_deg + sign * deg))
    return found


def judge(wheel: WheelMap, way: list[tuple[float, float]]) -> list[Signal]:
    machine = TurnJudge(RULES, wheel, turn_facts)
    signals: list[Signal] = []
    for t, deg in way:
        count = round(deg / 360 * PER_TURN) % (PER_TURN * PER_TURN)
        reading = WheelAngle(
            at=at(t), raw=b"", count=count, per_turn=PER_TURN, wraps_at=PER_TURN * PER_TURN, absolute=True
        )
        signals += machine.feed("wheel", reading)
    return [signal for signal in signals if isinstance(signal, Judged | NotJudged)]


@pytest.fixture(scope="module")
def wheel(real_data: Path) -> WheelMap:
    """The layout there, on a wheel of that friction: c0 0.17, c1 0.02, G 0.57 in radians (``devices.md`` §5)."""
    layout = json.loads((real_data / "wheels" / "layout52_example.json").read_text(encoding="utf-8"))
    text = (
        f'wheel = 1\nname = "real"\nsegments = {json.dumps(layout["segments"])}\ndirection = "up"\noffset_deg = 0\n'
        "slowing_deg_s2 = 42.4\nslowing_per_s = 0.02\n"
    )
    return parse_wheel(text.encode(), Path("real.toml"))


def second(text: str) -> float:
    return dt.timedelta(hours=int(text[:2]), minutes=int(text[3:5]), seconds=float(text[6:])).total_seconds()


def spins(folder: Path) -> list[dict[str, str]]:
    lines = (folder / "wheels" / "natural_hand_spins.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(lines))


def known_points(row: dict[str, str]) -> list[tuple[float, float, float]]:
    """Second, angle and speed of every crossing that was recorded, and of the stop."""
    points = [
        (second(row[f"t_{key}"]), float(row[f"a_{key}"]), 0.36 * int(key))
        for key in ("0350", "0200", "0100")
        if row[f"t_{key}"]
    ]
    return [*points, (second(row["t_stop"]), float(row["a_stop"]), 0.0)]


def laid(row: dict[str, str], before_deg: float | None) -> tuple[list[tuple[float, float]], float]:
    """The way of a spin, and its net turns."""
    sign, peak = int(row["dir"]), 360 * float(row["peak_rev_s"])
    points = known_points(row)
    first_s, first_deg, first_speed = points[0]
    run_s = first_s - second(row["t_start"]) - PUSH_S if row["t_start"] else UNKNOWN_RUN_S
    run_s = max(run_s, 0.1)
    push_deg = peak * PUSH_S / 2
    guess = run_s * (0.45 * peak + 0.55 * first_speed)
    if before_deg is not None and run_s > SHORT_RUN_S:
        # Which of the ways that end there: the one nearest to what such a wheel runs.
        wanted = sign * (first_deg - before_deg) - push_deg
        guess = wanted + 360 * round((guess - wanted) / 360)
    start_deg = first_deg - sign * (guess + push_deg)
    pieces: list[Piece] = [Piece(PUSH_S, push_deg, 0.0, peak)]
    pieces.append(
        Run(run_s, guess, peak, first_speed) if run_s > SHORT_RUN_S else Piece(run_s, guess, peak, first_speed)
    )
    for (t0, deg0, speed0), (t1, deg1, speed1) in itertools.pairwise(points):
        run = (speed0 + speed1) / 2 * (t1 - t0)
        way = sign * (deg1 - deg0)
        way += 360 * round((run - way) / 360)
        pieces.append(Piece(t1 - t0, way, speed0, speed1))
    return counts(start_deg, sign, pieces), sum(piece.degrees for piece in pieces) / 360


def test_the_hand_spins(real_data: Path, wheel: WheelMap) -> None:
    rows = spins(real_data)
    assert len(rows) == 29
    before: dict[str, Any] | None = None
    accepted, refused = [], []
    for row in rows:
        way, turns = laid(row, None if before is None else float(before["a_stop"]))
        before = row
        (verdict,) = judge(wheel, way)
        place = wheel.place(float(row["a_stop"]))
        said = f"spin {row['spin']}: {turns:.2f} turns, {place}: {verdict}"
        if isinstance(verdict, Judged):
            facts = verdict.value.facts
            accepted.append(int(row["spin"]))
            assert turns >= 3, said
            assert (facts["segment"], facts["color"]) == (place.segment, place.color), said
            assert facts["turns"] == pytest.approx(turns, abs=0.03), said
        elif verdict.verdict.reason == "on_boundary":
            assert turns >= 3, said
            assert place.margin_deg < 0.8, said
        else:
            refused.append(int(row["spin"]))
            assert turns < 3, said
            by_hand = row["note"].startswith("suspected hand")
            assert verdict.verdict.reason in ("too_few_turns", "stopped_by_hand" if by_hand else ""), said
    assert refused == [2, 3, 4, 5, 16, 28, 29, 30], "the slow pushes and the weak spins"
    assert len(accepted) >= 17


def test_the_coast_of_an_unbalanced_wheel_is_no_hand_s_work(real_data: Path, wheel: WheelMap) -> None:
    """Its speed falls and rises twice; it made 2.3 turns."""
    lines = (real_data / "wheels" / "coast_spin7_v.csv").read_text(encoding="utf-8").splitlines()
    points = [tuple(float(field) for field in line.split(",")) for line in lines if line[0].isdigit()]
    pieces = [Piece(PUSH_S, 360 * points[0][1] * PUSH_S / 2, 0.0, 360 * points[0][1])]
    for (t0, v0, rev0), (t1, v1, rev1) in itertools.pairwise(points):
        pieces.append(Piece(t1 - t0, 360 * (rev1 - rev0), 360 * v0, 360 * v1))
    last = 360 * points[-1][1]
    pieces.append(Piece(0.6, last * 0.3, last, 0.0))
    way = counts(0.5 * SEGMENT_DEG, 1, pieces)
    (verdict,) = judge(wheel, way)
    assert isinstance(verdict, NotJudged)
    assert verdict.verdict.reason == "too_few_turns"
    assert f"{sum(piece.degrees for piece in pieces) / 360:.2f}" in verdict.verdict.detail
