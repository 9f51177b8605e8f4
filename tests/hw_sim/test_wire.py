"""The wire passes lines on as they are until a fault is struck."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw_sim.faults import WIRE_FAULTS, Fault
from hw_sim.wire import Wire

LINES = [f"*X;4;{n:03d};17;0;155;1\r\n".encode() for n in range(30)]


def carried(fault: Fault | None, seed: int = 1) -> bytes:
    wire = Wire(Random(seed))
    if fault is not None:
        wire.strike(fault, 0.0)
    data = b"".join(wire.pass_line(line, n * 0.5) for n, line in enumerate(LINES))
    return data + wire.release(1000.0)


def test_a_sound_wire_changes_nothing() -> None:
    assert carried(None) == b"".join(LINES)


@pytest.mark.parametrize("fault", sorted(WIRE_FAULTS - {Fault.STALL}))
@given(seed=st.integers(0, 5000))
def test_a_fault_spoils_a_few_lines_and_is_over(fault: Fault, seed: int) -> None:
    whole = set(LINES)
    got = carried(fault, seed)
    lost = [line for line in LINES if line not in got.splitlines(keepends=True) and line not in got]
    assert 1 <= len(lost) <= 6
    assert got.endswith(b"".join(LINES[-10:])), "over after some lines"
    assert len(got) <= sum(map(len, whole))


@given(seed=st.integers(0, 5000))
def test_bits_flip_in_place(seed: int) -> None:
    got, sent = carried(Fault.BIT_FLIPS, seed), b"".join(LINES)
    assert len(got) == len(sent)
    assert 1 <= sum((a ^ b).bit_count() for a, b in zip(got, sent, strict=True)) <= 15


@given(seed=st.integers(0, 5000))
def test_glued_lines_keep_the_whole_second_one(seed: int) -> None:
    got = carried(Fault.GLUED_LINES, seed)
    glued = [line for line in got.splitlines(keepends=True) if line not in LINES]
    assert glued
    assert all(line.startswith(b"*X"[:2]) and any(line.endswith(whole) for whole in LINES) for line in glued)


@given(seed=st.integers(0, 5000))
def test_a_stall_holds_bytes_and_loses_none(seed: int) -> None:
    wire = Wire(Random(seed))
    wire.strike(Fault.STALL, 0.0)
    assert wire.pass_line(LINES[0], 0.1) == b""
    until_s = wire.release_s()
    assert 2 <= until_s <= 6
    assert wire.release(until_s - 0.01) == b""
    assert wire.pass_line(LINES[1], until_s + 0.01) == LINES[0] + LINES[1]


def test_only_faults_of_the_wire_can_be_struck() -> None:
    with pytest.raises(KeyError):
        Wire(Random(1)).strike(Fault.UNPLUG, 0.0)


@given(seed=st.integers(0, 5000))
def test_whoever_joins_in_mid_line_gets_its_rest(seed: int) -> None:
    wire = Wire(Random(seed))
    wire.lose_head()
    first = wire.pass_line(LINES[0], 0.0)
    assert LINES[0].endswith(first)
    assert 3 <= len(first) < len(LINES[0])
    assert wire.pass_line(LINES[1], 0.5) == LINES[1]
