"""The networked shaker's texts, in good order and with every fault (``devices.md`` §4)."""

from __future__ import annotations

import pytest

from hw_sim.dice.faults import NETWORKED_FAULTS, ShakerFault
from support.shaken import CYCLE, Shaken, networked


def one_shake(fault: str = "good", seed: int = 1) -> Shaken:
    table = networked(seed, shakes=(fault,))
    table.go_on(2.0)
    table.say(CYCLE)
    table.go_on(12.0)
    return table


def texts(table: Shaken) -> list[bytes]:
    return [data for _, data in table.sent]


def test_taken_shaking_idle_and_dice_that_roll_on() -> None:
    for seed in range(8):
        table = one_shake(seed=seed)
        assert texts(table) == [b"S2", b"S1", b"S0"]
        taken, shaking, idle = (at_s for at_s, _ in table.sent)
        assert 0.02 <= taken - 2.0 <= 0.15
        assert 0.05 <= shaking - taken <= 0.3
        assert 3.0 <= idle - shaking <= 3.06
        (record,) = table.truth
        assert record["by"] == "host"
        assert record["command"] == CYCLE.decode()
        assert record["expect"] == "accept"
        assert record["faults"] == []
        assert len(record["values"]) == 3
        assert record["times_s"]["motor_off"] == pytest.approx(idle, abs=1e-3)
        assert 0.2 <= record["times_s"]["still"] - idle <= 1.21
        assert [text for _, text in record["said"]] == ["S2", "S1", "S0"]


@pytest.mark.parametrize(
    "command",
    [
        b"",
        b"S1",
        b"/cycle/",
        CYCLE.replace(b"duration=3000", b"duration=100"),
        CYCLE.replace(b"duration=3000", b"duration=3s"),
        CYCLE.replace(b"pattern=1&", b""),
        CYCLE.replace(b"amplitude=60", b"amplitude=101"),
        CYCLE.replace(b"parameter1=10", b"parameter1=-1"),
        CYCLE + b"&pattern=2",
        b"\xff" + CYCLE,
    ],
)
def test_a_command_that_is_none_is_ignored(command: bytes) -> None:
    table = networked()
    table.say(command)
    assert table.go_on(10.0) == []
    assert table.truth == []


def test_asked_for_its_state_it_says_it_and_a_second_command_is_not_obeyed() -> None:
    table = networked()
    table.say(b"/state")
    assert table.go_on(0.2) == [b"S0"]
    table.say(CYCLE)
    assert table.go_on(1.0) == [b"S2", b"S1"]
    table.say(CYCLE)
    table.say(b"/state")
    assert table.go_on(1.0) == [b"S1", b"S1"]
    assert table.go_on(5.0) == [b"S0"]
    assert len(table.truth) == 1


def test_on_the_network_again_it_says_its_state_once() -> None:
    table = networked()
    table.device.attached()
    assert table.go_on(5.0) == [b"S0"]


def test_the_dealers_button_takes_no_command() -> None:
    table = networked()
    table.device.tell("shake")
    table.device.tell("shake")  # it shakes already
    assert table.go_on(8.0) == [b"S1", b"S0"]
    (record,) = table.truth
    assert (record["by"], record["command"]) == ("button", "")


def test_a_shake_that_nobody_commanded_has_no_fault_of_a_command() -> None:
    table = networked(shakes=("no_answer+leaning",))
    table.device.tell("shake")
    table.go_on(8.0)
    assert table.truth[0]["faults"] == ["leaning"]
    assert table.truth[0]["moved"]


FAULTS: list[tuple[str, list[bytes], bool, str]] = [
    ("stale_idle", [b"S0", b"S2", b"S1", b"S0"], True, "either"),
    ("idle_before_moved", [b"S2", b"S0"], False, "refuse"),
    ("idle_while_moving", [b"S2", b"S1", b"S0", b"S0"], True, "either"),
    ("late_answer", [b"S2", b"S1", b"S0"], True, "either"),
    ("no_answer", [], False, "refuse"),
    ("lost_taken", [b"S1", b"S0"], True, "either"),
    ("lost_shaking", [b"S2", b"S0"], True, "either"),
    ("lost_idle", [b"S2", b"S1"], True, "either"),
    ("motion_fault", [b"S2", b"S90"], False, "refuse"),
    ("motion_fault_midway", [b"S2", b"S1", b"S90"], True, "refuse"),
    ("power_cut", [b"S2", b"S1"], True, "refuse"),
    ("doubled_answers", [b"S2", b"S2", b"S1", b"S1", b"S0", b"S0"], True, "accept"),
]


@pytest.mark.parametrize(("fault", "said", "moved", "expect"), FAULTS)
def test_a_fault_on_the_wire_and_in_the_truth(fault: str, said: list[bytes], moved: bool, expect: str) -> None:
    for seed in range(5):
        table = one_shake(fault, seed)
        assert texts(table) == said
        record = table.truth[0]
        assert record["moved"] is moved
        assert record["expect"] == expect
        assert record["faults"] == [fault]


def test_every_fault_has_its_test() -> None:
    assert {row[0] for row in FAULTS} | {"button"} == {fault.value for fault in NETWORKED_FAULTS}


def test_a_stale_idle_comes_before_it_has_moved() -> None:
    table = one_shake("stale_idle")
    assert table.sent[0][0] - 2.0 < 0.016
    assert table.sent[0][0] < table.truth[0]["times_s"]["motor_on"]


def test_idle_while_moving_comes_while_it_moves() -> None:
    table = one_shake("idle_while_moving")
    early, late = table.times(b"S0")
    times = table.truth[0]["times_s"]
    assert times["motor_on"] < early < times["motor_off"] - 1
    assert late == pytest.approx(times["motor_off"], abs=0.01)


def test_late_answers_are_seconds_late_and_the_next_shake_is_on_time() -> None:
    table = one_shake("late_answer")
    assert table.sent[0][0] - 2.0 > 2.5
    table.go_on(10)
    begin = table.device.now_s
    table.say(CYCLE)
    table.go_on(10)
    assert table.times(b"S2")[-1] - begin < 0.16


def test_where_nothing_moved_the_old_dice_lie() -> None:
    table = networked(shakes=("good", "idle_before_moved", "no_answer", "motion_fault", "good"))
    for _ in range(5):
        table.say(CYCLE)
        table.go_on(10)
    dice = [record["dice"] for record in table.truth]
    assert dice[0] == dice[1] == dice[2] == dice[3] != dice[4]


def test_after_a_motion_fault_it_says_so_when_asked_and_takes_the_next_command() -> None:
    table = networked(shakes=("motion_fault",))
    table.say(CYCLE)
    table.go_on(5)
    table.say(b"/state")
    assert table.go_on(1) == [b"S90"]
    table.say(CYCLE)
    assert table.go_on(10) == [b"S2", b"S1", b"S0"]


def test_without_power_the_link_breaks_and_comes_back_and_nothing_is_heard() -> None:
    table = networked(shakes=("power_cut",))
    table.say(CYCLE)
    while not table.plugs:
        table.go_on(0.1)
    table.say(CYCLE)
    table.say(b"/state")
    table.device.tell("shake")
    table.go_on(4)
    assert [inserted for _, inserted in table.plugs] == [False, True]
    assert 1.0 <= table.plugs[1][0] - table.plugs[0][0] <= 3.0
    (record,) = table.truth
    assert record["times_s"]["motor_off"] == pytest.approx(table.plugs[0][0], abs=1e-3)
    table.device.attached()
    assert table.go_on(1) == [b"S0"]


def test_the_button_after_a_shake_is_a_shake_of_its_own() -> None:
    table = one_shake(ShakerFault.BUTTON.value)
    table.go_on(10)
    first, second = table.truth
    assert (first["by"], second["by"]) == ("host", "button")
    assert 0.5 <= second["times_s"]["ordered"] - first["times_s"]["still"] <= 2.0
    assert first["expect"] == "either"


def test_a_shake_that_begins_before_the_last_is_over_interrupts_it() -> None:
    table = networked(shakes=("rolling", "good"))
    table.say(CYCLE)
    table.go_on(4.0)
    assert table.truth == []
    table.say(CYCLE)
    table.go_on(10.0)
    assert [record["interrupted"] for record in table.truth] == [True, False]
    assert [record["expect"] for record in table.truth] == ["refuse", "accept"]


def test_the_same_seed_gives_the_same_shakes() -> None:
    def played(seed: int) -> tuple[object, object]:
        table = networked(seed, rates={"stale_idle": 0.5, "leaning": 0.5})
        for _ in range(4):
            table.say(CYCLE)
            table.go_on(8)
        return table.sent, table.truth

    assert played(3) == played(3)
    assert played(3) != played(4)
