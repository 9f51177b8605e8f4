"""Two devices for one result, results by hand, and by hand where a manager allows it (``games.md`` §2, §9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import AttemptHeld, RoundOutcome, Violation
from dealer_daemon.games import TableDevice
from dealer_daemon.mqtt.envelope import encode_event
from dealer_daemon.validation.number_only import NumberOnlyJudge
from dealer_daemon.validation.signals import Contradicted, Judged, NotJudged, Signal, Started, Value
from dealer_daemon.validation.spin_rules import SpinRules
from dealer_daemon.validation.witness import WitnessedJudge
from dealer_daemon.verdicts import Held
from dealer_drivers.driver import Observes
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.readings.entry import ResultEntered
from support.dice_tables import CAMERA, SHAKER, DiceTable
from support.tables import WHEEL, Driven
from support.wheel import Wheel

ENTRY = frozenset({Observes.ENTRY})
NUMBER = frozenset({Observes.NUMBER})


def entry(role: Any) -> TableDevice:
    return TableDevice(name="keys", driver="manual-entry", observes=ENTRY, role=role)


def keyed(number: str, at: Instant, round_id: str | None = "r1-1", by: str = "D. Li") -> list[ResultEntered]:
    raw = f"{number} {number}".encode()
    return [ResultEntered(at=at, raw=raw, by=by, round=round_id, result={"number": number})]


@pytest.fixture
def witnessed() -> Driven:
    return Driven(devices=(WHEEL, entry("witness")))


def spun(table: Driven, number: str = "27") -> Wheel:
    """A spin that the wheel itself accepts."""
    wheel = Wheel()
    table.see(wheel.good_spin(number).take())
    return wheel


def outcome(table: Driven) -> RoundOutcome:
    data = table.events[-1].data
    assert isinstance(data, RoundOutcome), table.words()
    return data


def test_an_outcome_waits_for_its_witness_and_names_both(witnessed: Driven) -> None:
    wheel = spun(witnessed)
    assert witnessed.words()[-1] == "betting.closed", "one witness is not enough"
    witnessed.see(keyed("27", wheel.at), "keys")
    assert outcome(witnessed).facts["number"] == "27"
    assert outcome(witnessed).witnesses[-1] == "keys"
    assert (outcome(witnessed).source, outcome(witnessed).by) == ("device", None)
    assert len(outcome(witnessed).evidence) == 2, "the frames of each"


def test_a_witness_may_speak_first(witnessed: Driven) -> None:
    wheel = Wheel()
    witnessed.see(wheel.betting().rim().no_more_bets().take())
    witnessed.see(keyed("27", wheel.at), "keys")
    assert "round.outcome" not in str(witnessed.words())
    witnessed.see(wheel.bare("27").result("27").take())
    assert outcome(witnessed).facts["number"] == "27"


def test_witnesses_that_differ_are_for_a_person(witnessed: Driven) -> None:
    wheel = spun(witnessed)
    witnessed.see(keyed("28", wheel.at), "keys")
    held = witnessed.events[-1].data
    assert isinstance(held, AttemptHeld)
    assert held.reason == "witnesses_differ"
    assert (held.seen["main"]["number"], held.seen["keys"]["number"]) == ("27", "28")
    assert witnessed.ask(CommandName.ATTEMPT_DECIDE, wheel.at, Role.MANAGER, number="27", reason="video").ok
    assert outcome(witnessed).source == "manager"


def test_a_number_given_while_betting_was_open_counts_for_nothing_though_its_witness_comes_later() -> None:
    table = Driven("server", devices=(WHEEL, entry("witness")))
    wheel = Wheel()
    assert table.ask(CommandName.ROUND_OPEN, wheel.at).ok
    wheel = spun(table)
    assert table.ask(CommandName.BETTING_CLOSE, wheel.at).ok
    assert table.words()[-2:] == ["violation:number_while_betting", "table.paused:violation"]
    violation = table.events[-2].data
    assert isinstance(violation, Violation)
    assert (violation.reason, violation.evidence) == ("number_while_betting", [])
    table.see(keyed("27", wheel.at), "keys")
    assert "round.outcome" not in str(table.words())
    assert table.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="again").ok
    assert table.table.state.round is not None
    assert table.table.state.round.phase == "waiting"


def test_a_witness_that_says_nothing_holds_the_attempt_in_its_time(witnessed: Driven) -> None:
    wheel = spun(witnessed)
    limit = wheel.at.plus_s(10)
    deadline_ns = witnessed.table.deadline_ns()
    assert deadline_ns is not None
    assert deadline_ns <= limit.mono_ns
    witnessed.tick(wheel.at.plus_s(5))
    assert witnessed.words()[-1] == "betting.closed"
    witnessed.tick(limit)
    assert witnessed.words()[-1] == "attempt.held:witness_missing"
    # Its late word changes nothing.
    witnessed.see(keyed("27", limit), "keys")
    assert witnessed.words()[-1] == "attempt.held:witness_missing"


def test_a_word_about_the_spin_before_is_no_witness(witnessed: Driven) -> None:
    wheel = Wheel()
    witnessed.see(keyed("27", wheel.at, None), "keys")
    witnessed.see(wheel.good_spin("27").take())
    assert witnessed.words()[-1] == "betting.closed", "it was entered before the ball ran"


def test_two_sensors_agree_or_hold() -> None:
    second = TableDevice(name="second", driver="generic-number", observes=NUMBER, role="witness")
    for said, last in (("27", "round.outcome:27"), ("26", "attempt.held:witnesses_differ")):
        table = Driven(devices=(WHEEL, second))
        wheel = spun(table)
        line = next(reading for reading in Wheel().good_spin(said).take() if type(reading).__name__ == "BallRested")
        table.see([line], "second")
        assert table.words()[-1] == last
        assert wheel.at


def test_a_table_without_a_sensor() -> None:
    table = Driven(source="server", devices=(entry("main"),))
    at = Wheel().at
    assert table.ask(CommandName.ROUND_OPEN, at).ok
    assert table.ask(CommandName.BETTING_CLOSE, at).ok
    table.see(keyed("0", at), "keys")
    assert (outcome(table).source, outcome(table).by, outcome(table).facts["number"]) == ("manual", "D. Li", "0")
    assert outcome(table).witnesses == ["keys"]


def test_keyed_in_while_bets_are_open_or_for_another_round_or_impossible() -> None:
    table = Driven(source="server", devices=(entry("main"),))
    at = Wheel().at
    assert table.ask(CommandName.ROUND_OPEN, at).ok
    table.see(keyed("7", at, "r1-2"), "keys")
    assert table.words()[-1] == "violation:entry_for_another_round"
    violation = table.events[-1].data
    assert isinstance(violation, Violation)
    assert not violation.evidence, "the hash would tell the number"
    assert "7" not in violation.detail.replace("r1-2", "").replace("r1-1", "")
    table.see(keyed("37", at), "keys")
    assert table.words()[-2:] == ["violation:number_while_betting", "table.paused:violation"]
    assert table.table.state.faults == {}, "what is wrong with it would tell of it"
    assert table.ask(CommandName.TABLE_RESUME, at, Role.MANAGER, reason="told the dealer").ok
    assert table.ask(CommandName.BETTING_CLOSE, at).ok
    table.see(keyed("37", at), "keys")
    assert table.table.state.faults == {"keys": ["entry_impossible"]}
    table.see(keyed("7", at), "keys")
    assert outcome(table).facts["number"] == "7"
    assert table.table.state.faults == {}


def rounds_by_hand() -> Iterator[tuple[str, Driven, Wheel]]:
    for how in ("under way", "held", "waiting"):
        table, wheel = Driven(source="server", devices=(WHEEL, entry("fallback"))), Wheel()
        assert table.ask(CommandName.ROUND_OPEN, wheel.at).ok
        if how == "under way":
            table.see(wheel.betting().rim().take())
        if how == "held":
            table.see(wheel.betting().rim().no_more_bets().take())
        assert table.ask(CommandName.BETTING_CLOSE, wheel.at).ok
        if how == "held":
            table.see(wheel.bare("26").result("27").take())
            assert table.words()[-1].startswith("attempt.held")
        yield how, table, wheel


def test_a_sensor_in_doubt_and_a_manager_who_lets_the_result_be_keyed_in() -> None:
    for how, table, wheel in rounds_by_hand():
        table.see(keyed("5", wheel.at), "keys")
        assert table.words()[-1] == "violation:entry_not_allowed", how
        refused = table.ask(CommandName.ENTRY_ALLOW, wheel.at, Role.DEALER, reason="sensor down")
        assert refused.error is ErrorCode.NOT_ALLOWED
        assert table.ask(CommandName.ENTRY_ALLOW, wheel.at, Role.MANAGER, reason="sensor down").ok
        again = table.ask(CommandName.ENTRY_ALLOW, wheel.at, Role.MANAGER, reason="sensor down")
        assert again.error is ErrorCode.NOT_NOW
        # What the sensor says of this round does not count any more, after a restart too.
        table = table.restart()
        table.see(Wheel().good_spin("27").take())
        assert "round.outcome" not in str(table.words()), how
        table.see(keyed("5", wheel.at), "keys")
        assert (outcome(table).facts["number"], outcome(table).source) == ("5", "manual"), how


def test_leave_is_for_one_round() -> None:
    for _, table, wheel in rounds_by_hand():
        assert table.ask(CommandName.ENTRY_ALLOW, wheel.at, Role.MANAGER, reason="sensor down").ok
        table.see(keyed("5", wheel.at), "keys")
        assert table.ask(CommandName.ROUND_OPEN, wheel.at).ok
        table.see(keyed("6", wheel.at, "r1-2"), "keys")
        assert table.words()[-1] == "violation:entry_not_allowed"


def test_no_fallback_no_leave() -> None:
    table, wheel = Driven(source="server"), Wheel()
    assert table.ask(CommandName.ROUND_OPEN, wheel.at).ok
    reply = table.ask(CommandName.ENTRY_ALLOW, wheel.at, Role.MANAGER, reason="x")
    assert reply.error is ErrorCode.NOT_NOW
    assert "fallback" in reply.message


@pytest.mark.parametrize("role", ["main", "witness", "fallback"])
def test_nothing_of_an_entry_leaks_while_betting_is_open(role: Any) -> None:
    devices = (entry("main"),) if role == "main" else (SHAKER, CAMERA, entry(role))
    for paused in (False, True):
        table = DiceTable(devices=devices).start().open()
        if paused:
            assert table.order(CommandName.TABLE_PAUSE, Role.DEALER, reason="x").ok
        if role == "fallback":
            assert paused or table.order(CommandName.ENTRY_ALLOW, Role.MANAGER, reason="sensor down").ok
        for result in ([4, 1, 6], [4, 1, 66]):
            raw = str(result).encode()
            read = ResultEntered(at=table.at, raw=raw, by="D. Li", round="s1-1", result={"dice": result})
            table.read(read, "keys")
        if role != "main":
            table.shaking()  # too early: what is refused for it must not bring the entry along
        messages = [encode_event("studio-1", event) for event in table.events]
        named = [name for event in table.events for name in getattr(event.data, "evidence", [])]
        assert named == [], table.said
        assert not any(b"[4" in message or b"66" in message for message in messages)


def test_by_hand_keeps_the_sensor_out_and_idle() -> None:
    table = DiceTable(devices=(SHAKER, CAMERA, entry("fallback")), start="station").rest().open()
    assert table.order(CommandName.ENTRY_ALLOW, Role.MANAGER, reason="camera blind").ok
    table.close()
    assert "start" not in table.said, "a shaker that is in doubt is not started"
    table.wait(120)
    table.moves()
    assert [word for word in table.said if word.startswith(("attempt", "table.paused"))] == []
    table.read(ResultEntered(at=table.at, raw=b"x", by="D. Li", round="s1-1", result={"dice": [2, 2, 5]}), "keys")
    assert table.said[-1] == "round.outcome:2-2-5"
    assert "start" not in table.said


class Scripted(NumberOnlyJudge):
    """A judge that says what it was told."""

    def __init__(self, *steps: list[Signal]) -> None:
        super().__init__(SpinRules(), dict)  # type: ignore[arg-type]
        self._steps = list(steps)

    def feed(self, device: str, reading: Reading) -> list[Signal]:  # noqa: ARG002
        return self._steps.pop(0)


def test_what_contradicts_a_value_that_waits_for_its_witness_holds_it() -> None:
    value = Value({"dice": [1, 2, 3]}, ("camera",))
    main = Scripted([Started()], [Judged(value)], [Contradicted("a die moved", reason="moved_after_look")])
    judge = WitnessedJudge(main, {"second": Scripted()}, lambda one, other: one == other, 10.0)
    reading = Reading(at=Wheel().at, raw=b"")
    assert judge.feed("camera", reading) == [Started()]
    assert judge.feed("camera", reading) == []
    (held,) = judge.feed("camera", reading)
    assert held == NotJudged(Held("moved_after_look", "a die moved", {"dice": [1, 2, 3]}))
    assert judge.deadline_ns() is None


def test_nobody_confirms_on_a_paused_table() -> None:
    table, wheel = Driven(spin=SpinRules(laps="unobserved", unobserved="confirm")), Wheel()
    table.see(wheel.good_spin("9").take())
    assert table.words()[-1].startswith("attempt.unconfirmed")
    assert table.ask(CommandName.TABLE_PAUSE, wheel.at, Role.MANAGER, reason="look at it").ok
    assert table.ask(CommandName.ATTEMPT_CONFIRM, wheel.at, Role.DEALER).error is ErrorCode.NOT_NOW


def test_a_wrong_entry_takes_nothing_from_the_attempt_under_way(witnessed: Driven) -> None:
    wheel = Wheel()
    witnessed.see(wheel.betting().rim().no_more_bets().take())
    witnessed.see(keyed("3", wheel.at, "r1-9"), "keys")
    witnessed.see(wheel.bare("27").result("27").take())
    witnessed.see(keyed("27", wheel.at), "keys")
    bodies = [witnessed.evidence[name] for name in outcome(witnessed).evidence]
    assert any(body.count(b"\n") > 25 for body in bodies), "the ball on the rim is there"
    assert not any(b"3 3".hex().encode() in body for body in bodies)


def rested(number: str) -> list[Reading]:
    """The line of a wheel that says nothing but its number."""
    return [one for one in Wheel().good_spin(number).take() if type(one).__name__ == "BallRested"][:1]


def numbers(role: Any, name: str = "second") -> TableDevice:
    return TableDevice(name=name, driver="generic-number", observes=NUMBER, role=role)


@pytest.mark.parametrize(("said", "last"), [("27", "round.outcome:27"), ("26", "attempt.held:witnesses_differ")])
def test_a_witness_may_speak_before_a_device_that_says_its_result_alone(said: str, last: str) -> None:
    for devices in ((numbers("main", "wheel"), numbers("witness")), (numbers("main", "wheel"), entry("witness"))):
        table = Driven(source="server", devices=devices)
        line = rested("27")
        assert table.ask(CommandName.ROUND_OPEN, line[0].at).ok
        assert table.ask(CommandName.BETTING_CLOSE, line[0].at).ok
        table.see(rested(said) if devices[1].name == "second" else keyed(said, line[0].at), devices[1].name)
        table.see(line)
        assert table.words()[-1] == last


def test_a_sensor_is_the_witness_of_what_is_keyed_in() -> None:
    table = Driven(source="server", devices=(entry("main"), replace(WHEEL, role="witness")))
    wheel = Wheel()
    table.see(wheel.betting().take())
    assert table.ask(CommandName.ROUND_OPEN, wheel.at).ok
    assert table.ask(CommandName.BETTING_CLOSE, wheel.at).ok
    table.see(wheel.rim().no_more_bets().bare("27").result("27").take())
    table.see(keyed("27", wheel.at.plus_s(4)), "keys")
    assert table.words()[-1] == "round.outcome:27"
    assert outcome(table).witnesses == ["keys", "wheel"]


def test_what_a_witness_said_too_long_before_is_of_another_spin() -> None:
    table = Driven(devices=(numbers("main", "wheel"), numbers("witness")))
    line = rested("27")
    table.see([replace(one, at=line[0].at.plus_s(-10.1)) for one in line], "second")
    table.see(line)
    table.tick(line[0].at.plus_s(10))
    assert table.words()[-1] == "attempt.held:witness_missing"


def test_a_witness_that_comes_too_late_is_none_of_the_next_spin() -> None:
    table = Driven(source="server", devices=(numbers("main", "wheel"), numbers("witness")))
    line = rested("27")
    start = line[0].at
    assert table.ask(CommandName.ROUND_OPEN, start).ok
    assert table.ask(CommandName.BETTING_CLOSE, start).ok
    table.see(line)
    table.tick(start.plus_s(10))
    assert table.words()[-1] == "attempt.held:witness_missing"
    table.see([replace(one, at=start.plus_s(14)) for one in line], "second")
    assert table.ask(CommandName.ATTEMPT_DECIDE, start.plus_s(15), Role.MANAGER, number="27", reason="video").ok
    assert table.ask(CommandName.ROUND_OPEN, start.plus_s(16)).ok
    assert table.ask(CommandName.BETTING_CLOSE, start.plus_s(16)).ok
    table.see([replace(one, at=start.plus_s(23)) for one in line])
    assert table.words()[-1] == "attempt.started", "the same number twice, and nobody else saw the second"


def test_no_round_opens_of_which_only_the_result_would_close_the_bets() -> None:
    table, at = Driven(devices=(numbers("main", "wheel"),)), Wheel().at
    table.see(rested("27"))
    assert table.ask(CommandName.TABLE_PAUSE, at, Role.MANAGER, reason="x").ok
    assert table.ask(CommandName.TABLE_RESUME, at, Role.MANAGER, reason="x").ok
    assert table.table.state.round is None


def test_leave_for_an_entry_closes_the_bets_that_the_lost_wheel_would_have_closed() -> None:
    table, wheel = Driven(devices=(WHEEL, entry("fallback"))), Wheel()
    table.see(wheel.betting().take())
    table.see([DeviceFault(at=wheel.at, raw=b"", fault=Fault.LINK_LOST, detail="unplugged")])
    assert table.ask(CommandName.ENTRY_ALLOW, wheel.at, Role.MANAGER, reason="sensor down").ok
    assert table.words()[-2:] == ["entry.allowed:sensor down", "betting.closed"]
    table.see(keyed("5", wheel.at), "keys")
    assert outcome(table).facts["number"] == "5"


def test_what_a_late_witness_may_say_ends_with_the_next_attempt() -> None:
    value = Value({"number": "7"}, ("wheel",))
    at = Wheel().at
    main = Scripted([Started()], [Judged(value)], [Started()], [Judged(value)])
    judge = WitnessedJudge(main, {"second": Scripted([Judged(value)])}, lambda one, other: one == other, 60.0)

    def read(device: str, after_s: float) -> list[Signal]:
        return judge.feed(device, Reading(at=at.plus_s(after_s), raw=b""))

    assert (read("wheel", 0), read("wheel", 20)) == ([Started()], [])
    assert isinstance(judge.tick(at.plus_s(80))[0], NotJudged)
    assert read("wheel", 85) == [Started()]
    assert read("second", 105) == [], "within a minute of the time when it was missing, and of the next attempt"
    (judged,) = read("wheel", 106)
    assert isinstance(judged, Judged)
    assert judged.value.witnesses == ("wheel", "second")


SECOND = TableDevice(name="second", driver="generic-number", observes=NUMBER, role="witness")


def said(number: str, wheel: Wheel) -> list[Reading]:
    line = next(one for one in Wheel().good_spin(number).take() if type(one).__name__ == "BallRested")
    return [replace(line, at=wheel.at)]


def after_five(*devices: TableDevice, source: str = "device", spin: SpinRules | None = None) -> tuple[Driven, Wheel]:
    """A table whose last outcome is 5."""
    table, wheel = Driven(source=source, devices=(WHEEL, *devices), spin=spin), Wheel()
    table.start(wheel.at)
    if source == "server":
        assert table.ask(CommandName.ROUND_OPEN, wheel.at).ok
        assert table.ask(CommandName.BETTING_CLOSE, wheel.at).ok
    table.see(wheel.good_spin("5").take())
    if SECOND in devices:
        table.see(said("5", wheel), "second")
    if table.words()[-1].startswith("attempt.unconfirmed"):
        assert table.ask(CommandName.ATTEMPT_CONFIRM, wheel.at, Role.DEALER).ok
    assert outcome(table).facts["number"] == "5"
    table.see(wheel.next_game().take())
    return table, wheel


def test_a_witness_that_takes_its_word_back_agrees_with_nothing() -> None:
    table, wheel = after_five(SECOND)
    table.see(wheel.betting().rim().no_more_bets().take())
    table.see(said("27", wheel), "second")
    table.see(said("26", wheel.wait(0.2)), "second")
    table.see(wheel.bare("27").result("27").take())
    assert table.words()[-1] == "attempt.held:witness_unsure"
    assert "violation" not in str(table.words())


def test_a_witness_that_takes_back_what_it_agreed_to_is_said() -> None:
    table, wheel = after_five(SECOND)
    table.see(said("6", wheel), "second")
    assert table.words()[-2:] == ["violation:number_changed_after_outcome", "table.paused:violation"]


def test_nobody_takes_back_what_never_counted() -> None:
    """It would be charged to the outcome before, which stood and was right."""
    late, wheel = after_five(SECOND)
    late.see(wheel.good_spin("27").take())
    late.tick(wheel.wait(11).at)
    late.see(said("27", wheel), "second")
    late.see(said("26", wheel.wait(0.2)), "second")
    assert late.words()[-1] == "attempt.held:witness_missing"
    paused, wheel = after_five()
    assert paused.ask(CommandName.TABLE_PAUSE, wheel.at, Role.MANAGER, reason="a break").ok
    paused.see(wheel.good_spin("27").result("26").take())
    assert paused.words()[-1] == "violation:spin_while_paused"
    alone, wheel = after_five(source="server")
    alone.see(wheel.good_spin("27").result("26").take())
    assert alone.words()[-1] == "violation:spin_without_round"
    voided, wheel = after_five(SECOND)
    voided.see(wheel.good_spin("27").take())
    assert voided.ask(CommandName.ROUND_VOID, wheel.at, Role.MANAGER, reason="a dispute").ok
    voided.see(wheel.result("26").take())
    assert "violation" not in str(voided.words())
    doubted, wheel = after_five(spin=SpinRules(unobserved="confirm"))
    doubted.see(wheel.good_spin("27").take())
    assert doubted.words()[-1] == "attempt.unconfirmed:27"
    assert doubted.ask(CommandName.ROUND_VOID, wheel.at, Role.MANAGER, reason="a dispute").ok
    doubted.see(wheel.result("26").take())
    assert "violation" not in str(doubted.words())
    differ, wheel = after_five(SECOND)
    differ.see(wheel.good_spin("27").take())
    differ.see(said("28", wheel), "second")
    differ.see(wheel.result("26").take())
    assert differ.words()[-1] == "attempt.held:witnesses_differ"


def test_a_sensor_takes_nothing_back_of_a_result_by_hand() -> None:
    table, wheel = after_five(entry("fallback"), source="server")
    assert table.ask(CommandName.ROUND_OPEN, wheel.at).ok
    assert table.ask(CommandName.ENTRY_ALLOW, wheel.at, Role.MANAGER, reason="sensor down").ok
    assert table.ask(CommandName.BETTING_CLOSE, wheel.at).ok
    table.see(wheel.good_spin("27").take())
    table.see(keyed("7", wheel.at, "r1-2"), "keys")
    assert outcome(table).facts["number"] == "7"
    table.see(wheel.result("26").take())
    assert table.words()[-1] == "round.outcome:7"
