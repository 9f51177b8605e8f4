"""The relay shaker's frames and lines, in good order and with every fault."""

from __future__ import annotations

from itertools import pairwise

import pytest

from hw_sim.dice.faults import RELAY_FAULTS
from support.shaken import Shaken, relay

ON, OFF, QUERY = (bytes.fromhex(text) for text in ("A00101A2", "A00100A1", "A00105A6"))
MOVES, STANDS = b"I1=0\r\n", b"I1=1\r\n"


def one_shake(fault: str = "good", seed: int = 1, **options: object) -> Shaken:
    """Two seconds of rest, three on, and long enough after."""
    table = relay(seed, shakes=(fault,), **options)
    table.go_on(2.0)
    table.say(ON)
    table.go_on(3.0)
    table.say(OFF)
    table.go_on(5.0)
    return table


def changes(table: Shaken) -> list[tuple[float, bytes]]:
    """Lines that say another thing than the one before."""
    kept: list[tuple[float, bytes]] = []
    for at_s, data in table.sent:
        if data in (MOVES, STANDS) and (not kept or kept[-1][1] != data):
            kept.append((at_s, data))
    return kept


def asked(table: Shaken) -> list[bytes]:
    table.say(QUERY)
    return [data for data in table.go_on(0.1) if data.startswith(b"\xa0")]


def test_at_rest_a_line_says_so_twice_a_second() -> None:
    table = relay()
    lines = table.go_on(20.0)
    assert set(lines) == {STANDS}
    gaps = [two - one for (one, _), (two, _) in pairwise(table.sent)]
    assert min(gaps) > 0.47
    assert max(gaps) < 0.53


def test_on_moving_off_standing() -> None:
    for seed in range(8):
        table = one_shake(seed=seed)
        (_, rest), (moves, begun), (stands, over) = changes(table)
        assert (rest, begun, over) == (STANDS, MOVES, STANDS)
        assert 0.03 <= moves - 2.0 <= 0.12
        assert 0.1 <= stands - 5.0 <= 0.4
        (record,) = table.truth
        assert record["times_s"]["motor_off"] == pytest.approx(stands, abs=1e-3)
        assert (record["by"], record["expect"], record["faults"]) == ("host", "accept", [])
        assert table.sent[-1][0] > 9.4, "lines go on"


def test_a_query_is_answered_with_the_relay_and_a_switch_not_at_all() -> None:
    table = relay()
    table.go_on(0.6)
    assert asked(table) == [OFF]
    table.say(ON)
    assert asked(table) == [ON]
    table.say(OFF)
    assert asked(table) == [OFF]
    assert all(data in (MOVES, STANDS, ON, OFF) for _, data in table.sent)


def test_frames_are_found_in_noise_however_they_are_cut() -> None:
    for cut in range(1, 12):
        table = relay()
        stream = b"\x00\xa0\xa0\x01\x01\x00" + QUERY[:3] + QUERY
        for piece in (stream[:cut], stream[cut:]):
            table.say(piece)
        answers = [data for data in table.go_on(0.1) if data.startswith(b"\xa0")]
        assert answers == [OFF]


@pytest.mark.parametrize("data", ["A00101A3", "A00201A3", "A00109AA", "A00101", "3132330D0A"])
def test_what_is_no_frame_of_this_board_is_ignored(data: str) -> None:
    table = relay()
    table.say(bytes.fromhex(data))
    table.go_on(5.0)
    assert table.truth == []
    assert [data for _, data in table.sent if data != STANDS] == []


def test_a_relay_left_on_goes_on_for_ever_and_switching_it_on_again_is_nothing() -> None:
    table = relay()
    table.say(ON)
    table.go_on(60)
    table.say(ON)
    table.go_on(60)
    assert table.truth == []
    assert changes(table)[-1][1] == MOVES


def test_the_dealers_button_runs_the_motor_and_not_the_relay() -> None:
    table = relay()
    table.go_on(1)
    table.device.tell("shake")
    table.go_on(1)
    assert asked(table) == [OFF]
    table.go_on(8)
    assert [data for _, data in changes(table)] == [STANDS, MOVES, STANDS]
    (record,) = table.truth
    assert record["by"] == "button"
    assert 3.0 < record["times_s"]["motor_off"] - record["times_s"]["motor_on"] < 5.5


FAULTS = [
    ("stopped_stuck", [STANDS], True, "either"),
    ("moving_stuck", [STANDS, MOVES], True, "either"),
    ("stopped_while_moving", [STANDS, MOVES, STANDS, MOVES, STANDS], True, "either"),
    ("not_moved", [STANDS], False, "refuse"),
    ("no_answer", [STANDS], False, "refuse"),
    ("late_answer", [STANDS, MOVES, STANDS], True, "either"),
    ("lost_answer", [STANDS, MOVES, STANDS], True, "either"),
    ("doubled_answers", [STANDS, MOVES, STANDS], True, "accept"),
    ("power_cut", [STANDS, MOVES, STANDS], True, "refuse"),
    ("button", [STANDS, MOVES, STANDS, MOVES], True, "either"),
]


@pytest.mark.parametrize(("fault", "lines", "moved", "expect"), FAULTS)
def test_a_fault_on_the_line_and_in_the_truth(fault: str, lines: list[bytes], moved: bool, expect: str) -> None:
    for seed in range(5):
        table = one_shake(fault, seed)
        assert [data for _, data in changes(table)] == lines
        record = table.truth[0]
        assert record["moved"] is moved
        assert record["expect"] == expect
        assert record["faults"] == [fault]


def test_every_fault_of_the_relay_has_its_test() -> None:
    assert {row[0] for row in FAULTS} == {fault.value for fault in RELAY_FAULTS}


def test_a_stuck_input_comes_loose_in_the_end() -> None:
    table = one_shake("moving_stuck")
    table.go_on(40)
    stands = changes(table)[-1]
    assert stands[1] == STANDS
    assert 20 < stands[0] - 5.0 < 41


def test_queries_tell_a_lost_command_from_a_motor_that_stands() -> None:
    for fault, state in (("no_answer", OFF), ("not_moved", ON)):
        table = relay(shakes=(fault,))
        table.say(ON)
        assert asked(table) == [state]


def test_answers_late_lost_and_doubled() -> None:
    for fault, soon, later in (("late_answer", 0, 1), ("lost_answer", 0, 0), ("doubled_answers", 2, 0)):
        table = relay(shakes=(fault,))
        table.say(ON)
        assert len(asked(table)) == soon
        assert len([data for data in table.go_on(4) if data == ON]) == later


def test_without_power_the_board_is_silent_and_forgets_the_relay() -> None:
    table = relay(shakes=("power_cut",))
    table.say(ON)
    table.go_on(8)
    silence = max(two - one for (one, _), (two, _) in pairwise(table.sent))
    assert 1.0 <= silence <= 3.5
    assert asked(table) == [OFF]
    assert changes(table)[-1][1] == STANDS
    assert "power_cut" in table.truth[0]["faults"]


def test_the_first_line_may_have_lost_its_head() -> None:
    table = relay(attach_mid_line=True)
    table.device.attached()
    first, *rest = table.go_on(3)
    assert first != STANDS
    assert STANDS.endswith(first)
    assert set(rest) == {STANDS}
