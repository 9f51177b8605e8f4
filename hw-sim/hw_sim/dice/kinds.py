"""Kinds of dice: colours, pips, corners. Lengths are parts of the die's edge; colours blue, green, red, 0 to 255."""

from __future__ import annotations

from dataclasses import dataclass

Colour = tuple[float, float, float]
Place = tuple[int, int]

_ODD: tuple[Place, ...] = ((0, 0),)
_DIAGONAL: tuple[Place, ...] = ((-1, -1), (1, 1))
_OTHER: tuple[Place, ...] = ((-1, 1), (1, -1))
_SIDES: tuple[Place, ...] = ((-1, 0), (1, 0))

PLACES: dict[int, tuple[Place, ...]] = {
    1: _ODD,
    2: _DIAGONAL,
    3: _ODD + _DIAGONAL,
    4: _DIAGONAL + _OTHER,
    5: _ODD + _DIAGONAL + _OTHER,
    6: _DIAGONAL + _OTHER + _SIDES,
}
"""Places of the pips on the 3 × 3 grid of a face."""


@dataclass(frozen=True, slots=True)
class DieKind:
    """One make of dice. Opposite faces add up to seven; ``mirrored``: 1, 2, 3 run the other way round their corner."""

    name: str
    body: Colour
    pip: Colour
    red: Colour | None = None
    """Colour of the ones and fours, where it is another."""
    corner: float = 0.10
    """Radius of edges and corners."""
    pitch: float = 0.26
    """From one place of the grid to the next."""
    pip_radius: float = 0.092
    one_radius: float | None = None
    """Of the lone pip of a one, where it is larger."""
    gloss: float = 0.25
    glassy: float = 0.0
    """How much of what is below shines through, 0 to 1."""
    mirrored: bool = False
    turned: tuple[bool, bool, bool] = (False, False, False)
    """Whether the twos, threes and sixes of this make are turned by a right angle."""

    def radius(self, value: int) -> float:
        """Of each pip on a face."""
        return self.one_radius if value == 1 and self.one_radius is not None else self.pip_radius

    def colour(self, value: int) -> Colour:
        """Of the pips on a face."""
        return self.red if value in (1, 4) and self.red is not None else self.pip

    def places(self, value: int) -> tuple[tuple[float, float], ...]:
        """Centres of the pips on a face, in its own two axes, from its middle."""
        turned = value in (2, 3, 6) and self.turned[(2, 3, 6).index(value)]
        return tuple((self.pitch * (-b if turned else a), self.pitch * (a if turned else b)) for a, b in PLACES[value])


KINDS: dict[str, DieKind] = {
    kind.name: kind
    for kind in (
        DieKind("white", (232, 236, 236), (24, 22, 22), corner=0.09),
        DieKind(
            "asian", (230, 236, 240), (30, 24, 22), red=(40, 34, 190), corner=0.16, pip_radius=0.09, one_radius=0.165
        ),
        DieKind("black", (34, 32, 32), (232, 234, 232), corner=0.11, gloss=0.3),
        DieKind("red", (48, 40, 186), (236, 238, 240), corner=0.05, gloss=0.35, glassy=0.30),
        DieKind("ivory", (176, 212, 228), (34, 40, 52), corner=0.13, gloss=0.2),
    )
}
"""By name."""

FACES: tuple[tuple[int, int], ...] = ((2, 1), (0, 1), (1, 1), (1, -1), (0, -1), (2, -1))
"""Axis and direction in the die's own frame of the faces 1 to 6."""


def face_of(kind: DieKind, value: int) -> tuple[int, int]:
    """Axis (0 to 2) and direction (1 or -1) of a value's face in the die's own frame."""
    axis, sign = FACES[value - 1]
    return axis, -sign if kind.mirrored and axis == 1 else sign


def value_of(kind: DieKind, axis: int, sign: int) -> int:
    """The value on a face; the inverse of ``face_of``."""
    return FACES.index((axis, -sign if kind.mirrored and axis == 1 else sign)) + 1
