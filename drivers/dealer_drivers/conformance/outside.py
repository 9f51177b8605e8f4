"""Watches for calls of the world outside: of clocks, chance, files, the network, processes and threads."""

from __future__ import annotations

import gc
import inspect
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

MODULES = frozenset({"time", "posix", "nt", "_socket", "_random", "_posixsubprocess", "_ssl"})
"""Of which no function written in C may be called, whatever it is imported as, but for ``HARMLESS``."""
HARMLESS = frozenset({"fspath", "_path_normpath", "_path_splitroot", "_path_splitroot_ex", "_inputhook"})
FUNCTIONS = frozenset({"open", "print", "input", "start_new_thread", "start_joinable_thread", "open_code"})
"""Of ``builtins``, ``_io`` and ``_thread``."""
NOW = frozenset({"now", "utcnow", "today"})
FILES = frozenset({"random.py", "secrets.py", "uuid.py", "socket.py", "subprocess.py", "tempfile.py"})
"""Of Python's own library, from which nothing may be called."""
ENVIRONMENT = frozenset(one.__code__ for one in vars(type(os.environ)).values() if inspect.isfunction(one))
LIBRARY = str(Path(os.__file__).parent)


@contextmanager
def watched() -> Iterator[list[str]]:
    """The names of what is called outside in the meantime, in order; the calls are done."""
    called: list[str] = []

    def watch(frame: FrameType, event: str, arg: Any) -> None:
        name = _called_c(arg) if event == "c_call" else _called(frame) if event == "call" else ""
        if name:
            called.append(name)

    collecting = gc.isenabled()
    before = sys.getprofile()
    gc.disable()  # what is thrown away now is not the session's
    sys.setprofile(watch)
    try:
        yield called
    finally:
        sys.setprofile(before)
        if collecting:
            gc.enable()


def _called_c(function: Any) -> str:
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", None)
    if module in MODULES and name not in HARMLESS:
        return f"{'os' if module in ('posix', 'nt') else module}.{name}"
    if module in ("builtins", "_io", "io", "_thread") and name in FUNCTIONS:
        return name
    owner = getattr(function, "__self__", None)
    if name in NOW and isinstance(owner, type) and owner.__module__ == "datetime":
        return f"{owner.__qualname__}.{name}"
    return ""


def _called(frame: FrameType) -> str:
    code = frame.f_code
    if code in ENVIRONMENT:
        return "os.environ"
    folder, _, file = code.co_filename.rpartition(os.sep)
    if folder == LIBRARY and file in FILES:
        return f"{file.removesuffix('.py')}.{code.co_qualname}"
    return f"threading.{code.co_qualname}" if folder == LIBRARY and code.co_qualname == "Thread.start" else ""
