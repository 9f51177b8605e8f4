"""The report as one HTML page that needs nothing beside it: no script, no picture, no font."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from html import escape

from dealer_calibration.statistics.classical import Figures
from dealer_calibration.statistics.health import Answer, Health, TableHealth
from dealer_calibration.statistics.words import BEGINNING_MOVES, VERDICTS, bias, percent, stands_out

_WIDTH, _HEIGHT, _FOOT = 720, 120, 16
_LANGUAGES = ("en", "zh-Hans", "zh-Hant")


def make_page(tables: Sequence[TableHealth], made: datetime, *, beginning_moves: bool) -> str:
    """The page of ``tables``, made at ``made``; ``beginning_moves`` is that of the export."""
    parts = "".join(_table(each) for each in tables) or "<p>No outcome of a wheel or of dice.</p>"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n<title>Wheels and dice</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Wheels and dice</h1>\n"
        f"<p>Made {_time(made)}. A fair table is called “look at it” with a chance of at most 1 %, “call the "
        "technician” of at most 0.1 %, over all its questions and however often somebody looks from the same beginning "
        "on. Nothing here stops a table.</p>\n"
        f"{f'<p>{escape(BEGINNING_MOVES)}</p>' if beginning_moves else ''}\n{parts}</body>\n</html>\n"
    )


def _table(table: TableHealth) -> str:
    words = " · ".join(
        f'<span lang="{language}">{word}</span>'
        for language, word in zip(_LANGUAGES, VERDICTS[table.health], strict=True)
    )
    wheel = "" if table.wheel is None else f", wheel {escape(table.wheel[:19])}"
    rows = "".join(_row(answer) for answer in table.answers)
    left_out = "".join(f"<li>{escape(each)}</li>" for each in table.left_out)
    return (
        f"<section>\n<h2>{escape(table.table)} <small>{escape(table.game)}{wheel}</small></h2>\n"
        f'<p class="verdict {table.health}">{words}</p>\n'
        f"<p>{table.rounds} rounds from {_time(table.first)} (event {table.first_sequence}) to {_time(table.last)}; "
        f"p = {percent(table.p_value)} over all questions and looks.</p>\n"
        "<table><thead><tr><th>question<th>verdict<th>p, any number of looks<th>counted<th>enough from"
        "<th>seen with 80 % power<th>stands out (seen of expected)<th>one look alone</tr></thead>\n"
        f"<tbody>{rows}</tbody></table>\n"
        f"{''.join(_chart(answer) for answer in _worth_drawing(table.answers))}"
        f"<p>Not asked:</p><ul>{left_out}</ul>\n</section>\n"
    )


def _row(answer: Answer) -> str:
    question = answer.question
    return (
        f'<tr><td><b>{escape(question.name)}</b><br>{escape(question.what)}<td class="{answer.health}">'
        f"{VERDICTS[answer.health][0]}<td>{percent(answer.p_value)}<td>{answer.draws}<td>{answer.needed}"
        f"<td>{escape(bias(answer))}<td>{escape(stands_out(answer))}<td>{_one_look(answer.figures)}</tr>\n"
    )


def _one_look(found: Figures | None) -> str:
    if found is None:
        return ""
    statistic = (
        f"max |z| {found.statistic:.2f}" if found.freedom is None else f"χ²({found.freedom}) {found.statistic:.1f}"
    )
    how = ", simulated" if found.method == "simulated" else ""
    return f"{statistic}, p {percent(found.p_value)}{how}"


def _worth_drawing(answers: Sequence[Answer]) -> list[Answer]:
    """The answers with counts of one group, each of the same counts once."""
    first: dict[tuple[tuple[str, ...], bytes], Answer] = {}
    for answer in answers:
        if answer.draws and len(answer.counts) == 1:
            first.setdefault((answer.question.labels, answer.counts.tobytes()), answer)
    return list(first.values())


def _chart(answer: Answer) -> str:
    """Bars relative to each cell's share, and the band in which 95 of 100 single cells of fair draws lie."""
    question, counts = answer.question, answer.counts[0]
    n, bar = answer.draws, _WIDTH / len(question.labels)
    shares = [(int(seen), chance) for seen, chance in zip(counts, question.chances[0], strict=True)]
    band = [1.96 * math.sqrt((1 - chance) / (n * chance)) for _, chance in shares]
    reach = max(*band, *(abs(seen / (n * chance) - 1) for seen, chance in shares)) * 1.1
    middle = _HEIGHT / 2
    many = ' class="many"' if len(question.labels) > 20 else ""
    drawn = []
    for index, ((seen, chance), fair) in enumerate(zip(shares, band, strict=True)):
        off = seen / (n * chance) - 1
        x, high, wide = index * bar, middle * abs(off) / reach, middle * fair / reach
        label = escape(question.labels[index])
        drawn.append(
            f'<rect class="band" x="{x:.1f}" y="{middle - wide:.1f}" width="{bar:.1f}" height="{2 * wide:.1f}"/>'
            f'<rect class="{"out" if abs(off) > fair else "in"}" x="{x + bar * 0.2:.1f}" '
            f'y="{middle - high if off > 0 else middle:.1f}" width="{bar * 0.6:.1f}" height="{high:.1f}">'
            f"<title>{label}: {seen}, expected {n * chance:.1f}</title></rect>"
            f'<text x="{x + bar / 2:.1f}" y="{_HEIGHT + _FOOT - 4}">{label}</text>'
        )
    return (
        f"<figure><figcaption>{escape(question.name)}: more or less often than the share, scale ±{100 * reach:.0f} %; "
        "grey: where 95 of 100 fair cells lie</figcaption>"
        f'<svg{many} viewBox="0 0 {_WIDTH} {_HEIGHT + _FOOT}" role="img" aria-label="{escape(question.what)}">'
        f'{"".join(drawn)}<line x1="0" x2="{_WIDTH}" y1="{middle}" y2="{middle}"/></svg></figure>\n'
    )


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M") + " UTC"


_COLORS = {
    Health.NOTHING_UNUSUAL: "#d9f0dd",
    Health.NOT_ENOUGH_DATA: "#e6e6e6",
    Health.LOOK_AT_IT: "#ffe7a8",
    Health.CALL_TECHNICIAN: "#ffc9c4",
}
_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#111}"
    "table{border-collapse:collapse;width:100%;font-size:13px}th,td{border:1px solid #bbb;padding:.3em .5em;"
    "text-align:left;vertical-align:top}small{font-weight:normal;color:#555}"
    ".verdict{font-size:1.4em;padding:.4em .8em;border-radius:.3em}"
    "figure{margin:1.2em 0;break-inside:avoid}figcaption{font-size:13px}svg{width:100%}"
    "svg text{font-size:9px}svg.many text{font-size:7px}svg text{text-anchor:middle}svg line{stroke:#111}"
    ".band{fill:#e6e6e6}.in{fill:#4a6fa5}.out{fill:#c0392b}"
    + "".join(f".{health}{{background:{color}}}" for health, color in _COLORS.items())
)
