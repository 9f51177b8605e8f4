"""Takes a table's events from the journal to the broker, in order, none lost, behind a kept cursor."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec
import structlog

from dealer_daemon.events import Event, OutcomeCorrected, RoundOutcome
from dealer_daemon.journal import JournalError, JournalUnavailable
from dealer_daemon.mqtt.consumers import Consumers
from dealer_daemon.mqtt.envelope import CONTENT_TYPE, encode_event
from dealer_daemon.mqtt.errors import NotConnected, Problem, PublishFailed
from dealer_daemon.mqtt.messages import Incoming, Outgoing
from dealer_daemon.mqtt.outbox import Outbox, Positions
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics

READ_AHEAD = 64
"""Events read from the journal at a time."""
RETRY_S = 5.0
"""Before an event that the broker refused, or the disk did not give, is tried again."""
MAX_REPLAY = 10_000
"""Of what a broker's loss repeats by itself: new results wait behind it. A consumer further back asks for a resend."""
PUBLISHED = "published"
OUTCOME = "outcome"


class Link(Protocol):
    """What the publisher needs of the client (``client.MqttClient``)."""

    def publish(self, message: Outgoing) -> asyncio.Future[None]:
        """See ``MqttClient.publish``."""
        ...

    def subscribe(self, topic_filter: str, on_message: Callable[[Incoming], None]) -> None:
        """See ``MqttClient.subscribe``."""
        ...

    def on_connected(self, callback: Callable[[bool, MqttVersion], None]) -> None:
        """See ``MqttClient.on_connected``."""
        ...

    def on_disconnected(self, callback: Callable[[str], None]) -> None:
        """See ``MqttClient.on_disconnected``."""
        ...


class Publisher:
    """One table's events, outcome, state and device health.

    The cursor ``published`` is the highest sequence up to which the broker acknowledged everything. Events are sent in
    order behind it, at most ``in_flight`` unacknowledged; whatever goes wrong, sending begins again right after the
    cursor (go back), so that a receiver which knows an event's id never sees a gap stay open.
    """

    def __init__(
        self,
        outbox: Outbox,
        link: Link,
        topics: Topics,
        retained: RetainedTopics,
        *,
        in_flight: int = 16,
        replay_after_broker_loss: int = 100,
    ) -> None:
        self._outbox = outbox
        self._link = link
        self._topics = topics
        self._retained = retained
        self._in_flight = in_flight
        self._replay = replay_after_broker_loss
        self._loop = asyncio.get_running_loop()
        self._log = structlog.get_logger().bind(table=topics.table)
        self._positions = Positions(outbox, topics.table)
        self._consumers = Consumers(topics, self._positions, lambda: outbox.last_sequence(topics.table))
        self._connected = False
        self._closing = False
        self._pass = 0  # answers to what an earlier pass sent do not count
        self._unanswered = 0
        self._read = self.cursor
        self._ahead: deque[Event] = deque()
        self._acked: set[int] = set()
        self._outcomes: dict[int, bytes] = {}
        self._probing = False
        self._broken: Problem | None = None
        self._refused: Problem | None = None
        self._pump_due = False
        self._retry: asyncio.TimerHandle | None = None
        self._progress = asyncio.Event()
        self._remove_listener: Callable[[], None] | None = None

    # -- what others see and ask ---------------------------------------------------------------------------------

    @property
    def cursor(self) -> int:
        """Everything up to this sequence was acknowledged by the broker."""
        return self._positions[PUBLISHED]

    @property
    def consumer_acks(self) -> Mapping[str, int]:
        """How far each known consumer has come."""
        return self._consumers.acks

    @property
    def problems(self) -> list[Problem]:
        """What stops or endangers publishing now."""
        found = (self._broken, self._refused, self._positions.problem)
        return [problem for problem in found if problem is not None]

    def set_state(self, state: Mapping[str, Any]) -> None:
        """What the table is doing, as committed. Only the newest is published."""
        self._retained.set(self._topics.state, msgspec.json.encode(state))

    def set_device(self, name: str, health: Mapping[str, Any], *, urgent: bool = False) -> None:
        """A device's health; at most one a second is published, unless ``urgent`` (its link came or went)."""
        self._retained.set(self._topics.device(name), msgspec.json.encode(health), urgent=urgent)

    def resend(self, from_sequence: int) -> int:
        """Publishes everything from ``from_sequence`` on again, in order, and then goes on; new events wait behind it.

        Answers how many events that are now. Raises ``ValueError`` for a sequence that does not exist.
        """
        last = self._outbox.last_sequence(self._topics.table)
        if not 1 <= from_sequence <= last:
            raise ValueError(f"from_sequence must be between 1 and {last}, the last sequence of this table")
        self._log.info("events resent", from_sequence=from_sequence, to_sequence=last)
        self._go_back(min(from_sequence - 1, self.cursor))
        return last - from_sequence + 1

    # -- life ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Listens to the journal and the link. Call before the link starts. Raises ``JournalError``."""
        self._restore_outcome()
        self._remove_listener = self._outbox.add_listener(lambda _events: self._soon())
        self._link.subscribe(self._topics.acks_filter, self._consumers.received)
        self._link.on_connected(self._on_connected)
        self._link.on_disconnected(self._on_disconnected)
        self._retained.on_settled(self._progress.set)

    async def drain(self, timeout_s: float) -> bool:
        """Waits until all is published and acknowledged, at most ``timeout_s``, then sends no more.

        Says whether it is. What is not stays in the journal and goes out after the next start.
        """
        try:
            async with asyncio.timeout(timeout_s):
                while not self._drained() and self._can_progress():
                    self._progress.clear()
                    await self._progress.wait()
        except TimeoutError:
            pass
        self._closing = True
        self._positions.flush()
        return self._drained()

    def close(self) -> None:
        """Keeps the cursor and ends."""
        self._closing = True
        if self._remove_listener is not None:
            self._remove_listener()
            self._remove_listener = None
        self._cancel_retry()
        self._positions.close()

    def _drained(self) -> bool:
        all_out = self.cursor >= self._outbox.last_sequence(self._topics.table)
        return all_out and not self._unanswered and self._retained.settled

    def _can_progress(self) -> bool:
        if not self._connected:
            return False
        return bool(self._unanswered) or not self._retained.settled or (not self._broken and not self._refused)

    # -- sending -------------------------------------------------------------------------------------------------

    def _soon(self) -> None:
        """Never from within a commit or a callback of the link: the journal may be in the middle of something."""
        if not self._pump_due:
            self._pump_due = True
            self._loop.call_soon(self._pump)

    def _pump(self) -> None:
        self._pump_due = False
        if not self._connected or self._closing or self._retry is not None:
            return
        window = 1 if self._probing else self._in_flight
        while self._unanswered < window and (event := self._next()) is not None:
            if not self._send(event):
                return

    def _send(self, event: Event) -> bool:
        body = encode_event(self._topics.site, event)
        topic = self._topics.events(event.data.type)
        try:
            future = self._link.publish(Outgoing(topic, body, content_type=CONTENT_TYPE))
        except NotConnected:
            return False  # ``_on_disconnected`` is on its way
        except PublishFailed as failure:
            self._refuse(event.sequence, failure)
            return False
        self._unanswered += 1
        if isinstance(event.data, RoundOutcome | OutcomeCorrected):
            self._outcomes[event.sequence] = body
        sent_in = self._pass
        future.add_done_callback(lambda done: self._answered(sent_in, event.sequence, done))
        return True

    def _next(self) -> Event | None:
        if not self._ahead and self._broken is None:
            self._read_ahead()
        return self._ahead.popleft() if self._ahead else None

    def _read_ahead(self) -> None:
        """Takes the next events from the journal. One that cannot be read ends publishing: it is never skipped."""
        try:
            for event in self._outbox.events(self._topics.table, self._read, READ_AHEAD):
                if event.sequence != self._read + 1:
                    self._break_off(f"the journal gives event {event.sequence} in its place")
                    return
                self._ahead.append(event)
                self._read = event.sequence
        except JournalUnavailable as error:
            self._break_off(str(error))
            self._retry_later()
        except JournalError as error:
            self._break_off(str(error))

    def _break_off(self, reason: str) -> None:
        detail = f"event {self._read + 1} cannot be read, so neither it nor anything after it is published: {reason}"
        self._broken = Problem("journal_unreadable", detail)
        self._log.error("publishing stopped", detail=detail)

    def _answered(self, sent_in: int, sequence: int, done: asyncio.Future[None]) -> None:
        self._unanswered -= 1
        self._progress.set()
        self._soon()
        if sent_in != self._pass:
            return
        error = done.exception()
        if isinstance(error, PublishFailed):
            self._refuse(sequence, error)
        elif error is None:
            self._acked.add(sequence)
            self._advance()
        # Otherwise the connection dropped: ``_on_disconnected`` follows.

    def _advance(self) -> None:
        cursor = self.cursor
        while cursor + 1 in self._acked:
            cursor += 1
            self._acked.remove(cursor)
            body = self._outcomes.pop(cursor, None)
            if body is not None and cursor >= self._positions[OUTCOME]:
                self._positions[OUTCOME] = cursor
                self._retained.set(self._topics.outcome, body, content_type=CONTENT_TYPE)
        if cursor == self.cursor:
            return
        self._positions[PUBLISHED] = cursor
        self._probing = False
        if self._refused is not None:
            self._refused = None
            self._log.info("events are accepted again", sequence=cursor)

    def _refuse(self, sequence: int, failure: PublishFailed) -> None:
        detail = (
            f"event {sequence} is not accepted, so nothing after it is published: {failure}; "
            "allow it in the broker's access list, or mend its limits"
        )
        if self._refused is None:
            self._log.error("event refused by the broker", sequence=sequence, detail=str(failure))
        self._refused = Problem("event_refused", detail)
        self._probing = True  # later events may have been accepted: one at a time until this one is
        self._retry_later()
        self._go_back(self.cursor)

    def _go_back(self, cursor: int) -> None:
        """Sends again from right after ``cursor``."""
        self._pass += 1
        self._positions[PUBLISHED] = cursor
        self._read = cursor
        self._ahead.clear()
        self._acked.clear()
        self._outcomes.clear()
        self._broken = None
        self._soon()

    def _retry_later(self) -> None:
        self._cancel_retry()
        self._retry = self._loop.call_later(RETRY_S, self._retry_now)

    def _retry_now(self) -> None:
        self._retry = None
        self._broken = None
        self._soon()

    def _cancel_retry(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    # -- the link ------------------------------------------------------------------------------------------------

    def _on_connected(self, session_present: bool, _version: MqttVersion) -> None:
        self._connected = True
        if session_present or self.cursor == 0:
            self._go_back(self.cursor)
            return
        self._go_back(self._after_broker_loss())
        self._positions.flush()  # a crash now must not forget that these are to be repeated

    def _on_disconnected(self, _reason: str) -> None:
        self._connected = False
        self._cancel_retry()
        self._progress.set()

    def _after_broker_loss(self) -> int:
        """Where to begin when the broker knows nothing of us: its acknowledgements were no durability."""
        cursor = self.cursor
        start = max(0, cursor - self._replay)
        if acks := self._consumers.acks:
            slowest = min(acks, key=lambda consumer: acks[consumer])
            start = min(start, acks[slowest])
            if start < cursor - MAX_REPLAY:
                start = cursor - MAX_REPLAY
                self._log.warning(
                    "consumer too far back", consumer=slowest, from_sequence=acks[slowest], to_sequence=start
                )
        self._log.warning(
            "the broker lost our session, events are repeated", from_sequence=start + 1, to_sequence=cursor
        )
        return start

    def _restore_outcome(self) -> None:
        """After a restart the newest outcome that was published is still the one to show."""
        sequence = self._positions[OUTCOME]
        event = self._outbox.event_at(self._topics.table, sequence) if sequence else None
        if event is not None:
            body = encode_event(self._topics.site, event)
            self._retained.set(self._topics.outcome, body, content_type=CONTENT_TYPE)
