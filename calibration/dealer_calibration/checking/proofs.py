"""Which guided commands prove a device, and whether they did. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dealer_calibration.bench import Finding, Result
from dealer_drivers.calibration.form import made_at
from dealer_drivers.driver import Observes

MAX_AGE_DAYS = 180
"""As old as a calibration may be before the station warns of it."""


@dataclass(frozen=True, slots=True)
class Proof:
    """``commands``: one of them must have passed. ``how``: what a technician types."""

    commands: tuple[str, ...]
    how: str


PROOFS: Mapping[Observes, Proof] = {
    Observes.NUMBER: Proof(("roulette",), "dealer-calibrate roulette"),
    Observes.ANGLE: Proof(("wheel",), "dealer-calibrate wheel"),
    Observes.DICE: Proof(("dice-calibrate",), "dealer-calibrate dice calibrate"),
    Observes.BEANS: Proof(("beans-calibrate",), "dealer-calibrate beans calibrate"),
    Observes.CARD: Proof(("card-check", "shoe"), "dealer-calibrate card check --sorted"),
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


def judge(proof: Proof, kept: Sequence[Result], calibration: InUse | None, now: dt.datetime, place: str) -> Finding:
    """Whether ``kept``, the device's results, hold a proof. One of another calibration, or from before this one, is
    none. ``place`` is what follows the command, ``--table r1 --device wheel``."""
    results = [result for result in kept if result.command in proof.commands]
    do_next = f"{proof.how} {place}"
    if not results:
        return Finding(code="proved", ok=False, said="it was never proved at the bench", do_next=do_next)
    newest = max(results, key=lambda result: result.made)
    figures = {"command": newest.command, "made": newest.made, "by": newest.by, "passed": newest.passed}
    if not newest.passed:
        wrong = ", ".join(finding.code for finding in newest.findings if finding.ok is False)
        wrong = wrong or "nothing was seen to be right"
        said = f"{newest.command} of {newest.made} did not pass: {wrong}"
        return Finding(code="proved", ok=False, said=said, do_next=do_next, figures=figures)
    other = None if calibration is None else _of_another(newest, calibration)
    if other is not None:
        return Finding(code="proved", ok=False, said=other, do_next=do_next, figures=figures)
    made = made_at(newest.made)
    if made is None:
        said = f"when {newest.command} passed is not known"
        return Finding(code="proved", ok=False, said=said, do_next=do_next, figures=figures)
    days = (now - made).days
    said = f"{newest.command} passed {days} days ago, by {newest.by or 'somebody'}"
    if days > MAX_AGE_DAYS:
        return Finding(code="proved", ok=None, said=f"{said}: old", do_next=do_next, figures=figures)
    return Finding(code="proved", ok=True, said=said, figures=figures)


def _of_another(result: Result, calibration: InUse) -> str | None:
    """Why the result says nothing of this calibration; ``None`` where it does."""
    said = f"{result.command} of {result.made}"
    if result.calibration is not None:
        return None if result.calibration == calibration.id else f"{said} was of calibration {result.calibration}"
    proved, calibrated = made_at(result.made), made_at(calibration.made)
    if proved is None or calibrated is None or proved < calibrated:
        return f"{said} is older than the calibration of {calibration.made}"
    return None
