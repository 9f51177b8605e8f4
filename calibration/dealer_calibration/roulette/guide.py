"""``dealer-calibrate roulette``, step by step: what is asked of the technician, and what the wheel says to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dealer_calibration.bench import BenchError, BenchLink, Seen, Talk
from dealer_calibration.bench.listening import Listener
from dealer_calibration.cli.exit_codes import NO
from dealer_calibration.roulette.parameters import ParameterTap
from dealer_calibration.roulette.pockets import ORDER
from dealer_calibration.roulette.watch import RouletteWatch, SpinSeen
from dealer_drivers.driver import DeviceAction
from dealer_drivers.readings.roulette import Rotation

FIRST_WITHIN_S = 15.0
"""Status comes every half second; a wheel that was just switched on is silent for some."""
IDENTITY_WITHIN_S = 3.0
ANSWERS_WITHIN_S = 120.0
"""Parameters are asked between games: a game may have to end first."""
PATIENCE_S = 900.0
"""For the next spin, in the device's seconds."""
TRIES = 3
WAYS = {"cw": Rotation.CLOCKWISE, "ccw": Rotation.COUNTER_CLOCKWISE}


@dataclass(slots=True)
class Played:
    """What the steps saw. ``hand_laps``: a person's count by the spin's place in ``watch.spins``; ``lay``: where he saw
    the ball."""

    watch: RouletteWatch = field(default_factory=RouletteWatch)
    hand_laps: dict[int, int] = field(default_factory=dict)
    lay: dict[int, str] = field(default_factory=dict)
    rotor_seen: tuple[SpinSeen, Rotation | None] | None = None
    self_tested: bool = False

    def pockets(self) -> list[tuple[str | None, str]]:
        """Pairs: where the ball lay, as far as somebody looked, and what the wheel said."""
        told = [(place, spin.number) for place, spin in enumerate(self.watch.spins)]
        return [(self.lay.get(place), number) for place, number in told if number is not None]

    def counted(self) -> list[tuple[int, int]]:
        """Pairs: the wheel's laps and the person's."""
        spins = self.watch.spins
        return [(laps, hand) for place, hand in self.hand_laps.items() if (laps := spins[place].laps) is not None]

    def timed(self) -> list[tuple[float, int]]:
        """Pairs: seconds in the rim, and the person's laps."""
        spins = self.watch.spins
        return [(rim_s, hand) for place, hand in self.hand_laps.items() if (rim_s := spins[place].rim_s) is not None]


class RouletteGuide:
    """Leads through the steps. Raises ``BenchError`` where it cannot go on."""

    def __init__(self, link: BenchLink, talk: Talk) -> None:
        self._link, self._talk = link, talk
        self.played = Played()
        self._listener = Listener(link, self._heard)

    @property
    def notices(self) -> dict[str, str]:
        """What the wheel said of itself."""
        return self._listener.notices

    @property
    def faults(self) -> dict[str, str]:
        """Faults that stand."""
        return self._listener.faults

    async def link_up(self) -> None:
        """The wheel talks. Raises ``BenchError`` with what is wrong."""
        self._talk.step("Is the wheel there?")
        await self._link.up()
        watch = self.played.watch
        await self._listener.until(lambda: bool(watch.frames or watch.spins), FIRST_WITHIN_S)
        health = self._link.health
        if not health.valid_frames and health.bytes_in:
            raise BenchError(
                f"{health.bytes_in} bytes came and none is a frame of {self._link.device.driver.name}: wrong speed, "
                "wrong driver or crossed wires; dealer-calibrate probe tells which",
                NO,
            )
        if not health.bytes_in:
            raise BenchError(
                "no bytes came: is the wheel powered, are TX and RX crossed, is another program on it?", NO
            )
        await self._listener.until(lambda: "identity" in self.notices, IDENTITY_WITHIN_S)

    async def settings(self, tap: ParameterTap, letters: int) -> None:
        """Waits until the wheel has told so many parameters, as far as it tells them."""
        self._talk.step("Settings.")
        if letters and not await self._listener.until(lambda: len(tap.found) >= letters, ANSWERS_WITHIN_S):
            self._talk.say(f"{len(tap.found)} of {letters} parameters were told.", warn=True)

    async def self_test(self) -> None:
        """The wheel's own test, where the configuration lets anybody start it."""
        talk, device = self._talk, self._link.device
        if DeviceAction.SELF_TEST not in device.driver.actions(device.ready_options()):
            return
        talk.step("The wheel's self-test. Take the ball out, no game may run.")
        if not await talk.confirm("self_test", "Start it?"):
            return
        self.played.self_tested = True
        await self._listener.catch_up()
        self._link.request(DeviceAction.SELF_TEST)
        await self._listener.until(lambda: any(name.startswith("self_test") for name in self.notices), ANSWERS_WITHIN_S)

    async def direction(self) -> None:
        """One spin at which somebody looks at the rotor."""
        talk = self._talk
        talk.step("Throw a ball, and look from above which way the rotor turns while it runs.")
        spin = self.played.watch.spins[await self._next_spin()]
        said = await talk.text("rotor", "The rotor turned cw (clockwise), ccw, or skip:", one_of=(*WAYS, "skip"))
        self.played.rotor_seen = (spin, WAYS.get(said))

    async def spins(self, number: int) -> None:
        """So many spins whose laps a person counts."""
        talk, played = self._talk, self.played
        talk.step(f"Throw {number} balls, weak and hard ones, and count each one's full laps until it leaves the rim.")
        done = lost = 0
        while done < number:
            place = await self._next_spin()
            spin = played.watch.spins[place]
            if spin.number is None or (spin.began is None and played.watch.periodic):
                lost += 1
                why = "its numbers differ" if len(set(spin.numbers.values())) > 1 else "it was not seen to its end"
                talk.say(f"That spin does not count: {why}.", warn=True)
                if lost > number:
                    talk.say("Too many spins do not count: no more of them.", warn=True)
                    return
                continue
            done += 1
            talk.say(f"Spin {done} of {number}: {self._shown(spin)}")
            laps = await self._laps(done)
            if laps is not None:
                played.hand_laps[place] = laps
            await self._where(place, f"pocket.{done}", spin)
            talk.event("spin", number=spin.number, wheel_laps=spin.laps, hand_laps=laps)

    async def pockets(self, most: int) -> None:
        """Spins, or a ball laid by hand where the wheel tells it, until every pocket came."""
        talk, watch = self._talk, self.played.watch
        talk.step(f"Until all {len(ORDER)} pockets came, {most} spins at most.")
        for number in range(1, most + 1):
            missing = set(ORDER) - {spin.number for spin in watch.spins}
            if not missing:
                return
            place = await self._next_spin()
            spin = watch.spins[place]
            talk.say(
                f"{number}: {spin.number or 'no number'}; {len(missing - {spin.number})} pockets are still to come."
            )
            if spin.number is not None:
                await self._where(place, f"place.{number}", spin)

    async def _laps(self, number: int) -> int | None:
        for _ in range(TRIES):
            text = await self._talk.text(f"laps.{number}", "Laps you counted (empty: not counted):", empty=True)
            if not text:
                return None
            if text.isascii() and text.isdigit() and int(text) <= 60:
                return int(text)
            self._talk.say("a whole number up to 60", warn=True)
        raise BenchError(f"laps.{number}: no answer was a number of laps")

    async def _where(self, place: int, key: str, spin: SpinSeen) -> None:
        for _ in range(TRIES):
            text = await self._talk.text(key, f"The ball lies in (empty: {spin.number}; - not looked):", empty=True)
            if text == "-":
                break
            if not text or text in ORDER:
                assert spin.number is not None
                self.played.lay[place] = text or spin.number
                break
            self._talk.say("a pocket of this wheel, 0 to 36", warn=True)
        else:
            raise BenchError(f"{key}: no answer was a pocket")
        await self._listener.catch_up()

    @staticmethod
    def _shown(spin: SpinSeen) -> str:
        rim = "" if spin.rim_s is None else f", {spin.rim_s:.1f} s in the rim"
        return f"number {spin.number}{rim}"

    async def _next_spin(self) -> int:
        """The place of the next spin that is over."""
        watch = self.played.watch
        await self._listener.catch_up()
        before = watch.over
        await self._must(lambda: watch.over > before, "no spin came: throw a ball, and look at the wheel's own display")
        return before

    async def _must(self, done: Callable[[], bool], otherwise: str) -> None:
        if not await self._listener.until(done, PATIENCE_S):
            raise BenchError(otherwise, NO)

    def _heard(self, seen: Seen) -> None:
        for reading in seen.readings:
            self.played.watch.feed(reading)
