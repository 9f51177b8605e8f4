"""The bodies of messages that are no events: what a table is doing, how its devices are, and who is there.

Within v1 they only grow, like the events.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class ConsumerBody(msgspec.Struct, frozen=True, kw_only=True):
    """How one consumer is doing, by its acknowledgements."""

    sequence: int
    """It handled everything up to this one."""
    behind: int
    """Events of the table above that."""
    heard: str | None
    """When it last acknowledged, RFC 3339; null for never since the station started."""
    gone: bool
    """Events wait for it, and it has said nothing for ``[mqtt] consumer_gone_s``."""


class HeldBody(msgspec.Struct, frozen=True, kw_only=True):
    """Why a station may not speak for its table. Until that is over no event comes, and commands are refused."""

    reason: str
    """``journal_behind``, ``journal_other``, ``journal_unchecked`` or ``station_contested``."""
    detail: str
    """What it is, and what to do, for a person."""


class AlertBody(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a person must see to: an ``alert.raised`` without its ``alert.cleared``."""

    code: str
    """A word of alerts.md."""
    severity: Literal["warning", "error"]
    device: str | None
    about: str | None
    detail: str
    suggestion: str
    runbook: str
    """Page and anchor of all steps."""
    since: str
    """RFC 3339."""
    sequence: int
    """Of its ``alert.raised``."""


class StateBody(msgspec.Struct, frozen=True, kw_only=True):
    """``state``, retained: what the table is doing, as committed. Null where there is no round or no shoe."""

    table: str
    game: str
    boot: str
    time: str
    """RFC 3339."""
    phase: Literal["idle", "betting", "waiting", "running", "held", "unconfirmed", "paused"]
    round: str | None
    betting: Literal["open", "closed"] | None
    attempt: int | None
    last_refusal: str | None
    """Why the last attempt of this round did not count."""
    paused: str | None
    """Why the table stands; null when it does not."""
    paused_at: int | None
    """Sequence of the `table.paused` by which it does: the `pause` that `table.resume` names."""
    stalled: str | None
    """Why nothing can be committed now; null when all is well."""
    held: HeldBody | None
    """Why the station may not speak for this table; null when it may."""
    shoe_id: str | None
    hand_in_shoe: int | None
    last_sequence: int
    last_outcome: int | None
    """Sequence of the newest outcome."""
    faults: dict[str, list[str]]
    """Standing faults by device."""
    alerts: list[AlertBody]
    """What stands, the worst first."""
    maintenance: dict[str, str]
    """Devices that a technician's bench has, and who has them."""
    consumers: dict[str, ConsumerBody]
    """By name, as of ``time``. Published when one comes, leaves, goes or returns, not at each acknowledgement."""
    shadow: bool
    """The table plays beside another system; nothing may be settled on what it says."""


class CalibrationBody(msgspec.Struct, frozen=True, kw_only=True):
    """What a device is calibrated by. Null where the file says nothing of it, or is named by its path."""

    id: str | None
    sha256: str
    made: str | None
    """RFC 3339."""
    by: str | None
    serial: str | None
    """Serial number of the device that it was made with."""
    device_serial: str | None
    """What the device tells, or its port; null where neither does."""
    fits: Literal["same", "other", "unknown"]
    """Whether both are one device. ``other``: the table does not play on it."""
    warnings: list[str]
    """Sentences for a person: it is old, its device is not known, readings drift from it. They stop nothing."""


class DeviceBody(msgspec.Struct, frozen=True, kw_only=True):
    """``devices/{device}``, retained: link, bytes, frames and readings apart, for "connected" means nothing.

    Times are RFC 3339, null for never since the station started; counts go on over reconnects.
    """

    driver: str
    maturity: Literal["recorded", "documented", "generic"]
    """How sure the driver is of the device's format."""
    port: str
    time: str
    link: Literal["opening", "up", "waiting", "stopped", "given_up"]
    link_reason: str
    link_since: str
    bytes_in: int
    bytes_out: int
    valid_frames: int
    rejected_bytes: int
    opens: int
    last_byte: str | None
    last_valid_frame: str | None
    last_reading: str | None
    faults: list[str]
    held: str | None
    """The ``reason`` by which the station may not speak for this table (``state``); null when it may."""
    notices: dict[str, str]
    """What a technician should know: identity, version, settings read back."""
    calibration: str | None
    """Id of the calibration in use; null where there is none, or where it is a file by its path."""
    flight_recorder: str | None
    """``recording``, or what is wrong with it; null where no raw bytes are kept."""
    calibrated: CalibrationBody | None
    """All of the calibration in use; null where there is none."""
    maintenance: str | None
    """Who has the device at a technician's bench; null while the station has it."""


class PresenceBody(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``presence``, retained: birth, goodbye and will. A will carries ``online`` and ``boot`` alone.

    What has ``asks`` or ``answers`` beside these is not retained, and between stations alone.
    """

    online: bool
    boot: str
    """Of the daemon that says it: an offline of another boot than the newest birth's is old news."""
    version: str | None = None
    since: str | None = None
    """When this boot began, RFC 3339."""
    protocol: str | None = None
    """MQTT version in use, 5 or 3.1.1."""
    connection: str | None = None
    """Of a birth: the connection over which it was said, another one after each connect."""
    key: str | None = None
    """Id of the key with which this boot signs; null where nothing is signed."""
    public_keys: dict[str, str] = {}
    """Every key that this station signed with, by id: 32 bytes in base64url. Good for seeing which key to ask for, not
    for trusting it: who can write here can write any key."""


class JournalBody(msgspec.Struct, frozen=True, kw_only=True):
    """``journal``, retained: how far the station's journal has come, kept outside of it. Signed where there is a key.

    ``row`` and ``hash`` are of the whole station's journal, ``last_sequence`` of this table.
    """

    site: str
    table: str
    journal_id: str
    row: int
    hash: str
    """SHA-256 of the chain at ``row``, hexadecimal (``dealer-daemon journal verify --head``)."""
    last_sequence: int
    time: str
    """RFC 3339."""
    signkey: str | None = None
    """Id of the key that signed it."""
    signature: str | None = None
    """Ed25519 over the bytes before it, base64url. Always the last member."""


class AckBody(msgspec.Struct, frozen=True, kw_only=True):
    """``acks/{consumer}``, retained, written by the consumer: it handled everything up to ``sequence``.

    An empty body says that the consumer is no more.
    """

    sequence: int
