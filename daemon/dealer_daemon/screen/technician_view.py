"""What the technician's page shows: each device in four steps, what is wrong, the newest events as servers have them.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from dealer_daemon.events import Event
from dealer_daemon.mqtt.envelope import event_message
from dealer_daemon.screen.build import view
from dealer_daemon.screen.memory import Memory
from dealer_daemon.screen.sight import Sight
from dealer_daemon.screen.texts import Text, word
from dealer_daemon.screen.view import Line
from dealer_drivers.driver import Observes

MOST_EVENTS = 40
LONGEST_DATA = 600
"""Characters of an event's data."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """One event, without what never leaves the station (``EventData.secret``)."""

    sequence: int
    time: str
    type: str
    subject: str
    data: str


class DeviceView(msgspec.Struct, frozen=True, kw_only=True):
    """One device. ``health`` is its retained message, but for the time at which it was made."""

    name: str
    health: dict[str, Any]
    faults: list[Text]
    steps: list[str]
    """Commands of the bench, to be typed at the table's PC."""


class TechnicianView(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on the page."""

    boot: str
    table: str
    language: str
    game: Text
    phase: str
    phase_text: Text
    names: list[Text]
    marks: list[Line]
    alarms: list[Line]
    devices: list[DeviceView]
    mqtt: dict[str, Any]
    steps: list[str]
    tail: list[Told]
    """The newest first."""
    pictures: dict[str, str]
    """Of rounds that are over: the evidence, and of which round it is."""
    sequence: int


def told(event: Event) -> Told:
    """An event as the page shows it: what servers are sent, and nothing else."""
    message = event_message("", event)
    data = msgspec.json.encode(message["data"]).decode()
    return Told(
        sequence=event.sequence,
        time=message["time"],
        type=message["type"],
        subject=event.subject or "",
        data=data if len(data) <= LONGEST_DATA else data[:LONGEST_DATA] + "…",
    )


def tail_of(before: tuple[Told, ...], events: Iterable[Event]) -> tuple[Told, ...]:
    """The newest events after ``events``, the newest first."""
    return (*reversed([told(event) for event in events]), *before)[:MOST_EVENTS]


def technician_view(
    sight: Sight, memory: Memory, tail: tuple[Told, ...], health: Mapping[str, Mapping[str, Any]], mqtt: dict[str, Any]
) -> TechnicianView:
    """See the module."""
    seen = view(sight)
    return TechnicianView(
        boot=seen.boot,
        table=seen.table,
        language=seen.language,
        game=seen.game,
        phase=seen.phase,
        phase_text=seen.phase_text,
        names=seen.names,
        marks=seen.marks,
        alarms=seen.alarms,
        devices=[_device(sight, name, dict(one)) for name, one in health.items()],
        mqtt=mqtt,
        steps=[f"dealer-calibrate check --table {seen.table}", "dealer-daemon doctor"],
        tail=list(tail),
        pictures=ended_pictures(memory),
        sequence=seen.sequence,
    )


def ended_pictures(memory: Memory) -> dict[str, str]:
    """Evidence of rounds that are over: a picture of the round in play may show what nobody may know yet."""
    return {name: one.round for one in reversed(memory.ended) for name in one.evidence}


def _device(sight: Sight, name: str, health: dict[str, Any]) -> DeviceView:
    health.pop("time", None)
    return DeviceView(
        name=name, health=health, faults=[word(fault) for fault in health["faults"]], steps=steps_for(sight, name)
    )


_STEPS: tuple[tuple[Observes, tuple[str, ...]], ...] = (
    (Observes.NUMBER, ("roulette",)),
    (Observes.ANGLE, ("wheel",)),
    (Observes.DICE, ("dice live", "dice check", "dice calibrate")),
    (Observes.BEANS, ("beans live", "beans check", "beans calibrate")),
    (Observes.CARD, ("card check", "shoe")),
    (Observes.DECK, ("shuffler",)),
)


def steps_for(sight: Sight, name: str) -> list[str]:
    """The bench's commands for a device, from the first that tells what is wrong to the calibration."""
    device = next((one for one in sight.face.config.devices if one.name == name), None)
    observes = frozenset() if device is None else device.driver.observes(device.options)
    own = [command for what, commands in _STEPS if what in observes for command in commands]
    return [f"dealer-calibrate {command} --table {sight.state.table} --device {name}" for command in ("probe", *own)]
