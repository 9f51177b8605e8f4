"""The good roads (好路) of rule book 003: patterns that hold at the end of the results so far, ties left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dealer_daemon.roads.hand import Series, Side

_Rule = Callable[[Sequence[Series]], bool]
_OTHER: dict[Side, Side] = {"banker": "player", "player": "banker"}


def good_roads(columns: Sequence[Series]) -> list[str]:
    """The names that hold, in the order of the rule book."""
    return [name for name, holds in RULES if holds(columns)]


def _long(side: Side) -> _Rule:
    return lambda columns: bool(columns) and columns[-1].side == side and columns[-1].length >= 4


def _both_stick(columns: Sequence[Series]) -> bool:
    return len(columns) >= 2 and all(column.length >= 2 for column in columns[-2:])


def _single_jumps(columns: Sequence[Series]) -> bool:
    """The last four results alternate; what the oldest of them followed does not matter."""
    return len(columns) >= 4 and all(column.length == 1 for column in columns[-3:])


def _hall_and_rooms(side: Side) -> _Rule:
    """One of the side, two of the other, twice over; the oldest one may be the end of a longer series."""

    def holds(columns: Sequence[Series]) -> bool:
        if len(columns) < 4 or columns[-1].side == side:
            return False
        return [column.length for column in columns[-3:]] == [2, 1, 2]

    return holds


def _banker_sticks(columns: Sequence[Series]) -> bool:
    """Four or more bankers, one player, two bankers, one player."""
    if len(columns) < 4 or columns[-1].side != "player":
        return False
    return columns[-4].length >= 4 and [column.length for column in columns[-3:]] == [1, 2, 1]


def _player_sticks(columns: Sequence[Series]) -> bool:
    """Two players or more, one banker, four or more players, two bankers."""
    if len(columns) < 4 or columns[-1].side != "banker":
        return False
    oldest, one, four, two = (column.length for column in columns[-4:])
    return oldest >= 2 and one == 1 and four >= 4 and two == 2


def _every_other(side: Side) -> _Rule:
    """Of the side's columns the last four hold one, more, one, more, and the last of them is the current one."""

    def holds(columns: Sequence[Series]) -> bool:
        own = [column.length for column in columns if column.side == side]
        if len(own) < 4 or columns[-1].side != side:
            return False
        first, second, third, last = own[-4:]
        return first == third == 1 and second >= 2 and last >= 2

    return holds


RULES: tuple[tuple[str, _Rule], ...] = (
    ("长庄", _long("banker")),
    ("长闲", _long("player")),
    ("拍拍黐", _both_stick),
    ("大路单跳", _single_jumps),
    ("一厅两房（庄）", _hall_and_rooms("banker")),
    ("一厅两房（闲）", _hall_and_rooms("player")),
    ("逢庄黐", _banker_sticks),
    ("逢闲黐", _player_sticks),
    ("隔黐庄", _every_other("banker")),
    ("隔黐闲", _every_other("player")),
)
