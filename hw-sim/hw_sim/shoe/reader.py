"""What the dealer does with a reader of cards, whichever it is. Every call is of a moment and may send something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from hw_sim.shoe.cards import Card
from hw_sim.shoe.faults import CardFault, Expect

SECOND_SCAN_S = (0.15, 0.7)
"""From a scan to the same code again while the card still lies there."""


class Reader:
    """A shoe or a scanner: what a reader does not know of, nothing happens at. Seconds are the device's own."""

    driver: ClassVar[str]
    model: ClassVar[str]
    tells_units = False
    """Whether each physical card has a code of its own."""
    redraws = False
    """Whether a card that did not count can simply be replaced by the next one; a shoe has counted it."""

    @property
    def locked(self) -> bool:
        """Whether no card can be drawn just now."""
        return False

    def expects(self, fault: CardFault) -> Expect:
        """What the station should do when this fault strikes here."""
        raise NotImplementedError

    def next_s(self) -> float:
        """When the next bytes leave; ``math.inf`` when none are due."""
        raise NotImplementedError

    def due(self, now_s: float) -> bytes:
        """The bytes that leave now."""
        raise NotImplementedError

    def card(self, now_s: float, position: str, card: Card, fault: CardFault | None = None) -> None:
        """A card passes and is read, perhaps with a fault of the telegram."""
        raise NotImplementedError

    def unread(self, now_s: float, card: Card, fault: CardFault) -> None:
        """A card passes and is not read as a card of the set."""
        raise NotImplementedError

    def extra(self, now_s: float, card: Card) -> None:
        """A card passes after the hand."""
        raise NotImplementedError

    def put_right(self, now_s: float) -> None:
        """The dealer put right what the reader complained of."""

    def new_shoe(self, now_s: float) -> None:
        """Freshly shuffled cards are in."""

    def stand_by(self, now_s: float) -> None:
        """A hand may begin."""

    def burn(self, now_s: float, card: Card, first: bool) -> None:  # noqa: ARG002
        """A card of a new shoe is burnt; the first one says how many follow."""
        self.card(now_s, "burn", card)

    def cut_card(self, now_s: float) -> None:
        """The cut card came out."""

    def overdrawn(self, now_s: float, card: Card) -> None:
        """The next hand's first card came out too early."""

    def over(self, now_s: float, fault: CardFault | None = None) -> None:
        """The hand is complete."""

    def swept(self, now_s: float) -> None:
        """The hand was given up."""

    def restart(self, now_s: float) -> None:
        """Power fails and comes back."""

    def receive(self, data: bytes, now_s: float) -> None:
        """The host sent bytes."""

    def files(self) -> Mapping[str, str]:
        """What a host needs beside the port: file name to text."""
        return {}
