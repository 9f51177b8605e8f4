"""A station as a studio runs it: TLS with client certificates, an access list, a signing key; and who tries doors."""

from __future__ import annotations

import asyncio
import json
import ssl
import stat
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest

from dealer_daemon.acl import grants, mosquitto_acl, read_clients
from dealer_daemon.cli import main
from dealer_daemon.config import load_config
from dealer_daemon.mqtt.envelope import verify_event
from dealer_daemon.mqtt.head_body import verify_head
from dealer_daemon.signing import PublicKeys, key_id, read_public_key
from hw_sim.simulation import running
from support.live import BASE, Child, until
from support.mqtt_brokers import Broker, mosquitto
from support.mqtt_person import Person
from support.pki import Authority

SPEED = 25.0
DAEMON = (sys.executable, "-m", "dealer_daemon")
PASSWORD = "correct-horse-battery-staple"
CONFIG = """
[station]
site = "studio-1"
state_dir = "state"
signing_key_file = "keys/signing-key.pem"
[mqtt]
url = "mqtts://127.0.0.1:{port}"
username = "table-pc"
password_file = "credential:broker-password"
ca_file = "pki/ca.pem"
cert_file = "pki/table-pc.pem"
key_file = "pki/table-pc.key"
roles_by_topic = true
[tables.r1]
game = "roulette"
round_source = "device"
spin = {{laps = "unobserved", unobserved = "accept"}}
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "{wheel}"
"""
CLIENTS = """
[clients.lobby]
kind = "server"
tables = ["r1"]
[clients.pit]
kind = "manager"
tables = ["r1"]
"""


@dataclass
class Studio:
    """All of it. Clients are told apart by the common names of their certificates."""

    folder: Path
    broker: Broker
    daemon: Child
    keys: PublicKeys

    def person(self, name: str, *topics: str) -> Person:
        context = ssl.create_default_context(cafile=self.folder / "pki" / "ca.pem")
        context.load_cert_chain(self.folder / "pki" / f"{name}.pem", self.folder / "pki" / f"{name}.key")

        def prepare(client: paho.Client) -> None:
            client.tls_set_context(context)

        return Person(self.broker.port, *(f"{BASE}/{topic}" for topic in topics), prepare=prepare)

    async def daemon_up(self) -> None:
        said = len(self.daemon.said())
        await self.daemon.start()
        await until(lambda: "station_started" in self.daemon.said()[said:], f"it starts:\n{self.daemon.said()}")


@pytest.fixture
async def studio(tmp_path: Path) -> AsyncIterator[Studio]:
    (tmp_path / "pki").mkdir()
    authority = Authority(tmp_path / "pki", "ca")
    for name in ("broker", "table-pc", "lobby", "pit"):
        authority.issue(name)
    assert main(["keys", "make", "--dir", str(tmp_path / "keys")]) == 0
    public = read_public_key(tmp_path / "keys" / "signing-key.pub.pem")
    (tmp_path / "credentials").mkdir()
    (tmp_path / "credentials" / "broker-password").write_text(PASSWORD)
    (tmp_path / "clients.toml").write_text(CLIENTS)
    pki = tmp_path / "pki"
    listener = [f"cafile {pki}/ca.pem", f"certfile {pki}/broker.pem", f"keyfile {pki}/broker.key"]
    listener += ["require_certificate true", "use_identity_as_username true"]
    broker = mosquitto(tmp_path, ["allow_anonymous false", f"acl_file {tmp_path}/acl"], listener)
    config = tmp_path / "station.toml"
    async with running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as wheel:
        config.write_text(CONFIG.format(port=broker.port, wheel=wheel.ports["wheel"]))
        loaded = load_config(config)
        clients = read_clients(tmp_path / "clients.toml", loaded)
        (tmp_path / "acl").write_text(mosquitto_acl(grants(loaded, clients, "table-pc")))
        await broker.start()
        # umask 0: what the daemon makes must be safe by itself.
        code = "import os, sys; os.umask(0); from dealer_daemon.cli import entry; entry()"
        run = (sys.executable, "-c", code, "run", "--config", str(config), "--speed", f"{SPEED:g}")
        daemon = Child("env", f"CREDENTIALS_DIRECTORY={tmp_path}/credentials", *run, log=tmp_path / "daemon.log")
        try:
            yield Studio(tmp_path, broker, daemon, {key_id(public): public})
        finally:
            await daemon.kill()
            broker.stop()


def command(command_id: str, name: str, role: str, **data: Any) -> bytes:
    body = {"id": command_id, "type": name, "source": f"/x/{role}", "data": {"by": "anna", "role": role, **data}}
    return json.dumps(body).encode()


async def reply(person: Person, command_id: str) -> dict[str, Any]:
    def found() -> Any:
        bodies = [json.loads(m.payload)["data"] for m in person.messages if "/replies/" in m.topic]
        return [body for body in bodies if body["command"] == command_id]

    return (await until(found, f"an answer to {command_id}"))[-1]  # type: ignore[no-any-return]


async def test_a_station_behind_tls_and_an_access_list_whose_every_event_is_signed(studio: Studio) -> None:
    said = ("events/+", "outcome", "presence", "journal")
    async with (
        studio.person("lobby", *said, "replies/lobby") as lobby,
        studio.person("pit", "replies/pit") as pit,
    ):
        await studio.daemon_up()

        def of(topic: str) -> list[bytes]:
            return [bytes(m.payload) for m in lobby.messages if m.topic.startswith(f"{BASE}/{topic}")]

        await until(lambda: of("outcome"), "an outcome")
        [key] = studio.keys
        assert all(verify_event(body, studio.keys) for body in of("events/") + of("outcome"))
        birth = json.loads(of("presence")[-1])
        assert birth["key"] == key
        assert birth["public_keys"].keys() == {key}
        assert main(["keys", "show", str(studio.folder / "state" / "public-keys" / f"{key}.pem")]) == 0
        await until(lambda: of("journal"), "a head")
        assert verify_head(of("journal")[-1], studio.keys)

        # A server speaks as a server, on its own topic and under its own role, and no other way.
        as_server, as_manager = f"{BASE}/commands", f"{BASE}/commands/manager"
        pause = ("table.pause", "server")
        assert await lobby.publish(as_manager, command("f-1", "table.pause", "manager", reason="x"))
        assert await lobby.publish(f"{BASE}/outcome", of("outcome")[-1], retain=True)
        assert await lobby.publish(f"{BASE}/events/round.outcome", of("outcome")[-1])
        assert not await lobby.publish(as_server, command("f-2", "round.void", "manager", reason="x"))
        await until(lambda: "may not speak on" in studio.daemon.said(), "the forged role is refused")
        message = command("f-3", *pause, reason="x").replace(b"/x/server", b"/x/lobby")
        assert not await lobby.publish(as_server, message)
        assert (await reply(lobby, "f-3"))["ok"]
        # The same again has no second effect; the manager's word on his topic counts.
        assert not await lobby.publish(as_server, message)
        resume = command("f-4", "table.resume", "manager", reason="x").replace(b"/x/manager", b"/x/pit")
        assert not await pit.publish(as_manager, resume)
        assert (await reply(pit, "f-4"))["ok"]
        ended = next(json.loads(body)["subject"] for body in of("events/round.outcome"))
        void = command("f-5", "round.void", "manager", reason="x", round=ended).replace(b"/x/manager", b"/x/pit")
        assert not await pit.publish(as_manager, void)
        assert (await reply(pit, "f-5"))["error"] == "wrong_round"
        types = [json.loads(body)["type"] for body in of("events/")]
        assert types.count("table.paused") == 1
        assert "round.voided" not in types
        assert open_to_others(studio.folder / "state") == {}
        assert await studio.daemon.end() == 0

    # The journal proves itself against the head and the public key; a changed row does not.
    head = studio.folder / "head.json"
    head.write_bytes(of("journal")[-1])
    journal = studio.folder / "state" / "journal.sqlite3"
    public = str(studio.folder / "keys" / "signing-key.pub.pem")
    assert main(["journal", "verify", str(journal), "--head", str(head), "--public-key", public]) == 0
    head.write_bytes(of("journal")[-1].replace(b'"row":', b'"row":1'))
    assert main(["journal", "verify", str(journal), "--head", str(head), "--public-key", public]) == 1


async def ended(child: Child) -> int:
    """The exit code of a process that ends by itself."""
    assert child.process is not None
    async with asyncio.timeout(20):
        code = await child.process.wait()
    child.process = None
    return code


def told_by_proc(pid: int) -> list[bytes]:
    """What everybody may read of a process, and what its user may, of it and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [Path(f"/proc/{each}/{name}").read_bytes() for each in (pid, *children) for name in ("cmdline", "environ")]


async def test_no_secret_is_anywhere_where_it_can_be_read(studio: Studio, capsys: pytest.CaptureFixture[str]) -> None:
    private = (studio.folder / "keys" / "signing-key.pem").read_text().splitlines()[1]
    tls = (studio.folder / "pki" / "table-pc.key").read_text().splitlines()[1:-1]
    secrets = [text.encode() for text in (PASSWORD, private, *tls)]

    def seen_in(*places: bytes) -> list[bytes]:
        return [secret for place in places for secret in secrets if secret in place]

    async with studio.person("lobby", "outcome") as lobby:
        await studio.daemon_up()
        await until(lambda: lobby.messages, "an outcome")
        process = studio.daemon.process
        assert process is not None
        assert not seen_in(*told_by_proc(process.pid))
    # Failures of every kind: broker gone, certificate wrong, password file unreadable, key open to others.
    studio.broker.stop()
    await until(lambda: "mqtt session lost" in studio.daemon.said(), "the loss is said")
    await studio.daemon.end()
    (studio.folder / "credentials" / "broker-password").write_bytes(PASSWORD.encode() + b"\xff")
    await studio.daemon.start()
    assert await ended(studio.daemon) == 2
    assert "mqtt.password_file" in studio.daemon.said()
    assert "UTF-8" in studio.daemon.said()
    asking = Child(*DAEMON, "status", "--config", str(studio.folder / "station.toml"), log=studio.folder / "status.log")
    await asking.start()
    assert await ended(asking) == 3
    key = studio.folder / "keys" / "signing-key.pem"
    key.chmod(0o640)
    await studio.daemon.start()
    assert await ended(studio.daemon) == 2
    assert "chmod 0600" in studio.daemon.said()
    said = capsys.readouterr()
    kept = [path.read_bytes() for path in (studio.folder / "state").rglob("*") if path.is_file()]
    logs = [(studio.folder / name).read_bytes() for name in ("daemon.log", "mosquitto.log", "status.log")]
    assert not seen_in(*kept, *logs, said.out.encode(), said.err.encode())


def open_to_others(state: Path) -> dict[str, str]:
    """What another user of the PC could read, or the group write; public keys and the status socket are meant to be."""
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in (state, *state.rglob("*"))}
    names = {path.name for path in modes}
    assert {"journal.sqlite3", "journal.sqlite3-wal", "journal.lock", "control.sock", "recordings"} <= names
    public = [state / "public-keys", *(state / "public-keys").iterdir(), state / "control.sock"]
    assert not [path for path in public if modes[path] & 0o002]
    return {str(path): oct(mode) for path, mode in modes.items() if mode & 0o027 and path not in public}


async def test_a_credential_that_was_not_handed_over_is_said_at_the_start(studio: Studio) -> None:
    (studio.folder / "credentials" / "broker-password").unlink()
    await studio.daemon.start()
    assert await ended(studio.daemon) == 2
    assert "LoadCredential=broker-password" in studio.daemon.said()
