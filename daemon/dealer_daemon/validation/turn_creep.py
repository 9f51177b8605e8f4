"""Whether a wheel that seems to stand creeps on, perhaps into the next segment. Pure.

So slow a movement that no window of a rest shows it is known by a bound alone: what was seen of it, and one step of the
encoder more, over the time since the rest was verified. Where the pointer would leave its segment by that within
``AHEAD_S``, the wheel is watched for longer, which narrows the bound. Source: ``games.md`` §7 (a turn ends at rest,
with the pointer clearly inside one segment); the figures are ours.
"""

from __future__ import annotations

from dealer_daemon.validation.turn_motion import DRIFT_DEG

AHEAD_S = 5.0
"""A result holds for as long as people look at the wheel that gave it. Of a wheel that stands still this asks nothing
more than to be watched for 0.75 s, even where its pointer is as near to a peg as it may be."""
LONGEST_S = 5.0
"""By then an encoder has shown what would matter: a step of 0.1 degrees in this time is 0.02 degrees a second."""


class Creep:
    """Watches from a verified rest at ``deg`` on. ``count_deg`` is the least that the encoder shows."""

    def __init__(self, deg: float, since_s: float, count_deg: float) -> None:
        self.since_s = since_s
        self._deg = deg
        self._unseen_deg = max(DRIFT_DEG, count_deg)

    def stays(self, deg: float, t_s: float, margin_deg: float) -> bool:
        """A wheel that is at ``deg`` now stays in its segment, which ends ``margin_deg`` away, for ``AHEAD_S``; or it
        was watched for ``LONGEST_S`` and has not moved."""
        lasted_s, seen_deg = t_s - self.since_s, abs(deg - self._deg)
        if lasted_s >= LONGEST_S and seen_deg <= self._unseen_deg:
            return True
        return (seen_deg + self._unseen_deg) * AHEAD_S < margin_deg * lasted_s
