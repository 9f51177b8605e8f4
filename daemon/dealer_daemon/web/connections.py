"""What a connection may take from the station: a place among few, and seconds for its request.

Each is a descriptor, and the process has 1024 of them for its devices, its broker and its journal too. So what is too
much is closed as soon as it is accepted, before TLS and before anything is read; and what does not say its request
gives its place up.
"""

from __future__ import annotations

import asyncio
import socket
import weakref
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_SOCKETS = 224
"""Accepted at once. Some more than are answered, so that the first of those beyond are told why (503)."""
MOST_OF_ONE = 112
"""Of them from one address: another machine always finds a place. A browser opens six."""
REQUEST_WITHIN_S = 10.0
"""From the beginning of a connection, or from the first byte of a further request, to the request's last byte."""


class Listening(socket.socket):
    """A listening socket that closes what it accepts beyond ``most``, or beyond ``most_of_one`` of an address."""

    most = MOST_SOCKETS
    most_of_one = MOST_OF_ONE

    def __init__(self, family: int, kind: int) -> None:
        super().__init__(family, kind)
        self._accepted: weakref.WeakKeyDictionary[socket.socket, str] = weakref.WeakKeyDictionary()

    def accept(self) -> tuple[socket.socket, Any]:
        """As of a socket. Raises ``ConnectionAbortedError`` for one too many: the loop asks again."""
        found, address = super().accept()
        peers = [peer for one, peer in self._accepted.items() if one.fileno() >= 0]
        if len(peers) >= self.most or peers.count(address[0]) >= self.most_of_one:
            found.close()
            raise ConnectionAbortedError
        self._accepted[found] = address[0]
        return found, address


class HurriedProtocol(H11Protocol):
    """HTTP/1.1 that cuts a connection whose request is not there within ``REQUEST_WITHIN_S``."""

    within_s = REQUEST_WITHIN_S
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The time for the first request begins."""
        super().connection_made(transport)
        self._hurry()

    def data_received(self, data: bytes) -> None:
        """The time ends with a whole request, and begins with the first byte of another one."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._hurry()
        else:
            self._in_time()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        self._in_time()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Before a further request the server's own time for an idle connection counts."""
        super().on_response_complete()
        self._in_time()
        begun = self.conn.trailing_data[0] or self.conn.their_state is h11.SEND_BODY
        if begun and not self.transport.is_closing():
            self._hurry()

    def _hurry(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.within_s, self._cut)

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _cut(self) -> None:
        self._late = None
        self.transport.abort()
