"""The talk with the technician: steps, questions, progress. Works over SSH, by pipe and without anybody.

With ``--json`` the talk goes to standard error, and standard output carries JSON alone: a line a progress event, the
last one the result.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from dealer_calibration.bench.device import BenchError
from dealer_calibration.bench.line_input import LineInput
from dealer_calibration.bench.result import Result

TRIES = 3
"""Answers that cannot be before the command gives up: input that comes from a file must not be asked for ever."""
YES, NO_ = ("y", "yes"), ("n", "no")
Answers = Mapping[str, str]
"""Answers by the key of their question, given as options (``--answer laps=9``)."""


class NoAnswer(BenchError):  # noqa: N818
    """A question could not be answered: standard input ended, or nobody may be asked."""


class Talk:
    """See the module. ``answers`` are given beforehand, by the key of the question; with ``ask`` false a question
    without one is an error, and ``confirm`` takes yes (``--yes``).

    Questions are awaited: the device is read on while the technician thinks. They raise ``NoAnswer``.
    """

    def __init__(self, *, as_json: bool = False, ask: bool = True, answers: Answers | None = None) -> None:
        self.as_json = as_json
        self.console = Console(stderr=as_json, highlight=False)
        self._ask = ask
        self._answers = dict(answers or {})
        self._steps = 0
        self._input = LineInput()
        self._spinner: Status | None = None
        """The one that turns in ``waiting``."""

    def step(self, text: str) -> None:
        """The next step, counted."""
        self._steps += 1
        self.console.print(f"{self._steps}. {text}", style="bold", markup=False)

    def say(self, text: str, *, warn: bool = False) -> None:
        """A sentence."""
        self.console.print(text, style="yellow" if warn else None, markup=False)

    def event(self, kind: str, **figures: Any) -> None:
        """A progress event, for programs alone: one line ``{"event": kind, …}``."""
        if self.as_json:
            with self._spinner_aside():  # which takes standard output for its own terminal
                print(json.dumps({"event": kind, **figures}, ensure_ascii=False), flush=True)

    def result(self, result: Result) -> int:
        """The last word: the result. Answers the exit code."""
        if self.as_json:
            print(json.dumps(result.as_json(), ensure_ascii=False), flush=True)
        else:
            result.show(self.console)
        return result.code

    @contextmanager
    def waiting(self, text: str) -> Iterator[None]:
        """``text`` with a spinner on a terminal, once as a line elsewhere. Questions may be asked meanwhile: the
        spinner stands aside for them."""
        if not self.console.is_terminal:
            self.say(text)
            yield
            return
        with self.console.status(escape(text)) as spinner:
            self._spinner = spinner
            try:
                yield
            finally:
                self._spinner = None

    def waits(self, text: str) -> None:
        """The newest words of ``waiting``, in the place of those before; on a terminal alone."""
        if self._spinner is not None:
            self._spinner.update(escape(text))

    @contextmanager
    def _spinner_aside(self) -> Iterator[None]:
        """A spinner writes over the line that it stands in, and so over a question: there is none for so long."""
        spinner = self._spinner
        if spinner is None:
            yield
            return
        spinner.stop()
        yield  # what ends a question by an error ends the waiting, too
        spinner.start()

    async def confirm(self, key: str, question: str, *, sure: bool = True) -> bool:
        """Yes or no. ``sure=False``: where nobody may be asked this is not taken as yes, but is an error."""
        if not self._ask and key not in self._answers and sure:
            return True
        text = await self._answer(key, f"{question} [y/n] ", lambda given: given.lower() in (*YES, *NO_), "y or n")
        return text.lower() in YES

    async def number(self, key: str, question: str, *, least: float = -math.inf, most: float = math.inf) -> float:
        """A number in these bounds."""
        bounds = "a number" if math.isinf(least) and math.isinf(most) else f"a number from {least:g} to {most:g}"

        def fits(given: str) -> bool:
            try:
                return least <= float(given) <= most
            except ValueError:
                return False

        return float(await self._answer(key, f"{question} ", fits, bounds))

    async def whole(self, key: str, question: str, *, least: int = 0, most: int = 2**31) -> int:
        """A whole number in these bounds."""

        def fits(given: str) -> bool:
            digits = given.removeprefix("-")
            return digits.isascii() and digits.isdigit() and least <= int(given) <= most

        return int(await self._answer(key, f"{question} ", fits, f"a whole number from {least} to {most}"))

    async def text(self, key: str, question: str, *, one_of: Sequence[str] = (), empty: bool = False) -> str:
        """A line of text; with ``one_of`` one of these words."""
        wanted = f"one of {', '.join(one_of)}" if one_of else "a text"
        return await self._answer(
            key, f"{question} ", lambda given: given in one_of if one_of else bool(given) or empty, wanted
        )

    async def enter(self, key: str, text: str) -> None:
        """Waits until the technician has done something and presses Enter."""
        if self._ask and key not in self._answers:
            await self._read(f"{text} Then press Enter. ", key)

    async def _answer(self, key: str, prompt: str, fits: Any, wanted: str) -> str:
        if key in self._answers:
            given = self._answers[key].strip()
            if not fits(given):
                raise NoAnswer(f"--answer {key}={given}: expected {wanted}")
            return given
        for _ in range(TRIES):
            given = await self._read(prompt, key)
            if fits(given):
                return given
            self.say(f"expected {wanted}", warn=True)
        raise NoAnswer(f"{key}: no answer of {TRIES} was {wanted}")

    async def _read(self, prompt: str, key: str) -> str:
        if not self._ask:
            raise NoAnswer(f"nobody may be asked: answer the question “{prompt.strip()}” with --answer {key}=…")
        # A question belongs to the talk and not to the result, whoever reads that.
        with self._spinner_aside():
            self.console.print(prompt, end="", markup=False, soft_wrap=True)
            self.console.file.flush()
            line = await self._input.line()
        if line is None:
            raise NoAnswer(f"standard input ended before “{prompt.strip()}” was answered; --answer {key}=… answers it")
        return line.strip()
