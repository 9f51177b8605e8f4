"""Cards may have passed while nobody looked: where the hand stands is then for a person to say (decision 0019).

A scanner names no places, so its cards are counted off. One that was not read moves every card after it to the place
before, and no later card shows it. A shoe that names its places shows that, unless a whole hand ended unseen: then a
card of another hand may be named for the place that is due. So after a start, and after a reader was away, the table
stands wherever a card may have passed by right, from the moment that the reader is up again: until then more may pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from dealer_daemon.events import TablePaused
from dealer_daemon.round import TableState
from dealer_daemon.table.common import DEALER_RESUMES, STATION
from dealer_daemon.table.turn import Turn
from dealer_daemon.validation.card import CardReason
from dealer_drivers.instant import NS_PER_S
from dealer_drivers.readings import DeviceFault, Fault, Reading

SAME_PLACE_S = 4.0
"""From a place of one hand to the same place of another four cards are drawn at least (the rest of one, and what comes
before that place in the other), and the first hand is taken away: by hand no faster than a card a second. Ours."""

_AWAY_WHY = "nobody looked for a while"
_TOGETHER_WHY = "cards were read at once that had been held up on their way, and some may be missing"
_DETAIL = {
    CardReason.UNSEEN_IN_HAND: (
        "{why} in the middle of this hand: compare the table with the cards that were read. Resume, and the hand goes"
        " on with the card that is due: one that was missed is scanned now. Or void it, take its cards away, then"
        " resume"
    ),
    CardReason.UNSEEN_BETWEEN_HANDS: (
        "{why}, and the beginning of a hand may have passed: resume when the next card to be scanned is the first of a"
        " hand"
    ),
    CardReason.UNSEEN_BEFORE_BURN: (
        "{why}, and this shoe's burn cards are due: resume when the next card to be scanned is a burn card. One that"
        " was burnt unseen is passed over the reader now"
    ),
    CardReason.REST_OF_HAND: (
        "the hand ended before all of its cards were dealt, and nothing tells the rest of them from the next hand: take"
        " them away, then resume; the next card begins a hand"
    ),
}
_NAMED = (
    "nobody looked for so long in the middle of this hand that it may have ended, and another have come as far: compare"
    " the table with the cards that were read. Resume if it is this hand still. Or void it, take its cards away, then"
    " resume"
)
_AWAY = frozenset({Fault.LINK_LOST, Fault.LINK_REFUSED, Fault.SILENT})
_LONG_AGO_NS = 86_400 * NS_PER_S
QUESTIONS = frozenset(_DETAIL)
"""Pauses that end with a person's word on where the next card belongs."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the table stands. ``takes_card``: a card of the open round may come. ``lies``: one of it lies there.
    ``burns``: a card that comes without a round is burnt. ``scanning``: cards that come are a deck set's."""

    takes_card: bool
    lies: bool
    burns: bool
    scanning: bool


class Unseen:
    """See the module. ``own_rounds``: the table opens its rounds by itself. ``names_places``: the reader does.

    What is remembered here may be forgotten in a crash, for the start after it asks in any case.
    """

    def __init__(self, *, names_places: bool, own_rounds: bool) -> None:
        self._names_places = names_places
        self._own_rounds = own_rounds
        self._first_start = True
        self._heard = False
        """The reader was up in this run."""
        self._away_ns: int | None = None
        """Since when nobody looked, on this run's monotonic clock; ``None`` when the reader is there."""
        self._there_ns: int | None = None
        """When the reader itself said something last: a link may be gone for long before its loss is noticed."""
        self._gap = False
        """Nobody looked for a while, and nobody was asked since."""
        self._why = _AWAY_WHY
        """Of that gap."""
        self._in_round: str | None = None
        """The round that it fell into."""
        self._asked = False
        """A question was put, and no person answered it."""

    def started(self, turn: Turn, standing: Standing) -> None:
        """The daemon took the table up. With an empty journal nothing is known that could be wrong: there the first
        card begins a hand."""
        self._first_start = turn.before.sequence == 0
        if self._first_start:
            return
        self._away_ns = turn.at.mono_ns - _since_card_ns(turn)
        self._gap, self._in_round = not self._names_places or self._is_long(turn), _round_id(turn)
        self.settle(turn, standing)

    @property
    def in_question(self) -> bool:
        """Cards may have passed unseen, and nobody was asked yet."""
        return self._gap and self._heard

    @property
    def waits(self) -> bool:
        """Something is to be asked as soon as the reader is up."""
        return self._gap and not self._heard

    def heard(self, turn: Turn, reading: Reading, standing: Standing) -> None:
        """The reader says something. Bytes that were no frame are no gap: what came of them was said."""
        if not isinstance(reading, DeviceFault):
            self._is_there(turn, again=False)
        elif reading.fault == Fault.NO_VALID_FRAME:
            return
        elif not reading.cleared:
            since_ns = turn.at.mono_ns if self._there_ns is None else self._there_ns
            self._away_ns = since_ns if self._away_ns is None else self._away_ns
        elif reading.fault == Fault.LINK_REFUSED and self._first_start and not self._heard:
            self._away_ns = None  # it was never there yet
        else:
            self._is_there(turn, again=True)
        self.settle(turn, standing)

    def held_up(self, turn: Turn, standing: Standing) -> None:
        """Cards were read together that had been held up: one may have been taken for a repeat (``bursts.py``)."""
        self._passed(turn, _TOGETHER_WHY)
        self.settle(turn, standing)

    def _is_there(self, turn: Turn, *, again: bool) -> None:
        """``again``: it says itself that it was away."""
        first, self._heard = not self._heard, True
        if (again and not self._names_places) or (self._names_places and self._is_long(turn)):
            self._passed(turn, _AWAY_WHY)
        if again or first:
            self._away_ns = None
        if not again:
            self._there_ns = turn.at.mono_ns  # that a link is up again tells nothing of what it was before

    def _passed(self, turn: Turn, why: str) -> None:
        self._gap, self._why, self._in_round = True, why, _round_id(turn)

    def _is_long(self, turn: Turn) -> bool:
        """Nobody looked for so long that another hand may have come as far."""
        return self._away_ns is not None and turn.at.mono_ns - self._away_ns >= SAME_PLACE_S * NS_PER_S

    def resumed(self, turn: Turn, standing: Standing) -> None:
        """The table may go on. A word on where the next card belongs answers what was asked, unless another pause was
        ended with it, or by now another card is due than the word was about. Before the reader was up it answers
        nothing: what passes until then nobody knows."""
        ended = _question(turn.before)
        if ended is not None:
            of_burn = ended == CardReason.UNSEEN_BEFORE_BURN
            another = ended in DEALER_RESUMES and of_burn != standing.burns
            self._gap = another or (self._gap and not self._heard)
        elif self._asked:
            self._gap = True
        self._asked = False

    def settle(self, turn: Turn, standing: Standing) -> None:
        """After every step: what was to be asked is asked as soon as the table can be asked, and it matters. A question
        that stands is put anew: what was answered to it before this gap was not said of what passed in it."""
        if self._names_places and self._in_round != _round_id(turn):
            self._gap = False  # the place of a card tells that the next hand began, and that one was seen
        stands = _question(turn.state)
        if not self._gap or not self._heard or (stands is None and not self._may_ask(turn, standing)):
            return
        self._gap = False
        in_round = turn.state.round is not None
        if self._names_places:
            reason = CardReason.UNSEEN_IN_HAND if in_round and standing.lies else None
        elif in_round:
            reason = CardReason.UNSEEN_IN_HAND
        elif standing.burns:
            reason = CardReason.UNSEEN_BEFORE_BURN
        else:
            reason = CardReason.UNSEEN_BETWEEN_HANDS if self._own_rounds else None
        if stands is not None and (reason is None or stands not in DEALER_RESUMES):
            # What only the manager may end stays his: the cards of a voided hand, say, may lie there still.
            reason = stands
        if reason is not None:
            self._asked = True
            named = self._names_places and reason == CardReason.UNSEEN_IN_HAND
            detail = _NAMED if named else detail_of(reason, self._why)
            turn.emit(TablePaused(reason=str(reason), by=STATION, detail=detail))
        self._why = _AWAY_WHY

    def _may_ask(self, turn: Turn, standing: Standing) -> bool:
        """The table stands for nothing else, and a card may come. Whoever makes the next card due later may have meant
        it for a time when nobody looked."""
        if turn.state.paused is not None or standing.scanning:
            return False
        return turn.state.round is None or standing.takes_card


def detail_of(reason: CardReason, why: str = _AWAY_WHY) -> str:
    """What the person who is asked does. ``reason`` is one of ``QUESTIONS``."""
    return _DETAIL[reason].format(why=why)


def _round_id(turn: Turn) -> str | None:
    return None if turn.state.round is None else turn.state.round.id


def _question(state: TableState) -> CardReason | None:
    """The question for which the table stands, by the station's own word."""
    asks = state.paused in QUESTIONS and state.paused_by == STATION
    return CardReason(state.paused) if asks and state.paused is not None else None


def _since_card_ns(turn: Turn) -> int:
    """At a start, how long ago a reader was surely there: by the wall clock or by the monotonic one, whichever says
    more. A clock that went back tells nothing, and what an earlier run knew of its reader's absence is not kept."""
    wall_ns, mono_ns = turn.before.read_ns, turn.before.read_mono_ns
    if wall_ns is None or mono_ns is None or wall_ns > turn.at.wall_ns or mono_ns > turn.at.mono_ns:
        return _LONG_AGO_NS
    if any(_AWAY.intersection(faults) for faults in turn.before.faults.values()):
        return _LONG_AGO_NS
    return max(turn.at.wall_ns - wall_ns, turn.at.mono_ns - mono_ns)
