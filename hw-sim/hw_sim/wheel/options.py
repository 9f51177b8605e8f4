"""How a simulated colour wheel is set up in a scenario: one structure a kind of encoder."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from hw_sim.faults import UnknownFault
from hw_sim.wheel.faults import COUNTER_ONLY, MODBUS_ONLY, REFERENCED, WHEEL_FAULTS, TurnFault, parse_turn
from hw_sim.wheel.physics import Kind

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
Span = tuple[Annotated[float, msgspec.Meta(ge=0)], Annotated[float, msgspec.Meta(ge=0)]]
"""Least and most."""


class ColourWheelOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="model"):
    """What every colour wheel can be told."""

    name: str
    port: Literal["pty", "tcp"] = "pty"
    kind: Kind = "casino"
    """``casino``: heavy and balanced; ``light``: out of balance, rolls back."""
    way: Literal["either", "up", "down"] = "either"
    """Which way the dealer spins it, by the segment numbers under the pointer."""
    turns: Span = (3.6, 8.0)
    """How far he spins it, in turns, as far as he can tell."""
    between_s: Span = (6.0, 12.0)
    """From the end of one turn to the next."""
    counts_per_turn: Annotated[int, msgspec.Meta(ge=256, le=65536)] = 4096
    starts: Literal["by_itself", "told"] = "by_itself"
    """``told``: every turn waits for the word ``spin``."""
    wait_for_host: bool = False
    """The wheel's time begins when a host first opens the port."""
    rates: dict[TurnFault, Rate] = {}
    """Chance of each fault, per turn; at most one strikes."""
    script: tuple[str, ...] = ()
    """Faults of the first turns, one entry each: ``good``, a fault, or several joined by ``+``."""

    driver: ClassVar[str]

    def faults(self) -> frozenset[TurnFault]:
        """The faults that this wheel can have."""
        raise NotImplementedError

    def problems(self) -> list[tuple[str, str]]:
        """Everything that cannot be, as (key, reason)."""
        found = []
        if not self.name or not all(c.isalnum() or c in "-_" for c in self.name):
            found.append(("name", f"{self.name!r} may only hold letters, digits, - and _"))
        for key in ("turns", "between_s"):
            least, most = getattr(self, key)
            if least > most:
                found.append((key, f"the least, {least}, is over the most, {most}"))
        if self.turns[0] < 0.1:
            found.append(("turns", "a dealer spins it by a tenth of a turn at least"))
        for entry in self.script:
            try:
                parse_turn(entry, self.faults())
            except UnknownFault as error:
                found.append(("script", str(error)))
        unknown = sorted(self.rates.keys() - self.faults())
        found += [("rates", f"this model has no fault {fault.value!r}") for fault in unknown]
        return found


class WheelModbusOptions(ColourWheelOptions, frozen=True, kw_only=True, tag="wheel-modbus"):
    """A wheel with an absolute multi-turn encoder, a Modbus RTU slave."""

    slave: Annotated[int, msgspec.Meta(ge=1, le=247)] = 1
    reference: bool = True
    """It latches a reference mark in registers 16 to 18."""

    driver: ClassVar[str] = "wheel-modbus"

    def faults(self) -> frozenset[TurnFault]:
        """All but a counter's; without a mark nothing that only a mark shows."""
        return WHEEL_FAULTS - COUNTER_ONLY - (frozenset() if self.reference else REFERENCED)


class WheelCounterOptions(ColourWheelOptions, frozen=True, kw_only=True, tag="wheel-counter"):
    """A wheel with a quadrature encoder and index behind a counter."""

    hertz: Annotated[float, msgspec.Meta(ge=20, le=100)] = 50.0
    """Reports a second."""

    driver: ClassVar[str] = "wheel-counter"

    def faults(self) -> frozenset[TurnFault]:
        """All but those of a polled encoder."""
        return WHEEL_FAULTS - MODBUS_ONLY
