"""What a dealer's page shows, whole: the browser lays it out and computes nothing of the game.

Only what servers may know is in here, too: no field holds a reading that is withheld.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from dealer_daemon.words.phrase import Text

Tone = Literal["act", "look", "wait", "call", "stop"]
"""What is asked of the dealer: do something; nothing, the devices are reading; wait; a person is called; stop."""


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """A place for one card."""

    position: str
    state: Literal["lies", "hidden", "due", "empty"]
    """``hidden``: a card lies there that nobody may know yet."""
    card: str | None = None
    """``"8S"``, where it lies there and may be known."""


class Hand(msgspec.Struct, frozen=True, kw_only=True):
    """One hand of a card table."""

    hand: str
    name: Text
    slots: list[Slot]
    note: Text | None = None
    """Its total or rank, where all of it may be known."""
    won: bool = False


class Cards(msgspec.Struct, frozen=True, kw_only=True, tag="cards"):
    """The cloth of a card table."""

    heading: Text
    hands: list[Hand]
    result: Text | None = None
    settled: bool = False


class Number(msgspec.Struct, frozen=True, kw_only=True, tag="number"):
    """A roulette number."""

    heading: Text
    number: str
    colour: str
    notes: list[Text] = []
    settled: bool = False


class Dice(msgspec.Struct, frozen=True, kw_only=True, tag="dice"):
    """Three dice, ascending."""

    heading: Text
    dice: list[int]
    notes: list[Text] = []
    settled: bool = False


class Segment(msgspec.Struct, frozen=True, kw_only=True, tag="segment"):
    """Where the colour wheel rests."""

    heading: Text
    colour: str
    name: Text
    segment: int | None
    notes: list[Text] = []
    settled: bool = False


class Beans(msgspec.Struct, frozen=True, kw_only=True, tag="beans"):
    """The last group of a fan-tan layout."""

    heading: Text
    remainder: int
    notes: list[Text] = []
    settled: bool = False


Felt = Cards | Number | Dice | Segment | Beans


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """What is due now, in one line to be read at two metres, and a second one beneath it."""

    text: Text
    tone: Tone
    more: Text | None = None


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """The last attempt or card that did not count, as long as it is to be made again."""

    remedy: Text
    reason: Text
    figures: Text | None
    """What was seen against what is asked, where the reason has figures."""
    where: Text | None
    """The card that it was about."""
    sequence: int


class Tries(msgspec.Struct, frozen=True, kw_only=True):
    """Attempts of the round: after ``most`` refused ones in a row the table pauses."""

    attempt: int
    refused: int
    most: int
    text: Text


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A mark or an alarm. ``severity``: ``info`` stands beside the game, ``error`` in its way."""

    code: str
    text: Text
    severity: Literal["info", "warning", "error"]


class Button(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the dealer may ask for now. ``about`` goes back with the press: what the dealer saw then."""

    act: str
    text: Text
    about: dict[str, Any]
    weight: Literal["main", "plain", "alarm"] = "plain"


class Keypad(msgspec.Struct, frozen=True, kw_only=True):
    """A result is keyed in here, twice: ``count`` of ``choices``."""

    device: str
    round: str | None
    title: Text
    once: Text
    again: Text
    undo: Text
    field: Literal["number", "dice", "segment", "remainder"]
    count: int
    choices: list[str]


class View(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on the page of one table."""

    boot: str
    table: str
    language: str
    game: Text
    phase: str
    phase_text: Text
    names: list[Text]
    """Round, hand and shoe."""
    due: Due
    refusal: Refusal | None
    tries: Tries | None
    felt: Felt | None
    marks: list[Line]
    alarms: list[Line]
    buttons: list[Button]
    keypad: Keypad | None
    sequence: int
    """Of the newest event that is in here."""
