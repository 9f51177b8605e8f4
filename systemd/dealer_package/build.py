"""Putting the package together: the files, the environment, the control files, ``dpkg-deb``."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dealer_daemon.journal.ddl import SCHEMA_VERSION
from dealer_package.control import NAME, ROOT, SCRIPTS, control, maintainer_script
from dealer_package.environment import make_environment, run
from dealer_package.layout import BuildError, stage_files

Say = Callable[[str], None]


def build(out: Path, version: str, say: Say, level: int = 6) -> Path:
    """Make ``out/dealer-station_VERSION_ARCH.deb``; answers its path. ``level`` is xz's, 0 to 9.

    Raises ``BuildError``.
    """
    with tempfile.TemporaryDirectory(prefix="dealer-deb-") as place:
        folder = Path(place)
        stage, work = folder / "stage", folder / "work"
        stage.mkdir()
        work.mkdir()
        say("laying out files, man pages and completions")
        stage_files(stage, version, source_epoch_s())
        say("installing the versions of requirements.lock into its own environment")
        make_environment(stage, work)
        say(f"packing (xz -{level})")
        return pack(stage, out, version, f"xz{level}")


def pack(stage: Path, out: Path, version: str, compression: str, schema_version: int = SCHEMA_VERSION) -> Path:
    """Pack what lies below ``stage``, with the control files. ``compression`` is what dpkg-deb is told: ``"xz6"``,
    ``"none0"``. Names, modes, owners and times depend on the content and the newest commit alone.

    Raises ``BuildError``.
    """
    epoch_s = source_epoch_s()
    architecture = _said("dpkg", "--print-architecture")
    size, sums = _measure(stage)
    folder = stage / "DEBIAN"
    folder.mkdir(exist_ok=True)
    (folder / "control").write_text(control(version, architecture, size), encoding="utf-8")
    (folder / "md5sums").write_text(sums, encoding="utf-8")
    for name in SCRIPTS:
        (folder / name).write_text(maintainer_script(name, schema_version), encoding="utf-8")
    _set_modes_and_times(stage, epoch_s)
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{NAME}_{version}_{architecture}.deb"
    run(
        *("dpkg-deb", "--root-owner-group", f"-Z{compression[:-1]}", f"-z{compression[-1]}", "--build", stage, target),
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch_s)},
    )
    return target


def source_epoch_s() -> int:
    """When the newest commit was made, as Unix seconds; ``SOURCE_DATE_EPOCH`` where that is set; else now."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    try:
        return int(_said("git", "-C", str(ROOT), "log", "-1", "--format=%ct"))
    except BuildError:
        return int(time.time())


def _measure(stage: Path) -> tuple[int, str]:
    """Installed size in KiB, as dpkg counts it (each file rounded up, one for a folder or link), and the md5sums."""
    size, sums = 0, []
    for path in sorted(stage.rglob("*")):
        place = path.relative_to(stage)
        if place.parts[0] == "DEBIAN":
            continue
        if path.is_symlink() or path.is_dir():
            size += 1
            continue
        content = path.read_bytes()
        size += -(-len(content) // 1024)
        sums.append(f"{hashlib.md5(content, usedforsecurity=False).hexdigest()}  {place}\n")
    return size, "".join(sums)


def _set_modes_and_times(stage: Path, epoch_s: int) -> None:
    for path in (stage, *stage.rglob("*")):
        if path.is_symlink():
            continue
        place = path.relative_to(stage)
        script = place.parts[:1] == ("DEBIAN",) and path.name in SCRIPTS
        runs = script or place.parts[:-1] == ("opt", NAME, "bin")
        path.chmod(0o755 if path.is_dir() or runs else 0o644)
        os.utime(path, (epoch_s, epoch_s))


def _said(*command: str) -> str:
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise BuildError(f"{command[0]} is not on this machine: the package is made on Debian 12") from error
    if result.returncode:
        raise BuildError(f"{' '.join(command)}: {result.stderr.strip()}")
    return result.stdout.strip()
