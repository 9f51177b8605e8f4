"""Blackjack with seats: what may be dealt, what is refused, and how the dealer plays (table in ``games.md`` §4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from dealer_daemon.games.cards.blackjack import Settings, make
from dealer_daemon.games.cards.blackjack_rules import RULES, RulesName, match_class, three_class, total
from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import (
    COMPLETE,
    CardDue,
    CardStep,
    ExpectDue,
    ExpectStep,
    History,
    Procedure,
    Refusal,
)

Lay = Callable[..., History]
Hand = Callable[[str], list[Card]]
CLASSIC: list[RulesName] = ["classic-001", "classic-003"]


def seats(*numbers: int) -> dict[str, Any]:
    return {"action": "seats", "seats": list(numbers)}


def say(action: str, seat: int = 1, hand: int = 1, **more: object) -> dict[str, Any]:
    return {"action": action, "seat": seat, "hand": hand, **more}


DONE = {"action": "done"}


def refusal(table: Procedure, history: History, args: dict[str, Any]) -> str:
    answer = table.expect(history, args)
    assert isinstance(answer, Refusal), answer
    assert answer.message
    return answer.reason


def accepts(table: Procedure, history: History, args: dict[str, Any]) -> bool:
    return isinstance(table.expect(history, args), ExpectStep)


def test_the_first_deal_goes_round_the_seats_in_play_from_seat_one(lay: Lay) -> None:
    table = make(Settings())
    assert table.due(()) == ExpectDue(("seats",))
    history = lay(table, seats(5, 2))
    positions = ["seat2.h1.1", "seat5.h1.1", "dealer.1", "seat2.h1.2", "seat5.h1.2"]
    for position, card in zip(positions, "2S 3S 9D 4S 5S".split(), strict=True):  # noqa: SIM905
        assert table.due(history) == CardDue(position)
        history = lay(table, card, after=history)
    due = table.due(history)
    assert due == ExpectDue(("hit", "stand", "double", "split", "done"))


@pytest.mark.parametrize("bad", [[], [0], [8], [1, 1]])
def test_seats_are_those_of_the_table_each_once(bad: list[int]) -> None:
    assert refusal(make(Settings()), (), {"action": "seats", "seats": bad}) == "bad_argument"


@pytest.mark.parametrize(
    "bad",
    [{}, {"action": "surrender"}, {"action": "hit", "seat": 1}, {"action": "done", "more": 1}, say("hit", seat="1")],  # type: ignore[arg-type]
)
def test_what_is_not_understood_is_refused(lay: Lay, bad: dict[str, Any]) -> None:
    table = make(Settings())
    assert refusal(table, lay(table, seats(1), "2S 9D 4S"), bad) == "bad_argument"


def test_nothing_may_be_said_while_a_card_is_due_and_no_card_comes_unsaid(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, seats(1), "2S 9D")
    assert refusal(table, history, say("hit")) == "not_expected"
    history = lay(table, "4S", after=history)
    assert refusal(table, history, seats(1)) == "not_expected"
    answer = table.advance(history, CardStep("seat1.h1.3", Card.parse("5S")))
    assert isinstance(answer, Refusal)
    assert "the server must say" in answer.message


def test_a_hand_draws_until_it_may_not(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, seats(1, 2), "TS TH 9D 6S 7H")
    assert refusal(table, history, say("hit", seat=3)) == "no_such_hand"
    assert refusal(table, history, say("hit", hand=2)) == "no_such_hand"
    busted = lay(table, say("hit"), "6C", after=history)
    assert refusal(table, busted, say("hit")) == "hand_bust"
    stood = lay(table, say("stand"), after=history)
    assert refusal(table, stood, say("hit")) == "hand_stood"
    twenty_one = lay(table, say("hit"), "5C", after=history)
    assert refusal(table, twenty_one, say("hit")) == "hand_has_21"
    doubled = lay(table, say("double"), "2C", after=history)
    assert refusal(table, doubled, say("hit")) == "hand_doubled"
    facts = table.seen(doubled)["hands"][0]
    assert (facts["doubled"], facts["total"], facts["cards"]) == (True, 18, ["TS", "6S", "2C"])


def test_a_natural_takes_no_card(lay: Lay) -> None:
    table = make(Settings())
    assert refusal(table, lay(table, seats(1), "AS 9D KS"), say("hit")) == "hand_has_21"


@pytest.mark.parametrize(
    ("rules", "most"), [("classic-001", 8), ("free-bet-001", 8), ("switch-001", 8), ("classic-003", None)]
)
def test_how_many_cards_a_hand_may_have(lay: Lay, rules: RulesName, most: int | None) -> None:
    table = make(Settings(rules=rules))
    other = " 2H" if rules == "switch-001" else ""
    history = lay(table, seats(1), f"AS{other} 9D AS{other}")
    for _ in range(6):
        history = lay(table, say("hit"), "AS", after=history)
    hand = table.seen(history)["hands"][0]
    assert (hand["card_count"], hand["total"]) == (8, 18)
    if most:
        assert refusal(table, history, say("hit")) == "hand_full"
    else:
        assert accepts(table, history, say("hit"))


@pytest.mark.parametrize("rules", CLASSIC)
def test_equal_values_split_once_and_both_hands_are_filled(lay: Lay, rules: RulesName) -> None:
    table = make(Settings(rules=rules))
    history = lay(table, seats(1), "TS 9D KH", say("split"))
    assert table.due(history) == CardDue("seat1.h1.3")
    history = lay(table, "AS", after=history)
    assert table.due(history) == CardDue("seat1.h2.2")
    history = lay(table, "TD", after=history)
    one, other = table.seen(history)["hands"]
    assert (one["cards"], one["origin"], one["total"], one["blackjack"]) == (["TS", "AS"], None, 21, False)
    assert (other["cards"], other["origin"], other["hand"]) == (["KH", "TD"], 1, 2)
    assert other["positions"] == ["seat1.h1.2", "seat1.h2.2"]
    assert refusal(table, history, say("split", hand=2)) == "split_limit"
    assert refusal(table, history, say("double", hand=2)) == "after_split"
    assert accepts(table, history, say("hit", hand=2))
    assert table.due(lay(table, say("hit", hand=2), after=history)) == CardDue("seat1.h2.3")


def test_hands_are_listed_by_seat_then_by_number(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, seats(1, 2), "TS 8C 9D KH 8D", say("split", 2), "3S 4S", say("split", 1), "5S 6S")
    order = [(hand["seat"], hand["hand"]) for hand in table.seen(history)["hands"]]
    assert order == [(1, 1), (1, 2), (2, 1), (2, 2)]


def test_the_sides_are_of_the_first_deal_whatever_was_split_later(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, seats(1), "8S 8D 8S", say("split"), "3S TD")
    assert table.seen(history)["sides"] == [{"seat": 1, "pair": "perfect", "three": "trips", "four": None}]


def test_split_aces_get_one_card_each(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, seats(1), "AS 9D AH", say("split"), "3S 4S")
    for hand in (1, 2):
        assert refusal(table, history, say("hit", hand=hand)) == "split_aces"
        assert refusal(table, history, say("double", hand=hand)) == "split_aces"


@pytest.mark.parametrize(("two", "reason"), [("8S 9S", "not_a_pair"), ("AS TS", "not_a_pair")])
def test_what_is_no_pair_does_not_split(lay: Lay, two: str, reason: str) -> None:
    table = make(Settings())
    one, other = two.split()
    assert refusal(table, lay(table, seats(1), f"{one} 9D {other}"), say("split")) == reason


def test_only_the_first_two_cards_split_or_double(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, seats(1), "2S 9D 2H", say("hit"), "2C")
    assert refusal(table, history, say("split")) == "not_first_two"
    assert refusal(table, history, say("double")) == "not_first_two"


def test_free_bet_splits_real_pairs_three_times_but_not_tens_and_fives(lay: Lay) -> None:
    table = make(Settings(rules="free-bet-001"))
    for two in ("TS TH", "JS JH", "QS QH", "KS KH", "5S 5H", "TS JH"):
        one, other = two.split()
        assert refusal(table, lay(table, seats(1), f"{one} 9D {other}"), say("split")) == "not_a_pair"
    history = lay(table, seats(1), "8S 9D 8H", say("split"), "8C 8D", say("split", hand=2), "8S 2H")
    history = lay(table, say("split"), "3H 8H", after=history)
    hands = table.seen(history)["hands"]
    assert [(h["hand"], h["origin"], h["cards"]) for h in hands] == [
        (1, None, ["8S", "3H"]),
        (2, 1, ["8H", "8S"]),
        (3, 2, ["8D", "2H"]),
        (4, 1, ["8C", "8H"]),
    ]
    assert refusal(table, history, say("split", hand=2)) == "split_limit"
    assert len({position for h in hands for position in h["positions"]}) == 8


def test_free_bet_split_aces_may_draw(lay: Lay) -> None:
    table = make(Settings(rules="free-bet-001"))
    history = lay(table, seats(1), "AS 9D AH", say("split"), "3S 4S")
    assert accepts(table, history, say("hit"))


@pytest.mark.parametrize(
    ("two", "free"),
    [("4S 5S", True), ("6S 4H", True), ("6S 5H", True), ("4S 4H", False), ("AS 8S", False), ("TS 2H", False)],
)
def test_free_doubles_need_a_hard_nine_ten_or_eleven(lay: Lay, two: str, free: bool) -> None:
    table = make(Settings(rules="free-bet-001"))
    one, other = two.split()
    history = lay(table, seats(1), f"{one} 9D {other}")
    assert accepts(table, history, say("double", free=True)) is free
    assert accepts(table, history, say("double"))
    classic = make(Settings())
    assert refusal(classic, lay(classic, seats(1), f"{one} 9D {other}"), say("double", free=True)) == "not_free"


def test_free_bet_doubles_after_a_split(lay: Lay) -> None:
    table = make(Settings(rules="free-bet-001"))
    history = lay(table, seats(1), "8S 9D 8H", say("split"), "3S 4S")
    assert accepts(table, history, say("double", free=True))


def test_switch_deals_two_hands_a_seat_and_swaps_their_second_cards(lay: Lay) -> None:
    table = make(Settings(rules="switch-001"))
    history = lay(table, seats(2), "AS TH 9D TC AH")
    assert [h["blackjack"] for h in table.seen(history)["hands"]] == [True, True]
    assert table.seen(history)["sides"] == [{"seat": 2, "pair": None, "three": None, "four": "two_pair"}]
    history = lay(table, {"action": "switch", "seat": 2}, after=history)
    one, other = table.seen(history)["hands"]
    assert (one["cards"], other["cards"]) == (["AS", "AH"], ["TH", "TC"])
    assert one["positions"] == ["seat2.h1.1", "seat2.h2.2"]
    assert table.seen(history)["sides"][0]["four"] == "two_pair"
    assert refusal(table, history, {"action": "switch", "seat": 2}) == "after_switch"
    assert refusal(table, history, {"action": "switch", "seat": 1}) == "no_such_hand"


def test_a_seat_of_two_hands_has_neither_a_pair_nor_21_and_3(lay: Lay) -> None:
    table = make(Settings(rules="switch-001"))
    sides = table.seen(lay(table, seats(1), "8S 9S 7S 8S JS"))["sides"]
    assert sides == [{"seat": 1, "pair": None, "three": None, "four": "pair"}]


def test_a_switched_blackjack_counts_21(lay: Lay) -> None:
    table = make(Settings(rules="switch-001"))
    history = lay(table, seats(1), "AS TH 9D 5C KH", {"action": "switch", "seat": 1})
    one, _ = table.seen(history)["hands"]
    assert (one["cards"], one["total"], one["blackjack"]) == (["AS", "KH"], 21, False)


def test_a_seat_may_switch_only_before_its_hands_are_played(lay: Lay) -> None:
    table = make(Settings(rules="switch-001"))
    history = lay(table, seats(1), "8S 8H 9D 8C 2H")
    switch = {"action": "switch", "seat": 1}
    for action in (say("hit", hand=2), say("double", hand=2)):
        assert refusal(table, lay(table, action, "2S", after=history), switch) == "not_first_two"
    assert refusal(table, lay(table, say("stand"), after=history), switch) == "not_first_two"
    assert refusal(table, lay(table, say("split"), "2S 3S", after=history), switch) == "not_first_two"
    classic = make(Settings())
    assert refusal(classic, lay(classic, seats(1), "8S 9D 8H"), switch) == "not_expected"


def test_each_switch_hand_splits_once(lay: Lay) -> None:
    table = make(Settings(rules="switch-001"))
    history = lay(table, seats(1), "8S 9H 9D 8C 9C", say("split"), "8D 2S", say("split", hand=2), "9S 3S")
    hands = table.seen(history)["hands"]
    assert [(h["hand"], h["origin"]) for h in hands] == [(1, None), (2, None), (3, 1), (4, 2)]
    assert refusal(table, history, say("split")) == "split_limit"
    assert refusal(table, history, say("split", hand=2)) == "split_limit"


@pytest.mark.parametrize(
    ("rules", "cards", "draws"),
    [
        ("classic-001", "6D AC", False),
        ("classic-003", "6D AC", False),
        ("free-bet-001", "6D AC", True),
        ("switch-001", "6D AC", True),
        ("free-bet-001", "TD 7C", False),
        ("free-bet-001", "7D AC", False),
        ("free-bet-001", "6D AC TC", False),
        ("classic-001", "TD 6C", True),
        ("classic-001", "TD 6C 6D", False),
    ],
)
def test_how_the_dealer_plays(lay: Lay, rules: RulesName, cards: str, draws: bool) -> None:
    table = make(Settings(rules=rules))
    first, *rest = cards.split()
    other = " 2H" if rules == "switch-001" else ""
    history = lay(table, seats(1), f"TS{other} {first} 9S{other}", DONE)
    assert table.due(history) == CardDue("dealer.2")
    history = lay(table, " ".join(rest), after=history)
    expected = CardDue(f"dealer.{len(rest) + 2}") if draws else COMPLETE
    assert table.due(history) == expected


@pytest.mark.parametrize(("third", "bust"), [("5D", False), ("6D", True)])
def test_the_dealer_is_bust_over_21_and_has_no_blackjack_of_three_cards(lay: Lay, third: str, bust: bool) -> None:
    table = make(Settings())
    dealer = table.facts(lay(table, seats(1), "TS TD 9S", DONE, "6C", third))["dealer"]
    assert (dealer["bust"], dealer["blackjack"], dealer["total"]) == (bust, False, 22 if bust else 21)


def test_a_dealer_of_eight_cards_stops_below_seventeen_where_the_book_says_so(lay: Lay) -> None:
    low = "2C 2H 2D 2S 2C AC AH"
    stops, goes_on = make(Settings()), make(Settings(rules="classic-003"))
    assert stops.due(lay(stops, seats(1), "TS 2D 9S", DONE, low)) == COMPLETE
    assert goes_on.due(lay(goes_on, seats(1), "TS 2D 9S", DONE, low)) == CardDue("dealer.9")


def test_when_every_seat_is_bust_or_blackjack_003_shows_the_hole_and_ends(lay: Lay) -> None:
    opening = (seats(1, 2), "TS AS 6D 6S KS", say("hit"), "TC", DONE)
    by_003, by_001 = make(Settings(rules="classic-003")), make(Settings())
    history = lay(by_003, *opening)
    assert by_003.due(history) == CardDue("dealer.2")
    assert by_003.due(lay(by_003, "2C", after=history)) == COMPLETE
    assert by_001.due(lay(by_001, *opening, "2C")) == CardDue("dealer.3")
    somebody = lay(by_003, seats(1, 2), "TS AS 6D 6S KS", DONE, "2C")
    assert by_003.due(somebody) == CardDue("dealer.3")


def test_the_hole_card_is_not_due_before_the_decisions_end(lay: Lay) -> None:
    table = make(Settings(rules="classic-003"))
    answer = table.advance(lay(table, seats(1), "TS 9D 9S"), CardStep("dealer.2", Card.parse("AS")))
    assert isinstance(answer, Refusal)
    assert answer.reason == "card_not_due"


def test_facts_of_a_round(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, seats(3), "8S AD 8H", say("split", 3), "3S TD", say("hit", 3), "TC", DONE, "KC")
    assert table.facts(history) == {
        "rules": "classic-001",
        "dealer": {
            "cards": ["AD", "KC"],
            "card_count": 2,
            "total": 21,
            "soft": True,
            "blackjack": True,
            "bust": False,
        },
        "hands": [
            {
                "seat": 3,
                "hand": 1,
                "origin": None,
                "cards": ["8S", "3S", "TC"],
                "positions": ["seat3.h1.1", "seat3.h1.3", "seat3.h1.4"],
                "card_count": 3,
                "total": 21,
                "soft": False,
                "blackjack": False,
                "bust": False,
                "doubled": False,
            },
            {
                "seat": 3,
                "hand": 2,
                "origin": 1,
                "cards": ["8H", "TD"],
                "positions": ["seat3.h1.2", "seat3.h2.2"],
                "card_count": 2,
                "total": 18,
                "soft": False,
                "blackjack": False,
                "bust": False,
                "doubled": False,
            },
        ],
        "sides": [{"seat": 3, "pair": "mixed", "three": None, "four": None}],
    }


def test_a_blackjack_that_was_complete_before_a_breakdown_is_seen(lay: Lay) -> None:
    table = make(Settings(rules="classic-003"))
    seen = table.seen(lay(table, seats(1, 2), "AS 9D 2H KS"))
    assert [(hand["seat"], hand["blackjack"]) for hand in seen["hands"]] == [(1, True), (2, False)]
    assert seen["sides"][1] == {"seat": 2, "pair": None, "three": None, "four": None}
    assert table.seen(()) == {
        "rules": "classic-003",
        "dealer": {"cards": [], "card_count": 0, "total": 0, "soft": False, "blackjack": False, "bust": False},
        "hands": [],
        "sides": [],
    }


def test_a_card_is_corrected_where_it_was_read_though_a_split_moved_it(lay: Lay) -> None:
    table = make(Settings())
    history = lay(table, seats(1), "8S 9D 8H", say("split"), "3S TD")
    corrected = table.replace(history, "seat1.h1.2", Card.parse("8C"))
    assert not isinstance(corrected, Refusal)
    assert table.seen(corrected)["hands"][1]["cards"] == ["8C", "TD"]
    no_pair = table.replace(history, "seat1.h1.2", Card.parse("9C"))
    assert isinstance(no_pair, Refusal)
    assert no_pair.reason == "later_step_not_due"
    assert "no pair" in no_pair.message


@pytest.mark.parametrize(
    ("cards", "worth"),
    [
        ("AS KH", (21, True)),
        ("AS AH", (12, True)),
        ("AS AH 9C", (21, True)),
        ("AS AH TC", (12, False)),
        ("AS 6H", (17, True)),
        ("AS 6H TC", (17, False)),
        ("JS QH", (20, False)),
        ("", (0, False)),
    ],
)
def test_an_ace_counts_eleven_as_long_as_that_does_not_bust(hand: Hand, cards: str, worth: tuple[int, bool]) -> None:
    assert total(hand(cards)) == worth


@pytest.mark.parametrize(
    ("cards", "word"),
    [
        ("8S 8S 8S", "suited_trips"),
        ("8S 8S 8H", "trips"),
        ("QS KS AS", "straight_flush"),
        ("AS 2H 3S", "straight"),
        ("KS AH 2S", None),
        ("2S 9S JS", "flush"),
        ("2S 2H JS", None),
    ],
)
def test_21_and_3(hand: Hand, cards: str, word: str | None) -> None:
    assert three_class(hand(cards)) == word


@pytest.mark.parametrize(
    ("cards", "word"),
    [
        ("8S 8S 8H 8D", "four"),
        ("8S 8S 9H 9D", "two_pair"),
        ("8S 8S 8H 9D", "three"),
        ("8S TH KS 8D", "pair"),
        ("TS JS QS KS", None),
    ],
)
def test_super_match(hand: Hand, cards: str, word: str | None) -> None:
    assert match_class(hand(cards)) == word


def test_a_table_of_one_seat_deals_to_it(lay: Lay) -> None:
    table = make(msgspec.convert({"seats": 1}, type=Settings))
    assert table.due(lay(table, seats(1))) == CardDue("seat1.h1.1")
    assert refusal(table, (), seats(2)) == "bad_argument"


def test_decks_by_book() -> None:
    made = {name: make(Settings(rules=name)) for name in RULES}
    assert {name: (table.decks, table.composition) for name, table in made.items()} == {
        "classic-001": (8, "shoe"),
        "classic-003": (8, "shoe"),
        "infinite-001": (6, "round"),
        "free-bet-001": (8, "shoe"),
        "switch-001": (8, "shoe"),
    }


@pytest.mark.parametrize("bad", [{"rules": "spanish"}, {"seats": 0}, {"seats": 10}, {"dealer": "soft"}])
def test_impossible_settings_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(bad, type=Settings)
