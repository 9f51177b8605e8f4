"""A real systemd as process 1 of name spaces of its own, on an overlay of this machine's root: nothing here is changed.

It has the station's unit as it is shipped, a user of its own, and runs one shell script, whose output is the answer.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

SYSTEMD = Path("/usr/lib/systemd/systemd")
PYTHON = Path(f"/usr/bin/python3.{sys.version_info.minor}")
"""Below /usr: the unit may not look into homes, where the interpreter of a virtual environment may be."""
NOT_HERE = (
    "systemd-udevd systemd-udev-trigger systemd-udev-settle systemd-timesyncd systemd-networkd systemd-journal-flush"
)

BOOT = """\
set -e
mount -t tmpfs tmpfs {root}
mkdir {root}/up {root}/work {root}/m
mount -t overlay overlay -o lowerdir=/,upperdir={root}/up,workdir={root}/work {root}/m
M={root}/m
mount -t proc proc $M/proc
mount -t sysfs sysfs $M/sys -o ro
mount -t cgroup2 cgroup2 $M/sys/fs/cgroup
mount --rbind /dev $M/dev
mount -t tmpfs tmpfs $M/run
mkdir -p $M/run/systemd/system $M/etc/dealer-station $M/opt/dealer-station/bin $M/opt/source $M/opt/out
mount --bind {repository} $M/opt/source
mount --bind {out} $M/opt/out
for unit in {masked}; do ln -s /dev/null $M/run/systemd/system/$unit.service; done
cp -r {files}/. $M/
chmod 755 $M/opt/dealer-station/bin/dealer-daemon
chroot $M systemd-sysusers /opt/source/systemd/sysusers.conf
chroot $M chgrp -R dealer /etc/dealer-station
mount --make-rshared {root}/m
export container=dealer-test
exec chroot $M {systemd} --system --unit=dealer-test.target --log-target=console --log-level=notice --show-status=no
"""
TARGET = """\
[Unit]
Requires=systemd-journald.service dealer-test.service
After=systemd-journald.service
AllowIsolate=yes
"""
SERVICE = """\
[Unit]
DefaultDependencies=no
After=systemd-journald.service
[Service]
Type=oneshot
ExecStart=/bin/bash /opt/out/script
StandardOutput=file:/opt/out/said
StandardError=file:/opt/out/said
"""
DAEMON = """\
#!/bin/sh
S=/opt/source
export PYTHONPATH=$S/drivers:$S/daemon:$S/.venv/lib/{python}/site-packages
exec /usr/bin/{python} -m dealer_daemon "$@"
"""
END = "\necho THE-END; systemctl --force poweroff || kill -RTMIN+4 1\n"


def skip_where_it_cannot_run() -> None:
    """Says what is missing."""
    for missing, reason in (
        (os.geteuid() != 0, "only root may make name spaces with mounts"),
        (not SYSTEMD.exists() or shutil.which("systemd-sysusers") is None, f"{SYSTEMD} is missing"),
        (not PYTHON.exists(), f"{PYTHON} is missing: the unit's interpreter must not be in a home"),
        (_cgroups() is None, "no cgroup2 is mounted"),
    ):
        if missing:
            pytest.skip(f"no real systemd can run here: {reason}")
    tried = subprocess.run(
        ["unshare", "--mount", "--pid", "--cgroup", "--fork", "true"], capture_output=True, check=False, timeout=30
    )
    if tried.returncode:
        pytest.skip(f"no real systemd can run here: {tried.stderr.decode().strip()}")


def _cgroups() -> Path | None:
    for line in Path("/proc/self/mounts").read_text().splitlines():
        fields = line.split()
        if fields[2] == "cgroup2":
            return Path(fields[1])
    return None


def run_under_systemd(folder: Path, repository: Path, script: str, files: Mapping[str, str], within_s: float) -> str:
    """What ``script`` said. ``files`` are put into the root, by path, beside the unit."""
    tree, out, root = folder / "files", folder / "out", folder / "root"
    for made in (tree, out, root):
        made.mkdir()
    units = "run/systemd/system"
    unit = (repository / "systemd/dealer-station.service").read_text()
    python = f"python3.{sys.version_info.minor}"
    every = {
        f"{units}/dealer-station.service": unit,
        f"{units}/dealer-test.target": TARGET,
        f"{units}/dealer-test.service": SERVICE,
        "opt/dealer-station/bin/dealer-daemon": DAEMON.format(python=python),
        **files,
    }
    for name, text in every.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    (out / "script").write_text(script + END)
    boot = BOOT.format(root=root, repository=repository, out=out, masked=NOT_HERE, files=tree, systemd=SYSTEMD)
    with _own_cgroup() as group:
        command = [
            "unshare",
            "--mount",
            "--pid",
            "--uts",
            "--ipc",
            "--cgroup",
            "--fork",
            "--kill-child",
            "sh",
            "-c",
            boot,
        ]
        into = f'echo $$ > {group}/cgroup.procs && exec "$@"'
        with contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(
                ["sh", "-c", into, "sh", *command], capture_output=True, text=True, check=False, timeout=within_s
            )
            console = done.stdout + done.stderr
            said = (out / "said").read_text(errors="replace") if (out / "said").exists() else ""
            assert "THE-END" in said, f"{said}\n--- console:\n{console}"
            return said
    said = (out / "said").read_text(errors="replace") if (out / "said").exists() else "nothing"
    raise AssertionError(f"not done within {within_s:g} s; it said: {said}")


@contextlib.contextmanager
def _own_cgroup() -> Iterator[Path]:
    """systemd is to rule over a group of its own and nothing beside it."""
    above = _cgroups()
    assert above is not None
    group = above / f"dealer-test-{os.getpid()}"
    group.mkdir()
    try:
        yield group
    finally:
        for _ in range(100):
            with contextlib.suppress(OSError):
                for folder in sorted(group.rglob("*/"), reverse=True):
                    if folder.is_dir():
                        folder.rmdir()
                group.rmdir()
                break
            time.sleep(0.05)  # its processes are still ending
