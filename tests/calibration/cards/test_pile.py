"""What a reader says of a pile is counted and compared: every kind of error is told apart from every other."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_calibration.bench import Finding
from dealer_calibration.cards.findings import expected_rate, findings
from dealer_calibration.cards.order import against_order, sorted_pile
from dealer_calibration.cards.tally import Tally
from dealer_drivers.calibration.drift import SAMPLES, DriftMonitor, expectations
from dealer_drivers.cards import DECK
from dealer_drivers.instant import Instant
from dealer_drivers.readings.shoe import CardForeign, CardRead, CardTrouble, CardUnit, CardUnreadable, ForeignKind

AT = Instant(0, 0)
CARDS = st.sampled_from(DECK)


def read(card: str, **about: Any) -> CardRead:
    return CardRead(at=AT, raw=b"", card=card, **about)


def unread() -> CardUnreadable:
    return CardUnreadable(at=AT, raw=b"", reason=CardTrouble.NO_READ, detail="")


def judged(decks: int, readings: Sequence[Any], *, in_order: bool = True) -> dict[str, Finding]:
    tally = Tally(decks)
    for one in readings:
        tally.feed([one])
    return {one.code: one for one in findings(tally, in_order=in_order)}


def test_a_deck_that_is_read_well() -> None:
    found = judged(1, [read(card) for card in DECK])
    assert {code: one.ok for code, one in found.items()} == {"all_seen": True, "read_rate": True, "order": True}


@given(st.integers(1, 3), st.randoms(use_true_random=False))
def test_a_shoe_in_any_order_is_counted(decks: int, random: Random) -> None:
    pile = sorted_pile(decks)
    random.shuffle(pile)
    found = judged(decks, [read(card) for card in pile], in_order=False)
    assert all(one.ok for one in found.values())


@given(st.integers(1, 2), st.sets(CARDS, min_size=2, max_size=2))
def test_two_codes_in_each_others_place_are_named(decks: int, pair: set[str]) -> None:
    one, other = sorted(pair)
    named = {one: other, other: one}
    found = judged(decks, [read(named.get(card, card)) for card in sorted_pile(decks)])
    assert found["swapped_in_book"].figures["exchanged"] == [[one, other]]
    # No count shows it.
    assert found["all_seen"].ok


@given(st.sets(st.integers(0, 103), min_size=1, max_size=5))
def test_a_card_of_which_nothing_is_heard_is_found_by_its_place(places: set[int]) -> None:
    pile = sorted_pile(2)
    found = judged(2, [read(card) for place, card in enumerate(pile) if place not in places])
    assert [(one["place"] - 1, one["card"]) for one in found["order"].figures["unheard"]] == [
        (place, pile[place]) for place in sorted(places)
    ]
    assert not found["all_seen"].ok
    assert sum(found["all_seen"].figures["missing"].values()) == len(places)


@given(CARDS, CARDS)
def test_a_misread_is_named(card: str, other: str) -> None:
    found = judged(2, [read(other if place == DECK.index(card) else one) for place, one in enumerate(sorted_pile(2))])
    if card == other:
        assert found["order"].ok
    else:
        assert found["misread"].figures["wrong"] == [{"passed": card, "read": other, "times": 1}]
        assert found["all_seen"].figures["missing"] == {card: 1}
        assert found["all_seen"].figures["extra"] == {other: 1}


@given(st.integers(1, 2), st.lists(CARDS.filter(lambda card: card != "AS"), min_size=1, max_size=4))
def test_cards_before_the_ace_are_no_fault_of_the_reader_but_a_wrong_beginning(decks: int, stray: list[str]) -> None:
    heard = [*stray, *sorted_pile(decks)][: decks * 52]
    found = judged(decks, [read(card) for card in heard])
    assert found["began_before"].figures["before"] == stray
    assert "begin with the ace of spades" in found["began_before"].do_next
    assert found["all_seen"].do_next == found["began_before"].do_next, "one advice"
    assert "order" not in found


def test_an_ace_that_is_read_twice_is_no_card_before_the_ace() -> None:
    found = judged(1, [read(card) for card in ["AS", *DECK]])
    assert found["order"].figures["additional"] == ["AS"]


@given(st.lists(CARDS, max_size=30), st.lists(CARDS, max_size=30))
def test_the_alignment_accounts_for_every_card_and_every_reading(passed: list[str], said: list[str]) -> None:
    report = against_order(passed, said)
    wrong = sum(report.wrong.values())
    right = len(passed) - len(report.unheard) - wrong
    assert right + wrong + len(report.additional) == len(said)
    if passed == said:
        assert (report.wrong, report.unheard, report.additional) == ({}, (), ())


def test_passes_in_vain_lower_the_rate_and_name_their_cards() -> None:
    readings = [one for card in DECK for one in ([unread(), unread(), read(card)] if card == "8S" else [read(card)])]
    rate = judged(1, readings)["read_rate"]
    assert (rate.ok, rate.figures["first_pass_rate"], rate.figures["cards_in_vain"]) == (False, 0.9808, {"8S": 2})
    assert "8S (2)" in rate.said


def test_foreign_codes_and_pieces_that_passed_twice() -> None:
    unit = CardUnit("blue", "1", "7")
    readings = [
        read("8S", unit=unit),
        read("8S", unit=unit),
        CardForeign(at=AT, raw=b"", code="X1", kind=ForeignKind.JOKER),
    ]
    found = judged(1, readings)
    assert "X1" in found["foreign"].said
    assert found["all_seen"].figures["repeats"] == {"8S": 1}
    assert found["all_seen"].figures["read"] == 1


def test_an_equal_card_behind_another_is_in_doubt_and_not_missing() -> None:
    pile = sorted_pile(2)
    pile.remove("8S")
    at = pile.index("8S")
    readings = [read(card) for card in pile]
    readings.insert(at + 1, read("8S", repeated=True))
    assert judged(2, readings, in_order=False)["all_seen"].ok is None
    readings.pop(at + 1)
    assert judged(2, readings, in_order=False)["all_seen"].ok is False


def test_nothing_read_is_no_pass() -> None:
    found = judged(1, [])
    assert not found["all_seen"].ok
    assert not found["read_rate"].ok
    assert "and 40 more" in found["all_seen"].said


@pytest.mark.parametrize("extra", ["8S", "KD"])
def test_one_too_many(extra: str) -> None:
    found = judged(1, [*(read(card) for card in DECK), read(extra)])
    assert found["all_seen"].figures["extra"] == {extra: 1}
    assert found["order"].figures["additional"] == [extra]


@given(st.integers(0, 400))
def test_a_reader_as_good_as_at_the_bench_is_warned_of_by_no_chance_worth_naming(in_vain: int) -> None:
    """Five passes in a hundred, or three standard errors of what the warning is judged by."""
    tally = Tally(8)
    tally.feed([unread()] * in_vain)
    tally.feed([read(card) for card in sorted_pile(8)])
    expected = expected_rate(tally)["read_rate"]
    rate = 416 / (416 + in_vain)
    assert expected["value"] == pytest.approx(rate)
    assert expected["tolerance"] >= max(0.05, 3 * (rate * (1 - rate) / SAMPLES) ** 0.5) - 1e-12


def test_a_reader_of_which_every_tenth_card_is_unreadable_now_is_warned_of() -> None:
    tally = Tally(1)
    tally.feed([read(card) for card in DECK])
    monitor = DriftMonitor(expectations({"expect": expected_rate(tally)}))
    monitor.heard([read("8S")] * SAMPLES)
    assert not monitor.warnings
    monitor.heard([unread() if n % 10 == 0 else read("8S") for n in range(2 * SAMPLES)])
    assert "clean the window" in monitor.warnings["read_rate"]
