"""``dealer-daemon status``: what the running station does, on one screen."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from dealer_daemon.cli.common import Subcommands, add_command, add_config
from dealer_daemon.cli.exit_codes import DONE, UNREACHABLE, WRONG, complain


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "status",
        "show what the running station does",
        "dealer-daemon status --config station.toml --json",
        status,
    )
    add_config(parser)
    parser.add_argument("--state-dir", type=Path, metavar="D", help="the state directory, instead of --config")
    parser.add_argument("--json", action="store_true", help="print all of it as a JSON object")


def status(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 it answered, 2 the configuration is wrong, 3 no daemon answers."""
    import asyncio
    import json

    from dealer_daemon.config import ConfigErrors, load_config
    from dealer_daemon.station.control import DaemonUnreachable, ask_daemon

    state_dir = arguments.state_dir
    if state_dir is None:
        try:
            state_dir = Path(load_config(arguments.config).station.state_dir)
        except ConfigErrors as errors:
            return complain(str(errors), WRONG)
    try:
        answer = asyncio.run(ask_daemon(state_dir, "status"))
    except DaemonUnreachable as error:
        return complain(str(error), UNREACHABLE)
    if arguments.json:
        print(json.dumps(answer, ensure_ascii=False))
    else:
        _show(answer)
    return DONE


def _show(answer: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from dealer_drivers.console import console as plain_console

    console = plain_console()
    console.print(f"[bold]{answer['site']}[/bold]  dealer-station {answer['version']}, since {answer['since']}")
    if (host := answer.get("host")) is not None:
        console.print(_host(host), highlight=False)
    for name, table in answer["tables"].items():
        state, mqtt = table["state"], table["mqtt"]
        stands = state["paused"] or state["stalled"] or state["held"] or state["phase"] == "held"
        colour = "red" if stands else "green"
        shadow = " [yellow](shadow)[/yellow]" if state["shadow"] else ""
        console.print(f"\n[bold]{name}[/bold] {state['game']}{shadow}: [{colour}]{state['phase']}[/{colour}]", end="")
        console.print(f"  round {state['round'] or '-'}, attempt {state['attempt'] or '-'}", end="")
        console.print(f", sequence {state['last_sequence']}")
        for label, text in (
            ("held", _held(state["held"])),
            ("paused", _paused(state["paused"], state.get("paused_at"))),
            ("stalled", state["stalled"] and escape(state["stalled"])),
        ):
            if text:
                console.print(f"  [red]{label}: {text}[/red]", highlight=False)
        for alert in table.get("alerts", ()):
            console.print(f"  {_alert(alert)}", highlight=False)
        broker = f"MQTT {mqtt['protocol']}" if mqtt["connected"] else "[red]not connected[/red]"
        waiting = state["last_sequence"] - mqtt["published"]
        console.print(f"  broker: {broker}, published {mqtt['published']}, waiting {waiting}", end="")
        console.print(_latencies(table.get("commit_p99_s"), mqtt.get("acknowledged_p99_s")), highlight=False)
        for problem in mqtt["problems"]:
            if state["held"] is None or not problem.startswith(state["held"]["reason"]):
                console.print(f"  [red]{escape(problem)}[/red]", highlight=False)
        for consumer, health in state["consumers"].items():
            console.print(f"  {_consumer(consumer, health)}", highlight=False)
        grid = Table(box=None, pad_edge=True)
        for column in ("device", "driver", "link", "bytes", "frames", "rejected", "last reading", "faults"):
            grid.add_column(column, overflow="fold")
        for device, health in table["devices"].items():
            grid.add_row(
                device,
                f"{health['driver']} ({health['maturity']})",
                health["link"],
                str(health["bytes_in"]),
                str(health["valid_frames"]),
                str(health["rejected_bytes"]),
                health["last_reading"] or "-",
                ", ".join(health["faults"]) or "-",
            )
        console.print(grid)
        for device, health in table["devices"].items():
            if health["link"] != "up":
                console.print(
                    f"  [red]{device}: {health['link']}: {escape(health['link_reason'])}[/red]", highlight=False
                )
            for warning in (health.get("calibrated") or {}).get("warnings", ()):
                console.print(f"  [yellow]{device}: {escape(warning)}[/yellow]", highlight=False)


def _host(host: dict[str, Any]) -> str:
    """The computer's clock and disk, and the event loop."""
    from rich.markup import escape

    synchronised = host["clock_synchronised"]
    clock = {None: "not known", True: "synchronised", False: "[yellow]not synchronised[/yellow]"}[synchronised]
    free = host["disk_free_bytes"]
    disk = "not known" if free is None else f"{free / (1 << 30):.1f} GiB free"
    late = host["loop_late_p99_s"]
    loop = "" if late is None else f", loop late by at most {late * 1000:g} ms (99 %)"
    problem = host["monitoring_problem"]
    return f"  clock: {clock}, disk: {disk}{loop}" + (f"\n  [yellow]{escape(problem)}[/yellow]" if problem else "")


def _alert(alert: dict[str, Any]) -> str:
    """One line, and below it what to do."""
    from rich.markup import escape

    from dealer_daemon.words.alerts import ALERTS

    colour = "red" if alert["severity"] == "error" else "yellow"
    about = " ".join(word for word in (alert["device"], alert["about"]) if word)
    said = f"{alert['severity']} {alert['code']}" + (f" ({about})" if about else "")
    detail = f": {alert['detail']}" if alert["detail"] else ""
    text = ALERTS.get(alert["code"])  # none: a code of another version
    todo = " ".join(([] if text is None else [f"{text.english}."]) + [alert["suggestion"], alert["runbook"]])
    return f"[{colour}]{escape(said + detail)}[/{colour}], since {alert['since']}\n    {escape(todo)}"


def _latencies(commit_s: float | None, acknowledged_s: float | None) -> str:
    """How long commits and the broker take, where there were any."""
    told = [
        f"{what} within {seconds * 1000:g} ms"
        for what, seconds in (("committed", commit_s), ("acknowledged", acknowledged_s))
        if seconds is not None
    ]
    return f"; 99 % {', '.join(told)}" if told else ""


def _held(held: dict[str, Any] | None) -> str | None:
    """Why the station may not speak for the table, and what to do."""
    from rich.markup import escape

    return None if held is None else escape(f"{held['reason']}: {held['detail']}")


_LINK = re.compile(r"\[([^]]*)\]\(\.\./([^)]*)\)")
"""A link of the pages that the words are also for."""


def _spoken(link: re.Match[str]) -> str:
    return f"{link[1]}: docs/{link[2]}"


def _paused(paused: str | None, paused_at: int | None) -> str | None:
    """Why a table stands, with the number by which ``table.resume`` answers it."""
    why = _why(paused)
    return why if why is None or paused_at is None else f"{why} (pause {paused_at})"


def _why(paused: str | None) -> str | None:
    """Why a table stands, and what to do where the word is one of the station's."""
    from rich.markup import escape

    from dealer_daemon.words import WORDS, Kind

    word = WORDS.get(paused or "")
    if paused is None or word is None or Kind.PAUSE not in word.kinds:
        return None if paused is None else escape(paused)
    return escape(f"{paused}: {_LINK.sub(_spoken, word.meaning)}")


def _consumer(name: str, health: dict[str, Any]) -> str:
    from rich.markup import escape

    heard = f"heard {health['heard']}" if health["heard"] else "not heard since the start"
    line = f"consumer {escape(name)}: at {health['sequence']}, {health['behind']} behind, {heard}"
    return f"[red]{line}: gone[/red]" if health["gone"] else line
