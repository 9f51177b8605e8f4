"""Any order of shuffles, faults, hands, restarts and people: a shoe starts from a whole set or not at all.

The model is the physical truth: which sets were shuffled and found whole since they were played, and what the machine
says now. The table sees only what the machine says and people tell.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import ShoeBegan, ShoeEnded
from dealer_drivers.shuffler.frames import Reenumerated, encode
from hw_sim.shuffler import lines
from support.deck_tables import DeckTable

SETS = ("red", "blue")
BLOCKING = ("jam", "door", "misread")


class DeckRules(RuleBasedStateMachine):
    """See the module. ``whole``: sets that a shoe may be made of, by what was said and seen."""

    @initialize(names_sets=st.booleans())
    def begin(self, names_sets: bool) -> None:
        self.table = DeckTable(shoe={"require_verified": True, "deck_sets": list(SETS), "decks": 1})
        self.names_sets = names_sets
        self.whole: set[str] = set()
        self.inside: str | None = None
        self.job = 1
        self.state = "idle"
        self.flags: set[str] = set()
        self.off: dict[str, int] = {}
        self.order_out = False
        self.soiled: set[str] = set()
        """Sets that the machine had when something happened to it."""
        self.up = True
        self.heard = True
        self.counted = 0

    # -- the machine --------------------------------------------------------------------------------------------

    def say(self) -> None:
        if not self.up:
            return
        named = self.inside if self.names_sets else None
        off = self.off if self.state == "mismatch" else {}
        self.table.shuffler(self.state, self.job, named, flags=self.flags, **off)
        self.heard = True

    @precondition(lambda self: self.inside is None)
    @rule(
        deck_set=st.sampled_from(SETS), told=st.booleans(), off=st.sampled_from([{}, {}, {"missing": 1}, {"extra": 1}])
    )
    def shuffle(self, deck_set: str, told: bool, off: dict[str, int]) -> None:
        shoe = self.table.state.shoe
        if shoe is not None and shoe.deck_set == deck_set:
            return  # its cards lie on the table
        self.inside, self.job, self.state, self.off = deck_set, self.job + 1, "shuffling", off
        self.whole.discard(deck_set)
        self.soiled.discard(deck_set)
        self.order_out = False
        self.flags -= {"jam", "misread"}
        if told:
            self.table.insert(deck_set)
        self.say()

    @precondition(lambda self: self.state == "shuffling")
    @rule()
    def end_of_shuffle(self) -> None:
        self.state = "mismatch" if self.off else "ready"
        self.say()
        if self.state == "ready" and not self.flags and not self.order_out:
            assert self.inside is not None
            self.whole.add(self.inside)
            self.soiled.discard(self.inside)  # what happened in mid-shuffle is over, and the machine found it whole

    @precondition(lambda self: self.state in ("ready", "mismatch"))
    @rule()
    def take_out(self) -> None:
        self.inside, self.state, self.off = None, "idle", {}
        self.say()

    @precondition(lambda self: self.up)
    @rule(flag=st.sampled_from(BLOCKING))
    def trouble(self, flag: str) -> None:
        self.flags.add(flag)
        self.lapse()
        self.say()

    @rule()
    def put_right(self) -> None:
        self.flags.clear()
        self.say()

    @rule()
    def power_cycle(self) -> None:
        if self.inside is not None:
            self.whole.discard(self.inside)
        self.job, self.state, self.inside, self.off = self.job + 1, "idle", None, {}
        self.flags.clear()
        self.say()

    @precondition(lambda self: self.up)
    @rule()
    def order(self) -> None:
        self.table.bytes_of_shuffler(lines.order(["8S", "KD", "2C"]))
        self.order_out = True
        self.lapse()

    def lapse(self) -> None:
        """What was said of the cards in the machine holds no more."""
        if self.inside is not None and self.state != "idle":
            self.whole.discard(self.inside)
            self.soiled.add(self.inside)

    @precondition(lambda self: self.names_sets)
    @rule(deck_set=st.sampled_from(SETS))
    def announce(self, deck_set: str) -> None:
        """A person says which set goes in, rightly or not; the machine knows better."""
        self.table.ask(CommandName.DECK_INSERT, Role.DEALER, deck_set=deck_set)

    @precondition(lambda self: self.up)
    @rule(tamper=st.booleans())
    def unplug(self, tamper: bool) -> None:
        self.table.link_lost()
        self.up = self.heard = False
        self.tamper = tamper

    @precondition(lambda self: not self.up)
    @rule()
    def plug(self) -> None:
        self.table.link_back()
        self.up = True
        if self.tamper:
            self.table.bytes_of_shuffler(encode(Reenumerated(1)))
            self.whole.clear()
            if self.table.state.paused is not None:
                self.table.resume()
        self.say()

    # -- the table ----------------------------------------------------------------------------------------------

    @rule()
    def restart(self) -> None:
        self.table.restart()
        self.heard = self.up = True
        self.say()

    @rule(named=st.sampled_from([None, *SETS]))
    def change_shoe(self, named: str | None) -> None:
        args: dict[str, Any] = {} if named is None else {"deck_set": named}
        self.table.ask(CommandName.SHOE_CHANGE, Role.MANAGER, reason="model", verified=True, **args)
        self.check_begun()

    @rule()
    def deal(self) -> None:
        self.table.deal("8S")
        self.check_begun()
        if self.table.state.paused is not None:
            self.table.resume()
        if self.table.state.round is not None:
            self.table.manager(CommandName.ROUND_VOID)

    def check_begun(self) -> None:
        """A shoe began: of a set that is whole, and not while the machine says that something is wrong."""
        begun = self.table.of(ShoeBegan)[self.counted :]
        self.counted += len(begun)
        for shoe in begun:
            assert shoe.deck_set in self.whole, f"{shoe.deck_set} is not whole; {self.whole} are"
            assert not (self.up and self.heard and (self.flags or self.state == "mismatch"))
            self.whole.discard(shoe.deck_set)

    @invariant()
    def what_the_table_calls_verified_is_whole(self) -> None:
        if not hasattr(self, "table"):
            return
        said = {name for name in SETS if self.table.status(name) == "verified"}
        if self.up and self.heard:
            # As long as nobody said which set was shuffled, none is played (``check_begun``), whatever it is called.
            assert said <= self.whole or self.table.state.decks.unnamed
            assert not [name for name in self.soiled if self.table.status(name) == "in_play"]
        assert len(self.table.of(ShoeBegan)) - len(self.table.of(ShoeEnded)) in (0, 1)


CHECKS = list(HealthCheck)
TestDeckRules = DeckRules.TestCase
TestDeckRules.settings = settings(max_examples=15, stateful_step_count=30, deadline=None, suppress_health_check=CHECKS)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_any_order_for_longer() -> None:
    chosen = settings(max_examples=200, stateful_step_count=60, deadline=None, suppress_health_check=CHECKS)
    run_state_machine_as_test(DeckRules, settings=chosen)  # type: ignore[no-untyped-call]
