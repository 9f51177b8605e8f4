"""What fan tan makes of a remainder, of a keyed-in one, and of a table's devices."""

from __future__ import annotations

import pytest

from dealer_daemon.games import BadFacts, TableDevice, load_game
from dealer_daemon.games.fan_tan import GAME, FanTanSettings, layout_facts
from dealer_daemon.validation.beans_rules import BeansRules
from dealer_drivers.driver import Observes, SceneSource

CAMERA = TableDevice("cam", "bean-camera", frozenset({Observes.BEANS}), scene=SceneSource(0.5))
KEYS = TableDevice("keys", "manual-entry", frozenset({Observes.ENTRY}))


def test_four_left_count_as_four() -> None:
    assert layout_facts(8, 2, 4) == {"remainder": 4, "parity": "even", "beans": 8, "groups": 2}
    assert layout_facts(1, 1, 1)["parity"] == "odd"


def test_a_keyed_in_remainder_has_the_same_facts_but_what_nobody_counted() -> None:
    stated = GAME.stated(FanTanSettings(), {"remainder": 3})
    assert stated == {"remainder": 3, "parity": "odd", "beans": None, "groups": None}
    assert stated.keys() == layout_facts(7, 2, 3).keys()


@pytest.mark.parametrize("remainder", [0, 5, -1, True, "3", 2.0, None])
def test_what_no_layout_leaves_is_not_taken(remainder: object) -> None:
    with pytest.raises(BadFacts, match="from 1 to 4"):
        GAME.stated(FanTanSettings(), {"remainder": remainder})


def test_the_game_is_found_and_needs_one_camera() -> None:
    assert load_game("fan-tan") is GAME
    assert GAME.check(FanTanSettings(), [CAMERA]) == []
    assert GAME.check(FanTanSettings(), [KEYS]) == []
    ((key, reason),) = GAME.check(FanTanSettings(), [])
    assert (key, "it has: none" in reason) == ("devices", True)
    both = GAME.check(FanTanSettings(beans=BeansRules(still_s=0)), [CAMERA, CAMERA])
    assert [key for key, _ in both] == ["beans.still_s", "devices"]


def test_settings_by_which_no_layout_could_count_are_refused_with_both_keys() -> None:
    rules = BeansRules(still_s=0.1, patience_s=0.2, max_layout_s=0.5)
    ((key, reason),) = GAME.check(FanTanSettings(beans=rules), [CAMERA])
    assert key == "beans.max_layout_s"
    assert "500 ms (quiet_ms)" in reason
    longer = BeansRules(still_s=0.1, patience_s=0.2, max_layout_s=0.6)
    assert GAME.check(FanTanSettings(beans=longer), [CAMERA]) == []
    assert [key for key, _ in GAME.check(FanTanSettings(beans=BeansRules(look_s=3)), [CAMERA])] == ["beans.look_s"]
