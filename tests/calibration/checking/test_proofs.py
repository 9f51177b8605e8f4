"""Whether a device was proved, by what was kept of it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from dealer_calibration.bench import Finding, Result
from dealer_calibration.checking.proofs import PROOFS, QUICK, InUse, Proof, judge, judge_quick, proof_of
from dealer_drivers.driver import Observes, driver_names, load_driver

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
CARD = PROOFS[Observes.CARD]
GOOD = Finding(code="all_seen", ok=True, said="")
BAD = Finding(code="read_rate", ok=False, said="")


def kept(command: str, made: str, *findings: Finding, calibration: str | None = None) -> Result:
    return Result(
        command=command, table="b1", device="s", findings=list(findings), made=made, by="Li", calibration=calibration
    )


@pytest.mark.parametrize(
    ("results", "in_use", "ok", "words"),
    [
        ([], None, False, "never proved"),
        ([kept("roulette", "2026-02-01T00:00:00Z", GOOD)], None, False, "never proved"),
        ([kept("shoe", "2026-02-01T12:00:00Z", GOOD)], None, True, "shoe passed 28 days ago, by Li"),
        ([kept("shoe", "2026-02-01T12:00:00Z", GOOD, BAD)], None, False, "did not pass: read_rate"),
        ([kept("shoe", "2026-02-01T12:00:00Z")], None, False, "nothing was seen to be right"),
        (
            [kept("shoe", "2026-02-01T12:00:00Z", GOOD), kept("card-check", "2026-02-02T12:00:00Z", BAD)],
            None,
            False,
            "card-check of",
        ),
        ([kept("shoe", "2025-02-01T12:00:00Z", GOOD)], None, None, "old"),
        ([kept("shoe", "", GOOD)], None, False, "when shoe passed is not known"),
        ([kept("shoe", "2026-02-01T12:00:00Z", GOOD)], ("7", "2026-01-01T00:00:00Z"), True, "passed"),
        ([kept("shoe", "2026-02-01T12:00:00Z", GOOD)], ("7", "2026-02-02T00:00:00Z"), False, "older than"),
        (
            [kept("shoe", "2026-02-01T12:00:00Z", GOOD, calibration="6")],
            ("7", "2026-01-01T00:00:00Z"),
            False,
            "was of calibration 6",
        ),
        ([kept("shoe", "2026-02-01T12:00:00Z", GOOD, calibration="7")], ("7", "2026-02-02T00:00:00Z"), True, "passed"),
    ],
)
def test_only_a_passed_proof_of_this_calibration_counts(
    results: list[Result], in_use: tuple[str, str] | None, ok: bool | None, words: str
) -> None:
    found = judge(CARD, results, None if in_use is None else InUse(*in_use), NOW, "--table b1 --device s")
    assert (found.ok, words in found.said) == (ok, True)
    assert (ok is True) or "--table b1 --device s" in found.do_next


ROULETTE, DICE = PROOFS[Observes.NUMBER], PROOFS[Observes.DICE]
LATELY = "2026-02-28T12:00:00Z"
IN_ORDER = Finding(code="order", ok=True, said="")
NOT_IN_ORDER = Finding(code="order", ok=None, said="")


def looked(command: str, *findings: Finding, **figures: Any) -> Result:
    return Result(
        command=command, table="b1", device="s", findings=[GOOD, *findings], made=LATELY, by="Li", figures=figures
    )


@pytest.mark.parametrize(
    ("proof", "result", "book", "ok", "words"),
    [
        (ROULETTE, looked("roulette", steps=["settings"], spins=0), None, False, "looked at no number"),
        (ROULETTE, looked("roulette", steps=["settings", "direction"], spins=14), None, False, "looked at no number"),
        (ROULETTE, looked("roulette", steps=["spins"], spins=0), None, False, "looked at no number"),
        (ROULETTE, looked("roulette"), None, False, "looked at no number"),
        (ROULETTE, looked("roulette", steps=["spins"], spins=9), None, None, "with 9 spins, of 10"),
        (ROULETTE, looked("roulette", steps=["settings", "spins"], spins=10), None, True, "passed"),
        (ROULETTE, looked("roulette", steps=["pockets"], spins=180), None, True, "passed"),
        (DICE, looked("dice-calibrate"), None, True, "passed"),
        (
            DICE,
            looked("dice-calibrate", Finding(code="few_shakes", ok=None, said="3 read shakes prove little")),
            None,
            None,
            "3 read shakes prove little",
        ),
        (
            DICE,
            looked("dice-calibrate", Finding(code="values_seen", ok=None, said="these were read too rarely: 6 (0)")),
            None,
            None,
            "6 (0)",
        ),
        (CARD, looked("card-check", IN_ORDER, codebook="sha256:a"), "sha256:a", True, "passed"),
        (
            CARD,
            looked("card-check", NOT_IN_ORDER, codebook="sha256:a"),
            "sha256:a",
            False,
            "exchanged in the code book",
        ),
        (CARD, looked("shoe", NOT_IN_ORDER, codebook="sha256:a"), "sha256:a", False, "exchanged in the code book"),
        (CARD, looked("card-check", IN_ORDER, codebook="sha256:a"), "sha256:b", False, "another code book"),
        (CARD, looked("card-check", IN_ORDER), "sha256:b", False, "another code book"),
        (CARD, looked("shoe", NOT_IN_ORDER), None, True, "passed"),
    ],
)
def test_a_run_proves_what_it_looked_at(
    proof: Proof, result: Result, book: str | None, ok: bool | None, words: str
) -> None:
    found = judge(proof, [result], None, NOW, "--table b1 --device s", book=book)
    assert (found.ok, words in found.said) == (ok, True), found.said


def test_a_proof_from_the_future_is_none() -> None:
    found = judge(CARD, [kept("shoe", "2026-03-03T12:00:00Z", GOOD)], None, NOW, "")
    assert (found.ok, "set the clock" in found.said) == (None, True)


@pytest.mark.parametrize(
    ("results", "ok", "words"),
    [
        ([], None, "nobody looked"),
        ([kept("dice-calibrate", "2026-03-01T11:00:00Z", GOOD)], None, "nobody looked"),
        ([kept("dice-check", "2026-03-01T11:00:00Z", GOOD)], True, "dice-check passed 0 days ago, by Li"),
        ([kept("dice-check", "2026-02-28T11:00:00Z", GOOD)], None, "1 days ago, by Li: not of today"),
        ([kept("dice-check", "2026-03-03T11:00:00Z", GOOD)], None, "from the future"),
        ([kept("dice-check", "2026-03-01T11:00:00Z", GOOD, BAD)], False, "did not pass: read_rate"),
        (
            [kept("dice-check", "2026-03-01T11:00:00Z", BAD), kept("dice-check", "2026-03-01T10:00:00Z", GOOD)],
            False,
            "did not pass",
        ),
        (
            [kept("dice-check", "2026-03-01T10:00:00Z", BAD), kept("dice-check", "2026-03-01T11:00:00Z", GOOD)],
            True,
            "passed",
        ),
        ([kept("dice-check", "2026-01-01T00:00:00Z", BAD)], None, "nobody looked"),
        ([kept("dice-check", "2026-03-01T11:00:00Z", BAD, calibration="0001")], None, "nobody looked"),
        ([kept("dice-check", "2026-03-01T11:00:00Z", BAD, calibration="0002")], False, "did not pass"),
        ([kept("dice-check", "2026-03-01T11:00:00Z")], False, "nothing was seen to be right"),
    ],
)
def test_a_quick_look_that_failed_fails_until_another_passes_or_it_is_calibrated(
    results: list[Result], ok: bool | None, words: str
) -> None:
    in_use = InUse("0002", "2026-02-01T00:00:00Z")
    found = judge_quick(QUICK[Observes.DICE], results, in_use, NOW, "--table s1 --device camera")
    assert (found.code, found.ok) == ("quick_look", ok)
    assert words in found.said
    assert ok or "dealer-calibrate dice check --table s1 --device camera" in found.do_next


def test_a_quick_look_without_a_kept_calibration_counts() -> None:
    looked = [kept("beans-check", "2026-03-01T11:00:00Z", BAD)]
    assert judge_quick(QUICK[Observes.BEANS], looked, None, NOW, "").ok is False


def test_every_driver_has_a_proof_or_needs_none() -> None:
    without = set()
    for name in driver_names():
        driver = load_driver(name)
        try:
            options = driver.options()
        except TypeError:
            continue  # needs an option that only a table knows
        if proof_of(driver.observes(options)) is None:
            without.add(name)
    assert without <= {"manual-entry", "shaker-networked", "shaker-relay"}
