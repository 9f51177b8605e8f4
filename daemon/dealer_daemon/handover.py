"""How the technicians' bench asks a running station for a device: the words on the station's local socket.

One JSON line each way. ``Lend`` is answered by ``Answer``s: any number of ``waiting``, then ``lent`` or ``refused``.
The connection is the lease: the device is the bench's until it ends, in whatever way. ``GiveBack`` ends it in order and
is answered by ``returned``. Who may enter the state directory, and nobody else, reaches the socket.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

SOCKET_NAME = "control.sock"
LONGEST_LINE = 4096
LONGEST_WAIT_S = 3600.0


class Lend(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="lend"):
    """The bench wants this device. ``by``: who, for the table's events. It waits ``wait_s`` for a round to end."""

    table: str
    device: str
    by: Annotated[str, Meta(min_length=1, max_length=200)]
    wait_s: Annotated[float, Meta(ge=0, le=LONGEST_WAIT_S)] = 0.0


class GiveBack(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="give_back"):
    """The bench is done. ``resume``: the table goes on, if it stands for nothing else."""

    resume: bool = False


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The station's answer. ``reason`` is a sentence for a person; ``resumed``: the table goes on."""

    state: Literal["waiting", "lent", "refused", "returned"]
    reason: str = ""
    resumed: bool = False


@contextlib.contextmanager
def socket_name(state_dir: Path) -> Iterator[str]:
    """A short name for the socket: the system takes 107 bytes at most, and a state directory may be deeper.

    Raises ``OSError`` where the directory cannot be entered."""
    folder = os.open(state_dir, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{SOCKET_NAME}"
    finally:
        os.close(folder)
