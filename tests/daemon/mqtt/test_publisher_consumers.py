"""Who reads along: registered, behind, gone, back, and left for good."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from dealer_daemon.mqtt import outbox as outbox_module
from dealer_daemon.mqtt.consumers import MAX_CONSUMERS, Consumers
from dealer_daemon.mqtt.messages import Incoming
from dealer_daemon.mqtt.outbox import Positions
from support.mqtt_bench import TOPICS, Bench, Make
from support.mqtt_link import settle, until
from support.mqtt_outbox import MemoryOutbox, opened

GONE_S = 0.08
NOW = "2026-01-31T20:15:00.000000Z"


@pytest.fixture
def logged() -> Iterator[list[Any]]:
    with capture_logs() as logs:
        yield logs


def said(logs: list[Any], event: str) -> list[str]:
    return [entry["consumer"] for entry in logs if entry["event"] == event]


class Watched:
    """A publisher, and how often it said that its consumers are not what they were."""

    def __init__(self, make: Make, outbox: MemoryOutbox | None = None) -> None:
        self.changes = 0
        self.bench: Bench = make(outbox, consumer_gone_s=GONE_S, consumers_changed=self._changed, now=lambda: NOW)

    def _changed(self) -> None:
        self.changes += 1

    async def ack(self, name: str, sequence: int, *, retained: bool = False) -> None:
        await self.bench.link.deliver(TOPICS.acks(name), b'{"sequence": %d}' % sequence, retained=retained)

    def gone(self, name: str) -> bool:
        return self.bench.publisher.consumers[name].gone


async def test_sequence_0_registers_and_acknowledgements_are_shown_without_a_word_to_the_state(make: Make) -> None:
    watched = Watched(make)
    await watched.bench.link.connect()
    watched.bench.outbox.commit(*[opened()] * 3)
    await watched.ack("settler", 0)
    assert watched.changes == 1
    health = watched.bench.publisher.consumers["settler"]
    assert (health.sequence, health.behind, health.heard, health.gone) == (0, 3, NOW, False)
    for sequence in (1, 2, 3):
        await watched.ack("settler", sequence)
    assert watched.bench.publisher.consumers["settler"].behind == 0
    assert watched.changes == 1, "a state for every acknowledgement would be a flood"


async def test_one_that_is_behind_and_silent_is_gone_and_its_word_brings_it_back(make: Make, logged: list[Any]) -> None:
    watched = Watched(make)
    await watched.bench.link.connect()
    await watched.ack("settler", 0)
    watched.bench.outbox.commit(*[opened()] * 3)
    await settle()
    await watched.bench.link.ack_all()
    await until(lambda: watched.gone("settler"))
    assert watched.changes == 2
    await asyncio.sleep(2 * GONE_S)  # and it is not said again and again
    assert (watched.changes, said(logged, "consumer gone")) == (2, ["settler"])
    await watched.ack("settler", 0)  # no further, but alive
    assert not watched.gone("settler")
    assert (watched.changes, said(logged, "consumer is back")) == (3, ["settler"])
    await until(lambda: watched.gone("settler"))


async def test_one_that_has_everything_may_be_silent(make: Make, logged: list[Any]) -> None:
    watched = Watched(make)
    await watched.bench.link.connect()
    watched.bench.outbox.commit(*[opened()] * 3)
    await settle()
    await watched.bench.link.ack_all()
    await watched.ack("done", 3)
    await watched.ack("behind", 2)
    await until(lambda: watched.gone("behind"))
    assert not watched.gone("done")
    assert said(logged, "consumer gone") == ["behind"]


async def test_silence_counts_from_the_event_that_waits_and_not_from_the_last_word(make: Make) -> None:
    watched = Watched(make)
    await watched.bench.link.connect()
    await watched.ack("settler", 0)
    await watched.ack("witness", 0)
    await asyncio.sleep(3 * GONE_S)
    begin = asyncio.get_running_loop().time()
    watched.bench.outbox.commit(opened())
    await settle()
    await watched.bench.link.ack_all()
    await until(lambda: watched.gone("settler"))
    assert asyncio.get_running_loop().time() - begin >= GONE_S


async def test_what_the_broker_did_not_take_nobody_is_blamed_for(make: Make) -> None:
    watched = Watched(make)
    await watched.bench.link.connect()
    await watched.ack("settler", 0)
    watched.bench.outbox.commit(opened())
    await asyncio.sleep(3 * GONE_S)
    assert not watched.gone("settler"), "the event is with the broker not yet"
    await watched.bench.link.ack_all()
    await watched.bench.link.drop()
    await asyncio.sleep(3 * GONE_S)
    assert not watched.gone("settler"), "without a broker nobody can be heard"
    await watched.bench.link.connect()
    await until(lambda: watched.gone("settler"))


async def test_a_stored_acknowledgement_is_no_sign_of_life(make: Make) -> None:
    watched = Watched(make)
    watched.bench.outbox.commit(*[opened()] * 3)
    await watched.bench.link.connect()
    await watched.bench.link.ack_all()
    await watched.ack("settler", 2, retained=True)
    assert watched.bench.publisher.consumers["settler"].heard is None
    await until(lambda: watched.gone("settler"))
    await watched.ack("settler", 2, retained=True)
    assert watched.gone("settler")


async def test_one_that_leaves_is_forgotten_over_restarts_too(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox_module, "FLUSH_AFTER_S", 0.01)
    watched = Watched(make)
    watched.bench.outbox.commit(*[opened()] * 3)
    await watched.bench.link.connect()
    await watched.ack("settler", 2)
    await until(lambda: watched.bench.outbox.kept.get("ack/settler") == 2)
    await watched.bench.link.deliver(TOPICS.acks("settler"), b"")
    assert watched.bench.publisher.consumers == {}
    await until(lambda: "ack/settler" not in watched.bench.outbox.kept)
    again = watched.bench.restarted()
    assert again.publisher.consumers == {}
    again.close()
    assert watched.changes == 2
    await watched.bench.link.deliver(TOPICS.acks("never-known"), b"")
    assert watched.changes == 2


async def test_one_that_comes_back_after_it_left_is_kept_again(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox_module, "FLUSH_AFTER_S", 0.01)
    watched = Watched(make)
    watched.bench.outbox.commit(*[opened()] * 3)
    await watched.ack("settler", 2)
    await watched.bench.link.deliver(TOPICS.acks("settler"), b"")
    await watched.ack("settler", 2)
    await until(lambda: watched.bench.outbox.kept.get("ack/settler") == 2)
    assert watched.bench.publisher.consumer_acks == {"settler": 2}


async def test_more_consumers_than_anybody_has_are_refused(make: Make) -> None:
    watched = Watched(make)
    for n in range(MAX_CONSUMERS + 5):
        await watched.ack(f"c{n}", 0)
    assert len(watched.bench.publisher.consumers) == MAX_CONSUMERS


def problems(watched: Watched) -> list[str]:
    return [problem.code for problem in watched.bench.publisher.problems]


async def test_one_that_knows_more_than_the_journal_is_said_until_it_says_otherwise(make: Make) -> None:
    """An old copy of the journal, at a broker that lost its heads with it: the consumer is the one who can tell."""
    watched = Watched(make)
    await watched.bench.link.connect()
    watched.bench.outbox.commit(*[opened()] * 3)
    await watched.ack("settler", 7, retained=True)
    await watched.ack("screen", 3)
    assert problems(watched) == ["consumer_ahead"]
    [problem] = watched.bench.publisher.problems
    assert "settler" in problem.detail
    assert "event 7" in problem.detail
    watched.bench.outbox.commit(*[opened()] * 5)
    assert problems(watched) == ["consumer_ahead"], "numbers that are used again make nothing good"
    await watched.ack("settler", 2)
    assert problems(watched) == []
    await watched.ack("settler", 900)
    await watched.bench.link.deliver(TOPICS.acks("settler"), b"")
    assert problems(watched) == [], "it has left"


async def test_those_that_know_more_are_counted_to_an_end(make: Make) -> None:
    watched = Watched(make)
    for n in range(MAX_CONSUMERS + 5):
        await watched.ack(f"c{n}", 9)
    assert len(watched.bench.publisher._consumers._ahead) == MAX_CONSUMERS


@pytest.mark.parametrize("name", ["x" * 200, "a\nb", "\x1b[31m"])
async def test_a_name_that_nobody_would_give_is_refused(make: Make, name: str) -> None:
    watched = Watched(make)
    await watched.bench.link.deliver(f"{TOPICS.base}/acks/{name}", b'{"sequence": 0}')
    assert watched.bench.publisher.consumers == {}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["commit", "publish", "live", "stored", "leave", "connect", "drop", "look"]), st.integers(0, 3)
    ),
    max_size=60,
)


@settings(deadline=None, max_examples=150)
@given(STEPS)
def test_gone_is_who_owes_a_word_for_so_long_and_nobody_else(steps: list[tuple[str, int]]) -> None:
    asyncio.run(_follows_the_model(steps))


async def _follows_the_model(steps: list[tuple[str, int]]) -> None:
    """Against a model that knows only when each consumer last owed nothing, in looks of the clock."""
    last = published = changes = 0

    def changed() -> None:
        nonlocal changes
        changes += 1

    consumers = Consumers(
        TOPICS, Positions(outbox := MemoryOutbox(), "r1"), lambda: last, published=lambda: published,
        now=lambda: NOW, changed=changed, gone_s=3600,
    )  # fmt: skip
    clock_s = 0.0
    loop = asyncio.get_running_loop()
    consumers._loop = type(
        "Clock", (), {"time": lambda _: clock_s, "call_later": lambda _, s, f: loop.call_later(s, f)}
    )()
    model: dict[str, tuple[int, float | None, bool]] = {}
    connected, expected = False, 0
    for step, n in steps:
        name, clock_s = f"c{n % 2}", clock_s + 1000
        if step == "commit":
            last += 1
            outbox.commit(opened())
        elif step == "publish":
            published = last
        elif step in ("live", "stored"):
            known = model.get(name)
            expected += known is None or (known[2] and step == "live")
            sequence = min(n, last)
            model[name] = (sequence, None, False) if step == "live" else (sequence, *(known or (0, None, False))[1:])
            consumers.received(Incoming(TOPICS.acks(name), b'{"sequence": %d}' % sequence, retained=step == "stored"))
        elif step == "leave":
            expected += model.pop(name, None) is not None
            consumers.received(Incoming(TOPICS.acks(name), b""))
        elif step in ("connect", "drop"):
            connected = step == "connect"
            (consumers.connected if connected else consumers.disconnected)()
            model = {each: (sequence, None, gone) for each, (sequence, _, gone) in model.items()}
        elif connected:
            consumers._look_at_all()
            went = False
            for each, (sequence, owing, gone) in model.items():
                owing = None if sequence >= published else clock_s if owing is None else owing
                goes = not gone and owing is not None and clock_s - owing >= 3600
                went |= goes
                model[each] = (sequence, owing, gone or goes)
            expected += went
        assert {each: (body.sequence, body.gone) for each, body in consumers.health().items()} == {
            each: (sequence, gone) for each, (sequence, _, gone) in model.items()
        }
        assert changes == expected
    consumers.disconnected()
    consumers._positions.close()
