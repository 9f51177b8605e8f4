"""Which settings of ``[screen]`` go together."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from dealer_daemon.config.types import ScreenConfig


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Where the screen is served. ``host`` without brackets."""

    host: str
    port: int

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback


def listen_address(text: str) -> ListenAddress:
    """``127.0.0.1:8480``, ``[::1]:8480``, ``localhost:8480``. Raises ``ValueError`` with the reason."""
    host, colon, port = text.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit()) or not 1 <= int(port) <= 65535:
        raise ValueError(f'expected an address and a port, "127.0.0.1:8480", not "{text}"')
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(f'"{text}": an IPv6 address stands in brackets, "[::1]:8480"')
    if host != "localhost":
        try:
            ipaddress.ip_address(host)
        except ValueError:
            reason = f'"{host}" is no address of this machine; write one in figures, 0.0.0.0 for all, or localhost'
            raise ValueError(reason) from None
    return ListenAddress(host, int(port))


def screen_problems(screen: ScreenConfig) -> Iterator[tuple[str, str]]:
    """Everything that cannot be about ``[screen]``, as (key, reason)."""
    for given, absent in (("cert_file", "key_file"), ("key_file", "cert_file")):
        if getattr(screen, given) is not None and getattr(screen, absent) is None:
            yield given, f"needs {absent} beside it"
    for name in screen.names:
        if ":" in name.strip("[]") and not name.startswith("["):
            yield "names", f'"{name}": names stand here without the port'
    try:
        address = listen_address(screen.listen)
    except ValueError as error:
        yield "listen", str(error)
        return
    if address.on_loopback:
        return
    missing = [key for key in ("cert_file", "key_file", "people_file") if getattr(screen, key) is None]
    if missing:
        yield (
            "listen",
            f"{address.host} can be reached from other machines: that takes TLS and sign-in, and {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing; or listen at 127.0.0.1",
        )
