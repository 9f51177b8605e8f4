"""What the journal itself has to say to consumers: events that are not there any more."""

from __future__ import annotations

from typing import ClassVar

from dealer_daemon.events.base import EventData


class EventsExpired(EventData, frozen=True, kw_only=True):
    """Retention ends for events that not everybody has: they go from the journal and cannot be sent again."""

    type: ClassVar[str] = "events.expired"
    from_sequence: int
    to_sequence: int
    consumers: list[str]
    """Who has not acknowledged them all."""
    reason: str
    """``consumer_behind``, or ``never_published``: the broker has not taken them all either."""


class EventsLost(EventData, frozen=True, kw_only=True):
    """The station sends nothing under these sequences any more. The table stands until a service manager resumes it.

    ``journal_salvaged``: the events are lost, and their sequences stay empty. ``journal_adopted``: the table goes on
    with an older copy of the journal or another one, and gives up all before: servers keep what they have of it, and
    what is in no server is gone. It begins with 1 then, and rounds and shoes get ids that were never given.
    """

    type: ClassVar[str] = "events.lost"
    from_sequence: int
    to_sequence: int
    """The next event, this one, has the sequence after it."""
    reason: str
    """``journal_salvaged`` or ``journal_adopted``."""
    by: str
    """Who salvaged or adopted the journal."""
