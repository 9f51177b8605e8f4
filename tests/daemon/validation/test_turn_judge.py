"""The judge of the colour wheel, one rule at a time."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from dealer_daemon.validation.signals import Contradicted, Judged, NotJudged, Trouble
from dealer_daemon.validation.turn_map import SEGMENT_DEG
from dealer_daemon.validation.turn_rules import TurnRules
from dealer_daemon.verdicts import Refused, Remedy
from dealer_drivers.readings import DeviceFault, Fault
from dealer_drivers.readings.wheel import AngleUnreadable, IndexMark, WheelAngle
from support.turns import RULES, PlainWheel, at, plain_file, spun

GOOD = ["Ready", "Started", "BettingOver", "ok:5", "Ready"]
TO_SEGMENT_5 = 1080 + 5 * SEGMENT_DEG


def rules(**changed: object) -> TurnRules:
    return msgspec.structs.replace(RULES, **changed)


def test_a_good_turn() -> None:
    wheel = PlainWheel()
    assert spun(wheel, TO_SEGMENT_5) == GOOD
    (value,) = [signal.value for signal in wheel.signals if isinstance(signal, Judged)]
    assert value.witnesses == ("encoder", "reference")
    assert value.facts["turns"] == pytest.approx(3.09, abs=0.011)
    assert (value.facts["start_segment"], value.facts["color"], value.facts["way"]) == (0, "yellow", "up")
    assert value.facts["margin_deg"] == pytest.approx(3.0, abs=0.1)


@pytest.mark.parametrize(
    ("net", "word"),
    [(1079.0, "NotJudged:too_few_turns"), (1082.0, "ok:0"), (-1081.5, "ok:0"), (-1078.0, "NotJudged:too_few_turns")],
)
def test_three_net_turns_either_way(net: float, word: str) -> None:
    assert spun(PlainWheel(), net)[3] == word


def test_a_table_s_own_turns_and_way() -> None:
    assert spun(PlainWheel(rules(min_turns=4)), TO_SEGMENT_5)[3] == "NotJudged:too_few_turns"
    assert spun(PlainWheel(rules(way="down")), TO_SEGMENT_5)[3] == "NotJudged:wrong_way"
    assert spun(PlainWheel(rules(way="up")), TO_SEGMENT_5)[3] == "ok:5"
    falling = plain_file(direction="down")
    assert spun(PlainWheel(rules(way="up"), file=falling), TO_SEGMENT_5)[3] == "NotJudged:wrong_way"


def test_refusals_ask_for_another_spin() -> None:
    wheel = PlainWheel()
    spun(wheel, 700)
    (signal,) = [signal for signal in wheel.signals if isinstance(signal, NotJudged)]
    assert isinstance(signal.verdict, Refused)
    assert signal.verdict.remedy is Remedy.RESPIN
    assert "1.94 of 3 turns" in signal.verdict.detail


def test_rolling_back_takes_turns_away() -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(1150)
    wheel.swing(-120)
    wheel.rest(2)
    assert wheel.words()[3:] == ["NotJudged:rolled_back", "Ready"]


def test_a_wheel_that_rolls_back_has_not_landed_at_its_turning_point() -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(1300 + 6 * SEGMENT_DEG)
    wheel.rest(0.1)
    wheel.swing(-100)
    wheel.rest(2)
    place = wheel.wheel.place(wheel.deg)
    assert wheel.words()[3] == f"ok:{place.segment}"


def test_a_wheel_that_lingers_is_not_at_rest() -> None:
    """At the turning point of a slow swing it keeps within the band for more than a second."""
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(TO_SEGMENT_5)
    top_deg = wheel.deg
    for tick in range(-40, 60):
        wheel.see(at_deg=top_deg - 0.8 * (tick / 40) ** 2)
    assert not [word for word in wheel.words() if word.startswith("ok")]


@pytest.mark.parametrize(
    ("offset_deg", "word"), [(0.5, "on_boundary"), (0.8, "ok:6"), (-0.5, "on_boundary"), (-0.8, "ok:5")]
)
def test_the_pegs_keep_out(offset_deg: float, word: str) -> None:
    wheel = PlainWheel()
    boundary = 1080 + 6 * SEGMENT_DEG - 3.0
    assert spun(wheel, boundary + offset_deg)[3].removeprefix("NotJudged:") == word


def test_a_hand_that_stops_the_wheel() -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(2000, leave_deg=600)
    wheel.go(-350, 2)
    wheel.rest(2)
    assert wheel.words()[3:] == ["NotJudged:stopped_by_hand", "Ready"]


@pytest.mark.parametrize("leave_deg", [150, 300, 500])
@pytest.mark.parametrize("change", [250, 350, 450])
def test_a_hand_that_pushes_again(leave_deg: float, change: float) -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(1600, leave_deg=leave_deg)
    wheel.go(change, 0.5)
    wheel.go(-20, 20)
    wheel.rest(2)
    assert wheel.words()[3:] == ["NotJudged:pushed_again", "Ready"]


def test_a_hand_that_turns_it_back() -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(1500)
    wheel.swing(-300)
    wheel.rest(2)
    assert wheel.words()[3:] == ["NotJudged:turn_reversed", "Ready"]


def test_a_wheel_wound_up_first_counts_from_where_it_rested() -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(-25)
    wheel.turn(TO_SEGMENT_5 + 25)
    wheel.rest(2)
    assert wheel.words() == GOOD


def test_a_wheel_that_is_pushed_a_little_is_not_being_spun() -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(10)
    wheel.rest(2)
    assert wheel.words() == ["Ready"]
    wheel.turn(TO_SEGMENT_5 - 10)
    wheel.rest(2)
    assert wheel.words() == GOOD, "and the turn begins where it rested last"


@pytest.mark.parametrize("after_s", [0.9, 1.1])
def test_moved_after_rest_is_for_a_person(after_s: float) -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(TO_SEGMENT_5)
    wheel.rest(after_s)
    wheel.turn(9)
    wheel.rest(2)
    assert wheel.words()[3:] == ["NotJudged:moved_after_rest", "Ready"]
    (signal,) = [signal for signal in wheel.signals if isinstance(signal, NotJudged)]
    assert signal.verdict.seen["segment"] in (5, 6)  # type: ignore[union-attr]


def test_a_wheel_that_creeps_while_it_is_watched_is_not_at_rest() -> None:
    wheel = PlainWheel()
    wheel.rest(1.5)
    wheel.turn(TO_SEGMENT_5)
    wheel.rest(0.8)
    for _ in range(28):
        wheel.see(at_deg=wheel.deg + 0.01)
    wheel.rest(0.2)
    assert wheel.words() == GOOD[:3], "by the clock it had been watched for long enough"
    wheel.rest(2)
    assert wheel.words() == GOOD


def test_it_never_rests() -> None:
    wheel = PlainWheel(rules(max_spin_s=5.0))
    wheel.rest(1.5)
    wheel.turn(3000)
    wheel.rest(2)
    assert wheel.words()[3:] == ["NotJudged:no_rest", "Trouble", "Trouble", "Ready"], "it runs on for as long again"


def test_a_wheel_that_trembles_is_not_waited_for_in_silence() -> None:
    wheel = PlainWheel(rules(max_spin_s=10.0))
    stands_deg, chance = wheel.deg, Random(1)

    def tremble(seconds: float) -> None:
        for _ in range(round(seconds * wheel.HERTZ)):
            wheel.see(at_deg=stands_deg + chance.choice((-0.3, 0.0, 0.3)))

    tremble(9.9)
    assert wheel.words() == []
    tremble(30)
    (said,) = wheel.signals
    assert isinstance(said, Trouble)
    assert (said.fault, said.cleared) == ("no_rest", False)
    wheel.see(at_deg=stands_deg)
    wheel.rest(1.5)
    assert wheel.words() == ["Trouble", "Trouble", "Ready"]
    assert wheel.signals[1] == Trouble(said.fault, "", cleared=True)


class CreepingWheel(PlainWheel):
    """Its encoder's shaft creeps in the coupling."""

    creep_deg_s = 0.0

    def see(self, *, at_deg: float | None = None, gap_s: float = 1 / PlainWheel.HERTZ) -> None:
        self.slip_deg += self.creep_deg_s * gap_s
        super().see(at_deg=at_deg, gap_s=gap_s)


class TestEncoder:
    """What an encoder gets wrong."""

    def test_a_slip_shows_at_the_mark(self) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.slip_deg = 0.7
        wheel.turn(1400)
        wheel.rest(2)
        assert wheel.words()[3:] == ["Trouble", "NotJudged:encoder_slip", "Ready"]

    def test_a_slip_in_the_last_turn_shows_as_a_step(self) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(TO_SEGMENT_5 + 100, leave_deg=60)
        wheel.slip_deg = 4.0
        wheel.go(-20, 3)
        wheel.rest(2)
        assert wheel.words()[3:] == ["NotJudged:encoder_slip", "Ready"]

    def test_a_slip_after_a_result_throws_doubt_on_it(self) -> None:
        wheel = PlainWheel()
        assert spun(wheel, TO_SEGMENT_5) == GOOD
        wheel.slip_deg = -2.0
        wheel.turn(1200)
        wheel.rest(2)
        assert wheel.words()[5:] == [
            "Started", "BettingOver", "Trouble", "NotJudged:encoder_slip", "Contradicted", "Ready",
        ]  # fmt: skip
        assert len([signal for signal in wheel.signals if isinstance(signal, Contradicted)]) == 1

    def test_a_shaft_that_creeps_after_the_last_pass_is_found_at_the_next_one(self) -> None:
        """By a segment in the last turn, and slowly: nothing but the mark tells it from a wheel that slows a little
        less. The segment is believed until the next pass, which throws doubt on it."""
        wheel = CreepingWheel()
        wheel.rest(1.5)
        wheel.turn(1380, leave_deg=250)
        wheel.creep_deg_s = 7.5 / 5
        wheel.go(-20, 5)
        wheel.creep_deg_s = 0.0
        wheel.rest(2)
        believed = int((wheel.deg + 7.5) % 360 / SEGMENT_DEG)
        assert believed != int(wheel.deg % 360 / SEGMENT_DEG)
        assert wheel.words() == [*GOOD[:3], f"ok:{believed}", "Ready"]
        wheel.turn(1200)
        wheel.rest(2)
        assert wheel.words()[5:] == [
            "Started", "BettingOver", "Trouble", "NotJudged:encoder_slip", "Contradicted", "Ready",
        ]  # fmt: skip

    @pytest.mark.parametrize("creep_deg_s", [0.2, -0.2, 1.5, -1.5])
    def test_a_shaft_that_creeps_before_it_is_found_in_the_turn(self, creep_deg_s: float) -> None:
        wheel = CreepingWheel()
        wheel.rest(1.5)
        wheel.creep_deg_s = creep_deg_s
        wheel.turn(1500)
        wheel.rest(2)
        assert "NotJudged:encoder_slip" in wheel.words()
        assert not [word for word in wheel.words() if word.startswith("ok")]

    def test_after_a_restart_of_the_station_too(self) -> None:
        wheel = PlainWheel(stands=True)
        wheel.slip_deg = 2.0
        assert spun(wheel, TO_SEGMENT_5)[-2:] == ["Contradicted", "Ready"]

    def test_the_trouble_ends_when_mark_and_encoder_agree_again(self) -> None:
        wheel = PlainWheel()
        wheel.slip_deg = 1.0
        spun(wheel, TO_SEGMENT_5)
        wheel.slip_deg = 0.0
        wheel.rest(2)
        wheel.turn(TO_SEGMENT_5 + 0.5)
        wheel.rest(2)
        assert [signal.cleared for signal in wheel.signals if isinstance(signal, Trouble)] == [False, True]
        assert wheel.words()[-2].startswith("ok:")

    @pytest.mark.parametrize("slip_deg", [0.4, -0.4])
    def test_half_a_degree_is_borne(self, slip_deg: float) -> None:
        wheel = PlainWheel()
        wheel.slip_deg = slip_deg
        assert spun(wheel, TO_SEGMENT_5) == GOOD

    def test_a_mark_that_does_not_come(self) -> None:
        wheel = PlainWheel()
        wheel.marks = False
        assert spun(wheel, TO_SEGMENT_5)[3:] == ["NotJudged:index_missing", "Ready"]
        unchecked = PlainWheel(rules(reference="unchecked"))
        unchecked.marks = False
        assert spun(unchecked, TO_SEGMENT_5) == GOOD

    @pytest.mark.parametrize("count", [0xFFFF, 0xFFFFFF])
    def test_single_misread_counts_are_left_out(self, count: int) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(TO_SEGMENT_5, leave_deg=300)
        for _ in range(2):
            wheel.feed(
                WheelAngle(
                    at=at(wheel.t_s + 0.01), raw=b"", count=count, per_turn=4096, wraps_at=1 << 24, absolute=True
                )
            )
        wheel.go(-20, 6)
        wheel.rest(2)
        assert wheel.words() == GOOD

    def test_a_count_that_stays_elsewhere_is_a_jump(self) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(TO_SEGMENT_5, leave_deg=300)
        wheel.slip_deg = 5000.0
        wheel.rest(2)
        assert wheel.words()[3:] == ["NotJudged:encoder_jump", "Ready"]

    def test_dithering_at_zero_is_rest(self) -> None:
        wheel = PlainWheel(file=plain_file(offset=3.0))
        wheel.deg = 0.0
        for tick in range(100):
            wheel.see(at_deg=-0.09 * (tick % 2))
        assert wheel.words() == ["Ready"]

    def test_a_knock_at_rest_is_no_spin(self) -> None:
        """One step of the encoder, and it stands again."""
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.slip_deg = 20.0
        wheel.rest(2)
        assert wheel.words() == ["Ready"]

    def test_a_gap_in_the_turn(self) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(TO_SEGMENT_5, leave_deg=500)
        wheel.feed(AngleUnreadable(at=at(wheel.t_s + 0.1), raw=b"", reason="0xFFFFFFFF"))
        wheel.see(at_deg=wheel.deg + 30, gap_s=0.3)
        assert wheel.words()[3:] == ["NotJudged:samples_missing"]

    def test_an_encoder_of_one_turn_bears_shorter_gaps(self) -> None:
        wheel = PlainWheel(rules(max_turns_per_s=4.0))
        reading = WheelAngle(at=at(1), raw=b"", count=5, per_turn=4096, wraps_at=4096, absolute=True)
        assert wheel.judge._most_gap_s(reading) == pytest.approx(0.125)


class TestOutOfSight:
    """What happens while nobody looks."""

    def test_silence_in_the_turn(self) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(TO_SEGMENT_5, leave_deg=300)
        deadline_ns = wheel.judge.deadline_ns()
        assert deadline_ns == round((wheel.t_s + 1) * 1e9) + 1
        assert wheel.judge.tick(at(wheel.t_s + 0.9)) == []
        (signal,) = wheel.judge.tick(at(wheel.t_s + 1.1))
        assert isinstance(signal, NotJudged)
        assert signal.verdict.reason == "samples_missing"
        assert wheel.judge.deadline_ns() is None

    def test_the_link_lost_in_the_turn(self) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(TO_SEGMENT_5, leave_deg=300)
        wheel.feed(DeviceFault(at=at(wheel.t_s), raw=b"", fault=Fault.LINK_LOST, detail="unplugged"))
        wheel.t_s += 5
        wheel.deg += 300
        wheel.rest(2)
        assert wheel.words()[3:] == ["NotJudged:device_lost", "Ready"]

    @pytest.mark.parametrize(("moved_deg", "words"), [(0, ["Ready"]), (700, ["Unseen:turn_not_seen", "Ready"])])
    def test_a_turn_while_the_link_was_lost(self, moved_deg: float, words: list[str]) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.feed(DeviceFault(at=at(wheel.t_s), raw=b"", fault=Fault.LINK_LOST, detail="unplugged"))
        assert not wheel.judge.waiting()
        wheel.t_s += 20
        wheel.deg += moved_deg
        wheel.rest(2)
        assert wheel.words()[1:] == words

    def test_joined_in_the_turn(self) -> None:
        wheel = PlainWheel()
        wheel.turn(TO_SEGMENT_5)
        wheel.rest(2)
        assert wheel.words() == ["Unseen:joined_mid_turn", "Ready"]

    def test_what_is_discarded_does_not_count(self) -> None:
        wheel = PlainWheel()
        wheel.rest(1.5)
        wheel.turn(TO_SEGMENT_5, leave_deg=300)
        assert wheel.judge.underway()
        wheel.judge.discard()
        assert not wheel.judge.underway()
        wheel.rest(2)
        assert wheel.words()[3:] == ["Ready"]
        assert wheel.judge.waiting()
        assert wheel.judge.due(at(wheel.t_s)) == []


class TestCounter:
    """A counter knows its place by its index alone."""

    @staticmethod
    def see(wheel: PlainWheel, deg: float, *, life: int = 1, lost: bool = False) -> None:
        wheel.t_s += 0.025
        wheel.feed(
            WheelAngle(
                at=at(0),  # as if all of it had waited in a buffer: its own clock counts
                raw=b"",
                count=round(deg / 360 * 4096) % (1 << 32),
                per_turn=4096,
                wraps_at=1 << 32,
                absolute=False,
                life=life,
                device_s=wheel.t_s,
                counts_lost=lost,
            )
        )

    def started(self, life: int = 1) -> PlainWheel:
        wheel = PlainWheel()
        for _ in range(60):
            self.see(wheel, -7.0, life=life)
        return wheel

    def test_without_its_index_it_is_not_ready(self) -> None:
        wheel = self.started()
        assert wheel.words() == ["Trouble"]
        for tick in range(200):
            self.see(wheel, -7.0 - tick)
        assert wheel.words() == ["Trouble", "Unseen:place_unknown"]

    def test_its_index_is_its_home(self) -> None:
        wheel = self.started()
        wheel.feed(IndexMark(at=at(0), raw=b"", passes=1, count=(1 << 32) - 200, life=1))
        for _ in range(60):
            self.see(wheel, -7.0)
        assert wheel.words() == ["Trouble", "Trouble", "Ready"]
        # -7° is 10.58° past the mark at -17.58°, whose angle on this wheel is 10°.
        assert wheel.judge._place(wheel.judge._last_deg).segment == int(20.58 / SEGMENT_DEG)

    def test_counts_that_waited_in_a_buffer_are_not_missing(self) -> None:
        wheel = self.started()
        wheel.feed(IndexMark(at=at(0), raw=b"", passes=1, count=(1 << 32) - 200, life=1))
        moves = [-7.0 + max(0, tick - 60) ** 2 / 40 for tick in range(150)]
        for deg in moves:
            self.see(wheel, deg)
        assert wheel.judge.underway()
        wheel.t_s += 0.025
        late = WheelAngle(
            at=at(30),  # half a minute later by the station's clock, the next one by the counter's
            raw=b"",
            count=round((moves[-1] + 4.4) / 360 * 4096),
            per_turn=4096,
            wraps_at=1 << 32,
            absolute=False,
            life=1,
            device_s=wheel.t_s,
        )
        assert wheel.feed(late) == []
        assert wheel.judge.underway()

    def test_a_restart_in_the_turn(self) -> None:
        wheel = self.started()
        wheel.feed(IndexMark(at=at(0), raw=b"", passes=1, count=(1 << 32) - 200, life=1))
        for tick in range(150):
            self.see(wheel, -7.0 + max(0, tick - 60) ** 2 / 40)
        self.see(wheel, 0.0, life=2)
        assert wheel.words()[-1] == "NotJudged:encoder_restarted"
        assert not wheel.judge.waiting()

    def test_lost_counts_in_the_turn(self) -> None:
        wheel = self.started()
        wheel.feed(IndexMark(at=at(0), raw=b"", passes=1, count=(1 << 32) - 200, life=1))
        for tick in range(150):
            self.see(wheel, -7.0 + max(0, tick - 60) ** 2 / 40, lost=tick == 140)
        assert wheel.words()[-1] == "NotJudged:counts_lost"
