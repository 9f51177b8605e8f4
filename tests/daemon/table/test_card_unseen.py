"""Cards that passed while nobody looked move none that is read later: a person says where the hand stands first.

``docs/decisions/0019-cards-that-passed-unseen.md`` says where the table asks, and whom.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import CardDrawn, RoundOutcome, TablePaused
from dealer_daemon.games.cards.card import DECK, Card
from dealer_daemon.games.cards.procedure import CardDue, CardStep, Complete, History
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault
from dealer_drivers.readings.shoe import ScannerFault
from support.card_tables import NATURAL, UNSEEN, CardTable, bare

IN_HAND, BETWEEN, _ = UNSEEN
SOURCES = pytest.mark.parametrize("source", ["device", "server"])
GAPS = pytest.mark.parametrize("gap", ["restart", "link", "frozen", "keys"])


def fault(table: CardTable, name: str, *, cleared: bool) -> None:
    table.see(DeviceFault(at=table._next(1.0), raw=b"", fault=name, detail="", cleared=cleared))


def look_away(table: CardTable, gap: str) -> None:
    """Nobody looks for a while; nobody was asked yet."""
    if gap == "restart":
        table.restart(asked=True)
        return
    name = {"link": Fault.LINK_LOST, "frozen": Fault.SILENT, "keys": ScannerFault.KEYS_LOST}[gap]
    fault(table, name, cleared=False)
    fault(table, name, cleared=True)


# -- where the table asks -----------------------------------------------------------------------------------------


@SOURCES
@GAPS
def test_in_mid_hand_no_card_counts_before_the_manager_said_where_it_goes_on(source: str, gap: str) -> None:
    table = CardTable("dragon-tiger", source)
    table.bets_closed()
    table.deal("8S")
    look_away(table, gap)
    assert table.state.paused == IN_HAND
    table.deal("5C 9D")
    assert not table.of(RoundOutcome)
    dealer = table.ask(CommandName.TABLE_RESUME, Role.DEALER, reason="I saw it")
    assert dealer.error is ErrorCode.NOT_ALLOWED
    table.resume()
    table.deal("5C")
    assert (table.outcome.facts["dragon"], table.outcome.facts["tiger"]) == ("8S", "5C")


@GAPS
def test_between_hands_the_dealer_says_that_a_hand_begins(gap: str) -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S 5C")
    look_away(table, gap)
    assert table.state.paused == BETWEEN
    table.deal("9D")
    assert len(table.of(RoundOutcome)) == 1
    assert table.ask(CommandName.TABLE_RESUME, Role.SERVER, reason="go").error is ErrorCode.NOT_ALLOWED
    table.did(CommandName.TABLE_RESUME, Role.DEALER, reason="a new hand")
    table.deal("KD QD")
    assert (table.outcome.facts["dragon"], table.outcome.facts["tiger"]) == ("KD", "QD")


@pytest.mark.parametrize("reason", ["violation", "rest_of_hand", "break"])
def test_every_other_pause_is_the_managers_to_end(reason: str) -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    if reason == "violation":
        table.outside("9S")
    elif reason == "rest_of_hand":
        table.manager(CommandName.ROUND_VOID)
    else:
        table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason=reason)
    assert table.state.paused == reason
    assert table.ask(CommandName.TABLE_RESUME, Role.DEALER, reason="go").error is ErrorCode.NOT_ALLOWED


def test_voided_and_resumed_the_next_card_begins_a_hand() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    table.restart(asked=True)
    table.manager(CommandName.ROUND_VOID)
    assert table.state.paused == IN_HAND, "its cards may still lie there"
    table.resume()
    table.deal("KD QD")
    assert table.outcome.facts["dragon"] == "KD"


@GAPS
def test_where_a_server_opens_the_rounds_nothing_is_asked_between_them(gap: str) -> None:
    table = CardTable("dragon-tiger", "server")
    look_away(table, gap)
    table.open()
    table.close()
    table.deal("8S 5C")
    look_away(table, gap)
    assert not table.of(TablePaused)


@GAPS
def test_where_no_card_may_pass_yet_it_is_asked_when_one_may(gap: str) -> None:
    """The word that makes it due may have been given while nobody looked, and carried out late."""
    table = CardTable("dragon-tiger", "server")
    table.open()
    look_away(table, gap)
    assert not table.of(TablePaused), "betting is open"
    table.close()
    assert table.state.paused == IN_HAND
    table.deal("5C")
    assert not table.of(CardDrawn)
    table.resume()
    table.deal("8S 5C")
    assert table.outcome.facts["dragon"] == "8S"
    waits = CardTable(source="server", gates=["first_four"])
    waits.bets_closed()
    waits.deal("2S 5C 2D QH")
    look_away(waits, gap)
    assert not waits.of(TablePaused), "the gate is closed"
    waits.did(CommandName.GATE_OPEN, gate="first_four")
    assert waits.state.paused == IN_HAND


def test_a_round_that_ends_before_a_card_was_due_is_not_asked_for() -> None:
    table = CardTable("dragon-tiger", "server")
    table.open()
    look_away(table, "restart")
    table.manager(CommandName.ROUND_VOID)
    table.bets_closed()
    table.deal("8S 5C")
    assert table.outcome.facts["dragon"] == "8S"
    assert not table.of(TablePaused)


def test_where_a_card_may_pass_while_betting_is_open_it_is_asked() -> None:
    table = CardTable("niu-niu", "server")
    table.open()
    table.restart(asked=True)
    assert table.state.paused == IN_HAND, "the head card"


def test_betting_that_closes_while_the_reader_is_away() -> None:
    table = CardTable("dragon-tiger", "server")
    table.open()
    fault(table, Fault.LINK_LOST, cleared=False)
    table.close()
    fault(table, Fault.LINK_LOST, cleared=True)
    assert table.state.paused == IN_HAND


@GAPS
def test_a_shoe_that_names_places_shows_by_itself_what_was_missed(gap: str) -> None:
    table = CardTable(places=True)
    table.deal("P1 8S B1 5C")
    look_away(table, gap)
    assert not table.of(TablePaused)
    table.deal("B2 3H")
    assert table.words()[-1] == "attempt.held:card_skipped"


# -- how long nobody looked, where the reader names places --------------------------------------------------------


def two_cards_lie(source: str = "device") -> CardTable:
    table = CardTable(source=source, places=True)
    table.bets_closed()
    table.deal("P1 8S B1 5C")
    return table


@SOURCES
def test_a_station_that_starts_again_and_again_was_away_since_the_last_card(source: str) -> None:
    table = two_cards_lie(source)
    for _ in range(10):
        table.at = table.at.plus_s(2.5)
        table.restart(asked=True, up=False)
    table.reader_up()
    assert table.state.paused == IN_HAND
    table.deal("P2 AD B2 3H")
    assert not table.of(RoundOutcome)


@pytest.mark.parametrize("wall_s", [-3_600.0, -28.0, 0.0, 2.0])
def test_a_wall_clock_that_was_set_makes_no_gap_shorter(wall_s: float) -> None:
    table = two_cards_lie()
    at = table.at
    table.at = Instant(at.plus_s(30).mono_ns, at.wall_ns + round(wall_s * 1e9))
    table.restart(asked=True)
    assert table.state.paused == IN_HAND


def test_after_the_machine_started_anew_its_clocks_tell_nothing() -> None:
    table = two_cards_lie()
    table.at = Instant(table.at.mono_ns - 1, table.at.plus_s(1).wall_ns)
    table.restart(asked=True)
    assert table.state.paused == IN_HAND


@pytest.mark.parametrize(("noticed_s", "asks"), [(2.5, False), (10.0, True)])
def test_a_link_is_away_since_it_was_heard_last_not_since_its_loss_was_noticed(noticed_s: float, asks: bool) -> None:
    """The network of a serial server says nothing when it goes: the loss shows seconds later."""
    table = two_cards_lie()
    table.at = table.at.plus_s(noticed_s - 1)
    fault(table, Fault.LINK_LOST, cleared=False)
    fault(table, Fault.LINK_LOST, cleared=True)
    assert table.state.paused == (IN_HAND if asks else None)


def test_many_short_losses_are_a_long_one() -> None:
    """A plug that does not sit: a hand may pass by pieces while the link comes and goes, and nothing is read of it."""
    table = two_cards_lie()
    fault(table, Fault.LINK_LOST, cleared=False)
    fault(table, Fault.LINK_LOST, cleared=True)
    assert table.state.paused is None, "two seconds"
    fault(table, Fault.LINK_LOST, cleared=False)
    fault(table, Fault.LINK_LOST, cleared=True)
    assert table.state.paused == IN_HAND


def test_the_end_of_one_loss_is_no_loss_of_the_next() -> None:
    table = two_cards_lie()
    for _ in range(5):
        fault(table, Fault.LINK_LOST, cleared=False)
        fault(table, Fault.LINK_LOST, cleared=True)
        table.stand_by()
    assert table.state.paused is None, "the shoe was heard in between, and never away for four seconds"


def test_a_withheld_card_that_is_made_known_was_not_read_then() -> None:
    table = CardTable("dragon-tiger", "server", early="withhold")
    table.open()
    table.deal("8S")
    read = (table.state.read_ns, table.state.read_mono_ns)
    assert read == (table.at.wall_ns, table.at.mono_ns)
    table.wait(30)
    table.close()
    assert table.words()[-1].startswith("card.drawn")
    assert (table.state.read_ns, table.state.read_mono_ns) == read


# -- the first start ----------------------------------------------------------------------------------------------


def test_the_first_start_takes_the_first_card_for_the_first_of_a_hand() -> None:
    table = CardTable()
    fault(table, Fault.LINK_REFUSED, cleared=False)
    fault(table, Fault.LINK_REFUSED, cleared=True)
    assert not table.of(TablePaused), "the reader was plugged in after the station started"
    table.deal(bare(NATURAL))
    assert table.outcome.facts["winner"] == "player"


def test_a_second_start_asks_before_any_card_too() -> None:
    table = CardTable()
    table.restart(asked=True)
    assert table.state.paused == BETWEEN
    table.restart(asked=True)
    assert len(table.of(TablePaused)) == 2, "and the second one asks anew: what was said to the first is older"


def test_a_resume_before_the_reader_is_back_is_no_answer() -> None:
    table = CardTable()
    table.restart(asked=True)
    fault(table, Fault.LINK_REFUSED, cleared=False)
    table.manager(CommandName.TABLE_RESUME)
    fault(table, Fault.LINK_REFUSED, cleared=True)
    assert table.state.paused == BETWEEN


# -- a table that stands already ----------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [True, False])
def test_a_gap_in_another_pause_is_asked_for_when_that_ends(again: bool) -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    look_away(table, "restart")
    if again:
        look_away(table, "link")
    assert table.state.paused == "break"
    table.manager(CommandName.TABLE_RESUME)
    assert table.state.paused == IN_HAND
    table.resume()
    assert table.state.paused is None


def test_the_rest_of_a_hand_is_taken_away_after_the_gap_too() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    table.manager(CommandName.ROUND_VOID)
    table.restart(asked=True)
    assert table.state.paused == "rest_of_hand"
    table.manager(CommandName.TABLE_RESUME)
    assert table.state.paused is None, "the word on where the next card belongs was given after the gap"


def test_a_void_of_a_round_without_a_card_ends_a_violation_and_is_asked_then() -> None:
    table = CardTable("dragon-tiger")
    table.unread()
    table.outside("9S")
    table.restart(asked=True)
    assert table.state.paused == "violation"
    table.manager(CommandName.ROUND_VOID)
    assert table.state.paused == "rest_of_hand", "a card had passed, if nobody knows which"
    table.resume()
    assert table.state.paused is None, "the word on where the next card belongs was given after the gap"


def test_after_a_scan_that_broke_off_its_cards_are_no_hand() -> None:
    table = CardTable("three-cards", shoe={"require_verified": True})
    table.did(CommandName.DECK_VERIFY, Role.DEALER)
    table.deal("8S 9S")
    look_away(table, "link")
    assert not table.of(TablePaused), "the scan's own end says what is missing"
    table.restart(asked=True)
    assert table.state.paused == BETWEEN


@pytest.mark.parametrize("action", ["end", "cancel"])
def test_a_gap_in_a_scan_is_asked_for_when_the_scan_ends(action: str) -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S 5C")
    fault(table, Fault.LINK_LOST, cleared=False)
    table.did(CommandName.DECK_VERIFY, Role.DEALER)
    fault(table, Fault.LINK_LOST, cleared=True)
    assert not table.of(TablePaused)
    table.did(CommandName.DECK_VERIFY, Role.DEALER, action=action)
    assert table.state.paused == BETWEEN


# -- whatever passes, whenever ------------------------------------------------------------------------------------


class House:
    """A dealer who deals on whatever the station sees; people who say what is true when they are asked."""

    def __init__(self, game: str, source: str, seed: int) -> None:
        self.table = CardTable(game, source)
        self.procedure = self.table.procedure
        self.cards = [card for card in DECK for _ in range(8)]
        random.Random(seed).shuffle(self.cards)
        self.hands: list[History] = []
        self.alive = self.plugged = True
        self.of_round = -1
        """Which hand the open round is."""
        self.looked_at = 0
        self.asked = 0

    def whole(self) -> bool:
        return not self.hands or isinstance(self.procedure.due(self.hands[-1]), Complete)

    def act(self, what: str) -> None:
        if what == "card":
            self.deal()
        elif what == "kill" and self.alive:
            self.alive = False
        elif what == "unplug" and self.alive and self.plugged:
            self.plugged = False
            self.table.lost()
        elif what == "on" and not self.alive:
            self.alive = self.plugged = True
            self.table.restart(asked=True)
        elif what == "on" and not self.plugged:
            self.plugged = True
            self.table.back(asked=True)
        elif what == "answer" and self.alive and self.plugged:
            self.answer()

    def deal(self) -> None:
        if self.whole():
            if self.table.setup.rules.round_source == "server" and not self.opened():
                return
            self.hands.append(())
        wanted = self.procedure.due(self.hands[-1])
        assert isinstance(wanted, CardDue)
        card = self.cards.pop()
        self.hands[-1] = (*self.hands[-1], CardStep(wanted.position, card))
        if self.alive and self.plugged:
            self.scan(card)

    def opened(self) -> bool:
        """The server opens a round, and the dealer deals once betting is closed."""
        if not self.alive or not self.table.ask(CommandName.ROUND_OPEN).ok:
            return False
        self.table.close()
        self.of_round = len(self.hands)
        return True

    def scan(self, card: Card) -> None:
        """The reader reads it, and every outcome that follows is that of the hand which lies there."""
        before = self.table.state.round
        self.table.deal(str(card))
        if before is None and self.table.setup.rules.round_source == "device":
            self.of_round = len(self.hands) - 1
        current = self.table.state.round
        if current is not None and current.phase == "held":  # it looks like the newest, and is another
            wanted = self.procedure.due(self.read())
            assert isinstance(wanted, CardDue)
            self.table.manager(CommandName.ATTEMPT_DECIDE, position=wanted.position, card=str(card))
        for event in self.table.events[self.looked_at :]:
            if isinstance(event.data, RoundOutcome):
                assert self.whole()
                assert event.data.facts == self.procedure.facts(self.hands[-1])
                assert self.of_round == len(self.hands) - 1
        self.looked_at = len(self.table.events)

    def read(self) -> History:
        current = self.table.state.round
        steps = [] if current is None else current.steps
        return tuple(CardStep(step.position, Card.parse(step.card)) for step in steps if step.position and step.card)

    def answer(self) -> None:
        """They look at the table, and have scanned what lies there and was not read."""
        if self.table.state.paused not in UNSEEN:
            return
        self.asked += 1
        if self.table.state.round is not None and self.of_round != len(self.hands) - 1:
            self.table.manager(CommandName.ROUND_VOID)  # that hand is over, and was not seen
        role = Role.MANAGER if self.table.state.paused == IN_HAND else Role.DEALER
        self.table.did(CommandName.TABLE_RESUME, role, reason="by the table")
        if self.hands and (self.table.state.round is not None or not self.whole()):
            for step in self.hands[-1][len(self.read()) :]:
                assert isinstance(step, CardStep)
                self.scan(step.card)


TABLES = st.sampled_from([("dragon-tiger", "device"), ("dragon-tiger", "server"), ("baccarat", "device")])
DOINGS = st.lists(st.sampled_from([*["card"] * 6, "kill", "unplug", "on", "on", "answer", "answer"]), max_size=60)


@settings(max_examples=150, deadline=None)
@given(table=TABLES, doings=DOINGS, seed=st.integers(0, 2**32))
def test_no_outcome_is_that_of_cards_that_did_not_lie_there(
    table: tuple[str, str], doings: list[str], seed: int
) -> None:
    house = House(*table, seed)
    for what in doings:
        house.act(what)
    # Everybody is there again, and the next hand counts.
    for what in ("on", "on", "answer", "answer"):
        house.act(what)
    before = len(house.table.of(RoundOutcome))
    house.deal()
    while not house.whole():
        house.deal()
    assert len(house.table.of(RoundOutcome)) == before + 1


@settings(max_examples=150, deadline=None)
@given(table=TABLES, doings=DOINGS, seed=st.integers(0, 2**32))
def test_without_a_persons_word_nothing_counts_after_a_gap(
    table: tuple[str, str], doings: list[str], seed: int
) -> None:
    house = House(*table, seed)
    for what in (each for each in doings if each != "answer"):
        house.act(what)
    pauses = [event.sequence for event in house.table.events if isinstance(event.data, TablePaused)]
    if pauses:
        later = house.table.events[pauses[0] :]
        assert not [event for event in later if isinstance(event.data, RoundOutcome | CardDrawn)]


def test_time_makes_no_answer() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S 5C")
    table.restart(asked=True)
    table.at = Instant(table.at.mono_ns + 3_600 * 10**9, table.at.wall_ns + 3_600 * 10**9)
    table.deal("9D QD")
    assert table.state.paused == BETWEEN
    assert len(table.of(RoundOutcome)) == 1
