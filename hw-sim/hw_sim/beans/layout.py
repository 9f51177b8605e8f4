"""Where the beans lie. Millimetres on the cloth from the middle of the picture: x to the right, y down.

A group is a line of four along x; groups are laid one under the other, ten to a column, and columns from left to
right. What is left at the end, one to four, is the last group (rule book 002: in fours, the last group decides).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

BEAN_MM = 9.0
"""A bean is so long, on average."""
ROWS = 10
MOST_BEANS = 200
"""002: the game has 200 beans."""
ROOM_MM = (400.0, 300.0)
"""What the camera sees of the cloth, about."""


class LayoutFault(StrEnum):
    """What is wrong with what lies there, or with the picture of it."""

    TOUCHING = "touching"
    """Two beans touch."""
    OVERLAPPING = "overlapping"
    """A bean lies half on another."""
    FIVE = "five"
    """A group that is not the last has five."""
    THREE = "three"
    """A group that is not the last has three."""
    CROOKED = "crooked"
    """A group is pushed out of its line."""
    STRAY = "stray"
    """A bean lies apart from all groups."""
    HAND = "hand"
    STICK = "stick"
    BOWL = "bowl"
    HEAP = "heap"
    """Beans that are not laid out yet lie beside the groups."""
    TOO_MANY = "too_many"
    OUT_OF_FRAME = "out_of_frame"
    """The layout reaches over the edge of the picture."""
    GLARE = "glare"
    BLURRED = "blurred"
    SMEARED = "smeared"
    """Something moved while the picture was taken."""
    DARK = "dark"
    EMPTY = "empty"
    """No beans at all."""
    MERGED = "merged"
    """Two groups of a column lie so close that they are one."""
    HOLE = "hole"
    """A group is missing in the middle of a column."""


NEED_TWO_GROUPS = frozenset(
    {LayoutFault.FIVE, LayoutFault.THREE, LayoutFault.CROOKED, LayoutFault.MERGED, LayoutFault.STRAY}
)
NEED_THREE_GROUPS = frozenset({LayoutFault.HOLE})


@dataclass(frozen=True, slots=True)
class Bean:
    """One bean: middle, half axes, turn in radians, and how bright it is against others."""

    x: float
    y: float
    long_mm: float
    short_mm: float
    turn: float
    tone: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Groups in the order they were laid, and beans that belong to none."""

    groups: tuple[tuple[Bean, ...], ...]
    loose: tuple[Bean, ...] = ()

    @property
    def beans(self) -> tuple[Bean, ...]:
        """All of them."""
        return tuple(bean for group in self.groups for bean in group) + self.loose


def bean_at(rng: Random, x: float, y: float) -> Bean:
    """One bean as they come, near a place."""
    long_mm = BEAN_MM / 2 * rng.gauss(1.0, 0.025)
    return Bean(
        x + rng.gauss(0, 0.25),
        y + rng.gauss(0, 0.25),
        long_mm,
        long_mm * rng.uniform(0.88, 1.0),
        rng.uniform(0, 3.1416),
        rng.uniform(0.9, 1.0),
    )


def lay_out(count: int, rng: Random, *, rows: int = ROWS) -> Layout:
    """``count`` beans as a careful dealer lays them out: clear cloth within a group and twice as much between."""
    pitch = BEAN_MM * rng.uniform(1.32, 1.5)
    down = BEAN_MM * rng.uniform(2.3, 2.55)
    across = 3 * pitch + BEAN_MM * rng.uniform(2.5, 2.9)
    groups = -(-count // 4)
    columns = -(-groups // rows)
    width, height = (columns - 1) * across + 3 * pitch, (min(groups, rows) - 1) * down
    room_x, room_y = ROOM_MM[0] * 0.82 - width, ROOM_MM[1] * 0.76 - height
    left = -width / 2 + rng.uniform(-0.25, 0.25) * max(0.0, room_x)
    top = -height / 2 + rng.uniform(-0.25, 0.25) * max(0.0, room_y)
    laid = []
    for number in range(groups):
        column, row = divmod(number, rows)
        x0 = left + column * across + rng.gauss(0, 0.4)
        y0 = top + row * down + rng.gauss(0, 0.4)
        lean = rng.gauss(0, 0.02)
        size = min(4, count - 4 * number)
        laid.append(tuple(bean_at(rng, x0 + n * pitch, y0 + n * pitch * lean) for n in range(size)))
    return Layout(tuple(laid))


def spoil(layout: Layout, fault: LayoutFault, rng: Random) -> Layout:
    """The layout with one thing wrong that beans can have wrong; other faults leave it as it is."""
    groups = [list(group) for group in layout.groups]
    middle = rng.randrange(max(1, len(groups) - 1))
    group = groups[middle]
    match fault:
        case LayoutFault.TOUCHING | LayoutFault.OVERLAPPING:
            reach = 0.95 if fault is LayoutFault.TOUCHING else 0.6
            if len(group) < 2:
                group.append(group[0])
            n = rng.randrange(len(group) - 1)
            group[n + 1] = _beside(group[n], group[n + 1], reach)
        case LayoutFault.FIVE:
            step = group[-1].x - group[-2].x
            ends = (group[-1].x + step, group[-1].y) if rng.random() < 0.5 else (group[0].x - step, group[0].y)
            group.append(bean_at(rng, *ends))
        case LayoutFault.THREE:
            del group[rng.choice((0, 3))]
        case LayoutFault.CROOKED:
            n = rng.randrange(4)
            group[n] = replace(group[n], y=group[n].y + rng.choice((-1, 1)) * BEAN_MM * rng.uniform(0.7, 1.1))
        case LayoutFault.MERGED:
            # The last group of a column has none below it that it could come near to: the one above it is moved.
            above = middle if (middle + 1) % ROWS else middle - 1
            groups[above] = [replace(b, y=b.y + rng.uniform(0.95, 1.3) * BEAN_MM) for b in groups[above]]
        case LayoutFault.HOLE:
            del groups[rng.randrange(1, len(groups) - 1)]
        case LayoutFault.STRAY:
            return Layout(layout.groups, (_stray(layout, rng),))
        case LayoutFault.HEAP:
            return Layout(layout.groups, heap(layout, rng))
        case LayoutFault.EMPTY:
            return Layout(())
        case _:
            pass
    return Layout(tuple(map(tuple, groups)))


def _beside(one: Bean, other: Bean, reach: float) -> Bean:
    """The other bean, moved so that the two lie ``reach`` bean widths apart."""
    gap = (one.long_mm + one.short_mm + other.long_mm + other.short_mm) / 2 * reach
    return replace(other, x=one.x + gap, y=one.y)


def _stray(layout: Layout, rng: Random) -> Bean:
    """A bean at least three bean widths from every other, in sight."""
    for _ in range(2000):
        x, y = rng.uniform(-0.46, 0.46) * ROOM_MM[0], rng.uniform(-0.44, 0.44) * ROOM_MM[1]
        if all(abs(x - b.x) + abs(y - b.y) > 2.5 * BEAN_MM for b in layout.beans):
            return bean_at(rng, x, y)
    return bean_at(rng, ROOM_MM[0] * 0.46, ROOM_MM[1] * 0.44)


def heap(layout: Layout, rng: Random, count: int | None = None) -> tuple[Bean, ...]:
    """Beans that lie on and beside each other, under the groups where there is room."""
    many = count if count is not None else rng.randrange(6, 60)
    bottom = max((bean.y for bean in layout.beans), default=-ROOM_MM[1] / 3)
    y0 = min(bottom + 5 * BEAN_MM, ROOM_MM[1] * 0.36)
    spread = BEAN_MM * (0.3 + 0.33 * many**0.5)
    x0 = rng.uniform(-0.25, 0.25) * ROOM_MM[0]
    return tuple(bean_at(rng, x0 + rng.gauss(0, spread), y0 + rng.gauss(0, spread * 0.6)) for _ in range(many))
