"""What a judge's signals mean for the round in play, under the rules of ``games.md`` §2.

Rounds of ``source = "device"`` are opened and closed by the device's own beginning; a held attempt that nobody
decided is voided when the device begins the next one, because nothing can make a wheel wait for a person.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dealer_daemon.commands import Command, CommandName
from dealer_daemon.events import (
    AttemptHeld,
    AttemptStarted,
    AttemptUnconfirmed,
    AttemptWithdrawn,
    BettingClosed,
    Event,
    Facts,
    RoundOpened,
    RoundVoided,
    TablePaused,
    Violation,
)
from dealer_daemon.games.game import StartRule
from dealer_daemon.round import OpenRound
from dealer_daemon.table.common import STATION, WITHHELD, Rules, emit_outcome, next_round_id, refuse, trouble
from dealer_daemon.table.entries import allow_entry
from dealer_daemon.table.judges import Judges
from dealer_daemon.table.turn import FrameLog, Turn
from dealer_daemon.validation.signals import (
    Ask,
    BettingOver,
    Contradicted,
    Judged,
    NeedsConfirmation,
    NotJudged,
    Ready,
    Signal,
    Started,
    Trouble,
    Unseen,
    Value,
    Withdrawn,
)
from dealer_daemon.validation.witness import WitnessedJudge
from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.driver import DeviceAction
from dealer_drivers.readings import Reading
from dealer_drivers.readings.entry import ResultEntered


class AttemptPlay:
    """Turns signals into events. Holds no state of its own but the newest attempt counter of the device."""

    def __init__(self, rules: Rules, judges: Judges, frames: FrameLog, starts: StartRule) -> None:
        self.rules = rules
        self._starts = starts
        self.judge = judges.main
        self._device = judges.device
        self._fallbacks = judges.fallbacks
        self.frames = frames
        self.token: int | None = None
        self._outside = False
        """The attempt under way began while no round was open, or the round was by hand: it may end in the next."""
        self._ended = False
        """The end of the newest attempt was said and the device has not been ready since: what is seen of an attempt
        whose beginning was not may be the rest of that one."""
        self._used: str | None = None
        """The round in which the newest result that the devices gave became the outcome, or waits for the dealer: what
        they take back is that."""

    def reading(self, turn: Turn, device: str, reading: Reading) -> None:
        """One reading, in order."""
        if isinstance(reading, ResultEntered) and not self._entry_fits(turn, device, reading):
            return
        judge = self._fallbacks.get(device, self.judge)
        by_hand = self._by_hand(turn)
        for signal in judge.feed(device, reading):
            if judge is self.judge:
                self._overrun(turn, signal, by_hand)
            if judge is not self.judge or not by_hand or isinstance(signal, Trouble):
                self._signal(turn, device, signal)
            elif isinstance(signal, Judged | NeedsConfirmation):
                self._used = None
        if judge is not self.judge:
            self._used = None  # the outcome is by hand, whatever the sensor says next

    def tick(self, turn: Turn) -> None:
        """Time passed."""
        for signal in self.judge.tick(turn.at):
            by_hand = self._by_hand(turn)
            self._overrun(turn, signal, by_hand)
            if not by_hand or isinstance(signal, Trouble):
                self._signal(turn, self._device, signal)
            elif isinstance(signal, Judged | NeedsConfirmation):
                self._used = None

    def deadline_ns(self) -> int | None:
        """Monotonic time of the next ``tick`` that can matter."""
        return self.judge.deadline_ns()

    def underway(self) -> bool:
        """An attempt is running, whose frames are evidence."""
        return self.judge.underway()

    def started(self, turn: Turn) -> None:
        """The device has not said yet what it is doing."""
        current = turn.state.round
        self._ended = current is not None and current.phase in ("held", "unconfirmed")
        newest = turn.state.outcome if current is None else None
        if current is not None and current.phase == "unconfirmed":
            self._used = current.id
        elif newest is not None:
            self._used = newest.round  # as the judge was told
        self._due(turn)

    def discard(self) -> None:
        """What is under way does not count."""
        self.judge.discard()
        self._outside = False
        self.frames.clear()

    def seen(self, turn: Turn) -> Facts:
        """What a held or unconfirmed attempt showed."""
        return {} if turn.state.round is None else turn.state.round.seen

    def leaves_rest(self, turn: Turn) -> bool:  # noqa: ARG002
        """An attempt is one whole."""
        return False

    def resumed(self, turn: Turn) -> None:
        """As ``discard``. What ran through the end of a pause is told that it does not count."""
        if self.judge.underway() and not self._by_hand(turn):
            self._while_paused(turn, "an attempt was under way when the table went on; it does not count")
        self.discard()

    def voided(self, turn: Turn) -> None:
        """As ``discard``. An attempt that began while the table was paused was none of the round's."""
        before = turn.before.round
        of_round = before is None or before.phase == "running" or before.by_hand
        if self.judge.underway() and turn.before.paused is not None and not of_round:
            self._while_paused(turn, "an attempt was under way when the round was voided; it does not count")
        self.discard()

    def round_token(self) -> int | None:
        """The device's counter of the attempt that a round opened now would get. In mid-attempt it is that of one
        which does not belong to the round."""
        return self.token if self.judge.waiting() else None

    def go_on(self, turn: Turn) -> None:
        """The table may go on (resumed, voided): a device that waits opens the next round where that is its part."""
        if self.judge.waiting():
            self._ready(turn)
        self._due(turn)

    def opened(self, turn: Turn) -> dict[str, Any]:  # noqa: ARG002
        """There is no shoe."""
        return {}

    def betting_closed(self, turn: Turn) -> None:
        """Nothing was withheld: a result while betting is open never counts, nor does one that waits for its witnesses
        since then. An attempt may begin now."""
        current = turn.state.round
        waits = isinstance(self.judge, WitnessedJudge) and self.judge.decided
        if waits and turn.state.paused is None and current is not None and current.phase == "running":
            self._while_betting(turn)
            self.discard()
        self._due(turn)

    def order(self, turn: Turn, command: Command) -> dict[str, Any] | None:
        """Results by hand, for a round whose device is in doubt."""
        if command.name is not CommandName.ENTRY_ALLOW:
            return None
        result = allow_entry(self, turn, command)
        self._betting_over(turn)  # the device that would close it has no say any more
        return result

    @property
    def has_fallback(self) -> bool:
        """Whether a result may be keyed in where the manager allows it."""
        return bool(self._fallbacks)

    def _by_hand(self, turn: Turn) -> bool:
        """The manager lets the result be keyed in: the sensor that is in doubt has no say, and begins nothing."""
        return turn.state.round is not None and turn.state.round.by_hand

    def _entry_fits(self, turn: Turn, device: str, reading: ResultEntered) -> bool:
        """It was entered for the round that is open, and may count for it."""
        current = turn.state.round
        open_one = None if current is None else current.id
        if reading.round != open_one:
            reason = "entry_for_another_round"
            detail = f"the result was entered for {reading.round or 'no round'}, and open is {open_one or 'none'}"
        elif device in self._fallbacks and (current is None or not current.by_hand):
            reason = "entry_not_allowed"
            detail = "a result was keyed in, and the service manager has not allowed it for this round"
        elif current is not None and current.betting == "open":
            reason = "number_while_betting"
            detail = "a result was keyed in while betting was open; it does not count"
        else:
            return True
        # Who knows how an entry is written could try every result until the hash fits: it is never named.
        turn.emit(Violation(reason=reason, detail=detail, evidence=[], kept=turn.evidence_of_newest(device)))
        if reason == "number_while_betting" and turn.state.paused is None:
            turn.emit(TablePaused(reason="violation", by=STATION, detail=detail))
        return False

    def correction(
        self,
        turn: Turn,  # noqa: ARG002
        command: Command,  # noqa: ARG002
        replaced: Event,  # noqa: ARG002
        event_at: Callable[[int], Event | None],  # noqa: ARG002
    ) -> dict[str, Any]:
        """The facts are all."""
        return {}

    def _overrun(self, turn: Turn, signal: Signal, by_hand: bool) -> None:
        """Says that an attempt ended in a round in which it did not begin: whoever spun may wait for its result."""
        current = turn.state.round
        match signal:
            case Started():
                self._outside = by_hand or (current is None and self.rules.round_source == "server")
            case Judged() | NotJudged() | NeedsConfirmation() if self._outside:
                self._outside = False
                if not by_hand and current is not None and current.phase == "waiting" and turn.state.paused is None:
                    detail = "an attempt that began before this round was opened ended in it; its result does not count"
                    # The frames may hold a number, and betting may be open.
                    turn.emit(Violation(reason="spin_without_round", detail=detail, evidence=[], kept=turn.evidence()))
            case _:
                pass

    def _signal(self, turn: Turn, device: str, signal: Signal) -> None:
        match signal:
            case Ready(token=token):
                self.token, self._ended = token, False
                self._ready(turn)
            case Started():
                self._ended = False
                self._started(turn)
            case BettingOver():
                self._betting_over(turn)
            case Judged(value=value):
                self._judged(turn, value)
            case NeedsConfirmation(value=value, detail=detail):
                self._unconfirmed(turn, value, detail)
            case NotJudged(verdict=verdict):
                self._not_judged(turn, device, verdict)
            case Unseen(token=token, verdict=verdict):
                self._unseen(turn, token, verdict)
            case Contradicted(reason=reason, detail=detail):
                self._contradicted(turn, reason, detail)
            case Withdrawn():
                self._withdrawn(turn, signal)
            case Trouble():
                trouble(turn, signal.device or device, signal)
            case Ask(device=asked, action=action):
                turn.ask(asked, action)

    def _ready(self, turn: Turn) -> None:
        """The device waits for an attempt: on a table without a server that opens the round."""
        self.frames.shorten()
        if self.rules.round_source == "device" and turn.state.round is None and turn.state.paused is None:
            self._open(turn)
        self._due(turn)

    def _open(self, turn: Turn) -> None:
        opened = RoundOpened(game=self.rules.game.name, source="device", spin=self.token)
        turn.emit(opened, subject=next_round_id(turn))

    def _started(self, turn: Turn) -> None:
        if turn.state.paused is not None:
            return
        current = turn.state.round
        if self.rules.round_source == "device":
            self._next_round(turn)
        elif current is None:
            detail = "an attempt began and no round is open; its result will not count"
            turn.emit(Violation(reason="spin_without_round", detail=detail, evidence=[]))
            return
        current = turn.state.round
        assert current is not None
        if current.phase in ("held", "unconfirmed"):
            detail = f"an attempt began while attempt {current.attempt} waits for a person; its result will not count"
            turn.emit(Violation(reason="spin_while_held", detail=detail, evidence=[]))
            self.judge.discard()
            return
        turn.emit(AttemptStarted(attempt=current.attempt))
        if self.rules.round_source == "server" and self._at_wrong_time(current):
            self.judge.discard()
            when = "after" if self._starts == "after_close" else "before"
            refusal = Refused(
                "launched_early" if when == "after" else "launched_late",
                self.rules.game.remedy,
                f"the table's rule is to start {when} betting closes",
            )
            self._refuse(turn, None, refusal)

    def _next_round(self, turn: Turn) -> None:
        """On a table without a server: an attempt has begun, and belongs to no round that waits for a person."""
        current = turn.state.round
        if current is not None and current.phase in ("held", "unconfirmed"):
            reason = "held_not_decided" if current.phase == "held" else "not_confirmed"
            turn.emit(RoundVoided(reason=reason, by=STATION, seen=current.seen))
        if turn.state.round is None:
            self._open(turn)

    def _due(self, turn: Turn) -> None:
        """Lets the judge begin an attempt where the round waits for one."""
        current = turn.state.round
        if turn.state.paused is not None or current is None or current.phase != "waiting" or current.by_hand:
            return
        if self.rules.round_source == "server" and self._at_wrong_time(current):
            return
        for signal in self.judge.due(turn.at):
            self._signal(turn, self._device, signal)

    def _at_wrong_time(self, current: OpenRound) -> bool:
        wanted = {"after_close": "closed", "before_close": "open"}.get(self._starts)
        return wanted is not None and current.betting != wanted

    def _betting_over(self, turn: Turn) -> None:
        current = turn.state.round
        if self.rules.round_source == "device" and current is not None and current.betting == "open":
            turn.emit(BettingClosed(game=self.rules.game.name, source="device"))

    def _counts(self, turn: Turn) -> bool:
        """The value belongs to the open round, now. If not, says so where somebody must know."""
        current = turn.state.round
        if turn.state.paused is not None:
            self._while_paused(turn, "an attempt ended while the table was paused; its result does not count")
            return False
        if current is None or current.phase != "running":
            return False
        if current.betting == "open":
            self._while_betting(turn)
            return False
        return True

    def _uses(self, turn: Turn) -> bool:
        """As ``_counts``; what the devices take back from now on is this, or nothing."""
        counts, current = self._counts(turn), turn.state.round
        self._used = current.id if counts and current is not None else None
        return counts

    def _while_paused(self, turn: Turn, detail: str) -> None:
        """Every attempt has an end that is said: whoever made this one would wait for its result."""
        self._ended = True
        current, evidence = turn.state.round, turn.evidence()
        # The frames may hold a number, and betting may be open.
        hidden = current is not None and current.betting == "open"
        shown, kept = ([], evidence) if hidden else (evidence, [])
        turn.emit(Violation(reason="spin_while_paused", detail=detail, evidence=shown, kept=kept))

    def _while_betting(self, turn: Turn) -> None:
        self._ended = True
        detail = "the device gave a result while betting was open; it does not count"
        turn.emit(Violation(reason="number_while_betting", detail=detail, evidence=[], kept=turn.evidence()))
        turn.emit(TablePaused(reason="violation", by=STATION, detail=detail))

    def _judged(self, turn: Turn, value: Value) -> None:
        self._ended = True
        if self._uses(turn):
            emit_outcome(
                turn, self.rules.game.name, value.facts, value.source, value.by, list(value.witnesses), turn.evidence()
            )
        self.frames.clear()

    def _unconfirmed(self, turn: Turn, value: Value, detail: str) -> None:
        current = turn.state.round
        if self._uses(turn) and current is not None:
            turn.emit(
                AttemptUnconfirmed(
                    attempt=current.attempt,
                    facts=dict(value.facts),
                    detail=detail,
                    evidence=turn.evidence(),
                    witnesses=list(value.witnesses),
                )
            )
        self.frames.clear()

    def _not_judged(self, turn: Turn, device: str, verdict: Refused | Held) -> None:
        self._used = None
        current = turn.state.round
        if turn.state.paused is not None:
            self._while_paused(turn, "an attempt ended while the table was paused; it does not count")
        elif current is not None and current.phase == "running":
            if isinstance(verdict, Refused):
                self._refuse(turn, device, verdict)
            else:
                self._hold(turn, verdict)
        self.frames.clear()

    def _unseen(self, turn: Turn, token: int | None, verdict: Held) -> None:
        current, outcome = turn.state.round, turn.state.outcome
        of_round = None if current is None else current.token
        if outcome is not None and token is not None and outcome.token == token and of_round != token:
            return  # the device still shows the result of the round before
        undecided = current is not None and current.phase in ("held", "unconfirmed")
        if self._ended and (undecided or turn.state.paused is not None):
            return  # as far as anybody knows the attempt whose end was said
        if turn.state.paused is not None:
            self._while_paused(turn, f"an attempt while the table was paused does not count: {verdict.detail}")
        elif self.rules.round_source == "server" and (current is None or undecided):
            reason = "spin_while_held" if undecided else "spin_without_round"
            turn.emit(Violation(reason=reason, detail=f"an attempt that does not count: {verdict.detail}", evidence=[]))
            self._ended = True
        elif current is not None:
            if undecided:
                self._next_round(turn)
            current = turn.state.round
            assert current is not None
            if current.phase == "waiting":
                turn.emit(AttemptStarted(attempt=current.attempt))
            self._hold(turn, verdict)
        self.frames.clear()

    def _contradicted(self, turn: Turn, reason: str, detail: str) -> None:
        current = turn.state.round
        if current is not None and current.phase == "unconfirmed":
            self._hold(turn, Held(reason, detail, current.seen))
        elif turn.state.outcome is not None and turn.state.outcome.round == self._used:
            # Of an attempt that did not count nothing more is said: it would be charged to the round before.
            turn.emit(Violation(reason="number_changed_after_outcome", detail=detail, evidence=turn.evidence()))
            if turn.state.paused is None:
                turn.emit(TablePaused(reason="violation", by=STATION, detail=detail))
        self.frames.clear()

    def _withdrawn(self, turn: Turn, signal: Withdrawn) -> None:
        current = turn.state.round
        if current is None or current.phase != "unconfirmed":
            return
        if signal.held is None:
            turn.emit(AttemptWithdrawn(attempt=current.attempt, detail=signal.detail))
        else:
            self._hold(turn, signal.held)

    def _hold(self, turn: Turn, verdict: Held) -> None:
        self._ended = True
        # Where the device closes betting nobody else will: a spin that waits for a person is past its bets.
        self._betting_over(turn)
        current = turn.state.round
        assert current is not None
        # What a witness said is in ``seen``, and only there and in the sentence about it.
        withheld = current.betting == "open" and bool(verdict.seen)
        evidence = turn.evidence()
        turn.emit(
            AttemptHeld(
                reason=verdict.reason,
                attempt=current.attempt,
                detail=WITHHELD if withheld else verdict.detail,
                seen={} if withheld else dict(verdict.seen),
                evidence=[] if withheld else evidence,
                # The hash of frames that hold one of 37 numbers tells which to whoever tries them all.
                kept=evidence if withheld else [],
            )
        )

    def _refuse(self, turn: Turn, device: str | None, verdict: Refused) -> None:
        self._ended = True
        current = turn.state.round
        assert current is not None
        refuse(turn, current, verdict, turn.evidence(), self.rules.tries_before_pause)
        if device is not None:
            turn.ask(device, DeviceAction.ACKNOWLEDGE_VOID)
        self._due(turn)
