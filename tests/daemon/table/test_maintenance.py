"""A device of a table in the technicians' bench's hands, by the pure table: when it may, and what goes on after."""

from __future__ import annotations

import pytest

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import RoundOutcome
from dealer_daemon.games import TableDevice
from dealer_daemon.table.arguments import Refusal
from dealer_daemon.validation.spin_rules import SpinRules
from dealer_drivers.driver import Observes
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from support.card_tables import CardTable
from support.tables import WHEEL, Driven
from support.wheel import Wheel


def spin(wheel: Wheel, number: str) -> list[Reading]:
    return wheel.good_spin(number).take()


def lend(table: Driven, at: Instant, by: str = "Li", device: str = "wheel") -> None:
    table._keep(table.table.lend(device, by, at))


def take_back(table: Driven, at: Instant, *, resume: bool = False) -> None:
    table._keep(table.table.take_back("wheel", "given_back", at, resume=resume))


def link(at: Instant, *, cleared: bool) -> DeviceFault:
    return DeviceFault(at=at, raw=b"", fault=Fault.LINK_LOST, detail="lent", cleared=cleared)


def after_a_spin() -> tuple[Driven, Wheel]:
    table, wheel = Driven(), Wheel()
    table.start(wheel.at)
    table.see(spin(wheel, "17"))
    assert table.table.state.round is None
    return table, wheel


def test_between_rounds_the_table_stands_and_says_for_whom() -> None:
    table, wheel = after_a_spin()
    lend(table, wheel.at)
    assert table.words()[-2:] == ["table.paused:maintenance", "device.lent"]
    assert table.table.state.paused_by == "Li"
    assert table.table.state.lent == {"wheel": "Li"}


def test_while_a_round_is_open_it_may_not() -> None:
    table, wheel = Driven(), Wheel()
    table.start(wheel.at)
    frames = spin(wheel, "17")
    table.see(frames[: len(frames) // 2])
    before = len(table.events)
    with pytest.raises(Refusal, match="round r1-1 is open: wait"):
        lend(table, wheel.at)
    assert (len(table.events), table.table.state.lent) == (before, {})


def test_on_a_table_that_stands_already_its_pause_stays() -> None:
    table, wheel = Driven(), Wheel()
    table.start(wheel.at)
    table.see(wheel.next_game().take())
    assert table.table.state.round is not None
    assert table.ask(CommandName.TABLE_PAUSE, wheel.at, Role.MANAGER, reason="lunch").ok
    lend(table, wheel.at)
    assert table.table.state.paused == "lunch"
    take_back(table, wheel.at, resume=True)
    assert table.table.state.paused == "lunch", "the bench ends no pause of somebody else's"
    assert table.words()[-1] == "device.returned:given_back"


def test_nobody_can_resume_while_it_is_away_and_a_manager_can_after() -> None:
    table, wheel = after_a_spin()
    lend(table, wheel.at)
    reply = table.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="go on")
    assert not reply.ok
    assert "wheel is in the hands of the technicians' bench (Li)" in (reply.message or "")
    take_back(table, wheel.at)
    assert table.table.state.paused == "maintenance", "without a word it stands"
    assert table.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="go on").ok
    table.see(spin(wheel.next_game(), "4"))
    assert [e.data.facts["number"] for e in table.events if isinstance(e.data, RoundOutcome)] == ["17", "4"]


def test_the_bench_lets_it_go_on_and_the_next_spin_counts() -> None:
    table, wheel = after_a_spin()
    lend(table, wheel.at)
    table.see([link(wheel.at, cleared=False)])
    take_back(table, wheel.at, resume=True)
    assert table.words()[-2:] == ["device.returned:given_back", "table.resumed:maintenance_over"]
    table.see([link(wheel.at, cleared=True)])
    table.see(spin(wheel.next_game(), "4"))
    assert [e.data.facts["number"] for e in table.events if isinstance(e.data, RoundOutcome)] == ["17", "4"]


def test_a_pause_that_came_meanwhile_is_not_ended_by_the_bench() -> None:
    table, wheel = after_a_spin()
    lend(table, wheel.at)
    take_back(table, wheel.at)
    assert table.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="go on").ok
    assert table.ask(CommandName.TABLE_PAUSE, wheel.at, Role.DEALER, reason="maintenance").ok
    lend(table, wheel.at, "the-dealer")
    take_back(table, wheel.at, resume=True)
    assert table.table.state.paused == "maintenance", "of the same words and name, and yet a person's own"


def test_a_second_visit_may_end_the_pause_of_the_first() -> None:
    table, wheel = after_a_spin()
    lend(table, wheel.at)
    take_back(table, wheel.at)
    lend(table, wheel.at, "Chan")
    assert [word for word in table.words() if word.startswith("table.paused")] == ["table.paused:maintenance"]
    take_back(table, wheel.at, resume=True)
    assert table.table.state.paused is None


def test_a_bench_that_waits_has_the_device_before_the_next_round_opens() -> None:
    table, wheel = Driven(), Wheel()
    table.start(wheel.at)
    frames = spin(wheel, "17")
    table.see(frames[: len(frames) // 2])
    table.table.wishes["wheel"] = "Li"
    # All the rest in one step, the next game's first frame among it.
    rest = [*frames[len(frames) // 2 :], *wheel.next_game().take()]
    table._keep(table.table.readings("wheel", rest, rest[-1].at))
    words = table.words()
    assert words[words.index("round.outcome:17") :] == ["round.outcome:17", "table.paused:maintenance", "device.lent"]
    assert table.table.wishes == {}
    take_back(table, wheel.at, resume=True)
    assert table.words()[-1].startswith("round.opened"), "the wheel waits for its next game still"


def test_nobody_overtakes_a_bench_that_waits() -> None:
    table, wheel = after_a_spin()
    table.table.wishes["wheel"] = "Li"
    with pytest.raises(Refusal, match=r"another bench \(Li\) waits"):
        lend(table, wheel.at, "Li")
    assert table.table.state.lent == {}


def test_the_table_goes_on_when_the_last_device_is_back() -> None:
    desk = TableDevice(name="desk", driver="manual-entry", observes=frozenset({Observes.ENTRY}), role="fallback")
    table, wheel = Driven(devices=(WHEEL, desk)), Wheel()
    table.start(wheel.at)
    table.see(spin(wheel, "17"))
    lend(table, wheel.at)
    lend(table, wheel.at, "Chan", "desk")
    take_back(table, wheel.at, resume=True)
    assert table.table.state.paused == "maintenance"
    table._keep(table.table.take_back("desk", "given_back", wheel.at, resume=True))
    assert table.table.state.paused is None


def test_two_benches_at_once_cannot_be() -> None:
    table, wheel = after_a_spin()
    lend(table, wheel.at)
    with pytest.raises(Refusal, match=r"another bench \(Li\)"):
        lend(table, wheel.at, "Chan")


@pytest.mark.parametrize("by", ["", "  ", "station"])
def test_somebody_must_answer_for_it(by: str) -> None:
    table, wheel = after_a_spin()
    with pytest.raises(Refusal, match="say who"):
        lend(table, wheel.at, by)


def test_a_restart_ends_the_lease_and_not_the_pause() -> None:
    table, wheel = after_a_spin()
    lend(table, wheel.at)
    again = table.restart()
    again.start(wheel.at)
    assert again.table.state.lent == {}
    assert "device.returned:restarted_while_lent" in again.words()
    assert again.table.state.paused == "maintenance"
    take_back(again, wheel.at, resume=True)
    assert again.table.state.paused == "maintenance", "the lease of a station that is gone resumes nothing"


def test_at_a_scanner_a_person_says_where_the_hand_stands_after() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S")
    with pytest.raises(Refusal, match="is open"):
        table.bench()
    assert table.ask(CommandName.TABLE_PAUSE, Role.MANAGER, reason="wait").ok
    lent = table._keep(table.table.lend("reader", "Li", table.at))
    assert [event.type for event in lent] == ["device.lent"]
    table.lost()
    table._keep(table.table.take_back("reader", "given_back", table.at, resume=True))
    table.back(asked=True)
    assert table.state.paused == "wait"
    assert table.ask(CommandName.TABLE_RESUME, Role.MANAGER, reason="go on").ok
    assert table.state.paused == "unseen_in_hand"


def test_the_question_between_two_hands_is_put_again_after() -> None:
    table = CardTable("dragon-tiger")
    table.deal("8S 5C")
    table.lost()
    table.back(asked=True)
    assert table.state.paused == "unseen_between_hands"
    table._keep(table.table.lend("reader", "Li", table.at))
    assert table.state.paused == "maintenance"
    table._keep(table.table.take_back("reader", "given_back", table.at, resume=True))
    assert table.state.paused == "unseen_between_hands"


def test_a_set_that_is_being_scanned_is_scanned_first() -> None:
    table = CardTable("dragon-tiger")
    table.did(CommandName.DECK_VERIFY, Role.DEALER)
    assert table.state.decks.scan is not None
    with pytest.raises(Refusal, match="being scanned"):
        table.table.lend("reader", "Li", table.at)


def test_a_held_attempt_does_not_keep_the_technician_away() -> None:
    table, wheel = Driven(), Wheel()
    table.start(wheel.at)
    frames = spin(wheel, "17")
    table.see(frames[: len(frames) // 2])
    again = table.restart()
    again.start(wheel.at)
    current = again.table.state.round
    assert current is not None
    assert current.phase == "held"
    lend(again, wheel.at)
    assert again.table.state.paused == "maintenance"


@pytest.mark.parametrize("role", [Role.DEALER, Role.SERVER, Role.MANAGER])
def test_whoever_pauses_the_table_meanwhile_is_heard_and_the_bench_does_not_end_it(role: Role) -> None:
    table, wheel = after_a_spin()
    lend(table, wheel.at)
    assert table.ask(CommandName.TABLE_PAUSE, wheel.at, role, reason="a dispute").ok
    take_back(table, wheel.at, resume=True)
    assert table.table.state.paused == "a dispute"
    assert table.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="settled").ok


def test_a_second_visit_does_not_take_a_persons_pause_for_its_own() -> None:
    table, wheel = after_a_spin()
    lend(table, wheel.at)
    assert table.ask(CommandName.TABLE_PAUSE, wheel.at, Role.MANAGER, reason="a dispute").ok
    take_back(table, wheel.at, resume=True)
    lend(table, wheel.at)
    take_back(table, wheel.at, resume=True)
    assert table.table.state.paused == "a dispute"


def test_a_device_of_another_calibration_keeps_the_table_standing_after_the_bench() -> None:
    """It was plugged in while the table stood for the bench already."""
    table, wheel = after_a_spin()
    lend(table, wheel.at)
    foreign = DeviceFault(at=wheel.at, raw=b"", fault=Fault.CALIBRATION_MISMATCH, detail="made with another")
    table.see([foreign])
    take_back(table, wheel.at, resume=True)
    assert table.table.state.paused == "calibration_mismatch"
    assert "table.resumed:maintenance_over" not in table.words()


def test_no_reason_to_stand_is_lost_because_the_table_stood_for_a_bench() -> None:
    table, wheel = after_a_spin()
    lend(table, wheel.at)
    table._keep(table.table.hold("journal_behind", "the broker has more than this journal", wheel.at))
    take_back(table, wheel.at, resume=True)
    assert table.table.state.paused == "journal_behind"


def test_a_round_that_is_voided_does_not_let_a_table_go_on_whose_device_is_away() -> None:
    table, wheel = Driven(spin=SpinRules(laps="counted"), tries=1), Wheel()
    table.start(wheel.at)
    table.see(wheel.good_spin("5", laps=3).take())
    assert table.table.state.paused == "tries_exhausted"
    lend(table, wheel.at)
    assert table.ask(CommandName.ROUND_VOID, wheel.at, Role.MANAGER, reason="the wheel is looked at").ok
    assert table.table.state.paused == "tries_exhausted", "the bench has the wheel"
    assert table.table.state.round is None
    take_back(table, wheel.at)
    assert table.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="go on").ok
