"""How bright pictures of one scene are against each other. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dealer_calibration.bench import Finding
from dealer_calibration.cameras.figures import WHITE, Bgr

FLICKER = 0.03
"""Standard deviation of the brightness from picture to picture, as a part. A steady lamp makes half of that."""
HELD = 0.08
"""Part by which the bare ground may be brighter or darker once things lie on it; automatic exposure does more."""
MIRRORED, WHOLE = 0.004, 0.5
"""Parts of the picture at the camera's end: so much is a mirrored lamp, and so much is no picture any more."""
DARK = 20.0
"""Grey levels of the brightest channel below which noise is all there is."""


def brighter(picture: Bgr, ground: Bgr) -> float:
    """How many times as bright as ``ground`` the picture is, by the median, so that what lies on it does not count."""
    a, b = (one[::4, ::4].reshape(-1, 3).astype(np.float32).sum(axis=1) for one in (ground, picture))
    use = a > max(24.0, 0.5 * float(np.median(a)))
    return float(np.median(b[use] / a[use])) if use.any() else 1.0


def steady(pictures: Sequence[Bgr]) -> Finding:
    """Whether the light holds from picture to picture."""
    factors = [brighter(picture, pictures[0]) for picture in pictures]
    spread = float(np.std(factors))
    figures = {"flicker": round(spread, 4), "pictures": len(pictures)}
    if spread <= FLICKER:
        return Finding(code="light_steady", ok=True, said=f"the light holds within {spread:.1%}", figures=figures)
    return Finding(
        code="light_steady",
        ok=False,
        said=f"the picture's brightness changes by {spread:.1%} from picture to picture",
        do_next="use lamps that do not flicker with the mains, and lock exposure and gain",
        figures=figures,
    )


def lit(picture: Bgr) -> Finding:
    """Whether the empty scene is neither dark nor full of mirrored lamps."""
    brightest, darkest = picture.max(axis=2), picture.min(axis=2)
    level, white = float(np.percentile(brightest, 90)), float((darkest >= WHITE).mean())
    figures = {"level": round(level, 1), "white": round(white, 4)}
    if level < DARK:
        said, do = f"the picture is dark: its bright parts have {level:.0f} of 255", "raise exposure or light"
    elif white > WHOLE:
        said, do = f"{white:.0%} of the picture is white", "lower the exposure"
    elif white > MIRRORED:
        said = f"a lamp is mirrored: {white:.1%} of the empty picture is white"
        do = "turn the lamp away, or spread its light"
    else:
        return Finding(code="light", ok=True, said=f"bright parts have {level:.0f} of 255", figures=figures)
    return Finding(code="glare" if level >= DARK else "too_dark", ok=False, said=said, do_next=do, figures=figures)


def locked(told: bool | None) -> Finding:
    """``told``: whether exposure was set and read back; ``None`` where the camera is set elsewhere."""
    if told:
        return Finding(code="exposure_locked", ok=True, said="the exposure was set, and the camera kept it")
    if told is None:
        return Finding(
            code="exposure_locked",
            ok=None,
            said="a camera on the network is set at the camera: its exposure cannot be read back",
            do_next="lock exposure, gain, white balance and focus on the camera's own page",
        )
    return Finding(
        code="exposure_locked",
        ok=False,
        said="the camera chooses its exposure itself",
        do_next="write `exposure = NUMBER` for this device in station.toml; the live view shows what fits",
    )


def held(factors: Sequence[float], what: str) -> Finding:
    """Whether the ground stays as bright when ``what`` lies on it: ``factors`` by picture."""
    worst = max(factors, key=lambda factor: abs(factor - 1), default=1.0)
    figures = {"brightest": round(max(factors, default=1.0), 3), "darkest": round(min(factors, default=1.0), 3)}
    if abs(worst - 1) <= HELD:
        return Finding(
            code="exposure_held",
            ok=True,
            said=f"the ground stays as bright when {what} lie on it, within {abs(worst - 1):.1%}",
            figures=figures,
        )
    return Finding(
        code="exposure_held",
        ok=False,
        said=f"the ground was {worst:.2f} times as bright when {what} lay on it: the exposure is not held",
        do_next="lock exposure and gain, and keep daylight and people's shadows off",
        figures=figures,
    )
