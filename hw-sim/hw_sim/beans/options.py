"""How a simulated fan-tan table is set up in a scenario."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from hw_sim.beans.layout import LayoutFault
from hw_sim.faults import GOOD

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
Span = tuple[Annotated[float, msgspec.Meta(ge=0)], Annotated[float, msgspec.Meta(ge=0)]]
"""Least and most; seconds."""


class BeanTableOptions(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="bean-table", tag_field="model"
):
    """A cloth with beans, a dealer who lays them out, and the camera above."""

    name: str
    port: Literal["http"] = "http"
    fps: Annotated[float, msgspec.Meta(ge=1, le=60)] = 10.0
    """Pictures a second of our time."""
    rig: Annotated[int, msgspec.Meta(ge=0)] = 1
    """Which table: each number is another one, with its own lamps and camera."""
    cloth: Literal["green", "blue", "red", "violet"] = "green"
    starts: Literal["by_itself", "told"] = "by_itself"
    """``told``: the bowl is lifted for the word ``lay_out``, and the cloth cleared for ``clear``."""
    covered_s: Span = (6.0, 9.0)
    """How long the bowl stands over the beans before it is lifted."""
    group_s: Span = (0.5, 0.8)
    """From one group to the next."""
    rest_s: Span = (12.0, 16.0)
    """How long the layout lies there, unless somebody says ``rearrange``."""
    beans: tuple[Annotated[int, msgspec.Meta(ge=1, le=200)], ...] = ()
    """How many beans are under the bowl in the first rounds."""
    layouts: tuple[str, ...] = ()
    """The first layouts, one entry each: ``good`` or a fault."""
    rates: dict[LayoutFault, Rate] = {}
    """Chance of each fault, per layout; at most one strikes, and none when the beans are laid out again."""
    wait_for_host: bool = False
    """The table's time begins when a host first opens the port."""

    def problems(self) -> list[tuple[str, str]]:
        """Everything that cannot be, as (key, reason)."""
        found = []
        if not self.name or not all(c.isalnum() or c in "-_" for c in self.name):
            found.append(("name", f"{self.name!r} may only hold letters, digits, - and _"))
        for key in ("covered_s", "group_s", "rest_s"):
            least, most = getattr(self, key)
            if least > most:
                found.append((key, f"the least, {least}, is over the most, {most}"))
        known = {GOOD, *LayoutFault}
        found += [("layouts", f"there is no fault {name!r}") for name in self.layouts if name not in known]
        return found
