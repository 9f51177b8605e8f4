"""``docs/reference/reasons.md``, written from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping

from dealer_daemon.words.word import Kind, Word

_HEAD = """# Reasons and other words

<!-- Written by `make schema` from daemon/dealer_daemon/words/; change it there. -->

Messages carry these words in `reason`, `remedy` and `fault`, and where there is more to say a sentence for people in
`detail`. Within v1 words are only added: a server treats a word that it does not know like the others of its kind.
Where a person gave the reason (`by` names them), `reason` is that person's own text and in no list: so with
`table.pause`, `table.resume`, `round.void`, `shoe.change`, `gate.open` with `void`, and every correction and decision.
The texts are what screens show."""

_SECTIONS = {
    Kind.REFUSED: (
        "Refused",
        "`reason` of `attempt.refused`: a rule was broken, or a card could not be told. The attempt is made again, at "
        "a card table with the same card for the same position; the round stays open.",
    ),
    Kind.HELD: (
        "Held",
        "`reason` of `attempt.held`: not clear. Nothing counts until a service manager decides, refuses or voids.",
    ),
    Kind.VIOLATION: (
        "Violation",
        "`reason` of `violation`: something happened that the procedure does not allow at that time.",
    ),
    Kind.IGNORED: (
        "Ignored",
        "`reason` of `card.repeated`: the same card was reported again. It is recorded and changes nothing.",
    ),
    Kind.SKIPPED: ("Skipped", "`reason` of `hand.skipped`: this hand gives no result, and the next one counts."),
    Kind.PAUSE: (
        "Pause",
        "`reason` of `table.paused`: the table stands until a service manager resumes it or voids the round. The "
        "dealer may end `unseen_between_hands` and `unseen_before_burn` too.",
    ),
    Kind.RESUMED: ("Resumed", "`reason` of `table.resumed`, where it is not a manager's own text."),
    Kind.VOID: ("Void", "`reason` of `round.voided`: the round is cancelled and stakes go back."),
    Kind.SHOE: ("Shoe ended", "`reason` of `shoe.ended`: no more hands are dealt from this shoe."),
    Kind.DECK: (
        "Deck set failed",
        "`reason` of `deck.failed`: the set is out until it is verified again. `deck.scan_refused` has one of these or "
        "of the words for a card that could not be told.",
    ),
    Kind.REMEDY: ("Remedy", "`remedy` of `attempt.refused`: what people do now."),
    Kind.FAULT: ("Fault", "`fault` of `device.fault` and `device.recovered`: what is wrong with a device."),
    Kind.RETURNED: (
        "Returned",
        "`reason` of `device.returned`: how a technician's bench and a device came apart. The station opens the device "
        "anew.",
    ),
    Kind.EXPIRED: (
        "Expired",
        "`reason` of `events.expired`: events go from the journal by retention though not everybody has them.",
    ),
    Kind.LOST: (
        "Lost",
        "`reason` of `events.lost`: these sequences stay empty. The table stands for the same reason until a service "
        "manager resumes it.",
    ),
}


def reasons_page(words: Mapping[str, Word]) -> str:
    """The page: one table a kind, words in the catalogue's order."""
    lines = [_HEAD]
    for kind, (title, intro) in _SECTIONS.items():
        lines += [
            "",
            f"## {title}",
            "",
            intro,
            "",
            "| word | English | 简体中文 | 繁體中文 | meaning |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| `{name}` | {word.english} | {word.simplified} | {word.traditional} | {word.meaning} |"
            for name, word in words.items()
            if kind in word.kinds
        ]
    return "\n".join(lines) + "\n"
