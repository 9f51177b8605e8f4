"""A counter's numbers begin again at 0, lose counts, and go on while its cable is out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dealer_daemon.validation.turn_map import SEGMENT_DEG, parse_wheel
from dealer_daemon.validation.turn_reference import Reference
from dealer_drivers.readings import DeviceFault, Fault
from dealer_drivers.readings.wheel import IndexMark, WheelAngle
from support.turns import PlainWheel, at, plain_file, spun

WRAPS_AT = 1 << 32
MARK_DEG = 10.0
"""Of the plain wheel."""


def angle(count: int, per_turn: int, *, life: int = 1, lost: bool = False, t_s: float = 0.0) -> WheelAngle:
    return WheelAngle(
        at=at(t_s), raw=b"", count=count % WRAPS_AT, per_turn=per_turn, wraps_at=WRAPS_AT, absolute=False, life=life,
        device_s=t_s, counts_lost=lost,
    )  # fmt: skip


def mark(count: int, passes: int, *, life: int = 1, t_s: float = 0.0) -> IndexMark:
    return IndexMark(at=at(t_s), raw=b"", passes=passes, count=count % WRAPS_AT, life=life)


class CountingWheel(PlainWheel):
    """The plain wheel with a counter that said 0 where the wheel stood at ``zero_deg``."""

    def __init__(self, per_turn: int, zero_deg: float, **judge: Any) -> None:
        self.per_turn, self.zero_deg, self.life, self.lost = per_turn, zero_deg, 1, False
        super().__init__(**judge)
        self.index()

    def count(self, deg: float) -> int:
        return round((deg + self.slip_deg - self.zero_deg) / 360 * self.per_turn)

    def index(self) -> None:
        """Says where the index was last."""
        before = MARK_DEG + 360 * ((self.deg - MARK_DEG) // 360)
        self.see()
        self.feed(mark(self.count(before), self.passes, life=self.life, t_s=self.t_s))

    def see(self, *, at_deg: float | None = None, gap_s: float = 1 / PlainWheel.HERTZ) -> None:
        before, self.deg = self.deg, self.deg if at_deg is None else at_deg
        self.t_s += gap_s
        self.feed(angle(self.count(self.deg), self.per_turn, life=self.life, lost=self.lost, t_s=self.t_s))
        self.lost = False
        old, new = ((deg - MARK_DEG) // 360 for deg in (before, self.deg))
        if old != new:
            self.passes += 1
            latch = self.count(MARK_DEG + 360 * max(old, new))
            self.feed(mark(latch, self.passes, life=self.life, t_s=self.t_s))

    def unplug(self) -> None:
        self.feed(DeviceFault(at=at(self.t_s), raw=b"", fault=Fault.LINK_LOST, detail="unplugged"))


@given(
    st.integers(256, 10_000), st.integers(-20_000, 20_000), st.integers(-30, 30), st.integers(-30_000, 30_000)
)  # fmt: skip
@example(2000, 111, 0, -392)
@example(3600, -1, 3, 5)
def test_where_the_counts_begin_again_is_no_place_on_the_wheel(per_turn: int, home: int, turns: int, on: int) -> None:
    wheel = parse_wheel(plain_file().encode(), Path("plain.toml"))
    reference = Reference(wheel)
    first = reference.note(mark(home, 1), angle(home, per_turn))
    assert first is not None
    assert first.off_deg is None
    found = reference.encoder_deg(angle(home + on, per_turn))
    assert found == pytest.approx(MARK_DEG + on * 360 / per_turn, abs=1e-6)
    here = home + turns * per_turn
    again = reference.note(mark(here, 2), angle(here + on, per_turn))
    assert again is not None
    assert again.off_deg == pytest.approx(0, abs=1e-6)
    slipped = reference.note(mark(here + 7, 3), angle(here + on, per_turn))
    assert slipped is not None
    assert slipped.off_deg == pytest.approx(7 * 360 / per_turn, abs=1e-6)


@pytest.mark.parametrize("per_turn", [1000, 2000, 3600, 4096, 10_000])
@pytest.mark.parametrize("zero_deg", [-90.0, 200.0, 1083.0, 1101.0])
def test_a_turn_through_zero_has_its_own_segment(per_turn: int, zero_deg: float) -> None:
    """The counts pass 0 before, in, and after the last turn's pass of the index."""
    wheel = CountingWheel(per_turn, zero_deg)
    assert spun(wheel, 1080 + 5 * SEGMENT_DEG)[-2:] == ["ok:5", "Ready"]
    wheel.turn(-1080 - 9 * SEGMENT_DEG)
    wheel.rest(2)
    assert wheel.words()[-2:] == ["ok:48", "Ready"]


def test_counts_lost_just_before_a_turn() -> None:
    wheel = CountingWheel(4096, 0.0)
    wheel.rest(1.5)
    for _ in range(4):
        wheel.see(at_deg=wheel.deg + 2)
    wheel.lost = True
    wheel.slip_deg = -20.0
    wheel.turn(1200)
    wheel.rest(2)
    assert wheel.words()[1] == "Unseen:counts_lost"
    assert not [word for word in wheel.words() if word.startswith("ok")]


def test_counts_lost_at_rest_cost_no_turn_once_the_rest_is_verified_anew() -> None:
    wheel = CountingWheel(4096, 0.0)
    wheel.rest(1.5)
    wheel.lost = True
    assert spun(wheel, 1080 + 5 * SEGMENT_DEG) == ["Ready", "Started", "BettingOver", "ok:5", "Ready"]


@pytest.mark.parametrize("life", [1, 2], ids=["its clock ran on", "its clock did not"])
@pytest.mark.parametrize(("moved_deg", "words"), [(0, ["Ready"]), (1300, ["Unseen:turn_not_seen", "Ready"])])
def test_a_spin_while_the_cable_was_out(life: int, moved_deg: int, words: list[str]) -> None:
    wheel = CountingWheel(4096, 0.0)
    wheel.rest(1.5)
    wheel.unplug()
    wheel.t_s += 20
    wheel.deg += moved_deg
    wheel.passes += moved_deg // 360
    wheel.life = life
    wheel.index()
    wheel.rest(2)
    assert wheel.words()[1:] == words
