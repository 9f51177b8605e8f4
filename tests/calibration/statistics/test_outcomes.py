"""What stands for each round in an export: corrections, overlaps, and what is no export."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_calibration.statistics.outcomes import BadExportError, read_outcomes
from support.wheel_health import line, roulette_facts, throw_facts

BEGUN = b'{"kind": "journal", "type": "journal.begun", "sequence": null, "data": {"journal_id": "j"}}\n'


def adopted(through: int, table: str = "r1", first: int = 1) -> bytes:
    """What `journal adopt` writes: all up to ``through`` is given up."""
    data = {"from_sequence": first, "to_sequence": through, "reason": "journal_adopted", "by": "A. Tam"}
    row = {"kind": "event", "type": "events.lost", "table": table, "sequence": through + 1, "data": data}
    return json.dumps(row).encode() + b"\n"


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


def test_exports_from_before_and_after_an_adoption_count_what_both_copies_played() -> None:
    """Up to 4 the copies have the same; then each went on by itself, and the older copy gave up all before 20."""
    same = [spin(2, 1), spin(4, 2)]
    before = [BEGUN, *same, spin(6, 3), spin(8, 4), spin(9, 14, replaces=6), spin(10, 5)]
    after = [
        BEGUN,
        *same,
        spin(6, 6),
        spin(8, 7, replaces=4),
        spin(9, 8),
        spin(12, 15, replaces=9),
        adopted(19),
        spin(21, 9),
    ]
    expected = [(2, 1), (4, 7), (6, 14), (6, 6), (8, 4), (9, 15), (10, 5), (21, 9)]
    assert numbers([*before, *after]) == expected
    assert sorted(numbers([*after, *before])) == sorted(expected)
    assert numbers([*before, *after, *after, *before]) == expected, "and what comes twice counts once"


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
        ([spin(1, 2), spin(2, 3).replace(b'Z"', b'"')], "line 2 is no row of a journal's export: .*timezone"),
        ([spin(1, 2).replace(b"round.outcome", b"outcome.corrected")], "does not say what it replaces"),
        ([spin(1, 2), spin(1, 3)], "two different events 1 of table r1"),
        ([BEGUN, spin(1, 2), BEGUN, spin(1, 3)], "line 4: there are two different events 1 of table r1"),
        ([BEGUN, spin(5, 2), BEGUN, spin(5, 3), adopted(4)], "line 4: there are two different events 5"),
        ([BEGUN, spin(3, 2), BEGUN, spin(3, 3), adopted(4, table="r2")], "two different events 3 of table r1"),
        ([BEGUN, spin(3, 2), BEGUN, spin(3, 3), adopted(4, first=2)], "two different events 3 of table r1"),
        ([BEGUN, spin(3, 2), spin(3, 3), adopted(4)], "line 3: there are two different events 3"),
        ([b'{"a": 1}\n'], "line 1 is no row of a journal's export: it has no kind"),
        ([b'{"kind": "lamp", "type": "x"}\n'], "line 1 is no row of a journal's export: Invalid enum value 'lamp'"),
        ([b'{"kind": "event"}\n'], "line 1 is no row of a journal's export: Object missing required field `type`"),
        ([spin(1, 2), b'{"level": "info", "event": "x"}\n'], "line 2 is no row of a journal's export: it has no kind"),
        ([adopted(4).replace(b"4", b'"four"')], "line 1 is no row"),
    ],
)
def test_what_is_no_export_is_said(lines: list[bytes], said: str) -> None:
    with pytest.raises(BadExportError, match=said):
        read_outcomes(lines)
