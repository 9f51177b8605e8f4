"""What people do about a refused attempt: the rule books' own words (``games.md`` §1)."""

from __future__ import annotations

from dealer_daemon.words.word import Kind, Word

_REMEDY = (Kind.REMEDY,)

REMEDIES: dict[str, Word] = {
    "rescan": Word(
        _REMEDY, "Scan again", "重新扫描", "重新掃描", "Scan the same card again, same position (000, 002, 003)."
    ),
    "rethrow": Word(
        _REMEDY, "Throw again", "重新掷球", "重新擲球", "Stop the rotor, throw the ball again (002)."
    ),
    "reshake": Word(
        _REMEDY, "Shake again", "重新摇骰", "重新搖骰", "Shake the dice again (001, 002, 003)."
    ),
    "respin": Word(
        _REMEDY, "Spin again", "重新转动", "重新轉動", "Spin the colour wheel again (002)."
    ),
    "rearrange": Word(
        _REMEDY, "Arrange again", "重新排列", "重新排列", "Lay the groups of beans out again (002)."
    ),
}  # fmt: skip
