"""Who may ask what: every command and role, the topic that says who speaks, and commands that come too late."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.commands import Command, CommandName, ErrorCode, Reply, Role
from dealer_daemon.journal import Journal
from dealer_daemon.mqtt.command_codec import Malformed, parse_command
from dealer_daemon.mqtt.commands import Commands
from dealer_daemon.mqtt.messages import Incoming
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.station.host import TableHost
from dealer_drivers.clock import Clock
from dealer_drivers.instant import Instant
from support.mqtt_link import FakeLink, settle
from support.roulette_host import roulette_host
from support.tables import Driven

MAY: dict[str, str] = {
    "round.open": "server manager",
    "betting.close": "server manager",
    "gate.open": "server manager",
    "card.expect": "server",
    "card.correct": "manager",
    "round.void": "manager",
    "outcome.correct": "manager",
    "table.pause": "server dealer manager",
    "table.resume": "manager",
    "shoe.change": "server manager",
    "deck.verify": "dealer manager",
    "deck.insert": "dealer manager",
    "events.resend": "server dealer manager technician consumer",
    "attempt.confirm": "dealer manager",
    "attempt.refuse": "dealer manager",
    "attempt.decide": "manager",
    "entry.allow": "manager",
}
"""As docs/reference/commands.md has it."""
NOW = Instant(10**12, 1_767_225_600_000_000_000)


def test_every_command_is_in_the_table() -> None:
    assert MAY.keys() == set(CommandName)


@pytest.mark.parametrize(("name", "role"), list(itertools.product(CommandName, Role)), ids=str)
def test_each_role_may_ask_what_the_page_says_and_nothing_else(name: CommandName, role: Role) -> None:
    driven = Driven(source="server")
    driven.start(NOW)
    if name is CommandName.TABLE_RESUME:  # a dealer resumes only what asks nothing but where the hand begins
        driven.ask(CommandName.TABLE_PAUSE, NOW, Role.MANAGER, reason="x")
    reply = driven.ask(name, NOW, role)
    assert (reply.error == ErrorCode.NOT_ALLOWED) == (role not in MAY[name].split())


def body(command_id: str, role: str, name: str = "table.pause", **more: Any) -> bytes:
    data = {"by": "anna", "role": role, "reason": "x"}
    return json.dumps({"id": command_id, "type": name, "source": "/x/pit", "data": data, **more}).encode()


class Handled:
    """Says yes to everything, and remembers it."""

    def __init__(self) -> None:
        self.roles: list[Role] = []

    async def __call__(self, _table: str, command: Command) -> Reply:
        self.roles.append(command.role)
        return Reply(command=command.id, ok=True)


@pytest.fixture
async def handled(link: FakeLink, topics: Topics) -> AsyncIterator[Handled]:
    handler = Handled()
    commands = Commands(link, topics, handler, roles_by_topic=True)
    for topic in (topics.commands, topics.role_commands_filter):
        link.subscribe(topic, commands.received)
    commands.start()
    await link.connect()
    yield handler
    await commands.stop()


@pytest.mark.parametrize("topic_role", [None, *map(str, Role), "boss"])
@pytest.mark.parametrize("role", Role)
async def test_with_roles_by_topic_the_topic_says_who_speaks(
    handled: Handled, link: FakeLink, topics: Topics, topic_role: str | None, role: Role
) -> None:
    topic = topics.commands if topic_role is None else f"{topics.commands}/{topic_role}"
    await link.deliver(topic, body("c-1", role))
    await settle()
    allowed = role == (topic_role or "server")
    assert handled.roles == ([role] if allowed else [])
    reply = json.loads(link.sent[-1].payload)["data"]
    assert (reply["ok"], reply["error"]) == (allowed, None if allowed else "not_allowed")
    if not allowed:
        assert f"{topics.commands}/{role}" in reply["message"]


@pytest.mark.parametrize("by_topic", [True, False])
@pytest.mark.parametrize("name", ["pit", "lobby-7"])
@pytest.mark.parametrize("role", Role)
async def test_what_comes_on_a_consumers_topic_is_that_consumers(
    link: FakeLink, topics: Topics, role: Role, name: str, by_topic: bool
) -> None:
    """Else whoever may only ask for a resend could command as a manager there, or use up a server's ids."""
    handler = Handled()
    commands = Commands(link, topics, handler, roles_by_topic=by_topic)
    for topic in (topics.commands, topics.commands_by_filter("consumer")):
        link.subscribe(topic, commands.received)
    commands.start()
    await link.connect()
    await link.deliver(f"{topics.base}/commands/consumer/{name}", body("c-1", role))  # its source says pit
    await settle()
    assert handler.roles == ([role] if role is Role.CONSUMER and name == "pit" else [])
    await link.deliver(topics.commands, body("c-2", role))
    await settle()
    assert handler.roles[-1:] == ([role] if role is Role.SERVER or not by_topic else handler.roles)
    await commands.stop()


@pytest.mark.parametrize("name", ["pit", "lobby-7", "$x", "a\u0007"])
@pytest.mark.parametrize("topic_role", [*map(str, Role), "boss", None])
@pytest.mark.parametrize("role", Role)
async def test_with_names_by_topic_a_client_speaks_under_its_own_role_and_name_alone(
    link: FakeLink, topics: Topics, role: Role, topic_role: str | None, name: str
) -> None:
    handler = Handled()
    commands = Commands(link, topics, handler, names_by_topic=True)
    commands.start()
    await link.connect()
    topic = topics.commands if topic_role is None else f"{topics.commands}/{topic_role}/{name}"
    asked = body("c-1", role)  # its source says pit
    commands.received(Incoming(topic, asked, response_topic=topics.replies("other")))
    commands.received(Incoming(f"{topics.commands}/{role}", asked))
    await settle()
    allowed = (topic_role, name) == (role, "pit")
    assert handler.roles == ([role] if allowed else [])
    replies = [(m.topic, json.loads(m.payload)["data"]) for m in link.sent]
    [right] = [data["message"] for _, data in replies if "nobody is heard on" in data["message"]][-1:]
    assert f"{topics.commands}/{role}/pit" in right, "it says where this client would be heard"
    refused = [data for _, data in replies if data["error"] == "not_allowed"]
    owner = name in ("pit", "lobby-7") or topic_role is None  # a name that no client can have is told nothing
    assert len(refused) == (1 if allowed or not owner else 2)
    if topic_role is not None:
        told = {at for at, _ in replies}
        assert told <= {topics.replies("pit"), f"{topics.base}/replies/{name}"}, "nobody else is sent an answer"
    await commands.stop()


async def test_what_is_no_command_is_answered_to_whose_topic_it_is(link: FakeLink, topics: Topics) -> None:
    commands = Commands(link, topics, Handled(), names_by_topic=True)
    await link.connect()
    asked = json.dumps({"id": "c-1", "type": "no.such", "source": "/pit", "data": {}}).encode()
    commands.received(Incoming(topics.commands_by("server", "lobby-7"), asked))
    assert [m.topic for m in link.sent] == [topics.replies("lobby-7")]


class Standing(Clock):
    """A clock that stands."""

    speed = 1.0

    def __init__(self) -> None:
        self.at = NOW

    def now(self) -> Instant:
        return self.at

    async def sleep_until(self, mono_ns: int) -> None:
        raise NotImplementedError


@pytest.fixture
def clock() -> Standing:
    return Standing()


@pytest.fixture
async def host(tmp_path: Path, clock: Standing) -> AsyncIterator[TableHost]:
    journal = Journal.open(tmp_path / "state", boot="b")
    made = roulette_host(journal, clock, command_max_age_s=5)
    made.start()
    yield made
    made.stop()
    journal.close()


def command(command_id: str, **more: Any) -> Command:
    data = {key: more.pop(key) for key in ("round", "pause") if key in more}
    asked = json.loads(body(command_id, "manager", **more))
    asked["data"] |= data
    parsed = parse_command(json.dumps(asked).encode())
    assert not isinstance(parsed, Malformed)
    return parsed


@pytest.mark.parametrize(
    ("time", "done"),
    [
        ("2026-01-01T00:00:00Z", True),
        ("2026-01-01T01:00:04.9+01:00", True),
        ("2025-12-31T23:59:55Z", True),
        ("2025-12-31T23:59:54.9Z", False),
        ("2026-01-01T00:00:05.1Z", False),
        ("2026-01-01T00:00:00", False),
        ("yesterday", False),
        (17, False),
        (None, False),
    ],
)
async def test_a_command_from_another_time_is_not_carried_out(host: TableHost, time: object, done: bool) -> None:
    reply = host.command(command("c-1", **({} if time is None else {"time": time})))
    assert (reply.ok, reply.error) == (done, None if done else ErrorCode.EXPIRED)
    assert (host.committed.paused is not None) == done


async def test_a_repeat_of_what_was_done_is_answered_the_same_however_late(host: TableHost, clock: Standing) -> None:
    asked = command("c-1", time="2026-01-01T00:00:00Z")
    reply = host.command(asked)
    clock.at = clock.at.plus_s(3600)
    assert host.command(asked) == reply
    other = host.command(command("c-1", name="round.void", time="2026-01-01T00:00:00Z"))
    assert other.error is ErrorCode.ID_REUSED
    # What came too late was not done, and may be sent again as it is now meant.
    late = host.command(command("c-2", name="table.resume", time="2026-01-01T00:00:00Z"))
    assert late.error is ErrorCode.EXPIRED
    assert host.command(command("c-2", name="table.resume", time="2026-01-01T01:00:00Z")).ok


@pytest.mark.parametrize("name", ["table.resume", "round.void"])
async def test_with_a_clock_that_is_behind_only_what_names_its_subject_is_done(
    tmp_path: Path, clock: Standing, name: str
) -> None:
    """The clock went back by an hour, and a broker delivers what was said an hour ago: by that clock it is of now."""
    with closing(Journal.open(tmp_path / "state", boot="b")) as journal:
        host = roulette_host(journal, clock, command_max_age_s=5, source="server")
        host.start()
        assert host.command(command("c-1", name="round.open", time="2026-01-01T00:00:00Z")).ok
        assert host.command(command("c-2", time="2026-01-01T00:00:00Z")).ok
        current = host.committed.round
        assert current is not None
        about = {"round": current.id} if name == "round.void" else {"pause": host.committed.paused_at}
        clock.at = Instant(clock.at.plus_s(60).mono_ns, clock.at.wall_ns - 3600 * 10**9)
        late = host.command(command("c-3", name=name, time="2025-12-31T23:00:01Z"))
        assert (late.ok, late.error) == (False, ErrorCode.NOT_NOW)
        assert json.dumps(about)[1:-1] in late.message, "how to say it so that it is done"
        assert host.command(command("c-3", name=name, time="2025-12-31T23:00:01Z", **about)).ok
        host.stop()


async def test_a_clock_that_was_put_back_by_less_than_a_command_may_be_old_asks_nothing(
    host: TableHost, clock: Standing
) -> None:
    assert host.command(command("c-1", time="2026-01-01T00:00:00Z")).ok
    clock.at = Instant(clock.at.plus_s(60).mono_ns, clock.at.wall_ns - 4 * 10**9)
    assert host.command(command("c-2", name="table.resume", time="2025-12-31T23:59:57Z")).ok


def test_the_time_of_a_command_is_no_part_of_what_is_asked() -> None:
    asked = command("c-1", time="2026-01-01T00:00:00Z")
    assert asked.sent_ns == NOW.wall_ns
    assert asked.digest() == command("c-1").digest()
