"""Sheets of test cards: one HTML page that needs nothing beside it, A4, nine cards of 63 by 88 mm a sheet.

A printed code is as good as the card's own to a scanner. Every test card therefore says that it is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from dealer_calibration.codebook_drawing import draw_code
from dealer_drivers.codes.symbology import Symbology
from dealer_drivers.shoe.codebook import CodeBook, Foreign, KnownCard, KnownCut

ACROSS, DOWN = 3, 3
PER_PAGE = ACROSS * DOWN
_SUITS = {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}
_AS_TEXT = "\ufe0e"
"""Asks for the suit as a letter, where a system would draw a coloured picture."""
_CUT = ("CUT", "cut card", "切牌", "切牌")
_OTHERS = {
    "joker": ("JOKER", "joker", "鬼牌", "鬼牌"),
    "advert": ("ADVERT", "advertising card", "广告牌", "廣告牌"),
    "unknown": ("OTHER", "no card of the set", "非本组牌", "非本組牌"),
}


class NoSuchDeckError(ValueError):
    """The book has no deck of that name."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The page, and how much is on it."""

    html: str
    cards: int
    pages: int


def make_sheet(book: CodeBook, symbology: Symbology, deck: str | None = None) -> Sheet:
    """Test cards of the whole book, or of one ``deck`` with the cut card and the others.

    Raises ``NoSuchDeckError``, and ``CodeTooLongError`` for a code that does not fit on a card.
    """
    decks = list(dict.fromkeys(known.unit.deck for known in book.cards.values() if known.unit))
    if deck is not None and deck not in decks:
        there = f"its decks are {', '.join(decks)}" if decks else "it has none: its codes are the same in every deck"
        raise NoSuchDeckError(f"the book has no deck {deck}; {there}")
    cards = [
        _card(code, known, symbology)
        for code, known in book.cards.items()
        if deck is None or (known.unit is not None and known.unit.deck == deck)
    ]
    cards += [_other(code, other, symbology) for code, other in book.others.items()]
    pages = [cards[start : start + PER_PAGE] for start in range(0, len(cards), PER_PAGE)]
    body = "".join(
        _page(each, f"{book.deck_set} · {symbology} · {number}/{len(pages)}") for number, each in enumerate(pages, 1)
    )
    title = escape(f"Test cards {book.deck_set}")
    return Sheet(
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        len(cards),
        len(pages),
    )


def _page(cards: list[str], where: str) -> str:
    return (
        '<section class="page">\n<header><div>'
        "<h1>Test cards: not for play</h1>"
        '<h1 lang="zh-Hans">测试牌：不得用于游戏</h1>'
        '<h1 lang="zh-Hant">測試牌：不得用於遊戲</h1></div>'
        f"<div><p>{escape(where)}</p><p>A4 · 100 %</p></div></header>\n"
        f'<div class="cards">\n{"".join(cards)}</div>\n</section>\n'
    )


def _card(code: str, known: KnownCard, symbology: Symbology) -> str:
    rank, suit = known.card[0], known.card[1]
    name = f"{'10' if rank == 'T' else rank}{_SUITS[suit]}{_AS_TEXT}"
    colour = " red" if suit in "HD" else ""
    about = [known.card]
    if known.unit is not None:
        about += [f"deck {known.unit.deck}", f"serial {known.unit.serial}"]
    return _frame(f'<p class="name{colour}">{name}</p>', f"<p>{escape(' · '.join(about))}</p>", code, symbology)


def _other(code: str, other: KnownCut | Foreign, symbology: Symbology) -> str:
    word, english, simplified, traditional = _CUT if isinstance(other, KnownCut) else _OTHERS[other.kind]
    about = f'<p>{english} · <span lang="zh-Hans">{simplified}</span> · <span lang="zh-Hant">{traditional}</span></p>'
    return _frame(f'<p class="name word">{word}</p>', about, code, symbology)


def _frame(name: str, about: str, code: str, symbology: Symbology) -> str:
    return (
        f'<article data-code="{escape(code)}">{name}{about}'
        f"<figure>{draw_code(code, symbology)}<figcaption>{escape(code)}</figcaption></figure>"
        '<p class="test">TEST <span lang="zh-Hans">测试</span> <span lang="zh-Hant">測試</span></p></article>\n'
    )


_STYLE = """
@page { size: A4; margin: 0 }
* { box-sizing: border-box; margin: 0; padding: 0 }
body { color: #000; background: #fff; font-family: Arial, "Liberation Sans", "DejaVu Sans", sans-serif }
:lang(zh-Hans) { font-family: "Noto Sans CJK SC", "Noto Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif }
:lang(zh-Hant) { font-family: "Noto Sans CJK TC", "Noto Sans TC", "PingFang TC", "Microsoft JhengHei", sans-serif }
.page { width: 210mm; height: 296mm; padding: 8mm 10.5mm; break-after: page; overflow: hidden }
.page:last-child { break-after: auto }
header { display: flex; justify-content: space-between; height: 14mm; font-size: 9pt }
header > div:last-child { text-align: right }
h1 { display: inline; margin-right: 4mm; font-size: 10pt }
.cards { display: grid; grid-template-columns: repeat(3, 63mm); grid-auto-rows: 88mm }
article { display: flex; flex-direction: column; align-items: center; padding: 4mm 2mm 3mm; overflow: hidden;
  overflow-wrap: anywhere; text-align: center;
  outline: 0.2mm dashed #888; outline-offset: -0.1mm; font-size: 9pt }
.name { font-size: 52pt; font-weight: bold; line-height: 1.1 }
.word { font-size: 34pt; line-height: 1.7 }
.red { color: #b00000 }
figure { display: flex; flex: 1; flex-direction: column; align-items: center; justify-content: center }
svg { display: block }
figcaption { max-width: 57mm; margin-top: 1.5mm; overflow-wrap: anywhere; text-align: center;
  font: 10pt "Liberation Mono", "DejaVu Sans Mono", monospace }
.test { color: #555; font-size: 8pt; letter-spacing: 0.1em }
"""
