"""What is asked after a gap, who may answer it, and which answers are none.

``docs/decisions/0019-cards-that-passed-unseen.md`` says where the table asks.
"""

from __future__ import annotations

from typing import Any

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import AttemptRefused, CardDrawn, TablePaused
from dealer_daemon.table.cards.unseen import SAME_PLACE_S
from dealer_drivers.readings.shuffler import ShufflerTampered
from support.card_gaps import GAPS, SOURCES, look_away, stands
from support.card_tables import UNSEEN, CardTable
from support.deck_tables import SHUFFLER, DeckTable

IN_HAND, BETWEEN, BEFORE_BURN = UNSEEN
RESUME = CommandName.TABLE_RESUME


def dealer(table: CardTable, **args: Any) -> bool:
    return table.ask(RESUME, Role.DEALER, reason="by the table", **args).ok


# -- burn cards ---------------------------------------------------------------------------------------------------


@SOURCES
@GAPS
def test_where_burn_cards_are_due_the_question_is_about_them(source: str, gap: str) -> None:
    table = CardTable("dragon-tiger", source, shoe={"burn": 2})
    table.deal("KD")
    look_away(table, gap)
    assert stands(table) == BEFORE_BURN
    assert "burn card" in table.last(TablePaused).detail
    assert dealer(table)
    table.deal("KH")
    table.bets_closed()
    table.deal("8S 5C")
    assert table.state.shoe is not None
    assert table.state.shoe.burnt == ["KD", "KH"]
    assert table.outcome.facts["dragon"] == "8S"


def test_as_many_as_the_first_one_says() -> None:
    table = CardTable("dragon-tiger", shoe={"burn_by_first": True})
    table.deal("2S")
    look_away(table, "link")
    assert stands(table) == BEFORE_BURN


def test_a_shoe_changed_meanwhile_asks_for_its_burn_cards() -> None:
    table = CardTable("dragon-tiger", shoe={"burn": 1})
    table.deal("KD 8S 5C")
    look_away(table, "link")
    assert stands(table) == BETWEEN
    table.manager(CommandName.SHOE_CHANGE)
    assert dealer(table)
    assert stands(table) == BEFORE_BURN, "the next card is no first of a hand"
    assert dealer(table)
    assert stands(table) is None
    table.deal("KH")
    assert table.words()[-1] == "card.drawn:burn:KH"


# -- an answer is given to its question ---------------------------------------------------------------------------


class Silent(CardTable):
    """A table whose clients say only what they must, or a given time."""

    sent: int | None = None

    def sent_ns(self) -> int | None:
        return self.sent


@pytest.mark.parametrize("reason", [IN_HAND, BETWEEN, "rest_of_hand"])
def test_an_answer_that_may_be_older_than_its_question_is_none(reason: str) -> None:
    table = Silent("dragon-tiger")
    table.deal("8S" if reason != BETWEEN else "8S 5C")
    if reason == "rest_of_hand":
        table.manager(CommandName.ROUND_VOID)
    else:
        table.sent = table.at.wall_ns
        table.at = table.at.plus_s(1)
        table.restart(asked=True)
    assert stands(table) == reason
    for _ in range(2):
        refused = table.ask(RESUME, Role.MANAGER, reason="an old press")
        assert refused.error is ErrorCode.NOT_NOW
        assert f"pause {table.state.paused_at}" in refused.message
        table.sent = None
    table.manager(RESUME, pause=table.state.paused_at)
    assert stands(table) is None


def test_or_it_says_that_it_was_sent_later() -> None:
    table = Silent("dragon-tiger")
    table.deal("8S")
    table.restart(asked=True)
    table.sent = table.at.wall_ns
    table.manager(RESUME)
    assert stands(table) is None


def test_an_answer_to_another_pause_is_none() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    table.restart(asked=True)
    first = table.state.paused_at
    table.manager(RESUME, pause=first)
    look_away(table, "link")
    refused = table.ask(RESUME, Role.MANAGER, reason="pressed twice", pause=first)
    assert refused.error is ErrorCode.NOT_NOW
    assert stands(table) == IN_HAND


def test_a_pause_that_asks_nothing_is_ended_by_simple_clients_too() -> None:
    table = Silent("dragon-tiger")
    table.deal("8S")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.manager(RESUME)
    assert stands(table) is None


@pytest.mark.parametrize("places", [False, True])
def test_before_the_reader_is_up_nothing_is_asked_for_more_may_pass(places: bool) -> None:
    table = CardTable(places=places)
    table.deal("P1 8S B1 5C" if places else "8S 5C")
    table.at = table.at.plus_s(SAME_PLACE_S)
    table.restart(asked=True, up=False)
    assert stands(table) is None
    table.reader_up()
    assert stands(table) == IN_HAND
    table.manager(RESUME)
    table.deal("P2 AD B2 3H" if places else "AD 3H")
    assert len(table.of(CardDrawn)) == 4


@pytest.mark.parametrize("places", [False, True])
def test_before_the_reader_was_up_no_answer_is_one(places: bool) -> None:
    table = CardTable(places=places)
    table.deal("P1 8S B1 5C" if places else "8S 5C")
    look_away(table, "link", SAME_PLACE_S)
    table.at = table.at.plus_s(SAME_PLACE_S)
    table.restart(asked=True, up=False)
    assert stands(table) == IN_HAND
    table.manager(RESUME)
    assert stands(table) is None
    table.reader_up()
    assert stands(table) == IN_HAND
    table.manager(RESUME)
    table.deal("P2 AD B2 3H" if places else "AD 3H")
    assert len(table.of(CardDrawn)) == 4


ASKING = pytest.mark.parametrize("reason", [*UNSEEN, "rest_of_hand"])


def asking(table: CardTable, reason: str, gap: str = "link") -> None:
    """The table stands for this question."""
    if reason == BEFORE_BURN:
        table.deal("KD")
    elif reason == BETWEEN:
        table.deal("KD KH 8S 5C")
    else:
        table.deal("KD KH 8S")
    if reason == "rest_of_hand":
        table.manager(CommandName.ROUND_VOID)
    else:
        look_away(table, gap)
    assert stands(table) == reason


@ASKING
@GAPS
@pytest.mark.parametrize("names_it", [True, False])
def test_an_answer_from_before_another_gap_is_none(reason: str, gap: str, names_it: bool) -> None:
    """A broker keeps it while the station is away, and cards pass meanwhile: nobody has said what became of those."""
    table = Silent("dragon-tiger", shoe={"burn": 2})
    asking(table, reason)
    table.at = table.at.plus_s(1)
    if not names_it:
        table.sent = table.at.wall_ns
    before = {"pause": table.state.paused_at} if names_it else {}
    for _ in range(3):
        look_away(table, gap)
        assert stands(table) == reason
        assert table.ask(RESUME, Role.MANAGER, reason="kept", **before).error is ErrorCode.NOT_NOW
    table.manager(RESUME, pause=table.state.paused_at)
    assert stands(table) is None


@GAPS
def test_nor_is_it_at_a_shoe_that_names_its_places(gap: str) -> None:
    table = CardTable(places=True)
    table.deal("P1 8S B1 5C")
    look_away(table, gap, SAME_PLACE_S)
    before = table.state.paused_at
    look_away(table, gap, SAME_PLACE_S)
    assert stands(table) == IN_HAND
    assert table.ask(RESUME, Role.MANAGER, reason="kept", pause=before).error is ErrorCode.NOT_NOW


@GAPS
def test_a_gap_in_a_scan_that_was_begun_in_a_question_puts_that_anew(gap: str) -> None:
    table = Silent("dragon-tiger", shoe={"burn": 2, "require_verified": True, "deck_sets": ["red", "blue"]})
    table.verify("red")
    asking(table, BETWEEN, gap)
    before = table.state.paused_at
    table.did(CommandName.DECK_VERIFY, Role.DEALER, deck_set="blue")
    look_away(table, gap)
    assert table.ask(RESUME, Role.MANAGER, reason="kept", pause=before).error is ErrorCode.NOT_NOW


@GAPS
def test_a_gap_after_the_void_leaves_the_question_with_the_manager(gap: str) -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    look_away(table, gap)
    table.manager(CommandName.ROUND_VOID)
    look_away(table, gap)
    assert stands(table) == IN_HAND, "its cards may still lie there"
    assert not dealer(table)


@GAPS
def test_the_question_put_anew_is_about_the_card_that_is_due_now(gap: str) -> None:
    table = CardTable("dragon-tiger", shoe={"burn": 1})
    table.deal("KD 8S 5C")
    look_away(table, gap)
    table.manager(CommandName.SHOE_CHANGE)
    look_away(table, gap)
    assert stands(table) == BEFORE_BURN


def test_a_persons_pause_asks_nothing_and_is_ended_by_any_clock() -> None:
    table = Silent("dragon-tiger")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.sent = table.at.wall_ns - 10**9
    table.manager(RESUME)
    assert stands(table) is None


def test_an_answer_to_a_pause_that_another_one_followed_is_none() -> None:
    """Kept by the broker while the station stood for something else, it would let a violation go by."""
    table = Silent("dragon-tiger")
    table.deal("8S")
    look_away(table, "link")
    table.sent = table.at.plus_s(1).wall_ns
    table.manager(RESUME)
    table.outside("9S")
    assert stands(table) == "violation"
    assert table.ask(RESUME, Role.MANAGER, reason="pressed twice").error is ErrorCode.NOT_NOW
    assert stands(table) == "violation"


# -- whose pause it is --------------------------------------------------------------------------------------------


def test_what_is_the_managers_takes_the_place_of_what_a_dealer_may_end() -> None:
    table = DeckTable("dragon-tiger", shoe={"require_verified": False, "deck_sets": ["red", "blue"]})
    table.deal("8S 5C")
    look_away(table, "link")
    assert stands(table) == BETWEEN
    tampered = ShufflerTampered(at=table.at, raw=b"", detail="it came back at another address")
    table._keep(table.table.readings(SHUFFLER, [tampered], table.at))
    assert stands(table) == "shuffler_tampered"
    assert not dealer(table)
    table.manager(RESUME)
    assert stands(table) == BETWEEN, "it was not answered"
    assert dealer(table)
    assert stands(table) is None


def test_a_violation_does_so_too() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S 5C")
    look_away(table, "link")
    table.outside("9S")
    assert stands(table) == "violation"
    assert not dealer(table)


def test_a_person_may_pause_a_table_that_asks_a_dealer() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S 5C")
    look_away(table, "link")
    table.manager(CommandName.TABLE_PAUSE)
    assert stands(table) == "video"
    assert not dealer(table)
    table.manager(RESUME)
    assert stands(table) == BETWEEN
    refused = CardTable("dragon-tiger")
    refused.deal("8S")
    look_away(refused, "link")
    assert refused.ask(CommandName.TABLE_PAUSE, Role.MANAGER, reason="x").error is ErrorCode.NOT_NOW


@pytest.mark.parametrize("reason", [IN_HAND, BETWEEN, BEFORE_BURN, "rest_of_hand"])
def test_a_person_who_uses_the_stations_words_asks_no_question(reason: str) -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason=reason)
    look_away(table, "link")
    assert not dealer(table)
    table.manager(RESUME)
    assert stands(table) == IN_HAND, "the gap in that pause"


def test_a_void_does_not_end_a_persons_pause_whatever_its_words() -> None:
    table = CardTable("dragon-tiger", "server")
    table.bets_closed()
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="violation")
    table.manager(CommandName.ROUND_VOID)
    assert stands(table) == "violation"


def test_nobody_speaks_as_the_station() -> None:
    table = CardTable("dragon-tiger")
    reply = table.forge(CommandName.TABLE_PAUSE, by="station", reason=BETWEEN)
    assert reply.error is ErrorCode.NOT_ALLOWED
    assert stands(table) is None


# -- the rest of a hand -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", ["break", "integrity"])
def test_a_void_in_another_pause_leaves_the_rest_of_the_hand_too(trouble: str) -> None:
    table = CardTable()
    table.deal("8S 5C")
    if trouble == "break":
        table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason=trouble)
    else:
        table.foreign()
        table.wait(3)
        table.foreign()
    assert stands(table) == trouble
    table.manager(CommandName.ROUND_VOID)
    assert stands(table) == trouble
    table.manager(RESUME)
    assert stands(table) == "rest_of_hand"
    table.manager(RESUME)
    table.deal("KS 9S QS TD")
    assert table.outcome.facts["player"]["cards"] == ["KS", "QS"]


def test_a_hand_whose_first_card_nobody_could_read_has_a_rest_too() -> None:
    table = CardTable(tries=1)
    table.unread()
    table.manager(CommandName.ROUND_VOID)
    assert stands(table) == "rest_of_hand"


# -- a held hand, and a card that lies there ----------------------------------------------------------------------


def test_a_held_hand_is_asked_for_when_it_goes_on() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    table.restart()
    table.deal("8S")
    assert table.words()[-1] == "attempt.held:perhaps_repeated"
    look_away(table, "link")
    assert stands(table) is None, "it waits for the manager already"
    table.manager(CommandName.ATTEMPT_REFUSE)
    assert stands(table) == IN_HAND
    table.manager(RESUME)
    table.deal("5C")
    assert table.outcome.facts["tiger"] == "5C"


def test_a_card_drawn_while_the_table_stood_is_asked_for_where_it_lies_still() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S 5C")
    look_away(table, "link")
    table.deal("9D")
    assert dealer(table)
    for _ in range(5):
        table.deal("9D", gap_s=0.3, repeated=True)
    (refused,) = table.of(AttemptRefused)
    assert (refused.reason, refused.remedy) == ("card_while_paused", "rescan")
    assert "take it away" in refused.detail
    table.deal("9D QD")
    assert (table.outcome.facts["dragon"], table.outcome.facts["tiger"]) == ("9D", "QD")
