"""Hears a reader while a technician passes a pile of cards through it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from dealer_calibration.bench import BenchCommand, BenchError, BenchLink, Finding, Result, Seen
from dealer_calibration.bench.keeping import keep_calibration, serial_told, with_own_options
from dealer_calibration.bench.listening import Listener
from dealer_calibration.cards.book import BOOK, book_of
from dealer_calibration.cards.findings import expected_rate, findings
from dealer_calibration.cards.tally import Tally
from dealer_calibration.cli.exit_codes import WRONG
from dealer_drivers.calibration.slot import CARD_READER
from dealer_drivers.cards import DECK
from dealer_drivers.driver import Observes

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
        listener = await _hear(command, link, tally, in_order=in_order)
        found = findings(tally, in_order=in_order)
        if listener.began:
            found.insert(0, _faults(listener.began))
        if not in_order:
            found.append(_NOT_IN_ORDER)
        by = command.arguments.by
        figures = {} if book is None else {BOOK: book}
        result = Result(command=name, table=device.table, device=device.name, by=by, findings=found, figures=figures)
        if result.passed:
            serial = serial_told(device, listener.notices)
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


async def _hear(command: BenchCommand, link: BenchLink, tally: Tally, *, in_order: bool) -> Listener:
    """Until the pile has passed; who listened. Raises ``BenchError`` where the connection has ended for good."""

    def heard(seen: Seen) -> None:
        none_yet = not tally.passed
        if tally.feed(seen.readings):
            command.talk.event("card", read=len(tally.passed), of=tally.wanted, card=tally.passed[-1].card)
            if in_order and none_yet and (first := tally.passed[0].card) != DECK[0]:
                said = (
                    f"The first card was read as {first}: if it was not the ace of spades, press Ctrl-C and begin again"
                )
                command.talk.say(said, warn=True)

    listener = Listener(link, heard)
    with command.talk.waiting("listening"):
        while not tally.complete:
            before = tally.passes

            def something(before: int = before) -> bool:
                return tally.passes > before

            quiet_s = QUIET_S if before else FIRST_CARD_S
            if not await listener.until(something, quiet_s):
                ended = await _was_all(command, tally)
                await listener.catch_up()  # cards that passed while the question stood there
                if ended:
                    break
    return listener


async def _was_all(command: BenchCommand, tally: Tally) -> bool:
    read = len(tally.passed)
    question = f"{read} of {tally.wanted} cards were read, and none for a while. Was that the whole pile?"
    return await command.talk.confirm(f"all_at_{read}", question if read else "No card was read yet. End here?")


def _faults(faults: Mapping[str, str]) -> Finding:
    return Finding(
        code="device_fault",
        ok=False,
        said="; ".join(f"{fault}: {detail}" for fault, detail in sorted(faults.items())),
        do_next="put that right first (dealer-calibrate probe), then pass the cards again",
        figures={"faults": faults},
    )
