"""A camera, whose process (``camera/child.py``) sends what it sees as lines of bytes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys

import msgspec

from dealer_drivers.camera.grab import ENDED
from dealer_drivers.camera.messages import CameraRefused, MessageLines, Ready
from dealer_drivers.camera.settings import CameraSettings
from dealer_drivers.errors import (
    DeviceError,
    FixConfigError,
    LinkLost,
    OptionError,
    PortAbsent,
    PortBusy,
    PortForbidden,
    RetryableError,
)
from dealer_drivers.transports.fd import FdChannel

COMMAND = (sys.executable, "-m", "dealer_drivers.camera.child")
CAMERA = "camera:"
"""Before the path of a camera that has a name of its own, ``camera:/dev/dealer/window``."""
OPEN_S = 15.0
"""Real seconds until the first picture: loading the libraries, both readers, opening, the camera's own start."""
SILENT_S = 3.0
"""Real seconds without a line, of which there are two a second: the process hangs, in a driver or in a library."""
KILLED_S = 1.0
"""A process that the kernel holds in a camera's driver cannot be ended; the station does not wait for it."""


class CameraTransport:
    """The camera of ``settings``. Each open starts a process; each close ends it."""

    def __init__(
        self,
        settings: CameraSettings,
        *,
        command: tuple[str, ...] = COMMAND,
        open_s: float = OPEN_S,
        silent_s: float = SILENT_S,
    ) -> None:
        self.name = settings.source
        self.hint = "does another version of the station run the camera's process?"
        self.warning = _warning(settings.source)
        self._command = (*command, msgspec.json.encode(settings).decode())
        self._open_s = open_s
        self._silent_s = silent_s

    async def open(self) -> CameraChannel:
        """Waits for the first picture. Raises ``PortAbsent``, ``PortBusy``, ``PortForbidden``, ``OptionError`` or
        ``FixConfigError`` for a library that is missing."""
        channel = self._start()
        try:
            async with asyncio.timeout(self._open_s):
                await channel.wait_ready(self.name)
        except TimeoutError as error:
            await channel.close()
            raise PortAbsent(
                f"camera {self.name} gave no picture within {self._open_s:g} s: check its power, cable and address"
            ) from error
        except BaseException:
            await channel.close()
            raise
        return channel

    def _start(self) -> CameraChannel:
        ours, theirs = socket.socketpair()
        answered, asked = os.pipe()
        with theirs:
            ours.setblocking(False)
            os.set_blocking(asked, False)
            process = subprocess.Popen(
                (*self._command, str(answered)),
                stdin=subprocess.DEVNULL,
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                pass_fds=(answered,),
            )
        os.close(answered)
        lines = FdChannel(ours.fileno(), f"camera {self.name}", ours.close)
        return CameraChannel(lines, asked, process, self._silent_s)


class CameraChannel:
    """The lines of one camera process, and the questions to it."""

    def __init__(self, lines: FdChannel, asked: int, process: subprocess.Popen[bytes], silent_s: float) -> None:
        self._lines = lines
        self._asked = asked
        self._process = process
        self._silent_s = silent_s
        self._first = b""

    async def wait_ready(self, name: str) -> None:
        """Returns once the camera gives pictures. Raises what its refusal calls for."""
        lines = MessageLines()
        while True:
            try:
                data = await self._lines.read()
            except LinkLost as error:
                raise RetryableError(f"the process of camera {name} ended before its first picture") from error
            self._first += data
            found, _ = lines.feed(data)
            for message, _ in found[:1]:
                if isinstance(message, Ready):
                    return
                if isinstance(message, CameraRefused):
                    raise _error(message)
            if found:
                raise RetryableError(f"the process of camera {name} began with something else than ready")

    async def read(self) -> bytes:
        """Lines, cut anywhere. Raises ``LinkLost`` when the process ended, or said nothing for three seconds."""
        if self._first:
            data, self._first = self._first, b""
            return data
        try:
            async with asyncio.timeout(self._silent_s):
                return await self._lines.read()
        except TimeoutError as error:
            self._process.kill()
            raise LinkLost(f"the camera's process hung for {self._silent_s:g} s and was ended") from error
        except LinkLost as error:
            with contextlib.suppress(subprocess.TimeoutExpired):
                if self._process.wait(KILLED_S) == ENDED:
                    raise LinkLost("the camera gives no pictures any more") from error
            raise

    async def write(self, data: bytes) -> None:
        """A question. Raises ``LinkLost`` when the process takes none."""
        try:
            os.write(self._asked, data)
        except OSError as error:
            self._process.kill()
            raise LinkLost(f"the camera's process takes no questions ({error.strerror}) and was ended") from error

    async def close(self) -> None:
        """Ends the process. Idempotent."""
        self._process.kill()
        if self._asked >= 0:
            os.close(self._asked)
            self._asked = -1
        await self._lines.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(KILLED_S)


def _error(refused: CameraRefused) -> DeviceError:
    match refused.kind:
        case "absent":
            return PortAbsent(refused.reason)
        case "busy":
            return PortBusy(refused.reason)
        case "forbidden":
            return PortForbidden(refused.reason)
        case "crashed":
            return RetryableError(refused.reason)
        case "option":
            return OptionError(refused.key, refused.reason)
    return FixConfigError(refused.reason)


def _warning(source: str) -> str | None:
    number = source.removeprefix("/dev/video")
    if source == number or not number.isdigit():
        return None
    return (
        f"{source} is a number that changes when cameras are plugged in another order: "
        "use a name under /dev/dealer or /dev/v4l/by-id"
    )
