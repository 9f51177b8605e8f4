"""Reading events so that each is proved against the row before it, as long as rows are sent from here."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dealer_daemon.events import Event, UnknownEventType, decode_data
from dealer_daemon.journal.anchor import Anchor
from dealer_daemon.journal.chain import link
from dealer_daemon.journal.entry import COLUMNS, hashed
from dealer_daemon.journal.errors import JournalTooNew, damaged
from dealer_daemon.journal.signatures import SignatureWrong, signature_of

_HASHED = len(COLUMNS.split()) - 1

SELECT = (
    f"SELECT {COLUMNS}, signature, (SELECT before.hash FROM entries AS before WHERE before.id = entries.id - 1) "
    "FROM entries WHERE "
)


class SignedEvent(NamedTuple):
    """An event, what the signer made of it when it was committed (``None`` when nobody signed then), and its data as
    the JSON that was written then: what is sent is made of that, so that it stays the same when a later version of the
    type has more fields."""

    event: Event
    signature: bytes | None
    data: bytes | None = None


def proved(db: sqlite3.Connection, path: Path, anchor: Anchor, where: str, arguments: Sequence[str | int]) -> list[Any]:
    """The rows of ``entries`` that fit ``where``: the fields of ``COLUMNS``, and the signature.

    Each row's hash is checked against the stored hash of the row before it (or against the anchor).

    Raises ``JournalDamaged``, ``sqlite3.Error``.
    """
    rows = db.execute(SELECT + where, arguments).fetchall()
    for row in rows:
        row_id = row[0]
        previous = anchor.hash if row_id == anchor.last_row + 1 else anchor.kept.get(row_id, row[-1])
        if previous is None:
            raise damaged(path, f"row {row_id - 1} is missing")
        try:
            expected = link(previous, hashed(row[:_HASHED]))
        except (UnicodeError, TypeError) as error:
            raise damaged(path, f"row {row_id} cannot be read: {error}") from error
        if expected != row[_HASHED]:
            raise damaged(path, f"row {row_id} is not what was written, or the row before it is gone")
    return rows


def signed_event(row: Sequence[Any], path: Path, anchor: Anchor) -> SignedEvent:
    """The event of a row from ``proved``. Raises ``JournalTooNew`` or ``JournalDamaged``: also for a signature that is
    not the one that the event was committed with, or is gone."""
    _, table, _, sequence, type_word, subject, wall_ns, mono_ns, boot, _, _, body = row[:12]
    try:
        data = decode_data(type_word, body)
    except UnknownEventType as error:
        raise JournalTooNew(
            f"{path}: event {sequence} of {table}: {error}. Install the version of dealer-station that wrote it, or a "
            "newer one"
        ) from error
    except msgspec.MsgspecError as error:
        raise damaged(path, f"event {sequence} of {table} ({type_word}) cannot be read: {error}") from error
    event = Event(
        table=table, sequence=sequence, subject=subject, wall_ns=wall_ns, mono_ns=mono_ns, boot=boot, data=data
    )
    try:
        signature = signature_of(anchor.body, row[0], row[_HASHED - 1], row[_HASHED], row[_HASHED + 1])
    except SignatureWrong as wrong:
        raise damaged(path, f"the signature of event {sequence} of {table} {wrong}") from wrong
    return SignedEvent(event, signature, body)
