"""Whether the addresses at which the station serves its pages and its figures are free."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator

from dealer_daemon.config import Config
from dealer_daemon.config.screen import listen_address
from dealer_daemon.doctor.finding import Finding, good, wrong


def look_at_listening(config: Config) -> Iterator[Finding]:
    """Takes each address for a moment. Only while the station does not run, which has them itself."""
    screen = None if config.screen is None else config.screen.listen
    for section, listen in (("screen", screen), ("monitoring", config.monitoring.listen)):
        if listen is not None:
            yield _look(f"[{section}] listen", listen)


def _look(check: str, listen: str) -> Finding:
    address = listen_address(listen)
    try:
        (family, kind, number, _, place), *_ = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        with socket.socket(family, kind, number) as asking:
            asking.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does: what was closed is free
            asking.bind(place)
            asking.listen(1)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            who = f"`ss -ltnp 'sport = :{address.port}'` names the program; stop it, or choose another port"
            return wrong(check, f"{listen} is another program's", who)
        return wrong(check, f"nothing can listen at {listen}: {error.strerror}", "write an address of this PC")
    return good(check, f"{listen} is free")
