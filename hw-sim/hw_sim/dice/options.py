"""How simulated shakers and the camera above them are set up in a scenario: one structure a model."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from hw_sim.dice.faults import (
    CAMERA_FAULTS,
    NETWORKED_FAULTS,
    POSES,
    RELAY_FAULTS,
    CameraFault,
    DiceFault,
    ShakerFault,
    parse_shake,
    parse_values,
)
from hw_sim.dice.words import Pose
from hw_sim.faults import UnknownFault

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
Span = tuple[Annotated[float, msgspec.Meta(ge=0)], Annotated[float, msgspec.Meta(ge=0)]]
"""Least and most; seconds."""
KindName = Literal["white", "asian", "black", "red", "ivory"]


class ThrowOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="model"):
    """What everything that throws dice can be told."""

    name: str
    rig: int = 1
    """Which machine: each number is another one, with its own plate, lamps and camera."""
    dice: KindName = "asian"
    starts: Literal["told", "by_itself"] = "told"
    """``by_itself``: the dealer throws, or presses the button, again and again; else when told."""
    between_s: Span = (10.0, 20.0)
    """From dice that came to rest to the next time the dealer does so."""
    touching: Rate = 0.2
    """How often good dice touch."""
    wait_for_host: bool = False
    """Time begins when a host first opens the port."""
    rates: dict[str, Rate] = {}
    """Chance of each pose and fault, per shake; at most one of the pose, one of the shaker, one of the camera."""
    shakes: tuple[str, ...] = ()
    """The first shakes, one entry each: ``good``, a pose or fault, or several joined by ``+``."""
    values: tuple[str, ...] = ()
    """Values of the first shakes that move, ``1-3-6``."""
    unasked: Annotated[int, msgspec.Meta(ge=0)] = 0
    """So many of them come before those that a technician is asked for."""

    def faults(self) -> frozenset[DiceFault]:
        """What can go wrong here."""
        raise NotImplementedError

    def chances(self) -> dict[DiceFault, float]:
        """``rates`` by fault. Raises ``KeyError``."""
        known = {fault.value: fault for fault in self.faults()}
        return {known[name]: rate for name, rate in self.rates.items()}

    def problems(self) -> list[tuple[str, str]]:
        """Everything that cannot be, as (key, reason)."""
        found = []
        if not self.name or not all(c.isalnum() or c in "-_" for c in self.name):
            found.append(("name", f"{self.name!r} may only hold letters, digits, - and _"))
        if self.between_s[0] > self.between_s[1]:
            found.append(("between_s", f"the least, {self.between_s[0]}, is over the most, {self.between_s[1]}"))
        known = {fault.value for fault in self.faults()}
        found += [("rates", f"there is no fault {name!r} here") for name in sorted(self.rates.keys() - known)]
        for entry in self.shakes:
            try:
                parse_shake(entry, self.faults())
            except UnknownFault as error:
                found.append(("shakes", str(error)))
        for entry in self.values:
            try:
                parse_values(entry)
            except ValueError as error:
                found.append(("values", str(error)))
        return found


class NetworkedOptions(ThrowOptions, frozen=True, kw_only=True, tag="shaker-networked"):
    """A shaker that takes text commands over MQTT."""

    port: Literal["mqtt"] = "mqtt"
    broker: str = "mqtt://127.0.0.1:1883"
    """Where it connects to; ``hw-sim run --broker`` says so for all."""
    base: str = "shaker/1"
    """Topics are ``{base}/state`` and ``{base}/command``."""
    qos: Literal[0, 1] = 1
    retain: bool = False
    """Whether the broker keeps its last state for those who come later."""
    button_s: Span = (3.0, 5.0)
    """How long it shakes for the dealer's button."""

    def faults(self) -> frozenset[DiceFault]:
        return frozenset({*NETWORKED_FAULTS, *POSES, *CAMERA_FAULTS})

    def problems(self) -> list[tuple[str, str]]:
        """As of every thrower; and a broker or topics that cannot be."""
        from hw_sim.mqtt import broker_of

        found = super().problems()
        try:
            broker_of(self.broker)
        except ValueError as error:
            found.append(("broker", str(error)))
        if not self.base or any(sign in self.base for sign in "+#\0") or self.base.endswith("/"):
            found.append(("base", f"{self.base!r} is no topic to hang /state and /command on"))
        return found


class RelayOptions(ThrowOptions, frozen=True, kw_only=True, tag="shaker-relay"):
    """A shaker whose motor hangs on a serial relay board, with an input that says stopped."""

    port: Literal["pty", "tcp"] = "pty"
    attach_mid_line: bool = False
    """The host's first line has lost its head."""
    button_s: Span = (3.0, 5.0)

    def faults(self) -> frozenset[DiceFault]:
        return frozenset({*RELAY_FAULTS, *POSES, *CAMERA_FAULTS})


class TowerOptions(ThrowOptions, frozen=True, kw_only=True, tag="dice-tower"):
    """No shaker: the dealer picks the dice up and drops them through a tower; one camera looks on."""

    port: Literal["http"] = "http"
    fps: Annotated[float, msgspec.Meta(ge=1, le=60)] = 20.0

    def faults(self) -> frozenset[DiceFault]:
        return frozenset({*POSES, *CAMERA_FAULTS})


class DomeCameraOptions(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="dome-camera", tag_field="model"
):
    """The camera above a shaker of the same scenario."""

    name: str
    shaker: str
    """The shaker's name."""
    port: Literal["http"] = "http"
    fps: Annotated[float, msgspec.Meta(ge=1, le=60)] = 20.0
    """Pictures a second of our time."""
    wait_for_host: bool = False

    def problems(self) -> list[tuple[str, str]]:
        """Everything that cannot be, as (key, reason)."""
        if not self.name or not all(c.isalnum() or c in "-_" for c in self.name):
            return [("name", f"{self.name!r} may only hold letters, digits, - and _")]
        return []


__all__ = [
    "CameraFault",
    "DomeCameraOptions",
    "NetworkedOptions",
    "Pose",
    "RelayOptions",
    "ShakerFault",
    "TowerOptions",
]
