"""A shuffler's driver on its real transport, and nothing round it: says on standard output what the link told.

``python -m support.shuffler_host PORT``: ends when the link is lost or refused; fails when a thread or a task is left.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading

from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import Output
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link, LinkState
from dealer_drivers.shuffler.generic import DRIVER
from dealer_drivers.transports.factory import device_transport


async def main(port: str) -> None:
    options = DRIVER.parse_options({"poll_s": 2.5})
    over = asyncio.Event()

    def on_output(output: Output, at: Instant) -> None:  # noqa: ARG001
        for reading in output.readings:
            kept = {
                key: getattr(reading, key, None) for key in ("state", "job", "deck_set", "counted", "fault", "detail")
            }
            said = {key: value for key, value in kept.items() if value is not None}
            print(json.dumps({"reading": type(reading).__name__, "raw": reading.raw.decode(), **said}), flush=True)

    def on_state(state: LinkState) -> None:
        print(json.dumps({"link": state.state, "reason": state.reason}), flush=True)
        if state.state == "waiting":
            over.set()

    transport = device_transport(DRIVER, port, options)
    link = Link(transport, DRIVER.session(options), SystemClock(), on_output=on_output, on_state=on_state)
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
    asyncio.run(main(sys.argv[1]))
