"""``dealer-calibrate dice profile``: measure what the reader of a calibrated rig must know."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dealer_calibration.cli.common import Subcommands, add_command, count, watched
from dealer_calibration.cli.exit_codes import DONE, NO, WRONG, complain


def add(actions: Subcommands) -> None:
    """Add the action to the ``dice`` group."""
    maker = add_command(
        actions,
        "profile",
        "measure a rig's profile from pictures of the empty plate and of dice on it",
        "dealer-calibrate dice profile --plate empty-*.png --dice dice-*.png --count 3 -o table-7.json",
        make,
    )
    maker.add_argument(
        "--plate", nargs="+", type=Path, required=True, metavar="FILE", help="two or more pictures of the empty plate"
    )
    maker.add_argument(
        "--dice",
        nargs="+",
        type=Path,
        required=True,
        metavar="FILE",
        help="six or more pictures of dice that lie flat and apart, some near the rim, every value at least once",
    )
    maker.add_argument("--count", type=count, default=3, metavar="N", help="dice in each picture (default 3)")
    maker.add_argument(
        "--circle",
        nargs=3,
        type=float,
        metavar=("X", "Y", "RADIUS"),
        help="look at this part of the picture only, in pixels; the whole picture by default",
    )
    maker.add_argument("--translucent", action="store_true", help="the plate shines through the dice")
    maker.add_argument(
        "--json", action="store_true", help="print a JSON object: file, plate, die_px, pitch_px, read, of"
    )
    maker.add_argument(
        "-o", "--output", type=Path, required=True, metavar="PROFILE", help="where to write the JSON file"
    )
    maker.add_argument("--force", action="store_true", help="write it even where there is a file already")


def make(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 the profile is written, 1 the pictures give none, 2 a file cannot be read or written."""
    from dealer_calibration.dice_profile import PictureError, measure, write_profile
    from dealer_drivers.dice.profile_size import ProfileMakeError

    path: Path = arguments.output
    try:
        profile, checked = measure(
            arguments.plate,
            arguments.dice,
            count=arguments.count,
            circle=tuple(arguments.circle) if arguments.circle else None,
            translucent=arguments.translucent,
            plate_name=f"{path.stem}.plate.png",
            watch=watched,
        )
        write_profile(profile, path, replace=arguments.force)
    except ProfileMakeError as error:
        return complain(f"no profile can be made: {error}", NO)
    except PictureError as error:
        return complain(str(error), WRONG)
    except FileExistsError as error:
        return complain(f"{error}; choose another name, or say --force to replace it", WRONG)
    except OSError as error:
        return complain(f"{error.filename or path}: {error.strerror or error}", WRONG)
    for one in checked:
        if not one.values:
            complain(f"note: {one.file}: not read with this profile: {', '.join(one.reasons)}: {one.detail}", DONE)
    content = profile.content
    said = {
        "file": str(path),
        "plate": content.plate,
        "die_px": round(content.die_px, 2),
        "pitch_px": round(content.pitch_px, 2),
        "read": sum(bool(one.values) for one in checked),
        "of": len(checked),
    }
    if arguments.json:
        print(json.dumps(said))
    else:
        print(
            "{file}: written, with {plate}: die {die_px} px, pitch {pitch_px} px; reads {read} of {of} pictures".format(
                **said
            )
        )
    return DONE
