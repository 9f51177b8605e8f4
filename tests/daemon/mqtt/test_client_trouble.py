"""The link when something is wrong: kicked, refused, nonsense from the broker, bugs of our own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dealer_daemon.mqtt.client import MqttClient
from dealer_daemon.mqtt.errors import PublishFailed
from dealer_daemon.mqtt.messages import Incoming, Outgoing
from support.mqtt_brokers import free_port
from support.mqtt_clients import WILL, Seen, client_of, message, serve, settings
from support.mqtt_link import until
from support.mqtt_wire import (
    DISCONNECT,
    SUBSCRIBE,
    V5,
    Packet,
    Peer,
    Publish,
    connack_packet,
    packet,
    suback_packet,
)


async def test_a_client_id_used_twice_is_a_clear_problem_and_backs_off_longer() -> None:
    async def script(peer: Peer, number: int) -> None:
        await peer.accept()
        if number == 0:
            peer.send(packet(DISCONNECT, 0, b"\x8e"))
        await serve(peer)

    async with client_of(script, refused_wait_s=0.3) as (client, seen):
        await until(lambda: bool(seen.problems))
        problem = client.status.problem
        assert problem is not None
        assert problem.code == "mqtt_taken_over"
        assert "studio-1-r1" in problem.detail
        since = asyncio.get_running_loop().time()
        await until(lambda: len(seen.connected) == 2)
        assert asyncio.get_running_loop().time() - since >= 0.2
        assert client.status.problem is not None, "the other one will be back"
        await until(lambda: client.status.problem is None)


async def test_quick_kicks_without_a_reason_are_noticed_too() -> None:
    async def script(peer: Peer, _number: int) -> None:
        await peer.accept()

    async with client_of(script, protocol="3.1.1", refused_wait_s=10) as (_, seen):
        await until(lambda: "mqtt_taken_over" in seen.problems)
        assert len(seen.connected) == 3


@pytest.mark.parametrize(("code", "word"), [(0x86, "mqtt_refused"), (0x87, "mqtt_refused"), (0x85, "mqtt_refused")])
async def test_a_refusal_is_said_and_tried_again_slowly(code: int, word: str) -> None:
    attempts = 0

    async def script(peer: Peer, _number: int) -> None:
        nonlocal attempts
        attempts += 1
        said = await peer.read_connect()
        peer.send(connack_packet(said.version, code))

    async with client_of(script, refused_wait_s=10) as (_, seen):
        await until(lambda: bool(seen.problems))
        assert seen.problems == [word]
        assert attempts == 1


@pytest.mark.parametrize("values", [{36: 0}, {37: 0}])
async def test_a_broker_without_what_we_need_is_refused_by_us(values: dict[int, object]) -> None:
    async def script(peer: Peer, _number: int) -> None:
        await peer.accept(values=values)
        await serve(peer)

    async with client_of(script, refused_wait_s=10) as (_, seen):
        await until(lambda: bool(seen.problems))
        assert seen.problems == ["mqtt_refused"]
        assert seen.connected == []


async def test_a_message_larger_than_the_broker_takes_is_not_sent() -> None:
    async def script(peer: Peer, _number: int) -> None:
        await peer.accept(values={39: 2000})
        await serve(peer)

    async with client_of(script) as (client, _):
        await until(lambda: client.status.connected)
        with pytest.raises(PublishFailed) as caught:
            client.publish(Outgoing("t", b"x" * 2000))
        assert caught.value.code == 0x95
        await client.publish(Outgoing("t", b"x" * 1000))


async def test_an_unreachable_broker_is_said_and_found_when_it_comes() -> None:
    port = free_port()
    client = MqttClient(settings(port), WILL)
    seen = Seen(client)
    client.start()
    await until(lambda: seen.problems == ["mqtt_unreachable"])

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(reader, writer)
        await peer.accept()
        try:
            await serve(peer)
        except (EOFError, asyncio.IncompleteReadError):
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", port)
    async with server:
        await until(lambda: client.status.connected)
        assert client.status.problem is None
        await client.publish(message())
        await client.stop()
    assert seen.disconnected == ["stopped"]


async def test_subscriptions_are_made_again_after_each_connect_and_messages_reach_their_callback() -> None:
    filters: list[list[bytes]] = []

    async def script(peer: Peer, number: int) -> None:
        await peer.accept()
        got = await peer.read()
        assert got.kind == SUBSCRIBE
        filters.append([name for name in (b"t/commands", b"t/acks/+") if name in got.body])
        peer.send(suback_packet(peer.version, got))
        peer.send(Publish("t/commands", b"%d" % number, 1, False, False, 5, {8: "back", 9: b"c"}).encode(V5))
        peer.send(Publish("t/acks/a", b"ack", 0, True).encode(V5))
        puback = await peer.read()
        assert puback.mid == 5
        if number:
            await serve(peer)

    got: list[Incoming] = []

    def before(client: MqttClient) -> None:
        client.subscribe("t/commands", got.append)
        client.subscribe("t/acks/+", got.append)

    async with client_of(script, before):
        await until(lambda: len(got) == 4)
    assert filters == [[b"t/commands", b"t/acks/+"]] * 2
    assert got[:2] == [
        Incoming("t/commands", b"0", False, "back", b"c"),
        Incoming("t/acks/a", b"ack", True, None, None),
    ]


async def test_a_queued_command_can_be_answered_although_it_comes_with_the_connack() -> None:
    answered = asyncio.Event()

    async def script(peer: Peer, _number: int) -> None:
        said = await peer.read_connect()
        peer.send(connack_packet(said.version, session_present=True) + Publish("t/c", b"q", 1, mid=9).encode(V5))
        got = await peer.next_publish()
        assert got.topic == "t/reply"
        peer.acknowledge(got)
        answered.set()
        await serve(peer)

    def before(client: MqttClient) -> None:
        client.subscribe("t/c", lambda _message: client.publish(Outgoing("t/reply", b"r")))

    async with client_of(script, before):
        async with asyncio.timeout(5):
            await answered.wait()


async def test_a_refused_subscription_is_a_problem() -> None:
    async def script(peer: Peer, _number: int) -> None:
        await peer.accept()
        peer.send(suback_packet(peer.version, await peer.read(), 0x87))
        await serve(peer)

    async with client_of(script, lambda c: c.subscribe("t/commands", lambda _m: None)) as (client, seen):
        await until(lambda: seen.problems == ["mqtt_subscription_refused"])
        assert client.status.problem is not None
        assert "t/commands" in client.status.problem.detail
        assert client.status.connected


async def test_a_callback_that_raises_is_reported_and_stops_nothing() -> None:
    reported: list[BaseException] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: reported.append(context["exception"]))

    async def script(peer: Peer, _number: int) -> None:
        await peer.accept()
        peer.send(suback_packet(peer.version, await peer.read()))
        for n in range(2):
            peer.send(Publish("t/c", b"%d" % n, 1, mid=n + 1).encode(V5))
        await serve(peer)

    got: list[bytes] = []

    def bad(incoming: Incoming) -> None:
        got.append(incoming.payload)
        raise RuntimeError("a bug")

    async with client_of(script, lambda c: c.subscribe("t/c", bad)) as (client, seen):
        await until(lambda: len(got) == 2)
        await client.publish(message())
        assert seen.disconnected == []
    assert [str(each) for each in reported] == ["a bug", "a bug"]


async def test_a_failure_within_the_protocol_is_reported_and_leaves_no_connection_that_nobody_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported: list[BaseException] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: reported.append(context["exception"]))

    def bug(_message: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("dealer_daemon.mqtt.connection.incoming", bug)

    async def script(peer: Peer, number: int) -> None:
        await peer.accept()
        if number == 0:
            peer.send(Publish("t/c", b"x").encode(V5))
        await serve(peer)

    async with client_of(script) as (client, seen):
        await until(lambda: len(seen.connected) == 2)
        await client.publish(message())
    assert [str(each) for each in reported] == ["a bug"]
    assert "internal error" in seen.disconnected[0]


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\x00",  # no such packet
        b"\xf0\xff\xff\xff\xff\xff",  # a length that never ends
        b"\x30\x03\x00\x09a",  # a topic longer than its packet
        b"\x40\x01\x00",  # half an identifier
        b"\x40\x04\x00\x01\xfe\x00",  # a reason that does not exist
        b"\x90\x02\x00\x09",  # an answer without codes
        b"\xe0\x01\xee",  # a goodbye for an unknown reason
    ],
)
async def test_a_broker_that_sends_nonsense_is_left_and_tried_again(garbage: bytes) -> None:
    async def script(peer: Peer, number: int) -> None:
        await peer.accept()
        if number == 0:
            got = await peer.next_publish()
            assert got.mid == 1
            peer.send(garbage)
        await serve(peer)

    async with client_of(script, ack_timeout_s=1) as (client, seen):
        await until(lambda: client.status.connected)
        first = client.publish(message())
        await until(lambda: len(seen.connected) >= 1 and (first.done() or len(seen.connected) == 2))
        if first.exception() is not None:
            await until(lambda: len(seen.connected) == 2)
        await client.publish(message())


async def test_a_message_with_a_topic_that_is_no_text_is_passed_over() -> None:
    async def script(peer: Peer, _number: int) -> None:
        await peer.accept()
        peer.send(packet(3, 0, b"\x00\x02\xff\xfe\x00x"))
        await serve(peer)

    async with client_of(script) as (client, seen):
        await until(lambda: client.status.connected)
        await client.publish(message())
        assert seen.disconnected == []


async def test_stopping_says_goodbye_so_that_no_will_is_published() -> None:
    last: list[Packet] = []

    async def script(peer: Peer, _number: int) -> None:
        await peer.accept()
        while True:
            last.append(await peer.read())

    async with client_of(script) as (client, _):
        await until(lambda: client.status.connected)
    assert last[-1].kind == DISCONNECT


async def test_stopping_while_connecting_leaves_nothing() -> None:
    async def script(peer: Peer, _number: int) -> None:
        await peer.read()
        await peer.read()

    async with client_of(script, connack_timeout_s=10) as (_, seen):
        await asyncio.sleep(0)
    assert seen.connected == []


async def test_a_password_file_that_is_missing_or_empty_is_said_and_read_again(tmp_path: Path) -> None:
    async def script(peer: Peer, _number: int) -> None:
        await peer.accept()
        await serve(peer)

    path = tmp_path / "password"
    async with client_of(script, username="u", password_file=path, refused_wait_s=0.05) as (client, seen):
        await until(lambda: seen.problems == ["mqtt_credentials"])
        assert str(path) in str(client.status.problem)
        path.write_text("\n")
        await until(lambda: "is empty" in str(client.status.problem))
        path.write_text("secret\n")
        await until(lambda: client.status.connected)


async def test_an_internal_error_is_said_and_does_not_look_like_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("dealer_daemon.mqtt.connection.connect_blocking", bug)
    client = MqttClient(settings(free_port()), WILL)
    client.start()
    await until(lambda: client.status.problem is not None)
    assert str(client.status.problem).startswith("mqtt_internal: ")
    assert not client.status.connected
    await client.stop()
