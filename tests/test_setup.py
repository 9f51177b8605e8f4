"""The set-up scripts: nothing is done when all is there, and what cannot be done is said with what to do."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def fake_system(tmp_path: Path) -> Path:
    """A PATH with the shell's own tools, and an apt-get and id that only speak."""
    for tool in ("bash", "dirname", "env", "sh"):
        found = next(folder for folder in os.get_exec_path() if (Path(folder) / tool).exists())
        (tmp_path / tool).symlink_to(Path(found) / tool)
    (tmp_path / "present").write_text("#!/bin/sh\n")
    (tmp_path / "apt-get").write_text('#!/bin/sh\necho "apt-get $* ($DEBIAN_FRONTEND)"\n')
    (tmp_path / "id").write_text('#!/bin/sh\necho "${FAKE_UID}"\n')
    for tool in ("present", "apt-get", "id"):
        (tmp_path / tool).chmod(0o755)
    return tmp_path


def run(repository: Path, path: Path, *arguments: str, uid: int = 0) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(repository / "scripts" / arguments[0]), *arguments[1:]],
        env={"PATH": str(path), "FAKE_UID": str(uid)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_is_there_is_not_installed(repository: Path, fake_system: Path) -> None:
    result = run(repository, fake_system, "system-packages", "present:some-package", uid=1000)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_root_installs_what_is_missing_alone(repository: Path, fake_system: Path) -> None:
    result = run(
        repository, fake_system, "system-packages", "present:some-package", "absent:another", "venv:python3-venv"
    )
    assert result.returncode == 0
    assert result.stdout.splitlines() == [
        "== installing Debian packages: another python3-venv",
        "apt-get update -q -y (noninteractive)",
        "apt-get install -q -y --no-install-recommends another python3-venv (noninteractive)",
    ]


def test_a_library_is_looked_for_where_programs_find_it(repository: Path, fake_system: Path) -> None:
    there = run(repository, fake_system, "system-packages", "libc.so.6:some-package")
    assert (there.returncode, there.stdout) == (0, "")
    missing = run(repository, fake_system, "system-packages", "libnowhere.so.0:libnowhere0")
    assert missing.stdout.startswith("== installing Debian packages: libnowhere0\n")


def test_others_are_told_what_to_install(repository: Path, fake_system: Path) -> None:
    result = run(repository, fake_system, "system-packages", "absent:another", uid=1000)
    assert result.returncode == 2
    assert "sudo apt-get install another" in result.stderr
    assert not result.stdout


def test_without_apt_the_packages_are_named(repository: Path, fake_system: Path) -> None:
    (fake_system / "apt-get").unlink()
    result = run(repository, fake_system, "system-packages", "absent:another")
    assert result.returncode == 2
    assert "missing on this machine: another" in result.stderr


def test_an_old_python_is_refused_and_a_new_one_taken(repository: Path, fake_system: Path) -> None:
    result = run(repository, fake_system, "python")
    assert result.returncode == 2
    assert "needs Python 3.11 or newer" in result.stderr
    old = fake_system / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    assert run(repository, fake_system, "python").returncode == 2
    new = fake_system / "python3.11"
    new.write_text("#!/bin/sh\nexit 0\n")
    new.chmod(0o755)
    assert run(repository, fake_system, "python").stdout.strip() == str(new)
