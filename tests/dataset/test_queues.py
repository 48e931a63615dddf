"""Queues that an input function fills itself."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat import train
from queuecompat.errors import NativePipelineWarning
from tests.dataset.values import values

tf1 = tf.compat.v1
ROOT = pathlib.Path(__file__).parents[2]


def filled(queue: Any, *enqueue_ops: Any) -> Any:
    tf1.train.add_queue_runner(tf1.train.QueueRunner(queue, list(enqueue_ops)))
    return queue


def test_a_queue_that_a_runner_fills_is_compiled() -> None:
    def input_fn() -> Any:
        number = train.range_input_producer(10, num_epochs=2, shuffle=False).dequeue()
        queue = tf1.FIFOQueue(4, [tf.int32, tf.float32], shapes=[[], [2]])
        filled(queue, queue.enqueue([number * 10, tf.cast([number, number], tf.float32)]))
        return train.batch(queue.dequeue(), 4)

    dataset = queuecompat.as_dataset(input_fn, strict=True)
    assert dataset.cardinality() == 5
    batches = values(dataset)
    assert np.concatenate([batch for batch, _ in batches]).tolist() == [n * 10 for n in [*range(10)] * 2]
    assert batches[0][1].tolist() == [[n, n] for n in range(4)]


def test_enqueue_many_several_ways_in_and_batches_drawn_by_the_function() -> None:
    def input_fn() -> Any:
        queue = tf1.FIFOQueue(20, [tf.int32], shapes=[[]])
        numbers = [train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue() + add for add in (0, 100)]
        pairs = [queue.enqueue_many([tf.stack([number, number])]) for number in numbers]
        return filled(queue, *pairs).dequeue_up_to(5)

    drawn = np.concatenate(values(queuecompat.as_dataset(input_fn, strict=True))).tolist()
    assert sorted(drawn) == sorted(2 * [*range(6), *range(100, 106)])


@pytest.mark.parametrize("draw", ["dequeue_many", "dequeue_up_to"])
def test_dequeue_many_of_zero_returns_empty_batches_as_in_tensorflow_1(draw: str) -> None:
    def input_fn() -> Any:
        queue = tf1.FIFOQueue(4, [tf.int32], shapes=[[]])
        number = train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
        return getattr(filled(queue, queue.enqueue(number)), draw)(0)

    with pytest.warns(NativePipelineWarning, match="QC207 .*n=0 makes empty batches"):
        dataset = queuecompat.as_dataset(input_fn)
    assert [batch.tolist() for batch in values(dataset.take(3))] == [[], [], []]


def test_a_random_queue_shuffles() -> None:
    def input_fn() -> Any:
        queue = tf1.RandomShuffleQueue(50, 10, [tf.int32], shapes=[[]], seed=3)
        number = train.range_input_producer(200, num_epochs=1, shuffle=False).dequeue()
        return filled(queue, *[queue.enqueue(number)] * 3).dequeue_many(20)

    drawn = np.concatenate(values(queuecompat.as_dataset(input_fn, strict=True))).tolist()
    assert sorted(drawn) == [*range(200)] != drawn


@pytest.mark.parametrize("name", ["TextLineReader", "WholeFileReader", "IdentityReader"])
def test_readers_read_from_such_a_queue(name: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "file"
    path.write_text("one\ntwo\n")

    def input_fn() -> Any:
        queue = tf1.FIFOQueue(4, [tf.string], shapes=[[]])
        file_name = train.string_input_producer([str(path)], num_epochs=1).dequeue()
        filled(queue, queue.enqueue([file_name]))
        _, records = getattr(tf1, name)().read_up_to(queue, 2)
        return train.batch([records], 1, enqueue_many=True)

    wanted = {"TextLineReader": ["one", "two"], "WholeFileReader": ["one\ntwo\n"], "IdentityReader": [str(path)]}[name]
    drawn = np.concatenate(values(queuecompat.as_dataset(input_fn, strict=True)))
    assert [one.decode() for one in drawn] == wanted


def test_records_and_fixed_lengths_read_from_such_a_queue(tmp_path: pathlib.Path) -> None:
    with tf.io.TFRecordWriter(str(tmp_path / "records")) as writer:
        writer.write(b"record")
    (tmp_path / "bytes").write_bytes(b"abcd")

    def input_fn() -> Any:
        readers = {"records": tf1.TFRecordReader(), "bytes": tf1.FixedLengthRecordReader(2)}
        values = []
        for name, reader in readers.items():
            queue = tf1.FIFOQueue(4, [tf.string], shapes=[[]])
            filled(queue, queue.enqueue_many([[str(tmp_path / name)]]))
            values.append(reader.read(queue)[1])
        return values

    first, second = queuecompat.as_dataset(input_fn, strict=True).take(2).as_numpy_iterator()
    assert (first, second) == ((b"record", b"ab"), (b"record", b"cd"))


def test_the_control_inputs_of_an_enqueue_are_run() -> None:
    def input_fn() -> Any:
        number = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        queue = tf1.FIFOQueue(4, [tf.int32], shapes=[[]])
        with tf.control_dependencies([tf1.assert_less(number, 2)]):
            enqueue = queue.enqueue(number)
        return filled(queue, enqueue).dequeue()

    with pytest.raises(tf.errors.InvalidArgumentError):
        values(queuecompat.as_dataset(input_fn, strict=True))


def sliced(train_functions: Any) -> Any:
    rows = np.arange(20, dtype=np.float32).reshape(10, 2)
    row, number = train_functions.slice_input_producer([rows, np.arange(10)], num_epochs=3, seed=3)
    return train_functions.batch([row + tf.random.uniform([2], seed=4), number], 4, allow_smaller_final_batch=True)


def in_order(train_functions: Any) -> Any:
    number = train_functions.range_input_producer(10, num_epochs=2, shuffle=False).dequeue()
    return train_functions.batch([number, tf.range(number)], 3, dynamic_pad=True)


def without_an_end(train_functions: Any) -> Any:
    row = train_functions.input_producer(np.arange(6).reshape(3, 2), seed=1).dequeue()
    return train_functions.batch([row], 2, capacity=8)


@pytest.mark.parametrize("inputs", [sliced, in_order, without_an_end])
def test_tensorflows_own_producers_and_batchers_are_compiled_to_the_same_elements_as_ours(inputs: Any) -> None:
    """A library that took these functions before ``install()`` calls TensorFlow's own: those pipelines were native."""
    own = queuecompat.as_dataset(inputs, tf1.train, strict=True)
    ours = queuecompat.as_dataset(inputs, train, strict=True)
    assert own.cardinality() == ours.cardinality()
    for theirs, mine in zip(values(own.take(7)), values(ours.take(7))):
        assert all(np.array_equal(one, other) for one, other in zip(theirs, mine))


def test_an_epoch_counter_that_does_not_begin_at_0_is_left_to_tensorflow() -> None:
    """Only what ``limit_epochs`` builds is a number of epochs."""

    def input_fn() -> Any:
        counter = tf1.get_variable("counter", initializer=tf.constant(3, tf.int64), use_resource=True)
        rows = tf.constant([7, 8])
        with tf.control_dependencies([counter.count_up_to(5)]):
            rows = tf.identity(rows)
        queue = tf1.FIFOQueue(4, [tf.int32], shapes=[[]])
        return filled(queue, queue.enqueue_many([rows])).dequeue()

    assert values(queuecompat.as_dataset(input_fn)) == [7, 8, 7, 8]


@pytest.mark.parametrize(
    "limited",
    [
        lambda: train.batch([train.limit_epochs(tf.constant(1), 4)], 1),
        lambda: train.limit_epochs(train.batch([train.range_input_producer(3).dequeue()], 2), 4),
        lambda: train.batch([train.input_producer(train.limit_epochs(tf.constant([1, 2]), 2)).dequeue()], 1),
    ],
)
@pytest.mark.parametrize("checkpoint", [False, True])
@pytest.mark.filterwarnings("ignore::queuecompat.errors.RestartWarning")
def test_each_iterator_has_an_own_count_of_limit_epochs(limited: Any, checkpoint: bool, tmp_path: pathlib.Path) -> None:
    """The second iteration was empty, and so was a restored iterator."""
    dataset = queuecompat.as_dataset(limited, strict=True, checkpoint=checkpoint)
    assert [len(values(dataset)) for _ in range(2)] == [4, 4]
    assert len(values(tf.data.Dataset.zip((dataset, dataset)))) == 4
    saved, restored = iter(dataset), iter(dataset)
    next(saved)
    prefix = tf.train.Checkpoint(iterator=saved).save(str(tmp_path / "position"))
    assert len(list(saved)) == 3
    tf.train.Checkpoint(iterator=restored).restore(prefix)
    assert len(list(restored)) == 3


def unfilled() -> Any:
    return tf1.FIFOQueue(4, [tf.int32], shapes=[[]]).dequeue()


def test_a_queue_that_a_branch_fills_has_what_went_into_it() -> None:
    def input_fn() -> Any:
        queue = tf1.FIFOQueue(4, [tf.int32], shapes=[[]])
        number = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        return filled(queue, tf.cond(number > 1, lambda: queue.enqueue(number), tf.no_op)).dequeue()

    assert values(queuecompat.as_dataset(input_fn, strict=True)) == [2, 3]


def filled_either_way() -> Any:
    queue = tf1.FIFOQueue(4, [tf.int32], shapes=[[]])
    number = train.range_input_producer(4, num_epochs=1).dequeue()
    enqueue = tf.cond(number > 1, lambda: queue.enqueue(number), lambda: queue.enqueue(-number))
    return filled(queue, enqueue).dequeue()


def by_priority() -> Any:
    queue = tf1.PriorityQueue(4, [tf.int32], shapes=[[]])
    number = train.range_input_producer(4, num_epochs=1).dequeue()
    return filled(queue, queue.enqueue([tf.cast(number, tf.int64), number])).dequeue()[1]


@pytest.mark.parametrize("input_fn", [unfilled, filled_either_way, by_priority])
def test_what_only_a_session_can_serve_says_so(input_fn: Any) -> None:
    with pytest.raises(RuntimeError, match="QC209"):
        queuecompat.as_dataset(input_fn, strict=True)
