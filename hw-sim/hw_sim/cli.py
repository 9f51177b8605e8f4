"""The ``hw-sim`` command. Standard output carries one JSON line with the ports; the truth goes to its file."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from hw_sim.bench import say_where, write_bench
from hw_sim.control import control_port
from hw_sim.dice.faults import DICE_FAULTS
from hw_sim.faults import INJECTABLE
from hw_sim.fleet import fleet_scenario, station_config
from hw_sim.house import Occupied, alone_in
from hw_sim.scenario import Scenario, ScenarioError, load_scenario, scenario_names
from hw_sim.shoe.faults import SCANNER_FAULTS, SHOE_FAULTS
from hw_sim.shuffler.faults import ShuffleFault
from hw_sim.simulation import Simulation, running
from hw_sim.telling import NotRunning, NotThere, look, tell
from hw_sim.wheel.faults import TurnFault

DONE, WRONG, UNREACHABLE, INTERRUPTED = 0, 2, 3, 130
"""Exit codes, as every command of the station has them."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; its exit code."""
    words = sys.argv[1:] if argv is None else argv
    options = build_parser().parse_args(words, argparse.Namespace(words=words))
    try:
        code: int = options.command(options)
        sys.stdout.flush()
    except (ScenarioError, NotThere, Occupied) as error:
        print(f"hw-sim: {error}", file=sys.stderr)
        return WRONG
    except NotRunning as error:
        print(f"hw-sim: {error}", file=sys.stderr)
        return UNREACHABLE
    except OSError as error:
        return _failed(error)
    return code


def _failed(error: OSError) -> int:
    try:
        if error.filename is None:
            sys.stdout.write("\n")  # may be its own; without a buffer it holds nothing of what it refused
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains of it at exit
        if isinstance(error, BrokenPipeError):
            return DONE  # whoever read it has seen enough
        print(f"hw-sim: standard output cannot be written: {error.strerror}", file=sys.stderr)
        return WRONG
    print(f"hw-sim: {error}", file=sys.stderr)
    return UNREACHABLE


def build_parser() -> argparse.ArgumentParser:
    """The whole command line; man pages and completion are made from it."""
    parser = argparse.ArgumentParser(prog="hw-sim", description="Simulated devices on ptys and loopback ports.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {metadata.version('dealer-station')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run a scenario; prints its ports as one JSON line")
    run.add_argument("scenario", help="a name from `hw-sim list`, or the path of a TOML file")
    _add_run_options(run)
    run.set_defaults(command=_run)

    listing = commands.add_parser("list", help="list scenarios and faults")
    listing.add_argument("--json", action="store_true", help="as one JSON object")
    listing.set_defaults(command=_list)

    fleet = commands.add_parser("fleet", help="run many wheels and write a station configuration for them")
    fleet.add_argument("--tables", type=_count, required=True, metavar="N", help="how many wheels")
    fleet.add_argument("--url", required=True, metavar="U", help="the broker, mqtt://HOST:PORT, for the configuration")
    fleet.add_argument("--config", type=Path, metavar="FILE", help="the configuration (default: RUN_DIR/station.toml)")
    _add_run_options(fleet)
    fleet.set_defaults(command=_fleet)

    telling = commands.add_parser(
        "tell",
        help="say something to whoever works at a device of a running simulation; without a word: what may be said",
    )
    _add_place(telling)
    telling.add_argument("word", nargs="*", help="what is said: sorted, deal, boundary 13, …")
    telling.set_defaults(command=lambda options: tell(options.control, options.device, " ".join(options.word)))

    looking = commands.add_parser("look", help="what a person sees at a device of a running simulation")
    _add_place(looking)
    looking.add_argument("what", nargs="?", help="this alone, without its name")
    looking.set_defaults(command=lambda options: look(options.control, options.device, options.what))

    drawing = commands.add_parser(
        "pictures",
        help="draw what a technician calibrates a scenario's cameras over dice and beans with; prints the files",
    )
    drawing.add_argument("scenario", help="a name from `hw-sim list`, or the path of a TOML file")
    drawing.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the PNG files are written")
    drawing.add_argument("--seed", type=int, default=1, metavar="N", help="chance: where the dice lie (default: 1)")
    drawing.set_defaults(command=_pictures)
    return parser


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "control", help="the control port that `hw-sim run` printed, tcp://127.0.0.1:PORT, or its RUN_DIR"
    )
    parser.add_argument("device", help="the device's name")


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--speed", type=_positive, default=1.0, metavar="X", help="how many times faster than life")
    parser.add_argument("--seed", type=int, metavar="N", help="chance; the same seed gives the same spins")
    parser.add_argument("--run-dir", type=Path, metavar="DIR", help="where the ports' names are (default: temporary)")
    parser.add_argument("--broker", metavar="U", help="mqtt://HOST:PORT for devices on a broker (default: their own)")
    parser.add_argument("--truth", type=Path, metavar="FILE", help="append what really happened, one JSON line a throw")
    parser.add_argument("--seconds", type=_positive, metavar="N", help="end by itself after N seconds of our time")


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is not over 0 and under a million")
    return value


def _count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 999:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and 999")
    return value


def _list(options: argparse.Namespace) -> int:
    scenarios = {name: load_scenario(name) for name in scenario_names()}
    if options.json:
        listed = [
            {"name": name, "title": scenario.title, "devices": [device.name for device in scenario.devices]}
            for name, scenario in scenarios.items()
        ]
        print(json.dumps({"scenarios": listed, "faults": _faults()}))
        return DONE
    width = max(map(len, scenarios))
    for name, scenario in scenarios.items():
        print(f"{name:<{width}}  {scenario.title}")
    print("\nfaults: " + ", ".join(_faults()))
    return DONE


def _faults() -> list[str]:
    return sorted(
        fault.value for fault in {*INJECTABLE, *SHOE_FAULTS, *SCANNER_FAULTS, *DICE_FAULTS, *TurnFault, *ShuffleFault}
    )


def _run(options: argparse.Namespace) -> int:
    scenario = load_scenario(options.scenario)

    def write(simulation: Simulation, control: str) -> dict[str, Any]:
        return write_bench(scenario, simulation, control)

    return _simulated(options, scenario, write)


def _pictures(options: argparse.Namespace) -> int:
    from hw_sim.beans.pictures import write_bean_pictures
    from hw_sim.dice.pictures import write_pictures

    scenario = load_scenario(options.scenario)
    dice = write_pictures(scenario, options.out, options.seed)
    print(json.dumps({**dice, **write_bean_pictures(scenario, options.out, options.seed)}))
    return DONE


def _fleet(options: argparse.Namespace) -> int:
    def write_config(simulation: Simulation, _control: str) -> dict[str, Any]:
        run_dir = simulation.run_dir.absolute()
        path = options.config or run_dir / "station.toml"
        drivers = {device["name"]: device["driver"] for device in simulation.describe()}
        path.write_text(station_config(simulation.ports, drivers, options.url, run_dir / "state"), encoding="utf-8")
        return {"config": str(path)}

    return _simulated(options, fleet_scenario(options.tables), write_config)


def _simulated(
    options: argparse.Namespace, scenario: Scenario, more: Callable[[Simulation, str], dict[str, Any]]
) -> int:
    alone = contextlib.nullcontext() if options.run_dir is None else alone_in(options.run_dir, options.words)
    with alone:
        return asyncio.run(_simulate(options, scenario, more))


async def _simulate(
    options: argparse.Namespace, scenario: Scenario, more: Callable[[Simulation, str], dict[str, Any]]
) -> int:
    """Runs until a signal, the time given, or an error of the simulator's own."""
    code = DONE
    stop = asyncio.Event()

    def interrupt(exit_code: int) -> None:
        nonlocal code
        code = exit_code
        stop.set()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, interrupt, INTERRUPTED)
    loop.add_signal_handler(signal.SIGTERM, interrupt, DONE)
    async with (
        running(
            scenario,
            speed=options.speed,
            seed=options.seed,
            run_dir=options.run_dir,
            truth=options.truth,
            broker=options.broker,
        ) as simulation,
        control_port(simulation) as control,
    ):
        devices = [
            {key: device[key] for key in ("name", "driver", "model", "port", "files", "answers", "run") if device[key]}
            for device in simulation.describe()
        ]
        first = {"devices": devices, "control": control, "run_dir": str(simulation.run_dir), "seed": simulation.seed}
        print(json.dumps({**first, **more(simulation, control)}), flush=True)
        say_where(scenario, simulation)
        assert simulation.task is not None
        waiting = asyncio.create_task(stop.wait())
        await asyncio.wait({waiting, simulation.task}, timeout=options.seconds, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
    return code
