"""How a guided command is called and ends: its common options, exit codes, Ctrl-C at any moment."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from dealer_calibration.bench.device import BenchDevice, BenchError, device_of, first_device_of
from dealer_calibration.bench.link import BenchLink
from dealer_calibration.bench.result import Result
from dealer_calibration.bench.results import NotKept, keep_result
from dealer_calibration.bench.taking import lent, taken
from dealer_calibration.bench.talk import Talk
from dealer_calibration.cli.exit_codes import INTERRUPTED, UNREACHABLE, WRONG, complain
from dealer_daemon.config import ConfigErrors
from dealer_drivers.clock import SystemClock
from dealer_drivers.errors import DeviceError


@dataclass(slots=True)
class Verdict:
    """What the command found, once it knows; ``None`` before."""

    result: Result | None = None


@dataclass(frozen=True, slots=True)
class BenchCommand:
    """What a guided command works with. Before it gives the device back it says what it found (``judged``): with
    ``--resume`` the table goes on only when nothing is wrong."""

    device: BenchDevice
    talk: Talk
    arguments: argparse.Namespace
    verdict: Verdict = field(default_factory=Verdict, kw_only=True)

    def judged(self, result: Result) -> Result:
        """This is what was found; told while the device is in the bench's hands. Answers it."""
        self.verdict.result = result
        return result

    def resumes(self) -> bool:
        """Whether the table may go on: it was asked for, and all that was found is right."""
        result = self.verdict.result
        if not self.arguments.resume or result is None:
            return False
        if not result.passed:
            self.talk.say("--resume: the table does not go on by itself, for something is not right", warn=True)
        return result.passed

    def taken(self) -> AbstractAsyncContextManager[BenchLink]:
        """The device in the bench's hands and opened, as the options say (``bench.taking``)."""
        return taken(self.device, clock=SystemClock(self.arguments.speed), **self._how())

    def lent(self) -> AbstractAsyncContextManager[None]:
        """The device in the bench's hands, for commands that open it in their own way."""
        return lent(self.device, **self._how())

    def _how(self) -> dict[str, Any]:
        arguments = self.arguments
        return {"by": arguments.by, "wait_s": arguments.wait, "resume": self.resumes, "say": self.talk.say}


Body = Callable[[BenchCommand], Awaitable[Result]]


def run_bench(arguments: argparse.Namespace, body: Body, *, calibrated: bool = True, keep: bool = True) -> int:
    """Run a guided command: find its device, talk, keep the result, show it. ``calibrated=False``: the device may be
    without calibration. A command on a whole table, without ``--device``, gets the table's first.

    Exit codes: 0 passed, 1 not, 2 the configuration or an answer is wrong, 3 a device or station cannot be reached,
    130 interrupted.
    """
    answers = dict(arguments.answer)
    talk = Talk(as_json=arguments.json, ask=not arguments.yes, answers=answers)
    try:
        name = getattr(arguments, "device", None)
        if name is None:
            device = first_device_of(arguments.config, arguments.table)
        else:
            device = device_of(arguments.config, arguments.table, name, calibrated=calibrated)
        result = asyncio.run(_body(body, BenchCommand(device, talk, arguments)))
        if keep:
            result = keep_result(device, result)
        return talk.result(result)
    except ConfigErrors as error:
        return complain(str(error), WRONG)
    except NotKept as error:
        talk.result(error.result)
        return complain(str(error), error.code)
    except BenchError as error:
        return complain(str(error), error.code)
    except DeviceError as error:
        return complain(str(error), UNREACHABLE)
    except KeyboardInterrupt:
        return complain("interrupted: nothing was kept", INTERRUPTED)


async def _body(body: Body, command: BenchCommand) -> Result:
    return await body(command)
