"""Readings that no device can have: the conformance suite refuses a driver that gives one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.beans import BeansSeen
from dealer_drivers.readings.dice import DiceSeen, Face
from dealer_drivers.readings.roulette import BallLaps, BallRested, NumberWitness, WheelPhase, WheelStatus
from dealer_drivers.readings.shoe import (
    CardAnnouncedAgain,
    CardOutsideGame,
    CardRead,
    OutsideCause,
    PositionHint,
    ShoeSlot,
)
from dealer_drivers.readings.shuffler import DeckReport, MachineState, Phase, ShufflerLevel
from dealer_drivers.readings.wheel import IndexMark, WheelAngle

ANY: dict[str, Any] = {"at": Instant(1, 1), "raw": b"x"}
LOOK: dict[str, Any] = {"ask": 1, "first": Instant(1, 1), "last": Instant(1, 1), "frames": 3}
FACE = Face(value=6, x=0, y=0, size_px=1, turn_deg=0, dark_pips=True, score=1)
REST = BallRested(**ANY, number="00", witness=NumberWitness.FRAME)
LAPS = BallLaps(**ANY, laps=0, lap_time_s=0.5)
STATUS = WheelStatus(**ANY, phase=WheelPhase.RIM, spin=None, number_shown="0000", rotor_rpm=0.0, rotor=None)
CARD = CardRead(**ANY, card="TS")
AGAIN = CardAnnouncedAgain(**ANY, card="AH", hint=PositionHint(ShoeSlot.PLAYER, 1))
OUTSIDE = CardOutsideGame(**ANY, card="2C", cause=OutsideCause.LOCK)
ANGLE = WheelAngle(**ANY, count=899, per_turn=900, wraps_at=900, absolute=True, device_s=0.0)
MARK = IndexMark(**ANY, passes=0, count=0)
BEANS = BeansSeen(**ANY, **LOOK, beans=9, groups=3, remainder=1)
DICE = DiceSeen(**ANY, **LOOK, faces=(FACE, replace(FACE, value=1)))
DECK = DeckReport(
    **ANY, state=MachineState.READY, job=1, deck_set=None, faces=True, counted=416, missing=0, extra=0, foreign=0,
    jam=False, door_open=False, misread=False,
)  # fmt: skip
LEVEL = ShufflerLevel(**ANY, inside=0, phase=Phase.EMPTY, changes=0)
POSSIBLE = [REST, LAPS, STATUS, CARD, AGAIN, OUTSIDE, ANGLE, MARK, BEANS, DICE, DECK, LEVEL]
IMPOSSIBLE: list[tuple[Reading, dict[str, Any]]] = [
    (REST, {"number": "37"}),
    (REST, {"number": "07"}),
    (REST, {"number": ""}),
    (LAPS, {"laps": -1}),
    (LAPS, {"lap_time_s": 0.0}),
    (LAPS, {"lap_time_s": math.nan}),
    (STATUS, {"number_shown": "99"}),
    (STATUS, {"rotor_rpm": -1.0}),
    (STATUS, {"rotor_rpm": math.nan}),
    (CARD, {"card": "10S"}),
    (CARD, {"card": "ts"}),
    (AGAIN, {"card": "1H"}),
    (OUTSIDE, {"card": "2c"}),
    (ANGLE, {"per_turn": 0}),
    (ANGLE, {"wraps_at": 0}),
    (ANGLE, {"count": 900}),
    (ANGLE, {"count": -1}),
    (ANGLE, {"device_s": math.inf}),
    (MARK, {"passes": -1}),
    (MARK, {"count": -1}),
    (BEANS, {"beans": 10}),
    (BEANS, {"remainder": 0, "beans": 8}),
    (BEANS, {"groups": 0, "beans": 1}),
    (DICE, {"faces": (FACE, replace(FACE, value=7))}),
    (DICE, {"faces": (replace(FACE, value=0),)}),
    (DECK, {"counted": None}),
    (DECK, {"missing": 1}),
    (DECK, {"counted": -1}),
    (DECK, {"state": MachineState.MISMATCH}),
    (DECK, {"state": MachineState.SHUFFLING, "extra": -1}),
    (LEVEL, {"inside": -1}),
    (LEVEL, {"changes": -1}),
]


@pytest.mark.parametrize("reading", POSSIBLE, ids=lambda reading: type(reading).__name__)
def test_what_can_be_is_not_refused(reading: Reading) -> None:
    assert reading.impossible() is None


@pytest.mark.parametrize(("reading", "wrong"), IMPOSSIBLE, ids=str)
def test_what_cannot_be_is_said(reading: Reading, wrong: dict[str, Any]) -> None:
    said = replace(reading, **wrong).impossible()
    assert said is not None
    assert any(str(value) in said or repr(value) in said for value in wrong.values()) or "card" in said or "die" in said
