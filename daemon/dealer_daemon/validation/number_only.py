"""Judges wheels that give nothing but numbers: no states, no counter, each line one spin.

Nothing tells a repeated line from a second spin of the same number but time: no game is shorter than
``min_game_s``. Laps count where the line has them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from dealer_daemon.validation.signals import (
    BettingOver,
    Judged,
    NeedsConfirmation,
    NotJudged,
    Ready,
    Signal,
    Started,
    Value,
)
from dealer_daemon.validation.spin_attempt import SINGLE_ZERO, contradiction, held, no_such_pocket
from dealer_daemon.validation.spin_result import SpinResult, check_laps
from dealer_daemon.validation.spin_rules import SpinReason, SpinRules
from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.roulette import BallLaps, BallRested, NumberUnreadable


class NumberOnlyJudge:
    """See the module. ``facts`` turns a result into the game's facts, whose numbers are ``pockets``: the wheel may name
    another, and that is held."""

    def __init__(
        self,
        rules: SpinRules,
        facts: Callable[[SpinResult], Mapping[str, object]],
        *,
        pockets: Collection[str] = SINGLE_ZERO,
    ) -> None:
        self._rules = rules
        self._pockets = pockets
        self._facts = facts
        self._laps: int | None = None
        self._last: tuple[str, Instant] | None = None

    def underway(self) -> bool:
        """Never: a spin is over when it is first heard of."""
        return False

    def waiting(self) -> bool:
        """Never, as far as is known: a round that were opened before the number would close its bets with it."""
        return False

    def due(self, at: Instant) -> list[Signal]:  # noqa: ARG002
        """The croupier launches the ball: there is nothing to ask for."""
        return []

    def discard(self) -> None:
        """Laps that came before a number are forgotten."""
        self._laps = None

    def deadline_ns(self) -> int | None:
        """Time alone says nothing here."""
        return None

    def tick(self, at: Instant) -> list[Signal]:  # noqa: ARG002
        """Nothing."""
        return []

    def feed(self, device: str, reading: Reading) -> list[Signal]:  # noqa: ARG002
        """One reading."""
        match reading:
            case BallLaps():
                self._laps = reading.laps
            case NumberUnreadable():
                return self._spin([NotJudged(no_such_pocket(reading.witness, reading.text))])
            case BallRested():
                return self._rested(reading)
            case _:
                pass
        return []

    def _rested(self, reading: BallRested) -> list[Signal]:
        if self._last is not None and reading.at.since_s(self._last[1]) < self._rules.min_game_s:
            number = self._last[0]
            self._last = (reading.number, reading.at)
            return [] if reading.number == number else [contradiction(number, reading)]
        self._last = (reading.number, reading.at)
        if reading.number not in self._pockets:
            return self._spin([NotJudged(no_such_pocket(reading.witness, reading.number))])
        if (self._rules.min_witnesses or 1) > 1:
            detail = f"one line is all there is and {self._rules.min_witnesses} witnesses are asked for"
            return self._spin([NotJudged(held(SpinReason.SINGLE_WITNESS, detail, number=reading.number))])
        laps, doubt = check_laps(self._rules, self._laps, None)
        if isinstance(doubt, Refused | Held):
            return self._spin([NotJudged(doubt)])
        result = SpinResult(reading.number, laps, self._rules.laps, None, None, None, reading.spin)
        value = Value(self._facts(result), (str(reading.witness),), reading.spin)
        return self._spin([Judged(value) if doubt is None else NeedsConfirmation(value, doubt)])

    def _spin(self, end: list[Signal]) -> list[Signal]:
        self._laps = None
        return [Ready(None), Started(), BettingOver(), *end]
