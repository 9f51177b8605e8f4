"""The link against brokers that do what a script says: silent, slow, refusing, half dead."""

from __future__ import annotations

import asyncio

import pytest

from dealer_daemon.mqtt.errors import ConnectionDropped, NotConnected, PublishFailed
from dealer_daemon.mqtt.reconnect import MqttVersion
from support.mqtt_clients import client_of, message, serve
from support.mqtt_link import until
from support.mqtt_wire import (
    V5,
    V311,
    Peer,
    Publish,
    connack_packet,
)


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


async def test_what_a_client_gave_to_correlate_counts_for_the_brokers_limit() -> None:
    """One that is longer than the broker takes would end the session, each time that somebody sends it."""

    async def script(peer: Peer, _number: int) -> None:
        await peer.accept(values={39: 40_000})
        await serve(peer)

    async with client_of(script) as (client, seen):
        await until(lambda: client.status.connected)
        with pytest.raises(PublishFailed):
            client.publish(message(correlation=b"x" * 60_000))
        await client.publish(message(correlation=b"x" * 30_000))
        assert len(seen.connected) == 1
