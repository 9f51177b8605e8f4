"""How a simulated shuffler is set up in a scenario."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import msgspec

from hw_sim.faults import UnknownFault
from hw_sim.shuffler.faults import ShuffleFault, parse_shuffle

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
Span = tuple[Annotated[float, msgspec.Meta(ge=0)], Annotated[float, msgspec.Meta(ge=0)]]
"""Least and most; seconds."""
SET_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,15}")


class ShufflerOptions(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="shuffler", tag_field="model"
):
    """A shuffler, and the attendant who takes shuffled cards out of it and puts played ones in."""

    name: str
    port: Literal["pty", "tcp", "umockdev"] = "pty"
    """``umockdev``: a USB bulk pair, as a capture of ``count`` shuffles that were made beforehand."""
    serves: str = ""
    """The card table whose shoes are filled from here; it stands before it in the file. Empty: a set is taken out
    ``rest_s`` after it is ready."""
    deck_sets: tuple[str, ...] = ("red", "blue")
    """The first is in the machine, shuffled, when the simulation begins."""
    tells_set: bool = True
    """Whether the machine knows which set is in it."""
    faces: bool = True
    """Whether it recognises cards, or only counts them."""
    decks: Annotated[int, msgspec.Meta(ge=1, le=16)] = 8
    shuffle_s: Span = (20.0, 25.0)
    """How long a shuffle takes."""
    put_in_s: Span = (2.0, 4.0)
    """From taking a set out to putting the other in."""
    repair_s: Span = (6.0, 10.0)
    """From a trouble to the next shuffle of the same cards."""
    rest_s: Span = (30.0, 60.0)
    """How long a shuffled set lies in a machine that serves no table."""
    starts: Literal["by_itself", "told"] = "by_itself"
    """``told``: every shuffle waits for the word ``shuffle``."""
    count: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 4
    rates: dict[ShuffleFault, Rate] = {}
    """Chance of each fault, per shuffle; at most one strikes."""
    shuffles: tuple[str, ...] = ()
    """The first shuffles, one entry each: ``good`` or a fault."""
    wait_for_host: bool = False
    """The machine's time begins when a host first opens the port."""

    def problems(self) -> list[tuple[str, str]]:
        """Everything that cannot be, as (key, reason)."""
        found = []
        if not self.name or not all(c.isalnum() or c in "-_" for c in self.name):
            found.append(("name", f"{self.name!r} may only hold letters, digits, - and _"))
        for key in ("shuffle_s", "put_in_s", "repair_s", "rest_s"):
            least, most = getattr(self, key)
            if least > most:
                found.append((key, f"the least, {least}, is over the most, {most}"))
        if not self.deck_sets or len(set(self.deck_sets)) < len(self.deck_sets):
            found.append(("deck_sets", "at least one, each with a name of its own"))
        found += [
            ("deck_sets", f"{name!r} is no name of a set: a to z, digits, - and _")
            for name in self.deck_sets
            if not SET_NAME.fullmatch(name)
        ]
        if self.serves and len(self.deck_sets) < 2:
            found.append(("deck_sets", "a shuffler that serves a table shuffles one set while the other is in play"))
        if self.starts == "told" and (self.serves or self.port == "umockdev"):
            found.append(("starts", "a shuffler that waits to be told serves no table and is no capture"))
        for entry in self.shuffles:
            try:
                parse_shuffle(entry)
            except UnknownFault as error:
                found.append(("shuffles", str(error)))
        return found
