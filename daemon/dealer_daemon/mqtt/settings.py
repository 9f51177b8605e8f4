"""Where the broker is and how to speak to it. Credentials are files, read anew at every connect; never text here."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from dealer_daemon.config.broker import BrokerAddress, broker_address
from dealer_daemon.config.types import MqttConfig
from dealer_drivers.secret_files import secret_file
from dealer_drivers.transports.paho_loop import verifying_context

Protocol = Literal["auto", "5", "3.1.1"]


class PasswordFileError(ValueError):
    """The password file holds no password. The text names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSettings:
    """One table's way to the broker. Times in seconds; why each default is what it is, beside it."""

    host: str
    port: int
    client_id: str
    """Stable, ``{site}-{table}``: a random one loses the session and lets an old will bury a new birth."""
    tls: bool = False
    fallbacks: tuple[BrokerAddress, ...] = ()
    """Further nodes of the same cluster, in the order in which they are tried."""
    username: str | None = None
    password_file: Path | None = None
    ca_file: Path | None = None
    """The authorities to trust instead of the system's."""
    cert_file: Path | None = None
    key_file: Path | None = None
    """Our own certificate and its key, where the broker asks for one."""
    protocol: Protocol = "auto"
    keepalive_s: int = 10
    """A frozen broker is noticed after two of these when nothing is under way (``devices.md`` §7)."""
    ack_timeout_s: float = 10.0
    """A broker that owes an acknowledgement for longer is taken for dead, though its socket may live."""
    connack_timeout_s: float = 3.0
    """Some 3.1.1 brokers leave an MQTT 5 CONNECT unanswered."""
    connect_timeout_s: float = 5.0
    session_expiry_s: int = 86_400
    """How long the broker shall keep our session (MQTT 5)."""
    lasting: bool = True
    """Whether the broker shall keep our session at all."""
    window: int = 20
    """Unacknowledged messages on the connection, at most; less where the broker's receive maximum is less."""
    backoff_min_s: float = 0.5
    backoff_max_s: float = 15.0
    refused_wait_s: float = 30.0
    """Before trying again when a person must act: credentials refused, client id used twice."""

    def __post_init__(self) -> None:
        if not self.client_id:
            raise ValueError("the MQTT client id is empty: give it a stable name")

    def nodes(self) -> tuple[BrokerSettings, ...]:
        """These settings for each node of the broker, the preferred one first."""
        others = (replace(self, host=at.host, port=at.port, tls=at.tls, fallbacks=()) for at in self.fallbacks)
        return (replace(self, fallbacks=()), *others)


def broker_settings(mqtt: MqttConfig, client_id: str) -> BrokerSettings:
    """The settings of one table's client from ``[mqtt]``.

    Raises ``ValueError`` for a URL that cannot be, and ``CredentialMissing`` (one of them) for a credential of systemd
    that is not there.
    """
    address = broker_address(mqtt.url)
    return BrokerSettings(
        host=address.host,
        port=address.port,
        tls=address.tls,
        fallbacks=tuple(broker_address(url) for url in mqtt.fallback_urls),
        client_id=client_id,
        username=mqtt.username,
        password_file=_path(mqtt.password_file),
        ca_file=_path(mqtt.ca_file),
        cert_file=_path(mqtt.cert_file),
        key_file=_path(mqtt.key_file),
        protocol=mqtt.protocol,
        keepalive_s=mqtt.keepalive_s,
        # Beside the events: the retained topics and the replies.
        window=mqtt.in_flight + 4,
    )


def read_password(settings: BrokerSettings) -> str | None:
    """The password, its trailing line break removed; ``None`` where none is configured.

    Raises ``OSError`` when the file cannot be read and ``PasswordFileError`` when it is empty or no UTF-8.
    """
    if settings.password_file is None:
        return None
    return _password_in(settings.password_file)


def _password_in(path: Path) -> str:
    try:
        password = path.read_text(encoding="utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise PasswordFileError(f"{path} is no UTF-8 text") from error
    if not password:
        raise PasswordFileError(f"{path} is empty")
    return password


def password_problem(path: Path) -> str | None:
    """Why the file holds no password."""
    try:
        _password_in(path)
    except PasswordFileError as error:
        return str(error)
    except OSError as error:
        return f"{path}: cannot be read: {error.strerror}"
    return None


def ca_problem(path: Path) -> str | None:
    """Why the file holds no certificates of authorities."""
    try:
        verifying_context(path)
    except ssl.SSLError as error:
        return f"{path}: holds no certificates in PEM: {error.reason or error}"
    except OSError as error:
        return f"{path}: cannot be read: {error.strerror or error}"
    return None


def certificate_problems(cert_file: Path, key_file: Path) -> list[tuple[str, str]]:
    """Why a certificate and its key, both readable, are of no use, as (key of ``[mqtt]``, reason)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_cert_chain(cert_file, key_file, _no_password)
    except ssl.SSLError as error:
        # Which of both it is OpenSSL does not say; a key of another certificate is the one that it names.
        why = "is not the key of cert_file" if error.reason == "KEY_VALUES_MISMATCH" else f"cannot be used: {error}"
        return [("key_file", f"{key_file}: with {cert_file} beside it, it {why}; both are PEM, the key unencrypted")]
    except OSError as error:
        return [("cert_file", f"{cert_file}, {key_file}: cannot be read: {error.strerror or error}")]
    return []


def _no_password() -> str:
    """For a key that is encrypted: OpenSSL would else ask at the terminal, and wait."""
    return ""


def tls_context(settings: BrokerSettings) -> ssl.SSLContext:
    """A verifying TLS context (TLS 1.2 or newer). Raises ``OSError`` (``ssl.SSLError`` among it) for a bad file."""
    context = verifying_context(settings.ca_file)
    if settings.cert_file is not None:
        context.load_cert_chain(settings.cert_file, settings.key_file, _no_password)
    return context


def _path(name: str | None) -> Path | None:
    return None if name is None else secret_file(name)
