"""Whether a cloth and its camera are still what they were: by the empty cloth, and by one layout. Pure."""

from __future__ import annotations

import numpy as np

from dealer_calibration.bench import Finding
from dealer_calibration.cameras.figures import Bgr
from dealer_calibration.cameras.ground import Ground
from dealer_drivers.beans.camera_reader import count_of
from dealer_drivers.beans.cloth import look, width_map
from dealer_drivers.beans.outlines import outlines
from dealer_drivers.beans.profile import BeansProfile
from dealer_drivers.camera.scene import Looked

MOVED_BEANS = 0.4
"""Bean widths that the cloth may lie elsewhere: layouts lie elsewhere every time, the region's edge does not."""
EXPOSURE = 0.16
"""``docs/howto/set-up-a-fan-tan-table.md``: a sixth darker or brighter."""
DIRT_BEANS, THING_BEANS = 0.07, 0.6
"""Parts of a bean's area."""
SHARP = 0.85
"""Part of the softness allowed from which on focus is said."""


def cloth_of(profile: BeansProfile, picture: Bgr, noise: float) -> Ground:
    """The empty cloth, and how much it may differ."""
    region = np.zeros(picture.shape[:2], np.uint8)
    left, top, wide, high = profile.region
    region[top : top + high, left : left + wide] = 255
    bean = float(np.pi / 4 * profile.size.middle_px**2)
    return Ground(
        word="cloth",
        picture=picture,
        noise=noise,
        region=region,
        moved_px=MOVED_BEANS * profile.size.middle_px,
        exposure=EXPOSURE,
        dirt_px=DIRT_BEANS * bean,
        thing_px=THING_BEANS * bean,
    )


def edge_px(profile: BeansProfile, picture: Bgr) -> float:
    """How wide the edges of beans are."""
    left, top, wide, high = profile.region
    region = np.ascontiguousarray(picture[top : top + high, left : left + wide])
    return float(outlines(look(region, profile, width_map(profile))).edge_px)


def layout_findings(profile: BeansProfile, looked: Looked, counted: int | str | None) -> list[Finding]:
    """What one layout says. ``counted``: by a person; ``"unasked"`` where nobody was asked."""
    said = None if looked.value is None else count_of(looked.value)
    found = [_focus(profile, looked.pixels)]
    if said is None:
        reason = looked.reasons[0] if looked.reasons else "unclear"
        return [
            *found,
            Finding(
                code="layout_read",
                ok=False,
                said=f"the layout was not read: {reason}: {looked.detail}",
                do_next="where it is laid out cleanly, mend that; else lay it out again",
                figures={"reasons": list(looked.reasons)},
            ),
        ]
    figures = {"beans": said.beans, "groups": said.groups, "remainder": said.remainder}
    text = f"{said.beans} beans in {said.groups} groups, the last of {said.remainder}"
    if isinstance(counted, str):
        return [*found, Finding(code="layout_read", ok=True, said=f"read: {text}", figures=figures)]
    if counted == said.beans:
        return [*found, Finding(code="layout_read", ok=True, said=f"read rightly: {text}", figures=figures)]
    what = "are not laid out cleanly" if counted is None else f"are {counted}"
    return [
        *found,
        Finding(
            code="read_wrong",
            ok=False,
            said=f"the beans {what} and were read as {text}",
            do_next="count again; if that is right, take the table out of play and calibrate anew",
            figures=figures,
        ),
    ]


def _focus(profile: BeansProfile, picture: Bgr) -> Finding:
    width = edge_px(profile, picture)
    figures = {"edge_px": round(width, 2), "allowed_px": profile.edge_px}
    said = f"edges of beans rise over {width:.2f} px, {profile.edge_px:.2f} are allowed"
    if width <= SHARP * profile.edge_px:
        return Finding(code="beans_sharp", ok=True, said=said, figures=figures)
    do = "wipe the lens, and focus the camera with beans live"
    return Finding(code="beans_sharp", ok=False, said=f"the lens is blurred: {said}", do_next=do, figures=figures)
