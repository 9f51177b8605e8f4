"""What a calibrated rig knows of itself: the empty plate, the die, its pips, and how far a picture may stray.

One JSON file and, beside it, the picture of the empty plate as PNG, bound to it by its SHA-256. ``dealer-calibrate dice
profile`` measures one from pictures. Lengths are in pixels, colours in grey levels of blue, green, red.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Bgr
from dealer_drivers.errors import FixConfigError
from dealer_drivers.json_text import decode_json

Colour: TypeAlias = tuple[float, float, float]
VALUES = range(1, 7)


class ProfileError(FixConfigError):
    """A profile cannot be used. ``problems`` names every key of the file at ``path`` that is wrong."""

    def __init__(self, path: Path, problems: list[str]) -> None:
        super().__init__(f"dice profile {path}: {'; '.join(problems)}")
        self.path = path
        self.problems = problems


class Circle(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="shape", tag="circle"):
    """The part of the picture that is looked at: where dice may come to lie, the rim with it."""

    x: float
    y: float
    radius: float


class Polygon(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="shape", tag="polygon"):
    """The same as corners in order around."""

    corners: tuple[tuple[float, float], ...]


class FaceLook(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pips of one face. Ones are larger and, with fours, red in much of Asia."""

    pip_radius_px: float
    pip_bgr: Colour
    dark: bool
    """Whether the pips are darker than the die."""
    stretch: tuple[float, float] = (0.0, 0.0)
    """How much longer than wide pips of a flat face are seen, as real and imaginary part: light from one side of
    hollow pips does that."""


class Tolerances(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far a picture may stray and still be read."""

    exposure: float = 0.27
    """Part by which the plate may be brighter or darker than when it was calibrated."""
    size: float = 0.012
    """Part by which the pitch may differ. A die on another is larger by 0.043 seen from 25 edges above it."""
    unequal: float = 0.022
    """Part by which the pitches along a face's two axes may differ: 12 degrees of tilt make that."""
    stretch: float = 0.03
    """How much longer than wide the pips of a face may be, more than those of flat ones: 14 degrees make that."""
    place: float = 0.045
    """Part of an edge by which the two readers may differ about where a die is."""
    turn_deg: float = 5.0
    """By which they may differ about its turn."""
    edge_width: float = 1.35
    """How many times wider than calibrated an edge may be before the picture counts as blurred."""


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of the JSON file."""

    dice_profile: Literal[1]
    """Version of this format."""
    width: int
    height: int
    plate: str
    """Name of the PNG file beside this one."""
    plate_sha256: str
    region: Circle | Polygon
    die_px: float
    """Edge of the top face of a die that lies flat."""
    rise: float
    """The base of a die is seen smaller than its top by this part, and nearer to ``axis``: height / camera height."""
    axis: tuple[float, float]
    """Where the camera looks straight down."""
    corner: float
    """Radius of the corners as part of the edge."""
    pitch_px: float
    """Distance of neighbouring places of the 3 by 3 grid of pips."""
    six_aspect: float
    """Distance of the two rows of the six as part of twice the pitch: 1 where they stand on the grid."""
    one_px: float
    """Edge of the top face as it seems on rays from a lone pip: rounded edges darken before they end."""
    faces: dict[str, FaceLook]
    """By value, ``"1"`` to ``"6"``."""
    bodies: tuple[Colour, ...]
    """Colours of the dice where there is no pip."""
    body_spread: float
    """Standard deviation of the body's colour over a face, grey levels."""
    translucent: bool
    """Whether the plate shines through."""
    shadow: float
    """Part of the plate's light that a die's shadow takes away at most."""
    shadow_px: float
    """How far from a die its shadow falls."""
    noise: float
    """Standard deviation of a plate pixel from picture to picture, grey levels."""
    edge_width_px: float
    """Over how many pixels the outline of a die rises from plate to body."""
    tolerances: Tolerances = Tolerances()

    def look(self, value: int) -> FaceLook:
        """The pips of one value."""
        return self.faces[str(value)]

    def problems(self) -> list[str]:
        """Every value that cannot be, by key."""
        lengths = ("width", "height", "die_px", "one_px", "pitch_px", "edge_width_px")
        said = [f"{key} must be above 0" for key in lengths if not getattr(self, key) > 0]
        if sorted(self.faces) != [str(value) for value in VALUES]:
            said.append('faces must have the keys "1" to "6"')
        for name, look in self.faces.items():
            if not 0 < look.pip_radius_px < self.pitch_px:
                said.append(f"faces.{name}.pip_radius_px must be above 0 and below pitch_px")
        if not 0.12 < self.pitch_px / max(self.die_px, 1e-9) < 0.36:
            said.append("pitch_px must be between 0.12 and 0.36 of die_px")
        if not self.bodies:
            said.append("bodies must have a colour")
        for key, value, low, high in (
            ("rise", self.rise, 0.0, 0.3),
            ("shadow", self.shadow, 0.0, 0.8),
            ("shadow_px", self.shadow_px, 0.0, 2.5 * self.die_px),
            ("corner", self.corner, 0.0, 0.5),
            ("six_aspect", self.six_aspect, 0.5, 1.3),
            ("tolerances.exposure", self.tolerances.exposure, 0.01, 0.45),
            ("tolerances.size", self.tolerances.size, 0.001, 0.035),
            ("tolerances.unequal", self.tolerances.unequal, 0.001, 0.022),
            ("tolerances.stretch", self.tolerances.stretch, 0.001, 0.03),
            ("tolerances.place", self.tolerances.place, 0.005, 0.12),
            ("tolerances.turn_deg", self.tolerances.turn_deg, 0.5, 12.0),
            ("tolerances.edge_width", self.tolerances.edge_width, 1.05, 4.0),
        ):
            if not low <= value <= high:
                said.append(f"{key} must be from {low:g} to {high:g}, not {value:g}")
        if isinstance(self.region, Polygon) and len(self.region.corners) < 3:
            said.append("region.corners must be at least three")
        if isinstance(self.region, Circle) and not self.region.radius > 0:
            said.append("region.radius must be above 0")
        return said


@dataclass(frozen=True, slots=True)
class RigProfile:
    """A profile with its plate: all that the readers of a rig need."""

    content: Profile
    plate: Bgr

    def region(self) -> npt.NDArray[np.uint8]:
        """255 where the picture is looked at, 0 elsewhere."""
        mask = np.zeros((self.content.height, self.content.width), np.uint8)
        region = self.content.region
        if isinstance(region, Circle):
            cv2.circle(mask, (round(region.x), round(region.y)), round(region.radius), 255, -1)
        else:
            cv2.fillPoly(mask, [np.round(np.array(region.corners)).astype(np.int32)], 255)
        return mask


def load_profile(path: Path) -> RigProfile:
    """The profile in the file and its plate, checked. Raises ``ProfileError`` with file, key and reason."""
    try:
        content = decode_json(_bytes(path, path), Profile)
    except msgspec.ValidationError as error:
        raise ProfileError(path, [str(error)]) from error
    except msgspec.DecodeError as error:
        raise ProfileError(path, [f"is no JSON: {error}"]) from error
    problems = content.problems()
    if not content.plate or "\0" in content.plate or Path(content.plate).name != content.plate:
        problems.append("plate must be the name of a file beside the profile")
    if problems:
        raise ProfileError(path, problems)
    data = _bytes(path, path.with_name(content.plate))
    if hashlib.sha256(data).hexdigest() != content.plate_sha256:
        raise ProfileError(
            path, [f"plate: {content.plate} is not the picture the profile was made with (plate_sha256)"]
        )
    plate = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if plate is None:
        raise ProfileError(path, [f"plate: {content.plate} is no picture"])
    if plate.shape != (content.height, content.width, 3):
        raise ProfileError(
            path,
            [f"plate: {content.plate} is {plate.shape[1]} × {plate.shape[0]}, not {content.width} × {content.height}"],
        )
    return RigProfile(content, plate.astype(np.uint8, copy=False))


def encode_plate(plate: Bgr) -> tuple[bytes, str]:
    """The plate as PNG, and its SHA-256."""
    good, data = cv2.imencode(".png", plate)
    if not good:
        raise ValueError("the plate cannot be written as PNG")
    return data.tobytes(), hashlib.sha256(data.tobytes()).hexdigest()


def dump_profile(profile: RigProfile) -> tuple[bytes, bytes]:
    """The bytes of the JSON file, and of the PNG that must be written beside it as ``profile.content.plate``."""
    data, _ = encode_plate(profile.plate)
    return msgspec.json.format(msgspec.json.encode(profile.content), indent=2) + b"\n", data


def _bytes(profile: Path, file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise ProfileError(profile, [f"there is no file {file.name}"]) from None
    except OSError as error:
        raise ProfileError(profile, [f"{file.name} cannot be read: {error.strerror}"]) from error
