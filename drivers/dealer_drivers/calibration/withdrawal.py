"""What was measured on a device before it was changed so that none of it fits: a file beside its calibrations.

A newer calibration does not end it: who works with an older one, in memory or by its id, still must not go on.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from dealer_drivers.calibration.form import ID, CalibrationError

WITHDRAWN = "withdrawn"


class Withdrawal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``newest``: the id of the newest calibration there was, which went with all before it. ``files``: hashes of what
    was in use by path, ``sha256:…``. ``times``: how often the device was changed so."""

    newest: str | None = None
    files: tuple[str, ...] = ()
    times: int = 0

    def has(self, id_: str) -> bool:
        """Whether the calibration is one of those."""
        return self.newest is not None and count_of(id_) <= count_of(self.newest)

    def again(self, newest: str | None, files: Iterable[str]) -> Withdrawal:
        """The device was changed once more."""
        return Withdrawal(
            newest=newest or self.newest, files=tuple(dict.fromkeys((*self.files, *files))), times=self.times + 1
        )


def read_withdrawal(folder: Path) -> Withdrawal:
    """Of the device whose calibrations are in ``folder``. Raises ``CalibrationError`` where it cannot be read."""
    path = folder / WITHDRAWN
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Withdrawal)
    except FileNotFoundError:
        return Withdrawal()
    except OSError as error:
        raise CalibrationError(path, [f"cannot be read: {error.strerror}"]) from error
    except msgspec.MsgspecError as error:
        raise CalibrationError(path, [_unreadable(error)]) from error
    if found.newest is not None and not ID.fullmatch(found.newest):
        raise CalibrationError(path, [_unreadable(f"{found.newest[:80]!r} is no calibration's id")])
    return found


def count_of(id_: str) -> int:
    """The number by which calibrations of a device are ordered."""
    return int(id_.partition("-")[0])


def _unreadable(why: object) -> str:
    return f"cannot be read ({why}): calibrate the device anew, then remove this file"
