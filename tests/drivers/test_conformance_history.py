"""Drivers that mix a frame with what came before, that are wrong where no single number shows it, or that are too slow:
each is caught by the law against it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dealer_drivers.conformance import Examples, checks
from dealer_drivers.conformance.cli import main
from dealer_drivers.conformance.limit import TooLong, within
from dealer_drivers.driver import Driver, Output
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.roulette import BallLaps, BallRested, WheelPhase, WheelStatus
from support.spoilt import Spoilt, broken, example_driver, good, rested

FEW = ("--cases", "3", "--junk-bytes", "1000")


@pytest.fixture(scope="module", autouse=True)
def _example_driver() -> Iterator[None]:
    with example_driver():
        yield


def telling(tell: Callable[[Any, Reading], list[Reading]]) -> type[Spoilt]:
    """Its readings are told otherwise, by what the session keeps."""

    class Tells(Spoilt):
        def feed(self, data: bytes, at: Instant) -> Output:
            output = super().feed(data, at)
            return replace(output, readings=tuple(told for one in output.readings for told in tell(self, one)))

    return Tells


def laps_kept_over_spins(session: Any, one: Reading) -> list[Reading]:
    if not isinstance(one, BallLaps):
        return [one]
    session.most = max(getattr(session, "most", 0), one.laps)
    return [replace(one, laps=session.most)]


def number_of_the_last_frame(session: Any, one: Reading) -> list[Reading]:
    if not isinstance(one, WheelStatus):
        return [one]
    shown, session.shown = getattr(session, "shown", one.number_shown), one.number_shown
    return [replace(one, number_shown=shown)]


def number_of_the_next_bets(session: Any, one: Reading) -> list[Reading]:
    if not isinstance(one, WheelStatus):
        return [one]
    ran, session.ran = getattr(session, "ran", False), one.phase is WheelPhase.NO_MORE_BETS
    late = ran and one.phase is WheelPhase.BETTING
    return [one, rested(one.at, one.raw, one.number_shown or "0")] if late else [one]


def wrong_above_19(_: Any, one: Reading) -> list[Reading]:
    wrong = isinstance(one, BallRested) and int(one.number) > 19
    return [replace(one, number=str(int(one.number) - 1))] if wrong and isinstance(one, BallRested) else [one]


def zero_for_two_zeros(_: Any, one: Reading) -> list[Reading]:
    return [replace(one, number=one.number.lstrip("0") or "0")] if isinstance(one, BallRested) else [one]


def told_twice_after_many_laps(_: Any, one: Reading) -> list[Reading]:
    return [one, one] if isinstance(one, BallRested) and b",13*" in one.raw else [one]


class SharesItsCodec(Spoilt):
    def __init__(self, session: Any) -> None:
        super().__init__(session)
        session._codec = CODECS.setdefault("all", session._codec)


CODECS: dict[str, Any] = {}


class LooksOutsideWhenMade(Spoilt):
    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self.home = os.environ.get("HOME")


class KeepsHalfALine(Spoilt):
    def opened(self, at: Instant) -> Output:
        self.inner._heard = at
        return Output()

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        self.inner._heard = None
        return Output()


class SendsAfterADay(Spoilt):
    began: Instant | None = None

    def tick(self, at: Instant) -> Output:
        self.began = self.began or at
        late = at.since_s(self.began) > 86_400
        return replace(super().tick(at), send=(b"hi",) if late else ())


class NeverAnswers(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:  # noqa: ARG002
        while True:
            with suppress(Exception):
                sum(range(1000))


def spoilt_by(session: Callable[[Any], Spoilt]) -> Driver:
    driver, _ = good()
    return replace(driver, session=lambda options: session(driver.session(options)))


SPOILT: list[tuple[type[Spoilt], str, str]] = [
    (telling(laps_kept_over_spins), "earlier frames change nothing", "the same bytes said before"),
    (telling(laps_kept_over_spins), "reads what is stated", "must be BallLaps(laps=10)"),
    (telling(number_of_the_last_frame), "earlier frames change nothing", "number_shown="),
    (telling(number_of_the_next_bets), "damage gives no value", "which nobody sent"),
    (telling(wrong_above_19), "reads what is stated", "number='32'"),
    (telling(zero_for_two_zeros), "reads what is stated", "number='00'"),
    (telling(told_twice_after_many_laps), "no content raises", "more than once"),
    (SharesItsCodec, "two do not mix", "another session"),
    (LooksOutsideWhenMade, "nothing outside", "os.environ"),
    (KeepsHalfALine, "joins in mid-frame", "a new session reads"),
    (SendsAfterADay, "read-only sends nothing", "sends b'hi'"),
    (SendsAfterADay, "sends only what is stated", "sends b'hi'"),
]


@pytest.mark.parametrize(
    ("session", "law", "words"), SPOILT, ids=[f"{n} {law}" for n, (_, law, _) in enumerate(SPOILT)]
)
def test_a_driver_that_mixes_things_is_caught(session: type[Spoilt], law: str, words: str) -> None:
    CODECS.clear()
    assert words in broken(spoilt_by(session), good()[1], law).get(law, "nothing broken")


def test_laps_kept_over_spins_are_caught_without_a_word_of_what_must_be_read() -> None:
    _, examples = good()
    unstated = Examples(plays=tuple(replace(one, expect=None) for one in examples.plays))
    law = "earlier frames change nothing"
    assert "laps=9" in broken(spoilt_by(telling(laps_kept_over_spins)), unstated, law).get(law, "nothing broken")


def test_a_field_that_is_named_as_counted_may_depend_on_what_came_before() -> None:
    _, examples = good()
    counted = Examples(plays=tuple(replace(one, counted=("laps",), expect=None) for one in examples.plays))
    assert broken(spoilt_by(telling(laps_kept_over_spins)), counted, "earlier frames change nothing") == {}


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (("two spins", "with control"), ('BallRested with number="0"', 'number="00", of a wheel that has it')),
        (("two zeros",), ("BallRested with a number above 19", "of 3 different values or more")),
    ],
)
def test_examples_of_few_numbers_are_not_enough(kept: tuple[str, ...], words: tuple[str, ...]) -> None:
    driver, examples = good()
    few = Examples(plays=tuple(one for one in examples.plays if one.name in kept))
    told = broken(driver, few, "examples show enough")["examples show enough"]
    assert all(word in told for word in words)


def test_one_spin_is_not_enough() -> None:
    driver, examples = good()
    plays = [one for one in examples.plays if one.name == "two spins"]
    one_spin = Examples(plays=(replace(plays[0], steps=plays[0].steps[:6], expect=(plays[0].expect or ())[:10]),))
    told = broken(driver, one_spin, "examples show enough")["examples show enough"]
    assert "two different values of BallRested.number in one example" in told


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # raised in a callback of the collector
def test_a_driver_that_never_answers_gets_its_verdict() -> None:
    _, examples = good()
    (check,) = [
        one
        for one in checks(spoilt_by(NeverAnswers), examples, law_s=0.2)
        if (one.law, one.about) == ("nothing raises", "two spins")
    ]
    with pytest.raises(TooLong, match=r"more than 0\.2 s of the processor's time"):
        check()


def test_what_is_in_time_is_not_disturbed() -> None:
    with within(5.0):
        pass
    sum(range(100_000))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # raised in a callback of the collector
def test_the_command_says_what_a_slow_driver_was_not_tried_for(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = str(repository / "tests/recordings/lap-flip.rec.jsonl")
    command = ["cammegh-m360", "--recording", recording, "--option", "extended=true", *FEW]
    assert main([*command, "--law-seconds", "0.001", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    (slow,) = [check for check in told["checks"] if check["result"] == "broken"]
    assert "this law took more than 0.001 s" in slow["why"]
    untried = {check["why"] for check in told["checks"] if check["result"] == "untried"}
    name = f"{slow['law']}: {slow['example']}" if slow["example"] else slow["law"]  # of the whole, on a slow machine
    assert untried == {f"{name} took too long"}
    assert not told["holds"]
    assert main([*command, "--law-seconds", "0"]) == 2
    assert "law_s must be more than 0 seconds" in capsys.readouterr().err
