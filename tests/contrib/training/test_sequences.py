"""Segments with states: native, with a reason, behind a compiled source; they end, stop and stay within bounds."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from queuecompat.contrib import training
from queuecompat.errors import NativePipelineWarning
from tests.pipelines.running import started

LENGTHS = [3, 7, 2, 6, 5]
UNROLL = 3

pytestmark = pytest.mark.filterwarnings("ignore::queuecompat.errors.NativePipelineWarning")


def example(num_epochs: Optional[int] = 1) -> Dict[str, Any]:
    number = tf.train.range_input_producer(len(LENGTHS), num_epochs=num_epochs, shuffle=False).dequeue()
    steps = tf.range(tf.gather(tf.constant(LENGTHS), number), dtype=tf.int32) + 100 * number
    return {
        "input_key": tf.as_string(number),
        "input_sequences": {"steps": steps},
        "input_context": {},
        "input_length": None,
        "initial_states": {"sum": tf.constant(0)},
    }


def step(batch: Any) -> Dict[str, Any]:
    total = batch.state("sum") + tf.reduce_sum(batch.sequences["steps"], axis=1)
    return {"key": batch.key, "total": total, "next_key": batch.next_key, "saved": batch.save_state("sum", total)}


def totals(steps: List[Any]) -> Dict[int, int]:
    """The last state of each example that came to its end."""
    return {
        int(key.split(b":")[1]): int(total)
        for one in steps
        for key, total, following in zip(one["key"], one["total"], one["next_key"])
        if following.startswith(b"STOP:")
    }


def drain(fetches: Any) -> List[Any]:
    """To the end of the data; ``started`` joins all threads, and a barrier that hangs would fail that."""
    given = []
    with started() as sess, pytest.raises(tf.errors.OutOfRangeError):
        while True:
            given.append(sess.run(fetches))
    return given


def test_the_state_of_each_example_is_summed_over_its_segments_to_the_end_and_threads_can_be_joined() -> None:
    """In TF1 no program that came to the end could be joined: cancelling a finished barrier hangs."""
    batch = training.batch_sequences_with_states(num_unroll=UNROLL, batch_size=1, num_threads=2, **example())
    expected = {n: sum(range(100 * n, 100 * n + length)) for n, length in enumerate(LENGTHS)}
    assert totals(drain(step(batch))) == expected


def test_it_can_be_stopped_in_the_middle() -> None:
    batch = training.batch_sequences_with_states(
        num_unroll=UNROLL, batch_size=2, capacity=3, make_keys_unique=True, **example(None)
    )
    fetches = step(batch)
    with started() as sess:
        for _ in range(3):
            assert len(sess.run(fetches)["key"]) == 2


def test_the_reason_is_warned_of_and_the_source_is_compiled() -> None:
    with pytest.warns(NativePipelineWarning, match="QC211 cannot compile stage .*StateSaver.*'sum'"):
        training.batch_sequences_with_states(num_unroll=UNROLL, batch_size=1, **example())
    explanation = queuecompat.explain()
    assert [reason.code for _, reason in explanation.native] == ["QC211"]
    assert any("produce" in str(plan).lower() for _, plan in explanation.compiled)


def test_no_more_examples_are_on_their_way_than_the_capacity() -> None:
    given = dict(example(None), input_sequences={"steps": tf.zeros([UNROLL])}, input_length=UNROLL)
    saver = training.SequenceQueueingStateSaver(1, UNROLL, capacity=2, **given)
    taken = saver.next_batch.state("sum")
    config = tf.ConfigProto(operation_timeout_in_ms=2000)
    with started(), tf.Session(config=config) as sess:
        tf.train.start_queue_runners(sess)
        sess.run(saver.prefetch_op)
        sess.run(saver.prefetch_op)
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(saver.prefetch_op)
        assert sess.run(saver.barrier.ready_size()) <= 3
        sess.run(taken)  # one example is done: there is room for another
        sess.run(saver.close(cancel_pending_enqueues=True))


def test_a_recurrent_network_keeps_its_state_in_it() -> None:
    class Adding:
        """The cell of a network that adds up what it sees."""

        state_size = 1
        output_size = 1

        def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
            return state + inputs, state + inputs

    given = example()
    given["input_sequences"] = {"steps": tf.cast(given["input_sequences"]["steps"], tf.float32)[:, tf.newaxis]}
    given["initial_states"] = {"sum": tf.zeros([1])}
    batch = training.batch_sequences_with_states(num_unroll=UNROLL, batch_size=1, num_threads=1, **given)
    state = batch.state("sum")
    for inputs in tf.unstack(batch.sequences["steps"], axis=1):
        _, state = Adding()(inputs, state)
    saved = batch.save_state("sum", state)
    fetches = {"key": batch.key, "next_key": batch.next_key, "total": state[:, 0], "saved": saved}
    assert totals(drain(fetches))[1] == sum(range(100, 107))


def test_a_sparse_context_stays_in_the_callers_dict() -> None:
    given = example()
    given["input_context"] = {"word": tf.SparseTensor([[0]], ["a"], [2])}
    batch = training.batch_sequences_with_states(num_unroll=UNROLL, batch_size=1, **given)
    assert list(given["input_context"]) == ["word"] and list(batch.context) == ["word"]
    ((first, *_)) = drain(dict(step(batch), word=batch.context["word"]))
    assert first["word"].values.tolist() == [b"a"] and first["word"].dense_shape.tolist() == [1, 2]


def test_flags_are_padded_with_false() -> None:
    given = example()
    given["input_sequences"]["odd"] = given["input_sequences"]["steps"] % 2 > 0
    batch = training.batch_sequences_with_states(num_unroll=UNROLL, batch_size=1, num_threads=1, **given)
    flags = np.concatenate([one["odd"][0] for one in drain(dict(step(batch), odd=batch.sequences["odd"]))])
    assert flags[:12].tolist() == [False, True, False] + [False, True, False] * 1 + [
        True,
        False,
        True,
        False,
        False,
        False,
    ]


def test_every_public_name_can_be_had() -> None:
    others = [name for name in training.__all__ if not getattr(training, name).__module__.startswith("queuecompat.")]
    assert others == ["checkpoints_iterator"]  # TensorFlow has that
