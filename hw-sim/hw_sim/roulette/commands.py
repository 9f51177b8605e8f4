"""The host's commands to a wheel (``devices.md`` §1, commands). Pure: bytes in, answer bytes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hw_sim.roulette.m360 import M360
from hw_sim.roulette.ss2 import Ss2
from hw_sim.roulette.wheel import CLOSED, IN_RIM, NO_MORE_BETS, RESULT, Wheel

POLL_S = 0.1
"""A wheel is polled no faster than this; faster polls stay unanswered."""
LONGEST = 80
"""A command line longer than this is dropped."""

SS2_PARAMETERS = {
    "c": "8000", "d": "12", "g": "0", "h": "150", "i": "12", "j": "6000 3000 20 1", "k": "1800", "m": "2.0",
    "n": "2800", "p": "45", "q": "750", "r": "22000 22000", "s": "15.0 18.5", "t": "1400", "z": "37",
}  # fmt: skip
M360_PARAMETERS = {"d": "0", "n": "40", "s": "10.0 30.0", "z": "37"}
"""Parameters by letter; the letters are the makers', the values are ours."""


class Console:
    """A wheel's command line. Parameters live in RAM until ``*T f`` saves them; power loss brings back the saved."""

    def __init__(self, wheel: Wheel) -> None:
        self.wheel = wheel
        self._saved = dict(SS2_PARAMETERS if isinstance(wheel, Ss2) else M360_PARAMETERS)
        self.parameters = dict(self._saved)
        self._buffer = b""
        self._polled_s = -POLL_S
        self._commands: Mapping[str, Callable[[str], str | None]] = {
            "u": self._start,
            "P": self._power,
            "R": self._acknowledge,
            "X": self._poll,
            "o": self._mode,
            "O": self._state,
            "T": self._parameter,
            "F": self._self_test,
            "S": lambda _: f"*S V{self._version}",
            "V": lambda _: f"*V V{self._version} {self._model} roulette wheel, simulated",
            "G": self._game_mode,
            "m": self._frames,
            "I": self._events,
        }

    def receive(self, data: bytes) -> bytes:
        """The answers to whatever commands these bytes complete, at the wheel's present moment."""
        if not self.wheel.powered:
            self._buffer = b""
            return b""
        *lines, self._buffer = (self._buffer + data).replace(b"\r", b"\n").split(b"\n")
        self._buffer = self._buffer[: LONGEST + 1]  # still too long when its end comes
        answers = [self._answer(line.decode("latin-1")) for line in lines if len(line) <= LONGEST]
        return b"".join(answer.encode("latin-1") + b"\r\n" for answer in answers if answer is not None)

    def power_lost(self) -> None:
        """RAM is gone."""
        self.parameters = dict(self._saved)
        self._buffer = b""

    def _answer(self, line: str) -> str | None:
        if not line.startswith("*") or len(line) < 2:
            return None
        command = self._commands.get(line[1])
        if command is None:
            return f"*{line[1]} NO"
        answer = command(line[2:])
        self.wheel.wake()
        return answer

    @property
    def _model(self) -> str:
        return "Slingshot 2" if isinstance(self.wheel, Ss2) else "Mercury 360"

    @property
    def _version(self) -> str:
        return "2.40" if isinstance(self.wheel, Ss2) else "1.12"

    def _start(self, rest: str) -> str:
        wheel = self.wheel
        if rest != " 1" or not isinstance(wheel, Ss2) or not wheel.may_start:
            return "*u NO"
        wheel.start_asked = True
        return "*u OK"

    def _power(self, rest: str) -> str:
        wheel = self.wheel
        if rest == " 1" and wheel.state == CLOSED and not wheel.latched and not wheel.open_asked:
            wheel.open_asked = True
            return "*P OK"
        if rest == " 0" and wheel.state != CLOSED and not wheel.closing:
            wheel.close_table()
            return "*P OK"
        return "*P NO"

    def _acknowledge(self, _: str) -> str:
        self.wheel.void_acknowledged = True
        return "*R OK"

    def _poll(self, _: str) -> str | None:
        if self.wheel.now_s - self._polled_s < POLL_S:
            return None
        self._polled_s = self.wheel.now_s
        return self.wheel.status_line()

    @property
    def _busy(self) -> bool:
        return self.wheel.state in (IN_RIM, NO_MORE_BETS, RESULT)

    def _mode(self, rest: str) -> str:
        if self._busy:
            return "*o BUSY"
        if rest not in (" 0", " 1"):
            return "*o NO"
        self.wheel.basic = rest == " 0"
        return "*o OK"

    def _state(self, _: str) -> str:
        wheel = self.wheel
        protocol = 0 if wheel.basic else 2 if isinstance(wheel, M360) and wheel.extended else 1
        games_per_hour = round(3600 * wheel.games / wheel.now_s) if wheel.now_s else 0
        return f"*O {wheel.state} {protocol} {games_per_hour} 0"

    def _parameter(self, rest: str) -> str:
        words = rest.split()
        letter = words[0] if words else ""
        if letter == "f" and len(words) == 1:
            self._saved = dict(self.parameters)
            return "*T OK"
        if len(letter) != 1:
            return "*T OK"  # a space is missing: the wheel says OK and changes nothing
        if letter.lower() not in self.parameters:
            return "*T NO"
        if letter.isupper() and len(words) == 1:
            return f"*T {letter.lower()} {self.parameters[letter.lower()]}"
        if letter.islower() and len(words) > 1 and rest.startswith(" "):
            self.parameters[letter] = " ".join(words[1:])
        return "*T OK"

    def _self_test(self, _: str) -> str:
        return "*F 21" if self.wheel.latched else "*F 0"

    def _game_mode(self, rest: str) -> str:
        wheel = self.wheel
        return f"*G {wheel.options.game_mode:02d}" if isinstance(wheel, M360) and rest == "?" else "*G NO"

    def _frames(self, rest: str) -> str:
        wheel = self.wheel
        if not isinstance(wheel, M360) or rest not in (" 0", " 1", " 2"):
            return "*m NO"
        wheel.basic, wheel.extended = rest == " 0", rest == " 2"
        return "*m OK"

    def _events(self, rest: str) -> str:
        if rest not in (" 0", " 4") or not isinstance(self.wheel, Ss2) or self.wheel.options.wheel_port != 1:
            return "*I NO"
        self.wheel.stream(rest == " 4")
        return "*I OK"
