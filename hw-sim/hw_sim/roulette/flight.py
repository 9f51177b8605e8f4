"""One throw of the ball, worked out ahead: how fast, how far, when and roughly where it comes to rest. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from random import Random

from hw_sim.faults import Fault
from hw_sim.roulette.physics import POCKET, TURN, WHEEL_ORDER, Course, Drag, full_laps, pocket_under, rad_s_of

LAUNCH_RAD_S = (9.0, 16.0)
LAUNCH_TYPICAL_RAD_S = 13.5
ROLLING_A_RAD_S2 = (0.60, 0.80)
AIR_B_PER_RAD = (0.0105, 0.0157)
DEFLECTOR_LAPS = (3.0, 5.0)
DEFLECTOR_S = (7.0, 8.0)
"""From the rim down to a deflector (``devices.md`` §1, physics, for all of the above)."""

LEAVE_RIM_RAD_S = (3.7, 4.0)
"""Where the ball leaves the rim: shortly under the slowest no-more-bets speed, 40 rpm = 4.19 rad/s."""
GOOD_LAPS = 8.2
"""An undisturbed throw makes at least this many, so that it is never invalid by chance."""
WEAK_LAPS = (4.6, 6.8)
SCATTER_POCKETS = 9.0


@dataclass(frozen=True, slots=True)
class Flight:
    """A throw. Moments are in the device's seconds; ``lost_s`` is when the ball leaves the wheel, or never."""

    drag: Drag
    launch_s: float
    launch_rad_s: float
    course: Course
    direction: int
    """1 clockwise, -1 counter-clockwise."""
    left_rim_s: float
    deflector_s: float
    landed_s: float
    verified_s: float
    scatter_pockets: float
    lost_s: float = math.inf

    def rim_end_s(self, at_s: float) -> float:
        """The moment, up to ``at_s``, until which the ball passed the rim sensors."""
        return min(at_s, self.left_rim_s, self.lost_s)

    def laps(self, at_s: float) -> int:
        """Full laps on the track by a moment."""
        return full_laps(self.course.travel(self.rim_end_s(at_s))) if at_s > self.launch_s else 0

    def lap_time_s(self, at_s: float) -> float | None:
        """Time of the newest full lap, ``None`` before there was one."""
        laps = self.laps(at_s)
        if laps == 0:
            return None
        return self.course.when(laps * TURN) - self.course.when((laps - 1) * TURN)

    def lies_in(self, rotor_angle_at_landing: float) -> str:
        """The pocket: where ball and rotor meet at landing, and the scatter of the bounce."""
        ball = self.direction * self.course.travel(self.deflector_s)
        index = pocket_under(ball + self.scatter_pockets * POCKET, rotor_angle_at_landing)
        return WHEEL_ORDER[index]

    def with_scatter(self, scatter_pockets: float) -> Flight:
        """The same throw with another bounce."""
        return replace(self, scatter_pockets=scatter_pockets)

    def scatter_for(self, number: str, rotor_angle_at_landing: float) -> float:
        """The scatter that brings the ball into a given pocket."""
        ball = self.direction * self.course.travel(self.deflector_s)
        return (WHEEL_ORDER.index(number) - (ball - rotor_angle_at_landing) / POCKET) % len(WHEEL_ORDER)


def draw_drag(rng: Random, kind: str) -> Drag:
    """This throw's drag; ``kind`` is ``rolling`` or ``air``."""
    return Drag(rng.uniform(*ROLLING_A_RAD_S2), 0.0) if kind == "rolling" else Drag(0.0, rng.uniform(*AIR_B_PER_RAD))


def plan_flight(
    rng: Random,
    *,
    drag: Drag,
    launch_s: float,
    direction: int,
    faults: frozenset[Fault],
    no_more_bets_rpm: float,
    verify_s: tuple[float, float],
    laps: int | None = None,
    rpm_below: float | None = None,
    rpm_over: float = 0.0,
) -> Flight:
    """Works a throw out. ``laps`` forces full laps on the track, ``rpm_below`` a throw slower than that;
    a weak throw stays over ``rpm_over``."""
    leave = rng.uniform(*LEAVE_RIM_RAD_S)
    w0 = min(max(rng.gauss(LAUNCH_TYPICAL_RAD_S, 1.2), LAUNCH_RAD_S[0]), LAUNCH_RAD_S[1])
    weak = rng.uniform(*WEAK_LAPS)
    if laps is not None:
        w0 = drag.speed_after_angle(leave, -(laps + 0.5) * TURN)
    elif rpm_below is not None:
        # Slow from the first moment: it runs a lap and a half, however slow it then leaves the rim.
        w0 = rad_s_of(rpm_below) * 0.98
        leave = min(leave, drag.speed_after_angle(w0, 1.5 * TURN))
    elif Fault.WEAK_LAUNCH in faults:
        w0 = max(drag.speed_after_angle(leave, -weak * TURN), rad_s_of(rpm_over))
    else:
        w0 = max(w0, drag.speed_after_angle(leave, -GOOD_LAPS * TURN))

    course = Course(launch_s, w0)
    no_more_bets = rad_s_of(no_more_bets_rpm)
    hold_s = rng.uniform(45, 55)
    if Fault.ENDLESS_BALL in faults:
        course.slow_to(drag, min(w0, no_more_bets * 1.15)).run_free(hold_s)
    elif Fault.ENDLESS_BALL_SLOW in faults:
        course.slow_to(drag, min(w0, (no_more_bets + leave) / 2)).run_free(hold_s)
    left_rim_s = course.slow_to(drag, leave).end_s

    down_s = rng.uniform(*DEFLECTOR_S)
    most_laps = min(DEFLECTOR_LAPS[1], 0.95 * leave * down_s / TURN)
    down_laps = rng.uniform(min(DEFLECTOR_LAPS[0], 0.8 * most_laps), most_laps)
    last = 2 * down_laps * TURN / down_s - leave
    deflector_s = course.slow_to(Drag((leave - last) / down_s, 0.0), last).end_s

    lost_s = math.inf
    flying = rng.uniform(1.6, 4.4)
    if faults & {Fault.FLYING_BALL, Fault.FLYING_BALL_UNFLAGGED}:
        lost_s = course.when(flying * TURN)
    return Flight(
        drag=drag,
        launch_s=launch_s,
        launch_rad_s=w0,
        course=course,
        direction=direction,
        left_rim_s=left_rim_s,
        deflector_s=deflector_s,
        landed_s=deflector_s + rng.uniform(0.8, 2.2),
        verified_s=deflector_s + rng.uniform(*verify_s),
        scatter_pockets=rng.gauss(0.0, SCATTER_POCKETS),
        lost_s=lost_s,
    )
