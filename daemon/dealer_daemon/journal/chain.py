"""The hash chain: what is hashed of a row, and how. Pure.

``hash(row) = SHA-256(hash(row before) ‖ encoding(row))``. Before row 1 stands the journal's own beginning,
``SHA-256(encoding("dealer-station journal", 1, journal id, time of creation))``: rows of one journal fit no other.

The encoding is each field in order as one letter (``n`` none, ``i`` integer, ``s`` text, ``b`` bytes), the length of
its content as eight bytes big-endian, and the content: nothing, the decimal digits, UTF-8, or the bytes. No two
different rows have one encoding. Anybody can compute it again from an export.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable

Field = int | str | bytes | None

_HEAD = struct.Struct(">cQ")
CHAIN_VERSION = 1


def encode_fields(fields: Iterable[Field]) -> bytes:
    """The unambiguous encoding of some fields."""
    encoded = bytearray()
    for field in fields:
        if field is None:
            letter, content = b"n", b""
        elif isinstance(field, str):
            letter, content = b"s", field.encode()
        elif isinstance(field, bytes):
            letter, content = b"b", field
        else:
            letter, content = b"i", b"%d" % field
        encoded += _HEAD.pack(letter, len(content)) + content
    return bytes(encoded)


def link(previous: bytes, fields: Iterable[Field]) -> bytes:
    """The hash (32 bytes) of a row after a row with hash ``previous``."""
    return hashlib.sha256(previous + encode_fields(fields)).digest()


def genesis(journal_id: str, created_wall_ns: int) -> bytes:
    """The hash that row 1 is chained to."""
    return link(b"", ("dealer-station journal", CHAIN_VERSION, journal_id, created_wall_ns))


def mark(*fields: Field) -> bytes:
    """A short mark (16 bytes) of what stands beside the chain, to be kept with it: a bit that flipped shows."""
    return link(b"", fields)[:16]


def seal(table: str, sequence: int, state_version: int, row_hash: bytes, body: bytes) -> bytes:
    """The hash (32 bytes) that a snapshot carries, to be ignored when any part of it changed."""
    return link(b"", ("snapshot", table, sequence, state_version, row_hash, body))
