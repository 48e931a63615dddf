"""``as_dataset(..., shuffle="global")``: how well it mixes, that all of it comes once, and where it goes on."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Callable, List, Tuple

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat._plan.orders import MIXED_BLOCKS, MOST_RECORDS
from queuecompat.errors import OrderWarning
from queuecompat.records.blocks import NUMBERS_BYTES, BlockOrder, Column
from tests.pipelines.ordered_files import TOTAL, numbers, written

# 1 % of the records are in the buffer.
MANY, CAPACITY, CLASSES, BATCH = 20_000, 200, 10, 10
# What is measured of a random order varies by some per cent.
TOLERANCE = 0.9


@pytest.fixture(autouse=True)
def cache(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUEUECOMPAT_INDEX_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> List[str]:
    return written(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> List[str]:
    """Files of unequal sizes; the records are sorted, and so is what class they are of."""
    return written(tmp_path_factory.mktemp("many"), sizes=[MANY // 2, MANY // 4, MANY // 5, MANY // 20])


def order_of(function: Callable[..., Any], *arguments: Any, **options: Any) -> np.ndarray:
    dataset = queuecompat.as_dataset(function, *arguments, **options)
    return np.concatenate([np.ravel(batch) for batch in dataset.as_numpy_iterator()])


def classes_of_batches(order: np.ndarray) -> float:
    """How many different classes a batch has, on average."""
    classes = (order // (MANY // CLASSES)).reshape(-1, BATCH)
    return float(np.mean([len(set(batch)) for batch in classes.tolist()]))


def displacement(order: np.ndarray) -> float:
    return float(np.abs(order - np.arange(len(order))).mean())


def neighbours(order: np.ndarray) -> float:
    """The share of elements whose successor in the files is in their batch."""
    return float(np.mean([sum(n + 1 in batch for n in batch) for batch in order.reshape(-1, BATCH).tolist()])) / BATCH


def blocks_of(names: List[str]) -> Tuple[np.ndarray, np.ndarray]:
    """Of each record of *many* the number of its block, and of each block how many records it has."""
    order = BlockOrder("TFRecord", size=MOST_RECORDS, is_global=True)
    paths = [os.fsencode(name) for name in names]
    found = []
    for block in order.blocks(paths, np.zeros(2, np.int64), 0).tolist():
        place = np.frombuffer(block[:NUMBERS_BYTES], "<i8")
        found.append((paths.index(block[NUMBERS_BYTES:]), int(place[Column.FIRST]), int(place[Column.COUNT])))
    sizes = np.array([count for _, _, count in sorted(found)])
    return np.repeat(np.arange(len(sizes)), sizes), sizes


def test_a_buffer_of_a_hundredth_of_sorted_data_mixes_like_a_permutation_of_all(many: List[str]) -> None:
    permutation = np.random.default_rng(1).permutation(MANY)
    ours = order_of(numbers, many, capacity=CAPACITY, shuffle="global")
    alone = order_of(numbers, many, capacity=CAPACITY)
    assert sorted(ours.tolist()) == list(range(MANY))
    assert displacement(ours) >= TOLERANCE * displacement(permutation)
    assert classes_of_batches(ours) >= TOLERANCE * classes_of_batches(permutation)
    assert neighbours(ours) <= neighbours(permutation) + 0.1
    assert classes_of_batches(alone) < 2


def test_neighbours_are_of_one_block_more_often_than_by_chance(many: List[str]) -> None:
    """memory.md has the figure."""
    blocks, _ = blocks_of(many)
    ours = order_of(numbers, many, capacity=CAPACITY, shuffle="global")
    permutation = np.random.default_rng(1).permutation(MANY)
    shares = [float(np.mean(np.diff(blocks[order]) == 0)) for order in (permutation, ours)]
    assert shares[0] < 0.001
    assert 0.008 < shares[1] < 0.016, shares  # 0.012, and five deviations


def test_records_are_drawn_from_whole_blocks_that_take_turns(many: List[str]) -> None:
    """Exact counts: 40 blocks are read to their ends, and then the next 40; how they are chosen is in test_blocks."""

    def unmixed() -> Any:
        queue = queuecompat.train.string_input_producer(many, num_epochs=1, seed=1)
        number = tf.strings.to_number(queuecompat.readers.TFRecordReader().read(queue)[1], tf.int32)
        return queuecompat.train.batch([number], BATCH)

    blocks, sizes = blocks_of(many)
    drawn = blocks[order_of(unmixed, shuffle="global")]
    _, begins = np.unique(drawn, return_index=True)
    in_order = drawn[np.sort(begins)]  # each block once
    begin = 0
    for group in np.split(in_order, range(MIXED_BLOCKS, len(in_order), MIXED_BLOCKS)):
        end = begin + int(sizes[group].sum())
        assert np.bincount(drawn[begin:end], minlength=len(sizes))[group].tolist() == sizes[group].tolist()
        begin = end
    assert begin == MANY


def rest_after_growth(reader: Any, record: str, folder: pathlib.Path) -> List[int]:
    """What a global order reads of 9,000 records, when one of its three files has become longer after the first."""
    names = [str(folder / f"{number}") for number in range(3)]
    for number, name in enumerate(names):
        pathlib.Path(name).write_text("".join(record % each for each in range(3000 * number, 3000 * (number + 1))))

    def input_fn() -> Any:
        queue = queuecompat.train.string_input_producer(names, num_epochs=1)
        number = tf.strings.to_number(reader().read(queue)[1], tf.int32)
        return queuecompat.train.shuffle_batch([number], 50, 60, 10)

    found: List[int] = []
    for batch in queuecompat.as_dataset(input_fn, shuffle="global").as_numpy_iterator():
        if not found:
            with open(names[1], "a") as file:
                file.write(record % 99999 * 500)
        found += batch.tolist()
    return found


def test_records_of_a_growing_file_are_read_once(tmp_path: pathlib.Path) -> None:
    """Each block that was left came with the 500 records that were added to its file."""
    found = rest_after_growth(lambda: queuecompat.readers.FixedLengthRecordReader(6), "%06d", tmp_path)
    assert sorted(found) == list(range(9000))


def test_a_growing_file_of_lines_is_an_error_that_says_so(tmp_path: pathlib.Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"size of .* has changed since its records were found"):
        rest_after_growth(queuecompat.readers.TextLineReader, "%06d\n", tmp_path)


def test_each_iterator_has_another_order(files: List[str]) -> None:
    dataset = queuecompat.as_dataset(numbers, files, shuffle="global")
    first, second = (np.concatenate(list(dataset.as_numpy_iterator())) for _ in range(2))
    assert first.tolist() != second.tolist()
    assert sorted(first.tolist()) == sorted(second.tolist()) == list(range(TOTAL))


def test_each_of_two_producers_has_an_order_of_its_own(many: List[str]) -> None:
    """They had the same, so that a program that pairs examples at random paired each with itself."""

    def pairs() -> Any:
        ways = [tf.compat.v1.train.string_input_producer(many, num_epochs=1) for _ in range(2)]
        records = [tf.compat.v1.TFRecordReader().read(way)[1] for way in ways]
        return tf.compat.v1.train.batch(records, 100)

    ones, others = next(iter(queuecompat.as_dataset(pairs, shuffle="global")))
    assert (ones != others).numpy().any()


def test_keys_say_where_a_record_is(files: List[str]) -> None:
    def where(keys: np.ndarray) -> List[str]:
        return sorted(key.decode() for key in keys)

    keyed = queuecompat.as_dataset(numbers, files, keys=True, shuffle="global")
    plain = queuecompat.as_dataset(numbers, files, keys=True)
    found, expected = (np.concatenate([keys for keys, _ in one.as_numpy_iterator()]) for one in (keyed, plain))
    assert where(found) == where(expected)


@pytest.mark.parametrize("kind", ["TextLine", "FixedLength"])
def test_keys_of_lines_and_of_fixed_lengths_are_their_numbers(kind: str, tmp_path: pathlib.Path) -> None:
    names = written(tmp_path, kind)
    keyed = queuecompat.as_dataset(numbers, names, kind, keys=True, shuffle="global")
    plain = queuecompat.as_dataset(numbers, names, kind, keys=True)
    pairs = [
        sorted((key, number) for keys, values in one.as_numpy_iterator() for key, number in zip(keys, values.tolist()))
        for one in (keyed, plain)
    ]
    assert pairs[0] == pairs[1]


@pytest.mark.parametrize("steps", [0, 1, 30, 60])
def test_a_restored_iterator_goes_on_where_the_saved_one_stood(
    steps: int, files: List[str], tmp_path: pathlib.Path
) -> None:
    def dataset() -> tf.data.Dataset:
        return queuecompat.as_dataset(numbers, files, num_epochs=2, shuffle="global")

    iterator = iter(dataset())
    for _ in range(steps):
        next(iterator)
    prefix = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "position"))
    to_come = [batch.numpy().tolist() for batch in iterator]
    again = iter(dataset())
    tf.train.Checkpoint(iterator=again).restore(prefix).assert_consumed()
    rest = [batch.numpy().tolist() for batch in again]
    if steps:
        assert rest == to_come
    assert sorted(sum(rest, [])) == sorted(sum(to_come, []))  # noqa: RUF017


def test_what_has_no_global_order_says_why(files: List[str]) -> None:
    def evaluated() -> Any:
        queue = queuecompat.train.string_input_producer(files, shuffle=False, num_epochs=1)
        return queuecompat.train.batch([queuecompat.readers.TFRecordReader().read(queue)[1]], 1)

    with pytest.warns(OrderWarning, match="asks for no shuffling"):
        assert order_of(evaluated, shuffle="global").astype(int).tolist() == list(range(TOTAL))


def test_before_a_queue_that_shuffles_some_records_of_each_block_come_in_turn(many: List[str]) -> None:
    for capacity, turns in ((CAPACITY, "2 records of each in turn"), (10_000, "16 records of each in turn")):
        text = str(queuecompat.explain(queuecompat.as_dataset(numbers, many, capacity=capacity, shuffle="global")))
        assert f"{MIXED_BLOCKS} blocks at once, {turns}" in text

    def in_order() -> Any:
        queue = queuecompat.train.string_input_producer(many)
        return queuecompat.train.batch([queuecompat.readers.TFRecordReader().read(queue)[1]], BATCH)

    def several() -> Any:  # a turn of whole vectors would fill the queue from one block
        return numbers(many, capacity=1000, up_to=20)

    def rows() -> Any:
        queue = queuecompat.train.string_input_producer(many)
        record = queuecompat.readers.TFRecordReader().read(queue)[1]
        return queuecompat.train.shuffle_batch([tf.fill([20], record)], BATCH, 1000, 100, enqueue_many=True)

    for one_of_each in (in_order, several, rows):
        text = str(queuecompat.explain(queuecompat.as_dataset(one_of_each, shuffle="global")))
        assert f"{MIXED_BLOCKS} blocks at once\n" in text


@pytest.mark.parametrize("steps", [1, 7, 100])
def test_a_restart_in_the_middle_of_a_turn_goes_on_there(steps: int, many: List[str], tmp_path: pathlib.Path) -> None:
    dataset = queuecompat.as_dataset(numbers, many, capacity=1000, shuffle="global", checkpoint=True)
    first = iter(dataset)
    for _ in range(steps):
        next(first)
    prefix = tf.train.Checkpoint(iterator=first).save(str(tmp_path / "position"))
    second = iter(dataset)
    tf.train.Checkpoint(iterator=second).restore(prefix)
    assert [batch.numpy().tolist() for batch in second] == [batch.numpy().tolist() for batch in first]


def test_batches_do_not_pass_through_the_iterator_that_knows_the_start(many: List[str]) -> None:
    dataset = queuecompat.as_dataset(numbers, many, shuffle="global")
    variant = tf.data.experimental.to_variant(dataset)
    serialized = tf.raw_ops.DatasetToGraphV2(
        input_dataset=variant, external_state_policy=1, strip_device_assignment=True
    )
    graph = tf.compat.v1.GraphDef.FromString(serialized.numpy())
    assert "BatchDatasetV2" in {node.op for node in graph.node}
