"""The relay board's codec and session: bytes of two kinds on one line, and a relay that must not stay on."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.driver import DeviceAction
from dealer_drivers.errors import OptionError
from dealer_drivers.shaker.relay import DRIVER, RelayOptions, RelaySession
from dealer_drivers.shaker.relay_codec import OFF, ON, QUERY, InputLine, RelayAnswer, RelayCodec, command
from support.shaker import Bench

STANDS, MOVES = b"I1=1\r\n", b"I1=0\r\n"
IS_ON, IS_OFF = command(ON), command(OFF)


def bench(*, control: bool = True) -> Bench:
    return Bench(RelaySession(RelayOptions(control=control))).open()


def beat(board: Bench, line: bytes, seconds: float) -> Bench:
    """The board's heartbeat."""
    for _ in range(round(seconds / 0.5)):
        board.wait(0.5).bytes(line)
    return board


def bytes_sent(board: Bench) -> list[bytes]:
    sent, board.sent = board.sent, []
    return [data for _, data in sent]


def off_known(board: Bench) -> Bench:
    """As after a start: the relay was switched off and the board said so."""
    board.bytes(IS_OFF + STANDS)
    board.sent.clear()
    board.new()
    return board


def test_the_documented_bytes() -> None:
    assert command(ON) == bytes.fromhex("A00101A2")
    assert command(OFF) == bytes.fromhex("A00100A1")
    assert command(QUERY) == bytes.fromhex("A00105A6")


def test_frames_between_lines_and_noise() -> None:
    found = RelayCodec().feed(b"1=1\r\n" + STANDS + IS_ON + MOVES + b"\xa0\x01\x01\x00" + IS_OFF + b"I1=2\r\n" + STANDS)
    kinds = [item if isinstance(item, bytes) else item.raw for item in found]
    assert kinds[:4] == [b"1=1\r\n", STANDS, IS_ON, MOVES]
    assert IS_OFF in kinds
    assert kinds[-2:] == [b"I1=2\r\n", STANDS]
    assert [item.on for item in found if isinstance(item, RelayAnswer)] == [True, False]


@given(
    st.lists(st.sampled_from([STANDS, MOVES, IS_ON, IS_OFF, b"\xa0", b"I1", b"\n", b"\xa0\x01\x07\xa8"]), max_size=12),
    st.lists(st.integers(0, 80), max_size=6),
)
def test_the_same_frames_however_the_bytes_are_cut(parts: list[bytes], cuts: list[int]) -> None:
    data = b"".join(parts)
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    codec = RelayCodec()
    found = [item for a, b in itertools.pairwise(edges) for item in codec.feed(data[a:b])]
    assert found == RelayCodec().feed(data)
    raw = b"".join(item if isinstance(item, bytes) else item.raw for item in found)
    assert raw == data[: len(data) - codec.held], "no byte is lost or invented"


@given(st.binary(max_size=200))
def test_noise_never_raises_and_is_never_held_for_long(data: bytes) -> None:
    codec = RelayCodec()
    codec.feed(data)
    assert codec.held < 32
    codec.feed(b"\n" * 40)
    assert codec.feed(STANDS)[-1] == InputLine(stopped=True, raw=STANDS)


def test_a_shake_that_the_station_times() -> None:
    board = off_known(bench())
    assert board.start()
    assert bytes_sent(board) == [IS_ON, command(QUERY)]
    board.wait(0.02).bytes(IS_ON).wait(0.05).bytes(MOVES)
    beat(board, MOVES, 3.5).wait(0.5)
    assert bytes_sent(board) == [IS_OFF, command(QUERY)], "after four seconds"
    board.bytes(IS_OFF).bytes(MOVES).wait(0.3).bytes(STANDS)
    assert [key for key, _ in itertools.groupby(board.new())] == ["taken:1", "shaking:1:4s", "idle:1"]
    beat(board, STANDS, 5)
    assert bytes_sent(board) == []


def test_off_is_sent_until_the_board_says_so_and_then_a_person_is_called() -> None:
    board = off_known(bench())
    board.start()
    beat(board, MOVES, 4.0)
    beat(board, MOVES, 4.5)
    assert bytes_sent(board)[2:] == [IS_OFF, command(QUERY)] * 10
    assert "fault:relay_stuck" not in board.new()
    beat(board, MOVES, 1.0)
    assert "fault:relay_stuck" in board.new()
    assert board.bytes(IS_OFF).new() == ["over:relay_stuck"]
    board.sent.clear()
    beat(board, STANDS, 2)
    assert bytes_sent(board) == []


def test_a_link_lost_in_mid_shake_is_switched_off_when_it_is_back() -> None:
    board = off_known(bench())
    board.start()
    board.bytes(IS_ON + MOVES).wait(1.0).lose()
    assert not board.start()
    board.sent.clear()
    board.wait(2.0).open()
    assert bytes_sent(board) == [IS_OFF, command(QUERY)]


def test_a_second_start_while_the_relay_is_on_sends_nothing() -> None:
    board = off_known(bench())
    assert board.start()
    board.wait(1.0).bytes(STANDS)
    assert not board.start()


def test_a_start_before_a_late_answer_is_a_new_cycle_and_is_timed_anew() -> None:
    board = off_known(bench())
    board.start()
    beat(board, MOVES, 4.0)
    beat(board, STANDS, 1.0)
    board.sent.clear()
    assert board.start()
    board.bytes(IS_OFF)
    beat(board, MOVES, 3.5)
    assert bytes_sent(board) == [IS_ON, command(QUERY)]
    beat(board, MOVES, 0.5)
    assert bytes_sent(board) == [IS_OFF, command(QUERY)]
    assert board.new()[-1] == "shaking:2:4s"


def test_without_control_not_a_byte_is_sent() -> None:
    board = bench(control=False)
    assert not board.start()
    beat(board.bytes(STANDS + MOVES), MOVES, 4).bytes(STANDS).wait(60)
    assert board.sent == []
    assert [key for key, _ in itertools.groupby(board.new())] == ["idle:0", "shaking:1", "idle:1", "fault:silent"]


def test_a_board_without_its_heartbeat_is_silent_in_mid_shake() -> None:
    board = off_known(bench())
    board.start()
    board.bytes(MOVES).wait(0.9)
    assert board.new() == ["shaking:1:4s"]
    board.sent.clear()
    assert board.wait(0.2).new() == ["fault:silent"]
    assert bytes_sent(board)[0] == IS_OFF, "that shake is over"
    assert board.wait(2.0).bytes(STANDS).new() == ["over:silent", "idle:1"]


def test_a_board_at_rest_may_miss_two_lines() -> None:
    board = off_known(bench())
    assert board.wait(1.4).new() == []
    assert board.wait(0.2).new() == ["fault:silent"]


def test_a_line_that_noise_has_spoilt_was_said() -> None:
    board = off_known(bench())
    board.start()
    board.bytes(MOVES).wait(0.5).bytes(b"I1=\xff\r\n").wait(0.5)
    assert board.new() == ["shaking:1:4s", "unreadable"]


def test_a_first_line_that_is_cut_is_no_state() -> None:
    board = bench().bytes(b"1=1\r\n")
    assert board.new() == ["unreadable"]
    assert board.rejected == 5


@pytest.mark.parametrize(("values", "key"), [({"shake_ms": 100}, "shake_ms"), ({"baud": 1}, "baud")])
def test_options_that_cannot_be(values: dict[str, object], key: str) -> None:
    with pytest.raises(OptionError) as caught:
        DRIVER.parse_options(values)
    assert caught.value.key == key


def test_the_manifest() -> None:
    assert DRIVER.actions(RelayOptions(control=True)) == {DeviceAction.START_SHAKE}
    assert DRIVER.actions(RelayOptions()) == frozenset()
    assert DRIVER.serial(RelayOptions(baud=4800)).baud == 4800


@given(st.lists(st.tuples(st.sampled_from(["on", "off", "0", "1", "start", "lost"]), st.floats(0, 6)), max_size=25))
def test_the_relay_is_never_left_on(steps: list[tuple[str, float]]) -> None:
    """Whatever the board says: after an on, an off follows within the shake's time, or at the next connection."""
    board = bench()
    says = {"on": IS_ON, "off": IS_OFF, "0": MOVES, "1": STANDS}
    for step, seconds in steps:
        if step == "start":
            board.start()
        elif step == "lost":
            board.lose().open()
        else:
            board.bytes(says[step])
        board.wait(seconds)
    board.wait(5.0)
    switched = [data for _, data in board.sent if data in (IS_ON, IS_OFF)]
    assert switched[-1] == IS_OFF
