"""What a card table sets about its shoe, whatever the game."""

from __future__ import annotations

from typing import Annotated

import msgspec

DeckSetName = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[a-z0-9][a-z0-9_-]{0,15}(?!\n)$",
        description="1 to 16 small letters, digits, _ or -, with a letter or digit first",
    ),
]
ONLY_SET = "set-1"
"""The id of a table's deck set that the configuration does not name."""


class ShoeRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tables.X.shoe]``."""

    decks: Annotated[int, msgspec.Meta(ge=1, le=16)] | None = None
    """Decks in the shoe; by default what the game is played with."""
    require_verified: bool = True
    """A shoe starts only from a verified deck set (``games.md`` §10)."""
    deck_sets: Annotated[tuple[DeckSetName, ...], msgspec.Meta(max_length=4)] = ()
    """The table's deck sets by id, two where one is in play while the other is shuffled; left out, there is one."""
    counted_is_enough: bool = False
    """A shuffler that only counts cards may verify a set; one that recognises each card always may."""
    burn: Annotated[int, msgspec.Meta(ge=0, le=20)] = 0
    """Cards that pass the reader and are burnt when a shoe begins."""
    burn_by_first: bool = False
    """The first card of a shoe is burnt and says how many more are (A one ... T J Q K ten)."""
    result_wait_s: Annotated[float, msgspec.Meta(ge=0, le=60)] = 2.0
    """How long an outcome waits for the shoe's own result, where the shoe gives one; 0 does not wait."""
    lock_when_paused: bool = False
    """A shoe whose driver may control it (``control = true``) gives no card while the table is paused."""
    early_change_after: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Private tables: the server may change the shoe once so many hands were dealt (30 in the books)."""

    def set_names(self) -> tuple[str, ...]:
        """The ids of the table's deck sets, at least one."""
        return self.deck_sets or (ONLY_SET,)
