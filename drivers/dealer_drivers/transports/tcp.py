"""A serial port behind a network: a serial server that passes raw bytes over one TCP connection.

Set such a server to drop what arrives while nobody is connected: what it kept would come as if it were fresh.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Sequence
from typing import Any

from dealer_drivers.driver import SerialSettings
from dealer_drivers.errors import OptionError, PortAbsent
from dealer_drivers.transports.fd import FdChannel
from dealer_drivers.transports.serial import spoken

CONNECT_TIMEOUT_S = 3.0
"""Real seconds. A server on the table's own network answers within milliseconds."""
KEEPALIVE = (
    (socket.TCP_KEEPIDLE, 3),  # s without a byte until the first question
    (socket.TCP_KEEPINTVL, 2),  # s between questions
    (socket.TCP_KEEPCNT, 3),  # unanswered questions that end the link: nine seconds in all
    (socket.TCP_USER_TIMEOUT, 9_000),  # ms for which sent bytes may stand unacknowledged
)
"""A peer that lost power says nothing. Card shoes are silent for minutes, so silence alone proves nothing."""


Address = tuple[Any, ...]
"""As ``getaddrinfo`` gives it: family, kind, protocol, canonical name, socket address."""


class TcpTransport:
    """A serial server at ``host``:``port``. ``settings`` are what it must be set to; they are not sent to it."""

    def __init__(self, host: str, port: int, settings: SerialSettings) -> None:
        self._host = host
        self._port = port
        self._settings = settings
        self.name = f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"
        self.warning: str | None = None

    @property
    def hint(self) -> str:
        """What to look at when bytes come and mean nothing."""
        return f"is the serial server set to {spoken(self._settings)}? is it this device?"

    async def open(self) -> FdChannel:
        """Connects within three seconds. Raises ``PortAbsent``, ``OptionError`` for an impossible host."""
        loop = asyncio.get_running_loop()
        problem: OSError | None = None
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                for family, kind, protocol, _, address in await self._addresses(loop):
                    try:
                        return await self._connected(loop, socket.socket(family, kind, protocol), address)
                    except OSError as error:
                        problem = error
        except TimeoutError as error:
            raise PortAbsent(
                f"{self.name} did not answer within {CONNECT_TIMEOUT_S:g} s: is the serial server powered and cabled, "
                "is the address right?"
            ) from error
        except UnicodeError as error:
            raise OptionError("port", f"{self.name}: no such name can exist: {error}") from error
        except socket.gaierror as error:
            raise PortAbsent(f"{self.name}: the host name is unknown: {error.strerror}") from error
        reason = "the name has no address" if problem is None else os.strerror(problem.errno or 0)
        raise PortAbsent(
            f"{self.name} cannot be reached: {reason}. Is the serial server up, and does no other client hold it?"
        ) from problem

    async def _addresses(self, loop: asyncio.AbstractEventLoop) -> Sequence[Address]:
        try:
            return socket.getaddrinfo(
                self._host, self._port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
            )
        except socket.gaierror:  # a name: looked up in the loop's thread pool, the C library has no other way
            return await loop.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)

    async def _connected(self, loop: asyncio.AbstractEventLoop, connection: socket.socket, address: Any) -> FdChannel:
        try:
            connection.setblocking(False)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in KEEPALIVE:
                connection.setsockopt(socket.IPPROTO_TCP, option, value)
            await loop.sock_connect(connection, address)
            return FdChannel(connection.fileno(), self.name, connection.close)
        except BaseException:
            connection.close()
            raise
