"""One chaos run from a seed: faults, rest, and the verdict."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chaos.checker import Rule, Violation, check
from chaos.faults import LANES, Fault, Lane, Step, plan
from chaos.history import Committed
from chaos.inflict import inflict
from chaos.processes import Ending
from chaos.tables import TABLE_OF
from chaos.world import World
from dealer_daemon.journal import FILE_NAME, export_file, verify_file
from support.checker import sent_of

SPEED = 10.0
"""Much faster, and a busy machine's pauses are silences of devices, which is all that is seen then."""
REST_S = 25.0
"""Of a run, for coming to rest."""
SETTLE_WITHIN_S = 60.0
ARRIVES_WITHIN_S = 10.0
STARTS_WITHIN_S = 30.0
DISK_WORDS_WITHIN_NS = 5_000_000_000
"""A start that met the bad disk may end so long after the disk is well."""

KILLS = (Fault.KILL_STATION, Fault.KILL_BROKER, Fault.KILL_CONSUMER, Fault.DISK_READ_ONLY)
CUTS = (Fault.CUT, Fault.RESET, Fault.HALF_OPEN, Fault.HALF_OPEN_UP, Fault.HALF_OPEN_DOWN, Fault.LINE_CUT)

Progress = Callable[[float, Counter[str]], None]


@dataclass(slots=True)
class Result:
    """What a run found: violations in sentences, and figures."""

    seed: int
    violations: list[str]
    broken: set[Rule]
    figures: Counter[str]


async def run(
    folder: Path,
    seed: int,
    seconds: float,
    *,
    lanes: Mapping[str, Lane] = LANES,
    mutant: str = "none",
    stop_at: Collection[Rule] = (),
    speed: float = SPEED,
    progress: Progress | None = None,
) -> Result:
    """Faults for ``seconds``; then everything is put right, must work, and come to rest; then the rules are checked.

    ``mutant`` is a fault put into the daemon on purpose. The run ends as soon as a rule of ``stop_at`` is broken.
    """
    world = World(folder, seed, speed, mutant)
    async with world.running():
        enough = all if mutant == "none" else any
        await _until(lambda: enough(world.outcomes[table] for table in TABLE_OF.values()), STARTS_WITHIN_S)
        await _chaos(world, plan(seed, seconds, lanes), seconds, stop_at, progress)
        if found := _broken(world, stop_at):
            return _result(world, seed, found)
        result = await _verdict(world, seed, await _rest(world))
        if mutant == "none":
            result.violations += await _flipped(world)
    return result


def _broken(world: World, rules: Collection[Rule]) -> list[Violation]:
    """What is broken so far of these rules."""
    return [violation for violation in check(world.history) if violation.rule in rules] if rules else []


async def _verdict(world: World, seed: int, restless: list[str]) -> Result:
    """The station stops; then everything that was said of it must agree."""
    await world.station.stop()
    await _until(world.everything_arrived, ARRIVES_WITHIN_S)
    world.note_plays()
    _read_journal(world)
    world.history.complete = True
    world.history.forged = frozenset(world.speakers.forged)
    result = _result(world, seed, check(world.history))
    result.violations += restless + _surprises(world)
    return result


def _result(world: World, seed: int, found: list[Violation]) -> Result:
    return Result(seed, [str(each) for each in found], {each.rule for each in found}, _figures(world, found))


async def _chaos(
    world: World, steps: list[Step], seconds: float, stop_at: Collection[Rule], progress: Progress | None
) -> None:
    """Carry out the plan: steps of a lane one after the other, lanes beside each other."""
    begin = time.monotonic()

    async def lane(name: str) -> None:
        for step in (step for step in steps if step.lane == name):
            await asyncio.sleep(max(0.0, begin + step.at_s - time.monotonic()))
            if await inflict(world, step):
                world.figures[step.fault] += 1

    lanes = asyncio.gather(*(lane(name) for name in dict.fromkeys(step.lane for step in steps)))
    try:
        while (now := time.monotonic() - begin) < seconds:
            if lanes.done():
                lanes.result()
            if _broken(world, stop_at):
                break
            if progress is not None:
                progress(now / seconds, world.figures)
            await asyncio.sleep(0.25)
        else:
            await lanes
    finally:
        lanes.cancel()
        await asyncio.gather(lanes, return_exceptions=True)


async def _rest(world: World) -> list[str]:
    """Everything is well again. What must come of that and does not, in sentences."""
    for process in (world.station, world.broker):
        process.may_start.set()
        process.send(signal.SIGCONT)
    for proxy in (world.uplink, world.downlink, world.line):
        proxy.heal()
    await world.disk.heal()
    world.observer.refusing = False
    before = Counter(world.outcomes)
    found = []
    tables = TABLE_OF.values()
    if not await _until(lambda: all(world.outcomes[table] > before[table] for table in tables), SETTLE_WITHIN_S):
        still = [table for table in tables if world.outcomes[table] == before[table]]
        found.append(f"all is well again, and these tables have no outcome: {', '.join(still)}")
    for device in TABLE_OF:
        await world.sim.pause(device)
    await _until(world.everything_arrived, SETTLE_WITHIN_S)
    return found


def _read_journal(world: World) -> None:
    """What is committed in the end; the journal is kept beside the other files of the run."""
    world.sample()
    world.journal.close()
    kept = world.folder / "at the end"
    kept.mkdir()
    for file in world.disk.folder.glob(f"{FILE_NAME}*"):
        shutil.copy(file, kept)
    path = kept / FILE_NAME
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for line in export_file(path):
        if line["kind"] == "event":
            data = line["data"]
            event = Committed(line["table"], line["sequence"], line["type"], line["subject"], data, sent_of(line))
            world.history.committed.append(event)
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        world.history.rows.update((row, hash_.hex()) for row, hash_ in db.execute("SELECT id, hash FROM entries"))


def _surprises(world: World) -> list[str]:
    """Processes that ended by themselves, and what the journal's auditor finds."""
    report = verify_file(world.folder / "at the end" / FILE_NAME)
    found = [f"journal: {problem.what} ({problem.row})" for problem in report.problems]
    for ending in (*world.station.ended, *world.broker.ended, *(e for c in world.consumers.values() for e in c.ended)):
        if _disk_was_bad(world, ending):
            world.figures["starts refused by the disk"] += 1
        else:
            found.append(f"{ending.name} ended by itself with {ending.code}: {ending.said}")
    return found


def _disk_was_bad(world: World, ending: Ending) -> bool:
    """A station that cannot even open its journal says so and ends with 1; whoever started it tries again."""
    bad = any(begin <= ending.at_ns <= end + DISK_WORDS_WITHIN_NS for begin, end in world.disk_bad)
    return bad and ending.name == "station" and ending.code == 1 and str(world.disk.folder) in ending.said


async def _flipped(world: World) -> list[str]:
    """The station must not start on a journal of which one bit was flipped, and say so."""
    state = world.folder / "flipped"
    shutil.copytree(world.folder / "at the end", state)
    journal = bytearray((state / FILE_NAME).read_bytes())
    last = max(world.history.rows)
    at = journal.rfind(bytes.fromhex(world.history.rows[last]))
    if at < 0:
        return ["the last row's hash is not in the journal's file"]
    journal[at] ^= 1
    (state / FILE_NAME).write_bytes(journal)
    config = world.folder / "flipped.toml"
    config.write_text(world.toml(state))
    child = await asyncio.create_subprocess_exec(
        *world.daemon(config),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(20):
            said, _ = await child.communicate()
    except TimeoutError:
        child.kill()
        said, _ = await child.communicate()
    if child.returncode == 1 and str(state / FILE_NAME).encode() in said:
        return []
    return [
        f"a journal with a flipped bit was not refused ({child.returncode}): {said[-500:].decode(errors='replace')}"
    ]


def _figures(world: World, found: list[Violation]) -> Counter[str]:
    history, figures = world.history, world.figures
    figures["events"] = len(history.committed)
    figures["outcomes"] = sum(event.type == "round.outcome" for event in history.committed)
    figures["plays"] = len(history.plays)
    figures["plays that must be answered"] = sum(play.must for play in history.plays)
    figures["published"] = len(history.published)
    figures["published, journal not readable"] = sum(sent.committed is None for sent in history.published)
    figures["refused by the broker"] = world.observer.refused
    figures["received"] = len(history.received)
    distinct = {(got.consumer, got.table, got.sequence) for got in history.received}
    figures["duplicates seen"] = len(history.received) - len(distinct)
    figures["replies"] = len(history.replied)
    figures["station starts"] = world.station.starts
    figures["connections made"] = world.uplink.connections + world.downlink.connections
    figures["kills"] = sum(figures[fault] for fault in KILLS)
    figures["cuts"] = sum(figures[fault] for fault in CUTS)
    figures["lost"] = sum(violation.rule in (Rule.LOST, Rule.UNHEARD) for violation in found)
    figures.update(world.speakers.figures)
    return figures


async def _until(condition: Callable[[], Any], within_s: float) -> bool:
    end = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.1)
    return True
