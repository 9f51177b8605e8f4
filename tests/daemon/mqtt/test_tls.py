"""TLS: both sides prove who they are, and nothing is left unread in a record."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

import pytest

from dealer_daemon.mqtt.client import MqttClient
from dealer_daemon.mqtt.settings import BrokerSettings
from support.mqtt_brokers import Broker, mosquitto
from support.mqtt_link import until
from support.mqtt_outbox import MemoryOutbox, opened
from support.mqtt_uplink import running, uplink_to
from support.mqtt_wire import V5, Peer, Publish, scripted_broker, suback_packet


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate authority, a broker's and a client's certificate, made with openssl."""
    folder = tmp_path_factory.mktemp("pki")

    def run(*command: str) -> None:
        subprocess.run(["openssl", *command], cwd=folder, check=True, capture_output=True)

    def key(name: str) -> list[str]:
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key"]

    for authority in ("ca", "other"):
        subject = f"/CN=test {authority}"
        run("req", "-x509", *key(authority), "-out", f"{authority}.pem", "-days", "2", "-subj", subject)
    (folder / "san").write_text("subjectAltName=IP:127.0.0.1\n")
    for name in ("broker", "client"):
        run("req", *key(name), "-out", f"{name}.csr", "-subj", f"/CN={name}")
        signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "san"]
        run("x509", "-req", "-in", f"{name}.csr", "-out", f"{name}.pem", *signing)
    return folder


def tls_broker(folder: Path, pki: Path) -> Broker:
    listener = [f"cafile {pki}/ca.pem", f"certfile {pki}/broker.pem", f"keyfile {pki}/broker.key"]
    return mosquitto(folder, listener=[*listener, "require_certificate true"])


async def test_over_tls_both_sides_prove_themselves_and_every_message_of_a_burst_arrives(
    tmp_path: Path, pki: Path
) -> None:
    outbox = MemoryOutbox()
    outbox.commit(*[opened()] * 300)
    files = {"ca_file": pki / "ca.pem", "cert_file": pki / "client.pem", "key_file": pki / "client.key"}
    broker = tls_broker(tmp_path, pki)
    async with running(broker), uplink_to(broker.port, outbox, tls=True, **files) as uplink:
        await until(lambda: uplink.published == 300)
        assert uplink.problems == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ca_file": "other.pem"}, "certificate verify failed"),
        ({"ca_file": "absent.pem"}, "No such file"),
        ({"host": "localhost"}, "Hostname mismatch"),
    ],
)
async def test_a_broker_that_cannot_prove_itself_is_not_spoken_to(
    tmp_path: Path, pki: Path, changes: dict[str, str], words: str
) -> None:
    files = {"ca_file": pki / "ca.pem", "cert_file": pki / "client.pem", "key_file": pki / "client.key"}
    if "ca_file" in changes:
        files["ca_file"] = pki / changes["ca_file"]
    more = {"host": changes["host"]} if "host" in changes else {}
    broker = tls_broker(tmp_path, pki)
    async with running(broker), uplink_to(broker.port, MemoryOutbox(), tls=True, **files, **more) as uplink:
        await until(lambda: bool(uplink.problems))
        assert uplink.problems[0].code == "mqtt_tls"
        assert words in uplink.problems[0].detail


async def test_a_burst_of_messages_in_one_tls_record_is_read_to_its_end(pki: Path) -> None:
    """The selector reports the record once; what TLS holds decrypted it does not know of."""

    async def script(peer: Peer, _number: int) -> None:
        await peer.accept()
        peer.send(suback_packet(V5, await peer.read()))
        peer.send(b"".join(Publish("t/c", b"%d" % n).encode(V5) for n in range(50)))
        await peer.next_publish()

    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pki / "broker.pem", pki / "broker.key")
    got: list[bytes] = []
    async with scripted_broker(script, server) as port:
        client = MqttClient(
            BrokerSettings(host="127.0.0.1", port=port, client_id="c", tls=True, ca_file=pki / "ca.pem", keepalive_s=60)
        )
        client.subscribe("t/c", lambda message: got.append(message.payload))
        client.start()
        try:
            await until(lambda: len(got) == 50, timeout_s=5)
        finally:
            await client.stop()
    assert got == [b"%d" % n for n in range(50)]
