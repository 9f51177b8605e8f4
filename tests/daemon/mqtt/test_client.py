"""The link against brokers that do what a script says: silent, slow, refusing, half dead."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.mqtt.client import MqttClient
from dealer_daemon.mqtt.errors import ConnectionDropped, NotConnected, PublishFailed
from dealer_daemon.mqtt.messages import Incoming, Outgoing, Will
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.settings import BrokerSettings
from support.mqtt_brokers import free_port
from support.mqtt_link import until
from support.mqtt_wire import (
    DISCONNECT,
    SUBSCRIBE,
    V5,
    V311,
    Packet,
    Peer,
    Publish,
    Script,
    connack_packet,
    packet,
    scripted_broker,
    suback_packet,
)

WILL = Will("t/presence", b"gone")


class Seen:
    """What a client told its owner."""

    def __init__(self, client: MqttClient) -> None:
        self.connected: list[tuple[bool, MqttVersion]] = []
        self.disconnected: list[str] = []
        self.problems: list[str | None] = []
        client.on_connected(lambda present, version: self.connected.append((present, version)))
        client.on_disconnected(self.disconnected.append)
        client.on_problem(lambda problem: self.problems.append(problem and problem.code))


def settings(port: int, **changes: Any) -> BrokerSettings:
    fast = {"connack_timeout_s": 0.2, "ack_timeout_s": 0.4, "backoff_min_s": 0.02, "backoff_max_s": 0.05}
    return BrokerSettings(host="127.0.0.1", port=port, client_id="studio-1-r1", **{**fast, **changes})


@asynccontextmanager
async def client_of(
    script: Script, before: Callable[[MqttClient], None] | None = None, **changes: Any
) -> AsyncIterator[tuple[MqttClient, Seen]]:
    async with scripted_broker(script) as port:
        client = MqttClient(settings(port, **changes), WILL)
        seen = Seen(client)
        if before is not None:
            before(client)
        client.start()
        try:
            yield client, seen
        finally:
            await client.stop()


def message(n: int = 0, **more: Any) -> Outgoing:
    return Outgoing("t/events", b"%d" % n, **more)


async def serve(peer: Peer) -> None:
    """A broker that acknowledges everything."""
    while True:
        peer.acknowledge(await peer.next_publish())


async def test_the_session_is_kept_under_a_stable_id_with_a_will_and_a_short_keepalive() -> None:
    said = []

    async def script(peer: Peer, _number: int) -> None:
        said.append(await peer.accept())
        await serve(peer)

    async with client_of(script) as (client, _):
        await until(lambda: client.status.connected)
    [connect] = said
    assert (connect.version, connect.client_id, connect.clean, connect.keepalive_s) == (V5, "studio-1-r1", False, 10)
    assert connect.properties[17] == 86_400
    assert (connect.will.topic, connect.will.payload, connect.will.qos, connect.will.retain) == (
        "t/presence",
        b"gone",
        1,
        True,
    )


async def test_a_silent_version_5_is_followed_by_3_1_1_which_is_remembered() -> None:
    versions = []

    async def script(peer: Peer, number: int) -> None:
        said = await peer.read_connect()
        versions.append((said.version, said.clean))
        if said.version == V5:
            await peer.read()  # never answers
        peer.send(connack_packet(V311, session_present=number > 1))
        if number > 1:
            await serve(peer)

    async with client_of(script) as (client, seen):
        await until(lambda: len(seen.connected) == 2)
        assert client.status.version is MqttVersion.V311
        await client.publish(message())
    assert versions == [(V5, False), (V311, False), (V311, False)]
    assert seen.connected == [(False, MqttVersion.V311), (True, MqttVersion.V311)]


@pytest.mark.parametrize("answer", [b"\x20\x02\x00\x01", b"\x20\x03\x00\x84\x00", b""])
async def test_a_refused_or_closed_version_5_is_followed_by_3_1_1_at_once(answer: bytes) -> None:
    versions = []

    async def script(peer: Peer, _number: int) -> None:
        said = await peer.read_connect()
        versions.append(said.version)
        if said.version == V5:
            peer.send(answer)
            return
        peer.send(connack_packet(V311))
        await serve(peer)

    async with client_of(script, connack_timeout_s=10, backoff_min_s=10, backoff_max_s=10) as (client, _):
        await until(lambda: client.status.connected)
    assert versions == [V5, V311]


async def test_a_publish_is_done_when_the_broker_acknowledged_it_and_not_before() -> None:
    go = asyncio.Event()

    async def script(peer: Peer, _number: int) -> None:
        await peer.accept()
        got = await peer.next_publish()
        assert (got.topic, got.payload, got.qos, got.retain) == ("t/events", b"1", 1, True)
        assert got.properties == {1: 1, 2: 60, 3: "application/json", 9: b"\x07"}
        await go.wait()
        peer.acknowledge(got)
        await serve(peer)

    async with client_of(script, ack_timeout_s=10) as (client, _):
        with pytest.raises(NotConnected):
            client.publish(message())
        await until(lambda: client.status.connected)
        future = client.publish(message(1, retain=True, expiry_s=60, correlation=b"\x07"))
        done, _ = await asyncio.wait({future}, timeout=0.1)
        assert not done
        go.set()
        await future


async def test_a_refused_publish_fails_with_the_brokers_reason() -> None:
    async def script(peer: Peer, _number: int) -> None:
        await peer.accept()
        for code in (0x10, 0x87, 0x97):  # no matching subscribers is no failure
            peer.acknowledge(await peer.next_publish(), code)
        await serve(peer)

    async with client_of(script) as (client, _):
        await until(lambda: client.status.connected)
        await client.publish(message())
        for code in (0x87, 0x97):
            with pytest.raises(PublishFailed) as caught:
                await client.publish(message())
            assert caught.value.code == code
        assert client.status.connected


async def test_the_receive_maximum_of_the_broker_is_respected() -> None:
    most = 0

    async def script(peer: Peer, _number: int) -> None:
        nonlocal most
        await peer.accept(values={33: 3})
        owed: list[Publish] = []
        for _ in range(20):
            while True:
                try:
                    async with asyncio.timeout(0.05 if owed else 5):
                        owed.append(await peer.next_publish())
                except TimeoutError:
                    break
                most = max(most, len(owed))
            while owed:
                peer.acknowledge(owed.pop(0))
        await serve(peer)

    async with client_of(script, ack_timeout_s=10) as (client, _):
        await until(lambda: client.status.connected)
        await asyncio.gather(*[client.publish(message(n)) for n in range(10)])
    assert most == 3


async def test_our_own_window_is_small_and_messages_stay_in_order() -> None:
    got: list[bytes] = []
    go = asyncio.Event()

    async def script(peer: Peer, _number: int) -> None:
        await peer.accept()
        first = [await peer.next_publish() for _ in range(4)]
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await peer.next_publish()
        go.set()
        for each in first:
            got.append(each.payload)
            peer.acknowledge(each)
        while True:
            each = await peer.next_publish()
            got.append(each.payload)
            peer.acknowledge(each)

    async with client_of(script, window=4, ack_timeout_s=10) as (client, _):
        await until(lambda: client.status.connected)
        futures = [client.publish(message(n)) for n in range(50)]
        await go.wait()
        await asyncio.gather(*futures)
    assert got == [b"%d" % n for n in range(50)]


async def test_a_broker_that_owes_an_acknowledgement_too_long_is_left() -> None:
    async def script(peer: Peer, number: int) -> None:
        await peer.accept()
        if number:
            await serve(peer)
        await peer.next_publish()
        while True:
            await peer.next_publish()

    async with client_of(script) as (client, seen):
        await until(lambda: client.status.connected)
        futures = [client.publish(message(n)) for n in range(3)]
        for future in futures:
            with pytest.raises(ConnectionDropped, match="acknowledged nothing"):
                await future
        await until(lambda: len(seen.connected) == 2)
        await client.publish(message())
    assert seen.problems[:2] == ["mqtt_lost", None]


async def test_an_idle_broker_that_is_frozen_is_noticed_by_its_missing_ping() -> None:
    async def script(peer: Peer, number: int) -> None:
        await peer.accept()
        while number == 0:
            await peer.read()  # reads PINGREQ and says nothing

        await serve(peer)

    async with client_of(script, keepalive_s=1) as (client, seen):
        await until(lambda: len(seen.connected) == 2)
        assert client.status.connected


async def test_nothing_is_kept_over_a_loss_who_publishes_publishes_again() -> None:
    after: list[bytes] = []

    async def script(peer: Peer, number: int) -> None:
        await peer.accept()
        if number == 0:
            await peer.next_publish()
            return
        while True:
            got = await peer.next_publish()
            assert not got.dup
            after.append(got.payload)
            peer.acknowledge(got)

    async with client_of(script) as (client, seen):
        await until(lambda: client.status.connected)
        for future in [client.publish(message(n)) for n in range(3)]:
            with pytest.raises(ConnectionDropped):
                await future
        await until(lambda: len(seen.connected) == 2)
        await client.publish(message(9))
    assert after == [b"9"]


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
