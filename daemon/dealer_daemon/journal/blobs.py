"""Evidence in the journal: each blob once, under the hash of its body."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from dealer_daemon.evidence import Evidence
from dealer_daemon.journal.errors import EvidenceConflict, damaged

INSERT = "INSERT INTO evidence (hash, media_type, body) VALUES (?, ?, ?)"


def name_of(body: bytes) -> str:
    """The name that a blob must have."""
    return "sha256:" + hashlib.sha256(body).hexdigest()


def sort_out(
    db: sqlite3.Connection, brought: Sequence[Evidence], named: Iterable[str]
) -> tuple[list[Evidence], dict[str, str]]:
    """Which of the blobs ``brought`` are new, and the media types by hash of all of them and of all ``named``.

    A name that is neither brought nor stored is left out of the second answer; ``draft`` refuses it. Raises
    ``EvidenceConflict`` for a blob whose name is not the hash of its body, or is stored with another length.
    """
    new: dict[str, Evidence] = {}
    media: dict[str, str] = {}
    for blob in brought:
        if blob.hash != name_of(blob.body):
            raise EvidenceConflict(f"evidence {blob.hash} is not the hash of its body, {name_of(blob.body)}")
        stored = _stored(db, blob.hash)
        if stored is None:
            new[blob.hash] = blob
            media[blob.hash] = blob.media_type
        elif stored[1] != len(blob.body):
            raise EvidenceConflict(
                f"evidence {blob.hash} is in the journal with {stored[1]} bytes and was now given with "
                f"{len(blob.body)}; run `dealer-daemon journal verify`"
            )
        else:
            media[blob.hash] = stored[0]
    for name in named:
        if name not in media and (stored := _stored(db, name)) is not None:
            media[name] = stored[0]
    return list(new.values()), media


def read_evidence(db: sqlite3.Connection, path: Path, name: str) -> Evidence | None:
    """The evidence of this name. Raises ``JournalDamaged`` when its body is not the one that the name is of."""
    row = db.execute("SELECT hash, body, media_type FROM evidence WHERE hash = ?", (name,)).fetchone()
    if row is None:
        return None
    if name_of(row[1]) != name:
        raise damaged(path, f"evidence {name} was changed: its hash is {name_of(row[1])} now")
    return Evidence(*row)


def stored_type(db: sqlite3.Connection, name: str) -> str | None:
    """The media type of the evidence of this name, as its row says; ``None`` where there is none."""
    stored = _stored(db, name)
    return None if stored is None else stored[0]


def see_that_it_is_called_so(db: sqlite3.Connection, path: Path, blob: Evidence) -> None:
    """Compare the media type with what the row says that names it last. Raises ``JournalDamaged``."""
    found = db.execute(
        "SELECT evidence FROM entries WHERE id = (SELECT last_row FROM uses WHERE hash = ?)", (blob.hash,)
    ).fetchone()
    if found is not None and f'["{blob.hash}","{blob.media_type}"]' not in found[0]:
        raise damaged(path, f"evidence {blob.hash} is called {blob.media_type} and was something else")


def _stored(db: sqlite3.Connection, name: str) -> tuple[str, int] | None:
    """Media type and length of a stored blob."""
    row: tuple[str, int] | None = db.execute(
        "SELECT media_type, length(body) FROM evidence WHERE hash = ?", (name,)
    ).fetchone()
    return row
