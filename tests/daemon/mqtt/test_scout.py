"""A second station of one name sees the first before it says anything, and holds itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.mqtt import scout as module
from dealer_daemon.mqtt.messages import Incoming
from dealer_daemon.mqtt.presence_body import ask_of, read_presence
from dealer_daemon.mqtt.scout import CONTESTED, Look
from dealer_daemon.mqtt.uplink import Uplink
from support.mqtt_brokers import Broker, mosquitto
from support.mqtt_link import until
from support.mqtt_outbox import MemoryOutbox, opened
from support.mqtt_person import Person
from support.mqtt_uplink import EVERYTHING, TOPICS, running, uplink_to
from support.mqtt_wire import V5, V311, Witness

BIRTH = {"online": True, "boot": "first", "since": "2026-01-01T00:00:00Z"}
WILL = {"online": False, "boot": "first"}


def said(body: dict[str, Any] | bytes, *, retained: bool = False) -> Incoming:
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Incoming(TOPICS.presence, payload, retained)


def look_at(*messages: Incoming) -> Look:
    look = Look("second", "q")
    for message in messages:
        look.received(message)
    return look


SHOWN = said(ask_of("q", "second"))
STANDS = said(BIRTH, retained=True)
ANSWER = said(BIRTH | {"answers": "q"})


def nobody(look: Look) -> bool:
    return look.shown and look.living is None and look.standing is None


def test_nobody_is_there_when_our_question_came_back_and_nothing_stands() -> None:
    assert not look_at().shown
    for before in ([], [said(WILL, retained=True)], [said(b"{", retained=True)], [said(BIRTH | {"boot": "second"})]):
        assert nobody(look_at(*before, SHOWN))


def test_one_that_answers_lives_and_one_that_stands_there_is_waited_for() -> None:
    look = look_at(STANDS, SHOWN)
    assert look.living is None
    assert look.standing is not None
    look.received(ANSWER)
    assert look.living is not None
    assert look.living.boot == "first"
    assert look_at(SHOWN, ANSWER).living is not None, "though nothing was shown of it"


def test_one_that_says_goodbye_or_whose_will_comes_is_not_waited_for() -> None:
    assert nobody(look_at(STANDS, SHOWN, said(WILL)))
    assert not nobody(look_at(STANDS, SHOWN, said(WILL | {"boot": "older"}))), "the will of another one is old news"


def test_an_answer_to_another_question_and_the_question_of_another_say_nothing() -> None:
    assert look_at(STANDS, SHOWN, said(BIRTH | {"answers": "other"})).living is None
    assert not look_at(STANDS, said(ask_of("other", "third"))).shown
    assert look_at(STANDS, SHOWN, said(ask_of("other", "third"))).standing is not None


def test_a_birth_that_comes_is_asked_for_it_may_be_of_before_it_died() -> None:
    look = Look("second", "q")
    assert not look.received(STANDS)
    assert look.received(said(BIRTH))
    look.ask_again("r")
    look.received(SHOWN)
    look.received(ANSWER)
    assert not look.shown
    assert look.living is None, "to the question before"
    look.received(said(BIRTH | {"answers": "r"}))
    assert look.living is not None


messages = st.one_of(
    st.binary(max_size=20).map(said),
    st.builds(
        lambda body, retained: said(body, retained=retained),
        st.fixed_dictionaries(
            {"online": st.booleans(), "boot": st.sampled_from(["first", "second", "third", "q"])},
            optional={"asks": st.sampled_from(["second", "third"]), "answers": st.sampled_from(["q", "r"])},
        ),
        st.booleans(),
    ),
)


@given(st.lists(messages, max_size=8))
def test_whatever_comes_only_an_answer_to_our_question_is_a_living_station(found: list[Incoming]) -> None:
    look = look_at(*found)
    read = [read_presence(message.payload) for message in found]
    answered = [each for each in read if each is not None and each.answers == "q" and each.boot != "second"]
    assert look.living is None or look.living in answered
    assert look.shown == any(each is not None and each.boot == "q" and bool(each.asks) for each in read)


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Broker]:
    async with running(mosquitto(tmp_path)) as made:
        yield made


def codes(uplink: Uplink) -> list[str]:
    return [problem.code for problem in uplink.problems]


def told(person: Person, topic: str) -> list[dict[str, Any]]:
    return [json.loads(m.payload) for m in person.messages if m.topic == topic]


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_the_second_holds_itself_and_writes_nothing_over_the_first(broker: Broker, protocol: str) -> None:
    outbox, other = MemoryOutbox(), MemoryOutbox()
    other.commit(*[opened()] * 5)
    async with (
        Person(broker.port, EVERYTHING) as seen,
        uplink_to(broker.port, outbox, boot="first", protocol=protocol) as first,
    ):
        first.set_state({"of": "first"})
        outbox.commit(opened())
        await until(lambda: first.published == 1)
        async with uplink_to(broker.port, other, boot="second", protocol=protocol) as second:
            second.set_state({"of": "second"})
            second.set_device("wheel", {})
            await until(lambda: codes(second) == [CONTESTED])
            assert second.held is not None
            assert "boot first" in second.held.detail
            assert not second.status.connected
            outbox.commit(opened())
            await until(lambda: first.published == 2 and first._retained.settled)
        assert first.status.connected
        await until(lambda: [e["sequence"] for e in told(seen, TOPICS.events("round.opened"))] == [1, 2])
        assert {state["of"] for state in told(seen, TOPICS.state)} == {"first"}
        births = told(seen, TOPICS.presence)
        assert {birth["boot"] for birth in births if "asks" not in birth} == {"first"}
        assert {birth["online"] for birth in births if "asks" not in birth} == {True}
        assert not told(seen, TOPICS.device("wheel"))


async def test_who_is_held_stays_so_when_the_other_is_gone(broker: Broker) -> None:
    """It is not known whose the table is: after a broker's restart the wrong one could be back first."""
    async with uplink_to(broker.port, MemoryOutbox(), boot="first") as first:
        await until(lambda: first.status.connected)
        second = uplink_to(broker.port, MemoryOutbox(), boot="second")
        held = await second.__aenter__()
        await until(lambda: codes(held) == [CONTESTED])
    try:
        with pytest.raises(TimeoutError):
            await until(lambda: held.status.connected, timeout_s=0.5)
        assert codes(held) == [CONTESTED]
    finally:
        await second.__aexit__(None, None, None)
    async with uplink_to(broker.port, MemoryOutbox(), boot="second") as again:
        await until(lambda: again.status.connected)


@pytest.mark.parametrize("version", [V5, V311])
async def test_a_look_leaves_nothing_behind(broker: Broker, version: int) -> None:
    protocol = "5" if version == V5 else "3.1.1"
    async with (
        Person(broker.port, EVERYTHING) as seen,
        uplink_to(broker.port, MemoryOutbox(), boot="0123456789ab", protocol=protocol) as uplink,
    ):
        await until(lambda: uplink._presence._seen)
        name = f"{uplink._client.settings.client_id}-look-01234567"
        async with Witness.connected(broker.port, name, version=version, clean=False) as looker:
            assert not looker.session_present
        questions = [m for m in seen.messages if b'"asks"' in m.payload]
        assert len(questions) == 1
        assert not questions[0].retain


async def test_one_that_is_dead_without_a_will_is_taken_for_dead_by_its_silence(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker was killed together with the first, and came back with the birth on its disk."""
    monkeypatch.setattr(module, "ANSWER_S", 0.3)
    async with Person(broker.port) as ghost:
        await ghost.publish(TOPICS.presence, json.dumps(BIRTH).encode(), retain=True)
        async with uplink_to(broker.port, MemoryOutbox(), boot="second") as second:
            await until(lambda: second.status.connected)
            assert second.held is None


async def test_the_first_that_was_cut_off_finds_the_second_when_it_is_back(broker: Broker) -> None:
    """Both played; which of them is right is for a person. One client id never speaks for two."""
    outbox = MemoryOutbox()
    async with uplink_to(broker.port, outbox, boot="first", backoff_min_s=1.0, backoff_max_s=1.0) as first:
        await until(lambda: first.status.connected)
        first._client.renew("the cable is cut")
        async with uplink_to(broker.port, MemoryOutbox(), boot="second") as second:
            await until(lambda: second.status.connected)
            await until(lambda: CONTESTED in codes(first) and first.held is not None)
            assert first.held is not None
            assert "boot second" in first.held.detail
            assert second.status.connected
            assert codes(second) in ([], ["presence_contested"]), "it says that somebody asked"
            outbox.commit(opened())
    assert first.published == 0


async def test_a_birth_beside_ours_makes_us_look_again(broker: Broker) -> None:
    """Two nodes of a cluster that did not see each other: neither knew of the other when it was asked."""
    async with uplink_to(broker.port, MemoryOutbox(), boot="first") as first, Person(broker.port) as ghost:
        sessions: list[bool] = []
        first._client.on_connected(lambda present, _version: sessions.append(present))
        await until(lambda: first._presence._seen)
        await ghost.publish(TOPICS.presence, json.dumps(BIRTH | {"boot": "second"}).encode())
        await until(lambda: len(sessions) == 2)
        assert first.held is None


async def test_a_broker_that_does_not_show_who_is_there_is_not_spoken_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHOWN_S", 0.2)
    acl = tmp_path / "acl"
    acl.write_text(f"topic write {EVERYTHING}\ntopic read {TOPICS.base}/commands\n")
    acl.chmod(0o600)
    broker = mosquitto(tmp_path, ["allow_anonymous true", f"acl_file {acl}"])
    async with running(broker), uplink_to(broker.port, MemoryOutbox()) as uplink:
        await until(lambda: codes(uplink) == ["mqtt_unseen"])
        [problem] = uplink.problems
        assert "access list" in problem.detail
        acl.write_text(f"topic readwrite {EVERYTHING}\n")
        broker.kill()
        await broker.start()
        await until(lambda: uplink.status.connected)
        assert codes(uplink) == []


async def test_births_without_end_do_not_keep_a_table_from_the_broker(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ANSWER_S", 0.2)
    async with Person(broker.port) as ghost:

        async def cry() -> None:
            while True:
                await ghost.publish(TOPICS.presence, json.dumps(BIRTH).encode())

        crying = asyncio.create_task(cry())
        try:
            async with uplink_to(broker.port, MemoryOutbox()) as uplink:
                await until(lambda: uplink.status.connected)
        finally:
            crying.cancel()
            await asyncio.wait({crying})


def test_of_two_that_ask_at_once_the_lower_boot_goes_first() -> None:
    """Neither is there yet, so nobody would answer; whichever subscribed first hears the other's question."""
    look = Look("second", "q")
    assert not look.received(SHOWN)
    assert look.received(said(ask_of("r", "third"))), "it must hear our question to give way"
    assert not look.decided()
    assert not look.received(said(ask_of("s", "first")))
    assert look.first == "first"
    assert look.decided()


def test_our_own_question_of_before_and_one_that_was_kept_are_nobodys() -> None:
    look = Look("second", "q")
    assert not look.received(said(ask_of("p", "second")))
    assert not look.received(said(ask_of("p", "first"), retained=True))
    assert not look.decided()


@pytest.mark.parametrize("boots", ["ab", "ba"])
async def test_two_that_start_at_once_do_not_both_connect(broker: Broker, boots: str) -> None:
    """A studio's power came back, and a PC and its spare started together: one at most has a session."""
    sessions: list[str] = []
    async with (
        uplink_to(broker.port, MemoryOutbox(), boot=boots[0], backoff_min_s=0.3) as one,
        uplink_to(broker.port, MemoryOutbox(), boot=boots[1], backoff_min_s=0.3) as other,
    ):
        of = {boots[0]: one, boots[1]: other}
        for boot, uplink in of.items():
            uplink._client.on_connected(lambda _present, _version, boot=boot: sessions.append(boot))
        await until(lambda: codes(of["b"]) == [CONTESTED])
        assert of["a"].status.connected
        assert of["a"].held is None
    assert sessions == ["a"], "nobody was thrown out"


@pytest.mark.parametrize("text", ["x" * 65, "a b", "\x1b[31mx", "a\n", "\u5e97"])
@pytest.mark.parametrize("key", ["boot", "since", "asks", "answers", "connection"])
def test_what_no_station_says_of_itself_comes_before_no_person(key: str, text: str) -> None:
    assert read_presence(json.dumps(BIRTH).encode()) is not None
    assert read_presence(json.dumps(BIRTH | {key: text}).encode()) is None
