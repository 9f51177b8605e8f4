"""Walks a shuffler through its steps with a technician."""

from __future__ import annotations

from dealer_calibration.bench import BenchCommand, BenchError, Finding, Result
from dealer_calibration.bench.listening import Listener
from dealer_calibration.cli.exit_codes import WRONG
from dealer_calibration.shufflers.walk import BATCH, Step, Walk, not_heard
from dealer_daemon.games import CardGame, load_game
from dealer_drivers.driver import Observes

FIRST_WORD_S = 30.0
"""A shuffler repeats its state every second or is asked for it (``devices.md`` §6)."""


async def walk_through(command: BenchCommand, *, step_s: float) -> Result:
    """The whole of ``shuffler``. ``step_s`` is how long one step may take. Raises ``BenchError``."""
    device = command.device
    if Observes.DECK not in device.driver.observes(device.ready_options()):
        raise BenchError(f"{device.name} is no shuffler: it is a {device.driver.name}", WRONG)
    walk = Walk(decks_of(device.game, device.settings), frozenset(device.settings.shoe.deck_sets))
    findings: list[Finding] = []
    async with command.taken() as link:
        await link.up()
        listener = Listener(link, lambda seen: walk.feed(seen.readings))
        if not await listener.until(lambda: bool(walk.reports or walk.levels), FIRST_WORD_S):
            findings.append(
                Finding(
                    code="states",
                    ok=False,
                    said="the machine says nothing of its cards",
                    do_next=f"{BATCH[0].otherwise} dealer-calibrate probe tells link, bytes and frames apart",
                )
            )
        else:
            findings += [await _step(command, listener, walk, step, step_s) for step in walk.steps()]
            findings.append(walk.order_finding())
        result = Result(
            command="shuffler", table=device.table, device=device.name, by=command.arguments.by, findings=findings
        )
        return command.judged(result)


def decks_of(game: str, settings: object) -> int:
    """How many decks the table plays with. Raises ``BenchError`` where its game has no cards, or its settings cannot be
    read until a calibration is there."""
    if settings is None:
        raise BenchError(
            "how many decks pass cannot be told before the table is calibrated: say it with --decks", WRONG
        )
    loaded = load_game(game)
    shoe = getattr(settings, "shoe", None)
    if not isinstance(loaded, CardGame) or shoe is None:
        raise BenchError(f"{game} is played without cards", WRONG)
    return int(shoe.decks or loaded.procedure(settings, False).decks)


async def _step(command: BenchCommand, listener: Listener, walk: Walk, step: Step, step_s: float) -> Finding:
    since = len(walk.levels if walk.continuous else walk.reports)
    command.talk.step(step.ask)
    with command.talk.waiting("listening"):
        await listener.until(lambda: walk.judge(step.name, since) is not None, step_s)
    found = walk.judge(step.name, since)
    if found is None:
        return not_heard(step)
    command.talk.event("step", step=step.name, ok=found.ok, said=found.said)
    return found
