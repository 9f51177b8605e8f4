"""Going on after a loss: sequences that servers may have seen are given to no other event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dealer_daemon.events import Event, EventsLost
from dealer_daemon.journal.errors import JournalMisuse
from dealer_daemon.journal.store import Journal, system_now

GIVEN_UP = "given-up/"
"""Before the id of a journal: the cursor up to which it does not matter any more what that one published."""
MAX_AFTER = 2**52
"""The highest sequence that a table may go on behind. Numbers in JSON are exact up to twice that, and some must be
left."""

MAX_NAME = 128
"""Characters, as in a command: the name goes to servers within an event, and one that no broker takes would hold up the
table."""


def continue_after(journal: Journal, highest: Mapping[str, int], *, reason: str, by: str, boot: str) -> dict[str, int]:
    """Let tables go on after the ``highest`` sequence that anybody may have seen of each.

    Each table whose journal ends before it gets one event, ``events.lost``, that says which sequences stay empty; it
    stands then until a service manager resumes it. ``reason`` is a word of the catalogue, ``by`` the person. That
    whatever this journal published up to there is given up stands in the cursor ``GIVEN_UP`` of each. Answers the last
    sequences of the tables with a loss now.

    Raises ``JournalMisuse`` for a name that is none and a sequence above ``MAX_AFTER``, and what ``Journal.commit``
    raises.
    """
    losses = []
    for table, sequence in sorted(highest.items()):
        first = journal.last_sequence(table) + 1
        if sequence >= first:
            losses.append((table, first, sequence))
    commit_losses(journal, losses, reason=reason, by=by, boot=boot)
    name = GIVEN_UP + journal.journal_id
    journal.set_cursors({(table, name): sequence for table, sequence in highest.items() if sequence})
    return {table: to + 1 for table, _, to in losses}


def commit_losses(journal: Journal, losses: Sequence[tuple[str, int, int]], *, reason: str, by: str, boot: str) -> None:
    """Commit ``events.lost`` for each ``(table, first, last)`` sequence that is lost; its own is the one after.

    Raises ``JournalMisuse`` for a name that is none and a sequence above ``MAX_AFTER``, and what ``Journal.commit``
    raises.
    """
    if not by.strip() or not by.isprintable() or len(by) > MAX_NAME:
        raise JournalMisuse(
            f"whoever lets a table go on after a loss gives a name, of {MAX_NAME} printable characters at most"
        )
    for table, _, to in losses:
        if to > MAX_AFTER:
            raise JournalMisuse(
                f"table {table} cannot go on after event {to}: {MAX_AFTER} is the most. Give the number of the last "
                "event that servers have"
            )
    now = system_now()
    events = [
        Event(
            table=table, sequence=to + 1, subject=None, wall_ns=now.wall_ns, mono_ns=now.mono_ns, boot=boot,
            data=EventsLost(from_sequence=first, to_sequence=to, reason=reason, by=by),
        )
        for table, first, to in losses
    ]  # fmt: skip
    if events:
        journal.commit(events)
