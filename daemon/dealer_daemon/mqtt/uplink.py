"""All of one table's MQTT, put together: client, retained topics, presence, publisher and commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dealer_daemon.mqtt.client import LinkStatus, MqttClient
from dealer_daemon.mqtt.commands import Commands, Handler
from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.mqtt.outbox import Outbox
from dealer_daemon.mqtt.presence import Presence, will_of
from dealer_daemon.mqtt.publisher import Publisher
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.settings import BrokerSettings
from dealer_daemon.mqtt.topics import Topics


class Uplink:
    """One table's way to its game servers.

    Made and used on the running loop, in the thread that owns the journal. ``handler`` answers commands.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        topics: Topics,
        outbox: Outbox,
        handler: Handler,
        *,
        boot: str,
        version: str,
        since: str,
        in_flight: int = 16,
    ) -> None:
        """``boot`` is the id of this run, ``version`` the daemon's, ``since`` its start as RFC 3339."""
        self._client = MqttClient(settings, will_of(topics, boot))
        self._retained = RetainedTopics(self._client)
        self._presence = Presence(self._client, topics, self._retained, boot=boot, version=version, since=since)
        self._publisher = Publisher(outbox, self._client, topics, self._retained, in_flight=in_flight)
        self._commands = Commands(self._client, topics, handler)
        self._topics = topics

    @property
    def status(self) -> LinkStatus:
        """How the link stands."""
        return self._client.status

    @property
    def problems(self) -> list[Problem]:
        """Everything that stops or endangers what servers see; empty when all is well."""
        found = [self._client.status.problem, self._presence.problem]
        return [problem for problem in found if problem] + self._publisher.problems + self._retained.problems

    @property
    def published(self) -> int:
        """Everything up to this sequence was acknowledged by the broker."""
        return self._publisher.cursor

    @property
    def consumer_acks(self) -> Mapping[str, int]:
        """How far each consumer says it has come."""
        return self._publisher.consumer_acks

    def set_state(self, state: Mapping[str, Any]) -> None:
        """See ``Publisher.set_state``."""
        self._publisher.set_state(state)

    def set_device(self, name: str, health: Mapping[str, Any], *, urgent: bool = False) -> None:
        """See ``Publisher.set_device``."""
        self._publisher.set_device(name, health, urgent=urgent)

    def resend(self, from_sequence: int) -> int:
        """See ``Publisher.resend``."""
        return self._publisher.resend(from_sequence)

    def start(self) -> None:
        """Begins to connect, publish and listen. Raises ``JournalError`` where the journal cannot be read."""
        self._client.subscribe(self._topics.presence, self._presence.received)
        self._client.subscribe(self._topics.commands, self._commands.received, keep_retained_mark=True)
        self._client.on_connected(lambda _session_present, _version: self._retained.connected())
        self._client.on_connected(self._presence.connected)
        self._client.on_disconnected(lambda _reason: self._retained.disconnected())
        self._publisher.start()
        self._commands.start()
        self._client.start()

    async def stop(self, timeout_s: float = 10.0) -> bool:
        """Answers the commands that wait, publishes what is left (at most ``timeout_s``), says goodbye, disconnects.

        Says whether everything was acknowledged; what was not goes out after the next start.
        """
        await self._commands.stop()
        drained = await self._publisher.drain(timeout_s)
        await self._presence.goodbye()
        await self._client.stop()
        self._retained.close()
        self._publisher.close()
        return drained
