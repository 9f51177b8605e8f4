"""Judges a layout of fan-tan beans: it begins when the covered beans are first moved, and counts when it lies still.

While betting is open the beans lie under the bowl. Once the round waits for its attempt, the next movement (the bowl
is lifted) begins it. The dealer then counts off fours, and pauses: a still picture is no result yet. It is one when

- it was read twice alike, the second time from pictures all taken after nothing moved for ``still_s``;
- and before the attempt the camera saw the bowl on the cloth and no bean beside it, so that beans not yet laid out
  would be in sight and the picture would not be read. Otherwise the dealer must confirm (``confirm``), and also where
  beans came to a clean layout, or to an empty cloth: those had been out of sight.

Whatever moves while the dealer has not confirmed yet takes the value back: the dealer goes on, and the cloth is looked
at again. As many beans as lay there last are held, whatever was seen in between: they may be those.

What cannot be read is waited for (hands and stick come and go), and refused when it lies still for ``patience_s``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from dealer_daemon.validation.beans_rules import BeansRules, LayoutReason, held, refused
from dealer_daemon.validation.signals import (
    Ask,
    BettingOver,
    Judged,
    NeedsConfirmation,
    NotJudged,
    Ready,
    Signal,
    Started,
    Value,
    Withdrawn,
)
from dealer_daemon.validation.standing import Cause, Standing, StandsWhy
from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.camera.readings import SceneMoved, SceneStill
from dealer_drivers.driver import DeviceAction
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.readings.beans import BeansSeen, BeansUnclear

MOST_BEANS = 200
WITNESSES = ("outlines", "peaks")
"""The camera's two readings, which know nothing of each other; a look needs both."""
COVERED = "covered"
"""What a look says of the bowl alone. A hand or a stick at rest, glare, beans that touch are over old layouts, too."""
NOTHING_THERE = "no_beans"
MOVED = "something moved on the cloth before the layout was confirmed"
AGAIN_S = 1.0
"""From one look at a still layout to the next."""

Counted: TypeAlias = tuple[int, int, int]
"""Beans, groups, remainder."""
Facts = Callable[[int, int, int], Mapping[str, object]]
"""From beans, groups and remainder to the game's facts."""


class BeansJudge:
    """See the module."""

    def __init__(self, rules: BeansRules, facts: Facts, *, camera: str) -> None:
        self._rules = rules
        self._facts = facts
        self._camera = camera
        self._due = False
        self._still: bool | None = None
        """``None``: the camera has not said, or its link was lost."""
        self._begun_seen = False
        """The movement now was seen to begin."""
        self._faults: set[str] = set()
        self._newest_ask = 0
        self._asked: Instant | None = None
        """When the look was asked for that is not answered yet."""
        self._covered: bool | None = None
        """The newest look outside an attempt showed the bowl; ``None``: nothing is known."""
        self._hidden = False
        """It showed something that may be the bowl, or a heap."""
        self._before: Counted | None = None
        """The clean layout that a look outside an attempt showed, or that was accepted last."""
        self._began: Instant | None = None
        self._since: Instant | None = None
        """Since when the layout of this attempt lies still."""
        self._once: Counted | None = None
        """What the first look at the still layout gave."""
        self._next: Instant | None = None
        """When to look again."""
        self._waits: Counted | None = None
        """The layout that the dealer is asked to confirm."""
        self._left = False
        """The attempt was done with while the dealer was asked, and what lies there has not moved since."""
        self._unread = True
        """Beans may lie there that no look has read: nothing was seen yet, or an attempt ended without a count."""
        self._laid_out = False
        """The newest look outside an attempt showed a clean layout, and nothing has moved since."""
        self._why = StandsWhy()

    def underway(self) -> bool:
        """The beans were uncovered for this round, and are not read yet."""
        return self._began is not None and self._waits is None

    def waiting(self) -> bool:
        """The covered beans lie there and nothing moves, so that the uncovering can be seen from its beginning."""
        return self._at_rest() and (self._hidden or self._rules.confirm != "uncovered")

    def _at_rest(self) -> bool:
        return self._began is None and self._still is True and not self._faults

    def due(self, at: Instant) -> list[Signal]:
        """The round waits for a layout. The dealer lays out: only what lies there now may have to be asked for."""
        if self._began is not None:
            self._close()  # confirmed, or not the table's attempt any more
        if self._due:
            return []
        self._due = True
        if self._still is False and self._begun_seen and not self._faults:
            # The hand was at the bowl before betting closed: what lay there then is not known any more.
            return self._begin(at)
        looks = self._at_rest() and self._covered is None and self._asked is None
        return (self._look(at) if looks else []) + self._stands_why(at)

    def discard(self) -> None:
        """What is under way does not count, or was confirmed."""
        self._close()

    def deadline_ns(self) -> int | None:
        """When something has taken too long, or it is time to look again."""
        times = [] if self._began is None or self._waits else [self._began.plus_s(self._rules.max_layout_s)]
        if self._asked is not None:
            times.append(self._asked.plus_s(self._rules.look_s))
        if self._next is not None:
            times.append(self._next)
        limits = [*(time.mono_ns for time in times), self._why.deadline_ns()]
        return min((limit for limit in limits if limit is not None), default=None)

    def tick(self, at: Instant) -> list[Signal]:
        """Time passed."""
        return self._too_long(at) + self._stands_why(at)

    def _stands_why(self, at: Instant) -> list[Signal]:
        """What keeps the layout from beginning that the round waits for."""
        causes: list[Cause] = []
        waits = self._due and self._began is None and not self._faults
        if waits and self._still is False:
            detail = (
                "the round waits for a layout, and something moves before the camera all the time: a hand, a lamp that "
                "flickers, a camera that is not fixed"
            )
            causes.append(Cause(self._camera, Standing.PICTURE_NOT_AT_REST, detail))
        if waits and self._still is True and self._laid_out:
            detail = (
                "the round waits for a layout, and a clean one lies there from before: it does not count; cover the "
                "beans and lay them out"
            )
            causes.append(Cause(self._camera, Standing.LAID_OUT_BEFORE, detail))
        return self._why.now(at, causes)

    def _too_long(self, at: Instant) -> list[Signal]:
        if self._asked is not None and at.since_s(self._asked) >= self._rules.look_s:
            self._asked = None
            if self._began is not None:
                detail = f"the camera did not say within {self._rules.look_s:g} s what lies there"
                return self._end(refused(LayoutReason.NO_LOOK, detail))
        lays_out = self._began is not None and self._waits is None
        if lays_out and self._began is not None and at.since_s(self._began) >= self._rules.max_layout_s:
            detail = f"no layout could be read within {self._rules.max_layout_s:g} s"
            return self._end(refused(LayoutReason.NEVER_LAID_OUT, detail))
        if self._next is not None and at.mono_ns >= self._next.mono_ns:
            return self._look(at)
        return []

    def feed(self, device: str, reading: Reading) -> list[Signal]:
        """One reading of the camera."""
        if device != self._camera:
            return []
        signals = self.tick(reading.at)
        match reading:
            case SceneMoved():
                signals += self._moves(reading)
            case SceneStill():
                signals += self._rests(reading)
            case BeansSeen() | BeansUnclear():
                signals += self._looked(reading)
            case DeviceFault():
                signals += self._fault(reading)
            case _:
                pass
        return signals + self._stands_why(reading.at)

    # -- the scene ----------------------------------------------------------------------------------------

    def _moves(self, reading: SceneMoved) -> list[Signal]:
        # A camera that begins to watch says first that something moves; nobody saw that begin.
        self._begun_seen = self._still is True and not self._faults
        self._still = self._laid_out = False
        once, left, self._left = self._once, self._left, False
        self._asked = self._since = self._once = self._next = None
        if self._began is not None:
            if once is not None:
                self._covered = False
            if self._waits is None:
                return []
            self._waits, self._began = None, reading.at
            return [Withdrawn(f"{MOVED}: the cloth is looked at again")]
        if self._due and self._begun_seen:
            self._unread = self._unread or self._covered is None  # nobody saw what lay there
            return self._begin(reading.at)
        self._covered = None
        return [Withdrawn(MOVED, held(LayoutReason.LAYOUT_CHANGED, MOVED))] if left else []

    def _begin(self, at: Instant) -> list[Signal]:
        self._began, self._due, self._left = at, False, False
        self._asked = self._since = self._once = self._next = None
        return [Started(), BettingOver()]

    def _rests(self, reading: SceneStill) -> list[Signal]:
        self._still = True
        if self._faults:
            return []
        if self._began is not None:
            self._since, self._once = reading.since, None
        return self._look(reading.at)

    def _look(self, at: Instant) -> list[Signal]:
        self._asked, self._next = at, None
        return [Ask(self._camera, DeviceAction.LOOK)]

    def _fault(self, fault: DeviceFault) -> list[Signal]:
        self._laid_out = False
        if fault.cleared:
            self._faults.discard(fault.fault)
            return self._look(fault.at) if self._at_rest() else []
        self._faults.add(fault.fault)
        if fault.fault == Fault.LINK_LOST:
            self._still, self._newest_ask, self._unread = None, 0, True
        self._asked = self._covered = None
        self._begun_seen = False
        if self._began is None:
            return []
        if self._waits is not None:
            detail = f"the camera failed before the layout was confirmed: {fault.detail}"
            self._close()
            self._left = False
            return [Withdrawn(detail, held(LayoutReason.CAMERA_FAULT, detail))]
        return self._end(held(LayoutReason.CAMERA_FAULT, f"the camera failed during the layout: {fault.detail}"))

    # -- looks --------------------------------------------------------------------------------------------

    def _looked(self, look: BeansSeen | BeansUnclear) -> list[Signal]:
        fresh = self._asked is not None and look.ask > self._newest_ask and look.first >= self._asked
        self._newest_ask = max(self._newest_ask, look.ask)
        if not fresh or look.last < look.first or self._still is not True:
            return []
        self._asked = None
        if self._began is None:
            return self._lies_before(look)
        assert self._since is not None
        return self._seen(look, self._since) if isinstance(look, BeansSeen) else self._unclear(look, self._since)

    def _lies_before(self, look: BeansSeen | BeansUnclear) -> list[Signal]:
        """What lies there outside an attempt. On a table without a server the covered beans open the round."""
        if isinstance(look, BeansSeen):
            self._covered, self._hidden, self._before = False, False, _counted(look)
            self._unread, self._laid_out = False, True
            return []
        self._covered = look.reasons == (COVERED,)
        self._hidden = NOTHING_THERE not in look.reasons
        # A hand that rests may have laid them out just now.
        self._unread = not self._covered and self._hidden
        return [Ready()] if self.waiting() else []

    def _seen(self, look: BeansSeen, since: Instant) -> list[Signal]:
        counted = _counted(look)
        beans, groups, remainder = counted
        if not 1 <= beans <= MOST_BEANS or (groups, remainder) != (-(-beans // 4), (beans - 1) % 4 + 1):
            detail = f"the camera names {beans} beans in {groups} groups, the last of {remainder}"
            return self._end(held(LayoutReason.IMPOSSIBLE_BEANS, detail, camera=list(counted)))
        if self._once is not None and self._once != counted:
            detail = f"{self._once[0]} beans were read first and then {beans}, and nothing moved in between"
            return self._end(refused(LayoutReason.COUNT_CHANGED, detail))
        if self._once is None or look.first.since_s(since) < self._rules.still_s:
            self._once = counted
            settled = since.plus_s(self._rules.still_s)
            self._next = max(settled, look.at.plus_s(AGAIN_S), key=lambda time: time.mono_ns)
            return []
        return self._conclude(counted)

    def _unclear(self, look: BeansUnclear, since: Instant) -> list[Signal]:
        reason = look.reasons[0] if look.reasons else "groups_unclear"
        others = f" (also: {', '.join(look.reasons[1:])})" if look.reasons[1:] else ""
        if reason == LayoutReason.CAMERA_FAULT:
            return self._end(held(LayoutReason.CAMERA_FAULT, look.detail))
        if look.last.since_s(since) >= self._rules.patience_s:
            return self._end(refused(reason, f"{look.detail}{others}"))
        if reason == NOTHING_THERE:
            self._covered = False
        self._once, self._next = None, look.at.plus_s(AGAIN_S)
        return []

    def _conclude(self, counted: Counted) -> list[Signal]:
        covered = self._covered
        if counted == self._before:
            detail = f"{counted[0]} beans lay there before the attempt: were they laid out anew?"
            return self._end(held(LayoutReason.LAYOUT_NOT_NEW, detail, camera=list(counted)))
        if self._rules.confirm == "never" and self._unread and covered is not True:
            detail = "it is not known what lay there before the attempt: were the beans laid out anew?"
            return self._end(held(LayoutReason.LAYOUT_NOT_NEW, detail, camera=list(counted)))
        self._unread = False
        value = Value(self._facts(*counted), WITNESSES)
        if self._rules.confirm == "always":
            return self._ask_dealer(counted, value, "the dealer confirms that every bean is laid out")
        if self._rules.confirm == "uncovered" and covered is not True:
            detail = "the camera did not see the bowl before: is every bean laid out, and none out of its sight?"
            return self._ask_dealer(counted, value, detail)
        self._over()
        self._covered, self._before = None, counted
        return [Judged(value)]

    def _ask_dealer(self, counted: Counted, value: Value, detail: str) -> list[Signal]:
        self._waits, self._next = counted, None
        return [NeedsConfirmation(value, detail)]

    def _close(self) -> None:
        """The attempt is done with: what was to be confirmed is what lies there."""
        self._left = self._waits is not None
        self._before = self._waits or self._before
        self._over()
        self._covered = None

    def _end(self, verdict: Refused | Held) -> list[Signal]:
        self._unread = True
        self._over()
        return [NotJudged(verdict)]

    def _over(self) -> None:
        # That the bowl was seen holds for the round's next attempt: the same beans are laid out again.
        self._began = self._since = self._once = self._next = self._asked = self._waits = None
        self._due = False


def _counted(look: BeansSeen) -> Counted:
    return look.beans, look.groups, look.remainder
