"""Which fault strikes which spin: injected, listed, or by chance; always the same for a seed."""

from __future__ import annotations

from random import Random

import pytest

from hw_sim.faults import CUED_FAULTS, INJECTABLE, Fault, SpinDesk, UnknownFault, parse_faults


def test_the_list_comes_first_then_nothing() -> None:
    desk = SpinDesk(Random(1), {}, [parse_faults("good"), parse_faults("weak_launch+stall")], ["7"], [9, 8])
    orders = [desk.next_spin() for _ in range(3)]
    assert [order.faults for order in orders] == [set(), {Fault.WEAK_LAUNCH, Fault.STALL}, set()]
    assert [order.number for order in orders] == ["7", None, None]
    assert [order.laps for order in orders] == [9, 8, None]


def test_an_injected_fault_is_the_next_spins_and_no_other() -> None:
    desk = SpinDesk(Random(1), {}, [parse_faults("stall")])
    desk.inject(Fault.WRONG_BARE)
    assert desk.next_spin().faults == {Fault.STALL, Fault.WRONG_BARE}
    assert desk.next_spin().faults == set()


def test_rates_are_kept_and_faults_do_not_pile_up() -> None:
    desk = SpinDesk(Random(1), {Fault.WEAK_LAUNCH: 0.2, Fault.ROTOR_STOP: 0.1, Fault.STALL: 0.1, Fault.UNPLUG: 0.1})
    orders = [desk.next_spin().faults for _ in range(5000)]
    assert 0.16 < sum(Fault.WEAK_LAUNCH in faults for faults in orders) / 5000 < 0.21
    assert all(len(faults & CUED_FAULTS) <= 1 and len(faults - CUED_FAULTS) <= 1 for faults in orders)
    assert any(len(faults) == 2 for faults in orders)


def test_the_order_of_rates_in_a_file_does_not_matter() -> None:
    rates = {Fault.WEAK_LAUNCH: 0.3, Fault.STALL: 0.3}
    one, other = SpinDesk(Random(1), rates), SpinDesk(Random(1), dict(reversed(rates.items())))
    assert [one.next_spin() for _ in range(50)] == [other.next_spin() for _ in range(50)]


def test_cued_faults_strike_in_every_state() -> None:
    desk = SpinDesk(Random(1), {})
    assert {desk.next_spin().cue_state for _ in range(100)} == {2, 3, 4, 5}


@pytest.mark.parametrize("name", ["", "wobble", "good+stall", "attach_mid_spin", "weak_launch+"])
def test_unknown_names_are_refused_with_the_list(name: str) -> None:
    with pytest.raises(UnknownFault, match="weak_launch"):
        parse_faults(name)


def test_every_fault_but_attaching_can_be_injected() -> None:
    assert {*Fault} - INJECTABLE == {Fault.ATTACH_MID_SPIN}
    assert all(parse_faults(fault.value) == {fault} for fault in INJECTABLE)
