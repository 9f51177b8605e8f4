"""``dealer-calibrate dice``: what a dice table would read off pictures, and what its reader must know."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_calibration.cli import dice_bench, dice_profile
from dealer_calibration.cli.common import Subcommands, add_command, count, judge_pictures, show_grid
from dealer_calibration.cli.exit_codes import WRONG, complain

if TYPE_CHECKING:
    from dealer_calibration.dice_pictures import Judged

STRICT = "note: no profile of a table: each picture is judged alone, by the strict rules for any camera"


def add(commands: Subcommands) -> None:
    """Add the subcommand and its own subcommands."""
    parser = commands.add_parser("dice", help="a rig of dice: calibrate and check it, see it live, read pictures")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    reader = add_command(
        actions,
        "read",
        "read the dice in each picture, or say why it is refused",
        "dealer-calibrate dice read --dice 3 shake-*.png --json",
        read,
    )
    reader.add_argument("--dice", required=True, type=count, metavar="N", help="how many dice the game has")
    reader.add_argument(
        "--profile",
        type=Path,
        metavar="F",
        help="the pictures are of the calibrated rig that this profile is of; without it, any camera, and stricter",
    )
    reader.add_argument(
        "--json", action="store_true", help="print a JSON line a picture: file, verdict, values, reasons, ms"
    )
    reader.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a picture: PNG, JPEG, WebP, BMP, TIFF")
    dice_profile.add(actions)
    dice_bench.add(actions)


def read(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 every picture was accepted, 1 some were refused, 2 a file, or the profile, cannot be used."""
    from dealer_calibration.dice_pictures import DicePictures, rig_look, still_look
    from dealer_drivers.dice.profile import ProfileError

    profile: Path | None = arguments.profile
    if profile is None:
        print(STRICT, file=sys.stderr)
        pictures = DicePictures(still_look(arguments.dice))
    else:
        try:
            pictures = DicePictures(rig_look(profile, arguments.dice))
        except ProfileError as error:
            return complain(str(error), WRONG)
    return judge_pictures(arguments.files, pictures.judge, _show, as_json=arguments.json)


def _show(judged: list[Judged]) -> None:
    from rich.text import Text

    rows = [
        (
            Text(str(one.file)),
            Text(one.verdict, style="green" if one.accepted else "red"),
            Text(" ".join(map(str, one.values)) if one.accepted else ", ".join(one.reasons)),
            Text(one.detail),
            f"{one.ms:.0f}",
        )
        for one in judged
    ]
    show_grid(("file", "verdict", "values or reasons", "detail", "ms"), rows, sum(one.accepted for one in judged))
