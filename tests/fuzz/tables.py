"""Whole tables, devices' bytes and people's commands together: what is decided folds, and can be written and sent."""

from __future__ import annotations

from functools import cached_property
from random import Random
from typing import Any

import msgspec

from dealer_daemon.config import TableConfig
from dealer_daemon.events import Event, decode_data, encode_data
from dealer_daemon.games import CardGame
from dealer_daemon.games.cards.procedure import CardDue, ExpectDue
from dealer_daemon.mqtt.command_codec import Malformed, encode_reply, parse_command
from dealer_daemon.mqtt.envelope import encode_event
from dealer_daemon.round import TableState, fold
from dealer_daemon.station.messages import state_message
from dealer_daemon.station.setup import snapshot_of, table_setup
from dealer_daemon.table import Decision, Table, TableSetup
from dealer_daemon.table.cards.hand import due
from dealer_drivers.conformance import Example
from dealer_drivers.driver import DeviceAction, Output
from dealer_drivers.instant import Instant
from fuzz import stations
from fuzz.devices import MOST_TICKS, START, Device, good_chunks, stream
from fuzz.folder import examples
from fuzz.kind import Case, Kind, Wrong, data, text
from fuzz.words import card, command, keyed_in, read_by

MOST_REPLIES = 6
"""Of a device to what it is sent, and of the table to that, in one step."""


class Tables:
    """One configuration."""

    def __init__(self, name: str) -> None:
        self.name = f"table/{name}"
        self.share = 0.2 if "modbus" in name else 1.0  # an encoder is asked all the time
        self._station = name

    @cached_property
    def config(self) -> TableConfig:
        return stations.table(self._station)

    @cached_property
    def setup(self) -> TableSetup:
        return table_setup(self.config)

    @cached_property
    def plays(self) -> dict[str, Example]:
        """What each of its devices says."""
        stated = {device.name: examples(device.driver.name).plays for device in self.config.devices}
        return {name: next(play for play in plays if not play.recorded) for name, plays in stated.items()}

    @cached_property
    def good(self) -> dict[str, list[bytes]]:
        return {
            device.name: good_chunks(tuple(play for play in examples(device.driver.name).plays if not play.recorded))
            for device in self.config.devices
        }

    def draw(self, rng: Random) -> Case:
        steps: list[list[object]] = [["open", name] for name in self.good]
        noise = rng.choice((0.05, 0.2, 0.6))
        most = rng.choice((20, 60, 150))
        while len(steps) < most:
            name = rng.choice(sorted(self.good))
            chance = rng.random()
            if chance > noise:
                steps += self._sensible(name, rng)
            elif chance < 0.5 * noise:
                steps += command(rng)
            elif chance < 0.53 * noise:
                steps.append(["restart"])
            else:
                steps += _of(name, stream(self.good[name], self.plays[name], rng))
        return steps

    def _sensible(self, name: str, rng: Random) -> list[list[object]]:
        """What comes next at a table that plays, and now and then all that a device says in an attempt."""
        step: list[list[object]] = [["next", card(rng), rng.randrange(64)], ["wait", rng.choice((0.3, 2.0, 2.0, 5.0))]]
        if rng.random() < (0.02 if isinstance(self.setup.rules.game, CardGame) else 0.2):
            before = 0.0
            for one in self.plays[name].steps:
                step.append(["wait", max(0.0, one.at_s - before)])
                before = one.at_s
                if one.data:
                    step.append(["rx", name, text(one.data)])
                if rng.random() < 0.02:
                    step.append(["next", card(rng), 0])
        return step

    def play(self, case: Case) -> int:
        return max(1, self.run(case).inputs)

    def run(self, case: Case) -> Running:
        """The case from its first step to its last."""
        running = Running(self.config, self.setup, self.plays)
        for step in case:
            running.inputs += running.step(step)
        running.end()
        return running


class Running:
    """A table under way, its devices, and all that is looked at."""

    def __init__(self, config: TableConfig, setup: TableSetup, plays: dict[str, Example]) -> None:
        self.config = config
        self.setup = setup
        self.plays = plays
        self.inputs = 0
        self.events: list[Event] = []
        self.decisions: list[Decision] = []
        """With something to be written in them."""
        self.at = START
        self.commands = self.cards = 0
        self.folded = TableState(table=config.name)
        self.table = Table(self.setup, self.folded, "boot-1")
        self.devices = self._new_devices()
        self._keep(self.table.start(self.at))

    def _new_devices(self) -> dict[str, Device]:
        return {one.name: Device(one.driver, self.plays[one.name], one.options) for one in self.config.devices}

    def step(self, step: list[Any]) -> int:
        """One step of a case; whether it was an input."""
        match step:
            case ["cmd", name, role, args]:
                self._ask(name, role, args)
                return 1
            case ["next", named, number]:
                return self._next(named, number)
            case ["rx", name, sent] if self.devices[name].up:
                self._said(name, self.devices[name].session.received(data(sent), self.at))
                return 1
            case ["open", name] if not self.devices[name].up:
                self.devices[name].up = True
                self._said(name, self.devices[name].session.opened(self.at))
            case ["lost", name] if self.devices[name].up:
                self.devices[name].up = False
                self._said(name, self.devices[name].session.lost(self.at, "unplugged"))
            case ["ask", name, action]:
                self._said(name, self.devices[name].session.request(DeviceAction(action), self.at))
            case ["wall", seconds]:
                self.at = Instant(self.at.mono_ns, self.at.wall_ns + round(seconds * 1e9))
            case ["wait", seconds]:
                self._wait(self.at.plus_s(seconds))
            case ["restart"]:
                self._restart()
        return 0

    def end(self) -> None:
        """What is looked at once: the state as it is shown, and as it is read back after a crash."""
        state = self.table.state
        msgspec.json.encode(state_message(state, self.config.game, "boot-1", self.at, None))
        if msgspec.json.decode(snapshot_of(state).body, type=TableState) != state:
            raise Wrong("the state's snapshot is another state")

    def _restart(self) -> None:
        """The process died: a new one folds what can be read back."""
        self.end()
        again = [
            msgspec.structs.replace(one, data=decode_data(one.data.type, encode_data(one.data))) for one in self.events
        ]
        self.folded = fold(TableState(table=self.config.name), again)
        if self.folded != self.table.state:
            raise Wrong("the journal folds to another state")
        self.table = Table(self.setup, self.folded, "boot-2")
        self.devices = self._new_devices()
        self._keep(self.table.start(self.at))

    def _ask(self, name: str, role: str, args: dict[str, Any]) -> None:
        self.commands += 1
        known = {key: self._meant(value) for key, value in args.items()}
        message = {
            "id": f"c{self.commands}",
            "type": name,
            "source": "/lobby",
            "data": {"by": "x", "role": role} | known,
        }
        try:
            payload = msgspec.json.encode(message)
        except (ValueError, RecursionError):  # no client can send it either
            return
        asked = parse_command(payload)
        if isinstance(asked, Malformed):
            return
        asked.digest()
        before = len(self.events)
        decision = self.table.command(asked, self.at, self._event_at)
        assert decision.command is not None
        reply = decision.command.reply
        encode_reply("studio-1", "t1", asked.client, reply)
        if msgspec.json.decode(msgspec.json.encode(decision.command), type=type(decision.command)).reply != reply:
            raise Wrong("the reply is another one when it is read back")
        self._keep(decision)
        if not reply.ok and len(self.events) > before:
            raise Wrong(f"a refused command left {self.events[before:]}")

    def _next(self, named: str, number: int) -> int:
        """What people and the reader of cards would do now, the card that passes being ``named``."""
        state, manager = self.table.state, "manager"
        current, wanted = state.round, self._due()
        where = wanted.position if isinstance(wanted, CardDue) else None
        video = {"reason": "video", "position": where, "card": named} if where else {"reason": "video", "number": "17",
                 "dice": [1, 2, 3], "segment": number % 52, "remainder": 1 + number % 4}  # fmt: skip
        if state.paused is not None:
            self._ask("table.resume", manager, {"reason": "seen to"})
        elif current is None and self.setup.rules.round_source == "server":
            self._ask("round.open", "server", {"server": {"lucky": named}})
        elif current is not None and current.phase == "held":
            self._ask(*(("round.void", manager) if number % 8 == 0 else ("attempt.decide", manager)), video)
        elif current is not None and current.phase == "unconfirmed":
            self._ask("attempt.confirm", "dealer", {})
        elif current is not None and current.betting == "open" and number % 3:
            self._ask("betting.close", "server", {"round": "$round"})
        elif current is not None and current.gate is not None:
            self._ask("gate.open", "server", {"gate": current.gate})
        elif isinstance(wanted, ExpectDue):
            action = wanted.actions[number % len(wanted.actions)]
            for seat, hand in ((1, 1), (1, 2), (2, 1)):
                keys = (
                    {"seats": [1, 2]} if action == "seats" else {"seat": seat, "hand": hand} if action != "done" else {}
                )
                self._ask("card.expect", "server", {"action": action} | keys)
        else:
            return self._card(named, where)
        return 1

    def _card(self, named: str, where: str | None) -> int:
        inputs = 0
        for one in self.config.devices:
            self.cards += 1
            current = self.table.state.round
            entry = keyed_in(self.config.game, None if current is None else current.id, self.cards)
            keyed = [entry, entry] if one.driver.name == "manual-entry" else []
            for sent in keyed or read_by(one.driver.name, named, where, self.cards):
                inputs += self.step(["rx", one.name, text(sent)])
        return inputs

    def _event_at(self, sequence: int) -> Event | None:
        return self.events[sequence - 1] if 1 <= sequence <= len(self.events) else None

    def _meant(self, value: Any) -> Any:
        """Words of a case that stand for what is so at the moment: ``$round``, ``$due``, ``$gate`` …"""
        if isinstance(value, dict):
            return {key: self._meant(item) for key, item in value.items()}
        if not isinstance(value, str) or not value.startswith("$"):
            return value
        current = self.table.state.round
        outcome = self.table.state.outcome
        match value:
            case "$round":
                return None if current is None else current.id
            case "$gate":
                return None if current is None else current.gate
            case "$last":
                return outcome.sequence if outcome is not None else 1
        wanted = self._due()
        if value == "$due":
            return wanted.position if isinstance(wanted, CardDue) else "player.1"
        if value.startswith("$action") and isinstance(wanted, ExpectDue):
            return wanted.actions[int(value[7:]) % len(wanted.actions)]
        return value

    def _due(self) -> Any:
        game, current = self.setup.rules.game, self.table.state.round
        if not isinstance(game, CardGame) or current is None:
            return None
        rules = self.setup.rules
        return due(game.procedure(rules.settings, rules.round_source == "device"), current.steps)

    def _wait(self, end: Instant) -> None:
        for _ in range(MOST_TICKS):
            moments = [(device.due(end), name) for name, device in self.devices.items()]
            table_ns = self.table.deadline_ns()
            times = [ns for ns, _ in moments if ns is not None]
            if table_ns is not None and table_ns <= end.mono_ns:
                times.append(table_ns)
            if not times:
                break
            self.at = self.at.plus_s(max(0, min(times) - self.at.mono_ns) / 1e9)
            for ns, name in moments:
                if ns is not None and ns <= self.at.mono_ns:
                    self._said(name, self.devices[name].session.tick(self.at))
            if table_ns is not None and table_ns <= self.at.mono_ns:
                self._keep(self.table.tick(self.at))
        self.at = Instant(max(self.at.mono_ns, end.mono_ns), max(self.at.wall_ns, end.wall_ns))

    def _said(self, name: str, said: Output, left: int = MOST_REPLIES) -> None:
        if said.readings:
            self._keep(self.table.readings(name, said.readings, self.at), left)
        for reply in self.devices[name].replies(said):
            if left and self.devices[name].up:
                self._said(name, self.devices[name].session.received(reply, self.at), left - 1)

    def _keep(self, decision: Decision, left: int = MOST_REPLIES) -> None:
        if decision.events or decision.command is not None:
            self.decisions.append(decision)
        for event in decision.events:
            self.events.append(event)
            encode_event("studio-1", event)
            if decode_data(event.data.type, encode_data(event.data)) != event.data:
                raise Wrong(f"{event.data} is read back as something else")
        if decision.events:
            if decision.events[-1].sequence != len(self.events):
                raise Wrong(f"{len(self.events)} events, and the last is {decision.events[-1].sequence}")
            self.folded = fold(self.folded, list(decision.events))
        if self.folded != self.table.state:
            raise Wrong("the state is not the fold of the events")
        for name, action in decision.actions:
            if left and self.devices[name].up:
                self._said(name, self.devices[name].session.request(action, self.at), left - 1)


def _of(name: str, steps: list[list[object]]) -> list[list[object]]:
    """A device's steps with its name."""
    return [step if step[0] in ("wait", "wall") else [step[0], name, *step[1:]] for step in steps]


def kinds() -> list[Kind]:
    """One for each configuration."""
    return [Tables(name) for name in stations.texts()]
