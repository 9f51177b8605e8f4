"""The body of ``board``. Within v1 it only grows. Places count from zero: columns left to right, rows top down."""

from __future__ import annotations

from typing import Literal

import msgspec


class BeadBody(msgspec.Struct, frozen=True, kw_only=True):
    """One hand on the bead plate (珠盘路), ties included."""

    col: int
    row: int
    winner: Literal["banker", "player", "tie"]
    player_pair: bool
    banker_pair: bool
    natural: bool
    """Decided by an eight or nine on two cards."""
    total: int
    """The winning total, of a tie that of both."""


class CellBody(msgspec.Struct, frozen=True, kw_only=True):
    """One result on the big road (大路). ``winner`` is null only while the shoe has had nothing but ties."""

    col: int
    row: int
    winner: Literal["banker", "player"] | None
    ties: int
    """After it and before the next result."""
    ties_before: int
    """Before the first result of the shoe; the first cell's mark carries both counts."""
    player_pair: bool
    banker_pair: bool


class MarkBody(msgspec.Struct, frozen=True, kw_only=True):
    """One mark of a derived road: ``R`` red, ``B`` blue, which is not the banker and the player."""

    col: int
    row: int
    mark: Literal["R", "B"]


class DerivedBody(msgspec.Struct, frozen=True, kw_only=True):
    """Big eye boy (大眼仔路), small road (小路) and cockroach road (小强路), as drawn, in order."""

    big_eye: list[MarkBody]
    small: list[MarkBody]
    cockroach: list[MarkBody]


class AskedBody(msgspec.Struct, frozen=True, kw_only=True):
    """What each derived road would get; null where it would get no mark."""

    big_eye: Literal["R", "B"] | None
    small: Literal["R", "B"] | None
    cockroach: Literal["R", "B"] | None


class AskBody(msgspec.Struct, frozen=True, kw_only=True):
    """If the next hand were the banker's (庄问路), or the player's (闲问路)."""

    banker: AskedBody
    player: AskedBody


class RoadCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Of the hands on the bead plate."""

    hands: int
    banker: int
    player: int
    tie: int
    banker_pair: int
    player_pair: int
    natural: int


class RoadsBody(msgspec.Struct, frozen=True, kw_only=True):
    """The roads of one shoe. ``columns`` are the lengths of the big road's logical columns: what the derived roads
    compare, wherever a dragon's tail is drawn."""

    rows: int
    counts: RoadCounts
    bead_plate: list[BeadBody]
    big_road: list[CellBody]
    columns: list[int]
    derived: DerivedBody
    ask: AskBody
    good_roads: list[str]
    """The good roads (好路) that hold now, by their names in the rule book."""


class ShoeBody(msgspec.Struct, frozen=True, kw_only=True):
    """The shoe that the roads are of: the one in play, or the last one until another is."""

    id: str
    over: bool
    whole: bool
    """Every result of it is in the roads. Where it is false, older ones are no longer to be had: roads of a part would
    be other roads, so there are none until the next shoe."""
    hand: int | None
    """Number in the shoe of the newest hand that has a result; hands that were void have a number, too."""


class ResultBody(msgspec.Struct, frozen=True, kw_only=True):
    """One result that stands."""

    sequence: int
    """Of its outcome, or of the newest correction of it."""
    round: str | None
    hand_in_shoe: int | None
    corrected: bool
    value: str | None
    """What a display writes large: the number, the sum, the colour, the remainder, the winner or the dealer's (the
    banker's) hand; null where the game has none of these."""
    colour: str | None
    dice: list[int]
    cards: list[str]


class ShareBody(msgspec.Struct, frozen=True, kw_only=True):
    """How often one value came."""

    value: str
    count: int
    ago: int | None
    """Plays since it came last, 0 for the newest one; null where it did not come."""


class TallyBody(msgspec.Struct, frozen=True, kw_only=True):
    """How often each value of one fact came in the last ``plays`` plays (dice: each of the three counts)."""

    of: str
    plays: int
    """The sample: as many as are still known, at most 500."""
    shares: list[ShareBody]
    hot: list[str]
    """At most five values that came more often than their part of the whole would have it, most frequent first."""
    cold: list[str]
    """At most five that came less often, rarest first."""


class BoardBody(msgspec.Struct, frozen=True, kw_only=True):
    """``board``, retained: the table's scoreboard, from outcomes and corrections that were published. Rounds that are
    void count nothing. A display shows the one with the highest ``sequence``."""

    table: str
    game: str
    shadow: bool
    sequence: int
    """Of the newest event that is in here; 0 before the first."""
    time: str | None
    """When that was, RFC 3339."""
    shoe: ShoeBody | None
    """At a game that has roads."""
    roads: RoadsBody | None
    """Null at other games, before the first shoe, and where the shoe is not ``whole``."""
    results: list[ResultBody]
    """The newest first, at most 30."""
    tallies: list[TallyBody]
