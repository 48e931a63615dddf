"""What the queues of ``queuecompat.queues`` do, in a graph and in eager mode alike."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Dict, List

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat import queues
from tests.queues.modes import Background, Mode, wait_until

RECORDED = pathlib.Path(__file__).parents[1] / "gold" / "recorded"

# A queue of scalars of each kind, of a given capacity; the priority queue's elements begin with a priority.
KINDS: Dict[str, Callable[[int], Any]] = {
    "fifo": lambda capacity: queues.FIFOQueue(capacity, [tf.int32], [[]]),
    "padding": lambda capacity: queues.PaddingFIFOQueue(capacity, [tf.int32], [[]]),
    "random": lambda capacity: queues.RandomShuffleQueue(capacity, 0, [tf.int32], [[]], seed=1),
    "priority": lambda capacity: queues.PriorityQueue(capacity, [tf.int32], [[]]),
}
every_kind = pytest.mark.parametrize("kind", list(KINDS))


def rows(kind: str, *values: int) -> List[np.ndarray]:
    column = np.array(values, np.int32)
    return [column.astype(np.int64), column] if kind == "priority" else [column]


def last(given: Any) -> Any:
    """The number itself, without its priority."""
    return given[-1] if isinstance(given, list) else given


# -- order -----------------------------------------------------------------------------------


def test_a_fifo_queue_returns_its_elements_in_order(mode: Mode) -> None:
    queue = queues.FIFOQueue(10, [tf.int32], [[]])
    mode.run(lambda: queue.enqueue(5))
    mode.run(lambda: queue.enqueue_many([[3, 4, 1]]))
    assert mode.run(queue.dequeue) == 5
    assert mode.run(lambda: queue.dequeue_many(2)).tolist() == [3, 4]
    assert mode.run(lambda: queue.dequeue_up_to(1)).tolist() == [1]


def test_a_padding_queue_pads_batches_to_their_longest_element(mode: Mode) -> None:
    queue = queues.PaddingFIFOQueue(10, [tf.int32, tf.string], [[None], [None]])
    for length in (1, 3, 2):
        mode.run(lambda length=length: queue.enqueue([[length] * length, ["x"] * length]))
    assert mode.run(queue.dequeue)[0].tolist() == [1]
    numbers, texts = mode.run(lambda: queue.dequeue_many(2))
    assert numbers.tolist() == [[3, 3, 3], [2, 2, 0]]
    assert texts.tolist() == [[b"x"] * 3, [b"x", b"x", b""]]


@pytest.mark.parametrize("seed", [0, 7])
def test_a_seeded_random_queue_has_tf1s_order_in_every_bit(mode: Mode, seed: int) -> None:
    recorded = np.load(RECORDED / "a_seeded_random_queue_draws_bit_for_bit.npz")
    queue = queues.RandomShuffleQueue(64, 0, [tf.int64], [[]], seed=seed)
    mode.run(lambda: queue.enqueue_many([np.arange(20)]))
    mode.run(queue.close)
    one = mode.op(queue.dequeue)
    assert [one() for _ in range(5)] == recorded[f"seed_{seed}.ones"].tolist()
    assert mode.run(lambda: queue.dequeue_many(4)).tolist() == recorded[f"seed_{seed}.four"].tolist()
    assert mode.run(lambda: queue.dequeue_up_to(20)).tolist() == recorded[f"seed_{seed}.rest"].tolist()


def test_a_random_queue_keeps_its_minimum_until_it_is_closed(mode: Mode) -> None:
    queue = queues.RandomShuffleQueue(10, 3, [tf.int32], [[]])
    mode.run(lambda: queue.enqueue_many([[1, 2, 3, 4]]))
    with Background(mode.op(lambda: queue.dequeue_many(3))) as taking:
        # It has one, and waits for the others.
        wait_until(lambda: mode.run(queue.size) == 3)
        assert not taking.results
        mode.run(queue.close)
        taken = taking.result().tolist()
    assert sorted([*taken, mode.run(queue.dequeue)]) == [1, 2, 3, 4]


def test_a_priority_queue_returns_the_smallest_first(mode: Mode) -> None:
    queue = queues.PriorityQueue(capacity=10, types=[tf.string], shapes=[[]])
    mode.run(lambda: queue.enqueue((tf.constant(3, tf.int64), "three")))
    mode.run(lambda: queue.enqueue_many([np.array([5, -2]), ["five", "minus two"]]))
    assert mode.run(queue.dequeue) == [-2, b"minus two"]
    assert mode.run(lambda: queue.dequeue_many(2))[1].tolist() == [b"three", b"five"]


def test_a_closed_priority_queue_loses_what_is_less_than_dequeue_up_to_asked_for(mode: Mode) -> None:
    queue = KINDS["priority"](10)
    mode.run(lambda: queue.enqueue_many(rows("priority", 1, 2)))
    mode.run(queue.close)
    with pytest.raises(tf.errors.OutOfRangeError):
        mode.run(lambda: queue.dequeue_up_to(3))
    assert mode.run(queue.size) == 0


# -- structure -------------------------------------------------------------------------------


def test_named_components_are_dicts(mode: Mode) -> None:
    queue = queues.FIFOQueue(10, [tf.int32, tf.string], [[], []], names=["z", "a"])
    mode.run(lambda: queue.enqueue({"a": "one", "z": 1}))
    mode.run(lambda: queue.enqueue_many({"a": ["two", "three"], "z": [2, 3]}))
    one, many = mode.run(queue.dequeue), mode.run(lambda: queue.dequeue_many(1))
    assert list(one) == ["z", "a"]
    assert one == {"z": 1, "a": b"one"}
    assert many["a"].tolist() == [b"two"]
    mode.run(queue.close)
    assert mode.run(lambda: queue.dequeue_up_to(5))["z"].tolist() == [3]


def test_names_of_a_priority_queue_begin_with_the_priority(mode: Mode) -> None:
    queue = queues.PriorityQueue(10, [tf.string], [[]], names=["when", "what"])
    mode.run(lambda: queue.enqueue({"when": tf.constant(1, tf.int64), "what": "x"}))
    assert mode.run(queue.dequeue) == {"when": 1, "what": b"x"}


@pytest.mark.parametrize(
    "enqueue",
    [
        pytest.param(lambda: queues.FIFOQueue(3, [tf.int32]).enqueue({"a": 1}), id="a dict without names"),
        pytest.param(lambda: queues.FIFOQueue(3, [tf.int32], names=["a"]).enqueue(1), id="names without a dict"),
        pytest.param(lambda: queues.FIFOQueue(3, [tf.int32], names=["a"]).enqueue({"b": 1}), id="other names"),
        pytest.param(lambda: queues.FIFOQueue(3, [tf.int32], [[2]]).enqueue([[1]]), id="another shape"),
        pytest.param(lambda: queues.FIFOQueue(3, [tf.int32], [[None]]), id="a partial shape"),
        pytest.param(lambda: queues.PaddingFIFOQueue(3, [tf.int32], [None]), id="no shape to pad"),
        pytest.param(lambda: queues.PaddingFIFOQueue(3, [tf.int32] * 2, [[]]), id="too few shapes to pad"),
        pytest.param(lambda: queues.PaddingFIFOQueue(3, [tf.int32], [tf.TensorShape(None)]), id="no rank to pad"),
    ],
)
def test_what_does_not_fit_is_a_value_error_at_the_call(enqueue: Callable[[], Any]) -> None:
    with pytest.raises(ValueError):
        enqueue()


def test_many_elements_need_known_shapes(mode: Mode) -> None:
    queue = queues.FIFOQueue(3, [tf.int32])
    mode.run(lambda: queue.enqueue([[1, 2]]))
    for method in (queue.dequeue_many, queue.dequeue_up_to):
        with pytest.raises(tf.errors.InvalidArgumentError):
            mode.run(lambda method=method: method(1))
    assert mode.run(queue.dequeue).tolist() == [1, 2]


# -- closing ---------------------------------------------------------------------------------


@every_kind
def test_a_closed_queue_still_returns_what_it_holds(mode: Mode, kind: str) -> None:
    queue = KINDS[kind](10)
    mode.run(lambda: queue.enqueue_many(rows(kind, 1, 2, 3)))
    assert not mode.run(queue.is_closed)
    mode.run(queue.close)
    assert mode.run(queue.is_closed)
    assert mode.run(queue.size) == 3
    with pytest.raises(tf.errors.CancelledError):
        mode.run(lambda: queue.enqueue_many(rows(kind, 4)))
    with pytest.raises(tf.errors.CancelledError):
        mode.run(queue.close)
    assert sorted(last(mode.run(lambda: queue.dequeue_up_to(3)))) == [1, 2, 3]
    with pytest.raises(tf.errors.OutOfRangeError):
        mode.run(queue.dequeue)


@every_kind
def test_closing_frees_a_thread_that_waits_for_an_element(mode: Mode, kind: str) -> None:
    queue = KINDS[kind](10)
    mode.run(lambda: queue.enqueue_many(rows(kind, 1)))
    with Background(mode.op(lambda: queue.dequeue_many(2))) as taking:
        # The priority queue takes all at once; the others hold what they have.
        wait_until(lambda: mode.run(queue.size) == (1 if kind == "priority" else 0))
        mode.run(queue.close)
        assert isinstance(taking.result(), tf.errors.OutOfRangeError)


@every_kind
def test_cancelling_frees_a_thread_that_waits_for_room(mode: Mode, kind: str) -> None:
    queue = KINDS[kind](2)
    with Background(mode.op(lambda: queue.enqueue_many(rows(kind, 1, 2, 3)))) as giving:
        wait_until(lambda: mode.run(queue.size) == 2)
        mode.run(lambda: queue.close(cancel_pending_enqueues=True))
        assert isinstance(giving.result(), tf.errors.CancelledError)
    assert mode.run(queue.size) == 2


@every_kind
def test_a_plain_close_lets_waiting_enqueues_finish_first(mode: Mode, kind: str) -> None:
    queue = KINDS[kind](2)
    one = mode.op(queue.dequeue)
    with Background(mode.op(lambda: queue.enqueue_many(rows(kind, 1, 2, 3)))) as giving:
        wait_until(lambda: mode.run(queue.size) == 2)
        with Background(mode.op(queue.close)) as closing:
            assert sorted(last(one()) for _ in range(3)) == [1, 2, 3]
            assert not isinstance(giving.result(), Exception)
            assert not isinstance(closing.result(), Exception)
    with pytest.raises(tf.errors.OutOfRangeError):
        one()


# -- several ---------------------------------------------------------------------------------


def test_threads_share_a_queue_exactly_once(mode: Mode) -> None:
    queue = queues.FIFOQueue(3, [tf.int32], [[]])
    fillers = [mode.op(lambda first=first: queue.enqueue_many([np.arange(first, first + 50)])) for first in (0, 50)]
    one, close = mode.op(queue.dequeue), mode.op(queue.close)

    def take() -> List[int]:
        taken = []
        try:
            while True:
                taken.append(int(one()))
        except tf.errors.OutOfRangeError:
            return taken

    with Background(take) as left, Background(take) as right:
        with Background(fillers[0]), Background(fillers[1]):
            pass
        close()
        assert sorted(left.result() + right.result()) == list(range(100))


def test_from_list_picks_a_queue(mode: Mode) -> None:
    listed = [queues.FIFOQueue(3, [tf.int32], [[]]) for _ in range(2)]
    chosen = queues.QueueBase.from_list(1, listed)
    mode.run(lambda: chosen.enqueue(7))
    assert mode.run(listed[1].size) == 1
    assert mode.run(listed[0].size) == 0
    assert mode.run(chosen.dequeue) == 7
    assert isinstance(chosen, queues.QueueBase)


@pytest.mark.parametrize(
    "listed",
    [
        pytest.param(lambda: [], id="nothing"),
        pytest.param(lambda: (KINDS["fifo"](1),), id="a tuple"),
        pytest.param(lambda: KINDS["fifo"](1), id="a queue"),
        pytest.param(lambda: [KINDS["fifo"](1), 3], id="a number"),
        pytest.param(lambda: [KINDS["fifo"](1), queues.FIFOQueue(1, [tf.int64])], id="other types"),
        pytest.param(lambda: [KINDS["fifo"](1), queues.FIFOQueue(1, [tf.int32], names=["a"])], id="other names"),
    ],
)
def test_from_list_refuses_what_is_no_list_of_equal_queues(listed: Callable[[], Any]) -> None:
    with pytest.raises(TypeError):
        queues.QueueBase.from_list(0, listed())


# -- the names -------------------------------------------------------------------------------


def test_the_queues_are_tensorflows_own() -> None:
    assert queuecompat.queues is queues
    for name in ("FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue"):
        assert getattr(queues, name) is getattr(tf.queue, name)
        assert getattr(queues, name) is getattr(tf.compat.v1, name)


def test_every_queue_is_a_queue_base_and_nothing_else_is() -> None:
    assert all(isinstance(make(3), queues.QueueBase) for make in KINDS.values())
    assert issubclass(queues.FIFOQueue, queues.QueueBase)
    assert issubclass(queues.QueueBase, tf.queue.QueueBase)
    assert not isinstance("queue", queues.QueueBase)

    class Own(queues.QueueBase):
        pass

    assert issubclass(Own, queues.QueueBase)
    assert not isinstance(KINDS["fifo"](3), Own)
