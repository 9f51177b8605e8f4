"""What can go wrong with a device's connection, by the reaction it calls for.

::

    DeviceError
    ├── RetryableError      try again by yourself, and say so
    │   ├── PortAbsent      unplugged, name not there yet, serial server refuses the connection
    │   ├── PortBusy        another process has the port
    │   └── LinkLost        it was open and is gone: plug pulled, server closed, read failed
    │       └── Lent        given away on purpose, and comes back
    ├── GiveUpError         no use trying again: say why and wait for a person
    │   └── RecordingEnded  a replay has no more bytes
    └── FixConfigError      the configuration is wrong: say which key, and what would be right
        ├── PortForbidden   no rights to the port
        └── OptionError     an option of a driver or transport cannot be
"""

from __future__ import annotations


class DeviceError(Exception):
    """Base of all. The text is a sentence for a person and says what to do next."""


class RetryableError(DeviceError):
    """The supervisor tries again with capped back-off."""


class PortAbsent(RetryableError):  # noqa: N818
    """The port's name does not exist, or nobody listens at the address."""


class PortBusy(RetryableError):  # noqa: N818
    """Another process has the port open. The text names it where the system tells."""


class LinkLost(RetryableError):  # noqa: N818
    """An open link ended: unplugged, closed by the other side, or a read failed."""


class Lent(LinkLost):
    """The station closed the link on purpose, for somebody who has the device now: there is nothing to mend."""


class GiveUpError(DeviceError):
    """Trying again changes nothing."""


class RecordingEnded(GiveUpError):  # noqa: N818
    """A recording was replayed to its end."""


class FixConfigError(DeviceError):
    """Only a person can mend it, in the configuration or on the host."""


class PortForbidden(FixConfigError):  # noqa: N818
    """The process may not open the port."""


class OptionError(FixConfigError):
    """A driver's or transport's option is impossible. ``key`` names it."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"{key}: {reason}")
        self.key = key
        self.reason = reason
