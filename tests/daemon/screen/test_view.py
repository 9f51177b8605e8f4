"""What a dealer's page shows, at every kind of table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from dealer_daemon.bodies import HeldBody
from dealer_daemon.events import (
    AttemptHeld,
    AttemptStarted,
    CardDrawn,
    DeviceFaulted,
    DeviceRecovered,
    GateOpened,
    TablePaused,
    TableResumed,
    Violation,
)
from dealer_daemon.games import game_names
from dealer_daemon.screen.sight import DeviceSight
from dealer_daemon.screen.view import Cards, View
from dealer_daemon.words import Language
from support.screen_play import ScreenPlay, table_config
from support.screen_scenes import SCENES, refused

EN = Language.ENGLISH


def shown(name: str) -> View:
    return SCENES[name](EN).view()


DUE = {
    "baccarat_third_card": ("Player: third card", "act"),
    "baccarat_rescan": ("Player: third card", "act"),
    "baccarat_result": ("Wait: no round is open", "wait"),
    "baccarat_withheld": ("Banker: second card", "act"),
    "baccarat_gate": ("Wait: the first four cards are bet on", "wait"),
    "dragon_tiger": ("Tiger: first card", "act"),
    "niu_niu": ("Player 2: second card", "act"),
    "three_cards": ("Second hand: third card", "act"),
    "three_cards_paused": ("Too many tries in a row", "call"),
    "blackjack": ("Seat 1, hand 2: second card", "act"),
    "holdem": ("Wait: players call or fold", "wait"),
    "san_gong": ("Card for place 5", "act"),
    "koi": ("Wait: no round is open", "wait"),
    "brawl": ("Wait: betting is open", "wait"),
    "andar_bahar": ("Bahar: eighth card", "act"),
    "roulette_throw": ("Throw the ball", "act"),
    "roulette_refused": ("Throw the ball", "act"),
    "roulette_confirm": ("Was the attempt valid? Confirm", "call"),
    "roulette_held": ("Wait: the service manager decides", "call"),
    "roulette_betting": ("Betting is open: the ball may be thrown", "wait"),
    "roulette_keypad": ("Key in the result, twice", "act"),
    "sic_bo_shake": ("Press shake", "act"),
    "rainbow_spin": ("The wheel is turning", "look"),
    "rainbow_refused": ("Spin the wheel", "act"),
    "fan_tan_lay": ("Lift the bowl, lay out the beans", "act"),
    "paused_question": ("Is the next card the first of a hand?", "call"),
    "maintenance": ("A technician has a device of this table", "call"),
    "stalled": ("Stop: the computer cannot record", "stop"),
}


@pytest.mark.parametrize("name", DUE)
def test_what_is_due_is_said(name: str) -> None:
    due = shown(name).due
    assert (due.text.english, due.tone) == DUE[name]


def test_every_game_has_a_scene_and_a_view_in_three_languages() -> None:
    played = set()
    for made in SCENES.values():
        table = made(Language.TRADITIONAL)
        view = table.view()
        played.add(table.config.game)
        assert view.language == "zh-Hant"
        for text in texts(msgspec.to_builtins(view)):
            assert all(text[language] for language in Language), text
    assert played == set(game_names())


def texts(value: Any) -> list[dict[str, str]]:
    if isinstance(value, dict):
        own = [value] if "zh-Hant" in value else []
        return own + [text for inner in value.values() for text in texts(inner)]
    return [text for inner in value for text in texts(inner)] if isinstance(value, list) else []


def cloth(view: View) -> dict[str, str]:
    """Each hand's places in a few letters: the card, ? for one that nobody may know, * where the next goes, - empty."""
    assert isinstance(view.felt, Cards)
    signs = {"hidden": "?", "due": "*", "empty": "-"}
    return {
        hand.hand: " ".join(slot.card or signs[slot.state] for slot in hand.slots)
        + (f" = {hand.note.english}" if hand.note else "")
        + (" won" if hand.won else "")
        for hand in view.felt.hands
    }


CLOTHS = {
    "baccarat_third_card": {"player": "2S 2D * = 4", "banker": "5C QH - = 5"},
    "baccarat_result": {"player": "8S AD = 9 won", "banker": "5C TH = 5"},
    "baccarat_withheld": {"player": "? ? -", "banker": "? * -"},
    "dragon_tiger": {"dragon": "KH", "tiger": "*"},
    "niu_niu": {
        "head": "AS",
        "banker": "2S 3S 4S 5S 6S = Bull-bull",
        "p1": "7H 8H 9H TH JH = No bull",
        "p2": "QC * - - -",
        "p3": "- - - - -",
    },
    "three_cards": {"first": "9S 4D KS = High card", "second": "9H TC *"},
    "holdem": {"player": "AS KS", "board": "4H 9D KC - -", "dealer": "- -"},
    "holdem_result": {
        "player": "AS KS = Pair",
        "board": "4H 9D KC 2C 7S",
        "dealer": "QH QD = Pair",
    },
    "san_gong": {"card.1": "KS", "card.2": "7H", "card.3": "9D", "card.4": "2C", "card.5": "*", "card.6": "-"},
    "blackjack": {
        "dealer": "TC = 10",
        "seat1.h1": "8S 4S = 12",
        "seat1.h2": "8D * = 8",
        "seat3.h1": "7H 9S = 16",
        "seat5.h1": "AD KH = Blackjack",
    },
}


@pytest.mark.parametrize("name", CLOTHS)
def test_cards_lie_where_they_lie(name: str) -> None:
    found = cloth(shown(name))
    for hand, lies in CLOTHS[name].items():
        assert found[hand].removesuffix(" won") == lies.removesuffix(" won"), hand
        assert ("won" in lies) <= ("won" in found[hand])


def test_the_newest_cards_of_a_long_hand_are_shown() -> None:
    found = cloth(shown("andar_bahar"))
    assert found["joker"] == "7S"
    assert found["andar"] == "2S 4S 6S 9H JH KC 2C 4D = 8 cards dealt"
    assert found["bahar"] == "3S 5S 8H TH QC AC 3C * = 7 cards dealt"


def test_a_refusal_stands_until_what_it_asks_for_was_done() -> None:
    table = SCENES["three_cards"](EN)
    refusal, tries = table.view().refusal, table.view().tries
    assert refusal is not None
    assert tries is not None
    assert (refusal.remedy.english, refusal.reason.english) == ("Scan again", "Only a part of a code")
    assert refusal.where is not None
    assert refusal.where.simplified == "第二手第三张牌"
    assert (tries.refused, tries.most) == (2, 3)
    assert table.say(CardDrawn(card="2C", position="second.3")).view().refusal is None


def test_a_pause_for_a_violation_says_which() -> None:
    table = ScreenPlay(table_config("baccarat")).shoe().open()
    table.say(Violation(reason="card_while_betting", detail="", evidence=[]))
    table.say(TablePaused(reason="violation", by="station"))
    assert table.view().due.text.english == "A card while bets were open"
    more = table.view().due.more
    assert more is not None
    assert more.english == "The service manager has been called"
    assert table.say(TableResumed(reason="looked at", by="manager-1")).view().phase == "betting"


def test_a_persons_pause_stands_in_that_persons_words() -> None:
    table = ScreenPlay(table_config("roulette"))
    due = table.say(TablePaused(reason="violation", by="manager-1")).view().due
    assert due.text.code == "person", "a person's words are nobody's word"
    assert (due.text.english, due.text.simplified) == ("violation", "violation")
    called = ScreenPlay(table_config("roulette")).say(TablePaused(reason="manager_called", by="dealer-7")).view().due
    assert called.text.simplified == "荷官呼叫服务经理"


def test_what_is_wrong_is_said_the_worst_first() -> None:
    table = SCENES["roulette_troubles"](EN)
    assert [line.text.english for line in table.view().alarms] == [
        "No server hears this table",
        "wheel: Connected, and nothing comes",
    ]
    table.say(DeviceRecovered(device="wheel", fault="silent"))
    held = HeldBody(reason="station_contested", detail="")
    devices = {"camera": DeviceSight("opening"), "wheel": DeviceSight("up"), "shaker": DeviceSight("given_up")}
    table.sight = replace(table.sight, heard=True, held=held, devices=devices)
    assert [(line.code, line.severity) for line in table.view().alarms] == [
        ("station_contested", "error"),
        ("device_given_up", "error"),
        ("device_opening", "warning"),
    ]
    table.say(DeviceFaulted(device="camera", fault="link_lost", detail=""))
    assert "device_opening" not in [line.code for line in table.view().alarms], "said once, by its fault"


BUTTONS = {
    "baccarat_third_card": ["refuse", "call_manager"],
    "baccarat_result": ["call_manager"],
    "baccarat_withheld": ["call_manager"],
    "roulette_throw": ["call_manager"],
    "roulette_confirm": ["confirm", "refuse", "call_manager"],
    "roulette_held": ["call_manager"],
    "rainbow_spin": ["refuse", "call_manager"],
    "three_cards_paused": [],
    "paused_question": ["resume", "call_manager"],
    "maintenance": ["call_manager"],
}


@pytest.mark.parametrize("name", BUTTONS)
def test_a_dealer_is_offered_what_would_be_done(name: str) -> None:
    assert [button.act for button in shown(name).buttons] == BUTTONS[name]


def test_a_keypad_is_there_only_while_an_entry_would_count() -> None:
    table = SCENES["roulette_keypad"](EN)
    pad = table.view().keypad
    assert pad is not None
    assert (pad.field, pad.count, len(pad.choices), pad.round) == ("number", 1, 37, "r2-1")
    assert table.say(TablePaused(reason="x", by="m")).view().keypad is None
    assert shown("roulette_throw").keypad is None
    assert shown("sic_bo_keypad").keypad is not None


def test_a_held_attempt_shows_no_value() -> None:
    table = ScreenPlay(table_config("roulette")).open().close().say(AttemptStarted(attempt=1))
    table.say(AttemptHeld(reason="witnesses_disagree", attempt=1, detail="", seen={"numbers": ["17"]}, evidence=[]))
    assert table.view().felt is None
    assert b'"17"' not in msgspec.json.encode(table.view())


def test_the_last_result_is_not_shown_for_a_round_that_was_void() -> None:
    table = SCENES["roulette_result"](EN)
    assert table.view().felt is not None
    from dealer_daemon.events import RoundVoided

    table.open().say(RoundVoided(reason="x", by="m", seen={}))
    view = table.view()
    assert view.felt is None
    assert [mark.code for mark in view.marks] == ["last_was_void"]


def test_a_refusal_of_a_round_is_not_the_next_ones() -> None:
    table = SCENES["roulette_refused"](EN)
    table.say(AttemptStarted(attempt=2)).outcome(number="0", color="green", laps=None).open()
    assert table.view().refusal is None
    assert table.close().say(AttemptStarted(attempt=1), refused("no_ball", "rethrow")).view().refusal is not None


def test_gates_that_nobody_named_stand_by_their_own_name() -> None:
    table = SCENES["holdem"](EN)
    assert table.say(GateOpened(gate="call")).view().due.text.english == "Dealer: first card"
