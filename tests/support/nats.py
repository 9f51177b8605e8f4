"""A NATS server with JetStream and MQTT (3.1.1), as a process of the test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.mqtt_brokers import Broker, free_port

CONFIG = """\
server_name: studio
listen: "127.0.0.1:{nats}"
jetstream {{ store_dir: "{folder}/jetstream" }}
mqtt {{ listen: "127.0.0.1:{mqtt}" }}
"""


def nats(folder: Path) -> Broker:
    """Skips where nats-server is absent."""
    program = shutil.which("nats-server", path="/usr/sbin:/usr/local/bin:/usr/bin")
    if program is None:
        pytest.skip("nats-server is not installed")
    port = free_port()
    (folder / "nats.conf").write_text(CONFIG.format(nats=free_port(), mqtt=port, folder=folder))
    return Broker([program, "-c", str(folder / "nats.conf")], port, folder / "nats.log")
