"""Watches the station from within its own loop, feeds the service manager's watchdog, and says in a line what it does.

In real time, whatever the station's clock does: what is watched is this process.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

import structlog

from dealer_daemon.service.line import TableSays, status_line
from dealer_daemon.service.notify import Notifier
from dealer_daemon.service.watchdog import Signs, feed_every_s, withheld
from dealer_daemon.station.device import DeviceHost
from dealer_daemon.station.host import TableHost

BEAT_S = 0.1
"""How often it sees whether the loop is on time."""
STATUS_EVERY_S = 1.0


class Keeper:
    """See the module. ``says`` gives how each table is."""

    def __init__(self, notifier: Notifier, says: Callable[[], list[TableSays]]) -> None:
        self.note = ""
        self.stops = False
        self._notifier = notifier
        self._says = says
        self._hosts: Mapping[str, TableHost] = {}
        self._devices: Mapping[str, DeviceHost] = {}
        self._ticked_at_s = self._loop_s()
        self._why: str | None = None
        self._task: asyncio.Task[None] | None = None
        self._log = structlog.get_logger()

    def watch(self, hosts: Mapping[str, TableHost], devices: Mapping[str, DeviceHost]) -> None:
        """The tables are taken up: from now on they are looked after. ``devices`` by ``table/device``."""
        self._hosts, self._devices = hosts, devices
        self.ticked()
        self._task = asyncio.create_task(self._run(), name="keeper")
        self._notifier.status(self._line())
        self._notifier.ready()

    def ticked(self) -> None:
        """The tables' time-outs were looked at."""
        self._ticked_at_s = self._loop_s()

    def stopping(self) -> None:
        """The station stops; until that is done it is watched, but for time-outs that nobody looks at any more.
        Idempotent."""
        if not self.stops:
            self.stops = True
            self._notifier.stopping()
            self._notifier.status("stopping: " + self._line())

    async def close(self) -> None:
        """Watch no more. Idempotent."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def show(self) -> None:
        """Say now how things are."""
        if not self.stops:
            self._notifier.status(self._line())

    async def _run(self) -> None:
        limit_s = self._notifier.watchdog_s
        every_s = STATUS_EVERY_S if limit_s is None else min(feed_every_s(limit_s), STATUS_EVERY_S)
        late_s = 0.0
        # Of the system's own clock: the loop's stands still as long as the loop does.
        judged_at_s = time.monotonic()
        if limit_s is not None:
            self._notifier.alive()
        while True:
            before_s = time.monotonic()
            await asyncio.sleep(BEAT_S)
            now_s = time.monotonic()
            late_s = max(late_s, now_s - before_s - BEAT_S)
            if now_s - judged_at_s < every_s:
                continue
            judged_at_s = now_s
            if limit_s is not None:
                self._judge(late_s)
            late_s = 0.0
            self.show()

    def _judge(self, late_s: float) -> None:
        untried = {name: host.untried_s for name, host in self._hosts.items()}
        signs = Signs(
            late_s=late_s,
            unticked_s=0.0 if self.stops else self._loop_s() - self._ticked_at_s,
            untried_s={name: since_s for name, since_s in untried.items() if since_s is not None},
            busy_s={name: device.busy_s for name, device in self._devices.items()},
        )
        why = withheld(signs)
        if why is None:
            self._notifier.alive()
        if (why is None) != (self._why is None):
            state = "withheld" if why else "fed"
            (self._log.error if why else self._log.info)("watchdog", state=state, **({"detail": why} if why else {}))
        self._why = why

    def _line(self) -> str:
        return status_line(self._says(), self._why, self.note)

    @staticmethod
    def _loop_s() -> float:
        return asyncio.get_running_loop().time()
