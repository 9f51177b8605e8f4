"""``dealer-calibrate beans``: a fan-tan table's profile from pictures, and what its camera would read."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_calibration.cli import beans_bench
from dealer_calibration.cli.common import Subcommands, add_command, count
from dealer_calibration.cli.exit_codes import DONE, NO, WRONG
from dealer_calibration.picture_files import bytes_of, picture_of_file

if TYPE_CHECKING:
    from dealer_drivers.beans.layout import Bgr

Counted = tuple[int, Path]


def add(commands: Subcommands) -> None:
    """Add the subcommand and its own subcommands."""
    parser = commands.add_parser(
        "beans", help="a fan-tan cloth: calibrate and check its camera, see it live, read pictures"
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    maker = add_command(
        actions,
        "profile",
        "make the profile of a table's camera from pictures of clean layouts",
        "dealer-calibrate beans profile --out table.beans.json 200=full.png 97=half.png 45=few.png",
        profile,
    )
    maker.add_argument("--out", required=True, type=Path, metavar="FILE", help="where the profile is written")
    _add_how(maker)
    maker.add_argument(
        "pictures", nargs="+", type=_counted, metavar="BEANS=FILE", help="a picture, and what lies in it"
    )
    reader = add_command(
        actions,
        "read",
        "count the beans in each picture, or say why it is refused",
        "dealer-calibrate beans read --profile table.beans.json layout-*.png --json",
        read,
    )
    reader.add_argument("--profile", required=True, type=Path, metavar="FILE", help="the table's profile")
    reader.add_argument("--json", action="store_true", help="print a JSON line a picture")
    reader.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a picture of the table's camera")
    beans_bench.add(actions, _add_how)


def _add_how(maker: argparse.ArgumentParser) -> None:
    """How beans are laid out, and where."""
    maker.add_argument("--rows", type=count, default=10, metavar="N", help="groups in a full column (10)")
    maker.add_argument(
        "--region", type=_region, metavar="X,Y,W,H", help="the part of the picture to look at (all of it)"
    )
    maker.add_argument("--line", choices=("across", "down"), default="across", help="how the four of a group lie")
    for name, what in (("columns", "columns follow each other"), ("stack", "a column's groups follow each other")):
        maker.add_argument(f"--{name}", choices=("forward", "backward"), default="forward", help=f"which way {what}")


def _counted(text: str) -> Counted:
    beans, equals, file = text.partition("=")
    if not equals or not beans.isdecimal() or not file:
        raise argparse.ArgumentTypeError(f"{text!r}: write how many beans lie in the picture, as in 97=half.png")
    return int(beans), Path(file)


def _region(text: str) -> tuple[int, int, int, int]:
    parts = text.split(",")
    if len(parts) != 4 or not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r}: four whole numbers, left,top,width,height in pixels")
    x, y, wide, high = map(int, parts)
    return x, y, wide, high


def _picture(file: Path) -> Bgr | None:
    """The picture in colour; says on standard error why there is none."""
    try:
        picture = picture_of_file(bytes_of(file))
    except OSError as error:
        print(f"{file}: cannot be read: {error.strerror}", file=sys.stderr)
        return None
    if picture is None:
        print(f"{file}: is no picture", file=sys.stderr)
    return picture


def profile(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 written, 1 the pictures make no profile, 2 a file cannot be read or written."""
    from dealer_drivers.beans.calibrate import make_profile
    from dealer_drivers.beans.profile import BadProfile, encode_profile

    pictures = [_picture(file) for _, file in arguments.pictures]
    good = [picture for picture in pictures if picture is not None]
    if len(good) < len(pictures):
        return WRONG
    try:
        made = make_profile(
            good,
            [beans for beans, _ in arguments.pictures],
            region=arguments.region,
            rows=arguments.rows,
            line=arguments.line,
            columns=arguments.columns,
            stack=arguments.stack,
        )
    except BadProfile as error:
        print(f"no profile: {error}", file=sys.stderr)
        return NO
    try:
        arguments.out.write_bytes(encode_profile(made))
    except OSError as error:
        print(f"{arguments.out}: cannot be written: {error.strerror}", file=sys.stderr)
        return WRONG
    print(f"{arguments.out}: beans {made.size.middle_px:.1f} px wide, every picture reads as counted")
    return DONE


def read(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 every picture was accepted, 1 some were refused, 2 a file cannot be used."""
    from dealer_drivers.beans.layout import BeansCount
    from dealer_drivers.beans.profile import BadProfile, parse_profile
    from dealer_drivers.beans.reader import BeansReader

    try:
        reader = BeansReader(parse_profile(arguments.profile.read_bytes()))
    except (OSError, BadProfile) as error:
        print(f"{arguments.profile}: {error}", file=sys.stderr)
        return WRONG
    missing = refused = False
    for file in arguments.files:
        picture = _picture(file)
        if picture is None:
            missing = True
            continue
        began = time.perf_counter()
        answer = reader.read(picture)
        ms = round((time.perf_counter() - began) * 1000, 2)
        accepted = isinstance(answer, BeansCount)
        refused |= not accepted
        if isinstance(answer, BeansCount):
            value, reasons, detail = reader.encode(answer), [], ""
        else:
            value, reasons, detail = None, [str(reason) for reason in answer.reasons], answer.detail
        verdict = "accepted" if accepted else "refused"
        if arguments.json:
            print(json.dumps({"file": str(file), "verdict": verdict, "value": value, "reasons": reasons, "ms": ms}))
        elif value is not None:
            print(f"{file}: {value['beans']} beans, {value['groups']} groups, the last of {value['remainder']}")
        else:
            print(f"{file}: refused: {', '.join(reasons)}: {detail}")
    return WRONG if missing else NO if refused else DONE
