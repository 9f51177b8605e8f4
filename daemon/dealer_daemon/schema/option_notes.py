"""What a key of the configuration means where its type does not say it, or says it only beside its neighbours.

By class and field. ``test_options.py`` holds this to the keys that there are.
"""

from __future__ import annotations

_SERIAL = {
    "baud": "Speed of the serial port.",
    "data_bits": "Of the serial port.",
    "parity": "Of the serial port: none, even or odd.",
    "stop_bits": "Of the serial port.",
}

NOTES: dict[str, dict[str, str]] = {
    "StationConfig": {
        "site": "Names the place; part of every id and topic.",
    },
    "MqttConfig": {
        "url": "The broker: `mqtt://host:1883`, `mqtts://host:8883` for TLS; those ports where none is given.",
        "prefix": "The first levels of every topic.",
        "username": "Who the station is to the broker.",
        "password_file": "A file with the password and nothing else; needs `username`. Read anew at every connect.",
        "ca_file": "The authorities to trust for `mqtts://` instead of the system's.",
        "cert_file": "The station's own certificate, where the broker asks for one; needs `key_file`.",
        "key_file": "The key of `cert_file`.",
    },
    "ScreenConfig": {
        "cert_file": "The screen's certificate, with which it is served as `https://`; needs `key_file`.",
        "key_file": "The key of `cert_file`.",
    },
    "TableKeys": {
        "game": "What the table plays; decides which further keys the section has.",
        "devices": "One `[[tables.NAME.devices]]` a device.",
    },
    "DeviceKeys": {
        "name": "Names the device; another device of the table has another. Part of a topic.",
        "driver": "The driver, by its name below; decides which further keys the section has.",
        "port": "Where it is attached: a path (`/dev/dealer/wheel`), `tcp://host:port`, `usb:VID:PID` or "
        "`usb:VID:PID:SERIAL`, `/dev/input/by-id/…-event-kbd` or `input:path`, or `recording:path`. No two devices "
        "of a station share one.",
    },
    "SpinRules": {
        "min_laps": "Full laps of the track that a valid spin makes (002: 7); other rule books ask for 3 or 4.",
        "laps": "Where laps come from: counted by the wheel, estimated from the seconds in the rim by `estimate`, or "
        "observed by nobody.",
        "estimate": 'The wheel\'s calibration for `laps = "estimated"`. Left out where the wheel has `calibration`.',
        "min_rotor_rpm": "Slowest rotor while the ball runs; below 1 rpm it stands.",
        "max_rotor_rpm": "Fastest rotor while the ball runs.",
        "max_rim_s": "Longer in the rim is an endless ball.",
        "max_no_more_bets_s": "Longer from no more bets to the number is an endless ball.",
        "endless_laps": "So many laps in a row that take equally long are an endless ball: see `endless_lap_growth`.",
    },
    "LapCurve": {
        "points": "Pairs of seconds in the rim and laps of the whole spin, two or more, rising; between them the curve "
        "is straight, outside them nothing is estimated.",
        "margin_laps": "The largest error seen in the calibration. Within it of `min_laps` the dealer is asked.",
    },
    "CardSettings": {
        "gates_open": 'Nobody waits at gates. With `round_source = "device"` they stand open whatever is said here.',
    },
    "DealtSettings": {
        "early": "What becomes of a card that is read while betting is open: a violation, or kept from everybody until "
        "betting closes (cards dealt face down over a reading shoe).",
    },
    "BarcodeSerialOptions": _SERIAL
    | {
        "suffix": "What the scanner sends after a code.",
        "prefix": "What the scanner sends before a code and its AIM identifier; a text without it is no card.",
    },
    "GenericNumberOptions": _SERIAL,
}
