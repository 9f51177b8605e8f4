"""What a roulette wheel's steps say of it, finding by finding. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dealer_calibration.bench.result import Finding
from dealer_calibration.roulette.laps import (
    FEWEST_FOR_CURVE,
    FEWEST_TO_COUNT,
    Fitted,
    NoCurve,
    agreement,
    factor,
    fit_curve,
    miscounted,
    miss_bound,
)
from dealer_calibration.roulette.parameters import compare_parameters
from dealer_calibration.roulette.pockets import ORDER, check_pockets
from dealer_calibration.roulette.watch import LATE_S, RouletteWatch, SpinSeen, cadence
from dealer_daemon.validation.spin_rules import SpinRules
from dealer_drivers.readings.roulette import NumberWitness, Rotation

SLOWEST_CADENCE_S = 0.75
"""The cadence is 0.5 s (``devices.md`` §1)."""
WIDE_LAPS = 2.0
"""An estimate that is off by more than this leaves most throws near the seventh lap open."""
SURE_CHANCE = 0.01
"""A pocket that is missed by chance no more often than this is held for dead."""


def identity_finding(notices: Mapping[str, str]) -> Finding:
    """What the wheel says it is."""
    said = notices.get("identity")
    if said is None:
        return Finding(code="identity", ok=None, said="the wheel does not say who it is (`*V`)")
    return Finding(code="identity", ok=True, said=f"the wheel says: {said}", figures={"identity": said})


def settings_findings(accepted: Mapping[str, str], found: Mapping[str, str], source: str) -> Iterator[Finding]:
    """The parameters against the accepted set; ``source`` says where that is from."""
    if not accepted:
        said = f"{len(found)} parameters read, and no accepted set to hold them against: these become it"
        yield Finding(code="settings", ok=bool(found) or None, said=said, figures={"parameters": dict(found)})
        return
    differ = compare_parameters(accepted, found)
    figures = {"parameters": dict(found)}
    if differ.unread:
        said = f"the wheel did not tell parameters {', '.join(differ.unread)}"
        do = "check the cable's transmit line; ask with no ball in play"
        yield Finding(code="settings_unread", ok=False, said=said, do_next=do, figures=figures)
    if differ.changed:
        said = "; ".join(
            f"parameter {letter} is {now!r} and {source} has {was!r}" for letter, was, now in differ.changed
        )
        do = "restore the accepted set on the wheel; if the change is meant, run this with --new-settings"
        yield Finding(code="settings_changed", ok=False, said=said, do_next=do, figures=figures)
    if not differ.unread and not differ.changed:
        said = f"all {len(accepted)} parameters are as in {source}"
        yield Finding(code="settings", ok=True, said=said, figures=figures)


def self_test_finding(notices: Mapping[str, str]) -> Finding:
    """The wheel's own test; a blind or stuck sensor is named."""
    if (said := notices.get("self_test_failed")) is not None:
        code = "dead_sensor" if "sensor" in said else "self_test"
        return Finding(code=code, ok=False, said=said, do_next="put that right, then test again")
    if (said := notices.get("self_test_passed")) is not None:
        return Finding(code="self_test", ok=True, said=said)
    said = notices.get("self_test_unknown", "the wheel did not answer to its self-test")
    return Finding(code="self_test", ok=None, said=said)


def direction_findings(spin: SpinSeen, seen: Rotation | None) -> Iterator[Finding]:
    """The wheel's directions against what a person saw of the rotor."""
    if spin.rotor is None:
        yield Finding(code="direction", ok=None, said="the wheel does not say which way its rotor turns")
        return
    told = f"the wheel says that its rotor turned {spin.rotor}"
    if seen is None:
        yield Finding(code="direction", ok=None, said=f"{told}; nobody looked")
    elif seen is spin.rotor:
        yield Finding(code="direction", ok=True, said=told, figures={"rotor": str(seen)})
    else:
        do = "the direction sensors are swapped: correct the wheel's setting or its wiring"
        said = f"{told}, you saw it turn {seen}"
        yield Finding(code="direction_swapped", ok=False, said=said, do_next=do, figures={"rotor": str(seen)})
    if spin.ball is not None and spin.ball is spin.rotor:
        do = "throw the ball against the rotor; if you did, its direction is read wrongly"
        yield Finding(code="same_direction", ok=False, said=f"ball and rotor both turned {spin.ball}", do_next=do)


def lap_findings(counted: Sequence[tuple[int, int]], *, offset: int, laps: str) -> Iterator[Finding]:
    """The wheel's laps against a person's, pairs (wheel, person); ``offset`` is the table's ``lap_offset``."""
    if not counted:
        if laps == "counted":
            yield Finding(code="laps", ok=None, said="nobody counted laps, or the wheel tells none")
        return
    found = agreement([(wheel + offset, hand) for wheel, hand in counted])
    figures = {
        "spins": found.spins,
        "exact": found.exact,
        "off_by_one": found.off_by_one,
        "worse": found.worse,
        "mean_off_laps": round(found.mean_off, 2),
    }
    said = (
        f"of {found.spins} spins the wheel counted {found.exact} as you did, {found.off_by_one} off by one, "
        f"{found.worse} worse"
    )
    if times := factor([(wheel + offset, hand) for wheel, hand in counted]):
        yield _by_a_factor(times, {**figures, "factor": times})
    elif found.undercounts:
        do = "a rim sensor misses the ball: clean all of them, run its self-test, count again"
        if found.steady_offset is not None:
            do = f"a sensor is dead, or laps begin elsewhere: if {found.steady_offset:+d} stays, set lap_offset"
        yield Finding(code="laps_undercounted", ok=False, said=said, do_next=do, figures=figures)
    elif found.worse or found.mean_off >= 0.5:
        do = "it counts laps that were not: see lap_offset, and whether a sensor is hit twice"
        yield Finding(code="laps_overcounted", ok=False, said=said, do_next=do, figures=figures)
    elif found.spins < FEWEST_TO_COUNT:
        do = f"count {FEWEST_TO_COUNT - found.spins} more"
        yield Finding(code="laps", ok=None, said=f"{said}; {FEWEST_TO_COUNT} are needed", do_next=do, figures=figures)
    else:
        bound = f"; more than one off are at most {miss_bound(found.spins):.0%} of spins (95 %)"
        yield Finding(code="laps", ok=True, said=said + bound, figures=figures)


def _by_a_factor(times: int, figures: dict[str, Any]) -> Finding:
    """A person counts something else than laps, the wheel is set so, or it has sensors that see nothing."""
    more, fewer = ("you", "the wheel") if times > 0 else ("the wheel", "you")
    do = (
        "a lap is once all round, past the same point: if you counted otherwise, run this again and count so. If not, "
        "the wheel is set to another number of rim sensors than it has (rim_sensors, or its own setting)"
    )
    if times > 0:
        do += ", or only one sensor sees the ball: run its self-test"
    said = f"in every spin {more} counted {abs(times)} times as many laps as {fewer}"
    return Finding(code="laps_by_factor", ok=False, said=said, do_next=do, figures=figures)


def curve_finding(seen: Sequence[tuple[float, int]]) -> tuple[Finding, Fitted | None]:
    """The curve of a table that estimates laps, from pairs (seconds in the rim, laps that a person counted)."""
    if way := miscounted(seen):
        said = f"you counted too {way} laps: a ball that runs a second longer does not make so {way} more"
        do = (
            "a lap is once all round, past the same point, from the throw until the ball leaves the rim: count again so"
        )
        return Finding(code="laps_miscounted", ok=False, said=said, do_next=do, figures={"spins": len(seen)}), None
    try:
        fitted = fit_curve(seen)
    except NoCurve as error:
        missing = max(0, FEWEST_FOR_CURVE - len(seen))
        do = f"count {missing} more spins" if missing else "throw the ball again, as said"
        enough = None if missing else False
        return Finding(code="lap_curve", ok=enough, said=str(error), do_next=do, figures={"spins": len(seen)}), None
    curve = fitted.curve
    said = (
        f"{curve.points[0][0]:.1f} to {curve.points[-1][0]:.1f} s in the rim are {curve.points[0][1]:.1f} to "
        f"{curve.points[-1][1]:.1f} laps, ±{curve.margin_laps:.2f}; more is missed by at most "
        f"{miss_bound(fitted.spins):.0%} of spins (95 %)"
    )
    figures = {
        "spins": fitted.spins,
        "margin_laps": curve.margin_laps,
        "worst_laps": round(fitted.worst_laps, 2),
        "miss_bound_part": round(miss_bound(fitted.spins), 3),
    }
    wide = curve.margin_laps > WIDE_LAPS
    do = (
        "many spins will be for the dealer to confirm: count laps (lap_events, extended) if the wheel can"
        if wide
        else ""
    )
    return Finding(code="lap_curve", ok=None if wide else True, said=said, do_next=do, figures=figures), fitted


def rotor_finding(spins: Sequence[SpinSeen], rules: SpinRules) -> Finding:
    """The rotor's speed against the table's limits."""
    speeds = [rpm for spin in spins for rpm in spin.rotor_rpm]
    if not speeds:
        return Finding(code="rotor_speed", ok=None, said="the wheel does not tell its rotor's speed")
    mean, low, high = statistics.fmean(speeds), min(speeds), max(speeds)
    inside = rules.min_rotor_rpm <= low and high <= rules.max_rotor_rpm
    said = f"the rotor turned at {mean:.1f} rpm ({low:.1f} to {high:.1f}); {rules.min_rotor_rpm:g} to "
    return Finding(
        code="rotor_speed" if inside else "wrong_rotor_speed",
        ok=inside,
        said=f"{said}{rules.max_rotor_rpm:g} are allowed",
        do_next="" if inside else "set the rotor's speed, or have a technician look at its drive",
        figures={"mean_rpm": round(mean, 2), "least_rpm": low, "most_rpm": high},
    )


def cadence_findings(watch: RouletteWatch, rests_s: Sequence[float]) -> Iterator[Finding]:
    """The rhythm of its messages; ``rests_s`` are the times from the ball's rest to the number."""
    found = cadence(watch)
    if found is None:
        yield Finding(code="cadence", ok=None, said="the wheel sends no frames at a rhythm")
    else:
        good = found.median_s <= SLOWEST_CADENCE_S and not found.late
        said = f"a frame every {found.median_s:.2f} s, the longest gap was {found.longest_s:.2f} s"
        yield Finding(
            code="cadence" if good else "frames_late",
            ok=good,
            said=said if good else f"{said}; {found.late} gaps were over {LATE_S:g} s",
            do_next=""
            if good
            else "another program reads the port, or the cable loses bytes: run dealer-calibrate probe",
            figures={"median_s": round(found.median_s, 3), "longest_s": round(found.longest_s, 3), "late": found.late},
        )
    if rests_s:
        mean, most = statistics.fmean(rests_s), max(rests_s)
        said = f"from the ball's rest to the number it takes {mean:.1f} s, {most:.1f} s at most"
        figures = {"mean_s": round(mean, 2), "longest_s": round(most, 2)}
        yield Finding(code="rest_to_number", ok=True, said=said, figures=figures)


def pocket_findings(pairs: Sequence[tuple[str | None, str]], *, asked: bool) -> Iterator[Finding]:
    """The pockets; ``asked``: all of them were to be seen."""
    if not pairs:
        return
    found = check_pockets(pairs)
    figures = {"spins": found.spins, "never": list(found.never), "wrong": [list(one) for one in found.wrong]}
    if found.rule == "shifted":
        way = "clockwise" if found.shift > 0 else "counter-clockwise"
        said = f"every number is {abs(found.shift)} pockets {way} of where the ball lies"
        do = "the rotor's index sits wrong: set the wheel's pocket offset"
        yield Finding(
            code="pockets_shifted", ok=False, said=said, do_next=do, figures={"shift": found.shift, **figures}
        )
    elif found.rule == "reversed":
        said = "the wheel counts its pockets the wrong way round"
        do = "the rotor's direction is read wrongly: swap its sensors, or correct the setting"
        yield Finding(code="pockets_reversed", ok=False, said=said, do_next=do, figures=figures)
    elif found.wrong:
        first = ", ".join(f"{lay} was called {said}" for lay, said in found.wrong[:5])
        said = f"{len(found.wrong)} numbers were wrong: {first}"
        do = "clean the pocket sensor and test again; no table may play on this wheel"
        yield Finding(code="wrong_pocket", ok=False, said=said, do_next=do, figures=figures)
    if not found.never:
        yield Finding(code="pockets", ok=not found.wrong, said=f"all {len(ORDER)} pockets came", figures=figures)
        return
    names = ", ".join(found.never)
    dead = found.chance <= SURE_CHANCE
    said = f"in {found.spins} spins these pockets never came: {names}"
    if dead:
        do = (
            "one sensor or one piece of the ring: they lie side by side"
            if found.neighbours
            else "look at these pockets"
        )
        yield Finding(code="dead_pockets", ok=False, said=said, do_next=do, figures=figures)
    elif asked:
        do = f"go on with --step pockets: a good pocket is missed by chance in {found.chance:.0%} of such runs"
        yield Finding(code="pockets", ok=None, said=said, do_next=do, figures=figures)


def spin_findings(spins: Sequence[SpinSeen]) -> Iterator[Finding]:
    """What the wheel itself found wrong with spins, and whether its witnesses of the number agree."""
    faults: dict[str, int] = {}
    for spin in spins:
        for fault in spin.faults:
            faults[str(fault)] = faults.get(str(fault), 0) + 1
    if faults:
        said = ", ".join(f"{fault} in {count} spins" for fault, count in sorted(faults.items()))
        code = "dead_sensor" if "sensor_fault" in faults else "spin_faults"
        do = (
            "run the self-test, clean the rim"
            if code == "dead_sensor"
            else "look at what the wheel says of these spins"
        )
        yield Finding(code=code, ok=False, said=f"the wheel reports {said}", do_next=do, figures=faults)
    differ = [spin for spin in spins if len(set(spin.numbers.values())) > 1]
    if differ:
        said = ", ".join(f"{witness}: {number}" for witness, number in differ[0].numbers.items())
        do = "no table may play on this wheel: call its maker"
        yield Finding(code="witnesses_differ", ok=False, said=f"one spin, two numbers ({said})", do_next=do)
    texts = [text for spin in spins for text in spin.unreadable]
    if texts:
        said = f"numbers that this wheel has not: {', '.join(sorted(set(texts)))}"
        yield Finding(code="number_unreadable", ok=False, said=said, do_next="see the option zeros, and the cable")


def rests_of(spins: Sequence[SpinSeen]) -> list[float]:
    """From the pocket sensor's word to the number in a frame, where the wheel has both."""
    return [
        spin.shown_at.since_s(spin.pocket_at)
        for spin in spins
        if spin.pocket_at is not None and spin.shown_at is not None and NumberWitness.POCKET in spin.numbers
    ]


def expectations_of(spins: Sequence[SpinSeen]) -> dict[str, dict[str, float]]:
    """What the station is to expect of this wheel (``calibration.drift``)."""
    found = {}
    means = [statistics.fmean(spin.rotor_rpm) for spin in spins if spin.rotor_rpm]
    if len(means) >= 3:
        tolerance = max(1.0, 3 * statistics.stdev(means))
        found["rotor_rpm"] = {"value": round(statistics.fmean(means), 2), "tolerance": round(tolerance, 2)}
    growth = [factor for spin in spins for factor in spin.lap_growth]
    if len(growth) >= 20:
        mean = statistics.fmean(growth)
        found["lap_growth"] = {"value": round(mean, 4), "tolerance": round(max(0.01, abs(mean - 1) / 4), 4)}
    return found
