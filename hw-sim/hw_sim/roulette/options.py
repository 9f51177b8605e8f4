"""How a simulated wheel is set up in a scenario: one structure a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from hw_sim.faults import INJECTABLE, Fault, UnknownFault, parse_faults
from hw_sim.roulette.physics import WHEEL_ORDER

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
Span = tuple[float, float, float]
"""Least, most, most often; seconds."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Durations of a table's states (``devices.md`` §1, state timing)."""

    place_bets_s: Span
    verify_s: tuple[float, float]
    result_s: Span
    no_more_bets_rpm: float | None
    """Ball speed at which state 4 begins; ``None``: the model's own."""


PACES = {
    "fast": Pace((7.5, 11.5, 9.0), (5.5, 10.0), (3.0, 7.0, 5.5), 70.0),
    "standard": Pace((8.5, 31.0, 12.0), (8.0, 12.0), (4.0, 7.0, 5.0), None),
}
IDLE_S: Span = (7.0, 11.0, 8.8)


class WheelOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="model"):
    """What every wheel can be told."""

    name: str
    port: Literal["pty", "tcp"] = "pty"
    table: Literal["fast", "standard"] = "fast"
    drag: Literal["rolling", "air"] = "air"
    """``rolling`` slows by a constant, ``air`` by the square of the speed."""
    frames: Literal["advanced", "basic"] = "advanced"
    trailing_semicolon: bool = False
    wheel_port: Literal[1, 2] = 1
    """The wheel's own port: bare numbers and sensor events come on port 1 only."""
    event_lines: bool = False
    """A status line at once when the state changes, beside those of the cadence."""
    counter: Annotated[int, msgspec.Meta(ge=0, le=255)] = 1
    previous: str | None = None
    """The number shown before the first result; ``None``: spaces."""
    start: Literal["idle", "closed", 3, 4, 5] = "idle"
    """Where the wheel is when the simulation begins; 3, 4, 5: in that state of a spin."""
    starts: Literal["by_itself", "told"] = "by_itself"
    """``told``: every throw waits for the word ``throw``."""
    wait_for_host: bool = False
    """The device's time begins when a host first opens its port."""
    attach_mid_line: bool = False
    """Whoever opens the port first gets the rest of a line."""
    rates: dict[Fault, Rate] = {}
    """Chance of each fault, per spin."""
    spins: tuple[str, ...] = ()
    """Faults of the first spins, one entry each: ``good``, a fault, or several joined by ``+``."""
    numbers: tuple[str, ...] = ()
    """Winning numbers of the first spins."""
    laps: tuple[Annotated[int, msgspec.Meta(ge=1, le=30)], ...] = ()
    """Full laps on the track of the first spins."""

    def problems(self) -> list[tuple[str, str]]:
        """Everything that cannot be, as (key, reason)."""
        found = []
        if not self.name or not all(c.isalnum() or c in "-_" for c in self.name):
            found.append(("name", f"{self.name!r} may only hold letters, digits, - and _"))
        for number in (*self.numbers, *([] if self.previous is None else [self.previous])):
            if number not in WHEEL_ORDER:
                key = "previous" if number == self.previous else "numbers"
                found.append((key, f"{number!r} is no pocket of a single-zero wheel (0 to 36)"))
        for entry in self.spins:
            try:
                foreign = parse_faults(entry) - self.faults_of_model()
            except UnknownFault as error:
                found.append(("spins", str(error)))
            else:
                found += [("spins", f"this model has no fault {fault.value!r}") for fault in sorted(foreign)]
        if self.starts == "told" and isinstance(self.start, int):
            found.append(("start", f'with starts = "told" no spin can be under way, so start = {self.start} cannot be'))
        if Fault.ATTACH_MID_SPIN in self.rates:
            found.append(("rates", "attach_mid_spin has no rate: set start = 3, 4 or 5"))
        unknown = self.rates.keys() & INJECTABLE - self.faults_of_model()
        found += [("rates", f"this model has no fault {fault.value!r}") for fault in sorted(unknown)]
        return found

    @staticmethod
    def faults_of_model() -> frozenset[Fault]:
        """The faults that can be injected into this model."""
        return INJECTABLE


class Ss2Options(WheelOptions, frozen=True, kw_only=True, tag="ss2"):
    """A Slingshot 2: throws by itself and turns its rotor round before every spin."""

    launch: Literal["auto", "host"] = "auto"
    """``host``: waits in state 2 for ``*u 1``."""

    def problems(self) -> list[tuple[str, str]]:
        """As every wheel's; and a wheel that waits for its host cannot be in a spin already."""
        found = super().problems()
        if self.launch == "host" and isinstance(self.start, int):
            found.append(("start", f'with launch = "host" no spin can be under way, so start = {self.start} cannot be'))
        return found


class M360Options(WheelOptions, frozen=True, kw_only=True, tag="m360"):
    """A Mercury 360: a dealer turns the rotor and throws."""

    drag: Literal["rolling", "air"] = "rolling"
    event_lines: bool = True
    extended: bool = False
    """Extended frames from the start, as after ``*m 2``."""
    game_mode: Annotated[int, msgspec.Meta(ge=0, le=99)] = 1
    """00, the factory setting, never sends flag 8."""
    alternate: bool = False
    """The dealer turns the rotor the other way each spin."""

    @staticmethod
    def faults_of_model() -> frozenset[Fault]:
        """All but those of the SS2's flag 1."""
        return INJECTABLE - {Fault.NO_BALL, Fault.NO_BALL_BRIEF}
