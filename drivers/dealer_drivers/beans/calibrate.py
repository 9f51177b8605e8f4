"""Makes a table's profile from pictures of clean layouts whose numbers of beans a person counted. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.beans.cloth import look, width_map
from dealer_drivers.beans.layout import BeansDoubts, Bgr, least_of
from dealer_drivers.beans.outlines import outlines
from dealer_drivers.beans.profile import BadProfile, BeanSize, BeansProfile
from dealer_drivers.beans.reader import BeansReader

LEAST_PICTURES = 3
SLACK = 1.08
"""On days to come beans of a group may lie so much farther apart than in the calibration, groups so much nearer."""
NEARER = 0.9
UNCLEAR = 1.05
"""So much lies at least between the distances that are one group and those that are two."""
ROOM = 1.15
SOFTER = 1.5
"""A picture's edges may be so much wider than those of the calibration."""


def make_profile(
    pictures: Sequence[Bgr],
    beans: Sequence[int],
    *,
    region: tuple[int, int, int, int] | None = None,
    rows: int = 10,
    line: Literal["across", "down"] = "across",
    columns: Literal["forward", "backward"] = "forward",
    stack: Literal["forward", "backward"] = "forward",
) -> BeansProfile:
    """The profile of the camera that took the pictures. ``beans``: how many lie in each, counted by a person.

    At least three clean layouts, at least one of them with two columns begun (more than four times ``rows`` beans).
    Raises ``BadProfile`` with what is wrong and what to do; every picture must read as its number in the end.
    """
    if len(pictures) < LEAST_PICTURES or len(pictures) != len(beans):
        raise BadProfile(f"pictures: {LEAST_PICTURES} or more are needed, each with its number of beans")
    if max(beans) <= 4 * rows:
        raise BadProfile(f"pictures: one must show more than {4 * rows} beans, so that two columns are seen")
    shape = pictures[0].shape
    if any(picture.shape != shape or picture.dtype != np.uint8 or picture.ndim != 3 for picture in pictures):
        raise BadProfile("pictures: all must be of one size and in colour")
    height, width = shape[:2]
    x0, y0, wide, high = region or (0, 0, width, height)
    parts = [picture[y0 : y0 + high, x0 : x0 + wide] for picture in pictures]
    found = [_bright_patches(part, count, n) for n, (part, count) in enumerate(zip(parts, beans, strict=True))]
    size = _fit_size(np.concatenate([spots for spots, _ in found]), wide, high)
    cloth, bean = _colours(parts, [mask for _, mask in found])
    within, between = _distances([spots for spots, _ in found], beans, size, wide, high)
    link = max(within) * SLACK
    if min(between) < link * UNCLEAR:
        raise BadProfile(
            f"pictures: groups lie {min(between):.2f} bean widths apart, beans of one group up to {max(within):.2f}: "
            "lay the groups farther apart"
        )
    draft = BeansProfile(
        width=width,
        height=height,
        region=(x0, y0, wide, high),
        size=size,
        cloth=cloth,
        bean=bean,
        link=round(link, 3),
        apart=round(max(link * UNCLEAR, min(between) * NEARER), 3),
        room=round(max(between) * ROOM, 3),
        edge_px=100.0,
        rows=rows,
        line=line,
        columns=columns,
        stack=stack,
    )
    edges = [outlines(look(np.ascontiguousarray(part), draft, width_map(draft))).edge_px for part in parts]
    profile = BeansProfile(**{**_fields(draft), "edge_px": round(float(np.median(edges)) * SOFTER, 3)})
    for key, reason in profile.problems():
        raise BadProfile(f"{key}: {reason}")
    reader = BeansReader(profile)
    for n, (picture, count) in enumerate(zip(pictures, beans, strict=True)):
        value = reader.read(picture)
        if isinstance(value, BeansDoubts):
            raise BadProfile(
                f"picture {n + 1}: cannot be read with the new profile: {value.reasons[0]}, {value.detail}"
            )
        if value.beans != count:
            raise BadProfile(f"picture {n + 1}: {value.beans} beans are read and {count} were counted: count again")
    return profile


def _fields(profile: BeansProfile) -> dict[str, Any]:
    return {name: getattr(profile, name) for name in profile.__struct_fields__}


def _bright_patches(part: Bgr, count: int, n: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
    """Middles and widths of the bright patches, and their pixels. Otsu's threshold on the least of the colours."""
    least = cv2.GaussianBlur(least_of(part), (0, 0), 1.0)
    _, mask = cv2.threshold(least, 0, 1, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    _, labels, stats, middles = cv2.connectedComponentsWithStats(mask, connectivity=8)
    area = stats[1:, cv2.CC_STAT_AREA].astype(np.float64)
    large = area > 0.35 * np.median(area[area >= 30]) if (area >= 30).any() else np.zeros(len(area), np.bool_)
    if int(large.sum()) != count:
        raise BadProfile(
            f"picture {n + 1}: {int(large.sum())} white patches are seen and {count} beans were counted: take hands "
            "and stick away, light the cloth evenly, part beans that touch, and count again"
        )
    spots = np.stack([middles[1:, 0], middles[1:, 1], np.sqrt(area * 4 / np.pi)], axis=1)[large]
    kept = np.concatenate([[False], large])[labels].astype(np.uint8)
    return spots, np.asarray(kept, np.uint8)


def _fit_size(spots: npt.NDArray[np.float64], wide: int, high: int) -> BeanSize:
    """A bean's width as a plane over the region, by least squares."""
    terms = np.stack([np.ones(len(spots)), spots[:, 0] - (wide - 1) / 2, spots[:, 1] - (high - 1) / 2], axis=1)
    middle, right, down = np.linalg.lstsq(terms, spots[:, 2], rcond=None)[0]
    if not 8 <= middle <= 200:
        raise BadProfile(f"size: beans are {middle:.1f} px wide; 8 to 200 can be read: move the camera")
    return BeanSize(middle_px=round(float(middle), 3), right=round(float(right), 6), down=round(float(down), 6))


def _colours(
    parts: Sequence[Bgr], masks: Sequence[npt.NDArray[np.uint8]]
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """The middling colour of the cloth, well away from beans, and of the beans without their rims."""
    disc = np.ones((3, 3), np.uint8)
    beans = np.concatenate([part[cv2.erode(mask, disc) > 0] for part, mask in zip(parts, masks, strict=True)])
    far = np.ones((25, 25), np.uint8)
    cloth = np.concatenate([part[cv2.dilate(mask, far) == 0] for part, mask in zip(parts, masks, strict=True)])
    if len(beans) == 0 or len(cloth) == 0:
        raise BadProfile("pictures: no bare cloth, or beans too small: move the camera")
    b, g, r = (round(float(level), 1) for level in np.median(cloth, axis=0))
    blue, green, red = (round(float(level), 1) for level in np.median(beans, axis=0))
    return (b, g, r), (blue, green, red)


def _distances(
    found: Sequence[npt.NDArray[np.float64]], beans: Sequence[int], size: BeanSize, wide: int, high: int
) -> tuple[list[float], list[float]]:
    """Distances within groups, and between groups that are neighbours, in bean widths.

    The shortest tree that joins all beans has one edge less than there are beans; that within the groups are the
    shortest of them, and how many follows from the count.
    """
    within: list[float] = []
    between: list[float] = []
    for spots, count in zip(found, beans, strict=True):
        x, y = spots[:, 0], spots[:, 1]
        width = size.middle_px + (x - (wide - 1) / 2) * size.right + (y - (high - 1) / 2) * size.down
        away = np.hypot(x[:, None] - x[None, :], y[:, None] - y[None, :]) / ((width[:, None] + width[None, :]) / 2)
        edges = sorted(_shortest_tree(away))
        joins = count - -(-count // 4)
        within += edges[:joins]
        between += edges[joins:]
    if not within or not between:
        raise BadProfile("pictures: lay out more beans")
    return within, between


def _shortest_tree(away: npt.NDArray[np.float64]) -> list[float]:
    nearest, inside = away[0].copy(), np.zeros(len(away), np.bool_)
    inside[0] = True
    edges = []
    for _ in range(len(away) - 1):
        nearest[inside] = np.inf
        new = int(np.argmin(nearest))
        edges.append(float(nearest[new]))
        inside[new] = True
        nearest = np.minimum(nearest, away[new])
    return edges
