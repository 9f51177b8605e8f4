"""A scanner's driver on its real transport, and nothing round it: says on standard output what the link told.

``python -m support.scan_host DRIVER PORT OPTIONS READINGS``: the options as JSON. Asks for scanning when the link is
up. Ends after so many readings, or when the link is lost or refused; fails when a thread or a task is left over.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from typing import Any

from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import DeviceAction, Output, load_driver
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link, LinkState
from dealer_drivers.transports.factory import make_transport


async def main(name: str, port: str, options: str, count: str) -> None:
    driver = load_driver(name)
    parsed = driver.parse_options(json.loads(options))
    over = asyncio.Event()
    left = int(count)

    def say(**values: Any) -> None:
        print(json.dumps(values), flush=True)

    def on_output(output: Output, at: Instant) -> None:  # noqa: ARG001
        nonlocal left
        for reading in output.readings:
            left -= 1
            kept = {key: getattr(reading, key, None) for key in ("card", "code", "reason", "fault", "detail")}
            said = {key: value for key, value in kept.items() if value is not None}
            say(reading=type(reading).__name__, raw=reading.raw.hex(), **said)
        if left <= 0:
            over.set()

    def on_state(state: LinkState) -> None:
        say(state=state.state, reason=state.reason)
        if state.state == "up":
            link.request(DeviceAction.SCAN_ON)
        if state.state == "waiting":
            over.set()

    link = Link(
        make_transport(port, driver.serial(parsed)),
        driver.session(parsed),
        SystemClock(),
        on_output=on_output,
        on_state=on_state,
    )
    running = asyncio.create_task(link.run())
    await over.wait()
    await link.stop()
    await running
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join(2)
            assert not thread.is_alive(), f"{thread.name} is left over"
    assert asyncio.all_tasks() == {asyncio.current_task()}


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
