"""What a pass of a card ends in when the card does not count.

Its frames are kept in the journal with the event and never named to servers: there are 52 cards to try, and one of
them gives the hash. What was read may still be the next card of this hand or of the next one.
"""

from __future__ import annotations

from dealer_daemon.events import AttemptHeld, TablePaused, Violation
from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.state import Step
from dealer_daemon.table.cards.hand import known
from dealer_daemon.table.common import STATION, Rules, pause
from dealer_daemon.table.turn import FrameLog, Turn
from dealer_daemon.validation.card import RESCAN_DETAIL, CardReason, Rescan
from dealer_drivers.instant import Instant
from dealer_drivers.readings.shoe import CardTrouble, ShoeProblem

_BACKWARDS = Rescan(CardReason.BACKWARDS_CARD, f"the shoe says that the card went backwards; {RESCAN_DETAIL}")
RESCANS = {
    ShoeProblem.CANNOT_READ: Rescan(CardTrouble.NO_READ, f"the shoe could not read the card; {RESCAN_DETAIL}"),
    ShoeProblem.WRONG_CARD_CODE: Rescan(
        CardReason.FOREIGN_CARD, f"the shoe says that the card is none of its set; {RESCAN_DETAIL}"
    ),
    ShoeProblem.BACKWARDS_AT_EXIT: _BACKWARDS,
    ShoeProblem.BACKWARDS_MIDWAY: _BACKWARDS,
}
"""What the shoe says of a card that it did not take (``devices.md`` §2)."""


class Incidents:
    """Holds, violations and alarms of one card table."""

    def __init__(self, rules: Rules, procedure: Procedure, frames: FrameLog) -> None:
        self.rules = rules
        self.procedure = procedure
        self.frames = frames
        self.hand_ended: Instant | None = None
        """When the newest hand did, in this run: until then its cards lay there, whatever was read last."""

    def take_evidence(self, turn: Turn) -> list[str]:
        """The frames since the last card, committed with this step; the next card has its own."""
        evidence = turn.evidence()
        self.frames.clear()
        return evidence

    def _hold(
        self, turn: Turn, reason: CardReason, detail: str, doubt: Step | None = None, asked: Step | None = None
    ) -> None:
        """The hand waits for a service manager. ``doubt``: a card that lies once those before it are known. ``asked``:
        the card that he is asked about, which lies nowhere yet."""
        current = turn.state.round
        assert current is not None
        card = doubt or asked
        turn.emit(
            AttemptHeld(
                reason=str(reason),
                attempt=current.attempt,
                detail=detail,
                seen=known(self.procedure, current.steps),
                evidence=[],
                kept=self.take_evidence(turn) if doubt is None else doubt.evidence,
                card=None if card is None else card.card,
                position=None if card is None else card.position,
                unit=None if card is None else card.unit,
            )
        )

    def _record(self, turn: Turn, reason: str, detail: str) -> None:
        """The card lies nowhere."""
        turn.emit(Violation(reason=str(reason), detail=detail, evidence=[], kept=self.take_evidence(turn)))

    def _violation(self, turn: Turn, reason: str, detail: str) -> None:
        """The card lies nowhere, and the table pauses."""
        self._record(turn, reason, detail)
        pause(turn, "violation", detail)

    def _alarm(self, turn: Turn, reason: CardReason, detail: str) -> None:
        """The deck is not what it should be."""
        self._record(turn, reason, detail)
        turn.emit(TablePaused(reason="integrity", by=STATION, detail=detail))
