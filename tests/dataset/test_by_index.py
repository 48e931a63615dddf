"""``as_dataset(..., random="by_index")``: the same numbers as in a session, and others in every iteration."""

from __future__ import annotations

import pathlib
from typing import Any, Dict

import pytest
import tensorflow as tf

import queuecompat
from queuecompat import readers, train
from queuecompat.errors import RandomWarning
from tests.bench import by_index
from tests.pipelines.running import write_records

tf1 = tf.compat.v1


@pytest.fixture(autouse=True)
def cache(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUEUECOMPAT_INDEX_CACHE", str(tmp_path / "cache"))


def rows(threads: int = 1, epochs: Any = 1) -> Any:
    number = tf.cast(train.range_input_producer(12, num_epochs=epochs).dequeue(), tf.float32)
    return train.shuffle_batch([number, tf1.random_uniform([])], 3, 9, 3, num_threads=threads)


def shared(threads: int = 1) -> Any:
    """Two batches of different rows of one producer."""
    queue = train.range_input_producer(12, num_epochs=1)
    return [
        train.batch([tf.cast(queue.dequeue(), tf.float32), tf1.random_uniform([])], 1, num_threads=threads)
        for _ in range(2)
    ]


def drawn(elements: Any) -> Dict[float, float]:
    """By the number of each row; elements are pairs of vectors, or several of them."""
    flat = [tf.nest.flatten(element) for element in elements]
    pairs = [(one[at], one[at + 1]) for one in flat for at in range(0, len(one), 2)]
    return {float(n): float(x) for numbers, given in pairs for n, x in zip(numbers, given)}


@pytest.mark.parametrize("function", [rows, shared])
def test_two_datasets_draw_alike_whatever_their_threads(function: Any) -> None:
    one = drawn(queuecompat.as_dataset(function, strict=True, random="by_index"))
    four = drawn(queuecompat.as_dataset(function, 4, strict=True, random="by_index"))
    assert one == four
    assert len(set(one.values())) == 12
    assert one != drawn(queuecompat.as_dataset(function, strict=True, random="by_index", random_seed=1))


def test_epochs_are_counted_over_iterations() -> None:
    dataset = queuecompat.as_dataset(rows, strict=True, random="by_index")
    first, second = drawn(dataset), drawn(dataset)
    assert not set(first.values()) & set(second.values())
    batches = list(queuecompat.as_dataset(rows, epochs=2, strict=True, random="by_index"))
    together = {float(x) for _, given in batches for x in given}
    assert together == {*first.values(), *second.values()}


def test_an_iterator_without_an_end_begins_with_the_first_epoch() -> None:
    dataset = queuecompat.as_dataset(rows, epochs=None, strict=True, random="by_index")
    for _ in range(2):
        found = drawn(dataset.take(40))
        assert len(found) == 12
    batches = [[float(x) for _, given in dataset.take(4) for x in given] for _ in range(3)]
    assert {x for batch in batches for x in batch} <= {
        float(x) for _, given in queuecompat.as_dataset(rows, epochs=3, random="by_index") for x in given
    }


@pytest.mark.parametrize("options", [{}, {"checkpoint": True}])
def test_a_restored_iterator_goes_on_with_its_epoch(options: Any, tmp_path: pathlib.Path) -> None:
    def dataset() -> tf.data.Dataset:
        return queuecompat.as_dataset(rows, strict=True, random="by_index", **options)

    whole = dataset()
    first, second, third = drawn(whole), drawn(whole), drawn(whole)
    saved = dataset()
    assert drawn(saved) == first
    iterator = iter(saved)
    begun = drawn([next(iterator)])
    prefix = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "position"))
    restored = dataset()
    iterator = iter(restored)
    tf.train.Checkpoint(iterator=iterator).restore(prefix)
    assert {**begun, **drawn(iterator)} == second
    assert drawn(restored) == third


def test_the_benchmark_compares_both_ways_to_draw(tmp_path: pathlib.Path) -> None:
    found = by_index.ratios(tmp_path, records=300, timed=256, rounds=2)
    assert len(found) == 2 and min(found) > 0


def test_workers_of_a_service_ignore_the_option_and_a_warning_says_so() -> None:
    nowhere = "grpc://localhost:1"  # no dispatcher is asked before an iterator begins
    with pytest.warns(RandomWarning, match="QC354(.|\n)*the workers of a tf.data service compute it"):
        dataset = queuecompat.as_dataset(rows, strict=True, random="by_index", data_service=nowhere)
    assert "the workers of a tf.data service compute it" in str(queuecompat.explain(dataset))


@pytest.mark.filterwarnings("ignore:QC353")
def test_a_file_that_is_read_by_blocks_is_skipped_from_its_damage_on(tmp_path: pathlib.Path) -> None:
    """It used to fail: a block was taken for a name."""
    paths = [
        write_records(tmp_path / name, [b"%d" % (base + n) for n in range(6)]) for name, base in (("a", 0), ("b", 10))
    ]
    content = bytearray(pathlib.Path(paths[0]).read_bytes())
    content[3 * 17] ^= 0xFF  # the length of the fourth record
    pathlib.Path(paths[0]).write_bytes(content)

    def function() -> Any:
        queue = train.string_input_producer([*paths, str(tmp_path / "missing")], num_epochs=1, shuffle=False)
        value = tf1.string_to_number(readers.TFRecordReader().read(queue)[1])
        return train.batch([value, tf1.random_uniform([])], 1)

    for options in ({"random": "by_index"}, {"checkpoint": True}, {"shard": (0, 1)}):
        found = drawn(queuecompat.as_dataset(function, on_error="skip", **options))
        assert sorted(found) == [0, 1, 2, 10, 11, 12, 13, 14, 15], options
