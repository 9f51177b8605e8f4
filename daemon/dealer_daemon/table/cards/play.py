"""Playing card by card, under the rules of ``games.md`` §2 and §3.

The procedure says which position is due; validation says whether a card may lie there; here it becomes events. No
state is kept but what can be asked of the shoe anew: whether its own result is awaited, and the last foreign code.
"""

from __future__ import annotations

from typing import Any

from dealer_daemon.commands import Command
from dealer_daemon.events import (
    AttemptHeld,
    BettingClosed,
    CardDrawn,
    CardRepeated,
    CardWithheld,
    GateWaiting,
    HandSkipped,
    RoundOpened,
    RoundVoided,
    TablePaused,
    Violation,
)
from dealer_daemon.games.cards.procedure import CardDue, Complete, Early, ExpectDue, GateDue, Procedure
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.state import OpenRound
from dealer_daemon.table.cards import orders, shoes
from dealer_daemon.table.cards.hand import due, history_of, known, lying, to_reveal
from dealer_daemon.table.common import STATION, Rules, emit_outcome, next_round_id, refuse, trouble
from dealer_daemon.table.turn import FrameLog, Turn
from dealer_daemon.validation.card import (
    Again,
    Alarm,
    CardReason,
    Doubt,
    Fresh,
    Lies,
    Rescan,
    hinted_position,
    judge_again,
    judge_card,
    judge_unread,
)
from dealer_daemon.validation.signals import Trouble
from dealer_daemon.verdicts import Refused, Remedy
from dealer_drivers.instant import NS_PER_S
from dealer_drivers.readings import Reading
from dealer_drivers.shoe.readings import (
    CardAnnouncedAgain,
    CardForeign,
    CardOutsideGame,
    CardRead,
    CardUnreadable,
    CutCard,
    ShoeError,
    ShoeResult,
    ShoeStarted,
    ShoeWinner,
)


class CardPlay:
    """See the module. ``gives_result``: the shoe tells its own result of a hand, and an outcome waits for it."""

    def __init__(
        self, rules: Rules, procedure: Procedure, shoe: ShoeRules, frames: FrameLog, *, gives_result: bool
    ) -> None:
        self.rules = rules
        self.procedure = procedure
        self.shoe = shoe
        self.frames = frames
        self._gives_result = gives_result and shoe.result_wait_s > 0
        self._result: ShoeResult | None = None
        self._result_by_ns: int | None = None
        self._foreign: str | None = None
        self._last: Lies | None = None
        self._skipping = False

    # -- what the table asks ------------------------------------------------------------------------------

    def reading(self, turn: Turn, device: str, reading: Reading) -> None:
        """One reading, in order."""
        match reading:
            case CardUnreadable() | CardForeign():
                self._unread(turn, reading)
            case CardRead():
                self._card(turn, reading)
            case CutCard():
                shoes.cut_card(turn)
            case ShoeStarted():
                self._shoe_started(turn)
            case ShoeResult():
                self._shoe_result(turn, reading)
            case ShoeError():
                fault = f"shoe_{reading.problem}"
                trouble(turn, device, Trouble(fault, "the shoe reports it: put it right at the shoe", reading.cleared))
            case CardAnnouncedAgain():
                turn.emit(CardRepeated(reason=str(CardReason.ANNOUNCED_AGAIN), card=reading.card))
            case CardOutsideGame():
                detail = f"a card left the shoe while it was not in a game ({reading.cause})"
                self._violation(turn, CardReason.CARD_OUTSIDE_GAME, detail)
            case _:
                pass

    def tick(self, turn: Turn) -> None:
        """The shoe's own result did not come: the cards alone decide."""
        if self._result_by_ns is not None and turn.at.mono_ns >= self._result_by_ns:
            self._result_by_ns = None
            self.advance(turn, waited=True)

    def deadline_ns(self) -> int | None:
        """When the shoe's result is no longer waited for."""
        return self._result_by_ns

    def underway(self) -> bool:
        """Frames are evidence from one card to the next; they are cleared when it lies."""
        return False

    def discard(self) -> None:
        """The hand does not count: whatever was awaited for it is not."""
        self._result, self._result_by_ns, self._foreign = None, None, None
        self.frames.clear()

    def round_token(self) -> int | None:
        """Shoes do not count rounds."""
        return None

    def go_on(self, turn: Turn) -> None:
        """The table may go on: a hand that is complete ends, a gate that is reached is said."""
        if turn.state.round is not None and turn.state.paused is None:
            self.advance(turn)

    def betting_closed(self, turn: Turn) -> None:
        """What was withheld for it may be known, and a hand that is complete ends."""
        self.advance(turn)

    def order(self, turn: Turn, command: Command) -> dict[str, Any] | None:
        """Gates, the server's word on the next card, corrections and shoes."""
        return orders.carry_out(self, turn, command)

    def opened(self, turn: Turn) -> dict[str, Any]:
        """What a card round's opening says of its shoe; a shoe is begun where one may be. Raises ``NoShoe``."""
        return shoes.for_hand(turn, self.procedure, self.shoe)

    # -- cards ----------------------------------------------------------------------------------------------

    def _card(self, turn: Turn, reading: CardRead) -> None:
        self._foreign = None
        current = turn.state.round
        again = judge_again(reading, lying(current.steps) if current else (), self._last)
        if isinstance(again, Again):
            turn.emit(CardRepeated(reason=str(again.reason), card=reading.card))
            return
        if turn.state.paused is not None:
            self._record(turn, CardReason.CARD_WHILE_PAUSED, "a card was drawn while the table is paused")
            return
        if current is None and (hinted_position(reading) == "burn" or shoes.burns_left(turn.state, self.shoe)):
            self._burn(turn, reading)
            return
        if self._joined_in_mid_hand(turn, reading) or not self._has_round(turn, reading):
            return
        current = turn.state.round
        assert current is not None
        if current.phase == "held":
            self._record(turn, CardReason.CARD_WHILE_HELD, "a card was drawn while the hand waits for a person")
        elif isinstance(again, Doubt):
            self._hold(turn, again.reason, again.detail)
        else:
            self._on_due(turn, current, reading)

    def _on_due(self, turn: Turn, current: OpenRound, reading: CardRead) -> None:
        wanted = due(self.procedure, current.steps)
        match wanted:
            case GateDue(gate=gate):
                self._violation(turn, CardReason.CARD_BEFORE_GATE, f"no card is due before the server opens {gate}")
            case ExpectDue():
                self._violation(turn, CardReason.CARD_NOT_EXPECTED, "the server has not said whose card is next")
            case Complete():
                self._violation(turn, CardReason.CARD_NOT_DUE, "the hand is complete and no card is due")
            case CardDue() if current.betting == "open" and wanted.early is Early.FORBID:
                detail = f"the card for {wanted.position} was drawn while betting is open"
                self._violation(turn, CardReason.CARD_WHILE_BETTING, detail)
            case CardDue():
                self._lay(turn, current, wanted, reading)

    def _lay(self, turn: Turn, current: OpenRound, wanted: CardDue, reading: CardRead) -> None:
        drawn, units, decks = shoes.composition(turn.state, current, self.procedure, self.shoe)
        match judge_card(reading, wanted.position, drawn, units, decks):
            case Alarm(reason=reason, detail=detail):
                self._alarm(turn, reason, detail)
            case Doubt(reason=reason, detail=detail):
                self._hold(turn, reason, detail)
            case Fresh(card=card, unit=unit):
                opened = {step.gate for step in current.steps if step.gate is not None}
                early = current.betting == "open" and wanted.early is Early.WITHHOLD
                gated = wanted.reveal_gate is not None and wanted.reveal_gate not in opened
                if early or gated:
                    turn.evidence()  # committed now, named when the card may be known: a hash of one card is a hint
                    turn.emit(CardWithheld(position=wanted.position, card=card, unit=unit))
                else:
                    turn.emit(CardDrawn(card=card, position=wanted.position, unit=unit, evidence=turn.evidence()))
                    self.frames.clear()
                self._last = Lies(wanted.position, card, unit)
                self.advance(turn)

    def advance(self, turn: Turn, *, waited: bool = False) -> None:
        """Make known what may be, say which gate waits, and end the hand when it is complete."""
        current = turn.state.round
        if current is None or current.phase == "held":
            return
        if current.betting == "closed":
            for step in to_reveal(self.procedure, current.steps):
                assert step.card is not None
                assert step.position is not None
                turn.emit(CardDrawn(card=step.card, position=step.position, unit=step.unit, evidence=turn.evidence()))
        current = turn.state.round
        assert current is not None
        wanted = due(self.procedure, current.steps)
        if isinstance(wanted, GateDue) and current.gate != wanted.gate:
            turn.emit(GateWaiting(gate=wanted.gate, seen=known(self.procedure, current.steps)))
        if isinstance(wanted, Complete) and current.betting == "closed":
            self._complete(turn, current, waited=waited)

    def _complete(self, turn: Turn, current: OpenRound, *, waited: bool) -> None:
        facts = self.procedure.facts(history_of(current.steps))
        witnesses = ["cards"]
        if self._gives_result:
            if self._result is None and not waited:
                if self._result_by_ns is None:
                    self._result_by_ns = turn.at.mono_ns + round(self.shoe.result_wait_s * NS_PER_S)
                return
            if self._result is not None:
                if not _agrees(self._result, facts):
                    self._disagrees(turn, self._result)
                    return
                witnesses.append("shoe_result")
        self._result, self._result_by_ns = None, None
        evidence = [name for step in current.steps for name in step.evidence] + turn.evidence()
        last_hand = turn.state.shoe is not None and turn.state.shoe.cut_card
        emit_outcome(turn, self.rules.game.name, facts, "device", None, witnesses, evidence, last_hand=last_hand)
        self.frames.clear()
        shoes.after_hand(turn, self.procedure)

    # -- rounds ---------------------------------------------------------------------------------------------

    def _has_round(self, turn: Turn, reading: CardRead) -> bool:
        current = turn.state.round
        fresh = hinted_position(reading) in (None, "player.1")
        if current is not None and current.phase == "held" and self.rules.round_source == "device":
            if hinted_position(reading) != "player.1":
                return True
            turn.emit(RoundVoided(reason="held_not_decided", by=STATION, seen=known(self.procedure, current.steps)))
            self.discard()
        if turn.state.round is not None:
            return True
        if self.rules.round_source == "server" or not fresh:
            self._violation(turn, CardReason.CARD_BETWEEN_ROUNDS, "a card was drawn and no round is open")
            return False
        try:
            shoe = self.opened(turn)
        except shoes.NoShoe as error:
            self._violation(turn, CardReason.SHOE_NOT_VERIFIED, str(error))
            return False
        turn.emit(
            RoundOpened(game=self.rules.game.name, source="device", **shoe),
            subject=next_round_id(turn),
        )
        turn.emit(BettingClosed(game=self.rules.game.name, source="device", **shoe))
        return True

    def _joined_in_mid_hand(self, turn: Turn, reading: CardRead) -> bool:
        """A shoe that names its positions shows when the station came in the middle of a hand: it is skipped."""
        hinted = hinted_position(reading)
        if hinted is None or turn.state.round is not None or self.rules.round_source == "server":
            return False
        if hinted == "player.1":
            self._skipping = False
            return False
        fresh_shoe_hand = turn.state.outcome is not None and not self._skipping and self._last is not None
        if fresh_shoe_hand:
            return False  # a hand ended here and a card too many follows it: that is a violation
        if not self._skipping:
            self._skipping = True
            detail = f"the first card seen was the one for {hinted}: this hand gives no result, the next one does"
            turn.emit(HandSkipped(reason="joined_mid_hand", detail=detail))
        return True

    # -- what else the reader says --------------------------------------------------------------------------

    def _burn(self, turn: Turn, reading: CardRead) -> None:
        if turn.state.shoe is None:
            try:
                self.opened(turn)
            except shoes.NoShoe as error:
                self._violation(turn, CardReason.SHOE_NOT_VERIFIED, str(error))
                return
        shoes.burn(turn, reading, turn.evidence())
        self.frames.clear()

    def _unread(self, turn: Turn, reading: CardUnreadable | CardForeign) -> None:
        current = turn.state.round
        if reading.repeated or turn.state.paused is not None:
            return
        if current is None or current.phase == "held" or not isinstance(due(self.procedure, current.steps), CardDue):
            return  # no card is due: nothing to scan again
        match judge_unread(reading, self._foreign):
            case Alarm(reason=reason, detail=detail):
                self._alarm(turn, reason, detail)
            case Rescan(reason=reason, detail=detail):
                self._foreign = reading.code if isinstance(reading, CardForeign) else None
                verdict = Refused(reason, Remedy.RESCAN, detail)
                wanted = due(self.procedure, current.steps)
                position = wanted.position if isinstance(wanted, CardDue) else None
                refuse(turn, current, verdict, turn.evidence(), self.rules.tries_before_pause, position)
                self.frames.clear()

    def _shoe_started(self, turn: Turn) -> None:
        """After a cut card this is a new shoe, once; alone it may be a power cut and changes nothing."""
        shoe = turn.state.shoe
        if shoe is not None and shoe.cut_card and turn.state.round is None:
            shoes.end(turn, "shoe_restarted", STATION)

    def _shoe_result(self, turn: Turn, reading: ShoeResult) -> None:
        current = turn.state.round
        if current is not None and current.phase != "held" and current.steps:
            if reading.winner is ShoeWinner.FORCE_QUIT:
                self._hold(turn, CardReason.FORCE_QUIT, "somebody ended the hand at the shoe")
                return
            self._result, self._result_by_ns = reading, None
            if isinstance(due(self.procedure, current.steps), Complete):
                self.advance(turn)
            else:
                self._disagrees(turn, reading)
        elif (
            current is None
            and turn.state.outcome is not None
            and self._last is not None
            and not _agrees(reading, turn.state.outcome.facts)
        ):
            detail = f"after the outcome the shoe says {reading.winner}: look at the video"
            self._violation(turn, CardReason.SHOE_RESULT_DISAGREES, detail)

    def _disagrees(self, turn: Turn, reading: ShoeResult) -> None:
        self._result, self._result_by_ns = None, None
        detail = f"the shoe's own result is {reading.winner}, and the cards say otherwise"
        self._hold(turn, CardReason.SHOE_RESULT_DISAGREES, detail)

    # -- events that several of the above end in -------------------------------------------------------------

    def _hold(self, turn: Turn, reason: CardReason, detail: str) -> None:
        current = turn.state.round
        assert current is not None
        turn.emit(
            AttemptHeld(
                reason=str(reason),
                attempt=current.attempt,
                detail=detail,
                seen=known(self.procedure, current.steps),
                evidence=turn.evidence(),
            )
        )
        self.frames.clear()

    def _record(self, turn: Turn, reason: CardReason, detail: str) -> None:
        turn.emit(Violation(reason=str(reason), detail=detail, evidence=turn.evidence()))
        self.frames.clear()

    def _violation(self, turn: Turn, reason: CardReason, detail: str) -> None:
        self._record(turn, reason, detail)
        if turn.state.paused is None:
            turn.emit(TablePaused(reason="violation", by=STATION, detail=detail))

    def _alarm(self, turn: Turn, reason: CardReason, detail: str) -> None:
        self._record(turn, reason, detail)
        turn.emit(TablePaused(reason="integrity", by=STATION, detail=detail))


def _agrees(result: ShoeResult, facts: dict[str, Any]) -> bool:
    """The shoe's winner and pairs are those of the cards (baccarat shoes only give one)."""
    pairs = (facts["player"]["pair"] is not None, facts["banker"]["pair"] is not None)
    return str(result.winner) == facts["winner"] and (result.player_pair, result.banker_pair) == pairs
