"""A technician's bench as a process of its own: takes a device and holds it until a line comes, or it is killed.

``python -m support.bench_holder CONFIG TABLE DEVICE [OPTIONS]``; says on standard output what happens, as JSON lines.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from dealer_calibration.bench import BenchError, Talk, device_of, taken
from dealer_drivers.clock import SystemClock


def say(**values: Any) -> None:
    print(json.dumps(values), flush=True)


async def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("config", type=Path)
    parser.add_argument("table")
    parser.add_argument("device")
    parser.add_argument("--by", default="Li")
    parser.add_argument("--wait", type=float, default=0.0)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--speed", type=float, default=1.0)
    given = parser.parse_args()
    device = device_of(given.config, given.table, given.device)
    clock = SystemClock(given.speed)
    try:
        async with taken(
            device,
            by=given.by,
            wait_s=given.wait,
            resume=given.resume,
            say=lambda text: say(said=text),
            clock=clock,
        ) as link:
            await link.up(within_s=30.0 * given.speed)
            say(up=True)
            enough = asyncio.create_task(_heard(link))
            await Talk().text("end", "?", empty=True)
            enough.cancel()
            await asyncio.gather(enough, return_exceptions=True)
            say(bytes_in=link.health.bytes_in)
    except BenchError as error:
        say(error=str(error), code=error.code)
        return error.code
    return 0


async def _heard(link: Any) -> None:
    async for _ in link:
        if link.health.bytes_in:
            say(heard=True)
            return


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
