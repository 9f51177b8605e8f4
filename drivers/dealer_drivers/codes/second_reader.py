"""The second reader, zbar, in a child process: it may abort, hang or be missing, and this process goes on."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from dealer_drivers.codes.symbology import Symbology
from dealer_drivers.codes.zbar_child import ANSWER, MISSING, REQUEST
from dealer_drivers.errors import FixConfigError

if TYPE_CHECKING:
    from dealer_drivers.codes.picture import Grey

NAMES = {
    Symbology.CODE128: b"CODE128",
    Symbology.CODE39: b"CODE39",
    Symbology.ITF: b"I25",
    Symbology.EAN13: b"EAN13",
    Symbology.EAN8: b"EAN8",
    Symbology.UPCA: b"EAN13",  # told as the EAN-13 that it is, with its leading 0
    Symbology.QRCODE: b"QRCODE",
}
"""What zbar knows. It has no Data Matrix."""
START_S = 10.0
"""Real seconds until it must be ready, on a host that is starting everything at once."""
READ_S = 2.0
"""Real seconds for one picture; a table's picture takes it some milliseconds."""
MAX_ANSWER = 64 * 1024
"""Bytes: many times a picture full of the longest QR codes."""
COMMAND = (sys.executable, "-m", "dealer_drivers.codes.zbar_child")


class SecondReaderMissing(FixConfigError):  # noqa: N818
    """zbar is not on this machine. The text says what to install."""

    def __init__(self) -> None:
        super().__init__(
            "the second reader needs zbar's library and pyzbar: install Debian's package libzbar0 "
            "(`sudo apt-get install libzbar0`), or do without a second reader"
        )


class SecondReader:
    """Asks zbar. One caller at a time; ``close`` or leaving the ``with`` block ends the child.

    ``lost`` counts pictures that the child did not answer: it was ended and starts anew with the next picture.
    """

    def __init__(self, command: tuple[str, ...] = COMMAND, *, read_s: float = READ_S) -> None:
        self.lost = 0
        self._command = command
        self._read_s = read_s
        self._child: tuple[subprocess.Popen[bytes], socket.socket] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Starts the child now, not with the first picture. Raises ``SecondReaderMissing``."""
        if self._child is None:
            self._start()

    def read(self, picture: Grey, symbology: Symbology) -> frozenset[str] | None:
        """The texts that zbar sees; ``None`` where it does not know the symbology or did not answer.

        Raises ``SecondReaderMissing``.
        """
        name = NAMES.get(symbology)
        if name is None:
            return None
        if self._child is None and not self._start():
            self.lost += 1
            return None
        assert self._child is not None
        until = time.monotonic() + self._read_s
        height, width = picture.shape
        try:
            line = self._child[1]
            line.settimeout(self._read_s)
            line.sendall(REQUEST.pack(height, width, name) + picture.tobytes())
            texts = frozenset(self._answer(until))
        except (OSError, ValueError):  # it aborted, hung beyond the time-out, or lost its mind
            self.lost += 1
            self.close()
            return None
        if symbology is Symbology.UPCA:  # what begins with another digit is no UPC-A at all
            return frozenset(text for text in texts if text.startswith("0"))
        return texts

    def close(self) -> None:
        """Ends the child. Idempotent; the next picture starts another."""
        if self._child is None:
            return
        process, line = self._child
        self._child = None
        line.close()
        process.kill()
        process.wait()

    def _start(self) -> bool:
        ours, theirs = socket.socketpair()
        with theirs:
            fd = theirs.fileno()
            process = subprocess.Popen(self._command, stdin=fd, stdout=fd, stderr=subprocess.DEVNULL)
        self._child = process, ours
        try:
            self._answer(time.monotonic() + START_S)
        except (OSError, ValueError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self._read_s)  # its exit code says whether there is any use in trying again
            self.close()
            if process.returncode == MISSING:
                raise SecondReaderMissing from None
            return False
        return True

    def _answer(self, until: float) -> list[str]:
        (size,) = ANSWER.unpack(self._exactly(ANSWER.size, until))
        if size > MAX_ANSWER:
            raise OSError(f"an answer of {size} bytes")
        texts: list[str] = json.loads(self._exactly(size, until))
        return texts

    def _exactly(self, size: int, until: float) -> bytes:
        assert self._child is not None
        line, data = self._child[1], b""
        while len(data) < size:
            line.settimeout(max(0.001, until - time.monotonic()))
            part = line.recv(size - len(data))
            if not part:
                raise ConnectionResetError("the second reader ended")
            data += part
        return data
