"""A device that speaks MQTT: messages of its topics as lines of bytes (``mqtt_lines.py``).

paho-mqtt keeps the protocol's state and the event loop drives it; its own network thread and its own reconnecting are
not used, and a client lives for one connection (``devices.md`` §7). The session at the broker is clean, so nothing that
was queued while nobody listened can come as if it were fresh; and commands go with QoS 0, so that a command which did
not get through at once never comes later.
"""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.reasoncodes import ReasonCode

from dealer_drivers.errors import (
    DeviceError,
    FixConfigError,
    LinkLost,
    OptionError,
    PortAbsent,
    PortForbidden,
)
from dealer_drivers.secret_files import CredentialMissing, secret_file
from dealer_drivers.transports.mqtt_lines import read_sent_line, received_line
from dealer_drivers.transports.paho_loop import PahoLoop, verifying_context

FORM = "write mqtt://host:port/topic-base"
PORTS = {"mqtt": 1883, "mqtts": 8883}
CONNECT_S = 3.0
"""Real seconds for the connection, and again for the broker's two answers. It is on the table's own network."""
KEEPALIVE_S = 5
"""A frozen broker is noticed after two of these (``devices.md`` §7)."""
MISC_S = 1.0
"""How often the keep-alive is looked at."""
MOST_PAYLOAD = 1024
"""Bytes of a payload that are passed on: more than any device's state has."""
MOST_BUFFERED = 64 * 1024
"""Bytes held for a slow reader; what comes beyond ends the connection."""
SERVER_UNAVAILABLE = 0x88
CONNACK_REFUSED = 0x80


@dataclass(frozen=True, slots=True, kw_only=True)
class MqttSettings:
    """Where the broker is, and which topics under ``base`` are listened to."""

    host: str
    port: int
    base: str
    listen: tuple[str, ...]
    tls: bool = False
    username: str | None = None
    password_file: Path | None = None
    ca_file: Path | None = None
    most_payload: int = MOST_PAYLOAD
    """Bytes of a payload that are passed on."""

    @property
    def name(self) -> str:
        """The port as it is written in the configuration."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'mqtts' if self.tls else 'mqtt'}://{host}:{self.port}/{self.base}"


def mqtt_settings(
    port: str,
    listen: tuple[str, ...],
    *,
    username: str | None = None,
    password_file: str | None = None,
    ca_file: str | None = None,
) -> MqttSettings:
    """The settings of ``mqtt://host[:port]/topic-base`` (``mqtts`` for TLS). Raises ``OptionError``; opens nothing."""
    try:
        parts = urlsplit(port)
        host, number = parts.hostname, parts.port
    except ValueError as error:
        raise OptionError("port", f"{port!r}: {error}: {FORM}") from error
    if "@" in parts.netloc:
        raise OptionError("port", "credentials by file, never here: use username and password_file")
    base = parts.path.removeprefix("/").removesuffix("/")
    if parts.scheme not in PORTS or not host or number == 0 or {"?", "#"} & set(port):
        raise OptionError("port", f"{port!r} is not of the form mqtt://host:port/topic-base")
    if not base or any(level in ("", "+", "#") for level in base.split("/")) or set(base) & {"+", "#", "\0"}:
        raise OptionError("port", f"{port!r} names no topic base, or one with empty levels, + or #: {FORM}")
    if password_file is not None and username is None:
        raise OptionError("username", "a password needs the name of its user")
    return MqttSettings(
        host=host,
        port=number or PORTS[parts.scheme],
        base=base,
        listen=listen,
        tls=parts.scheme == "mqtts",
        username=username,
        password_file=None if password_file is None else Path(password_file),
        ca_file=None if ca_file is None else Path(ca_file),
    )


class MqttTransport:
    """The broker and topics of ``settings``."""

    def __init__(self, settings: MqttSettings) -> None:
        self._settings = settings
        self.name = settings.name
        self.hint = "is the topic base right, and is it this device that publishes there?"
        self.warning = None if settings.tls or _on_loopback(settings.host) else _PLAIN.format(settings.name)

    async def open(self) -> MqttChannel:
        """Connects and subscribes. Raises ``PortAbsent``, ``PortForbidden`` or ``FixConfigError``."""
        channel = MqttChannel(self._settings)
        try:
            await channel.connect()
        except BaseException:
            await channel.close()
            raise
        return channel


class MqttChannel:
    """One connection to the broker. Belongs to the running loop."""

    def __init__(self, settings: MqttSettings) -> None:
        self._settings = settings
        self._name = settings.name
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._news = asyncio.Event()
        self._lost: str | None = None
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._paho = paho.Client(
            CallbackAPIVersion.VERSION2,
            # Two clients with one id kick each other out (devices.md §7).
            client_id=f"dealer{secrets.token_hex(6)}",
            clean_session=True,
            protocol=MQTTProtocolVersion.MQTTv311,
            reconnect_on_failure=False,
        )
        self._paho.connect_timeout = CONNECT_S
        self._wire = PahoLoop(self._paho, misc=lambda: MISC_S, failed=self._failed)
        self._paho.on_connect = self._on_connect
        self._paho.on_subscribe = self._on_subscribe
        self._paho.on_message = self._on_message
        self._paho.on_disconnect = self._on_disconnect

    async def connect(self) -> None:
        """Connects and waits until the broker has taken the subscriptions. See ``MqttTransport.open``."""
        await self._wire.connect(self._connect_blocking)
        if not self._wire.attach():
            raise PortAbsent(f"{self._name}: the broker closed the connection at once")
        try:
            async with asyncio.timeout(CONNECT_S):
                await self._ready
        except TimeoutError as error:
            raise PortAbsent(
                f"{self._name}: the broker took the connection and did not answer within {CONNECT_S:g} s: is it an "
                "MQTT broker, is it overloaded?"
            ) from error

    async def read(self) -> bytes:
        """Lines that arrived. Raises ``LinkLost`` after the last of them."""
        while not self._buffer:
            if self._lost is not None:
                raise LinkLost(self._lost)
            self._news.clear()
            await self._news.wait()
        data = bytes(self._buffer)
        self._buffer.clear()
        return data

    async def write(self, data: bytes) -> None:
        """Publishes each line. Raises ``LinkLost`` when it cannot be given to the network at once."""
        for line in data.splitlines():
            if self._lost is not None:
                raise LinkLost(self._lost)
            topic, payload = read_sent_line(line)
            info = self._paho.publish(f"{self._settings.base}/{topic}", payload, qos=0)
            if info.rc is not MQTTErrorCode.MQTT_ERR_SUCCESS:
                self._end(f"{self._name}: the message could not be sent: {paho.error_string(info.rc)}")

    async def close(self) -> None:
        """Says goodbye and closes. Idempotent."""
        if self._wire.attached:
            self._paho.disconnect()
        self._end(f"{self._name}: closed by the station")
        if self._ready.done() and not self._ready.cancelled():
            self._ready.exception()  # read by nobody when opening was given up
        self._wire.dispose()

    def _connect_blocking(self) -> None:
        settings = self._settings
        try:
            if settings.username is not None:
                self._paho.username_pw_set(settings.username, _password(_file(settings.password_file)))
            if settings.tls:
                self._paho.tls_set_context(verifying_context(_file(settings.ca_file)))
        except CredentialMissing as error:
            raise FixConfigError(f"{self._name}: {error}") from error
        except (OSError, UnicodeDecodeError) as error:
            raise FixConfigError(f"{self._name}: password_file or ca_file cannot be used: {error}") from error
        try:
            self._paho.connect(settings.host, settings.port, KEEPALIVE_S)
        except ssl.SSLError as error:
            raise FixConfigError(
                f"{self._name}: TLS failed: {error}: check ca_file, the host name and the broker's port"
            ) from error
        except (OSError, UnicodeError) as error:
            raise PortAbsent(f"{self._name}: the broker cannot be reached: {error}: is it running?") from error

    def _failed(self) -> None:
        self._end(f"{self._name}: an internal error ended the connection; see the log")
        self._wire.dispose()

    def _end(self, reason: str) -> None:
        if self._lost is None:
            self._lost = reason
        if not self._ready.done():
            self._ready.set_exception(PortAbsent(self._lost))
        self._news.set()

    def _refuse(self, error: DeviceError) -> None:
        if not self._ready.done():
            self._ready.set_exception(error)

    # paho's callbacks

    def _on_connect(
        self, client: paho.Client, _data: Any, _flags: paho.ConnectFlags, reason: ReasonCode, _properties: Any
    ) -> None:
        if not reason.is_failure:
            client.subscribe([(f"{self._settings.base}/{topic}", 1) for topic in self._settings.listen])
        elif reason.value == SERVER_UNAVAILABLE:
            self._refuse(PortAbsent(f"{self._name}: the broker is not available: {reason}"))
        else:
            self._refuse(
                PortForbidden(f"{self._name}: the broker refused us: {reason}: check username and password_file")
            )

    def _on_subscribe(
        self, _client: paho.Client, _data: Any, _mid: int, reasons: list[ReasonCode], _properties: Any
    ) -> None:
        if any(reason.value >= CONNACK_REFUSED for reason in reasons):
            self._refuse(
                PortForbidden(f"{self._name}: the broker does not let us listen there: give the user rights to it")
            )
        elif not self._ready.done():
            self._ready.set_result(None)

    def _on_message(self, _client: paho.Client, _data: Any, message: paho.MQTTMessage) -> None:
        try:
            topic = message.topic.removeprefix(f"{self._settings.base}/")
        except UnicodeDecodeError:
            return  # none of those we asked for
        if self._lost is not None:
            return
        self._buffer += received_line(topic, bytes(message.payload)[: self._settings.most_payload], kept=message.retain)
        if len(self._buffer) > MOST_BUFFERED:
            self._end(f"{self._name}: messages come faster than they can be read")
        self._news.set()

    def _on_disconnect(
        self, _client: paho.Client, _data: Any, _flags: paho.DisconnectFlags, reason: ReasonCode, _properties: Any
    ) -> None:
        self._end(f"{self._name}: the connection to the broker ended: {reason}")


_PLAIN = "{} is not encrypted and leaves this machine: anybody on its way can start the device; use mqtts://"


def _on_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _file(path: Path | None) -> Path | None:
    return None if path is None else secret_file(str(path))


def _password(path: Path | None) -> str | None:
    return None if path is None else path.read_text(encoding="utf-8").rstrip("\r\n")
