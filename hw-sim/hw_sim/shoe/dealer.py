"""The dealer at a card table: hand after hand from a shuffled shoe, with everything that goes wrong. Pure.

The dealer does not see the station's screen; ``tell`` is what the screen, the server or the service manager says. A
dealer whom nobody tells anything goes on by itself after a while.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Literal

from hw_sim.device import Action, Bytes, Plug
from hw_sim.scripted import Script, Scripted, Wait
from hw_sim.shoe.cards import RANKS, SUITS, Card, Stock
from hw_sim.shoe.faults import AFTER_HAND, CardFault, Expect, HandDesk, Strikes
from hw_sim.shoe.options import CardOptions
from hw_sim.shoe.ranks import baccarat_value
from hw_sim.shoe.reader import SECOND_SCAN_S, Reader
from hw_sim.shoe.truth import Hand
from hw_sim.shoe.uart import at_wrong_speed

Word = Literal["deal", "expected", "rescan", "stop", "finish", "go_on", "void"]
WORDS: dict[str, str] = {
    "deal": "the next hand is dealt, or the next card where each waits for it",
    "expected": "the table heard what the players decided last",
    "rescan": "the card is scanned again",
    "stop": "no card is drawn",
    "finish": "this hand is finished, and then no card is drawn",
    "go_on": "cards are drawn again",
    "void": "the hand does not count, its cards are taken away",
}

ALIEN_BPS, HOST_BPS = 9600, 4800
"""A shoe that ran at 9600 before a host that reads at 4800 (``devices.md`` §2)."""
UNPLUGGED_S = (2.0, 8.0)
TELEGRAM_FAULTS = frozenset(
    {
        CardFault.SKIPPED_CARD,
        CardFault.LOST_TELEGRAM,
        CardFault.REPEATED_TELEGRAM,
        CardFault.ANNOUNCED_TWICE,
        CardFault.WRONG_CHECKSUM,
        CardFault.DOUBLE_SCAN,
    }
)
"""Faults of the one telegram or text of a card."""
COUNTED = frozenset({Expect.ACCEPT, Expect.IGNORE, Expect.LAST_HAND, Expect.LINK, Expect.RESCAN, Expect.TRIES})
"""What a hand may go through and the station still counts its cards."""
EARLY_IS_ALLOWED = frozenset({"niu-niu", "andar-bahar"})
"""Games whose first card is known before betting closes."""
UNREAD = {
    CardFault.UNREADABLE: 1,
    CardFault.UNREADABLE_OFTEN: 3,
    CardFault.BACKWARDS: 1,
    CardFault.FOREIGN: 1,
    CardFault.FOREIGN_AGAIN: 2,
}
"""How often the card passes in vain."""


class Dealer(Scripted):
    """One table. ``finished`` is called with every hand's record when the hand is over."""

    def __init__(
        self, options: CardOptions, rng: Random, desk: HandDesk, reader: Reader, finished: Callable[[Hand], None]
    ) -> None:
        self.options = options
        self.rules = options.rules()
        self.reader = reader
        self.hand: Hand | None = None
        """The record of the hand in play."""
        self.calls: str | None = None
        """Why the dealer calls the service manager, who must come to the table."""
        self._desk = desk
        self._finished = finished
        self._actions: list[Action] = []
        self._stock = Stock(rng, options.all_decks(), rng.randint(*options.cut()), options.top)
        self.shoe = 0
        """Shoes put in so far."""
        self._number = self._hand_in_shoe = 0
        self._overdrawn: Card | None = None
        self._put_away: list[Card] = []
        self._clean: list[tuple[int, Card]] = []
        """Cards of this shoe that the station surely counted, with the number of their hand."""
        self._ninth_due = self._garbled = self._pulled = False
        self._stopped = self._finish_then_stop = self._void = self._rescan = self._deal = False
        self._heard = False
        super().__init__(rng)

    # --- people

    def tell(self, word: Word) -> None:
        """``deal`` the next hand, or where each card waits for it the next card; ``expected``: the table heard what the
        players decided last; ``rescan`` the card; ``stop``; ``go_on``; ``finish`` this hand and stop; ``void``: it
        does not count, take the cards away."""
        if word == "deal":
            self._deal = True
        elif word == "expected":
            self._heard = True
        elif word == "rescan":
            self._rescan = True
        else:
            self._stopped = word == "stop"
            self._finish_then_stop = word == "finish"
            self._void = self._void or (word == "void" and self.hand is not None)
        self.wake()

    def _clear_to_go(self) -> Wait:
        """Waits while told to stop, and while no card comes out of a locked shoe."""
        patience_s = self.options.patience_s
        yield from self._for(patience_s, patience_s, lambda: not self._stopped or self._void)
        self._stopped = False
        yield from self._ever(lambda: not self.reader.locked or self._void)

    def _floor(self) -> Wait:
        """The table pauses: the dealer stops by itself until told to go on, or to give the hand up."""
        self._stopped = True
        yield from self._clear_to_go()

    # --- bytes

    def go_on(self, to_s: float) -> list[Action]:
        """Goes on to a moment; what reached the port until then, in order."""
        self.advance(to_s)
        actions, self._actions = self._actions, []
        return actions

    def receive(self, data: bytes) -> None:
        """The host sent bytes, now."""
        self.reader.receive(data, self.now_s)
        self.wake()

    def _other_s(self) -> float:
        return self.reader.next_s()

    def _do_other(self) -> None:
        data = self.reader.due(self.now_s)
        if self._garbled:
            data = at_wrong_speed(data, ALIEN_BPS, HOST_BPS)
        if data:
            self._actions.append(Bytes(data))

    # --- shoes

    def _first_script(self) -> Script:
        return self._shift()

    def _shift(self) -> Script:
        """The dealer's whole shift."""
        yield from self._put_in()
        while True:
            if len(self._stock) == 0 or self._stock.cut_shown or self._stock.decks == 1:
                yield from self._change_shoe()
            elif self.rules.continuous and self._number:
                self._stock = Stock(self._rng, self._stock.decks, self._rng.randint(*self.options.cut()))
            yield from self._one_hand()

    def _change_shoe(self) -> Wait:
        if self._hand_in_shoe == 0:
            return
        if self._stock.decks > 1:
            yield from self._for(*self.options.shuffle_s)
        self._stock = Stock(self._rng, self._stock.decks, self._rng.randint(*self.options.cut()))
        self._overdrawn = None
        yield from self._put_in()

    def _put_in(self) -> Wait:
        """A shuffled shoe is in; its first cards are burnt where that is the rule."""
        self.shoe, self._hand_in_shoe = self.shoe + 1, 0
        self._clean.clear()
        self.reader.new_shoe(self.now_s)
        if self.options.burn_by_first:
            left = 1
            while left:
                yield from self._for(*self.options.card_s)
                card = self._stock.draw()
                first = not self._put_away
                left = min(card.pips, 10) if first else left - 1
                self.reader.burn(self.now_s, card, first)
                self._put_away.append(card)
            yield from self._for(*self.options.card_s)

    # --- hands

    def _one_hand(self) -> Wait:
        strikes = self._desk.next_hand()
        self._number, self._hand_in_shoe = self._number + 1, self._hand_in_shoe + 1
        rules = self.rules if self.rules.anew is None else self.rules.anew(self._rng)
        hand = Hand(self.options.name, rules, self.shoe, self._number, self._hand_in_shoe)
        hand.times_s["opened"] = self.now_s
        hand.burnt, self._put_away = self._put_away, []
        self.hand, self._void = hand, False
        if self._pulled:
            hand.strike(CardFault.UNPLUG, self.now_s, Expect.EITHER)
        self.reader.stand_by(self.now_s)
        if CardFault.TOO_EARLY in strikes:
            yield from self._too_early(hand)
        yield from self._for(*self.options.between_s)
        yield from self._told("told")
        while not self._void and (position := rules.follows(hand.cards)) is not None:
            yield from self._told("card_by_card")
            yield from self._decisions(hand)
            yield from self._for(*self.options.card_s)
            yield from self._clear_to_go()
            if not self._void:
                yield from self._next_card(hand, position, strikes)
        if not self._void:
            yield from self._end(hand, strikes)
        if self._void:
            hand.swept = True
            self.reader.swept(self.now_s)
        self._garbled = self._void = False
        hand.times_s["ended"] = self.now_s
        hand.finished, self.hand = True, None
        if not hand.swept and all(struck.expect in COUNTED for struck in hand.struck):
            self._clean += [(hand.number, card) for card in hand.cards.values()]
        self._finished(hand)
        if self._finish_then_stop:
            self._stopped, self._finish_then_stop = True, False
            yield from self._clear_to_go()

    def _told(self, where: str) -> Wait:
        """Waits for the word ``deal``, where the dealer does."""
        if self.options.starts == where:
            yield from self._ever(lambda: self._deal or self._void)
            self._deal = False

    def _too_early(self, hand: Hand) -> Wait:
        """The first card passes before anybody asked for it; half of the time perhaps just after the round was opened.

        Where a first card may be known while bets are taken, only before.
        """
        if self.rules.game not in EARLY_IS_ALLOWED:
            yield from self._for(*self._rng.choice(((0.0, 0.0), (0.1, 0.4))))
        if self._overdrawn is None:
            if len(self._stock) == 0 or self._stock.cut_due():
                return
            self._overdrawn = self._stock.draw()
        hand.times_s["first_card"] = self.now_s
        self._strike(hand, CardFault.TOO_EARLY)
        self.reader.card(self.now_s, "", self._overdrawn)
        yield from self._floor()

    def _decisions(self, hand: Hand) -> Wait:
        """What the players decide before the next card, one by one: a server must hear it, and tell the table."""
        for action in hand.rules.said(hand.cards)[len(hand.said) :]:
            if self._void:
                return
            self._heard = False
            hand.said.append(action)
            least, most = self.options.decision_s
            if self.options.starts != "by_itself":
                least = most = self.options.patience_s
            yield from self._for(least, most, lambda: self._heard or self._void)
            yield from self._clear_to_go()

    def _next_card(self, hand: Hand, position: str, strikes: Strikes) -> Wait:
        """One card, with all that is to go wrong at it."""
        here = {fault for fault, at in strikes.items() if at == len(hand.cards) and fault not in AFTER_HAND}
        hand.times_s.setdefault("first_card", self.now_s)
        if self._stock.cut_due() or (CardFault.CUT_CARD in here and not self._stock.cut_shown):
            yield from self._cut_card(hand, position, by_fault=CardFault.CUT_CARD in here)
        if CardFault.SHOE_EMPTY in here or len(self._stock) == 0:
            yield from self._empty(hand, position)
            return
        if CardFault.RESTART in here:
            self._strike(hand, CardFault.RESTART, position)
            self.reader.restart(self.now_s)
            yield from self._for(2.0, 4.0)
        if CardFault.UNPLUG in here:
            yield from self._unplug(hand, position)
        if CardFault.WRONG_SPEED in here and not self.reader.redraws:
            self._garbled = True
            expect = self.reader.expects(CardFault.WRONG_SPEED) if hand.cards else Expect.UNSEEN
            hand.strike(CardFault.WRONG_SPEED, self.now_s, expect, position)
        self._ninth_due = self._ninth_due or CardFault.NINTH_COPY in here
        if strikes.keys() <= {CardFault.NINTH_COPY}:
            yield from self._ninth_copy(hand, position)
        if not self._void:
            yield from self._right_card(hand, position, here)

    def _right_card(self, hand: Hand, position: str, here: set[CardFault]) -> Wait:
        if CardFault.EQUAL_CARDS in here and self._stock.bring_equal(list(hand.cards.values())[-1]):
            self._strike(hand, CardFault.EQUAL_CARDS, position)
        card = self._overdrawn or self._stock.draw()
        self._overdrawn = None
        for fault in sorted(here & UNREAD.keys()):
            yield from self._in_vain(hand, position, card, fault)
        if CardFault.WRONG_SPEED in here and self.reader.redraws:
            yield from self._garbled_once(hand, position, card)
        if self._void:
            hand.burnt.append(card)
            return
        seen = card
        if CardFault.MISREAD in here and (other := self._taken_for(card)) is not None:
            seen = hand.read_as[position] = other
            self._strike(hand, CardFault.MISREAD, position)
        telegram = next(iter(sorted(here & TELEGRAM_FAULTS)), None)
        if telegram is not None:
            self._strike(hand, telegram, position)
        hand.cards[position] = card
        self.reader.card(self.now_s, position, seen, telegram)
        if telegram is CardFault.DOUBLE_SCAN:
            yield from self._until(self.now_s + SECOND_SCAN_S[1])  # it is read twice because it lies there so long
        if telegram is CardFault.SKIPPED_CARD and self.reader.redraws:
            yield from self._for(*self.options.rescan_s)  # the dealer sees that the screen did not take it
            self.reader.card(self.now_s, position, seen)
        if CardFault.PASSED_TWICE in here:
            yield from self._for(1.5, 3.0)
            self._strike(hand, CardFault.PASSED_TWICE, position)
            self.reader.card(self.now_s, position, seen)

    def _in_vain(self, hand: Hand, position: str, card: Card, fault: CardFault) -> Wait:
        """The card passes without being read, until it is put right."""
        for attempt in range(UNREAD[fault]):
            if self._void:
                return
            expect = self.reader.expects(fault)
            if fault is CardFault.FOREIGN_AGAIN and attempt == 0:
                expect = Expect.RESCAN
            self.reader.unread(self.now_s, card, fault)
            hand.strike(fault, self.now_s, expect, position)
            self._rescan = False
            yield from self._for(*self.options.rescan_s, lambda: self._rescan or self._void)
            yield from self._clear_to_go()
            self.reader.put_right(self.now_s)
            yield from self._for(0.5, 1.0)

    def _garbled_once(self, hand: Hand, position: str, card: Card) -> Wait:
        """Garbage comes of it; the dealer sees that the screen did not take the card, and has the speed put right."""
        self._strike(hand, CardFault.WRONG_SPEED, position)
        self._garbled = True
        self.reader.card(self.now_s, position, card)
        yield from self._for(*self.options.rescan_s, lambda: self._void)
        yield from self._clear_to_go()
        self._garbled = False

    def _ninth_copy(self, hand: Hand, position: str) -> Wait:
        """A card too many of its kind slips in, where there is one that the station can know to be too many."""
        card = self._one_too_many(hand) if self._ninth_due else None
        if card is None:
            return
        self._ninth_due = False
        self._strike(hand, CardFault.NINTH_COPY, position)
        self.reader.card(self.now_s, position, card)
        hand.burnt.append(card)
        yield from self._floor()
        if not self.reader.redraws:
            self._void = True  # the shoe has counted it for this place: the hand cannot be dealt on
        yield from self._for(*self.options.card_s, lambda: self._void)

    def _one_too_many(self, hand: Hand) -> Card | None:
        counted = [card for number, card in self._clean if number < hand.number - 1 or self.reader.tells_units is False]
        if self.reader.tells_units:
            return self._rng.choice(counted) if counted else None
        if self._stock.decks == 1:
            return next(iter(hand.cards.values())) if len(hand.cards) > 1 else None
        full = sorted(text for text, n in Counter(card.text for card in counted).items() if n >= self._stock.decks)
        return next((card for card in counted if full and card.text == full[0]), None)

    def _taken_for(self, card: Card) -> Card | None:
        """Another card of the same value, so that the hand goes on alike; one that the shoe still holds."""
        texts = [card.rank + suit for suit in SUITS if suit != card.suit]
        if baccarat_value(card) == 0 and self.rules.game == "baccarat":
            texts += [rank + card.suit for rank in RANKS[9:] if rank != card.rank]
        left = [text for text in texts if self._stock.holds(text)]
        if not left:
            return None
        text = self._rng.choice(left)
        return Card(text[0], text[1], card.deck, card.serial)

    def _cut_card(self, hand: Hand, position: str, *, by_fault: bool) -> Wait:
        self._stock.cut_shown = True
        hand.last_hand = True
        hand.times_s["cut_card"] = self.now_s
        if by_fault:
            hand.strike(CardFault.CUT_CARD, self.now_s, Expect.LAST_HAND, position)
        self.reader.cut_card(self.now_s)
        yield from self._for(0.8, 1.5)

    def _empty(self, hand: Hand, position: str) -> Wait:
        """No card is left: only people can go on from here."""
        hand.strike(CardFault.SHOE_EMPTY, self.now_s, Expect.PERSON, position)
        while len(self._stock):
            self._stock.draw()
        self.calls = "shoe_empty"
        yield from self._for(self.options.patience_s, self.options.patience_s, lambda: self._void)
        self.calls, self._void = None, True

    def _unplug(self, hand: Hand, position: str) -> Wait:
        hand.strike(CardFault.UNPLUG, self.now_s, Expect.LINK, position)
        self._actions.append(Plug(inserted=False))
        yield from self._for(*UNPLUGGED_S)
        self._actions.append(Plug(inserted=True))
        yield from self._for(1.0, 2.0)
        yield from self._clear_to_go()  # the table may ask first whether a card passed

    def _end(self, hand: Hand, strikes: Strikes) -> Wait:
        """The hand is complete: the shoe's own result, and what comes after it."""
        result = next((fault for fault in (CardFault.LOST_RESULT, CardFault.WRONG_RESULT) if fault in strikes), None)
        if result is not None:
            self._strike(hand, result)
        yield from self._for(0.3, 0.8)
        hand.times_s["complete"] = self.now_s
        self.reader.over(self.now_s, result)
        yield from self._for(0.8, 1.2)
        if CardFault.EXTRA_CARD in strikes and len(self._stock):
            card = self._stock.draw()
            yield from self._for(2.0, 3.0)
            hand.burnt.append(card)
            self._strike(hand, CardFault.EXTRA_CARD)
            self.reader.extra(self.now_s, card)
            yield from self._floor()
            self.reader.put_right(self.now_s)
            self._void = False  # the hand itself is over
        elif CardFault.OVERDRAWN in strikes and len(self._stock) and not self._stock.cut_shown:
            self._overdrawn = self._stock.draw()
            self._strike(hand, CardFault.OVERDRAWN)
            self.reader.overdrawn(self.now_s, self._overdrawn)
            yield from self._floor()
            self.reader.put_right(self.now_s)
            self._void = False

    # --- the record

    def _strike(self, hand: Hand, fault: CardFault, position: str | None = None) -> None:
        hand.strike(fault, self.now_s, self.reader.expects(fault), position)

    def power_cycle(self) -> None:
        """The reader loses power and gets it back, now."""
        if self.hand is not None:
            expect = Expect.HOLD if self.hand.cards and not self.reader.redraws else Expect.EITHER
            self.hand.strike(CardFault.POWER_CYCLE, self.now_s, expect)
        self.reader.restart(self.now_s)
        self.wake()

    def plugged(self, inserted: bool) -> None:
        """The plug was pulled or put in from outside, now: what of the cards arrives meanwhile nobody knows."""
        self._pulled = not inserted
        if self.hand is not None:
            self.hand.strike(CardFault.UNPLUG, self.now_s, Expect.EITHER)
