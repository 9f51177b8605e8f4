"""What the wheel's steps say of it, finding by finding. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from dealer_calibration.bench.result import Finding
from dealer_calibration.wheel.coast_fit import CoastFit
from dealer_calibration.wheel.segments import compare_maps, count_problems
from dealer_calibration.wheel.watch import WheelWatch
from dealer_calibration.wheel.wheel_file import friction_margin, roll_back_deg
from dealer_calibration.wheel.zero import AGREE_DEG, Zero, around
from dealer_daemon.validation.turn_map import SEGMENT_DEG, WheelFile

SLIP_DEG = 0.5
"""``devices.md`` §5: an alarm over 0.5°."""
UNEVEN_DEG = 5.0
"""Real encoders were up to 3.8° out of true; more is a bent shaft."""
MOST_SPREAD = 0.15
"""Spins of one wheel whose frictions differ by more were touched, or its bearing is failing."""
LIGHT = 0.5
"""A heavy side that pulls with more than this part of the friction moves the wheel noticeably."""


def friction_findings(coast: CoastFit, accepted: WheelFile | None) -> Iterator[Finding]:
    """Bearing, balance, and the encoder against the wheel."""
    figures = {
        "slowing_deg_s2": round(coast.slowing_deg_s2, 2),
        "slowing_per_s": round(coast.slowing_per_s, 4),
        "spread_part": round(coast.spread, 3),
        "margin_part": round(friction_margin(coast), 3),
        "spins": coast.runs,
    }
    said = (
        f"friction slows it by {coast.slowing_deg_s2:.1f}°/s², and by {coast.slowing_per_s:.3f} of its speed; its "
        f"{coast.runs} spins agree within {coast.spread:.1%}"
    )
    if coast.spread > MOST_SPREAD:
        do = "spin it again without touching it; if they still differ, look at bearing and pointer"
        yield Finding(code="friction_differs", ok=False, said=said, do_next=do, figures=figures)
    else:
        yield Finding(code="friction", ok=True, said=said, figures=figures)
    if accepted is not None and accepted.most_slowing_deg_s2 is not None and accepted.least_slowing_deg_s2 is not None:
        yield _changed(coast, accepted.least_slowing_deg_s2, accepted.most_slowing_deg_s2)
    pull, back = coast.imbalance_deg_s2, roll_back_deg(coast)
    heavy = pull > LIGHT * coast.slowing_deg_s2
    yield Finding(
        code="balance",
        ok=None if heavy else True,
        said=f"its heavy side pulls with {pull:.1f}°/s²; it may roll back by {back:.0f}°",
        do_next="balance the wheel: it runs as it should, and is slow to rest" if heavy else "",
        figures={"imbalance_deg_s2": round(pull, 2), "roll_back_deg": round(back)},
    )
    uneven = coast.uneven_deg
    yield Finding(
        code="unevenness",
        ok=uneven <= UNEVEN_DEG,
        said=f"the encoder is out of true by {uneven:.1f}° at most; the calibration takes that off",
        do_next="" if uneven <= UNEVEN_DEG else "the encoder's shaft is bent or sits askew: set it right",
        figures={"uneven_deg": round(uneven, 2)},
    )


def _changed(coast: CoastFit, least: float, most: float) -> Finding:
    inside = least <= coast.slowing_deg_s2 <= most
    return Finding(
        code="friction_since",
        ok=None if not inside else True,
        said=f"the accepted file has {least:.1f} to {most:.1f}°/s²",
        do_next="" if inside else "clean the bearing and look at the pointer, or take this calibration into use",
        figures={"least_slowing_deg_s2": least, "most_slowing_deg_s2": most},
    )


def mark_findings(watch: WheelWatch, *, expected: bool) -> Iterator[Finding]:
    """The reference or index mark, and whether the shaft slips."""
    turned = sum(abs(run.turns) for run in watch.runs)
    if not expected:
        do = "wire a mark to the encoder (reference_register): without it a slow slip gives wrong segments"
        yield Finding(code="mark", ok=None, said="this encoder has no reference mark", do_next=do)
        return
    if turned < 2:
        return
    if len(watch.passes) < turned / 2:
        yield Finding(
            code="mark_dead",
            ok=False,
            said=f"the wheel made {turned:.0f} turns and its mark was seen {len(watch.passes)} times",
            do_next="check the mark's sensor, its distance and its cable",
            figures={"turns": round(turned, 1), "passes": len(watch.passes)},
        )
        return
    offs = [abs(one.off_deg) for one in watch.passes if one.off_deg is not None]
    worst = max(offs, default=0.0)
    slipped = worst > SLIP_DEG or watch.jumps > 0
    figures = {"passes": len(watch.passes), "worst_deg": round(worst, 2), "jumps": watch.jumps}
    if slipped:
        said = f"encoder and mark differ by up to {worst:.1f}° from one pass to the next"
        do = "tighten the coupling between encoder and wheel, then calibrate again"
        yield Finding(code="encoder_slips", ok=False, said=said, do_next=do, figures=figures)
    else:
        said = f"encoder and mark agree within {worst:.2f}° over {len(watch.passes)} passes"
        yield Finding(code="mark", ok=True, said=said, figures=figures)


def reference_deg(watch: WheelWatch) -> float | None:
    """The encoder's angle at the mark, 0 up to 360; 0 for a counter. ``None``: it was never seen to pass."""
    if not watch.passes:
        return None
    if not watch.absolute:
        return 0.0
    first = watch.passes[0].encoder_deg
    return (first + statistics.fmean(around(one.encoder_deg - first) for one in watch.passes)) % 360


def map_findings(colors: list[str], way: int, accepted: WheelFile | None) -> Iterator[Finding]:
    """The segments against the rule book and against the accepted map; the direction."""
    direction = "up" if way > 0 else "down"
    if problems := count_problems(colors):
        yield Finding(
            code="wrong_map",
            ok=False,
            said=f"not the rule book's wheel: {', '.join(problems)}",
            do_next="a segment was skipped, seen twice or named wrongly: walk through them again",
        )
    else:
        yield Finding(code="counts", ok=True, said="24 yellow, 12 blue, 8 pink, 4 green, 2 purple, 1 orange, 1 red")
    if accepted is None:
        said = f"segment numbers rise while the count {'rises' if way > 0 else 'falls'}"
        yield Finding(code="direction", ok=True, said=said, figures={"direction": direction})
        return
    same_way = direction == accepted.direction
    yield Finding(
        code="direction" if same_way else "direction_swapped",
        ok=same_way,
        said=f"the wheel counts {direction}, the accepted file says {accepted.direction}",
        do_next="" if same_way else "the encoder's A and B are swapped, or you walked the other way round",
        figures={"direction": direction, "accepted": accepted.direction},
    )
    found = compare_maps(colors, accepted.segments)
    if found.kind == "same":
        yield Finding(code="map", ok=True, said="all 52 segments are as in the accepted file")
    elif found.kind == "shifted":
        said = f"the map is the accepted one from segment {found.shift} on: you began there, or the map is shifted"
        do = f"begin the walk in segment 0; if you did, the accepted map is shifted by {found.shift} segments"
        yield Finding(code="map_shifted", ok=False, said=said, do_next=do, figures={"shift_segments": found.shift})
    elif found.kind == "reversed":
        said = "the colours come in the opposite order of the accepted file"
        yield Finding(code="map_reversed", ok=False, said=said, do_next="walk so that segment numbers rise")
    else:
        first = ", ".join(f"{n} is {colors[n]}, not {accepted.segments[n]}" for n in found.segments[:6])
        said = f"{len(found.segments)} segments differ from the accepted file: {first}"
        do = "look at these segments; where the wheel was rebuilt run this with --new-map"
        figures = {"segments": list(found.segments)}
        yield Finding(code="wrong_map", ok=False, said=said, do_next=do, figures=figures)


def zero_findings(
    zero: Zero, misplaced: list[int], accepted: WheelFile | None, *, comparable: bool
) -> Iterator[Finding]:
    """Where the segments begin, on how many boundaries that rests, and the walk's stops against it. ``comparable``:
    numbering and zero are the accepted file's."""
    offs = ", ".join(f"{off:+.2f}°" for off in zero.off_deg)
    agree = zero.worst_deg <= AGREE_DEG
    yield Finding(
        code="zero" if agree else "boundaries_differ",
        ok=agree,
        said=f"segment 0 begins {zero.offset_deg:.2f}° before the encoder's zero; the boundaries differ by {offs}",
        do_next="" if agree else "put the pointer on the pegs again; if they still differ the shaft slipped",
        figures={"offset_deg": round(zero.offset_deg, 3), "worst_deg": round(zero.worst_deg, 3)},
    )
    yield Finding(
        code="keep_out",
        ok=True,
        said=f"nearer than {zero.keep_out_deg:.2f}° to a peg no rest counts",
        figures={"keep_out_deg": round(zero.keep_out_deg, 3)},
    )
    wrong = [number for number, off in enumerate(misplaced) if off]
    if wrong:
        shift = misplaced[wrong[0]]
        every = len(wrong) == len(misplaced) and len(set(misplaced)) == 1
        said = f"{len(wrong)} stops of the walk lie elsewhere than they were counted, the first is segment {wrong[0]}"
        do = (
            f"the zero was set {abs(shift)} segments away: put the pointer on the right pegs"
            if every
            else "walk through the segments again: one was counted twice or left out, or the shaft slipped"
        )
        yield Finding(code="map_shifted", ok=False, said=said, do_next=do, figures={"segments": wrong})
    if accepted is not None and comparable:
        moved = around(zero.offset_deg - accepted.offset_deg)
        small = abs(moved) <= SLIP_DEG
        yield Finding(
            code="zero_since" if small else "zero_moved",
            ok=True if small else None,
            said=f"it lay {abs(moved):.2f}° ({abs(moved) / SEGMENT_DEG:.1f} segments) from there in the accepted file",
            do_next="" if small else "the shaft has slipped since, or the zero was set: tighten the coupling",
            figures={"moved_deg": round(moved, 3)},
        )
