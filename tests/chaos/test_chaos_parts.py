"""The parts of a chaos run by themselves: the plan, the proxy, the tap and the game server."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaos.faults import LANES, Fault, plan
from chaos.game_server import AGAIN_S, PATIENCE_S, GameServer
from chaos.history import History
from chaos.proxy import CALM, Proxy, Weather
from chaos.tap import QUOTA_EXCEEDED, Cutter, JournalFile, Observer
from support.live import until
from support.mqtt_wire import PUBACK, PUBLISH, V5, V311, Packet, Publish, connect_packet, puback_packet

# -- plan -----------------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**31), st.floats(5, 300))
def test_a_plan_is_a_function_of_its_seed_and_keeps_its_lanes_apart(seed: int, seconds: float) -> None:
    steps = plan(seed, seconds)
    assert steps == plan(seed, seconds)
    for lane in LANES:
        mine = [step for step in steps if step.lane == lane]
        assert all(before.end_s <= after.at_s for before, after in pairwise(mine))
        assert all(step.at_s >= 0 and step.end_s <= seconds for step in mine)


@given(st.integers(0, 2**31))
def test_a_plan_of_two_minutes_has_every_fault(seed: int) -> None:
    assert {step.fault for step in plan(seed, 95.0)} == set(Fault)


# -- proxy ----------------------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def echo() -> AsyncIterator[tuple[Proxy, list[bytes]]]:
    """A proxy before a server that sends back what it gets; and what it got."""
    got: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                got.append(data)
                writer.write(data)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        async with Proxy(server.sockets[0].getsockname()[1]).running() as proxy:
            yield proxy, got
    finally:
        server.close()
        await server.wait_closed()


@contextlib.asynccontextmanager
async def client(proxy: Proxy) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    try:
        writer.write(b"hello")
        assert await asyncio.wait_for(reader.readexactly(5), 5) == b"hello"
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


@pytest.mark.parametrize(
    "weather", [CALM, Weather(piece=3), Weather(delay_s=0.05), Weather(bytes_per_s=100_000)], ids=str
)
async def test_what_gets_through_is_whole_and_in_order(weather: Weather) -> None:
    data = bytes(n % 251 for n in range(5000))
    async with echo() as (proxy, _), client(proxy) as (reader, writer):
        proxy.weather = weather
        writer.write(data)
        assert await asyncio.wait_for(reader.readexactly(len(data)), 10) == data


async def test_a_narrow_line_and_a_slow_one_take_their_time() -> None:
    async with echo() as (proxy, _), client(proxy) as (reader, writer):
        for weather, least_s in ((Weather(bytes_per_s=10_000), 0.2), (Weather(delay_s=0.1), 0.2)):
            proxy.weather = weather
            began = time.monotonic()
            writer.write(bytes(3000))
            await asyncio.wait_for(reader.readexactly(3000), 5)
            assert time.monotonic() - began >= least_s - 0.02


async def test_reset_is_an_error_and_cut_is_an_end() -> None:
    async with echo() as (proxy, _):
        async with client(proxy) as (reader, _):
            proxy.reset()
            with pytest.raises(ConnectionResetError):
                await asyncio.wait_for(reader.read(), 5)
        async with client(proxy) as (reader, _):
            proxy.cut()
            assert await asyncio.wait_for(reader.read(), 5) == b""
            with pytest.raises((ConnectionError, AssertionError, asyncio.IncompleteReadError)):
                async with client(proxy):
                    pass
            proxy.heal()
        async with client(proxy):
            pass


@pytest.mark.parametrize("weather", [Weather(swallow_up=True), Weather(swallow_down=True)], ids=["up", "down"])
async def test_half_open_swallows_tells_nobody_and_ends_with_a_reset(weather: Weather) -> None:
    async with echo() as (proxy, got), client(proxy) as (reader, writer):
        proxy.weather = weather
        writer.write(b"into the void")
        if weather.swallow_down:
            await until(lambda: b"into the void" in b"".join(got), "the server has it")
        read = asyncio.ensure_future(reader.read())
        done, _ = await asyncio.wait({read}, timeout=0.2)
        assert not done
        assert (b"into the void" in b"".join(got)) is weather.swallow_down
        proxy.heal()
        with pytest.raises(ConnectionResetError):
            await asyncio.wait_for(read, 5)


async def test_a_connection_that_lost_bytes_never_goes_on() -> None:
    async with echo() as (proxy, got), client(proxy) as (_, writer):
        proxy.weather = Weather(swallow_up=True)
        writer.write(b"lost")
        await until(lambda: proxy.torn, "the bytes are lost")
        proxy.weather = CALM
        writer.write(b"after it")
        await until(lambda: proxy.bytes_seen >= len(b"hello") * 2 + len(b"lostafter it"), "the proxy has that too")
        proxy.heal()
        await until(lambda: writer.is_closing() or writer.transport.is_closing(), "the connection ends")
    assert b"".join(got) == b"hello"


async def test_half_open_keeps_the_other_side_in_the_dark_when_one_leaves() -> None:
    ended = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(5))
        with contextlib.suppress(ConnectionError):
            await reader.read()
        ended.set()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        async with Proxy(server.sockets[0].getsockname()[1]).running() as proxy:
            async with client(proxy):
                proxy.weather = Weather(swallow_up=True, swallow_down=True)
            done, waiting = await asyncio.wait({asyncio.ensure_future(ended.wait())}, timeout=0.2)
            assert not done
            proxy.heal()
            await asyncio.wait_for(asyncio.gather(*waiting), 5)
    finally:
        server.close()
        await server.wait_closed()


# -- tap ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=400), min_size=1, max_size=8), st.lists(st.integers(1, 50), min_size=1))
def test_packets_are_whole_however_they_were_cut(payloads: list[bytes], cuts: list[int]) -> None:
    packets = [Publish("a/b", payload, 1, False, False, 7).encode(V5) for payload in payloads]
    stream, cutter = b"".join(packets), Cutter()
    found: list[tuple[Packet, bytes]] = []
    while stream:
        size = cuts[len(found) % len(cuts)]
        found += list(cutter.feed(stream[:size]))
        stream = stream[size:]
    assert [raw for _, raw in found] == packets
    assert [packet.publish(V5).payload for packet, _ in found] == payloads


def journal(path: Path) -> JournalFile:
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE entries (id, dealer_table, sequence, client, command_id, hash)")
        db.execute("INSERT INTO entries VALUES (1, 'r1', 1, NULL, NULL, x'00'), (2, 'r1', NULL, 'c', 'id-1', x'01')")
        db.commit()
    return JournalFile(path)


def sent(sequence: int, mid: int) -> bytes:
    body = b'{"sequence": %d}' % sequence
    return Publish("p/s/r1/events/round.outcome", body, 1, False, False, mid).encode(V5)


def reply(command: str) -> bytes:
    body = b'{"data": {"command": "%s", "ok": true}}' % command.encode()
    return Publish("p/s/r1/replies/c", body, 1, False, False, 9).encode(V5)


def test_the_tap_sees_what_was_committed_when_it_left_and_what_the_broker_took(tmp_path: Path) -> None:
    history, file = History(), journal(tmp_path / "journal")
    observer = Observer(history, file, "p/s")
    tap = observer.tap()
    up = connect_packet(V5, "x") + sent(1, 1) + sent(2, 2) + reply("id-1") + reply("id-2")
    assert tap.up(up) == (up, b"")
    assert [(each.sequence, each.committed) for each in history.published] == [(1, True), (2, False)]
    assert [(each.command, each.committed) for each in history.replied] == [("id-1", True), ("id-2", False)]
    down = puback_packet(V5, 2, 0x80) + puback_packet(V5, 1)
    assert tap.down(down[:5]) == b"", "no packet goes on in pieces: an answer of ours may stand between two"
    assert tap.down(down[5:]) == down
    assert [word.sequence for word in history.acknowledged] == [1]
    assert observer.taken_upto("r1") == 1
    file.close()


def test_a_journal_that_cannot_be_read_is_no_answer(tmp_path: Path) -> None:
    observer = Observer(History(), JournalFile(tmp_path / "none"), "p/s")
    observer.tap().up(sent(1, 1))
    assert observer.history.published[0].committed is None


def test_a_refusing_broker_never_sees_the_event_and_its_refusal_is_well_formed(tmp_path: Path) -> None:
    file = journal(tmp_path / "journal")
    observer = Observer(History(), file, "p/s", refusing=True)
    tap = observer.tap()
    connect = connect_packet(V5, "x")
    other = Publish("p/s/r1/state", b"{}", 1, True, False, 3).encode(V5)
    forward, answer = tap.up(connect + sent(1, 1) + other)
    assert forward == connect + other
    ((packet, _),) = Cutter().feed(answer)
    assert (packet.kind, packet.mid, packet.body[2]) == (PUBACK, 1, QUOTA_EXCEEDED)
    assert tap.down(puback_packet(V5, 1)) == puback_packet(V5, 1)
    assert observer.history.acknowledged == []
    file.close()


def test_the_tap_reads_the_older_protocol_too(tmp_path: Path) -> None:
    file = journal(tmp_path / "journal")
    observer = Observer(History(), file, "p/s", refusing=True)
    event = Publish("p/s/r1/events/x", b'{"sequence": 1}', 1, False, False, 1).encode(V311)
    assert event[0] >> 4 == PUBLISH
    assert observer.tap().up(connect_packet(V311, "x") + event)[1] == b"", "it has no words to refuse"
    assert observer.history.published[0].sequence == 1
    file.close()


# -- game server ----------------------------------------------------------------------------------------------------


def said(server: GameServer, now_s: float) -> list[tuple[str, str]]:
    return [(table, body["type"]) for table, body in server.due(now_s)]


def test_the_game_server_opens_and_closes_and_outlives_a_restart_of_the_station() -> None:
    server = GameServer("run", frozenset({"b1"}))
    server.heard("b1", {"type": "table.started"}, 0)
    server.heard("r1", {"type": "table.started"}, 0)
    assert said(server, 1) == []
    assert said(server, 3) == [("b1", "round.open")]
    assert said(server, 4) == []
    assert said(server, 3 + AGAIN_S) == [("b1", "round.open")]
    server.heard("b1", {"type": "round.opened", "subject": "b1-1"}, 30)
    server.heard("b1", {"type": "table.started"}, 31)
    assert said(server, 36) == [("b1", "betting.close")]
    server.heard("b1", {"type": "betting.closed", "subject": "b1-1"}, 37)
    assert said(server, 37 + PATIENCE_S) == []
    assert said(server, 38 + PATIENCE_S) == [("b1", "round.void")]


def test_the_manager_resumes_every_table_and_voids_what_is_held() -> None:
    server = GameServer("run", frozenset({"b1"}))
    for table in ("b1", "r1"):
        server.heard(table, {"type": "round.opened", "subject": f"{table}-1"}, 0)
        server.heard(table, {"type": "attempt.held", "subject": f"{table}-1"}, 0)
        server.heard(table, {"type": "table.paused", "subject": None}, 0)
    assert Counter(said(server, 10)) == Counter([("b1", "round.void"), ("r1", "table.resume")])
