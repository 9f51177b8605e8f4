"""The shuffler's lines: what is a frame, what is thrown away, and that an order of cards goes nowhere."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.readings.shuffler import MachineState, Phase
from dealer_drivers.shuffler.codec import LONGEST, GenericFormat
from dealer_drivers.shuffler.frames import (
    QUESTION,
    Flag,
    Frame,
    Level,
    OrderOffered,
    Reenumerated,
    Status,
    Thrown,
    encode,
    line,
)
from hw_sim.shuffler import lines

from .conftest import ORDER, cut, levels, orders, statuses, streams

READY = b"@S,41,ready,7,red,faces,416,0,0,0,-*"
CARDS = re.compile(rb"[A2-9TJQK][SHCD]")


def frames(data: bytes, *, own_words: bool = False) -> list[Frame]:
    return GenericFormat(own_words=own_words).feed(data)


def test_the_documented_lines() -> None:
    """The vectors of ``docs/reference/generic-shuffler.md``."""
    assert lines.check(b"123456789") == 0x29B1, "the check's published value"
    vectors = {
        b"@S,41,ready,7,red,faces,416,0,0,0,-*ECD8\r\n": Status(41, MachineState.READY, 7, "red", True, 416),
        b"@S,42,mismatch,8,-,count,414,2,0,0,jam+misread*E8D8\r\n": Status(
            42, MachineState.MISMATCH, 8, None, False, 414, 2, flags=frozenset({Flag.JAM, Flag.MISREAD})
        ),
        b"@L,43,287,feeding,3*071C\r\n": Level(43, 287, Phase.FEEDING, 3),
    }
    for data, frame in vectors.items():
        assert frames(data) == [frame]
        assert encode(frame) == data
    assert QUESTION == b"@Q*AB24\r\n"


@given(st.lists(st.one_of(statuses(), levels())))
def test_what_a_machine_says_comes_through_as_it_was(said: list[bytes]) -> None:
    found = frames(b"".join(said))
    assert [encode(frame) for frame in found] == said


@given(streams(), st.lists(st.integers(0, 5000), max_size=40))
def test_the_cutting_changes_nothing(data: bytes, places: list[int]) -> None:
    whole, pieces = GenericFormat(), GenericFormat()
    assert whole.feed(data) == [frame for piece in cut(data, places) for frame in pieces.feed(piece)]
    assert pieces.held < LONGEST


@given(streams(), statuses())
def test_it_finds_back_from_anything(before: bytes, after: bytes) -> None:
    found = frames(before + after)
    assert encode(found[-1]) == after


@given(st.lists(st.one_of(orders(), statuses(), st.binary(max_size=30)), max_size=8).map(b"".join))
def test_no_card_comes_out_whatever_goes_in(data: bytes) -> None:
    out = b"".join(map(encode, frames(data)))
    assert not CARDS.search(re.sub(rb"\*[0-9A-F]{4}", b"", out))
    assert len(out) <= 8 * len(data) + 64


@given(st.lists(statuses(), max_size=4), st.lists(st.sampled_from(ORDER), min_size=2, max_size=416))
def test_an_order_is_told_once_and_spoils_no_frame(said: list[bytes], cards: list[str]) -> None:
    found = frames(b"".join(said) + lines.order(cards) + b"".join(said))
    assert [frame for frame in found if not isinstance(frame, OrderOffered)] == frames(b"".join(said)) * 2
    assert found.count(OrderOffered()) == 1


@pytest.mark.parametrize(
    "body",
    [
        "Z,8S,KD,2C",
        "cards=8SKD2C4H",
        "S,1,ready,7,red,faces,416,0,0,0,-,8S,KD",
    ],
)
def test_an_order_in_a_line_of_another_kind_is_one_too(body: str) -> None:
    assert frames(line(body)) == [OrderOffered()]


@pytest.mark.parametrize(
    "body",
    [
        "S,1,ready,7,red,faces,416,1,0,0,-",  # whole, and one is missing
        "S,1,ready,7,red,faces,-,0,0,0,-",
        "S,1,mismatch,7,red,faces,416,0,0,0,-",
        "S,1,asleep,7,red,faces,416,0,0,0,-",
        "S,1,ready,7,RED,faces,416,0,0,0,-",
        "S,1,ready,7,red,seen,416,0,0,0,-",
        "S,1,ready,7,red,faces,416,0,0,0,fire",
        "S,1,ready,7,red,faces,416,0,0,0,jam+jam",
        "S,1,ready,7,red,faces,416,0,0,0",
        "S,-1,idle,7,red,faces,-,0,0,0,-",
        "L,1,300,eating,2",
        "X,usb,1",
        "X,order",
        "Q",
        "",
    ],
)
def test_what_is_no_frame_is_thrown_away(body: str) -> None:
    data = line(body)
    assert frames(data) == [Thrown(len(data))]


@pytest.mark.parametrize("at", range(1, 35))
def test_a_damaged_line_is_none(at: int) -> None:
    data = bytearray(b"@S,41,ready,7,red,faces,416,0,0,0,-*ECD8\r\n")
    data[at] ^= 1
    assert not [frame for frame in frames(bytes(data)) if isinstance(frame, Status)]


def test_a_line_whose_end_was_damaged_is_none() -> None:
    """It is kept as it should have been: what never arrived would be evidence."""
    line = lines.status(1, "ready", 7, "red", counted=416)
    assert line.endswith(b"\r\n")
    for end in (b"\n", b"\n\n", b"\r\r\n"):
        assert all(isinstance(frame, Thrown) for frame in frames(line[:-2] + end))


def test_the_stations_own_words_are_read_back_from_its_recordings() -> None:
    said: list[Frame] = [OrderOffered(), Thrown(17), Reenumerated(2)]
    assert frames(b"".join(map(encode, said)), own_words=True) == said


def test_an_endless_line_holds_no_memory() -> None:
    endless = GenericFormat()
    for start in (b"@S,", b"@O,", b"\0"):
        endless.feed(start)
        for _ in range(1000):
            endless.feed(b"8S,KD," * 100)
            assert endless.held < LONGEST
