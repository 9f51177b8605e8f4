"""The verdicts in the three languages of the tables, and figures in words."""

from __future__ import annotations

from dealer_calibration.statistics.health import Answer, Health

VERDICTS = {
    Health.NOTHING_UNUSUAL: ("nothing unusual", "未见异常", "未見異常"),
    Health.NOT_ENOUGH_DATA: ("not enough data", "数据不足", "資料不足"),
    Health.LOOK_AT_IT: ("look at it", "请检查", "請檢查"),
    Health.CALL_TECHNICIAN: ("call the technician", "请通知技术员", "請通知技術員"),
}
"""In en, zh-Hans, zh-Hant."""


BEGINNING_MOVES = (
    "Older rounds were removed by retention, so the beginning moves with every look. The chances of a false alarm hold "
    "for each beginning: give kept exports together, or a fixed --since."
)


def percent(part: float) -> str:
    """0.004 is ``0.4 %``."""
    return f"{100 * part:.3g} %" if part >= 1e-5 else "below 0.001 %"


def bias(answer: Answer) -> str:
    """The smallest bias that these draws would show."""
    if answer.smallest_bias is None:
        return "none yet"
    return f"{answer.question.watched_label}: +{100 * answer.smallest_bias:.3g} %"


def stands_out(answer: Answer) -> str:
    """What is farthest from its share."""
    if answer.figures is None:
        return ""
    return f"{answer.figures.most}: {answer.figures.seen} of {answer.figures.expected:.1f}"
