"""The capture's and the reader's real processes, on a stream that OpenCV opens."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from dealer_drivers.camera.messages import Ask, Beat, LookMade, Message, MessageLines, PictureFile, Ready, Scene, encode
from dealer_drivers.camera.settings import CameraSettings, SceneTask
from dealer_drivers.errors import LinkLost, OptionError
from dealer_drivers.transports.camera import CameraChannel, CameraTransport
from hw_sim.mjpeg import MjpegPort

TESTS = Path(__file__).parents[2]


class Table:
    """A camera over bright squares."""

    def __init__(self) -> None:
        self.places: list[tuple[int, int]] = [(60, 60), (180, 100)]
        self.size = (320, 240)
        self._random = np.random.default_rng(1)
        self.port = MjpegPort(self._shot, fps=25.0)

    async def _shot(self) -> Any:
        places, size = list(self.places), self.size
        noise = self._random.normal(0, 3, (size[1], size[0], 1)).astype(np.float32)

        def paint() -> Any:
            picture = np.full((size[1], size[0], 3), 60, np.float32)
            for x, y in places:
                cv2.rectangle(picture, (x, y), (x + 40, y + 40), (230, 230, 230), -1)
            return np.clip(picture + noise, 0, 255).astype(np.uint8)

        return paint

    def transport(self, **options: Any) -> CameraTransport:
        task = SceneTask(reader="support.scene_reader:make", options=options, quiet_s=0.4)
        return CameraTransport(CameraSettings(source=self.port.address, task=task))


@pytest.fixture
async def table(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Table]:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    made = Table()
    await made.port.plug()
    yield made
    await made.port.close()


class Ear:
    """Messages of a channel, until one is as wanted."""

    def __init__(self, channel: CameraChannel) -> None:
        self._channel = channel
        self._lines = MessageLines()
        self._heard: deque[Message] = deque()

    async def until(self, kind: type[Message], **fields: Any) -> Any:
        while True:
            while self._heard:
                message = self._heard.popleft()
                if isinstance(message, kind) and all(getattr(message, key) == fields[key] for key in fields):
                    return message
            found, rejected = self._lines.feed(await self._channel.read())
            assert not rejected
            self._heard += [message for message, _ in found]


async def test_a_look_through_two_processes(table: Table) -> None:
    channel = await table.transport().open()
    ear = Ear(channel)
    ready = await ear.until(Ready)
    assert ready.detail == "320 x 240 pixels, bright things"
    await ear.until(Scene, moving=False)
    await channel.write(encode(Ask(1)))
    picture = await ear.until(PictureFile)
    look = await ear.until(LookMade)
    assert (look.ask, look.value, look.reasons, look.frames) == (1, {"things": 2}, (), 5)
    assert 0 <= look.last_age_ms < look.first_age_ms < 4_000
    assert look.picture == picture.sha256
    file = picture.picture()
    assert hashlib.sha256(file.data).hexdigest() == look.picture
    assert cv2.imdecode(np.frombuffer(file.data, np.uint8), cv2.IMREAD_COLOR).shape == (240, 320, 3)
    table.places = [(100, 20)]
    await ear.until(Scene, moving=True)
    await ear.until(Scene, moving=False)
    await channel.write(encode(Ask(2)))
    assert (await ear.until(LookMade)).value == {"things": 1}
    table.places = []
    await ear.until(Scene, moving=True)
    await ear.until(Scene, moving=False)
    await channel.write(encode(Ask(3)))
    assert (await ear.until(LookMade)).reasons == ("wrong_count",)
    await channel.close()


async def test_a_frozen_stream_gives_no_look(table: Table) -> None:
    channel = await table.transport().open()
    ear = Ear(channel)
    await ear.until(Scene, moving=False)
    table.port.still = True
    await ear.until(Beat, fresh=0)
    await channel.write(encode(Ask(1)))
    assert (await ear.until(LookMade)).reasons == ("camera_fault",)
    await channel.close()


async def test_a_stream_that_ends_is_said(table: Table) -> None:
    channel = await table.transport().open()
    await Ear(channel).until(Scene)
    table.port.unplug()
    with pytest.raises(LinkLost, match="gives no pictures any more"):
        await Ear(channel).until(Ready, detail="never")
    await channel.close()


async def test_a_camera_that_hangs_is_said(table: Table) -> None:
    channel = await table.transport().open()
    await Ear(channel).until(Scene)
    table.port.hang = True
    with pytest.raises(LinkLost, match="gives no pictures any more"):
        await Ear(channel).until(Ready, detail="never")
    await channel.close()


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def gone(pid: int) -> None:
    while lives(pid):
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("victim", ["reader", "capture"])
async def test_neither_process_outlives_the_other(table: Table, victim: str) -> None:
    channel = await table.transport().open()
    await Ear(channel).until(Scene)
    reader = channel._process.pid
    (capture,) = children(reader)
    os.kill(reader if victim == "reader" else capture, signal.SIGKILL)
    with pytest.raises(LinkLost):
        await Ear(channel).until(Ready, detail="never")
    await gone(capture)
    await channel.close()


async def test_what_cannot_be_is_refused_by_its_option(table: Table) -> None:
    with pytest.raises(OptionError, match="broken is torn") as error:
        await table.transport(profile="broken").open()
    assert error.value.key == "profile"
    table.size = (64, 48)
    with pytest.raises(OptionError, match="64 x 48 is too small"):
        await table.transport().open()
