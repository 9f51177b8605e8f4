"""The wheel's command line answers as documented (devices.md §1, commands)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw_sim.device import Bytes
from hw_sim.roulette.device import WheelDevice
from hw_sim.roulette.options import M360Options, Ss2Options
from hw_sim.truth import TruthLog

Play = Callable[..., Any]


def test_a_poll_is_answered_with_a_frame_but_not_faster_than_every_100_ms(ss2: Play) -> None:
    played = ss2().go_on(3)
    (line,) = played.say("*X")
    assert re.fullmatch(rb"\*X;2;001;  ;0;\d{3};[01]\r\n", line)
    assert played.say("*X") == []
    played.go_on(0.11)
    assert len(played.say("*X")) == 1


def test_power_off_and_on(ss2: Play) -> None:
    played = ss2(numbers=("9",)).until_truth(1).go_on(2)
    assert played.say("*P 1") == [b"*P NO\r\n"]
    assert played.say("*P 0") == [b"*P OK\r\n"]
    assert played.say("*P 0") == [b"*P NO\r\n"]
    played.sent.clear()
    played.go_on(5)
    assert played.states() == [2, 6], "the rotor runs down first"
    last = played.frames()[-1][1]
    assert (last["GGG"], last["WW"]) == (b"002", b" 9"), "still in view"
    assert int(played.frames()[0][1]["RRR"]) > int(played.frames()[3][1]["RRR"])
    assert played.truth[-1]["expect"] == "refuse", "the spin in play is void"
    assert played.say("*P 1") == [b"*P OK\r\n"]
    assert played.say("*P 1") == [b"*P NO\r\n"]
    played.sent.clear()
    first = played.go_on(1).frames()[0][1]
    assert (first["S"], first["GGG"], first["WW"]) == (b"1", b"001", b"  ")


def test_mode_is_busy_while_a_ball_runs(ss2: Play) -> None:
    played = ss2().go_on(5)
    assert played.say("*o 0") == [b"*o OK\r\n"]
    played.go_on(10)
    assert played.say("*o 1") == [b"*o BUSY\r\n"]
    assert b"*S\r\n" in played.stream, "basic frames since"


def test_parameters_are_read_set_and_read_back(ss2: Play) -> None:
    played = ss2().go_on(1)
    (before,) = played.say("*T M")
    assert before == b"*T m 2.0\r\n"
    assert played.say("*T m 20000.0") == [b"*T OK\r\n"]
    assert played.say("*T M") == [b"*T m 20000.0\r\n"]
    assert played.say("*T S") == [b"*T s 15.0 18.5\r\n"]
    assert played.say("*T s 16.0 18.0") == [b"*T OK\r\n"]
    assert played.say("*T S") == [b"*T s 16.0 18.0\r\n"]
    assert played.say("*T W") == [b"*T NO\r\n"]


@pytest.mark.parametrize("mistyped", ["*T d99", "*Td 99", "*Td99", "*T d", "*T"])
def test_a_set_with_a_missing_space_says_ok_and_changes_nothing(ss2: Play, mistyped: str) -> None:
    played = ss2().go_on(1)
    assert played.say(mistyped) == [b"*T OK\r\n"]
    assert played.say("*T D") == [b"*T d 12\r\n"]


def test_saved_parameters_outlive_the_power(ss2: Play) -> None:
    played = ss2().go_on(1)
    played.say("*T d 20")
    assert played.say("*T f") == [b"*T OK\r\n"]
    played.say("*T d 30")
    played.device.power_cycle()
    played.go_on(6)
    assert played.say("*T D") == [b"*T d 20\r\n"]


def test_identity_self_test_and_state(ss2: Play, m360: Play) -> None:
    for played, model in ((ss2().go_on(5), b"Slingshot"), (m360().go_on(5), b"Mercury")):
        assert re.fullmatch(rb"\*S V\d\.\d\d\r\n", played.say("*S")[0])
        assert re.match(rb"\*V V\d\.\d\d ", played.say("*V")[0])
        assert model in played.say("*V")[0]
        assert played.say("*F") == [b"*F 0\r\n"]
        assert played.say("*O") == [b"*O 2 1 0 0\r\n"]
    assert ss2().go_on(1).say("*G?") == [b"*G NO\r\n"]


def test_the_self_test_knows_a_latched_fault(ss2: Play) -> None:
    played = ss2(spins=("sensor_fault",))
    while played.states()[-1:] != [6]:
        played.go_on(1)
    assert played.say("*F") == [b"*F 21\r\n"]
    assert played.say("*P 1") == [b"*P NO\r\n"]


def test_unknown_commands_get_no_and_noise_gets_nothing(ss2: Play) -> None:
    played = ss2().go_on(1)
    assert played.say("*q") == [b"*q NO\r\n"]
    assert played.say("*? 1") == [b"*? NO\r\n"]
    assert played.say("") == played.say("hello") == played.say("*") == []
    assert played.say("*" + "x" * 200) == []
    assert played.say("*q\r*q\n\r\n*q") == [b"*q NO\r\n"] * 3


def test_a_line_too_long_is_dropped_however_it_comes(ss2: Play) -> None:
    played = ss2().go_on(1)
    assert played.device.receive(b"y" * 5 + b"*q" + b" " * 78) == []
    assert played.say("") == []
    assert played.say("*q") == [b"*q NO\r\n"]


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5), st.booleans())
def test_any_bytes_in_any_pieces_give_the_same_answers(data: bytes, cuts: list[int], m360: bool) -> None:
    options = M360Options(name="w") if m360 else Ss2Options(name="w")
    data = b"*T D\r\n" + data + b"\r\n*V\r\n"
    answers = []
    for pieces in ([data], [data[a:b] for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), None], strict=True)]):
        device = WheelDevice(options, 1, TruthLog())
        device.advance(3.0)
        said = [action for piece in pieces for action in device.receive(piece)]
        assert all(isinstance(action, Bytes) for action in said)
        answers.append(said)
    assert answers[0] == answers[1]
    assert answers[0][-1].data.startswith(b"*V")
