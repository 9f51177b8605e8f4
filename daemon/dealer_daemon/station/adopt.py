"""Going on with a journal that is not the newest: by a person's word, and never with a number that was used."""

from __future__ import annotations

from dealer_daemon.journal import Journal, JournalMisuse
from dealer_daemon.journal.loss import GIVEN_UP, commit_losses
from dealer_daemon.mqtt.head_body import held_by, held_cursors, how_to_adopt
from dealer_daemon.mqtt.publisher import PUBLISHED

REASON = "journal_adopted"


def give_up(journal: Journal, table: str, after: int, journal_id: str | None, *, boot: str, by: str) -> int:
    """Give up what was published up to sequence ``after`` by all that holds the table, and all that this journal wrote.

    ``events.lost`` follows behind both, and nothing before it is sent from here any more: consumers may have other
    events under all these numbers. The table stands then until a service manager resumes it. ``journal_id`` names one
    that holds the table, so that a person says what is given up; without it, it is this very journal, of which a newer
    copy published. Answers the table's last sequence now.

    Raises ``JournalMisuse``, having changed nothing, when that journal does not hold the table or more is published,
    and ``JournalError``.
    """
    holding = held_by(journal.cursors(table))
    if not holding:
        raise JournalMisuse(
            f"nothing holds table {table}, so there is nothing to adopt. Start the station: when what the broker keeps "
            "speaks against this journal, `dealer-daemon status` says so"
        )
    named = journal_id or journal.journal_id
    advice = "; ".join(how_to_adopt(table, held, last) for held, last in sorted(holding.items()))
    if named not in holding:
        raise JournalMisuse(f"table {table} is not held by what the journal {named} published. Run {advice}")
    if after < (published := max(holding.values())):
        raise JournalMisuse(f"event {published} was published, so {after} is not the last. Run {advice}")
    to = max(after, journal.last_sequence(table))
    commit_losses(journal, [(table, 1, to)], reason=REASON, by=by, boot=boot)
    given_up = {(table, GIVEN_UP + held): after for held in holding}
    journal.set_cursors({**given_up, (table, PUBLISHED): to})
    journal.forget_cursors(table, held_cursors(journal.cursors(table)))
    return to + 1
