"""The lines of a journal, as the daemon's own command exports them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from dealer_calibration.cli.exit_codes import NO, UNREACHABLE, WRONG
from dealer_daemon.config import load_config

FILE_NAME = "journal.sqlite3"
"""The journal's file in ``state_dir``."""


class NoExportError(Exception):
    """The journal cannot be exported; ``text`` is what the command said, ``code`` its exit code."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


def journal_of(config: Path) -> Path:
    """The journal of the station that the configuration file names. Raises ``ConfigErrors``."""
    return Path(load_config(config).station.state_dir) / FILE_NAME


@contextmanager
def export_of(journal: Path, table: str | None) -> Iterator[IO[bytes]]:
    """The lines of ``dealer-daemon journal export --json``, as they come.

    A process of its own, because the bench does not know how a journal is stored. It only reads, also beside a running
    daemon. Raises ``NoExportError`` at the end when the command failed; then nothing that was read before counts.
    """
    command = [sys.executable, "-m", "dealer_daemon", "journal", "export", "--json"]
    if table is not None:
        command.append(f"--table={table}")
    command += ["--", str(journal)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        if process.stdout is None or process.stderr is None:
            raise AssertionError("pipes were asked for")
        try:
            yield process.stdout
        except BaseException:
            process.kill()
            raise
        # It says little, and only at its end: no pipe fills up while the other is read.
        text = process.stderr.read().decode(errors="replace").strip()
        code = process.wait()
    if code in (NO, WRONG, UNREACHABLE):
        raise NoExportError(text, code)
    if code:
        raise NoExportError(f"{journal}: the export ended with code {code}: {text or 'it said nothing'}; try again", NO)
