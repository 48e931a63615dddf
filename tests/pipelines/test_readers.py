"""Every reader, compiled: files to records, keys that say where, and the way back to TensorFlow's own."""

from __future__ import annotations

import gzip
import zlib
from typing import Any, Callable, Dict, List

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from queuecompat.errors import NativePipelineWarning
from tests.pipelines.running import drain, started, write_records


def files_of(tmp_path: Any, *contents: bytes) -> Any:
    names = []
    for number, content in enumerate(contents):
        (tmp_path / f"f{number}").write_bytes(content)
        names.append(str(tmp_path / f"f{number}"))
    return tf.train.string_input_producer(names, num_epochs=1, shuffle=False)


def records(reader: Any, queue: Any) -> List[Any]:
    return [(key.split(b"/")[-1], value) for key, value in drain(list(reader.read(queue)))]


def test_lines_are_numbered_with_the_header(tmp_path: Any) -> None:
    queue = files_of(tmp_path, b"h\na\nb", b"h\r\nc\r\n", b"", b"h")
    assert records(tf.TextLineReader(skip_header_lines=1), queue) == [(b"f0:2", b"a"), (b"f0:3", b"b"), (b"f1:2", b"c")]


@pytest.mark.parametrize(
    "content",
    [b"HH" + b"aaabbbccc" + b"F", b"HH" + b"aaabbbccc" + b"xx" + b"F"],
    ids=["whole records", "a rest at the end"],
)
def test_records_of_fixed_length_leave_header_footer_and_rest_out(tmp_path: Any, content: bytes) -> None:
    reader = tf.FixedLengthRecordReader(3, header_bytes=2, footer_bytes=1)
    assert records(reader, files_of(tmp_path, content)) == [(b"f0:0", b"aaa"), (b"f0:1", b"bbb"), (b"f0:2", b"ccc")]


@pytest.mark.parametrize("hop, values", [(1, [b"abc", b"bcd", b"cde"]), (4, [b"abc"])])
def test_records_of_fixed_length_hop(tmp_path: Any, hop: int, values: List[bytes]) -> None:
    given = records(tf.FixedLengthRecordReader(3, hop_bytes=hop), files_of(tmp_path, b"abcde"))
    assert [value for _, value in given] == values


@pytest.mark.parametrize("encoding, pack", [("ZLIB", zlib.compress), ("GZIP", gzip.compress)])
def test_records_of_fixed_length_may_be_compressed(
    tmp_path: Any, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    given = records(tf.FixedLengthRecordReader(2, encoding=encoding), files_of(tmp_path, pack(b"aabbc")))
    assert [value for _, value in given] == [b"aa", b"bb"]


def test_records_of_no_bytes_are_empty_and_have_no_end(tmp_path: Any) -> None:
    """They came out with one byte each."""
    with pytest.warns(NativePipelineWarning, match="QC206"):
        record = tf.FixedLengthRecordReader(0).read(files_of(tmp_path, b"ab")).value
    with started() as session:
        assert [session.run(record) for _ in range(5)] == [b""] * 5


def test_a_whole_file_is_one_record(tmp_path: Any) -> None:
    assert records(tf.WholeFileReader(), files_of(tmp_path, b"one", b"", b"two\n")) == [
        (b"f0", b"one"),
        (b"f1", b""),
        (b"f2", b"two\n"),
    ]


def test_the_identity_reader_returns_the_strings_of_the_queue() -> None:
    queue = tf.train.string_input_producer(["x", "y"], num_epochs=1, shuffle=False)
    assert records(tf.IdentityReader(), queue) == [(b"x", b"x"), (b"y", b"y")]


READERS: Dict[str, Callable[[], Any]] = {
    "TFRecordReader": lambda: tf.TFRecordReader(),
    "TextLineReader": lambda: tf.TextLineReader(),
    "FixedLengthRecordReader": lambda: tf.FixedLengthRecordReader(2),
    "WholeFileReader": lambda: tf.WholeFileReader(),
}


@pytest.mark.parametrize("kind", READERS)
def test_a_missing_file_is_named_by_every_reader(kind: str) -> None:
    queue = tf.train.string_input_producer(["/no/such/file"], num_epochs=1)
    batch = tf.train.batch(list(READERS[kind]().read(queue)), 1)
    with started() as sess, pytest.raises(tf.errors.NotFoundError, match="/no/such/file"):
        sess.run(batch)


@pytest.mark.parametrize("kind", READERS)
def test_every_reader_is_compiled_under_a_shuffled_batch(kind: str, tmp_path: Any) -> None:
    names = [write_records(tmp_path / f"{n}", [b"a", b"b"]) for n in range(8)]
    queue = tf.train.string_input_producer(names, num_epochs=2)
    tf.train.shuffle_batch([READERS[kind]().read(queue)[1]], 4, 100, 50)
    assert [name for name, _ in queuecompat.explain().compiled] == ["shuffle_batch"]


def test_whole_files_are_shuffled_as_names(tmp_path: Any) -> None:
    names = [str(tmp_path / f"{n}") for n in range(4)]
    value = tf.WholeFileReader().read(tf.train.string_input_producer(names))[1]
    tf.train.shuffle_batch([value], 4, 100, 50)
    text = str(queuecompat.explain())
    assert text.index("shuffle ") < text.index("ReadFile")


def test_reading_up_to_many_stops_at_the_end_of_a_file(tmp_path: Any) -> None:
    keys, lines = tf.TextLineReader().read_up_to(files_of(tmp_path, b"a\nb\nc\n", b"", b"d\n"), 2)
    assert [batch.tolist() for _, batch in drain([keys, lines])] == [[b"a", b"b"], [b"c"], [b"d"]]


def test_reading_up_to_many_feeds_enqueue_many(tmp_path: Any) -> None:
    _, lines = tf.TextLineReader().read_up_to(files_of(tmp_path, b"a\nb\nc\n", b"d\n"), 2)
    assert np.concatenate(drain(tf.train.batch([lines], 2, enqueue_many=True))).tolist() == [b"a", b"b", b"c", b"d"]


def test_a_count_makes_the_native_reader_and_earlier_reads_draw_from_it(tmp_path: Any) -> None:
    queue = files_of(tmp_path, b"a\nb\n", b"c\n")
    reader = tf.TextLineReader()
    _, line = reader.read(queue)
    with pytest.warns(NativePipelineWarning, match="QC206"):
        produced, completed = reader.num_records_produced(), reader.num_work_units_completed()
    with started() as sess:
        assert [sess.run(line) for _ in range(3)] == [b"a", b"b", b"c"]
        assert sess.run([produced, completed]) == [3, 1]


def test_a_count_that_is_asked_for_after_the_start_is_refused_and_the_pipeline_goes_on(tmp_path: Any) -> None:
    reader = tf.TextLineReader()
    _, line = reader.read(files_of(tmp_path, b"a\nb\n", b"c\n"))
    with started() as sess:
        assert sess.run(line) == b"a"
        for method in (reader.num_records_produced, reader.reset):
            with pytest.raises(RuntimeError, match=rf"QC313 reader\.{method.__name__}\(\) needs"):
                method()
        assert [sess.run(line) for _ in range(2)] == [b"b", b"c"]


def test_a_count_that_was_asked_for_before_the_start_may_be_asked_for_again(tmp_path: Any) -> None:
    reader = tf.TextLineReader()
    _, line = reader.read(files_of(tmp_path, b"a\nb\n"))
    with pytest.warns(NativePipelineWarning, match="QC206"):
        reader.num_work_units_completed()
    with started() as sess:
        assert sess.run(line) == b"a"
        assert sess.run(reader.num_records_produced()) == 1


def test_reading_one_by_one_and_up_to_many_goes_on_in_the_same_file(tmp_path: Any) -> None:
    queue = files_of(tmp_path, b"a\nb\nc\n")
    reader = tf.TextLineReader()
    _, one = reader.read(queue)
    with pytest.warns(NativePipelineWarning, match="QC206"):
        _, several = reader.read_up_to(queue, 5)
    with started() as sess:
        assert sess.run(one) == b"a"
        assert sess.run(several).tolist() == [b"b", b"c"]


@pytest.mark.parametrize(
    "reader",
    [
        lambda: tf.TextLineReader(skip_header_lines=-1),
        lambda: tf.FixedLengthRecordReader(-1),
        lambda: tf.FixedLengthRecordReader(1, header_bytes=-1),
        lambda: tf.FixedLengthRecordReader(1, footer_bytes=-1),
        lambda: tf.FixedLengthRecordReader(1, hop_bytes=-1),
    ],
)
def test_a_negative_size_is_an_invalid_argument_when_it_is_run(reader: Callable[[], Any], tmp_path: Any) -> None:
    value = reader().read(files_of(tmp_path, b"abc"))[1]
    with started() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="must be >= 0 not -1"):
        sess.run(value)


def test_a_reader_says_whether_it_can_be_serialised() -> None:
    assert [READERS[kind]().supports_serialize for kind in READERS] == [False, False, False, True]
    assert tf.IdentityReader().supports_serialize


def test_read_up_to_says_that_its_number_is_no_constant(tmp_path: Any) -> None:
    """It was said to come after another read, where it was the only one."""
    with pytest.warns(NativePipelineWarning, match="QC206") as told:
        tf.TextLineReader().read_up_to(files_of(tmp_path, b"a\n"), tf.placeholder_with_default(np.int64(2), []))
    assert any("its reader: read_up_to with a number that is no constant from 1 on" in str(one.message) for one in told)


def test_what_a_pipeline_is_built_from_decides_its_graph_as_in_tf1(tmp_path: Any) -> None:
    """A read outside of ``with graph.as_default()`` was an error about an op of ours."""
    (tmp_path / "lines").write_bytes(b"a\nb\nc\n")
    graph = tf.Graph()
    with graph.as_default():
        names, reader = tf.constant([str(tmp_path / "lines")]), tf.TextLineReader()
        numbers = tf.constant([7, 8, 9])
    line = reader.read(tf.train.string_input_producer(names, num_epochs=1))[1]
    (number,) = tf.train.slice_input_producer([numbers], shuffle=False)
    batch = tf.train.batch([line, number], 3)
    assert batch[0].graph is graph
    assert tf.get_default_graph().get_operations() == []
    with graph.as_default():
        assert [part.tolist() for part in drain(batch)[0]] == [[b"a", b"b", b"c"], [7, 8, 9]]


def test_a_reader_refuses_a_queue_of_a_different_graph() -> None:
    with tf.Graph().as_default():
        queue = tf.train.string_input_producer(["lines"], name="names")
    with pytest.raises(ValueError, match="'names' must be from the same graph as the reader 'TextLineR"):
        tf.TextLineReader().read(queue)


def test_a_reader_of_two_queues_says_so(tmp_path: Any) -> None:
    """It said "read after read_up_to", where the program called read alone."""
    paths = []
    for name in "ab":
        paths.append(str(tmp_path / name))
        (tmp_path / name).write_text(name)
    first, second = (tf.train.string_input_producer([path], num_epochs=1) for path in paths)
    reader = tf.TextLineReader()
    one = reader.read(first).value
    with pytest.warns(NativePipelineWarning, match="QC206"):
        other = reader.read(second).value
    told = str(queuecompat.explain())
    assert "its reader: read from a second queue" in told and "create a reader for each queue" in told
    assert drain(one) == [b"a"] and drain(other) == [b"b"]


@pytest.mark.parametrize("has_own_reader", [False, True])
def test_one_reader_of_whole_files_serves_several_queues(has_own_reader: bool, tmp_path: Any) -> None:
    """The second queue had TensorFlow's own reader made for both: an idiom of programs that read images and masks."""
    for name in ("a0", "a1", "b0", "b1"):
        (tmp_path / name).write_text(name)
    images, masks = (
        tf.train.string_input_producer([str(tmp_path / f"{kind}{n}") for n in range(2)], shuffle=False, num_epochs=1)
        for kind in "ab"
    )
    reader = tf.WholeFileReader()
    image, mask = reader.read(images).value, reader.read_up_to(masks, 3).values
    batch = tf.train.batch([image, tf.reshape(mask, [])], 2)
    assert "NATIVE" not in str(queuecompat.explain())
    if has_own_reader:
        with pytest.warns(NativePipelineWarning, match="QC206"):
            reader.num_records_produced()
    assert [part.tolist() for part in drain(batch)[0]] == [[b"a0", b"a1"], [b"b0", b"b1"]]
