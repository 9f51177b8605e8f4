"""Texts of a view: the catalogue's words and phrases, in all languages at once."""

from __future__ import annotations

from collections.abc import Mapping

from dealer_daemon.words import WORDS
from dealer_daemon.words.phrase import Part, Text, fill, plain
from dealer_daemon.words.table_screen import PHRASES

__all__ = ["Part", "Text", "figures_of", "gate_name", "hand_name", "ordinal", "plain", "position_name", "say", "word"]


def say(place: str, code: str, **parts: Part) -> Text:
    """A phrase of the catalogue. Raises ``KeyError`` for one that there is not."""
    return fill(code, PHRASES[place][code], parts)


def word(code: str) -> Text:
    """A word that messages carry; a person's own text, or a word of a later version, stands as it is."""
    entry = WORDS.get(code)
    if entry is None:
        return plain(code, code)
    return Text(code=code, english=entry.english, simplified=entry.simplified, traditional=entry.traditional)


def figures_of(reason: str, figures: Mapping[str, int | float]) -> Text | None:
    """A refusal's reason with its figures, where it has any that are said."""
    if reason not in PHRASES["figures"] or not {"seen", "needed"} <= figures.keys():
        return None
    return say("figures", reason, seen=f"{figures['seen']:g}", needed=f"{figures['needed']:g}")


def ordinal(n: int) -> Text:
    """``third``; in figures where no dealer counts in words."""
    if str(n) in PHRASES["nth"]:
        return say("nth", str(n))
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return Text(code=str(n), english=f"{n}{ending}", simplified=str(n), traditional=str(n))


def hand_name(hand: str) -> Text:
    """``player``, ``seat3.h2``: as positions name it, without the number of the card."""
    if hand in PHRASES["hand"]:
        return say("hand", hand)
    seat, _, number = hand.partition(".h")
    if seat.removeprefix("seat").isdigit() and number.isdigit():
        code = "seat_hand" if number == "1" else "seat_hand_more"
        return say("hand", code, seat=seat.removeprefix("seat"), number=number)
    return plain(hand, hand)


def gate_name(gate: str) -> Text:
    """What the round waits for."""
    return say("gate", gate) if gate in PHRASES["gate"] else say("gate", "other", name=gate)


def position_name(position: str) -> Text:
    """What is to be scanned, as a dealer is told: ``player.3``, ``head``, ``seat3.h2.4``, ``card.5``."""
    hand, _, number = position.rpartition(".")
    if not hand or not number.isdigit():
        return say("due", "single_card_due", hand=hand_name(position))
    if hand == "card":
        return say("due", "place_card_due", n=number)
    return say("due", "card_due", hand=hand_name(hand), nth=ordinal(int(number)))
