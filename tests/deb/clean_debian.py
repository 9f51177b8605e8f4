"""A bare Debian 12 below a folder, made by debootstrap: first as a root that programs run in, then booted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

NEEDED = ("debootstrap", "systemd-nspawn", "nsenter", "mount")
PATIENCE_S = 120.0


def why_not() -> str:
    """Why such a root cannot be made here; empty when it can."""
    missing = [tool for tool in NEEDED if not shutil.which(tool)]
    if missing:
        return f"missing: {', '.join(missing)}"
    return "" if os.geteuid() == 0 else "only root may mount and change its root"


def say(text: str) -> None:
    """Progress: one line with the time of day."""
    print(f"== {time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


@dataclass
class CleanDebian:
    """The root. ``run`` goes into it: by chroot, or to the booted system."""

    path: Path
    leader: int | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self, *command: str, check: bool = True, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command as root in it."""
        into = ["chroot", str(self.path)]
        if self.leader is not None:
            into = ["nsenter", f"--target={self.leader}", *["-m", "-u", "-i", "-n", "-p", "-C"], "--root", "--wd", "--"]
        result = subprocess.run(
            [*into, *command],
            input=text or "",
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"},
        )
        if check:
            assert result.returncode == 0, f"{' '.join(command)}: {result.returncode}\n{result.stdout}{result.stderr}"
        return result

    def said(self, *command: str) -> str:
        return self.run(*command).stdout.strip()

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.seconds[what] = time.monotonic() - began
        say(f"{what}: {self.seconds[what]:.0f} s")

    def wait_for(self, what: str, condition: Callable[[], bool]) -> None:
        """Look again and again until it holds."""
        until = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < until, f"{what}: not within {PATIENCE_S:.0f} s"
            time.sleep(0.2)

    @contextmanager
    def mounted(self) -> Iterator[None]:
        """What programs expect of a running system: processes, terminals, shared memory."""
        with ExitStack() as stack:
            for kind, place, options in (
                ("proc", "proc", "defaults"),
                ("devpts", "dev/pts", "newinstance,ptmxmode=0666"),
                ("tmpfs", "dev/shm", "defaults"),
            ):
                (self.path / place).mkdir(exist_ok=True)
                subprocess.run(["mount", "-t", kind, "-o", options, kind, self.path / place], check=True)
                stack.callback(subprocess.run, ["umount", self.path / place], check=True)
            ptmx = self.path / "dev/ptmx"
            ptmx.unlink(missing_ok=True)
            ptmx.symlink_to("pts/ptmx")
            yield

    @contextmanager
    def booted(self) -> Iterator[None]:
        """Its own systemd as process 1, with a loopback interface and no other network."""
        # A machine's id is made at its first start; journald and systemd take it as given after that.
        log = self.path.parent / "boot.log"
        with log.open("wb") as out:
            nspawn = subprocess.Popen(
                [
                    *("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network"),
                    *(f"--directory={self.path}", "--boot"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self.wait_for("a process 1", lambda: _leader(nspawn.pid) is not None)
            self.leader = _leader(nspawn.pid)
            self.run("systemctl", "is-system-running", "--wait", check=False)
            yield
            self.run("systemctl", "poweroff")
            nspawn.wait(PATIENCE_S)
        except BaseException:
            say(log.read_text(errors="replace")[-2000:])
            raise
        finally:
            self.leader = None
            if nspawn.poll() is None:
                nspawn.kill()
                nspawn.wait()


def _leader(nspawn: int) -> int | None:
    """The container's process 1: the child that is systemd itself."""
    try:
        children = Path(f"/proc/{nspawn}/task/{nspawn}/children").read_text().split()
        return next((int(child) for child in children if _name(child) == "systemd"), None)
    except FileNotFoundError:
        return None


def _name(pid: str) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def debootstrap(path: Path) -> CleanDebian:
    """A new root with the essential packages alone."""
    root = CleanDebian(path)
    with root.timed("debootstrap"):
        subprocess.run(
            ["debootstrap", "--variant=minbase", "bookworm", path], check=True, capture_output=True, text=True
        )
    return root
