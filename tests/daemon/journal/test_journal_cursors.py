"""Cursors only go forward and never beyond the end; a snapshot is used only while it agrees with its event."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.journal import CursorAhead, Journal, JournalMisuse, Snapshot, verify_file

BOOT = "boot-1"


@pytest.fixture
def five(journal: Journal, maker: Any) -> Journal:
    """A journal of five events of r1 and two of r2."""
    journal.commit([maker.closed("r1") for _ in range(5)] + [maker.closed("r2") for _ in range(2)])
    return journal


def test_cursors_are_kept(five: Journal, state_dir: Path) -> None:
    assert five.cursor("r1", "publisher") == 0
    five.set_cursors({("r1", "publisher"): 3, ("r1", "bank"): 0, ("r2", "publisher"): 2})
    five.close()
    with closing(Journal.open(state_dir, boot=BOOT)) as again:
        assert again.cursors("r1") == {"publisher": 3, "bank": 0}
        assert (again.cursor("r2", "publisher"), again.cursor("r2", "bank")) == (2, 0)
        assert again.cursors("r3") == {}


def test_a_cursor_goes_back_only_when_told_to(five: Journal) -> None:
    five.set_cursors({("r1", "publisher"): 4})
    five.set_cursors({("r1", "publisher"): 2, ("r2", "publisher"): 1})
    assert (five.cursor("r1", "publisher"), five.cursor("r2", "publisher")) == (4, 1)
    five.set_cursors({("r1", "publisher"): 2}, rewind=True)
    assert five.cursor("r1", "publisher") == 2
    five.set_cursors({})
    assert five.cursor("r1", "publisher") == 2


@pytest.mark.parametrize("sequence", [6, -1])
@pytest.mark.parametrize("rewind", [True, False])
def test_a_cursor_beyond_the_end_is_refused_with_all_others(five: Journal, sequence: int, rewind: bool) -> None:
    with pytest.raises(CursorAhead, match=f"bank says it is done with event {sequence} of table r1, whose last .* 5"):
        five.set_cursors({("r1", "publisher"): 5, ("r1", "bank"): sequence}, rewind=rewind)
    assert five.cursors("r1") == {}
    with pytest.raises(CursorAhead):
        five.set_cursors({("unknown", "bank"): 1})


def test_an_acknowledgement_that_says_nothing_new_costs_nothing(five: Journal) -> None:
    five.set_cursors({("r1", "publisher"): 4})
    statements: list[str] = []
    five._db.set_trace_callback(statements.append)
    five.set_cursors({("r1", "publisher"): 4})
    five.set_cursors({("r1", "publisher"): 3})
    five.set_cursors({("r1", "publisher"): 4}, rewind=True)
    assert statements
    assert all(statement.startswith("SELECT") for statement in statements)


def test_cursors_are_no_part_of_the_chain(five: Journal) -> None:
    head = five.head()
    five.set_cursors({("r1", "publisher"): 4})
    five.save_snapshot(Snapshot("r1", 2, b"state", 1))
    assert five.head() == head
    assert verify_file(five.path, expect_head=head).ok


def test_a_snapshot_is_kept_until_the_next(five: Journal, state_dir: Path, maker: Any) -> None:
    assert five.snapshot("r1", 1) is None
    five.save_snapshot(Snapshot("r1", 4, b"four", 1))
    assert five.snapshot("r1", 1) == Snapshot("r1", 4, b"four", 1)
    six, other = Snapshot("r1", 6, b"six", 1), Snapshot("r2", 2, b"", 1)
    five.commit([maker.event("r1", 6)], snapshots=[six, other])
    assert five.snapshot("r1", 1) == six
    five.close()
    with closing(Journal.open(state_dir, boot=BOOT)) as again:
        assert (again.snapshot("r1", 1), again.snapshot("r2", 1)) == (six, other)
        assert again.snapshot("r1", 2) is None, "of another version of the state"
        again.save_snapshot(Snapshot("r1", 5, b"five", 2))
        assert again.snapshot("r1", 1) is None
        assert again.snapshot("r1", 2) == Snapshot("r1", 5, b"five", 2)


def test_a_snapshot_needs_its_event(five: Journal, maker: Any) -> None:
    with pytest.raises(JournalMisuse, match="no event 6 of table r1"):
        five.save_snapshot(Snapshot("r1", 6, b"", 1))
    with pytest.raises(JournalMisuse, match="no event 7 of table r1"):
        five.commit([maker.event("r1", 6)], snapshots=[Snapshot("r1", 7, b"", 1)])
    assert (five.last_sequence("r1"), five.event_at("r1", 6)) == (5, None)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE snapshots SET body = x'00'",
        "UPDATE snapshots SET sequence = 3",
        "UPDATE snapshots SET sequence = 99",
        "UPDATE snapshots SET dealer_table = 'r1', sequence = 4 WHERE 1",
        "UPDATE entries SET hash = x'00' WHERE id = 4",
        "DELETE FROM entries WHERE id = 4",
    ],
)
def test_a_snapshot_that_does_not_agree_is_ignored(
    five: Journal, state_dir: Path, tamper: Any, maker: Any, statement: str
) -> None:
    table = "r2" if "dealer_table" in statement else "r1"
    five.save_snapshot(Snapshot(table, 2 if table == "r2" else 4, b"state", 1))
    five.commit([maker.event("r3", number) for number in range(1, 250)])  # the open looks at the last rows only
    five.close()
    tamper(statement)
    with closing(Journal.open(state_dir, boot=BOOT)) as again:
        assert again.snapshot("r1", 1) is None
