"""The board's body, from what is kept. Pure; a thousandth of a second for a whole shoe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from dealer_daemon.boards.body import (
    AskBody,
    AskedBody,
    BeadBody,
    BoardBody,
    CellBody,
    DerivedBody,
    MarkBody,
    ResultBody,
    RoadCounts,
    RoadsBody,
    ShoeBody,
)
from dealer_daemon.boards.kept import Kept, Play
from dealer_daemon.boards.marks import counted_of, mark_of
from dealer_daemon.boards.tally import tally
from dealer_daemon.roads import ROWS, Board, Hand, board, drawn, hand_of
from dealer_daemon.roads.derived import Mark
from dealer_drivers.instant import Instant

GAMES_WITH_ROADS = frozenset({"baccarat"})
"""Rule books 003 and 004 give roads for baccarat alone."""
SHOWN_RESULTS = 30


def board_body(kept: Kept, table: str, *, shadow: bool = False) -> BoardBody:
    """See ``BoardBody``."""
    shoe, roads = _shoe_of(kept)
    return BoardBody(
        table=table,
        game=kept.game,
        shadow=shadow,
        sequence=kept.sequence,
        time=None if kept.wall_ns is None else Instant(0, kept.wall_ns).rfc3339(),
        shoe=shoe,
        roads=roads,
        results=[_result(kept.game, play) for play in kept.plays[: -SHOWN_RESULTS - 1 : -1]],
        tallies=[tally(counted, kept.plays) for counted in counted_of(kept.game)],
    )


def roads_body(hands: Sequence[Hand]) -> RoadsBody:
    """The roads of these hands, in order, of one shoe."""
    made = board(hands)
    return RoadsBody(
        rows=ROWS,
        counts=RoadCounts(
            hands=len(hands),
            banker=sum(hand.winner == "banker" for hand in hands),
            player=sum(hand.winner == "player" for hand in hands),
            tie=sum(hand.winner == "tie" for hand in hands),
            banker_pair=sum(hand.banker_pair for hand in hands),
            player_pair=sum(hand.player_pair for hand in hands),
            natural=sum(hand.natural for hand in hands),
        ),
        bead_plate=[BeadBody(col=bead.col, row=bead.row, **asdict(bead.hand)) for bead in made.beads],
        big_road=[
            CellBody(
                col=cell.col,
                row=cell.row,
                winner=cell.side,
                ties=cell.ties,
                ties_before=cell.ties_before,
                player_pair=cell.player_pair,
                banker_pair=cell.banker_pair,
            )
            for cell in made.big
        ],
        columns=[column.length for column in made.columns],
        derived=DerivedBody(**{name: _drawn(marks) for name, marks in made.derived.items()}),
        ask=_ask(made),
        good_roads=made.good,
    )


def _drawn(marks: Sequence[Mark]) -> list[MarkBody]:
    return [MarkBody(col=col, row=row, mark=mark) for (col, row), mark in zip(drawn(marks), marks, strict=True)]


def _ask(made: Board) -> AskBody:
    return AskBody(banker=AskedBody(**made.ask["banker"]), player=AskedBody(**made.ask["player"]))


def _shoe_of(kept: Kept) -> tuple[ShoeBody | None, RoadsBody | None]:
    if kept.shoe is None or kept.game not in GAMES_WITH_ROADS:
        return None, None
    plays = [play for play in kept.plays if play.shoe_id == kept.shoe.id]
    hands = _hands(plays) if kept.shoe.whole else None
    newest = plays[-1].hand_in_shoe if plays else None
    shoe = ShoeBody(id=kept.shoe.id, over=kept.shoe.over, whole=hands is not None, hand=newest)
    return shoe, None if hands is None else roads_body(hands)


def _hands(plays: Sequence[Play]) -> list[Hand] | None:
    """``None`` where one has facts that this version does not know."""
    try:
        return [hand_of(play.facts) for play in plays]
    except (KeyError, TypeError):
        return None


def _result(game: str, play: Play) -> ResultBody:
    mark = mark_of(game, play.facts)
    return ResultBody(
        sequence=play.sequence,
        round=play.round,
        hand_in_shoe=play.hand_in_shoe,
        corrected=play.corrected,
        value=mark.value,
        colour=mark.colour,
        dice=list(mark.dice),
        cards=list(mark.cards),
    )
