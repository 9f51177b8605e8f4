"""Rainbow wheel (彩虹幸运轮 002): 52 segments of seven colours, one valid turn a round (``games.md`` §7)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from dealer_daemon.games.game import AttemptGame, BadFacts, TableDevice, UnreadableFile
from dealer_daemon.validation.judge import Judge
from dealer_daemon.validation.turn import TurnJudge, TurnResult
from dealer_daemon.validation.turn_attempt import HAND_OFF_DEG
from dealer_daemon.validation.turn_map import COUNTS, SEGMENTS, WheelFileError, WheelMap, load_wheel
from dealer_daemon.validation.turn_motion import LEAST_AT_REST
from dealer_daemon.validation.turn_rules import TurnRules, longest_gap_s
from dealer_daemon.verdicts import Remedy
from dealer_drivers.calibration import CalibrationSlot
from dealer_drivers.driver import AngleSource, Observes

POLL_SLACK = 1.2
"""Answers do not come at even distances."""


class RainbowSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tables.X.turn]``."""

    turn: TurnRules


@dataclass(frozen=True, slots=True)
class RainbowTable:
    """The settings with the wheel's file read: judge, entries and corrections all speak of this one wheel."""

    turn: TurnRules
    wheel: WheelMap


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


def _load(settings: RainbowSettings) -> RainbowTable:
    try:
        return RainbowTable(settings.turn, load_wheel(Path(settings.turn.wheel)))
    except WheelFileError as error:
        raise UnreadableFile("turn.wheel", str(error)) from error


def _stated(settings: RainbowTable, args: Mapping[str, Any]) -> dict[str, Any]:
    wheel = settings.wheel
    segment, color = args.get("segment"), args.get("color")
    if color is not None and not isinstance(color, str):
        raise BadFacts(f'"color" is one text: {", ".join(COUNTS)}')
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
    if wheel is not None and not settings.turn.problems():
        found += _check_friction(settings.turn, wheel)
    if encoder.angle is not None:
        found += _check_counts(settings.turn, wheel, encoder.name, encoder.angle)
    return found


def _check_friction(rules: TurnRules, wheel: WheelMap) -> Iterator[tuple[str, str]]:
    """Whether this wheel can make a turn that counts: what a hand does not carry it, it coasts."""
    coast_deg = max(0.0, 360 * rules.min_turns - HAND_OFF_DEG)
    speed = math.sqrt(2 * wheel.least_slowing_deg_s2 * coast_deg)
    if speed > 360 * rules.max_turns_per_s:
        yield (
            "turn.min_turns",
            f"no turn would count: to coast so far this wheel must be spun at {speed / 360:.1f} turns a second "
            f"(least_slowing_deg_s2 in {rules.wheel}), and max_turns_per_s is {rules.max_turns_per_s:g}",
        )
        return
    fastest_s = math.sqrt(2 * coast_deg / wheel.slowing(360 * rules.max_turns_per_s))
    if fastest_s + rules.still_s + rules.watch_s > rules.max_spin_s:
        yield (
            "turn.max_spin_s",
            f"no turn would count: untouched, this wheel needs {fastest_s:.1f} s at least to come to rest after "
            f"min_turns (slowing_deg_s2 in {rules.wheel}), and still_s and watch_s more",
        )


def _least_still_s(angle: AngleSource, poll_ms: int) -> float:
    """In so long a time there are counts enough to tell a rest."""
    answers = LEAST_AT_REST
    while answers - (math.ceil(answers / angle.mark_every) if angle.mark_every else 0) < LEAST_AT_REST:
        answers += 1
    return math.ceil((answers - 1) * poll_ms * POLL_SLACK / 10) / 100


def _check_counts(rules: TurnRules, wheel: WheelMap | None, name: str, angle: AngleSource) -> Iterator[tuple[str, str]]:
    """What rules, wheel and encoder say of each other."""
    if wheel is not None and not angle.absolute and wheel.file.reference_deg:
        yield (
            "turn.wheel",
            f"wheel file {rules.wheel}: reference_deg: {wheel.file.reference_deg:g}, but {name!r} counts from its "
            "index: write 0.0, and measure offset_deg by angles from there",
        )
    if angle.per_turn is not None and 360 / angle.per_turn > 2 * rules.still_deg:
        yield (
            "turn.still_deg",
            f"one of the {angle.per_turn} counts of {name!r} is {360 / angle.per_turn:.2f}°: a wheel that stands "
            f"between two of them would never rest within {rules.still_deg:g}° to either side",
        )
    if angle.poll_ms is None:
        return
    longest_s = longest_gap_s(rules, angle.turns)
    most_ms = math.floor(1000 * longest_s / angle.questions / POLL_SLACK)
    if angle.poll_ms > most_ms:
        yield (
            "devices",
            f"{name!r} is asked every {angle.poll_ms} ms, so its counts are up to {angle.poll_ms * angle.questions} ms "
            f"apart, and {longest_s * 1000:.0f} ms is the most here (max_gap_s, and half of its {angle.turns:g} turns "
            f"at max_turns_per_s): no turn would count. Set poll_ms to {most_ms} at most",
        )
    least_s = _least_still_s(angle, angle.poll_ms)
    if rules.still_s < least_s:
        yield (
            "turn.still_s",
            f"{name!r} is asked every {angle.poll_ms} ms: in still_s there are too few counts to tell a rest, and no "
            f"turn would count. Set still_s to {least_s:g} at least, or ask it more often (poll_ms)",
        )


def _judge(
    settings: RainbowTable,
    devices: Sequence[TableDevice],  # noqa: ARG001
    token: int | None,  # noqa: ARG001
    stands: Mapping[str, Any] | None,
) -> Judge:
    by_device = stands is not None and stands.get("turns") is not None
    return TurnJudge(settings.turn, settings.wheel, turn_facts, stands=by_device)


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """A person who keyed in the colour alone has said nothing of the segment."""
    known = None not in (one["segment"], other["segment"])
    return bool(one["color"] == other["color"] and (not known or one["segment"] == other["segment"]))


GAME = AttemptGame(
    name="rainbow-wheel",
    settings=RainbowSettings,
    remedy=Remedy.RESPIN,
    check=_check,
    played_by=frozenset({Observes.ANGLE}),
    judge=_judge,
    stated=_stated,
    same=_same,
    load=_load,
    starts=lambda settings: settings.turn.launch,
    calibration=CalibrationSlot("colour-wheel", "turn.wheel", "wheel.toml"),
    calibrates=Observes.ANGLE,
)
