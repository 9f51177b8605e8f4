"""What is fuzzed: a kind draws cases and plays them; and the smaller case that fails in the same way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any, Protocol

Case = Any
"""Plain JSON. Bytes stand in it as text, one character a byte."""


class Kind(Protocol):
    """One way into the station."""

    name: str
    share: float
    """Of all inputs. Those that take long get less."""

    def draw(self, rng: Random) -> Case:
        """A case; the same from the same random numbers."""
        ...

    def play(self, case: Case) -> int:
        """How many inputs it was. Raises for whatever should not be."""
        ...


class Wrong(AssertionError):  # noqa: N818
    """Nothing was raised, and yet what came out cannot be."""


def text(data: bytes) -> str:
    """Bytes as a case holds them."""
    return data.decode("latin-1")


def data(text: str) -> bytes:
    """And back."""
    return text.encode("latin-1")


def plain(case: Case) -> Case:
    """The case as a file would give it back."""
    return json.loads(json.dumps(case))


def failure(kind: Kind, case: Case) -> str | None:
    """How it fails: the error's type and where it was raised; ``None`` where it does not."""
    try:
        kind.play(plain(case))
    except Exception as error:  # noqa: BLE001 - whatever it is, is what is looked for
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = "" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        return f"{type(error).__name__} at {place}"
    return None


def smaller(kind: Kind, case: Case, tries: int = 400) -> Case:
    """A case with less in it that fails in the same way."""
    wanted = failure(kind, case)
    left = 0 if wanted is None else tries  # a hang, or something that only happens after other cases

    def same(changed: Case) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and failure(kind, changed) == wanted

    found = True
    while found and left > 0:
        found = False
        for changed in _less(case):
            if same(changed):
                case, found = changed, True
                break
    return case


def _less(case: Case) -> Iterator[Case]:
    """The case without one piece of it: halves first, then single pieces; then what is inside."""
    size = len(case) // 2 if isinstance(case, (str, list)) else 0
    while size:
        for begin in range(0, len(case), size):
            yield case[:begin] + case[begin + size :]
        size //= 2
    if isinstance(case, list):
        for number, item in enumerate(case):
            yield from ([*case[:number], less, *case[number + 1 :]] for less in _less(item))
    if isinstance(case, dict):
        for key, item in case.items():
            yield from (case | {key: less} for less in _less(item))
