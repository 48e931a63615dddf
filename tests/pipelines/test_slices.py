"""Whatever the user put between two stages means in the dataset what it meant in the graph."""

from __future__ import annotations

from typing import List, Tuple

import numpy as np
import pytest
import tensorflow as tf2
from tensorflow.python.framework import function

import queuecompat
import queuecompat.v1 as tf
from tests.pipelines.running import drain, started


def numbers(count: int = 6) -> tf2.Tensor:
    return tf.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()


def batched(tensor: tf2.Tensor, size: int = 3) -> list:
    return np.concatenate(drain(tf.train.batch([tensor], size))).tolist()


def test_cond_takes_the_branch_of_each_element() -> None:
    x = numbers()
    assert batched(tf.cond(x > 2, lambda: x * 10, lambda: x)) == [0, 1, 2, 30, 40, 50]


def test_while_loop_runs_for_each_element() -> None:
    x = numbers()
    assert batched(tf.while_loop(lambda i, s: i < x, lambda i, s: (i + 1, s + i), [0, 0])[1]) == [0, 0, 1, 3, 6, 10]


def test_frames_stay_in_the_order_of_their_clip_when_clips_are_shuffled() -> None:
    """Frames that took longer were moved to a later place, or to the next clip."""
    frame = tf.train.range_input_producer(200, shuffle=False, num_epochs=1).dequeue()
    rounds = tf.where(tf.equal(frame % 5, 0), 3000, 1)
    frame += tf.while_loop(lambda left: left > 0, lambda left: left - 1, [rounds])
    clip = tf.train.batch([frame], 10)
    clips = np.concatenate(drain(tf.train.shuffle_batch([clip], 4, capacity=20, min_after_dequeue=10)))
    assert (clips == clips[:, :1] + np.arange(10)).all()


def test_map_fn_runs_inside_a_slice() -> None:
    x = numbers()
    assert batched(tf.reduce_sum(tf.map_fn(lambda y: y * y, tf.stack([x, x])))) == [2 * n * n for n in range(6)]


def test_map_fn_runs_on_many_elements_at_once() -> None:
    count = 600
    x = tf.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([tf.map_fn(lambda y: y * y, tf.stack([x, x + 1]))], 100, capacity=300)
    assert "in parallel" in str(queuecompat.explain())
    assert np.concatenate(drain(batch)).tolist() == [[n * n, (n + 1) * (n + 1)] for n in range(count)]


@pytest.fixture
def v2_control_flow() -> None:
    tf.enable_control_flow_v2()
    yield
    tf.disable_control_flow_v2()


def test_v2_cond_and_while_loop_bring_their_functions_along(v2_control_flow: None) -> None:
    x = numbers()
    y = tf.cond(x > 2, lambda: x * 10, lambda: x)
    assert batched(tf.while_loop(lambda s: s < 20, lambda s: s + 20, [y])) == [20, 21, 22, 30, 40, 50]


def test_functions_of_defun_come_along_with_those_that_they_call() -> None:
    """Their calls are ops of a type that only the graph's library has: it was "Op type not registered"."""

    @function.Defun(tf.int32)
    def squared(x: tf2.Tensor) -> tf2.Tensor:
        return x * x

    @function.Defun(tf.int32)
    def both(x: tf2.Tensor) -> Tuple[tf2.Tensor, tf2.Tensor]:
        return squared(x) + 1, -x

    first, second = both(numbers())
    first.set_shape([])
    second.set_shape([])
    batch = tf.train.batch([first, second], 3)
    assert np.concatenate(drain(batch), axis=1).tolist() == [[1, 2, 5, 10, 17, 26], [0, -1, -2, -3, -4, -5]]


def test_what_a_function_of_defun_does_is_known() -> None:
    @function.Defun(tf.int32)
    def counted(x: tf2.Tensor) -> tf2.Tensor:
        return tf.py_func(lambda number: seen.append(int(number)) or number, [x], tf.int32)

    seen: List[int] = []
    y = counted(numbers())
    y.set_shape([])
    assert batched(y) == seen == [0, 1, 2, 3, 4, 5]


def test_py_func_sees_every_element_in_order() -> None:
    seen = []

    def note(x: np.ndarray) -> np.ndarray:
        seen.append(int(x))
        return x + np.int32(1)

    y = tf.py_func(note, [numbers()], tf.int32)
    y.set_shape([])
    assert batched(y) == [1, 2, 3, 4, 5, 6]
    assert seen == [0, 1, 2, 3, 4, 5]


def test_a_py_func_that_stops_iterating_ends_the_data() -> None:
    def until_four(x: np.ndarray) -> np.ndarray:
        if x == 4:
            raise StopIteration
        return x

    y = tf.py_func(until_four, [numbers()], tf.int32)
    y.set_shape([])
    assert batched(y, size=2) == [0, 1, 2, 3]


def test_a_lookup_table_is_the_sessions_table() -> None:
    keys, values = tf.constant([0, 1, 2], tf.int64), tf.constant(["a", "b", "c"])
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), "other")
    assert batched(table.lookup(tf.cast(numbers(4), tf.int64)), size=4) == [b"a", b"b", b"c", b"other"]


@pytest.mark.parametrize("use_resource", [True, False])
def test_a_variable_is_read_at_each_element_not_frozen(use_resource: bool) -> None:
    scale = tf.get_variable("scale", initializer=1, use_resource=use_resource)
    batch = tf.train.batch([numbers(6) * scale], 1, capacity=1)
    double = tf.assign(scale, 100)
    with started() as sess:
        first = sess.run(batch)[0]
        sess.run(double)
        rest = [int(sess.run(batch)[0]) for _ in range(5)]
    # At most the elements made ahead (capacity 1 and the batch in flight) may have the old value.
    assert first == 0
    assert rest[-3:] == [300, 400, 500]


def test_assign_and_control_inputs_run_with_their_slice() -> None:
    count = tf.get_variable("count", initializer=0, use_resource=True)
    x = numbers()
    with tf.control_dependencies([tf.assign_add(count, 1)]):
        y = tf.identity(x)
    batch = tf.train.batch([y], 3)
    with started() as sess:
        for _ in range(2):
            sess.run(batch)
        assert sess.run(count) == 6


def test_count_up_to_ends_the_data() -> None:
    limit = tf.get_variable("limit", initializer=0, use_resource=False)
    x = numbers()
    with tf.control_dependencies([tf.count_up_to(limit, 4)]):
        y = tf.identity(x)
    assert batched(y, size=2) == [0, 1, 2, 3]


def test_a_slice_without_a_stage_runs_forever() -> None:
    steps = drain(tf.train.batch([tf.random_uniform([2]), tf.constant(7)], 3), steps=4)
    assert [rows.shape for rows, _ in steps] == [(3, 2)] * 4
    assert len({rows.tobytes() for rows, _ in steps}) == 4
    assert all(sevens.tolist() == [7, 7, 7] for _, sevens in steps)


def test_a_large_constant_is_shared_and_not_copied_into_the_slice() -> None:
    table = tf.constant(np.arange(100_000))
    before = len(tf.get_default_graph().as_graph_def().SerializeToString())
    batch = tf.train.batch([tf.gather(table, numbers() * 1000) + 1], 3)
    grown = len(tf.get_default_graph().as_graph_def().SerializeToString()) - before
    assert grown < 200_000 < before
    assert np.concatenate(drain(batch)).tolist() == [n * 1000 + 1 for n in range(6)]


def test_static_shapes_that_only_set_shape_knows_survive() -> None:
    x = tf.py_func(lambda n: np.full([2, 3], n, np.float32), [numbers()], tf.float32)
    x.set_shape([2, 3])
    batch = tf.train.batch([x], 3)
    assert batch.shape.as_list() == [3, 2, 3]
    assert [b.shape for b in drain(batch)] == [(3, 2, 3)] * 2


def test_a_static_shape_that_was_a_lie_is_an_error_as_in_tf1() -> None:
    x = tf.py_func(lambda n: np.zeros([2, 4], np.float32), [numbers()], tf.float32)
    x.set_shape([2, 3])
    batch = tf.train.batch([x], 3)
    with started() as sess, pytest.raises(tf.errors.InvalidArgumentError):
        sess.run(batch)


def test_random_ops_draw_for_each_element_of_each_epoch() -> None:
    x = tf.train.range_input_producer(4, num_epochs=3, shuffle=False).dequeue()
    batch = tf.train.batch([tf.random_uniform([]) + tf.cast(x, tf.float32) * 0], 4)
    assert len(np.unique(drain(batch))) == 12


def test_a_seed_of_the_graph_alone_counts_the_random_ops() -> None:
    def drawn(other_ops: int) -> list:
        with tf.Graph().as_default():
            tf.set_random_seed(3)
            for _ in range(other_ops):
                tf.constant(0)
            row = tf.train.slice_input_producer([np.arange(8)], num_epochs=1)[0]
            return [part.tolist() for part in drain([*tf.train.batch([row, tf.random_uniform([])], 8)])[0]]

    # In TensorFlow 1 all ops counted. Between the producer and the op: no other random op, and so the seeds 0 and 1.
    assert drawn(0) == drawn(5)
    row, number = drawn(0)
    assert sorted(row) == list(range(8)) != row
    tf.set_random_seed(3)
    x = numbers(8)
    assert drain([*tf.train.batch([x, tf.random_uniform([], seed=1)], 8)])[0][1].tolist() == number


def test_a_pipeline_made_in_a_gpus_scope_stays_on_the_cpu() -> None:
    x = numbers()
    with tf.device("/device:GPU:0"):
        batch = tf.train.batch([x], 3)
    assert batch.device == "/device:CPU:0"
    assert drain(batch)[0].tolist() == [0, 1, 2]


def test_what_a_dequeue_had_to_wait_for_runs_with_each_element() -> None:
    count = tf.get_variable("count", initializer=0, use_resource=True)
    queue = tf.train.range_input_producer(6)
    with tf.control_dependencies([tf.assign_add(count, 1)]):
        x = queue.dequeue()
    batch = tf.train.batch([x], 3)
    with started() as sess:
        sess.run(batch)
        assert sess.run(count) >= 3


def test_a_dequeue_that_waits_for_others_takes_the_element_after_theirs() -> None:
    """The pipeline once was an error about a node that is not in a GraphDef."""
    queue = tf.train.range_input_producer(9, num_epochs=1, shuffle=False)
    first = queue.dequeue()
    with tf.control_dependencies([first]):
        second = queue.dequeue()
    with tf.control_dependencies([second]):
        third = queue.dequeue()
    batch = tf.train.batch([third], 3)
    assert not queuecompat.explain().native
    assert [step.tolist() for step in drain(batch)] == [[2, 5, 8]]


def test_two_stages_meet_side_by_side() -> None:
    x, y = numbers(6), tf.train.input_producer([b"a", b"b", b"c"], num_epochs=2, shuffle=False).dequeue()
    steps = drain(tf.train.batch([x, y], 3))
    assert [s[0].tolist() for s in steps] == [[0, 1, 2], [3, 4, 5]]
    assert [s[1].tolist() for s in steps] == [[b"a", b"b", b"c"]] * 2


def test_the_shorter_of_two_stages_ends_both() -> None:
    steps = drain(tf.train.batch([numbers(6), numbers(4)], 2))
    assert [s[0].tolist() for s in steps] == [[0, 1], [2, 3]]


@pytest.mark.parametrize("num_threads", [1, 2, 4])
def test_count_up_to_limits_the_number_of_elements_exactly(num_threads: int) -> None:
    """Parallel calls once left holes of uninitialised memory in the last batch."""
    x = tf.train.limit_epochs(tf.constant(5), 7)
    batch = tf.train.batch([x], 2, num_threads, allow_smaller_final_batch=True)
    assert np.concatenate(drain(batch)).tolist() == [5] * 7


@pytest.mark.parametrize("num_threads", [1, 4])
def test_a_python_generator_delivers_all_its_elements(num_threads: int) -> None:
    numbers_left = iter(range(30))
    x = tf.py_func(lambda: np.int64(next(numbers_left)), [], tf.int64)
    x.set_shape([])
    batch = tf.train.batch([x], 4, num_threads, allow_smaller_final_batch=True)
    assert sorted(np.concatenate(drain(batch))) == list(range(30))


def test_a_stage_that_only_a_control_dependency_reaches_still_ends_the_data() -> None:
    with tf.control_dependencies([numbers(10)]):
        y = tf.constant(3) + 0
    assert batched(y, size=2) == [3] * 10


def test_a_draw_inside_cond_is_made_only_when_its_branch_is_taken() -> None:
    """It once was made for every element, and the wrong branch's value came out."""
    first, second = (tf.train.range_input_producer(n, shuffle=False) for n in (5, 50))
    x = tf.cond(tf.constant(False), lambda: first.dequeue(), lambda: second.dequeue() + 100)
    x.set_shape([])
    with pytest.warns(UserWarning, match="QC208"):
        batch = tf.train.batch([x], 4)
    assert drain(batch, steps=1)[0].tolist() == [100, 101, 102, 103]


def test_a_draw_inside_while_loop_is_made_in_each_round() -> None:
    queue = tf.train.range_input_producer(12, shuffle=False)
    total = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + queue.dequeue()), [0, 0])[1]
    with pytest.warns(UserWarning, match="QC208"):
        batch = tf.train.batch([total], 2)
    assert [step.tolist() for step in drain(batch, steps=2)] == [[3, 12], [21, 30]]


def test_rows_without_numbers_are_cut_like_others() -> None:
    """What TF 1.15.5 gives; the native queues of TensorFlow 2.21 die of it, and so does its ``unbatch()``."""
    x = numbers()
    block = [tf.ones([2, x % 3], tf.int32) * x, tf.stack([x, x])]
    batch = tf.train.batch(block, 3, enqueue_many=True, dynamic_pad=True)
    assert [[part.tolist() for part in step] for step in drain(batch)] == [
        [[[0], [0], [1]], [0, 0, 1]],
        [[[1, 0], [2, 2], [2, 2]], [1, 2, 2]],
        [[[0], [0], [4]], [3, 3, 4]],
        [[[4, 0], [5, 5], [5, 5]], [4, 5, 5]],
    ]


def test_tensors_may_be_nested_where_they_can_be_packed() -> None:
    x = numbers(4)
    pairs, singles = drain(tf.train.batch([[x, x * 2], x], 4))[0]
    assert pairs.tolist() == [[0, 0], [1, 2], [2, 4], [3, 6]]
    assert singles.tolist() == [0, 1, 2, 3]


def test_many_file_names_are_shared_and_not_copied_into_the_slice() -> None:
    names = [f"directory/file-{n}" for n in range(20_000)]
    name, label = tf.train.slice_input_producer([names, np.arange(20_000)], shuffle=False)
    before = len(tf.get_default_graph().as_graph_def().SerializeToString())
    batch = tf.train.batch([tf.strings.join([name, ".jpg"]), label], 2)
    assert len(tf.get_default_graph().as_graph_def().SerializeToString()) - before < 100_000
    assert drain(batch, steps=1)[0][0].tolist() == [b"directory/file-0.jpg", b"directory/file-1.jpg"]


def test_an_op_beside_the_dequeue_runs_once_for_each_element() -> None:
    """In TF1 once more, with the enqueue that found the end of the data."""
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    counter = tf.get_variable("counter", [], tf.int32, initializer=tf.zeros_initializer(), use_resource=True)
    numbers, counts = tf.train.batch([number, counter.assign_add(1)], 6)
    with started() as sess:
        assert [part.tolist() for part in sess.run([numbers, counts])] == [[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(numbers)
        assert sess.run(counter) == 6
