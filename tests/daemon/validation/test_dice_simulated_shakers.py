"""The station's own drivers and judge, fed by simulated shakers on which everything goes wrong, against the truth.

Drivers and simulator were written apart from one description of the wire. The camera here sees truly: what is tried is
what the shaker says.
"""

from __future__ import annotations

import pytest

from hw_sim.dice.faults import NETWORKED_FAULTS, RELAY_FAULTS
from support.shaker_station import Station

FAULTS = {"networked": NETWORKED_FAULTS, "relay": RELAY_FAULTS}
VALUE = "value"
SHORT, GONE, ALONE = "refused:shake_cut_short", "held:shaker_lost", "held:dice_moved_alone"

# What becomes of a shake with one fault that the station started; more than one where chance decides.
ENDS: dict[tuple[str, str], set[str]] = {
    ("networked", "good"): {VALUE},
    ("networked", "doubled_answers"): {VALUE},
    ("networked", "stale_idle"): {VALUE},
    ("networked", "lost_taken"): {VALUE},
    ("networked", "lost_shaking"): {VALUE},
    ("networked", "lost_idle"): {VALUE},
    ("networked", "no_answer"): {"refused:no_shake_answer"},
    ("networked", "idle_before_moved"): {"refused:never_shook"},
    ("networked", "idle_while_moving"): {VALUE, SHORT},
    ("networked", "motion_fault"): {"refused:motion_fault"},
    ("networked", "motion_fault_midway"): {"refused:motion_fault"},
    ("networked", "power_cut"): {GONE},
    ("networked", "late_answer"): {VALUE, SHORT, GONE, ALONE, "held:shaken_again"},
    ("networked", "button"): {VALUE, "held:shaken_again", "refused:moved_after_look"},
    ("relay", "good"): {VALUE},
    ("relay", "doubled_answers"): {VALUE},
    ("relay", "late_answer"): {VALUE},
    ("relay", "lost_answer"): {VALUE},
    ("relay", "stopped_while_moving"): {VALUE},
    ("relay", "no_answer"): {"refused:no_shake_answer"},
    ("relay", "not_moved"): {"refused:never_shook"},
    ("relay", "stopped_stuck"): {ALONE},
    ("relay", "moving_stuck"): {VALUE, "refused:never_stopped"},
    ("relay", "power_cut"): {GONE, SHORT},
    ("relay", "button"): {VALUE, "held:shaken_again", "refused:moved_after_look"},
}


def test_every_fault_of_the_simulators_is_in_the_table() -> None:
    assert set(ENDS) == {(model, fault) for model in FAULTS for fault in ("good", *FAULTS[model])}


def values_are_true(station: Station) -> int:
    """Checks each value against the truth; how many there were."""
    count = 0
    for end in station.ends:
        if not end.word[0].isdigit():
            continue
        count += 1
        done = [record for record in station.truth.records if record["times_s"]["ended"] <= end.at_s]
        record = done[-1]
        assert end.word == "-".join(map(str, record["values"])), record
        assert record["moved"], record
        assert record["expect"] != "refuse", record
        assert record["times_s"]["still"] < end.at_s
    return count


@pytest.mark.parametrize(("model", "fault"), sorted(ENDS))
def test_each_fault_ends_as_it_should_and_the_next_shake_counts(model: str, fault: str) -> None:
    for seed in range(3):
        station = Station(model, seed=seed, shakes=("good", fault, "good", "good"))
        station.play(2)
        end = station.words()[1]
        assert (VALUE if end[0].isdigit() else end) in ENDS[model, fault]
        station.run(25.0)  # late words come, a stuck input comes free
        before = values_are_true(station)
        station.play(1)
        assert values_are_true(station) == before + 1


@pytest.mark.parametrize("model", FAULTS)
@pytest.mark.parametrize("button", [False, True])
def test_among_many_faults_no_value_is_false_and_good_shakes_count(model: str, button: bool) -> None:
    rates = {str(fault): 0.06 for fault in FAULTS[model]} | {"leaning": 0.05, "stacked": 0.05, "two_dice": 0.05}
    station = Station(model, seed=7, rates=rates, button=button)
    for _ in range(60):
        station.play(1, most_s=90)
        station.run(4.0)
    values = values_are_true(station)
    clean = [record for record in station.truth.records if record["expect"] == "accept"]
    assert len(clean) >= 15
    assert values >= 0.8 * len(clean)


@pytest.mark.parametrize("model", FAULTS)
def test_good_shakes_are_all_accepted(model: str) -> None:
    station = Station(model, seed=3)
    station.play(40)
    assert values_are_true(station) == len(station.ends) == len(station.truth.records) == 40
    assert station.faults == []


def test_a_dealer_who_shakes_again_after_the_outcome_changes_nothing_that_was_said() -> None:
    station = Station("networked", seed=5, shakes=("button",), button=True)
    station.play(1)
    station.run(30)
    assert values_are_true(station) >= 1


def test_a_networked_shaker_that_may_not_be_asked_still_gives_values() -> None:
    station = Station("networked", seed=2, button=True, ask=False)
    station.device.attached()
    station.play(5)
    assert values_are_true(station) == 5


@pytest.mark.soak
@pytest.mark.parametrize("model", FAULTS)
@pytest.mark.parametrize("button", [False, True])
def test_among_thousands_of_shakes_no_value_is_false(model: str, button: bool) -> None:
    rates = {str(fault): 0.03 for fault in FAULTS[model]} | {"leaning": 0.03, "rolling": 0.03, "creeping": 0.0}
    station = Station(model, seed=11, rates=rates, button=button)
    for _ in range(2000):
        station.play(1, most_s=90)
        station.run(2.0)
    assert values_are_true(station) > 800
