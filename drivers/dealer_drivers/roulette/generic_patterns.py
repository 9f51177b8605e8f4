"""Is a regular expression of the configuration safe to run on whatever a line may bring?

Python's engine backtracks: one careless pattern can hold the process for hours on a line of 128 characters. A pattern
is refused by its shape, before it ever sees a line.
"""

from __future__ import annotations

import re

MAX_OPEN_REPEATS = 4
"""With lines of 128 characters, four open-ended repeats cost a fraction of a second at the worst."""
OPEN_RANGE = 8
"""A counted repeat that may vary by more than this is as good as open-ended."""

_TOKEN = re.compile(
    r"""\\.                                   # an escape
      | \[\^?\]?(?:\\.|[^\]\\])*\]            # a class
      | (?P<open>\(\??)
      | (?P<close>\))
      | (?P<either>\|)
      | (?P<repeat>[*+?]|\{(?P<low>\d*)(?P<comma>,?)(?P<high>\d*)\})[?+]?
      | .""",
    re.VERBOSE | re.DOTALL,
)


def repeat_problem(pattern: str) -> str | None:
    """Why ``pattern``, which compiles, may take for ever; ``None`` when it cannot."""
    groups = [False]  # for each open group: does it hold a repeat of varying length, or alternatives?
    closed: bool | None = None
    open_repeats = 0
    for token in _TOKEN.finditer(pattern):
        just_closed, closed = closed, None
        if token["open"]:
            groups.append(False)
        elif token["close"]:
            closed = groups.pop()
            groups[-1] |= closed
        elif token["either"]:
            groups[-1] = True
        elif token["repeat"]:
            spread = _spread(token)
            if just_closed and token["repeat"] != "?":
                return "a repeated group holds another repeat or alternatives, which may take for ever: write it flat"
            groups[-1] |= spread > 0
            open_repeats += spread > OPEN_RANGE
    if open_repeats > MAX_OPEN_REPEATS:
        return f"more than {MAX_OPEN_REPEATS} open-ended repeats may take for ever: bound them, as in {{1,3}}"
    return None


def _spread(token: re.Match[str]) -> int:
    """By how much the repeat's count may vary."""
    if token["repeat"] == "?":
        return 1
    if token["repeat"] in {"*", "+"} or (token["comma"] and not token["high"]):
        return OPEN_RANGE + 1
    return int(token["high"]) - int(token["low"] or 0) if token["comma"] else 0
