"""A camera's port: MJPEG over loopback HTTP, which is what network cameras give and OpenCV's FFmpeg back end opens.

The event loop asks for a picture whenever one is due; it is drawn and compressed in the port's own thread, once for
all viewers. A viewer that does not read loses pictures and never stops the simulator.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeAlias

from hw_sim.adapter import Port

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Picture: TypeAlias = npt.NDArray[np.uint8]
    """Rows by columns, grey; or rows by columns by blue, green, red."""

Paint: TypeAlias = "Callable[[], Picture]"
"""Draws a picture. It is called in another thread, so it must hold all it needs."""
Shot: TypeAlias = "Callable[[], Awaitable[Paint | None]]"
"""What the camera sees now; ``None``: it gives no picture at this moment."""

BOUNDARY = b"picture"
BACKLOG_PICTURES = 2
"""Pictures kept for a viewer that does not read, beside what the kernel's own queue holds."""


class MjpegPort(Port):
    """One camera. While anybody looks, ``fps`` pictures a second of our time are drawn and sent to every viewer.

    ``still`` sends the last picture again and again, as a camera does whose sensor hangs; ``hang`` sends nothing more.
    """

    def __init__(
        self,
        shot: Shot,
        attached: Callable[[], None] = lambda: None,
        *,
        fps: float = 20.0,
        name: str = "camera",
        quality: int = 90,
    ) -> None:
        super().__init__(lambda _data: None, attached)
        self.still = False
        self.hang = False
        self.viewers = 0
        """How many have come so far."""
        self.sent = 0
        """Pictures drawn and sent so far, each once however many viewers there are."""
        self._shot = shot
        self._period_s = 1 / fps
        self._name = name
        self._quality = quality
        self._port = 0
        self._server: asyncio.Server | None = None
        self._watching: set[asyncio.Transport] = set()
        self._film: asyncio.Task[None] | None = None
        self._painter: ThreadPoolExecutor | None = None

    @property
    def address(self) -> str:
        """``http://127.0.0.1:PORT/NAME.mjpg``; the port's number is known after the first ``plug``."""
        return f"http://127.0.0.1:{self._port}/{self._name}.mjpg"

    @property
    def plugged(self) -> bool:
        """Whether the camera answers."""
        return self._server is not None

    async def plug(self) -> None:
        """Listens, after the first time on the same port again. Raises ``OSError``."""
        if self._server is None:
            self._painter = ThreadPoolExecutor(1, f"camera-{self._name}")
            loop = asyncio.get_running_loop()
            self._server = await loop.create_server(lambda: _Viewer(self), "127.0.0.1", self._port)
            self._port = self._server.sockets[0].getsockname()[1]

    def unplug(self) -> None:
        """Stops listening and ends every viewer's connection. A picture being drawn is waited for."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.drop()
        if self._film is not None:
            self._film.cancel()
            self._film = None
        if self._painter is not None:
            self._painter.shutdown()
            self._painter = None

    def drop(self) -> None:
        """Ends every viewer's connection, as a camera does that restarts; it may be opened again at once."""
        for viewer in self._watching:
            viewer.abort()
        self._watching.clear()

    async def close(self) -> None:
        """Unplugs, and waits until nothing of it runs any more: for those who use a port without a simulation."""
        film = self._film
        self.unplug()
        if film is not None:
            await asyncio.wait({film})
        await asyncio.sleep(0)  # lets aborted connections end

    def write(self, data: bytes) -> None:
        """A camera says nothing but pictures; bytes are counted as unheard."""
        self.unheard += len(data)

    def asked(self, viewer: asyncio.Transport) -> None:
        """A viewer sent its request."""
        if not self.plugged:
            viewer.abort()
            return
        head = b"HTTP/1.0 200 OK\r\nCache-Control: no-store\r\nContent-Type: multipart/x-mixed-replace; boundary="
        viewer.write(head + BOUNDARY + b"\r\n\r\n")
        self.viewers += 1
        self._watching.add(viewer)
        self._attached()
        if self._film is None:
            self._film = asyncio.create_task(self._run(), name=f"camera-{self._name}")

    def went(self, viewer: asyncio.Transport) -> None:
        """A viewer is gone."""
        self._watching.discard(viewer)

    async def _run(self) -> None:
        """Films as long as anybody looks."""
        loop = asyncio.get_running_loop()
        part, due = b"", loop.time()
        try:
            while self._watching:
                if not (self.still and part):
                    part = await self._part()
                if part and not self.hang:
                    self._send(part)
                due = max(due + self._period_s, loop.time())
                await asyncio.sleep(due - loop.time())
        finally:
            if self._film is asyncio.current_task():
                self._film = None

    async def _part(self) -> bytes:
        """One picture as a part of the stream; empty when the camera gives none."""
        paint = await self._shot()
        if paint is None or self._painter is None:
            return b""
        data = await asyncio.get_running_loop().run_in_executor(self._painter, jpeg, paint, self._quality)
        head = b"--" + BOUNDARY + f"\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n".encode("ascii")
        return head + data + b"\r\n"

    def _send(self, part: bytes) -> None:
        self.sent += 1
        for viewer in self._watching:
            if viewer.get_write_buffer_size() > BACKLOG_PICTURES * len(part):
                self.dropped += len(part)
            else:
                viewer.write(part)


class _Viewer(asyncio.Protocol):
    """One connection: a request, and pictures from then on."""

    def __init__(self, port: MjpegPort) -> None:
        self._port = port
        self._transport: asyncio.Transport | None = None
        self._request = b""
        self._asked = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._asked or self._transport is None:
            return
        self._request = (self._request + data)[-65536:]
        if b"\r\n\r\n" in self._request:
            self._asked = True
            self._port.asked(self._transport)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        if self._transport is not None:
            self._port.went(self._transport)


def jpeg(paint: Paint, quality: int) -> bytes:
    """Draws and compresses."""
    import cv2

    done, data = cv2.imencode(".jpg", paint(), [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done
    return data.tobytes()
