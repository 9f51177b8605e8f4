"""The words to systemd: one datagram each, ``KEY=value`` lines, to the socket that it names (sd_notify(3))."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import MutableMapping

SOCKET, WATCHDOG, WATCHDOG_PID = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"
SEND_WITHIN_S = 0.5
"""The service manager reads at once; one that does not must not hold up a table."""
LONGEST_STATUS = 500


class Notifier:
    """Tells the service manager, where there is one; else every call does nothing.

    ``address`` is a path, or a name in the abstract name space that begins with ``@``. ``watchdog_s``: within so many
    seconds it wants to hear that all is well; ``None``: never.
    """

    def __init__(self, address: str | None = None, watchdog_s: float | None = None) -> None:
        self.watchdog_s = watchdog_s
        self._address = None if address is None else "\0" + address[1:] if address.startswith("@") else address
        self._status = ""
        self._owed: list[str] = []

    @classmethod
    def from_environment(cls, environment: MutableMapping[str, str] | None = None) -> Notifier:
        """As the service manager says in the environment, from which it is taken: no child is to speak for us."""
        variables = os.environ if environment is None else environment
        address = variables.pop(SOCKET, "")
        limit, pid = variables.pop(WATCHDOG, ""), variables.pop(WATCHDOG_PID, "")
        ours = pid in ("", str(os.getpid()))
        watchdog_s = int(limit) / 1e6 if limit.isascii() and limit.isdigit() and int(limit) and ours else None
        # Other kinds of address (vsock) are for virtual machines.
        return cls(address, watchdog_s) if address[:1] in ("/", "@") and len(address) > 1 else cls()

    @property
    def listened_to(self) -> bool:
        """Whether there is a service manager."""
        return self._address is not None

    def ready(self) -> bool:
        """The station took up its tables, or a reload is over."""
        return self._owe("READY=1")

    def reloading(self) -> bool:
        """The configuration is being read again; ``ready`` follows."""
        return self._owe(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> bool:
        """The station stops."""
        return self._owe("STOPPING=1")

    def alive(self) -> bool:
        """Feeds the watchdog."""
        return self._tell("WATCHDOG=1")

    def status(self, line: str) -> bool:
        """One line for people; the same again is not sent."""
        text = " ".join("".join(char if char.isprintable() else " " for char in line).split())[:LONGEST_STATUS]
        if text == self._status:
            return True
        told = self._tell(f"STATUS={text}")
        if told:
            self._status = text
        return told

    def _owe(self, message: str) -> bool:
        """A change of state: where it is not taken, it is said again before anything else."""
        if self._address is not None:
            self._owed.append(message)
        return self._pay() and self._address is not None

    def _pay(self) -> bool:
        while self._owed and self._sent(self._owed[0]):
            del self._owed[0]
        return not self._owed

    def _tell(self, message: str) -> bool:
        return self._pay() and self._sent(message)

    def _sent(self, message: str) -> bool:
        """Whether it was taken."""
        if self._address is None:
            return False
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.settimeout(SEND_WITHIN_S)
            return out.sendto(message.encode(), self._address) > 0
        return False
