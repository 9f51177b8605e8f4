"""Roulette (轮盘; 001 002 003, and fortune 财神轮盘): single zero, one valid spin a round (``games.md`` §5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from dealer_daemon.games.game import AttemptGame, BadFacts, TableDevice
from dealer_daemon.validation.judge import Judge
from dealer_daemon.validation.number_only import NumberOnlyJudge
from dealer_daemon.validation.spin import SpinJudge
from dealer_daemon.validation.spin_result import SpinResult
from dealer_daemon.validation.spin_rules import SpinRules
from dealer_daemon.verdicts import Remedy
from dealer_drivers.calibration import CalibrationSlot
from dealer_drivers.driver import Observes

# From 0 clockwise (games.md §5).
WHEEL_ORDER = (
    0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10,
    5, 24, 16, 33, 1, 20, 14, 31, 9, 22, 18, 29, 7, 28, 12, 35, 3, 26,
)  # fmt: skip
POCKETS = frozenset(map(str, WHEEL_ORDER))
ZEROS = 1
RED = frozenset({1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36})


class RouletteSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tables.X.spin]``."""

    spin: SpinRules = SpinRules()


def number_facts(number: str) -> dict[str, Any]:
    """What follows from the number alone. Raises ``BadFacts`` for a text that is no pocket of this wheel."""
    if number not in POCKETS:
        raise BadFacts(f'number {number[:8]!r} is no pocket: "0" to "36" is expected')
    n = int(number)
    zero = n == 0
    return {
        "number": number,
        "color": "green" if zero else "red" if n in RED else "black",
        "parity": None if zero else "odd" if n % 2 else "even",
        "range": None if zero else "low" if n <= 18 else "high",
        "dozen": None if zero else (n - 1) // 12 + 1,
        "column": None if zero else (n - 1) % 3 + 1,
        "pocket_index": WHEEL_ORDER.index(n),
    }


def spin_facts(result: SpinResult) -> dict[str, Any]:
    """The facts of an outcome: what follows from the number, and how the spin went."""
    return number_facts(result.number) | {
        "laps": result.laps,
        "laps_source": result.laps_source,
        "rotor_direction": result.rotor_direction,
        "rotor_rpm": result.rotor_rpm,
        "ball_time_s": result.ball_time_s,
        "spin": result.spin,
    }


def _stated(_settings: RouletteSettings, args: Mapping[str, Any]) -> dict[str, Any]:
    number = args.get("number")
    if not isinstance(number, str):
        raise BadFacts('"number" is needed, a text from "0" to "36"')
    unknown = {"laps": None, "rotor_direction": None, "rotor_rpm": None, "ball_time_s": None, "spin": None}
    return number_facts(number) | unknown | {"laps_source": "unobserved"}


def _check(settings: RouletteSettings, devices: Sequence[TableDevice]) -> list[tuple[str, str]]:
    found = [(f"spin.{key}", reason) for key, reason in settings.spin.problems()]
    wheels = [device for device in devices if Observes.NUMBER in device.observes]
    if len(wheels) != 1:
        names = ", ".join(device.name for device in wheels) or "none"
        found.append(("devices", f"a roulette table needs exactly one device that gives the number; it has: {names}"))
        return found
    wheel = wheels[0]
    if wheel.zeros not in (None, ZEROS):
        reason = (
            f"{wheel.name!r} ({wheel.driver}) is set to {wheel.zeros} zeros, and this game has {ZEROS} (0): no round "
            "with another could be settled"
        )
        found.append(("devices", reason))
    if settings.spin.laps == "counted" and Observes.LAPS not in wheel.observes:
        found.append(
            (
                "spin.laps",
                f'"counted", but {wheel.name!r} ({wheel.driver}) does not count laps as it is set: switch on its lap '
                'events or extended frames, or say "estimated" or "unobserved"',
            )
        )
    if settings.spin.laps == "estimated" and Observes.PHASE not in wheel.observes:
        found.append(("spin.laps", f'"estimated", but {wheel.name!r} ({wheel.driver}) does not report its states'))
    return found


def _judge(
    settings: RouletteSettings, devices: Sequence[TableDevice], token: int | None, stands: Mapping[str, Any] | None
) -> Judge:
    if any({Observes.PHASE, Observes.NUMBER} <= device.observes for device in devices):
        # A result that a person stated has no spin counter: what the wheel says of that spin was overruled.
        watched = None if stands is None or stands.get("spin") is None else (stands["number"], stands["spin"])
        return SpinJudge(settings.spin, spin_facts, pockets=POCKETS, last_spin=token, stands=watched)
    return NumberOnlyJudge(settings.spin, spin_facts, pockets=POCKETS)


GAME = AttemptGame(
    name="roulette",
    settings=RouletteSettings,
    remedy=Remedy.RETHROW,
    check=_check,
    played_by=frozenset({Observes.NUMBER, Observes.PHASE}),
    judge=_judge,
    stated=_stated,
    starts=lambda settings: settings.spin.launch,
    remembers=True,
    calibration=CalibrationSlot("lap-curve", "spin.estimate", section=("roulette-wheel", "curve")),
    calibrates=Observes.NUMBER,
    same=lambda one, other: one["number"] == other["number"],
)
