"""Receives commands from the broker, hands them over one by one, and answers each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from dealer_daemon.commands import Command, ErrorCode, Reply, Role
from dealer_daemon.mqtt.command_codec import Malformed, encode_reply, parse_command
from dealer_daemon.mqtt.envelope import CONTENT_TYPE
from dealer_daemon.mqtt.errors import MqttError
from dealer_daemon.mqtt.link import Publishing
from dealer_daemon.mqtt.messages import Incoming, Outgoing
from dealer_daemon.mqtt.topics import Topics

MAX_WAITING = 256
"""Commands that wait for their turn; more than that nobody sends on purpose."""
STOP_TIMEOUT_S = 5.0
"""For the commands that wait when the station stops."""

Handler = Callable[[str, Command], Awaitable[Reply]]
"""Answers a command of a table. The same id must get the same reply, however often it comes."""


@dataclass(frozen=True, slots=True)
class _Request:
    command: Command
    message: Incoming


class Commands:
    """One table's commands, handled in the order in which they came, one at a time.

    A reply that cannot be delivered is lost: the client asks again under the same id and gets the same reply.
    """

    def __init__(
        self,
        link: Publishing,
        topics: Topics,
        handler: Handler,
        *,
        roles_by_topic: bool = False,
        names_by_topic: bool = False,
    ) -> None:
        """``roles_by_topic``: the topic says who may speak (``commands/{role}``), and ``commands`` is the servers'.

        Without it ``commands`` is everybody's. ``names_by_topic``: the topic says who speaks
        (``commands/{role}/{client}``), and nobody is heard on the others. With and without them a topic with a name in
        it is that client's: for it no other role and no other name, so that it can use up no id of another, and send
        him no answers. Consumers have such a topic always.
        """
        self._link = link
        self._topics = topics
        self._handler = handler
        self._roles_by_topic = roles_by_topic
        self._names_by_topic = names_by_topic
        self._log = structlog.get_logger().bind(table=topics.table)
        self._queue: asyncio.Queue[_Request | None] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._stopping = False

    def start(self) -> None:
        """Begins to handle what ``received`` brings."""
        self._worker = asyncio.create_task(self._run(), name=f"commands {self._topics.table}")

    async def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Takes no more, and ends when those that wait are answered, or after ``timeout_s`` without them."""
        self._stopping = True
        if self._worker is None:
            return
        self._queue.put_nowait(None)
        _, late = await asyncio.wait({self._worker}, timeout=timeout_s)
        if late:
            self._log.error("commands left unanswered", count=self._queue.qsize())
            self._worker.cancel()
            await asyncio.wait({self._worker})
        self._worker = None

    def received(self, message: Incoming) -> None:
        """A message on ``commands``, ``commands/{role}`` or ``commands/{role}/{client}``."""
        if not message.payload:
            return  # a retained command was cleared
        if message.retained:
            self._log.warning("retained command ignored", bytes=len(message.payload))
            return
        parsed, author = parse_command(message.payload), self._topics.author_of(message.topic)
        # Whoever's topic it is, is told: another name in the body would send him answers to what he never asked.
        client = parsed.client if author is None else author[1] or None
        if isinstance(parsed, Malformed):
            self._log.warning("command refused", client=client, reason=parsed.reply.message)
            self._reply(client, message, parsed.reply)
        elif (refusal := self._wrong_topic(parsed, message.topic, author)) is not None:
            self._log.warning("command refused", client=client, by=parsed.by, reason=refusal.message)
            self._reply(client, message, refusal)
        elif self._stopping:
            self._reply(parsed.client, message, _unavailable(parsed, "the station is stopping; send it again later"))
        elif self._queue.qsize() >= MAX_WAITING:
            self._reply(parsed.client, message, _unavailable(parsed, "too many commands are waiting; send it again"))
        else:
            self._queue.put_nowait(_Request(parsed, message))

    def _wrong_topic(self, command: Command, topic: str, author: tuple[str, str] | None) -> Reply | None:
        """The refusal of a command whose role or name is not the one of its topic: by the topic the broker's access
        list can tell who speaks, by the body nobody can."""
        if author is not None:
            if (command.role, command.client) == author:
                return None
            whose, name = author
            message = f'{topic} is for the {whose} {name} alone: with the role {whose}, and a source like "/{name}"'
            return Reply(command=command.id, ok=False, error=ErrorCode.NOT_ALLOWED, message=message)
        if self._names_by_topic:
            right = self._topics.commands_by(command.role, command.client)
            message = (
                f"nobody is heard on {topic}: at this station the {command.role} {command.client} speaks on {right}"
            )
            return Reply(command=command.id, ok=False, error=ErrorCode.NOT_ALLOWED, message=message)
        role = self._topics.role_of(topic)
        if role is None and not self._roles_by_topic:
            return None
        if (role or Role.SERVER) == command.role:
            return None
        right = self._topics.commands_of(command.role)
        message = f"a {command.role} may not speak on {topic}: commands of this role come on {right}"
        return Reply(command=command.id, ok=False, error=ErrorCode.NOT_ALLOWED, message=message)

    async def _run(self) -> None:
        while (request := await self._queue.get()) is not None:
            command = request.command
            # A task of its own, so that a handler that fails ends its command and not this loop.
            handling = asyncio.create_task(self._handle(command))
            try:
                await asyncio.wait({handling})
            finally:
                handling.cancel()
            if handling.cancelled() or handling.exception() is not None:
                failure = None if handling.cancelled() else handling.exception()
                self._log.error("command failed", command=command.name, client=command.client, exc_info=failure)
                body = self._body(command.client, _unavailable(command, "an internal error; see the station's log"))
            else:
                body = handling.result()
            self._send(command.client, request.message, body)

    async def _handle(self, command: Command) -> bytes:
        reply = await self._handler(self._topics.table, command)
        self._log.info("command answered", command=command.name, client=command.client, ok=reply.ok)
        return self._body(command.client, reply)

    def _body(self, client: str | None, reply: Reply) -> bytes:
        return encode_reply(self._topics.site, self._topics.table, client, reply)

    def _reply(self, client: str | None, request: Incoming, reply: Reply) -> None:
        self._send(client, request, self._body(client, reply))

    def _send(self, client: str | None, request: Incoming, body: bytes) -> None:
        topic = self._reply_topic(client, request)
        if topic is None:
            self._log.warning("reply has no address", bytes=len(request.payload))
            return
        try:
            future = self._link.publish(
                Outgoing(topic, body, content_type=CONTENT_TYPE, correlation=request.correlation)
            )
        except MqttError as error:
            self._log.warning("reply not sent", topic=topic, detail=str(error))
        else:
            future.add_done_callback(lambda done: self._delivered(topic, done))

    def _delivered(self, topic: str, done: asyncio.Future[None]) -> None:
        if (error := done.exception()) is not None:
            self._log.warning("reply not delivered", topic=topic, detail=str(error))

    def _reply_topic(self, client: str | None, request: Incoming) -> str | None:
        wanted = request.response_topic
        if wanted:
            own = self._topics.author_of(request.topic)
            if self._topics.response_allowed(wanted, None if own is None else own[1]):
                return wanted
            self._log.warning("response topic not allowed", topic=wanted)
        return self._topics.replies(client) if client is not None else None


def _unavailable(command: Command, message: str) -> Reply:
    return Reply(command=command.id, ok=False, error=ErrorCode.UNAVAILABLE, message=message)
