"""The MQTT transport against a real broker: kept messages, losses, refusals."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import paho.mqtt.client as paho
import paho.mqtt.publish as publish
import pytest
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from dealer_drivers.errors import FixConfigError, LinkLost, OptionError, PortAbsent, PortForbidden
from dealer_drivers.transports import mqtt as mqtt_module
from dealer_drivers.transports.mqtt import MqttChannel, MqttTransport, mqtt_settings
from dealer_drivers.transports.mqtt_lines import MqttLines, MqttMessage, sent_line
from support.mqtt_brokers import Broker, free_port, mosquitto
from support.mqtt_wire import Peer, Publish, scripted_broker, suback_packet

BASE = "table 7/shaker"


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Broker]:
    broker = mosquitto(tmp_path)
    await broker.start()
    yield broker
    broker.stop()


def transport(port: int, **options: str) -> MqttTransport:
    return MqttTransport(mqtt_settings(f"mqtt://127.0.0.1:{port}/{BASE}", ("state",), **options))


@asynccontextmanager
async def opened(port: int) -> AsyncIterator[MqttChannel]:
    channel = await transport(port).open()
    try:
        yield channel
    finally:
        await channel.close()


def say(port: int, payload: str, topic: str = f"{BASE}/state", *, retain: bool = False) -> None:
    publish.single(topic, payload, 1, retain, "127.0.0.1", port)


async def heard(channel: MqttChannel, count: int) -> list[tuple[str, bytes, bool]]:
    lines, found = MqttLines(), []
    async with asyncio.timeout(5):
        while len(found) < count:
            for message in lines.feed(await channel.read()):
                assert isinstance(message, MqttMessage)
                found.append((message.topic, message.payload, message.kept))
    return found


async def test_states_come_as_lines_and_kept_ones_are_told_apart(broker: Broker) -> None:
    say(broker.port, "S0", retain=True)
    async with opened(broker.port) as channel:
        assert await heard(channel, 1) == [("state", b"S0", True)]
        say(broker.port, "S1", retain=True)
        say(broker.port, "S1", topic=f"{BASE}/other")
        say(broker.port, "S0\r\n% ")
        assert await heard(channel, 2) == [("state", b"S1", False), ("state", b"S0\r\n% ", False)]


async def test_what_was_said_while_nobody_listened_never_comes(broker: Broker) -> None:
    async with opened(broker.port):
        pass
    say(broker.port, "S0")
    async with opened(broker.port) as channel:
        say(broker.port, "S90")
        assert await heard(channel, 1) == [("state", b"S90", False)]


async def test_commands_are_published_under_the_base_and_never_later(broker: Broker) -> None:
    got: asyncio.Queue[tuple[str, bytes, int]] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv311)
    client.on_message = lambda _c, _d, m: loop.call_soon_threadsafe(got.put_nowait, (m.topic, bytes(m.payload), m.qos))
    client.on_subscribe = lambda *_: loop.call_soon_threadsafe(ready.set)
    client.connect("127.0.0.1", broker.port)
    client.subscribe(f"{BASE}/command", 1)
    client.loop_start()
    try:
        async with opened(broker.port) as channel, asyncio.timeout(5):
            await ready.wait()
            await channel.write(sent_line("command", b"/state") + sent_line("command", b"/cycle/?pattern=1"))
            # QoS 0: a broker keeps such a command for nobody who is away.
            assert await got.get() == (f"{BASE}/command", b"/state", 0)
            assert await got.get() == (f"{BASE}/command", b"/cycle/?pattern=1", 0)
    finally:
        client.disconnect()
        client.loop_stop()


async def test_a_broker_that_ends_is_a_lost_link_and_the_next_open_works(broker: Broker) -> None:
    async with opened(broker.port) as channel:
        say(broker.port, "S1")
        assert await heard(channel, 1) == [("state", b"S1", False)]
        broker.kill()
        with pytest.raises(LinkLost, match="connection to the broker ended"):
            async with asyncio.timeout(5):
                await channel.read()
        with pytest.raises(LinkLost):
            await channel.write(sent_line("command", b"/state"))
        with pytest.raises(PortAbsent, match="is it running"):
            await transport(broker.port).open()
    await broker.start()
    async with opened(broker.port) as channel:
        say(broker.port, "S0")
        assert await heard(channel, 1) == [("state", b"S0", False)]


async def test_a_frozen_broker_is_noticed(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt_module, "KEEPALIVE_S", 1)
    monkeypatch.setattr(mqtt_module, "MISC_S", 0.1)
    async with opened(broker.port) as channel:
        broker.signal(signal.SIGSTOP)
        with pytest.raises(LinkLost):
            async with asyncio.timeout(8):
                await channel.read()


async def test_a_server_that_is_no_broker_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt_module, "CONNECT_S", 0.2)
    with closing(socket.create_server(("127.0.0.1", 0))) as server, pytest.raises(PortAbsent, match="did not answer"):
        await transport(server.getsockname()[1]).open()


async def test_opening_may_be_given_up_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt_module, "CONNECT_S", 30.0)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.setblocking(False)
        opening = asyncio.create_task(transport(server.getsockname()[1]).open())
        peer, _ = await asyncio.get_running_loop().sock_accept(server)
        with closing(peer):
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening


async def test_a_user_without_rights_is_a_matter_for_people(tmp_path: Path) -> None:
    broker = mosquitto(tmp_path, lines=("allow_anonymous false",))
    await broker.start()
    try:
        with pytest.raises(PortForbidden, match="check username and password_file"):
            await transport(broker.port).open()
        with pytest.raises(FixConfigError, match="no-such-file"):
            await transport(broker.port, username="bob", password_file=str(tmp_path / "no-such-file")).open()
    finally:
        broker.stop()


async def test_a_topic_that_may_not_be_listened_to_is_a_matter_for_people() -> None:
    async def script(peer: Peer, number: int) -> None:  # noqa: ARG001
        await peer.accept()
        peer.send(suback_packet(peer.version, await peer.read(), 0x80))
        await peer.read()

    async with scripted_broker(script) as port:
        with pytest.raises(PortForbidden, match="give the user rights"):
            await transport(port).open()


@pytest.mark.parametrize(("code", "error"), [(3, PortAbsent), (4, PortForbidden), (5, PortForbidden)])
async def test_a_refused_connection_is_tried_again_only_where_it_passes_by_itself(
    code: int, error: type[Exception]
) -> None:
    async def script(peer: Peer, number: int) -> None:  # noqa: ARG001
        await peer.accept(code=code)

    async with scripted_broker(script) as port:
        with pytest.raises(error):
            await transport(port).open()


async def test_more_messages_than_anybody_reads_end_the_link_and_not_the_memory() -> None:
    async def script(peer: Peer, number: int) -> None:  # noqa: ARG001
        await peer.accept()
        peer.send(suback_packet(peer.version, await peer.read()))
        for _ in range(200):
            peer.send(Publish(f"{BASE}/state", b"x" * 2000, 0, False, False, None, {}).encode(peer.version))
        await peer.read()

    async with scripted_broker(script) as port:
        channel = await transport(port).open()
        try:
            async with asyncio.timeout(5):
                while len(channel._buffer) <= mqtt_module.MOST_BUFFERED:
                    await asyncio.sleep(0)
                held = await channel.read()
                with pytest.raises(LinkLost, match="faster than they can be read"):
                    await channel.read()
            assert len(held) < mqtt_module.MOST_BUFFERED + 2 * mqtt_module.MOST_PAYLOAD
        finally:
            await channel.close()


@pytest.mark.parametrize(
    ("port", "why"),
    [
        ("mqtt://h", "topic base"),
        ("mqtt://h/", "topic base"),
        ("mqtt://h/a//b", "topic base"),
        ("mqtt://h/a/#", "of the form"),
        ("mqtt://h/+/b", "topic base"),
        ("mqtt://h:0/a", "of the form"),
        ("mqtt://h:99999/a", "out of range"),
        ("mqtt:///a", "of the form"),
        ("http://h/a", "of the form"),
        ("mqtt://u:p@h/a", "never here"),
        ("mqtt://h/a?b=1", "of the form"),
    ],
)
def test_ports_that_cannot_be(port: str, why: str) -> None:
    with pytest.raises(OptionError, match=why) as caught:
        mqtt_settings(port, ("state",))
    assert caught.value.key == "port"
    assert "p@" not in str(caught.value)


def test_names_ports_and_the_warning() -> None:
    assert transport(free_port()).warning is None
    assert MqttTransport(mqtt_settings("mqtts://shaker.lan/a/b", ())).warning is None
    plain = MqttTransport(mqtt_settings("mqtt://10.0.0.9/shaker/1", ()))
    assert plain.name == "mqtt://10.0.0.9:1883/shaker/1"
    assert plain.warning is not None
    assert "not encrypted" in plain.warning
    assert mqtt_settings("mqtts://[::1]/a", ()).name == "mqtts://[::1]:8883/a"
