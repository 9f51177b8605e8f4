"""``dealer-calibrate codebook sheet``: what is printed reads back as the book's codes, each on its own card."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_calibration.cli import main
from dealer_calibration.codebook_drawing import WIDEST_MM, CodeTooLongError, draw_code
from dealer_calibration.codebook_sheet import NoSuchDeckError, make_sheet
from dealer_drivers.cards import DECK
from dealer_drivers.codes.decode import Decoded, decode
from dealer_drivers.codes.symbology import Symbology
from dealer_drivers.readings.shoe import CardUnit
from dealer_drivers.shoe.codebook import RANK_SUIT, CodeBook, KnownCard, KnownCut
from dealer_drivers.shoe.codebook_check import code_problem
from dealer_drivers.shoe.codebook_file import dump_codebook
from dealer_drivers.shoe.codebook_maker import make_codebook

PRINTED = [Symbology.CODE128, Symbology.DATAMATRIX]
PIXELS_PER_MM = 16
"""About 400 dots an inch: the narrowest bar is three of them wide."""
SUITS = {"♠": "S", "♥": "H", "♣": "C", "♦": "D"}


@pytest.fixture(scope="module")
def book() -> CodeBook:
    return make_codebook(decks=2, deck_set="blue-7", prefix="B7", seed="9", jokers=1)


def picture(svg: str) -> npt.NDArray[np.uint8]:
    """The drawing in its size on paper, by nothing but its own numbers: white, with black rectangles."""
    (box,) = re.findall(r'viewBox="0 0 (\d+) (\d+)"', svg)
    (size,) = re.findall(r"width:([\d.]+)mm;height:([\d.]+)mm", svg)
    wide, high = (float(mm) * PIXELS_PER_MM for mm in size)
    across, down = wide / int(box[0]), high / int(box[1])
    drawn = np.full((round(high), round(wide)), 255, np.uint8)
    (path,) = re.findall(r'<path d="([^"]+)"', svg)
    rectangles = re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", path)
    assert "".join(f"M{x} {y}h{w}v1h-{w}z" for x, y, w, _ in rectangles) == path
    for x, y, w, back in ([int(number) for number in rectangle] for rectangle in rectangles):
        assert w == back
        drawn[round(y * down) : round((y + 1) * down), round(x * across) : round((x + w) * across)] = 0
    return np.pad(drawn, 20, constant_values=255)


def read(svg: str, symbology: Symbology) -> str | None:
    answer = decode(picture(svg), symbology)
    return answer.text if isinstance(answer, Decoded) else None


def cards_on(html: str) -> list[tuple[str, str, list[str]]]:
    """Every card as a person and a scanner see it: large letters, the drawing, the small words."""
    found = []
    for article in re.findall(r"<article[^>]*>.*?</article>", html, re.DOTALL):
        (name,) = re.findall(r'<p class="name[^"]*">(.*?)</p>', article)
        (drawing,) = re.findall(r"<svg.*?</svg>", article)
        about = unescape(re.sub(r"<[^>]+>", "", re.findall(r"<p>(.*?)</p>", article)[0]))
        caption = unescape(re.findall(r"<figcaption>(.*?)</figcaption>", article)[0])
        found.append((name.replace("\ufe0e", ""), drawing, [*about.split(" · "), caption]))
    return found


def card_of(name: str) -> str:
    """``8S`` of ``8♠``."""
    return name[:-1].replace("10", "T") + SUITS[name[-1]]


@pytest.mark.parametrize("symbology", PRINTED)
def test_the_printed_codes_read_back_as_the_books_own_each_on_its_card(book: CodeBook, symbology: Symbology) -> None:
    sheet = make_sheet(book, symbology, "2")
    codes = set()
    names = []
    for name, drawing, (first, *words, caption) in cards_on(sheet.html):
        code = read(drawing, symbology)
        assert code == caption
        codes.add(code)
        found = book.lookup(code)
        if isinstance(found, KnownCard):
            assert found.unit is not None
            assert (card_of(name), first) == (found.card, found.card)
            assert words == [f"deck {found.unit.deck}", f"serial {found.unit.serial}"]
            names.append(found.card)
        else:
            assert (name, first) == (("CUT", "cut card") if found == KnownCut() else ("JOKER", "joker"))
    assert names == list(DECK)
    assert codes == {code for code, known in book.cards.items() if known.unit and known.unit.deck == "2"} | set(
        book.others
    )
    assert (sheet.cards, sheet.pages) == (54, 6)


@pytest.mark.parametrize("symbology", PRINTED)
def test_the_built_in_book_reads_back_too(symbology: Symbology) -> None:
    seen = cards_on(make_sheet(RANK_SUIT, symbology).html)
    assert [read(drawing, symbology) for _, drawing, _ in seen] == list(DECK)
    assert [card_of(name) for name, _, _ in seen] == list(DECK)


@pytest.mark.parametrize("symbology", PRINTED)
@settings(max_examples=60, deadline=None)
@given(code=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=48))
def test_any_code_that_a_card_may_carry_reads_back_or_is_refused(symbology: Symbology, code: str) -> None:
    if code_problem(code) is not None:
        return
    try:
        drawing = draw_code(code, symbology)
    except CodeTooLongError:
        assert symbology is Symbology.CODE128
        assert len(code) > 22
        return
    assert read(drawing, symbology) == code
    assert float(re.findall(r"width:([\d.]+)mm", drawing)[0]) <= WIDEST_MM


class Closed(HTMLParser):
    """Fails where an element is closed that is not open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not {"src", "href"} & {name for name, _ in attrs}
        if tag not in ("meta", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        assert (tag, [name for name, _ in attrs]) == ("path", ["d"])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_needs_nothing_beside_it_and_says_in_three_languages_that_it_is_no_game(book: CodeBook) -> None:
    sheet = make_sheet(book, Symbology.CODE128)
    assert (sheet.cards, sheet.pages) == (106, 12)
    page = Closed()
    page.feed(sheet.html)
    page.close()
    assert not page.open
    assert not re.search(r"https?:|url\(|@import|<script", sheet.html)
    for heading in ("Test cards: not for play", "测试牌：不得用于游戏", "測試牌：不得用於遊戲"):
        assert page.text.count(heading) == sheet.pages
    assert sheet.html.count("TEST ") == sheet.cards


def test_names_and_codes_with_signs_of_html_are_shown_as_they_are() -> None:
    cards = {f'<&">{card}': KnownCard(card, CardUnit("<b>", "<i>", card)) for card in DECK}
    sheet = make_sheet(CodeBook(RANK_SUIT.kind, "<b>", cards), Symbology.DATAMATRIX)
    page = Closed()
    page.feed(sheet.html)
    assert not {"<b>", "<i>"} & set(re.findall(r"<[bi]>", sheet.html))
    name, drawing, words = cards_on(sheet.html)[7]
    assert (name, words) == ("8♠", ["8S", "deck <i>", "serial 8S", '<&">8S'])
    assert read(drawing, Symbology.DATAMATRIX) == '<&">8S'


def test_a_deck_that_the_book_has_not_is_refused(book: CodeBook) -> None:
    with pytest.raises(NoSuchDeckError, match="no deck 3; its decks are 1, 2"):
        make_sheet(book, Symbology.CODE128, "3")
    with pytest.raises(NoSuchDeckError, match="it has none"):
        make_sheet(RANK_SUIT, Symbology.CODE128, "1")


def test_the_command_writes_the_page_once(book: CodeBook, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "b.toml", tmp_path / "sheet.html"
    path.write_text(dump_codebook(book), encoding="utf-8")
    arguments = ["codebook", "sheet", str(path), "--symbology", "code128", "--deck", "1", "-o", str(out)]
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"{out}: written: test cards: 54, pages: 6; print on A4 at 100 %\n"
    assert out.read_text("utf-8") == make_sheet(book, Symbology.CODE128, "1").html
    assert main(arguments) == 2
    assert "there is a file already" in capsys.readouterr().err
    assert main([*arguments, "--force"]) == 0
    assert main(["codebook", "sheet", "rank-suit", "--symbology", "datamatrix", "-o", str(tmp_path / "r.html")]) == 0


def test_what_cannot_be_printed_is_exit_code_2_and_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, long = tmp_path / "sheet.html", tmp_path / "long.toml"
    cards = {f"{card}{'x' * 40}": KnownCard(card) for card in DECK}
    long.write_text(dump_codebook(CodeBook(RANK_SUIT.kind, "long", cards)), encoding="utf-8")
    for name, more, reason in (
        (str(long), (), "too long to be printed on a card as code128"),
        ("rank-suit", ("--deck", "1"), "no deck 1"),
        (str(tmp_path / "none.toml"), (), "there is no such file"),
    ):
        assert main(["codebook", "sheet", name, "--symbology", "code128", "-o", str(out), *more]) == 2
        said = capsys.readouterr()
        assert said.err.startswith(f"{name}: ")
        assert reason in said.err
        assert not out.exists()
    assert main(["codebook", "sheet", str(long), "--symbology", "datamatrix", "-o", str(out)]) == 0
