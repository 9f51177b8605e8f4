"""What a pass of a whole deck or shoe says of its reader, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from dealer_calibration.bench import Finding
from dealer_calibration.cards.order import OrderReport, against_order, sorted_pile
from dealer_calibration.cards.tally import Tally
from dealer_drivers.calibration.drift import SAMPLES

LEAST_RATE = 0.99
"""A reader that reads fewer cards at their first pass makes a dealer scan again every other hand (ours)."""
LEAST_TOLERANCE = 0.05
BEGIN_AGAIN = "run this again, and begin with the ace of spades: no other card before it"
_MOST_NAMED = 12


def expected_rate(tally: Tally) -> dict[str, dict[str, float]]:
    """What the station is to expect of the reader (``calibration.drift``): its rate of passes that were read, give or
    take three standard errors of the mean that drift is judged by, and five cards in a hundred at least."""
    passes = len(tally.passed) + tally.unread.total()
    rate = len(tally.passed) / passes if passes else 0.0
    error = (rate * (1 - rate) / SAMPLES) ** 0.5
    return {"read_rate": {"value": rate, "tolerance": max(LEAST_TOLERANCE, 3 * error)}}


def findings(tally: Tally, *, in_order: bool) -> list[Finding]:
    """Everything that is right or wrong about what was read. ``in_order``: the cards passed as ``sorted_pile``."""
    report = against_order(sorted_pile(tally.decks), [one.card for one in tally.passed]) if in_order else None
    found = [_all_seen(tally, report), _read_rate(tally)]
    if report is not None:
        found.append(_order(report))
    if tally.foreign:
        found.append(_foreign(tally.foreign))
    if tally.shoe_errors:
        found.append(_shoe_errors(tally.shoe_errors))
    return found


def _all_seen(tally: Tally, report: OrderReport | None) -> Finding:
    missing, extra = tally.missing(), tally.extra()
    figures = {
        "cards": tally.wanted,
        "read": len(tally.passed),
        "missing": missing,
        "extra": extra,
        "repeats": dict(tally.repeats),
        "units": len(tally.units),
    }
    if not missing and not extra:
        said = f"every one of {tally.wanted} cards was read, {_copies(tally.decks)}"
        return Finding(code="all_seen", ok=True, said=said, figures=figures)
    perhaps = {card: n for card, n in missing.items() if tally.repeats[card] >= n}
    if not extra and perhaps == missing:
        said = f"not read surely: {_named(missing)}; a reading that may be one of them came right behind an equal card"
        do_next = "two equal cards behind each other look like one that is read twice: pass the cards sorted (--sorted)"
        return Finding(code="all_seen", ok=None, said=said, do_next=do_next, figures=figures)
    said = "; ".join(
        [f"not read: {_named(missing)}"] * bool(missing) + [f"read too often: {_named(extra)}"] * bool(extra)
    )
    if report is not None and report.before:
        do_next = BEGIN_AGAIN
    elif report is not None and missing and extra:
        do_next = "cards are taken for others: see which below; check the code book"
    elif missing and extra:
        do_next = "cards are taken for others: pass them sorted (--sorted), which says which; check the code book"
    elif missing:
        do_next = "look for these cards in the pile, and pass them alone: is their code dirty, torn or printed badly?"
    else:
        do_next = "the pile has more of them, or they passed twice: count the pile and pass it again"
    return Finding(code="all_seen", ok=False, said=said, do_next=do_next, figures=figures)


def _read_rate(tally: Tally) -> Finding:
    in_vain = tally.unread.total()
    first = sum(not one.in_vain for one in tally.passed)
    passes = len(tally.passed) + in_vain
    rate = first / len(tally.passed) if tally.passed else 0.0
    worst = {one.card: one.in_vain for one in tally.passed if one.in_vain}
    figures = {
        "first_pass_rate": round(rate, 4),
        "passes": passes,
        "in_vain": dict(tally.unread),
        "cards_in_vain": worst,
    }
    said = f"{first} of {len(tally.passed)} cards were read at their first pass ({rate:.1%})"
    if in_vain:
        said += f"; in vain: {', '.join(f'{n} x {reason}' for reason, n in tally.unread.most_common())}"
    if worst:
        said += f"; read after another try: {_named(worst)}"
    if rate >= LEAST_RATE:
        return Finding(code="read_rate", ok=True, said=said, figures=figures)
    do_next = (
        "the same few cards: print or replace them; any card: clean the window, see to its distance, angle and light, "
        "and pass the cards at the dealer's pace"
    )
    return Finding(code="read_rate", ok=False, said=said, do_next=do_next, figures=figures)


def _order(report: OrderReport) -> Finding:
    figures = {
        "wrong": [{"passed": one, "read": other, "times": n} for (one, other), n in sorted(report.wrong.items())],
        "unheard": [{"place": place, "card": card} for place, card in report.unheard],
        "additional": list(report.additional),
        "exchanged": [list(pair) for pair in report.exchanged],
        "before": list(report.before),
    }
    if report.exchanged:
        pairs = ", ".join(f"{one} and {other}" for one, other in report.exchanged)
        return Finding(
            code="swapped_in_book",
            ok=False,
            said=f"exchanged: {pairs}: each is always read as the other",
            do_next="the code book has their codes in each other's place, or the cards are printed so: look at the two "
            "cards and at their rows in the code book, and make the book anew (dealer-calibrate codebook)",
            figures=figures,
        )
    if report.before:
        return Finding(
            code="began_before",
            ok=False,
            said=f"read before the ace of spades, the first of the order: {', '.join(report.before[:_MOST_NAMED])}",
            do_next=BEGIN_AGAIN,
            figures=figures,
        )
    if report.wrong:
        named = ", ".join(f"{one} read as {other}" for one, other in sorted(report.wrong)[:_MOST_NAMED])
        return Finding(
            code="misread",
            ok=False,
            said=f"read as another card: {named}",
            do_next="was the pile in order (A to K of spades, hearts, clubs, diamonds)? If so, look at these cards and "
            "at their rows in the code book",
            figures=figures,
        )
    if report.unheard or report.additional:
        unheard = ", ".join(f"{card} (card {place})" for place, card in report.unheard)
        parts = [f"nothing was read of {unheard}"] if unheard else []
        parts += [f"read besides: {', '.join(report.additional)}"] if report.additional else []
        return Finding(
            code="order",
            ok=False,
            said="; ".join(parts),
            do_next="pass them alone: a card of which the reader says nothing passed too fast, or too far away",
            figures=figures,
        )
    return Finding(code="order", ok=True, said="every card was read as what it is", figures=figures)


def _foreign(codes: Mapping[str, int]) -> Finding:
    named = ", ".join(sorted(codes)[:_MOST_NAMED])
    return Finding(
        code="foreign",
        ok=False,
        said=f"{len(codes)} codes are no card of this set: {named}",
        do_next="is it the set that the code book is of? A joker or an advertising card belongs out of the pile",
        figures={"codes": dict(codes)},
    )


def _shoe_errors(problems: Mapping[str, int]) -> Finding:
    named = ", ".join(f"{n} x {problem}" for problem, n in sorted(problems.items()))
    return Finding(
        code="shoe_errors",
        ok=None,
        said=f"the shoe said: {named}",
        do_next="see the shoe's manual; clean its window and rollers where it could not read",
        figures={"problems": dict(problems)},
    )


def _copies(decks: int) -> str:
    return "each once" if decks == 1 else f"each {decks} times"


def _named(cards: Mapping[str, int]) -> str:
    named = [card if n == 1 else f"{card} ({n})" for card, n in list(cards.items())[:_MOST_NAMED]]
    more = len(cards) - len(named)
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")
