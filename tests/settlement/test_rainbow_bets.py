"""Every rainbow-wheel bet of the books is decided from a published outcome alone (``rainbow_bets.csv``).

A simulated wheel comes to rest in each of its segments. One settlement reads the facts of the published message; the
other knows nothing of facts: it looks which colour is painted there, and counts.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from dealer_daemon.events import Event, RoundOutcome
from dealer_daemon.games.rainbow_wheel import turn_facts
from dealer_daemon.mqtt.envelope import encode_event
from dealer_daemon.validation.signals import Judged
from dealer_daemon.validation.turn import TurnJudge
from dealer_drivers.readings.wheel import WheelAngle
from hw_sim.wheel.faults import TurnDesk
from hw_sim.wheel.options import WheelModbusOptions
from hw_sim.wheel.physics import SEGMENT_DEG, Course
from hw_sim.wheel.turntable import Turntable
from support.turns import RULES, at, map_of

ROWS = list(csv.DictReader(Path(__file__).with_name("rainbow_bets.csv").read_text(encoding="utf-8").splitlines()))
HERTZ = 20


def smooth(begin_s: float, from_deg: float, to_deg: float) -> Course:
    """A push and a way that slows evenly, to a given place."""
    course = Course(begin_s, from_deg)
    way, slowing = to_deg - from_deg, 20.0
    speed = slowing * (-0.25 + (0.0625 + 2 * way / slowing) ** 0.5)
    run_s = speed / slowing
    for tick in range(1, 101):
        t = (0.5 + run_s) * tick / 100
        past = max(0.0, t - 0.5)
        done = speed * t * t if t < 0.5 else speed / 4 + speed * past - slowing * past * past / 2
        course.add(begin_s + t, from_deg + done)
    return course


@pytest.fixture(scope="module")
def published() -> list[tuple[dict[str, Any], str]]:
    """The message of a turn that rests in each segment, and the colour that is painted there."""
    table = Turntable(
        WheelModbusOptions(name="w", starts="told"), Random(4), TurnDesk(Random(1), {}), lambda _: None, lambda _: None
    )
    # The mark is not what is tried here.
    judge = TurnJudge(msgspec.structs.replace(RULES, reference="unchecked"), map_of(table), turn_facts)
    wraps_at = 4096 * 4096
    found = []
    deg, t = 0.5 * SEGMENT_DEG, 10.0

    def see() -> list[dict[str, Any]]:
        table.advance(t)
        count = table.count() % wraps_at
        said = judge.feed(
            "wheel", WheelAngle(at=at(t), raw=b"", count=count, per_turn=4096, wraps_at=wraps_at, absolute=True)
        )
        return [dict(signal.value.facts) for signal in said if isinstance(signal, Judged)]

    for segment in range(52):
        end_deg = deg + 1440 + ((segment + 0.5) * SEGMENT_DEG - deg) % 360
        table._course = Course(t, deg)
        for _ in range(2 * HERTZ):
            t += 1 / HERTZ
            see()
        table._course = smooth(t, deg, end_deg)
        facts: list[dict[str, Any]] = []
        while t < table._course.end_s + 2:
            t += 1 / HERTZ
            facts += see()
        deg = end_deg
        (fact,) = facts
        data = RoundOutcome(
            game="rainbow-wheel", facts=fact, attempts=1, evidence=[], source="device", server=[{"stake": 5}]
        )
        event = Event(table="w1", sequence=1, subject="w1-1", wall_ns=0, mono_ns=0, boot="b", data=data)
        found.append((json.loads(encode_event("s", event)), table.segments[segment]))
    return found


def test_the_facts_decide_every_bet_as_the_paint_does(published: list[tuple[dict[str, Any], str]]) -> None:
    for row in ROWS:
        wins = 0
        for message, painted in published:
            by_facts = message["data"]["facts"]["color"] == row["bet_en"]
            assert by_facts == (painted == row["bet_en"]), (row["bet_en"], message, painted)
            wins += by_facts
        printed = re.search(r"one of the (\d+)", row["when_it_wins"])
        assert printed is not None
        assert wins == int(printed[1]), "each segment was rested in once"


def test_the_book_lists_every_bet_once() -> None:
    assert [row["bet_en"] for row in ROWS] == ["yellow", "blue", "pink", "green", "purple", "orange", "red"]
    assert {row["decided_by_facts"] for row in ROWS} == {"yes"}
    assert {row["facts_needed"] for row in ROWS} == {"color"}


def test_the_house_edge_of_each_color(published: list[tuple[dict[str, Any], str]]) -> None:
    """By the printed odds: from 7.7 to 19.2 percent, and never the player's."""
    counts = Counter(painted for _, painted in published)
    edges = [1 - Fraction((int(row["payouts"].removesuffix(":1")) + 1) * counts[row["bet_en"]], 52) for row in ROWS]
    assert min(edges) == Fraction(4, 52)
    assert max(edges) == Fraction(10, 52)
