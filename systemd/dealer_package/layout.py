"""Every file of the package but the Python environment: where it comes from, and where it lies once installed."""

from __future__ import annotations

import gzip
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from dealer_package.completion import PLACES, completion
from dealer_package.control import DEBIAN, NAME, ROOT, changelog
from dealer_package.manpages import man_page
from dealer_package.programs import PROGRAMS

HOME = "opt/dealer-station"
DOC = f"usr/share/doc/{NAME}"
SYSTEMD = ROOT / "systemd"
NOT_SHOWN = ("dealer_package", "debian", "udev")
"""Folders of ``systemd/`` that are no examples for other programs; drop-ins (``*.d``) are none either."""


class BuildError(Exception):
    """The package cannot be made here. The text says why, and what to do."""


def sources() -> Iterator[tuple[Path, str]]:
    """Files that are taken as they are, each with its place in the package."""
    yield SYSTEMD / "dealer-station.service", f"lib/systemd/system/{NAME}.service"
    yield SYSTEMD / "sysusers.conf", f"usr/lib/sysusers.d/{NAME}.conf"
    yield SYSTEMD / "tmpfiles.conf", f"usr/lib/tmpfiles.d/{NAME}.conf"
    for path in sorted(SYSTEMD.glob("*.service.d/*.conf")):
        yield path, f"lib/systemd/system/{path.parent.name}/{path.name}"
    for path in sorted((SYSTEMD / "udev").glob("*.rules")):
        yield path, f"lib/udev/rules.d/{path.name}"
    yield DEBIAN / "station.toml", f"usr/share/{NAME}/station.toml"
    yield DEBIAN / "copyright", f"{DOC}/copyright"
    yield DEBIAN / "lintian-overrides", f"usr/share/lintian/overrides/{NAME}"
    for path in _files_below(ROOT / "docs"):
        if path.parent.name != "site":
            yield path, f"{DOC}/{path.relative_to(ROOT / 'docs')}"
    for folder in sorted(SYSTEMD.iterdir()):
        if folder.is_dir() and folder.name not in NOT_SHOWN and folder.suffix != ".d":
            for path in _files_below(folder):
                yield path, f"{DOC}/examples/{path.relative_to(SYSTEMD)}"


def made(version: str, epoch_s: int) -> Iterator[tuple[str, bytes]]:
    """Files that are made here: place in the package, content."""
    date = time.strftime("%Y-%m-%d", time.gmtime(epoch_s))
    for program in PROGRAMS:
        yield f"usr/share/man/man1/{program.name}.1.gz", _compressed(man_page(program, version, date))
        for shell, place in PLACES.items():
            yield place.format(name=program.name), completion(program, shell).encode()
    yield f"{DOC}/changelog.gz", _compressed(changelog(version, epoch_s))


def stage_files(stage: Path, version: str, epoch_s: int) -> None:
    """Lay all of it below ``stage``. Raises ``BuildError`` naming what is missing."""
    for path, place in sources():
        if not path.is_file():
            raise BuildError(f"{path}: is not there, and the package takes it. Check out the whole repository")
        target = stage / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for place, content in made(version, epoch_s):
        target = stage / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    for program in PROGRAMS:
        link = stage / "usr/bin" / program.name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(f"/{HOME}/bin/{program.name}")
    (stage / "etc" / NAME).mkdir(parents=True)


def _files_below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith((".", "__pycache__", "node_modules")) for part in parts):
            yield path


def _compressed(text: str) -> bytes:
    return gzip.compress(text.encode(), 9, mtime=0)
