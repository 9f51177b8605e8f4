"""What a check is about: a driver, one of its examples, and where its random cases come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random

from dealer_drivers.conformance.examples import Example
from dealer_drivers.conformance.player import Mangle, Player
from dealer_drivers.driver import Driver, DriverOptions, Session

LARGE_BYTES = 100_000
"""Of stream in all cases of one check: examples that are long get fewer cases."""
LEAST_CASES = 3


@dataclass(frozen=True)
class Subject:
    """One example of one driver. ``cases`` random ones for each law; ``junk_bytes`` of junk where memory is looked
    at."""

    driver: Driver
    example: Example
    cases: int
    seed: int
    junk_bytes: int

    @cached_property
    def options(self) -> DriverOptions:
        """The example's options. Raises ``OptionError``."""
        return self.driver.parse_options(self.example.options)

    def session(self) -> Session:
        """A new one."""
        return self.driver.session(self.options)

    @property
    def offline_s(self) -> float:
        """Within how many seconds the driver says that silence is reported."""
        return self.driver.offline_s(self.options)

    def player(self, mangle: Mangle | None = None, *, nervous: Random | None = None) -> Player:
        """A new session and its device."""
        return Player(self.session(), self.example, mangle=mangle, nervous=nervous)

    @cached_property
    def clean(self) -> Player:
        """The example, played as it is stated."""
        return self.player().play()

    @cached_property
    def chunks(self) -> list[bytes]:
        """What arrives in it, answers too."""
        return [call.data for call in self.clean.calls if call.name == "feed"]

    @cached_property
    def stream(self) -> bytes:
        """All of that."""
        return b"".join(self.chunks)

    def rngs(self, law: str) -> Iterator[tuple[str, Random]]:
        """A source of random numbers for each case, and its name, which makes the same case again."""
        size = max(1, len(self.stream))
        for case in range(max(LEAST_CASES, min(self.cases, LARGE_BYTES // size))):
            name = f"{self.driver.name}/{self.example.name}/{law}/{self.seed}/{case}"
            yield f"case {case} of seed {self.seed}", Random(name)
