"""How a simulated card table is set up in a scenario: one structure a reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from hw_sim.faults import UnknownFault
from hw_sim.shoe.blackjack import BOOKS, blackjack_rules
from hw_sim.shoe.card_window import Symbology
from hw_sim.shoe.cards import full_set, is_card
from hw_sim.shoe.codes import CodeKind
from hw_sim.shoe.faults import (
    CONTINUOUS_HAS_NOT,
    ONE_DECK_HAS_NOT,
    SCANNER_FAULTS,
    SHOE_FAULTS,
    CardFault,
    parse_strikes,
)
from hw_sim.shoe.rules import ORDERS, Rules, rules_of

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
Span = tuple[Annotated[float, msgspec.Meta(ge=0)], Annotated[float, msgspec.Meta(ge=0)]]
"""Least and most; seconds."""
Game = Literal[
    "baccarat",
    "dragon-tiger",
    "niu-niu",
    "three-cards",
    "san-gong",
    "koi",
    "brawl",
    "andar-bahar",
    "holdem",
    "blackjack",
]


class CardOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="model"):
    """What every card table can be told."""

    name: str
    card_s: Span = (1.2, 2.5)
    """From one card to the next."""
    between_s: Span = (6.0, 12.0)
    """From one hand to the next."""
    rescan_s: Span = (2.0, 4.0)
    """A dealer who is not told to scans a card again after so long."""
    shuffle_s: Span = (30.0, 60.0)
    """From the last hand of a shoe to the next shoe."""
    patience_s: Annotated[float, msgspec.Meta(gt=0)] = 30.0
    """A dealer whom nobody tells anything goes on after so long."""
    work: Literal["play", "bench"] = "play"
    """``bench``: no hand is dealt. Told ``sorted`` or ``shuffled``, somebody passes every card of the shoe once."""
    dirty: tuple[str, ...] = ()
    """At the bench: these are not read at their first pass."""
    lost: tuple[str, ...] = ()
    """At the bench: one of each is not in the pile."""
    starts: Literal["by_itself", "told", "card_by_card"] = "by_itself"
    """``told``: every hand waits for the word ``deal``, and every decision at blackjack for ``expected``.
    ``card_by_card``: every card waits for it."""
    decision_s: Span = (1.0, 3.0)
    """Blackjack: from what a player decides to the card for it."""
    cut_from_end: tuple[Annotated[int, msgspec.Meta(ge=6)], Annotated[int, msgspec.Meta(ge=6)]] | None = None
    """Cards behind the cut card, least and most, at least what one hand may take; 14 to 20, for blackjack 60 to 90."""
    burn_by_first: bool = False
    """The first card of a shoe is burnt, and as many more as it says (ten for T J Q K)."""
    top: tuple[str, ...] = ()
    """The first cards of the first shoe, ``["8S", "KD"]``."""
    wait_for_host: bool = False
    """The table's time begins when a host first opens the port."""
    rates: dict[CardFault, Rate] = {}
    """Chance of each fault, per hand; at most one strikes."""
    hands: tuple[str, ...] = ()
    """Faults of the first hands, one entry each: ``good``, a fault, or several joined by ``+``; ``unreadable@2``
    strikes at the second card."""

    def rules(self) -> Rules:
        """What is played. Raises ``KeyError`` for a reading order that the game has not."""
        raise NotImplementedError

    def all_decks(self) -> int:
        """Decks in the shoe."""
        raise NotImplementedError

    def faults(self) -> frozenset[CardFault]:
        """The faults that this table can have."""
        raise NotImplementedError

    def cut(self) -> tuple[int, int]:
        """Cards behind the cut card, least and most."""
        rules = self.rules()
        if rules.continuous:
            return (-1, -1)  # there is none
        return self.cut_from_end or ((60, 90) if rules.game == "blackjack" else (14, 20))

    def problems(self) -> list[tuple[str, str]]:
        """Everything that cannot be, as (key, reason)."""
        found = []
        if not self.name or not all(c.isalnum() or c in "-_" for c in self.name):
            found.append(("name", f"{self.name!r} may only hold letters, digits, - and _"))
        for key in ("card_s", "between_s", "rescan_s", "shuffle_s", "decision_s", "cut_from_end"):
            least, most = getattr(self, key) or (0, 0)
            if least > most:
                found.append((key, f"the least, {least}, is over the most, {most}"))
        try:
            rules = self.rules()
        except KeyError:
            return [*found, ("order", f"there is no such order; there are: {', '.join(self._orders())}")]
        for key in ("top", "dirty", "lost"):
            found += [(key, f"{text!r} is no card") for text in getattr(self, key) if not is_card(text)]
        known = [card.text for card in full_set(self.all_decks())]
        found += [
            ("top", f"the shoe has {known.count(text)} of {text}")
            for text in sorted(set(self.top))
            if is_card(text) and self.top.count(text) > known.count(text)
        ]
        for entry in self.hands:
            try:
                parse_strikes(entry, self.faults(), rules.least)
            except UnknownFault as error:
                found.append(("hands", str(error)))
        found += [
            ("rates", f"this table has no fault {fault.value!r}") for fault in sorted(self.rates.keys() - self.faults())
        ]
        return found

    def _orders(self) -> Sequence[str]:
        return ()


class AngelEyeOptions(CardOptions, frozen=True, kw_only=True, tag="angel-eye"):
    """Baccarat from an Angel Eye II-EX with eight decks."""

    port: Literal["pty", "tcp"] = "pty"
    sends: Annotated[int, msgspec.Meta(ge=1, le=3)] = 3
    """Copies of each message, as long as the host does not acknowledge."""
    repeat_s: Annotated[float, msgspec.Meta(gt=0)] = 0.3
    """From one copy to the next."""
    command_bcc: Literal["stx_excluded", "stx_included"] = "stx_excluded"
    """Whether the check of a command covers STX."""

    def rules(self) -> Rules:
        return rules_of("baccarat", "deal")

    def all_decks(self) -> int:
        return 8

    def faults(self) -> frozenset[CardFault]:
        return SHOE_FAULTS


class CodedOptions(CardOptions, frozen=True, kw_only=True):
    """Any game with cards that carry codes."""

    game: Game
    order: str = ""
    """In which order cards are read; empty: the usual one."""
    book: str = ""
    """Blackjack: by which rule book, ``classic-001`` (the usual one) ``classic-003`` ``infinite-001`` ``free-bet-001``
    ``switch-001``."""
    burn: bool = False
    """Dragon tiger: a card is burnt before each hand, and passes the scanner."""
    decks: Annotated[int, msgspec.Meta(ge=1, le=16)] | None = None
    """``None``: what the game is played with."""
    codes: CodeKind = "rank-suit"
    """What is printed on the cards: ``rank-suit`` the card itself, ``rank-suit-book`` and ``unit`` codes of a book,
    which is written beside the ports. With the first the cut card has no code: somebody must tell the table of every
    new shoe."""
    deck_set: str = "blue-1"
    exchanged: tuple[str, str] | None = None
    """The code book has these two cards in each other's place: whoever made it mixed them up."""

    def rules(self) -> Rules:
        if self.game == "blackjack":
            return blackjack_rules(self.book or next(iter(BOOKS)))
        return rules_of(self.game, self.order or next(iter(self._orders()), ""), burn=self.burn)

    def all_decks(self) -> int:
        return self.decks or self.rules().decks

    def faults(self) -> frozenset[CardFault]:
        # Nobody could tell a second pass of a plain code from the next equal card; no code of its own is another's.
        cannot = {CardFault.MISREAD} if self.codes == "unit" else {CardFault.PASSED_TWICE}
        if self.all_decks() == 1:
            cannot |= ONE_DECK_HAS_NOT
        if self.rules().continuous:
            cannot |= CONTINUOUS_HAS_NOT
        return SCANNER_FAULTS - cannot

    def problems(self) -> list[tuple[str, str]]:
        """As every table's; and a text that is none, a burn or a book in a game that has none."""
        if self.book and (self.game != "blackjack" or self.book not in BOOKS):
            return [("book", f"blackjack alone has books, and they are: {', '.join(BOOKS)}")]
        found = super().problems()
        found += [("exchanged", f"{text!r} is no card") for text in self.exchanged or () if not is_card(text)]
        if self.exchanged and self.codes == "rank-suit":
            found.append(("exchanged", "cards whose code is the card itself have no book"))
        for key in ("deck_set", *self._texts()):
            text = getattr(self, key)
            if not text.isascii() or not text.isprintable():
                found.append((key, f"{text!r} must be printable ASCII"))
        if self.burn and self.game != "dragon-tiger":
            found.append(("burn", "only dragon tiger burns a card before each hand"))
        return found

    def _orders(self) -> Sequence[str]:
        return ORDERS.get(self.game, ())

    def _texts(self) -> Sequence[str]:
        """The options that are sent as text."""
        return ()


class ScannerOptions(CodedOptions, frozen=True, kw_only=True, tag="scanner"):
    """Any game over a scanner that sends text."""

    port: Literal["pty", "tcp"] = "pty"
    suffix: Literal["CR", "LF", "CRLF", "TAB", "none"] = "CRLF"
    prefix: str = ""
    aim: str = ""
    """AIM identifier before each code, ``]C0``."""
    no_read: str = "NR"

    def _texts(self) -> Sequence[str]:
        return ("prefix", "aim", "no_read")


class CardWindowOptions(CodedOptions, frozen=True, kw_only=True, tag="card-window"):
    """Any game before a camera that looks at the cards' codes through a window. Its pictures are of our time whatever
    the speed: run it at ``--speed 1``."""

    port: Literal["http"] = "http"
    fps: Annotated[float, msgspec.Meta(gt=0, le=60)] = 20.0
    symbology: Symbology = "datamatrix"
    card_s: Span = (2.6, 3.6)
    """A card is in sight for about a second, and two equal ones are told apart a second after the first has left."""
    rest_s: Span = (0.5, 0.8)
    """How long a card lies in the window."""

    def problems(self) -> list[tuple[str, str]]:
        """As every table's; and a rest that ends before it begins."""
        least, most = self.rest_s
        return super().problems() + ([("rest_s", "the least is over the most")] if least > most else [])

    def faults(self) -> frozenset[CardFault]:
        # A camera has no speed of a line.
        return super().faults() - {CardFault.WRONG_SPEED}


class HidPosOptions(CodedOptions, frozen=True, kw_only=True, tag="scanner-hidpos"):
    """Hands dealt beforehand over a USB HID-POS scanner that umockdev plays (``hidpos.py``)."""

    port: Literal["umockdev"] = "umockdev"
    count: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 20
    """Hands in the capture."""
    codes: CodeKind = "unit"
    """They come without a pause, so that a code of its own on each card is what tells two equal cards apart."""
    aim: Annotated[str, msgspec.Meta(pattern="^(\\][A-Za-z][0-9])?$")] = "]C0"
    no_read: str = "NR"

    def faults(self) -> frozenset[CardFault]:
        # A capture has no speed, and no plug but at its end.
        return super().faults() - {CardFault.WRONG_SPEED, CardFault.UNPLUG}

    def _texts(self) -> Sequence[str]:
        return ("no_read",)
