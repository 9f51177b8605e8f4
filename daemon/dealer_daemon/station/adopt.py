"""Going on with a journal that is not the newest: by a person's word, and never with a number that was used."""

from __future__ import annotations

from dealer_daemon.journal import Journal
from dealer_daemon.journal.loss import GIVEN_UP, continue_after
from dealer_daemon.mqtt.publisher import PUBLISHED

REASON = "journal_adopted"


def give_up(journal: Journal, table: str, after: int, journal_id: str, *, boot: str, by: str) -> int:
    """Give up what the journal ``journal_id`` published up to sequence ``after``, and go on behind it.

    ``events.lost`` follows the last event, and its own number is above both. What this journal itself wrote under
    numbers up to ``after`` is not published any more: consumers have other events under them. The table stands then
    until a service manager resumes it. Answers the table's last sequence now. Raises ``JournalError``.
    """
    last = journal.last_sequence(table)
    now = continue_after(journal, {table: max(after, last + 1)}, reason=REASON, by=by, boot=boot)[table]
    journal.set_cursors({(table, GIVEN_UP + journal_id): after, (table, PUBLISHED): after})
    return now
