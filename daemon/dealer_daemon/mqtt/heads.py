"""The journal's head on a retained topic, and what the broker still has of it when the station comes (back).

A head outside the journal shows that a journal was cut off or rewritten. And before the first event of a connection the
station looks at what stands there: a journal that says less than the station published before (an old copy was put
back, or two stations have one name) would give used sequence numbers to other events. Then nothing is sent, until the
station is started again and finds nothing, or only what a person gave up. Time opens nothing: where the broker does not
answer, nothing is sent either.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from dealer_daemon.events import Event
from dealer_daemon.journal import JournalError
from dealer_daemon.mqtt.envelope import verify_event
from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.mqtt.head_body import (
    Journal,
    Objection,
    OutcomeHead,
    encode_head,
    held_cursor,
    held_cursors,
    judge_head,
    judge_outcome,
    read_head,
    verify_head,
)
from dealer_daemon.mqtt.messages import Incoming
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.mqtt.voice import Gate
from dealer_daemon.signing import PublicKeys, SigningKey
from dealer_drivers.json_text import decode_json

HEAD_EVERY_S = 1.0
"""A head follows its events by so much, at most. It is a window: what was published within it before a power cut on a
disk that lies is not in any head. A head costs one signature (0.1 ms) and one small message."""
SLOW_S = 5.0
"""A broker that has not shown by then what it keeps is a problem to tell. Nothing is sent before it has."""
MOST_HELD = 16
"""What speaks against us is kept for ``journal adopt``, so much of it: whoever writes the topic could write without
end."""
RETRY_S = 5.0
"""Before what stands there is compared again with a journal that could not be read."""
UNCHECKED = "journal_unchecked"


@dataclass(frozen=True, slots=True)
class Signing:
    """What a station signs with and whom it believes. Without a key it signs nothing."""

    key: SigningKey | None = None
    keys: PublicKeys = field(default_factory=dict)
    """All keys that this station ever signed with."""


class LiveJournal(Journal, Protocol):
    """What is needed of the open journal."""

    def add_listener(self, callback: Callable[[Sequence[Event]], None]) -> Callable[[], None]:
        """Calls back after every commit."""
        ...

    def set_cursors(self, positions: Mapping[tuple[str, str], int], *, rewind: bool = False) -> None:
        """Keeps positions."""
        ...

    def forget_cursors(self, table: str, names: Collection[str]) -> None:
        """Keeps these positions no longer."""
        ...


class JournalHeads:
    """One table's ``journal`` topic: writes it, and holds the publisher while what stands there speaks against it."""

    def __init__(
        self,
        topics: Topics,
        retained: RetainedTopics,
        gate: Gate,
        journal: LiveJournal,
        signing: Signing,
        now: Callable[[], str],
    ) -> None:
        """``now`` gives the time as RFC 3339."""
        self._topics = topics
        self._retained = retained
        self._gate = gate
        self._journal = journal
        self._signing = signing
        self._now = now
        self._loop = asyncio.get_running_loop()
        self._log = structlog.get_logger().bind(table=topics.table)
        self._held: list[Objection] = []
        self._looked = False
        self._blind = False
        self._shown = False
        self._unjudged: dict[bytes, asyncio.TimerHandle] = {}
        """What stands there and could not be compared, for the journal did not give its row."""
        self._timer: asyncio.TimerHandle | None = None
        self._remove_listener: Callable[[], None] | None = None

    # -- the link ------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Follows the journal from now on."""
        self._hold_until_looked()
        self._remove_listener = self._journal.add_listener(lambda _events: self._due())

    def connected(self) -> None:
        """A session began; the subscriptions are under way. Call before the publisher is told."""
        self._looked = self._blind = self._shown = False
        self._hold_until_looked()
        self._cancel()
        self._timer = self._loop.call_later(SLOW_S, self._slow)

    def disconnected(self) -> None:
        """Nothing of ours may go out at the next connect before it was looked at again."""
        self._looked = self._shown = False
        self._cancel()
        self._retained.forget(self._topics.journal)

    def birth_came_back(self) -> None:
        """Our own birth was delivered to us: what was retained when we subscribed has come before it."""
        self._shown = True
        self._end_look()

    def subscription_refused(self, topic_filter: str) -> None:
        """The broker does not let us read a topic: one of ours that is not seen says nothing for us."""
        if topic_filter in (self._topics.journal, self._topics.outcome):
            self._blind = True
            self._slow()

    def close(self) -> None:
        """Ends all waiting."""
        self._cancel()
        for timer in self._unjudged.values():
            timer.cancel()
        self._unjudged.clear()
        if self._remove_listener is not None:
            self._remove_listener()
            self._remove_listener = None

    async def goodbye(self) -> None:
        """The last head, for whoever compares before the next start. Not over one that holds us."""
        self._cancel()
        if self._held or not self._looked:
            return
        self._looked = False
        await self._retained.leave(self._topics.journal, self._head(), "journal head")

    # -- what stands there ---------------------------------------------------------------------------------------

    def received(self, message: Incoming) -> None:
        """Something stands on the ``journal`` topic. Our own word comes back too, and says nothing against us."""
        found = read_head(message.payload)
        if found is None:
            if message.payload:
                self._log.warning("journal head not understood", topic=message.topic)
            return
        ours, keyed = verify_head(message.payload, self._signing.keys), self._signing.key is not None
        self._judge(message.payload, lambda: judge_head(found, ours, keyed, self._journal, self._topics))

    def outcome_received(self, message: Incoming) -> None:
        """Something stands on the ``outcome`` topic: a signed outcome that this journal lacks is our own past."""
        if verify_event(message.payload, self._signing.keys):
            found = decode_json(message.payload, OutcomeHead)
            self._judge(message.payload, lambda: judge_outcome(found, self._journal, self._topics))

    def _judge(self, found: bytes, judge: Callable[[], Objection | None]) -> None:
        """Takes what ``judge`` says. A journal that cannot be read says nothing: it is asked until it does."""
        if (timer := self._unjudged.pop(found, None)) is not None:
            timer.cancel()
        try:
            objection = judge()
        except JournalError as error:
            detail = f"what the broker keeps cannot be compared with the journal, so nothing is sent: {error}"
            self._log.error("journal not checked", detail=detail)
            self._gate.hold(Problem(UNCHECKED, detail))
            self._unjudged[found] = self._loop.call_later(RETRY_S, self._judge, found, judge)
            return
        self._take(objection)
        self._end_look()

    def _take(self, objection: Objection | None) -> None:
        """Holds for what speaks against us. What comes later on the topic takes nothing of it back: a person does."""
        if objection is None or objection in self._held or len(self._held) >= MOST_HELD:
            return
        self._held.append(objection)
        of_this_kind = (held for held in self._held if held.problem.code == objection.problem.code)
        problem = max(of_this_kind, key=lambda held: held.last_sequence).problem
        self._log.error("publishing held", problem=problem.code, detail=objection.problem.detail)
        self._retained.forget(self._topics.journal)
        self._gate.hold(problem)
        try:
            self._journal.set_cursors({(self._topics.table, held_cursor(objection)): 0}, rewind=True)
        except JournalError as error:
            # ``journal adopt`` will say that it does not know of it, and the next start tries again.
            self._log.error("what holds publishing is not kept", detail=str(error))

    def _end_look(self) -> None:
        """When all was shown, and compared."""
        if self._looked or self._blind or not self._shown or self._unjudged:
            return
        self._looked = True
        self._cancel()
        self._gate.release(UNCHECKED)
        if not self._held:
            self._forget_what_held()
        self._write()

    def _forget_what_held(self) -> None:
        table = self._topics.table
        try:
            if names := held_cursors(self._journal.cursors(table)):
                self._journal.forget_cursors(table, names)
        except JournalError as error:  # it is of use to ``journal adopt`` only, and goes at the next look
            self._log.warning("what held publishing before is not forgotten", detail=str(error))

    def _slow(self) -> None:
        """No look, no event: an old journal is not found out by waiting."""
        self._cancel()
        if self._unjudged:
            return  # it is the journal that does not answer, and that is said
        detail = (
            f"the broker does not show what it keeps of this journal, so nothing is sent. Let the station read "
            f"{self._topics.journal}, {self._topics.outcome} and {self._topics.presence} in the broker's access list, "
            "and look at the line to it"
        )
        self._log.warning("journal not checked", detail=detail)
        self._gate.hold(Problem(UNCHECKED, detail))

    def _hold_until_looked(self) -> None:
        problem = Problem(UNCHECKED, "the broker is asked what it keeps of this journal; events follow")
        self._gate.hold(problem, passing=True)

    # -- writing -------------------------------------------------------------------------------------------------

    def _due(self) -> None:
        if self._looked and not self._held and self._timer is None:
            self._timer = self._loop.call_later(HEAD_EVERY_S, self._write)

    def _write(self) -> None:
        self._cancel()
        if self._looked and not self._held:
            self._retained.set(self._topics.journal, self._head())

    def _head(self) -> bytes:
        return encode_head(self._topics, self._journal, self._now(), self._signing.key)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
