"""Gates: what waits in them is woken when they are shut, and by nothing that happens to another draw."""

from __future__ import annotations

from typing import Any, List

import pytest
import tensorflow as tf

from queuecompat._session.graph_ops.gates import DrawGate, SourceGate
from queuecompat._session.graph_ops.placement import Placement
from tests.queues.modes import Background

# A race that can come out either way is run so often.
ROUNDS = 20


@pytest.fixture
def placement(graph: tf.Graph) -> Placement:
    return Placement.here(graph)


def session() -> tf.compat.v1.Session:
    config = tf.compat.v1.ConfigProto(operation_timeout_in_ms=20_000, inter_op_parallelism_threads=8)
    return tf.compat.v1.Session(config=config)


def numbers(name: str) -> Any:
    return tf.queue.FIFOQueue(10, [tf.int32], [[]], shared_name=name)


def dequeued(queue: Any, begun: Any) -> List[tf.Tensor]:
    """What *queue* gives, after *begun* has got an element."""
    with tf.control_dependencies([begun.enqueue(1)]):
        return [queue.dequeue()]


@pytest.mark.parametrize("kind", [SourceGate, DrawGate])
def test_a_draw_does_not_wait_for_another_that_came_first(kind: type, placement: Placement) -> None:
    """One used to take the other's token."""
    gate, empty, filled, begun = kind(placement, "gate"), numbers("empty"), numbers("filled"), numbers("begun")
    entrances = [gate.entrance(name, 0) for name in ("slow", "fast")] if kind is SourceGate else [gate, gate]
    slow = entrances[0].cancellable(lambda: dequeued(empty, begun))
    fast = entrances[1].cancellable(lambda: dequeued(filled, begun))
    fill, waits, free = filled.enqueue(5), begun.dequeue(), empty.enqueue(6)
    with session() as sess, Background(lambda: sess.run(slow)) as slowly:
        sess.run(waits)
        sess.run(fill)
        assert sess.run(fast) == [5]
        sess.run(free)
        assert slowly.result() == [6]


def test_an_entrance_stays_the_same(placement: Placement) -> None:
    gate = SourceGate(placement, "gate")
    assert gate.entrance("stream", 1) is gate.entrance("stream", 1)
    assert gate.entrance("stream", 1) is not gate.entrance("stream", 2)


def test_a_source_gate_that_is_shut_ends_every_draw(placement: Placement) -> None:
    gate, empty, begun = SourceGate(placement, "gate"), numbers("empty"), numbers("begun")
    draws = [gate.entrance("stream", number).cancellable(lambda: dequeued(empty, begun)) for number in range(2)]
    waits = begun.dequeue()
    has_begun, shut = gate.shut()
    assert has_begun is None
    opened = gate.open()
    with session() as sess:
        sess.run(opened)
        waiting = [Background(lambda draw=draw: sess.run(draw)) for draw in draws]
        with waiting[0], waiting[1]:
            for _ in draws:
                sess.run(waits)
            sess.run(shut)
            assert [type(work.result()) for work in waiting] == [tf.errors.OutOfRangeError] * 2


def test_a_draw_that_fails_takes_nothing_from_the_one_beside_it(placement: Placement) -> None:
    """The draw that had its element used to wait forever."""
    gate, begun = DrawGate(placement, "gate"), numbers("begun")
    rounds = []
    for number in range(ROUNDS):
        failing, filled = numbers(f"failing_{number}"), numbers(f"filled_{number}")
        rounds.append((failing.close(), failing, filled.enqueue(number), filled))
    number, fails = (tf.compat.v1.placeholder(dtype, []) for dtype in (tf.int32, tf.bool))

    def draw() -> List[tf.Tensor]:
        with tf.control_dependencies([begun.enqueue(1)]):
            which = 2 * number + tf.cast(fails, tf.int32)
        queues = [queue for _, failing, _, filled in rounds for queue in (filled, failing)]
        return [tf.switch_case(which, [queue.dequeue for queue in queues])]

    drawn, waits = gate.cancellable(draw), begun.dequeue()
    with session() as sess:
        for n, (close, _, fill, _) in enumerate(rounds):
            with Background(lambda n=n: sess.run(drawn, {number: n, fails: True})) as failing:
                sess.run(waits)
                sess.run(fill)
                with Background(lambda n=n: sess.run(drawn, {number: n, fails: False})) as filled:
                    sess.run(close)
                    assert isinstance(failing.result(), tf.errors.OutOfRangeError)
                    assert filled.result() == [n]
                    sess.run(waits)


def test_shutting_a_draw_gate_ends_the_waiting_draw_and_those_after_it(placement: Placement) -> None:
    gate, empty, begun = DrawGate(placement, "gate"), numbers("empty"), numbers("begun")
    drawn, waits = gate.cancellable(lambda: dequeued(empty, begun)), begun.dequeue()
    opened = gate.require_open()
    shut = gate.shut()
    with session() as sess:
        sess.run(opened)
        with Background(lambda: sess.run(drawn)) as first, Background(lambda: sess.run(drawn)) as second:
            sess.run(waits)
            sess.run(shut)
            for work in (first, second):
                assert isinstance(work.result(), (tf.errors.OutOfRangeError, tf.errors.CancelledError))
        with pytest.raises(tf.errors.InvalidArgumentError, match="stopped this pipeline"):
            sess.run(opened)


def test_a_cancelled_draw_releases_the_lock(placement: Placement) -> None:
    gate, queue, begun = DrawGate(placement, "gate"), numbers("queue"), numbers("begun")
    drawn, waits, fill = gate.cancellable(lambda: dequeued(queue, begun)), begun.dequeue(), queue.enqueue(3)
    with session() as sess:
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(drawn, options=tf.compat.v1.RunOptions(timeout_in_ms=300))
        sess.run(waits)
        sess.run(fill)
        assert sess.run(drawn) == [3]
