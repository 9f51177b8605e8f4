"""A simulated device's link to a broker, against a scripted one; the packets on the other side are the tests' own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from hw_sim.mqtt import MqttPort, broker_of
from support.mqtt_brokers import free_port
from support.mqtt_wire import V311, Peer, Publish, connack_packet, scripted_broker, suback_packet


class Host:
    """What came out of a port."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[bytes] = asyncio.Queue()
        self.attached = 0
        self.news = asyncio.Event()

    def came(self) -> None:
        self.attached += 1
        self.news.set()

    async def until_attached(self, count: int) -> None:
        async with asyncio.timeout(10):
            while self.attached < count:
                self.news.clear()
                await self.news.wait()


@asynccontextmanager
async def port_at(number: int, host: Host, qos: int = 1, retain: bool = False) -> AsyncIterator[MqttPort]:
    port = MqttPort(
        host.heard.put_nowait,
        host.came,
        broker=broker_of(f"mqtt://127.0.0.1:{number}"),
        base="pit/3/shaker",
        client="shaker",
        qos=qos,
        retain=retain,
    )
    await port.plug()
    try:
        yield port
    finally:
        port.unplug()
        await asyncio.sleep(0)


async def take_in(peer: Peer) -> str:
    """Takes the client and its subscription; the topic."""
    said = await peer.accept()
    assert (said.version, said.client_id) == (V311, "shaker")
    got = await peer.read()
    peer.send(suback_packet(peer.version, got))
    length = int.from_bytes(got.body[2:4], "big")
    return got.body[4 : 4 + length].decode()


@pytest.mark.parametrize(("qos", "retain"), [(0, False), (1, False), (1, True)])
async def test_each_piece_is_a_message_and_each_command_a_piece(qos: int, retain: bool) -> None:
    host, over = Host(), asyncio.Event()

    async def script(peer: Peer, number: int) -> None:  # noqa: ARG001
        assert await take_in(peer) == "pit/3/shaker/command"
        for _ in range(2):
            peer.send(Publish("pit/3/shaker/command", b"/cycle/?pattern=1", qos, mid=7).encode(V311))
            if qos:
                got = await peer.read()
                assert (got.kind, got.mid) == (4, 7)
        for text in (b"S2", b"S1"):
            message = await peer.next_publish()
            assert (message.topic, message.payload) == ("pit/3/shaker/state", text)
            assert (message.qos, message.retain) == (qos, retain)
        over.set()

    async with scripted_broker(script) as number, port_at(number, host, qos, retain) as port:
        assert port.address == f"mqtt://127.0.0.1:{number}/pit/3/shaker"
        assert [await asyncio.wait_for(host.heard.get(), 5) for _ in range(2)] == [b"/cycle/?pattern=1"] * 2
        port.write(b"S2")
        port.write(b"S1")
        await asyncio.wait_for(over.wait(), 5)


async def test_a_broker_that_is_not_there_yet_and_one_that_goes_away() -> None:
    host, number = Host(), free_port()
    async with port_at(number, host) as port:
        port.write(b"S0")
        assert port.unheard == 2, "said to nobody"

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            peer = Peer(reader, writer)
            await take_in(peer)
            writer.close()  # and away again

        server = await asyncio.start_server(serve, "127.0.0.1", number)
        await host.until_attached(3)
        server.close()
        assert port.connections >= 3


async def test_unplugged_the_link_breaks_without_a_word() -> None:
    host, ended = Host(), asyncio.Event()

    async def script(peer: Peer, number: int) -> None:  # noqa: ARG001
        await take_in(peer)
        try:
            await peer.read()
        except (asyncio.IncompleteReadError, ConnectionError):
            ended.set()

    async with scripted_broker(script) as number, port_at(number, host) as port:
        await host.until_attached(1)
        port.unplug()
        assert not port.plugged
        await asyncio.wait_for(ended.wait(), 5)


async def test_a_broker_that_refuses_is_asked_again() -> None:
    host, asked = Host(), 0

    async def script(peer: Peer, number: int) -> None:  # noqa: ARG001
        nonlocal asked
        asked += 1
        if asked == 1:
            said = await peer.read_connect()
            peer.send(connack_packet(said.version, code=5))
        else:
            await take_in(peer)
            await peer.read()

    async with scripted_broker(script) as number, port_at(number, host):
        await host.until_attached(1)
        assert asked == 2


@pytest.mark.parametrize("url", ["", "127.0.0.1:1883", "mqtts://a:1", "mqtt://", "mqtt://a/topic", "mqtt://u:p@a"])
def test_what_is_no_broker_says_how_one_is_written(url: str) -> None:
    with pytest.raises(ValueError, match="mqtt://HOST:PORT"):
        broker_of(url)
