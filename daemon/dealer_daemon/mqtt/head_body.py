"""The body of the ``journal`` topic, and what one that stands there says against sending events. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, NamedTuple, Protocol

import msgspec
from msgspec import Meta

from dealer_daemon.bodies import JournalBody
from dealer_daemon.events import Event
from dealer_daemon.journal import Head
from dealer_daemon.journal.loss import GIVEN_UP, MAX_AFTER
from dealer_daemon.mqtt.envelope import event_id
from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.signing import PublicKeys, SigningKey, seal, verify
from dealer_drivers.json_text import decode_json

HEAD_CONTEXT = b"dealer-station journal v1\n"
"""Is signed before a head, so that a head's signature is none of an event."""
BEHIND, OTHER = "journal_behind", "journal_other"
HELD = "held/"
"""Before ``{journal id}/{sequence}``: the cursor (always 0, for the sequence is none of this journal's) by which
``journal adopt`` knows what held the table."""
HEAD_LAG = 1000
"""A head is a second behind its events at most, and no table commits so many in a second: a number that is this much
higher was never used."""


class Objection(NamedTuple):
    """What speaks against sending events, and what would have to be given up to send them."""

    problem: Problem
    journal_id: str
    last_sequence: int


class Journal(Protocol):
    """What is needed of the journal (``journal.Journal``)."""

    @property
    def journal_id(self) -> str:
        """The id of the file."""
        ...

    def head(self) -> Head:
        """The end of the chain."""
        ...

    def row_hash(self, row: int) -> str | None:
        """The hash of a row."""
        ...

    def last_sequence(self, table: str) -> int:
        """The newest sequence."""
        ...

    def event_at(self, table: str, sequence: int) -> Event | None:
        """One event."""
        ...

    def cursors(self, table: str) -> dict[str, int]:
        """All positions kept for a table."""
        ...


class _Head(JournalBody, frozen=True, kw_only=True):
    """A head as stations write them. What it says is shown to people, within a command that they are to run, and is
    kept in the journal: so nothing that a shell could take for its own, and no number that no journal has."""

    journal_id: Annotated[str, Meta(pattern=r"^[0-9A-Za-z-]{1,64}(?!\n)$")]
    row: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    hash: Annotated[str, Meta(max_length=64)]
    last_sequence: Annotated[int, Meta(ge=0, le=2 * MAX_AFTER)]
    time: Annotated[str, Meta(pattern=r"^[0-9TZ:.+-]{1,40}(?!\n)$")]


class OutcomeHead(msgspec.Struct, frozen=True):
    """What tells an outcome from another of the same number."""

    id: str
    sequence: int
    boot: str
    monons: str


def encode_head(topics: Topics, journal: Journal, time: str, key: SigningKey | None) -> bytes:
    """The body of the ``journal`` topic as of now. ``time`` is RFC 3339."""
    row, digest = journal.head()
    body = JournalBody(
        site=topics.site,
        table=topics.table,
        journal_id=journal.journal_id,
        row=row,
        hash=digest,
        last_sequence=journal.last_sequence(topics.table),
        time=time,
        signkey=None if key is None else key.id,
    )
    members = {name: value for name, value in msgspec.structs.asdict(body).items() if value is not None}
    encoded = msgspec.json.encode(members)
    return encoded if key is None else seal(HEAD_CONTEXT, encoded, key)


def read_head(body: bytes) -> JournalBody | None:
    """A head; ``None`` where it is none that a station can have written. Says nothing about its signature."""
    try:
        return decode_json(body, _Head)
    except msgspec.MsgspecError:
        return None


def verify_head(body: bytes, keys: PublicKeys) -> bool:
    """Whether a head was signed by one of ``keys``. Any bytes may be asked about."""
    return verify(HEAD_CONTEXT, body, keys)


def judge_head(found: JournalBody, ours: bool, keyed: bool, journal: Journal, topics: Topics) -> Objection | None:
    """What a retained head says against sending events from this journal.

    A head of this journal must be in it: its row with its hash, where retention left it. ``ours``: one of our own keys
    signed the head. One of another journal counts only for a station with a key (``keyed``), whoever signed it: two
    stations of one name may have a key each. Without keys a new journal beside an old broker is an ordinary thing on a
    test bench.
    """
    if (found.site, found.table) != (topics.site, topics.table):
        return None
    if found.last_sequence <= journal.cursors(topics.table).get(GIVEN_UP + found.journal_id, 0):
        return None
    if found.journal_id == journal.journal_id:
        here = journal.row_hash(found.row)
        if found.row > journal.head().row or (here is not None and here != found.hash):
            return _behind(topics.table, journal, found.last_sequence, f"a head of {found.time}")
        return None
    if not keyed or found.last_sequence == 0:
        return None
    advice = how_to_adopt(topics.table, found.journal_id, found.last_sequence)
    who = "this station" if ours else "a station with another key, or somebody who may write to its topics,"
    detail = (
        f"{who} published events 1 to {found.last_sequence} of the table from another journal "
        f"({found.journal_id}, as of {found.time}), and this one would give their numbers to other events: nothing is "
        f"sent, {_IN_VAIN}. Stop the other station of this name, or put that journal back. Is it lost, run {advice} "
        "(docs/howto/recover-a-journal.md)"
    )
    return Objection(Problem(OTHER, detail), found.journal_id, found.last_sequence)


def judge_outcome(found: OutcomeHead, journal: Journal, topics: Topics) -> Objection | None:
    """What a retained outcome that one of our keys signed says against sending events from this journal. One of another
    table, which this station signed as well, says nothing of this one."""
    table = topics.table
    if found.id != event_id(topics.site, table, found.sequence):
        return None
    given_up = [at for name, at in journal.cursors(table).items() if name.startswith(GIVEN_UP)]
    if found.sequence <= max(given_up, default=0):
        return None
    if found.sequence > journal.last_sequence(table):
        return _behind(table, journal, found.sequence, "an outcome")
    ours = journal.event_at(table, found.sequence)
    if ours is None or (ours.boot, str(ours.mono_ns)) == (found.boot, found.monons):
        return None
    return _behind(table, journal, found.sequence, "an outcome")


def held_cursor(objection: Objection) -> str:
    """The name of the cursor by which ``journal adopt`` knows of it."""
    return f"{HELD}{objection.journal_id}/{objection.last_sequence}"


def held_cursors(names: Iterable[str]) -> list[str]:
    """Those of ``names`` that are ``held_cursor``."""
    return [name for name in names if name.startswith(HELD)]


def held_by(cursors: Mapping[str, int]) -> dict[str, int]:
    """The journals whose events held the table, and the highest sequence known of each."""
    found: dict[str, int] = {}
    for name in held_cursors(cursors):
        journal_id, _, sequence = name.removeprefix(HELD).rpartition("/")
        found[journal_id] = max(found.get(journal_id, 0), int(sequence))
    return found


def how_to_adopt(table: str, journal_id: str, last_sequence: int) -> str:
    """The command by which a person lets the table go on."""
    after = last_sequence + HEAD_LAG
    return f"`dealer-daemon journal adopt --table {table} --after {after} --journal {journal_id} --by NAME`"


_IN_VAIN = "and what the table plays until then no server will ever hear of"


def _behind(table: str, journal: Journal, published: int, what: str) -> Objection:
    detail = (
        f"the broker keeps {what} of this station, of when event {published} of the table was written, that is not in "
        f"this journal: an old copy was put back, or two stations have one name. Nothing is sent, {_IN_VAIN}: numbers "
        "would be used twice. Stop the station and put the newer journal back. Is it lost, run "
        f"{how_to_adopt(table, journal.journal_id, published)} (docs/howto/recover-a-journal.md)"
    )
    return Objection(Problem(BEHIND, detail), journal.journal_id, published)
