"""An embedded broker: mosquitto where it is installed, else amqtt from the environment (MQTT 3.1.1 only)."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from dealer_daemon.demo.processes import DemoFailed, Part, wait_for_port

_AMQTT = """
import asyncio, json, sys
from amqtt.broker import Broker
async def main():
    broker = Broker(json.loads(sys.argv[1]))
    await broker.start()
    await asyncio.Event().wait()
asyncio.run(main())
"""


def start_broker(port: int, folder: Path, kind: str) -> tuple[Part, str]:
    """A broker on the loopback, and what it is called. ``kind``: ``auto``, ``mosquitto`` or ``amqtt``.

    Raises ``DemoFailed`` when it does not start, or mosquitto is asked for and not there.
    """
    mosquitto = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if kind == "mosquitto" and mosquitto is None:
        raise DemoFailed("mosquitto is not installed: apt-get install mosquitto, or --broker amqtt")
    if mosquitto is not None and kind != "amqtt":
        config = folder / "mosquitto.conf"
        config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        part, name = Part("mosquitto", [mosquitto, "-c", str(config)], folder / "broker.log"), "mosquitto (MQTT 5)"
    else:
        settings = {
            "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}},
            "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
        }
        command = [sys.executable, "-c", _AMQTT, json.dumps(settings)]
        part, name = Part("amqtt", command, folder / "broker.log"), "amqtt (MQTT 3.1.1)"
    try:
        wait_for_port(port, part)
    except BaseException:  # Ctrl-C, too: nobody else knows of it yet
        part.stop()
        raise
    return part, name
