"""What a card table sets about its shoe, whatever the game."""

from __future__ import annotations

from typing import Annotated

import msgspec


class ShoeRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tables.X.shoe]``."""

    decks: Annotated[int, msgspec.Meta(ge=1, le=16)] | None = None
    """Decks in the shoe; by default what the game is played with."""
    require_verified: bool = True
    """A shoe starts only from a verified deck set (``games.md`` §10)."""
    burn: Annotated[int, msgspec.Meta(ge=0, le=20)] = 0
    """Cards that pass the reader and are burnt when a shoe begins."""
    burn_by_first: bool = False
    """The first card of a shoe is burnt and says how many more are (A one ... T J Q K ten)."""
    result_wait_s: Annotated[float, msgspec.Meta(ge=0, le=60)] = 2.0
    """How long an outcome waits for the shoe's own result, where the shoe gives one; 0 does not wait."""
    early_change_after: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Private tables: the server may change the shoe once so many hands were dealt (30 in the books)."""
