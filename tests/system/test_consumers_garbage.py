"""Anybody may publish anything on the topics that consumers read: they leave it, say so, and go on."""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import paho.mqtt.publish as publish
import pytest

from dealer_daemon.events import EventsLost
from dealer_daemon.mqtt.envelope import encode_event
from fuzz.consumers import good
from fuzz.noise import json_noise
from support.consumer_program import Held, modules
from support.consumers import CONSUMERS, NodeConsumer, PythonConsumer, Settled, skip_without
from support.live import BASE, SITE, TABLE, Live, until
from support.mqtt_outbox import event, opened, outcome

REPORTED = [
    ("state", b""),
    ("state", b"[]"),
    ("state", b"{}"),
    ("state", b'{"last_sequence": "7"}'),
    ("state", b'{"last_sequence": true}'),
    ("state", b'{"last_sequence": 1e400}'),
    ("state", b'{"last_sequence": -1}'),
    ("replies/{}", b""),
    ("replies/{}", b"null"),
    ("replies/{}", b"{}"),
    ("replies/{}", b'{"data": []}'),
    ("replies/{}", b'{"data": {"ok": false}}'),
    ("replies/{}", b'{"data": {"ok": false, "command": 7}}'),
    ("replies/{}", b'{"data": {"ok": 0, "command": "x"}}'),
    ("events/round.outcome", b""),
    ("events/round.outcome", b"[]"),
    ("events/round.outcome", b"\xff\xfe"),
    ("events/round.outcome", b'"' + b"\\ud800" + b'"'),
    ("events/round.outcome", b"[" * 100_000),
    ("events/round.outcome", b'{"a":' * 5000 + b"1" + b"}" * 5000),
    ("events/round.outcome", b'{"sequence": 1}'),
    ("events/events.lost", encode_event(SITE, event(1, opened())).replace(b"round.opened", b"events.lost")),
]


def noise(seed: int, count: int) -> list[bytes]:
    rng = Random(f"consumers {seed}")
    return [json_noise(rng, good()) for _ in range(count)]


def spoilt(**changes: Any) -> bytes:
    """The next event, but for what is changed; ``...`` takes a key away."""
    body = json.loads(encode_event(SITE, event(1, outcome("17"), TABLE))) | changes
    return json.dumps({key: value for key, value in body.items() if value is not ...}).encode()


@pytest.fixture
def held() -> Any:
    found = Held()
    yield found
    found.close()


@pytest.mark.parametrize(("leaf", "body"), REPORTED)
def test_python_leaves_what_is_no_message_of_a_station(held: Held, leaf: str, body: bytes) -> None:
    held.gets(leaf.format("settler"), body)
    assert held.said.count("left, it ") == 1
    assert held.said.count("\n") == 1
    assert (held.table.handled, held.settled()) == (0, [])


@pytest.mark.parametrize(
    "changes",
    [
        {"sequence": 1.5}, {"sequence": True}, {"sequence": "1"}, {"sequence": 0}, {"sequence": 2**53},
        {"sequence": ...}, {"data": ...}, {"data": []}, {"id": 5}, {"id": "\ud800"}, {"type": None},
        {"subject": ["r1-1"]}, {"subject": "\udfff"}, {"source": ...}, {"data": {"n": float("nan")}},
    ],
)  # fmt: skip
def test_python_settles_no_half_of_an_event(held: Held, changes: dict[str, Any]) -> None:
    held.gets("events/round.outcome", spoilt(**changes))
    assert "left, it " in held.said
    assert (held.table.handled, held.table.newest, held.settled()) == (0, 0, [])
    held.gets("events/round.outcome", spoilt())
    assert (held.table.handled, held.said, len(held.settled())) == (1, "", 1)


def test_python_takes_what_a_station_says(held: Held) -> None:
    held.gets("events/round.opened", encode_event(SITE, event(1, opened(), TABLE)))
    lost = EventsLost(from_sequence=2, to_sequence=5, reason="journal_salvaged", by="A. Tam")
    held.gets("events/events.lost", encode_event(SITE, event(6, lost, TABLE, subject=None)))
    held.gets("events/round.outcome", encode_event(SITE, event(7, outcome("3"), TABLE)))
    held.gets("state", b'{"last_sequence": 9}')
    held.gets("replies/settler", b'{"data": {"command": "of another", "ok": false, "error": "x", "message": "y"}}')
    assert (held.table.handled, held.table.newest, held.said) == (7, 9, "")
    assert [row[:3] for row in held.settled()] == [(f"{SITE}/{TABLE}/7", "round.outcome", "r1-1")]
    ours = {"command": f"{held.consumer.run_id}-1", "ok": False, "error": "bad_argument", "message": "gone"}
    with pytest.raises(SystemExit, match="gone"):
        held.gets("replies/settler", json.dumps({"data": ours}).encode())


def test_an_event_of_another_table_says_nothing_of_this_one(held: Held) -> None:
    """It may be signed all the same: a number of its is none of ours, and nothing is missed up to it."""
    held.gets("events/round.outcome", encode_event(SITE, event(900, outcome("3"), "another")))
    assert (held.table.handled, held.table.newest, held.settled()) == (0, 0, [])


NODE = """
import { readFileSync } from 'node:fs'
import { NotOurs, readEvent, readNewest, readReply } from '%s'
let taken = 0
for (const line of readFileSync(0, 'utf8').split('\\n').filter(Boolean)) {
  const body = Buffer.from(line.slice(1), 'base64')
  for (const read of [readEvent, readNewest, readReply]) {
    try {
      JSON.stringify(read(body))
      taken++
    } catch (error) {
      if (!(error instanceof NotOurs)) { console.error(line); throw error }
    }
  }
}
console.log(taken)
"""


def test_node_reads_any_bytes() -> None:
    (node,) = skip_without("node")
    bodies = [*noise(1, 6000), *(body for _, body in REPORTED)]
    lines = "".join(f"={base64.b64encode(body).decode()}\n" for body in bodies)
    script = NODE % (CONSUMERS / "node/bodies.mjs").as_uri()
    done = subprocess.run(
        [node, "--input-type=module", "-e", script],
        input=lines,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]
    _, ours = modules()
    taken = 0
    for body in bodies:
        for read in (ours.read_event, ours.read_newest, ours.read_reply):
            try:
                read(body)
                taken += 1
            except ours.NotOursError:
                pass
    assert taken > 500
    assert abs(int(done.stdout) - taken) < 0.05 * taken, "nearly the same: of half characters and 1.0 they differ"


async def test_both_outlive_what_anybody_publishes(tmp_path: Path) -> None:
    here = Live(tmp_path)
    consumers: list[Settled] = [PythonConsumer(tmp_path, here.port), NodeConsumer(tmp_path, here.port)]
    names = ("py-settler", "js-settler")
    garbage = [(f"{BASE}/{leaf.format(name)}", body) for name in names for leaf, body in REPORTED]
    leaves = ("events/round.outcome", "state", "replies/py-settler", "replies/js-settler")
    garbage += [(f"{BASE}/{leaves[n % 4]}", body) for n, body in enumerate(noise(2, 400))]
    # Whose next event it might be, damaged, is not our matter here: those begin further on.
    garbage = [(topic, body) for topic, body in garbage if b'"sequence"' not in body or b"studio-1/r1" not in body]
    try:
        await here.broker_up()
        for consumer in consumers:
            await consumer.child.start()
            await until(lambda c=consumer: heard(here, c), "it listens")  # type: ignore[misc]
        publish.multiple([(topic, body, 1, False) for topic, body in garbage], hostname="127.0.0.1", port=here.port)
        last = 3
        bodies = [encode_event(SITE, event(n, outcome(str(n)), TABLE)) for n in range(1, last + 1)]
        topic = f"{BASE}/events/round.outcome"
        publish.multiple([(topic, body, 1, False) for body in bodies], hostname="127.0.0.1", port=here.port)
        for consumer in consumers:
            done = lambda c=consumer: c.handled() == last  # noqa: E731
            await until(done, f"what a station says is handled:\n{consumer.child.said()[-3000:]}")  # type: ignore[arg-type]
            assert consumer.child.running
            assert consumer.child.said().count("left, it ") > 100
            assert [row["data"]["facts"]["number"] for row in consumer.settled()] == ["1", "2", "3"]
    finally:
        for child in (here.broker, *(consumer.child for consumer in consumers)):
            await child.kill()


def heard(here: Live, consumer: Settled) -> bool:
    """Whether the consumer has its subscriptions: it says what it leaves."""
    publish.single(f"{BASE}/state", b"[]", qos=1, hostname="127.0.0.1", port=here.port)
    return "left, it " in consumer.child.said()
