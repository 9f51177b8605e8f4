"""A mosquitto on the table's PC, bridged to the studio's broker as the documentation says: either may die."""

from __future__ import annotations

import json
import re
from pathlib import Path

from support.mqtt_brokers import Broker, mosquitto
from support.mqtt_link import until
from support.mqtt_uplink import TOPICS, running
from support.mqtt_wire import Witness
from support.studio import Settler, studio

PAGE = "docs/howto/run-on-a-broker-cluster.md"


def bridged(page: Path, folder: Path, studios: Broker) -> Broker:
    """The table PC's broker: its bridge is the one of the documentation, with another address and shorter waits."""
    [block] = re.findall(r"```\n(max_queued_messages.*?)```", page.read_text(), re.DOTALL)
    block, addressed = re.subn(r"(?m)^address .*$", f"address 127.0.0.1:{studios.port}", block)
    block, waits = re.subn(r"(?m)^restart_timeout .*$", "restart_timeout 1", block)
    block, users = re.subn(r"(?m)^(remote_username|remote_password|bridge_cafile) .*\n", "", block)
    assert (addressed, waits, users) == (1, 1, 3)
    folder.mkdir()
    return mosquitto(folder, ["allow_anonymous true", *block.splitlines()], persistence=())


async def test_either_side_of_the_bridge_is_killed_and_no_event_is_lost(tmp_path: Path, repository: Path) -> None:
    studios = mosquitto(tmp_path, persistence=())
    local = bridged(repository / PAGE, tmp_path / "table-pc", studios)
    async with running(studios), running(local), studio([local.port], Settler([studios.port])) as here:
        await here.handled_more(60)
        studios.kill()
        await until(lambda: not here.settler.connected)
        await studios.start()
        await here.handled_more(60)
        local.kill()
        await until(lambda: not here.uplink.status.connected)
        await local.start()
        await here.handled_more(60)
        figures = await here.finish()
        async with Witness.connected(studios.port, "late") as late:
            await late.subscribe(f"{TOPICS.base}/+")
            found = await late.until(lambda seen: {m.topic for m in seen} >= {TOPICS.outcome, TOPICS.state})
            newest = {m.topic: json.loads(m.payload) for m in found}
            assert newest[TOPICS.state]["last_sequence"] == figures["events"]
        await until(lambda: here.uplink.consumer_acks.get("settler") == figures["events"])
        async with Witness.connected(studios.port, "pit") as pit:
            await pit.subscribe("dealer/v1/studio-1/table-pc-7/bridge")
            await pit.until(lambda seen: bool(seen) and seen[-1].payload == b"1")
            local.kill()
            await pit.until(lambda seen: seen[-1].payload == b"0")
    print(figures)
