"""Why a layout of fan-tan beans did not count (``validation/beans_rules.py``), and what a picture of beans leaves in
doubt (``dealer_drivers.beans.layout``). Doubts that pictures of dice have, too, are in ``words/dice.py``."""

from __future__ import annotations

from dealer_daemon.words.word import Kind, Word

_REFUSED, _HELD = (Kind.REFUSED,), (Kind.HELD,)

BEANS: dict[str, Word] = {
    # Refused: the picture leaves something in doubt.
    "no_beans": Word(
        _REFUSED, "No beans", "未见豆子", "未見豆子",
        "Nothing lies on the cloth. Lay the beans out in the camera's sight.",
    ),
    "covered": Word(
        _REFUSED, "The bowl covers the beans", "碗仍盖着豆子", "碗仍蓋著豆子",
        "The bowl stands on the cloth and no bean is in sight. Lift it, and lay the beans out.",
    ),
    "too_many_beans": Word(
        _REFUSED, "More than 200 beans", "豆子超过200粒", "豆子超過200粒",
        "The game has 200 beans (002). Look whether others got among them.",
    ),
    "beans_touch": Word(
        _REFUSED, "Beans touch", "豆子相连或重叠", "豆子相連或重疊",
        "Beans touch, lie on each other, or are not laid out yet. Part them.",
    ),
    "groups_unclear": Word(
        _REFUSED, "Groups not clearly apart", "各组间距不清", "各組間距不清",
        "Two beans are too far apart for one group and too near for two. Part the groups.",
    ),
    "groups_not_four": Word(
        _REFUSED, "Groups not of four", "并非四粒一组", "並非四粒一組",
        "A group that is not the last one has more or fewer than four beans (002).",
    ),
    "rows_crooked": Word(
        _REFUSED, "Rows not in order", "排列不整齐", "排列不整齊",
        "A group is no straight line, or the groups do not stand in even columns, so that the last one is not told.",
    ),
    "counts_differ": Word(
        _REFUSED, "The two counts differ", "两种计数不一致", "兩種計數不一致",
        "The two readings of the picture do not find the same beans.",
    ),
    # Refused: the layout as it went.
    "count_changed": Word(
        _REFUSED, "The count changed", "前后计数不一致", "前後計數不一致",
        "Two looks at the still layout gave different counts.",
    ),
    "never_laid_out": Word(
        _REFUSED, "Not laid out in time", "未能及时排好", "未能及時排好",
        "No layout could be read within `max_layout_s` after the bowl was lifted.",
    ),
    # Held.
    "layout_changed": Word(
        _HELD, "The cloth was touched before it was confirmed", "确认前布面被触动", "確認前布面被觸動",
        "Something moved on the cloth while the layout waited to be confirmed. Decide by the video.",
    ),
    "layout_not_new": Word(
        _HELD, "The beans lie as before", "豆子与之前相同", "豆子與之前相同",
        "As many beans lie there as before the attempt, or it is not known how many lay there: perhaps they were not "
        "laid out anew. Decide by the video.",
    ),
    "impossible_beans": Word(
        _HELD, "Impossible count", "不可能的粒数", "不可能的粒數",
        "The camera named a count that fan tan cannot have. Call a technician; decide by the video.",
    ),
}  # fmt: skip
