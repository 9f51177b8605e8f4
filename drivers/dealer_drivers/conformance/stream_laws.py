"""Laws about bytes: what is read of the example, and that no cut, no junk and no amount of it changes that."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from dealer_drivers.conformance.check import Broken, brief, listed, shown
from dealer_drivers.conformance.noise import endless, junk, pieces, single
from dealer_drivers.conformance.player import START, Player, Said
from dealer_drivers.conformance.subject import Subject
from dealer_drivers.conformance.weight import weight
from dealer_drivers.driver import DeviceAction

LONG_BYTES = 6000
AT_ONCE = 16 * 1024
"""Bytes that are fed in one piece, at least."""


def reads_what_is_stated(subject: Subject) -> None:
    """The example gives its values, in order, and nothing that is not stated."""
    player = subject.clean
    expect = subject.example.expect or ()
    kinds = {one.kind for one in expect}
    found = [one for one in player.readings() if subject.example.is_value(one) or type(one) in kinds]
    for number, wanted in enumerate(expect):
        if number >= len(found) or not wanted.fits(found[number]):
            got = brief(found[number]) if number < len(found) else "nothing more"
            raise Broken(f"reading {number + 1} must be {wanted}, and is {got}; in all:{listed(found)}")
    if len(found) > len(expect):
        raise Broken(f"after the {len(expect)} readings that are stated comes {brief(found[len(expect)])}")
    if subject.stream and not sum(call.output.frames for call in player.calls):
        raise Broken("no valid frame is counted in Output.frames: the link would say that the speed is wrong")


def cuts_change_nothing(subject: Subject) -> None:
    """Any cutting of the stream gives the same answers at the same moments, of a damaged stream too."""
    for case, rng in subject.rngs("cuts"):
        spoilt = _spoilt(subject, rng)
        whole = subject.player(lambda n, data, spoilt=spoilt: [spoilt.get(n, data)]).play()  # type: ignore[misc]
        cut = subject.player(
            lambda n, data, spoilt=spoilt, rng=rng: pieces(spoilt.get(n, data), rng)  # type: ignore[misc]
        ).play()
        compare(whole.said(), cut.said(), f"{case}: cut into other pieces, the same bytes say something else", cut)
        if whole.session.deadline_ns() != cut.session.deadline_ns():
            raise Broken(f"{case}: the next deadline depends on how the stream was cut; stream {cut.stream()}")


def _spoilt(subject: Subject, rng: Random) -> dict[int, bytes]:
    """Some of the chunks damaged, in two cases of three."""
    chunks = [(n, chunk) for n, chunk in enumerate(subject.chunks) if chunk]
    if not chunks or rng.random() < 1 / 3:
        return {}
    chosen = rng.sample(chunks, min(len(chunks), rng.randrange(1, 4)))
    if rng.random() < 0.2:  # longer than any line may be
        n, chunk = chosen[0]
        return {n: chunk[: len(chunk) // 2] * (LONG_BYTES // max(1, len(chunk) // 2)) + chunk}
    return {
        n: rng.choice([single(chunk, rng), junk(subject.stream, rng) + chunk, chunk + junk(subject.stream, rng)])
        for n, chunk in chosen
    }


def compare(one: Sequence[Said], other: Sequence[Said], what: str, player: Player) -> None:
    """Raises ``Broken`` at the first difference."""
    for number in range(max(len(one), len(other))):
        first = one[number] if number < len(one) else None
        second = other[number] if number < len(other) else None
        if first != second:
            told = [
                "nothing"
                if said is None
                else f"{said.name} at {said.at.since_s(START):.3f} s, {said.frames} frames, "
                f"{said.rejected} rejected, sends {said.send!r}:{listed(said.readings)}"
                for said in (first, second)
            ]
            raise Broken(f"{what}\n  first {told[0]}\n  then {told[1]}\n  stream {player.stream()}")


def nothing_raises(subject: Subject) -> None:
    """Any call with any bytes at any time is answered, and a tick at a deadline moves it."""
    for case, rng in subject.rngs("total"):
        player = subject.player()
        log: list[str] = []
        for _ in range(24):
            try:
                log.append(_any_call(subject, player, rng))
            except Broken as broken:
                raise Broken(f"{case}: {broken}; the calls before: {'; '.join(log)}") from broken
            except Exception as error:
                did = "; ".join(log[-6:])
                raise Broken(
                    f"{case}: {type(error).__name__}: {error}; the last calls: {did}; stream {player.stream()}"
                ) from error


def _any_call(subject: Subject, player: Player, rng: Random) -> str:
    match rng.randrange(8):
        case 0:
            player.open()
            return "opened"
        case 1:
            player.lose("any reason")
            return "lost"
        case 2:
            action = rng.choice(list(DeviceAction))
            player.request(action)
            return f"request {action}"
        case 3:
            player.call("tick", b"", player.session.tick(player.at))
            return "tick"
        case 4:
            seconds = rng.choice([0.001, 0.1, 1.0, 10.0, 100_000.0])
            player.wait(min(seconds, 3 * subject.offline_s + 1) if seconds > 100 else seconds)
            return f"wait {seconds:g} s"
        case 5:
            data = junk(subject.stream, rng)
        case 6 if subject.chunks:
            chunk = rng.choice(subject.chunks)
            data = single(chunk, rng) if chunk else b""
        case _:
            data = rng.choice(subject.chunks) if subject.chunks else rng.randbytes(30)
    player.feed(data)
    return f"feed {shown(data)}"


def memory_is_bounded(subject: Subject) -> None:
    """However much junk comes, and however many halves of frames, a session holds no more than is stated."""
    most = subject.example.memory_bytes
    amount = max(subject.junk_bytes, most + most // 4)
    at_once = max(AT_ONCE, most // 8)
    for piece in endless(subject.stream, Random(f"{subject.seed}/memory")):
        player = subject.player()
        player.open()
        before = weight(player.session)
        once = piece * max(1, at_once // len(piece))
        player.calls.clear()
        for _ in range(-(-amount // len(once))):
            player.feed(bytes(bytearray(once)))  # bytes of their own: what keeps them is seen
            player.calls.clear()
            player.wait(0.05)
            player.calls.clear()
        grown = weight(player.session) - before
        if grown > most:
            raise Broken(f"after {amount} bytes of {shown(piece)} again and again it holds {grown} bytes more")


def finds_the_next_frame(subject: Subject) -> None:
    """After junk anywhere, frames that begin ``resync_bytes`` later are read as if nothing had been.

    Where every value gathers frames, so many frames must be counted again, from twice as far on.
    """
    example = subject.example
    starts, told, ends = _clean_frames(subject)
    places = [n for n, start in enumerate(starts) if any(begin >= start + example.resync_bytes for begin, _ in told)]
    if not told:
        places = [n for n, start in enumerate(starts) if any(end > start + 2 * example.resync_bytes for end in ends)]
    if not places:
        raise Broken(
            f"nothing that the example reads twice over begins {example.resync_bytes} bytes after anything: state a "
            "smaller resync_bytes, or a longer example"
        )
    for case, rng in subject.rngs("resync"):
        place = rng.choice(places)
        dirt = junk(subject.stream, rng, own=bool(example.undamaged))
        player = subject.player(
            lambda n, data, place=place, dirt=dirt: (  # type: ignore[misc]
                [dirt, float(example.resync_rest_s), data] if n == place else [data]
            )
        ).play(2)
        due = [raw for begin, raw in told if begin >= starts[place] + example.resync_bytes]
        rest = iter([reading.raw for reading in player.values()])
        missing = [raw for raw in due if raw not in rest]
        again = sum(call.output.frames for call in player.calls if call.good_bytes > starts[place])
        wanted = 0 if told else sum(end > starts[place] + 2 * example.resync_bytes for end in ends)
        if missing or again < wanted:
            what = f"a frame is not read: {shown(missing[0])}" if missing else f"{again} frames are read, not {wanted}"
            raise Broken(
                f"{case}: after junk {shown(dirt)} before chunk {place}, {example.resync_bytes} good bytes on, {what}"
            )


def _clean_frames(subject: Subject) -> tuple[list[int], list[tuple[int, bytes]], list[int]]:
    """Of the example twice over, by bytes before them: where chunks begin, where values begin and what they came from,
    where frames end."""
    starts: list[int] = []

    def bytewise(_: int, data: bytes) -> list[bytes]:
        starts.append(clean.good_bytes)
        return [data[n : n + 1] for n in range(len(data))]

    clean = subject.player(bytewise)
    clean.play(2)
    told = [
        (call.good_bytes - len(reading.raw), reading.raw)
        for call in clean.calls
        for reading in call.output.readings
        if subject.example.is_value(reading) and not isinstance(reading, subject.example.gathers)
    ]
    return starts, told, [call.good_bytes for call in clean.calls for _ in range(call.output.frames)]
