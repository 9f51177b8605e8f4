"""One pass of a card: does it count, where does it lie, and what happens when it does not (``games.md`` §3).

The questions are asked in the order of the code: is it one that lies there already, may the table take a card at all,
does it begin a hand, is one due, and may this one lie there.
"""

from __future__ import annotations

from abc import abstractmethod

from dealer_daemon.events import (
    BettingClosed,
    CardDrawn,
    CardRepeated,
    CardSkipped,
    CardWithheld,
    Facts,
    HandSkipped,
    RoundOpened,
    RoundVoided,
)
from dealer_daemon.games.cards.procedure import CardDue, Complete, Early, ExpectDue, GateDue, Procedure
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.state import OpenRound, Step
from dealer_daemon.table.cards import shoes
from dealer_daemon.table.cards.decks import NoShoe
from dealer_daemon.table.cards.hand import due, known, lying, must_withhold
from dealer_daemon.table.cards.incidents import Incidents
from dealer_daemon.table.common import STATION, Rules, next_round_id, refuse
from dealer_daemon.table.turn import FrameLog, Turn
from dealer_daemon.validation.card import (
    BURN,
    FIRST_OF_HAND,
    RESCAN_DETAIL,
    Again,
    Alarm,
    CardReason,
    Doubt,
    Rescan,
    hinted_position,
    judge_again,
    judge_card,
    judge_copies,
    judge_unread,
    unit_text,
)
from dealer_daemon.verdicts import Refused, Remedy
from dealer_drivers.shoe.readings import CardForeign, CardRead, CardUnreadable

_FIRST_FOUR = ("player.1", "banker.1", "player.2", "banker.2")
"""Places that every hand has, so that a card for one of them cannot be a card too many."""


class CardPasses(Incidents):
    """See the module. What is remembered beside the journal may be forgotten: it costs one more question, no card.

    ``names_places``: the shoe says where each card goes, so that the beginning of a hand can be told.
    """

    def __init__(
        self, rules: Rules, procedure: Procedure, shoe: ShoeRules, frames: FrameLog, *, names_places: bool
    ) -> None:
        super().__init__(rules, procedure, frames)
        self.shoe = shoe
        self._names_places = names_places
        self._own_rounds = rules.round_source == "device"
        self._foreign: str | None = None
        """The foreign code that was seen last; a card that counts clears it."""
        self._burnt: CardRead | None = None
        self._repeated: str | None = None
        """The card whose repeats were recorded: one that lies before the scanner is reported several times a second."""
        self.told: Facts | None = None
        """What the cards of the newest hand gave, as long as the next did not begin and nothing was missed since."""
        self.given_up = False
        """The newest hand was ended by a person; the shoe may not know."""

    @abstractmethod
    def advance(self, turn: Turn) -> None:
        """Go on with the hand: a card lay down, or somebody gave the word."""

    @abstractmethod
    def finish(self, turn: Turn) -> None:
        """End the hand if it is complete, whatever is still waited for."""

    @abstractmethod
    def end_hand(self, turn: Turn) -> None:
        """After the open round's end: nothing of its hand is waited for."""

    def card(self, turn: Turn, reading: CardRead) -> None:
        """A card was read."""
        self._end_what_is_over(turn, reading)
        current = turn.state.round
        again = self._again(turn, reading, current)
        if isinstance(again, Again):
            self._repeat(turn, again, reading)
            return
        self._repeated = None
        if turn.state.paused is not None:
            self.told = None
            self._record(turn, CardReason.CARD_WHILE_PAUSED, "a card was drawn while the table is paused")
        elif self._is_burn(turn, reading, current):
            self._burn(turn, reading)
        elif current is None:
            self._between(turn, reading)
        elif current.phase == "held":
            self._record(turn, CardReason.CARD_WHILE_HELD, "a card was drawn while the hand waits for a person")
        elif isinstance(again, Doubt):
            self._hold(turn, again.reason, again.detail)
        else:
            self._in_hand(turn, current, reading)

    # -- is it one that lies there already ------------------------------------------------------------------

    def _again(self, turn: Turn, reading: CardRead, current: OpenRound | None) -> Again | Doubt | None:
        if self._same_burn(reading):
            return Again(CardReason.SAME_SLOT if reading.unit is None else CardReason.SAME_UNIT)
        if current is not None:
            doubt = [] if current.doubt is None else [current.doubt]
            return judge_again(reading, lying([*current.steps, *doubt]))
        before = lying(turn.state.previous)
        if reading.hint is not None:
            # A shoe sends its newest telegram again, and none of those before it; Player 1 begins a hand.
            before = [] if hinted_position(reading) == FIRST_OF_HAND else before[-1:]
        again = judge_again(reading, before)
        # Another card for a place of the hand that ended overwrites nothing: it is of the next hand.
        return again if isinstance(again, Again) else None

    def _same_burn(self, reading: CardRead) -> bool:
        burnt = self._burnt
        if burnt is None:
            return False
        if reading.unit is not None:
            return reading.unit == burnt.unit
        return reading.hint is not None and (reading.hint, reading.card) == (burnt.hint, burnt.card)

    def _repeat(self, turn: Turn, again: Again, reading: CardRead) -> None:
        """Recorded once a pass; its frames are no evidence of the next card."""
        if again.reason is not CardReason.SAME_PASS or self._repeated != reading.card:
            self.take_evidence(turn)
            turn.emit(CardRepeated(reason=str(again.reason), card=reading.card))
        self._repeated = reading.card
        self.frames.clear()

    # -- no round is open -----------------------------------------------------------------------------------

    def _end_what_is_over(self, turn: Turn, reading: CardRead) -> None:
        """The shoe began the next hand: it waits neither for a person nor for its own result.

        A new shoe's first burn card ends what only the shoe's result was missing of; a held hand still has its person.
        So has one that the shoe was switched on again in: its Player 1 may be any card of that hand.
        """
        current, begins = turn.state.round, hinted_position(reading) == FIRST_OF_HAND
        if current is None or turn.state.paused is not None or not (begins or shoes.is_first_burn(reading)):
            return
        if isinstance(judge_again(reading, lying(current.steps)), Again):
            return
        if current.phase != "held":
            self.finish(turn)
        elif self._own_rounds and begins and current.held_for != CardReason.SHOE_RESTARTED:
            turn.emit(RoundVoided(reason="held_not_decided", by=STATION, seen=known(self.procedure, current.steps)))
            self.end_hand(turn)

    def _between(self, turn: Turn, reading: CardRead) -> None:
        hinted = hinted_position(reading)
        if not self._own_rounds:
            self._violation(turn, CardReason.CARD_BETWEEN_ROUNDS, "a card was drawn and no round is open")
        elif hinted in (None, FIRST_OF_HAND):
            self._first(turn, reading)
        elif self.told is None:
            self._skip(turn, hinted, reading)
        elif hinted in _FIRST_FOUR:
            # The hand before ended and nothing was missed since but the first card of this one.
            self._first(turn, reading)
        else:
            detail = f"the hand ended and the shoe gives one card more, for {hinted}"
            self._violation(turn, CardReason.CARD_NOT_DUE, detail)

    def _first(self, turn: Turn, reading: CardRead) -> None:
        """The first card of a hand opens the round, unless it may not lie there."""
        wanted = due(self.procedure, [])
        if not isinstance(wanted, CardDue):
            self._violation(turn, CardReason.CARD_NOT_EXPECTED, "the server has not said whose card is next")
            return
        judged = judge_card(reading, wanted.position, *shoes.composition(turn.state, [], self.procedure, self.shoe))
        if isinstance(judged, Alarm):
            self._alarm(turn, judged.reason, judged.detail)
        elif self._open(turn):
            current = turn.state.round
            assert current is not None
            self._in_hand(turn, current, reading)

    def _open(self, turn: Turn) -> bool:
        """Open the round, and close its betting: here nobody bets after the first card."""
        try:
            shoe = shoes.for_hand(turn, self.procedure, self.shoe)
        except NoShoe as error:
            self._violation(turn, error.reason, str(error))
            return False
        game = self.rules.game.name
        turn.emit(RoundOpened(game=game, source="device", **shoe), subject=next_round_id(turn))
        turn.emit(BettingClosed(game=game, source="device", **shoe))
        return True

    def _skip(self, turn: Turn, hinted: str, reading: CardRead) -> None:
        """This hand gives no result, said once; its cards came out of the shoe all the same."""
        kept = self.take_evidence(turn)
        if not turn.state.skipping:
            if self.given_up:
                reason, why = CardReason.REST_OF_HAND, "the hand ended before all of its cards were dealt"
            else:
                reason, why = CardReason.JOINED_MID_HAND, f"the first card seen was the one for {hinted}"
            turn.emit(HandSkipped(reason=str(reason), detail=f"{why}: its cards give no result, the next hand does"))
        try:
            shoes.begin_by_itself(turn, self.procedure, self.shoe)
        except NoShoe:
            return  # the first card of the next hand says so, and pauses the table
        if self.given_up and any(card.position == hinted for card in lying(turn.state.previous)):
            return  # a person named the card of this place, and it is counted as that
        unit = unit_text(reading.unit)
        out = shoes.composition(turn.state, [], self.procedure, self.shoe)
        too_many = judge_copies(reading.card, unit, *out)
        if too_many is not None:
            self._alarm(turn, too_many.reason, too_many.detail)
        else:
            turn.emit(CardSkipped(position=hinted, card=reading.card, unit=unit, kept=kept), in_round=False)

    # -- burnt cards ----------------------------------------------------------------------------------------

    def _is_burn(self, turn: Turn, reading: CardRead, current: OpenRound | None) -> bool:
        hinted = hinted_position(reading)
        if hinted is not None and hinted != BURN:
            return False
        if hinted is None or (current is not None and lying(current.steps)):
            return shoes.burns_left(turn.state, self.shoe)
        return True

    def _burn(self, turn: Turn, reading: CardRead) -> None:
        if shoes.is_exchanged(turn.state, reading):
            if turn.state.round is not None:
                detail = "a new shoe burns its first card in a round of the one before: void the round, change the shoe"
                self._violation(turn, CardReason.CARD_NOT_DUE, detail)
                return
            shoes.end(turn, "shoe_exchanged", STATION)
        try:
            shoes.begin_by_itself(turn, self.procedure, self.shoe)
        except NoShoe as error:
            self._violation(turn, error.reason, str(error))
            return
        judged = judge_card(reading, BURN, *shoes.composition(turn.state, [], self.procedure, self.shoe))
        if isinstance(judged, Alarm):
            self._alarm(turn, judged.reason, judged.detail)
            return
        self._burnt = reading
        shoes.burn(turn, reading, self.take_evidence(turn))

    # -- a card is due, or none -----------------------------------------------------------------------------

    def _in_hand(self, turn: Turn, current: OpenRound, reading: CardRead) -> None:
        self.told = None
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
            case CardDue() if hinted_position(reading) == BURN:
                self._violation(
                    turn, CardReason.CARD_NOT_DUE, f"a card was burnt and the one for {wanted.position} is due"
                )
            case CardDue():
                self._lay(turn, current, wanted, reading)

    def _lay(self, turn: Turn, current: OpenRound, wanted: CardDue, reading: CardRead) -> None:
        out = shoes.composition(turn.state, current.steps, self.procedure, self.shoe)
        judged = judge_card(reading, wanted.position, *out)
        if isinstance(judged, Alarm):
            self._alarm(turn, judged.reason, judged.detail)
        elif isinstance(judged, Doubt):
            there, unit = hinted_position(reading), unit_text(reading.unit)
            doubt = Step(position=there, card=reading.card, unit=unit, evidence=self.take_evidence(turn))
            self._hold(turn, judged.reason, judged.detail, doubt)
        else:
            self._foreign, self._burnt = None, None
            kind = CardWithheld if must_withhold(current, wanted) else CardDrawn
            evidence = self.take_evidence(turn)
            turn.emit(kind(position=wanted.position, card=judged.card, unit=judged.unit, evidence=evidence))
            self.advance(turn)

    def settle_doubt(self, turn: Turn, current: OpenRound, doubt: Step) -> None:
        """A card waits that was read for a later position than the one that was due: it lies, or the hand is held."""
        wanted = due(self.procedure, current.steps)
        assert doubt.card is not None
        assert doubt.position is not None
        if not isinstance(wanted, CardDue) or wanted.position != doubt.position:
            missing = f"{wanted.position} is due" if isinstance(wanted, CardDue) else "no card is due"
            detail = f"the shoe gave the card for {doubt.position} and {missing}"
            self._hold(turn, CardReason.CARD_SKIPPED, detail, doubt)
            return
        drawn, units, decks = shoes.composition(turn.state, current.steps, self.procedure, self.shoe)
        judged = judge_copies(doubt.card, doubt.unit, drawn, units, decks)
        if judged is not None:
            self._alarm(turn, judged.reason, judged.detail)
            return
        kind = CardWithheld if must_withhold(current, wanted) else CardDrawn
        turn.emit(kind(position=doubt.position, card=doubt.card, unit=doubt.unit, evidence=doubt.evidence))
        self.advance(turn)

    # -- a card that could not be told ----------------------------------------------------------------------

    def unread(self, turn: Turn, reading: CardUnreadable | CardForeign) -> None:
        """A card passed that could not be told, or is none of this deck set."""
        if reading.repeated or turn.state.paused is not None or not self._expects_a_card(turn, reading):
            self.take_evidence(turn)
            return
        judged = judge_unread(reading, self._foreign)
        if isinstance(reading, CardForeign):
            self._foreign = reading.code
        if isinstance(judged, Alarm):
            self._alarm(turn, judged.reason, judged.detail)
        elif turn.state.round is not None or self._open(turn):
            self.rescan(turn, judged)

    def _expects_a_card(self, turn: Turn, reading: CardUnreadable | CardForeign) -> bool:
        """Whether there is a card to be scanned again: one is due, or this was the first of a hand."""
        current = turn.state.round
        if current is not None:
            return current.phase != "held" and self.card_due(current) is not None
        if not self._own_rounds or shoes.burns_left(turn.state, self.shoe):
            return False
        if not isinstance(due(self.procedure, []), CardDue):
            return False
        hinted = hinted_position(reading) if isinstance(reading, CardUnreadable) else None
        return hinted == FIRST_OF_HAND if self._names_places else True

    def card_due(self, current: OpenRound) -> CardDue | None:
        """The place that a card may be scanned for now, or once a held hand is decided."""
        wanted = due(self.procedure, current.steps)
        if not isinstance(wanted, CardDue) or (current.betting == "open" and wanted.early is Early.FORBID):
            return None
        return wanted

    def rescan(self, turn: Turn, rescan: Rescan) -> None:
        """The same card again, on the same position; as often as it takes (``games.md`` §2.1)."""
        self.told = None
        current = turn.state.round
        assert current is not None
        wanted = self.card_due(current)
        assert wanted is not None
        secret, evidence = must_withhold(current, wanted), self.take_evidence(turn)
        verdict = Refused(rescan.reason, Remedy.RESCAN, RESCAN_DETAIL if secret else rescan.detail)
        shown = [] if secret else evidence
        refuse(turn, current, verdict, shown, self.rules.tries_before_pause, wanted.position)

    def shoe_could_not_read(self, turn: Turn, rescan: Rescan) -> None:
        """The shoe itself says that it could not read the card that it gave."""
        current = turn.state.round
        if turn.state.paused is not None or current is None or current.phase == "held":
            return
        if self.card_due(current) is not None:
            self.rescan(turn, rescan)
