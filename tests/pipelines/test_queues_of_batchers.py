"""Batchers whose queue has to be TensorFlow's own, since only a step says how many elements it takes (QC203), or since
others take from it (QC204): what is put into it is compiled.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from queuecompat._native.strictness import set_strict
from queuecompat.errors import NativePipelineWarning, QueueCompatRuntimeError
from tests.pipelines.running import drain, queue_of, started


def numbers(count: int = 6) -> Any:
    return tf.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()


def size() -> Any:
    return tf.placeholder_with_default(3, [])


def flat(batches: List[Any]) -> List[int]:
    return [int(number) for batch in batches for number in np.ravel(batch)]


FILLED: Dict[str, Callable[[], Any]] = {
    "a size that is fed": lambda: tf.train.batch([numbers() * 2], size(), allow_smaller_final_batch=True),
    "a shared name": lambda: tf.train.batch([numbers() * 2], 3, shared_name="everybodys"),
    "a join": lambda: tf.train.batch_join([[numbers() * 2]], size()),
    "a shuffle buffer": lambda: tf.train.shuffle_batch([numbers() * 2], size(), 10, 5),
    "rows": lambda: tf.train.batch([tf.fill([1], numbers() * 2)], size(), enqueue_many=True),
    "what is kept": lambda: tf.train.maybe_batch([numbers(9) * 2], numbers(9) < 6, size()),
    "padding": lambda: tf.train.batch([tf.fill([1], numbers() * 2)], size(), dynamic_pad=True),
    "a function of Python": lambda: tf.train.batch([tf.py_func(doubled, [numbers()], tf.int32)], size(), shapes=[[]]),
}


def doubled(number: Any) -> Any:
    return np.int32(number * 2)


@pytest.mark.parametrize("kind", FILLED)
def test_it_is_compiled_up_to_its_queue(kind: str) -> None:
    batch = FILLED[kind]()
    explanation = queuecompat.explain()
    assert not explanation.native
    assert ": compiled to one tf.data iterator, which fills TensorFlow's own queue in blocks" in str(explanation)
    assert [name for name, _ in explanation.compiled] == [batch.op.name.partition("/")[0].partition("_Dequeue")[0]]
    assert sorted(flat(drain(batch))) == [0, 2, 4, 6, 8, 10]


def test_a_size_that_is_fed_at_every_step_is_obeyed() -> None:
    fed = tf.placeholder(tf.int32, [])
    batch = tf.train.batch([numbers()], fed)
    with started() as sess:
        assert sess.run(batch, {fed: 2}).tolist() == [0, 1]
        assert sess.run(batch, {fed: 3}).tolist() == [2, 3, 4]


def test_a_shared_queue_is_shared_between_its_batchers() -> None:
    x = tf.train.range_input_producer(6).dequeue()
    first = tf.train.batch([x], 2, capacity=4, shared_name="everybodys")
    tf.train.batch([x + 100], 2, capacity=4, shared_name="everybodys")
    assert not queuecompat.explain().native
    with started() as sess:
        seen = {int(number) for _ in range(50) for number in sess.run(first)}
    assert min(seen) < 100 <= max(seen)


def test_what_others_may_close_is_filled_one_by_one() -> None:
    tf.train.batch([numbers() * 2], 3, capacity=400, shared_name="everybodys")
    assert "batch" not in [line.split()[1] for line in str(queuecompat.explain()).splitlines() if line[:3].strip()]


@pytest.mark.parametrize(
    ("code", "build"),
    [
        ("QC201", lambda: tf.train.batch([numbers() * tf.placeholder(tf.int32, [])], size(), name="mine")),
        ("QC203", lambda: tf.train.batch([tf.range(6) * 2], size(), enqueue_many=True, name="mine")),
    ],
)
def test_a_pipeline_up_to_the_queue_that_cannot_be_compiled_is_reported(code: str, build: Callable[[], Any]) -> None:
    build()
    with pytest.warns(NativePipelineWarning, match=f"{code} cannot compile stage 'mine'"):
        (reason,) = [reason for _, reason in queuecompat.explain().native]
    assert reason.code == code and "test_queues_of_batchers.py" in reason.text


def test_strict_mode_refuses_that() -> None:
    tf.train.batch([tf.range(6)], size(), enqueue_many=True)
    set_strict(True)
    try:
        with pytest.raises(QueueCompatRuntimeError, match=r"QC305 .*QC203"):
            queuecompat.explain()
    finally:
        set_strict(False)


def test_options_are_those_of_where_it_was_made() -> None:
    with queuecompat.options(on_error="skip"):
        batch = tf.train.batch([6 // (numbers() - 2)], size(), allow_smaller_final_batch=True)
    assert flat(drain(batch)) == [-3, -6, 6, 3, 2]


@pytest.mark.parametrize(
    "plus_one",
    [
        lambda x: x + 1,
        lambda x: tf.py_func(lambda n: np.int32(n + 1), [x], tf.int32),
        lambda x: tf.train.batch([x + 1], 1)[0],
        lambda x: queue_of(x + 1).dequeue(),
        lambda x: tf.string_to_number(tf.IdentityReader().read(queue_of(tf.as_string(x + 1)))[1], tf.int32),
        lambda x: queue_of(queue_of(x + 1).dequeue()).dequeue(),
    ],
)
def test_elements_that_the_program_puts_in_itself_do_not_wait_for_others(plus_one: Callable[[Any], Any]) -> None:
    queue, given = tf.FIFOQueue(100, [tf.int32], [[]]), tf.placeholder(tf.int32, [None])
    put_in, close, fed = queue.enqueue_many(given), queue.close(), tf.placeholder(tf.int32, [])
    lists = [[plus_one(queue.dequeue())], [plus_one(queue.dequeue())]]
    batch = tf.train.batch_join(lists, fed, capacity=400, shapes=[[]], allow_smaller_final_batch=True)
    assert [name for name, _ in queuecompat.explain().compiled].count("batch_join") == 2
    with started() as sess:
        for first, count in ((0, 3), (3, 7), (10, 1)):
            sess.run(put_in, {given: range(first, first + count)})
            assert sorted(sess.run(batch, {fed: count})) == list(range(first + 1, first + count + 1))
        sess.run(close)  # no runner does: without it the threads wait for more, as in TensorFlow 1


def test_the_end_of_a_queue_names_the_error_that_ended_its_filling() -> None:
    """Its filling thread reports the error only to the coordinator, and a loop that fails does not join."""
    failing = tf.train.batch([10 // (numbers() - 4)], size(), name="a")
    other = tf.train.batch([tf.train.range_input_producer(2, num_epochs=1).dequeue()], size(), name="c")
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        tf.train.start_queue_runners(sess, coordinator)
        with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements") as ended:
            while True:
                sess.run(failing)
        cause = ended.value.__cause__
        assert isinstance(cause, tf.errors.InvalidArgumentError) and "Integer division by zero" in str(cause)
        assert "pipeline:  'a'" in str(cause) and cause.__traceback__ is None
        with pytest.raises(tf.errors.OutOfRangeError) as ended:
            sess.run(other)
        assert ended.value.__cause__ is None
