"""The live view of a camera: one annotated picture to a file, pictures in a browser, or in a window."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import cv2

from dealer_calibration.bench import BenchCommand, BenchError, Finding, Result
from dealer_calibration.cameras.camera import Camera, camera_taken
from dealer_calibration.cameras.figures import Bgr
from dealer_calibration.cameras.page import LivePage
from dealer_drivers.whole_files import write_whole

PACE_S = 0.1
"""From picture to picture: the figures must be read by a person, and the other core has a table."""


class Annotated(Protocol):
    """A picture with what was seen on it."""

    @property
    def picture(self) -> Bgr: ...
    def as_json(self) -> dict[str, Any]: ...


Draw = Callable[[Bgr], Annotated]


async def live(command: BenchCommand, name: str, draw: Draw) -> Result:
    """Shows what ``draw`` makes of each picture. Raises ``BenchError``."""
    arguments, talk = command.arguments, command.talk
    window = arguments.window and arguments.once is None
    if window and not _has_windows():
        raise BenchError("--window: OpenCV was built without windows on this machine: leave it out, and use the page")
    async with camera_taken(command) as camera:
        if arguments.once is not None:
            last = await _once(camera, draw, arguments.once)
            talk.say(f"{arguments.once}: written")
        elif window:
            last = await _in_window(camera, draw, arguments.seconds, f"{command.device.table}/{command.device.name}")
        else:
            last = await _on_page(command, camera, draw)
        device = command.device
        said = Finding(code="live", ok=True, said=f"the camera gives {camera.width} x {camera.height} pixels")
        result = Result(
            command=name,
            table=device.table,
            device=device.name,
            by=arguments.by,
            findings=[said],
            figures=last,
            calibration=None if device.calibration is None else device.calibration.id,
        )
        return command.judged(result)


async def _once(camera: Camera, draw: Draw, file: Path) -> dict[str, Any]:
    drawn = draw((await camera.picture()).pixels)
    good, data = cv2.imencode(".png", drawn.picture)
    assert good
    try:
        write_whole(file, data.tobytes(), replace=True)
    except OSError as error:
        raise BenchError(f"{file}: cannot be written: {error.strerror}") from error
    return drawn.as_json()


async def _on_page(command: BenchCommand, camera: Camera, draw: Draw) -> dict[str, Any]:
    arguments, device = command.arguments, command.device
    page = LivePage(f"{device.table}/{device.name}", arguments.port)
    try:
        await page.start()
    except OSError as error:
        raise BenchError(f"--port {arguments.port}: {error.strerror}: choose another") from error
    try:
        command.talk.say(f"open {page.address} in a browser on this machine; Ctrl-C ends")
        command.talk.event("live", address=page.address)
        last: dict[str, Any] = {}
        with command.talk.waiting("waiting for the first picture"):
            async for annotated in _pictures(camera, draw, arguments.seconds):
                last = annotated.as_json()
                _, data = cv2.imencode(".jpg", annotated.picture)
                page.show(data.tobytes(), last)
                command.talk.waits(in_a_line(last))
    finally:
        await page.close()
    return last


def in_a_line(figures: Mapping[str, Any]) -> str:
    """The figures for a terminal; those that say nothing are left out."""
    said = {key: " ".join(map(str, value)) if isinstance(value, list) else value for key, value in figures.items()}
    return "   ".join(f"{key} {value}" for key, value in said.items() if value not in (None, ""))


async def _in_window(camera: Camera, draw: Draw, seconds: float | None, title: str) -> dict[str, Any]:
    last: dict[str, Any] = {}
    try:
        async for annotated in _pictures(camera, draw, seconds):
            last = annotated.as_json()
            cv2.imshow(title, annotated.picture)
            if cv2.waitKey(1) in (ord("q"), 27):
                break
    finally:
        cv2.destroyAllWindows()
    return last


async def _pictures(camera: Camera, draw: Draw, seconds: float | None) -> Any:
    until_s = None if seconds is None else time.monotonic() + seconds
    while until_s is None or time.monotonic() < until_s:
        next_s = time.monotonic() + PACE_S
        # Reading may take seconds, and the page is asked meanwhile.
        yield await asyncio.to_thread(draw, (await camera.picture()).pixels)
        await asyncio.sleep(max(0.0, next_s - time.monotonic()))


def _has_windows() -> bool:
    """The headless build has the functions too, and they raise."""
    try:
        cv2.namedWindow("probe")
        cv2.destroyWindow("probe")
    except cv2.error:
        return False
    return True
