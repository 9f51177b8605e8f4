"""How far each consumer has come, from the retained ``acks`` topics, and which of them are gone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec
import structlog

from dealer_daemon.bodies import AckBody, ConsumerBody
from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.mqtt.messages import Incoming
from dealer_daemon.mqtt.outbox import Positions
from dealer_daemon.mqtt.topics import MAX_NAME_BYTES, TopicError, Topics, checked_name
from dealer_drivers.instant import Instant
from dealer_drivers.json_text import decode_json

ACK_CURSOR = "ack/"
"""Prefix of the names under which acknowledgements are kept in the journal's cursors."""
MAX_CONSUMERS = 256
GONE_S = 120.0
"""Without a word for so long while events wait for it, a consumer is gone. Far above a restart of a game server."""
LOOKS = 8
"""How often in that time the consumers are looked at: one is called gone late by two looks at most."""


def utc_now() -> str:
    """This moment by the computer's clock, RFC 3339."""
    return Instant(time.monotonic_ns(), time.time_ns()).rfc3339()


@dataclass(slots=True)
class _Consumer:
    sequence: int
    heard: str | None = None
    """When its last word came, since the station started; a stored acknowledgement is none."""
    owing_since_s: float | None = None
    """Since when, on the loop's clock, events that the broker took wait for its next word."""
    gone: bool = False


class Consumers:
    """The consumers known by their acknowledgements, kept over restarts of the station and of the broker.

    ``published`` answers up to which sequence the broker took everything, ``now`` the time as RFC 3339, ``changed``
    is called when a consumer came, left, went or returned; never for a mere acknowledgement.
    """

    def __init__(
        self,
        topics: Topics,
        positions: Positions,
        last_sequence: Callable[[], int],
        *,
        published: Callable[[], int],
        now: Callable[[], str],
        changed: Callable[[], None],
        gone_s: float,
    ) -> None:
        self._topics = topics
        self._positions = positions
        self._last_sequence = last_sequence
        self._published = published
        self._now = now
        self._changed = changed
        self.gone_s = gone_s
        self._loop = asyncio.get_running_loop()
        self._log = structlog.get_logger().bind(table=topics.table)
        self._bad: set[str] = set()
        self._ahead: dict[str, int] = {}
        self._look: asyncio.TimerHandle | None = None
        self._known = {
            name.removeprefix(ACK_CURSOR): _Consumer(positions[name])
            for name in positions.names()
            if name.startswith(ACK_CURSOR)
        }

    @property
    def acks(self) -> Mapping[str, int]:
        """The highest contiguous sequence that each consumer says it handled."""
        return {name: consumer.sequence for name, consumer in self._known.items()}

    def health(self) -> dict[str, ConsumerBody]:
        """How each consumer is doing now."""
        last = self._last_sequence()
        return {
            name: ConsumerBody(
                sequence=consumer.sequence,
                behind=last - consumer.sequence,
                heard=consumer.heard,
                gone=consumer.gone,
            )
            for name, consumer in self._known.items()
        }

    @property
    def problem(self) -> Problem | None:
        """A consumer that says it handled what this journal does not have: one of both is not the newest."""
        if not self._ahead:
            return None
        name = max(self._ahead, key=lambda each: self._ahead[each])
        return Problem(
            "consumer_ahead",
            f"the consumer {name} says that it handled event {self._ahead[name]}, which is not in this journal: was an "
            "old copy of it put back, this consumer throws away what comes up to there, true results among it: stop "
            "the station and see docs/howto/recover-a-journal.md. Is it left from another journal, let that consumer "
            f"say where it is, or publish an empty retained message to {self._topics.acks(name)}",
        )

    def connected(self) -> None:
        """The link is up: from now on a consumer can be heard, and its silence counts."""
        self.disconnected()
        self._look = self._loop.call_later(self.gone_s / LOOKS, self._look_at_all)

    def disconnected(self) -> None:
        """The link is down, or the station ends: nobody can be heard, so no silence counts."""
        if self._look is not None:
            self._look.cancel()
            self._look = None
        for consumer in self._known.values():
            consumer.owing_since_s = None

    def received(self, message: Incoming) -> None:
        """An acknowledgement came: ``{"sequence": n}``. An empty body means that the consumer is no more.

        What cannot be (no number, a sequence that does not exist yet) is said once and changes nothing.
        """
        name = self._topics.consumer_of(message.topic)
        if name is None:
            return
        try:
            checked_name("the consumer", name)
        except TopicError as error:
            self._refuse(name[:MAX_NAME_BYTES], str(error))
            return
        if not message.payload:
            self._leave(name)
            return
        try:
            sequence = decode_json(message.payload, AckBody).sequence
        except (msgspec.MsgspecError, RecursionError) as error:
            self._refuse(name, str(error))
            return
        last = self._last_sequence()
        if not 0 <= sequence <= last:
            self._refuse(name, f"it says {sequence}, and the table's last sequence is {last}")
            if sequence > last and (name in self._ahead or len(self._ahead) < MAX_CONSUMERS):
                self._ahead[name] = sequence
            return
        self._ahead.pop(name, None)
        consumer = self._known.get(name)
        if consumer is None:
            if len(self._known) >= MAX_CONSUMERS:
                self._refuse(name, f"there are {MAX_CONSUMERS} consumers already")
                return
            consumer = self._known[name] = _Consumer(sequence)
            self._log.info("consumer known", consumer=name, sequence=sequence)
            self._changed()
        self._bad.discard(name)
        consumer.sequence = sequence
        self._positions[ACK_CURSOR + name] = sequence
        if not message.retained:
            self._heard(name, consumer)

    def _heard(self, name: str, consumer: _Consumer) -> None:
        consumer.heard, consumer.owing_since_s = self._now(), None
        if consumer.gone:
            consumer.gone = False
            self._log.info("consumer is back", consumer=name, sequence=consumer.sequence)
            self._changed()

    def _leave(self, name: str) -> None:
        self._bad.discard(name)
        self._ahead.pop(name, None)
        if self._known.pop(name, None) is not None:
            self._positions.forget(ACK_CURSOR + name)
            self._log.info("consumer left", consumer=name)
            self._changed()

    def _look_at_all(self) -> None:
        """By the clock, not by each event: a drain moves thousands of events a second past the consumers."""
        self._look = self._loop.call_later(self.gone_s / LOOKS, self._look_at_all)
        now_s, published, changed = self._loop.time(), self._published(), False
        for name, consumer in self._known.items():
            if consumer.sequence >= published:
                consumer.owing_since_s = None
            elif consumer.owing_since_s is None:
                consumer.owing_since_s = now_s
            elif not consumer.gone and now_s - consumer.owing_since_s >= self.gone_s:
                consumer.gone = changed = True
                self._log.warning(
                    "consumer gone",
                    consumer=name,
                    sequence=consumer.sequence,
                    detail=f"{published - consumer.sequence} events wait for it, and it has said nothing for "
                    f"{self.gone_s:g} s; start it again, or, if it has left for good, publish an empty retained "
                    f"message to {self._topics.acks(name)}",
                )
        if changed:
            self._changed()

    def _refuse(self, consumer: str, reason: str) -> None:
        if consumer not in self._bad and len(self._bad) < MAX_CONSUMERS:
            self._bad.add(consumer)
            self._log.warning("acknowledgement not understood", consumer=consumer, reason=reason)
