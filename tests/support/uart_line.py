"""A serial line with a speed of its own, on a pty: who reads it at another speed reads what a real port would.

A thread of its own stands for the device, so that commands in other processes can be tested, too.
"""

from __future__ import annotations

import contextlib
import os
import termios
import threading
import tty
from collections.abc import Iterator
from pathlib import Path

from hw_sim.shoe.uart import at_wrong_speed

SPEEDS = {getattr(termios, f"B{baud}"): baud for baud in (1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400)}


@contextlib.contextmanager
def uart_line(link: Path, line: bytes, baud: int, *, every_s: float = 0.02, answers: bool = False) -> Iterator[str]:
    """A port that says ``line`` again and again at ``baud``; with ``answers`` only after each byte that it heard at
    that speed. The port's name."""
    leader, follower = os.openpty()
    tty.setraw(follower)
    link.symlink_to(os.ttyname(follower))
    over = threading.Event()

    def speak() -> None:
        os.set_blocking(leader, False)
        while not over.wait(every_s):
            read_baud = SPEEDS.get(termios.tcgetattr(follower)[5], baud)
            heard = b""
            with contextlib.suppress(BlockingIOError):
                heard = os.read(leader, 4096)
            if answers and not (heard and read_baud == baud):
                continue
            with contextlib.suppress(BlockingIOError):
                os.write(leader, at_wrong_speed(line, baud, read_baud) if read_baud != baud else line)

    thread = threading.Thread(target=speak, name="uart line")
    thread.start()
    try:
        yield str(link)
    finally:
        over.set()
        thread.join()
        os.close(leader)
        os.close(follower)
        link.unlink()
