"""All checks of a driver, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from dealer_drivers.conformance import (
    enough_laws,
    garbage_laws,
    history_laws,
    manifest_laws,
    option_laws,
    pace_laws,
    payload_laws,
    purity_laws,
    stream_laws,
    time_laws,
)
from dealer_drivers.conformance.check import Broken, Check
from dealer_drivers.conformance.examples import KIB, Example, Examples
from dealer_drivers.conformance.limit import within
from dealer_drivers.conformance.subject import Subject
from dealer_drivers.driver import Driver

CASES = 20
SEED = 1
JUNK_BYTES = 256 * KIB
LAW_S = 60.0


def _unstated(example: Example) -> str:
    return "nobody has stated what must be read of it" if example.expect is None else ""


def _unchecked(example: Example) -> str:
    if not example.check_bits:
        return example.undamaged or "its frames have no check value"
    return example.undamaged or example.check_elsewhere


Whole: TypeAlias = Callable[[Driver, Examples, list[Subject]], None]

WHOLE: tuple[tuple[str, Whole], ...] = (
    ("says what it is", lambda driver, *_: manifest_laws.says_what_it_is(driver)),
    ("recordings back it", lambda driver, _, subjects: manifest_laws.recordings_back_it(driver, subjects)),
    ("observes what it says", lambda driver, _, subjects: manifest_laws.observes_what_it_says(driver, subjects)),
    ("examples show enough", lambda driver, examples, _: enough_laws.examples_show_enough(driver, examples)),
    ("options are described", lambda driver, *_: option_laws.options_are_described(driver)),
    ("unknown options are refused", lambda driver, examples, _: option_laws.unknown_are_refused(driver, examples)),
    ("needed options are asked for", lambda driver, examples, _: option_laws.needed_are_asked_for(driver, examples)),
    ("wrong types are refused", lambda driver, examples, _: option_laws.wrong_types_are_refused(driver, examples)),
    ("numbers have bounds", lambda driver, examples, _: option_laws.numbers_have_bounds(driver, examples)),
    ("stated values are refused", lambda driver, examples, _: option_laws.stated_are_refused(driver, examples)),
)
"""Laws of the driver as a whole."""

EACH: tuple[tuple[str, Callable[[Subject], None], Callable[[Example], str]], ...] = (
    ("reads what is stated", stream_laws.reads_what_is_stated, _unstated),
    ("options shape it", manifest_laws.options_shape_it, lambda _: ""),
    ("readings are sound", purity_laws.readings_are_sound, lambda _: ""),
    ("cuts change nothing", stream_laws.cuts_change_nothing, lambda _: ""),
    ("earlier frames change nothing", history_laws.earlier_frames_change_nothing, lambda _: ""),
    ("nothing raises", stream_laws.nothing_raises, lambda _: ""),
    ("no content raises", payload_laws.no_content_raises, lambda _: ""),
    ("memory is bounded", stream_laws.memory_is_bounded, lambda _: ""),
    ("connections leave nothing", payload_laws.connections_leave_nothing, lambda _: ""),
    ("finds the next frame", stream_laws.finds_the_next_frame, lambda _: ""),
    ("noise gives no value", garbage_laws.noise_gives_no_value, lambda example: example.undamaged),
    ("damage gives no value", garbage_laws.damage_gives_no_value, lambda example: example.undamaged),
    ("check values are looked at", garbage_laws.check_values_are_looked_at, _unchecked),
    ("a wrong device is noticed", time_laws.a_wrong_device_is_noticed, lambda example: example.undamaged),
    ("a healthy link has no fault", time_laws.a_healthy_link_has_no_fault, lambda _: ""),
    ("keeps up", pace_laws.keeps_up, lambda _: ""),
    ("silence is reported", time_laws.silence_is_reported, lambda example: example.silent_for_ever),
    (
        "silence is not reported",
        time_laws.silence_is_not_reported,
        lambda example: "" if example.silent_for_ever else "its silence means something",
    ),
    ("the wall clock means nothing", time_laws.the_wall_clock_means_nothing, lambda _: ""),
    ("connects again", time_laws.connects_again, lambda _: ""),
    ("joins in mid-frame", time_laws.joins_in_mid_frame, lambda _: ""),
    ("lost twice is lost once", time_laws.lost_twice_is_lost_once, lambda _: ""),
    ("early ticks change nothing", time_laws.early_ticks_change_nothing, lambda _: ""),
    ("only stated actions", time_laws.only_stated_actions_do_something, lambda _: ""),
    (
        "read-only sends nothing",
        time_laws.read_only_sends_nothing,
        lambda example: "" if example.read_only else "the example does not say read_only",
    ),
    (
        "sends only what is stated",
        time_laws.sends_only_what_is_stated,
        lambda example: "nobody has stated what may be sent" if example.sends is None else "",
    ),
    ("says the same again", purity_laws.says_the_same_again, lambda _: ""),
    ("two do not mix", purity_laws.two_do_not_mix, lambda _: ""),
    ("nothing outside", purity_laws.nothing_outside, lambda _: ""),
)
"""Laws for each example, and the sentence of an example that waives one."""


def laws() -> list[str]:
    """The names of all laws."""
    return [law for law, _ in WHOLE] + [law for law, _, _ in EACH]


def checks(
    driver: Driver,
    examples: Examples | Sequence[Example],
    *,
    cases: int = CASES,
    seed: int = SEED,
    junk_bytes: int = JUNK_BYTES,
    law_s: float = LAW_S,
) -> list[Check]:
    """The checks of ``driver``: those of the whole, then those of each example.

    ``cases`` is the number of random cases a law (fewer for long examples), ``seed`` chooses them. ``junk_bytes`` is
    how much junk of each kind is fed where memory is looked at (more where the example allows itself more). A law that
    takes longer than ``law_s`` seconds of the processor's time is broken (``TooLong``). Raises ``ValueError`` without
    examples, with two of one name, with fewer than one case or byte, or without time.
    """
    if not isinstance(examples, Examples):
        examples = Examples(plays=tuple(examples))
    names = [example.name for example in examples.plays]
    if not names or len(set(names)) < len(names):
        raise ValueError("examples must be one or more, each of a name of its own")
    if cases < 1 or junk_bytes < 1:
        raise ValueError(f"cases and junk_bytes must be 1 or more, and are {cases} and {junk_bytes}: nothing is tried")
    if not (math.isfinite(law_s) and law_s > 0):
        raise ValueError(f"law_s must be more than 0 seconds, and is {law_s}")
    subjects = [Subject(driver, example, cases, seed, junk_bytes) for example in examples.plays]
    found = [Check(law, "", partial(_run, partial(run, driver, examples, subjects), law_s)) for law, run in WHOLE]
    for subject in subjects:
        example = subject.example
        found += [
            Check(law, example.name, partial(_run, partial(run, subject), law_s), waived(example))
            for law, run, waived in EACH
        ]
    return found


def _run(law: Callable[[], None], law_s: float) -> None:
    """A session that raises in the middle of a law is as broken as one that answers wrongly."""
    try:
        with within(law_s):
            law()
    except Broken:
        raise
    except Exception as error:
        raise Broken(f"{type(error).__name__}: {error}") from error
