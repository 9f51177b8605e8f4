"""A simulated camera's port, as OpenCV opens it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress

import cv2
import numpy as np
import numpy.typing as npt

from hw_sim.mjpeg import MjpegPort, Paint

LIMITS = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 3000, cv2.CAP_PROP_READ_TIMEOUT_MSEC, 3000]


class Counter:
    """A scene whose pictures are all grey, each darker than the one before."""

    def __init__(self) -> None:
        self.count = 0
        self.blind = False

    async def shot(self) -> Paint | None:
        if self.blind:
            return None
        self.count += 1
        level = 250 - 10 * (self.count % 20)
        return lambda: np.full((48, 64), level, np.uint8)


@asynccontextmanager
async def camera(scene: Counter) -> AsyncIterator[MjpegPort]:
    port = MjpegPort(scene.shot, fps=100)
    await port.plug()
    try:
        yield port
    finally:
        await port.close()


async def look(address: str, count: int) -> list[npt.NDArray[np.uint8]]:
    """What OpenCV sees, from a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return await asyncio.get_running_loop().run_in_executor(pool, capture, address, count)


def capture(address: str, count: int) -> list[npt.NDArray[np.uint8]]:
    """The first pictures of the stream; fewer where it ends."""
    stream = cv2.VideoCapture(address, cv2.CAP_FFMPEG, LIMITS)
    seen = []
    for _ in range(count):
        good, picture = stream.read()
        if not good:
            break
        seen.append(np.asarray(picture, np.uint8))
    stream.release()
    return seen


async def test_opencv_sees_every_picture_in_order() -> None:
    async with camera(Counter()) as port:
        seen = await look(port.address, 6)
        assert [picture.shape for picture in seen] == [(48, 64, 3)] * 6
        levels = [float(picture.mean()) for picture in seen]
        steps = np.diff(levels)
        assert np.allclose(steps[abs(steps) < 100], -10, atol=2), levels
        assert port.viewers == 1


async def test_nobody_looks_nothing_is_drawn_and_the_next_viewer_is_served() -> None:
    scene = Counter()
    async with camera(scene) as port:
        assert scene.count == 0
        await look(port.address, 2)
        await look(port.address, 2)
        assert port.viewers == 2


async def test_two_viewers_are_served_by_one_drawing() -> None:
    scene = Counter()
    async with camera(scene) as port:
        both = await asyncio.gather(*(look(port.address, 5) for _ in range(2)))
        assert [len(seen) for seen in both] == [5, 5]
        assert scene.count <= port.sent + 1


async def test_a_still_camera_sends_one_picture_for_ever() -> None:
    async with camera(Counter()) as port:
        port.still = True
        seen = await look(port.address, 4)
        assert len(seen) == 4
        assert all(np.array_equal(picture, seen[0]) for picture in seen)


@asynccontextmanager
async def viewer(address: str) -> AsyncIterator[asyncio.StreamReader]:
    """A connection that has its first picture."""
    name, number = address.removeprefix("http://").split("/")[0].split(":")
    reader, writer = await asyncio.open_connection(name, int(number))
    try:
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        assert (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)).startswith(b"HTTP/1.0 200")
        await asyncio.wait_for(reader.readuntil(b"--picture"), 5)
        yield reader
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def rest_of(reader: asyncio.StreamReader) -> None:
    """Reads on until the connection ends."""
    with suppress(ConnectionError):
        while await asyncio.wait_for(reader.read(65536), 5):
            pass


async def test_unplugged_the_connection_ends_and_the_address_comes_back() -> None:
    async with camera(Counter()) as port:
        before = port.address
        async with viewer(before) as reader:
            port.unplug()
            await rest_of(reader)
        assert not port.plugged
        await port.plug()
        assert port.address == before
        assert len(await look(port.address, 2)) == 2


async def test_a_dropped_viewer_may_come_again() -> None:
    async with camera(Counter()) as port:
        async with viewer(port.address) as reader:
            port.drop()
            await rest_of(reader)
        async with viewer(port.address):
            assert port.viewers == 2


async def test_a_blind_camera_keeps_the_connection_and_sends_nothing() -> None:
    scene = Counter()
    scene.blind = True
    async with camera(scene) as port:

        async def opened() -> None:
            async with viewer(port.address):
                pass

        opening = asyncio.create_task(opened())
        done, _ = await asyncio.wait({opening}, timeout=0.2)
        assert not done
        assert port.viewers == 1
        assert port.sent == 0
        scene.blind = False
        await opening
