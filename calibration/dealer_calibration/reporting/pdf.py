"""The report as a PDF for the file that an auditor opens: the same words and pictures as the page."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Image, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from dealer_calibration.bench import Finding, Result
from dealer_calibration.reporting.gather import DevicePart, Report
from dealer_calibration.reporting.words import MARKS, figures, moment, verdict

MOST_TEXT = 3000
"""Letters of one cell: a sentence and a long list."""
_WIDTH = A4[0] - 36 * mm
_COLOURS = {True: "#0a6b0a", False: "#a40000", None: "#8a5a00"}
_CHINESE = "STSong-Light"
"""A font that PDF readers have by themselves; the built-in ones hold Latin letters alone."""


def make_pdf(report: Report) -> bytes:
    """The PDF's bytes. The same report gives the same bytes."""
    out = io.BytesIO()
    title = f"Table {report.table}, {report.site}"
    document = SimpleDocTemplate(
        out,
        pagesize=A4,
        leftMargin=18 * mm,
        rightMargin=18 * mm,
        topMargin=18 * mm,
        bottomMargin=18 * mm,
        title=title,
        author=report.by,
        creator=report.tool,
        invariant=1,
    )
    document.build(list(_story(report, title)), onFirstPage=_foot(report), onLaterPages=_foot(report))
    return out.getvalue()


def _story(report: Report, title: str) -> Iterator[Any]:
    yield _text(f"{title}: {report.game}", "Title")
    yield _text("Passed" if report.passed else "Not passed", "Heading2", _COLOURS[report.passed])
    yield _text(verdict(report.check))
    if report.check is not None:
        yield _findings(report.check.findings)
    if report.note:
        yield _text(report.note)
    for device in report.devices:
        yield from _device(device)
    yield Spacer(1, 8 * mm)
    yield _text(f"Signed off by {report.by}, {moment(report.made)}.", "Heading3")
    yield _text(f"{report.tool}. What was found: {report.digest}")


def _device(device: DevicePart) -> Iterator[Any]:
    yield _text(device.name, "Heading1")
    yield _grid([[_text(name), _text(text)] for name, text in device.about], (30 * mm, _WIDTH - 30 * mm))
    if not device.results:
        yield _text("Nothing was found of it yet.")
    for result in device.results:
        yield _text(verdict(result), "Heading2", _COLOURS[result.passed])
        yield _findings(result.findings)
        rows = [[_text(name), _text(text)] for name, text in figures(result)]
        if rows:
            yield _grid(rows, (50 * mm, _WIDTH - 50 * mm))
        yield from _pictures(device, result)


def _pictures(device: DevicePart, result: Result) -> Iterator[Any]:
    for name in result.pictures:
        content = device.pictures[name]
        wide, high = ImageReader(io.BytesIO(content)).getSize()
        scale = min(_WIDTH / wide, 110 * mm / high, 1.0)
        yield Image(io.BytesIO(content), wide * scale, high * scale, hAlign="LEFT")
        yield _text(name)


def _findings(found: Sequence[Finding]) -> Table:
    rows = [[_text("right"), _text("what"), _text("said")]]
    for one in found:
        said = [_text(_cut(one.said))]
        if one.do_next:
            said.append(_text(_cut(f"→ {one.do_next}")))
        about = "; ".join(f"{name}: {text}" for name, text in figures(one))
        if about:
            said.append(_text(_cut(about), colour="#555555"))
        rows.append([_text(MARKS[one.ok], colour=_COLOURS[one.ok]), _text(_cut(one.code)), said])  # type: ignore[list-item]
    return _grid(rows, (20 * mm, 42 * mm, _WIDTH - 62 * mm))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} … (the page has all of it)"


def _grid(rows: list[list[Any]], widths: Sequence[float]) -> Table:
    # A row may be higher than the page: a pile of which nothing was read names every card.
    grid = Table(rows, colWidths=list(widths), hAlign="LEFT", splitInRow=1)
    line = ("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.HexColor("#cccccc"))
    grid.setStyle(TableStyle([line, ("VALIGN", (0, 0), (-1, -1), "TOP")]))
    return grid


def _text(text: str, style: str = "BodyText", colour: str | None = None) -> Paragraph:
    coloured = f'<font color="{colour}">{_marked(text)}</font>' if colour else _marked(text)
    return Paragraph(coloured, _style(style))


def _marked(text: str) -> str:
    """The text with each run of letters that the built-in fonts lack in one that has them."""
    marked, run = "", ""
    for char in text:
        if char.isprintable() and ord(char) > 0xFF and char not in "→…“”‘’–—":
            run += char
            continue
        marked += _chinese(run)
        run = ""
        marked += escape(_PLAIN.get(char, char if char.isprintable() else " "))
    return marked + _chinese(run)


_PLAIN = {"→": "->", "…": "...", "“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-"}


def _chinese(run: str) -> str:
    if not run:
        return ""
    _with_chinese()
    return f'<font name="{_CHINESE}">{escape(run)}</font>'


@cache
def _with_chinese() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont(_CHINESE))


@cache
def _style(name: str) -> ParagraphStyle:
    found = getSampleStyleSheet()[name]
    assert isinstance(found, ParagraphStyle)
    # Long words, a hash or a list without spaces, must break inside a cell.
    found.wordWrap = "CJK" if name == "BodyText" else found.wordWrap
    return found


def _foot(report: Report) -> Any:
    def draw(canvas: Any, document: Any) -> None:
        canvas.saveState()
        canvas.setFont("Helvetica", 8)
        canvas.drawString(18 * mm, 10 * mm, f"{report.table}  {report.digest[:23]}  {moment(report.made)}")
        canvas.drawRightString(A4[0] - 18 * mm, 10 * mm, str(document.page))
        canvas.restoreState()

    return draw
