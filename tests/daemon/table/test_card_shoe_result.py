"""The shoe's own result of a hand: a witness that an outcome waits for, and is held against (``devices.md`` §2)."""

from __future__ import annotations

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import AttemptHeld, CardDrawn, RoundOutcome, TablePaused, Violation
from support.card_tables import NATURAL, SIX, CardTable, held

SOURCES = pytest.mark.parametrize("source", ["device", "server"])
DECIDE, REFUSE = CommandName.ATTEMPT_DECIDE, CommandName.ATTEMPT_REFUSE


def shoe_table(source: str = "device", **settings: object) -> CardTable:
    return CardTable(source=source, places=True, **settings)  # type: ignore[arg-type]


@SOURCES
def test_the_outcome_waits_for_the_shoes_own_result(source: str) -> None:
    table = shoe_table(source)
    table.bets_closed()
    table.deal(SIX)
    assert not table.of(RoundOutcome)
    table.result("banker", player_pair=True)
    assert table.outcome.witnesses == ["cards", "shoe_result"]
    assert len(table.outcome.evidence) == 7, "six cards and the result"


@SOURCES
def test_no_longer_than_it_is_set_to(source: str) -> None:
    table = shoe_table(source, shoe={"result_wait_s": 3})
    table.bets_closed()
    table.deal(NATURAL)
    table.wait(2.9)
    assert not table.of(RoundOutcome)
    table.wait(0.1)
    assert table.outcome.witnesses == ["cards"]
    assert table.table.deadline_ns() is None
    table.result("player")
    assert table.state.paused is None


def test_not_at_all_when_it_is_set_so() -> None:
    table = shoe_table(shoe={"result_wait_s": 0})
    table.deal(NATURAL)
    assert table.outcome.witnesses == ["cards"]


def test_the_next_hand_ends_the_wait() -> None:
    table = shoe_table(shoe={"result_wait_s": 30})
    table.deal(NATURAL)
    table.deal("P1 2S")
    assert table.words()[-4:] == ["round.outcome", "round.opened", "betting.closed", "card.drawn:player.1:2S"]
    assert len(table.last(CardDrawn).evidence) == 1


def test_a_card_that_comes_before_the_server_opened_the_next_round_ends_the_wait_too() -> None:
    table = shoe_table("server", shoe={"result_wait_s": 30})
    table.bets_closed()
    table.deal(NATURAL)
    table.deal("P1 2S")
    assert table.words()[-3:] == ["round.outcome", "violation:card_between_rounds", "table.paused:violation"]
    assert "2S" not in table.published()


def test_a_restart_while_it_waits_loses_nothing() -> None:
    table = shoe_table()
    table.deal(NATURAL)
    table.restart()
    assert not table.of(RoundOutcome)
    table.wait(2)
    assert table.outcome.facts["winner"] == "player"


@SOURCES
@pytest.mark.parametrize(
    ("winner", "pairs"), [("banker", (False, False)), ("tie", (False, False)), ("player", (True, False))]
)
def test_a_result_that_disagrees_holds_the_hand(source: str, winner: str, pairs: tuple[bool, bool]) -> None:
    table = shoe_table(source)
    table.bets_closed()
    table.deal(NATURAL)
    table.result(winner, *pairs)
    held(table, "shoe_result_disagrees")
    table.wait(60)
    assert not table.of(RoundOutcome)
    refused = table.ask(REFUSE, Role.MANAGER)
    assert refused.error is ErrorCode.NOT_NOW, "there is no card to scan again"
    cards = {"player.1": "8S", "banker.1": "5C", "player.2": "AD", "banker.2": "3H"}
    assert table.ask(DECIDE, Role.MANAGER, cards=cards | {"player.3": "2C"}, reason="v").error == "bad_argument"
    assert table.ask(DECIDE, Role.MANAGER, cards=cards).error == "bad_argument"
    table.manager(DECIDE, cards=cards)
    assert (table.outcome.source, table.outcome.by, table.outcome.witnesses) == ("manager", "the-manager", ["manager"])
    assert table.outcome.facts["winner"] == "player"
    assert len(table.outcome.evidence) == 4


def test_a_correction_is_held_against_the_result_too() -> None:
    table = shoe_table()
    table.deal(NATURAL)
    table.result("tie")
    table.manager(CommandName.CARD_CORRECT, position="player.2", card="KD")
    assert table.outcome.facts["winner"] == "tie"
    assert table.outcome.witnesses == ["cards", "shoe_result", "manager"]


def test_a_result_while_cards_are_missing_holds_the_hand_until_they_are_named() -> None:
    table = shoe_table()
    table.deal("P1 2S B1 5C P2 2D B2 QH")
    table.result("banker", player_pair=True)
    hold = held(table, "card_skipped")
    assert "banker" not in hold.detail
    table.manager(DECIDE, position="player.3", card="6D")
    assert table.last(AttemptHeld).reason == "card_skipped"
    table.manager(DECIDE, position="banker.3", card="9D")
    assert table.outcome.facts["winner"] == "banker"
    assert table.outcome.witnesses == ["cards", "shoe_result", "manager"]


def test_a_refused_hold_forgets_a_result_that_came_too_early() -> None:
    table = shoe_table()
    table.deal("P1 2S B1 5C P2 2D B2 QH")
    table.result("banker")
    table.did(REFUSE, Role.MANAGER)
    table.deal("P3 6D B3 9D")
    table.result("banker", player_pair=True)
    assert table.outcome.witnesses == ["cards", "shoe_result"]


def test_a_result_that_comes_while_a_gate_waits_is_kept_for_the_end() -> None:
    table = shoe_table("server", gates=["player_third"])
    table.bets_closed()
    table.deal("P1 2S B1 7C P2 2D B2 QH P3 6D")
    assert table.words()[-1] == "gate.waiting:player_third"
    table.result("banker", player_pair=True)
    table.did(CommandName.GATE_OPEN, gate="player_third")
    assert table.outcome.witnesses == ["cards", "shoe_result"]


@SOURCES
def test_after_the_outcome_it_pauses_the_table(source: str) -> None:
    table = shoe_table(source)
    table.bets_closed()
    table.deal(NATURAL)
    table.wait(2)
    table.result("banker")
    assert [table.last(Violation).reason, table.last(TablePaused).reason] == ["shoe_result_disagrees", "violation"]
    cards = {"player.1": "5S", "banker.1": "5C", "player.2": "AD", "banker.2": "3H", "player.3": "2C"}
    sequence = next(event.sequence for event in table.events if isinstance(event.data, RoundOutcome))
    refused = table.ask(CommandName.OUTCOME_CORRECT, Role.MANAGER, replaces=sequence, cards=cards, reason="video")
    assert refused.error is ErrorCode.BAD_ARGUMENT
    del cards["player.3"]
    table.manager(CommandName.OUTCOME_CORRECT, replaces=sequence, cards=cards)
    assert table.events[-1].data.type == "outcome.corrected"
    assert table.state.outcome is not None
    assert table.state.outcome.facts["winner"] == "banker"


GAPS = pytest.mark.parametrize("gap", ["none", "restart", "link"])


def look_away(table: CardTable, gap: str) -> None:
    if gap == "restart":
        table.restart()
    elif gap == "link":
        table.lost()
        table.back()


@SOURCES
@GAPS
def test_a_late_one_that_disagrees_is_said_whatever_happened_to_the_station_since(source: str, gap: str) -> None:
    table = shoe_table(source)
    table.bets_closed()
    table.deal(NATURAL)
    table.wait(2)
    look_away(table, gap)
    table.result("banker")
    assert [table.last(Violation).reason, table.last(TablePaused).reason] == ["shoe_result_disagrees", "violation"]


@GAPS
@pytest.mark.parametrize(
    "since", ["card", "burn", "skipped", "void", "decided", "drawn while held", "drawn while paused"]
)
def test_but_not_once_it_may_be_another_hands(gap: str, since: str) -> None:
    table = shoe_table(shoe={"result_wait_s": 1})
    cards = {"player.1": "8S", "banker.1": "5C", "player.2": "AD", "banker.2": "3H"}
    if since == "decided":
        table.deal("P1 8S B1 5C B2 3H")
        table.manager(DECIDE, cards=cards)
    elif since == "drawn while held":
        table.deal("P1 8S B1 5C B2 3H P2 KD")
        table.manager(DECIDE, position="player.2", card="AD")
    elif since == "drawn while paused":
        table.deal("P1 8S B1 5C P2 AD B2 3H", gap_s=0.1)
        table.ask(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
        table.deal("P1 KD B1 2C")
        table.resume()
    else:
        table.deal(NATURAL)
    table.wait(3)
    assert table.outcome.facts["winner"] == "player"
    if since == "card":
        table.deal("P1 KD")
        table.manager(CommandName.ROUND_VOID)
    elif since == "burn":
        table.manager(CommandName.SHOE_CHANGE)
        table.deal("F1 2S")
    elif since == "skipped":
        look_away(table, "link")
        table.deal("B1 5C")
    elif since == "void":
        table.unread(at="P1")
        table.manager(CommandName.ROUND_VOID)
    look_away(table, gap)
    table.result("banker")
    assert not table.of(Violation) or table.last(Violation).reason.startswith("card_while")


def test_it_is_held_against_the_newest_correction_of_the_outcome() -> None:
    table = shoe_table()
    table.deal(NATURAL)
    table.wait(2)
    sequence = table.events[-1].sequence
    cards = {"player.1": "5S", "banker.1": "5C", "player.2": "AD", "banker.2": "3H"}
    table.manager(CommandName.OUTCOME_CORRECT, replaces=sequence, cards=cards)
    table.result("banker")
    assert not table.of(Violation)
    table.result("player")
    assert table.last(Violation).reason == "shoe_result_disagrees"


@GAPS
@pytest.mark.parametrize("heard", ["held", "missing", "gate", "paused", "betting"])
@pytest.mark.parametrize("wrong", [False, True])
def test_what_it_said_before_the_cards_were_known_is_held_against_them(gap: str, heard: str, wrong: bool) -> None:
    """A manager names the card that was lost, and names another."""
    gates = ["first_four"] if heard == "gate" else []
    table = shoe_table("server", gates=gates, early="withhold")
    table.open()
    if heard != "betting":
        table.close()
    table.deal("P1 2S B1 5C P2 2D" if heard != "gate" else "P1 2S B1 5C P2 2D B2 QH")
    if heard == "held":
        table.deal("P3 6D")  # B2's telegram was lost
        held(table, "card_skipped")
    if heard == "paused":
        table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.result("player" if wrong else "banker", player_pair=True)
    assert "shoe.result" in table.words()
    look_away(table, gap)
    if heard == "paused":
        table.resume()
    if heard == "betting":
        table.close()
    if heard == "gate":
        table.did(CommandName.GATE_OPEN, gate="first_four")
    missing = {"banker.2": "QH", "player.3": "6D", "banker.3": "9D"}
    for position, card in missing.items():
        if (position, heard) not in (("banker.2", "gate"), ("player.3", "held")):
            table.manager(DECIDE, position=position, card=card)
    if wrong:
        assert table.words()[-1] == "attempt.held:shoe_result_disagrees"
    else:
        assert table.outcome.facts["winner"] == "banker"
        assert table.outcome.witnesses == ["cards", "shoe_result", "manager"]
        assert any(frame.startswith(b"G") for name in table.outcome.evidence for frame in table._frames_of(name))
    said = [message for message in table.published().splitlines() if '"shoe.result"' in message]
    assert said
    assert not any("winner" in message or "evidence" in message for message in said)


def test_the_word_that_the_hand_goes_on_all_the_same_is_known_after_a_restart_too() -> None:
    table = shoe_table()
    table.deal("P1 2S B1 5C P2 2D B2 QH")
    table.result("player")
    table.did(REFUSE, Role.MANAGER)
    table.restart()
    table.deal("P3 6D B3 9D")
    table.result("banker", player_pair=True)
    assert table.outcome.witnesses == ["cards", "shoe_result"]


# -- a hand that was dealt on while the table stood -----------------------------------------------------------------


@SOURCES
@pytest.mark.parametrize("restart", [False, True])
def test_a_hand_that_was_dealt_on_while_the_table_stood_mixes_with_no_other(source: str, restart: bool) -> None:
    """Its last cards and the first of the next hand count for nothing, and the shoe goes on where one is due."""
    table = shoe_table(source)
    table.bets_closed()
    table.deal("P1 8S B1 5C")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.deal("P2 AD B2 3H P1 9S B1 2C")
    if restart:
        table.restart()
    table.resume()
    assert table.words()[-1] == "attempt.held:card_skipped"
    table.deal("P2 KD B2 QH")
    assert not table.of(RoundOutcome)
    table.manager(DECIDE, position="player.2", card="AD")
    assert table.words()[-1] == "attempt.held:card_skipped", "whether the next one passed is not known either"
    table.manager(DECIDE, position="banker.2", card="3H")
    table.wait(3)
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]


def test_it_goes_on_with_the_card_that_is_due_where_a_person_says_so() -> None:
    table = shoe_table()
    table.deal("P1 8S B1 5C")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.deal("P2 AD")
    table.resume()
    table.manager(DECIDE, position="player.2", card="AD")
    table.did(REFUSE, Role.MANAGER)
    table.deal("B2 3H")
    table.result("player")
    assert table.outcome.witnesses == ["cards", "shoe_result", "manager"]


def test_late_for_the_hand_before_it_is_told_though_the_next_round_is_open() -> None:
    table = shoe_table("server")
    table.bets_closed()
    table.deal(NATURAL)
    table.wait(2)
    table.open()
    table.result("banker")
    assert table.last(Violation).reason == "shoe_result_disagrees"


@SOURCES
def test_force_quit_holds_the_hand(source: str) -> None:
    table = shoe_table(source)
    table.bets_closed()
    table.deal("P1 8S B1 5C")
    table.result("force_quit")
    held(table, "force_quit")
    table.did(REFUSE, Role.MANAGER)
    table.deal("P2 AD B2 3H")
    table.result("player")
    assert table.outcome.facts["winner"] == "player"


def test_force_quit_between_hands_says_nothing_of_a_result_and_after_an_outcome_it_does() -> None:
    table = shoe_table()
    table.result("force_quit")
    assert table.words() == ["table.started"]
    table.deal(NATURAL)
    table.wait(2)
    table.result("force_quit")
    assert table.last(Violation).reason == "shoe_result_disagrees"


def test_of_a_hand_that_was_dealt_while_the_one_before_was_held_nothing_is_held_against_that() -> None:
    """Its first card was missed, and what the shoe gives then is the result of the cards that counted for nothing."""
    table = shoe_table()
    table.deal("P1 8S B1 5C B2 3H")
    held(table, "card_skipped")
    table.deal("B1 KD P2 4C B2 QS")
    table.manager(DECIDE, position="player.2", card="AD")
    table.wait(3)
    assert table.outcome.facts["winner"] == "player"
    table.result("tie")
    assert not table.of(TablePaused)
