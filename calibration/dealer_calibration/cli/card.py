"""``dealer-calibrate card``: a reader proved on a deck, and what a card window would read off pictures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_calibration.cli import card_live
from dealer_calibration.cli.common import Subcommands, add_command, count, judge_pictures, show_grid
from dealer_calibration.cli.shoe import add_card_check
from dealer_drivers.codes.symbology import Symbology

if TYPE_CHECKING:
    from dealer_calibration.card_pictures import Judged


def add(commands: Subcommands) -> None:
    """Add the subcommand and its own subcommands."""
    parser = commands.add_parser("card", help="prove a reader on a deck, focus a window, or read codes off pictures")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    decoder = add_command(
        actions,
        "decode",
        "read the one code of one symbology in each picture, or say why it is refused",
        "dealer-calibrate card decode --symbology code128 window-*.png --json",
        decode,
    )
    decoder.add_argument(
        "--symbology",
        required=True,
        choices=[str(each) for each in Symbology],
        metavar="S",
        help=f"the kind of code on the cards: {', '.join(Symbology)}",
    )
    decoder.add_argument("--length", type=count, metavar="N", help="refuse codes that have not N characters")
    decoder.add_argument(
        "--one-reader", action="store_true", help="do without the second reader (zbar): refuses a little more"
    )
    decoder.add_argument(
        "--json", action="store_true", help="print a JSON line a picture: file, verdict, text, reasons, ms"
    )
    add_card_check(actions)
    card_live.add(actions)
    decoder.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a picture: PNG, JPEG, WebP, BMP, TIFF")


def decode(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 every picture was accepted, 1 some were refused, 2 a file cannot be read."""
    from dealer_calibration.card_pictures import CardPictures

    with CardPictures(Symbology(arguments.symbology), arguments.length, second=not arguments.one_reader) as pictures:
        if pictures.note:
            print(pictures.note, file=sys.stderr)
        return judge_pictures(arguments.files, pictures.judge, _show, as_json=arguments.json)


def _show(judged: list[Judged]) -> None:
    from rich.text import Text

    rows = [
        (
            Text(str(one.file)),
            Text(one.verdict, style="green" if one.accepted else "red"),
            Text(ascii(one.text)[1:-1] if one.text is not None else ", ".join(one.reasons)),
            f"{one.ms:.1f}",
        )
        for one in judged
    ]
    show_grid(("file", "verdict", "text or reasons", "ms"), rows, sum(one.accepted for one in judged))
