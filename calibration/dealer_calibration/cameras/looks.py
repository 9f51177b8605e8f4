"""What the bench asks of a camera: some pictures, a scene at rest, what a reader says of it."""

from __future__ import annotations

from dealer_calibration.bench import BenchError
from dealer_calibration.cameras.camera import Camera
from dealer_calibration.cameras.figures import Bgr
from dealer_calibration.cli.exit_codes import NO
from dealer_drivers.camera.movement import Movement
from dealer_drivers.camera.scene import Looked, SceneWatcher, StillReader

NS_PER_S = 1_000_000_000
QUIET_S = 0.5
"""As a station's camera has it by default."""
LOOK_S = 4.0
SAME = 40
"""So many pictures in a row that are the same: the camera repeats an old one. At 20 a second two seconds."""


class Eyes:
    """Looks through a camera, and remembers what it saw last: what moved while a person was asked has moved."""

    def __init__(self, camera: Camera) -> None:
        self.camera = camera
        self._movement = Movement()

    async def at_rest(
        self,
        count: int,
        *,
        quiet_s: float = QUIET_S,
        within_s: float = 60.0,
        must_move: bool = False,
        move_within_s: float = 600.0,
    ) -> list[Bgr]:
        """``count`` pictures of the scene once nothing moved for ``quiet_s``, each unlike the one before. With
        ``must_move`` it is first waited until something is not as it was. Times are those of the pictures.

        Raises ``BenchError`` (1) when it never moves, or never rests.
        """
        pictures, moved = list[Bgr](), False
        began_ns = since_ns = same = 0
        while True:
            frame = await self.camera.picture()
            began_ns = began_ns or frame.taken_ns
            since_ns = since_ns or frame.taken_ns
            if self._movement.changed(frame.pixels):
                since_ns, pictures = frame.taken_ns, []
                if not moved:
                    moved, began_ns = True, frame.taken_ns
            waited_s = (frame.taken_ns - began_ns) / NS_PER_S
            if must_move and not moved:
                if waited_s > move_within_s:
                    raise BenchError(f"nothing moved in the picture for {move_within_s:g} s", NO)
                continue
            if (frame.taken_ns - since_ns) / NS_PER_S >= quiet_s:
                if not pictures or (frame.pixels != pictures[-1]).any():
                    pictures.append(frame.pixels)
                    same = 0
                elif (same := same + 1) >= SAME:
                    raise BenchError("the camera gives the same picture again and again: restart the camera", NO)
                if len(pictures) >= count:
                    return pictures
            if waited_s > within_s:
                raise BenchError(
                    f"the scene did not come to rest within {within_s:g} s: take hands away, keep lamps steady", NO
                )

    async def look(self, reader: StillReader, quiet_s: float = QUIET_S) -> Looked:
        """What lies there, as the station would read it: several pictures alike, all of a scene at rest."""
        watcher = SceneWatcher(reader, quiet_s, LOOK_S)
        frame = await self.camera.picture()
        watcher.picture(frame.pixels, frame.taken_ns)
        watcher.ask(1, frame.taken_ns)
        while True:
            frame = await self.camera.picture()
            self._movement.changed(frame.pixels)
            for event in watcher.picture(frame.pixels, frame.taken_ns):
                if isinstance(event, Looked):
                    return event
