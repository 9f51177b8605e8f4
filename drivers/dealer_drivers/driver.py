"""What a driver is: a manifest, options, and a session. A driver is one folder or file and one entry point.

The session is a pure state machine over bytes and time. It never opens, sleeps, logs or raises on input:
what it has to say are readings, what it wants sent are bytes. The link (``link.py``) does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import metadata
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import msgspec

from dealer_drivers.calibration.slot import CalibrationSlot
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading

if TYPE_CHECKING:
    from dealer_drivers.clock import Clock
    from dealer_drivers.transports.base import Transport

ENTRY_POINT_GROUP = "dealer_station.drivers"


class Maturity(StrEnum):
    """How sure we are of a device's format (``devices.md``, marks)."""

    RECORDED = "recorded"
    """Replays real recordings."""
    DOCUMENTED = "documented"
    """Written from a maker's or integrator's description."""
    GENERIC = "generic"
    """A format of ours, or one that the configuration describes."""


class Observes(StrEnum):
    """What a device can witness; the configuration may only ask for what its device observes."""

    PHASE = "phase"
    NUMBER = "number"
    LAPS = "laps"
    ROTOR = "rotor"
    CARD = "card"
    RESULT = "result"
    """The device's own result of a hand: a second witness."""
    DICE = "dice"
    """The dice that lie on the plate."""
    SHAKE = "shake"
    """Whether the shaker shakes or stands."""
    BEANS = "beans"
    """The rows of beans on the cloth."""
    ANGLE = "angle"
    """Where the colour wheel stands, and how it got there."""
    DECK = "deck"
    """Whether a set of cards is whole: a shuffler."""
    ENTRY = "entry"
    """A result that people keyed in."""


class DeviceAction(StrEnum):
    """What the station may ask of a device. A session that cannot do it, or may not, answers with nothing."""

    ACKNOWLEDGE_VOID = "acknowledge_void"
    """The attempt was refused: tell the wheel that its void is seen."""
    LOCK_SHOE = "lock_shoe"
    """The shoe gives no card until it is unlocked."""
    UNLOCK_SHOE = "unlock_shoe"
    CLEAR_SHOE_ERROR = "clear_shoe_error"
    """A person has put right what the shoe's newest error was about."""
    READ_PRESETS = "read_presets"
    """Ask the shoe for its settings; the answer comes as a notice."""
    SCAN_ON = "scan_on"
    """A card is due: the scanner may look for its code."""
    SCAN_OFF = "scan_off"
    LOOK = "look"
    """What lies in the picture now? The answer tells which question it answers."""
    START_SHAKE = "start_shake"
    """The shaker may shake now."""
    SET_ZERO = "set_zero"
    """The encoder takes the place where the wheel stands as its zero."""
    SELF_TEST = "self_test"
    """The device tests itself, between games; the answer comes as a notice. Only the bench asks for it."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a session answers: readings in order, bytes to send, and counts for the health of the link.

    ``frames`` counts valid frames of the protocol in this step, ``rejected`` bytes that were no part of any.
    """

    readings: tuple[Reading, ...] = ()
    send: tuple[bytes, ...] = ()
    frames: int = 0
    rejected: int = 0


NOTHING = Output()


class Session(Protocol):
    """One connection's worth of protocol state, reused over reconnects. Pure: same calls, same answers."""

    def opened(self, at: Instant) -> Output:
        """The link is up, perhaps in the middle of a line. Identity questions are asked here."""
        ...

    def feed(self, data: bytes, at: Instant) -> Output:
        """Bytes arrived. Never raises; the answer does not depend on how the stream was cut."""
        ...

    def lost(self, at: Instant, reason: str) -> Output:
        """The link is down. Half a frame is thrown away; what was believed of the device is no longer."""
        ...

    def tick(self, at: Instant) -> Output:
        """Time passed: called at or after ``deadline_ns``; calling it early or often changes nothing."""
        ...

    def deadline_ns(self) -> int | None:
        """The monotonic time of the next ``tick`` that can matter, or ``None``."""
        ...

    def request(self, action: DeviceAction, at: Instant) -> Output:
        """The station asks something of the device. Read-only sessions answer with nothing."""
        ...


@runtime_checkable
class TimesQuestions(Protocol):
    """A session to which it matters when its bytes went out."""

    def sent(self, at: Instant) -> None:
        """What a call gave to send went to the device at this moment."""
        ...


@dataclass(frozen=True, slots=True)
class AngleSource:
    """How a wheel's encoder gives its counts, as its options set it."""

    absolute: bool
    """Its count is a place on the wheel at once; otherwise it counts from its index mark on, which is 0."""
    turns: float
    """Turns of the wheel that it counts before it begins again."""
    per_turn: int | None = None
    """Counts in a turn of the wheel, where that is known."""
    poll_ms: int | None = None
    """From one question to the next; ``None`` where it reports by itself."""
    questions: int = 1
    """Of so many questions in a row one at least is for the count."""
    mark_every: int | None = None
    """Each time after so many questions one is for the mark, and gives no count; ``None``: none is."""


@dataclass(frozen=True, slots=True)
class SceneSource:
    """How a camera over a scene tells what lies there, as its options set it."""

    quiet_s: float
    """So long nothing may have moved before it says that the scene is at rest."""
    things: int | None = None
    """Of so many things alone it reads a picture; ``None``: of any number."""


class DriverOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of a driver's options, as written under ``[[tables.X.devices]]`` beside name, driver and port."""

    def problems(self) -> list[OptionError]:
        """Everything that is impossible about these options, all at once. Overridden where there is something."""
        return []

    def card_decks(self) -> int | None:
        """Of a card reader that knows each card by itself: how many decks. Asked of options without problems."""
        return None

    def zero_pockets(self) -> int | None:
        """Of a roulette wheel: how many zeros; ``None`` where nothing is known of it. Asked as ``card_decks``."""
        return None

    def angle_source(self) -> AngleSource | None:
        """Of a wheel's encoder: how it counts; ``None`` where nothing is known of it. Asked as ``card_decks``."""
        return None

    def scene_source(self) -> SceneSource | None:
        """Of a camera over a scene: when and what it reads; ``None`` for others. Asked as ``card_decks``."""
        return None

    def shake_told(self) -> tuple[str, float] | None:
        """Of a shaker: which option says how long it shakes when the station starts it, and the seconds; ``None`` for
        others. Asked as ``card_decks``."""
        return None


@dataclass(frozen=True, slots=True)
class SerialSettings:
    """How a serial port is set. ``parity`` is N, E or O."""

    baud: int = 9600
    data_bits: int = 8
    parity: str = "N"
    stop_bits: int = 1


@dataclass(frozen=True, slots=True)
class Attachment:
    """How a device of a driver shows itself where it is plugged in, so that a technician is told which driver fits.

    All that is given must hold. ``usb``: ids of vendors, ``0c2e``, or of products, ``0c2e:0901``. ``hid_page``: a usage
    page of its HID reports. ``kind``: of the transport by which it is read, as in ``Driver.transports``. ``why`` is
    said to people: what is known of it, and from where.
    """

    why: str
    kind: str
    usb: frozenset[str] = frozenset()
    hid_page: int | None = None


@dataclass(frozen=True, slots=True)
class Driver:
    """A driver's manifest.

    ``observes`` and ``serial`` are functions of the options because they may change what the device can see
    or how its port is set. ``offline_after_s`` is the time within which silence or an unplug is reported, unless
    ``offline_for`` says it of the options.
    ``transports`` are the kinds of port that it may have: ``serial``, ``tcp``, ``usb``, ``input``, ``camera``,
    ``mqtt``, ``unix``, ``recording``.
    """

    name: str
    summary: str
    maturity: Maturity
    provenance: str
    options: type[DriverOptions]
    session: Callable[[Any], Session]
    observes: Callable[[Any], frozenset[Observes]]
    serial: Callable[[Any], SerialSettings]
    offline_after_s: float
    transport: Callable[[str, Any, Clock], Transport] | None = None
    """Makes the transport of a port, the options and the station's clock, for devices whose options say how to open
    them. Raises ``OptionError``; opens nothing. Recordings never come here."""
    offline_for: Callable[[Any], float] | None = None
    actions: Callable[[Any], frozenset[DeviceAction]] = lambda options: frozenset()  # noqa: ARG005
    """What may be asked of the device, as its options allow."""
    transports: frozenset[str] = field(default_factory=lambda: frozenset({"serial", "tcp", "recording"}))
    attachments: tuple[Attachment, ...] = ()
    """How its devices show themselves; none where they cannot be told from others, as behind a serial adapter."""
    calibration: CalibrationSlot | None = None
    """The option that ``calibration`` of the device fills, where the driver itself needs what calibration measured."""

    def offline_s(self, options: DriverOptions) -> float:
        """Within how many seconds silence or an unplug is reported, with these options."""
        return self.offline_after_s if self.offline_for is None else self.offline_for(options)

    def parse_options(self, values: Mapping[str, object]) -> DriverOptions:
        """The options from configuration keys. Raises ``OptionError`` for the first that cannot be."""
        try:
            options = msgspec.convert(values, self.options, strict=True)
        except msgspec.ValidationError as error:
            raise OptionError("options", str(error)) from error
        for problem in options.problems():
            raise problem
        return options


class UnknownDriver(LookupError):  # noqa: N818
    """No driver of that name can be had: none is installed, or what is installed cannot be loaded. The text says which,
    and lists those that are installed or what to do."""


def driver_names() -> list[str]:
    """The names of all installed drivers, ours and others'."""
    return sorted(entry.name for entry in metadata.entry_points(group=ENTRY_POINT_GROUP))


def load_driver(name: str) -> Driver:
    """The driver registered as ``name``. Raises ``UnknownDriver``. One that cannot be loaded hides no other."""
    for entry in metadata.entry_points(group=ENTRY_POINT_GROUP, name=name):
        try:
            driver: Driver = entry.load()
        except (ImportError, AttributeError) as error:
            raise UnknownDriver(
                f'driver "{name}" is installed and cannot be loaded: {error}; install it again'
            ) from error
        return driver
    raise UnknownDriver(f"no driver {name!r}; installed are: {', '.join(driver_names()) or 'none'}")


def installed_drivers() -> list[Driver]:
    """Every driver that can be loaded."""
    drivers = []
    for name in driver_names():
        try:
            drivers.append(load_driver(name))
        except UnknownDriver:
            continue
    return drivers
