"""Options of the networked shaker, and what they send."""

from __future__ import annotations

from dealer_drivers.driver import DriverOptions
from dealer_drivers.errors import OptionError


class NetworkedOptions(DriverOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of ``shaker-networked``."""

    control: bool = False
    """May the station start the shaker? Without it, it only listens and asks for the state."""
    ask: bool = True
    """May the station ask for the state (``/state``)? ``false`` where another host does: then nothing is sent, and a
    shaker that lost its power is noticed late."""
    pattern: int = 1
    """Of the start command, as the shaker's maker numbers them: 1 to 9."""
    parameter1: int = 50
    """Of the start command, 0 to 100."""
    parameter2: int = 50
    """Of the start command, 0 to 100."""
    amplitude: int = 80
    """Of the start command, percent, 1 to 100."""
    duration_ms: int = 4000
    """Of the start command: how long it shakes, 200 to 20000."""
    poll_s: float = 5.0
    """How often the state is asked for while the shaker stands, 1 to 60."""
    username: str | None = None
    """At the broker, where it wants one."""
    password_file: str | None = None
    """A file that holds the password and nothing else."""
    ca_file: str | None = None
    """The authorities to trust for ``mqtts://``, instead of the system's."""

    def problems(self) -> list[OptionError]:
        """Figures out of range."""
        problems = [
            OptionError(key, f"{getattr(self, key):g} is out of range; it must be {low} to {high}")
            for key, low, high in (
                ("pattern", 1, 9),
                ("parameter1", 0, 100),
                ("parameter2", 0, 100),
                ("amplitude", 1, 100),
                ("duration_ms", 200, 20_000),
                ("poll_s", 1, 60),
            )
            if not low <= getattr(self, key) <= high
        ]
        if self.control and not self.ask:
            problems.append(OptionError("control", "a shaker that may not be asked cannot be started: set ask = true"))
        if self.password_file is not None and self.username is None:
            problems.append(OptionError("username", "a password needs the name of its user"))
        return problems

    def shake_told(self) -> tuple[str, float]:
        """See ``DriverOptions``."""
        return "duration_ms", self.duration_ms / 1000

    def cycle(self) -> bytes:
        """The start command, its parameters in the documented order (``devices.md`` §4)."""
        return (
            f"/cycle/?pattern={self.pattern}&parameter1={self.parameter1}&parameter2={self.parameter2}"
            f"&amplitude={self.amplitude}&duration={self.duration_ms}"
        ).encode("ascii")
