"""The hands of one blackjack round as its history leaves them: a fold, no judgement."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from dealer_daemon.games.cards.blackjack_rules import Rules, total
from dealer_daemon.games.cards.card import Card, texts
from dealer_daemon.games.cards.procedure import CardStep, ExpectStep, Facts, History


class Action(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="action", tag=str.lower):
    """What ``card.expect`` may say; the word is the class's name in small letters."""


class Seats(Action, frozen=True, kw_only=True):
    """Which seats are in play. First of all, once."""

    seats: list[int]


class HandAction(Action, frozen=True, kw_only=True):
    """Base of what is said of one hand."""

    seat: int
    hand: int


class Hit(HandAction, frozen=True, kw_only=True):
    """One more card."""


class Stand(HandAction, frozen=True, kw_only=True):
    """No more cards. Need not be said: ``done`` stands every hand."""


class Double(HandAction, frozen=True, kw_only=True):
    """One more card and no other. ``free``: with the house's token (free bet)."""

    free: bool = False


class Split(HandAction, frozen=True, kw_only=True):
    """The hand's second card begins a new hand; one card to each follows."""


class Switch(Action, frozen=True, kw_only=True):
    """The second cards of the seat's two hands change places."""

    seat: int


class Done(Action, frozen=True, kw_only=True):
    """Every decision is made; the dealer plays."""


SeatAction = Seats | Hit | Stand | Double | Split | Switch | Done


def decode(step: ExpectStep) -> SeatAction:
    """The action of a step that ``expect`` accepted."""
    action: SeatAction = msgspec.convert(step.args, type=SeatAction)
    return action


@dataclass(slots=True, kw_only=True)
class Hand:
    """One hand at work. ``number`` counts a seat's hands in the order in which they came to be."""

    seat: int
    number: int
    origin: int | None = None
    """The hand it was split from."""
    root: int
    """The hand of the first deal that it goes back to."""
    cards: list[Card] = field(default_factory=list)
    positions: list[str] = field(default_factory=list)
    """Where each card was dealt. A card that changed hands keeps the position it was read at."""
    numbered: int = 0
    """Positions of this hand used so far; a card that left keeps its number, so positions stay unique."""
    split: bool = False
    switched: bool = False
    stood: bool = False
    doubled: bool = False

    @property
    def points(self) -> int:
        return total(self.cards)[0]

    @property
    def bust(self) -> bool:
        return self.points > 21

    @property
    def blackjack(self) -> bool:
        """21 with the first two cards; never after a split or a switch."""
        return len(self.cards) == 2 and self.points == 21 and not self.split and not self.switched

    def next_position(self) -> str:
        self.numbered += 1
        return f"seat{self.seat}.h{self.number}.{self.numbered}"

    def facts(self) -> Facts:
        points, soft = total(self.cards)
        return {
            "seat": self.seat,
            "hand": self.number,
            "origin": self.origin,
            "cards": texts(self.cards),
            "positions": list(self.positions),
            "card_count": len(self.cards),
            "total": points,
            "soft": soft,
            "blackjack": self.blackjack,
            "bust": self.bust,
            "doubled": self.doubled,
        }


def dealer_facts(cards: list[Card]) -> Facts:
    """The dealer's hand."""
    points, soft = total(cards)
    return {
        "cards": texts(cards),
        "card_count": len(cards),
        "total": points,
        "soft": soft,
        "blackjack": len(cards) == 2 and points == 21,
        "bust": points > 21,
    }


@dataclass(slots=True)
class Layout:
    """Everything on the cloth after a history."""

    rules: Rules
    seats: list[int] | None = None
    """The seats in play, ascending, once the server named them."""
    hands: list[Hand] = field(default_factory=list)
    """By seat, then by number."""
    dealer: list[Card] = field(default_factory=list)
    due: list[tuple[str, Hand | None]] = field(default_factory=list)
    """Positions that wait for their card, the next one first, and the hand (None: the dealer's)."""
    done: bool = False
    """Every decision is made."""

    def hand(self, seat: int, number: int) -> Hand | None:
        return next((h for h in self.hands if (h.seat, h.number) == (seat, number)), None)

    def of_seat(self, seat: int) -> list[Hand]:
        return [h for h in self.hands if h.seat == seat]

    def splits_of(self, hand: Hand) -> int:
        """How often the first-deal hand that this one goes back to was split."""
        return sum(h.root == hand.root and h.origin is not None for h in self.of_seat(hand.seat))

    def act(self, action: SeatAction) -> None:
        """Take an action that was judged possible."""
        match action:
            case Seats(seats=seats):
                self._first_deal(sorted(seats))
            case Switch(seat=seat):
                self._switch(*self.of_seat(seat))
            case Done():
                self.done = True
            case _:
                hand = self.hand(action.seat, action.hand)
                assert hand is not None
                self._act_on(hand, action)

    def take(self, card: Card) -> None:
        """The card that was due lies there; after the decisions every card is the dealer's."""
        position, hand = self.due.pop(0) if self.due else ("", None)
        if hand is None:
            self.dealer.append(card)
        else:
            hand.cards.append(card)
            hand.positions.append(position)

    def _act_on(self, hand: Hand, action: HandAction) -> None:
        match action:
            case Stand():
                hand.stood = True
            case Split():
                self._split(hand)
            case _:
                hand.doubled = isinstance(action, Double)
                self._deal(hand)

    def _deal(self, hand: Hand) -> None:
        self.due.append((hand.next_position(), hand))

    def _first_deal(self, seats: list[int]) -> None:
        self.seats = seats
        numbers = range(1, self.rules.hands_per_seat + 1)
        self.hands = [Hand(seat=seat, number=number, root=number) for seat in seats for number in numbers]
        for hand in self.hands:
            self._deal(hand)
        self.due.append(("dealer.1", None))
        for hand in self.hands:
            self._deal(hand)

    def _split(self, hand: Hand) -> None:
        siblings = self.of_seat(hand.seat)
        new = Hand(seat=hand.seat, number=len(siblings) + 1, origin=hand.number, root=hand.root, numbered=1)
        new.cards, new.positions = [hand.cards.pop()], [hand.positions.pop()]
        hand.split = new.split = True
        self.hands.insert(self.hands.index(siblings[-1]) + 1, new)
        self._deal(hand)
        self._deal(new)

    def _switch(self, one: Hand, other: Hand) -> None:
        one.cards[1], other.cards[1] = other.cards[1], one.cards[1]
        one.positions[1], other.positions[1] = other.positions[1], one.positions[1]
        one.switched = other.switched = True


def lay_out(rules: Rules, history: History) -> Layout:
    """The layout after ``history``."""
    layout = Layout(rules)
    for step in history:
        if isinstance(step, CardStep):
            layout.take(step.card)
        elif isinstance(step, ExpectStep):
            layout.act(decode(step))
    return layout
