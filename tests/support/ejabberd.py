"""A cluster of two ejabberd nodes on loopback, as processes of the test: own folders, names, cookie and ports, no epmd.

Without epmd every node of a cluster listens on one known port, so each node has a loopback address of its own.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from support.mqtt_brokers import Broker, free_port

LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
"""Where Debian puts ejabberd's own code."""

CONFIG = """\
hosts: ["studio.test"]
loglevel: info
auth_method: anonymous
anonymous_protocol: login_anon
listen:
  - port: {port}
    ip: "127.0.0.1"
    module: mod_mqtt
modules:
  mod_mqtt:
    max_queue: 20000
    session_expiry: 1 day
    access_publish: {{"#": all}}
    access_subscribe: {{"#": all}}
"""
JOIN = "ok = ejabberd_cluster:join('{other}'), io:format(\"in the cluster~n\")."


class Node(Broker):
    """One node. ``start`` joins it to ``joins`` the first time; later it knows its cluster by its own database."""

    def __init__(
        self, folder: Path, name: str, address: str, cluster_port: int, cookie: str, joins: Node | None
    ) -> None:
        folder.mkdir()
        port = free_port()
        (folder / "ejabberd.yml").write_text(CONFIG.format(port=port))
        self.name = f"{name}@{address}"
        self.log = folder / "log"
        self._joins = joins
        self._plain = [
            "erl", "-noinput", "-name", self.name, "-setcookie", cookie,
            "-start_epmd", "false", "-erl_epmd_port", str(cluster_port),
            "-kernel", "inet_dist_use_interface", "{" + address.replace(".", ",") + "}",
            "-mnesia", "dir", f'"{folder / "mnesia"}"', "-s", "ejabberd",
        ]  # fmt: skip
        env = {
            "HOME": str(folder),
            "ERL_LIBS": str(LIBRARIES),
            "ERL_CRASH_DUMP": str(folder / "crash"),
            "EJABBERD_CONFIG_PATH": str(folder / "ejabberd.yml"),
            "EJABBERD_LOG_PATH": str(folder / "ejabberd.log"),
        }
        super().__init__(self._plain, port, self.log, env=env, start_s=40)

    async def start(self) -> None:
        joining, self._joins = self._joins, None
        self._command = [*self._plain, *(["-eval", JOIN.format(other=joining.name)] if joining else [])]
        said = self.log.stat().st_size if self.log.exists() else 0
        await super().start()
        word = b"in the cluster" if joining else b"Start accepting TCP connections"
        async with asyncio.timeout(40):
            while word not in self.log.read_bytes()[said:]:
                await asyncio.sleep(0.05)


@asynccontextmanager
async def cluster(folder: Path) -> AsyncIterator[tuple[Node, Node]]:
    """Two nodes that run and know each other. Skips where ejabberd is absent."""
    if shutil.which("ejabberdctl", path="/usr/sbin:/usr/bin") is None:
        pytest.skip("ejabberd is not installed")
    cookie, port = secrets.token_hex(16), free_port()
    first = Node(folder / "a", "a", "127.0.0.1", port, cookie, None)
    second = Node(folder / "b", "b", "127.0.0.2", port, cookie, first)
    try:
        await first.start()
        await second.start()
        yield first, second
    finally:
        # Killed: an orderly end takes its time, and nobody needs what they know.
        second.kill()
        first.kill()
