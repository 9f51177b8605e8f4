"""Fan tan (番摊; 002): beans laid out in fours, the last group of one to four decides (``games.md`` §8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from dealer_daemon.games.game import AttemptGame, BadFacts, TableDevice
from dealer_daemon.validation.beans import BeansJudge
from dealer_daemon.validation.beans_rules import BeansRules
from dealer_daemon.validation.judge import Judge
from dealer_daemon.verdicts import Remedy
from dealer_drivers.driver import Observes


class FanTanSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tables.X.beans]``."""

    beans: BeansRules = BeansRules()


def remainder_facts(remainder: int) -> dict[str, Any]:
    """What follows from the last group alone; four left count as four (002). Raises ``BadFacts``."""
    if isinstance(remainder, bool) or remainder not in range(1, 5):
        raise BadFacts(f"remainder {remainder!r}: a whole number from 1 to 4 is expected")
    return {"remainder": remainder, "parity": "odd" if remainder % 2 else "even"}


def layout_facts(beans: int, groups: int, remainder: int) -> dict[str, Any]:
    """The facts of an outcome: the last group, and how many beans in how many groups, the last one among them."""
    return remainder_facts(remainder) | {"beans": beans, "groups": groups}


def _stated(_settings: FanTanSettings, args: Mapping[str, Any]) -> dict[str, Any]:
    remainder = args.get("remainder")
    if not isinstance(remainder, int):
        raise BadFacts('"remainder" is needed, a whole number from 1 to 4')
    return remainder_facts(remainder) | {"beans": None, "groups": None}


def _main(devices: Sequence[TableDevice], observes: Observes) -> list[TableDevice]:
    return [device for device in devices if observes in device.observes and device.role == "main"]


def _check(settings: FanTanSettings, devices: Sequence[TableDevice]) -> list[tuple[str, str]]:
    found = [(f"beans.{key}", reason) for key, reason in settings.beans.problems()]
    if _main(devices, Observes.ENTRY):
        return found
    cameras = _main(devices, Observes.BEANS)
    if len(cameras) != 1:
        names = ", ".join(device.name for device in cameras) or "none"
        found.append(("devices", f"a fan-tan table needs exactly one device that reads the beans; it has: {names}"))
    elif "beans.max_layout_s" not in dict(found):
        found += _check_camera(settings.beans, cameras[0])
    return found


def _check_camera(rules: BeansRules, camera: TableDevice) -> Iterator[tuple[str, str]]:
    """What rules and camera say of each other: settings by which no layout could count."""
    if camera.scene is not None and rules.max_layout_s <= camera.scene.quiet_s:
        quiet_s = camera.scene.quiet_s
        reason = (
            f"no layout would count: {camera.name!r} says that the beans rest once nothing moved for "
            f"{quiet_s * 1000:.0f} ms (quiet_ms): set it above {quiet_s:g}, or quiet_ms lower"
        )
        yield "beans.max_layout_s", reason


def _judge(
    settings: FanTanSettings,
    devices: Sequence[TableDevice],
    _token: int | None,
    _stands: Mapping[str, Any] | None,
) -> Judge:
    camera = next(device.name for device in devices if Observes.BEANS in device.observes)
    return BeansJudge(settings.beans, layout_facts, camera=camera)


GAME = AttemptGame(
    name="fan-tan",
    settings=FanTanSettings,
    remedy=Remedy.REARRANGE,
    check=_check,
    played_by=frozenset({Observes.BEANS}),
    judge=_judge,
    stated=_stated,
    # 002: the bowl is lifted after betting closed.
    starts=lambda _settings: "after_close",
    same=lambda one, other: one["remainder"] == other["remainder"],
)
