"""The recording format: what is written is read again, and what is broken is said with its place."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.errors import GiveUpError
from dealer_drivers.instant import Instant
from dealer_drivers.recording import Entry, Recording, RecordingError, RecordingWriter, read_recording

START = Instant(5_000_000_000, 1_760_000_000_000_000_000)
HEAD = b'{"recording": 1, "driver": "cammegh-ss2", "device": "wheel"}\n'


class Kept(io.BytesIO):
    """A file whose bytes can be looked at after it was closed."""

    content = b""

    def close(self) -> None:
        self.content = self.getvalue()
        super().close()


def reread(path: Path, content: bytes) -> Recording:
    path.write_bytes(content)
    return read_recording(path)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recording") / "a.rec.jsonl"


chunks = st.one_of(st.binary(max_size=40), st.from_regex(r"\A[ -~\r\n]{0,40}\Z").map(str.encode))
steps = st.lists(
    st.tuples(
        st.integers(0, 3_000_000_000_000),
        st.one_of(
            st.tuples(st.sampled_from(["rx", "tx"]), chunks),
            st.tuples(st.sampled_from(["open", "close", "error"]), st.text(max_size=20)),
        ),
    ),
    max_size=12,
)


@given(steps=steps, note=st.text(max_size=20))
def test_what_is_written_is_read_again(file: Path, steps: list[tuple[int, tuple[str, bytes | str]]], note: str) -> None:
    kept = Kept()
    writer = RecordingWriter(kept, driver="angel-eye", device="shoe", start=START, serial={"baud": 4800}, note=note)
    at = START
    expected = []
    for step_ns, (kind, value) in steps:
        at = Instant(at.mono_ns + step_ns, at.wall_ns + step_ns)
        match kind, value:
            case "rx", bytes():
                writer.rx(value, at)
                expected.append(("rx", value, "", ""))
            case "tx", bytes():
                writer.tx(value, at)
                expected.append(("tx", value, "", ""))
            case _, str():
                writer.event(kind, at, value)
                expected.append(("ev", b"", kind, value))
    writer.close()
    assert writer.bytes_written == len(kept.content)
    recording = reread(file, kept.content)
    assert (recording.driver, recording.device, recording.note) == ("angel-eye", "shoe", note)
    assert recording.serial == {"baud": 4800}
    assert recording.head["started"] == START.rfc3339()
    assert recording.notes == ()
    assert [(entry.kind, entry.data, entry.event, entry.reason) for entry in recording.entries] == expected
    elapsed_ns = 0
    for (step_ns, _), entry in zip(steps, recording.entries, strict=True):
        elapsed_ns += step_ns
        assert entry.t_s == pytest.approx(elapsed_ns / 1e9, abs=1e-6)


@given(data=st.binary(min_size=1, max_size=40))
def test_text_is_written_for_people_and_the_rest_in_hexadecimal(data: bytes) -> None:
    kept = Kept()
    writer = RecordingWriter(kept, driver="d", device="x", start=START)
    writer.rx(data, START)
    writer.close()
    line = json.loads(kept.content.splitlines()[1])
    if all(0x20 <= byte <= 0x7E or byte in b"\r\n" for byte in data):
        assert line == {"t": 0.0, "rx": data.decode("ascii")}
    else:
        assert line == {"t": 0.0, "rxh": data.hex()}


@given(cut=st.integers(1, 60))
def test_a_torn_last_line_is_left_out_and_said(file: Path, cut: int) -> None:
    whole = HEAD + b'{"t": 0.5, "rx": "*X;2\\r\\n"}\n'
    last = '{"t": 1.0, "rx": "*X;3;é 013;146;0\\r\\n", "ev_": "pad"}\n'.encode()
    content = whole + last[: -1 - min(cut, len(last) - 2)]
    recording = reread(file, content)
    assert [entry.data for entry in recording.entries] == [b"*X;2\r\n"]
    assert recording.notes == ("line 3 was torn while it was written and is left out",)


def test_zeros_that_a_power_cut_left_at_the_end_are_a_torn_line(file: Path) -> None:
    recording = reread(file, HEAD + b'{"t": 0.5, "rx": "a"}\n' + bytes(512))
    assert len(recording.entries) == 1
    assert len(recording.notes) == 1


def test_a_last_line_without_its_line_end_is_whole(file: Path) -> None:
    recording = reread(file, HEAD + b'{"t": 0.5, "rx": "a"}')
    assert recording.entries == (Entry(2, 0.5, "rx", b"a"),)
    assert recording.notes == ()


def test_extra_keys_and_empty_lines_are_tolerated_and_text_is_one_byte_a_character(file: Path) -> None:
    head = b'{"recording": 1, "driver": "d", "device": "x", "first_line": 12, "serial": "9600 8N1"}\n'
    recording = reread(
        file, head + '\n{"t": 1, "rx": "\xff\\u0000", "who": "me"}\r\n{"t": 2, "txh": "00FF"}\n'.encode()
    )
    assert recording.head["first_line"] == 12
    assert recording.serial == "9600 8N1"
    assert recording.entries == (Entry(3, 1.0, "rx", b"\xff\x00"), Entry(4, 2.0, "tx", b"\x00\xff"))


def test_times_that_go_back_are_noted(file: Path) -> None:
    recording = reread(file, HEAD + b'{"t": 2, "rx": "a"}\n{"t": 1.5, "rx": "b"}\n{"t": 1.5, "rx": "c"}\n')
    assert recording.notes == ("line 3: time goes back from 2 s to 1.5 s",)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"t": 1, "rx": "a"', "no JSON object"),
        (b'[1, "rx"]', "no JSON object"),
        (b'\xff{"t": 1}', "no JSON object"),
        (b'{"rx": "a"}', "t is None"),
        (b'{"t": true, "rx": "a"}', "t is True"),
        (b'{"t": "1", "rx": "a"}', "t is '1'"),
        (b'{"t": -0.1, "rx": "a"}', "t is -0.1"),
        (b'{"t": 1e999, "rx": "a"}', ""),
        (b'{"t": 1}', "needs one of rx, tx, rxh, txh, ev and has none"),
        (b'{"t": 1, "rx": "a", "ev": "open"}', "has ev, rx"),
        (b'{"t": 1, "rx": 7}', "rx is no text"),
        (b'{"t": 1, "rx": "\xe2\x82\xac"}', "which is no byte"),
        (b'{"t": 1, "rxh": "0g"}', "no hexadecimal"),
        (b'{"t": 1, "rxh": "123"}', "no hexadecimal"),
        (b'{"t": 1, "ev": "begin"}', "ev is 'begin', not one of close, error, open"),
    ],
)
def test_a_broken_line_is_refused_with_file_and_line(file: Path, line: bytes, words: str) -> None:
    with pytest.raises(RecordingError) as caught:
        reread(file, HEAD + b'{"t": 0, "rx": "a"}\n' + line + b'\n{"t": 9, "rx": "z"}\n')
    assert str(caught.value).startswith(f"{file}:3: ")
    assert words in str(caught.value)
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"", "empty"),
        (b"\n", "empty"),
        (b'{"recording": 1, "dri', "no JSON object"),
        (b'{"driver": "d", "device": "x"}\n', "this is no recording"),
        (b'{"recording": 2, "driver": "d", "device": "x"}\n', "version 2 is unknown here, known is 1"),
        (b'{"recording": true, "driver": "d", "device": "x"}\n', "version True is unknown"),
        (b'{"recording": 1, "device": "x"}\n', "needs driver"),
        (b'{"recording": 1, "driver": "d", "device": 5}\n', "needs device"),
    ],
)
def test_a_head_that_is_none_is_refused(file: Path, head: bytes, words: str) -> None:
    with pytest.raises(RecordingError) as caught:
        reread(file, head)
    assert str(caught.value).startswith(f"{file}:1: ")
    assert words in str(caught.value)


def test_a_file_that_is_not_there_is_no_use_trying_again(tmp_path: Path) -> None:
    with pytest.raises(GiveUpError, match=r"nothing\.jsonl: cannot be read"):
        read_recording(tmp_path / "nothing.jsonl")


def test_every_line_is_with_the_system_when_the_call_returns(tmp_path: Path) -> None:
    path = tmp_path / "now.rec.jsonl"
    writer = RecordingWriter.create(path, driver="d", device="x", start=START)
    writer.rx(b"a", START)
    assert [entry.data for entry in read_recording(path).entries] == [b"a"]
    writer.close()


def test_an_old_recording_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "old.rec.jsonl"
    path.write_text("precious")
    with pytest.raises(FileExistsError):
        RecordingWriter.create(path, driver="d", device="x", start=START)
    assert path.read_text() == "precious"


def test_a_file_that_takes_a_line_in_pieces_gets_all_of_it() -> None:
    class Slow(Kept):
        def write(self, data: Any) -> int:
            return super().write(data[:7])

    slow = Slow()
    RecordingWriter(slow, driver="d", device="x", start=START).rx(b"*X;2;002;31;0;146;1\r\n", START)
    slow.close()
    assert slow.content.endswith(b'\n{"t":0.0,"rx":"*X;2;002;31;0;146;1\\r\\n"}\n')


def test_a_recording_whose_head_cannot_be_written_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "new.rec.jsonl"
    with pytest.raises(TypeError):
        RecordingWriter.create(path, driver="d", device="x", start=START, serial=object())
    assert not path.exists()


def test_another_event_is_refused() -> None:
    writer = RecordingWriter(Kept(), driver="d", device="x", start=START)
    with pytest.raises(ValueError, match="not one of"):
        writer.event("begin", START)


def test_recordings_of_real_wheels_are_read(real_data: Path) -> None:
    files = sorted((real_data / "cammegh_ss2").glob("*.rec.jsonl"))
    assert files
    for path in files:
        recording = read_recording(path)
        assert recording.driver == "cammegh-ss2"
        assert recording.notes == ()
        assert len(recording.entries) == len(path.read_bytes().splitlines()) - 1
