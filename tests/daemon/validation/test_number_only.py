"""Wheels that give nothing but numbers."""

from __future__ import annotations

from dealer_daemon.games.roulette import spin_facts
from dealer_daemon.validation.number_only import NumberOnlyJudge
from dealer_daemon.validation.signals import Contradicted, Judged, NotJudged, Signal
from dealer_daemon.validation.spin_rules import SpinRules
from dealer_drivers.instant import Instant
from dealer_drivers.readings.roulette import BallLaps, BallRested, NumberUnreadable, NumberWitness
from support.wheel import START

ACCEPT = SpinRules(unobserved="accept")


def line(number: str, at: Instant) -> BallRested:
    return BallRested(at=at, raw=number.encode(), number=number, witness=NumberWitness.FRAME)


def ends(judge: NumberOnlyJudge, *readings: BallRested | BallLaps | NumberUnreadable) -> list[Signal]:
    out = [signal for reading in readings for signal in judge.feed("wheel", reading)]
    return [signal for signal in out if isinstance(signal, Judged | NotJudged | Contradicted)]


def test_a_repeated_line_is_not_a_second_spin() -> None:
    judge = NumberOnlyJudge(ACCEPT, spin_facts)
    found = ends(judge, *(line("17", START.plus_s(s)) for s in range(0, 30, 2)), line("17", START.plus_s(60)))
    assert [signal.value.facts["number"] for signal in found if isinstance(signal, Judged)] == ["17", "17"]


def test_another_number_too_soon_is_a_contradiction() -> None:
    judge = NumberOnlyJudge(ACCEPT, spin_facts)
    found = ends(judge, line("17", START), line("18", START.plus_s(3)))
    assert [type(signal) for signal in found] == [Judged, Contradicted]


def test_laps_of_the_line_count() -> None:
    judge = NumberOnlyJudge(SpinRules(laps="counted"), spin_facts)
    short = BallLaps(at=START, raw=b"", laps=5)
    (refused,) = ends(judge, short, line("3", START))
    assert isinstance(refused, NotJudged)
    assert refused.verdict.reason == "too_few_laps"
    (held,) = ends(judge, line("3", START.plus_s(60)))
    assert isinstance(held, NotJudged)
    assert held.verdict.reason == "laps_not_counted"


def test_two_witnesses_cannot_be_had() -> None:
    (held,) = ends(NumberOnlyJudge(SpinRules(unobserved="accept", min_witnesses=2), spin_facts), line("3", START))
    assert isinstance(held, NotJudged)
    assert held.verdict.reason == "single_witness"


def test_no_such_pocket() -> None:
    text = NumberUnreadable(at=START, raw=b"99", text="99", witness=NumberWitness.FRAME)
    (held,) = ends(NumberOnlyJudge(ACCEPT, spin_facts), text)
    assert isinstance(held, NotJudged)
    assert held.verdict.reason == "number_unreadable"


def test_a_number_that_the_game_does_not_have_is_held() -> None:
    (held,) = ends(NumberOnlyJudge(ACCEPT, spin_facts), line("00", START))
    assert isinstance(held, NotJudged)
    assert (held.verdict.reason, held.verdict.detail) == (
        "number_unreadable",
        "the status_frame says '00': no such pocket",
    )


def test_a_number_that_the_game_does_not_have_still_contradicts() -> None:
    found = ends(NumberOnlyJudge(ACCEPT, spin_facts), line("17", START), line("00", START.plus_s(3)))
    assert [type(signal) for signal in found] == [Judged, Contradicted]
