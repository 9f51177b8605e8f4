"""Which guided commands prove a device, and whether they did. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dealer_calibration.bench import Finding, Result
from dealer_calibration.cards.book import BOOK
from dealer_calibration.roulette.laps import FEWEST_TO_COUNT
from dealer_drivers.calibration.form import made_at
from dealer_drivers.driver import Observes

ROULETTE, DICE, CARD_CHECK, SHOE = "roulette", "dice-calibrate", "card-check", "shoe"
LOOKS = frozenset({"spins", "pockets"})
"""Steps of ``roulette`` in which somebody looks where the ball lies."""
FEW_DICE = frozenset({"few_shakes", "values_seen"})
MAX_AGE_DAYS = 180
"""As old as a calibration may be before the station warns of it."""
QUICK_DAYS = 0
"""A quick look is for the daily opening."""


@dataclass(frozen=True, slots=True)
class Proof:
    """``commands``: one of them must have passed. ``how``: what a technician types."""

    commands: tuple[str, ...]
    how: str


PROOFS: Mapping[Observes, Proof] = {
    Observes.NUMBER: Proof((ROULETTE,), "dealer-calibrate roulette"),
    Observes.ANGLE: Proof(("wheel",), "dealer-calibrate wheel"),
    Observes.DICE: Proof((DICE,), "dealer-calibrate dice calibrate"),
    Observes.BEANS: Proof(("beans-calibrate",), "dealer-calibrate beans calibrate"),
    Observes.CARD: Proof((CARD_CHECK, SHOE), "dealer-calibrate card check --sorted"),
    Observes.DECK: Proof(("shuffler",), "dealer-calibrate shuffler"),
}
"""What a device sees, and what proves that it sees it rightly. Entries by hand and shakers have no proof of their own:
a shaker is proved with the dice."""


def proof_of(observes: frozenset[Observes]) -> Proof | None:
    """What proves a device that observes these; ``None`` where nothing does."""
    return next((proof for what, proof in PROOFS.items() if what in observes), None)


@dataclass(frozen=True, slots=True)
class InUse:
    """The calibration that the station would take up: its id, and when it was made, RFC 3339."""

    id: str
    made: str


QUICK: Mapping[Observes, Proof] = {
    Observes.DICE: Proof(("dice-check",), "dealer-calibrate dice check"),
    Observes.BEANS: Proof(("beans-check",), "dealer-calibrate beans check"),
}
"""A quick look at what the calibration of a camera rests on, which a check that only listens cannot take."""


def judge(
    proof: Proof,
    kept: Sequence[Result],
    calibration: InUse | None,
    now: dt.datetime,
    place: str,
    *,
    book: str | None = None,
) -> Finding:
    """Whether ``kept``, the device's results, hold a proof. One of another calibration or code book, from before this
    one, or of a run that did not look at what is to be proved, is none. ``place`` is what follows the command,
    ``--table r1 --device wheel``; ``book`` is the hash of the device's code book, where it has one."""
    results = [result for result in kept if result.command in proof.commands]
    do_next = f"{proof.how} {place}"
    if not results:
        return Finding(code="proved", ok=False, said="it was never proved at the bench", do_next=do_next)
    newest = max(results, key=lambda result: result.made)
    figures = _figures(newest)
    wrong = _why_not_passed(newest)
    if wrong is not None:
        return Finding(code="proved", ok=False, said=wrong, do_next=do_next, figures=figures)
    other = None if calibration is None else _of_another(newest, calibration)
    other = other or _not_looked_at(newest, book)
    if other is not None:
        return Finding(code="proved", ok=False, said=other, do_next=do_next, figures=figures)
    days, said = _age(newest, now)
    if days is None:
        return Finding(code="proved", ok=False, said=said, do_next=do_next, figures=figures)
    if days < 0:
        return Finding(code="proved", ok=None, said=said, do_next=do_next, figures=figures)
    few = _too_few(newest)
    if few is not None:
        return Finding(code="proved", ok=None, said=f"{said}: {few}", do_next=do_next, figures=figures)
    if days > MAX_AGE_DAYS:
        return Finding(code="proved", ok=None, said=f"{said}: old", do_next=do_next, figures=figures)
    return Finding(code="proved", ok=True, said=said, figures=figures)


def judge_quick(
    quick: Proof, kept: Sequence[Result], calibration: InUse | None, now: dt.datetime, place: str
) -> Finding:
    """What the newest quick look at this calibration found. One that failed fails the table until another passes or the
    device is calibrated anew; that nobody looked is not known."""
    do_next = f"{quick.how} {place}"
    looks = [one for one in kept if one.command in quick.commands]
    newest = max(looks, key=lambda one: one.made, default=None)
    if newest is None or (calibration is not None and _of_another(newest, calibration) is not None):
        said = "nobody looked at the empty place since the calibration: moved, blurred, lit otherwise, dirty?"
        return Finding(code="quick_look", ok=None, said=said, do_next=do_next)
    figures = _figures(newest)
    wrong = _why_not_passed(newest)
    if wrong is not None:
        return Finding(code="quick_look", ok=False, said=wrong, do_next=f"mend that, then {do_next}", figures=figures)
    days, said = _age(newest, now)
    if days is None or days < 0:
        return Finding(code="quick_look", ok=None, said=said, do_next=do_next, figures=figures)
    if days > QUICK_DAYS:
        return Finding(code="quick_look", ok=None, said=f"{said}: not of today", do_next=do_next, figures=figures)
    return Finding(code="quick_look", ok=True, said=said, figures=figures)


def _figures(result: Result) -> dict[str, Any]:
    return {"command": result.command, "made": result.made, "by": result.by, "passed": result.passed}


def _why_not_passed(result: Result) -> str | None:
    """What was wrong; ``None`` where it passed."""
    if result.passed:
        return None
    wrong = ", ".join(finding.code for finding in result.findings if finding.ok is False)
    return f"{result.command} of {result.made} did not pass: {wrong or 'nothing was seen to be right'}"


def _age(result: Result, now: dt.datetime) -> tuple[int | None, str]:
    """How many days ago it passed, below 0 for the future, ``None`` where that is not known; and that in a sentence."""
    made = made_at(result.made)
    if made is None:
        return None, f"when {result.command} passed is not known"
    days = (now - made).days
    if days < 0:
        return days, f"{result.command} of {result.made} is from the future: set the clock of this machine"
    return days, f"{result.command} passed {days} days ago, by {result.by or 'somebody'}"


def _of_another(result: Result, calibration: InUse) -> str | None:
    """Why the result says nothing of this calibration; ``None`` where it does."""
    said = f"{result.command} of {result.made}"
    if result.calibration is not None:
        return None if result.calibration == calibration.id else f"{said} was of calibration {result.calibration}"
    proved, calibrated = made_at(result.made), made_at(calibration.made)
    if proved is None or calibrated is None or proved < calibrated:
        return f"{said} is older than the calibration of {calibration.made}"
    return None


def _not_looked_at(result: Result, book: str | None) -> str | None:
    """Why a run that passed says nothing of what is to be proved; ``None`` where it does."""
    said, figures = f"{result.command} of {result.made}", result.figures
    if result.command == ROULETTE and (not figures.get("spins") or not LOOKS.intersection(figures.get("steps", ()))):
        return f"{said} looked at no number: it did the steps {', '.join(figures.get('steps', ())) or 'of none'} alone"
    if book is not None and result.command in (CARD_CHECK, SHOE):
        if figures.get(BOOK) != book:
            return f"{said} was with another code book than the one in use"
        if not any(finding.code == "order" and finding.ok for finding in result.findings):
            return f"{said} was with cards in any order: two codes exchanged in the code book do not show so"
    return None


def _too_few(result: Result) -> str | None:
    """What a proof lacks in number; ``None`` where it has enough."""
    if result.command == ROULETTE and result.figures.get("spins", 0) < FEWEST_TO_COUNT:
        return f"with {result.figures.get('spins', 0)} spins, of {FEWEST_TO_COUNT} at least"
    few = [finding.said for finding in result.findings if finding.code in FEW_DICE and finding.ok is None]
    return "; ".join(few) if few and result.command == DICE else None
