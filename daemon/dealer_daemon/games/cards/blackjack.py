"""Blackjack: classic, infinite, free bet and switch (001, 003). The table's ``rules`` name the kind and the book.

The server owns the players' decisions and says with ``card.expect`` what comes next (``blackjack_hands.Action``);
the station refuses what the rules do not allow and plays the dealer's hand by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dealer_daemon.games.cards.blackjack_hands import (
    Done,
    Double,
    Hand,
    HandAction,
    Hit,
    Layout,
    SeatAction,
    Seats,
    Split,
    Switch,
    dealer_facts,
    lay_out,
)
from dealer_daemon.games.cards.blackjack_infinite import InfiniteBlackjack
from dealer_daemon.games.cards.blackjack_rules import (
    RULES,
    Rules,
    Settings,
    dealer_draws,
    match_class,
    may_split_cards,
    three_class,
)
from dealer_daemon.games.cards.card import pair_kind
from dealer_daemon.games.cards.procedure import (
    COMPLETE,
    CardDue,
    Due,
    ExpectDue,
    ExpectStep,
    Facts,
    History,
    Procedure,
    Refusal,
    card_at,
)

GAME_NAME = "blackjack"

__all__ = ["GAME_NAME", "SeatBlackjack", "Settings", "make"]


class SeatBlackjack(Procedure):
    """Blackjack with a hand, or two, at each seat.

    Positions ``seat1.h1.1`` … and ``dealer.1`` …. A card that a split or a switch moves keeps the position it was
    read at, so each position is used once: after a split hand 1 goes on with ``seat1.h1.3``, the new hand
    with ``seat1.h2.2``.
    """

    game = GAME_NAME

    def __init__(self, settings: Settings) -> None:
        self._name = settings.rules
        self._rules: Rules = RULES[settings.rules]
        self._seats = settings.seats
        self.decks = self._rules.decks
        self.composition = self._rules.composition
        switch = ("switch",) if self._rules.hands_per_seat == 2 else ()
        self._actions = ("hit", "stand", "double", "split", *switch, "done")

    def due(self, history: History) -> Due:
        layout = lay_out(self._rules, history)
        if layout.seats is None:
            return ExpectDue(("seats",))
        if layout.due:
            return CardDue(layout.due[0][0])
        if not layout.done:
            return ExpectDue(self._actions)
        dealer = layout.dealer
        nothing_open = self._rules.stops_when_decided and all(h.bust or h.blackjack for h in layout.hands)
        if len(dealer) == 1 or (not nothing_open and dealer_draws(self._rules, dealer)):
            return CardDue(f"dealer.{len(dealer) + 1}")
        return COMPLETE

    def expect(self, history: History, args: Mapping[str, Any]) -> ExpectStep | Refusal:
        """Reasons: ``bad_argument``, ``not_expected``, ``no_such_hand``, ``hand_stood``, ``hand_bust``,
        ``hand_doubled``, ``hand_full``, ``hand_has_21``, ``split_aces``, ``not_first_two``, ``after_split``,
        ``not_a_pair``, ``split_limit``, ``not_free``, ``after_switch``."""
        try:
            action = msgspec.convert(dict(args), type=SeatAction)
        except msgspec.ValidationError as error:
            return Refusal("bad_argument", f"card.expect is not understood: {error}")
        layout = lay_out(self._rules, history)
        due = self.due(history)
        word = str(type(action).__struct_config__.tag)
        if not isinstance(due, ExpectDue) or word not in due.actions:
            wanted = f"the card for {due.position} is due" if isinstance(due, CardDue) else "it is not asked for now"
            return Refusal("not_expected", f"{word} is not possible: {wanted}")
        refusal = self._judge(layout, action)
        return refusal or ExpectStep(msgspec.to_builtins(action))

    def _judge(self, layout: Layout, action: SeatAction) -> Refusal | None:
        match action:
            case Seats(seats=seats):
                if not seats or len(set(seats)) < len(seats) or not all(1 <= s <= self._seats for s in seats):
                    return Refusal("bad_argument", f"name seats from 1 to {self._seats}, each once, at least one")
                return None
            case Switch(seat=seat):
                return _judge_switch(layout.of_seat(seat), seat)
            case Done():
                return None
            case _:
                hand = layout.hand(action.seat, action.hand)
                if hand is None:
                    return Refusal("no_such_hand", f"seat {action.seat} has no hand {action.hand} in this round")
                return self._judge_hand(layout, hand, action)

    def _judge_hand(self, layout: Layout, hand: Hand, action: HandAction) -> Refusal | None:
        rules, name = self._rules, f"hand {hand.number} of seat {hand.seat}"
        if hand.stood:
            return Refusal("hand_stood", f"{name} stood: it takes no more")
        if hand.bust:
            return Refusal("hand_bust", f"{name} is bust with {hand.points}: it takes no more")
        if hand.doubled:
            return Refusal("hand_doubled", f"{name} was doubled and has its one card: it takes no more")
        match action:
            case Split():
                return self._judge_split(layout, hand, name)
            case Hit() | Double():
                if hand.split and rules.split_aces_one_card and hand.cards[0].rank == "A":
                    return Refusal("split_aces", f"{name} is a split ace: it gets one card and no more")
                if isinstance(action, Double):
                    return self._judge_double(hand, action, name)
                if hand.points == 21:
                    return Refusal("hand_has_21", f"{name} has 21: it takes no more")
                if rules.most_cards is not None and len(hand.cards) >= rules.most_cards:
                    return Refusal("hand_full", f"{name} has {rules.most_cards} cards: it takes no more")
        return None

    def _judge_double(self, hand: Hand, action: Double, name: str) -> Refusal | None:
        rules = self._rules
        if len(hand.cards) != 2:
            return Refusal("not_first_two", f"{name} has {len(hand.cards)} cards: only the first two may be doubled")
        if hand.split and not rules.double_after_split:
            return Refusal("after_split", f"{name} comes from a split: it may not be doubled")
        hard_nine_to_eleven = hand.points in (9, 10, 11) and all(card.rank != "A" for card in hand.cards)
        if action.free and not (rules.free_double and hard_nine_to_eleven):
            return Refusal("not_free", f"{name} may not be doubled free: that takes a hard 9, 10 or 11 on free bet")
        return None

    def _judge_split(self, layout: Layout, hand: Hand, name: str) -> Refusal | None:
        if len(hand.cards) != 2:
            return Refusal("not_first_two", f"{name} has {len(hand.cards)} cards: only the first two may be split")
        if not may_split_cards(self._rules, *hand.cards):
            return Refusal("not_a_pair", f"{name} holds no pair that this table splits")
        if layout.splits_of(hand) >= self._rules.splits:
            return Refusal("split_limit", f"{name} was split {self._rules.splits} time(s) already: that is the most")
        return None

    def seen(self, history: History) -> Facts:
        layout = lay_out(self._rules, history)
        return {
            "rules": self._name,
            "dealer": dealer_facts(layout.dealer),
            "hands": [hand.facts() for hand in layout.hands],
            "sides": [self._side(history, seat) for seat in layout.seats or ()],
        }

    def _facts(self, history: History) -> Facts:
        return self.seen(history)

    def _side(self, history: History, seat: int) -> Facts:
        """The seat's side bets from the cards of its first deal; what is not known yet or not offered is None."""
        numbers = range(1, self._rules.hands_per_seat + 1)
        dealt = [card_at(history, f"seat{seat}.h{number}.{n}") for number in numbers for n in (1, 2)]
        first = [card for card in dealt if card is not None]
        whole = len(first) == len(dealt)
        one_hand = whole and len(first) == 2
        dealer = card_at(history, "dealer.1")
        return {
            "seat": seat,
            "pair": pair_kind(*first) if one_hand else None,
            "three": three_class([*first, dealer]) if one_hand and dealer is not None else None,
            "four": match_class(first) if whole and len(first) == 4 else None,
        }


def _judge_switch(hands: list[Hand], seat: int) -> Refusal | None:
    if not hands:
        return Refusal("no_such_hand", f"seat {seat} is not in play")
    if any(hand.switched for hand in hands):
        return Refusal("after_switch", f"seat {seat} switched already")
    if len(hands) != 2 or any(len(hand.cards) != 2 or hand.stood for hand in hands):
        return Refusal("not_first_two", f"seat {seat} may switch only before either hand is played")
    return None


def make(settings: Settings) -> Procedure:
    """The procedure of one blackjack table."""
    if RULES[settings.rules].community:
        return InfiniteBlackjack(settings)
    return SeatBlackjack(settings)
