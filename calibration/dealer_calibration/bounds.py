"""How often something may happen that was seen so and so often: an upper bound, never "never"."""

from __future__ import annotations

import math

CONFIDENCE = 0.95


def at_most(seen: int, of: int, confidence: float = CONFIDENCE) -> float:
    """The largest share of which ``seen`` or fewer in ``of`` independent tries is not too rare (Clopper and Pearson,
    Biometrika 26, 1934, one-sided): what is true is above it with a chance of at most 1 - ``confidence``.

    1.0 where nothing was tried. Raises ``ValueError`` for counts that cannot be.
    """
    if not 0 <= seen <= of:
        raise ValueError(f"{seen} of {of}")
    if seen == of:
        return 1.0
    low, high = seen / of, 1.0
    while high - low > 1e-12 * high:
        share = (low + high) / 2
        if _chance_of_at_most(seen, of, share) > 1 - confidence:
            low = share
        else:
            high = share
    return high


def rounds_for(share: float, confidence: float = CONFIDENCE) -> int:
    """How many rounds without one case bring the bound down to ``share``. Raises ``ValueError`` outside 0 to 1."""
    if not 0 < share < 1:
        raise ValueError(f"{share} is no share between 0 and 1")
    return math.ceil(math.log(1 - confidence) / math.log1p(-share))


def _chance_of_at_most(seen: int, of: int, share: float) -> float:
    if share >= 1:
        return 0.0
    odds, rest = math.log(share), math.log1p(-share)
    terms = (
        math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * odds + (of - k) * rest
        for k in range(seen + 1)
    )
    return math.fsum(map(math.exp, terms))
