"""Whatever happens at a table of dice or beans: no result of what lay there before its round, and none is stuck."""

from __future__ import annotations

import pytest

from support.old_things import BeanWorld, DiceWorld

SEEDS = range(150)
STEPS = 40


def worlds(kind: str) -> list[DiceWorld]:
    return [DiceWorld(seed, tower=kind == "tower", station=kind == "dome of the station") for seed in SEEDS]


KINDS = ["dome", "dome of the station", "tower"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_result_of_dice_that_lay_there_before_the_round_waited(kind: str) -> None:
    values = 0
    for world in worlds(kind):
        for _ in range(STEPS):
            world.step()
        values += world.values
    assert values > len(SEEDS) / 2, "it says nothing unless results come"


@pytest.mark.parametrize("kind", KINDS)
def test_once_all_goes_well_a_table_has_its_result_at_the_second_throw_at_the_latest(kind: str) -> None:
    for world in worlds(kind)[:50]:
        for _ in range(STEPS // 2):
            world.step()
        world.discard()
        for _ in range(2):
            if world.good_throw():
                break
        else:
            raise AssertionError(f"no result: {world.told}")


def test_no_result_of_beans_that_lay_there_before_the_round_waited() -> None:
    values = 0
    for seed in SEEDS:
        world = BeanWorld(seed)
        for _ in range(STEPS):
            world.step()
        values += world.values
    assert values > len(SEEDS) / 8


@pytest.mark.parametrize("kind", KINDS)
def test_the_world_notices_a_judge_that_tells_no_old_dice(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_same", "_untouched"):
        monkeypatch.setattr(f"dealer_daemon.validation.dice_scene.{name}", lambda *_: False)

    def play() -> None:
        for world in worlds(kind):
            for _ in range(STEPS):
                world.step()

    with pytest.raises(AssertionError, match="dice that lay there before"):
        play()
