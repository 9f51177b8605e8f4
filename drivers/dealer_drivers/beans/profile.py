"""What is known of one table's camera: made once from pictures of clean layouts (``calibrate.py``), versioned JSON."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from dealer_drivers.json_text import decode_json

DARKEST_CLOTH = 60.0
"""The strongest of the cloth's three colours is at least so strong."""
Positive = Annotated[float, msgspec.Meta(gt=0)]
Level = Annotated[float, msgspec.Meta(ge=0, le=255)]
Colour = tuple[Level, Level, Level]


class BeanSize(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bean's width in pixels, over the picture: at the middle of the region, and how it changes to the right and
    downwards, because no camera hangs quite straight."""

    middle_px: Annotated[float, msgspec.Meta(ge=8, le=200)]
    right: float = 0.0
    """Pixels of width per pixel to the right."""
    down: float = 0.0


class BeansProfile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table's cloth, beans and camera. Distances between beans are in bean widths, middle to middle."""

    version: Literal[1] = 1
    width: Annotated[int, msgspec.Meta(ge=64)]
    """Of the camera's pictures, in pixels."""
    height: Annotated[int, msgspec.Meta(ge=64)]
    region: tuple[int, int, int, int]
    """The cloth that is looked at: left, top, width, height in pixels. Everything in it must be cloth or beans."""
    size: BeanSize
    cloth: Colour
    """Blue, green, red of the bare cloth."""
    bean: Colour
    """Of a bean's lit face."""
    link: Positive
    """Neighbours in a group lie at most so far apart."""
    apart: Positive
    """Beans of two groups lie at least so far apart; what lies between ``link`` and ``apart`` is refused."""
    room: Positive
    """So much bare cloth is needed round the layout: were a group beyond the picture's edge, its neighbour would be
    nearer to the edge than this."""
    edge_px: Positive
    """How wide a bean's edge is when the camera is in focus."""
    rows: Annotated[int, msgspec.Meta(ge=1, le=50)] = 10
    """Groups in a full column: where a column has as many, the next one begins."""
    line: Literal["across", "down"] = "across"
    """A group's four beans lie beside each other in the picture, or under each other."""
    columns: Literal["forward", "backward"] = "forward"
    """``forward``: groups begin and columns follow each other from left to right (``line = "down"``: downwards)."""
    stack: Literal["forward", "backward"] = "forward"
    """``forward``: a column's groups follow each other downwards (``line = "down"``: to the right)."""

    def problems(self) -> list[tuple[str, str]]:
        """Every impossible value as (key, reason)."""
        found = []
        left, top, wide, high = self.region
        if left < 0 or top < 0 or wide < 32 or high < 32 or left + wide > self.width or top + high > self.height:
            found.append(("region", f"must lie within the picture of {self.width} x {self.height}, 32 px or more"))
        if self.link >= self.apart:
            found.append(("link", "must be below apart: groups that are as close as their beans cannot be told"))
        if sum(map(abs, (b - c for b, c in zip(self.bean, self.cloth, strict=True)))) < 120:
            found.append(("bean", "beans and cloth are too alike: use white beans on a coloured cloth"))
        if max(self.cloth) < DARKEST_CLOTH:
            found.append(
                ("cloth", "so dark a cloth hides black sticks and sleeves: use a lighter colour, or more light")
            )
        reach = abs(self.size.right) * wide / 2 + abs(self.size.down) * high / 2
        if reach > self.size.middle_px / 2:
            found.append(("size", "the beans' width changes too much over the picture: hang the camera straight"))
        return found


class BadProfile(ValueError):  # noqa: N818
    """A profile cannot be used. The text names the key and says what to do."""


def parse_profile(data: bytes) -> BeansProfile:
    """A profile from its JSON. Raises ``BadProfile``."""
    try:
        profile = decode_json(data, BeansProfile)
    except msgspec.DecodeError as error:
        raise BadProfile(f"{error}: make it anew from pictures of the table") from error
    for key, reason in profile.problems():
        raise BadProfile(f"{key}: {reason}")
    return profile


def encode_profile(profile: BeansProfile) -> bytes:
    """The profile as a JSON file."""
    return msgspec.json.format(msgspec.json.encode(profile), indent=2) + b"\n"
