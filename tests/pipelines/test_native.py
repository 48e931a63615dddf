"""What cannot be compiled runs natively, rightly, and never silently."""

from __future__ import annotations

from typing import Any, Callable

import pytest

import queuecompat
import queuecompat.v1 as tf
from queuecompat.errors import NativePipelineWarning

Numbers = Callable[[], Any]


def numbers() -> Any:
    return tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()


def fed(x: Any) -> Any:
    return x * tf.placeholder(tf.int32, [], name="factor")


NATIVE = {
    "QC201": lambda: tf.train.batch([fed(numbers())], 2),
    "QC202": lambda: tf.train.batch([tf.reshape(tf.raw_ops.Unstage(dtypes=[tf.int32])[0], [])], 2),
    "QC206": lambda: tf.train.range_input_producer(6).size(),
    "QC207": lambda: tf.train.batch([numbers()], 0),
}


@pytest.mark.parametrize("code", NATIVE)
def test_the_reason_is_warned_of_and_explained(code: str) -> None:
    with pytest.warns(NativePipelineWarning, match=f"{code} cannot compile stage") as warned:
        NATIVE[code]()
    assert [w.filename for w in warned if w.category is NativePipelineWarning] == [__file__]
    explanation = queuecompat.explain()
    assert [reason.code for _, reason in explanation.native] == [code]
    assert code in str(explanation) and "test_native.py" in str(explanation)


def test_the_whole_queue_interface_works_once_it_is_native() -> None:
    queue = tf.train.range_input_producer(3, capacity=8)
    with pytest.warns(NativePipelineWarning):
        more = queue.enqueue(7)
        many = queue.enqueue_many([[8, 9]])
        closed = queue.is_closed()
        close = queue.close(cancel_pending_enqueues=True)
    assert isinstance(queue, tf.QueueBase)
    assert "native" in repr(queue)
    with tf.Session() as sess:
        sess.run(more)
        sess.run(many)
        assert not sess.run(closed)
        assert sess.run(queue.size()) == 3
        sess.run(close)
        assert sess.run(closed)


def test_the_queues_repr_says_what_it_is() -> None:
    queue = tf.train.string_input_producer(["a"])
    assert "compiled queue 'input_producer'" in repr(queue) and "test_native.py" in repr(queue)
    assert "compiled TFRecordReader" in repr(tf.TFRecordReader())


def test_the_use_that_makes_a_queue_native_is_named_as_the_program_wrote_it() -> None:
    """It used to be an attribute that the program has never heard of, queue_ref."""
    uses = {
        "queue.size()": lambda queue, reader: queue.size(),
        "queue.close()": lambda queue, reader: queue.close(),
        "WholeFileReader.read()": lambda queue, reader: reader.read(queue),
        "QueueRunner()": lambda queue, reader: tf.train.QueueRunner(queue, [tf.no_op()]),
        "from_list()": lambda queue, reader: tf.QueueBase.from_list(0, [queue, queue]),
    }
    for call, use in uses.items():
        queue, reader = tf.train.string_input_producer(["a"]), tf.WholeFileReader()
        with pytest.warns(NativePipelineWarning) as warned:
            reader.reset()
            use(queue, reader)
        text = str(warned[-1].message)
        line = use.__code__.co_firstlineno
        assert f"the program itself uses its queue: {call}, at " in text
        assert f"test_native.py:{line}\n  made at: " in text
        assert "queue_ref" not in text


def test_native_queues_warn_that_on_error_skip_has_no_effect() -> None:
    with queuecompat.options(on_error="skip"), pytest.warns(NativePipelineWarning) as warned:
        tf.train.batch([fed(numbers())], 2)
    (said,) = [w for w in warned if str(w.message).startswith("QC334 ")]
    assert said.filename == __file__
    assert "QC334" in str(queuecompat.explain())


def test_a_queue_that_is_taken_out_of_a_pipeline_says_it_with_the_options_of_its_own_call() -> None:
    with queuecompat.options(on_error="skip"):
        queue = tf.train.range_input_producer(6)
    with pytest.warns(NativePipelineWarning) as warned:
        queue.size()
    assert [str(w.message)[:5] for w in warned] == ["QC206", "QC334"]


def test_without_on_error_skip_native_queues_do_not_mention_it() -> None:
    with pytest.warns(NativePipelineWarning) as warned:
        tf.train.batch([fed(numbers())], 2)
    assert not [w for w in warned if "QC334" in str(w.message)]
    assert "QC334" not in str(queuecompat.explain())
