"""A real MQTT client written by others (mqtt.js) receives the events and validates them against the schemas."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

from hw_sim.simulation import running
from support.live import BASE, live

SPEED = 25.0


async def test_mqtt_js_receives_valid_events_over_both_versions(tmp_path: Path, repository: Path) -> None:
    node = shutil.which("node")
    assert node, "node is not installed: run the tests with `make test`, which installs it"
    async with (
        live(tmp_path) as here,
        running("roulette-m360", speed=SPEED, seed=11, run_dir=tmp_path / "dev") as wheel,
    ):
        here.configure(
            wheel.ports["wheel"], driver="cammegh-m360", spin='laps = "counted"', options="extended = true", speed=SPEED
        )
        await here.daemon_up()

        async def told(version: str) -> dict[str, Any]:
            client = await asyncio.create_subprocess_exec(
                node,
                str(repository / "tests/js/consumer.mjs"),
                f"mqtt://127.0.0.1:{here.port}",
                BASE,
                str(repository / "docs/reference/schemas"),
                "3",
                version,
                stdout=asyncio.subprocess.PIPE,
            )
            out, _ = await client.communicate()
            assert client.returncode == 0, (version, out)
            return json.loads(out)  # type: ignore[no-any-return]

        for seen in await asyncio.gather(told("5"), told("4")):
            assert seen["invalid"] == []
            assert seen["types"]["round.outcome"] >= 3
            first_seen = list(dict.fromkeys(seen["sequences"]))
            assert set(range(min(first_seen), max(first_seen) + 1)) == set(first_seen)
            assert seen["reply"]["data"]["ok"] is True
            assert seen["retained"]["presence"]["online"] is True
            assert seen["retained"]["state"]["table"] == "r1"
            assert seen["retained"]["devices/wheel"]["link"] == "up"
            assert seen["retained"]["outcome"]["type"] == "round.outcome"
        await here.daemon.end()
