"""Judges one card pass: may this card lie on the position that is due? (``games.md`` §3, the table of cases.)

Pure: what has come out of the shoe, and what is due, are arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from dealer_drivers.readings.shoe import CardForeign, CardRead, CardUnit, CardUnreadable, ShoeSlot

RESCAN_DETAIL = "scan the same card again"
FIRST_OF_HAND = "player.1"
"""A shoe that names its places begins a hand here and nowhere else (``devices.md`` §2)."""
BURN = "burn"
WHILE_BETTING = "a card was drawn while betting is open"
"""All that is said of it where cards are withheld: what would be due next follows from them."""


class CardReason(StrEnum):
    """Why a card did not count, beside the words of ``CardTrouble`` for one that could not be read."""

    # Rescan.
    FOREIGN_CARD = "foreign_card"
    DEALER_RESCAN = "dealer_rescan"
    BACKWARDS_CARD = "backwards_card"
    # Pause: integrity alarm.
    FOREIGN_CARD_AGAIN = "foreign_card_again"
    COPIES_USED_UP = "copies_used_up"
    UNIT_SEEN_BEFORE = "unit_seen_before"
    # Pause: procedure violation.
    CARD_WHILE_BETTING = "card_while_betting"
    CARD_BETWEEN_ROUNDS = "card_between_rounds"
    CARD_BEFORE_GATE = "card_before_gate"
    CARD_NOT_EXPECTED = "card_not_expected"
    CARD_NOT_DUE = "card_not_due"
    CARD_OUTSIDE_GAME = "card_outside_game"
    CARD_WHILE_HELD = "card_while_held"
    CARD_WHILE_PAUSED = "card_while_paused"
    SHOE_NOT_VERIFIED = "shoe_not_verified"
    # Said, and scanned again.
    BURN_NOT_READ = "burn_not_read"
    # Pause, and nobody did wrong.
    SHOE_EMPTY = "shoe_empty"
    UNSEEN_IN_HAND = "unseen_in_hand"
    UNSEEN_BETWEEN_HANDS = "unseen_between_hands"
    UNSEEN_BEFORE_BURN = "unseen_before_burn"
    # Held.
    PERHAPS_REPEATED = "perhaps_repeated"
    SLOT_OVERWRITTEN = "slot_overwritten"
    CARD_SKIPPED = "card_skipped"
    SHOE_RESULT_DISAGREES = "shoe_result_disagrees"
    FORCE_QUIT = "force_quit"
    SHOE_RESTARTED = "shoe_restarted"
    # Ignored, and recorded.
    SAME_PASS = "same_pass"
    SAME_SLOT = "same_slot"
    SAME_UNIT = "same_unit"
    ANNOUNCED_AGAIN = "announced_again"
    # The cards of a hand that gives no result.
    JOINED_MID_HAND = "joined_mid_hand"
    REST_OF_HAND = "rest_of_hand"


@dataclass(frozen=True, slots=True)
class Lies:
    """A card that lies on the table in this round."""

    position: str
    card: str
    unit: str | None


@dataclass(frozen=True, slots=True)
class Fresh:
    """The card counts for the position that is due."""

    card: str
    unit: str | None


@dataclass(frozen=True, slots=True)
class Again:
    """The same physical card as one that lies there already: ignored, recorded."""

    reason: CardReason


@dataclass(frozen=True, slots=True)
class Rescan:
    """It could not be told; the same card once more, on the same position."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Alarm:
    """The deck is not what it should be: the table pauses and a manager looks."""

    reason: CardReason
    detail: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """Held: what the reader says contradicts what lies on the table."""

    reason: CardReason
    detail: str


Pass = Fresh | Again | Rescan | Alarm | Doubt


def unit_text(unit: CardUnit | None) -> str | None:
    """A physical card's name as the journal keeps it."""
    return None if unit is None else f"{unit.deck_set}/{unit.deck}/{unit.serial}"


def hinted_position(reading: CardRead | CardUnreadable) -> str | None:
    """The position that the shoe itself names, ``player.1``; ``None`` without a hint, ``burn`` for burn cards."""
    if reading.hint is None:
        return None
    if reading.hint.slot in (ShoeSlot.PLAYER, ShoeSlot.BANKER):
        return f"{reading.hint.slot}.{reading.hint.index}"
    return BURN


def named_place(reading: CardRead) -> str | None:
    """The place in the shoe's own words, ``burn_count.2``, by which its burn cards are told apart."""
    return None if reading.hint is None else f"{reading.hint.slot}.{reading.hint.index}"


def judge_again(reading: CardRead, lying: Collection[Lies]) -> Again | Doubt | None:
    """Whether this card lies there already. ``lying``: the cards of the hand that it would belong to.

    ``repeated`` says that the scanner saw this code less than its repeat window ago, whatever was made of it then: the
    card is still the same pass. Outside the window two equal cards are two cards, for eight decks hold eight of each;
    a shoe that names the place, and a code that names the physical card, tell it for certain.
    """
    if reading.repeated:
        return Again(CardReason.SAME_PASS)
    position, unit = hinted_position(reading), unit_text(reading.unit)
    if position is not None and position != BURN:
        there = next((card for card in lying if card.position == position), None)
        if there is not None and there.card == reading.card:
            return Again(CardReason.SAME_SLOT)
        if there is not None:
            return Doubt(
                CardReason.SLOT_OVERWRITTEN,
                f"the shoe gives a second card for {position}: the first one stands until a person decides",
            )
    if unit is not None and any(card.unit == unit for card in lying):
        return Again(CardReason.SAME_UNIT)
    return None


def judge_card(
    reading: CardRead, position: str, drawn: Mapping[str, int], units: Collection[str], decks: int
) -> Fresh | Alarm | Doubt:
    """A card that is not a repeat, for the position that is due.

    ``drawn`` and ``units`` are what has come out of this shoe (or this round, from a continuous shuffler), by card and
    by physical card.
    """
    hinted, unit = hinted_position(reading), unit_text(reading.unit)
    if hinted is not None and hinted != position:
        return Doubt(
            CardReason.CARD_SKIPPED, f"the shoe gives the card for {hinted} and {position} is due: a card was missed"
        )
    return judge_copies(reading.card, unit, drawn, units, decks) or Fresh(reading.card, unit)


def judge_copies(
    card: str, unit: str | None, drawn: Mapping[str, int], units: Collection[str], decks: int
) -> Alarm | None:
    """Whether the shoe can still hold this card."""
    if unit is not None and unit in units:
        return Alarm(CardReason.UNIT_SEEN_BEFORE, "this very card came out of this shoe before")
    if drawn.get(card, 0) >= decks:
        had = "the only copy" if decks == 1 else f"all {decks} copies"
        return Alarm(CardReason.COPIES_USED_UP, f"{had} of this card came out of this shoe before")
    return None


def judge_unread(reading: CardUnreadable | CardForeign, foreign_before: str | None) -> Rescan | Alarm:
    """A card that could not be told, or is none of this deck set. ``foreign_before``: the foreign code just seen."""
    if isinstance(reading, CardUnreadable):
        return Rescan(reading.reason, f"{reading.detail or 'the card could not be read'}; {RESCAN_DETAIL}")
    if foreign_before == reading.code:
        detail = f"the same code that is no card of this deck set came again ({reading.kind}): take the card out"
        return Alarm(CardReason.FOREIGN_CARD_AGAIN, detail)
    return Rescan(CardReason.FOREIGN_CARD, f"a code that is no card of this deck set ({reading.kind}); {RESCAN_DETAIL}")
