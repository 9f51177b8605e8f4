"""Rainbow wheel (彩虹幸运轮 002): 52 segments of seven colours, one valid turn a round (``games.md`` §7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dealer_daemon.games.game import AttemptGame, BadFacts, TableDevice
from dealer_daemon.validation.judge import Judge
from dealer_daemon.validation.turn import TurnJudge, TurnResult
from dealer_daemon.validation.turn_map import COUNTS, SEGMENTS, WheelFileError, WheelMap, load_wheel
from dealer_daemon.validation.turn_rules import TurnRules
from dealer_daemon.verdicts import Remedy
from dealer_drivers.driver import Observes


class RainbowSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tables.X.turn]``."""

    turn: TurnRules


def turn_facts(result: TurnResult) -> dict[str, Any]:
    """The facts of an outcome: where the pointer rests, and how it got there."""
    return {
        "segment": result.place.segment,
        "color": result.place.color,
        "turns": result.turns,
        "start_segment": result.start_segment,
        "way": result.way,
        "margin_deg": round(result.place.margin_deg, 2),
        "seconds": result.seconds,
        "segment_map": result.segment_map,
    }


def _stated(settings: RainbowSettings, args: Mapping[str, Any]) -> dict[str, Any]:
    wheel = load_wheel(Path(settings.turn.wheel))
    segment, color = args.get("segment"), args.get("color")
    if segment is None and color in COUNTS:
        return _unseen(wheel, None, color)
    if not isinstance(segment, int) or isinstance(segment, bool) or not 0 <= segment < SEGMENTS:
        raise BadFacts(f'"segment" is needed, 0 to {SEGMENTS - 1}, or "color" alone: one of {", ".join(COUNTS)}')
    lies = wheel.file.segments[segment]
    if color not in (None, lies):
        raise BadFacts(f"segment {segment} of this wheel is {lies}, not {color}")
    return _unseen(wheel, segment, lies)


def _unseen(wheel: WheelMap, segment: int | None, color: object) -> dict[str, Any]:
    unknown = {"turns": None, "start_segment": None, "way": None, "margin_deg": None, "seconds": None}
    return {"segment": segment, "color": color, "segment_map": wheel.sha256} | unknown


def _check(settings: RainbowSettings, devices: Sequence[TableDevice]) -> list[tuple[str, str]]:
    found = [(f"turn.{key}", reason) for key, reason in settings.turn.problems()]
    wheel = None
    try:
        wheel = load_wheel(Path(settings.turn.wheel))
    except WheelFileError as error:
        found.append(("turn.wheel", str(error)))
    encoders = [device for device in devices if Observes.ANGLE in device.observes]
    if len(encoders) != 1:
        names = ", ".join(device.name for device in encoders) or "none"
        found.append(("devices", f"a rainbow wheel needs exactly one device that gives its angle; it has: {names}"))
        return found
    encoder = encoders[0]
    if settings.turn.reference == "every_turn" and Observes.LAPS not in encoder.observes:
        found.append(
            (
                "turn.reference",
                f'"every_turn", but {encoder.name!r} ({encoder.driver}) sees no reference mark as it is set: give it '
                'one (reference_register), or say "unchecked"',
            )
        )
    if wheel is not None and settings.turn.reference == "every_turn" and wheel.file.reference_deg is None:
        reason = (
            f"wheel file {settings.turn.wheel}: reference_deg: missing; it is the encoder's angle at the reference "
            "mark, 0 for a counter with index"
        )
        found.append(("turn.wheel", reason))
    return found


def _judge(
    settings: RainbowSettings,
    devices: Sequence[TableDevice],  # noqa: ARG001
    token: int | None,  # noqa: ARG001
    stands: Mapping[str, Any] | None,
) -> Judge:
    wheel = load_wheel(Path(settings.turn.wheel))
    by_device = stands is not None and stands.get("turns") is not None
    return TurnJudge(settings.turn, wheel, turn_facts, stands=by_device)


GAME = AttemptGame(
    name="rainbow-wheel",
    settings=RainbowSettings,
    remedy=Remedy.RESPIN,
    check=_check,
    judge=_judge,
    stated=_stated,
    starts=lambda settings: settings.turn.launch,
)
