"""How a simulated card table is set up in a scenario: one structure a reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from hw_sim.faults import UnknownFault
from hw_sim.shoe.cards import full_set, is_card
from hw_sim.shoe.codes import CodeKind
from hw_sim.shoe.faults import ONE_DECK_HAS_NOT, SCANNER_FAULTS, SHOE_FAULTS, CardFault, parse_strikes
from hw_sim.shoe.rules import ORDERS, Rules, rules_of

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
Span = tuple[Annotated[float, msgspec.Meta(ge=0)], Annotated[float, msgspec.Meta(ge=0)]]
"""Least and most; seconds."""
Game = Literal[
    "baccarat", "dragon-tiger", "niu-niu", "three-cards", "san-gong", "koi", "brawl", "andar-bahar", "holdem"
]


class CardOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="model"):
    """What every card table can be told."""

    name: str
    port: Literal["pty", "tcp"] = "pty"
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
    starts: Literal["by_itself", "told"] = "by_itself"
    """``told``: every hand waits for the word ``deal``."""
    cut_from_end: tuple[Annotated[int, msgspec.Meta(ge=6)], Annotated[int, msgspec.Meta(ge=6)]] = (14, 20)
    """Cards behind the cut card, least and most; at least what one hand may take."""
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

    def problems(self) -> list[tuple[str, str]]:
        """Everything that cannot be, as (key, reason)."""
        found = []
        if not self.name or not all(c.isalnum() or c in "-_" for c in self.name):
            found.append(("name", f"{self.name!r} may only hold letters, digits, - and _"))
        for key in ("card_s", "between_s", "rescan_s", "shuffle_s", "cut_from_end"):
            least, most = getattr(self, key)
            if least > most:
                found.append((key, f"the least, {least}, is over the most, {most}"))
        try:
            rules = self.rules()
        except KeyError:
            return [*found, ("order", f"there is no such order; there are: {', '.join(self._orders())}")]
        found += [("top", f"{text!r} is no card") for text in self.top if not is_card(text)]
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


class ScannerOptions(CardOptions, frozen=True, kw_only=True, tag="scanner"):
    """Any game over a scanner that sends text."""

    game: Game
    order: str = ""
    """In which order cards are read; empty: the usual one."""
    burn: bool = False
    """Dragon tiger: a card is burnt before each hand, and passes the scanner."""
    decks: Annotated[int, msgspec.Meta(ge=1, le=16)] | None = None
    """``None``: what the game is played with."""
    codes: CodeKind = "rank-suit"
    """What is printed on the cards: ``rank-suit`` the card itself, ``rank-suit-book`` and ``unit`` codes of a book,
    which is written beside the ports. With the first the cut card has no code: somebody must tell the table of every
    new shoe."""
    deck_set: str = "blue-1"
    suffix: Literal["CR", "LF", "CRLF", "TAB", "none"] = "CRLF"
    prefix: str = ""
    aim: str = ""
    """AIM identifier before each code, ``]C0``."""
    no_read: str = "NR"

    def rules(self) -> Rules:
        return rules_of(self.game, self.order or next(iter(self._orders()), ""), burn=self.burn)

    def all_decks(self) -> int:
        return self.decks or self.rules().decks

    def faults(self) -> frozenset[CardFault]:
        # Nobody could tell a second pass of a plain code from the next equal card; no code of its own is another's.
        cannot = {CardFault.MISREAD} if self.codes == "unit" else {CardFault.PASSED_TWICE}
        if self.all_decks() == 1:
            cannot |= ONE_DECK_HAS_NOT
        return SCANNER_FAULTS - cannot

    def problems(self) -> list[tuple[str, str]]:
        """As every table's; and a prefix or identifier that is no text, a burn in a game that has none."""
        found = super().problems()
        for key in ("prefix", "aim", "no_read", "deck_set"):
            text = getattr(self, key)
            if not text.isascii() or not text.isprintable():
                found.append((key, f"{text!r} must be printable ASCII"))
        if self.burn and self.game != "dragon-tiger":
            found.append(("burn", "only dragon tiger burns a card before each hand"))
        return found

    def _orders(self) -> Sequence[str]:
        return ORDERS.get(self.game, ())
