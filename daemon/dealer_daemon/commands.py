"""What servers and people may ask of a table, and the answer. Pure data: MQTT and the screen both speak it."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Any

import msgspec

MAX_RESENT = 10_000
"""Events sent again for one ``events.resend``: new ones go first."""


class CommandName(StrEnum):
    """The commands of ``design.md``, and those by which people decide an attempt."""

    ROUND_OPEN = "round.open"
    BETTING_CLOSE = "betting.close"
    GATE_OPEN = "gate.open"
    CARD_EXPECT = "card.expect"
    CARD_CORRECT = "card.correct"
    """A service manager puts another card on a position by the video, before the outcome."""
    ROUND_VOID = "round.void"
    OUTCOME_CORRECT = "outcome.correct"
    TABLE_PAUSE = "table.pause"
    TABLE_RESUME = "table.resume"
    SHOE_CHANGE = "shoe.change"
    DECK_VERIFY = "deck.verify"
    """Every card of a deck set is passed over the table's reader once: the way to verify it without a shuffler."""
    DECK_INSERT = "deck.insert"
    """Which deck set lies in a shuffler that does not tell it by itself."""
    EVENTS_RESEND = "events.resend"
    ATTEMPT_CONFIRM = "attempt.confirm"
    """The dealer confirms that the spin was valid (laps unobserved)."""
    ATTEMPT_REFUSE = "attempt.refuse"
    """The dealer calls no-spin, or a manager refuses a held attempt: make it again."""
    ATTEMPT_DECIDE = "attempt.decide"
    """A service manager decides a held attempt by the video."""
    ENTRY_ALLOW = "entry.allow"
    """A service manager lets the result of the open round be keyed in by hand, its device being in doubt or down."""


class Role(StrEnum):
    """Who speaks."""

    SERVER = "server"
    DEALER = "dealer"
    MANAGER = "manager"
    TECHNICIAN = "technician"
    CONSUMER = "consumer"
    """Reads events, and asks for those that did not come; nothing else."""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One request. ``id`` is unique per client for ever; the same id is answered with the same reply."""

    id: str
    name: CommandName
    client: str
    """Who sent it: names the reply topic."""
    role: Role
    by: str
    """The person or service that answers for it."""
    args: dict[str, Any]
    sent_ns: int | None = None
    """When it was sent, by its sender's clock, Unix ns. Not part of what is asked."""

    def digest(self) -> str:
        """SHA-256 over what is asked, to tell a repeat from another command under a used id."""
        body = msgspec.json.encode([self.name, self.role, self.by, self.args], order="sorted")
        return hashlib.sha256(body).hexdigest()


class ErrorCode(StrEnum):
    """Why a command was refused."""

    MALFORMED = "malformed"
    UNKNOWN_COMMAND = "unknown_command"
    NOT_ALLOWED = "not_allowed"
    """The role may not."""
    NOT_NOW = "not_now"
    """The state of the table does not allow it; the message says what would."""
    WRONG_ROUND = "wrong_round"
    """It names a round that is not the open one."""
    BAD_ARGUMENT = "bad_argument"
    ID_REUSED = "id_reused"
    """The id was used before for another command."""
    EXPIRED = "expired"
    """It was sent too long ago, or does not say when, and this station asks for that."""
    UNAVAILABLE = "unavailable"
    """The station cannot commit now (disk, journal), or may not speak for the table; the command may be sent again."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to one command, kept in the journal with what the command caused."""

    command: str
    """The command's id."""
    ok: bool
    error: ErrorCode | None = None
    message: str = ""
    result: dict[str, Any] = {}


class CommandRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A command and its reply as committed."""

    table: str
    command: Command
    digest: str
    reply: Reply
