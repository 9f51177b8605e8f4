"""Which settings of ``[mqtt]`` go together."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from dealer_daemon.config.types import MqttConfig


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where the broker listens."""

    host: str
    port: int
    tls: bool

    @property
    def on_loopback(self) -> bool:
        """Whether the connection stays on this machine, by the address alone: no name is looked up."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def broker_address(url: str) -> BrokerAddress:
    """The parts of ``mqtt://host[:port]`` or ``mqtts://host[:port]``; ports 1883 and 8883 where none is given.

    Raises ``ValueError`` with the reason, which never repeats a password.
    """
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ValueError("credentials by file, never here: use username and password_file")
    if parts.scheme not in ("mqtt", "mqtts"):
        raise ValueError(f'expected mqtt://host:1883 or mqtts://host:8883, not "{url}"')
    if not parts.hostname:
        raise ValueError(f'"{url}" names no host')
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(f'"{url}" has something after the port, which means nothing here')
    tls = parts.scheme == "mqtts"
    port = parts.port if parts.port is not None else (8883 if tls else 1883)
    if port == 0:
        raise ValueError(f'"{url}" has port 0')
    return BrokerAddress(parts.hostname, port, tls)


def mqtt_problems(mqtt: MqttConfig) -> list[tuple[str, str]]:
    """Everything that cannot be about ``[mqtt]``, as (key, reason)."""
    found, addresses = [], []
    for key, url in [("url", mqtt.url), *(("fallback_urls", url) for url in mqtt.fallback_urls)]:
        try:
            address = broker_address(url)
        except ValueError as error:
            found.append((key, str(error)))
            continue
        if address in addresses:
            found.append((key, f'"{url}" is there twice; take it out'))
        if not address.tls and not address.on_loopback and not mqtt.plaintext_off_loopback:
            reason = f"mqtt:// would send everything readable to {address.host}; use mqtts://, or say"
            found.append((key, f"{reason} plaintext_off_loopback = true"))
        addresses.append(address)
    if addresses and not any(address.tls for address in addresses):
        found += [
            (key, "is of no use without TLS; use mqtts:// in url, or take it out")
            for key in ("ca_file", "cert_file", "key_file")
            if getattr(mqtt, key) is not None
        ]
    if mqtt.password_file is not None and mqtt.username is None:
        found.append(("password_file", "needs username beside it"))
    for given, absent in (("cert_file", "key_file"), ("key_file", "cert_file")):
        if getattr(mqtt, given) is not None and getattr(mqtt, absent) is None:
            found.append((given, f"needs {absent} beside it"))
    return found
