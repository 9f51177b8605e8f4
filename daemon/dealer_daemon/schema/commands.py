"""The schema of every command message and of the reply."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from dealer_daemon.commands import CommandName, Reply, Role
from dealer_daemon.schema.components import DIALECT, JsonObject, envelope, summary, type_schemas

Name = Annotated[str, Meta(min_length=1, max_length=128)]
Why = Annotated[str, Meta(min_length=1, description="Why, for people.")]
Round = Annotated[str, Meta(description="The round that is meant; refused when another one is open.")]
Server = Annotated[
    dict[str, Any],
    Meta(description="The server's own object, at most 4 KiB: kept unread and echoed in the outcome."),
]


class CommandData(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What every command says."""

    by: Annotated[Name, Meta(description="The person or service that answers for the command.")]
    role: Role


class RoundOpenData(CommandData, kw_only=True):
    """Opens a round (`round_source = "server"`)."""

    server: Server = {}


class BettingCloseData(CommandData, kw_only=True):
    """No more bets."""

    round: Round | None = None
    server: Server = {}


class GateOpenData(CommandData, kw_only=True):
    """The round goes on past the gate that it waits at; with `void` the gate's bets alone are void."""

    gate: str
    round: Round | None = None
    void: bool = False
    reason: Annotated[str, Meta(description="Needed with `void`.")] | None = None
    server: Server = {}


class CardExpectData(CommandData, kw_only=True):
    """Says what comes next, where players decide; with the game's own keys."""

    round: Round | None = None
    server: Server = {}


class CardCorrectData(CommandData, kw_only=True):
    """Puts another card on a position by the video, before the outcome."""

    position: str
    card: Annotated[str, Meta(pattern="^[A2-9TJQK][SHCD]$")]
    reason: Why
    round: Round | None = None
    also: Annotated[
        dict[str, Annotated[str, Meta(pattern="^[A2-9TJQK][SHCD]$")]],
        Meta(description="Further positions that change in the same moment: two cards were swapped."),
    ] = {}


class RoundVoidData(CommandData, kw_only=True):
    """Cancels the open round; stakes go back."""

    reason: Why
    round: Round | None = None


class OutcomeCorrectData(CommandData, kw_only=True):
    """Puts other facts in the place of a published outcome's; with the game's own keys, `number` for roulette."""

    replaces: Annotated[int, Meta(ge=1, description="Sequence of the outcome that was wrong.")]
    reason: Why


class TablePauseData(CommandData, kw_only=True):
    """Stops the table."""

    reason: Why


class TableResumeData(CommandData, kw_only=True):
    """Lets the table go on."""

    reason: Why
    pause: (
        Annotated[
            int,
            Meta(
                description="Sequence of the table.paused that is answered (paused_at of the state). Where the table"
                " asks where the next card belongs it is needed, unless the message's time is later than the pause."
            ),
        ]
        | None
    ) = None


class ShoeChangeData(CommandData, kw_only=True):
    """A new shoe begins; a server may ask where the table allows it."""

    reason: Why
    deck_set: Annotated[str, Meta(description="Needed where several sets may be in the shoe.")] | None = None
    verified: Annotated[bool, Meta(description="Of no effect: the station knows which sets were verified.")] = False


class DeckVerifyData(CommandData, kw_only=True):
    """A full scan of a deck set: begins it, ends it, or gives it up."""

    deck_set: Annotated[str, Meta(description="Needed where there are several that are not in play.")] | None = None
    action: Annotated[
        Literal["start", "end", "cancel"],
        Meta(description="It ends by itself with the last card; `end` says that there are no more."),
    ] = "start"


class DeckInsertData(CommandData, kw_only=True):
    """Says which deck set lies in the shuffler."""

    deck_set: str


class EventsResendData(CommandData, kw_only=True):
    """Publishes events again, in order, from a sequence on."""

    from_: Annotated[int, Meta(ge=1)] = msgspec.field(name="from")


class AttemptConfirmData(CommandData, kw_only=True):
    """The dealer's word that the spin was valid."""

    round: Round | None = None


class AttemptRefuseData(CommandData, kw_only=True):
    """No spin: the attempt is made again."""

    round: Round | None = None


class AttemptDecideData(CommandData, kw_only=True):
    """Decides a held attempt by the video; with the game's own keys, `number` for roulette."""

    reason: Why
    round: Round | None = None


class EntryAllowData(CommandData, kw_only=True):
    """Lets the result of the open round be keyed in by hand."""

    reason: Why
    round: Round | None = None


COMMAND_DATA: dict[CommandName, type[CommandData]] = {
    CommandName.ROUND_OPEN: RoundOpenData,
    CommandName.BETTING_CLOSE: BettingCloseData,
    CommandName.GATE_OPEN: GateOpenData,
    CommandName.CARD_EXPECT: CardExpectData,
    CommandName.CARD_CORRECT: CardCorrectData,
    CommandName.ROUND_VOID: RoundVoidData,
    CommandName.OUTCOME_CORRECT: OutcomeCorrectData,
    CommandName.TABLE_PAUSE: TablePauseData,
    CommandName.TABLE_RESUME: TableResumeData,
    CommandName.SHOE_CHANGE: ShoeChangeData,
    CommandName.DECK_VERIFY: DeckVerifyData,
    CommandName.DECK_INSERT: DeckInsertData,
    CommandName.EVENTS_RESEND: EventsResendData,
    CommandName.ATTEMPT_CONFIRM: AttemptConfirmData,
    CommandName.ATTEMPT_REFUSE: AttemptRefuseData,
    CommandName.ATTEMPT_DECIDE: AttemptDecideData,
    CommandName.ENTRY_ALLOW: EntryAllowData,
}


def command_definitions(ref_template: str = "#/$defs/{name}") -> JsonObject:
    """A definition for each command message, by its name, for ``reply``, and for each ``data``, by its class."""
    messages = {
        str(word): envelope(
            word,
            ref_template.format(name=cls.__name__),
            description=summary(cls),
            required=(),
            id={
                "type": "string",
                "minLength": 1,
                "maxLength": 128,
                "description": "Unique for the client for ever; the same id is answered with the same reply.",
            },
            source={"type": "string", "pattern": "[^/]$", "description": "Its last segment is the client's name."},
            time={
                "type": "string",
                "format": "date-time",
                "description": "When it was sent, RFC 3339; needed where the station sets `command_max_age_s`.",
            },
        )
        for word, cls in COMMAND_DATA.items()
    }
    messages["reply"] = envelope(
        "reply",
        ref_template.format(name="Reply"),
        description=summary(Reply),
        required=("datacontenttype",),
    )
    return messages | type_schemas([*COMMAND_DATA.values(), Reply], ref_template)


def commands_schema() -> JsonObject:
    """One JSON Schema for all command messages and the reply."""
    return {
        "$schema": DIALECT,
        "$id": "urn:dealer-station:v1:commands",
        "title": "Commands to a dealer table, and its replies",
        "description": "CloudEvents 1.0 in structured JSON.",
        "oneOf": [{"$ref": f"#/$defs/{word}"} for word in (*CommandName, "reply")],
        "$defs": command_definitions(),
    }
