"""The tensors of a stage whose elements belong to others: lowered when a step asks for them, and not before."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import pytest

import queuecompat.v1 as tf

pytestmark = pytest.mark.timeout(60)


def built(python: bool = False) -> Tuple[Any, Any]:
    """A producer's tensor, which is a preview, and the batch that takes its elements."""
    number = tf.train.range_input_producer(20, num_epochs=2, shuffle=False).dequeue(name="number")
    if python:
        number = tf.reshape(tf.py_func(lambda n: n, [number], tf.int32, name="same"), [])
    return number, tf.train.batch([number], 4, capacity=8)


def iterators_made(graph: Any) -> int:
    return [op.type for op in tf.Graph.get_operations(graph)].count("MakeIterator")


class Started:
    def __init__(self) -> None:
        self.session = tf.Session()
        self.session.run(tf.local_variables_initializer())
        self.coord = tf.train.Coordinator()
        self.threads = tf.train.start_queue_runners(self.session, self.coord)

    def __enter__(self) -> Any:
        return self.session

    def __exit__(self, *_: Any) -> None:
        self.coord.request_stop()
        self.coord.join(self.threads, stop_grace_period_secs=5)
        self.session.close()


def test_a_preview_that_no_step_fetches_is_not_lowered() -> None:
    _, batch = built()
    with Started() as sess:
        assert sess.run(batch).tolist() == [0, 1, 2, 3]
        assert iterators_made(sess.graph) == 1  # the one that the batch comes from


# How a program may ask for a preview: function of the session and of the tensor.
LOOKS: Dict[str, Callable[[Any, Any], List[int]]] = {
    "tensor": lambda sess, number: [sess.run(number) for _ in range(3)],
    "name": lambda sess, number: [sess.run("number:0") for _ in range(3)],
    "in a dict": lambda sess, number: [sess.run({"n": [number]})["n"][0] for _ in range(3)],
    "what is computed of it": lambda sess, number: [sess.run(number * 2) // 2 for _ in range(3)],
    "another op waits for it": lambda sess, number: [sess.run(after(number)) for _ in range(3)],
    "callable": lambda sess, number: [call() for call in [sess.make_callable(number)] for _ in range(3)],
    "eval": lambda sess, number: [number.eval(session=sess) for _ in range(3)],
}


def after(number: Any) -> Any:
    """A counter that counts each time that *number* has been drawn."""
    if not tf.get_collection("seen"):
        with tf.variable_scope("seen", use_resource=True):
            seen = tf.get_variable("count", [], tf.int32, tf.zeros_initializer(), collections=["seen"])
        tf.get_default_session().run(seen.initializer)
    (seen,) = tf.get_collection("seen")
    with tf.control_dependencies([number]):
        return tf.assign_add(seen, 1) - 1


@pytest.mark.parametrize("look", LOOKS)
def test_a_preview_reads_from_the_beginning_however_it_is_asked_for(look: str) -> None:
    number, batch = built(python=look in ("tensor", "callable"))
    with Started() as sess, sess.as_default():
        assert sess.run(batch).tolist() == [0, 1, 2, 3]
        assert [int(one) for one in LOOKS[look](sess, number)] == [0, 1, 2]
        assert sess.run(batch).tolist() == [4, 5, 6, 7]
        assert iterators_made(sess.graph) == 2


def test_a_name_that_the_graph_has_not_is_refused_by_the_step_and_may_come_later() -> None:
    number, batch = built()
    with tf.Graph().as_default():
        elsewhere = tf.constant(1)
    with Started() as sess:
        for fetch in ("later:0", "later", elsewhere, [batch, elsewhere]):
            with pytest.raises(ValueError, match="cannot be interpreted as a Tensor"):
                sess.run(fetch)
        tf.identity(number, name="later")
        assert sess.run("later:0") == 0


def test_a_preview_that_is_asked_for_before_the_start_says_that_it_has_not_started() -> None:
    number, batch = built()
    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match="QC301"):
            sess.run(number)
        coord = tf.train.Coordinator()
        sess.run(tf.local_variables_initializer())
        threads = tf.train.start_queue_runners(sess, coord)
        assert [sess.run(number) for _ in range(2)] == [0, 1]
        assert sess.run(batch).tolist() == [0, 1, 2, 3]
        coord.request_stop()
        coord.join(threads)


def test_each_session_has_its_own() -> None:
    number, batch = built(python=True)
    with Started() as first:
        assert [first.run(number) for _ in range(2)] == [0, 1]
        with Started() as second:
            assert [second.run(number) for _ in range(2)] == [0, 1]
            assert second.run(batch).tolist() == [0, 1, 2, 3]
        assert first.run([number, batch])[0] == 2
    with Started() as third:
        assert third.run(batch).tolist() == [0, 1, 2, 3]
        assert third.run(number) == 0


def test_a_stop_ends_a_preview_that_was_made_late() -> None:
    number, batch = built(python=True)
    with Started() as sess:
        sess.run([batch, number])
    with Started() as again, pytest.raises(tf.errors.OutOfRangeError):
        for _ in range(100):
            again.run(number)


def test_a_graph_that_takes_no_more_ops_has_all() -> None:
    number, batch = built()
    with tf.train.MonitoredSession() as sess:
        assert tf.get_default_graph().finalized
        assert iterators_made(tf.get_default_graph()) == 2
        assert sess.run([number, batch])[0] == 0


def test_a_saved_graph_has_all() -> None:
    built()
    graph_def = tf.get_default_graph().as_graph_def()
    assert [node.op for node in graph_def.node].count("MakeIterator") == 2
