"""What a configuration says: the sections as written, and the tables as resolved against drivers and games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from dealer_daemon.events.devices import CalibrationRef
from dealer_daemon.games import DeviceRole, TableDevice
from dealer_daemon.words import Language
from dealer_drivers.calibration import Calibration
from dealer_drivers.calibration.drift import Expected
from dealer_drivers.driver import Driver, DriverOptions

# (?!\n): Python's $ also matches before a final line end.
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}(?!\n)$", description="1 to 64 letters, digits, _ or -")]
Text = Annotated[str, Meta(min_length=1, description="a text that is not empty")]
Count = Annotated[int, Meta(ge=1, description="a whole number, 1 or more")]
TopicPrefix = Annotated[
    str,
    Meta(
        pattern=r"^[^$/+#\x00-\x1f][^/+#\x00-\x1f]*(/[^/+#\x00-\x1f]+)*(?!\n)$",
        max_length=200,
        description="topic levels joined by /, none of them empty, without + and #, not beginning with $",
    ),
]


class StationConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[station]``: this PC."""

    site: Name
    state_dir: Text
    """Journal and evidence. A relative path is meant from the folder of the configuration file."""
    flight_recorder_days: Annotated[int, Meta(ge=0, le=3650, description="days, 0 to 3650")] = 7
    """How long every raw byte of every device is kept; 0 keeps none."""
    retention_days: Annotated[int, Meta(ge=0, le=36_500, description="days, 0 to 36500")] = 90
    """How long events and their evidence stay in the journal; 0 keeps them for ever. What a consumer has not
    acknowledged by then goes too, and `events.expired` says so."""
    signing_key_file: Text | None = None
    """The private key (`dealer-daemon keys make`) with which events and the journal's head are signed. Only its owner
    may read the file. Without it nothing is signed."""
    calibration_dir: Text | None = None
    """Where `dealer-calibrate` keeps calibrations: a folder a table in it, and in that one a device. Without it
    `calibration` in `state_dir`. A relative path is meant from the folder of the configuration file."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """What is worth a line in the log; `dealer-daemon run --log-level` says otherwise for one run."""
    calibration_max_age_days: Annotated[int, Meta(ge=1, le=3650, description="days, 1 to 3650")] = 180
    """An older calibration is warned of, in the device's health and once in the log."""


class MqttConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[mqtt]``: the broker. Credentials are files, relative to the folder of the configuration file."""

    url: Text = "mqtt://127.0.0.1:1883"
    fallback_urls: tuple[Text, ...] = ()
    """Further nodes of the same cluster, tried in this order when the one in use is lost."""
    prefix: TopicPrefix = "dealer/v1"
    protocol: Literal["auto", "5", "3.1.1"] = "auto"
    """``auto``: MQTT 5, and 3.1.1 with a broker that does not know it."""
    username: Text | None = None
    password_file: Text | None = None
    ca_file: Text | None = None
    cert_file: Text | None = None
    key_file: Text | None = None
    keepalive_s: Annotated[int, Meta(ge=1, le=65535, description="seconds, 1 to 65535")] = 10
    """The loss of a frozen broker is noticed after two of them (``devices.md`` §7)."""
    in_flight: Annotated[int, Meta(ge=1, le=65535, description="a whole number, 1 to 65535")] = 16
    """Messages sent and not yet acknowledged, at most."""
    consumer_gone_s: Annotated[float, Meta(gt=0, le=86_400, description="seconds, more than 0, at most 86400")] = 120.0
    """A consumer that has said nothing for so long while events wait for it is shown as gone."""
    plaintext_off_loopback: bool = False
    """Whether ``mqtt://`` may leave this machine."""
    roles_by_topic: bool = False
    """Commands come on ``commands/{role}``, which a broker's access list can tell apart, and the role that they name
    must be that one. ``commands`` itself is then for servers alone."""
    names_by_topic: bool = False
    """Commands come on ``commands/{role}/{client}`` alone, which a broker's access list can give to one client, and the
    role and the name that they say must be those."""
    command_max_age_s: Annotated[float, Meta(ge=0, le=86_400, description="seconds, 0 to 86400")] = 0
    """A command whose ``time`` is further from the station's clock than this is not carried out, and one without
    ``time`` neither; 0 asks for no time."""


class ScreenConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[screen]``: the pages for the people at the tables. Without this section none are served. Paths are relative to
    the folder of the configuration file."""

    listen: Text = "127.0.0.1:8480"
    """Address and port. Other machines reach it only with TLS (`cert_file`, `key_file`) and sign-in (`people_file`)."""
    names: tuple[Text, ...] = ()
    """Further names, without the port, by which browsers may ask; the address of `listen` and those of this machine
    itself are taken always. A request for another name is refused: another site's page may have made it."""
    cert_file: Text | None = None
    key_file: Text | None = None
    people_file: Text | None = None
    """Who may sign in. Without it the screen shows everything and does nothing."""


class MonitoringConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[monitoring]``: what the station shows of itself over HTTP."""

    listen: Text | None = None
    """Where `/metrics`, `/livez`, `/readyz` and `/healthz` are served: an address and a port, `"127.0.0.1:9464"`.
    Without it nothing is served."""
    off_loopback: bool = False
    """Whether that address may be one that other machines reach. Nobody is asked who they are there."""


class TableKeys(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tables.X]`` without what its game adds. Each device has name, driver, port, and its driver's options."""

    game: Text
    round_source: Literal["device", "server"] = "server"
    """Whose word opens and closes a round."""
    tries_before_pause: Count = 3
    """Refused attempts in a row before the table pauses and the service manager is called (``games.md`` §2)."""
    witness_wait_s: Annotated[float, Meta(gt=0, le=600, description="seconds, more than 0, at most 600")] = 10.0
    """How long a ``witness`` may take after the main device, or be before it where that says nothing earlier. Then the
    attempt is held; at a card table, whose two readers may come in either order, the card is scanned again."""
    shadow: bool = False
    """The table plays beside what the studio has today: it publishes under `shadow/{prefix}` and asks no device to do
    anything. A table that has played as a shadow stays one: the live table gets another name."""
    screen_language: Language = Language.ENGLISH
    """What the table's screen speaks."""
    devices: Annotated[list[dict[str, Any]], Meta(min_length=1, description="at least one [[tables.X.devices]]")]


class DeviceKeys(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[tables.X.devices]]`` without the options of the driver."""

    name: Name
    driver: Text
    port: Text
    role: DeviceRole = "main"
    """``witness``: it sees the same result as the table's main device in its own way, and both must agree.
    ``fallback``: results keyed in by hand, for a round for which the service manager allowed it."""
    calibration: Text | None = None
    """The device's calibration in the store: `"current"`, or an id of `dealer-calibrate files list`. Stands for the
    path or the values that its driver or its game would else be given. It is read when the station starts."""


Told = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_.:#@=+-]{1,128}(?!\n)$",
        description="1 to 128 letters, digits and _ . : # @ = + -, as `udevadm info` shows it",
    ),
]
UsbId = Annotated[str, Meta(pattern=r"^[0-9a-f]{4}:[0-9a-f]{4}(?!\n)$", description="VID:PID as `lsusb` prints them")]
Interface = Annotated[str, Meta(pattern=r"^[0-9a-f]{2}(?!\n)$", description="two digits, such as 01")]


class PortKeys(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[ports.NAME]``: the device that is ``/dev/dealer/NAME``. All that is given must hold."""

    serial: Told | None = None
    """Its serial number: `ID_SERIAL_SHORT` of `udevadm info --query=property DEVICE`. It may be plugged in anywhere."""
    path: Told | None = None
    """The socket of this PC that it is plugged into, where it has no serial number of its own: `ID_PATH`."""
    usb: UsbId | None = None
    """Its kind, so that no other device in that socket is taken for it."""
    interface: Interface | None = None
    """Which port of an adapter that has several: `ID_USB_INTERFACE_NUM`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationInUse:
    """What a device is calibrated by. ``stored``: it is one of the store; else the configuration names a file by its
    path, or has its values, and nothing more is known of it."""

    ref: CalibrationRef
    stored: Calibration | None = None
    expected: Mapping[str, Expected] = field(default_factory=dict)
    """What readings should be like by it (``dealer_drivers.calibration.drift``)."""


@dataclass(frozen=True, slots=True)
class DeviceConfig:
    """One device of a table, its driver found and its options read."""

    name: str
    driver: Driver
    port: str
    options: DriverOptions
    role: DeviceRole = "main"
    calibration: CalibrationInUse | None = None

    def for_game(self) -> TableDevice:
        """What the table's game may know of it."""
        return TableDevice(
            name=self.name,
            driver=self.driver.name,
            observes=self.driver.observes(self.options),
            role=self.role,
            actions=self.driver.actions(self.options),
            decks=self.options.card_decks(),
            zeros=self.options.zero_pockets(),
            angle=self.options.angle_source(),
            scene=self.options.scene_source(),
            shake_told=self.options.shake_told(),
            calibration=None if self.calibration is None else self.calibration.ref,
        )


@dataclass(frozen=True, slots=True)
class TableConfig:
    """One table. ``settings`` is what its game loads from its settings: files that they name are read
    here, and only here; ``written`` are they as they stand in the file. ``config_hash`` is SHA-256 over all that is
    here but the screen's language, of such files over the path; ``fixed_hash`` the same without what a reload may
    change."""

    name: str
    game: str
    round_source: Literal["device", "server"]
    tries_before_pause: int
    witness_wait_s: float
    shadow: bool
    devices: tuple[DeviceConfig, ...]
    settings: Any
    written: msgspec.Struct
    config_hash: str
    fixed_hash: str
    screen_language: Language = Language.ENGLISH


@dataclass(frozen=True, slots=True)
class Config:
    """One station. Paths are absolute."""

    station: StationConfig
    mqtt: MqttConfig
    tables: dict[str, TableConfig]
    ports: dict[str, PortKeys] = field(default_factory=dict)
    screen: ScreenConfig | None = None
    """``None`` where no pages are served."""
    monitoring: MonitoringConfig = field(default_factory=MonitoringConfig)

    @property
    def calibrations(self) -> Path:
        """The folder of the store of calibrations."""
        return calibrations_folder(self.station)


def calibrations_folder(station: StationConfig) -> Path:
    """The folder of the store of calibrations, of paths that are absolute already."""
    return Path(station.calibration_dir or Path(station.state_dir) / "calibration")
