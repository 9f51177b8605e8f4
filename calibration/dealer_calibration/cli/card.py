"""``dealer-calibrate card``: what a card window would read off pictures."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_calibration.cli.common import Subcommands, add_command, count, watched
from dealer_calibration.cli.exit_codes import DONE, NO, WRONG
from dealer_drivers.codes.symbology import Symbology

if TYPE_CHECKING:
    from dealer_calibration.card_pictures import Judged


def add(commands: Subcommands) -> None:
    """Add the subcommand and its own subcommands."""
    parser = commands.add_parser("card", help="read the codes of cards off pictures")
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
    decoder.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a picture: PNG, JPEG, WebP, BMP, TIFF")


def decode(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 every picture was accepted, 1 some were refused, 2 a file cannot be read."""
    from dealer_calibration.card_pictures import CardPictures

    judged: list[Judged] = []
    missing = False
    with CardPictures(Symbology(arguments.symbology), arguments.length, second=not arguments.one_reader) as pictures:
        if pictures.note:
            print(pictures.note, file=sys.stderr)
        for file in watched(arguments.files, "reading", len(arguments.files)):
            try:
                one = pictures.judge(file)
            except OSError as error:
                missing = True
                print(f"{file}: cannot be read: {error.strerror or error}", file=sys.stderr)
                continue
            judged.append(one)
            if arguments.json:
                print(json.dumps(one.as_json()), flush=True)
    if not arguments.json:
        _show(judged)
    if missing:
        return WRONG
    return DONE if all(one.accepted for one in judged) else NO


def _show(judged: list[Judged]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False)
    for column in ("file", "verdict", "text or reasons"):
        grid.add_column(column, overflow="fold")
    grid.add_column("ms", justify="right")
    for one in judged:
        verdict = Text(one.verdict, style="green" if one.accepted else "red")
        said = Text(ascii(one.text)[1:-1] if one.text is not None else ", ".join(one.reasons))
        grid.add_row(Text(str(one.file)), verdict, said, f"{one.ms:.1f}")
    console = Console()
    if judged:
        console.print(grid)
    accepted = sum(one.accepted for one in judged)
    console.print(f"{accepted} accepted, {len(judged) - accepted} refused", highlight=False)
