"""The comparison in sentences: what was seen, and how much so many rounds prove."""

from __future__ import annotations

import math

from dealer_calibration.bounds import CONFIDENCE, rounds_for
from dealer_calibration.shadow.compare import GOAL, Comparison, Difference
from dealer_calibration.shadow.values import NoFact, fact_at
from dealer_calibration.shadow.values import names as all_names

KINDS = {"differ": "differ", "only_theirs": "only theirs", "only_ours": "only ours"}


def verdict(found: Comparison) -> list[str]:
    """What the comparison says, a sentence a line."""
    if not found.pairs:
        return [
            "nothing was compared: no two results are of one round. Is it the same table, and do both clocks go right? "
            "--offset says how many seconds later the other system's results come, --window how far they may be apart"
        ]
    differ, missing = found.count("differ"), found.count("only_theirs")
    said = [
        f"{found.pairs} rounds compared by {', '.join(found.compared)}: {found.agree} agree, {differ} differ",
        f"with {CONFIDENCE:.0%} confidence at most {share(found.differ_at_most)} of all rounds differ",
        f"{missing} rounds have a result of the other system alone, {found.unexplained} of them without a reason of "
        f"the shadow's: at most {share(found.lost_at_most)} of all rounds are missed so",
    ]
    if found.count("only_ours"):
        said.append(f"{found.count('only_ours')} rounds have a result of the shadow alone")
    need = rounds_for(GOAL)
    if found.pairs < need:
        said.append(f"{need:,} rounds without a difference are needed to say: at most {share(GOAL)}")
    if any(found.outside):
        said.append(
            f"left out: {found.outside[0]} results of the shadow and {found.outside[1]} of the other system, from "
            "before or after both spoke"
        )
    if found.after:
        said.append(
            f"{found.after} results of the other system are from after the last event of the shadow's journal: did the "
            "station stop?"
        )
    if found.pairs < missing + found.count("only_ours"):
        said.append("fewer than half of the results have a partner: do both clocks go right? See --offset and --window")
    return said


def share(value: float) -> str:
    """A share as people read it: "1 in 138"; rounded towards what is worse."""
    if value >= 0.5:
        return f"{math.ceil(value * 100)} %"
    return f"1 in {math.floor(1 / value):,}"


def line(one: Difference) -> tuple[str, ...]:
    """A difference for a grid: time, kind, ours, theirs, evidence or reason."""
    ours, theirs = one.ours, one.theirs
    names = one.facts or ()
    mine = "-" if ours is None else f"{_facts(ours.facts, names)} (event {ours.sequence})"
    others = "-" if theirs is None else ", ".join(f"{name} {theirs.facts[name]}" for name in names or theirs.facts)
    others += "" if theirs is None else f" (line {theirs.line})"
    if one.kind == "only_theirs":
        why = "; ".join(f"event {each.sequence} {each.type}: {each.text}" for each in one.whys) or "no reason given"
    else:
        why = "" if ours is None else ", ".join(ours.evidence)
    return one.time.strftime("%Y-%m-%d %H:%M:%S"), KINDS[one.kind], mine, others, why


def _facts(facts: dict[str, object], names: tuple[str, ...]) -> str:
    wanted = names or tuple(all_names(facts))
    found = []
    for name in wanted:
        try:
            found.append(f"{name} {_shown(fact_at(facts, name))}")
        except NoFact:
            found.append(f"{name} -")
    return ", ".join(found)


def _shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else "-" if value is None else str(value)
