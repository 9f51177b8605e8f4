"""Dice thrown by chance into every pose, with the truth known because it was chosen. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from hw_sim.dice.rig import Rig, on_plane, project
from hw_sim.dice.scene import Cable, Die, Glare, Hand, Matrix, Pose, Roll, Scene, about, die_at, seen, upright

TRIES = 4000
GAP_MM = 1.0
"""Between dice that are apart, at least."""
MARGIN_PX = 6.0
"""From a die that is wholly in the picture to the picture's edge, at least."""


class NoRoom(RuntimeError):  # noqa: N818
    """No such pose was found on this rig in many tries: the plate is too small for it."""


def throw(rig: Rig, pose: Pose, rng: Random, values: Sequence[int] | None = None) -> Scene:
    """A scene of this pose. ``values`` for the dice in the order of ``Scene.dice``, by chance by default; those over
    four are not used, missing ones are drawn. Raises ``NoRoom``."""
    wanted = list(values or ()) + [rng.randint(1, 6) for _ in range(4)]
    exposure = min(1.04, max(0.96, rng.gauss(1, 2 * rig.drift)))
    for _ in range(TRIES):
        scene = _SCENES[pose](rig, rng, wanted)
        if scene is not None:
            return replace(scene, pose=pose, exposure=exposure)
    raise NoRoom(f"no {pose} dice of {rig.die_mm} mm on a plate of {rig.plate_mm} mm")


def _flat_die(rig: Rig, value: int, x: float, y: float, yaw: float, *, on_mm: float = 0.0) -> Die:
    """``yaw`` beyond a quarter shows the face the other way round."""
    return die_at(rig.kind, rig.die_mm, x, y, about((0, 0, 1), yaw) @ upright(rig.kind, value), on_mm=on_mm)


def _square(die: Die, margin_mm: float = 0.0) -> Matrix:
    """What a die takes up of the plate: the hull of its corners from above, for a flat one its square, N by 2."""
    corners = die.corners_mm()[:, :2]
    middle = corners.mean(axis=0)
    away = corners - middle
    grown: Matrix = middle + away * (1 + margin_mm / (die.edge_mm / 2))
    return grown


def _apart(one: Die, two: Die, gap_mm: float) -> bool:
    """Whether a straight line parts them, with this gap."""
    for turned in (one, two):
        for axis in np.array(turned.turn).reshape(3, 3).T:
            flat = axis[:2]
            length = float(np.hypot(*flat))
            if length < 0.3:
                continue
            a, b = _square(one) @ flat / length, _square(two) @ flat / length
            if a.min() - b.max() > gap_mm or b.min() - a.max() > gap_mm:
                return True
    return False


def _all_apart(dice: Sequence[Die], gap_mm: float = GAP_MM) -> bool:
    return all(_apart(one, two, gap_mm) for n, one in enumerate(dice) for two in dice[:n])


def _on_plate(rig: Rig, die: Die) -> bool:
    return bool(np.hypot(*_square(die).T).max() < rig.plate_mm - 0.3)


def in_picture(rig: Rig, die: Die, margin_px: float = MARGIN_PX) -> bool:
    """Whether all of it is in the picture."""
    at = project(rig, die.corners_mm())
    size = (rig.width_px, rig.height_px)
    return bool((at.min(axis=0) > margin_px).all() and (at.max(axis=0) < np.array(size) - 1 - margin_px).all())


def _spot(rig: Rig, rng: Random, reach: float = 1.0) -> tuple[float, float]:
    """A place on the plate, evenly."""
    away, at = rig.plate_mm * reach * math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
    return away * math.cos(at), away * math.sin(at)


def _lying(rig: Rig, rng: Random, value: int) -> Die | None:
    """A flat die, wholly in the picture."""
    x, y = _spot(rig, rng)
    die = _flat_die(rig, value, x, y, rng.uniform(0, 2 * math.pi))
    return die if _on_plate(rig, die) and in_picture(rig, die) else None


def _lying_with(rig: Rig, rng: Random, others: Sequence[Die], values: Sequence[int]) -> tuple[Die, ...] | None:
    """The others, and flat dice of these values apart from them."""
    dice = list(others)
    for value in values:
        for _ in range(60):
            die = _lying(rig, rng, value)
            if die is not None and all(_apart(die, other, GAP_MM) for other in dice):
                dice.append(die)
                break
        else:
            return None
    return tuple(dice)


def _flat(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    dice = _lying_with(rig, rng, (), values[:3])
    return None if dice is None else Scene(dice)


def _beside(rig: Rig, rng: Random, other: Die, value: int) -> Die | None:
    """A flat die that touches a flat one: side to side, or with a corner."""
    turn = np.array(other.turn).reshape(3, 3)
    ways = [axis[:2] for axis in turn.T if abs(axis[2]) < 0.5]
    way = rng.choice(ways) * rng.choice((-1, 1))
    along = np.array([-way[1], way[0]])
    half, corner = rig.die_mm / 2, rig.die_mm * rig.kind.corner
    if rng.random() < 0.5:  # side to side
        angle, aside = 0.0, rng.uniform(-0.6, 0.6) * rig.die_mm
    else:  # the round corner of the one at the side of the other
        angle = rng.uniform(0.05, math.pi / 2 - 0.05)
        aside = rng.uniform(-0.4, 0.4) * rig.die_mm - half * (math.cos(angle) - math.sin(angle))
    reach = half + corner + (half - corner) * (math.cos(angle) + math.sin(angle)) + rng.uniform(0.0, 0.25)
    x, y = np.array([other.x_mm, other.y_mm]) + way * reach + along * aside
    yaw = math.atan2(way[1], way[0]) + angle + rng.randrange(4) * math.pi / 2
    die = _flat_die(rig, value, float(x), float(y), yaw)
    return die if _on_plate(rig, die) and in_picture(rig, die) else None


def _touching(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    first = _lying(rig, rng, values[0])
    if first is None or (second := _beside(rig, rng, first, values[1])) is None:
        return None
    if rng.random() < 0.5:
        third = _beside(rig, rng, rng.choice((first, second)), values[2])
        dice: tuple[Die, ...] | None = None if third is None else (first, second, third)
    else:
        dice = _lying_with(rig, rng, (first, second), values[2:3])
    # Square outlines may reach into each other where round corners do not.
    return Scene(dice) if dice is not None and _all_apart(dice, -0.4 * rig.kind.corner * rig.die_mm) else None


def _aslant(rig: Rig, value: int, edge_x: float, edge_y: float, towards: float, slope: float, yaw: float) -> Die:
    """A die that stands on one lower edge at this place and rises by ``slope`` towards that direction."""
    lean = about((math.sin(towards), -math.cos(towards), 0), slope)
    turn = lean @ about((0, 0, 1), towards + yaw) @ upright(rig.kind, value)
    out = rig.die_mm / 2 * (math.cos(slope) - math.sin(slope))
    return die_at(rig.kind, rig.die_mm, edge_x + out * math.cos(towards), edge_y + out * math.sin(towards), turn)


def _leaning(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    towards = rng.uniform(-0.6, 0.6) + rng.choice((0, math.pi))  # there the rim is in the picture
    before = rig.die_mm * rng.uniform(0.5, 0.9)
    slope = math.atan2(rig.ridge_mm, before)
    stands = rig.plate_mm - before
    die = _aslant(
        rig,
        values[0],
        stands * math.cos(towards),
        stands * math.sin(towards),
        towards,
        slope,
        rng.randrange(4) * math.pi / 2,
    )
    if not in_picture(rig, die):
        return None
    dice = _lying_with(rig, rng, (die,), values[1:3])
    return None if dice is None else Scene(dice)


def _cocked(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    """Wedged with its raised lower edge against the side of a flat one."""
    under = _lying(rig, rng, values[1])
    if under is None:
        return None
    turn = np.array(under.turn).reshape(3, 3)
    way = rng.choice([axis[:2] for axis in turn.T if abs(axis[2]) < 0.5]) * rng.choice((-1, 1))
    towards = math.atan2(-way[1], -way[0])
    slope = rng.uniform(math.radians(14), math.radians(40))
    # Its outermost point towards the other is its upper edge; that touches the side.
    reach = rig.die_mm * math.cos(slope)
    x, y = np.array([under.x_mm, under.y_mm]) + way * (rig.die_mm / 2 + reach)
    x, y = np.array([x, y]) + np.array([-way[1], way[0]]) * rng.uniform(-0.5, 0.5) * rig.die_mm
    die = _aslant(rig, values[0], float(x), float(y), towards, slope, rng.randrange(4) * math.pi / 2)
    if not (_on_plate(rig, die) and in_picture(rig, die)):
        return None
    dice = _lying_with(rig, rng, (die, under), values[2:3])
    return None if dice is None else Scene(dice)


def _stacked(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    if rng.random() < 0.25:  # a bridge over two
        low = _touching(rig, rng, values)
        if low is None:
            return None
        one, two = low.dice[:2]
        x, y = (one.x_mm + two.x_mm) / 2, (one.y_mm + two.y_mm) / 2
        top = _flat_die(rig, values[2], x, y, rng.uniform(0, 2 * math.pi), on_mm=rig.die_mm)
        return Scene((one, two, top)) if in_picture(rig, top) else None
    dice = _lying_with(rig, rng, (), values[:2])
    if dice is None:
        return None
    off = rng.uniform(0, 0.42) * rig.die_mm * (0.2 if rng.random() < 0.3 else 1.0)
    at = rng.uniform(0, 2 * math.pi)
    x, y = dice[0].x_mm + off * math.cos(at), dice[0].y_mm + off * math.sin(at)
    top = _flat_die(rig, values[2], x, y, rng.uniform(0, 2 * math.pi), on_mm=rig.die_mm)
    return Scene((*dice, top)) if in_picture(rig, top) and _apart(top, dice[1], GAP_MM) else None


def _rolling(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    scene = _flat(rig, rng, values) if rng.random() < 0.7 else _touching(rig, rng, values)
    if scene is None:
        return None
    moving = rng.sample(range(3), rng.randint(1, 3))
    dice = [
        replace(die, roll=tumble(rig, rng, rng.uniform(1.6, 3.0))) if n in moving else die
        for n, die in enumerate(scene.dice)
    ]
    return Scene(tuple(dice))


def tumble(rig: Rig, rng: Random, rest_s: float, begin_s: float = 0.0) -> Roll:
    """How a die rolls out between two moments."""
    way, far = rng.uniform(0, 2 * math.pi), rig.die_mm * rng.uniform(0.3, 0.9)
    return Roll(
        rest_s=rest_s,
        begin_s=begin_s,
        axis=(-math.sin(way), math.cos(way), rng.uniform(-0.7, 0.7)),
        turn_rad=-rng.uniform(1.5, 5.0),
        dx_mm=-far * math.cos(way),
        dy_mm=-far * math.sin(way),
        hop_mm=rng.uniform(0, 0.4) * rig.die_mm,
    )


def _creeping(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    scene = _flat(rig, rng, values)
    if scene is None:
        return None
    slow = rng.randrange(3)
    way, rest_s = rng.uniform(0, 2 * math.pi), 3.0
    pixels = rng.uniform(0.6, 3.0)
    far = pixels / rig.die_px * rig.die_mm * rig.fps * rest_s
    roll = Roll(
        rest_s=rest_s,
        axis=(0, 0, 1),
        turn_rad=rng.uniform(-0.5, 0.5),
        dx_mm=far * math.cos(way),
        dy_mm=far * math.sin(way),
        steady=True,
    )
    moving = replace(scene.dice[slow], roll=roll)
    begins = replace(moving, x_mm=moving.x_mm + roll.dx_mm, y_mm=moving.y_mm + roll.dy_mm, roll=None)
    others = [die for n, die in enumerate(scene.dice) if n != slow]
    half = replace(begins, x_mm=(moving.x_mm + begins.x_mm) / 2, y_mm=(moving.y_mm + begins.y_mm) / 2)
    clear = all(_apart(place, other, 3 * GAP_MM) for place in (begins, half, moving) for other in others)
    return Scene((*others, moving)) if clear and in_picture(rig, begins, 25) and in_picture(rig, moving, 25) else None


def _cut(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    x, y = _spot(rig, rng)
    die = _flat_die(rig, values[0], x, y, rng.uniform(0, 2 * math.pi))
    if not _on_plate(rig, die):
        return None
    corners = seen(die, rig).corners_px
    beyond = max(-float(corners[:, 1].min()), float(corners[:, 1].max()) - rig.height_px)
    if not 0.12 * rig.die_px < beyond < 0.75 * rig.die_px:
        return None
    dice = _lying_with(rig, rng, (die,), values[1:3])
    return None if dice is None else Scene(dice)


def _out_of_view(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    side = rng.choice((-1, 1))
    x, _ = on_plane(rig, rig.width_px / 2 * (1 + side), rig.height_px / 2)
    gone = _flat_die(rig, values[0], x + side * 1.6 * rig.die_mm, rng.uniform(-1, 1) * rig.die_mm, rng.uniform(0, 6))
    dice = _lying_with(rig, rng, (gone,), values[1:3])
    return None if dice is None else Scene(dice)


def _four(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    dice = _lying_with(rig, rng, (), values[:4])
    return None if dice is None else Scene(dice)


def _two(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    dice = _lying_with(rig, rng, (), values[:2])
    return None if dice is None else Scene(dice)


def _good(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    return (_touching if rng.random() < 0.25 else _flat)(rig, rng, values)


def _with_hand(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    scene = _good(rig, rng, values)
    if scene is None:
        return None
    away, at = rig.plate_px * rng.uniform(0.0, 0.75), rng.uniform(0, 2 * math.pi)
    x, y = rig.middle_px[0] + away * math.cos(at), rig.middle_px[1] + away * math.sin(at)
    from_deg = -math.degrees(at) + rng.uniform(-40, 40)
    return replace(scene, over=(Hand(x, y, from_deg, rng.randrange(2**31)),))


def _with_cable(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    scene = _good(rig, rng, values)
    if scene is None:
        return None
    low = rng.random() < 0.5
    ends = [(rng.uniform(0, rig.width_px), -20.0), (rng.uniform(0, rig.width_px), rig.height_px + 20.0)]
    if low:
        ends = [(-20.0, rng.uniform(0, rig.height_px)), (rig.width_px + 20.0, rng.uniform(0, rig.height_px))]
    x = rig.middle_px[0] + rng.uniform(-0.6, 0.6) * rig.plate_px
    y = rig.middle_px[1] + rng.uniform(-0.6, 0.6) * rig.plate_px
    return replace(scene, over=(Cable((ends[0], (x, y), ends[1]), rng.uniform(8, 18), rng.choice((25, 90, 200))),))


def _with_glare(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    scene = _good(rig, rng, values)
    if scene is None:
        return None
    die = rng.choice(scene.dice)
    pips = seen(die, rig).pips_px
    x, y = pips[rng.randrange(len(pips))] + np.array([rng.uniform(-4, 4), rng.uniform(-4, 4)])
    return replace(scene, over=(Glare(float(x), float(y), rig.die_px * rng.uniform(0.22, 0.6)),))


def _frozen(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    scene = _good(rig, rng, values)
    return None if scene is None else replace(scene, frozen=True)


def _unfocused(rig: Rig, rng: Random, values: list[int]) -> Scene | None:
    scene = _good(rig, rng, values)
    return None if scene is None else replace(scene, defocus_px=rng.uniform(4.5, 9.0))


_SCENES: dict[Pose, Callable[[Rig, Random, list[int]], Scene | None]] = {
    Pose.FLAT: _flat,
    Pose.TOUCHING: _touching,
    Pose.LEANING: _leaning,
    Pose.COCKED: _cocked,
    Pose.STACKED: _stacked,
    Pose.ROLLING: _rolling,
    Pose.CREEPING: _creeping,
    Pose.CUT: _cut,
    Pose.OUT_OF_VIEW: _out_of_view,
    Pose.FOUR_DICE: _four,
    Pose.TWO_DICE: _two,
    Pose.HAND: _with_hand,
    Pose.CABLE: _with_cable,
    Pose.GLARE: _with_glare,
    Pose.FROZEN: _frozen,
    Pose.OUT_OF_FOCUS: _unfocused,
}
