"""A device on its wire: what a port carries, byte by byte and moment by moment. Pure.

Every device the simulator knows is a ``SimDevice``; ports and the loop in ``simulation.py`` know nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from hw_sim.faults import Fault

if TYPE_CHECKING:
    from pathlib import Path

    from hw_sim.mjpeg import Paint


@dataclass(frozen=True, slots=True)
class Bytes:
    """These arrive at the host."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Plug:
    """The plug is pulled (``inserted`` false) or put in again."""

    inserted: bool


Action = Bytes | Plug


class UnknownWord(ValueError):  # noqa: N818
    """Nobody at the device knows this word. The text lists those that are known."""


class SimDevice(Protocol):
    """One simulated device with its wire. Seconds are the device's own."""

    name: str
    driver: str
    """The station's driver for it, as its configuration names it."""
    model: str

    @property
    def now_s(self) -> float:
        """The device's present moment."""
        ...

    def next_s(self) -> float:
        """When something happens next; ``math.inf`` when only the host or a person can bring it about."""
        ...

    def advance(self, to_s: float) -> list[Action]:
        """Goes on to a moment; what reached the port until then, in order."""
        ...

    def receive(self, data: bytes) -> list[Action]:
        """The host sent bytes, now."""
        ...

    def attached(self) -> None:
        """A host opened the port, now."""
        ...

    def inject(self, fault: str) -> None:
        """The next game gets the fault of this name. Raises ``UnknownFault`` where the model has no such fault."""
        ...

    def note(self, fault: Fault) -> None:
        """Something was done from outside; it belongs into the record of what is in play."""
        ...

    def plugged(self, inserted: bool) -> None:
        """The plug was pulled or put in from outside, now; it belongs into every record until it is in again."""
        ...

    def power_cycle(self) -> None:
        """Power fails and comes back, now."""
        ...

    def in_play(self) -> dict[str, Any] | None:
        """The record of what is going on now, unfinished; ``None`` when nothing is."""
        ...


@runtime_checkable
class Attended(Protocol):
    """A device with a person at it, who does what the station's screen or the service manager says."""

    def tell(self, word: str) -> None:
        """Says something to that person. Raises ``UnknownWord``."""
        ...

    def words(self) -> Mapping[str, str]:
        """What may be said, ``N`` for a number, and what is done then."""
        ...


@runtime_checkable
class InSight(Protocol):
    """A device at which a person sees something that the wire does not carry, or that a technician compares with it."""

    def look(self) -> Mapping[str, str]:
        """What is seen now, by what it is of; ``-`` where there is nothing to be seen of it."""
        ...


@runtime_checkable
class WithAnswers(Protocol):
    """A device of which a person could say beforehand what will be seen."""

    def answers(self) -> str:
        """A technician's answers, a line each; empty where nobody knows them yet."""
        ...


@runtime_checkable
class WithFiles(Protocol):
    """A device that a host cannot understand by its port alone."""

    def files(self) -> Mapping[str, str | bytes]:
        """What else the host needs: file name to contents."""
        ...


@runtime_checkable
class Captured(Protocol):
    """A device that no port of ours can stand for: a host sees it when it is started by another program."""

    usb_port: str
    """What the host opens, ``usb:VID:PID``."""

    def run_line(self, folder: Path) -> str:
        """What stands before the host's own command; the device's files are in ``folder``."""
        ...


@runtime_checkable
class Pictured(Protocol):
    """A device whose port carries pictures: its options have ``port = "http"`` and ``fps``."""

    def shot(self) -> Paint | None:
        """What the camera sees at the device's present moment, to be drawn in another thread; ``None``: no picture."""
        ...


@runtime_checkable
class Watching(Protocol):
    """A camera that looks at what another device does."""

    watches: str
    """The other's name."""
