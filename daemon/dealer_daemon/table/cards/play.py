"""Playing card by card, under the rules of ``games.md`` §2 and §3.

The procedure says which position is due; validation says whether a card may lie there (``passes.py``); here is what
follows: what may be known, which gate waits, and when the hand ends. The hand itself is folded from the journal, so a
restart at any point goes on from the same position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dealer_daemon.commands import Command
from dealer_daemon.events import CardDrawn, CardRepeated, Event, Facts, GateWaiting, ShoeResultHeard
from dealer_daemon.games.cards.game import keyed_in
from dealer_daemon.games.cards.procedure import CardDue, Complete, Due, GateDue, Procedure
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.games.game import TableDevice
from dealer_daemon.state import OpenRound, ShoeSaid, TableState
from dealer_daemon.table.cards import orders, shoes
from dealer_daemon.table.cards.bars import bar, must_not_tell
from dealer_daemon.table.cards.bursts import PASSES, SAME_CODE_S, Bursts
from dealer_daemon.table.cards.corrections import check_corrected, check_expects, of_hand, said_in
from dealer_daemon.table.cards.decks import NoShoe
from dealer_daemon.table.cards.hand import due, history_of, known, lying, to_reveal
from dealer_daemon.table.cards.incidents import RESCANS
from dealer_daemon.table.cards.passes import CardPasses
from dealer_daemon.table.cards.scans import DeckScans
from dealer_daemon.table.cards.shufflers import Shufflers
from dealer_daemon.table.cards.spoken import Meaning, Words
from dealer_daemon.table.cards.unseen import Standing, Unseen
from dealer_daemon.table.cards.wishes import Wishes
from dealer_daemon.table.cards.witness import Witness, agrees, said_by
from dealer_daemon.table.common import STATION, Rules, emit_outcome, pause, trouble
from dealer_daemon.table.turn import FrameLog, Turn
from dealer_daemon.validation.card import WHILE_BETTING, CardReason
from dealer_daemon.validation.signals import Trouble
from dealer_drivers.cards import CARDS_IN_DECK
from dealer_drivers.driver import Observes
from dealer_drivers.readings import DeviceFault, Reading
from dealer_drivers.readings.shoe import (
    CardAnnouncedAgain,
    CardForeign,
    CardOutsideGame,
    CardRead,
    CardUnreadable,
    CutCard,
    ShoeError,
    ShoeProblem,
    ShoeResult,
    ShoeStarted,
    ShoeWinner,
)

_RESULT_BEFORE_CARD = "the shoe gave its result of the hand and a card of it is missing"
_DEALT_WHILE_PAUSED = (
    "cards were drawn while the table stood, and lie nowhere yet: name them by the video, or void the round; refuse the"
    " attempt where the next card is the one that is due"
)


class CardPlay(CardPasses):
    """See the module. A shoe among ``devices`` that observes results names the places of its cards too."""

    def __init__(
        self,
        rules: Rules,
        procedure: Procedure,
        shoe: ShoeRules,
        frames: FrameLog,
        devices: Sequence[TableDevice],
        *,
        clock_speed: float = 1.0,
    ) -> None:
        gives_result = any(Observes.RESULT in device.observes for device in devices)
        super().__init__(rules, procedure, shoe, frames, names_places=gives_result)
        self._wishes = Wishes(devices, lock_when_paused=shoe.lock_when_paused)
        self._witness = Witness(shoe.result_wait_s if gives_result else 0)
        decks = shoes.decks_of(procedure, shoe)
        continuous = shoes.is_continuous(procedure, decks)
        self.shufflers = Shufflers(shoe, decks * CARDS_IN_DECK, devices, frames, continuous=continuous)
        self.scan = DeckScans(shoe, decks, frames)
        self._unseen = Unseen(names_places=gives_result, own_rounds=self._own_rounds)
        # A clock that runs faster than the station makes every reading late.
        self._bursts = Bursts() if clock_speed == 1 and not gives_result else None
        self._waits: CardRead | None = None
        """A card that looks like the newest, until what was held up with it would be here."""
        self._words = Words()
        self.counts_off = self._own_rounds and not gives_result
        """Nothing but the count of its cards tells where a hand begins."""

    # -- what the table asks --------------------------------------------------------------------------------

    def reading(self, turn: Turn, device: str, reading: Reading) -> None:
        """One reading, in order."""
        if self.shufflers.owns(device):
            self.shufflers.reading(turn, device, reading)
            return
        self.tick(turn)
        self._wishes.hear(device, anew=isinstance(reading, DeviceFault | ShoeStarted))
        if isinstance(reading, DeviceFault):
            self.followed = False  # cards may pass that nobody tells us of
        self._unseen.heard(turn, reading, self._standing(turn))
        if self._unseen.in_question:
            # A hand that is complete misses no card, and its own result may have passed: what comes may be another's.
            self.finish(turn)
            self.followed = False
        if self._came_alone(turn, reading):
            self._said(turn, device, reading)

    def _came_alone(self, turn: Turn, reading: Reading) -> bool:
        """Whether the reading is judged now, and not once it is known whether others come with it. Where some came
        together, cards may be missing among them, and a person says where the hand stands first."""
        waited, self._waits = self._waits, None
        if self._bursts is not None and isinstance(reading, PASSES) and not self.scan.underway:
            wait = self._bursts.must_wait(reading)
            if self._bursts.came_together(reading) and turn.state.paused is None:
                self._unseen.held_up(turn, self._standing(turn))
            elif wait and turn.state.paused is None and isinstance(reading, CardRead):
                self._waits = reading
        if waited is not None:
            self._said(turn, "", waited)
        return self._waits is None

    def _said(self, turn: Turn, device: str, reading: Reading) -> None:
        since = self._words.since(reading.at)
        if self.scan.underway:
            self.scan.reading(turn, reading, before=since is not None and since.scans)
            return
        if since is not None and since.scanning and isinstance(reading, PASSES):
            self.frames.clear()  # it was of a deck set, and the scan is over
            return
        match reading:
            case CardUnreadable() | CardForeign():
                self.unread(turn, reading, since)
            case CardRead():
                self.card(turn, reading, since)
            case CutCard(repeated=True):
                pass  # it lies before the scanner still: perhaps longer than its shoe is in play
            case CutCard() if since is not None and since.shoe_ended:
                pass  # it was of the shoe before
            case CutCard():
                shoes.cut_card(turn, self.procedure, self.shoe)
            case ShoeStarted():
                self._shoe_started(turn)
            case ShoeResult():
                self._shoe_result(turn, reading)
            case ShoeError():
                self._shoe_error(turn, device, reading)
            case CardAnnouncedAgain():
                self.take_evidence(turn)
                turn.emit(CardRepeated(reason=str(CardReason.ANNOUNCED_AGAIN), card=reading.card))
            case CardOutsideGame():
                detail = f"a card left the shoe while it was not in a game ({reading.cause})"
                self._violation(turn, CardReason.CARD_OUTSIDE_GAME, detail)
            case _:
                pass

    def tick(self, turn: Turn) -> None:
        """The shoe's own result did not come: the cards alone decide."""
        self.release(turn)
        until_ns = self._witness.until_ns
        if until_ns is not None and turn.at.mono_ns >= until_ns:
            self._witness.give_up()
            self.advance(turn)

    def release(self, turn: Turn) -> None:
        """A card that waited and came alone counts before anything newer is heard, whose frame is no evidence of it."""
        waited, until_ns = self._waits, self._waits_until_ns()
        if waited is not None and until_ns is not None and turn.at.mono_ns >= until_ns:
            self._waits = None
            self._said(turn, "", waited)

    def meaning(self, state: TableState) -> Meaning:
        """What a card is that is read now."""
        current, shoe = state.round, state.shoe
        opens = self._own_rounds or shoes.burns_left(state, self.shoe)
        why = bar(self.procedure, state, opens_by_card=opens)
        return Meaning(
            round=None if current is None else current.id,
            shoe=None if shoe is None else shoe.id,
            scanning=self.scan.underway,
            bar=why,
        )

    def spoken(self, turn: Turn, before: Meaning) -> None:
        """A word was carried out. A card that was read earlier, and waits or is on its way, is what it was
        ``before``."""
        self._words.spoken(turn.at, before, self.meaning(turn.state))

    def settle(self, turn: Turn) -> None:
        """After every step: what waited for the end of a round is done, and readers look for a card while one may come;
        a locked shoe gives none."""
        self.shufflers.settle(turn)
        self._unseen.settle(turn, self._standing(turn))
        self._wishes.ask(turn, due=self._looks(turn))

    def _looks(self, turn: Turn) -> bool:
        """Whether a card may come, so that readers are to look for one. Once a card of the round lies they go on
        looking to its end: one that comes too early is a violation (``games.md`` §3), and unread would move others."""
        current = turn.state.round
        if self.scan.underway:
            return True
        if turn.state.paused is not None or self._unseen.waits:
            return False
        if current is not None:
            return current.phase != "held" and (bool(lying(current.steps)) or self.card_due(current) is not None)
        if shoes.burns_left(turn.state, self.shoe):
            return True
        return self._own_rounds and isinstance(due(self.procedure, []), CardDue)

    def _standing(self, turn: Turn) -> Standing:
        """What a card would be that comes now; where a scanner opens rounds, one may come until the round ends."""
        current = turn.state.round
        takes = current is not None and current.phase != "held"
        counted_off = self._own_rounds and not self._names_places
        return Standing(
            takes_card=takes and current is not None and (counted_off or self.card_due(current) is not None),
            lies=current is not None and bool(lying(current.steps)),
            burns=shoes.burns_left(turn.state, self.shoe),
            scanning=self.scan.underway,
        )

    def deadline_ns(self) -> int | None:
        """When the shoe's result is no longer waited for, or a card has waited long enough."""
        times = (self._witness.until_ns, self._waits_until_ns())
        return min((time for time in times if time is not None), default=None)

    def _waits_until_ns(self) -> int | None:
        return None if self._waits is None else self._waits.at.plus_s(SAME_CODE_S).mono_ns

    def underway(self) -> bool:
        """Frames are evidence from one card to the next; they are cleared when it lies."""
        return False

    def started(self, turn: Turn) -> None:
        """A hand that is complete still has to end; all else waits for its next card."""
        self.shufflers.started(turn)
        self.scan.started(turn)
        self.advance(turn)
        self._unseen.started(turn, self._standing(turn))

    def discard(self) -> None:
        """The hand goes on where it stood; what passed in the meantime is recorded."""
        self._waits = None
        self.frames.clear()

    def resumed(self, turn: Turn) -> None:  # noqa: ARG002
        """As ``discard``."""
        self.discard()

    def seen(self, turn: Turn) -> Facts:
        """The facts so far without those of cards that are withheld."""
        current = turn.state.round
        return {} if current is None else known(self.procedure, current.steps)

    def leaves_rest(self, turn: Turn) -> bool:
        """Whether more cards of the open hand may pass once it is voided, and would be taken for the next hand's."""
        current, asked = turn.state.round, turn.before.paused == CardReason.UNSEEN_IN_HAND
        assert current is not None
        # The words of that pause ask for the cards to be taken away before it is ended.
        return self.rest_is_left(current) and not (asked and turn.before.paused_by == STATION)

    def voided(self, turn: Turn) -> None:
        """What was awaited for the hand is not; a shoe or deck that was used up by it ends."""
        self.give_up(turn)

    def give_up(self, turn: Turn) -> None:
        """A person ended the hand: nothing that waits is of the next one."""
        self._waits = None
        self.end_hand(turn)
        self.frames.clear()

    def decided(self, turn: Turn) -> None:
        """A person decided the whole hand."""
        self.give_up(turn)
        self._ask_for_rest(turn)

    def _ask_for_rest(self, turn: Turn) -> None:
        """As soon as the table stands for nothing else: a pause that stands already would swallow the question."""
        if turn.state.rest_left and turn.state.paused is None:
            self.wait_for_rest(turn)

    def round_token(self) -> int | None:
        """Shoes do not count rounds."""
        return None

    def go_on(self, turn: Turn) -> None:
        """The table may go on: a hand that is complete ends, a gate that is reached is said."""
        if turn.before.paused is not None and turn.state.paused is None:
            self._unseen.resumed(turn, self._standing(turn))
            if turn.state.round is None:
                self.answer_doubt()
            else:
                self.forget_answer()
        self._ask_for_rest(turn)
        self.advance(turn)

    def betting_closed(self, turn: Turn) -> None:
        """What was withheld for it may be known, and a hand that is complete ends."""
        self.advance(turn)

    def order(self, turn: Turn, command: Command) -> dict[str, Any] | None:
        """Gates, the server's word on the next card, corrections, held hands and shoes."""
        return orders.carry_out(self, turn, command)

    def correction(
        self, turn: Turn, command: Command, replaced: Event, event_at: Callable[[int], Event | None]
    ) -> dict[str, Any]:
        """Which card lies where now, and which did: the shoe's count is put right with it."""
        beside = of_hand(replaced, event_at, command.args["cards"])
        check_corrected(turn, self.procedure, beside)
        said = said_in(replaced, event_at)
        if said:
            decks = shoes.decks_of(self.procedure, self.shoe)
            check_expects(self.procedure, said, keyed_in(self.procedure, command.args, decks))
        return beside

    def opened(self, turn: Turn) -> dict[str, Any]:
        """What a round's opening says of its shoe; a shoe is begun where one may be. Raises ``NoShoe``."""
        if shoes.burns_left(turn.state, self.shoe):
            raise NoShoe("the burn cards of the new shoe come first: pass them over the reader")
        return shoes.for_hand(turn, self.procedure, self.shoe)

    # -- the hand goes on, and ends -------------------------------------------------------------------------

    def advance(self, turn: Turn) -> None:
        """Make known what may be, say which gate waits, and end the hand when it is complete."""
        current = turn.state.round
        if current is None or turn.state.paused is not None:
            return
        self._reveal(turn, current)
        current = turn.state.round
        assert current is not None
        if current.phase == "held":
            return
        wanted = due(self.procedure, current.steps)
        if isinstance(wanted, CardDue) and shoes.is_empty(turn.state, self.procedure):
            if must_not_tell(current, wanted):
                return  # that the hand needs one more follows from its cards: said once betting is closed
            detail = "every card of the shoe came out and the hand needs one more: change the shoe, or void the round"
            pause(turn, CardReason.SHOE_EMPTY, detail)
        elif current.betting == "closed":
            self._go_on(turn, current, wanted)

    def _reveal(self, turn: Turn, current: OpenRound) -> None:
        if current.betting == "open":
            return
        for step in to_reveal(self.procedure, current.steps):
            assert step.card is not None
            assert step.position is not None
            turn.emit(
                CardDrawn(
                    card=step.card,
                    position=step.position,
                    unit=step.unit,
                    evidence=step.evidence,
                    by=step.by,
                    reason=step.reason,
                )
            )

    def _go_on(self, turn: Turn, current: OpenRound, wanted: Due) -> None:
        if current.doubt is not None and not isinstance(wanted, GateDue):
            self.settle_doubt(turn, current, current.doubt)
            return
        if isinstance(wanted, GateDue) and current.gate != wanted.gate:
            turn.emit(GateWaiting(gate=wanted.gate, seen=known(self.procedure, current.steps)))
        if isinstance(wanted, Complete):
            self._complete(turn, current)
        elif isinstance(wanted, CardDue) and self._said_of(current) is not None:
            self._hold(turn, CardReason.CARD_SKIPPED, _RESULT_BEFORE_CARD)
        elif isinstance(wanted, CardDue) and current.drawn_while_paused and self._names_places:
            self._hold(turn, CardReason.CARD_SKIPPED, _DEALT_WHILE_PAUSED)

    def finish(self, turn: Turn) -> None:
        """End the hand if it is complete: the shoe gives no result of it any more."""
        current = turn.state.round
        if current is not None and isinstance(due(self.procedure, current.steps), Complete):
            self._witness.give_up()
            self.advance(turn)

    def _complete(self, turn: Turn, current: OpenRound) -> None:
        said, witnesses = self._said_of(current), ["cards"]
        if said is None and self._witness.missing(turn.at.mono_ns):
            return
        facts = self.procedure.facts(history_of(current.steps))
        if said is not None:
            if not agrees(said, facts):
                detail = f"the shoe's own result is {said.winner}, and the cards say otherwise"
                self._hold(turn, CardReason.SHOE_RESULT_DISAGREES, detail)
                return
            witnesses.append("shoe_result")
        named = next((step for step in reversed(current.steps) if step.by is not None), None)
        if named is not None:
            witnesses.append("manager")
        evidence = [name for step in current.steps for name in step.evidence]
        if said is not None:
            # Where nothing was said, the newest frame may be of the next card.
            evidence += self.take_evidence(turn) if current.shoe_said is None else said.evidence
        emit_outcome(
            turn,
            self.rules.game.name,
            facts,
            "device" if named is None else "manager",
            None if named is None else named.by,
            witnesses,
            evidence,
            None if named is None else named.reason,
            last_hand=shoes.is_last_hand(turn.state, current, self.procedure),
        )
        self.end_hand(turn)
        self.followed = turn.state.result_due

    def refused(self, turn: Turn) -> None:  # noqa: ARG002
        """A person said that the hand goes on with the card that is due, whatever the shoe says of it."""
        self._witness.reset()

    def end_hand(self, turn: Turn) -> None:
        """The open round ended, one way or the other."""
        self._witness.reset()
        self.followed, self._first_sequence, self.hand_ended = False, None, turn.at
        self._doubted = self._answered = None
        if lying(turn.state.previous):
            shoes.after_hand(turn, self.procedure)

    # -- what else the shoe says ----------------------------------------------------------------------------

    def _shoe_started(self, turn: Turn) -> None:
        """After a cut card this is a new shoe, once; between hands it may be a power cut and changes nothing.

        In the middle of a hand the shoe counts places anew: its next cards could pass for others. Only a person knows.
        """
        current = turn.state.round
        if current is not None and lying(current.steps):
            detail = "the shoe was switched on again in the middle of the hand and counts from the first card"
            if current.phase != "held" or current.held_for != CardReason.SHOE_RESTARTED:
                self._hold(turn, CardReason.SHOE_RESTARTED, detail, current.doubt)
            pause(turn, "violation", detail)
            return
        shoe = turn.state.shoe
        if shoe is not None and shoe.cut_card and turn.state.round is None:
            shoes.end(turn, "shoe_restarted", STATION)

    def _shoe_result(self, turn: Turn, reading: ShoeResult) -> None:
        current = turn.state.round
        if current is not None and (lying(current.steps) or current.phase == "held"):
            if reading.winner is not ShoeWinner.FORCE_QUIT:
                self._hear_result(turn, current, reading)
            elif current.phase != "held":
                self._hold(turn, CardReason.FORCE_QUIT, "somebody ended the hand at the shoe")
            return
        outcome = turn.state.outcome
        if turn.state.result_due and outcome is not None and not agrees(said_by(reading, []), outcome.facts):
            detail = f"after the outcome the shoe says {reading.winner}: look at the video"
            self._violation(turn, CardReason.SHOE_RESULT_DISAGREES, detail)

    def _hear_result(self, turn: Turn, current: OpenRound, reading: ShoeResult) -> None:
        """A hand that it ends at once says it in its outcome; else it is kept until the cards are known. Where cards
        passed that lie nowhere, it may be the next hand's, so one of this hand stands."""
        complete = isinstance(due(self.procedure, current.steps), Complete)
        another = current.drawn_while_paused or current.drawn_while_held
        if another and (complete or self._said_of(current) is not None):
            return
        said = said_by(reading, [])
        ends = complete and current.phase != "held" and turn.state.paused is None and current.betting == "closed"
        if not ends or not agrees(said, self.procedure.facts(history_of(current.steps))):
            kept = turn.evidence()  # of a hold that follows too
            pairs = {"player_pair": said.player_pair, "banker_pair": said.banker_pair}
            turn.emit(ShoeResultHeard(winner=said.winner, kept=kept, **pairs))
        self._witness.hear(said)
        self.advance(turn)
        self.frames.clear()

    def _said_of(self, current: OpenRound) -> ShoeSaid | None:
        """The shoe's own result of the hand."""
        return current.shoe_said or self._witness.said

    def _shoe_error(self, turn: Turn, device: str, reading: ShoeError) -> None:
        rescan, current = RESCANS.get(reading.problem), turn.state.round
        overdrawn = reading.problem is ShoeProblem.OVERDRAW and not reading.cleared
        if overdrawn and current is not None and must_not_tell(current, due(self.procedure, current.steps)):
            self._violation(turn, CardReason.CARD_WHILE_BETTING, WHILE_BETTING)
            return
        detail = "the shoe reports it: put it right at the shoe"
        if rescan is not None and self._own_rounds and current is None:
            detail = rescan.detail  # no round is open before its first card: nothing else asks for that card again
        trouble(turn, device, Trouble(f"shoe_{reading.problem}", detail, reading.cleared))
        if reading.cleared:
            return
        if reading.problem is ShoeProblem.OVERDRAW:
            self._violation(turn, CardReason.CARD_NOT_DUE, "the shoe says that a card too many was drawn")
        elif rescan is not None:
            self.shoe_could_not_read(turn, rescan)
