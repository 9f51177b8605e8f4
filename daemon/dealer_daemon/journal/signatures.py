"""Whether a row is signed, and with what, is part of the chain: a signature that is gone or another one is found out.

``signed`` of a row is the digest of its signature, and is hashed with the row. Rows that were written before that was
so (up to ``signed_before`` of the anchor) are signed but for those that the anchor names (decision 0020).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Protocol

from dealer_daemon.journal.chain import mark

Runs = list[tuple[int, int]]
"""Rows, as the first and the last of each run of events."""


class SignatureWrong(ValueError):  # noqa: N818
    """An event's signature is not the one that it was committed with. The text goes on after "the signature of …"."""


class Noted(Protocol):
    """What an anchor says of signatures."""

    @property
    def signed_before(self) -> int:
        """The last row that was written when the chain did not cover signatures."""

    @property
    def unsigned(self) -> Runs:
        """Rows that have no signature, and need none."""


def digest_of(signature: bytes | None) -> bytes | None:
    """What the chain has of a signature: SHA-256, 32 bytes."""
    return None if signature is None else hashlib.sha256(signature).digest()


def marked(signature: bytes | None, row_hash: bytes) -> bytes | None:
    """A signature as it is stored: behind a mark that binds it to its row."""
    return None if signature is None else mark(row_hash, signature) + signature


def signature_of(noted: Noted, row: int, signed: bytes | None, row_hash: bytes, stored: bytes | None) -> bytes | None:
    """The signature that an event was committed with; ``None`` where it was committed without.

    ``signed``, ``row_hash`` and ``stored`` are as they stand in the row. Raises ``SignatureWrong``.
    """
    old, exempt = row <= noted.signed_before, any(first <= row <= last for first, last in noted.unsigned)
    if stored is None:
        if exempt or (signed is None and not old):
            return None
        raise SignatureWrong("is gone, and the event was signed when it was committed: it is not sent unsigned")
    signature = _unmarked(stored, row_hash)
    if signature is None or (signed is not None and digest_of(signature) != signed):
        raise SignatureWrong("is not what was stored")
    if exempt or (signed is None and not old):
        raise SignatureWrong("was put in: the event was committed without")
    return signature


def runs(events: Iterable[tuple[int, bool]]) -> Runs:
    """The runs of events without a signature. ``events``: each one's row, in order, and whether it has one."""
    found: Runs = []
    together = False
    for row, has_one in events:
        if not has_one:
            found[len(found) - together :] = [(found[-1][0] if together else row, row)]
        together = not has_one
    return found


def still_there(noted: Runs, through: int, kept: Iterable[int]) -> Runs:
    """The runs that are of use when the rows up to ``through`` are gone but for those of ``kept``."""
    stayed = sorted(kept)
    return [run for run in noted if run[1] > through or any(run[0] <= row <= run[1] for row in stayed)]


def _unmarked(stored: object, row_hash: bytes) -> bytes | None:
    """The signature that was stored with the row of this hash; ``None`` when it is not what was stored."""
    if not isinstance(stored, bytes):  # a damaged page can hold anything, whatever the table's types
        return None
    signature = stored[16:]
    return signature if stored[:16] == mark(row_hash, signature) else None
