"""The steps through which a technician walks a shuffler, and what each must bring (``devices.md`` §6). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from dealer_calibration.bench import Finding
from dealer_drivers.readings import Reading
from dealer_drivers.readings.shuffler import (
    DeckReport,
    MachineState,
    OrderThrownAway,
    Phase,
    ShufflerLevel,
)

StepName = Literal["whole_set", "short_set", "door", "level", "change"]
CARDS_IN_DECK = 52


@dataclass(frozen=True, slots=True)
class Step:
    """``ask``: what the technician does. ``otherwise``: what to look at where nothing of it was heard."""

    name: StepName
    ask: str
    otherwise: str


BATCH = (
    Step(
        "whole_set",
        "Put a whole set in, close the door and start a shuffle.",
        "the machine said nothing of a shuffle to its end: is its reporting on, and is the set counted?",
    ),
    Step(
        "short_set",
        "Take one card out of the set and shuffle it again.",
        "the machine did not find the card that is missing: its counter or its camera must be looked at. Until then no "
        "set that it calls whole may be trusted",
    ),
    Step(
        "door",
        "Put the card back, shuffle, and open the door on the shuffled set.",
        "an opened door was not told: is its switch wired? Cards can be taken out unseen",
    ),
)
CONTINUOUS = (
    Step(
        "level",
        "Let the machine feed and take back some cards.",
        "the machine did not tell its level: is its reporting on?",
    ),
    Step(
        "change",
        "Take all cards out and put other cards in.",
        "a change of the cards was not told",
    ),
)


@dataclass(slots=True)
class Walk:
    """What was heard. ``decks`` and ``deck_sets`` are the table's; an empty ``deck_sets`` accepts any name."""

    decks: int
    deck_sets: frozenset[str] = frozenset()
    reports: list[DeckReport] = field(default_factory=list)
    levels: list[ShufflerLevel] = field(default_factory=list)
    orders: list[OrderThrownAway] = field(default_factory=list)

    def feed(self, readings: Iterable[Reading]) -> None:
        """Takes readings in order."""
        for reading in readings:
            match reading:
                case DeckReport():
                    self.reports.append(reading)
                case ShufflerLevel():
                    self.levels.append(reading)
                case OrderThrownAway():
                    self.orders.append(reading)
                case _:
                    pass

    @property
    def continuous(self) -> bool:
        """It told a level: a continuous shuffler."""
        return bool(self.levels)

    def steps(self) -> tuple[Step, ...]:
        """The steps of this kind of machine. Asked when it has said something."""
        return CONTINUOUS if self.continuous else BATCH

    def judge(self, name: StepName, since: int) -> Finding | None:
        """What the step brought, from the report (or level) number ``since`` on; ``None`` while it is not over."""
        match name:
            case "whole_set":
                return self._whole(self._after_shuffle(since))
            case "short_set":
                return self._short(self._after_shuffle(since))
            case "door":
                return self._door(since)
            case "level":
                return self._level(since)
            case "change":
                return self._change(since)

    def order_finding(self) -> Finding:
        """Whether the machine offered an order of cards, which nobody may have."""
        if self.orders:
            return Finding(
                code="order_offered",
                ok=False,
                said="the machine sent an order of the cards; it was thrown away",
                do_next="switch that off at the machine: who hears it knows the shoe before it is dealt",
            )
        return Finding(code="order_offered", ok=True, said="the machine sent no order of cards")

    def _after_shuffle(self, since: int) -> DeckReport | None:
        """The first report of an ended shuffle that began from ``since`` on."""
        began: int | None = None
        for report in self.reports[since:]:
            if report.state is MachineState.SHUFFLING:
                began = report.job
            elif began == report.job and report.state in (MachineState.READY, MachineState.MISMATCH):
                return report
        return None

    def _whole(self, report: DeckReport | None) -> Finding | None:
        if report is None:
            return None
        figures = _figures(report)
        wanted = CARDS_IN_DECK * self.decks
        if report.state is MachineState.MISMATCH or report.misread or report.jam:
            return Finding(
                code="whole_set",
                ok=False,
                said=f"a whole set was not found whole: {_off(report)}",
                do_next="count the set by hand; if it is whole, the machine's counter or camera must be looked at",
                figures=figures,
            )
        if report.counted is not None and report.counted != wanted:
            return Finding(
                code="whole_set",
                ok=False,
                said=f"it counts {report.counted} cards as a whole set, and this table's has {wanted}",
                do_next="set the machine to so many decks, or [tables.X.shoe] decks",
                figures=figures,
            )
        if report.deck_set is not None and self.deck_sets and report.deck_set not in self.deck_sets:
            named = ", ".join(sorted(self.deck_sets))
            return Finding(
                code="whole_set",
                ok=False,
                said=f'it calls the set "{report.deck_set}", and the table knows: {named}',
                do_next="write its names into [tables.X.shoe] deck_sets",
                figures=figures,
            )
        how = "every card was recognised" if report.faces else "cards were counted, not recognised"
        return Finding(
            code="whole_set", ok=True, said=f"a whole set is told, by job {report.job}: {how}", figures=figures
        )

    def _short(self, report: DeckReport | None) -> Finding | None:
        if report is None:
            return None
        figures = _figures(report)
        if report.state is MachineState.MISMATCH and report.missing == 1 and not report.extra and not report.foreign:
            return Finding(code="short_set", ok=True, said="the missing card was found out", figures=figures)
        if report.state is MachineState.MISMATCH:
            said = f"one card is missing, and it tells: {_off(report)}"
            do_next = "count the set by hand; then its counter or camera must be looked at"
        else:
            said = "it calls a set whole from which a card is missing"
            do_next = next(step.otherwise for step in BATCH if step.name == "short_set")
        return Finding(code="short_set", ok=False, said=said, do_next=do_next, figures=figures)

    def _door(self, since: int) -> Finding | None:
        ready: DeckReport | None = None
        for report in self.reports[since:]:
            if report.state is MachineState.READY:
                ready = report
            if report.door_open and ready is not None:
                if report.job == ready.job and report.state is MachineState.READY:
                    continue  # what it says next must take the word back
                said = "the opened door was told, and the set is no longer verified"
                figures = {"job_before": ready.job, "job": report.job}
                return Finding(code="door", ok=True, said=said, figures=figures)
        return None

    def _level(self, since: int) -> Finding | None:
        heard = self.levels[since:]
        if len({level.inside for level in heard}) < 2:
            return None
        most = CARDS_IN_DECK * self.decks
        over = max(level.inside for level in heard)
        if over > most:
            return Finding(
                code="level",
                ok=False,
                said=f"it tells {over} cards inside, and this table plays with {most}",
                do_next="set [tables.X.shoe] decks, or count the cards",
                figures={"inside": over},
            )
        return Finding(code="level", ok=True, said=f"its level is told, up to {over} cards", figures={"inside": over})

    def _change(self, since: int) -> Finding | None:
        heard = self.levels[since:]
        before = self.levels[since - 1].changes if since else None
        changed = [level for level in heard if before is not None and level.changes > before]
        if not changed:
            return None
        emptied = any(level.phase in (Phase.EMPTYING, Phase.EMPTY) for level in heard)
        return Finding(
            code="change",
            ok=True if emptied else None,
            said="the change of the cards was told"
            if emptied
            else "a change was counted; that it was emptied was not told",
            figures={"changes": changed[-1].changes},
        )


def not_heard(step: Step) -> Finding:
    """The finding of a step of which nothing came."""
    return Finding(code=step.name, ok=False, said="nothing was heard of it", do_next=step.otherwise)


def _figures(report: DeckReport) -> dict[str, Any]:
    return {
        "state": str(report.state),
        "job": report.job,
        "deck_set": report.deck_set,
        "faces": report.faces,
        "counted": report.counted,
        "missing": report.missing,
        "extra": report.extra,
        "foreign": report.foreign,
    }


def _off(report: DeckReport) -> str:
    counts = (("missing", report.missing), ("too many", report.extra), ("foreign", report.foreign))
    said = [f"{n} {what}" for what, n in counts if n]
    said += [what for what, on in (("a card jammed", report.jam), ("a card was not recognised", report.misread)) if on]
    return ", ".join(said) or "it is off, and does not say how"
