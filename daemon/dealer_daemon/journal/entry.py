"""A row of the journal, from an event or a command and back, and the linking of new rows. Pure."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dealer_daemon.commands import CommandRecord, Reply
from dealer_daemon.events import EVENT_TYPES, Event, decode_data, encode_data
from dealer_daemon.journal.chain import Field, link, mark
from dealer_daemon.journal.errors import EvidenceConflict, JournalMisuse, damaged
from dealer_daemon.journal.signatures import digest_of, marked
from dealer_drivers.instant import Instant

EVENT = "event"
COMMAND = "command"
ANCHOR = "anchor"

COLUMNS = (
    "id, dealer_table, kind, sequence, type, subject, wall_ns, mono_ns, boot, client, command_id, body, evidence, "
    "signed, hash"
)
"""The columns of ``entries`` in the order of ``Entry``; all but the last are hashed, in this order (``signed`` only
where it is there: rows without are hashed as before there was such a column)."""

INSERT = f"INSERT INTO entries ({COLUMNS}, signature) VALUES ({', '.join('?' * (len(COLUMNS.split()) + 1))})"
"""The signature itself is not hashed, its digest is (``signed``): so a row can be proved whose signature is damaged."""

INSERT_2 = INSERT.replace("signed, ", "").replace("?, ", "", 1)
"""The same as version 2 of the schema has it, for a row that is not signed."""


def columns_of(version: int) -> str:
    """``COLUMNS`` and the signature, as a file of this schema has them: what it has not is ``NULL``."""
    columns = COLUMNS if version >= 3 else COLUMNS.replace("signed", "NULL")
    return f"{columns}, {'signature' if version >= 2 else 'NULL'}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One row. ``evidence`` is a JSON list of ``[hash, media type]``; ``hash`` is 32 bytes, and so is ``signed``, the
    digest of its signature, where it has one."""

    id: int
    table: str
    kind: str
    sequence: int | None
    type: str
    subject: str | None
    wall_ns: int
    mono_ns: int
    boot: str
    client: str | None
    command_id: str | None
    body: bytes
    evidence: str
    signed: bytes | None
    hash: bytes

    def named_evidence(self) -> list[tuple[str, str]]:
        """The evidence that the row names: hashes and media types. Raises ``msgspec.MsgspecError``."""
        if not isinstance(self.evidence, str):  # a damaged page can hold anything, whatever the table's types
            raise msgspec.DecodeError(f"{type(self.evidence).__name__} where a list in JSON belongs")
        return msgspec.json.decode(self.evidence, type=list[tuple[str, str]])


class Head(NamedTuple):
    """The end of the chain for people: a row's id and its hash in hexadecimal; row 0 before anything is written."""

    row: int
    hash: str


@dataclass(frozen=True, slots=True)
class Link:
    """The end of the chain: where the next row goes."""

    id: int
    hash: bytes


class NewRow(NamedTuple):
    """A row to insert: ``columns`` are those of ``INSERT``, ``evidence`` the hashes of what it names."""

    id: int
    hash: bytes
    columns: tuple[Any, ...]
    evidence: Sequence[str]


def draft(
    head: Link,
    events: Sequence[Event],
    command: CommandRecord | None,
    at: Instant,
    boot: str,
    media: Mapping[str, str],
    signatures: Sequence[bytes | None],
) -> list[NewRow]:
    """The rows to insert for one commit, chained behind ``head``: the command first, then what it caused.

    ``media`` maps the hashes of all evidence of this commit to media types. Evidence that no event names is named by
    the last row, so that the chain covers every blob. A command's row has the time ``at`` and the boot ``boot``.

    Raises ``EvidenceConflict`` for an event that names evidence which is not in ``media``, and ``JournalMisuse`` for
    one that could not be read back.
    """
    parts: list[tuple[list[Field], list[str]]] = []
    if command is not None:
        parts.append((_command_fields(command, at, boot), []))
    parts.extend((_event_fields(event), list(named_by(event))) for event in events)
    named = {name for _, names in parts for name in names}
    parts[-1][1].extend(name for name in media if name not in named)
    signed = [*([None] if command is not None else []), *signatures]
    rows: list[NewRow] = []
    row_id, previous = head.id, head.hash
    for (fields, names), signature in zip(parts, signed, strict=True):
        row_id += 1
        try:
            evidence = msgspec.json.encode([(name, media[name]) for name in names]).decode()
        except KeyError as missing:
            raise EvidenceConflict(
                f"an event names evidence {missing.args[0]}, which is neither in this commit nor in the journal"
            ) from missing
        columns = (row_id, *fields, evidence, digest_of(signature))
        previous = link(previous, hashed(columns))
        rows.append(NewRow(row_id, previous, (*columns, previous, marked(signature, previous)), names))
    return rows


def named_by(event: Event) -> Sequence[str]:
    """The hashes of the evidence that an event's data names; empty for types without evidence."""
    names: Sequence[str] = getattr(event.data, "evidence", ())
    return names


def hashed(columns: Sequence[Field]) -> Sequence[Field]:
    """What of a row's columns without its hash is hashed: all, but ``signed``, the last, only where it is there."""
    return columns if columns[-1] is not None else columns[:-1]


def hash_of(row: Entry, previous: bytes) -> bytes:
    """What the row's hash must be after a row with hash ``previous``."""
    columns: Sequence[Field] = (
        row.id, row.table, row.kind, row.sequence, row.type, row.subject, row.wall_ns, row.mono_ns, row.boot,
        row.client, row.command_id, row.body, row.evidence, row.signed,
    )  # fmt: skip
    return link(previous, hashed(columns))


def _event_fields(event: Event) -> list[Field]:
    data = event.data
    if EVENT_TYPES.get(data.type) is not type(data):
        raise JournalMisuse(f"event type {data.type!r} is not in EVENT_TYPES: a journal with it could not be read back")
    body = encode_data(data)
    try:
        decode_data(data.type, body)  # a row that cannot be read back would stop every start from now on
    except msgspec.ValidationError as error:
        raise JournalMisuse(f"{data.type} {event.sequence} of {event.table} could not be read back: {error}") from error
    return [
        event.table, EVENT, event.sequence, data.type, event.subject, event.wall_ns, event.mono_ns, event.boot,
        None, None, body,
    ]  # fmt: skip


def _command_fields(record: CommandRecord, at: Instant, boot: str) -> list[Field]:
    command = record.command
    return [
        record.table, COMMAND, None, str(command.name), None, at.wall_ns, at.mono_ns, boot,
        command.client, command.id, msgspec.json.encode(record),
    ]  # fmt: skip


class Answer(NamedTuple):
    """What was answered to a command, and the digest of what was asked."""

    digest: str
    reply: Reply


def answer_of(body: bytes, path: Path) -> Answer:
    """The answer in the body of a command's row. Raises ``JournalDamaged``."""
    try:
        record = msgspec.json.decode(body, type=CommandRecord)
    except msgspec.MsgspecError as error:
        raise damaged(path, f"a command and its reply cannot be read: {error}") from error
    return Answer(record.digest, record.reply)


def stored_answer(db: sqlite3.Connection, path: Path, table: str, client: str, command_id: str) -> Answer | None:
    """The answer to a command whose row is gone. Raises ``JournalDamaged``, ``sqlite3.Error``."""
    row = db.execute(
        "SELECT number, dealer_table, client, command_id, digest, reply, mark FROM answered "
        "WHERE dealer_table = ? AND client = ? AND command_id = ?",
        (table, client, command_id),
    ).fetchone()
    if row is None:
        return None
    if row[-1] != mark(*row[:-1]):
        raise damaged(path, f"the answer to command {command_id} of {client} is not what was kept")
    try:
        return Answer(row[4], msgspec.json.decode(row[5], type=Reply))
    except msgspec.MsgspecError as error:
        raise damaged(path, f"a command and its reply cannot be read: {error}") from error
