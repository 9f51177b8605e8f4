"""Reads one picture of a fan-tan cloth, or says why not. Pure: pixels in, beans out; it never raises on pixels.

Outlines and peaks of whiteness are found independently and must be the same beans; whatever else lies on the cloth,
bright, dark or coloured, refuses the picture; only then are the beans put into groups. Nothing is snapped to a likely
count: a bean that is not sure makes the picture unread.
"""

from __future__ import annotations

from typing import Any, cast

import cv2
import numpy as np

from dealer_drivers.beans.cloth import BRIGHTEST, DARKEST, Seen, look, width_map
from dealer_drivers.beans.groups import arrange
from dealer_drivers.beans.layout import MOST_BEANS, BeansCount, BeansDoubts, Bgr, Mask, Spots
from dealer_drivers.beans.outlines import Outlines, outlines
from dealer_drivers.beans.peaks import matched, peaks
from dealer_drivers.beans.profile import BeansProfile
from dealer_drivers.readings.beans import BeansDoubt

STRONGEST = (
    BeansDoubt.GLARE,
    BeansDoubt.BLURRED,
    BeansDoubt.COVERED,
    BeansDoubt.OCCLUDED,
    BeansDoubt.TOO_MANY_BEANS,
    BeansDoubt.CUT_BY_FRAME,
    BeansDoubt.BEANS_TOUCH,
    BeansDoubt.LEFT_OVER,
    BeansDoubt.COUNTS_DIFFER,
    BeansDoubt.NO_BEANS,
)
"""Where several speak against a picture, the first is named first."""
SAME_PLACE = 0.3
"""Bean widths within which both readings, and two pictures, must find a bean."""
FAINT = 0.16
"""Softened beanness above which a pixel is not bare cloth."""
COLOURED = 0.045
"""Softened residual above which a pixel is neither cloth nor bean nor their shadow."""
DEEP = 0.6
"""Darker than this part of the cloth around is no shadow of a bean."""
AROUND = 0.85
"""Bean widths from a bean's middle within which its rim and its shadow lie."""
CRUMB = 0.07
"""Left-over spots smaller than this part of a bean are noise."""
LARGE = 2.5
"""Left-over spots larger than so many beans are things: a hand, a stick."""
OVEREXPOSED = 1.5
"""More white than so many beans where beans are not white through and through: a lamp. It only chooses the word."""
COVERED = 1.5
"""So many beans' area may not look like cloth for another reason."""
BOWL = 20.0
"""The bowl covers more than so many beans."""
ROUND, SQUARE = 0.62, 0.88
"""Part of the upright rectangle around it that the bowl fills at least and at most (round things fill 0.79, and a
shadow takes some of that), and at least the rectangle's one side to the other."""
OF_A_BOWL = frozenset(
    {
        BeansDoubt.BLURRED,
        BeansDoubt.OCCLUDED,
        BeansDoubt.BEANS_TOUCH,
        BeansDoubt.LEFT_OVER,
        BeansDoubt.COUNTS_DIFFER,
    }
)
"""What the bowl alone may look like; it stands nearer to the camera than the beans, and may be as white."""


class BeansReader:
    """Reads pictures of one table."""

    def __init__(self, profile: BeansProfile) -> None:
        self.profile = profile
        self._width_px = width_map(profile)
        self._bean_area = float(np.pi / 4 * profile.size.middle_px**2)

    def read(self, picture: Bgr) -> BeansCount | BeansDoubts:
        """One picture, height by width by blue, green, red, uint8."""
        profile = self.profile
        if picture.dtype != np.uint8 or picture.shape != (profile.height, profile.width, 3):
            return BeansDoubts(
                (BeansDoubt.CAMERA_FAULT,),
                f"the picture is {picture.shape} of {picture.dtype} and the profile was made for {profile.width} x "
                f"{profile.height} pixels in colour: set the camera as it was, or make the profile anew",
            )
        left, top, wide, high = profile.region
        region = cast(Bgr, np.ascontiguousarray(picture[top : top + high, left : left + wide]))
        seen = look(region, profile, self._width_px)
        if not DARKEST <= seen.gain <= BRIGHTEST:
            word = BeansDoubt.TOO_DARK if seen.gain < 1 else BeansDoubt.GLARE
            return BeansDoubts((word,), f"the cloth is {seen.gain:.2f} times as bright as when it was calibrated")
        first = outlines(seen)
        second, doubtful = peaks(region, profile.size.middle_px)
        doubts = self._doubts(seen, first, second, doubtful)
        if doubts is not None:
            return doubts
        width_px = _at(self._width_px, first.beans).astype(np.float64)
        room = profile.room * width_px
        x, y = first.beans.x, first.beans.y
        if bool(((x < room) | (y < room) | (wide - 1 - x < room) | (high - 1 - y < room)).any()):
            return BeansDoubts(
                (BeansDoubt.CUT_BY_FRAME,), "beans lie too near to the edge of the picture: lay them out in its middle"
            )
        return arrange(first.beans, width_px, profile)

    def same(self, one: BeansCount, other: BeansCount) -> bool:
        """Two counts that show the same beans in the same groups, each where it was."""
        if [len(row) for row in one.rows] != [len(row) for row in other.rows]:
            return False
        reach = SAME_PLACE * self.profile.size.middle_px
        pairs = zip((b for row in one.rows for b in row), (b for row in other.rows for b in row), strict=True)
        return all(np.hypot(a.x - b.x, a.y - b.y) <= reach for a, b in pairs)

    def encode(self, value: BeansCount) -> dict[str, Any]:
        """The value as JSON has it: ``beans``, ``groups``, ``remainder``."""
        return {"beans": value.beans, "groups": value.groups, "remainder": value.remainder}

    def _doubts(self, seen: Seen, first: Outlines, second: Spots, doubtful: int) -> BeansDoubts | None:
        """Everything that speaks against the picture before groups are looked at, the strongest first."""
        found: dict[BeansDoubt, str] = {}
        if first.noisy or first.edge_px > self.profile.edge_px:
            found[BeansDoubt.BLURRED] = "the picture is not sharp: look at focus, lens and lamp"
        self._odd_patches(first, seen, found)
        self._left_over(seen, first, found)
        if len(first.beans) > MOST_BEANS:
            found[BeansDoubt.TOO_MANY_BEANS] = f"{len(first.beans)} beans; the game has {MOST_BEANS}"
        if found.keys() & OF_A_BOWL and not found.keys() - OF_A_BOWL and self._bowl(seen):
            return BeansDoubts((BeansDoubt.COVERED,), "the bowl stands on the cloth, and no bean is in sight")
        if not found and (len(first.beans) == 0 and len(second) == 0 and doubtful == 0):
            found[BeansDoubt.NO_BEANS] = "no bean lies on the cloth"
        reach = np.asarray(SAME_PLACE * _at(self._width_px, first.beans), np.float32)
        if doubtful or not matched(first.beans, second, reach):
            found.setdefault(
                BeansDoubt.COUNTS_DIFFER,
                f"outlines show {len(first.beans)} beans, peaks {len(second)}, and {doubtful} more that are not sure",
            )
        if not found:
            return None
        reasons = sorted(found, key=STRONGEST.index)
        return BeansDoubts(tuple(reasons), found[reasons[0]])

    def _odd_patches(self, first: Outlines, seen: Seen, found: dict[BeansDoubt, str]) -> None:
        """What each bright patch that is no bean may be."""
        for n in range(len(first.odd_x)):
            area, x, y = float(first.odd_area[n]), float(first.odd_x[n]), float(first.odd_y[n])
            here = f"at {x + self.profile.region[0]:.0f}, {y + self.profile.region[1]:.0f}"
            if bool(first.at_edge[n]) and area < LARGE:
                found.setdefault(BeansDoubt.CUT_BY_FRAME, f"something bright reaches over the picture's edge {here}")
            elif area > 0.55 and not self._one_colour(seen, x, y):
                found.setdefault(BeansDoubt.OCCLUDED, f"something that is no bean lies over the cloth {here}")
            elif area >= LARGE**2 and float(first.odd_axes[n]) > 4:
                found.setdefault(BeansDoubt.OCCLUDED, f"something long lies over the cloth {here}")
            elif area >= 1.2:
                found.setdefault(BeansDoubt.BEANS_TOUCH, f"beans touch or are not laid out {here}")
            else:
                found.setdefault(BeansDoubt.LEFT_OVER, f"something bright that is no bean lies {here}")

    def _one_colour(self, seen: Seen, x: float, y: float) -> bool:
        """Whether the patch's middle has the colours of beans on the cloth."""
        row, column = int(np.clip(y, 0, seen.residual.shape[0] - 1)), int(np.clip(x, 0, seen.residual.shape[1] - 1))
        reach = max(1, round(self.profile.size.middle_px / 4))
        patch = seen.residual[max(0, row - reach) : row + reach + 1, max(0, column - reach) : column + reach + 1]
        return float(np.median(patch)) < 2 * COLOURED

    def _bowl(self, seen: Seen) -> bool:
        """One round thing, all of it in sight: what reaches in over the edge may be a hand."""
        size = (seen.beanness.shape[1] // 4, seen.beanness.shape[0] // 4)
        faint, coloured, bright, strange = (
            cv2.resize(plane, size, interpolation=cv2.INTER_AREA)
            for plane in (seen.beanness, seen.residual, seen.brightness, seen.not_cloth.astype(np.float32))
        )
        odd = (np.abs(faint) > FAINT) | (coloured > COLOURED) | (bright < DEEP) | (strange > 0.5)
        _, _, stats, _ = cv2.connectedComponentsWithStats(odd.astype(np.uint8), connectivity=8)
        things = [thing for thing in stats[1:] if thing[cv2.CC_STAT_AREA] * 16 > CRUMB * self._bean_area]
        if len(things) != 1:
            return False
        left, top, wide, high, area = (int(figure) for figure in things[0])
        inside = left > 0 and top > 0 and left + wide < size[0] and top + high < size[1]
        is_round = ROUND * wide * high <= area <= SQUARE * wide * high and ROUND * wide <= high and ROUND * high <= wide
        return inside and is_round and area * 16 > BOWL * self._bean_area

    def _left_over(self, seen: Seen, first: Outlines, found: dict[BeansDoubt, str]) -> None:
        """Whatever is not bare cloth and belongs to no bean."""
        size = (seen.beanness.shape[1] // 2, seen.beanness.shape[0] // 2)
        sigma = max(0.6, 0.05 * self.profile.size.middle_px)
        faint, coloured, bright = (
            cv2.GaussianBlur(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), (0, 0), sigma)
            for plane in (seen.beanness, seen.residual, seen.brightness)
        )
        odd: Mask = ((faint > FAINT) | (coloured > COLOURED) | (bright < DEEP)).astype(np.uint8)
        for x, y, width in zip(first.beans.x, first.beans.y, _at(self._width_px, first.beans), strict=True):
            cv2.circle(odd, (round(float(x) / 2), round(float(y) / 2)), round(AROUND * float(width) / 2), 0, -1)
        _, _, stats, _ = cv2.connectedComponentsWithStats(odd, connectivity=8)
        areas = stats[1:, cv2.CC_STAT_AREA] * 4 / self._bean_area
        largest = float(areas.max()) if len(areas) else 0.0
        covered = int(np.count_nonzero(seen.not_cloth)) / self._bean_area
        if largest > LARGE or covered > COVERED:
            if int(np.count_nonzero(seen.saturated)) > OVEREXPOSED * self._bean_area:
                found.setdefault(BeansDoubt.GLARE, "light is mirrored in the cloth: move the lamp")
            elif BeansDoubt.BEANS_TOUCH not in found:
                found.setdefault(BeansDoubt.OCCLUDED, "something that is neither bean nor cloth is in view")
        elif largest > CRUMB:
            found.setdefault(BeansDoubt.LEFT_OVER, "something small that is neither bean nor cloth is in view")


def _at(values: Any, spots: Spots) -> Any:
    """The values of a map at the spots."""
    height, width = values.shape
    rows = np.clip(np.round(spots.y).astype(int), 0, height - 1)
    columns = np.clip(np.round(spots.x).astype(int), 0, width - 1)
    return values[rows, columns]
