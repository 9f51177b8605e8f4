"""What other programs, and people, ask of a running simulation by its control port: ``hw-sim tell`` and ``look``."""

from __future__ import annotations

import json
import shlex
import socket
from pathlib import Path
from typing import Any

from hw_sim.house import started_by

CONTROL_FILE = "control"
"""In the folder of the ports: the control port's address."""
WITHIN_S = 10.0


class NotThere(ValueError):  # noqa: N818
    """What was asked for is not there. The text says why."""


class NotRunning(Exception):  # noqa: N818
    """The simulation cannot be asked, for it does not run. The text says how to start it."""


def tell(control: str, device: str, word: str) -> int:
    """Says a word; without one, prints those that may be said. The exit code. Raises as ``ask``."""
    if word:
        ask(control, {"do": "tell", "device": device, "word": word})
        return 0
    words = ask(control, {"do": "words", "device": device})["words"]
    if not words:
        print(f"nobody stands at {device}")
    _print(words)
    return 0


def look(control: str, device: str, what: str | None) -> int:
    """Prints what is seen, or ``what`` alone. The exit code. Raises as ``ask``."""
    seen = ask(control, {"do": "look", "device": device})["seen"]
    if what is None:
        _print(seen or {device: "nothing to be seen"})
    elif what in seen:
        print(seen[what])
    else:
        raise NotThere(f"{device} shows no {what!r}; there are: {', '.join(seen) or 'none'}")
    return 0


def ask(control: str, request: dict[str, Any]) -> dict[str, Any]:
    """One request to the control port, given as its address or as the run's folder; the answer.

    Raises ``NotThere`` where that is no control port, or the answer is that it cannot be; ``NotRunning`` where nobody
    listens, or answers.
    """
    host, port = _address(control)
    try:
        with socket.create_connection((host, port), timeout=WITHIN_S) as connection:
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as lines:
                line = lines.readline()
    except TimeoutError as error:
        raise NotRunning(f"{control}: the simulation does not answer within {WITHIN_S:g} s: is it stopped?") from error
    except OSError as error:
        raise NotRunning(_ended(control)) from error
    if not line:
        raise NotRunning(_ended(control))
    answer: dict[str, Any] = json.loads(line)
    if not answer["ok"]:
        raise NotThere(str(answer["error"]))
    return answer


def _address(control: str) -> tuple[str, int]:
    given = control
    if Path(control).is_dir():
        path = Path(control) / CONTROL_FILE
        try:
            given = path.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise NotThere(f"{path}: no simulation was started with this run-dir ({error.strerror})") from error
    host, _, port = given.removeprefix("tcp://").rpartition(":")
    if not port.isdecimal():
        raise NotThere(f"{control} is no control port: write tcp://127.0.0.1:PORT, or the run's --run-dir")
    return host, int(port)


def _ended(control: str) -> str:
    if not Path(control).is_dir():
        return f"{control}: no simulation listens there: it has ended, or `hw-sim run` printed another control port"
    again = started_by(Path(control)) or f"hw-sim run SCENARIO --run-dir {shlex.quote(control)}"
    return f"{control}: the simulation does not run; start it in a terminal of its own: {again}"


def _print(words: dict[str, str]) -> None:
    width = max(map(len, words), default=0)
    for word, meaning in words.items():
        print(f"{word:<{width}}  {meaning}")
