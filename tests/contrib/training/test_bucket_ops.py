"""Buckets: compiled, exactly once, within TF1's bound, and on TF1's queues where they cannot be compiled."""

from __future__ import annotations

import collections
import os
import re
from typing import Any, Dict, List

import numpy as np
import pytest
import tensorflow as real

import queuecompat
import queuecompat.v1 as tf
from queuecompat.errors import NativePipelineWarning
from tests.pipelines.running import drain, started
from tests.pipelines.test_memory import Counter

training = tf.contrib.training


def numbers(limit: int = 20, num_epochs: Any = 1) -> Any:
    return tf.train.range_input_producer(limit, num_epochs=num_epochs, shuffle=False).dequeue()


def by_bucket(steps: List[Any]) -> Dict[int, List[List[int]]]:
    """The batches of each bucket, in their order."""
    found = collections.defaultdict(list)
    for which, batch in steps:
        found[int(which)].append(batch.tolist())
    return dict(found)


def batches(values: List[int], size: int, is_smaller: bool) -> List[List[int]]:
    cut = [values[begin : begin + size] for begin in range(0, len(values), size)]
    return [batch for batch in cut if is_smaller or len(batch) == size]


def check_compiled() -> None:
    explanation = queuecompat.explain()
    assert not explanation.native
    assert explanation.compiled


# -- what comes out --------------------------------------------------------------------------


@pytest.mark.parametrize("is_smaller", [True, False])
@pytest.mark.parametrize("sizes", [4, [1, 7, 3], (2, 2, 2)])
@pytest.mark.parametrize(("rows", "num_epochs"), [(20, 1), (5, 7), (1, 1)])
def test_each_bucket_delivers_its_examples_once_and_in_order(
    rows: int, num_epochs: int, sizes: Any, is_smaller: bool
) -> None:
    number = numbers(rows, num_epochs)
    which, batch = training.bucket([number], number % 3, sizes, 3, allow_smaller_final_batch=is_smaller)
    check_compiled()
    given = by_bucket(drain([which, batch]))
    each = sizes if isinstance(sizes, (list, tuple)) else [sizes] * 3
    for i in range(3):
        mine = [n for n in list(range(rows)) * num_epochs if n % 3 == i]
        assert given.get(i, []) == batches(mine, each[i], is_smaller)


def test_a_batch_comes_as_soon_as_its_bucket_is_full() -> None:
    """The second bucket fills first: 0 1 1 1 0 1 ..., in threes."""
    number = numbers(12, None)
    which, batch = training.bucket([number], tf.minimum(number % 4, 1), 3, 2)
    assert [(int(w), b.tolist()) for w, b in drain([which, batch], 3)] == [
        (1, [1, 2, 3]),
        (1, [5, 6, 7]),
        (0, [0, 4, 8]),
    ]


def test_several_threads_deliver_the_same_examples() -> None:
    number = numbers(50)
    which, batch = training.bucket([number], number % 2, 4, 2, num_threads=3, allow_smaller_final_batch=True)
    check_compiled()
    given = by_bucket(drain([which, batch]))
    for i in range(2):
        assert sorted(n for batch in given[i] for n in batch) == list(range(i, 50, 2))


@pytest.mark.parametrize("first", [-1, 2, 2**31 - 1, -(2**31)])
def test_examples_outside_all_buckets_are_dropped_and_the_others_delivered(first: int) -> None:
    number = numbers(9)
    which = tf.where(number % 3 > 0, number % 3 - 1, first)
    given = by_bucket(drain(training.bucket([number], which, 2, 2, allow_smaller_final_batch=True)))
    assert given == {0: [[1, 4], [7]], 1: [[2, 5], [8]]}


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="says how much memory this process has")
def test_dropped_examples_take_no_memory() -> None:
    """2500 dropped examples of 400 kB each: a gigabyte, if they waited for others of their kind."""
    number = numbers(2501)
    which = tf.where(number < 2500, 7, 0)
    outputs = training.bucket([tf.fill([100_000], number)], which, 1, 1)
    before = resident_bytes()
    with started() as sess:
        assert sess.run(outputs)[1].max() == 2500
        assert resident_bytes() - before < 300 * 10**6


def resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_lengths_go_with_their_sequences() -> None:
    length = numbers(40) % 9
    lengths, outputs = training.bucket_by_sequence_length(
        length, {"a": tf.fill([length], length), "b": length}, 3, [3, 6], dynamic_pad=True
    )
    check_compiled()
    for step, given in drain([lengths, outputs]):
        assert np.ptp(np.searchsorted([3, 6], step, side="right")) == 0
        assert given["a"].shape == (3, max(step))
        assert (given["b"] == step).all()
        for row, size in zip(given["a"], step):
            assert row.tolist() == [size] * size + [0] * (max(step) - size)


def test_a_padded_bucket_needs_no_more_than_its_own_longest() -> None:
    length = numbers(64) % 8
    _, [batch] = training.bucket_by_sequence_length(
        length, [tf.fill([length], 1)], 4, [4], dynamic_pad=True, allow_smaller_final_batch=True
    )
    assert {step.shape[1] for step in drain(batch)} == {3, 7}


def test_a_constant_bucket_takes_all() -> None:
    which, batch = training.bucket([numbers(5)], 1, 2, 2, allow_smaller_final_batch=True)
    assert by_bucket(drain([which, batch])) == {1: [[0, 1], [2, 3], [4]]}


def test_remaining_examples_come_in_the_order_of_the_buckets() -> None:
    """TF1 had a thread for each bucket, and the order was theirs."""
    number = numbers(7)
    which, batch = training.bucket([number], 2 - number % 3, 4, 3, allow_smaller_final_batch=True)
    assert [int(one) for one, _ in drain([which, batch])] == [0, 1, 2]


def test_the_callers_list_of_sizes_stays_as_it_is() -> None:
    """TF1 wrote arrays into it."""
    sizes = [2, 3]
    number = numbers()
    training.bucket([number], number % 2, sizes, 2)
    assert sizes == [2, 3] and all(type(size) is int for size in sizes)


# -- the pipeline ----------------------------------------------------------------------------


def test_the_plan_says_what_is_held_in_buckets() -> None:
    number = numbers(100, None)
    training.bucket([number, number * 2], number % 3, [2, 3, 8], 3, capacity=2)
    text = str(queuecompat.explain())
    assert "bucket    3 buckets, batches of 2, 3, 8, partial batches dropped at the end" in text
    assert "in buckets 11 (132 bytes)" in text
    assert "prefetched and in flight 16 (" in text


@pytest.mark.parametrize(("capacity", "rooms"), [(1, None), (3, None), (2, [1, 50])])
def test_no_more_is_held_than_the_plan_says_and_than_tf1_held(capacity: int, rooms: Any) -> None:
    counter = Counter()
    number = tf.py_func(counter.note, [numbers(100_000)], tf.int32, stateful=False)
    number.set_shape([])
    which, batch = training.bucket([number], number % 2, [4, 6], 2, capacity=capacity, bucket_capacities=rooms)
    said = int(re.search(r"at most (\d+) elements", str(queuecompat.explain())).group(1))  # type: ignore[union-attr]
    queued = sum(rooms or [capacity] * 2)
    with started() as sess:
        taken = 0
        for _ in range(4):
            taken += len(sess.run([which, batch])[1])
            held = counter.wait_until_idle() - taken
            assert held <= said <= queued + (4 + 6) + capacity * 6


def test_a_bucket_that_was_not_started_is_an_error_that_says_so() -> None:
    number = numbers()
    outputs = training.bucket([number], number % 2, 2, 2)
    with real.compat.v1.Session() as sess, pytest.raises(real.errors.InvalidArgumentError, match="QC301"):
        sess.run(outputs)


@pytest.mark.parametrize("options", [{"which_bucket": 5}, {"which_bucket": -1}, {"keep_input": False}])
def test_buckets_that_never_receive_an_example_are_an_error_of_the_first_run(options: dict) -> None:
    which, batch = training.bucket([numbers()], batch_size=2, num_buckets=2, **{"which_bucket": 0, **options})
    with started() as sess, pytest.raises(real.errors.InvalidArgumentError, match="QC303"):
        sess.run([which, batch])


def test_an_error_before_the_buckets_reaches_the_loop() -> None:
    number = numbers(10)
    with tf.control_dependencies([tf.Assert(number < 5, ["five"])]):
        number = tf.identity(number)
    outputs = training.bucket([number], number % 2, 2, 2)
    with started() as sess, pytest.raises(real.errors.InvalidArgumentError, match="five"):
        for _ in range(10):
            sess.run(outputs)


def test_two_consumers_of_the_source_share_it_with_the_buckets() -> None:
    queue = tf.train.range_input_producer(40, num_epochs=1, shuffle=False)
    number = queue.dequeue()
    _, bucketed = training.bucket([number], number % 2, 2, 2, allow_smaller_final_batch=True)
    single = queue.dequeue()
    given: List[int] = []
    with started() as sess:
        given += np.ravel(sess.run(single)).tolist()
        for fetch in (bucketed, single):
            with pytest.raises(real.errors.OutOfRangeError):
                while True:
                    given += np.ravel(sess.run(fetch)).tolist()
    assert sorted(given) == list(range(40))


def test_buckets_can_be_shuffled_and_batched_again() -> None:
    number = numbers(40)
    which, rows = training.bucket([number], number % 2, 4, 2)
    batch = tf.train.shuffle_batch([which, rows], 2, capacity=6, min_after_dequeue=2)
    check_compiled()
    steps = drain(batch)
    assert sorted(n for _, blocks in steps for n in blocks.ravel()) == list(range(40))
    assert all((blocks % 2 == whichs[:, None]).all() for whichs, blocks in steps)


def test_the_curve_counts_batches() -> None:
    number = numbers(1000, None)
    outputs = training.bucket([number], number % 2, 4, 2, capacity=5)
    merged = tf.summary.merge_all()
    with started() as sess:
        sess.run(outputs)
        for _ in range(3000):
            summary = real.compat.v1.Summary.FromString(sess.run(merged))
            given = {value.tag: value.simple_value for value in summary.value}
            if given["bucket/bucket/bucket/top_queue/fraction_of_5_full"] == 1.0:
                break
    assert given["bucket/bucket/bucket/top_queue/fraction_of_5_full"] == 1.0
    assert given["bucket/bucket/bucket/bucket_queue_0/size"] == 5.0
    assert given["bucket/bucket/bucket/bucket_queue_1/size"] == 5.0


# -- on TF1's queues -------------------------------------------------------------------------


def fed_size() -> Any:
    return tf.placeholder_with_default(4, [])


@pytest.mark.parametrize(
    ("code", "options"),
    [("QC204", {"shared_name": "s"}), ("QC203", {"batch_size": fed_size}), ("QC203", {"batch_size": [3, fed_size, 2]})],
)
@pytest.mark.parametrize("is_smaller", [True, False])
def test_buckets_that_cannot_be_compiled_deliver_the_same_on_queues(code: str, options: dict, is_smaller: bool) -> None:
    def made(value: Any) -> Any:
        if isinstance(value, list):
            return [made(one) for one in value]
        return value() if callable(value) else value

    number = numbers(20)
    arguments = {"batch_size": 4, **{name: made(value) for name, value in options.items()}}
    with pytest.warns(NativePipelineWarning, match=code):
        outputs = training.bucket(
            [number], number % 3, num_buckets=3, allow_smaller_final_batch=is_smaller, **arguments
        )
    assert [reason.code for _, reason in queuecompat.explain().native] == [code]
    sizes = [3, 4, 2] if isinstance(arguments["batch_size"], list) else [4] * 3
    expected = {i: batches(list(range(i, 20, 3)), sizes[i], is_smaller) for i in range(3)}
    assert by_bucket(drain(outputs)) == expected


def test_a_placeholder_before_the_buckets_makes_them_native() -> None:
    scale = tf.placeholder(tf.int32, [])
    number = numbers(20)
    with pytest.warns(NativePipelineWarning, match="QC201"):
        training.bucket([number * scale], number % 3, 4, 3)


def test_native_buckets_keep_pad_and_carry_sparse_tensors() -> None:
    number = numbers(12)
    sparse = tf.SparseTensor([[0]], tf.reshape(number, [1]), [3])
    with pytest.warns(NativePipelineWarning, match="QC204"):
        which, outputs = training.bucket(
            {"s": sparse, "d": tf.fill([number % 3], number)},
            number % 2,
            2,
            2,
            dynamic_pad=True,
            keep_input=number > 3,
            shared_name="sparse",
        )
    steps = drain([which, outputs["s"], outputs["d"]])
    assert sorted(n for _, s, _ in steps for n in s.values) == list(range(4, 12))
    for which, sparse, dense in steps:
        assert (sparse.values % 2 == which).all()
        assert sparse.dense_shape.tolist() == [2, 3]
        assert dense.shape == (2, max(sparse.values % 3))


def test_native_buckets_keep_all_or_nothing_by_a_constant() -> None:
    number = numbers(8)
    with pytest.warns(NativePipelineWarning, match="QC204"):
        outputs = training.bucket([number], number % 2, 2, 2, keep_input=tf.constant(True), shared_name="all")
    assert len(drain(outputs)) == 4


# -- where nothing can be built ---------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda: training.bucket([1], 0, 2, 2),
        lambda: training.bucket_by_sequence_length(1, [1], 2, [1]),
        lambda: training.rejection_sample([1], lambda given: 1.0, 2),
        lambda: training.stratified_sample([1], 0, [0.5, 0.5], 2),
    ],
)
def test_buckets_are_refused_inside_a_traced_function(call: Any) -> None:
    with pytest.raises(ValueError, match="QC102"):
        real.function(call, autograph=False).get_concrete_function()
