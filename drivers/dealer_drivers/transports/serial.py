"""A serial port, or anything that looks like one: a USB adapter, a pseudo-terminal.

Traps of the host that this file is built round (``devices.md`` §7): after an unplug ``is_open`` stays true,
``in_waiting`` and ``flush`` raise what nobody expects, ``exclusive`` stops only those who ask for it too, numbers of
``ttyUSB`` change. So pyserial opens and sets the port; bytes go through the descriptor.
"""

from __future__ import annotations

import errno
import fcntl
import grp
import os
import re
import stat
import termios
from contextlib import suppress
from pathlib import Path

import serial

from dealer_drivers.driver import SerialSettings
from dealer_drivers.errors import DeviceError, OptionError, PortAbsent, PortBusy, PortForbidden, RetryableError
from dealer_drivers.transports.fd import FdChannel
from dealer_drivers.transports.holders import holder

GONE = frozenset({errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR, errno.EIO})
PTY_SLAVE_MAJORS = range(136, 144)
"""Linux, Documentation/admin-guide/devices.txt: UNIX98 PTY slaves."""
NUMBERED = re.compile(r"/dev/tty(USB|ACM)\d+")


class SerialTransport:
    """The port at ``path``, no flow control. The path is followed anew at each open, so a stable name keeps working.

    Raises ``OptionError`` for settings that no port has.
    """

    def __init__(self, path: str, settings: SerialSettings) -> None:
        _check(settings)
        self.name = path
        self._settings = settings

    @property
    def hint(self) -> str:
        """What to look at when bytes come and mean nothing."""
        return f"is the speed {spoken(self._settings)}? is it this device?"

    @property
    def warning(self) -> str | None:
        """Says so when the name is a number that changes with the order of plugging in."""
        if not NUMBERED.fullmatch(self.name):
            return None
        return (
            f"{self.name} is a number that changes when devices are plugged in another order: "
            "use a name under /dev/dealer or /dev/serial/by-id"
        )

    async def open(self) -> FdChannel:
        """Opens, claims and sets the port, and throws away bytes that waited in the kernel (pyserial's open does).

        Stale bytes must not be taken as fresh. What follows may begin in mid-line; sessions know that.
        Raises ``PortAbsent``, ``PortBusy``, ``PortForbidden``, ``OptionError``.
        """
        port = self._port()
        fd = port.fileno()
        try:
            _make_strict(fd)
        except (OSError, termios.error) as error:
            port.close()
            raise PortAbsent(f"port {self.name} went away while it was set: {_text(error)}") from error
        return FdChannel(fd, f"port {self.name}", lambda: _close(port))

    def _port(self) -> serial.Serial:
        settings = self._settings
        try:
            status = Path(self.name).stat()
            if not stat.S_ISCHR(status.st_mode):
                raise OptionError(
                    "port", f"{self.name} is no serial port; a recording is written recording:{self.name}"
                )
            if _is_pty(status):  # it has no line: bits and parity mean nothing there, and setting them fails
                settings = SerialSettings(settings.baud)
            return serial.Serial(
                self.name,
                settings.baud,
                settings.data_bits,
                settings.parity,
                settings.stop_bits,
                timeout=0,
                write_timeout=0,
                exclusive=True,
            )
        except OSError as error:  # SerialException is one, and keeps the number of what it wraps
            raise self._refusal(error) from error
        except (termios.error, ValueError) as error:
            raise OptionError("port", f"{self.name} cannot be set to {spoken(settings)}: {_text(error)}") from error

    def _refusal(self, error: OSError) -> DeviceError:
        number = error.errno
        if number in GONE:
            return PortAbsent(f"port {self.name} is not there: is the device plugged in and powered?")
        if number in (errno.EBUSY, errno.EAGAIN):
            who = holder(self.name)
            if who == "this process":
                return PortBusy(f"port {self.name} is in use by this station: two devices name the same port")
            if who is None:
                return PortBusy(f"port {self.name} is in use by another process: `sudo fuser -v {self.name}` names it")
            return PortBusy(
                f"port {self.name} is in use by {who}: stop it, or check that two tables do not name the same port"
            )
        if number in (errno.EACCES, errno.EPERM):
            return PortForbidden(_forbidden(self.name))
        if number is None:  # pyserial found a device that has no serial settings
            return OptionError("port", f"{self.name} is no serial port: {error}")
        return RetryableError(f"port {self.name} could not be opened: {_text(error)}")


def spoken(settings: SerialSettings) -> str:
    """As technicians write it, ``9600 8N1``."""
    return f"{settings.baud} {settings.data_bits}{settings.parity}{settings.stop_bits}"


def _check(settings: SerialSettings) -> None:
    if not 50 <= settings.baud <= 4_000_000:
        raise OptionError("baud", f"{settings.baud} is no speed of a serial port (50 to 4000000)")
    if settings.data_bits not in (5, 6, 7, 8):
        raise OptionError("data_bits", f"{settings.data_bits} is not 5, 6, 7 or 8")
    if settings.parity not in ("N", "E", "O"):
        raise OptionError("parity", f"{settings.parity!r} is not N, E or O")
    if settings.stop_bits not in (1, 2):
        raise OptionError("stop_bits", f"{settings.stop_bits} is not 1 or 2")


def _make_strict(fd: int) -> None:
    iflag, oflag, cflag, lflag, ispeed, ospeed, cc = termios.tcgetattr(fd)
    # A byte with a wrong parity or stop bit, and a break, read as NUL and not as whatever the bits looked like.
    iflag = (iflag | termios.INPCK) & ~(termios.IGNPAR | termios.PARMRK | termios.BRKINT)
    # With VMIN 0 a read of nothing looks like a hang-up; with 1 "nothing yet" is an error of its own.
    cc[termios.VMIN] = 1
    termios.tcsetattr(fd, termios.TCSANOW, [iflag, oflag, cflag, lflag, ispeed, ospeed, cc])
    if not _is_pty(os.fstat(fd)):
        # Keeps out those who ask for no lock (cat, ModemManager without root). A pseudo-terminal would stay
        # locked after a crash for as long as its other end lives.
        fcntl.ioctl(fd, termios.TIOCEXCL)


def _is_pty(status: os.stat_result) -> bool:
    return os.major(status.st_rdev) in PTY_SLAVE_MAJORS


def _close(port: serial.Serial) -> None:
    # Closing waits up to 30 s for unsent bytes to leave a dead port, and with it the whole event loop: drop them.
    with suppress(OSError, termios.error):
        termios.tcflush(port.fileno(), termios.TCOFLUSH)
    port.close()


def _forbidden(path: str) -> str:
    try:
        group = grp.getgrgid(Path(path).stat().st_gid).gr_name
    except (OSError, KeyError):
        return f"port {path} may not be opened by this user: give the station's user rights to it"
    if group == "root":
        return (
            f"port {path} belongs to root alone: give it a group with a udev rule "
            f'(`GROUP="dialout", MODE="0660"`), and make the station\'s user a member of that group'
        )
    return (
        f"port {path} may not be opened by this user: add the station's user to the group {group} "
        f"(`sudo usermod -aG {group} USER`), then restart the station"
    )


def _text(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error.args[-1]) if error.args else type(error).__name__
