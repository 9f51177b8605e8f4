"""One pass of a card: does it count, where does it lie, and what happens when it does not (``games.md`` §3).

The questions are asked in the order of the code: is it one that lies there already, may the table take a card at all,
does it begin a hand, is one due, and may this one lie there.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from dealer_daemon.events import (
    BettingClosed,
    CardDrawn,
    CardRepeated,
    CardSkipped,
    CardWithheld,
    HandSkipped,
    RoundOpened,
    RoundVoided,
)
from dealer_daemon.games.cards.procedure import CardDue, Complete, Early, Procedure
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.state import OpenRound, Step, TableState
from dealer_daemon.table.cards import hand, shoes
from dealer_daemon.table.cards.bars import BETWEEN_ROUNDS, WHILE_HELD, WHILE_PAUSED, Bar, not_due
from dealer_daemon.table.cards.decks import NoShoe
from dealer_daemon.table.cards.hand import due, known, looks_like, lying, must_withhold, newest_card
from dealer_daemon.table.cards.incidents import Incidents
from dealer_daemon.table.cards.spoken import Since
from dealer_daemon.table.cards.unseen import detail_of
from dealer_daemon.table.common import STATION, Rules, next_round_id, pause, refuse
from dealer_daemon.table.turn import FrameLog, Turn
from dealer_daemon.validation.card import (
    BURN,
    FIRST_OF_HAND,
    RESCAN_DETAIL,
    Again,
    Alarm,
    CardReason,
    Doubt,
    Lies,
    Rescan,
    hinted_position,
    judge_again,
    judge_card,
    judge_copies,
    judge_unread,
    named_place,
    unit_text,
)
from dealer_daemon.verdicts import Refused, Remedy
from dealer_drivers.readings.shoe import CardForeign, CardRead, CardUnreadable

_FIRST_FOUR = ("player.1", "banker.1", "player.2", "banker.2")
"""Places that every hand has, so that a card for one of them cannot be a card too many."""
_PERHAPS = (
    "nobody looked for a while, and the first card after it looks like the newest one: it may lie there still, or be"
    " another; take it away from the reader, then decide by the video"
)
_PERHAPS_NAMED = (
    "the card looks like the newest one, which a person named and no reader read: it may be that card, or another; take"
    " it away from the reader, then decide by the video"
)
_DRAWN_WHILE_PAUSED = Rescan(
    CardReason.CARD_WHILE_PAUSED,
    "the card before the scanner was drawn while the table stood, and counts for nothing: take it away, then scan it"
    " again",
)


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
        self._looked = False
        """A card was read in this run: what lay before the reader until then, nobody knows."""
        self._first_sequence: str | None = None
        """The number of the telegram that began the hand, where the shoe numbers them."""
        self._while_paused: str | None = None
        """The card that was drawn last while the table stood: it may lie before the scanner still."""
        self._repeated: str | None = None
        """The card whose repeats were recorded: one that lies before the scanner is reported several times a second."""
        self._doubted: str | None = None
        """The card that a person was asked about: the newest one still, or another."""
        self._answered: str | None = None
        """The same once the word was given: read again, it is another card, though the reader was off until then."""
        self.followed = False
        """The newest hand ended by its cards, the next did not begin, and nothing was missed since."""

    @abstractmethod
    def advance(self, turn: Turn) -> None:
        """Go on with the hand: a card lay down, or somebody gave the word."""

    @abstractmethod
    def finish(self, turn: Turn) -> None:
        """End the hand if it is complete, whatever is still waited for."""

    @abstractmethod
    def end_hand(self, turn: Turn) -> None:
        """After the open round's end: nothing of its hand is waited for."""

    def card(self, turn: Turn, reading: CardRead, since: Since | None = None) -> None:
        """A card was read. ``since``: what words changed after that."""
        self._end_what_is_over(turn, reading)
        current = turn.state.round
        reading, unsure = self._looked_away(turn, reading)
        named = self._is_named(turn, reading)
        early = since is not None and since.bar is not None
        again = Again(CardReason.SAME_PASS) if early and (unsure or named) else self._again(turn, reading, current)
        if isinstance(again, Again):
            self._repeat(turn, again, reading, before_word=early)
            return
        if unsure or named:
            self._perhaps(turn, reading, current, _PERHAPS_NAMED if named else _PERHAPS)
            return
        self._repeated = self._while_paused = self._doubted = self._answered = None
        if turn.state.paused is not None:
            self.followed, self._while_paused = False, reading.card
            self._record(turn, WHILE_PAUSED.reason, WHILE_PAUSED.detail)
        elif since is not None and since.bar is not None:
            self._early(turn, reading, since.bar)
        elif self._is_burn(turn, reading, current):
            self._burn(turn, reading)
        elif current is None:
            self._between(turn, reading)
        elif current.phase == "held":
            self._record(turn, WHILE_HELD.reason, WHILE_HELD.detail)
        elif isinstance(again, Doubt):
            self._hold(turn, again.reason, again.detail)
        else:
            self._in_hand(turn, current, reading)

    # -- is it one that lies there already ------------------------------------------------------------------

    def _again(self, turn: Turn, reading: CardRead, current: OpenRound | None) -> Again | Doubt | None:
        if self._same_burn(turn.state, reading):
            return Again(CardReason.SAME_SLOT if reading.unit is None else CardReason.SAME_UNIT)
        if current is not None:
            doubt = [] if current.doubt is None else [current.doubt]
            there = lying([*current.steps, *doubt])
            # Before its first card lies, one of the hand before may pass once more as it is taken away.
            return judge_again(reading, there or ([] if reading.hint is not None else self._lying_since(turn)))
        if reading.hint is not None:
            # A shoe sends its newest telegram again, and none of those before it; Player 1 begins a hand.
            before = [] if hinted_position(reading) == FIRST_OF_HAND else lying(turn.state.previous)[-1:]
        else:
            before = self._lying_since(turn)
        again = judge_again(reading, before)
        # Another card for a place of the hand that ended overwrites nothing: it is of the next hand.
        return again if isinstance(again, Again) else None

    def _lying_since(self, turn: Turn) -> list[Lies]:
        """The cards of the hand before that cannot come again by right: those of the shoe in play, and until they can
        have been shuffled those of one that ended with it. A shuffler to which played cards go back gives them anew."""
        shoe = turn.state.shoe
        if shoe is not None and shoes.is_continuous(self.procedure, shoe.decks):
            return []
        all_of_them = not hand.may_be_shuffled(turn.state, turn.at, self.hand_ended)
        return lying([step for step in turn.state.previous if all_of_them or (shoe and step.shoe_id == shoe.id)])

    def _same_burn(self, state: TableState, reading: CardRead) -> bool:
        burnt = None if state.shoe is None else state.shoe.last_burn
        if burnt is None:
            return False
        if reading.unit is not None:
            return unit_text(reading.unit) == burnt.unit
        return reading.hint is not None and (named_place(reading), reading.card) == (burnt.position, burnt.card)

    # -- is it the newest card still, after nobody looked -----------------------------------------------------

    def _looked_away(self, turn: Turn, reading: CardRead) -> tuple[CardRead, bool]:
        """The reading, and whether it may be the newest card's: the scanner was away, or this station was."""
        first, self._looked = not self._looked, True
        if reading.hint is not None or not (reading.unsure or (first and not reading.repeated)):
            return reading, False
        unsure = reading.unsure or looks_like(reading, newest_card(turn.state))
        return replace(reading, repeated=False), unsure and reading.card != self._answered

    def _is_named(self, turn: Turn, reading: CardRead) -> bool:
        """Whether it may be the card that a person named last: what the table did not count is scanned again."""
        newest, shoe = newest_card(turn.state), turn.state.shoe
        if self._is_misplaced(turn, reading):
            return True
        if reading.hint is not None or newest is None or newest.by is None or not self._may_scan(turn):
            return False
        lies = turn.state.round is not None or (shoe is not None and newest.shoe_id == shoe.id)
        return lies and looks_like(reading, newest) and reading.card != self._answered

    def _is_misplaced(self, turn: Turn, reading: CardRead) -> bool:
        """Whether two cards of the hand, or of the one before, may have been swapped, of which this is one."""
        unit, current, shoe = unit_text(reading.unit), turn.state.round, turn.state.shoe
        if unit is None or not self._may_scan(turn):
            return False
        if current is None or not lying(current.steps):
            return hand.may_be_swapped(turn.state.previous, reading.card, unit, came_out=False)
        return hand.may_be_swapped(current.steps, reading.card, unit, came_out=shoe is not None and unit in shoe.units)

    def answer_doubt(self) -> None:
        """A person gave the word: asked again at every reading of that card, the question would never end."""
        self._answered, self._doubted = self._doubted, None

    def forget_answer(self) -> None:
        """The table stood since the word: a scanner with a trigger did not look, and each gap makes it stand."""
        self._answered = None

    def _perhaps(self, turn: Turn, reading: CardRead, current: OpenRound | None, why: str) -> None:
        """Where it would count a person decides, for neither of the two may be guessed; else it is a repeat."""
        if turn.state.paused is None and current is None and shoes.burns_left(turn.state, self.shoe):
            self._doubted = reading.card
            self._violation(turn, CardReason.PERHAPS_REPEATED, why)
        elif not self._may_scan(turn):
            self._repeat(turn, Again(CardReason.SAME_PASS), reading)
        elif current is not None or self._open(turn):
            self._doubted = reading.card
            asked = None if reading.unit is None else Step(card=reading.card, unit=unit_text(reading.unit))
            self._hold(turn, CardReason.PERHAPS_REPEATED, why, asked=asked)

    def _repeat(self, turn: Turn, again: Again, reading: CardRead, *, before_word: bool = False) -> None:
        """Recorded once a pass; its frames are no evidence of the next card. One that was drawn while the table stood
        is scanned again where it lies there still, not before a word, and a card is due."""
        there = again.reason is CardReason.SAME_PASS and self._while_paused == reading.card and not before_word
        if there and self._may_scan(turn):
            self._while_paused = None
            self.frames.clear()  # whatever it is, servers get no frame of a card that did not count
            if turn.state.round is not None or self._open(turn):
                self.rescan(turn, _DRAWN_WHILE_PAUSED)
            return
        if again.reason is not CardReason.SAME_PASS or self._repeated != reading.card:
            self.take_evidence(turn)
            turn.emit(CardRepeated(reason=str(again.reason), card=reading.card))
        self._repeated = reading.card
        self.frames.clear()

    def _may_scan(self, turn: Turn) -> bool:
        """A card that passes now would lie on a place of a hand."""
        current = turn.state.round
        if turn.state.paused is not None:
            return False
        if current is not None:
            return current.phase != "held" and self.card_due(current) is not None
        if not self._own_rounds or shoes.burns_left(turn.state, self.shoe):
            return False
        return isinstance(due(self.procedure, []), CardDue)

    # -- no round is open -----------------------------------------------------------------------------------

    def _end_what_is_over(self, turn: Turn, reading: CardRead) -> None:
        """The shoe began the next hand: it waits neither for a person nor for its own result.

        A new shoe's first burn card ends what only the shoe's result was missing of; a held hand still has its person.
        So has one that the shoe was switched on again in: its Player 1 may be any card of that hand. The same card on
        Player 1 once more begins the next hand where the hand is complete and the telegram is another.
        """
        current, begins = turn.state.round, hinted_position(reading) == FIRST_OF_HAND
        if current is None or turn.state.paused is not None or not (begins or shoes.is_first_burn(reading)):
            return
        over = current.phase != "held" and isinstance(due(self.procedure, current.steps), Complete)
        another = over and begins and reading.sequence not in (None, self._first_sequence)
        if not another and isinstance(judge_again(reading, lying(current.steps)), Again):
            return
        if current.phase != "held":
            self.finish(turn)
        elif self._own_rounds and begins and current.held_for != CardReason.SHOE_RESTARTED:
            turn.emit(RoundVoided(reason="held_not_decided", by=STATION, seen=known(self.procedure, current.steps)))
            self.end_hand(turn)

    def _between(self, turn: Turn, reading: CardRead) -> None:
        hinted = hinted_position(reading)
        if not self._own_rounds:
            self._violation(turn, BETWEEN_ROUNDS.reason, BETWEEN_ROUNDS.detail)
        elif hinted in (None, FIRST_OF_HAND):
            self._first(turn, reading)
        elif not self.followed:
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
            if turn.state.given_up:
                reason, why = CardReason.REST_OF_HAND, "the hand ended before all of its cards were dealt"
            else:
                reason, why = CardReason.JOINED_MID_HAND, f"the first card seen was the one for {hinted}"
            turn.emit(HandSkipped(reason=str(reason), detail=f"{why}: its cards give no result, the next hand does"))
        try:
            shoes.begin_by_itself(turn, self.procedure, self.shoe)
        except NoShoe:
            return  # the first card of the next hand says so, and pauses the table
        if turn.state.given_up and any(card.position == hinted for card in lying(turn.state.previous)):
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
        shoes.burn(turn, reading, self.take_evidence(turn))

    # -- a card is due, or none -----------------------------------------------------------------------------

    def _early(self, turn: Turn, reading: CardRead, why: Bar) -> None:
        """The card was read before a word that lets one lie down. One of a time when the table stood is scanned again
        (``_repeat``); any other makes it stand."""
        self.followed = False
        if why is WHILE_PAUSED:
            self._while_paused = reading.card
            self._record(turn, why.reason, why.detail)
            self.advance(turn)
        else:
            self._violation(turn, why.reason, why.detail)

    def _in_hand(self, turn: Turn, current: OpenRound, reading: CardRead) -> None:
        self.followed = False
        wanted = due(self.procedure, current.steps)
        bar = not_due(current, wanted)
        if bar is not None:
            self._violation(turn, bar.reason, bar.detail)
            return
        assert isinstance(wanted, CardDue)
        if hinted_position(reading) == BURN:
            detail = f"a card was burnt and the one for {wanted.position} is due"
            self._violation(turn, CardReason.CARD_NOT_DUE, detail)
        else:
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
            self._foreign = None
            if wanted.position == FIRST_OF_HAND:
                self._first_sequence = reading.sequence
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

    def unread(self, turn: Turn, reading: CardUnreadable | CardForeign, since: Since | None = None) -> None:
        """A card passed that could not be told, or is none of this deck set. ``since`` as of ``card``."""
        early = since is not None and since.bar is not None
        burns = turn.state.round is None and not self._names_places and shoes.burns_left(turn.state, self.shoe)
        wanted = burns or self._expects_a_card(turn, reading)
        if reading.repeated or turn.state.paused is not None or early or not wanted:
            self.take_evidence(turn)
            return
        judged = judge_unread(reading, self._foreign)
        if isinstance(reading, CardForeign):
            self._foreign = reading.code
        if isinstance(judged, Alarm):
            self._alarm(turn, judged.reason, judged.detail)
        elif burns:
            self._record(turn, CardReason.BURN_NOT_READ, judged.detail)
        elif turn.state.round is not None or self._open(turn):
            self.rescan(turn, judged)

    def _expects_a_card(self, turn: Turn, reading: CardUnreadable | CardForeign) -> bool:
        """Whether there is a card to be scanned again: one is due, or this was the first of a hand."""
        if turn.state.round is not None or not self._may_scan(turn):
            return self._may_scan(turn)
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
        self.followed = False
        current = turn.state.round
        assert current is not None
        wanted = self.card_due(current)
        assert wanted is not None
        secret, evidence = must_withhold(current, wanted), self.take_evidence(turn)
        verdict = Refused(rescan.reason, Remedy.RESCAN, RESCAN_DETAIL if secret else rescan.detail)
        refuse(turn, current, verdict, [] if secret else evidence, self.rules.tries_before_pause, wanted.position)

    def shoe_could_not_read(self, turn: Turn, rescan: Rescan) -> None:
        """The shoe itself says that it could not read the card that it gave."""
        current = turn.state.round
        if turn.state.paused is None and current is not None and current.phase != "held" and self.card_due(current):
            self.rescan(turn, rescan)

    # -- a hand that ended too early ------------------------------------------------------------------------

    def rest_is_left(self, ended: OpenRound) -> bool:
        """Whether cards of a hand that ended like this may still pass, and would be taken for the next hand's: a
        scanner names no places, a shoe that was switched on again in the hand calls its next card Player 1, and at a
        table that opens its rounds by itself nobody says where a hand begins. Such a round begins with a card that
        passed, if only with one that could not be told."""
        counts_anew = ended.phase == "held" and ended.held_for == CardReason.SHOE_RESTARTED
        if not self._own_rounds or (self._names_places and not counts_anew):
            return False
        return not isinstance(due(self.procedure, ended.steps), Complete)

    def wait_for_rest(self, turn: Turn) -> None:
        """The table stands until a manager says that the rest is away."""
        pause(turn, CardReason.REST_OF_HAND, detail_of(CardReason.REST_OF_HAND))
