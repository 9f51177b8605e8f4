"""What ``dealer-calibrate files`` shows of a device's calibrations, and how it makes one of files that are there."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from dealer_daemon.games import game_names, load_game
from dealer_drivers.calibration import (
    CURRENT,
    Calibration,
    CalibrationError,
    CalibrationSlot,
    CalibrationStore,
    Draft,
)
from dealer_drivers.calibration.drift import EXPECT, expectations
from dealer_drivers.driver import Driver, UnknownDriver, load_driver
from dealer_drivers.json_text import decode_json

TOOL = f"dealer-calibrate {metadata.version('dealer-station')}"


class BadImport(ValueError):  # noqa: N818
    """The files make no calibration of this device. The text says which file and why."""


@dataclass(frozen=True, slots=True)
class Line:
    """One calibration of the list; ``found`` is ``None`` where it cannot be used, and ``problems`` say why."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("", "id", "kind", "made", "by", "serial", "problems")

    id: str
    current: bool
    found: Calibration | None
    problems: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        envelope = None if self.found is None else self.found.envelope
        keys = ("kind", "driver", "made", "by", "serial", "tool", "based_on")
        about = {key: getattr(envelope, key, None) for key in keys}
        sha256 = None if self.found is None else self.found.sha256
        return {"id": self.id, "current": self.current, "sha256": sha256, **about, "problems": list(self.problems)}

    def cells(self) -> tuple[str, ...]:
        """For a person, in the order of ``COLUMNS``."""
        mark, problems = "*" if self.current else "", "; ".join(self.problems)
        if self.found is None:
            return mark, self.id, "-", "-", "-", "-", problems
        envelope = self.found.envelope
        return mark, self.id, envelope.kind, envelope.made, envelope.by, envelope.serial or "-", problems


def lines(store: CalibrationStore, table: str, device: str) -> list[Line]:
    """All that is kept, the newest first; none is current where that cannot be told (``pointer_problem``). Raises
    ``CalibrationError`` where nothing can be told."""
    try:
        current = store.current(table, device)
    except CalibrationError:
        current = None
    found = []
    for name in reversed(store.ids(table, device)):
        try:
            found.append(Line(name, name == current, store.load(table, device, name)))
        except CalibrationError as error:
            found.append(Line(name, name == current, None, error.problems))
    return found


def pointer_problem(store: CalibrationStore, table: str, device: str) -> str | None:
    """Why it cannot be told which calibration counts, and what to do."""
    known = store.ids(table, device)
    try:
        current = store.current(table, device)
    except CalibrationError as error:
        return f"{error.path}: {'; '.join(error.problems)}"
    if current is None and known:
        return f"{store.folder(table, device)}: none counts: choose one with files rollback --to ID"
    if current is not None and current not in known:
        pointer = store.folder(table, device) / CURRENT
        return f"{pointer}: names {current}, which is not there: choose another one with files rollback --to ID"
    return None


def one_before(store: CalibrationStore, table: str, device: str, after: str | None) -> str:
    """The id of the calibration before that one. Raises ``CalibrationError`` where there is none."""
    known = store.ids(table, device)
    if after not in known:
        there = ", ".join(reversed(known)) or "none"
        what = f"{after} is not there" if after is not None else "none counts"
        raise CalibrationError(
            store.folder(table, device), [f"{what}, so none is before it: name one; there are: {there}"]
        )
    place = known.index(after)
    if place == 0:
        raise CalibrationError(store.folder(table, device), [f"there is none before {after}"])
    return known[place - 1]


def take_in(
    store: CalibrationStore,
    *,
    table: str,
    device: str,
    driver_name: str,
    kind: str,
    by: str,
    serial: str | None,
    file: Path,
    beside: Sequence[Path],
) -> Calibration:
    """A calibration of the files, current from now on.

    Raises ``BadImport`` where the station could not use it, ``CalibrationError`` and ``OSError`` as the store does.
    """
    try:
        driver = load_driver(driver_name)
    except UnknownDriver as error:
        raise BadImport(str(error)) from error
    slot, game = _slot(driver, kind)
    if problem := _unclear(slot, file, beside):
        raise BadImport(problem)
    data = file.read_bytes()
    values: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    if slot.file is None:
        values = _values(file, data)
    else:
        files = {slot.file: data} | {other.name: other.read_bytes() for other in beside}
    # Looked at as it will lie in the store: a file that was forgotten must not be found beside the original.
    with tempfile.TemporaryDirectory() as name:
        for each, content in files.items():
            (Path(name) / each).write_bytes(content)
        kept = Path(name) / (slot.file or "")
        figures = {key: value for key, value in values.items() if key != EXPECT}
        wanted: Any = figures if slot.file is None else str(kept)
        problems = _driver_problems(driver, slot, wanted) if game is None else _game_problems(game, slot, wanted)
        problems = [problem.replace(str(kept), str(file)) for problem in problems]
        if not problems and EXPECT not in values and (expected := _expected(kind, kept)):
            values[EXPECT] = expected
    try:
        expectations(values)
    except ValueError as error:
        problems.append(str(error))
    if problems:
        raise BadImport(f"{file}: {'; '.join(problems)}")
    made = dt.datetime.now(dt.UTC)
    before = store.current(table, device)
    return store.save(
        Draft(
            kind=kind,
            table=table,
            device=device,
            driver=driver_name,
            serial=serial,
            by=by,
            tool=TOOL,
            based_on=before,
            values=values,
            files=files,
        ),
        made,
    )


def _slot(driver: Driver, kind: str) -> tuple[CalibrationSlot, str | None]:
    """Where a calibration of this kind goes, and the game whose setting that is."""
    if driver.calibration is not None:
        slots: list[tuple[CalibrationSlot, str | None]] = [(driver.calibration, None)]
    else:
        slots = [(slot, name) for name in game_names() if (slot := load_game(name).calibration) is not None]
    for slot, name in slots:
        if slot.kind == kind:
            return slot, name
    known = ", ".join(sorted(slot.kind for slot, _ in slots))
    raise BadImport(f"--kind {kind}: {driver.name} has no such calibration; there are: {known}")


def _unclear(slot: CalibrationSlot, file: Path, beside: Sequence[Path]) -> str | None:
    """Why it is not clear which file is meant: each has one name in the store."""
    if slot.file is None:
        given = ", ".join(map(str, beside))
        return f"{given}: a {slot.kind} has values alone, no files; leave it out" if beside else None
    taken = {slot.file: file}
    for other in beside:
        if other.name in taken:
            return (
                f"{other}: {taken[other.name]} takes the name {other.name} already: give each file once, and another "
                "name where both are needed"
            )
        taken[other.name] = other
    return None


def _values(file: Path, data: bytes) -> dict[str, Any]:
    try:
        return decode_json(data, dict[str, Any])
    except msgspec.DecodeError as error:
        raise BadImport(f"{file}: is no JSON object: {error}") from error


def _expected(kind: str, file: Path) -> dict[str, Any]:
    """What readings should be like by a file that was checked; half of what the station itself refuses is drift."""
    if kind == "dice-rig":
        from dealer_drivers.dice.profile import load_profile

        profile = load_profile(file).content
        return {"die_px": {"value": profile.die_px, "tolerance": profile.die_px * profile.tolerances.size / 2}}
    if kind == "colour-wheel":
        from dealer_daemon.validation.turn_map import load_wheel
        from dealer_daemon.validation.turn_rules import TurnRules

        reference_deg = load_wheel(file).file.reference_deg
        tolerance_deg = TurnRules(wheel=str(file)).reference_tolerance_deg / 2
        return {} if reference_deg is None else {"index_deg": {"value": reference_deg, "tolerance": tolerance_deg}}
    return {}


def _driver_problems(driver: Driver, slot: CalibrationSlot, value: object) -> list[str]:
    if not slot.key:
        return [f"a {slot.kind} has values.{EXPECT} alone"] if value else []
    try:
        options = msgspec.convert({slot.key: value}, driver.options, strict=True)
    except msgspec.ValidationError as error:
        return [str(error)]
    # ``problems`` is of each driver's own code: only what concerns the calibration is asked here.
    return [wrong.reason for wrong in options.problems() if wrong.key == slot.key]


def _game_problems(name: str, slot: CalibrationSlot, value: object) -> list[str]:
    game = load_game(name)
    wanted: Any = value
    for key in reversed(slot.key.split(".")):
        wanted = {key: wanted}
    try:
        settings = msgspec.convert(wanted, game.settings, strict=True)
    except msgspec.ValidationError as error:
        return [str(error)]
    found: list[tuple[str, str]] = game.check(settings, [])
    return [f"{key}: {reason}" for key, reason in found if key.startswith(slot.key)]
