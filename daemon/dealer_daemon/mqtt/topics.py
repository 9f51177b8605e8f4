"""The names under which a table speaks: ``{prefix}/{site}/{table}/...`` (``design.md``, "What game servers see")."""

from __future__ import annotations

import functools
import unicodedata
from dataclasses import dataclass

SHADOW = "shadow"
"""The level before the prefix of all that a shadow table says: no subscription to the prefix sees it."""
MAX_NAME_BYTES = 128
"""Longest single name. MQTT allows 65,535 bytes for a whole topic; brokers and people do not."""


class TopicError(ValueError):
    """A name cannot be part of a topic. The text says which and why."""


@functools.lru_cache(maxsize=1024)  # an event's type is looked at for every event
def checked_name(what: str, name: str) -> str:
    """``name`` if it can stand as one level of a topic.

    Raises ``TopicError`` for an empty name, ``/``, the wildcards ``+`` and ``#``, NUL and other control
    characters, text that is no UTF-8, and a leading ``$`` (brokers keep those topics for themselves).
    """
    if not name:
        raise TopicError(f"{what} is empty: give it a name")
    for bad in "/+#":
        if bad in name:
            raise TopicError(f"{what} {name!r} contains {bad!r}, which MQTT topics use themselves: choose another name")
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in name):
        raise TopicError(f"{what} {name!r} contains a control character: choose another name")
    if name.startswith("$"):
        raise TopicError(f"{what} {name!r} begins with '$', which belongs to the broker: choose another name")
    if len(name.encode()) > MAX_NAME_BYTES:
        raise TopicError(f"{what} is longer than {MAX_NAME_BYTES} bytes: choose a shorter name")
    return name


@dataclass(frozen=True, slots=True)
class Topics:
    """All topics of one table. ``prefix`` may have several levels, ``dealer/v1``. Those of a ``shadow`` table begin
    with one level more, ``shadow/dealer/v1``.

    Raises ``TopicError`` when a level of the prefix, the site or the table cannot be in a topic.
    """

    prefix: str
    site: str
    table: str
    shadow: bool = False

    def __post_init__(self) -> None:
        for level in self.prefix.split("/"):
            checked_name("a level of the prefix", level)
        checked_name("the site", self.site)
        checked_name("the table", self.table)

    @property
    def base(self) -> str:
        """The topic below which everything of this table lives."""
        prefix = f"{SHADOW}/{self.prefix}" if self.shadow else self.prefix
        return f"{prefix}/{self.site}/{self.table}"

    def events(self, type_word: str) -> str:
        """Where events of a type go; not retained."""
        return f"{self.base}/events/{checked_name('the event type', type_word)}"

    @property
    def outcome(self) -> str:
        """The newest final outcome; retained."""
        return f"{self.base}/outcome"

    @property
    def state(self) -> str:
        """What the table is doing; retained."""
        return f"{self.base}/state"

    @property
    def board(self) -> str:
        """The scoreboard; retained."""
        return f"{self.base}/board"

    def device(self, name: str) -> str:
        """The health of one device; retained."""
        return f"{self.base}/devices/{checked_name('the device', name)}"

    @property
    def presence(self) -> str:
        """Birth and will; retained."""
        return f"{self.base}/presence"

    @property
    def commands(self) -> str:
        """Where servers ask."""
        return f"{self.base}/commands"

    def commands_of(self, role: str) -> str:
        """Where one role asks, whom the broker can then tell from the others."""
        return f"{self.commands}/{checked_name('the role', role)}"

    def commands_by(self, role: str, client: str) -> str:
        """Where one client asks under one role, and nobody else anything."""
        return f"{self.commands_of(role)}/{checked_name('the client', client)}"

    def commands_by_filter(self, role: str) -> str:
        """The subscription that sees ``commands_by`` of every client of a role."""
        return f"{self.commands_of(role)}/+"

    def author_of(self, topic: str) -> tuple[str, str] | None:
        """The role and the client that a ``commands_by`` topic belongs to, an empty one where no client can have the
        name; ``None`` for any other topic."""
        head, _, client = topic.rpartition("/")
        base, _, role = head.rpartition("/")
        if base != self.commands or not role:
            return None
        try:
            return (role, checked_name("the client", client))
        except TopicError:
            return (role, "")

    @property
    def role_commands_filter(self) -> str:
        """The subscription that sees ``commands/{role}`` of every role."""
        return f"{self.commands}/+"

    def role_of(self, topic: str) -> str | None:
        """The role that a ``commands/{role}`` topic belongs to; ``None`` for any other topic."""
        head, _, role = topic.rpartition("/")
        return role if head == self.commands and role else None

    @property
    def journal(self) -> str:
        """The journal's head; retained."""
        return f"{self.base}/journal"

    def replies(self, client: str) -> str:
        """Where the answers for one client go, unless its request named a response topic."""
        return f"{self.base}/replies/{checked_name('the client', client)}"

    def acks(self, consumer: str) -> str:
        """Where a consumer says how far it has come; retained."""
        return f"{self.base}/acks/{checked_name('the consumer', consumer)}"

    @property
    def acks_filter(self) -> str:
        """The subscription that sees every consumer's acknowledgement."""
        return f"{self.base}/acks/+"

    def consumer_of(self, topic: str) -> str | None:
        """The consumer that an ``acks`` topic belongs to; ``None`` for any other topic."""
        head, _, consumer = topic.rpartition("/")
        return consumer if head == f"{self.base}/acks" and consumer else None

    def response_allowed(self, topic: str, client: str | None = None) -> bool:
        """Whether an answer may go to the response topic a request named.

        Anywhere outside the prefix, that of shadows too, and within them only to this table's replies: a request must
        not make the station write onto an outcome, a presence or another table. ``client``: who asks, where that is
        known for sure; then only to his own replies, and for an empty name to none.
        """
        levels = topic.split("/")
        if topic.startswith("$") or len(topic.encode("utf-8", "replace")) > 1024:
            return False
        if any("+" in level or "#" in level for level in levels):
            return False
        if any(unicodedata.category(char) in ("Cc", "Cs") for char in topic) or not topic.strip("/"):
            return False
        for prefix in (self.prefix, f"{SHADOW}/{self.prefix}"):
            if topic == prefix or topic.startswith(f"{prefix}/"):
                if client is None:
                    return topic.startswith(f"{self.base}/replies/")
                return bool(client) and f"{topic}/".startswith(f"{self.base}/replies/{client}/")
        return True
