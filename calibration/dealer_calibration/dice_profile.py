"""A rig's profile from picture files, checked against these pictures, and its two files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2

from dealer_calibration.picture_files import bytes_of, picture_of_file
from dealer_drivers.dice.faces import Bgr, Doubts
from dealer_drivers.dice.profile import Circle, RigProfile, dump_profile
from dealer_drivers.dice.profile_make import make_profile
from dealer_drivers.dice.rig_reader import RigReader
from dealer_drivers.whole_files import write_whole


class PictureError(ValueError):
    """A file is no picture. The text names it."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the new profile makes of one of the pictures of dice: values, or reasons and detail."""

    file: Path
    values: tuple[int, ...]
    reasons: tuple[str, ...]
    detail: str


def load_picture(file: Path) -> Bgr:
    """The picture in colour. Raises ``OSError`` and ``PictureError``."""
    picture = picture_of_file(bytes_of(file))
    if picture is None:
        raise PictureError(f"{file}: is no picture")
    return picture


def measure(
    plates: Sequence[Path],
    dice: Sequence[Path],
    *,
    count: int,
    circle: tuple[float, float, float] | None,
    translucent: bool,
    plate_name: str,
    watch: Callable[[Iterable[Path], str, int], Iterable[Path]],
) -> tuple[RigProfile, list[Checked]]:
    """The profile, and what it reads off the pictures it was made from.

    Raises ``OSError``, ``PictureError``, and ``ProfileMakeError`` where they give no profile.
    """
    cv2.setNumThreads(1)
    region = Circle(x=circle[0], y=circle[1], radius=circle[2]) if circle else None
    seen = {file: load_picture(file) for file in (*plates, *dice)}
    profile = make_profile(
        [seen[file] for file in plates],
        [seen[file] for file in dice],
        count=count,
        region=region,
        translucent=translucent,
        plate_name=plate_name,
    )
    reader = RigReader(profile, count)
    checked = []
    for file in watch(dice, "reading", len(dice)):
        answer = reader.read(seen[file])
        if isinstance(answer, Doubts):
            checked.append(Checked(file, (), tuple(str(reason) for reason in answer.reasons), answer.detail))
        else:
            checked.append(Checked(file, answer.values, (), ""))
    return profile, checked


def write_profile(profile: RigProfile, path: Path, *, replace: bool) -> None:
    """The JSON file at ``path`` and the plate beside it, each whole or not at all, the plate first.

    Raises ``FileExistsError`` when one is there and ``replace`` is not said, other ``OSError`` when they cannot be
    written.
    """
    text, plate = dump_profile(profile)
    beside = path.with_name(profile.content.plate)
    if not replace:
        for file in (path, beside):
            if file.exists():
                raise FileExistsError(f"{file}: there is a file already")
    for file, data in ((beside, plate), (path, text)):
        write_whole(file, data, replace=True)
