"""What stands for each round in an export: corrections, overlaps, and what is no export."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_calibration.statistics.outcomes import BadExportError, read_outcomes
from support.wheel_health import line, roulette_facts, throw_facts


def spin(sequence: int, pocket: int, table: str = "r1", **more: object) -> bytes:
    return line("roulette", sequence, roulette_facts(pocket), table, **more)  # type: ignore[arg-type]


def numbers(lines: list[bytes], **more: object) -> list[tuple[int, int]]:
    (series,) = read_outcomes(lines, **more).series  # type: ignore[arg-type]
    return [(outcome.sequence, outcome.facts["pocket_index"]) for outcome in series.outcomes]


def test_a_correction_stands_in_the_place_of_its_outcome() -> None:
    lines = [spin(3, 5), spin(6, 7), spin(8, 9, replaces=3), spin(9, 1), spin(11, 30, replaces=8)]
    assert numbers(lines) == [(3, 30), (6, 7), (9, 1)]


def test_a_correction_counts_at_the_time_of_its_round() -> None:
    lines = [spin(3, 5, time="2026-01-01T10:00:00Z"), spin(6, 7), spin(8, 9, replaces=3, time="2026-01-03T10:00:00Z")]
    since = datetime(2026, 1, 2, tzinfo=UTC)
    assert read_outcomes(lines, since=since).series == ()
    assert numbers(lines) == [(3, 9), (6, 7)]


def test_a_correction_of_what_is_gone_is_left_out() -> None:
    assert numbers([spin(8, 9, replaces=3), spin(9, 1)]) == [(9, 1)]


def test_tables_and_games_are_kept_apart() -> None:
    lines = [spin(3, 5), spin(3, 6, table="r2"), line("sic-bo", 4, throw_facts([1, 2, 3]))]
    assert [(each.table, each.game) for each in read_outcomes(lines).series] == [
        ("r1", "roulette"),
        ("r1", "sic-bo"),
        ("r2", "roulette"),
    ]
    assert [each.table for each in read_outcomes(lines, table="r2").series] == ["r2"]


def test_the_moment_itself_is_since_it() -> None:
    lines = [spin(3, 5, time="2026-01-01T10:00:00Z"), spin(4, 6, time="2026-01-01T10:00:01Z")]
    assert numbers(lines, since=datetime(2026, 1, 1, 10, 0, 1, tzinfo=UTC)) == [(4, 6)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 36), min_size=1, max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_exports_that_overlap_are_as_good_as_one(pockets: list[int], cut: int, back: int) -> None:
    whole = [spin(number, pocket) for number, pocket in enumerate(pockets, 1)]
    parts = whole[max(cut - back, 0) :] + whole[:cut]
    if cut - back <= len(whole):
        assert numbers(parts) == numbers(whole)


def test_other_rows_do_not_count_whatever_they_speak_of() -> None:
    begun = {"kind": "journal", "type": "journal.begun", "sequence": None, "data": {"removed_hash": "round.outcome"}}
    command = {"kind": "command", "type": "outcome.correct", "table": "r1", "data": {"type": "outcome.corrected"}}
    paused = {"kind": "event", "type": "table.paused", "table": "r1", "data": {"detail": "no round.outcome"}}
    others = [json.dumps(each).encode() + b"\n" for each in (begun, command, paused)]
    assert numbers([*others, b"\n", spin(2, 4)]) == [(2, 4)]


def test_a_beginning_that_retention_moves_is_known() -> None:
    whole = json.dumps({"kind": "journal", "type": "journal.begun", "data": {"journal_id": "j"}}).encode() + b"\n"
    cut = whole.replace(b'"j"', b'"j", "removed_through": 7, "removed_hash": "00"')
    spins = [spin(3, 5, time="2026-01-02T10:00:00Z"), spin(4, 6, time="2026-01-03T10:00:00Z")]
    assert read_outcomes([cut, *spins]).beginning_moves
    compact = json.dumps(json.loads(cut), separators=(",", ":")).encode()
    assert read_outcomes([compact, *spins]).beginning_moves
    assert not read_outcomes([whole, *spins]).beginning_moves
    assert not read_outcomes([whole, *spins, cut, *spins]).beginning_moves
    assert not read_outcomes([cut, *spins], since=datetime(2026, 1, 3, tzinfo=UTC)).beginning_moves
    assert read_outcomes([cut, *spins], since=datetime(2026, 1, 1, tzinfo=UTC)).beginning_moves


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([b"2026-01-31T20:14:02Z  r1 1201 round.outcome {}\n"], "line 1 .*--json"),
        ([spin(1, 2), b'{"kind": "event", "type": "round.outcome"\n'], "line 2 is no row"),
        ([b'{"kind": "event", "type": "round.outcome", "data": {}}\n'], "line 1 is no row"),
        ([spin(1, 2).replace(b'"sequence": 1', b'"sequence": "1"')], "line 1 is no row"),
        ([spin(1, 2).replace(b"round.outcome", b"outcome.corrected")], "does not say what it replaces"),
        ([spin(1, 2), spin(1, 3)], "two different events 1 of table r1"),
    ],
)
def test_what_is_no_export_is_said(lines: list[bytes], said: str) -> None:
    with pytest.raises(BadExportError, match=said):
        read_outcomes(lines)
