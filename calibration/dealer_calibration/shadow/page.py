"""The comparison as one HTML page that needs nothing beside it: no script, no picture, no font."""

from __future__ import annotations

from datetime import datetime
from html import escape

from dealer_calibration.shadow.compare import Comparison
from dealer_calibration.shadow.words import line, verdict

_COLUMNS = ("time (UTC)", "what", "ours", "theirs", "evidence, or why there is none of ours")


def make_page(found: Comparison, made: datetime) -> str:
    """The page of a comparison, made at ``made``."""
    said = "".join(f"<li>{escape(each)}</li>" for each in verdict(found))
    rows = "".join(
        f'<tr class="{one.kind}">{"".join(f"<td>{escape(cell)}" for cell in line(one))}</tr>\n'
        for one in found.differences
    )
    span = "" if found.first is None or found.last is None else f", {_time(found.first)} to {_time(found.last)}"
    table = (
        f"<table><thead><tr>{''.join(f'<th>{name}' for name in _COLUMNS)}</tr></thead>\n<tbody>{rows}</tbody></table>"
        if rows
        else "<p>No difference.</p>"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>Shadow of {escape(found.table)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>Shadow of {escape(found.table)} <small>{escape(found.game)}</small></h1>\n"
        f"<p>Made {_time(made)}{span}. Results are paired by time alone; the other system's come "
        f"{found.offset_s:+.1f} s later, the furthest pair is {found.widest_s:.1f} s off that.</p>\n"
        f"<ul>{said}</ul>\n<h2>Differences</h2>\n{table}\n</body>\n</html>\n"
    )


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC")


_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1b1b1b;
  background: #fff; }
small { color: #555; font-weight: normal; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: .35rem .5rem; border-bottom: 1px solid #ccc;
  overflow-wrap: anywhere; }
td:first-child { white-space: nowrap; }
.differ td:nth-child(2) { color: #a40000; font-weight: bold; }
.only_theirs td:nth-child(2) { color: #8a5a00; font-weight: bold; }
"""
