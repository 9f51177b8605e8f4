"""The report as one HTML page that needs nothing beside it: pictures are in it, and there is no script."""

from __future__ import annotations

import base64
from html import escape

from dealer_calibration.bench import Result
from dealer_calibration.reporting.gather import DevicePart, Report
from dealer_calibration.reporting.words import MARKS, figures, moment, verdict


def make_page(report: Report) -> str:
    """The page."""
    title = f"Table {report.table}, {report.site}"
    checked = "" if report.check is None else _findings(report.check)
    note = f"<p>{escape(report.note)}</p>\n" if report.note else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)} <small>{escape(report.game)}</small></h1>\n"
        f'<p class="{_class(report.passed)}">{"Passed" if report.passed else "Not passed"}</p>\n'
        f"<p>{escape(verdict(report.check))}</p>\n{checked}{note}"
        f"{''.join(_device(device) for device in report.devices)}"
        f"<footer><p>Signed off by <b>{escape(report.by)}</b>, {moment(report.made)}.</p>\n"
        f"<p>{escape(report.tool)}. What was found: <code>{report.digest}</code></p></footer>\n</body>\n</html>\n"
    )


def _device(device: DevicePart) -> str:
    about = "".join(f"<dt>{escape(name)}<dd>{escape(text)}" for name, text in device.about)
    results = "".join(_result(device, result) for result in device.results) or "<p>Nothing was found of it yet.</p>"
    return f"<section>\n<h2>{escape(device.name)}</h2>\n<dl>{about}</dl>\n{results}</section>\n"


def _result(device: DevicePart, result: Result) -> str:
    rows = "".join(f"<tr><th>{escape(name)}<td>{escape(text)}</tr>" for name, text in figures(result))
    table = f"<table>{rows}</table>\n" if rows else ""
    pictures = "".join(
        f'<figure><img alt="{escape(name)}" src="data:{_media(device.pictures[name])};base64,'
        f'{base64.b64encode(device.pictures[name]).decode()}"><figcaption>{escape(name)}</figcaption></figure>\n'
        for name in result.pictures
    )
    return f'<h3 class="{_class(result.passed)}">{escape(verdict(result))}</h3>\n{_findings(result)}{table}{pictures}'


def _findings(result: Result) -> str:
    rows = ""
    for one in result.findings:
        about = "".join(f"<li>{escape(name)}: {escape(text)}" for name, text in figures(one))
        do_next = f"<br><b>→ {escape(one.do_next)}</b>" if one.do_next else ""
        rows += (
            f'<tr><td class="{_class(one.ok)}">{MARKS[one.ok]}<td>{escape(one.code)}'
            f"<td>{escape(one.said)}{do_next}{f'<ul>{about}</ul>' if about else ''}</tr>\n"
        )
    return f"<table><thead><tr><th>right<th>what<th>said</tr></thead>\n<tbody>{rows}</tbody></table>\n"


def _class(ok: bool | None) -> str:
    return {True: "good", False: "bad", None: "open"}[ok]


def _media(picture: bytes) -> str:
    return "image/jpeg" if picture.startswith(b"\xff\xd8") else "image/png"


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #1b1b1b;
  background: #fff; }
small { color: #555; font-weight: normal; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem; border-bottom: 1px solid #ccc;
  overflow-wrap: anywhere; }
td:first-child { white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
ul { margin: .2rem 0; padding-left: 1.2rem; color: #444; font-size: 13px; }
section { border-top: 2px solid #888; margin-top: 2rem; }
figure { margin: 1rem 0; } img { max-width: 100%; border: 1px solid #ccc; } figcaption { color: #555; }
.good { color: #0a6b0a; font-weight: bold; } .bad { color: #a40000; font-weight: bold; }
.open { color: #8a5a00; font-weight: bold; }
footer { border-top: 2px solid #888; margin-top: 2rem; } code { overflow-wrap: anywhere; }
@media print { body { margin: 0; max-width: none; } section { break-inside: auto; } }
"""
