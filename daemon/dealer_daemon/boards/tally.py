"""How often each value came, and which are hot or cold. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dealer_daemon.boards.body import ShareBody, TallyBody
from dealer_daemon.boards.kept import Play
from dealer_daemon.boards.marks import Counted, values_of

MOST_NAMED = 5
"""Values that are called hot, and cold."""


def tally(counted: Counted, plays: Sequence[Play]) -> TallyBody:
    """Of ``plays``, oldest first.

    Hot is what came more often than its part of the whole would have it, by how much more; cold what came less often.
    Among equals the one that came last is hotter, and the one that has been away longest colder; then the order in
    which values are shown. It says what was, and nothing of what will be.
    """
    counts: dict[str, int] = dict.fromkeys(counted.ways or (), 0)
    ago: dict[str, int] = {}
    for age, play in enumerate(reversed(plays)):
        for value in values_of(counted, play.facts):
            counts[value] = counts.get(value, 0) + 1
            ago.setdefault(value, age)
    if counted.ways is None:
        counts = {value: counts[value] for value in sorted(counts)}
    hot, cold = _named(counted, counts, {value: ago.get(value, len(plays)) for value in counts})
    shares = [ShareBody(value=value, count=count, ago=ago.get(value)) for value, count in counts.items()]
    return TallyBody(of=counted.of, plays=len(plays), shares=shares, hot=hot, cold=cold)


def _named(counted: Counted, counts: dict[str, int], away: dict[str, int]) -> tuple[list[str], list[str]]:
    ways = counted.ways
    if ways is None or not counted.heat:
        return [], []
    fair = Fraction(sum(counts.values()), sum(ways.values()))
    rate = {value: Fraction(counts[value], ways[value]) for value in ways}
    hot = sorted((value for value in ways if rate[value] > fair), key=lambda value: (-rate[value], away[value]))
    cold = sorted((value for value in ways if rate[value] < fair), key=lambda value: (rate[value], -away[value]))
    return hot[:MOST_NAMED], cold[:MOST_NAMED]
