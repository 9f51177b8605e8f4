"""Which rows may go, and when the clock may be believed about it. Pure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.retention import DAY_NS, STEADY_S, OldRow, Plan, SteadyClock, plan, too_old_ns
from dealer_drivers.instant import NS_PER_S, Instant

NOW = 1_000 * DAY_NS + 5
OLD = 900 * DAY_NS
LATER = 2_000 * DAY_NS


def row(row_id: int, sequence: int | None, wall_ns: int, table: str = "r1") -> OldRow:
    return OldRow(row_id, table, sequence, wall_ns)


@pytest.mark.parametrize(
    ("rows", "done", "expected"),
    [
        ([], {}, Plan()),
        ([row(1, 1, OLD), row(2, None, OLD), row(3, 2, OLD)], {"r1": 2}, Plan(through=3)),
        ([row(1, 1, OLD), row(2, 2, OLD + 1)], {"r1": 9}, Plan(through=1)),
        ([row(1, 1, OLD), row(2, 2, OLD)], {"r1": 1}, Plan(through=1)),
        ([row(1, 1, OLD)], {}, Plan(blocked=("r1", 1))),
        ([row(1, 1, OLD + 1)], {}, Plan()),
        ([row(1, None, OLD), row(2, 5, OLD, "r2")], {"r2": 4}, Plan(through=1)),
        ([row(2, 5, OLD, "r2"), row(3, 1, OLD)], {"r1": 9, "r2": 4}, Plan(blocked=("r2", 5))),
        # Dated after now: with an old row behind them, and never by themselves.
        ([row(1, 1, LATER), row(2, 2, OLD)], {"r1": 9}, Plan(through=2)),
        ([row(1, 1, OLD), row(2, 2, LATER), row(3, 3, OLD + 1)], {"r1": 9}, Plan(through=1)),
        ([row(1, 1, LATER)], {"r1": 9}, Plan()),
        ([row(1, 1, LATER)], {}, Plan()),
        ([row(1, 1, LATER), row(2, 2, OLD)], {}, Plan(blocked=("r1", 1))),
    ],
)
def test_the_plan(rows: list[OldRow], done: dict[str, int], expected: Plan) -> None:
    assert plan(rows, OLD, NOW, done) == expected


@given(
    st.lists(st.tuples(st.sampled_from(["r1", "r2"]), st.sampled_from([OLD - 1, OLD, OLD + 1, LATER]))),
    st.dictionaries(st.sampled_from(["r1", "r2"]), st.integers(0, 8)),
)
def test_what_is_young_or_somebody_lacks_never_goes(drawn: list[tuple[str, int]], done: dict[str, int]) -> None:
    next_of: dict[str, int] = {}
    rows = []
    for number, (table, wall_ns) in enumerate(drawn, 1):
        next_of[table] = next_of.get(table, 0) + 1
        rows.append(row(number, next_of[table], wall_ns, table))
    through, blocked = plan(rows, OLD, NOW, done)
    going = [one for one in rows if through is not None and one.id <= through]
    assert all(one.wall_ns <= OLD or one.wall_ns > NOW for one in going)
    assert all((one.sequence or 0) <= done.get(one.table, 0) for one in going)
    assert not going or going[-1].wall_ns <= OLD
    assert through is None or blocked is None
    if blocked is not None:
        assert blocked[1] == done.get(blocked[0], 0) + 1


def test_rows_grow_old_by_whole_days() -> None:
    day = 500 * DAY_NS
    assert too_old_ns(day, 90) == too_old_ns(day + DAY_NS - 1, 90) == 410 * DAY_NS
    assert too_old_ns(day + DAY_NS, 90) == 411 * DAY_NS


def at(seconds: float, off_s: float = 0) -> Instant:
    return Instant(int(seconds * NS_PER_S), int((1_700_000_000 + seconds + off_s) * NS_PER_S))


def test_a_clock_is_believed_after_an_hour_without_a_jump() -> None:
    clock = SteadyClock()
    assert not clock.observe(at(10))
    assert not clock.observe(at(10 + STEADY_S - 1))
    assert clock.observe(at(10 + STEADY_S, off_s=2)), "slewing is no jump"
    assert not clock.observe(at(20 + STEADY_S, off_s=90 * 86_400)), "it jumped: a wrong date would remove everything"
    assert not clock.observe(at(30 + STEADY_S, off_s=0)), "and back"
    assert clock.observe(at(30 + 2 * STEADY_S, off_s=0))
