"""``as_dataset(..., shuffle="global")``: how well it mixes, that all of it comes once, and where it goes on."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, List

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat.errors import OrderWarning
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


def test_a_buffer_of_a_hundredth_of_sorted_data_mixes_like_a_permutation_of_all(many: List[str]) -> None:
    permutation = np.random.default_rng(1).permutation(MANY)
    ours = order_of(numbers, many, capacity=CAPACITY, shuffle="global")
    alone = order_of(numbers, many, capacity=CAPACITY)
    assert sorted(ours.tolist()) == list(range(MANY))
    assert displacement(ours) >= TOLERANCE * displacement(permutation)
    assert classes_of_batches(ours) >= TOLERANCE * classes_of_batches(permutation)
    assert neighbours(ours) <= neighbours(permutation) + 0.1
    assert classes_of_batches(alone) < 2


def test_each_tenth_of_an_epoch_has_records_of_each_file_in_proportion_to_its_size(many: List[str]) -> None:
    ends = np.cumsum([MANY // 2, MANY // 4, MANY // 5, MANY // 20])
    tenths = order_of(numbers, many, capacity=CAPACITY, seed=1, shuffle="global").reshape(10, -1)
    shares = np.array([np.bincount(np.searchsorted(ends, tenth, "right"), minlength=4) for tenth in tenths]) / 2000
    assert np.abs(shares - [0.5, 0.25, 0.2, 0.05]).max() < 0.1


def test_each_iterator_has_another_order(files: List[str]) -> None:
    dataset = queuecompat.as_dataset(numbers, files, shuffle="global")
    first, second = (np.concatenate(list(dataset.as_numpy_iterator())) for _ in range(2))
    assert first.tolist() != second.tolist()
    assert sorted(first.tolist()) == sorted(second.tolist()) == list(range(TOTAL))


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
