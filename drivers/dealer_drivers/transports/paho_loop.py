"""paho-mqtt's client on the event loop, without its own thread (``devices.md`` §7: an exception in one of its callbacks
kills that thread while ``is_connected()`` stays true).

Only connecting blocks in paho; it runs in a thread that ends with it. Everything after that happens on the loop.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTErrorCode

READS_PER_TURN = 64
"""Packets handled before other tasks get their turn."""


class PahoLoop:
    """Drives ``client`` once it is connected.

    ``misc`` is called with each turn of paho's own time-keeping and answers after how many seconds the next is due, or
    ``None`` when the connection has ended. ``failed`` is called when a step of paho raised, which then goes on to the
    loop's handler: no connection is left standing that nobody reads.
    """

    def __init__(self, client: paho.Client, *, misc: Callable[[], float | None], failed: Callable[[], None]) -> None:
        self._client = client
        self._loop = asyncio.get_running_loop()
        self._misc = misc
        self._failed = failed
        self._sock: socket.socket | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def attached(self) -> bool:
        """The loop has a socket to look at."""
        return self._sock is not None

    async def connect(self, connect: Callable[[], None]) -> None:
        """Runs ``connect``, which blocks, and raises what it raises. When cancelled, what it opens is closed again."""
        # The thread is made for it: the loop's own pool would keep a stop waiting for a host without an answer.
        thread = ThreadPoolExecutor(1, thread_name_prefix="mqtt-connect")
        connecting = self._loop.run_in_executor(thread, connect)
        thread.shutdown(wait=False)
        try:
            await asyncio.shield(connecting)
        except asyncio.CancelledError:
            connecting.add_done_callback(self._abandon)
            raise

    def attach(self) -> bool:
        """Hands the connected socket to the loop; ``False`` when the broker has closed it already.

        paho's socket callbacks are set only now: before, they would have been called in the connecting thread.
        """
        sock = self._client.socket()
        if sock is None:
            return False
        assert isinstance(sock, socket.socket)
        # paho writes every packet by itself: without this the second waits for the peer's TCP to acknowledge the first.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sock = sock
        self._client.on_socket_close = self._on_socket_close
        self._client.on_socket_register_write = self._on_want_write
        self._client.on_socket_unregister_write = self._on_all_written
        self._loop.add_reader(sock, self._readable)
        if self._client.want_write():
            self._loop.add_writer(sock, self._writable)
        self._keep_time()
        return True

    def dispose(self) -> None:
        """Takes the socket off the loop and closes it. paho is not told: the client is never used again. Idempotent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        sock = self._sock if self._sock is not None else self._client.socket()
        self._sock = None
        self._client.on_socket_close = None
        self._client.on_socket_register_write = None
        self._client.on_socket_unregister_write = None
        if isinstance(sock, socket.socket) and sock.fileno() >= 0:
            self._loop.remove_reader(sock)
            self._loop.remove_writer(sock)
            sock.close()

    def _abandon(self, connecting: asyncio.Future[None]) -> None:
        """Nobody waits any more for the thread that was connecting: close what it opened."""
        if not connecting.cancelled():
            connecting.exception()
        self.dispose()

    def _readable(self) -> None:
        # TLS may hold decrypted bytes that no selector reports: read until it has none.
        for _ in range(READS_PER_TURN):
            if self._sock is None:
                return
            self._drive(self._client.loop_read)
            if not isinstance(self._sock, ssl.SSLSocket) or not self._sock.pending():
                return
        self._loop.call_soon(self._readable)

    def _writable(self) -> None:
        # Read first: a broker that closes says why, and a write that fails would hide it.
        self._drive(self._client.loop_read)
        if self._sock is not None:
            self._drive(self._client.loop_write)

    def _keep_time(self) -> None:
        self._drive(self._client.loop_misc)
        if self._sock is None:
            return
        interval_s = self._misc()
        if interval_s is not None:
            self._timer = self._loop.call_later(interval_s, self._keep_time)

    def _drive(self, step: Callable[[], MQTTErrorCode]) -> None:
        done = False
        try:
            step()
            done = True
        finally:
            if not done:
                self._failed()

    def _on_socket_close(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        self._sock = None
        self._loop.remove_reader(sock)
        self._loop.remove_writer(sock)

    def _on_want_write(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        self._loop.add_writer(sock, self._writable)

    def _on_all_written(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        self._loop.remove_writer(sock)


def verifying_context(ca_file: Path | None) -> ssl.SSLContext:
    """A TLS context that verifies (TLS 1.2 or newer). Raises ``OSError`` (``ssl.SSLError`` among it) for a bad file."""
    context = ssl.create_default_context(cafile=ca_file)
    context.sslsocket_class = _ClosingSocket
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


class _ClosingSocket(ssl.SSLSocket):
    """Closes itself when the handshake fails; paho leaves it to the garbage collector."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except OSError:
            self.close()
            raise
