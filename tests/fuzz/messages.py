"""What arrives over the broker: commands, acknowledgements, presence, and lines of devices on MQTT."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import msgspec

from dealer_daemon.commands import Command, CommandName, CommandRecord, Reply, Role
from dealer_daemon.mqtt.command_codec import Malformed, encode_reply, parse_command
from dealer_daemon.mqtt.commands import Commands
from dealer_daemon.mqtt.messages import Incoming
from dealer_daemon.mqtt.presence import Presence
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.scout import Look
from dealer_daemon.mqtt.topics import Topics
from dealer_drivers.transports.mqtt_lines import MqttLines, MqttMessage, read_sent_line, received_line, sent_line
from fuzz.folder import all_blocks
from fuzz.kind import Case, Kind, Wrong, data, text
from fuzz.noise import damaged, json_noise, odd
from fuzz.words import command
from support.mqtt_bench import Bench
from support.mqtt_link import FakeLink
from support.mqtt_outbox import MemoryOutbox, opened

TOPICS = Topics("dealer/v1", "studio-1", "r1")
LAST = 40
TIMES = ("2026-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2026-01-01", "", None, 17)


@cache
def documented() -> tuple[Any, ...]:
    """The messages that the documentation shows."""
    shown = [json.loads(block) for block in all_blocks("json")]
    return tuple(one for one in shown if isinstance(one, dict))


class CommandMessages:
    """The commands topic: whatever comes is a command with a digest, or is answered with a reason."""

    name, share = "mqtt/commands", 30.0

    def draw(self, rng: Random) -> Case:
        sensible = [
            {
                "specversion": "1.0",
                "id": f"c-{rng.randrange(99)}",
                "type": one[1],
                "source": "/studio-1/lobby-7",
                "time": rng.choice(TIMES),
                "data": {"by": "settlement", "role": one[2], **one[3]},
            }
            for one in command(rng)
            if one[0] == "cmd"
        ]
        topic = rng.choice((None, None, "replies/x", "dealer/v1/studio-1/r1/replies/x", odd(rng)))
        return {
            "payload": text(json_noise(rng, [*sensible, *documented()])),
            "retained": rng.random() < 0.05,
            "topic": rng.choice(
                [f"{TOPICS.commands}{more}" for more in ("", "/manager", "/x", "/manager/lobby-7", "/x/$y")]
            ),
            "reply": topic if isinstance(topic, str) and topic.isascii() else None,
        }

    def play(self, case: Case) -> int:
        payload = data(case["payload"])
        asked = parse_command(payload)
        if isinstance(asked, Command):
            record = CommandRecord(
                table="r1", command=asked, digest=asked.digest(), reply=Reply(command=asked.id, ok=True)
            )
            again = msgspec.json.decode(msgspec.json.encode(record), type=CommandRecord)
            if again.command.digest() != record.digest:
                raise Wrong("the same command has another digest when it is read back")
            if asked.name not in set(CommandName) or asked.role not in set(Role):
                raise Wrong(f"{asked.name} by {asked.role}")
        elif isinstance(asked, Malformed):
            if asked.reply.ok or not asked.reply.message:
                raise Wrong("refused without a word")
            encode_reply("studio-1", "r1", asked.client, asked.reply)
        else:
            raise Wrong(f"{asked!r}")
        message = Incoming(case["topic"], payload, retained=case["retained"], response_topic=case["reply"])
        Commands(FakeLink(), TOPICS, _nobody, roles_by_topic="/x" not in case["topic"]).received(message)
        return 1


async def _nobody(table: str, command: Command) -> Reply:
    raise AssertionError(f"{table} has no handler for {command.name}")


class Acknowledgements:
    """The topics of consumers: a number that can be, or nothing changes."""

    name, share = "mqtt/acks", 12.0
    good: Sequence[Any] = ({"sequence": 7}, {"sequence": 0}, {"sequence": LAST}, {"sequence": LAST + 1})

    def draw(self, rng: Random) -> Case:
        names = ("lobby", "a b", "+", "", "x" * 300, "a/b", "\u00e9", "$x")
        topic = rng.choice((f"{TOPICS.base}/acks/{rng.choice(names)}", TOPICS.commands, "", "\0"))
        return {"topic": topic, "payloads": [text(json_noise(rng, self.good)) for _ in range(12)]}

    def play(self, case: Case) -> int:
        asyncio.run(self._play(case))
        return len(case["payloads"])

    async def _play(self, case: Case) -> None:
        outbox = MemoryOutbox()
        outbox.commit(*[opened() for _ in range(LAST)])
        bench = Bench(outbox)
        try:
            for payload in case["payloads"]:
                await bench.link.deliver(case["topic"], data(payload))
                acks = bench.publisher.consumer_acks
                if any(not 0 <= sequence <= LAST for sequence in acks.values()):
                    raise Wrong(f"{acks} of {LAST}")
        finally:
            bench.close()


class PresenceMessages:
    """The presence topic: whatever stands there, ours is put there again, or the contest is said."""

    name, share = "mqtt/presence", 12.0
    good: Sequence[Any] = (
        {"online": True, "boot": "new", "version": "1", "since": "2026-01-01T00:00:00Z", "protocol": "5"},
        {"online": True, "boot": "other"},
        {"online": False, "boot": "old"},
        {"online": False, "boot": "q-1", "asks": "other"},
        {"online": True, "boot": "other", "answers": "q-1"},
    )

    def draw(self, rng: Random) -> Case:
        return [[text(json_noise(rng, self.good)), rng.random() < 0.2] for _ in range(12)]

    def play(self, case: Case) -> int:
        asyncio.run(self._play(case))
        return len(case)

    async def _play(self, case: Case) -> None:
        link = FakeLink()
        retained = RetainedTopics(link, min_interval_s=0.0)
        presence = Presence(TOPICS, retained, link, boot="new", version="1", since="2026-01-01T00:00:00Z")
        look = Look("new", "q-1")
        await link.connect()
        presence.connected(True, MqttVersion.V5)
        retained.connected()
        born = Incoming(TOPICS.presence, link.sent[-1].payload)
        presence.received(born)
        for payload, kept in case:
            message = Incoming(TOPICS.presence, data(payload), retained=kept)
            presence.received(message)
            presence.received(born)
            look.received(message)
        retained.close()


class DeviceLines:
    """Lines of devices on MQTT: what is written is read again, and no line is more than its bytes."""

    name, share = "mqtt/device-lines", 8.0

    def draw(self, rng: Random) -> Case:
        topic = rng.choice(("state", "a/b", "é", "%41", "a b", "x" * 200))
        line = received_line(topic, rng.randbytes(rng.choice((0, 3, 90))), kept=rng.random() < 0.5)
        return text(damaged(line, rng) if rng.random() < 0.8 else line)

    def play(self, case: Case) -> int:
        line = data(case)
        for found in MqttLines().feed(line + b"\n"):
            if isinstance(found, MqttMessage):
                again = sent_line(found.topic, found.payload)
                if read_sent_line(again) != (found.topic, found.payload):
                    raise Wrong(f"{again!r} is read as something else")
        return 1


def kinds() -> list[Kind]:
    """All of them."""
    return [CommandMessages(), Acknowledgements(), PresenceMessages(), DeviceLines()]
