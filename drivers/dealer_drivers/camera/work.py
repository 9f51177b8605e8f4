"""What the reader's process does with pictures, by its task: codes of cards, or a scene that comes to rest."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Protocol

from dealer_drivers.camera.codes import Looker
from dealer_drivers.camera.messages import Ask, LookMade, Message, PictureFile, Scene
from dealer_drivers.camera.scene import CameToRest, Looked, Moved, Pixels, ReaderError, SceneWatcher, StillReader
from dealer_drivers.camera.settings import CameraSettings, CodesTask, SceneTask
from dealer_drivers.camera.shared import Frame, Shape
from dealer_drivers.codes.picture import grey
from dealer_drivers.codes.second_reader import NAMES, SecondReader, SecondReaderMissing
from dealer_drivers.codes.symbology import Doubt

JPEG_QUALITY = 90
"""A person can judge by it, and 100 kB hold it. What was read was the picture before it was packed."""
NS_PER_MS = 1_000_000


class WorkImpossible(Exception):  # noqa: N818
    """The task cannot be done here. ``key`` names the option that is wrong, if it is one; the text says what to do."""

    def __init__(self, text: str, key: str | None = None) -> None:
        super().__init__(text)
        self.key = key


class Work(Protocol):
    """One task. From one look to the next ``pace_s`` pass at least."""

    @property
    def pace_s(self) -> float: ...

    def describe(self) -> str:
        """For a technician."""
        ...

    def shape(self, shape: Shape) -> WorkImpossible | None:
        """What is wrong with pictures of this shape."""
        ...

    def ask(self, ask: Ask, now_ns: int) -> None:
        """The station asks."""
        ...

    def look(self, frame: Frame, now_ns: Callable[[], int]) -> list[Message]:
        """One picture."""
        ...

    def close(self) -> None:
        """No more pictures."""
        ...


class CodesWork:
    """Codes in a window. Raises ``WorkImpossible`` when the second reader is asked for and not there."""

    pace_s = 1 / 15
    """A card lies in the window for some tenths of a second, and looking costs a good part of a processor."""

    def __init__(self, task: CodesTask) -> None:
        self._task = task
        self._second = SecondReader() if task.second_reader and task.symbology in NAMES else None
        if self._second is not None:
            try:
                self._second.start()
            except SecondReaderMissing as error:
                raise WorkImpossible(f"{error}: `second_reader = false`") from error
        self._looker = Looker(task, None if self._second is None else self._second.read)

    def describe(self) -> str:
        """Who reads."""
        readers = "zxing-cpp alone" if self._second is None else "zxing-cpp and zbar"
        return f"{self._task.symbology} by {readers}"

    def shape(self, shape: Shape) -> WorkImpossible | None:  # noqa: ARG002
        """Any will do."""
        return None

    def ask(self, ask: Ask, now_ns: int) -> None:
        """A window is looked at always."""

    def look(self, frame: Frame, now_ns: Callable[[], int]) -> list[Message]:  # noqa: ARG002
        """A sight, if it is worth saying."""
        pixels = grey(frame.pixels)
        if isinstance(pixels, Doubt):
            return []
        sight = self._looker.look(pixels)
        return [] if sight is None else [sight]

    def close(self) -> None:
        """Ends the second reader's process."""
        if self._second is not None:
            self._second.close()


class SceneWork:
    """A scene that comes to rest. Raises ``WorkImpossible`` when its reader cannot be made."""

    pace_s = 1 / 30
    """As fast as a common camera: telling movement costs little, and reading happens when asked only."""

    def __init__(self, settings: CameraSettings) -> None:
        assert isinstance(settings.task, SceneTask)
        self._speed = settings.speed
        self._reader = make_reader(settings.task)
        self._watcher = SceneWatcher(self._reader, settings.task.quiet_s / settings.speed)

    def describe(self) -> str:
        """What the reader says of itself."""
        return str(getattr(self._reader, "summary", type(self._reader).__name__))

    def shape(self, shape: Shape) -> WorkImpossible | None:
        """A calibrated reader says so when pictures have another size than it was calibrated for."""
        check: Callable[[int, int], str | None] | None = getattr(self._reader, "fits", None)
        problem = None if check is None else check(shape.width, shape.height)
        return None if problem is None else WorkImpossible(problem, "profile")

    def ask(self, ask: Ask, now_ns: int) -> None:
        """Pictures from now on answer it."""
        self._watcher.ask(ask.ask, now_ns)

    def look(self, frame: Frame, now_ns: Callable[[], int]) -> list[Message]:
        """What the scene does, and answers."""
        events = self._watcher.picture(frame.pixels, frame.taken_ns)
        return [message for event in events for message in self._messages(event, now_ns())]

    def close(self) -> None:
        """Nothing to give back."""

    def _messages(self, event: Moved | CameToRest | Looked, now_ns: int) -> Iterator[Message]:
        match event:
            case Moved(taken_ns=taken_ns):
                yield Scene(True, self._age_ms(taken_ns, now_ns))
            case CameToRest(since_ns=since_ns):
                yield Scene(False, self._age_ms(since_ns, now_ns))
            case Looked():
                picture = picture_file(event.pixels)
                yield picture
                yield LookMade(
                    ask=event.ask,
                    frames=event.frames,
                    first_age_ms=self._age_ms(event.first_ns, now_ns),
                    last_age_ms=self._age_ms(event.last_ns, now_ns),
                    picture=picture.sha256,
                    value=event.value,
                    reasons=event.reasons,
                    detail=event.detail,
                )

    def _age_ms(self, then_ns: int, now_ns: int) -> float:
        return round((now_ns - then_ns) / NS_PER_MS * self._speed, 1)


def make_reader(task: SceneTask) -> StillReader:
    """The reader that the task names. Raises ``WorkImpossible``."""
    module, _, name = task.reader.partition(":")
    make: Callable[..., StillReader] = getattr(import_module(module), name)
    try:
        return make(**task.options)
    except ReaderError as error:
        raise WorkImpossible(str(error), error.key) from error


def picture_file(pixels: Pixels) -> PictureFile:
    """The picture as a JPEG file."""
    import cv2

    good, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    assert good
    body: Any = data.tobytes()
    return PictureFile(hashlib.sha256(body).hexdigest(), "image/jpeg", base64.b64encode(body).decode())
