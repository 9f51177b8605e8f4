"""Whatever a shaker and a camera say, in whatever order: a value has all of its conditions, checked from the log."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.validation.dice import DiceJudge
from dealer_daemon.validation.dice_rules import ShakeRules
from dealer_drivers.readings import Fault
from support.throws import Hall

RULES = ShakeRules(start="station")
STEPS = (
    "idle", "idle of before", "taken", "shaking", "same shaking", "faulted", "moves", "still", "seen", "old look",
    "unclear", "due", "discard", "shaker lost", "camera lost", "camera back",
)  # fmt: skip
STEP = st.tuples(st.sampled_from(STEPS), st.sampled_from([0.01, 0.3, 0.6, 2.0, 4.0, 9.0]))
GOOD = [
    ("due", 0.1), ("taken", 0.3), ("shaking", 0.3), ("moves", 4.0), ("idle", 0.6), ("still", 0.3), ("seen", 0.3),
]  # fmt: skip
SCRIPT = st.lists(st.one_of(STEP.map(lambda step: [step]), st.just(GOOD)), max_size=12).map(
    lambda parts: [step for part in parts for step in part]
)


@dataclass
class Log:
    """What was said, by step and in seconds."""

    lines: list[tuple[str, float]] = field(default_factory=list)

    def last(self, *names: str) -> int:
        """The index of the newest of these, -1 for none."""
        return max((i for i, (name, _) in enumerate(self.lines) if name in names), default=-1)

    def when(self, index: int) -> float:
        return self.lines[index][1]


def play(hall: Hall, step: str) -> None:
    match step:
        case "idle":
            hall.idle()
        case "idle of before":
            hall.idle(hall.cycle - 1)
        case "taken":
            hall.taken()
        case "shaking":
            hall.shaking()
        case "same shaking":
            hall.shaking(new=False)
        case "faulted":
            hall.faulted()
        case "moves":
            hall.moves()
        case "still":
            hall.still()
        case "seen":
            hall.seen(2, 3, 6)
        case "old look":
            hall.seen(1, 1, 1, first=hall.asked_at.plus_s(-0.2))
        case "unclear":
            hall.unclear("leaning")
        case "due":
            hall.due()
        case "discard":
            hall.judge.discard()
        case "shaker lost":
            hall.fault("shaker", Fault.LINK_LOST)
        case "camera lost":
            hall.fault("camera", Fault.LINK_LOST)
        case "camera back":
            hall.fault("camera", Fault.LINK_LOST, cleared=True)


def check(log: Log, asked_s: float) -> None:
    """A value was said at the log's last line."""
    shook = log.last("shaking", "same shaking")
    stop = next(i for i in range(shook + 1, len(log.lines)) if log.lines[i][0] == "idle")
    assert log.last("shaker lost", "camera lost", "discard", "faulted") < shook
    # Scene: its last word is "still", and it moved at most ``lead_s`` before the first word of this throw or later.
    assert log.last("still") > log.last("moves") >= 0
    stood = max((i for i in range(shook) if log.lines[i][0].startswith(("idle", "faulted"))), default=-1)
    assert stood >= 0, "the shaker was heard standing before it shook"
    assert log.when(stop) <= asked_s <= log.when(-1)
    assert log.lines[-1][0] == "seen"


@given(SCRIPT)
@settings(max_examples=300, deadline=None)
def test_a_value_has_all_its_conditions_and_attempts_are_well_formed(script: list[tuple[str, float]]) -> None:
    hall = Hall(DiceJudge(RULES, dice_facts, shaker="shaker", camera="camera")).rest()
    began = hall.at
    log = Log([("idle", 0.0), ("still", 0.0)])
    hall.new()
    running = False
    for step, seconds in script:
        if step == "discard":
            running = False
        log.lines.append((step, hall.at.since_s(began)))
        play(hall, step)
        for said in hall.said:
            if said[0].isdigit():
                assert said == "2-3-6"
                check(log, hall.asked_at.since_s(began))
        hall.wait(seconds)
        for said in hall.new():
            if said == "started":
                assert not running
                running = True
            elif said[0].isdigit() or said.startswith(("refused", "held")):
                assert running, "an end without its beginning"
                running = False


@given(SCRIPT)
@settings(max_examples=100, deadline=None)
def test_the_shaker_is_started_only_when_the_round_waits_for_it(script: list[tuple[str, float]]) -> None:
    hall = Hall(DiceJudge(RULES, dice_facts, shaker="shaker", camera="camera"))
    for step, seconds in script:
        play(hall, step)
        assert step == "due" or "start" not in hall.new()
        hall.said.clear()
        hall.wait(seconds)
        assert "start" not in hall.new()


@given(SCRIPT)
@settings(max_examples=60, deadline=None)
def test_without_a_look_that_was_asked_for_there_is_no_value(script: list[tuple[str, float]]) -> None:
    hall = Hall(DiceJudge(RULES, dice_facts, shaker="shaker", camera="camera"))
    for step, seconds in script:
        play(hall, step)
        hall.wait(seconds)
    said = hall.said
    values = [i for i, word in enumerate(said) if word[0].isdigit()]
    looks = [i for i, word in enumerate(said) if word == "look"]
    assert len(values) <= len(looks)
    assert all(any(look < value for look in looks) for value in values)


def test_the_good_script_gives_a_value() -> None:
    """The properties above say nothing unless values come."""
    hall = Hall(DiceJudge(RULES, dice_facts, shaker="shaker", camera="camera")).rest()
    for step, seconds in GOOD * 3:
        play(hall, step)
        hall.wait(seconds)
    assert hall.new().count("2-3-6") == 3
