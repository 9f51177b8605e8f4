"""TLS: both sides prove who they are, and nothing is left unread in a record."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from dealer_daemon.mqtt.client import MqttClient
from dealer_daemon.mqtt.settings import BrokerSettings, tls_context
from support.mqtt_brokers import Broker, mosquitto
from support.mqtt_link import until
from support.mqtt_outbox import MemoryOutbox, opened
from support.mqtt_uplink import running, uplink_to
from support.mqtt_wire import V5, Peer, Publish, scripted_broker, suback_packet
from support.pki import Authority, self_signed


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The studio's authority and another one, brokers good and bad, clients good and bad."""
    folder = tmp_path_factory.mktemp("pki")
    studio, other = Authority(folder, "ca"), Authority(folder, "other")
    studio.issue("broker")
    studio.issue("client")
    studio.issue("expired", since_days=-3)
    studio.issue("not-yet", since_days=1)
    studio.issue("elsewhere", address="127.0.0.2")
    other.issue("foreign")
    self_signed(folder, "self-signed")
    return folder


def tls_broker(folder: Path, pki: Path, name: str = "broker", *more: str) -> Broker:
    listener = [f"cafile {pki}/ca.pem", f"certfile {pki}/{name}.pem", f"keyfile {pki}/{name}.key"]
    return mosquitto(folder, listener=[*listener, *(more or ("require_certificate true",))])


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
    ("broker_name", "changes", "words"),
    [
        ("broker", {"ca_file": "other.pem"}, "certificate verify failed"),
        ("broker", {"ca_file": None}, "certificate verify failed"),
        ("broker", {"ca_file": "absent.pem"}, "No such file"),
        ("broker", {"host": "localhost"}, "Hostname mismatch"),
        ("elsewhere", {}, "IP address mismatch"),
        ("expired", {}, "certificate has expired"),
        ("not-yet", {}, "certificate is not yet valid"),
        ("foreign", {}, "certificate verify failed"),
        ("self-signed", {}, "self-signed certificate"),
    ],
)
async def test_a_broker_that_cannot_prove_itself_is_not_spoken_to(
    tmp_path: Path, pki: Path, broker_name: str, changes: dict[str, str | None], words: str
) -> None:
    files = {"ca_file": pki / "ca.pem", "cert_file": pki / "client.pem", "key_file": pki / "client.key"}
    if "ca_file" in changes:
        files["ca_file"] = changes["ca_file"] and pki / changes["ca_file"]  # type: ignore[assignment]
    more = {"host": changes["host"]} if "host" in changes else {}
    outbox = MemoryOutbox()
    outbox.commit(opened())
    broker = tls_broker(tmp_path, pki, broker_name)
    async with running(broker), uplink_to(broker.port, outbox, tls=True, **files, **more) as uplink:
        await until(lambda: bool(uplink.problems))
        assert uplink.problems[0].code == "mqtt_tls"
        assert words in uplink.problems[0].detail
        assert uplink.published == 0


@pytest.mark.parametrize("name", [None, "foreign", "expired", "self-signed"])
async def test_a_station_that_cannot_prove_itself_does_not_come_in(tmp_path: Path, pki: Path, name: str | None) -> None:
    files = {"ca_file": pki / "ca.pem"}
    if name is not None:
        files |= {"cert_file": pki / f"{name}.pem", "key_file": pki / f"{name}.key"}
    outbox = MemoryOutbox()
    outbox.commit(opened())
    broker = tls_broker(tmp_path, pki)
    async with running(broker), uplink_to(broker.port, outbox, tls=True, **files) as uplink:
        await until(lambda: bool(uplink.problems))
        assert uplink.published == 0
        assert not uplink.status.connected


async def test_a_key_that_does_not_belong_to_the_certificate_is_said(tmp_path: Path, pki: Path) -> None:
    files = {"ca_file": pki / "ca.pem", "cert_file": pki / "client.pem", "key_file": pki / "broker.key"}
    broker = tls_broker(tmp_path, pki)
    async with running(broker), uplink_to(broker.port, MemoryOutbox(), tls=True, **files) as uplink:
        await until(lambda: bool(uplink.problems))
        assert uplink.problems[0].code == "mqtt_tls"


def test_tls_older_than_1_2_and_unverified_names_are_not_spoken(pki: Path) -> None:
    context = tls_context(BrokerSettings(host="h", port=1, client_id="c", tls=True, ca_file=pki / "ca.pem"))
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


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
