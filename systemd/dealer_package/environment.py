"""The package's own Python environment: Debian's interpreter, the packages of the lock file, this project."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dealer_package.control import NAME, ROOT
from dealer_package.layout import HOME, BuildError
from dealer_package.programs import PROGRAMS

INTERPRETER = Path("/usr/bin/python3.11")
"""Debian 12's. The environment is a few links to it and a folder of packages."""
KEPT = {"python", "python3", "python3.11", *(program.name for program in PROGRAMS)}


def make_environment(stage: Path, work: Path) -> None:
    """Build it below ``stage`` as it will lie below ``/``. Everything is from ``requirements.lock``, by hash, and as
    built files only: what had to be compiled here would not be what was tested.

    Raises ``BuildError``.
    """
    if not INTERPRETER.exists():
        raise BuildError(f"{INTERPRETER} is not here: the package is made on Debian 12. apt-get install python3")
    home = stage / HOME
    run(INTERPRETER, "-m", "venv", "--without-pip", home)
    python = home / "bin/python3"
    packages = home / "lib/python3.11/site-packages"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", work, ROOT)
    (wheel,) = work.glob("dealer_station-*.whl")
    install = (*pip, "--python", python, "install", "--no-compile", "--no-warn-script-location")
    run(*install, "--only-binary", ":all:", "--require-hashes", "-r", ROOT / "requirements.lock")
    run(*install, "--no-deps", "--no-index", wheel)
    unneeded = unneeded_packages(requirements_of(packages))
    if unneeded:
        run(*pip, "--python", python, "uninstall", "-y", *unneeded)
    relocate(home, stage)
    # Hashed, not dated: right whatever time the files have, and a file that a person mends is compiled anew.
    run(python, "-m", "compileall", "-q", "-s", stage, "-p", "/", "--invalidation-mode", "checked-hash", packages)


def requirements_of(packages: Path) -> dict[str, list[str]]:
    """What each installed package asks for, by canonical name."""
    found = distributions(path=[str(packages)])
    return {canonicalize_name(each.metadata["Name"]): each.requires or [] for each in found}


def unneeded_packages(requires: dict[str, list[str]]) -> list[str]:
    """Of all that is installed what neither the station nor its demo asks for: the build tools of the lock file."""
    needed: set[str] = set()
    open_ends = [(canonicalize_name(NAME), frozenset({"demo"}))]
    seen = set(open_ends)
    while open_ends:
        name, extras = open_ends.pop()
        needed.add(name)
        for requirement in map(Requirement, requires.get(name, [])):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras or {""}):
                end = (canonicalize_name(requirement.name), frozenset(requirement.extras))
                if end not in seen:
                    seen.add(end)
                    open_ends.append(end)
    return sorted(set(requires) - needed)


def relocate(home: Path, stage: Path) -> None:
    """Make every path in the environment the one that it has once installed, and leave out what only a person at a
    prompt or pip would use. Raises ``BuildError`` when the place of the build is still named somewhere."""
    final = f"/{HOME}"
    for path in (home / "bin").iterdir():
        if path.name not in KEPT:
            path.unlink()
        elif not path.is_symlink():
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(r"\A#!.*\n", f"#!{final}/bin/python3\n", text), encoding="utf-8")
            path.chmod(0o755)
    for name, target in (("python3.11", str(INTERPRETER)), ("python3", "python3.11"), ("python", "python3.11")):
        link = home / "bin" / name
        link.unlink(missing_ok=True)
        link.symlink_to(target)
    for name in ("include", "lib64"):
        path = home / name
        if path.is_symlink():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)
    version = next(line for line in (home / "pyvenv.cfg").read_text("utf-8").splitlines() if line.startswith("version"))
    (home / "pyvenv.cfg").write_text(
        f"home = {INTERPRETER.parent}\ninclude-system-site-packages = false\n{version}\n", encoding="utf-8"
    )
    for left in home.rglob("direct_url.json"):
        left.unlink()
    _see_that_the_place_is_not_named(home, stage)


def _see_that_the_place_is_not_named(home: Path, stage: Path) -> None:
    place = str(stage).encode()
    small = (path for path in home.rglob("*") if path.is_file() and path.stat().st_size < 4_000_000)
    named = [str(path.relative_to(stage)) for path in small if place in path.read_bytes()]
    if named:
        raise BuildError(f"the place where the package was made is still named in: {', '.join(named)}")


def run(*command: object, env: dict[str, str] | None = None) -> None:
    """Run a command; what it says is told when it fails. Raises ``BuildError``."""
    words: Sequence[str] = [str(word) for word in command]
    result = subprocess.run(words, capture_output=True, text=True, check=False, env=env)
    if result.returncode:
        raise BuildError(f"{' '.join(words)}: ended with {result.returncode}:\n{result.stdout}{result.stderr}".rstrip())
