"""tf.contrib.slim's prefetch_queue, and QueueRunners."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np

from .harness import (
    Result,
    collect,
    dtype_name,
    error_at_call,
    error_at_run,
    failure,
    gold,
    running,
    static_shape,
    word,
    words,
)

__all__: List[str] = []


def _prefetch(tf: Any, *arguments: Any, **named: Any) -> Any:
    return tf.contrib.slim.prefetch_queue.prefetch_queue(*arguments, **named)


def _number(tf: Any, count: int = 10, num_epochs: Any = 1, **named: Any) -> Any:
    return tf.train.range_input_producer(count, num_epochs=num_epochs, shuffle=False, **named).dequeue()


# -- elements -------------------------------------------------------------------------------


@gold
def a_prefetch_queue_gives_the_elements_in_their_order(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf)
        return _prefetch(tf, [number, number * 2]).dequeue()

    return collect(tf, build)


@gold
def one_prefetched_tensor_comes_back_as_a_tensor(tf: Any) -> Result:
    return collect(tf, lambda: _prefetch(tf, [_number(tf)]).dequeue())


@gold
def a_prefetched_tuple_comes_back_as_a_list(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf)
        return _prefetch(tf, (number, tf.to_float(number))).dequeue()

    return collect(tf, build)


@gold
def a_prefetched_dict_comes_back_as_a_dict(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf)
        return _prefetch(tf, {"b": number, "a": tf.stack([number, number])}).dequeue()

    return collect(tf, build)


@gold
def a_prefetched_dict_of_one_comes_back_as_a_dict(tf: Any) -> Result:
    return collect(tf, lambda: _prefetch(tf, {"a": _number(tf)}).dequeue())


@gold
def batches_are_prefetched(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, num_epochs=2)
        batch = tf.train.batch([number, tf.as_string(number)], 3)
        return _prefetch(tf, batch, capacity=2).dequeue()

    return collect(tf, build)


@gold
def ops_between_a_batch_and_a_prefetch_queue_run_once_a_batch(tf: Any) -> Result:
    def build() -> Any:
        batch = tf.train.batch([_number(tf, 12)], 4)
        noise = tf.random_uniform([4], seed=3)
        return _prefetch(tf, [batch, noise, tf.reduce_sum(batch)]).dequeue()

    return collect(tf, build)


@gold
def constants_are_prefetched_for_ever(tf: Any) -> Result:
    return collect(tf, lambda: _prefetch(tf, [tf.constant([1, 2])]).dequeue(), max_steps=5)


@gold
def several_prefetching_threads_give_every_element_once(tf: Any) -> Result:
    def build() -> Any:
        return _prefetch(tf, [_number(tf, 40)], num_threads=4).dequeue()

    result = collect(tf, build)
    return dict(result, out=np.sort(result["out"]))


@gold
def one_prefetch_queue_feeds_another(tf: Any) -> Result:
    def build() -> Any:
        first = _prefetch(tf, {"n": _number(tf)}, capacity=3).dequeue()
        return _prefetch(tf, [first["n"] + 1], capacity=1).dequeue()

    return collect(tf, build)


@gold
def what_was_prefetched_is_batched(tf: Any) -> Result:
    def build() -> Any:
        first = _prefetch(tf, [_number(tf)]).dequeue()
        return tf.train.batch([first, first * 3], 4, allow_smaller_final_batch=True)

    return collect(tf, build)


@gold
def many_prefetched_elements_are_taken_at_once(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf)
        return _prefetch(tf, [number, tf.stack([number, -number])]).dequeue_many(4)

    return collect(tf, build)


@gold
def up_to_many_prefetched_elements_are_taken_at_once(tf: Any) -> Result:
    def build() -> Any:
        return _prefetch(tf, {"n": _number(tf)}).dequeue_up_to(4)

    return collect(tf, build)


def _ragged(tf: Any) -> Any:
    number = _number(tf, 6)
    row = tf.fill(tf.reshape(number, [1]), number)
    row.set_shape([None])
    return number, row


@gold
def elements_of_different_sizes_are_prefetched(tf: Any) -> Result:
    return collect(tf, lambda: _prefetch(tf, list(_ragged(tf)), dynamic_pad=True).dequeue())


@gold
def prefetched_elements_of_different_sizes_are_padded_together(tf: Any) -> Result:
    return collect(tf, lambda: _prefetch(tf, list(_ragged(tf)), dynamic_pad=True).dequeue_many(3))


@gold
def clones_share_a_prefetch_queue(tf: Any) -> Result:
    """Three consumers, each run until it ends: each element came out once."""
    with tf.Graph().as_default():
        batch = tf.train.batch([_number(tf, 48)], 2)
        queue = _prefetch(tf, [batch, batch * 10])
        clones = [queue.dequeue() for _ in range(3)]
        given, steps, endings = [], [0, 0, 0], []
        with running(tf) as session:
            for number, clone in enumerate(clones * 4):
                numbers, tens = session.run(clone)
                assert (numbers * 10 == tens).all()
                given.append(numbers)
                steps[number % 3] += 1
            try:
                while True:
                    given.append(session.run(clones[0])[0])
            except tf.errors.OutOfRangeError:
                pass
            endings = [error_at_run(lambda clone=clone: session.run(clone)) for clone in clones]
    return {"given": np.sort(np.concatenate(given)), "steps": np.array(steps), "endings": np.array(endings)}


@gold
def one_run_may_take_for_several_clones(tf: Any) -> Result:
    with tf.Graph().as_default():
        queue = _prefetch(tf, [_number(tf, 12)])
        clones = [queue.dequeue() for _ in range(4)]
        with running(tf) as session:
            given = [sorted(session.run(clones)) for _ in range(3)]
            ending = error_at_run(lambda: session.run(clones))
    return {"given": np.array(given), "ending": ending}


@gold
def an_error_behind_a_prefetch_queue_reaches_the_program(tf: Any) -> Result:
    def build() -> Any:
        number = _number(tf, num_epochs=None)
        with tf.control_dependencies([tf.Assert(number < 0, [number])]):
            checked = tf.identity(number)
        return _prefetch(tf, [checked]).dequeue()

    return failure(tf, build)


# -- what a queue says of itself ------------------------------------------------------------


def _described(tf: Any, queue: Any) -> Dict[str, np.ndarray]:
    return {
        "name": word(queue.name),
        "dtypes": words([dtype.name for dtype in queue.dtypes]),
        "names": words(queue.names or []),
        "shapes": words([str(shape.as_list()) for shape in queue.shapes]),
    }


@gold
def prefetch_queues_describe_themselves_as_in_tf1(tf: Any) -> Result:
    given: Dict[str, Callable[[], Any]] = {
        "list": lambda: _prefetch(tf, [tf.constant(1), tf.constant(["a"])]),
        "dict": lambda: _prefetch(tf, {"b": tf.constant(1), "a": tf.constant(2.0)}, name="mine"),
        "padded": lambda: _prefetch(tf, list(_ragged(tf)), dynamic_pad=True),
        "second": lambda: [_prefetch(tf, [tf.constant(1)]) for _ in range(2)][1],
    }
    result = {}
    for name, call in given.items():
        with tf.Graph().as_default():
            result.update({f"{name}.{key}": value for key, value in _described(tf, call()).items()})
    return result


@gold
def prefetch_queues_keep_tf1s_names(tf: Any) -> Result:
    with tf.Graph().as_default():
        with tf.name_scope("input"):
            first = _prefetch(tf, [tf.constant(1)])
            taken = first.dequeue()
        second = _prefetch(tf, {"a": tf.constant(1)}, name="mine", capacity=3)
        tensors = [taken, second.dequeue()["a"], second.dequeue(name="take")["a"], second.dequeue_many(2)["a"]]
        runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
        return {
            "tensors": words([tensor.name for tensor in tensors]),
            "summaries": words([summary.name for summary in summaries]),
            "runners": np.array(len(runners)),
            "dtype": dtype_name(tensors[0].dtype),
            "static": static_shape(tensors[3]),
        }


@gold
def a_prefetch_queues_curve_begins_and_ends_at_nothing(tf: Any) -> Result:
    def curve(session: Any) -> float:
        (value,) = tf.Summary.FromString(session.run(merged)).value
        tags.add(value.tag)
        return value.simple_value

    tags: set = set()
    with tf.Graph().as_default():
        with tf.Session() as session:
            element = _prefetch(tf, [tf.train.batch([_number(tf)], 2)], capacity=4).dequeue()
            merged = next(s for s in tf.get_collection(tf.GraphKeys.SUMMARIES) if "prefetch" in s.name)
            before = curve(session)
        inside = []
        with running(tf) as session:
            try:
                while True:
                    session.run(element)
                    inside.append(0 <= curve(session) <= 1)
            except tf.errors.OutOfRangeError:
                after = curve(session)
    return {
        "before": np.array(before),
        "after": np.array(after),
        "inside": np.array(inside),
        "tags": words(sorted(tags)),
    }


# -- refusals -------------------------------------------------------------------------------


@gold
def prefetch_queue_refuses_what_tf1_refuses(tf: Any) -> Result:
    one = lambda: tf.constant(1)
    unknown = lambda: tf.placeholder_with_default([1], [None])
    rankless = lambda: tf.placeholder_with_default([1], None)
    calls = {
        "nothing": lambda: _prefetch(tf, []),
        "an_empty_dict": lambda: _prefetch(tf, {}),
        "none": lambda: _prefetch(tf, None),
        "a_list_of_none": lambda: _prefetch(tf, [None]),
        "a_number": lambda: _prefetch(tf, [1]),
        "a_tensor": lambda: _prefetch(tf, one()),
        "an_array": lambda: _prefetch(tf, np.zeros([2])),
        "a_sparse_tensor": lambda: _prefetch(tf, [tf.SparseTensor([[0]], [1], [2])]),
        "no_capacity": lambda: _prefetch(tf, [one()], capacity=0),
        "no_bound": lambda: _prefetch(tf, [one()], capacity=-1),
        "a_capacity_of_a_fraction": lambda: _prefetch(tf, [one()], capacity=1.5),
        "a_capacity_of_text": lambda: _prefetch(tf, [one()], capacity="8"),
        "no_threads": lambda: _prefetch(tf, [one()], num_threads=0),
        "less_than_no_threads": lambda: _prefetch(tf, [one()], num_threads=-1),
        "half_a_thread": lambda: _prefetch(tf, [one()], num_threads=1.5),
        "an_unknown_dimension": lambda: _prefetch(tf, [unknown()]),
        "an_unknown_dimension_padded": lambda: _prefetch(tf, [unknown()], dynamic_pad=True),
        "an_unknown_rank": lambda: _prefetch(tf, [rankless()]),
        "an_unknown_rank_padded": lambda: _prefetch(tf, [rankless()], dynamic_pad=True),
        "keys_of_two_kinds": lambda: _prefetch(tf, {"a": one(), 1: one()}),
        "a_positional_name": lambda: _prefetch(tf, [one()], 8, 1, False, None, "mine"),
        "too_many_arguments": lambda: _prefetch(tf, [one()], 8, 1, False, None, "mine", 1),
        "dequeue_many_of_nothing": lambda: _prefetch(tf, [one()]).dequeue_many(None),
        "dequeue_many_negative": lambda: _prefetch(tf, [one()]).dequeue_many(-1),
        "dequeue_many_of_a_fraction": lambda: _prefetch(tf, [one()]).dequeue_many(2.5),
        "dequeue_many_of_a_whole_float": lambda: _prefetch(tf, [one()]).dequeue_many(4 / 2),
        "dequeue_many_of_a_float_tensor": lambda: _prefetch(tf, [one()]).dequeue_many(tf.constant(2.0)),
        "dequeue_up_to_text": lambda: _prefetch(tf, [one()]).dequeue_up_to("2"),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}


# -- QueueRunners ---------------------------------------------------------------------------


@gold
def queue_runners_run_for_the_length_of_a_block(tf: Any) -> Result:
    queues = tf.contrib.slim.queues
    with tf.Graph().as_default():
        batch = tf.train.batch([_number(tf, num_epochs=None)], 4)
        with tf.Session() as session, queues.QueueRunners(session):
            given = [session.run(batch) for _ in range(5)]
    return {"given": np.concatenate(given)}


@gold
def queue_runners_cannot_be_nested(tf: Any) -> Result:
    queues = tf.contrib.slim.queues
    seen = []
    with tf.Graph().as_default(), tf.Session() as session:
        for _ in range(2):
            with queues.QueueRunners(session):
                try:
                    with queues.QueueRunners(session):
                        seen.append("entered")
                except queues.NestedQueueRunnerError as error:
                    seen.append(type(error).__name__)
    return {"seen": words(seen), "is_exception": np.array(issubclass(queues.NestedQueueRunnerError, Exception))}


@gold
def an_error_in_a_block_of_queue_runners_ends_it(tf: Any) -> Result:
    queues = tf.contrib.slim.queues
    seen = []
    with tf.Graph().as_default():
        batch = tf.train.batch([_number(tf, num_epochs=None)], 4)
        for _ in range(2):
            with tf.Session() as session:
                try:
                    with queues.QueueRunners(session):
                        session.run(batch)
                        raise KeyError("mine")
                except KeyError:
                    seen.append("mine")
    return {"seen": words(seen)}
