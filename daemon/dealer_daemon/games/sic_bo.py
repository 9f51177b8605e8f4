"""Sic bo (骰宝; 001 002 003, and fortune 财神骰宝 with a dice tower): three dice, one valid throw a round
(``games.md`` §6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from dealer_daemon.games.game import AttemptGame, BadFacts, TableDevice
from dealer_daemon.validation.dice import DiceJudge
from dealer_daemon.validation.dice_rules import ShakeRules
from dealer_daemon.validation.dice_scene import DICE
from dealer_daemon.validation.dice_tower import TowerJudge
from dealer_daemon.validation.judge import Judge
from dealer_daemon.verdicts import Remedy
from dealer_drivers.driver import DeviceAction, Observes

FACES = range(1, 7)
BIG_FROM = 11
"""Sums 11 to 17 are big, 4 to 10 small (001, 002, 003)."""
PAIRS = tuple(combinations(FACES, 2))
"""The fifteen two-dice combinations (003 prints their number)."""
FOURS = tuple(combinations(FACES, 4))
"""The fifteen groups of four numbers. 001 offers bets on such groups and does not print which: all of them here."""


class SicBoSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tables.X.shake]``."""

    shake: ShakeRules = ShakeRules()


def dice_facts(values: Sequence[int], *, by_position: bool = True) -> dict[str, Any]:
    """What follows from three values, left to right where ``by_position``. Raises ``BadFacts`` for what dice cannot
    show.

    ``parity`` and ``size`` are null for a triple, which loses all four of these bets (001; 002 and 003:
    遇围骰庄家通吃).
    """
    if len(values) != DICE or any(isinstance(value, bool) or value not in FACES for value in values):
        raise BadFacts(f"dice {list(values)!r}: three whole numbers from 1 to 6 are expected")
    dice = sorted(values)
    shown = set(dice)
    total, triple = sum(dice), len(shown) == 1
    return {
        "dice": dice,
        "by_position": list(values) if by_position else None,
        "sum": total,
        "triple": triple,
        "triple_value": dice[0] if triple else None,
        "pairs": [value for value in FACES if dice.count(value) >= 2],
        "parity": None if triple else "odd" if total % 2 else "even",
        "size": None if triple else "big" if total >= BIG_FROM else "small",
        "distinct": sorted(shown),
        "counts": {str(value): dice.count(value) for value in FACES},
        "combinations": [list(pair) for pair in PAIRS if shown >= set(pair)],
        "four_groups": [list(four) for four in FOURS if len(shown) == 3 and shown <= set(four)],
    }


def _stated(_settings: SicBoSettings, args: Mapping[str, Any]) -> dict[str, Any]:
    dice = args.get("dice")
    if not isinstance(dice, list) or not all(type(value) is int for value in dice):
        raise BadFacts('"dice" is needed, a list of three whole numbers from 1 to 6')
    return dice_facts(dice, by_position=False)


def _main(devices: Sequence[TableDevice], observes: Observes) -> list[TableDevice]:
    return [device for device in devices if observes in device.observes and device.role == "main"]


def _check(settings: SicBoSettings, devices: Sequence[TableDevice]) -> list[tuple[str, str]]:
    found = [(f"shake.{key}", reason) for key, reason in settings.shake.problems()]
    if _main(devices, Observes.ENTRY):
        return found
    cameras, shakers = _main(devices, Observes.DICE), _main(devices, Observes.SHAKE)
    if len(cameras) != 1:
        names = ", ".join(device.name for device in cameras) or "none"
        found.append(("devices", f"a sic bo table needs exactly one device that reads the dice; it has: {names}"))
    if len(shakers) > 1:
        names = ", ".join(device.name for device in shakers)
        found.append(("devices", f"a sic bo table has one shaker, or none (a dice tower); it has: {names}"))
    if settings.shake.start == "station":
        if not shakers:
            found.append(("shake.start", '"station", but the table has no shaker; write "button"'))
        elif DeviceAction.START_SHAKE not in shakers[0].actions:
            name = shakers[0].name
            found.append(("shake.start", f'"station", but {name!r} may not be started: set control = true on it'))
    together = [*_check_camera(settings.shake, cameras[0], tower=not shakers)] if len(cameras) == 1 else []
    together += _check_shaker(settings.shake, shakers[0]) if len(shakers) == 1 else ()
    said = dict(found)
    return found + [(key, reason) for key, reason in together if key == "devices" or key not in said]


def _check_camera(rules: ShakeRules, camera: TableDevice, *, tower: bool) -> Iterator[tuple[str, str]]:
    """What rules and camera say of each other: settings by which no throw could count."""
    scene = camera.scene
    if scene is None:
        return
    if scene.things not in (None, DICE):
        reason = f"{camera.name!r} reads pictures of {scene.things} dice alone (dice), and the game has {DICE}"
        yield "devices", f"{reason}: no throw would count. Leave dice out"
    quiet = f"{camera.name!r} says that dice rest once nothing moved for {scene.quiet_s * 1000:.0f} ms (quiet_ms)"
    if tower and rules.max_shake_s <= rules.min_fall_s + scene.quiet_s:
        reason = f"no throw would count: dice fall for min_fall_s ({rules.min_fall_s:g} s) at least, and {quiet}"
        yield "shake.max_shake_s", f"{reason}: set it above {rules.min_fall_s + scene.quiet_s:g}, or quiet_ms lower"
    if not tower and rules.settle_s <= scene.quiet_s:
        reason = f"no shake would count: {quiet}, and must within settle_s of the stop"
        yield "shake.settle_s", f"{reason}: set it above {scene.quiet_s:g}, or quiet_ms lower"


def _check_shaker(rules: ShakeRules, shaker: TableDevice) -> Iterator[tuple[str, str]]:
    """As ``_check_camera``, of rules and a shaker that the station starts. How long a dealer's button has it shake is
    not known here."""
    if rules.start != "station" or shaker.shake_told is None:
        return
    key, told_s = shaker.shake_told
    told = f"no shake would count: the station has {shaker.name!r} shake for {told_s * 1000:.0f} ms ({key})"
    if told_s < rules.min_shake_s:
        yield "shake.min_shake_s", f"{told}: set it to {told_s:g} at most, or {key} higher"
    if told_s >= rules.max_shake_s:
        yield "shake.max_shake_s", f"{told}: set it above {told_s:g}, or {key} lower"


def _needs_server(settings: SicBoSettings) -> tuple[str, str] | None:
    if settings.shake.start != "station":
        return None
    reason = '"station" starts the shaker once a server closed betting: it needs round_source = "server"'
    return "shake.start", reason


def _judge(
    settings: SicBoSettings,
    devices: Sequence[TableDevice],
    _token: int | None,
    _stands: Mapping[str, Any] | None,
) -> Judge:
    camera = next(device.name for device in devices if Observes.DICE in device.observes)
    shaker = next((device.name for device in devices if Observes.SHAKE in device.observes), None)
    if shaker is None:
        return TowerJudge(settings.shake, dice_facts, camera=camera)
    return DiceJudge(settings.shake, dice_facts, shaker=shaker, camera=camera)


GAME = AttemptGame(
    name="sic-bo",
    settings=SicBoSettings,
    remedy=Remedy.RESHAKE,
    check=_check,
    played_by=frozenset({Observes.DICE, Observes.SHAKE}),
    judge=_judge,
    stated=_stated,
    # 001: never while bets are open; 002 and 003 shake after betting closed, too.
    starts=lambda _settings: "after_close",
    needs_server=_needs_server,
    same=lambda one, other: one["dice"] == other["dice"],
)
