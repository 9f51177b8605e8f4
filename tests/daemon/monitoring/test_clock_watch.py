"""Whether the clock can be believed."""

from __future__ import annotations

from pathlib import Path

from dealer_daemon.station.clock_watch import JUMP_S, STEADY_S, JumpWatch, clock_state, disk_bytes
from dealer_drivers.instant import NS_PER_S, Instant


def at(mono_s: float, off_s: float = 0.0) -> Instant:
    return Instant(round(mono_s * NS_PER_S), round((1e9 + mono_s + off_s) * NS_PER_S))


def test_a_jump_stands_for_an_hour_and_a_slewed_clock_does_not_jump() -> None:
    watch = JumpWatch()
    assert watch.observe(at(0)) is None, "not watched for long enough"
    for second in range(1, 100):
        assert watch.observe(at(second, off_s=second * 500e-6)) is None
    jumped = watch.observe(at(100, off_s=-3))
    assert jumped is not None
    assert round(jumped, 1) == -3.0
    assert watch.jumps == 1
    assert watch.observe(at(100 + STEADY_S - 1, off_s=-3)) is not None
    assert watch.observe(at(100 + STEADY_S, off_s=-3)) == 0.0
    assert watch.observe(at(101 + STEADY_S, off_s=-3 + JUMP_S)) == JUMP_S
    assert watch.jumps == 2


def test_the_kernel_is_asked_without_any_right_and_a_folder_that_is_gone_tells_nothing(tmp_path: Path) -> None:
    state = clock_state()
    assert state.synchronised in (True, False, None)
    assert (state.error_s is not None) == (state.synchronised is True)
    found = disk_bytes(str(tmp_path))
    assert found is not None
    assert 0 <= found[0] <= found[1]
    assert disk_bytes(str(tmp_path / "no")) is None
