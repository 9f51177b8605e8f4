"""How long a station that failed again and again waits before it begins: it must neither give up nor spin.

Kept in the folder that the service manager keeps over restarts and empties at boot and at a stop by a person.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

FILE = "failed-starts"
STEADY_S = 60.0
"""A run that lasted so long was no failed start."""
LONGEST_WAIT_S = 60.0
FIRST_WAIT_S = 2.0
MOST = 1000


def wait_s(failed: int) -> float:
    """Seconds to wait after so many failed starts in a row: 0, 2, 4 … 60."""
    return 0.0 if failed == 0 else min(FIRST_WAIT_S * 2.0 ** min(failed - 1, 10), LONGEST_WAIT_S)


class Starts:
    """The count in ``folder``; without one nothing is counted. A folder that cannot be used counts nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else folder / FILE

    def begin(self) -> int:
        """How many starts in a row failed before this one, which counts as failed until it is told otherwise."""
        if self._file is None:
            return 0
        failed = 0
        with contextlib.suppress(OSError, ValueError):
            failed = max(0, min(int(self._file.read_text("ascii")), MOST))
        self._write(failed + 1)
        return failed

    def steady(self) -> None:
        """The station has run for ``STEADY_S``, or ended as it should."""
        if self._file is not None:
            self._write(0)

    def _write(self, count: int) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.write_text(str(count), "ascii")
