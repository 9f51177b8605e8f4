"""What follows from three dice, what a sic bo table may be made of, and results that people state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.config.types import DeviceConfig
from dealer_daemon.games import AttemptGame, BadFacts, TableDevice, load_game
from dealer_daemon.games.sic_bo import GAME, SicBoSettings, dice_facts
from dealer_daemon.validation.dice import DiceJudge
from dealer_daemon.validation.dice_rules import ShakeRules
from dealer_daemon.validation.dice_tower import TowerJudge
from dealer_daemon.verdicts import Remedy
from dealer_drivers.dice.sicbo_camera import DRIVER as SICBO_CAMERA
from dealer_drivers.dice.sicbo_camera import SicboCameraOptions
from dealer_drivers.driver import DeviceAction, Observes, SceneSource
from dealer_drivers.shaker.networked import DRIVER as NETWORKED
from dealer_drivers.shaker.networked_options import NetworkedOptions
from dealer_drivers.shaker.relay import DRIVER as RELAY
from dealer_drivers.shaker.relay import RelayOptions

DIE = st.integers(1, 6)

CAMERA = TableDevice(name="camera", driver="sicbo-camera", observes=frozenset({Observes.DICE}))
SHAKER = TableDevice(name="shaker", driver="shaker-relay", observes=frozenset({Observes.SHAKE}))
STARTABLE = TableDevice(
    name="shaker",
    driver="shaker-relay",
    observes=frozenset({Observes.SHAKE}),
    actions=frozenset({DeviceAction.START_SHAKE}),
)
ENTRY = TableDevice(name="screen", driver="manual-entry", observes=frozenset({Observes.ENTRY}))


def test_the_facts_of_a_throw() -> None:
    assert dice_facts((6, 2, 2)) == {
        "dice": [2, 2, 6],
        "by_position": [6, 2, 2],
        "sum": 10,
        "triple": False,
        "triple_value": None,
        "pairs": [2],
        "parity": "even",
        "size": "small",
        "distinct": [2, 6],
        "counts": {"1": 0, "2": 2, "3": 0, "4": 0, "5": 0, "6": 1},
        "combinations": [[2, 6]],
        "four_groups": [],
    }


def test_three_different_dice_hit_three_groups_of_four() -> None:
    facts = dice_facts((5, 1, 3))
    assert facts["four_groups"] == [[1, 2, 3, 5], [1, 3, 4, 5], [1, 3, 5, 6]]
    assert facts["combinations"] == [[1, 3], [1, 5], [3, 5]]


@pytest.mark.parametrize("value", range(1, 7))
def test_a_triple_is_neither_big_nor_small_odd_nor_even(value: int) -> None:
    facts = dice_facts((value, value, value))
    assert facts["triple"] is True
    assert facts["triple_value"] == value
    assert facts["pairs"] == [value]
    assert (facts["parity"], facts["size"]) == (None, None)
    assert facts["combinations"] == facts["four_groups"] == []


@pytest.mark.parametrize(("dice", "size"), [((1, 3, 6), "small"), ((2, 3, 6), "big"), ((1, 1, 2), "small")])
def test_big_begins_at_eleven(dice: tuple[int, int, int], size: str) -> None:
    assert dice_facts(dice)["size"] == size


@given(DIE, DIE, DIE)
def test_the_facts_do_not_depend_on_the_order_of_the_dice(a: int, b: int, c: int) -> None:
    assert dice_facts((a, b, c)) | {"by_position": None} == dice_facts((c, a, b), by_position=False)


@given(st.lists(st.integers(-3, 100), max_size=5))
def test_what_dice_cannot_show_has_no_facts(values: list[int]) -> None:
    if len(values) == 3 and all(1 <= value <= 6 for value in values):
        assert sum(values) == dice_facts(values)["sum"]
    else:
        with pytest.raises(BadFacts):
            dice_facts(values)


def test_a_stated_result_has_the_same_facts_and_no_positions() -> None:
    stated = GAME.stated(SicBoSettings(), {"dice": [6, 1, 2]})
    assert stated == dice_facts((1, 2, 6)) | {"by_position": None}


@pytest.mark.parametrize(
    "dice", [None, "126", [1, 2], [1, 2, 7], [0, 1, 2], [1, 2, 99], [1, 2, "3"], [1, 2, True], [1, 2, 3.0], {}, [[1]]]
)
def test_a_stated_result_that_dice_cannot_show_is_refused(dice: Any) -> None:
    with pytest.raises(BadFacts, match="1 to 6"):
        GAME.stated(SicBoSettings(), {"dice": dice})


def problems(*devices: TableDevice, **shake: Any) -> list[str]:
    return [key for key, _ in GAME.check(SicBoSettings(shake=ShakeRules(**shake)), devices)]


def test_what_a_table_may_be_made_of() -> None:
    assert problems(CAMERA) == []
    assert problems(SHAKER, CAMERA) == []
    assert problems(STARTABLE, CAMERA, start="station") == []
    assert problems(ENTRY) == []


def test_what_a_table_may_not_be_made_of() -> None:
    assert problems(SHAKER) == ["devices"]
    assert problems(CAMERA, CAMERA) == ["devices"]
    assert problems(SHAKER, SHAKER, CAMERA) == ["devices"]
    assert problems(SHAKER, CAMERA, start="station") == ["shake.start"]
    assert problems(CAMERA, start="station") == ["shake.start"]
    assert problems(SHAKER, CAMERA, look_s=0) == ["shake.look_s"]


def seeing(quiet_s: float = 0.5, things: int = 3) -> TableDevice:
    return replace(CAMERA, scene=SceneSource(quiet_s, things))


def told(seconds: float) -> TableDevice:
    return replace(STARTABLE, shake_told=("duration_ms", seconds))


def test_settings_by_which_no_shake_could_count_are_refused_with_both_keys() -> None:
    def said(*devices: TableDevice, **shake: Any) -> list[tuple[str, bool]]:
        found = GAME.check(SicBoSettings(shake=ShakeRules(**shake)), devices)
        return [(key, "_ms" in reason) for key, reason in found]

    assert said(told(4), seeing(), start="station") == []
    assert said(told(4), seeing(), start="station", min_shake_s=4.0) == []
    assert said(told(4), seeing(), start="station", min_shake_s=4.1) == [("shake.min_shake_s", True)]
    assert said(told(0.2), seeing(), start="station") == [("shake.min_shake_s", True)]
    assert said(told(4), seeing(), start="station", max_shake_s=4.0) == [("shake.max_shake_s", True)]
    assert said(told(4), seeing(), start="station", max_shake_s=4.1) == []
    assert said(told(0.2), seeing(), max_shake_s=4.0) == [], "the dealer's button has its own time"
    assert said(SHAKER, seeing(0.5), settle_s=0.5) == [("shake.settle_s", True)]
    assert said(SHAKER, seeing(0.5), settle_s=0.6) == []
    assert said(SHAKER, seeing(5.0), settle_s=4.0, min_shake_s=31) == [
        ("shake.max_shake_s", False),
        ("shake.settle_s", True),
    ], "all at once"
    assert said(seeing(0.5), settle_s=0.5) == [], "a tower does not stop"
    assert said(seeing(0.5), max_shake_s=0.75, min_shake_s=0.1) == [("shake.max_shake_s", True)]
    assert said(seeing(0.5), max_shake_s=0.76, min_shake_s=0.1) == []


def test_the_options_of_the_drivers_are_what_is_compared() -> None:
    camera = DeviceConfig("camera", SICBO_CAMERA, "/dev/cam", SicboCameraOptions(profile="rig.json", quiet_ms=5000))
    networked = DeviceConfig("shaker", NETWORKED, "mqtt://h/s", NetworkedOptions(control=True, duration_ms=900))
    relay = DeviceConfig("shaker", RELAY, "/dev/relay", RelayOptions(control=True, shake_ms=900))
    for shaker in (networked, relay):
        assert problems(camera.for_game(), shaker.for_game(), start="station", settle_s=5.0) == [
            "shake.settle_s",
            "shake.min_shake_s",
        ]


def test_a_camera_that_reads_another_number_of_dice_is_refused() -> None:
    ((key, reason),) = GAME.check(SicBoSettings(), [SHAKER, seeing(things=2)])
    assert key == "devices"
    assert "2 dice alone" in reason


def test_a_look_must_be_given_the_time_that_a_camera_may_take() -> None:
    assert problems(SHAKER, seeing(), look_s=3.9) == ["shake.look_s"]
    assert problems(SHAKER, seeing(), look_s=4.0) == []


def test_a_station_that_starts_the_shaker_needs_a_server_to_close_betting() -> None:
    needed = GAME.needs_server(SicBoSettings(shake=ShakeRules(start="station")))
    assert needed is not None
    assert needed[0] == "shake.start"
    assert GAME.needs_server(SicBoSettings()) is None


def test_the_judge_is_that_of_the_tables_devices() -> None:
    assert isinstance(GAME.judge(SicBoSettings(), (SHAKER, CAMERA), None, None), DiceJudge)
    assert isinstance(GAME.judge(SicBoSettings(), (CAMERA,), None, None), TowerJudge)


def test_the_game_is_found_by_its_word() -> None:
    game = load_game("sic-bo")
    assert isinstance(game, AttemptGame)
    assert game.remedy is Remedy.RESHAKE
    assert game.starts(SicBoSettings()) == "after_close"
