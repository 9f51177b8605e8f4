"""``dealer-calibrate card decode``: its lines and its exit codes (``interfaces.md``)."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
import zxingcpp

from dealer_calibration.cli import build_parser, main
from dealer_calibration.cli.exit_codes import EXIT_CODES
from dealer_daemon.cli.exit_codes import EXIT_CODES as DAEMON_EXIT_CODES
from dealer_drivers.codes import second_reader


@pytest.fixture
def card(tmp_path: Path) -> Path:
    """A card's code as a picture file."""
    code = zxingcpp.create_barcode("8S-0017", zxingcpp.BarcodeFormat.Code128).to_image(scale=3)
    path = tmp_path / "8s.png"
    cv2.imwrite(str(path), np.array(code))
    return path


@pytest.fixture
def blank(tmp_path: Path) -> Path:
    path = tmp_path / "blank.png"
    cv2.imwrite(str(path), np.full((120, 160), 255, np.uint8))
    return path


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_line_a_picture_and_nothing_else(card: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["card", "decode", "--symbology", "code128", str(card), str(card), "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    for line in lines(said.out):
        ms = line.pop("ms")
        assert isinstance(ms, float)
        assert ms > 0
        assert line == {"file": str(card), "verdict": "accepted", "text": "8S-0017", "reasons": []}
    assert len(said.out.splitlines()) == 2


def test_one_refusal_among_others_is_exit_code_1(card: Path, blank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torn = card.with_name("torn.png")
    torn.write_bytes(card.read_bytes()[:90])
    assert main(["card", "decode", "--symbology", "code128", "--json", str(card), str(blank), str(torn)]) == 1
    good, refused, damaged = lines(capsys.readouterr().out)
    assert good["verdict"] == "accepted"
    assert (refused["verdict"], refused["text"], refused["reasons"]) == ("refused", None, ["no_code"])
    assert (damaged["verdict"], damaged["text"]) == ("refused", None)
    assert damaged["reasons"] in (["no_picture"], ["no_code"])


def test_another_symbology_or_length_is_refused(card: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["card", "decode", "--symbology", "qrcode", "--json", str(card)]) == 1
    assert main(["card", "decode", "--symbology", "code128", "--length", "7", "--json", str(card)]) == 0
    assert main(["card", "decode", "--symbology", "code128", "--length", "8", "--json", str(card)]) == 1
    assert [line["reasons"] for line in lines(capsys.readouterr().out)] == [["no_code"], [], ["length"]]


def test_a_file_that_is_not_there_is_exit_code_2_and_the_others_are_read(
    card: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing, folder = card.with_name("none.png"), card.parent
    assert main(["card", "decode", "--symbology", "code128", "--json", str(missing), str(folder), str(card)]) == 2
    said = capsys.readouterr()
    assert [line["text"] for line in lines(said.out)] == ["8S-0017"]
    assert f"{missing}: cannot be read: No such file" in said.err
    assert f"{folder}: cannot be read" in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--symbology", "pdf417", "x.png"],
        ["x.png"],
        ["--symbology", "itf"],
        ["--symbology", "itf", "--length", "0", "x"],
    ],
)
def test_wrong_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["card", "decode", *arguments])
    assert exit_.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_without_zbar_it_says_so_and_goes_on(
    card: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(second_reader.SecondReader.__init__, "__defaults__", ((sys.executable, "-c", "exit(3)"),))
    assert main(["card", "decode", "--symbology", "code128", "--json", str(card)]) == 0
    said = capsys.readouterr()
    assert "libzbar0" in said.err
    assert lines(said.out)[0]["text"] == "8S-0017"
    assert main(["card", "decode", "--symbology", "code128", "--one-reader", "--json", str(card)]) == 0
    assert main(["card", "decode", "--symbology", "datamatrix", "--json", str(card)]) == 1
    assert capsys.readouterr().err == "", "nothing is missing where nothing more was asked for"


def test_a_table_for_people_without_colours_off_a_terminal(
    card: Path, blank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["card", "decode", "--symbology", "code128", str(card), str(blank)]) == 1
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert "8S-0017" in said.out
    assert "no_code" in said.out
    assert "1 accepted, 1 refused" in said.out


def test_colours_and_progress_on_a_terminal(card: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "CI")} | {"TERM": "xterm"}
    command = [sys.executable, "-m", "dealer_calibration", "card", "decode", "--symbology", "code128", card, card]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, env=environment) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the terminal's other end is closed
                break
            shown += part
        assert process.wait() == 0
    os.close(ours)
    assert b"reading" in shown
    assert b"\x1b[32maccepted" in shown


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = zxingcpp.create_barcode(b"8S\x1b[31m\x1d17", zxingcpp.BarcodeFormat.QRCode).to_image(scale=4)
    path = tmp_path / "escape.png"
    cv2.imwrite(str(path), np.array(code))
    assert main(["card", "decode", "--symbology", "qrcode", str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_help_has_an_example_and_the_same_exit_codes_as_the_daemon(capsys: pytest.CaptureFixture[str]) -> None:
    assert EXIT_CODES == DAEMON_EXIT_CODES
    for arguments, expected in ((["card", "decode", "--help"], "example:"), (["--help"], EXIT_CODES)):
        with pytest.raises(SystemExit) as exit_:
            build_parser().parse_args(arguments)
        assert exit_.value.code == 0
        assert expected in capsys.readouterr().out
