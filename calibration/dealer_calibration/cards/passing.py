"""Hears a reader while a technician passes a pile of cards through it."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from dealer_calibration.bench import BenchCommand, BenchError, BenchLink, Finding, Result
from dealer_calibration.bench.keeping import keep_calibration, serial_told, with_own_options
from dealer_calibration.cards.book import BOOK, book_of
from dealer_calibration.cards.findings import expected_rate, findings
from dealer_calibration.cards.tally import Tally
from dealer_calibration.cli.exit_codes import WRONG
from dealer_drivers.calibration.slot import CARD_READER
from dealer_drivers.driver import Observes
from dealer_drivers.readings import DeviceFault, DeviceNotice

FIRST_CARD_S = 120.0
"""How long the first card may take."""
QUIET_S = 20.0
"""After so long without a card the technician is asked whether that was all."""


async def pass_pile(command: BenchCommand, name: str, decks: int, *, in_order: bool) -> Result:
    """The whole of ``card check`` and ``shoe``: the pile passes, and is judged. Raises ``BenchError``."""
    device = with_own_options(command.device)
    command = replace(command, device=device)
    if Observes.CARD not in device.driver.observes(device.ready_options()):
        raise BenchError(f"{device.name} reads no cards: it is a {device.driver.name}", WRONG)
    tally, book = Tally(decks), book_of(device)
    pile = "a deck" if decks == 1 else f"{decks} decks"
    order = "in order: ace to king of spades, hearts, clubs, diamonds" if in_order else "in any order"
    async with command.taken() as link:
        await link.up()
        command.talk.step(f"Pass {pile} ({tally.wanted} cards), {order}. A card that is not read passes again at once.")
        faults, notices = await _hear(command, link, tally)
        found = findings(tally, in_order=in_order)
        if faults:
            found.insert(0, _faults(faults))
        if not in_order:
            found.append(_NOT_IN_ORDER)
        by = command.arguments.by
        figures = {} if book is None else {BOOK: book}
        result = Result(command=name, table=device.table, device=device.name, by=by, findings=found, figures=figures)
        if result.passed:
            serial = serial_told(device, notices)
            kept = keep_calibration(
                device, kind=CARD_READER.kind, by=by, serial=serial, values={"expect": expected_rate(tally)}
            )
            command.talk.say(
                f"kept as calibration {kept.id}; the station holds its readings against it from its next start on"
            )
            result = msgspec.structs.replace(result, calibration=kept.id)
        return command.judged(result)


_NOT_IN_ORDER = Finding(
    code="order",
    ok=None,
    said="whether cards are taken for each other was not looked at",
    do_next="pass one deck in order (card check --sorted): two codes exchanged in the code book do not show otherwise",
)


async def _hear(command: BenchCommand, link: BenchLink, tally: Tally) -> tuple[dict[str, str], dict[str, str]]:
    """Until the pile has passed: the faults that began meanwhile, and what the device told of itself."""
    faults: dict[str, str] = {}
    notices: dict[str, str] = {}
    wait_s = FIRST_CARD_S
    with command.talk.waiting("listening"):
        while not tally.complete:
            seen = await link.next(wait_s)
            if seen is None:
                if link.state.state == "given_up" or await _was_all(command, tally):
                    break
                continue
            for reading in seen.readings:
                if isinstance(reading, DeviceFault) and not reading.cleared:
                    faults[str(reading.fault)] = reading.detail
                if isinstance(reading, DeviceNotice):
                    notices[reading.notice] = reading.detail
            if tally.feed(seen.readings):
                wait_s = QUIET_S
                command.talk.event("card", read=len(tally.passed), of=tally.wanted, card=tally.passed[-1].card)
    return faults, notices


async def _was_all(command: BenchCommand, tally: Tally) -> bool:
    said = f"{len(tally.passed)} of {tally.wanted} cards were read, and none for a while."
    return await command.talk.confirm(f"all_at_{len(tally.passed)}", f"{said} Was that the whole pile?")


def _faults(faults: dict[str, str]) -> Finding:
    return Finding(
        code="device_fault",
        ok=False,
        said="; ".join(f"{fault}: {detail}" for fault, detail in sorted(faults.items())),
        do_next="put that right first (dealer-calibrate probe), then pass the cards again",
        figures={"faults": faults},
    )
