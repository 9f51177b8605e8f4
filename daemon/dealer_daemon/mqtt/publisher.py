"""Takes a table's events from the journal to the broker, in order, none lost, behind a kept cursor."""

from __future__ import annotations

import asyncio
import functools
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import structlog

from dealer_daemon.bodies import ConsumerBody
from dealer_daemon.commands import MAX_RESENT
from dealer_daemon.events import OutcomeCorrected, RoundOutcome
from dealer_daemon.journal import EventsRemoved, JournalError, JournalUnavailable, SignedEvent
from dealer_daemon.journal.order import goes_on
from dealer_daemon.mqtt.behind import Behind
from dealer_daemon.mqtt.consumers import GONE_S, Consumers, utc_now
from dealer_daemon.mqtt.envelope import CONTENT_TYPE, encode_stored
from dealer_daemon.mqtt.errors import NotConnected, Problem, PublishFailed
from dealer_daemon.mqtt.link import Link
from dealer_daemon.mqtt.messages import Outgoing
from dealer_daemon.mqtt.outbox import Outbox, Positions
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.repeats import Repeats
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.signing import split

READ_AHEAD = 64
"""Events read from the journal at a time."""
RETRY_S = 5.0
"""Before an event that the broker refused, or the disk did not give, is tried again."""
MAX_REPLAY = 10_000
"""Of what a broker's loss repeats by itself: new results wait behind it. A consumer further back asks for a resend."""
PUBLISHED = "published"
OUTCOME = "outcome"


class Publisher:
    """One table's events, outcome, state and device health.

    The cursor ``published`` is the highest sequence up to which the broker acknowledged everything. Events are sent in
    order behind it, at most ``in_flight`` unacknowledged; whatever goes wrong, sending begins again right after the
    cursor (go back), so that a receiver which knows an event's id never sees a gap stay open.

    What consumers ask for again runs beside that, and only while nothing new waits (``Repeats``). What a person gave up
    (``Outbox.given_up``) is never sent, whoever asks: other events may have been published under its numbers.
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
        consumer_gone_s: float = GONE_S,
        consumers_changed: Callable[[], None] = lambda: None,
        now: Callable[[], str] = utc_now,
    ) -> None:
        """``consumers_changed`` is called when a consumer came, left, went or returned; ``now`` is RFC 3339."""
        self._outbox = outbox
        self._link = link
        self._topics = topics
        self._retained = retained
        self._in_flight = in_flight
        self._replay = replay_after_broker_loss
        self._loop = asyncio.get_running_loop()
        self._log = structlog.get_logger().bind(table=topics.table)
        self._positions = Positions(outbox, topics.table)
        self._consumers = Consumers(
            topics,
            self._positions,
            lambda: outbox.last_sequence(topics.table),
            published=lambda: self.cursor,
            now=now,
            changed=consumers_changed,
            gone_s=consumer_gone_s,
        )
        self._connected = False
        self._closing = False
        self._pass = 0  # answers to what an earlier pass sent do not count
        self._unanswered = 0
        self._floor = max(0, outbox.given_up(topics.table) - 1)
        """Nothing up to here is sent, ever: adopting a journal is done while no station runs."""
        self._cursor = self._reached = max(self._positions[PUBLISHED], self._floor)
        self.board = Behind(retained, topics.board, self._cursor)
        self._read = self._cursor
        self._ahead: deque[SignedEvent] = deque()
        self._sent: deque[int] = deque()
        """What this pass sent above the cursor, in order."""
        self._acked: set[int] = set()
        self._repeats = Repeats()
        self._repeat_timer: asyncio.TimerHandle | None = None
        self._outcomes: dict[int, bytes] = {}
        self._probing = False
        self._held: dict[str, Problem] = {}
        self._passing: set[str] = set()
        self._said_unsigned = False
        self._outcome_shown = False
        self._broken: Problem | None = None
        self._refused: Problem | None = None
        self._pump_due = False
        self._retry: asyncio.TimerHandle | None = None
        self._progress = asyncio.Event()
        self._remove_listener: Callable[[], None] | None = None

    # -- what others see and ask ---------------------------------------------------------------------------------

    def consumers_gone_after(self, seconds: float) -> None:
        """A consumer that says nothing for so long, while events wait for it, is gone."""
        self._consumers.gone_s = seconds

    @property
    def cursor(self) -> int:
        """Everything up to this sequence was acknowledged by the broker, or given up by a person."""
        return self._cursor

    @property
    def consumer_acks(self) -> Mapping[str, int]:
        """How far each known consumer has come."""
        return self._consumers.acks

    @property
    def consumers(self) -> Mapping[str, ConsumerBody]:
        """How each known consumer is doing now."""
        return self._consumers.health()

    @property
    def problems(self) -> list[Problem]:
        """What stops or endangers publishing now."""
        found = (self._broken, self._refused, self._positions.problem, self._consumers.problem)
        return [*self._held.values(), *(problem for problem in found if problem is not None)]

    def set_state(self, state: Mapping[str, Any]) -> None:
        """What the table is doing, as committed. Only the newest is published."""
        self._retained.set(self._topics.state, msgspec.json.encode(state))

    def set_device(self, name: str, health: Mapping[str, Any], *, urgent: bool = False) -> None:
        """A device's health; at most one a second is published, unless ``urgent`` (its link came or went)."""
        self._retained.set(self._topics.device(name), msgspec.json.encode(health), urgent=urgent)

    def hold(self, problem: Problem, *, passing: bool = False) -> None:
        """Sends no event, and shows ``problem``, until it is released; another of the same code takes its place.

        ``passing``: it ends by itself before long, so ``drain`` waits for it.
        """
        self._held[problem.code] = problem
        self._passing.discard(problem.code)
        if passing:
            self._passing.add(problem.code)

    def release(self, code: str) -> bool:
        """Takes a hold away, and goes on where it was the last. Says whether there was one."""
        released = self._held.pop(code, None) is not None
        self._passing.discard(code)
        if released and not self._held and self._remove_listener is not None:
            try:
                self._restore_outcome()
            except JournalError as error:
                self._break_off(str(error))
            self._soon()
        return released

    def resend(self, from_sequence: int) -> int:
        """Publishes ``from_sequence`` and what follows again, in order, at most ``MAX_RESENT``; new events go first.

        Of what a person gave up nothing is sent: it begins with the ``events.lost`` that says so. Answers how many
        sequences that are. Raises ``ValueError`` for a sequence that does not exist, or not any more.
        """
        first, last = self._outbox.first_sequence(self._topics.table), self._outbox.last_sequence(self._topics.table)
        if not first <= from_sequence <= last:
            raise ValueError(f"from_sequence must be between {first} and {last}, the oldest and the newest event kept")
        start = max(from_sequence, self._floor + 1)
        end = start + MAX_RESENT - 1
        self._log.info("events asked for again", from_sequence=start, to_sequence=min(end, last))
        self._repeats.ask(start, end)
        self._soon()
        return min(end, last) - start + 1

    # -- life ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Listens to the journal and the link. Call before the link starts. Raises ``JournalError``."""
        if not self._held:
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
        self._repeats.clear()  # a restart forgets them too: whoever asked asks again
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
        self._cancel_repeat()
        self._consumers.disconnected()
        self._positions.close()

    def _drained(self) -> bool:
        all_out = self.cursor >= self._outbox.last_sequence(self._topics.table)
        return all_out and not self._unanswered and self._retained.settled

    def _can_progress(self) -> bool:
        if not self._connected:
            return False
        if self._unanswered or not self._retained.settled:
            return True
        return not self._broken and not self._refused and self._held.keys() <= self._passing

    # -- sending -------------------------------------------------------------------------------------------------

    def _soon(self) -> None:
        """Never from within a commit or a callback of the link: the journal may be in the middle of something."""
        if not self._pump_due:
            self._pump_due = True
            self._loop.call_soon(self._pump)

    def _pump(self) -> None:
        self._pump_due = False
        if not self._connected or self._closing or self._held or self._retry is not None:
            return
        window = 1 if self._probing else self._in_flight
        while self._unanswered < window and (signed := self._next()) is not None:
            if not self._send(signed):
                return
        if not self._sent and self._repeats.waiting:
            self._repeat(window)

    def _repeat(self, window: int) -> None:
        """Nothing new waits and the broker has all that was sent: the time for what was asked for again."""
        now_s, last, table = self._loop.time(), self._outbox.last_sequence(self._topics.table), self._topics.table
        last = min(last, self.cursor)  # where one cannot be read, those before it can be asked for
        while self._unanswered < window and (limit := self._repeats.limit(now_s, last)):
            try:
                page = list(
                    self._outbox.signed_events(table, self._repeats.read, min(limit, window - self._unanswered))
                )
            except EventsRemoved as removed:
                self._repeats.read = removed.first - 1
                continue
            except JournalError as error:
                self._stop_repeating(str(error))
                return
            if not page:
                self._stop_repeating(f"event {self._repeats.read + 1} is not there")
                return
            for signed in page:
                sequence = signed.event.sequence
                try:
                    future = self._link.publish(self._message(signed))
                except NotConnected:
                    return
                except PublishFailed as failure:
                    self._stop_repeating(str(failure))
                    return
                self._unanswered += 1
                self._repeats.sent(sequence)
                future.add_done_callback(functools.partial(self._repeat_answered, self._pass, sequence))
        self._repeats.end_when_done(now_s, last)
        if self._repeats.waiting and now_s < self._repeats.not_before_s and self._repeat_timer is None:
            self._repeat_timer = self._loop.call_at(self._repeats.not_before_s, self._repeat_now)

    def _repeat_answered(self, sent_in: int, sequence: int, done: asyncio.Future[None]) -> None:
        self._unanswered -= 1
        self._progress.set()
        self._soon()
        if sent_in != self._pass:
            return
        error = done.exception()
        if isinstance(error, PublishFailed):
            self._stop_repeating(str(error))
        elif error is None:
            self._repeats.answered(sequence)

    def _repeat_now(self) -> None:
        self._repeat_timer = None
        self._soon()

    def _cancel_repeat(self) -> None:
        if self._repeat_timer is not None:
            self._repeat_timer.cancel()
            self._repeat_timer = None

    def _stop_repeating(self, reason: str) -> None:
        """Whoever asked asks again; new events do not wait for it."""
        self._log.warning("events asked for are not sent again", sequence=self._repeats.read, detail=reason)
        self._repeats.clear()

    def _message(self, signed: SignedEvent) -> Outgoing:
        return Outgoing(self._topics.events(signed.event.data.type), self._body(signed), content_type=CONTENT_TYPE)

    def _body(self, signed: SignedEvent) -> bytes:
        body = encode_stored(self._topics.site, signed)
        if signed.signature is not None and split(body) is None and not self._said_unsigned:
            self._said_unsigned = True
            detail = "its signature is of another body: was `site` changed? Consumers that ask for signatures refuse it"
            self._log.warning("a signed event goes out unsigned", sequence=signed.event.sequence, detail=detail)
        return body

    def _send(self, signed: SignedEvent) -> bool:
        event, message = signed.event, self._message(signed)
        try:
            future = self._link.publish(message)
        except NotConnected:
            return False  # ``_on_disconnected`` is on its way
        except PublishFailed as failure:
            self._refuse(event.sequence, failure)
            return False
        self._unanswered += 1
        self._sent.append(event.sequence)
        if isinstance(event.data, RoundOutcome | OutcomeCorrected):
            self._outcomes[event.sequence] = message.payload
        sent_in = self._pass
        future.add_done_callback(lambda done: self._answered(sent_in, event.sequence, done))
        return True

    def _next(self) -> SignedEvent | None:
        if not self._ahead and self._broken is None:
            self._read_ahead()
        return self._ahead.popleft() if self._ahead else None

    def _read_ahead(self) -> None:
        """Takes the next events from the journal. One that cannot be read ends publishing: it is never skipped."""
        try:
            self._take_events(READ_AHEAD)
        except EventsRemoved as removed:
            self._log.warning(
                "events no longer kept are passed over", from_sequence=self._read + 1, to_sequence=removed.first - 1
            )
            self._read = removed.first - 1
            self._soon()
        except JournalUnavailable as error:
            self._break_off(str(error))
            self._retry_later()
        except JournalError as error:
            self._break_off(str(error))

    def _take_events(self, limit: int) -> None:
        for signed in self._outbox.signed_events(self._topics.table, self._read, limit):
            if not goes_on(self._read, signed.event):
                self._break_off(f"the journal gives event {signed.event.sequence} in its place")
                return
            self._ahead.append(signed)
            self._read = signed.event.sequence

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
        while self._sent and self._sent[0] in self._acked:
            cursor = self._sent.popleft()
            self._acked.remove(cursor)
            body = self._outcomes.pop(cursor, None)
            if body is not None and cursor >= self._positions[OUTCOME]:
                self._positions[OUTCOME] = cursor
                self._retained.set(self._topics.outcome, body, content_type=CONTENT_TYPE)
        if cursor == self.cursor:
            return
        self._move(cursor)
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
        self._repeats.go_back(self._loop.time())
        self._move(cursor)
        self._read = cursor
        self._ahead.clear()
        self._sent.clear()
        self._acked.clear()
        self._outcomes.clear()
        self._broken = None
        self._soon()

    def _move(self, cursor: int) -> None:
        self._cursor, self._reached = cursor, max(self._reached, cursor)
        self._positions[PUBLISHED] = cursor
        self.board.reached(cursor)

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
        self._consumers.connected()
        if session_present or self.cursor == 0:
            self._go_back(self.cursor)
            return
        self._go_back(self._after_broker_loss())
        self._positions.flush()  # a crash now must not forget that these are to be repeated

    def _on_disconnected(self, _reason: str) -> None:
        self._connected = False
        self._consumers.disconnected()
        self._cancel_retry()
        self._progress.set()

    def _after_broker_loss(self) -> int:
        """Where to begin when the broker knows nothing of us: its acknowledgements were no durability."""
        # From the highest cursor there was: each loss while a repeat is under way would go another step back.
        reached = self._reached
        start = reached - self._replay
        if acks := self._consumers.acks:
            slowest = min(acks, key=lambda consumer: acks[consumer])
            start = min(start, acks[slowest])
            if start < reached - MAX_REPLAY:
                start = reached - MAX_REPLAY
                self._log.warning(
                    "consumer too far back", consumer=slowest, from_sequence=acks[slowest], to_sequence=start
                )
        start = max(start, self._floor)
        self._log.warning(
            "the broker lost our session, events are repeated", from_sequence=start + 1, to_sequence=reached
        )
        return min(start, self.cursor)

    def _restore_outcome(self) -> None:
        """After a restart the newest outcome that was published is still the one to show."""
        sequence = self._positions[OUTCOME]
        if self._outcome_shown or sequence <= self._floor:
            return
        self._outcome_shown = True
        signed = self._outbox.signed_event_at(self._topics.table, sequence)
        if signed is not None:
            self._retained.set(self._topics.outcome, self._body(signed), content_type=CONTENT_TYPE)
