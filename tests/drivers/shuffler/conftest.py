"""Frames and streams of a shuffler."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st

from hw_sim.shoe.cards import full_set
from hw_sim.shuffler import lines

ORDER = [card.text for card in full_set(8)]
STATES = ("idle", "shuffling", "ready", "mismatch")


@st.composite
def statuses(draw: st.DrawFn) -> bytes:
    """A status that a machine may send."""
    state = draw(st.sampled_from(STATES))
    off = {"missing": draw(st.integers(1, 9))} if state == "mismatch" else {}
    return lines.status(
        draw(st.integers(0, 65535)),
        state,
        draw(st.integers(0, 10**10 - 1)),
        draw(st.sampled_from([None, "red", "blue-2"])),
        faces=draw(st.booleans()),
        counted=draw(st.integers(0, 832)) if state in ("ready", "mismatch") else None,
        flags=draw(st.sets(st.sampled_from(lines.FLAGS))),
        **off,
    )


def levels() -> st.SearchStrategy[bytes]:
    """A level that a continuous machine may send."""
    phases = st.sampled_from(["feeding", "emptying", "empty", "loading"])
    return st.builds(lines.level, st.integers(0, 65535), st.integers(0, 416), phases, st.integers(0, 99))


def orders() -> st.SearchStrategy[bytes]:
    """The order of some cards, as a machine may send it, with or without its end."""
    decks = st.lists(st.sampled_from(ORDER), min_size=2, max_size=416)
    return st.builds(lambda cards, end: lines.order(cards)[: None if end else -2], decks, st.booleans())


def streams() -> st.SearchStrategy[bytes]:
    """Anything that may come: frames, orders, pieces of them, noise."""
    noise = st.one_of(st.binary(max_size=40), st.text("@*SLOXQ,-+\r\n0123456789KDHready", max_size=60).map(str.encode))
    torn = st.builds(lambda line, at: line[: at % len(line)], statuses(), st.integers(0, 200))
    return st.lists(st.one_of(statuses(), levels(), orders(), noise, torn), max_size=12).map(b"".join)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """The same bytes in pieces."""
    edges = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[one:other] for one, other in itertools.pairwise(edges)]
