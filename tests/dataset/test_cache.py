"""``as_dataset(..., cache=...)``: kept across the iterators of a dataset, and restored by checkpoints."""

from __future__ import annotations

import pathlib
from typing import Any, List

import numpy as np
import pytest
import tensorflow as tf2

import queuecompat
from queuecompat._plan import cache_store
from queuecompat.errors import CacheWarning
from tests.pipelines.kept_elements import FEATURES, images, records

with queuecompat.tf1_imports():
    import queuecompat.v1 as tf


def noisy(files: List[str]) -> Any:
    record = tf.TFRecordReader().read(tf.train.string_input_producer(files, num_epochs=2, seed=5))[1]
    features = tf.parse_single_example(record, FEATURES)
    return tf.train.batch([features["x"] + tf.random_uniform([], 0, 99, tf.int64, seed=1), features["x"]], 7)


def of_images(files: List[str]) -> Any:
    name = tf.train.slice_input_producer([files], num_epochs=2, seed=5)[0]
    image = tf.image.decode_png(tf.read_file(name), channels=3)
    return tf.train.batch([tf.random_crop(image, [3, 3, 3], seed=2)], 5)


def drawn(dataset: Any) -> List[Any]:
    return [np.asarray(part) for batch in dataset for part in tf2.nest.flatten(batch)]


@pytest.fixture
def made(monkeypatch: Any) -> List[int]:
    """The number of each block that was made."""
    seen: List[int] = []
    keep = cache_store.Store.keep
    monkeypatch.setattr(cache_store.Store, "keep", lambda self, *given: (seen.append(given[1]), keep(self, *given)))
    return seen


@pytest.mark.parametrize("where", ["ram", "folder"])
@pytest.mark.parametrize(("build", "files"), [(noisy, records), (of_images, images)])
def test_elements_are_the_same_and_made_once_for_all_iterators(
    build: Any, files: Any, where: str, tmp_path: pathlib.Path, made: List[int]
) -> None:
    names = files(tmp_path)
    plain, first = drawn(queuecompat.as_dataset(build, names)), 0
    dataset = queuecompat.as_dataset(build, names, cache=where if where == "ram" else str(tmp_path / "cache"))
    for _ in range(2):
        ours = drawn(dataset)
        assert len(ours) == len(plain) > 0
        assert all(map(np.array_equal, ours, plain))
        first = first or len(made)
    assert len(made) == first
    assert f"of {len(names)} files kept now" in str(queuecompat.explain(dataset))


def test_a_checkpoint_is_restored_in_a_dataset_that_has_kept_nothing_yet(tmp_path: pathlib.Path) -> None:
    names = records(tmp_path)
    plain = drawn(queuecompat.as_dataset(noisy, names))
    iterator = iter(queuecompat.as_dataset(noisy, names, cache="ram"))
    for _ in range(3):
        next(iterator)
    saved = tf2.train.Checkpoint(iterator=iterator).write(str(tmp_path / "saved"))
    other = iter(queuecompat.as_dataset(noisy, names, cache=str(tmp_path / "cache")))
    tf2.train.Checkpoint(iterator=other).read(saved)
    assert all(map(np.array_equal, drawn(other), plain[3 * 2 :]))


def test_a_dataset_of_which_nothing_can_be_kept_warns_and_says_why() -> None:
    def numbers() -> Any:
        return tf.train.batch([tf.train.range_input_producer(8, num_epochs=1).dequeue()], 2)

    with pytest.warns(CacheWarning, match="QC340"):
        dataset = queuecompat.as_dataset(numbers, cache="ram")
    assert "  cache   none: QC340" in str(queuecompat.explain(dataset))
    assert sorted(np.concatenate(drawn(dataset)).tolist()) == list(range(8))


def test_the_program_of_a_dataset_is_written_without_its_cache(tmp_path: pathlib.Path) -> None:
    dataset = queuecompat.as_dataset(noisy, records(tmp_path), cache="ram")
    program = queuecompat.explain(dataset, code=True)
    assert "queuecompat caches the elements here" in str(program)
    assert all(map(np.array_equal, drawn(program.build()), drawn(dataset)))
