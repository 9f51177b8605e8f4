"""The conversation with an Angel Eye II-EX: repeats told from news, commands only where allowed (``devices.md`` §2).

The shoe speaks when something happens and has no cadence, so its silence means nothing and no reading here
says ``SILENT``. That bytes come and none is a frame (the wrong speed) is the link's to say.
"""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceNotice, Reading, Unreadable
from dealer_drivers.readings.shoe import CardTrouble, CardUnreadable, ShoeError
from dealer_drivers.shoe.angel_eye_codec import (
    Ack,
    AngelEyeCodec,
    Answer,
    BccRule,
    Frame,
    Junk,
    JunkReason,
    Nak,
    Telegram,
    encode_command,
)
from dealer_drivers.shoe.angel_eye_messages import CARD_CODE, reading_of

TORN_AFTER_S = 1.0
"""A telegram of eight bytes takes 17 ms at 4800 baud; one that rests this long in the middle will not go on. Ours."""
ANSWER_WITHIN_S = 2.0
"""A command without an answer for this long is reported. Ours."""

LISTENING = "the line is open; a shoe says nothing before something happens"

NAK_MEANINGS = {
    "01": "framing",
    "02": "wrong BCC: set command_bcc to the other rule",
    "03": "no ETX",
    "11": "wrong format",
    "12": "wrong address",
    "13": "unknown command",
    "14": "unknown type",
    "21": "busy: ask again",
    "22": "writing its settings: ask again",
}
COMMANDS = {
    DeviceAction.LOCK_SHOE: ("LK", "02"),
    DeviceAction.UNLOCK_SHOE: ("LK", "01"),
    DeviceAction.READ_PRESETS: ("GP", "00"),
}
JUNK_TEXTS = {
    JunkReason.NOISE: "noise between telegrams",
    JunkReason.TORN: "a telegram broke off",
    JunkReason.TOO_LONG: "a telegram without an end",
    JunkReason.BCC: "a telegram with a wrong BCC",
    JunkReason.MALFORMED: "a telegram without sequence or code",
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A command that waits for its answer."""

    action: DeviceAction
    at: Instant


class AngelEyeSession:
    """Frames and time in; readings, acknowledgements and commands out."""

    def __init__(self, *, control: bool, acknowledge: bool, command_bcc: BccRule) -> None:
        self._control = control
        self._acknowledge = acknowledge
        self._rule = command_bcc
        self._codec = AngelEyeCodec(command_bcc)
        self._last_byte: Instant | None = None
        # Kept over a lost link: the shoe sends its newest telegram again when it was not acknowledged.
        self._last_raw: bytes | None = None
        self._last_mark: tuple[str, str] | None = None
        self._asked: _Asked | None = None
        self._error_code: int | None = None
        self._up_told = False

    def opened(self, at: Instant) -> Output:
        """The link is up, which is said once: what the shoe sent before went unheard. Nothing is asked and nothing
        begins: being connected means nothing."""
        self._forget_partial()
        if self._up_told:
            return NOTHING
        self._up_told = True
        return Output((DeviceNotice(at=at, raw=b"", notice="shoe", detail=LISTENING),))

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        """The link is down: half a telegram and a question without an answer are dropped."""
        self._forget_partial()
        return NOTHING

    def feed(self, data: bytes, at: Instant) -> Output:
        """Bytes arrived."""
        late = self._expire(at)
        if not data:
            return late
        self._last_byte = at
        found, rejected = self._codec.feed(data)
        now = self._told(found, rejected, at)
        return Output(late.readings + now.readings, now.send, late.frames + now.frames, late.rejected + now.rejected)

    def tick(self, at: Instant) -> Output:
        """Time passed."""
        return self._expire(at)

    def deadline_ns(self) -> int | None:
        """When a broken-off telegram or an unanswered command is due."""
        due = [moment for moment in (self._torn_due_ns(), self._answer_due_ns()) if moment is not None]
        return min(due) if due else None

    def request(self, action: DeviceAction, at: Instant) -> Output:
        """Lock, unlock, clear the newest error, read the presets: only with ``control``."""
        if not self._control:
            return NOTHING
        if action is DeviceAction.CLEAR_SHOE_ERROR and self._error_code is not None:
            kind, data = "EC", f"{self._error_code:02d}"
        elif action in COMMANDS:
            kind, data = COMMANDS[action]
        else:
            return NOTHING
        self._asked = _Asked(action, at)
        return Output(send=(encode_command(kind, data, self._rule),))

    def _forget_partial(self) -> None:
        self._codec.reset()
        self._last_byte = None
        self._asked = None

    def _torn_due_ns(self) -> int | None:
        if self._last_byte is None or not self._codec.pending:
            return None
        return self._last_byte.mono_ns + round(TORN_AFTER_S * NS_PER_S)

    def _answer_due_ns(self) -> int | None:
        return None if self._asked is None else self._asked.at.mono_ns + round(ANSWER_WITHIN_S * NS_PER_S)

    def _expire(self, at: Instant) -> Output:
        output = NOTHING
        torn_due, answer_due = self._torn_due_ns(), self._answer_due_ns()
        if torn_due is not None and at.mono_ns >= torn_due:
            assert self._last_byte is not None
            output = self._told(*self._codec.flush(), self._last_byte)
        if answer_due is not None and at.mono_ns >= answer_due:
            assert self._asked is not None
            notice = DeviceNotice(
                at=at,
                raw=b"",
                notice="command_unanswered",
                detail=f"the shoe gave no answer to {self._asked.action}; look whether its line to the host's side"
                " is connected (DB9 pin 3), then ask again",
            )
            self._asked = None
            output = Output((*output.readings, notice), (), output.frames, output.rejected)
        return output

    def _told(self, found: list[Frame], rejected: int, at: Instant) -> Output:
        readings: list[Reading] = []
        send: list[bytes] = []
        frames = 0
        for frame in found:
            if isinstance(frame, Telegram):
                frames += 1
                if self._acknowledge:
                    send.append(b"\x06")
                if frame.raw != self._last_raw:
                    readings.append(self._news(frame, at))
            elif isinstance(frame, Junk):
                readings.append(self._junk(frame, at))
            elif self._asked is None:
                # A lone ACK or NAK has no check: it may be noise, and must not pass for a sign of the right speed.
                frames, rejected = (
                    (frames + 1, rejected) if isinstance(frame, Answer) else (frames, rejected + len(frame.raw))
                )
                reason = "an answer though nothing was asked: noise, or another host talks to this shoe"
                readings.append(Unreadable(at=at, raw=frame.raw, reason=reason))
            else:
                frames += 1
                readings.append(self._answered(frame, self._asked.action, at))
                if not (isinstance(frame, Ack) and self._asked.action is DeviceAction.READ_PRESETS):
                    self._asked = None
        return Output(tuple(readings), tuple(send), frames, rejected)

    def _news(self, telegram: Telegram, at: Instant) -> Reading:
        """The same sequence and bytes twice in a row are one message sent again; everything else is news."""
        self._last_raw = telegram.raw
        self._last_mark = (telegram.sequence, telegram.code)
        reading = reading_of(telegram, at)
        if isinstance(reading, ShoeError):
            self._error_code = None if reading.cleared else reading.code
        return reading

    def _junk(self, junk: Junk, at: Instant) -> Reading:
        text = JUNK_TEXTS[junk.reason]
        if junk.code != CARD_CODE or junk.sequence is None or (junk.sequence, junk.code) == self._last_mark:
            # Not a card, or a damaged repeat of one that is told already.
            return Unreadable(at=at, raw=junk.raw, reason=text)
        self._last_mark = (junk.sequence, junk.code)
        torn = junk.reason is not JunkReason.BCC
        return CardUnreadable(
            at=at,
            raw=junk.raw,
            reason=CardTrouble.TORN if torn else CardTrouble.CHECKSUM,
            detail=f"{text}; it announced a card, and may send it again by itself",
        )

    def _answered(self, frame: Ack | Nak | Answer, action: DeviceAction, at: Instant) -> Reading:
        if isinstance(frame, Ack):
            return DeviceNotice(at=at, raw=frame.raw, notice="command_accepted", detail=f"the shoe took {action}")
        if isinstance(frame, Nak):
            meaning = NAK_MEANINGS.get(frame.code, "a code outside the published list")
            detail = f"the shoe refused {action} with {frame.code}: {meaning}"
            return DeviceNotice(at=at, raw=frame.raw, notice="command_refused", detail=detail)
        return DeviceNotice(at=at, raw=frame.raw, notice=str(action), detail=f"the shoe answered {frame.raw.hex(' ')}")
