"""What the screen says beside the words of messages: in three languages, each itself, with the same parts."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

import pytest

from dealer_daemon.commands import ErrorCode
from dealer_daemon.games import game_names
from dealer_daemon.games.cards.five_ranks import CLASS_WORDS as FIVE
from dealer_daemon.games.cards.niu_niu import RANK_WORDS
from dealer_daemon.games.cards.three_ranks import CLASS_WORDS as THREE
from dealer_daemon.screen.texts import figures_of, hand_name, ordinal, position_name, say, word
from dealer_daemon.validation.turn_map import COUNTS
from dealer_daemon.words import WORDS, Kind
from dealer_daemon.words.phrase import Phrase
from dealer_daemon.words.table_screen import PHRASES
from support.chinese import SIMPLIFIED_ONLY, TRADITIONAL_ONLY


def phrases() -> Iterator[tuple[str, Phrase]]:
    for place, group in PHRASES.items():
        for code, phrase in group.items():
            yield f"{place}.{code}", phrase


def parts(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_every_phrase_is_there_in_each_language_and_is_itself() -> None:
    for name, phrase in phrases():
        assert phrase.english.isascii(), name
        assert not TRADITIONAL_ONLY & set(phrase.simplified), name
        assert not SIMPLIFIED_ONLY & set(phrase.traditional), name
        assert parts(phrase.english) == parts(phrase.simplified) == parts(phrase.traditional), name
        said = re.sub(r"\{\w+\}", "", phrase.english)
        if any(char.isalpha() for char in said):
            assert all(any("一" <= char <= "鿿" for char in text) for text in phrase[1:]), name


def test_what_the_games_say_has_a_phrase() -> None:
    assert set(PHRASES["game"]) == set(game_names())
    assert {*FIVE, *THREE, *RANK_WORDS} <= PHRASES["rank"].keys()
    assert {*COUNTS, "red", "black", "green"} <= PHRASES["colour"].keys()
    assert {str(code) for code in ErrorCode} <= PHRASES["answer"].keys()
    assert all(Kind.REFUSED in WORDS[reason].kinds for reason in PHRASES["figures"])


@pytest.mark.parametrize(
    ("position", "english", "simplified"),
    [
        ("player.3", "Player: third card", "闲家第三张牌"),
        ("board.5", "Board: fifth card", "公共牌第五张牌"),
        ("seat3.h1.2", "Seat 3: second card", "3号座第二张牌"),
        ("seat3.h2.4", "Seat 3, hand 2: fourth card", "3号座第2手第四张牌"),
        ("head", "Scan the head card", "请扫描头牌"),
        ("card.6", "Card for place 6", "第6位的牌"),
        ("bahar.13", "Bahar: 13 card", "巴哈第13张牌"),
    ],
)
def test_positions_are_said_as_a_dealer_says_them(position: str, english: str, simplified: str) -> None:
    name = position_name(position)
    assert (name.english, name.simplified) == (english.replace("13 card", "13th card"), simplified)


def test_words_that_nobody_knows_stand_as_they_are() -> None:
    assert word("a word of a later version").traditional == "a word of a later version"
    assert hand_name("nobody").english == "nobody"
    assert [ordinal(n).english for n in (1, 11, 12, 13, 21, 22, 23, 24, 25)] == [
        "first", "11th", "12th", "13th", "21st", "22nd", "23rd", "24th", "25th",
    ]  # fmt: skip


def test_figures_are_said_where_there_are_any() -> None:
    laps = figures_of("too_few_laps", {"seen": 5, "needed": 7})
    assert laps is not None
    assert (laps.english, laps.traditional) == ("The ball made 5 of 7 laps", "球轉了5圈，須滿7圈")
    turns = figures_of("too_few_turns", {"seen": 2.41, "needed": 3.0})
    assert turns is not None
    assert turns.english == "The wheel made 2.41 of 3 turns"
    assert figures_of("too_few_laps", {}) is None
    assert figures_of("no_ball", {"seen": 1, "needed": 2}) is None


def test_a_phrase_that_there_is_not_is_a_fault_of_ours() -> None:
    with pytest.raises(KeyError):
        say("line", "no_such_line")
