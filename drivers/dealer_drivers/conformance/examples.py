"""What a driver's author states: what the device says, what must be read of it, and what its format can tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from dealer_drivers.driver import DeviceAction
from dealer_drivers.readings import DeviceFault, DeviceNotice, Reading, Unreadable
from dealer_drivers.recording import Recording, RecordingError, read_recording

KIB = 1024


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happens ``at_s`` seconds after the link opened.

    ``rx``: ``data`` arrives. ``request``: the station asks ``action``. ``asked``: the driver sent something at this
    moment, in a recording. ``lost`` and ``opened``: the link. ``passed``: nothing; time goes on up to here.
    """

    at_s: float
    kind: Literal["rx", "request", "asked", "lost", "opened", "passed"]
    data: bytes = b""
    action: DeviceAction | None = None


def received(at_s: float, *data: bytes, every_s: float = 0.0) -> tuple[Step, ...]:
    """``data`` arrive one after the other, ``every_s`` apart."""
    return tuple(Step(at_s + n * every_s, "rx", piece) for n, piece in enumerate(data))


def wanted(at_s: float, action: DeviceAction) -> tuple[Step, ...]:
    """The station asks for ``action``."""
    return (Step(at_s, "request", action=action),)


def passed(at_s: float) -> tuple[Step, ...]:
    """Time goes on up to here: for devices that are asked, and for rests that end something."""
    return (Step(at_s, "passed"),)


@dataclass(frozen=True, slots=True)
class Expected:
    """A reading of exactly this type, with at least these fields."""

    kind: type[Reading]
    fields: Mapping[str, object]

    def fits(self, reading: Reading) -> bool:
        """Whether ``reading`` is it."""
        return type(reading) is self.kind and all(
            getattr(reading, name) == value for name, value in self.fields.items()
        )

    def __str__(self) -> str:
        return f"{self.kind.__name__}({', '.join(f'{name}={value!r}' for name, value in self.fields.items())})"


def seen(kind: type[Reading], **fields: object) -> Expected:
    """What must be read. Raises ``TypeError`` for a field that the reading does not have."""
    if unknown := sorted(fields.keys() - kind.__dataclass_fields__.keys()):
        raise TypeError(f"{kind.__name__} has no field {', '.join(unknown)}")
    return Expected(kind, fields)


@dataclass(frozen=True, kw_only=True)
class Example:
    """One conversation with a healthy device, and what the driver's author states of it.

    ``steps`` in order of time. ``expect``: every value that must be read, in order, and nothing else; ``None`` where
    that is stated nowhere (a recording that nobody has gone through). A value is any reading but faults, notices,
    ``Unreadable`` and the types in ``no_value``.
    """

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    expect: tuple[Expected, ...] | None = None

    answer: Callable[[bytes], bytes] | None = None
    """What the device says to bytes that it is sent, 10 ms later; empty for nothing. Must be pure. For devices that
    are asked: without answers their link is never a healthy one."""
    no_value: tuple[type[Reading], ...] = ()
    """Readings that say of a whole frame that it names no value."""
    gathers: tuple[type[Reading], ...] = ()
    """Readings that add up several frames, so that a lost frame changes those that follow."""
    counted: tuple[str, ...] = ()
    """Fields that count what came before, so that a lost frame changes them: all else in a value comes from its own
    frame alone, or is ``None``."""

    picks: str = ""
    """A sentence: why the raw bytes of a value are not one piece of what arrived (records of something else lie between
    them). They must still have arrived, in this order."""

    check_bits: int = 0
    """Bits of the check value in every frame, 8 for an XOR, 16 for a CRC-16. With one, damaged streams must give no
    value that the good stream does not give. 0: a changed digit cannot be told, and only ``foreign`` bytes can."""
    check_elsewhere: str = ""
    """A sentence: where the check value is, if it is not the last of a frame before its line end, in bytes or in
    hexadecimal. Waives the law that tries other check values there."""
    sealed: Callable[[bytes], bytes] | None = None
    """From a changed frame the same with the right check value: what a healthy check value may enclose. Pure."""
    foreign: bytes = bytes(range(0x80, 0x100))
    """Bytes that no frame has, for formats without a check value: a frame with one among its bytes gives no value."""
    undamaged: str = ""
    """A sentence: why bytes cannot be damaged on their way (records of the kernel, a pipe). Waives all of that."""

    resync_bytes: int = 256
    """After junk, a frame that begins so many good bytes later is read."""
    resync_rest_s: float = 0.0
    """For formats that need a rest to find the next frame: how long the line is quiet after the junk."""
    memory_bytes: int = 32 * KIB
    """How much more than at its beginning a session may ever hold."""

    silent_for_ever: str = ""
    """A sentence: why this device may be silent for ever, so that its silence is never reported."""
    read_only: bool = False
    """With these options not a byte is ever sent."""
    sends: tuple[bytes, ...] | None = None
    """Patterns (``re``) of all that may be sent with these options, each of a whole command; ``None`` where that is not
    stated."""
    recorded: str = ""
    """What is known of the real device whose recording this is; empty for examples that were written."""

    def received_bytes(self) -> bytes:
        """All that the device says by itself."""
        return b"".join(step.data for step in self.steps)

    def is_value(self, reading: Reading) -> bool:
        """Whether the game might take it for a value."""
        return not isinstance(reading, (DeviceFault, DeviceNotice, Unreadable, *self.no_value))

    def values(self, readings: Iterable[Reading]) -> list[Reading]:
        """The values among ``readings``."""
        return [reading for reading in readings if self.is_value(reading)]


@dataclass(frozen=True, kw_only=True)
class Examples:
    """All that is stated of a driver.

    ``refused``: option to values that must be refused, beside the first example's options. ``unbounded``: option to a
    sentence that says why any number may be right.
    """

    plays: tuple[Example, ...]
    refused: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    unbounded: Mapping[str, str] = field(default_factory=dict)


def recorded(
    path: Path, *, first_s: float = 0.0, last_s: float = float("inf"), about: str = ""
) -> tuple[tuple[Step, ...], str]:
    """The steps of a recording between two of its moments, and what its head says of the device.

    ``about`` is used where the head says nothing. Raises ``RecordingError`` when it cannot be read or nothing was
    received in it.
    """
    recording = read_recording(path)
    steps = list(_steps(recording, first_s, last_s))
    while steps and steps[-1].kind in ("lost", "asked"):  # whoever recorded it stopped
        steps.pop()
    if not any(step.kind == "rx" for step in steps):
        raise RecordingError(path, 0, "holds nothing that was received")
    said = [f"{key}: {value}" for key, value in recording.head.items() if key != "recording" and value]
    return tuple(steps), about or ", ".join(said)


def _steps(recording: Recording, first_s: float, last_s: float) -> Iterable[Step]:
    latest_s = 0.0
    up = True
    began_s: float | None = None
    for entry in recording.entries:
        if not first_s <= entry.t_s <= last_s or entry.event == "error":
            continue
        began_s = entry.t_s if began_s is None else began_s
        latest_s = max(latest_s, entry.t_s - began_s)  # a clock that was set does not go back here
        if entry.kind == "rx":
            if not up:
                yield Step(latest_s, "opened")
                up = True
            yield Step(latest_s, "rx", entry.data)
        elif entry.kind == "tx":
            yield Step(latest_s, "asked")
        elif (entry.event == "open") != up:
            up = entry.event == "open"
            yield Step(latest_s, "opened" if up else "lost")
