"""The scoreboard's page: the body that displays get, and the texts that go with it. Pure.

The body is of outcomes alone, which are told when betting is long closed: there is nothing in it to withhold.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from dealer_daemon.boards import BoardBody
from dealer_daemon.boards.body import TallyBody
from dealer_daemon.config import TableConfig
from dealer_daemon.screen.texts import Text, plain, say
from dealer_daemon.words.scoreboard import BOARD
from dealer_daemon.words.table_screen import PHRASES


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """The heading of the tally at the same place in the body, and how large its sample is."""

    title: Text
    sample: Text


class BoardView(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on the page of one board. ``labels`` and ``values`` are by the words of the body; a value that is not
    among them is written as it is."""

    boot: str
    table: str
    language: str
    game: Text
    names: list[Text]
    """Hand and shoe."""
    note: Text | None
    """Why there are no roads, or no results."""
    labels: dict[str, Text]
    values: dict[str, Text]
    good_roads: list[Text]
    tallies: list[Tally]
    board: BoardBody


def board_view(body: BoardBody, config: TableConfig, boot: str) -> BoardView:
    """See ``BoardView``."""
    return BoardView(
        boot=boot,
        table=body.table,
        language=str(config.screen_language),
        game=say("game", body.game),
        names=_names(body),
        note=_note(body),
        labels={code: say("board", code) for code in BOARD if code != "sample"},
        values={value: text for value in _values(body) if (text := _value(value)) is not None},
        good_roads=[] if body.roads is None else [_good_road(name) for name in body.roads.good_roads],
        tallies=[_tally(one) for one in body.tallies],
        board=body,
    )


def _names(body: BoardBody) -> list[Text]:
    if body.shoe is None:
        return []
    shoe = say("line", "shoe_name", id=body.shoe.id)
    return [shoe] if body.shoe.hand is None else [say("line", "hand_name", hand=body.shoe.hand), shoe]


def _note(body: BoardBody) -> Text | None:
    if body.shoe is not None:
        if not body.shoe.whole:
            return say("board", "not_whole")
        return say("board", "shoe_over") if body.shoe.over else None
    return None if body.results else say("board", "no_result")


def _tally(one: TallyBody) -> Tally:
    title = say("tally", one.of) if one.of in PHRASES["tally"] else plain(one.of, one.of)
    return Tally(title=title, sample=say("board", "sample", plays=one.plays))


def _values(body: BoardBody) -> Iterator[str]:
    yield from (one.value for one in body.results if one.value is not None)
    for tally in body.tallies:
        yield from (share.value for share in tally.shares)


def _value(value: str) -> Text | None:
    for place in ("value", "colour", "rank"):
        phrase = PHRASES[place].get(value)
        if phrase is not None and "{" not in phrase.english:
            return say(place, value)
    return None


def _good_road(name: str) -> Text:
    return say("good_road", name) if name in PHRASES["good_road"] else plain(name, name)
