"""Files that are damaged, gone or no files at all: the step's error names the file, and nothing waits."""

from __future__ import annotations

import os
import pathlib
import textwrap
import time
from typing import Any, Callable, Dict, Optional, Tuple

import pytest
import tensorflow as tf2

import queuecompat
import queuecompat.v1 as tf
from queuecompat._plan import skipped
from tests.forking import Ran, Server
from tests.pipelines.bad_data import KEY, write_examples
from tests.pipelines.running import started

FEATURES = {KEY: tf2.io.FixedLenFeature([], tf2.int64)}
SECONDS = 1.0


def cut(path: pathlib.Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def flip(path: pathlib.Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(bytes(content))


def remove(path: pathlib.Path) -> None:
    path.unlink()


def replace_with_folder(path: pathlib.Path) -> None:
    path.unlink()
    path.mkdir()


def replace_with_loop(path: pathlib.Path) -> None:
    path.unlink()
    path.symlink_to(path)


def say_that_a_record_is_huge(path: pathlib.Path) -> None:
    """A length of 2^60 bytes, with the right checksum of that."""
    from queuecompat.records.checksums import crc32c, masked

    length = (1 << 60).to_bytes(8, "little")
    path.write_bytes(length + masked(crc32c(length)).to_bytes(4, "little") + b"not so much")


OF_RECORDS: Dict[str, Tuple[Callable[[pathlib.Path], None], Any]] = {
    "cut within a record": (cut, tf.errors.DataLossError),
    "a wrong checksum of data": (lambda path: flip(path, 14), tf.errors.DataLossError),
    "a wrong checksum of a length": (lambda path: flip(path, 9), tf.errors.DataLossError),
    "gone": (remove, tf.errors.NotFoundError),
    "a folder": (replace_with_folder, tf.errors.FailedPreconditionError),
    "a link to itself": (replace_with_loop, tf.errors.OpError),
}


def error_of(reader: Any, path: pathlib.Path, kind: Any) -> str:
    queue = tf.train.string_input_producer([str(path)], shuffle=False)
    value = tf.parse_single_example(reader.read(queue)[1], FEATURES)[KEY]
    batch = tf.train.batch([value], 1)
    with started() as sess:
        began = time.process_time()
        with pytest.raises(kind) as caught:
            for _ in range(100):
                sess.run(batch)
        assert time.process_time() - began < SECONDS
    return str(caught.value)


@pytest.mark.parametrize("fault", OF_RECORDS)
def test_a_file_that_cannot_be_read_is_named_within_a_second(fault: str, tmp_path: pathlib.Path) -> None:
    damage, kind = OF_RECORDS[fault]
    path = pathlib.Path(write_examples(tmp_path / "a.tfrecords", range(4)))
    damage(path)
    assert str(path) in error_of(tf.TFRecordReader(), path, kind)


def test_a_compressed_file_that_was_cut_is_named(tmp_path: pathlib.Path) -> None:
    path = pathlib.Path(write_examples(tmp_path / "a", range(400), options="GZIP"))
    path.write_bytes(path.read_bytes()[:-60])
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    queue = tf.train.string_input_producer([str(path)], shuffle=False, num_epochs=1)
    value = tf.parse_single_example(tf.TFRecordReader(options=options).read(queue)[1], FEATURES)[KEY]
    batch = tf.train.batch([value], 1)
    with started() as sess, pytest.raises(tf.errors.DataLossError, match=str(path)):
        for _ in range(500):
            sess.run(batch)


# Where the tests are root's, who may read everything, the program becomes a different user.
NOT_ALLOWED = """
    import os
    import queuecompat.v1 as tf

    files = tf.train.string_input_producer(["good", "secret"], num_epochs=1, shuffle=False)
    batch = tf.train.batch([tf.TextLineReader().read(files)[1]], 1, capacity=1)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        if os.geteuid() == 0:
            os.seteuid(65534)
        tf.train.start_queue_runners(sess)
        try:
            while True:
                print(sess.run(batch))
        except tf.errors.PermissionDeniedError as error:
            print("denied", "secret" in error.message, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs permission bits")
def test_a_file_that_may_not_be_read_is_named(server: Server, tmp_path: pathlib.Path) -> None:
    (tmp_path / "good").write_text("a\n")
    (tmp_path / "secret").write_text("b\n")
    (tmp_path / "secret").chmod(0)
    tmp_path.chmod(0o755)
    done = server.run(["-c", textwrap.dedent(NOT_ALLOWED)], str(tmp_path))
    assert done[:2] == Ran(0, "[b'a']\ndenied True\n", "")[:2], done.err[-2000:]


# To open a pipe is to wait for the other end; here it is opened once for writing.
PIPE = """
    import os
    import threading
    import queuecompat.v1 as tf

    os.mkfifo("pipe")
    threading.Thread(target=lambda: open("pipe", "w").close(), daemon=True).start()
    line = tf.TextLineReader().read(tf.train.string_input_producer(["pipe"]))[1]
    batch = tf.train.batch([line], 1)
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess)
        try:
            sess.run(batch)
        except tf.errors.InvalidArgumentError as error:
            print("refused", "pipe" in error.message, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_is_refused_and_not_waited_for(server: Server, tmp_path: pathlib.Path) -> None:
    """To say which record it was, the pipe was read again, when it had no writer any more."""
    done = server.run(["-c", textwrap.dedent(PIPE)], str(tmp_path), deadline=60)
    assert done[:2] == Ran(0, "refused True\n", "")[:2], done.err[-2000:]


def test_a_file_that_vanishes_after_it_was_listed_is_named(tmp_path: pathlib.Path) -> None:
    for name in "ab":
        write_examples(tmp_path / name, range(2))
    listed = tf.train.match_filenames_once(str(tmp_path / "*"))
    queue = tf.train.string_input_producer(listed, shuffle=False, num_epochs=1)
    batch = tf.train.batch([tf.TFRecordReader().read(queue)[1]], 1)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        (tmp_path / "b").unlink()
        tf.train.start_queue_runners(sess)
        with pytest.raises(tf.errors.NotFoundError, match=str(tmp_path / "b")):
            for _ in range(5):
                sess.run(batch)


# More than any buffer holds, so that most of the file is read after it was changed.
LINES = 200_000


def lines_of_a_changing_file(path: pathlib.Path, change: Callable[[pathlib.Path], None]) -> list:
    path.write_text("".join(f"{number:09}\n" for number in range(LINES)))
    queue = tf.train.string_input_producer([str(path)], shuffle=False, num_epochs=1)
    batch = tf.train.batch([tf.TextLineReader().read(queue)[1]], 1000, capacity=1000, allow_smaller_final_batch=True)
    lines: list = []
    with started() as sess:
        lines += sess.run(batch).tolist()
        change(path)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                lines += sess.run(batch).tolist()
    return lines


def test_a_file_that_grows_while_it_is_read_is_read_to_its_new_end(tmp_path: pathlib.Path) -> None:
    def grow(path: pathlib.Path) -> None:
        with path.open("a") as file:
            file.write("the last\n")

    lines = lines_of_a_changing_file(tmp_path / "a", grow)
    assert lines == [*(b"%09d" % number for number in range(LINES)), b"the last"]


def test_a_file_that_shrinks_while_it_is_read_ends_where_it_ends_then(tmp_path: pathlib.Path) -> None:
    lines = lines_of_a_changing_file(tmp_path / "a", lambda path: os.truncate(path, 10 * (LINES - 10)))
    assert lines == [b"%09d" % number for number in range(LINES - 10)]


def test_files_of_no_bytes_end_the_data(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "empty"
    path.write_bytes(b"")
    for reader in (tf.TFRecordReader(), tf.TextLineReader(), tf.FixedLengthRecordReader(1)):
        queue = tf.train.string_input_producer([str(path)], num_epochs=1)
        batch = tf.train.batch([reader.read(queue)[1]], 1)
        with started() as sess, pytest.raises(tf.errors.OutOfRangeError):
            sess.run(batch)


def test_a_file_that_vanishes_after_the_first_epoch_is_named(tmp_path: pathlib.Path) -> None:
    path = pathlib.Path(write_examples(tmp_path / "a", range(2)))
    queue = tf.train.string_input_producer([str(path)], shuffle=False)
    batch = tf.train.batch([tf.TFRecordReader().read(queue)[1]], 1, capacity=1)
    with started() as sess:
        sess.run(batch)
        path.unlink()
        with pytest.raises(tf.errors.NotFoundError, match=str(path)):
            for _ in range(20):
                sess.run(batch)


def test_a_file_that_grows_between_epochs_is_read_as_it_is_then(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a"
    path.write_text("1\n")
    queue = tf.train.string_input_producer([str(path)], shuffle=False)
    batch = tf.train.batch([tf.TextLineReader().read(queue)[1]], 1, capacity=1)
    with started() as sess:
        assert sess.run(batch).tolist() == [b"1"]
        with path.open("a") as file:
            file.write("2\n")
        assert b"2" in [sess.run(batch)[0] for _ in range(20)]


def values_until_it_fails(path: pathlib.Path, with_key: bool) -> Tuple[list, str]:
    """Those that came out, one by one, and the error."""
    key, record = tf.TFRecordReader().read(tf.train.string_input_producer([str(path)], shuffle=False))
    value = tf.parse_single_example(record, FEATURES)[KEY]
    batch = tf.train.batch([value, key] if with_key else [value], 1, capacity=1)
    values = []
    with started() as sess, pytest.raises(tf.errors.DataLossError) as caught:
        for _ in range(20):
            values += sess.run(batch[0] if with_key else batch).tolist()
    return values, str(caught.value)


@pytest.mark.parametrize("left", [1, 8, 11])
def test_a_file_cut_within_the_head_of_a_record_is_an_error_after_its_records(
    left: int, tmp_path: pathlib.Path
) -> None:
    """TensorFlow reads it as if it had ended there, and an endless pipeline lost the rest in every epoch."""
    path = pathlib.Path(write_examples(tmp_path / "a", range(4)))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 4 * 3 + left])
    values, text = values_until_it_fails(path, with_key=left == 8)
    assert values == [0, 1, 2]
    assert text.startswith(
        f"QC332 '{path}' is truncated: it ends within the header of the record that begins at byte "
        f"{len(content) // 4 * 3}"
    )


def replace_by_longer_records(path: pathlib.Path) -> None:
    write_examples(path.with_suffix(".new"), range(10**9, 10**9 + 1200))
    os.replace(path.with_suffix(".new"), path)


# Before TensorFlow reads a file from any byte on, a block is a piece of a file of one size.
HAS_OFFSETS = hasattr(tf2.raw_ops, "TFRecordDatasetV2")
CHANGED = "{} has changed since its records were found"


def halve(path: pathlib.Path) -> None:
    """Between two of its records."""
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize(
    "change, on_error, says",
    [
        (halve, "raise", "QC336 '{}' has fewer records after byte" if HAS_OFFSETS else CHANGED),
        (
            lambda path: os.truncate(path, path.stat().st_size // 2 + 5),
            "raise",
            "QC336 '{}' has fewer records after byte" if HAS_OFFSETS else CHANGED,
        ),
        (replace_by_longer_records, "raise", CHANGED),
        (halve, "skip", None),
    ],
    ids=["cut between records", "cut within a head", "replaced", "cut, and skipped"],
)
def test_a_file_that_is_cut_or_replaced_while_its_blocks_are_read_is_reported(
    change: Callable[[pathlib.Path], None],
    on_error: str,
    says: Optional[str],
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """TensorFlow took the cut for the end of the file, and the records after it were missing without a word."""
    monkeypatch.setenv("QUEUECOMPAT_INDEX_CACHE", str(tmp_path / "cache"))
    path = pathlib.Path(write_examples(tmp_path / "a", range(1000, 2200)))
    with queuecompat.options(shuffle="global", on_error=on_error):
        queue = tf.train.string_input_producer([str(path)], num_epochs=1)
        batch = tf.train.shuffle_batch([tf.TFRecordReader().read(queue)[1]], 10, 30, 10)
    with started() as sess:
        sess.run(batch)
        change(path)
        with pytest.raises(tf.errors.OutOfRangeError if says is None else tf.errors.OpError) as caught:
            while True:
                sess.run(batch)
    if says is None:
        assert "had more records when they were looked for" in skipped.LOGS[-1].listed()[0].reason
    else:
        assert says.format(path) in str(caught.value).replace(f"'{path}' has changed", f"{path} has changed")


def test_a_file_that_was_cut_within_a_head_is_reported_in_a_global_order_too(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUEUECOMPAT_INDEX_CACHE", str(tmp_path / "cache"))
    path = pathlib.Path(write_examples(tmp_path / "a", range(4)))
    os.truncate(path, path.stat().st_size // 4 * 3 + 5)
    with queuecompat.options(shuffle="global"):
        queue = tf.train.string_input_producer([str(path)])
        batch = tf.train.shuffle_batch([tf.TFRecordReader().read(queue)[1]], 1, 3, 1)
    with started() as sess, pytest.raises(tf.errors.DataLossError, match="QC336"):
        for _ in range(20):
            sess.run(batch)
