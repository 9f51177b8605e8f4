"""The shoe's own result of a hand, as a witness beside the cards (``devices.md`` §2)."""

from __future__ import annotations

from typing import Any

from dealer_daemon.state import ShoeSaid
from dealer_drivers.instant import NS_PER_S
from dealer_drivers.readings.shoe import ShoeResult


class Witness:
    """How long the shoe's result of the hand in play is still waited for, and what it said just now.

    A result that the hand cannot end by at once is in the journal (``shoe.result``). The rest may be forgotten: a shoe
    that is asked again after a restart gives no answer, and the cards decide.
    ``wait_s``: how long an outcome waits; 0 for a shoe that gives no result.
    """

    def __init__(self, wait_s: float) -> None:
        self._wait_ns = round(wait_s * NS_PER_S)
        self.said: ShoeSaid | None = None
        self.until_ns: int | None = None
        self._over = wait_s == 0

    def reset(self) -> None:
        """The hand ended."""
        self.said, self.until_ns, self._over = None, None, self._wait_ns == 0

    def missing(self, now_ns: int) -> bool:
        """Whether a complete hand of which the shoe said nothing must still wait; begins to wait where it did not
        yet."""
        if self._over:
            return False
        if self.until_ns is None:
            self.until_ns = now_ns + self._wait_ns
        return True

    def give_up(self) -> None:
        """It does not come: the cards alone decide."""
        self.until_ns, self._over = None, True

    def hear(self, said: ShoeSaid) -> None:
        """The shoe said its result."""
        self.said, self.until_ns = said, None


def said_by(result: ShoeResult, evidence: list[str]) -> ShoeSaid:
    """The shoe's result as it is kept."""
    return ShoeSaid(
        winner=str(result.winner),
        player_pair=result.player_pair,
        banker_pair=result.banker_pair,
        evidence=evidence,
    )


def agrees(result: ShoeSaid, facts: dict[str, Any]) -> bool:
    """Winner and pairs are those of the cards (only a baccarat shoe says them)."""
    pairs = (facts["player"]["pair"] is not None, facts["banker"]["pair"] is not None)
    return result.winner == facts["winner"] and (result.player_pair, result.banker_pair) == pairs
