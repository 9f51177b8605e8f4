"""A camera in the bench's hands, picture by picture: the station's own capture process, without its reader."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, Protocol

import msgspec

from dealer_calibration.bench import BenchCommand, BenchDevice, BenchError
from dealer_calibration.cli.exit_codes import UNREACHABLE, WRONG
from dealer_drivers.camera.messages import CameraRefused
from dealer_drivers.camera.ports import OWN_SETTINGS, camera_address
from dealer_drivers.camera.scene_driver import QUIET_MS, USUAL_QUIET_MS
from dealer_drivers.camera.settings import CameraSettings, SceneTask
from dealer_drivers.camera.shared import Frame, Shape
from dealer_drivers.camera.source import OPEN_S, Pictures
from dealer_drivers.errors import OptionError

NO_PICTURE_S = 2.0
"""The slowest camera in use gives ten pictures a second."""


class Camera(Protocol):
    """Gives pictures. ``settings`` in words, as they were set and read back."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def locked(self) -> bool | None:
        """Whether the exposure was set and read back; ``None`` where the camera is set elsewhere."""
        ...

    async def picture(self) -> Frame:
        """The newest picture that was not taken yet. Raises ``BenchError`` when none comes."""
        ...


class BenchCamera:
    """The camera that the settings name, in a capture process of its own."""

    def __init__(self, settings: CameraSettings) -> None:
        self._settings = settings
        self._pictures = Pictures(settings)
        self._shape: Shape | None = None
        self._news = asyncio.Event()

    @property
    def width(self) -> int:
        """Pixels."""
        return self._opened.width

    @property
    def height(self) -> int:
        """Pixels."""
        return self._opened.height

    @property
    def locked(self) -> bool | None:
        """See ``Camera``."""
        return None if self._settings.is_stream else self._settings.exposure is not None

    @property
    def _opened(self) -> Shape:
        assert self._shape is not None
        return self._shape

    async def open(self) -> None:
        """Waits for the first picture. Raises ``BenchError`` with what to do."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._pictures.fileno(), self._news.set)
        with contextlib.suppress(TimeoutError):  # ``wait_open`` says so
            async with asyncio.timeout(OPEN_S):
                await self._news.wait()
        said = self._pictures.wait_open(0.1)
        if isinstance(said, CameraRefused):
            key = f"{said.key}: " if said.key else ""
            raise BenchError(f"{key}{said.reason}", WRONG if said.kind == "option" else UNREACHABLE)
        if said.channels not in (1, 3):
            raise BenchError(f"the camera gives pictures of {said.channels} channels, 1 or 3 can be read")
        self._shape = said

    async def picture(self) -> Frame:
        """See ``Camera``; always of three channels."""
        until_s = asyncio.get_running_loop().time() + NO_PICTURE_S
        while True:
            self._news.clear()
            try:
                frame = self._pictures.take(0.0)
            except EOFError:
                raise BenchError(
                    f"{self._settings.source} gives no pictures any more: look at its power and cable", UNREACHABLE
                ) from None
            if frame is not None:
                return _coloured(frame)
            try:
                async with asyncio.timeout_at(until_s):
                    await self._news.wait()
            except TimeoutError:
                raise BenchError(
                    f"{self._settings.source} gave no picture for {NO_PICTURE_S:g} s: restart the camera", UNREACHABLE
                ) from None

    async def close(self) -> None:
        """End the capture's process."""
        asyncio.get_running_loop().remove_reader(self._pictures.fileno())
        self._pictures.close()


@contextlib.asynccontextmanager
async def camera_taken(command: BenchCommand) -> AsyncIterator[BenchCamera]:
    """The camera in the bench's hands for as long as the context lasts, without a reader.

    Raises ``BenchError``: 1 it cannot be had now, 2 its options are wrong, 3 station or camera cannot be reached.
    """
    settings = settings_of(command.device)
    async with command.lent():
        camera = BenchCamera(settings)
        try:
            with command.talk.waiting(f"opening {settings.source}"):
                await camera.open()
            yield camera
        finally:
            await camera.close()


class _Written(msgspec.Struct, frozen=True):
    """What concerns the camera itself of the options as they stand in the file."""

    exposure: float | None = None
    focus: float | None = None
    width: int | None = None
    height: int | None = None


def settings_of(device: BenchDevice) -> CameraSettings:
    """How the camera is opened, from the options as they stand in the file: a calibration may be missing still.

    Raises ``BenchError`` for a port that is no camera's, and options that cannot be.
    """
    own: dict[str, Any] = {key: device.written[key] for key in OWN_SETTINGS if key in device.written}
    try:
        written = msgspec.convert(own, _Written, strict=True)
        source = camera_address(device.port)
    except (msgspec.ValidationError, OptionError) as error:
        raise BenchError(f"{device.config_path}: device {device.name}: {error}") from error
    return CameraSettings(
        source=source,
        task=SceneTask(reader=""),
        exposure=written.exposure,
        focus=written.focus,
        width=written.width,
        height=written.height,
    )


def quiet_s(command: BenchCommand) -> float:
    """How long nothing may have moved before things lie still, in our seconds, by the option of every camera that looks
    at them. Raises ``BenchError``."""
    device = command.device
    quiet_ms = device.written.get("quiet_ms", USUAL_QUIET_MS)
    least, most = QUIET_MS
    if not isinstance(quiet_ms, int) or not least <= quiet_ms <= most:
        raise BenchError(f"{device.config_path}: device {device.name}: quiet_ms must be {least} to {most}")
    return quiet_ms / 1000 / float(command.arguments.speed)


def _coloured(frame: Frame) -> Frame:
    import cv2
    import numpy as np

    if frame.pixels.ndim == 3:
        return frame
    return Frame(frame.count, frame.taken_ns, np.asarray(cv2.cvtColor(frame.pixels, cv2.COLOR_GRAY2BGR), np.uint8))
