"""Cards may have passed while nobody looked: where the hand stands is then for a person to say (decision 0019).

A scanner names no places, so its cards are counted off. One that was not read moves every card after it to the place
before, and no later card shows it. So after a start, and after a reader was away, the table stands wherever a card may
have passed by right.
"""

from __future__ import annotations

from dealer_daemon.events import TablePaused
from dealer_daemon.table.common import STATION
from dealer_daemon.table.turn import Turn
from dealer_daemon.validation.card import CardReason
from dealer_drivers.readings import DeviceFault, Fault

_IN_HAND = (
    "nobody looked for a while in the middle of this hand: compare the table with the cards that were read. Resume, and"
    " the hand goes on with the card that is due: one that was missed is scanned now. Or void it, take its cards away,"
    " then resume"
)
_BETWEEN_HANDS = (
    "nobody looked for a while, and the beginning of a hand may have passed: resume when the next card to be scanned is"
    " the first of a hand"
)
_DETAIL = {CardReason.UNSEEN_IN_HAND: _IN_HAND, CardReason.UNSEEN_BETWEEN_HANDS: _BETWEEN_HANDS}
_ASKED = frozenset({*_DETAIL, CardReason.REST_OF_HAND})
"""Pauses that end with a person's word on where the next card belongs."""


class Unseen:
    """See the module. ``own_rounds``: the table opens its rounds by itself. A reader that names the places of its cards
    (``names_places``) shows by itself that one was missed.

    What is remembered here may be forgotten in a crash, for the start after it asks in any case.
    """

    def __init__(self, *, names_places: bool, own_rounds: bool) -> None:
        self._names_places = names_places
        self._own_rounds = own_rounds
        self._first_start = True
        self._gap = False
        """Nobody looked for a while, and the table stood already for another reason."""

    def started(self, turn: Turn, *, due: bool) -> None:
        """The daemon took the table up. With an empty journal nothing is known that could be wrong: there the first
        card begins a hand. ``due``, here and below: a card of the open round may come."""
        self._first_start = turn.state.sequence == 1  # its own first event
        if not self._first_start:
            self._passed(turn, due)

    def heard(self, turn: Turn, fault: DeviceFault, *, due: bool) -> None:
        """A reader that was away is back. Bytes that were no frame are no gap: what came of them was said."""
        if not fault.cleared or fault.fault == Fault.NO_VALID_FRAME:
            return
        if fault.fault == Fault.LINK_REFUSED and self._first_start:
            return  # it was never there yet
        self._passed(turn, due)

    def go_on(self, turn: Turn, *, due: bool) -> None:
        """The table may go on: what it could not be asked before is asked now."""
        if self._gap and turn.state.paused is None:
            self._gap = False
            self._ask(turn, due)

    def _passed(self, turn: Turn, due: bool) -> None:
        if turn.state.paused is None:
            self._ask(turn, due)
        elif turn.state.paused not in _ASKED:
            self._gap = True

    def _ask(self, turn: Turn, due: bool) -> None:
        if self._names_places:
            return
        if turn.state.round is not None:
            reason = CardReason.UNSEEN_IN_HAND if due else None
        else:
            reason = CardReason.UNSEEN_BETWEEN_HANDS if self._own_rounds else None
        if reason is not None:
            turn.emit(TablePaused(reason=str(reason), by=STATION, detail=_DETAIL[reason]))
