"""Log lines on stderr: one vocabulary of fields, no secrets, and no flood. The journal, not this, is the record.

JSON, one object a line, unless stderr is a terminal. Code logs by ``get_logger().info("link_lost", device=...)``:
a few words for
what happened, always the same, and fields of ``FIELDS`` for the rest.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, MutableMapping
from typing import Any, Literal, TextIO

import structlog

from dealer_daemon.journald import JournaldHandler, is_journal
from dealer_daemon.redact import redact

LogFormat = Literal["auto", "json", "text", "journald"]
EventDict = MutableMapping[str, Any]

FIELDS: dict[str, str] = {
    "about": "what else an alert is about, besides a device",
    "attempt": "number of the attempt within its round, from 1",
    "boot": "id of this run of the daemon",
    "broker": "host and port of the broker",
    "by": "the person or service that answers for a command",
    "bytes": "a count of bytes",
    "client": "the MQTT client or the screen that sent a command",
    "client_id": "the MQTT client id of a table's connection",
    "code": "code of an alert, a word of alerts.md",
    "command": "id of a command",
    "config_hash": "SHA-256 of a table's resolved configuration",
    "consumer": "a registered consumer of the table's events",
    "count": "a count of whatever the event names",
    "detail": "a sentence for a person: what is, and what to do next",
    "device": "name of a device on its table",
    "driver": "name of a driver",
    "duration_ms": "how long it took, in milliseconds",
    "error": "the text of an error",
    "event_type": "type word of a journal event, `round.outcome`",
    "fault": "a device's fault, a word of reasons.md",
    "file": "a file's path",
    "from_sequence": "first sequence of a range",
    "game": "the table's game",
    "key": "a key of the configuration, dotted",
    "line": "a line of a file, from 1",
    "line_event": "of lines that were left out: their `event`",
    "name": "a command's name, `round.open`",
    "ok": "whether a command was carried out",
    "port": "the port of a device as configured",
    "problem": "code of what stands in the way of publishing",
    "protocol": "MQTT protocol version in use",
    "reason": "why, a word of reasons.md or of the broker",
    "remedy": "what people do about a refused attempt",
    "role": "the role of who sent a command",
    "round": "id of a round",
    "sequence": "sequence of an event within its table",
    "session_present": "whether the broker still knew our session",
    "signal": "name of a Unix signal",
    "signkey": "id of the key that signs events",
    "site": "the station's site",
    "state": "what something is now, where the event names it",
    "table": "name of a table",
    "to_sequence": "last sequence of a range",
    "topic": "an MQTT topic",
    "url": "an address to open or reach, credentials removed",
    "version": "a version",
    "wait_s": "seconds until the next try",
}
"""Every field that a line may have beside those of ``STANDARD_FIELDS``."""

STANDARD_FIELDS: dict[str, str] = {
    "time": "UTC, RFC 3339",
    "level": "`debug`, `info`, `warning`, `error`, `critical`",
    "event": "what happened, in words that stay the same",
    "logger": "the module that says it",
    "exception": "a traceback, only with errors that nobody expected",
    "suppressed": "how many lines of this kind were left out since the last one written",
}

BURST = 5
"""So many lines of one kind are written within ``WINDOW_S`` and the others counted: a wheel that repeats a warning
in every status line, each half second, must not bury what else is wrong."""
WINDOW_S = 60.0
MAX_KINDS = 1024


KIND = ("event", "event_type", "code", "table", "device", "state")
"""Lines that are the same in these, and in their level, are of one kind."""


class RateLimit:
    """Decides which lines of a kind are written. ``clock`` gives monotonic seconds."""

    def __init__(self, clock: Callable[[], float], *, burst: int = BURST, window_s: float = WINDOW_S) -> None:
        self._clock, self._burst, self._window_s = clock, burst, window_s
        self._kinds: dict[object, tuple[float, int]] = {}  # kind: window's begin, lines seen in it

    def admit(self, kind: object) -> int | None:
        """``None`` to leave the line out, else how many of its kind were left out before it."""
        now = self._clock()
        begin, seen = self._kinds.get(kind, (now, 0))
        if now - begin < self._window_s:
            self._kinds[kind] = (begin, seen + 1)
            if len(self._kinds) > MAX_KINDS:
                del self._kinds[next(iter(self._kinds))]
            return 0 if seen < self._burst else None
        self._kinds[kind] = (now, 1)
        return max(0, seen - self._burst)

    def ended(self) -> list[tuple[object, int]]:
        """Kinds whose window is over, and how many lines of each were left out, where any were. Said once."""
        now = self._clock()
        over = {kind: seen for kind, (begin, seen) in self._kinds.items() if now - begin >= self._window_s}
        for kind in over:
            del self._kinds[kind]
        return [(kind, seen - self._burst) for kind, seen in over.items() if seen > self._burst]

    def __call__(self, _logger: object, method: str, event: EventDict) -> EventDict:
        """The structlog processor: a kind is what happened to one device of one table."""
        if method == "critical":
            return event
        suppressed = self.admit((method, *(event.get(field) for field in KIND)))
        if suppressed is None:
            raise structlog.DropEvent
        return {**event, "suppressed": suppressed} if suppressed else event


class ForeignRateLimit(logging.Filter):
    """The same for lines of other libraries: a kind is a logger and a message before its arguments."""

    def __init__(self, limit: RateLimit) -> None:
        super().__init__()
        self._limit = limit

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written. Ours were counted before."""
        ours = isinstance(record.msg, dict)
        return ours or record.levelno >= logging.CRITICAL or self._limit.admit((record.name, record.msg)) is not None


def redact_secrets(_logger: object, _method: str, event: EventDict) -> EventDict:
    """The processor that keeps secrets out of every line, ours and other libraries'."""
    cleaned: EventDict = redact(event)
    return cleaned


def without_controls(_logger: object, _method: str, event: EventDict) -> EventDict:
    """The processor that keeps a terminal from obeying what others wrote: a topic, a name, a device's words."""
    return {key: _printable(value, "\n" if key == "event" else "") for key, value in event.items()}


def _printable(value: object, allowed: str) -> object:
    if not isinstance(value, str) or value.isprintable():
        return value
    kept = (char if char.isprintable() or char in allowed else repr(char)[1:-1] for char in value)
    return "".join(kept)


_limit: RateLimit | None = None
"""That of ``configure``."""


def configure(
    log_format: LogFormat = "auto",
    level: str = "info",
    stream: TextIO | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Sets up all logging of the process, once at its start. ``auto`` is ``text`` on a terminal, ``journald`` where
    stderr leads to systemd's journal, and else ``json``."""
    global _limit
    stream = stream or sys.stderr
    as_text = log_format == "text" or (log_format == "auto" and stream.isatty())
    to_journal = log_format == "journald" or (log_format == "auto" and is_journal(stream))
    _limit = limit = RateLimit(clock)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            limit,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    handler = JournaldHandler(stream) if to_journal else logging.StreamHandler(stream)
    handler.addFilter(ForeignRateLimit(limit))
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *([] if as_text else [structlog.processors.format_exc_info]),
                redact_secrets,
                *([without_controls] if as_text else []),
                _text_renderer(stream) if as_text else structlog.processors.JSONRenderer(_to_json),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)  # where it serves is said by whoever has it serve


def tell_left_out() -> None:
    """Says of each kind of line that does not come any more how many of it were left out. Called now and then."""
    for kind, count in () if _limit is None else _limit.ended():
        # Ours begin with their level, those of other libraries are a logger and its message.
        values = kind[1:] if isinstance(kind, tuple) else ()
        fields = {name: value for name, value in zip(KIND, values, strict=False) if value is not None}
        fields["line_event"] = fields.pop("event", None)
        get_logger(__name__).info("lines_left_out", suppressed=count, **fields)


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """The logger of a module, ``get_logger(__name__)``."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger


def _to_json(event: EventDict, **_: Any) -> str:
    return json.dumps(event, ensure_ascii=False, default=str)


def _text_renderer(stream: TextIO) -> structlog.dev.ConsoleRenderer:
    # Plain tracebacks: rich ones print local variables, and with them secrets.
    return structlog.dev.ConsoleRenderer(
        colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback, timestamp_key="time"
    )
