"""Reading pictures: CPU time of one look, beside what nobody can go below, packing out the same picture once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import cv2

RIGS = ("white", "asian", "black", "ivory")
SHAKES = 12


def _cpu_ms(work: Callable[[], object]) -> float:
    began = time.process_time_ns()
    work()
    return (time.process_time_ns() - began) / 1e6


def _floor(picture: Any) -> Callable[[], object]:
    """A picture of a network camera must at least be unpacked."""
    file = cv2.imencode(".jpg", picture)[1]
    return lambda: cv2.imdecode(file, cv2.IMREAD_COLOR)


def figures(name: str, looks: Sequence[tuple[Callable[[], object], Any]], quantile: Any) -> dict[str, Any]:
    """One line: every look once, and the floor of its picture at once after it."""
    ours: list[float] = []
    floor: list[float] = []
    for look, picture in looks:
        ours.append(_cpu_ms(look))
        floor.append(_cpu_ms(_floor(picture)))
    line: dict[str, Any] = {"bench": name, "looks": len(ours)}
    for label, values in (("", ours), ("floor_", floor)):
        line |= {f"{label}p50_ms": round(quantile(values, 0.5), 2), f"{label}p99_ms": round(quantile(values, 0.99), 2)}
    line |= {f"ratio_p{q}": round(line[f"p{q}_ms"] / line[f"floor_p{q}_ms"], 1) for q in (50, 99)}
    return line


def picture_figures(quantile: Any) -> list[dict[str, Any]]:
    """Dice of calibrated rigs (640 × 480, both readers), dice in single stills, beans on a cloth."""
    from dealer_drivers.beans.reader import BeansReader
    from dealer_drivers.dice.still_decide import decide_still
    from hw_sim.dice.shakes import shakes
    from support.beans import calibrated as cloth
    from support.beans import layout_pictures
    from support.rig_dice import calibrated

    cv2.setNumThreads(1)
    rig: list[tuple[Callable[[], object], Any]] = []
    stills: list[tuple[Callable[[], object], Any]] = []
    for number, kind in enumerate(RIGS):
        simulated, _, reader = calibrated(number, kind)
        for shake in shakes(seed=1, rig=simulated, count=SHAKES):
            picture = shake.frame(5)
            rig.append((lambda r=reader, p=picture: r.read(p), picture))
            if len(stills) < SHAKES:
                stills.append((lambda p=picture: decide_still(p), picture))
    table, profile = cloth(1)
    reader_of_beans = BeansReader(profile)
    counts = (1, 7, 20, 41, 64, 99, 120, 150, 177, 200)
    beans = [
        (lambda p=picture: reader_of_beans.read(p), picture) for picture in layout_pictures(table, counts, "bench")
    ]
    decide_still(stills[0][1])  # what is drawn once for all is no part of a look
    return [
        figures("dice_rig_look", rig, quantile),
        figures("dice_still", stills, quantile),
        figures("beans_look", beans, quantile),
    ]
