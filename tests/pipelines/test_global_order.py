"""``shuffle="global"`` and ``shard`` in sessions: an order over all records of all files, and equal parts of it."""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import time
import warnings
from typing import Any, Callable, Dict, List

import numpy as np
import pytest
import tensorflow as real

import queuecompat
import queuecompat.v1 as tf
from queuecompat._backends.tfdata import blocks as reading_blocks
from queuecompat._plan.parts import part_of
from queuecompat.errors import NativePipelineWarning, OrderWarning, QueueCompatValueError
from queuecompat.records.blocks import BlockOrder
from tests.forking import Server
from tests.pipelines.ordered_files import KINDS, TOTAL, numbers, tf_records, written
from tests.pipelines.running import drain_built, started

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def cache(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUEUECOMPAT_INDEX_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, List[str]]:
    folder = tmp_path_factory.mktemp("files")
    return {kind: written(folder, kind) for kind in KINDS}


def run(build: Callable[[], Any], **options: Any) -> np.ndarray:
    """Everything that comes out of what *build* builds while *options* are chosen."""
    return np.concatenate(drain_built(build, **options))


@pytest.mark.parametrize("readers", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_every_record_of_all_files_comes_once_an_epoch(kind: str, readers: int, files: Dict[str, List[str]]) -> None:
    given = run(lambda: numbers(files[kind], kind, readers=readers, num_epochs=2), shuffle="global")
    assert sorted(given.tolist()) == sorted(2 * list(range(TOTAL)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_records_are_from_all_over_the_files(kind: str, files: Dict[str, List[str]]) -> None:
    """In TF1's order they are from one file, and the beginning of it."""
    first = run(lambda: numbers(files[kind], kind, capacity=40), shuffle="global")[:200]
    assert np.histogram(first, bins=4, range=(0, TOTAL))[0].min() > 0


def test_vectors_of_records_are_read_from_blocks(files: Dict[str, List[str]]) -> None:
    given = run(lambda: numbers(files["TFRecord"], up_to=7), shuffle="global")
    assert sorted(given.tolist()) == list(range(TOTAL))


def test_names_that_are_found_when_the_session_runs_are_read_in_a_global_order(
    files: Dict[str, List[str]], tmp_path: pathlib.Path
) -> None:
    pattern = files["TFRecord"][0][: -len("0")] + "*"
    given = run(lambda: numbers(tf.train.match_filenames_once(pattern)), shuffle="global")
    assert sorted(given.tolist()) == list(range(TOTAL))


def test_a_seed_decides_the_order_and_another_epoch_has_another_one(files: Dict[str, List[str]]) -> None:
    def order(seed: int) -> List[int]:
        return run(lambda: one_reader(files, seed), shuffle="global").tolist()

    def one_reader(files: Dict[str, List[str]], seed: int) -> Any:
        queue = tf.train.string_input_producer(files["TFRecord"], num_epochs=2, seed=seed)
        return tf.train.batch([tf.TFRecordReader().read(queue)[1]], 2)

    first, again, other = order(1), order(1), order(2)
    assert first == again != other
    assert first[:TOTAL] != first[TOTAL:]
    assert sorted(first[:TOTAL]) == sorted(first[TOTAL:])


def test_without_the_option_the_order_is_tf1s(files: Dict[str, List[str]]) -> None:
    def in_order() -> Any:
        queue = tf.train.string_input_producer(files["TFRecord"], shuffle=False, num_epochs=1)
        return tf.train.batch([tf.TFRecordReader().read(queue)[1]], 1)

    assert [int(one) for one in run(in_order)] == list(range(TOTAL))


def test_a_pipeline_outside_of_the_block_keeps_its_order(files: Dict[str, List[str]]) -> None:
    with real.Graph().as_default():
        with queuecompat.options(shuffle="global"):
            numbers(files["TFRecord"])
        numbers(files["TextLine"], "TextLine")
        inside, outside = str(queuecompat.explain()).split("'shuffle_batch_1'")
        assert "blocks of at most 2,048 records" in inside
        assert "40 blocks at once" in inside
        assert "blocks" not in outside


@pytest.mark.parametrize("options", [{"shuffle": "global"}, {"shard": (0, 1)}, {"random": "by_index"}], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_that_are_sought_have_the_same_records(
    kind: str, options: Dict[str, Any], files: Dict[str, List[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_blocks, "_FAR_BYTES", 0)

    def keyed() -> Any:
        return numbers(files[kind], kind, keys=True, num_epochs=2)

    keys, values = (np.concatenate(part) for part in zip(*drain_built(keyed, **options)))
    plain_keys, plain_values = (np.concatenate(part) for part in zip(*drain_built(keyed)))
    assert sorted(zip(keys.tolist(), values.tolist())) == sorted(zip(plain_keys.tolist(), plain_values.tolist()))


def test_what_comes_before_a_block_in_its_file_is_not_read(tmp_path: pathlib.Path) -> None:
    """It used to take 90 us for each megabyte of it, 40 blocks together in front of the first batch: seconds, here."""
    with open(tmp_path / "large", "wb") as file:
        file.truncate(3 * 10**9)  # sparse

    def records() -> Any:
        queue = tf.train.string_input_producer([str(tmp_path / "large")])
        return tf.train.batch([tf.FixedLengthRecordReader(1000).read(queue)[1]], 40)

    begin = time.process_time()
    with real.Graph().as_default(), queuecompat.options(shuffle="global"):
        batch = records()
        with started() as session:
            assert set(session.run(batch).tolist()) == {bytes(1000)}
    assert time.process_time() - begin < 2.5


# What a file may be like.


def test_a_file_that_is_missing_is_not_found(files: Dict[str, List[str]]) -> None:
    with pytest.raises(real.errors.NotFoundError):
        run(lambda: numbers([*files["TFRecord"], "/nowhere"]), shuffle="global")


def test_a_file_that_is_cut_off_is_an_error_of_its_data(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "a")
    tf_records(path, range(100))
    os.truncate(path, os.path.getsize(path) - 3)
    with pytest.raises(real.errors.DataLossError, match=path):
        run(lambda: numbers([path]), shuffle="global")


@pytest.mark.skipif(not hasattr(real.raw_ops, "TFRecordDatasetV2"), reason="checks no data of blocks: memory.md")
def test_a_record_whose_data_are_damaged_is_an_error_that_names_the_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a"
    tf_records(str(path), range(100))
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    with pytest.raises(real.errors.DataLossError, match=str(path)):
        run(lambda: numbers([str(path)]), shuffle="global")


def test_files_without_records_read_forever_are_an_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(real.errors.InvalidArgumentError, match="QC303"):
        run(lambda: numbers(written(tmp_path, sizes=[0, 0]), num_epochs=None), shuffle="global")


def test_a_file_that_is_elsewhere_is_named(files: Dict[str, List[str]]) -> None:
    with pytest.raises(real.errors.OpError, match="QC333 cannot find where the records of 'gs://a/b' begin"):
        run(lambda: numbers(["gs://a/b"]), shuffle="global")


# What has no global order.


def whole(names: List[str]) -> Any:
    queue = tf.train.string_input_producer(names, num_epochs=1)
    return tf.train.batch([tf.read_file(queue.dequeue())], 1)


def compressed(names: List[str]) -> Any:
    with open(names[0], "rb") as plain, gzip.open(names[0] + ".gz", "wb") as out:
        out.write(plain.read())
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    queue = tf.train.string_input_producer([names[0] + ".gz"], num_epochs=1)
    return tf.train.batch([tf.TFRecordReader(options=options).read(queue)[1]], 1)


def unshuffled(names: List[str]) -> Any:
    queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
    return tf.train.batch([tf.TFRecordReader().read(queue)[1]], 1)


def out_of_python(names: List[str]) -> Any:
    made = tf.py_func(lambda: np.int32(1), [], tf.int32)
    made.set_shape([])
    return tf.train.batch([made], 1)


def also_named(names: List[str]) -> Any:
    queue = tf.train.string_input_producer(names, num_epochs=1)
    value = tf.TFRecordReader().read(queue)[1]
    return tf.train.batch([value, queue.dequeue()], 1)


def with_gaps(names: List[str]) -> Any:
    queue = tf.train.string_input_producer(names, num_epochs=1)
    return tf.train.batch([tf.FixedLengthRecordReader(2, hop_bytes=1).read(queue)[1]], 1)


REFUSED: Dict[Callable[[List[str]], Any], str] = {
    compressed: "compressed",
    unshuffled: "asks for no shuffling",
    out_of_python: "your ops produce its elements",
    also_named: "something besides readers",
    with_gaps: "hop_bytes",
}


@pytest.mark.parametrize("build", REFUSED, ids=lambda build: build.__name__)
def test_what_cannot_be_read_in_a_global_order_says_why(
    build: Callable[[List[str]], Any], tmp_path: pathlib.Path
) -> None:
    names = written(tmp_path)
    with real.Graph().as_default() as graph:
        with queuecompat.options(shuffle="global"):
            batch = build(names)
        with pytest.warns(OrderWarning, match=f"QC331(.|\n)*{REFUSED[build]}"), started(graph) as sess:
            sess.run(batch)


@pytest.mark.parametrize("build", [build for build in REFUSED if build is not unshuffled], ids=lambda one: one.__name__)
def test_what_cannot_be_read_in_parts_is_an_error(build: Callable[[List[str]], Any], tmp_path: pathlib.Path) -> None:
    with pytest.raises(QueueCompatValueError, match=f"QC331(.|\n)*{REFUSED[build]}"):
        run(lambda: build(written(tmp_path)), shard=(0, 2))


def rows_in_order(names: List[str]) -> Any:
    return tf.train.batch(tf.train.slice_input_producer([np.arange(20)], num_epochs=1, shuffle=False), 1)


@pytest.mark.parametrize("build", [rows_in_order, unshuffled], ids=lambda build: build.__name__)
def test_what_shuffles_nothing_is_divided_in_its_own_order(
    build: Callable[[List[str]], Any], tmp_path: pathlib.Path
) -> None:
    """It was an error, though ``shard`` alone divided it: of a program with an evaluation nothing could be divided."""
    names = written(tmp_path)
    whole_order = run(lambda: build(names))
    with pytest.warns(OrderWarning, match=r"QC331 .* is not read in a global order: "):
        parts = [run(lambda: build(names), shuffle="global", shard=(number, 2)) for number in range(2)]
    assert [*parts[0], *parts[1]] == whole_order.tolist() and abs(len(parts[0]) - len(parts[1])) <= 1


def test_a_producer_that_is_native_says_that_it_keeps_its_order(tmp_path: pathlib.Path) -> None:
    names = written(tmp_path)
    kept = pytest.warns(OrderWarning, match="runs on TensorFlow's own queues")
    with real.Graph().as_default(), queuecompat.options(shuffle="global"), pytest.warns(NativePipelineWarning), kept:
        tf.train.string_input_producer(names, shared_name="shared")


def test_names_that_are_records_themselves_are_shuffled_already(tmp_path: pathlib.Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", OrderWarning)
        assert len(run(lambda: whole(written(tmp_path)), shuffle="global")) == 5


@pytest.mark.parametrize(
    "wrong", [{"shuffle": "all"}, {"shuffle": True}, {"shard": (2, 2)}, {"shard": 1}, {"shard": (-1, 2)}]
)
def test_a_value_that_an_option_cannot_have_is_an_error(wrong: Dict[str, Any]) -> None:
    with pytest.raises(QueueCompatValueError, match="QC531"), queuecompat.options(**wrong):
        pass


# Parts.


@pytest.mark.parametrize("options", [{}, {"shuffle": "global"}], ids=["in order", "global"])
@pytest.mark.parametrize("kind", KINDS)
def test_parts_are_of_equal_size_and_have_each_record_once(
    kind: str, options: Dict[str, Any], files: Dict[str, List[str]]
) -> None:
    parts = [run(lambda: numbers(files[kind], kind), shard=(part, 3), **options).tolist() for part in range(3)]
    assert {len(part) for part in parts} <= {TOTAL // 3, TOTAL // 3 + 1}
    assert sorted(np.concatenate(parts).tolist()) == list(range(TOTAL))


def test_parts_of_each_epoch_fit_together_where_a_seed_decides_the_order(files: Dict[str, List[str]]) -> None:
    def two_epochs() -> Any:
        return numbers(files["TFRecord"], num_epochs=2, seed=5)

    parts = [run(two_epochs, shuffle="global", shard=(part, 2)).tolist() for part in range(2)]
    assert sorted(np.concatenate(parts).tolist()) == sorted(2 * list(range(TOTAL)))
    assert len(parts[0]) == len(parts[1]) == TOTAL
    # Half of the records are new in the second epoch, as the parts are cut again; otherwise none would be.
    assert TOTAL * 0.6 < len(set(parts[0])) < TOTAL * 0.9


def test_more_parts_than_records_are_empty_or_have_one(tmp_path: pathlib.Path) -> None:
    names = written(tmp_path, sizes=[2, 1])
    orders = [BlockOrder("TFRecord", part=part, parts=5) for part in range(5)]
    parts = [order.blocks([os.fsencode(name) for name in names], np.zeros(2, np.int64), 0) for order in orders]
    assert [len(part) for part in parts] == [0, 1, 0, 1, 1]


def test_rows_of_arrays_are_divided_as_well() -> None:
    def rows() -> Any:
        return tf.train.batch(tf.train.slice_input_producer([np.arange(11)], num_epochs=2), 1)

    parts = [run(rows, shard=(part, 3)).tolist() for part in range(3)]
    assert [len(part) for part in parts] == [6, 8, 8]
    assert sorted(np.concatenate(parts).tolist()) == sorted(2 * list(range(11)))


def test_automatic_parts_are_those_of_the_cluster(files: Dict[str, List[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"], "evaluator": ["e:1"]}

    def is_task(job: str, index: int) -> None:
        monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": job, "index": index}}))

    expected = {("chief", 0): (0, 3), ("worker", 0): (1, 3), ("worker", 1): (2, 3), ("evaluator", 0): (0, 1)}
    for task, part in expected.items():
        is_task(*task)
        assert part_of("auto") == part
    is_task("worker", 1)
    given = run(lambda: numbers(files["TFRecord"]), shard="auto").tolist()
    assert sorted(given) == list(range(TOTAL * 2 // 3, TOTAL))


@pytest.mark.parametrize("prefix", ["HOROVOD", "OMPI_COMM_WORLD"])
def test_automatic_parts_are_those_of_horovod(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{prefix}_SIZE", "4")
    monkeypatch.setenv(f"{prefix}_RANK", "3")
    assert part_of("auto") == (3, 4)


def test_without_a_cluster_the_automatic_part_is_everything() -> None:
    assert part_of("auto") == (0, 1)
    assert part_of(None) is None


# Programs.

PROGRAM = """
import sys
import tensorflow as tf
queue = tf.train.string_input_producer(sys.argv[1:], num_epochs=1)
batch = tf.train.shuffle_batch([tf.TFRecordReader().read(queue)[1]], 1, 64, 1)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    try:
        while True:
            print(int(sess.run(batch)[0]))
    except tf.errors.OutOfRangeError:
        coord.request_stop()
    coord.join(threads)
"""


def test_run_reads_an_unchanged_program_s_files_in_a_global_order_and_in_parts(
    files: Dict[str, List[str]], tmp_path: pathlib.Path, server: Server
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    parts = []
    for part in range(2):
        words = ["run", "--shuffle", "global", "--shard", f"{part}/2", "program.py", *files["TFRecord"]]
        done = server.run(["-m", "queuecompat", *words], str(tmp_path), environment={"PYTHONPATH": str(ROOT)})
        assert done.exit_code == 0, done.err
        parts.append([int(line) for line in done.out.split()])
    assert sorted(np.concatenate(parts).tolist()) == list(range(TOTAL))
    assert np.histogram(parts[0][:200], bins=4, range=(0, TOTAL))[0].min() > 0
