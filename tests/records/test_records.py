"""TFRecord files without TensorFlow: what it writes is read; what is damaged is named."""

from __future__ import annotations

import gzip
import os
import pathlib
import pickle
import subprocess
import sys
import threading
from typing import Any, List

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError
from queuecompat.records import BadRecordError, Records, checksums, parse_example
from queuecompat.records.wire import fields
from tests.loader.sources import open_files

CONTENTS = [bytes(np.random.default_rng(size).bytes(size)) for size in (0, 1, 3, 4, 5, 63, 64, 65, 1000, 70_001)]


def written(path: pathlib.Path, contents: List[bytes]) -> str:
    with tf.io.TFRecordWriter(str(path)) as writer:
        for content in contents:
            writer.write(content)
    return str(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> List[str]:
    folder = tmp_path_factory.mktemp("records")
    return [
        written(folder / "a", CONTENTS[:4]),
        written(folder / "empty", []),
        written(folder / "b", CONTENTS[4:]),
    ]


# Checksums.


@pytest.mark.parametrize(
    ("data", "checksum"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_checksums_are_those_of_the_standard(data: bytes, checksum: int) -> None:
    assert checksums._in_a_loop(data) == checksum
    assert checksums.crc32c(data) == checksum
    if len(data) >= 4:
        assert checksums._with_numpy(data) == checksum


@pytest.mark.parametrize("size", [*range(4, 12), *range(60, 70), 127, 128, 129, 191, 193, 4095, 4096, 10_007])
def test_arrays_compute_the_checksum_of_the_loop(size: int) -> None:
    data = np.random.default_rng(size).bytes(size)
    assert checksums._with_numpy(data) == checksums._in_a_loop(data)


def test_the_checksums_of_rows_are_those_of_each() -> None:
    rows = np.random.default_rng(0).integers(256, size=[9, 8], dtype=np.uint8)
    assert checksums.crc32c_of_rows(rows).tolist() == [checksums._in_a_loop(row.tobytes()) for row in rows]


# Records.


def test_records_of_several_files_are_one_sequence(files: List[str]) -> None:
    records = Records(files)
    assert len(records) == len(CONTENTS)
    assert list(records) == CONTENTS
    assert [records[-1], records[np.int64(2)], *records[3:6]] == [CONTENTS[-1], CONTENTS[2], *CONTENTS[3:6]]
    assert list(Records(files[0])) == CONTENTS[:4]
    assert len(Records(files[1])) == len(Records([])) == 0
    for beyond in (len(CONTENTS), -len(CONTENTS) - 1):
        with pytest.raises(IndexError, match=f"there is no record {beyond}: {len(CONTENTS)} records in all"):
            records[beyond]
    with pytest.raises(TypeError, match="'str' object cannot be interpreted as an integer"):
        records["1"]  # type: ignore[call-overload]


def test_the_name_of_a_file_may_be_bytes(files: List[str]) -> None:
    assert list(Records(os.fsencode(files[0]))) == list(Records([os.fsencode(files[0])])) == CONTENTS[:4]


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_a_loader_reads_records_in_any_order(files: List[str], workers: str) -> None:
    kinds: Any = dict(batch_size=3, shuffle=True, num_workers=2 if workers == "threads" else 1, workers=workers)
    with queuecompat.BackgroundLoader(Records(files), **kinds) as loader:
        seen = [record for batch in loader for record in batch]
    assert sorted(seen) == sorted(CONTENTS)


def test_many_threads_read_at_once(files: List[str]) -> None:
    records = Records(files)
    wrong = []

    def read(seed: int) -> None:
        for number in np.random.default_rng(seed).integers(len(CONTENTS), size=200):
            if records[number] != CONTENTS[number]:
                wrong.append(number)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_files_are_closed_with_the_records(files: List[str]) -> None:
    before = open_files()
    records = Records(files)
    copy = pickle.loads(pickle.dumps(records))
    assert copy[5] == records[5]
    assert len(open_files()) == len(before) + 2
    del records, copy
    assert len(open_files()) == len(before)


def test_tensorflow_is_not_imported(files: List[str]) -> None:
    code = f"import sys, queuecompat; print(len(queuecompat.records.Records({files!r})), 'tensorflow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["10", "False"]


# Damage.


def damaged(tmp_path: pathlib.Path, at: int, cut: bool = False) -> str:
    path = pathlib.Path(written(tmp_path / "damaged", [b"first", b"second", b"third"]))
    data = bytearray(path.read_bytes())
    if cut:
        del data[at:]
    else:
        data[at] ^= 1
    path.write_bytes(data)
    return str(path)


# A record of 5 bytes is 21 bytes long, with those of its data from 12 on.
@pytest.mark.parametrize("at", [0, 7, 8, 11, 21, 21 + 22 + 3])
def test_a_wrong_length_is_found_when_the_file_is_opened(tmp_path: pathlib.Path, at: int) -> None:
    with pytest.raises(BadRecordError, match=r"QC641 the record at byte \d+ of .*(checksum of its length|ends before)"):
        Records(damaged(tmp_path, at))


@pytest.mark.parametrize("at", [12, 16, 17, 20])
def test_wrong_data_are_found_when_they_are_read(tmp_path: pathlib.Path, at: int) -> None:
    path = damaged(tmp_path, at)
    records = Records(path)
    assert records[1:] == [b"second", b"third"]
    with pytest.raises(BadRecordError, match=r"QC641 the record at byte 0 of .*checksum of its data") as caught:
        records[0]
    assert (caught.value.path, caught.value.offset) == (path, 0)
    assert Records(path, verify=False)[0] is not None


@pytest.mark.parametrize("at", [1, 12, 20, 22, 62])
def test_a_file_that_is_cut_off_is_refused(tmp_path: pathlib.Path, at: int) -> None:
    with pytest.raises(BadRecordError, match=r"QC641 .*truncated: it ends before the record does"):
        Records(damaged(tmp_path, at, cut=True))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match=r"a pipe or a device: .*pipe"):
        Records(tmp_path / "pipe")


def test_a_file_that_becomes_shorter_is_reported(tmp_path: pathlib.Path) -> None:
    path = pathlib.Path(written(tmp_path / "a", [b"first", b"second"]))
    records = Records(path)
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(BadRecordError, match=r"QC641 the record at byte 21 .*has become shorter"):
        records[1]


def test_a_compressed_file_is_called_so(tmp_path: pathlib.Path, files: List[str]) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(pathlib.Path(files[0]).read_bytes() * 50))
    with pytest.raises(BadRecordError, match=r"(?s)QC641 .*compressed.*gzip -d"):
        Records(path)
    with pytest.raises(FileNotFoundError):
        Records(tmp_path / "absent")


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_a_damaged_record_can_be_skipped(tmp_path: pathlib.Path, workers: str) -> None:
    kinds: Any = dict(batch_size=2, on_error="skip", workers=workers, num_workers=1)
    with queuecompat.BackgroundLoader(Records(damaged(tmp_path, 13)), **kinds) as loader:
        assert [record for batch in loader for record in batch] == [b"second", b"third"]
        assert "QC641" in loader.skipped[0].error


# Examples.


def example(**features: Any) -> bytes:
    kinds = {
        name: tf.train.Feature(
            bytes_list=tf.train.BytesList(value=value) if value and isinstance(value[0], bytes) else None,
            float_list=tf.train.FloatList(value=value) if value and isinstance(value[0], float) else None,
            int64_list=tf.train.Int64List(value=value) if value and isinstance(value[0], int) else None,
        )
        for name, value in features.items()
    }
    return tf.train.Example(features=tf.train.Features(feature=kinds)).SerializeToString()


def test_examples_are_read_as_they_were_written() -> None:
    features: Any = {
        "image": [b"jpeg", b""],
        "weights": [0.5, -1.25, float("inf")],
        "ids": [0, 1, -1, 300, 2**63 - 1, -(2**63)],
        "größe": [7],
        "nothing": [],
    }
    parsed = parse_example(example(**features))
    assert {name: values.tolist() for name, values in parsed.items()} == features
    kinds = {name: values.dtype for name, values in parsed.items()}
    assert kinds["image"].hasobject
    assert kinds["weights"] == np.float32
    assert kinds["ids"] == np.int64
    assert parse_example(b"") == {}


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_an_example_may_be_in_any_buffer(kind: Any) -> None:
    """It was an example without features, without an error."""
    assert parse_example(kind(example(ids=[1, 2])))["ids"].tolist() == [1, 2]


@pytest.mark.parametrize("data", ["text", None, np.zeros(4, np.uint8), np.array(b"a", object)])
def test_an_example_that_is_not_of_bytes_is_refused(data: Any) -> None:
    with pytest.raises(QueueCompatTypeError, match=r"QC601 .* for data"):
        parse_example(data)


def test_numbers_that_are_not_packed_and_unknown_fields_are_read() -> None:
    # Feature {int64_list {value: 5; value: 6}}, one by one, and a field 9 that a later version may have.
    int64s = b"\x1a\x04\x08\x05\x08\x06"
    floats = b"\x12\x05\x0d\x00\x00\x80\x3f"
    entries = [
        b"\x0a\x01" + name + b"\x12" + bytes([len(value)]) + value for name, value in ((b"a", int64s), (b"b", floats))
    ]
    features = b"".join(b"\x0a" + bytes([len(entry)]) + entry for entry in entries) + b"\x48\x01"
    parsed = parse_example(b"\x0a" + bytes([len(features)]) + features)
    assert {name: values.tolist() for name, values in parsed.items()} == {"a": [5, 6], "b": [1.0]}


@pytest.mark.parametrize("data", [b"\x0a\xff", b"\x0a\x05ab", b"\xff" * 12, b"\x0b", b"plain text, not an example"])
def test_what_is_not_an_example_is_an_error(data: bytes) -> None:
    with pytest.raises(QueueCompatValueError, match=f"QC642 these bytes \\({len(data)}\\) are not"):
        parse_example(data)


def test_a_truncated_example_is_an_error() -> None:
    data = example(ids=[1, 2, 3], image=[b"jpeg"])
    for size in range(1, len(data)):
        with pytest.raises(QueueCompatValueError, match="QC642"):
            parse_example(data[:size])
    assert len(list(fields(data))) == 1
