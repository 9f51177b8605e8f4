"""``dealer-calibrate wheel``, step by step: what is asked of the technician, and what the encoder says to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dealer_calibration.bench import BenchError, BenchLink, Finding, Seen, Talk
from dealer_calibration.bench.listening import Listener
from dealer_calibration.cli.exit_codes import NO
from dealer_calibration.wheel.coast_fit import CoastFit, TooLittle, fit_coast
from dealer_calibration.wheel.segments import Stop, color_of, step_problem, way_of
from dealer_calibration.wheel.watch import Run, Standing, WheelWatch
from dealer_calibration.wheel.zero import BOUNDARIES, Boundary, Zero, around, find_zero
from dealer_daemon.validation.turn_map import COUNTS, SEGMENT_DEG, SEGMENTS
from dealer_drivers.driver import DeviceAction, Observes
from dealer_drivers.readings.wheel import AngleUnreadable, EncoderFault

STEPS = ("friction", "segments", "zero")
"""In their order: segments are told apart by the angle that the spins made true, boundaries by the segments."""
FIRST_COUNTS, FIRST_WITHIN_S = 20, 6.0
PATIENCE_S = 600.0
"""For the technician's hand, in the device's seconds."""
LEAST_TURNS = 2.5
"""Of a spin that shows the friction."""
MOST_SPINS_MORE = 10
TRIES = 5


@dataclass(frozen=True, slots=True)
class Known:
    """What the accepted file says, for steps that run without the others: ``correction`` of the encoder's angle,
    ``way`` 1 where numbers rise with it, the segments' colours, and ``offset_deg``."""

    correction: Callable[[float], float]
    way: int
    segments: tuple[str, ...]
    offset_deg: float


@dataclass(slots=True)
class Walked:
    """What the steps saw."""

    watch: WheelWatch
    unreadable: int = 0
    coast: CoastFit | None = None
    stops: list[Stop] = field(default_factory=list)
    boundaries: list[Boundary] = field(default_factory=list)
    zero: Zero | None = None
    zero_by: Known | None = None
    """What the boundaries were told apart by."""
    findings: list[Finding] = field(default_factory=list)

    @property
    def way(self) -> int:
        """1 where segment numbers rise with the encoder's angle, -1 where they fall, 0 where nobody stepped."""
        return way_of([stop.encoder_deg for stop in self.stops])


class WheelGuide:
    """Leads through the steps. Raises ``BenchError`` where it cannot go on."""

    def __init__(self, link: BenchLink, talk: Talk, known: Known | None) -> None:
        self._link, self._talk, self._known = link, talk, known
        self.walked = Walked(WheelWatch())
        self._listener = Listener(link, self._heard)

    @property
    def faults(self) -> dict[str, str]:
        """The encoder's faults that stand."""
        return self._listener.faults

    async def link_up(self) -> None:
        """The encoder gives counts, and where it is is known. Raises ``BenchError`` with what is wrong."""
        talk, watch = self._talk, self.walked.watch
        talk.step("Is the encoder there?")
        await self._link.up()
        begun = self._link.clock.now()
        if not await self._listener.until(lambda: watch.counts >= FIRST_COUNTS, FIRST_WITHIN_S):
            raise BenchError(self._no_counts(), NO)
        seconds = self._link.clock.now().since_s(begun)
        talk.say(f"It gives {watch.counts / max(seconds, 1e-3):.0f} counts a second.")
        if not watch.placed:
            talk.say("The counter has not seen its index mark yet: turn the wheel slowly, once round.")
            if not await self._listener.until(lambda: watch.placed, PATIENCE_S):
                raise BenchError("the index mark was not seen: check its sensor and cable, then run this again", NO)

    def _no_counts(self) -> str:
        health, faults = self._link.health, self._listener.faults
        if self.walked.unreadable:
            return "the encoder answers and gives no count: check the options register, turns and low_word_first"
        if faults and not health.bytes_in:
            return next(iter(faults.values()))
        if health.bytes_in and not health.valid_frames:
            return (
                f"{health.bytes_in} bytes came and none is a frame of this encoder: wrong speed, wrong parity or "
                "another device; dealer-calibrate probe tells which"
            )
        return next(iter(faults.values()), "no bytes came: is the encoder powered, are TX and RX (A and B) crossed?")

    async def set_zero(self, fits_no_more: Callable[[], None]) -> None:
        """The encoder takes the boundary where segment 0 begins as its zero, with the technician's consent.

        ``fits_no_more`` is called before anything is changed: whatever happens then, what was calibrated before may be
        wrong.
        """
        talk, action = self._talk, DeviceAction.SET_ZERO
        talk.step("Set the encoder's zero.")
        driver, options = self._link.device.driver, self._link.device.ready_options()
        if action not in driver.actions(options):
            raise BenchError("set-zero: the configuration does not let anybody set it; write control = true", NO)
        await talk.enter("zero_place", "Put the pointer on the boundary where segment 0 begins, and let go.")
        await self._stand(lambda: True)
        question = "Make this place the encoder's zero? What was calibrated before no longer fits."
        if not await talk.confirm("set_zero", question, sure=False):
            talk.say("The zero stays as it is.")
            return
        fits_no_more()
        self._link.request(action)
        notices, faults = self._listener.notices, self._listener.faults
        await self._listener.until(lambda: "zero_set" in notices or EncoderFault.ZERO_NOT_SET in faults, 5.0)
        if "zero_set" not in notices:
            raise BenchError(faults.get(EncoderFault.ZERO_NOT_SET, "the encoder did not say that its zero is set"), NO)
        self.walked = Walked(WheelWatch())
        talk.say("It is zero now: until all steps are done no calibration of this wheel counts.")

    async def friction(self, spins: int) -> None:
        """So many free spins, and what they say of bearing, balance and encoder."""
        talk, watch = self._talk, self.walked.watch
        seen = len(watch.runs)
        way = "each time the other way" if spins > 1 else "either way"
        talk.step(f"Spin the wheel {spins} times, {way}, 4 turns or more. Let it run out untouched.")
        good: list[Run] = []
        most = spins + MOST_SPINS_MORE
        while seen < most:
            if not await self._listener.until(lambda: len(watch.runs) > seen, PATIENCE_S):  # noqa: B023
                raise BenchError("no spin came: is the encoder coupled to the wheel?", NO)
            run = watch.runs[seen]
            seen += 1
            if not run.whole:
                talk.say("Counts were missing in that spin: again, please.", warn=True)
                continue
            if abs(run.turns) < LEAST_TURNS:
                talk.say(f"{abs(run.turns):.1f} turns are too few: spin it harder.", warn=True)
                continue
            good.append(run)
            talk.say(f"Spin {len(good)} of {spins}: {abs(run.turns):.2f} turns.")
            talk.event("spin", turns=round(abs(run.turns), 2))
            if len(good) < spins:
                continue
            try:
                self.walked.coast = fit_coast(good)
                return
            except TooLittle as error:
                spins += 1
                talk.say(f"{error}. One more spin, please.", warn=True)
        raise BenchError("too few spins could be used: look at what was said of each", NO)

    async def segments(self) -> None:
        """All segments, one after another, with the colour that the technician sees."""
        talk, stops = self._talk, self.walked.stops
        talk.step(f"Walk through all {SEGMENTS} segments: {', '.join(COUNTS)}.")
        talk.say("Begin anywhere, or in segment 0 of the map. Turn so that numbers rise, a segment at a time.")
        # It stands where the last spin left it: the technician is given time to turn it.
        await talk.enter("first_segment", "Turn the wheel until the pointer is in the segment in which you begin.")
        standing = await self._stand(lambda: True)
        stops.append(Stop(standing.encoder_deg, await self._color(0)))
        while len(stops) < SEGMENTS:
            standing = await self._next_stop(standing)
            stops.append(Stop(standing.encoder_deg, await self._color(len(stops))))

    async def _next_stop(self, before: Standing) -> Standing:
        talk = self._talk
        for _ in range(TRIES):
            standing = await self._moved_from(before)
            problem = step_problem(before.encoder_deg, standing.encoder_deg, self.walked.way)
            if problem is None:
                return standing
            talk.say(f"{problem}.", warn=True)
        raise BenchError(f"segment {len(self.walked.stops)}: the wheel was not turned on by one segment", NO)

    async def _color(self, number: int) -> str:
        expected = None if self._known is None else self._known.segments[number]
        hint = "" if expected is None else f" [{expected}]"
        for _ in range(TRIES):
            text = await self._talk.text(f"segment.{number}", f"Segment {number}{hint}:", empty=expected is not None)
            color = expected if not text.strip() else color_of(text)
            if color is not None:
                self._talk.event("segment", number=number, color=color)
                await self._listener.catch_up()
                return color
            self._talk.say(f"one of {', '.join(COUNTS)}, or enough letters of it", warn=True)
        raise BenchError(f"segment.{number}: no answer was a colour of this wheel")

    async def zero(self) -> None:
        """The pointer on boundaries all round the wheel."""
        talk, walked = self._talk, self.walked
        known = self._for_zero()
        talk.step("Put the pointer on the peg where these segments begin, and let go.")
        for segment in BOUNDARIES:
            before = (segment - 1) % SEGMENTS
            where = f"between segment {before} ({known.segments[before]}) and {segment} ({known.segments[segment]})"
            for _ in range(TRIES):
                await talk.enter(f"boundary.{segment}", f"Pointer on the peg {where}.")
                standing = await self._stand(lambda: True)
                off = self._off(standing, segment, known)
                if abs(off) <= SEGMENT_DEG / 2:
                    break
                talk.say(f"That peg is {abs(off) / SEGMENT_DEG:.0f} segments away from it.", warn=True)
            else:
                raise BenchError(f"boundary.{segment}: the pointer was never put there, or the map is shifted", NO)
            walked.boundaries.append(Boundary(segment, standing))
        walked.zero, walked.zero_by = find_zero(walked.boundaries, known.correction, known.way), known

    def _for_zero(self) -> Known:
        walked = self.walked
        correction = walked.coast.correction if walked.coast else self._known.correction if self._known else None
        if correction is None:
            raise BenchError("step zero: no wheel file to go by; run the steps friction and segments with it", NO)
        if not walked.stops:
            if self._known is None:
                raise BenchError("step zero: no wheel file to go by; run the step segments with it", NO)
            return Known(correction, self._known.way, self._known.segments, self._known.offset_deg)
        # Each stop is about the middle of its segment.
        middles = [Boundary(number, Standing(stop.encoder_deg, 0.0)) for number, stop in enumerate(walked.stops)]
        offset = find_zero(middles, correction, walked.way).offset_deg + SEGMENT_DEG / 2
        return Known(correction, walked.way, tuple(stop.color for stop in walked.stops), offset)

    @staticmethod
    def _off(standing: Standing, segment: int, known: Known) -> float:
        deg = standing.encoder_deg
        return around(known.way * (deg + known.correction(deg)) + known.offset_deg - segment * SEGMENT_DEG)

    # -- the wheel's movements

    async def _stand(self, more: Callable[[], bool]) -> Standing:
        await self._listener.catch_up()
        watch = self.walked.watch
        if not await self._listener.until(lambda: watch.standing() is not None and more(), PATIENCE_S):
            raise BenchError("the wheel does not stand still: let go of it, and check that nothing shakes it", NO)
        standing = watch.standing()
        assert standing is not None
        return standing

    async def _moved_from(self, before: Standing) -> Standing:
        """The next place where it stands, a tenth of a segment away at least."""
        watch = self.walked.watch

        def elsewhere() -> bool:
            here = watch.standing()
            return here is not None and abs(here.encoder_deg - before.encoder_deg) > SEGMENT_DEG / 10

        return await self._stand(elsewhere)

    def _heard(self, seen: Seen) -> None:
        for reading in seen.readings:
            self.walked.unreadable += isinstance(reading, AngleUnreadable)
            self.walked.watch.feed(reading)

    @property
    def mark_expected(self) -> bool:
        """The encoder tells of a reference mark."""
        device = self._link.device
        return Observes.LAPS in device.driver.observes(device.ready_options())
