"""A law ends: whatever the driver does, after so much of the processor's time the law is broken, with words."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from dealer_drivers.conformance.check import Broken

AGAIN_S = 0.05


class TooLong(Broken):
    """A law took longer than it may."""


class _Over(BaseException):
    """Not an ``Exception``: a driver that catches those does not catch this one."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises ``TooLong`` once what is done in it has taken ``seconds`` of the processor's time.

    Only in the main thread, where signals arrive; elsewhere there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPROF, _over)
    # Again and again: what is raised in a finalizer or a callback of the garbage collector is lost.
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN_S)
    try:
        yield
    except _Over:
        raise TooLong(
            f"this law took more than {seconds:g} s of the processor's time: the driver is too slow, or never answers; "
            "for many cases or long examples give the laws more time"
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _over(*_: object) -> NoReturn:
    raise _Over
