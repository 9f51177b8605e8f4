"""What a host may ask of an Angel Eye II-EX, and what it answers (``devices.md`` §2)."""

from __future__ import annotations

import math
from collections import deque
from typing import Literal

from hw_sim.shoe.telegrams import ACK, ETX, NAK, STX, check

Said = Literal["acknowledged", "clear", "lock"]

LONGEST = 32
"""Bytes of a command without its end; ours, the published ones have ten."""
BAD_CHECK, NO_ETX, BAD_FORMAT, NO_COMMAND, NO_TYPE = b"02", b"03", b"11", b"13", b"14"
PRESETS = b"GP000000"
"""The answer to a read is not published: this one is ours."""


class Console:
    """``STX 'O' 'P' type data ETX BCC``. ``stx_in_bcc``: the check covers STX too, as in the published example."""

    def __init__(self, stx_in_bcc: bool) -> None:
        self._stx_in_bcc = stx_in_bcc
        self._held = bytearray()
        self._answers: deque[bytes] = deque()
        self.locked = False

    def power_lost(self) -> None:
        """Nothing is held, no card is locked in."""
        self._held.clear()
        self._answers.clear()
        self.locked = False

    def next_s(self) -> float:
        """An answer goes out at once."""
        return 0.0 if self._answers else math.inf

    def due(self) -> bytes:
        """The next answer."""
        return self._answers.popleft()

    def receive(self, data: bytes, now_s: float) -> list[Said]:  # noqa: ARG002
        """What the host said, as far as the shoe must do something about it."""
        said: list[Said] = []
        for byte in data:
            one = bytes([byte])
            if not self._held:
                if one == STX:
                    self._held.append(byte)
                elif one == ACK:
                    said.append("acknowledged")
                continue
            self._held.append(byte)
            etx = self._held.find(ETX)
            if etx >= 0 and len(self._held) == etx + 3:
                said += self._command(bytes(self._held), etx)
                self._held.clear()
            elif len(self._held) > LONGEST:
                self._answers.append(NAK + NO_ETX)
                self._held.clear()
        return said

    def _command(self, frame: bytes, etx: int) -> list[Said]:
        body = frame[1:etx]
        covered = frame[0 if self._stx_in_bcc else 1 : etx + 1]
        said: list[Said] = []
        answer = ACK
        if check(covered) != frame[etx + 1 :]:
            answer = NAK + BAD_CHECK
        elif body[:2] != b"OP":
            answer = NAK + NO_COMMAND
        elif len(body) != 6 or not body[4:].isdigit():
            answer = NAK + BAD_FORMAT
        elif body[2:] in (b"LK02", b"LK01"):
            self.locked = body[2:] == b"LK02"
            said = ["lock"]
        elif body[2:4] == b"EC":
            said = ["clear"]
        elif body[2:] == b"GP00":
            content = PRESETS + ETX
            answer = STX + content + check((STX if self._stx_in_bcc else b"") + content)
        else:
            answer = NAK + NO_TYPE
        self._answers.append(answer)
        return said
