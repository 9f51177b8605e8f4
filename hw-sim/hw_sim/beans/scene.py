"""What stands before the camera beside the beans, and the camera itself: one structure each, made by chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from hw_sim.beans.layout import ROOM_MM, Layout, LayoutFault, lay_out, spoil

Colour = tuple[float, float, float]
"""Blue, green, red; 0 to 255."""

CLOTHS: dict[str, Colour] = {
    "green": (52.0, 88.0, 34.0),
    "blue": (118.0, 62.0, 30.0),
    "red": (44.0, 34.0, 132.0),
    "violet": (112.0, 46.0, 84.0),
}
SKINS: tuple[Colour, ...] = ((150.0, 178.0, 226.0), (118.0, 150.0, 205.0), (70.0, 96.0, 150.0), (45.0, 62.0, 98.0))
SLEEVES: tuple[Colour, ...] = ((30.0, 28.0, 28.0), (225.0, 225.0, 225.0), (90.0, 40.0, 35.0))
STICKS: tuple[Colour, ...] = ((60.0, 105.0, 160.0), (35.0, 30.0, 28.0), (205.0, 215.0, 220.0))
BOWLS: tuple[Colour, ...] = ((170.0, 172.0, 172.0), (40.0, 110.0, 150.0), (50.0, 45.0, 45.0))


@dataclass(frozen=True, slots=True)
class Rig:
    """A camera over a cloth, as it was put up. The same seed gives the same rig."""

    cloth: Colour
    bean: Colour = (226.0, 236.0, 240.0)
    width_px: int = 800
    height_px: int = 600
    px_per_mm: float = 2.0
    tilt_deg: float = 3.0
    lean_deg: float = -2.0
    turn_deg: float = 1.0
    light: tuple[float, float] = (-0.45, -0.5)
    """Where the light comes from: x and y of a vector of length one."""
    falloff: float = 0.18
    """How much darker the corners are."""
    softness_px: float = 0.8
    noise: float = 3.0
    seed: int = 0


def make_rig(seed: int, cloth: str | None = None, width_px: int = 800) -> Rig:
    """A rig by chance, as a technician would leave it: nearly overhead, in focus, evenly lit."""
    rng = Random(f"{seed}/rig")
    colour = CLOTHS[cloth or rng.choice(sorted(CLOTHS))]
    gain = rng.uniform(0.9, 1.1)
    return Rig(
        cloth=(colour[0] * gain, colour[1] * gain, colour[2] * gain),
        bean=(rng.uniform(205, 230), rng.uniform(222, 238), rng.uniform(228, 242)),
        width_px=width_px,
        height_px=width_px * 3 // 4,
        px_per_mm=width_px / ROOM_MM[0],
        tilt_deg=rng.uniform(-6, 6),
        lean_deg=rng.uniform(-6, 6),
        turn_deg=rng.uniform(-3, 3),
        light=(rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6)),
        falloff=rng.uniform(0.05, 0.25),
        softness_px=rng.uniform(0.6, 1.1),
        noise=rng.uniform(1.5, 5.0),
        seed=seed,
    )


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand that reaches in: where the fingertips are, from which direction (radians), and its colours."""

    x: float
    y: float
    heading: float
    skin: Colour
    sleeve: Colour


@dataclass(frozen=True, slots=True)
class Stick:
    """The dealer's stick, from one end to the other."""

    x0: float
    y0: float
    x1: float
    y1: float
    thick_mm: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class Bowl:
    """The bowl upside down over the beans."""

    x: float
    y: float
    radius_mm: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class Glare:
    """A lamp mirrored in the cloth: middle, size and strength in grey levels."""

    x: float
    y: float
    radius_mm: float
    strength: float


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that one picture shows but the noise."""

    layout: Layout
    hand: Hand | None = None
    stick: Stick | None = None
    bowl: Bowl | None = None
    glares: tuple[Glare, ...] = ()
    gain: float = 1.0
    """Exposure against the day the rig was put up."""
    blur_px: float = 0.0
    smear_px: tuple[float, float] = (0.0, 0.0)
    shift_mm: tuple[float, float] = (0.0, 0.0)
    """The whole layout, moved."""
    shade: float = 0.0
    """A soft shadow over a part of the cloth: 0.3 takes a third of the light."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What lies there: what the game counts, and whether a reader should be able to tell."""

    beans: int
    groups: int
    remainder: int
    fault: LayoutFault | None

    @property
    def clean(self) -> bool:
        """Nothing is wrong with it."""
        return self.fault is None


def make_scene(count: int, fault: LayoutFault | None, rng: Random) -> tuple[Scene, Truth]:
    """A layout of ``count`` beans with its everyday differences of light, and with a fault where one is asked for."""
    if fault is LayoutFault.TOO_MANY:
        count = rng.randrange(201, 213)
    layout = lay_out(count, rng)
    truth = Truth(count, len(layout.groups), (count - 1) % 4 + 1, fault)
    scene = Scene(layout, gain=rng.uniform(0.82, 1.15), shade=rng.choice((0.0, 0.0, rng.uniform(0.05, 0.3))))
    if fault is None:
        return scene, truth
    return disturbed(scene, fault, rng), truth


def disturbed(scene: Scene, fault: LayoutFault, rng: Random) -> Scene:
    """The scene with one thing wrong: with the beans, before the camera, or with the picture."""
    return _disturb(replace(scene, layout=spoil(scene.layout, fault, rng)), fault, rng)


def _disturb(scene: Scene, fault: LayoutFault, rng: Random) -> Scene:
    beans = scene.layout.beans
    target = rng.choice(beans) if beans else None
    x, y = (target.x, target.y) if target else (0.0, 0.0)
    match fault:
        case LayoutFault.HAND:
            return replace(scene, hand=make_hand(x, y, rng))
        case LayoutFault.STICK:
            return replace(scene, stick=make_stick(x, y, rng))
        case LayoutFault.BOWL:
            return replace(scene, bowl=Bowl(x, y, rng.uniform(45, 60), rng.choice(BOWLS)))
        case LayoutFault.GLARE:
            return replace(scene, glares=(Glare(x, y, rng.uniform(15, 40), rng.uniform(280, 500)),))
        case LayoutFault.BLURRED:
            return replace(scene, blur_px=rng.uniform(4.0, 8.0))
        case LayoutFault.SMEARED:
            reach = rng.uniform(9, 25)
            return replace(scene, smear_px=rng.choice(((reach, 0.0), (0.0, reach), (reach * 0.7, reach * 0.7))))
        case LayoutFault.DARK:
            return replace(scene, gain=rng.uniform(0.02, 0.2))
        case LayoutFault.OUT_OF_FRAME:
            return replace(scene, shift_mm=_over_the_edge(scene.layout, rng))
        case _:
            return scene


def _over_the_edge(layout: Layout, rng: Random) -> tuple[float, float]:
    """A shift that takes at least one bean to the picture's edge or beyond, and not all."""
    xs, ys = [bean.x for bean in layout.beans], [bean.y for bean in layout.beans]
    past = rng.uniform(-3.0, 20.0)
    side = rng.randrange(4)
    if side == 0:
        return ROOM_MM[0] / 2 + past - max(xs), 0.0
    if side == 1:
        return -ROOM_MM[0] / 2 - past - min(xs), 0.0
    if side == 2:
        return 0.0, ROOM_MM[1] / 2 + past - max(ys)
    return 0.0, -ROOM_MM[1] / 2 - past - min(ys)


def make_hand(x: float, y: float, rng: Random) -> Hand:
    """A hand whose fingertips are at a place; it reaches in over the nearer long side, or from anywhere."""
    return Hand(x, y, rng.uniform(0, 6.2832), rng.choice(SKINS), rng.choice(SLEEVES))


def make_stick(x: float, y: float, rng: Random) -> Stick:
    """A stick one end of which is near a place and the other beyond the picture."""
    far = ROOM_MM[0]
    sign = rng.choice((-1.0, 1.0))
    return Stick(
        x + rng.uniform(-12, 12),
        y + rng.uniform(-12, 12),
        x + sign * rng.uniform(0.2, 1.0) * far,
        y + far,
        rng.uniform(4.0, 9.0),
        rng.choice(STICKS),
    )
