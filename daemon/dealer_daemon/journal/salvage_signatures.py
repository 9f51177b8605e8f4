"""The signatures of a journal that is salvaged: which are whole, which can be made again, which are gone."""

from __future__ import annotations

import msgspec

from dealer_daemon.events import Event, UnknownEventType, decode_data
from dealer_daemon.journal.anchor import AnchorBody
from dealer_daemon.journal.entry import Entry
from dealer_daemon.journal.signatures import SignatureWrong, digest_of, marked, runs, signature_of
from dealer_daemon.journal.store import Signer


class Signatures:
    """Asked for each row in order; then what the new file's anchor must say.

    ``body`` is the anchor's of the damaged file. ``chained``: its chain says which rows are signed. ``sign`` may make a
    signature again: Ed25519 gives the same for the same key and event, and the chain has its digest.
    """

    def __init__(self, body: AnchorBody, sign: Signer | None, *, chained: bool) -> None:
        self._body = body if chained else msgspec.structs.replace(body, signed_before=2**63)
        self._sign = sign
        self._chained = chained
        self._events: list[tuple[int, bool]] = []
        self.missing: list[int] = []
        """Rows of events that were signed, and whose signature is gone."""
        self.made_again = 0

    def of(self, row: Entry, stored: object) -> bytes | None:
        """The row's signature as it is stored. ``row`` is proved."""
        if row.sequence is None:
            return None
        kept = stored if isinstance(stored, bytes) and self._whole(row, stored) else None
        if kept is None and self._was_signed(row, stored):
            kept = self._made_again(row)
            if kept is None:
                self.missing.append(row.id)
        if kept is not None or row.signed is not None or row.id <= self._body.signed_before:
            self._events.append((row.id, kept is not None))
        return kept

    def noted(self, body: AnchorBody, last_row: int) -> AnchorBody | None:
        """``body`` with what is to be said of signatures; ``None`` where there is nothing new to say."""
        if self._chained:
            reaches = max([body.signed_before, *(last for _, last in body.unsigned)])
            if not self.missing and reaches <= last_row:
                return None
        elif not any(has_one for _, has_one in self._events):
            return None  # nothing was ever signed
        # Rows that come behind the last one are not of those that it speaks of.
        old = min(self._body.signed_before, last_row)
        return msgspec.structs.replace(body, signed_before=old, unsigned=runs(self._events))

    def _whole(self, row: Entry, stored: bytes) -> bool:
        try:
            return signature_of(self._body, row.id, row.signed, row.hash, stored) is not None
        except SignatureWrong:
            return False

    def _was_signed(self, row: Entry, stored: object) -> bool:
        """A row that the chain knows as unsigned has none to miss, whatever was put in."""
        if stored is None and not self._chained:
            return False  # not known; as it stands
        try:
            return signature_of(self._body, row.id, row.signed, row.hash, None) is not None
        except SignatureWrong:
            return True

    def _made_again(self, row: Entry) -> bytes | None:
        if self._sign is None or row.signed is None or row.sequence is None:
            return None
        try:
            data = decode_data(row.type, row.body)
        except (UnknownEventType, msgspec.MsgspecError):
            return None
        event = Event(
            table=row.table, sequence=row.sequence, subject=row.subject, wall_ns=row.wall_ns, mono_ns=row.mono_ns,
            boot=row.boot, data=data,
        )  # fmt: skip
        signature = self._sign(event)
        if digest_of(signature) != row.signed:
            return None
        self.made_again += 1
        return marked(signature, row.hash)
