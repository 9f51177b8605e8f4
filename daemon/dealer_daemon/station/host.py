"""One table of the station: commits what its core decides, and only then lets it be shown, sent or acted upon.

When the journal cannot take a decision it waits, in order, with those after it: an accepted result is never
lost to a full disk. Until it is committed nobody hears of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog

from dealer_daemon.bodies import ConsumerBody, HeldBody
from dealer_daemon.commands import Command, CommandName, ErrorCode, Reply
from dealer_daemon.config import TableConfig
from dealer_daemon.events import (
    AlertCleared,
    AlertRaised,
    AttemptHeld,
    AttemptRefused,
    DeviceFaulted,
    DeviceLent,
    Event,
    EventData,
    EventsExpired,
    RoundVoided,
    TablePaused,
    Violation,
)
from dealer_daemon.journal import Journal, JournalError, JournalUnavailable
from dealer_daemon.monitoring import Histogram, Tally
from dealer_daemon.monitoring.histogram import COMMIT_S
from dealer_daemon.mqtt.head_body import BEHIND, OTHER
from dealer_daemon.mqtt.scout import CONTESTED
from dealer_daemon.round import TableState
from dealer_daemon.state import StandingAlert
from dealer_daemon.station.messages import state_message
from dealer_daemon.station.setup import check_rules, check_shadow, recover, snapshot_of, table_setup
from dealer_daemon.table import Decision, Table
from dealer_daemon.table.answers import clock_is_behind
from dealer_daemon.table.arguments import Refusal
from dealer_daemon.table.maintenance import check_unlent, check_unwished
from dealer_drivers.clock import Clock
from dealer_drivers.driver import DeviceAction
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import Reading

RETRY_S = 0.5
"""Between tries to commit while the disk does not take it: well under the time of a game."""
MOST_WAITING = 10_000
"""Decisions that wait for the disk: most of a day at a wheel's pace. Beyond that the station stops."""
SNAPSHOT_EVERY = 256
"""Events between two snapshots: a start folds at most so many."""

STANDS_FOR = frozenset({BEHIND, OTHER, CONTESTED})
"""What holds the station in a way that only a person ends: the table stands then (decision 0021)."""

_WARNINGS = (
    AlertRaised,
    AttemptRefused,
    AttemptHeld,
    Violation,
    TablePaused,
    DeviceFaulted,
    DeviceLent,
    RoundVoided,
    EventsExpired,
)


class TableHost:
    """See the module. Belongs to the event loop's thread. ``act`` asks a device for something, where the table is no
    shadow or the device only looks; ``changed`` is told
    after each commit, and whenever the table begins or ends to wait for the disk.
    """

    def __init__(
        self,
        config: TableConfig,
        journal: Journal,
        clock: Clock,
        *,
        boot: str,
        clock_speed: float,
        act: Callable[[str, DeviceAction], None],
        changed: Callable[[], None],
        command_max_age_s: float = 0,
    ) -> None:
        self.config = config
        self.command_max_age_s = command_max_age_s
        self._journal = journal
        self._clock = clock
        self._boot = boot
        self._act = act
        self._changed = changed
        self._log = structlog.get_logger().bind(table=config.name)
        self.committed: TableState = recover(journal, config.name)
        check_shadow(self.committed, config)
        setup = table_setup(config, clock_speed)
        check_rules(self.committed, setup)
        self._table = Table(setup, self.committed, boot)
        self._waiting: deque[tuple[Decision, TableState]] = deque()
        self._retry: asyncio.TimerHandle | None = None
        self._tried_at_s = 0.0
        self._snapshot_at = self.committed.sequence
        self.tally = Tally()
        self.commits = Histogram(COMMIT_S)
        self.taken_up = False
        self.stalled: str | None = None
        self.held: HeldBody | None = None
        self.look: Callable[[], None] = _nothing
        """Called before anybody lets the table do anything: what is known only where files lie is told as readings."""
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def start(self) -> None:
        """Take the table up: the first event of this run. Raises ``JournalError`` when not even that can be written."""
        if self._table.first_card_begins_a_hand:
            detail = "the first card that is read is taken for the first of a hand: deal none of an older hand now"
            self._log.warning("first_card_begins_a_hand", detail=detail)
        decision = self._table.start(self._clock.now())
        self._commit(decision, self._table.state)
        self.taken_up = True

    def readings(self, device: str, readings: tuple[Reading, ...], at: Instant) -> None:
        """Readings of one device, in order."""
        self._take(self._table.readings(device, readings, at))

    def tick(self) -> None:
        """Look whether a time has run out."""
        deadline_ns, at = self._table.deadline_ns(), self._clock.now()
        if deadline_ns is not None and at.mono_ns >= deadline_ns:
            self._take(self._table.tick(at))

    def expired(self, data: EventsExpired) -> None:
        """Events of this table are no longer kept. Does nothing while decisions wait for the disk."""
        if not self._waiting:
            self._take(self._table.expired(data, self._clock.now()))

    @property
    def alerts(self) -> Mapping[str, StandingAlert]:
        """What needs a person, what still waits for the disk included: it may be the disk that does."""
        return self._table.state.alerts

    def alert(self, changes: Sequence[AlertRaised | AlertCleared]) -> None:
        """Something needs a person, or does no more: committed as soon as the disk takes it."""
        if changes:
            self._take(self._table.alerts(changes, self._clock.now()))

    def reconfigure(self, config: TableConfig) -> None:
        """Go by another ``tries_before_pause``, from the next round on; the event says when that is."""
        self.config = config
        self._take(self._table.reconfigure(config.tries_before_pause, config.config_hash, self._clock.now()))

    def hold(self, held: HeldBody | None) -> None:
        """The station may not speak for this table, or may again. What only a person ends makes the table stand: it
        opens no round, and what is under way does not count."""
        self.held = held
        if held is not None and held.reason in STANDS_FOR:
            self._take(self._table.hold(held.reason, held.detail, self._clock.now()))

    def lend(self, device: str, by: str, *, wished: bool = False) -> None:
        """A technician's bench takes the device: committed when this returns. ``wished``: it is the one that waits for
        it. Raises ``Refusal``."""
        if self._waiting:
            raise Refusal(ErrorCode.UNAVAILABLE, f"nothing can be written at the moment: {self.stalled}")
        self._take(self._table.lend(device, by, self._clock.now(), wished=wished))
        if self._waiting:
            # It may be committed later, with nobody there to have the device: that is undone behind it.
            self.take_back(device, "bench_gone")
            raise Refusal(ErrorCode.UNAVAILABLE, f"it could not be written: {self.stalled}")

    def wish(self, device: str, by: str) -> None:
        """A bench waits for the device: it is lent when the round is over. Raises ``Refusal`` where another has it, or
        waits: so nobody else can have it after that."""
        check_unlent(self._table.state, device)
        check_unwished(self._table.wishes, device)
        self._table.wishes[device] = by

    def unwish(self, device: str) -> None:
        """The bench waits no more. What was lent to it meanwhile is taken back."""
        if self._table.wishes.pop(device, None) is None:
            self.take_back(device, "bench_gone")

    def take_back(self, device: str, reason: str, *, resume: bool = False) -> None:
        """The bench has the device no more; committed as soon as the disk takes it. No bench lets a table go on for
        which the station may not speak."""
        resume = resume and self.held is None
        self.look()
        self._take(self._table.take_back(device, reason, self._clock.now(), resume=resume))

    def command(self, command: Command) -> Reply:
        """Answer a command once; the same id again gets the same reply.

        A journal that cannot be read now, or is not what it was, is said; the latter ends the station (``failed``).
        """
        try:
            return self._answer(command)
        except JournalUnavailable as error:
            return _unavailable(command, str(error))
        except JournalError as error:
            self._fail(error)
            return _unavailable(command, f"the station stops: {error}")

    def _answer(self, command: Command) -> Reply:
        if self.held is not None:
            return _unavailable(command, f"the station is held: {self.held.reason}: {self.held.detail}")
        if self._waiting:
            return _unavailable(command, f"nothing can be written at the moment: {self.stalled}")
        earlier = self._journal.reply_to(self.config.name, command.client, command.id)
        if earlier is not None:
            if earlier.digest == command.digest():
                return earlier.reply
            message = f"the id {command.id} was used before for another command"
            return Reply(command=command.id, ok=False, error=ErrorCode.ID_REUSED, message=message)
        refusal = self._stale(command) or self._not_kept(command)
        if refusal is not None:
            return refusal
        self.tick()  # what time has decided by now comes before what is said now
        self.look()
        decision = self._table.command(command, self._clock.now(), self._event_at)
        assert decision.command is not None
        reply = decision.command.reply
        self._log.info(
            "command",
            command=command.id,
            name=str(command.name),
            client=command.client,
            by=command.by,
            role=str(command.role),
            state="done" if reply.ok else "refused",
            detail=reply.message,
        )
        self._take(decision)
        if self._waiting:
            return _unavailable(command, f"the command waits for the disk: {self.stalled}")
        return reply

    def _stale(self, command: Command) -> Reply | None:
        """The refusal of a command that a broker kept, or that somebody recorded and sends again.

        Only where the station asks for a time. One that was answered before keeps its answer.
        """
        if not self.command_max_age_s:
            return None
        if command.sent_ns is None:
            message = "it does not say when it was sent: give it a `time`, RFC 3339"
        else:
            now = self._clock.now()
            off_s = abs(now.wall_ns - command.sent_ns) / NS_PER_S
            if off_s <= self.command_max_age_s:
                behind = clock_is_behind(self.committed, command, now, self.command_max_age_s)
                return None if behind is None else _refused(command, ErrorCode.NOT_NOW, behind)
            message = (
                f"its time is {off_s:.1f} s from the station's and at most {self.command_max_age_s:g} s are allowed: "
                "if it is still meant, send it again with the time of now; is it new, set both clocks (NTP)"
            )
        return _refused(command, ErrorCode.EXPIRED, message)

    def _event_at(self, sequence: int) -> Event | None:
        """An earlier event that servers can have from this journal: what a person gave up is none of them."""
        table = self.config.name
        return None if sequence < self._journal.given_up(table) else self._journal.event_at(table, sequence)

    def _not_kept(self, command: Command) -> Reply | None:
        """The refusal of a resend from before what retention left."""
        wanted, first = command.args.get("from"), self._journal.first_sequence(self.config.name)
        if command.name is not CommandName.EVENTS_RESEND or not isinstance(wanted, int) or not 1 <= wanted < first:
            return None
        message = (
            f'events before {first} are no longer kept: ask "from" {first}, and see to what you missed by the records '
            "of the game servers"
        )
        return Reply(command=command.id, ok=False, error=ErrorCode.BAD_ARGUMENT, message=message)

    def state_message(self, consumers: Mapping[str, ConsumerBody]) -> dict[str, Any]:
        """The retained message of what the table is doing, and how its ``consumers`` are."""
        now = self._clock.now()
        return state_message(self.committed, self.config.game, self._boot, now, self.stalled, consumers, self.held)

    def stop(self) -> bool:
        """Make a last try at what waits. Says whether all was committed."""
        if self._retry is not None:
            self._retry.cancel()
        if not self.failed.done():
            self._drain()
        if self._retry is not None:
            self._retry.cancel()
        return not self._waiting

    def _take(self, decision: Decision) -> None:
        if not decision.events and decision.command is None:
            self._perform(decision)
            return
        self._waiting.append((decision, self._table.state))
        if self._retry is None:
            self._drain()
        if len(self._waiting) > MOST_WAITING and not self.failed.done():
            self.failed.set_exception(JournalUnavailable(f"table {self.config.name}: {self.stalled}"))

    @property
    def untried_s(self) -> float | None:
        """Seconds of real time since the journal was tried, while decisions wait for it."""
        return asyncio.get_running_loop().time() - self._tried_at_s if self._waiting else None

    def _drain(self) -> None:
        self._retry = None
        self._tried_at_s = asyncio.get_running_loop().time()
        try:
            while self._waiting:
                self._commit(*self._waiting[0])
                self._waiting.popleft()
        except JournalUnavailable as error:
            if self.stalled is None:
                self._log.error("journal_unavailable", detail=str(error))
            self.stalled = str(error)
            self._retry = asyncio.get_running_loop().call_later(RETRY_S, self._retry_now)
            self._changed()
            return
        except JournalError as error:
            self._fail(error)
            raise
        if self.stalled is not None:
            self.stalled = None
            self._log.info("journal_available")
            self._changed()

    def _retry_now(self) -> None:
        # Nobody above would hear it; ``failed`` has it.
        with contextlib.suppress(JournalError):
            self._drain()

    def _fail(self, error: JournalError) -> None:
        """The journal is not what it was, so the station must end: whoever called may not be one who ends it."""
        self.stalled = str(error)
        if not self.failed.done():
            self._log.error("journal_failed", detail=str(error))
            self.failed.set_exception(error)

    def _commit(self, decision: Decision, after: TableState) -> None:
        keep = after.sequence - self._snapshot_at >= SNAPSHOT_EVERY
        snapshots = [snapshot_of(after)] if keep else []
        began_s = time.perf_counter()
        self._journal.commit(decision.events, decision.evidence, decision.command, snapshots)
        self.commits.observe(time.perf_counter() - began_s)
        if keep:
            self._snapshot_at = after.sequence
        self.committed = after
        for event in decision.events:
            self.tally.count(event)
            self._say(event.data, event.subject, event.sequence)
        self._perform(decision)
        if decision.events:
            self._changed()

    def _perform(self, decision: Decision) -> None:
        for device, action in decision.actions:
            if self.config.shadow and action is not DeviceAction.LOOK:
                continue  # the table's devices do what the other system asks of them
            self._act(device, action)

    def _say(self, data: EventData, subject: str | None, sequence: int) -> None:
        fields: dict[str, Any] = {"event_type": data.type, "sequence": sequence}
        if subject is not None:
            fields["round"] = subject
        for name in ("code", "about", "reason", "remedy", "attempt", "by", "device", "fault", "detail"):
            value = getattr(data, name, None)
            if value not in (None, ""):
                fields[name] = value
        if isinstance(data, AlertRaised):
            fields["file"] = data.runbook
        self._level(data)("event", **fields)

    def _level(self, data: EventData) -> Callable[..., object]:
        if isinstance(data, AlertRaised) and data.severity == "error":
            said: Callable[..., object] = self._log.error
        else:
            said = self._log.warning if isinstance(data, _WARNINGS) else self._log.info
        return said


def _nothing() -> None:
    pass


def _unavailable(command: Command, message: str) -> Reply:
    return _refused(command, ErrorCode.UNAVAILABLE, message)


def _refused(command: Command, error: ErrorCode, message: str) -> Reply:
    return Reply(command=command.id, ok=False, error=error, message=message)
