"""A device's folder of calibrations with damage in it: read, compared, listed and gone back in, or said why not."""

from __future__ import annotations

import datetime as dt
import shutil
from functools import cached_property
from random import Random
from typing import Any

from dealer_calibration.calibration_files import lines, one_before, pointer_problem
from dealer_drivers.calibration import CalibrationError, CalibrationStore, Draft
from dealer_drivers.calibration.compare import changes
from fuzz.folder import folder
from fuzz.kind import Case, Kind, Wrong, data, text
from fuzz.noise import damaged

TABLE, DEVICE = "t1", "cam"
NOON = dt.datetime(2026, 1, 14, 12, 0, tzinfo=dt.UTC)


class Calibrations:
    """One or several files of the folder are damaged, or gone."""

    name, share = "file/calibration", 0.15

    @cached_property
    def good(self) -> dict[str, bytes]:
        """Three calibrations of a device, and the pointers."""
        store = CalibrationStore(folder() / "calibrations-good")
        for number in range(3):
            files = {"profile.json": b'{"die_px": %d}' % (80 + number), "plate.png": b"\x89PNG"}
            values = {"points": [[1.0, float(number)]]}
            store.save(
                Draft(
                    kind="dice-rig", table=TABLE, device=DEVICE, driver="sicbo-camera", serial="77", by="x", tool="y",
                    values=values, files=files,
                ),
                NOON,
            )  # fmt: skip
        there = store.folder(TABLE, DEVICE)
        return {str(path.relative_to(there)): path.read_bytes() for path in sorted(there.rglob("*")) if path.is_file()}

    def draw(self, rng: Random) -> Case:
        names = sorted(self.good)
        harmed: dict[str, Any] = {}
        for _ in range(rng.choice((1, 1, 2, 4))):
            name = rng.choice(names)
            harmed[name] = None if rng.random() < 0.1 else text(damaged(self.good[name], rng, [*self.good.values()]))
        return harmed

    def play(self, case: Case) -> int:
        store = CalibrationStore(folder() / "calibrations-harmed")
        shutil.rmtree(store.root, ignore_errors=True)
        there = store.folder(TABLE, DEVICE)
        for name, content in self.good.items():
            harm = case.get(name, text(content))
            if harm is not None:
                (there / name).parent.mkdir(parents=True, exist_ok=True)
                (there / name).write_bytes(data(harm))
        self._use(store)
        return 1

    def _use(self, store: CalibrationStore) -> None:
        whole = {}
        for line in lines(store, TABLE, DEVICE):
            line.as_json()
            line.cells()
            if line.found is not None:
                whole[line.id] = line.found
                self._see(line.id, line.found)
        pointer_problem(store, TABLE, DEVICE)
        for ask in (lambda: store.load(TABLE, DEVICE), lambda: one_before(store, TABLE, DEVICE, None)):
            try:
                ask()
            except CalibrationError as error:
                if not error.problems or not all(error.problems):
                    raise Wrong("refused without a word") from error
        for name in whole:
            store.choose(TABLE, DEVICE, name)
            store.mark_in_use(TABLE, DEVICE, name)
            changes(whole[name], store.load(TABLE, DEVICE))

    def _see(self, name: str, found: Any) -> None:
        """What is taken as whole is what was made, in every byte that counts."""
        kept = {file.name: file.read_bytes() for file in found.folder.iterdir() if not file.name.endswith(".sha256")}
        made = {file.partition("/")[2]: content for file, content in self.good.items() if file.startswith(f"{name}/")}
        if kept != {file: content for file, content in made.items() if not file.endswith(".sha256")}:
            raise Wrong(f"{name} was changed, and is taken as whole")


def kinds() -> list[Kind]:
    """The one."""
    return [Calibrations()]
