"""A RabbitMQ with its MQTT plugin (3.1.1), as a process of the test with everything of its own, epmd too."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from support.mqtt_brokers import Broker, free_port

INSTALLED = Path("/usr/lib/rabbitmq/lib")
CONFIG = """\
listeners.tcp.1 = 127.0.0.1:{amqp}
mqtt.listeners.tcp.1 = 127.0.0.1:{mqtt}
mqtt.allow_anonymous = true
"""


@asynccontextmanager
async def rabbitmq(folder: Path) -> AsyncIterator[Broker]:
    """A node that runs. Skips where RabbitMQ is absent. It takes a quarter of a minute to start."""
    names = free_port()
    broker, epmd = _node(folder, names), _epmd(names)
    try:
        await broker.start()
        yield broker
    finally:
        broker.kill()
        epmd.kill()
        epmd.wait(10)


def _epmd(port: int) -> subprocess.Popen[bytes]:
    """Started by us, so that Erlang starts none, which would outlive the test."""
    command = ["epmd", "-port", str(port), "-address", "127.0.0.1"]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)


def _node(folder: Path, names: int) -> Broker:
    programs = list(INSTALLED.glob("rabbitmq_server-*/sbin/rabbitmq-server"))
    if not programs:
        pytest.skip("rabbitmq-server is not installed")
    port = free_port()
    (folder / "rabbit.conf").write_text(CONFIG.format(amqp=free_port(), mqtt=port))
    (folder / "plugins").write_text("[rabbitmq_mqtt].\n")
    env = {
        "HOME": str(folder),
        "ERL_EPMD_PORT": str(names),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_CONF_ENV_FILE": "/dev/null",
        "RABBITMQ_NODENAME": "studio@localhost",
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbit"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_GENERATED_CONFIG_DIR": str(folder / "generated"),
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_LOGS": "-",
    }
    return Broker([str(programs[-1])], port, folder / "rabbitmq.log", env=env, start_s=90, group=True)
