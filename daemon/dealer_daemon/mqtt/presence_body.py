"""What is said on the presence topic: births, goodbyes, wills, and between stations a question and its answer. Pure."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from dealer_daemon.bodies import PresenceBody
from dealer_drivers.json_text import decode_json

Word = Annotated[str, Meta(max_length=64, pattern=r"^[!-~]*(?!\n)$")]
"""An id or a time, as stations write them. It is shown to people and kept in the journal, so it is nothing longer, and
nothing that a screen or a shell could take for its own."""


class Said(msgspec.Struct, frozen=True):
    """What matters of a message on the topic; anybody may have written it."""

    online: bool
    boot: Word
    since: Word | None = None
    connection: Word | None = None
    asks: Word | None = None
    answers: Word | None = None


class _Talk(PresenceBody, frozen=True, kw_only=True, omit_defaults=True):
    """What stations say to one another."""

    asks: str | None = None
    """Of a question whether a station is there: the boot that asks. ``boot`` is the question's own id then."""
    answers: str | None = None
    """Of the answer: the question's id."""


def read_presence(payload: bytes) -> Said | None:
    """What a message says; ``None`` where it says nothing that is known."""
    try:
        return decode_json(payload, Said)
    except (msgspec.MsgspecError, RecursionError):
        return None


def ask_of(nonce: str, boot: str) -> bytes:
    """The question of run ``boot`` whether anybody is there, not retained.

    For everybody else it is an offline of a boot that was never born, which says nothing.
    """
    return msgspec.json.encode(_Talk(online=False, boot=nonce, asks=boot))


def answer_of(birth: PresenceBody, nonce: str) -> bytes:
    """The answer to a question, not retained: the birth of who is there, with the question's id."""
    return msgspec.json.encode(_Talk(**msgspec.structs.asdict(birth), answers=nonce))
