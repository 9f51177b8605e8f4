"""What happened, as it was seen from outside the station: by the wire, the journal's file, consumers and the tables.

Times are nanoseconds of this machine's monotonic clock, the same for all processes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Key = tuple[str, int]
"""Table and sequence."""


@dataclass(frozen=True, slots=True)
class Committed:
    """An event of the journal, as it stands there at the end. ``sent`` is what servers are to be sent of its data."""

    table: str
    sequence: int
    type: str
    subject: str | None
    data: Mapping[str, Any]
    sent: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Published:
    """An event left the station. ``committed``: whether the journal's file had it by then; ``None``: it could not be
    read at that moment."""

    table: str
    sequence: int
    body: bytes
    connection: int
    at_ns: int
    committed: bool | None


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The broker took an event."""

    table: str
    sequence: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class RefusedEvent:
    """The broker refused an event; its answer may never have reached the station."""

    table: str
    sequence: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class Received:
    """An event reached a consumer. ``connection`` counts that consumer's connections."""

    consumer: str
    table: str
    sequence: int
    body: bytes
    connection: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class Replied:
    """The station answered a command. ``committed`` as of an event: whether the answer was in the journal by then."""

    table: str
    client: str
    command: str
    ok: bool
    error: str | None
    body: bytes
    committed: bool | None


@dataclass(frozen=True, slots=True)
class Position:
    """The journal at some moment: how far it says that the broker has taken the table's events, and the broker's own
    word by then (the highest sequence up to which it had acknowledged all)."""

    table: str
    published: int
    acknowledged: int


@dataclass(frozen=True, slots=True)
class Play:
    """One play that happened at a table. ``facts``: what an outcome must say of it. ``may``: whether the rules let it
    be published. ``must``: a station that was not frozen must have said something of it."""

    table: str
    facts: Mapping[str, Any]
    may: bool
    must: bool


@dataclass(slots=True)
class History:
    """Everything, in the order in which it was seen."""

    committed: list[Committed] = field(default_factory=list)
    published: list[Published] = field(default_factory=list)
    acknowledged: list[Acknowledged] = field(default_factory=list)
    refused: list[RefusedEvent] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    replied: list[Replied] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)
    plays: list[Play] = field(default_factory=list)
    rows_seen: dict[int, str] = field(default_factory=dict)
    """Journal rows that were there at some moment: row to hash."""
    rows: dict[int, str] = field(default_factory=dict)
    """All rows that are there at the end."""
    consumers: tuple[str, ...] = ()
    forged: frozenset[str] = frozenset()
    """Commands that nobody may carry out, by id."""
    signed: Callable[[bytes], bool] | None = None
    """Whether a body carries a signature of the station; ``None`` where it signs nothing."""
    complete: bool = False
    """Whether everything came to rest: then what has not arrived never will."""
