"""When a scene has come to rest, and what counts of it then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import pytest

from dealer_drivers.camera.movement import Movement
from dealer_drivers.camera.scene import AGREEING, MOST_PICTURES, CameToRest, Looked, Moved, SceneEvent, SceneWatcher

NOISE = np.random.default_rng(4).normal(0, 1, (480, 640)).astype(np.float32)
STEP_NS = 50_000_000
"""Twenty pictures a second."""


@dataclass(frozen=True)
class Unclear:
    reasons: tuple[str, ...]
    detail: str = "a sentence"


class Reads:
    """A reader that says what it was told, in turn, the last for ever."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.read_count = 0

    def read(self, picture: Any) -> Any:  # noqa: ARG002
        self.read_count += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def same(self, one: Any, other: Any) -> bool:
        return bool(one == other)

    def encode(self, value: Any) -> dict[str, Any]:
        return {"value": value}


class Rig:
    """Pictures of a square on a plate, with a camera's noise."""

    def __init__(self, *answers: Any) -> None:
        self.reader = Reads(*answers)
        self.watcher = SceneWatcher(self.reader, 0.5)
        self.now_ns = 10**12
        self._random = np.random.default_rng(4)
        self.at = (300, 200)
        self.light = 1.0
        self.white = 230
        self.noise = 4.0
        self.events: list[SceneEvent] = []

    def picture(self) -> np.ndarray:
        picture = np.full((480, 640), 90, np.float32)
        cv2.rectangle(picture, self.at, (self.at[0] + 90, self.at[1] + 90), self.white, -1)
        noise = np.roll(NOISE, int(self._random.integers(NOISE.size)))
        return np.clip(picture * self.light + self.noise * noise, 0, 255).astype(np.uint8)

    def run(self, pictures: int = 1, *, same: np.ndarray | None = None) -> list[SceneEvent]:
        new: list[SceneEvent] = []
        for _ in range(pictures):
            self.now_ns += STEP_NS
            new += self.watcher.picture(self.picture() if same is None else same, self.now_ns)
        self.events += new
        return new

    def ask(self, number: int = 1) -> None:
        self.watcher.ask(number, self.now_ns)


def test_still_after_half_a_second_and_moved_at_once() -> None:
    rig = Rig("a")
    first_ns = rig.now_ns + STEP_NS
    assert rig.run(10) == [Moved(first_ns)], "what was before the first picture is not known"
    assert rig.run(2) == [CameToRest(first_ns)]
    assert rig.run(40) == []
    rig.at = (310, 200)
    assert rig.run() == [Moved(rig.now_ns)]
    moved_ns = rig.now_ns
    assert rig.run(9) == []
    assert rig.run(3) == [CameToRest(moved_ns)]


def test_what_is_no_movement() -> None:
    rig = Rig("a")
    rig.run(20)
    for light in (1.0, 1.02, 0.97, 1.05):
        rig.light = light
        assert rig.run(5) == [], "a lamp, or the camera's exposure"
    rig.noise = 8.0
    assert rig.run(20) == [], "a dark table's noise"


def test_a_white_die_at_the_cameras_end_does_not_follow_the_light() -> None:
    rig = Rig("a")
    rig.white = 255
    rig.run(20)
    for light in (1.08, 1.0, 1.1):
        rig.light = light
        assert rig.run(5) == []
    rig.at = (330, 200)
    assert rig.run() == [Moved(rig.now_ns)]


def test_what_creeps_is_movement() -> None:
    rig = Rig("a")
    rig.run(20)
    moved = []
    for _ in range(20):
        rig.at = (rig.at[0] + 1, 200)
        moved += rig.run()
    assert isinstance(moved[0], Moved)


def test_daylight_that_wanders_over_minutes_is_not() -> None:
    movement = Movement()
    ramp = np.linspace(0, 1, 640)[None, :]
    for step in range(1200):
        picture = (90 + 60 * ramp * step / 1200 + np.zeros((480, 1))).astype(np.uint8)
        assert not movement.changed(picture)


def test_a_look_takes_five_different_pictures_taken_after_the_question() -> None:
    rig = Rig("a")
    rig.run(20)
    rig.ask(7)
    asked_ns = rig.now_ns
    assert rig.run(AGREEING - 1) == []
    (looked,) = rig.run()
    assert isinstance(looked, Looked)
    assert (looked.ask, looked.value, looked.frames, looked.reasons) == (7, {"value": "a"}, AGREEING, ())
    assert asked_ns < looked.first_ns < looked.last_ns == rig.now_ns
    assert rig.run(10) == [], "once"


def test_the_same_picture_again_is_no_second_picture() -> None:
    rig = Rig("a")
    rig.run(20)
    stuck = rig.picture()
    rig.ask()
    looked = rig.run(81, same=stuck)[-1]
    assert isinstance(looked, Looked)
    assert (looked.value, looked.reasons) == (None, ("camera_fault",))
    assert rig.reader.read_count == 1


def test_a_scene_that_keeps_moving_is_never_read() -> None:
    rig = Rig("a")
    rig.ask()
    events: list[SceneEvent] = []
    for step in range(90):
        rig.at = (300 + 15 * (step % 2), 200)
        events += rig.run()
    looked = [event for event in events if isinstance(event, Looked)]
    assert [(one.value, one.reasons) for one in looked] == [(None, ("moving",))]
    assert rig.reader.read_count == 0


def test_what_moves_in_mid_look_is_not_read_and_a_new_question_is() -> None:
    """A hand turns the dice while it is looked: what lies there then is nobody's throw."""
    rig = Rig("a")
    rig.run(20)
    rig.ask()
    rig.run(AGREEING - 1)
    rig.at = (340, 200)
    moved, looked = rig.run()
    assert isinstance(moved, Moved), "that it moved is said first"
    assert isinstance(looked, Looked)
    assert (looked.value, looked.reasons) == (None, ("moving",))
    moved_ns = rig.now_ns
    assert not [event for event in rig.run(20) if isinstance(event, Looked)]
    rig.ask()
    (looked,) = rig.run(AGREEING)
    assert isinstance(looked, Looked)
    assert looked.value == {"value": "a"}
    assert looked.first_ns > moved_ns + 400_000_000


def test_a_question_put_while_it_moves_is_answered_when_it_rests() -> None:
    rig = Rig("a")
    rig.run(20)
    rig.at = (340, 200)
    rig.run()
    rig.ask()
    (looked,) = [event for event in rig.run(30) if isinstance(event, Looked)]
    assert looked.value == {"value": "a"}


@pytest.mark.parametrize(
    ("answers", "value", "reasons"),
    [
        ((Unclear(("glare", "unclear")),), None, ("glare", "unclear")),
        (("a", "a", Unclear(("glare",)), "a"), "a", ()),
        (("a", "a", "a", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b"), None, ("frames_disagree",)),
        (("a", "b"), "b", ()),
    ],
)
def test_pictures_that_are_not_read_alike(
    answers: tuple[Any, ...], value: str | None, reasons: tuple[str, ...]
) -> None:
    rig = Rig(*answers)
    rig.run(20)
    rig.ask()
    (looked,) = rig.run(MOST_PICTURES)
    assert isinstance(looked, Looked)
    assert looked.value == (None if value is None else {"value": value})
    assert looked.reasons == reasons
    assert bool(looked.detail) is bool(reasons)


def test_a_new_question_replaces_the_old_one() -> None:
    rig = Rig("a")
    rig.run(20)
    rig.ask(1)
    rig.run(2)
    rig.ask(2)
    (looked,) = rig.run(AGREEING + 2)
    assert isinstance(looked, Looked)
    assert looked.ask == 2


# -- time that nobody watched -----------------------------------------------------------------------------------


def test_a_picture_that_repeats_itself_for_a_moment_does_not_show_rest() -> None:
    """A camera that hung for 0.7 s while dice were shaken: shakes were lost, and dice said to have moved."""
    rig = Rig("a")
    rig.run(20)
    rig.at = (330, 200)
    stuck = rig.picture()
    assert rig.run(14, same=stuck) == [Moved(rig.now_ns - 13 * STEP_NS)]
    rig.at = (360, 220)
    assert rig.run(9) == [], "it had not come to rest"
    moved_ns = rig.now_ns - 8 * STEP_NS
    assert rig.run(3) == [CameToRest(moved_ns)]


def test_a_camera_that_gives_every_picture_twice_shows_rest_like_another() -> None:
    rig = Rig("a")
    rig.run(20)
    rig.at = (330, 200)
    events: list[SceneEvent] = []
    for _ in range(8):
        picture = rig.picture()
        events += rig.run(2, same=picture)
    assert [type(event) for event in events] == [Moved, CameToRest]


def test_two_pictures_with_half_a_second_between_them_do_not_show_rest() -> None:
    """A reader that was held up while dice were shaken, and then sees the same as before: what was between?"""
    rig = Rig("a")
    rig.run(20)
    rig.at = (330, 200)
    rig.run(3)
    rig.now_ns += 700_000_000
    assert rig.run(10) == []
    assert len(rig.run(2)) == 1


def test_late_pictures_are_no_gap() -> None:
    rig = Rig("a")
    rig.run(20)
    rig.at = (330, 200)
    rig.run(1)
    moved_ns = rig.now_ns
    rig.now_ns += 400_000_000
    assert rig.run(4) == [CameToRest(moved_ns)]


def test_few_pictures_of_a_busy_machine_do_not_show_rest() -> None:
    """What is shaken may look the same in two of them: dice were said to rest in mid-shake, and then to move."""
    rig = Rig("a")
    rig.run(20)
    rig.at = (330, 200)
    moved = rig.run(1)
    for _ in range(3):
        rig.now_ns += 300_000_000
        assert rig.run(1) == []
    rig.at = (360, 220)
    assert (moved, rig.run(1)) == ([Moved(moved[0].taken_ns)], [])  # type: ignore[union-attr]
    assert [type(event) for event in rig.run(12)] == [CameToRest]


def test_the_picture_that_is_kept_shows_the_reason_that_is_given() -> None:
    """The last picture of a look may be one that could be read."""
    glare = Unclear(("glare",))
    rig = Rig(*[glare] * (MOST_PICTURES - 2), "a", "a", "a")
    rig.run(20)
    rig.ask()
    pictures = []
    found: list[SceneEvent] = []
    while not found:
        pictures.append(rig.picture())
        found = rig.run(same=pictures[-1])
    (looked,) = found
    assert isinstance(looked, Looked)
    assert looked.reasons == ("glare",)
    assert np.array_equal(looked.pixels, pictures[MOST_PICTURES - 3])
