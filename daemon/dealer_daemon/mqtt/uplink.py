"""All of one table's MQTT, put together: client, retained topics, presence, publisher and commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dealer_daemon.bodies import ConsumerBody
from dealer_daemon.commands import Command, ErrorCode, Reply, Role
from dealer_daemon.mqtt.client import LinkStatus, MqttClient
from dealer_daemon.mqtt.commands import Commands, Handler
from dealer_daemon.mqtt.consumers import GONE_S, utc_now
from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.mqtt.heads import UNCHECKED, JournalHeads, LiveJournal, Signing
from dealer_daemon.mqtt.hearing import Hearing
from dealer_daemon.mqtt.messages import Incoming
from dealer_daemon.mqtt.outbox import Outbox
from dealer_daemon.mqtt.presence import Presence, will_of
from dealer_daemon.mqtt.publisher import Publisher
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.scout import CONTESTED, Scout
from dealer_daemon.mqtt.settings import BrokerSettings
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.mqtt.voice import Voice
from dealer_daemon.signing import in_base64url


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
        roles_by_topic: bool = False,
        names_by_topic: bool = False,
        journal: LiveJournal | None = None,
        signing: Signing | None = None,
        now: Callable[[], str] | None = None,
        consumer_gone_s: float = GONE_S,
        consumers_changed: Callable[[], None] = lambda: None,
        held_changed: Callable[[], None] = lambda: None,
        acknowledged: Callable[[float], None] = lambda _seconds: None,
    ) -> None:
        """``boot`` is the id of this run, ``version`` the daemon's, ``since`` its start as RFC 3339.

        With ``journal`` its head is published (``now`` gives the time as RFC 3339) and compared with what the broker
        keeps; ``signing`` is the station's key and those before it. ``consumers_changed`` is called when a consumer
        came, left, went (said nothing for ``consumer_gone_s`` seconds while events waited for it) or returned;
        ``held_changed`` when something else holds the table than before: the state must say so then. ``acknowledged``
        is told how many seconds each message took that the broker acknowledged.
        """
        signing = signing or Signing()
        self._heads: JournalHeads | None = None
        shown = {topics.journal: self._head_shown, topics.outcome: self._outcome_shown} if journal is not None else {}
        self._client = MqttClient(settings, will_of(topics, boot), Scout(topics, boot, shown=shown).look)
        self._client.acknowledged = acknowledged
        self._retained = RetainedTopics(self._client)
        self._hearing = Hearing(self._client, self._retained, topics.presence)
        self._presence = Presence(
            topics,
            self._retained,
            self._client,
            boot=boot,
            version=version,
            since=since,
            key=None if signing.key is None else signing.key.id,
            public_keys={name: in_base64url(key) for name, key in signing.keys.items()},
        )
        self._publisher = Publisher(
            outbox,
            self._client,
            topics,
            self._retained,
            in_flight=in_flight,
            consumer_gone_s=consumer_gone_s,
            consumers_changed=consumers_changed,
            now=now or utc_now,
        )
        self._handler = handler
        self._commands = Commands(
            self._client, topics, self._answer, roles_by_topic=roles_by_topic, names_by_topic=names_by_topic
        )
        self._held_changed = held_changed
        self._contested: Problem | None = None
        self._voice = Voice(self._publisher, self._retained, held_changed)
        self._role_topics = roles_by_topic or names_by_topic
        self._named_roles = [*Role] if names_by_topic else [Role.CONSUMER]
        self._topics = topics
        if journal is not None and now is not None:
            self._heads = JournalHeads(topics, self._retained, self._voice, journal, signing, now)

    @property
    def status(self) -> LinkStatus:
        """How the link stands."""
        return self._client.status

    @property
    def problems(self) -> list[Problem]:
        """Everything that stops or endangers what servers see; empty when all is well."""
        found = [self._client.status.problem, self._presence.problem, self._hearing.problem]
        return [problem for problem in found if problem] + self._publisher.problems + self._retained.problems

    @property
    def held(self) -> Problem | None:
        """Why this station may not speak for the table, where it may not."""
        return self._contested or self._voice.held

    @property
    def published(self) -> int:
        """Everything up to this sequence was acknowledged by the broker."""
        return self._publisher.cursor

    @property
    def consumer_acks(self) -> Mapping[str, int]:
        """How far each consumer says it has come."""
        return self._publisher.consumer_acks

    @property
    def consumers(self) -> Mapping[str, ConsumerBody]:
        """How each known consumer is doing now."""
        return self._publisher.consumers

    def set_state(self, state: Mapping[str, Any]) -> None:
        """See ``Publisher.set_state``."""
        self._publisher.set_state(state)

    def set_board(self, sequence: int, board: bytes) -> None:
        """The scoreboard as of event ``sequence``: published when the broker has everything up to there."""
        self._publisher.board.set(sequence, board)

    def set_device(self, name: str, health: Mapping[str, Any], *, urgent: bool = False) -> None:
        """See ``Publisher.set_device``."""
        self._publisher.set_device(name, health, urgent=urgent)

    def resend(self, from_sequence: int) -> int:
        """See ``Publisher.resend``."""
        return self._publisher.resend(from_sequence)

    def renew(self, settings: BrokerSettings, consumer_gone_s: float) -> None:
        """Show other credentials from the next connection on; take a consumer for gone after so many seconds."""
        self._client.renew_credentials(settings)
        self._publisher.consumers_gone_after(consumer_gone_s)

    def start(self) -> None:
        """Begins to connect, publish and listen. Raises ``JournalError`` where the journal cannot be read."""
        if (heads := self._heads) is not None:
            # Before presence, whose coming back says that these have come; and before the publisher hears of a session.
            self._client.subscribe(self._topics.journal, heads.received)
            self._client.subscribe(self._topics.outcome, heads.outcome_received)
            self._client.on_connected(lambda _session_present, _version: heads.connected())
            self._client.on_disconnected(lambda _reason: heads.disconnected())
            self._client.on_subscription_refused(heads.subscription_refused)
            self._presence.on_birth_back(heads.birth_came_back)
            heads.start()
        self._client.on_problem(self._on_problem)
        self._presence.on_contested(self._client.renew)
        self._client.subscribe(self._topics.presence, self._presence.received)
        self._client.subscribe(self._topics.presence, self._hearing.received)
        self._client.subscribe(self._topics.commands, self._commands.received, keep_retained_mark=True)
        # Consumers have a topic of their own in any case: no access list need give them one on which others command.
        # One filter for each role, for access lists that hold no wider one.
        for role in self._named_roles:
            named = self._topics.commands_by_filter(role)
            self._client.subscribe(named, self._commands.received, keep_retained_mark=True)
        if self._role_topics:
            commands = self._topics.role_commands_filter
            self._client.subscribe(commands, self._commands.received, keep_retained_mark=True)
        self._client.on_connected(self._presence.connected)  # first: the birth of the connection before is of no use
        self._client.on_connected(lambda _session_present, _version: self._retained.connected())
        self._client.on_connected(lambda _session_present, _version: self._hearing.connected())
        self._client.on_disconnected(lambda _reason: self._hearing.disconnected())
        self._client.on_disconnected(lambda _reason: self._retained.disconnected())
        self._publisher.start()
        self._commands.start()
        self._client.start()

    def _head_shown(self, message: Incoming) -> None:
        if self._heads is not None:
            self._heads.received(message)

    def _outcome_shown(self, message: Incoming) -> None:
        if self._heads is not None:
            self._heads.outcome_received(message)

    def _on_problem(self, problem: Problem | None) -> None:
        if problem is not None and problem.code == CONTESTED:
            self._contested = problem
            self._held_changed()

    async def _answer(self, table: str, command: Command) -> Reply:
        """An old journal carries out nothing, and neither does one of which it is not known yet."""
        decided = await self._voice.decided()
        if decided and self.held is None:
            return await self._handler(table, command)
        why = self.held or f"{UNCHECKED}: the broker has not shown yet what it keeps of this journal; send it again"
        return Reply(command=command.id, ok=False, error=ErrorCode.UNAVAILABLE, message=f"the station is held: {why}")

    async def stop(self, timeout_s: float = 10.0) -> bool:
        """Answers the commands that wait, publishes what is left (at most ``timeout_s``), says goodbye, disconnects.

        Says whether everything was acknowledged; what was not goes out after the next start.
        """
        self._voice.close()
        await self._commands.stop()
        drained = await self._publisher.drain(timeout_s)
        if self._heads is not None:
            await self._heads.goodbye()
        self._hearing.close()
        await self._presence.goodbye()
        await self._client.stop()
        if self._heads is not None:
            self._heads.close()
        self._retained.close()
        self._publisher.close()
        return drained
