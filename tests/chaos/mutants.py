"""Faults put into the daemon on purpose, to see that the checker finds each: by name, what changes it in this process.

Each is a mistake that somebody could make in these very places.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import msgspec

from dealer_daemon.events import Event, RoundOutcome
from dealer_daemon.journal import Journal
from dealer_daemon.mqtt import publisher
from dealer_daemon.mqtt.envelope import encode_event, encode_stored
from dealer_daemon.mqtt.errors import MqttError
from dealer_daemon.mqtt.messages import Outgoing
from dealer_daemon.mqtt.publisher import Publisher
from dealer_daemon.station.host import TableHost
from dealer_daemon.station.station import TableParts
from dealer_daemon.table import Decision

LATE_S = 0.3


def swap(owner: Any, name: str, new: Any) -> Any:
    """Put ``new`` in the place of what ``owner`` has under this name; what was there."""
    old = getattr(owner, name)
    setattr(owner, name, new)
    return old


def drop_on_reconnect() -> None:
    """After a connection was lost, sending goes on with what is new: what was under way is forgotten."""

    def on_connected(self: Any, *arguments: Any) -> None:
        connected(self, *arguments)
        self._go_back(self._outbox.last_sequence(self._topics.table))

    connected = swap(Publisher, "_on_connected", on_connected)


def acknowledge_ahead() -> None:
    """An event counts as taken by the broker when it was sent."""

    def send(self: Any, event: Any) -> bool:
        sent: bool = send_(self, event)
        if sent:
            self._acked.add(getattr(event, "event", event).sequence)
            self._advance()
            self._positions.flush()
        return sent

    send_ = swap(Publisher, "_send", send)


def answer_before_commit() -> None:
    """A command is answered at once, and written when there is time."""

    def take(self: Any, decision: Decision) -> None:
        if decision.command is None:
            take_(self, decision)
        else:
            asyncio.get_running_loop().call_later(LATE_S, take_, self, decision)

    take_ = swap(TableHost, "_take", take)


def publish_before_commit() -> None:
    """A table's events go out as soon as they are decided."""

    def made(self: Any, *arguments: Any, **more: Any) -> None:
        made_(self, *arguments, **more)
        self.host.parts = self

    def take(self: Any, decision: Decision) -> None:
        link, topics = self.parts.uplink._client, self.parts.uplink._topics
        for event in decision.events:
            try:
                body = encode_event(topics.site, event, self._journal._sign(event))
                link.publish(Outgoing(topics.events(event.data.type), body))
            except MqttError:
                break
        take_(self, decision)

    made_ = swap(TableParts, "__init__", made)
    take_ = swap(TableHost, "_take", take)


def reorder() -> None:
    """Where two events wait, the newer goes first."""

    def next_(self: Any) -> Any:
        first = next__(self)
        if first is not None and self._ahead:
            second = self._ahead.popleft()
            self._ahead.appendleft(first)
            return second
        return first

    next__ = swap(Publisher, "_next", next_)


def double_end() -> None:
    """An outcome is written twice, the second time as an event of its own."""
    more: dict[str, int] = {}

    def commit(self: Any, events: Sequence[Event], *arguments: Any, **keywords: Any) -> None:
        doubled = []
        for event in events:
            event = msgspec.structs.replace(event, sequence=event.sequence + more.get(event.table, 0))
            doubled.append(event)
            if isinstance(event.data, RoundOutcome):
                doubled.append(msgspec.structs.replace(event, sequence=event.sequence + 1))
                more[event.table] = more.get(event.table, 0) + 1
        commit_(self, doubled, *arguments, **keywords)

    commit_ = swap(Journal, "commit", commit)


def second_body() -> None:
    """A body has something in it that is another one each time: who sent it, and how often."""
    times = count(1)

    def encode(*arguments: Any, **keywords: Any) -> bytes:
        body = encode_stored(*arguments, **keywords)
        return body[:-1] + b',"process":"%d/%d"}' % (os.getpid(), next(times))

    swap(publisher, "encode_stored", encode)


def skip_refused() -> None:
    """An event that the broker refuses is left out, and the next one sent."""

    def refuse(self: Any, sequence: int, failure: Exception) -> None:
        del failure
        self._acked.add(sequence)
        self._advance()

    swap(Publisher, "_refuse", refuse)


def forget_on_full_disk() -> None:
    """What the disk does not take of a device's doings is forgotten, and the table goes on from what is written."""

    def drain(self: Any) -> None:
        drain_(self)
        if self._waiting and self.config.round_source == "device":
            self._waiting.clear()
            self._table.state = self.committed
            if self._retry is not None:
                self._retry.cancel()
                self._retry = None

    drain_ = swap(TableHost, "_drain", drain)


MUTANTS: dict[str, Callable[[], None]] = {
    mutant.__name__: mutant
    for mutant in (
        drop_on_reconnect,
        acknowledge_ahead,
        answer_before_commit,
        publish_before_commit,
        reorder,
        double_end,
        second_body,
        skip_refused,
        forget_on_full_disk,
    )
}
