"""Of a TFRecord file that was cut within the head of a record, a loop over a dataset ends with an error."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Dict, List

import pytest
import tensorflow as tf2

import queuecompat
from queuecompat._eager import explaining
from tests.pipelines.bad_data import write_examples

with queuecompat.tf1_imports():
    import queuecompat.v1 as tf


def input_fn(files: List[str], **arguments: Any) -> Any:
    queue = tf.train.string_input_producer(files, **{"num_epochs": 1, "shuffle": False, **arguments})
    return tf.train.batch([tf.TFRecordReader().read(queue)[1]], 2, allow_smaller_final_batch=True)


def joined(files: List[str]) -> Any:
    queue = tf.train.string_input_producer(files, num_epochs=1)
    records = [[tf.TFRecordReader().read(queue)[1]] for _ in range(2)]
    return tf.train.shuffle_batch_join(records, 2, 10, 4, allow_smaller_final_batch=True)


@pytest.fixture
def files(tmp_path: pathlib.Path) -> List[str]:
    """Three, of four records each; the second was cut within the head of its last one."""
    names = [write_examples(tmp_path / name, range(4)) for name in ("ab", "bb", "cb")]
    content = pathlib.Path(names[1]).read_bytes()
    pathlib.Path(names[1]).write_bytes(content[: len(content) // 4 * 3 + 5])
    return names


def looped(dataset: Any, files: List[str]) -> int:
    """How many records a loop over *dataset* gets before the error of the second of *files*."""
    count = 0
    with pytest.raises(tf2.errors.DataLossError) as caught:
        for batch in dataset:
            count += int(tf2.size(batch))
    said = f"QC332 '{files[1]}' is truncated: it ends within the header of the record that begins at byte"
    assert str(caught.value).startswith(said)
    return count


@pytest.mark.parametrize("function", [input_fn, joined])
def test_the_loop_ends_with_an_error_after_all_records(function: Callable[..., Any], files: List[str]) -> None:
    """It used to end as if the records after the cut had never been there."""
    dataset = queuecompat.as_dataset(function, files)
    assert looped(dataset, files) == 11
    assert looped(dataset, files) == 11


WHOLE: Dict[str, Callable[[Any], Any]] = {
    "mapped": lambda dataset: dataset.map(tf2.identity).prefetch(2),
    "cut into rows": lambda dataset: dataset.unbatch().batch(3),
    "repeated": lambda dataset: dataset.repeat(1),
}
PARTS: Dict[str, Callable[[Any], Any]] = {
    "taken": lambda dataset: dataset.take(2),
    "taken and mapped": lambda dataset: dataset.take(2).map(tf2.identity),
    "taken while": lambda dataset: dataset.take_while(lambda batch: tf2.constant(False)),
    "applied": lambda dataset: dataset.apply(lambda one: one.take(2)),
}


@pytest.mark.parametrize("derived", WHOLE)
def test_a_dataset_derived_from_it_ends_with_the_error_too(derived: str, files: List[str]) -> None:
    assert looped(WHOLE[derived](queuecompat.as_dataset(input_fn, files)), files) == 11


@pytest.mark.parametrize("derived", PARTS)
def test_a_loop_that_ends_before_the_cut_raises_no_error(derived: str, files: List[str]) -> None:
    for _ in PARTS[derived](queuecompat.as_dataset(input_fn, files)):
        pass


def test_an_iterator_that_is_used_directly_raises_the_error(files: List[str]) -> None:
    iterator = iter(queuecompat.as_dataset(input_fn, files))
    for _ in range(6):
        iterator.get_next()
    with pytest.raises(tf2.errors.DataLossError, match="QC332"):
        iterator.get_next()


def test_with_on_error_skip_the_cut_file_is_listed_and_the_data_end(files: List[str]) -> None:
    dataset = queuecompat.as_dataset(input_fn, files, on_error="skip")
    assert sum(int(tf2.size(batch)) for batch in dataset) == 11


def test_the_end_of_a_whole_file_is_looked_at_once(files: List[str], monkeypatch: pytest.MonkeyPatch) -> None:
    looked: List[str] = []
    monkeypatch.setattr(explaining, "problem_of_end", lambda name: str(looked.append(name) or ""))
    dataset = queuecompat.as_dataset(input_fn, [files[0], files[2], files[0]], num_epochs=2)
    for _ in range(3):
        assert sum(int(tf2.size(batch)) for batch in dataset) == 24
    assert sorted(looked) == [name.encode() for name in (files[0], files[2])]
