"""Making and connecting a paho client, and what MQTT 5 adds to its packets."""

from __future__ import annotations

import functools
import ssl
from dataclasses import dataclass

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from dealer_daemon.mqtt.errors import ConnectFailed, Ending
from dealer_daemon.mqtt.messages import Incoming, Outgoing, Will
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.settings import BrokerSettings, PasswordFileError, read_password, tls_context

MAX_PACKET_BYTES = 256 * 1024
"""The largest packet we let an MQTT 5 broker send; commands are at most 64 KiB."""

UNSUPPORTED_PROTOCOL_VERSION = 0x84
TRANSIENT = frozenset({0x88, 0x89, 0x97, 0x9F})
"""CONNACK codes that pass by themselves: server unavailable, server busy, quota exceeded, connection rate exceeded."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the broker said of itself in CONNACK (MQTT 5), or the defaults of 3.1.1."""

    receive_maximum: int = 65_535
    max_packet_bytes: int = 268_435_455
    max_qos: int = 2
    retain: bool = True

    def lacking(self) -> str | None:
        """What we cannot do without and this broker has not."""
        if self.max_qos < 1:
            return "the broker offers no QoS 1: results could be lost; allow QoS 1 there"
        if not self.retain:
            return "the broker keeps no retained messages: late joiners would see nothing; allow them there"
        return None


def limits_of(properties: Properties | None) -> Limits:
    """The broker's limits from the properties of its CONNACK."""
    known = Limits()
    return Limits(
        receive_maximum=getattr(properties, "ReceiveMaximum", known.receive_maximum),
        max_packet_bytes=getattr(properties, "MaximumPacketSize", known.max_packet_bytes),
        max_qos=getattr(properties, "MaximumQoS", known.max_qos),
        retain=bool(getattr(properties, "RetainAvailable", known.retain)),
    )


def refusal_of(code: int, text: str) -> ConnectFailed:
    """What a failure code in CONNACK means for the next attempt."""
    ending = Ending.REFUSED
    if code == UNSUPPORTED_PROTOCOL_VERSION:
        ending = Ending.VERSION_REFUSED
    elif code in TRANSIENT:
        ending = Ending.UNREACHABLE
    return ConnectFailed(ending, f"the broker refused the connection: {text} (0x{code:02X})")


def new_client(settings: BrokerSettings, version: MqttVersion, will: Will | None) -> paho.Client:
    """A client for one connection, which never reconnects by itself."""
    v5 = version is MqttVersion.V5
    client = paho.Client(
        CallbackAPIVersion.VERSION2,
        client_id=settings.client_id,
        clean_session=None if v5 else not settings.lasting,
        protocol=MQTTProtocolVersion.MQTTv5 if v5 else MQTTProtocolVersion.MQTTv311,
        reconnect_on_failure=False,
    )
    # The window is kept by ``Connection``: paho's cannot follow the broker's receive maximum once connected.
    client.max_inflight_messages = 65_535
    client.connect_timeout = settings.connect_timeout_s
    if will is not None:
        client.will_set(will.topic, will.payload, qos=1, retain=True)
    return client


def connect_blocking(client: paho.Client, settings: BrokerSettings, version: MqttVersion) -> None:
    """Opens the socket, does TLS and sends CONNECT. Blocks: for a thread. Raises ``ConnectFailed``."""
    try:
        if settings.username is not None:
            client.username_pw_set(settings.username, read_password(settings))
    except (OSError, PasswordFileError) as error:
        detail = f"the password file cannot be used: {error}; mend it, it is read again at the next attempt"
        raise ConnectFailed(Ending.CREDENTIALS, detail) from error
    try:
        if settings.tls:
            client.tls_set_context(tls_context(settings))
    except OSError as error:
        detail = f"the certificate files cannot be used: {error}; check ca_file, cert_file and key_file"
        raise ConnectFailed(Ending.TLS, detail) from error
    where = f"{settings.host}:{settings.port}"
    try:
        if version is MqttVersion.V5:
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            properties.SessionExpiryInterval = settings.session_expiry_s if settings.lasting else 0
            properties.MaximumPacketSize = MAX_PACKET_BYTES
            client.connect(
                settings.host,
                settings.port,
                settings.keepalive_s,
                clean_start=not settings.lasting,
                properties=properties,
            )
        else:
            client.connect(settings.host, settings.port, settings.keepalive_s)
    except (ssl.SSLEOFError, ssl.SSLZeroReturnError) as error:
        raise ConnectFailed(Ending.UNREACHABLE, f"{where} closed the connection during TLS: {error}") from error
    except ssl.SSLError as error:
        detail = f"TLS with {where} failed: {error}; check ca_file, the host name and the broker's port"
        raise ConnectFailed(Ending.TLS, detail) from error
    except (OSError, UnicodeError) as error:
        raise ConnectFailed(Ending.UNREACHABLE, f"the broker at {where} cannot be reached: {error}") from error


def publish_properties(message: Outgoing) -> Properties:
    """What an MQTT 5 PUBLISH carries beside topic and body."""
    if message.expiry_s is None and message.correlation is None:
        return _plain(message.content_type)
    properties = _described(message.content_type)
    if message.expiry_s is not None:
        properties.MessageExpiryInterval = message.expiry_s
    if message.correlation is not None:
        properties.CorrelationData = message.correlation
    return properties


def _described(content_type: str) -> Properties:
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    properties.ContentType = content_type
    properties.PayloadFormatIndicator = 1  # UTF-8
    return properties


# One for all messages of a type: making it costs as much as the rest of a message, and paho only reads it.
_plain = functools.lru_cache(maxsize=8)(_described)


def incoming(message: paho.MQTTMessage) -> Incoming | None:
    """The message in our terms; ``None`` when its topic is no UTF-8, which none of ours is."""
    try:
        topic = message.topic
    except UnicodeDecodeError:
        return None
    properties = message.properties
    return Incoming(
        topic,
        bytes(message.payload),
        message.retain,
        getattr(properties, "ResponseTopic", None),
        getattr(properties, "CorrelationData", None),
    )
