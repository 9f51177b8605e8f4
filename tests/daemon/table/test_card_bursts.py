"""Readings that were held up come together: which of two equal codes is another card, nobody can tell then.

``docs/decisions/0019-cards-that-passed-unseen.md``, readings that were held up.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import AttemptRefused, CardDrawn, RoundOutcome, TablePaused
from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import CardDue, CardStep, History
from dealer_drivers.instant import Instant
from dealer_drivers.readings.shoe import CardTrouble
from dealer_drivers.shoe.barcode_serial import DRIVER
from dealer_drivers.supervised import SupervisedSession
from support.card_tables import NATURAL, START, UNSEEN, CardTable

IN_HAND, BETWEEN, BEFORE_BURN = UNSEEN
TOGETHER_S = 0.01
SOURCES = pytest.mark.parametrize("source", ["device", "server"])


def stands(table: CardTable) -> str | None:
    return table.state.paused


# -- what is asked ------------------------------------------------------------------------------------------------


@SOURCES
def test_of_cards_that_come_together_one_may_be_missing(source: str) -> None:
    """8S 8S 5C were dealt, and two of them have one code and one time."""
    table = CardTable("dragon-tiger", source)
    table.bets_closed()
    table.deal("8S")
    table.deal("8S", gap_s=TOGETHER_S, repeated=True)
    assert stands(table) == IN_HAND
    assert "held up" in table.last(TablePaused).detail
    table.deal("5C", gap_s=TOGETHER_S)
    assert not table.of(RoundOutcome)
    table.resume()
    table.deal("8S")
    assert (table.outcome.facts["dragon"], table.outcome.facts["tiger"]) == ("8S", "8S")


def test_where_the_first_ends_the_hand_the_second_begins_the_next() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S 5C")
    table.deal("5C", gap_s=TOGETHER_S, repeated=True)
    assert table.outcome.facts["tiger"] == "5C"
    assert stands(table) == BETWEEN


def test_where_burn_cards_are_due_it_is_asked_for_them() -> None:
    table = CardTable("dragon-tiger", shoe={"burn": 3})
    table.deal("KD")
    table.deal("KD", gap_s=TOGETHER_S, repeated=True)
    assert stands(table) == BEFORE_BURN


def test_two_cards_within_a_tenth_of_a_second_did_not_pass_so() -> None:
    table = CardTable("baccarat")
    table.deal("8S")
    table.deal("5C", gap_s=0.09)
    assert stands(table) == IN_HAND
    assert len(table.of(CardDrawn)) == 1, "whether one is missing before it is the question"
    quick = CardTable("baccarat")
    quick.deal("8S")
    quick.deal("5C", gap_s=0.11)
    assert stands(quick) is None


@pytest.mark.parametrize("gap_s", [0.06, 0.1, 0.3])
def test_a_card_that_lies_before_the_scanner_is_read_again_and_again(gap_s: float) -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    for _ in range(5):
        table.deal("8S", gap_s=gap_s, repeated=True)
    table.deal("5C", gap_s=0.11)
    assert not table.of(TablePaused)
    assert len(table.of(RoundOutcome)) == 1


def test_a_late_repeat_is_no_second_card() -> None:
    """It lay there, the network stood for longer than the repeat window, and its repeats come all at once."""
    table = CardTable("dragon-tiger")
    table.deal("8S")
    for _ in range(2):
        table.deal("8S", gap_s=0.3, repeated=True)
    late = table.at.plus_s(1.5)
    for repeated in (False, True):
        table.at = late
        table.see(table.card("8S", late, repeated=repeated))
    assert stands(table) == IN_HAND
    assert not table.of(RoundOutcome)


def test_a_second_card_that_looks_like_the_first_counts_a_moment_later() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    table.deal("8S", gap_s=0.3, repeated=True)
    table.see(table.card("8S", table._next()))
    assert not table.of(RoundOutcome)
    deadline_ns = table.table.deadline_ns()
    assert deadline_ns is not None
    assert deadline_ns - table.at.mono_ns < 100_000_000
    table.wait(0.1)
    assert table.outcome.facts["tiger"] == "8S"
    assert not table.of(TablePaused)


def test_its_frame_is_no_evidence_of_the_card_after_it_nor_that_ones_of_it() -> None:
    """Where nobody looks at the clock in between, the card that waited still counts first."""
    table = CardTable("baccarat")
    table.deal("8S")
    table.deal("8S", gap_s=0.3, repeated=True)
    table.see(table.card("8S", table._next()))
    table.see(table.card("5C", table._next()))
    second, third = table.of(CardDrawn)[1:]
    assert (second.card, third.card) == ("8S", "5C")
    assert len(second.evidence) == len(third.evidence) == 1
    assert second.evidence != third.evidence


@pytest.mark.parametrize("first", [True, False])
def test_a_card_that_could_not_be_read_and_another_one_are_not_one_card(first: bool) -> None:
    """Else the second one would pass for the first, scanned again."""
    table = CardTable("dragon-tiger")
    table.deal("8S")
    table.wait(2)
    if first:
        table.unread(CardTrouble.NO_READ)
        table.deal("KD", gap_s=TOGETHER_S)
    else:
        table.deal("KD")
        table.at = table.at.plus_s(TOGETHER_S - 2)
        table.unread(CardTrouble.NO_READ)
    assert stands(table) == (IN_HAND if first else BETWEEN)


def test_two_cards_that_could_not_be_read_are_not_one() -> None:
    table = CardTable("baccarat")
    table.unread(CardTrouble.NO_READ)
    table.at = table.at.plus_s(TOGETHER_S - 2)
    table.unread(CardTrouble.NO_READ, repeated=True)
    assert stands(table) == IN_HAND
    assert len(table.of(AttemptRefused)) == 1


# -- where nothing is asked ---------------------------------------------------------------------------------------


def test_cards_that_each_have_a_code_of_their_own_keep_their_order() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S", unit="1/1")
    table.deal("8S", unit="2/1", gap_s=TOGETHER_S)
    assert (table.outcome.facts["dragon"], table.outcome.facts["tiger"]) == ("8S", "8S")
    table.deal("8S", unit="2/1", gap_s=TOGETHER_S, repeated=True)
    assert not table.of(TablePaused)
    table.wait(2)
    table.unread(CardTrouble.NO_READ)
    table.deal("8S", unit="3/1", gap_s=TOGETHER_S)
    assert stands(table) == IN_HAND, "but one that could not be read may be any"


def test_a_shoe_that_names_places_shows_it_by_itself() -> None:
    table = CardTable(places=True)
    table.deal(NATURAL, gap_s=TOGETHER_S)
    assert not table.of(TablePaused)


def test_a_deck_set_is_scanned_as_fast_as_anybody_can() -> None:
    table = CardTable("three-cards", shoe={"require_verified": True})
    table.did(CommandName.DECK_VERIFY, Role.DEALER)
    table.deal("8S 9S TS", gap_s=0.05)
    table.did(CommandName.DECK_VERIFY, Role.DEALER, action="end")
    assert not table.of(TablePaused)


def test_a_clock_that_runs_faster_makes_nobody_fast() -> None:
    table = CardTable("dragon-tiger", clock_speed=20.0)
    table.deal("8S 5C", gap_s=TOGETHER_S)
    assert not table.of(TablePaused)
    assert len(table.of(RoundOutcome)) == 1


def test_in_a_pause_no_card_counts_in_any_case() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.deal("5C 9D", gap_s=TOGETHER_S)
    table.manager(CommandName.TABLE_RESUME)
    assert stands(table) is None


# -- whatever is held up, however its bytes are cut ---------------------------------------------------------------


@dataclass(frozen=True)
class Look:
    """The scanner read a code; ``again``: of a card that lay there already."""

    at_s: float
    code: str


class House:
    """A dealer who deals on whatever the station sees, and a scanner that gives a card's code once, or for as long as
    the card lies before it."""

    def __init__(self, game: str, seed: int, *, rereads: bool) -> None:
        self.rng = random.Random(seed)
        self.table = CardTable(game)
        self.session = SupervisedSession(
            DRIVER.session(DRIVER.parse_options({"codebook": "rank-suit", "suffix": "line"})),
            "the port",
            "the speed?",
        )
        self.hands: list[History] = []
        self.looks: list[Look] = []
        self.rereads = rereads
        cards = [Card.parse(f"{rank}{suit}") for rank in "A68K" for suit in "SH"]
        self.shoe = [card for card in cards for _ in range(8)]
        self.rng.shuffle(self.shoe)

    def deal(self, hands: int) -> None:
        """What truly lies there, and what the scanner says of it."""
        now_s = 1.0
        for _ in range(hands):
            history: History = ()
            while isinstance(wanted := self.table.procedure.due(history), CardDue):
                card = self.shoe.pop()
                history = (*history, CardStep(wanted.position, card))
                lies_s = self.rng.uniform(0.1, 1.0)
                again_s = 0.0
                while again_s == 0.0 or (self.rereads and again_s < lies_s):
                    self.looks.append(Look(now_s + again_s, str(card)))
                    again_s += self.rng.uniform(0.2, 0.35)
                now_s += lies_s + self.rng.uniform(1.05, 3.0)
            self.hands.append(history)

    def pieces(self, stalls: list[tuple[float, float]]) -> list[tuple[float, bytes]]:
        """When which bytes reach the station: in a stall they wait for its end, and then come cut anywhere. A stall
        that holds up one look alone is none: it shows in nothing (decision 0019)."""
        out: list[tuple[float, bytes]] = []
        left = list(self.looks)
        for start_s, end_s in stalls:
            out += [(look.at_s, _line(look)) for look in left if look.at_s < start_s]
            held = [look for look in left if start_s <= look.at_s < end_s]
            left = [look for look in left if look.at_s >= end_s]
            if len(held) < 2:
                out += [(look.at_s, _line(look)) for look in held]
                continue
            data = b"".join(map(_line, held))
            cuts = sorted({0, len(data), *(self.rng.randrange(len(data)) for _ in range(self.rng.randrange(4)))})
            at_s = end_s
            for first, after in pairwise(cuts):
                out.append((at_s, data[first:after]))
                at_s += self.rng.uniform(0, 0.02)
            left = [look for look in left if look.at_s > at_s]  # what would overtake it is not looked at
        return out + [(look.at_s, _line(look)) for look in left]

    def play(self, stalls: list[tuple[float, float]]) -> None:
        """Until somebody is asked."""
        self.table._keep(self.table.table.readings("reader", self.session.opened(START).readings, START))
        for at_s, data in self.pieces(stalls):
            self.run_to(START.plus_s(at_s))
            self.take(self.session.received(data, self.table.at).readings)
            if self.table.of(TablePaused):
                return
        self.run_to(self.table.at.plus_s(1))

    def run_to(self, at: Instant) -> None:
        deadline_ns = self.table.table.deadline_ns()
        if deadline_ns is not None and deadline_ns <= at.mono_ns:
            self.table.wait((deadline_ns - self.table.at.mono_ns) / 1e9 + 1e-6)
        self.table.at = max(self.table.at, at)

    def take(self, readings: tuple[object, ...]) -> None:
        if readings:
            self.table._keep(self.table.table.readings("reader", readings, self.table.at))  # type: ignore[arg-type]


def _line(look: Look) -> bytes:
    return look.code.encode() + b"\r"


GAMES = st.sampled_from(["dragon-tiger", "baccarat"])
STALLS = st.lists(st.tuples(st.floats(0.0, 12.0), st.floats(0.3, 8.0)), min_size=1, max_size=4)


@settings(max_examples=400, deadline=None)
@given(game=GAMES, stalls=STALLS, seed=st.integers(0, 2**32), rereads=st.booleans())
def test_no_outcome_is_wrong_whatever_was_held_up(
    game: str, stalls: list[tuple[float, float]], seed: int, rereads: bool
) -> None:
    house = House(game, seed, rereads=rereads)
    house.deal(6)
    spans, now_s = [], 0.0
    for after_s, lasts_s in stalls:
        spans.append((now_s + after_s, now_s + after_s + lasts_s))
        now_s += after_s + lasts_s + 0.5
    house.play(spans)
    told = [outcome.facts for outcome in house.table.of(RoundOutcome)]
    assert told == [house.table.procedure.facts(hand) for hand in house.hands[: len(told)]]
    assert len(told) == len(house.hands) or house.table.state.paused in UNSEEN


@settings(max_examples=60, deadline=None)
@given(game=GAMES, seed=st.integers(0, 2**32), rereads=st.booleans())
def test_nobody_is_asked_where_nothing_is_held_up(game: str, seed: int, rereads: bool) -> None:
    house = House(game, seed, rereads=rereads)
    house.deal(6)
    house.play([])
    assert not house.table.of(TablePaused)
    assert len(house.table.of(RoundOutcome)) == 6
