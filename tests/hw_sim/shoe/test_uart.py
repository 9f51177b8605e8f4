"""Bytes at the wrong speed: whole ones at the right one, garbage at any other, never a telegram."""

from __future__ import annotations

import re
from functools import reduce
from operator import xor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw_sim.shoe.telegrams import card_bytes, telegram
from hw_sim.shoe.uart import at_wrong_speed


@given(st.binary(max_size=40))
def test_the_right_speed_changes_nothing(data: bytes) -> None:
    assert at_wrong_speed(data, 4800, 4800) == data


def test_a_few_per_cent_are_no_other_speed() -> None:
    assert at_wrong_speed(bytes(range(256)), 4800, 4900) == bytes(range(256))


def test_half_and_double_speed_by_hand() -> None:
    # Nine low bits are four and a half of the reader's: its start bit and three more, then the line is high.
    assert at_wrong_speed(b"\x00", 9600, 4800) == b"\xf8"
    # One low bit is two of the reader's: its start bit and one more.
    assert at_wrong_speed(b"\xff", 4800, 9600) == b"\xfe"


@pytest.mark.parametrize(("sent", "read"), [(9600, 4800), (4800, 9600), (19200, 4800)])
@given(cards=st.lists(st.tuples(st.integers(0, 1), st.integers(1, 3), st.integers(1, 13), st.sampled_from("SHCD"))))
def test_no_telegram_comes_of_telegrams(sent: int, read: int, cards: list[tuple[int, int, int, str]]) -> None:
    stream = b"".join(telegram("1", "D", card_bytes(*card)) for card in cards)
    for found in re.finditer(rb"\x05([^\x03]*\x03)([0-9A-F]{2})", at_wrong_speed(stream, sent, read)):
        assert b"%02X" % reduce(xor, found[1], 0) != found[2]
