"""The daemon for tests, as a process: ``python patched_station.py CLOCK MUTANT COMMAND...``.

It is the daemon as it is, with two things that a test needs: its wall clock is the host's and as many nanoseconds as
the file CLOCK says (eight bytes), so that the clock jumps when the test writes there; and what it waits for of a broker
is as much shorter as its tables are faster. MUTANT ``none``, or a fault put into the daemon on purpose.
"""

from __future__ import annotations

import mmap
import struct
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.pop(0)  # this folder: its modules are the test's

from dealer_daemon.cli import main
from dealer_daemon.station import station
from dealer_drivers.clock import SystemClock
from dealer_drivers.instant import Instant

BROKER_TIMES = {"ack_timeout_s": 3.0, "backoff_min_s": 0.1, "backoff_max_s": 1.0, "refused_wait_s": 2.0}


class JumpingClock(SystemClock):
    """See the module."""

    offset: mmap.mmap

    def now(self) -> Instant:
        """This moment, the wall clock as far off as the file says."""
        at = super().now()
        return Instant(at.mono_ns, at.wall_ns + struct.unpack("q", self.offset[:8])[0])


def patch(clock: Path) -> None:
    """What a test needs of any daemon."""
    with clock.open("r+b") as file:
        JumpingClock.offset = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
    settings = vars(station)["broker_settings"]

    def faster(*arguments: Any, **more: Any) -> Any:
        return replace(settings(*arguments, **more), **BROKER_TIMES)

    vars(station).update(SystemClock=JumpingClock, broker_settings=faster)


if __name__ == "__main__":
    clock, mutant, *command = sys.argv[1:]
    patch(Path(clock))
    if mutant != "none":
        sys.path.insert(1, str(Path(__file__).parent.parent))
        from chaos.mutants import MUTANTS

        MUTANTS[mutant]()
    sys.exit(main(command))
