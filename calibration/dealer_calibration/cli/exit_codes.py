"""Exit codes of every command, the same as the daemon's, and how a command complains."""

from __future__ import annotations

import sys

DONE = 0
NO = 1
"""The answer is no: a reading was refused."""
WRONG = 2
"""The command or its configuration is wrong."""
UNREACHABLE = 3
"""A device could not be reached."""
INTERRUPTED = 130

EXIT_CODES = """\
exit codes:
  0    done
  1    the answer is no: a check failed, a reading was refused
  2    the command or its configuration is wrong (said on stderr: file, key, reason)
  3    a device, a broker or the daemon could not be reached
  130  interrupted
"""


def complain(text: str, code: int) -> int:
    """Say ``text`` on stderr and answer ``code``."""
    print(text, file=sys.stderr)
    return code
