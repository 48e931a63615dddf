"""``tf.random.set_seed`` decides what no seed of an input function does, as it does of TensorFlow's own datasets."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Iterator, List

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat import train
from tests.forking import Server

tf1 = tf.compat.v1


@pytest.fixture(autouse=True)
def no_seed_stays_behind() -> Iterator[None]:
    yield
    tf.random.set_seed(None)


def shuffled() -> Any:
    return train.shuffle_batch([train.range_input_producer(100, shuffle=False).dequeue()], 4, 40, 8, num_threads=2)


def produced() -> Any:
    return train.batch([train.range_input_producer(100).dequeue()], 4)


def changed() -> Any:
    number = tf.cast(train.range_input_producer(100, shuffle=False).dequeue(), tf.float32)
    return train.batch([number + tf.random.normal([])], 4, num_threads=2)


def images() -> Any:
    rows = np.arange(40 * 6 * 6 * 3).reshape(40, 6, 6, 3).astype(np.uint8)
    (image,) = train.slice_input_producer([rows])
    image = tf.image.random_flip_left_right(tf.image.random_crop(image, [4, 4, 3]))
    return train.shuffle_batch([tf.image.random_brightness(tf.cast(image, tf.float32), 9.0)], 4, 30, 8, num_threads=4)


def joined() -> Any:
    lists = [[train.range_input_producer(100).dequeue()] for _ in range(3)]
    return train.shuffle_batch_join(lists, 4, 40, 8)


def of_several_consumers() -> Any:
    queue = train.range_input_producer(100)
    numbers = train.shuffle_batch([queue.dequeue()], 4, 40, 8)
    return numbers, tf.cast(train.batch([queue.dequeue()], 4), tf.float32) + tf.random.uniform([4])


def beside_a_state() -> Any:
    number = tf.cast(train.range_input_producer(100, seed=4).dequeue(), tf.float32)
    return train.shuffle_batch([number + tf.random.uniform([], seed=3)], 4, 40, 8, num_threads=4)


def native() -> Any:
    size = tf1.placeholder_with_default(4, [])
    return train.batch([train.range_input_producer(100).dequeue()], size)


ALL = [shuffled, produced, changed, images, joined, of_several_consumers, beside_a_state]


def drawn(dataset: tf.data.Dataset, count: int = 12) -> List[Any]:
    return [np.asarray(one).tolist() for element in dataset.take(count) for one in tf.nest.flatten(element)]


def run(function: Callable[[], Any], seed: Any, **options: Any) -> List[Any]:
    """What a program draws: two iterators of one dataset, and one of another dataset."""
    tf.random.set_seed(seed)
    first, second = (queuecompat.as_dataset(function, **options) for _ in range(2))
    return [drawn(first), drawn(first), drawn(second)]


@pytest.mark.parametrize("function", ALL)
def test_every_run_of_a_program_draws_the_same(function: Callable[[], Any]) -> None:
    """Producers and random ops drew other numbers in every run; only the shuffle buffer did not."""
    first = run(function, 3, strict=True)
    assert first == run(function, 3, strict=True)
    one, again, other = first
    assert one != again and one != other


def test_a_different_seed_decides_it_differently() -> None:
    assert run(changed, 3) != run(changed, 4)


@pytest.mark.parametrize("function", [produced, changed, images])
def test_without_a_seed_each_run_draws_others(function: Callable[[], Any]) -> None:
    assert run(function, None) != run(function, None)


@pytest.mark.filterwarnings("ignore::queuecompat.errors.NativePipelineWarning")
def test_a_session_that_feeds_a_dataset_has_the_seed_too() -> None:
    first = run(native, 3)
    assert first == run(native, 3)
    assert first[0] != first[1] and first[0] != first[2]


@pytest.mark.parametrize("options", [{"checkpoint": True}, {"random": "by_index"}])
def test_it_decides_the_order_with_options_that_decide_the_rest(options: Any) -> None:
    first = run(images, 3, strict=True, **options)
    assert first == run(images, 3, strict=True, **options)
    assert first[0] != first[1] and first[0] != first[2]


@pytest.mark.parametrize("function", [images, joined, of_several_consumers])
def test_an_iterator_goes_on_where_it_was_saved(function: Callable[[], Any], tmp_path: pathlib.Path) -> None:
    tf.random.set_seed(3)
    iterator = iter(queuecompat.as_dataset(function, strict=True))
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    next(iterator)
    path = checkpoint.save(str(tmp_path / "saved"))
    after = [np.asarray(one).tolist() for one in tf.nest.flatten(next(iterator))]
    next(iterator)
    checkpoint.restore(path)
    assert [np.asarray(one).tolist() for one in tf.nest.flatten(next(iterator))] == after


def seeded() -> Any:
    number = tf.cast(train.range_input_producer(100, shuffle=False).dequeue(), tf.float32)
    return train.batch([number + tf.random.uniform([], seed=3)], 4)


def test_seeds_of_the_function_keep_their_numbers() -> None:
    assert run(seeded, None)[0] == run(seeded, 3)[0]


_DETERMINISTIC = """
import tensorflow as tf

import queuecompat
from queuecompat import train


def inputs():
    number = tf.cast(train.range_input_producer(100).dequeue(), tf.float32)
    return train.shuffle_batch([number + tf.random.normal([]), number + tf.random.uniform([], seed=3)], 4, 40, 8)


def seeded():
    number = tf.cast(train.range_input_producer(100, shuffle=False).dequeue(), tf.float32)
    return train.batch([number + tf.random.uniform([], seed=3)], 4)


def drawn(function, seed):
    tf.random.set_seed(seed)
    dataset = queuecompat.as_dataset(function, strict=True)
    return [[one.numpy().tolist() for one in tf.nest.flatten(element)] for element in dataset.take(5)]


before = drawn(seeded, 3)
tf.config.experimental.enable_op_determinism()
print(drawn(inputs, 3) == drawn(inputs, 3), drawn(seeded, 3) == before)
try:
    drawn(inputs, None)
except RuntimeError as problem:
    print("set a seed" in str(problem))
"""


def test_with_op_determinism_it_is_all_that_tensorflow_asks_for(tmp_path: pathlib.Path, server: Server) -> None:
    """TensorFlow refused to make the random ops of the function, in whose graph it found no seed."""
    ran = server.run(["-c", _DETERMINISTIC], str(tmp_path))
    assert ran.out.splitlines() == ["True True", "True"], ran.err
