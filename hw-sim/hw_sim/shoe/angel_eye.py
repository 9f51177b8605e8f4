"""An Angel Eye II-EX (``devices.md`` §2): it counts the hand, names every card's place, and tells its own result.

The shoe plays baccarat by the cards that *it* read. What the dealer does besides, it does not know.
"""

from __future__ import annotations

from random import Random

from hw_sim.shoe.cards import Card
from hw_sim.shoe.commands import Console
from hw_sim.shoe.faults import CardFault, Expect
from hw_sim.shoe.reader import Reader
from hw_sim.shoe.rules import baccarat_follows, baccarat_winner
from hw_sim.shoe.telegrams import (
    BACKWARDS_AT_EXIT,
    BACKWARDS_MIDWAY,
    BURN_COUNT,
    CANNOT_READ,
    FIRST_BURN,
    FORCE_QUIT,
    IN_ERROR,
    OVERDRAW,
    RESULTS,
    TO_BANKER,
    TO_PLAYER,
    WRONG_CARD_CODE,
    Fate,
    Sender,
    card_bytes,
    result_byte,
)

STOPPED = 0x40
PLACES = {"player": TO_PLAYER, "banker": TO_BANKER}

_EXPECT = {
    CardFault.UNREADABLE: Expect.RESCAN,
    CardFault.BACKWARDS: Expect.RESCAN,
    CardFault.FOREIGN: Expect.RESCAN,
    CardFault.UNREADABLE_OFTEN: Expect.TRIES,
    CardFault.MISREAD: Expect.CORRECT,
    CardFault.NINTH_COPY: Expect.INTEGRITY,
    CardFault.SKIPPED_CARD: Expect.HOLD,
    CardFault.ANNOUNCED_TWICE: Expect.IGNORE,
    CardFault.RESTART: Expect.HOLD,
    CardFault.WRONG_SPEED: Expect.HOLD,
    CardFault.EXTRA_CARD: Expect.VIOLATION,
    CardFault.OVERDRAWN: Expect.VIOLATION,
    CardFault.WRONG_RESULT: Expect.HOLD,
}


class AngelEye(Reader):
    """The shoe. ``sends``: copies of each message, as long as nobody acknowledges."""

    driver = "angel-eye"
    model = "angel-eye"

    def __init__(self, rng: Random, *, sends: int, gap_s: float, stx_in_bcc: bool) -> None:
        self._rng = rng
        self._sender = Sender(rng, sends, gap_s)
        self._console = Console(stx_in_bcc)
        self._counted: dict[str, Card] = {}
        """The hand as the shoe counts it."""
        self._told_result = False
        self._burnt = 0
        self._error = 0

    @property
    def locked(self) -> bool:
        """The host locked the shoe: no card comes out."""
        return self._console.locked

    def expects(self, fault: CardFault) -> Expect:
        if fault is CardFault.WRONG_CHECKSUM:
            return Expect.RESCAN if self._sender.sends > 1 else Expect.HOLD
        if fault is CardFault.LOST_TELEGRAM and self._sender.sends == 1:
            return Expect.HOLD
        return _EXPECT.get(fault, Expect.ACCEPT)

    def next_s(self) -> float:
        return min(self._sender.next_s(), self._console.next_s())

    def due(self, now_s: float) -> bytes:
        # An answer goes out at once, between two telegrams.
        return self._console.due() if self._console.next_s() <= now_s else self._sender.due(now_s)

    def new_shoe(self, now_s: float) -> None:
        self.restart(now_s)

    def restart(self, now_s: float) -> None:
        self._sender.restart()
        self._console.power_lost()
        self._counted.clear()
        self._told_result, self._burnt, self._error = False, 0, 0
        self._sender.put(now_s, "S")

    def stand_by(self, now_s: float) -> None:
        self._counted.clear()
        self._told_result = False
        self._sender.put(now_s, "P")

    def burn(self, now_s: float, card: Card, first: bool) -> None:
        self._burnt = 1 if first else self._burnt + 1
        place, index = (FIRST_BURN, 1) if first else (BURN_COUNT, self._burnt - 1)
        self._sender.put(now_s, "D", card_bytes(place, index, card.pips, card.suit))

    def card(self, now_s: float, position: str, card: Card, fault: CardFault | None = None) -> None:  # noqa: ARG002
        place = baccarat_follows(self._counted)
        if place is None:
            self.extra(now_s, card)
            return
        self._counted[place] = card
        side, index = place.split(".")
        payload = card_bytes(PLACES[side], int(index), card.pips, card.suit)
        self._sender.put(now_s, "D", payload, self._fates(fault))
        if fault is CardFault.ANNOUNCED_TWICE:
            self._sender.put(now_s, "D", payload)

    def _fates(self, fault: CardFault | None) -> tuple[Fate, ...]:
        sends = self._sender.sends
        match fault:
            case CardFault.SKIPPED_CARD:
                return (Fate.LOST,) * sends
            case CardFault.LOST_TELEGRAM:
                return (Fate.LOST,) * (sends - 1) + (Fate.WHOLE if sends > 1 else Fate.LOST,)
            case CardFault.WRONG_CHECKSUM:
                return (Fate.DAMAGED,) + (Fate.WHOLE,) * (sends - 1)
            case CardFault.REPEATED_TELEGRAM:
                return (Fate.WHOLE,) * (2 * sends)
        return ()

    def unread(self, now_s: float, card: Card, fault: CardFault) -> None:  # noqa: ARG002
        if fault is CardFault.BACKWARDS:
            self._complain(now_s, self._rng.choice((BACKWARDS_AT_EXIT, BACKWARDS_MIDWAY)))
        elif fault is CardFault.FOREIGN:
            self._complain(now_s, WRONG_CARD_CODE)
        else:
            self._complain(now_s, CANNOT_READ)

    def _complain(self, now_s: float, error: int) -> None:
        self._error = error
        self._sender.put(now_s, "E", (STOPPED | error,))

    def put_right(self, now_s: float) -> None:
        if self._error:
            self._sender.put(now_s, "e", (self._error,))
            self._error = 0

    def cut_card(self, now_s: float) -> None:
        self._sender.put(now_s, "C")

    def extra(self, now_s: float, card: Card) -> None:
        if not self._error:
            self._complain(now_s, OVERDRAW)
        self._sender.put(now_s, "d", card_bytes(IN_ERROR, 0, card.pips, card.suit))

    def overdrawn(self, now_s: float, card: Card) -> None:
        self._complain(now_s, OVERDRAW)
        self._sender.put(now_s, "R", card_bytes(TO_PLAYER, 1, card.pips, card.suit))

    def over(self, now_s: float, fault: CardFault | None = None) -> None:
        if self._told_result:
            return
        self._told_result = True
        if baccarat_follows(self._counted) is not None:
            # The shoe counts fewer cards than lie there: a person ends its hand.
            self._sender.put(now_s, "G", result_byte(FORCE_QUIT))
            return
        winner = baccarat_winner(self._counted)
        if fault is CardFault.WRONG_RESULT:
            winner = self._rng.choice([other for other in RESULTS if other != winner])
        pairs = [self._is_pair(side) for side in ("player", "banker")]
        lost = (Fate.LOST,) * self._sender.sends if fault is CardFault.LOST_RESULT else ()
        self._sender.put(now_s, "G", result_byte(RESULTS[winner], *pairs), lost)

    def _is_pair(self, side: str) -> bool:
        return self._counted[f"{side}.1"].rank == self._counted[f"{side}.2"].rank

    def swept(self, now_s: float) -> None:
        if self._counted and not self._told_result:
            self._told_result = True
            self._sender.put(now_s, "G", result_byte(FORCE_QUIT))

    def receive(self, data: bytes, now_s: float) -> None:
        for said in self._console.receive(data, now_s):
            if said == "acknowledged":
                self._sender.acknowledged()
            elif said == "clear":
                self.put_right(now_s)
            else:
                self._sender.put(now_s, "L", (self._console.locked,))
