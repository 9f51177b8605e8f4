"""For every test: nothing may be left behind, and real recordings are read in place or not at all."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]

# A busy machine is no error of what is tested.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

# Who runs the tests in the background of a shell has children that no Ctrl-C reaches; ours must hear it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

GRACE_S = 2.0
"""How long what a test started may take to end after the test. Waited for, never slept through."""


def child_processes() -> dict[int, str]:
    """This process's children, the dead but unreaped ones too: pid to name and state."""
    children = {}
    for pid in child_pids():
        try:
            head, _, tail = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")
        except (FileNotFoundError, ProcessLookupError):
            continue  # ended while we looked
        state, parent = tail.split()[:2]
        if int(parent) == os.getpid():
            name = head.partition(" (")[2]
            children[pid] = f"{name}, ended but never waited for" if state == "Z" else name
    return children


def child_pids() -> list[int]:
    """From the kernel's own lists, one for each thread that started some: every test asks two times and more, and to
    look through all processes of a machine costs milliseconds. A kernel without the lists is looked through."""
    if not Path("/proc/thread-self/children").exists():
        return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    pids: list[int] = []
    for thread in Path("/proc/self/task").iterdir():
        try:
            pids += map(int, (thread / "children").read_text().split())
        except (FileNotFoundError, ProcessLookupError):
            continue  # the thread ended; its children are another's now
    return pids


def leaked_threads(before: set[threading.Thread], until: float) -> list[str]:
    """Threads that were not there before and do not end in time."""
    started = [thread for thread in threading.enumerate() if thread not in before]
    for thread in started:
        thread.join(max(0.0, until - time.monotonic()))
    return [f"thread {thread.name!r}" for thread in started if thread.is_alive()]


def leaked_processes(before: dict[int, str], until: float) -> list[str]:
    """Children that were not there before and do not end in time, or that nobody waited for."""
    for pid in child_processes().keys() - before.keys():
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        try:
            select.select([handle], [], [], max(0.0, until - time.monotonic()))
        finally:
            os.close(handle)
    return [f"child process {pid} ({name})" for pid, name in child_processes().items() if pid not in before]


@pytest.fixture
async def no_leaked_tasks() -> AsyncIterator[None]:
    """Fails an asynchronous test that leaves a task running. Runs in the test's own loop, after its fixtures."""
    before = asyncio.all_tasks()
    yield
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    if left:
        _, left = await asyncio.wait(left, timeout=GRACE_S)
    names = sorted(f"{task.get_name()}: {task.get_coro()!r}" for task in left)
    assert not names, f"the test left asyncio tasks running: {'; '.join(names)}"


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails any test that leaves a task, a thread or a process."""
    threads, processes = set(threading.enumerate()), child_processes()
    if request.node.get_closest_marker("asyncio"):  # given to every asynchronous test by asyncio_mode = "auto"
        request.getfixturevalue("no_leaked_tasks")
    yield
    until = time.monotonic() + GRACE_S
    left = leaked_threads(threads, until) + leaked_processes(processes, until)
    assert not left, f"the test left running: {'; '.join(left)}"


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Recordings of real devices, outside the repository: ``DEALER_REAL_DATA`` names the folder."""
    folder = os.environ.get("DEALER_REAL_DATA")
    if not folder:
        pytest.skip("DEALER_REAL_DATA is unset: the recordings of real devices are not on this machine")
    path = Path(folder)
    assert path.is_dir(), f"DEALER_REAL_DATA={folder} is no folder"
    return path


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout's root."""
    return Path(__file__).resolve().parent.parent
