"""Whatever a dealer, a reader, people and the mains do: no card is lost, invented or counted twice.

A true shoe is dealt by the rules. What the reader tells of it is damaged, repeated or lost; people who are asked say
what truly lies there. Every outcome must be that of the true hand.
"""

from __future__ import annotations

import contextlib
import random
from collections import Counter

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import (
    CardDrawn,
    RoundOpened,
    RoundOutcome,
    RoundVoided,
    ShoeEnded,
    TablePaused,
    TableResumed,
    Violation,
)
from dealer_daemon.games.cards.card import DECK, Card
from dealer_daemon.games.cards.procedure import CardDue, CardStep, Complete, History
from dealer_daemon.table.arguments import Refusal
from dealer_daemon.table.cards.hand import due
from dealer_drivers.readings.shoe import CardTrouble
from support.card_tables import CardTable

SETUPS = st.sampled_from(
    [
        ("baccarat", "device", True),
        ("baccarat", "server", True),
        ("baccarat", "server", False),
        ("dragon-tiger", "device", False),
        ("dragon-tiger", "server", False),
    ]
)
"""Game, who opens the rounds, and whether the shoe names places. A scanner with rounds of its own has no way to tell
the end of a hand but the cards, so there the dealer passes a card until it shows."""

FAULTS = st.sampled_from(["none"] * 12 + ["lost", "unread", "repeat"])


class CardMachine(RuleBasedStateMachine):
    @initialize(setup=SETUPS, seed=st.integers(0, 2**32))
    def begin(self, setup: tuple[str, str, bool], seed: int) -> None:
        game, self.source, self.places = setup
        self.table = CardTable(game, self.source, places=self.places)
        self.rng = random.Random(seed)
        self.cards: list[Card] = []
        self.out: Counter[str] = Counter()  # what truly came out of shoes so far
        self.hands: list[History] = []  # what truly lay on the table, hand by hand
        self.hand_of: dict[str, int] = {}  # which of them a round is
        self.dealing = False
        self.passing: Card | None = None  # drawn, and at a scanner not counted yet
        self.looked_at = 0

    # -- the truth ----------------------------------------------------------------------------------------------

    def whole(self, number: int) -> bool:
        return isinstance(self.table.procedure.due(self.hands[number]), Complete)

    def draw(self) -> Card:
        if self.passing is None:
            if not self.cards:
                self.cards = [card for card in DECK for _ in range(8)]
                self.rng.shuffle(self.cards)
            self.passing = self.cards.pop()
            self.out[str(self.passing)] += 1
        return self.passing

    def place(self) -> str:
        """Where the dealer's next card goes."""
        if not self.dealing or self.whole(-1):
            self.hands.append(())
            self.dealing = True
        wanted = self.table.procedure.due(self.hands[-1])
        assert isinstance(wanted, CardDue)
        return wanted.position

    def lay(self, position: str, card: Card) -> None:
        self.hands[-1] = (*self.hands[-1], CardStep(position, card))
        self.passing = None

    def tell(self, position: str, card: Card, *, repeated: bool = False) -> bool:
        """The reader reads the card; whether it counted."""
        before = len(self.table.of(CardDrawn))
        side, number = position.split(".")
        hint = f"{side[0].upper()}{number} " if self.places else ""
        self.table.deal(f"{hint}{card}", gap_s=0.2 if repeated else 2.0, repeated=repeated and not self.places)
        return len(self.table.of(CardDrawn)) > before

    def look(self) -> None:
        """A round is the hand that it began with; its outcome is that hand's."""
        for event in self.table.events[self.looked_at :]:
            if isinstance(event.data, RoundOpened):
                assert event.subject is not None
                self.hand_of[event.subject] = len(self.hands) - (self.source == "device")
            elif isinstance(event.data, RoundOutcome):
                assert event.subject is not None
                truth = self.hands[self.hand_of[event.subject]]
                assert event.data.facts == self.table.procedure.facts(truth)
            elif isinstance(event.data, ShoeEnded):
                self.cards = []
            if isinstance(event.data, RoundOutcome | RoundVoided) and (self.source == "server" or not self.places):
                self.dealing, self.passing = False, None
        self.looked_at = len(self.table.events)

    # -- the dealer and the reader ------------------------------------------------------------------------------

    def may_deal(self) -> bool:
        current = self.table.state.round
        if self.source == "device":
            return True
        if current is None or current.betting == "open":
            return False
        return not (self.dealing and self.whole(-1))

    @rule(faults=st.lists(FAULTS, min_size=6, max_size=6), result=st.booleans())
    def hand(self, faults: list[str], result: bool) -> None:
        """A whole hand, or what is left of one."""
        for name in (CommandName.ROUND_OPEN, CommandName.BETTING_CLOSE):
            if self.source == "server":
                self.table.ask(name)
                self.look()
        for fault in faults:
            if self.may_deal() and not (self.dealing and self.whole(-1)):
                self.deal(fault)
        if result:
            self.shoe_result()

    @precondition(may_deal)
    @rule(fault=FAULTS)
    def deal(self, fault: str) -> None:
        """One card."""
        position, card = self.place(), self.draw()
        if fault == "unread":
            self.table.unread(CardTrouble.CHECKSUM)
        counted = fault != "lost" and self.tell(position, card)
        if counted and fault == "repeat":
            assert not self.tell(position, card, repeated=True)
        if counted or self.places:
            self.lay(position, card)
        self.look()

    @rule()
    def shoe_result(self) -> None:
        if not self.places or not self.dealing or not self.whole(-1):
            return
        facts = self.table.procedure.facts(self.hands[-1])
        pairs = [facts[side]["pair"] is not None for side in ("player", "banker")]
        self.dealing = self.source == "server"
        self.table.result(facts["winner"], *pairs)
        self.look()

    @rule(resume=st.booleans())
    def bench(self, resume: bool) -> None:
        with contextlib.suppress(Refusal):
            self.table.bench(resume=resume)
        self.look()

    @rule(what=st.sampled_from(["early", "unread", "cut", "unplug", "silence", "restart"]))
    def world(self, what: str) -> None:
        current = self.table.state.round
        match what:
            case "early" if self.source == "server" and not self.places and not self.dealing:
                # The first card of a hand before betting closed; it is passed again when it is due.
                if current is None or current.betting == "open":
                    assert not self.tell("player.1", self.draw())
            case "unread" if current is not None:
                self.table.unread(CardTrouble.TORN)
            case "cut" if self.passing is None:
                self.table.cut()
                if self.places:
                    self.table.shoe_started()
            case "unplug":
                self.table.lost()
                self.table.back()
            case "silence":
                self.table.wait(3)
            case "restart":
                self.table.restart()
        self.look()

    @rule(what=st.sampled_from(["pause", "rescan", "void", *["resume", "decide", "decide all"] * 3]))
    def people(self, what: str) -> None:
        match what:
            case "pause" | "rescan":
                name = CommandName.TABLE_PAUSE if what == "pause" else CommandName.ATTEMPT_REFUSE
                self.table.ask(name, Role.DEALER, reason="because")
            case "void" if self.table.state.round is not None:
                self.table.manager(CommandName.ROUND_VOID)
            case "resume" if self.table.state.paused is not None:
                self.table.resume()
            case "decide" | "decide all":
                self.decide(what == "decide all")
        self.look()

    def decide(self, whole: bool) -> None:
        """By the video, which shows what truly lies there."""
        current = self.table.state.round
        if current is None or current.phase != "held":
            return
        number = self.hand_of[current.id]
        truth = {step.position: str(step.card) for step in self.hands[number] if isinstance(step, CardStep)}
        wanted = due(self.table.procedure, current.steps)
        if whole and self.whole(number):
            self.table.manager(CommandName.ATTEMPT_DECIDE, cards=truth)
        elif isinstance(wanted, CardDue) and wanted.position in truth:
            self.table.manager(CommandName.ATTEMPT_DECIDE, position=wanted.position, card=truth[wanted.position])

    # -- what must hold -----------------------------------------------------------------------------------------

    @invariant()
    def every_round_has_one_end_at_most_and_only_the_last_has_none(self) -> None:
        opened = [event.subject for event in self.table.events if isinstance(event.data, RoundOpened)]
        ends = Counter(e.subject for e in self.table.events if isinstance(e.data, RoundOutcome | RoundVoided))
        assert len(opened) == len(set(opened))
        assert set(ends) <= set(opened)
        assert all(count == 1 for count in ends.values())
        assert all(ends[subject] == 1 for subject in opened[:-1])

    @invariant()
    def no_card_is_counted_that_did_not_come_out_nor_one_twice(self) -> None:
        shoe = self.table.state.shoe
        if shoe is not None:
            assert not Counter(shoe.drawn) - self.out
        lay = Counter(
            (event.subject, event.data.position) for event in self.table.events if isinstance(event.data, CardDrawn)
        )
        assert all(count == 1 for count in lay.values())

    @invariant()
    def no_alarm_is_false(self) -> None:
        assert not [paused for paused in self.table.of(TablePaused) if paused.reason == "integrity"]
        assert not [data for data in self.table.of(Violation) if data.reason == "shoe_result_disagrees"]

    @invariant()
    def nothing_counts_while_the_table_is_paused(self) -> None:
        paused = False
        for data in (event.data for event in self.table.events):
            if isinstance(data, TablePaused | TableResumed):
                paused = isinstance(data, TablePaused)
            elif isinstance(data, RoundOutcome) and "cards" in data.witnesses:
                assert not paused


TestCards = CardMachine.TestCase
TestCards.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
