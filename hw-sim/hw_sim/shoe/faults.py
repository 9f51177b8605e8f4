"""What can go wrong with cards, by name; which of it in which hand; and what the station should do about it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from random import Random

from hw_sim.faults import GOOD, UnknownFault


class CardFault(StrEnum):
    """One fault. Those before the hand's end strike at one of its cards."""

    UNREADABLE = "unreadable"
    """The card cannot be read; scanned again it can. A shoe says E 1, a scanner NR, a piece of a code, or two codes."""
    UNREADABLE_OFTEN = "unreadable_often"
    """The same three times in a row."""
    BACKWARDS = "backwards"
    """The card lies the wrong way round: E 4 or E 5; turned round it is read."""
    FOREIGN = "foreign"
    """A card of another set: E 6, or a code that is in no book; then the right one."""
    FOREIGN_AGAIN = "foreign_again"
    """Scanners: the foreign card is scanned twice; then the right one."""
    MISREAD = "misread"
    """The reader takes the card for another one of the same value, and nothing gives it away but the video. Not with
    unit codes."""

    EQUAL_CARDS = "equal_cards"
    """The next card is equal to the one before it, from another deck."""
    NINTH_COPY = "ninth_copy"
    """A card all of whose copies came out of this shoe already; with unit codes a second card with the code of one that
    came out. Waits for the first hand without another fault in which that can be."""
    CUT_CARD = "cut_card"
    """The cut card shows before this card, wherever the shoe is."""
    SHOE_EMPTY = "shoe_empty"
    """There is no further card. Nothing says so: the dealer calls the manager."""

    DOUBLE_SCAN = "double_scan"
    """Scanners: the same text again within a second."""
    PASSED_TWICE = "passed_twice"
    """Scanners with unit codes: the dealer passes the card once more. With plain codes nobody could tell it from
    the next equal card."""
    SKIPPED_CARD = "skipped_card"
    """The card is not announced at all. A dealer at a scanner sees that and passes the card again; a shoe thinks
    that it told it."""

    LOST_TELEGRAM = "lost_telegram"
    """All copies of a card's telegram are lost but the last."""
    REPEATED_TELEGRAM = "repeated_telegram"
    """A card's telegram is sent twice as often as usual."""
    ANNOUNCED_TWICE = "announced_twice"
    """The card is told again as a message of its own, with the next sequence character."""
    WRONG_CHECKSUM = "wrong_checksum"
    """The first copy of a card's telegram is damaged."""
    RESTART = "restart"
    """The shoe restarts in mid-hand: it has forgotten the hand and calls the next card Player 1."""
    WRONG_SPEED = "wrong_speed"
    """From this card to the end of the hand the line runs at another speed than the host reads. At a scanner the dealer
    sees that the screen takes nothing, and has it put right."""
    UNPLUG = "unplug"
    """The plug is out for some seconds; the dealer sees it and waits."""
    POWER_CYCLE = "power_cycle"
    """As ``restart`` for a shoe; a scanner only loses what it was saying. By the control port."""

    TOO_EARLY = "too_early"
    """Scanners: the hand's first card passes before the table may take one; it stays where it is and is scanned again
    when its time has come."""
    EXTRA_CARD = "extra_card"
    """After the complete hand one card more: E 2 and the card outside a game, or simply its code. (At a scanner only a
    table whose server opens the rounds can tell it from the next hand's first card.)"""
    OVERDRAWN = "overdrawn"
    """After the complete hand the next hand's first card: E 2, and R announces it; it begins the next hand."""
    LOST_RESULT = "lost_result"
    """The shoe's own result is not told."""
    WRONG_RESULT = "wrong_result"
    """The shoe's own result is another one than the cards'."""


class Expect(StrEnum):
    """What the station should do by itself (``games.md`` §3)."""

    ACCEPT = "accept"
    """As if nothing were."""
    IGNORE = "ignore"
    """Recorded as the same card again."""
    RESCAN = "rescan"
    """The same card again, for the same position."""
    TRIES = "tries"
    """Rescan, and pause after so many in a row."""
    HOLD = "hold"
    """No outcome without a person."""
    VIOLATION = "violation"
    """Recorded, and the table pauses."""
    INTEGRITY = "integrity"
    """The integrity alarm: the table pauses."""
    LAST_HAND = "last_hand"
    """The last hand is announced."""
    LINK = "link"
    """The device's trouble is shown, and nothing is lost."""
    UNSEEN = "unseen"
    """Nothing of the hand arrived; the device's trouble is shown."""
    EITHER = "either"
    """The right outcome or none."""
    CORRECT = "correct"
    """Nothing; a person who looks at the video corrects it."""
    PERSON = "person"
    """Nothing; the dealer calls the manager, who voids the hand."""


_ANY = frozenset(
    {
        CardFault.UNREADABLE,
        CardFault.UNREADABLE_OFTEN,
        CardFault.FOREIGN,
        CardFault.MISREAD,
        CardFault.EQUAL_CARDS,
        CardFault.NINTH_COPY,
        CardFault.CUT_CARD,
        CardFault.SHOE_EMPTY,
        CardFault.SKIPPED_CARD,
        CardFault.WRONG_SPEED,
        CardFault.UNPLUG,
        CardFault.EXTRA_CARD,
    }
)
SHOE_FAULTS = _ANY | {
    CardFault.BACKWARDS,
    CardFault.LOST_TELEGRAM,
    CardFault.REPEATED_TELEGRAM,
    CardFault.ANNOUNCED_TWICE,
    CardFault.WRONG_CHECKSUM,
    CardFault.RESTART,
    CardFault.OVERDRAWN,
    CardFault.LOST_RESULT,
    CardFault.WRONG_RESULT,
}
SCANNER_FAULTS = _ANY | {
    CardFault.FOREIGN_AGAIN,
    CardFault.DOUBLE_SCAN,
    CardFault.PASSED_TWICE,
    CardFault.TOO_EARLY,
}
AFTER_HAND = frozenset({CardFault.EXTRA_CARD, CardFault.OVERDRAWN, CardFault.LOST_RESULT, CardFault.WRONG_RESULT})
"""The faults that strike when the hand is complete."""
ONE_DECK_HAS_NOT = frozenset({CardFault.EQUAL_CARDS, CardFault.CUT_CARD})
"""Faults that cannot be where every hand is dealt from a deck shuffled for it."""
CONTINUOUS_HAS_NOT = frozenset({CardFault.NINTH_COPY, CardFault.CUT_CARD, CardFault.SHOE_EMPTY})
"""Faults that cannot be where played cards go back into a continuous shuffler."""

NEED_A_CARD = frozenset({CardFault.EQUAL_CARDS, CardFault.RESTART})
"""Faults that need a card on the table."""

Strikes = dict[CardFault, int]
"""By fault, at which card of the hand, from 0."""


def parse_strikes(text: str, allowed: Collection[CardFault], least: int) -> dict[CardFault, int | None]:
    """Faults of one hand: ``good``, or names joined by ``+``, each perhaps with its card, ``unreadable@2`` (from 1).

    ``least``: so many cards has every hand. ``None`` leaves the card to chance. Raises ``UnknownFault``.
    """
    if text == GOOD:
        return {}
    known = {fault.value: fault for fault in allowed}
    strikes: dict[CardFault, int | None] = {}
    for entry in text.split("+"):
        name, at, number = entry.partition("@")
        if name not in known:
            raise UnknownFault(f"no fault {name!r}; there are: {GOOD}, {', '.join(sorted(known))}")
        first = 2 if known[name] in NEED_A_CARD else 1
        if at and not (number.isdecimal() and first <= int(number) <= least):
            raise UnknownFault(f"{entry!r}: the card is a number from {first} to {least}, which every hand has")
        strikes[known[name]] = int(number) - 1 if at else None
    return strikes


class HandDesk:
    """Decides hand by hand: injected faults, and beside them the scenario's list, then its rates."""

    def __init__(
        self,
        rng: Random,
        rates: Mapping[CardFault, float],
        hands: Sequence[Mapping[CardFault, int | None]],
        least: int,
    ) -> None:
        self._rng = rng
        self._rates = sorted(rates.items())
        self._hands = deque(hands)
        self._least = least
        self._injected: list[CardFault] = []

    def inject(self, fault: CardFault) -> None:
        """Adds a fault to the next hand that begins."""
        self._injected.append(fault)

    def next_hand(self) -> Strikes:
        """The faults of the hand that begins now. At most one comes by chance."""
        drawn = [fault for fault, rate in self._rates if self._rng.random() < rate]
        self._rng.shuffle(drawn)
        part = self._rng.random()
        chosen: dict[CardFault, int | None] = dict.fromkeys(drawn[:1])
        if self._hands:
            chosen = dict(self._hands.popleft())
        chosen |= dict.fromkeys(self._injected)
        self._injected.clear()
        return {fault: self._card(fault, part) if at is None else at for fault, at in sorted(chosen.items())}

    def _card(self, fault: CardFault, part: float) -> int:
        first = 1 if fault in NEED_A_CARD else 0
        return first + int(part * (self._least - first))
