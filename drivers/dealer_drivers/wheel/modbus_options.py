"""What a configuration says of an encoder on a Modbus line."""

from __future__ import annotations

import math
from typing import Literal

from dealer_drivers.driver import AngleSource, DriverOptions, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.readings.wheel import LEAST_COUNTS, TOO_COARSE

BAUD_RATES = frozenset({2400, 4800, 9600, 19200, 38400, 57600, 115200})
ANGLE_WORDS = 2
REFERENCE_WORDS = 3
"""Passes of the mark, and the count at the newest one: one word and two."""
REQUEST_BYTES = 8
REFERENCE_EVERY = 4
"""Every so many questions one is for the reference mark: at 40 Hz, ten a second."""
TURNAROUND_S = 0.004
"""What an encoder may think before it answers."""
MOST_POLL_MS = 100
LEAST_ANSWER_MS = 20
LAST_REGISTER = 0xFFFF
QUIET_CHARS = 3.5
"""Silence that ends a frame on the line, in characters; above 19200 baud 1.75 ms (Modbus over Serial Line, 2.5.1.1)."""
FAST_QUIET_S = 0.00175


class ModbusOptions(DriverOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of ``wheel-modbus``. The defaults are those of one common encoder (``devices.md`` §5)."""

    slave: int = 1
    """The encoder's address on the line, 1 to 247."""
    register: int = 0
    """The first of the two registers that hold the count."""
    low_word_first: bool = False
    """The two words of a count come low word first."""
    counts_per_turn: int = 4096
    """Counts in one turn of the wheel."""
    turns: int = 4096
    """Turns that the encoder counts before it begins again at 0. A count outside them is no count."""
    reference_register: int | None = None
    """The first of three registers that latch the wheel's reference mark: passes, and the count at the newest one
    (two words). Without it a shaft that slips is not noticed here."""
    baud: int = 9600
    """The line's speed, as the encoder is set."""
    parity: Literal["N", "E", "O"] = "N"
    """The line's parity: none, even or odd."""
    stop_bits: Literal[1, 2] = 1
    """The line's stop bits."""
    poll_ms: int = 25
    """From one question to the next: 25 is 40 a second, the most that 9600 baud carry."""
    answer_ms: int = 80
    """How long an answer may take. A lost one costs twice as much; ``max_gap_s`` of the table bears one at a time."""
    zero_register: int = 8
    """Writing 1 here makes this place zero. Only ever done with ``control = true``."""
    control: bool = False
    """May the station set the encoder's zero? Without it nothing is ever written."""

    def problems(self) -> list[OptionError]:
        """Everything that is impossible about these options."""
        problems = []
        if not 1 <= self.slave <= 247:
            problems.append(OptionError("slave", "an address is 1 to 247"))
        if self.baud not in BAUD_RATES:
            problems.append(OptionError("baud", f"must be one of {', '.join(map(str, sorted(BAUD_RATES)))}"))
        if not LEAST_COUNTS <= self.counts_per_turn <= 1 << 24:
            problems.append(OptionError("counts_per_turn", f"must be {LEAST_COUNTS} to {1 << 24}: {TOO_COARSE}"))
        elif not 1 <= self.turns <= (1 << 32) // self.counts_per_turn:
            most = (1 << 32) // self.counts_per_turn
            problems.append(OptionError("turns", f"must be 1 to {most}: two words hold no more counts"))
        for key, words in (("register", ANGLE_WORDS), ("reference_register", REFERENCE_WORDS), ("zero_register", 1)):
            first = getattr(self, key)
            if first is not None and not 0 <= first <= LAST_REGISTER - words + 1:
                problems.append(OptionError(key, f"must be 0 to {LAST_REGISTER - words + 1}"))
        if self.baud in BAUD_RATES and not self.least_poll_ms() <= self.poll_ms <= MOST_POLL_MS:
            least = self.least_poll_ms()
            reason = f"must be {least} to {MOST_POLL_MS}: {self.baud} baud carry no question and answer sooner"
            problems.append(OptionError("poll_ms", reason))
        least_ms = self.least_answer_ms() if self.baud in BAUD_RATES else LEAST_ANSWER_MS
        if not least_ms <= self.answer_ms <= 1000:
            reason = f"must be {least_ms} to 1000: a question and its answer take so long on the line"
            problems.append(OptionError("answer_ms", reason))
        mark = self.reference_register
        if mark is not None and mark < self.register + ANGLE_WORDS and self.register < mark + REFERENCE_WORDS:
            reason = f"the mark's three registers from {mark} on and the count's two from {self.register} on overlap"
            problems.append(OptionError("reference_register", reason))
        return problems

    def angle_source(self) -> AngleSource:
        """Polled; where there is a mark to ask for, a count may wait for one question more."""
        questions = 1 if self.reference_register is None else 2
        return AngleSource(
            absolute=True,
            turns=self.turns,
            per_turn=self.counts_per_turn,
            poll_ms=self.poll_ms,
            questions=questions,
            mark_every=None if self.reference_register is None else REFERENCE_EVERY,
        )

    def quiet_s(self) -> float:
        """Silence between an answer and the next question."""
        return FAST_QUIET_S if self.baud > 19200 else QUIET_CHARS * self._char_s()

    def least_poll_ms(self) -> int:
        """The least time of a question, an answer, and the silence after both."""
        answer = 5 + 2 * ANGLE_WORDS
        return math.ceil(1000 * ((REQUEST_BYTES + answer) * self._char_s() + 2 * self.quiet_s()) - 1e-6)

    def least_answer_ms(self) -> int:
        """The least time in which the longest answer can be there."""
        words = ANGLE_WORDS if self.reference_register is None else REFERENCE_WORDS
        answer_s = (REQUEST_BYTES + 5 + 2 * words) * self._char_s() + TURNAROUND_S
        return max(LEAST_ANSWER_MS, math.ceil(1000 * answer_s))

    def _char_s(self) -> float:
        bits = 1 + 8 + (self.parity != "N") + self.stop_bits
        return bits / self.baud


def serial_settings(options: ModbusOptions) -> SerialSettings:
    """As the options say, eight data bits."""
    return SerialSettings(options.baud, 8, options.parity, options.stop_bits)
