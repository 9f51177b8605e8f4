"""Judgements on one attempt. There is no third way to a value: accepted, or refused, or held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

V = TypeVar("V")


class Remedy(StrEnum):
    """What people do about a refused attempt (``games.md`` §1)."""

    RESCAN = "rescan"
    RETHROW = "rethrow"
    RESHAKE = "reshake"
    RESPIN = "respin"
    REARRANGE = "rearrange"


@dataclass(frozen=True, slots=True)
class Accepted(Generic[V]):
    """The device layer is sure and the validation layer agrees."""

    value: V


@dataclass(frozen=True, slots=True)
class Refused:
    """A rule was broken: try again. ``reason`` is a word of the documented list, ``detail`` a sentence with figures.

    ``figures`` are those of the sentence that a screen says in every language: what was ``seen`` against what is
    ``needed``. None of them tells a result.
    """

    reason: str
    remedy: Remedy
    detail: str
    figures: Mapping[str, int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Held:
    """Not clear: a person must look. ``seen`` is what the witnesses said; never shown before betting closes."""

    reason: str
    detail: str
    seen: Mapping[str, object] = field(default_factory=dict)
