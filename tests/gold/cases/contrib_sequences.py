"""``tf.contrib.training``'s segments of sequences with states, and its runner that feeds."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

import numpy as np

from .estimator_inputs import arguments_of
from .harness import Result, collect, error_at_call, error_at_run, failure, gold, running, static_shape, word, words

__all__: list[str] = []

LENGTHS = (3, 7, 2, 6, 5)
UNROLL = 3
STATE = "sum"


def _numbers(tf: Any, count: int = len(LENGTHS)) -> Any:
    """Without an end: cancelling a barrier that has been closed hangs 1.15, and so does every join after the end."""
    return tf.train.range_input_producer(count, shuffle=False).dequeue()


def _example(tf: Any, length_of: Any = LENGTHS) -> Dict[str, Any]:
    """Example number n: as many steps as *length_of* says, each [10 n + step, 1]; context [n]; state [2]."""
    number = _numbers(tf, len(length_of))
    length = tf.gather(tf.constant(length_of), number)
    steps = tf.cast(10 * number + tf.range(length), tf.float32)
    return {
        "input_key": tf.string_join(["example ", tf.as_string(number)]),
        "input_sequences": {"steps": tf.stack([steps, tf.ones_like(steps)], axis=1)},
        "input_context": {"number": tf.reshape(number, [1])},
        "initial_states": {STATE: tf.fill([2], tf.cast(number, tf.float32))},
    }


def _outputs(tf: Any, batch: Any) -> Dict[str, Any]:
    """All that a batch has; the state is the sum of all steps so far."""
    state = batch.state(STATE)
    save = batch.save_state(STATE, state + tf.reduce_sum(batch.sequences["steps"], axis=1))
    with tf.control_dependencies([save]):
        given = {name: tf.identity(getattr(batch, name)) for name in NUMBERS}
    given.update(("context_" + name, value) for name, value in batch.context.items())
    given.update(("sequence_" + name, value) for name, value in batch.sequences.items())
    given["state"] = state
    return given


NUMBERS = [
    "total_length",
    "length",
    "batch_size",
    "insertion_index",
    "key",
    "next_key",
    "sequence",
    "sequence_count",
]


def _batched(tf: Any, example: Optional[Dict[str, Any]] = None, **arguments: Any) -> Dict[str, Any]:
    given = dict(input_length=None, num_unroll=UNROLL, batch_size=1, num_threads=1, capacity=2)
    given.update(example or _example(tf))
    given.update(arguments)
    return _outputs(tf, tf.contrib.training.batch_sequences_with_states(**given))


def _by_hand(tf: Any) -> Result:
    """All examples go in before the first batch comes out, so that no batch waits at the end."""
    with tf.Graph().as_default():
        example = _example(tf, (3, 6, 3, 9))
        saver = tf.contrib.training.SequenceQueueingStateSaver(
            2,
            UNROLL,
            tf.gather(tf.constant([2, 6, 1, 7]), example["input_context"]["number"][0]),
            allow_small_batch=True,
            **example,
        )
        outputs = _outputs(tf, saver.next_batch)
        end = saver.close()
        steps: List[Dict[str, Any]] = []
        with running(tf) as session:
            for _ in range(4):
                session.run(saver.prefetch_op)
            session.run(end)

            def take() -> None:
                while True:
                    steps.append(session.run(outputs))

            ending = error_at_run(take)
    result = {name: _plain(np.concatenate([np.ravel(step[name]) for step in steps])) for name in outputs}
    result.update((name + ".shapes", np.array([np.shape(step[name]) for step in steps])) for name in outputs)
    result.update((name + ".static", static_shape(tensor)) for name, tensor in outputs.items())
    return dict(result, ending=ending, steps=np.array(len(steps)))


def _plain(value: Any) -> np.ndarray:
    array = np.asarray(value)
    return array.astype(np.bytes_) if array.dtype == object else array


# -- segments --------------------------------------------------------------------------------


@gold
def sequences_take_their_arguments_in_tf1s_order(tf: Any) -> Result:
    training = tf.contrib.training
    return {
        "batch": arguments_of(training.batch_sequences_with_states),
        "saver": arguments_of(training.SequenceQueueingStateSaver),
        "close": arguments_of(training.SequenceQueueingStateSaver.close),
        "next": arguments_of(training.NextQueuedSequenceBatch),
        "save": arguments_of(training.NextQueuedSequenceBatch.save_state),
        "runner": arguments_of(training.FeedingQueueRunner),
    }


@gold
def segments_take_turns_with_their_states(tf: Any) -> Result:
    return _by_hand(tf)


@gold
def segments_may_be_batched_by_a_tensor(tf: Any) -> Result:
    with tf.Graph().as_default():
        saver = tf.contrib.training.SequenceQueueingStateSaver(
            tf.placeholder_with_default(2, []), UNROLL, 3, capacity=4, **_example(tf, (3, 6))
        )
        outputs = _outputs(tf, saver.next_batch)
        with running(tf) as session:
            for _ in range(2):
                session.run(saver.prefetch_op)
            given = session.run(outputs)
    given = {name: _plain(value) for name, value in given.items()}
    return dict(given, **{name + ".static": static_shape(tensor) for name, tensor in outputs.items()})


@gold
def sequences_are_padded_to_whole_segments(tf: Any) -> Result:
    return collect(tf, lambda: _batched(tf), max_steps=11)


@gold
def padded_sequences_of_two_examples_share_a_batch(tf: Any) -> Result:
    return collect(tf, lambda: _batched(tf, batch_size=2, capacity=3), max_steps=6)


@gold
def a_length_may_leave_steps_out(tf: Any) -> Result:
    return collect(tf, lambda: _batched(tf, input_length=tf.constant(2)), max_steps=11)


@gold
def sequences_of_whole_segments_need_no_padding(tf: Any) -> Result:
    return collect(tf, lambda: _batched(tf, _example(tf, (3, 6, 3)), pad=False, input_length=3), max_steps=6)


@gold
def sequences_of_every_type_are_padded(tf: Any) -> Result:
    def build() -> Any:
        example = _example(tf)
        steps = example["input_sequences"]["steps"]
        example["input_sequences"]["texts"] = tf.as_string(steps)
        example["input_sequences"]["whole"] = tf.cast(steps[:, 0], tf.int64)
        return _batched(tf, example)

    return collect(tf, build, max_steps=10)


@gold
def keys_are_made_unique_by_a_seeded_number(tf: Any) -> Result:
    return collect(tf, lambda: _batched(tf, make_keys_unique=True, make_keys_unique_seed=5), max_steps=10)


def _sparse(tf: Any, with_dense: bool) -> Dict[str, Any]:
    example = _example(tf, (3, 4, 1))
    number = example["input_context"]["number"][0]
    length = tf.shape(example["input_sequences"]["steps"])[0]
    times = tf.cast(tf.range(0, length, 2), tf.int64)
    ones = tf.ones_like(times)
    sparse = tf.SparseTensor(
        tf.stack([times, ones], 1), 100 * tf.cast(number, tf.int64) + times, tf.cast(tf.stack([length, 4]), tf.int64)
    )
    words_of = tf.SparseTensor([[1]], tf.expand_dims(tf.as_string(number), 0), [3])
    example["input_sequences"]["sparse"] = sparse
    example["input_context"]["word"] = words_of
    if not with_dense:
        example["input_context"]["other"] = tf.SparseTensor([[0, 1], [1, 0]], tf.stack([number, number + 1]), [2, 2])
    return example


@gold
def sparse_sequences_and_context_come_in_segments(tf: Any) -> Result:
    return collect(tf, lambda: _batched(tf, _sparse(tf, True)), max_steps=6)


@gold
def several_sparse_contexts_come_in_segments(tf: Any) -> Result:
    return collect(tf, lambda: _batched(tf, _sparse(tf, False)), max_steps=6)


@gold
def sparse_segments_of_two_examples_share_a_batch(tf: Any) -> Result:
    return collect(tf, lambda: _batched(tf, _sparse(tf, True), batch_size=2), max_steps=2)


@gold
def sparse_sequences_of_whole_segments_need_no_padding(tf: Any) -> Result:
    def build() -> Any:
        example = _sparse(tf, True)
        example["input_sequences"] = {
            name: tf.sparse_concat(0, [value] * 3) if name == "sparse" else tf.tile(value, [3, 1])
            for name, value in example["input_sequences"].items()
        }
        return _batched(tf, example, pad=False, input_length=3)

    return collect(tf, build, max_steps=6)


@gold
def segments_keep_tf1s_names(tf: Any) -> Result:
    with tf.Graph().as_default() as graph:
        _batched(tf)
        _batched(tf, name="named")
        saver = tf.contrib.training.SequenceQueueingStateSaver(2, UNROLL, 3, **_example(tf, (3,)))
        summaries = [summary.name for summary in graph.get_collection(tf.GraphKeys.SUMMARIES)]
        runners = [runner.name for runner in graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]
        same = [saver.prefetch_op is saver.prefetch_op, saver.next_batch is saver.next_batch]
        return {
            "summaries": words([name for name in summaries if "segment" in name]),
            "runners": words([name for name in runners if "StateSaver" in name]),
            "saver": words([saver.name, saver.barrier.name, str(saver.batch_size), str(saver.num_unroll)]),
            "same": np.array(same),
        }


# -- what is refused -------------------------------------------------------------------------


@gold
def segments_refuse_what_tf1_refuses(tf: Any) -> Result:
    steps = np.zeros([6, 2], np.float32)
    usual: Dict[str, Any] = dict(
        batch_size=2,
        num_unroll=UNROLL,
        input_length=6,
        input_key="a",
        input_sequences={"steps": steps},
        input_context={"number": 1},
        initial_states={STATE: [0.0]},
    )

    def saver(**other: Any) -> Callable[[], Any]:
        return lambda: tf.contrib.training.SequenceQueueingStateSaver(**dict(usual, **other))

    def batch(**other: Any) -> Callable[[], Any]:
        return lambda: tf.contrib.training.batch_sequences_with_states(**dict(usual, **other))

    def unknown(shape: Any) -> Callable[[], Any]:
        return lambda: saver(input_sequences={"steps": tf.placeholder(tf.float32, shape)})()

    def saved(name: str, value: Any) -> Callable[[], Any]:
        return lambda: saver()().next_batch.save_state(name, value)

    calls: Dict[str, Callable[[], Any]] = {
        "all_is_well": lambda: [saver()().prefetch_op, saver()().next_batch],
        "too_little_capacity": saver(capacity=1),
        "no_states": saver(initial_states={}),
        "states_in_a_list": saver(initial_states=[1.0]),
        "a_state_named_by_a_number": saver(initial_states={1: [0.0]}),
        "a_state_with_a_colon": saver(initial_states={"a:b": [0.0]}),
        "no_sequences": saver(input_sequences={}),
        "sequences_in_a_list": saver(input_sequences=[steps]),
        "a_sequence_named_by_a_number": saver(input_sequences={1: steps}),
        "a_sequence_with_a_colon": saver(input_sequences={"a:b": steps}),
        "a_scalar_for_a_sequence": saver(input_sequences={"a": 1.0}),
        "context_in_a_list": saver(input_context=[1]),
        "context_named_by_a_number": saver(input_context={1: 1}),
        "context_with_a_colon": saver(input_context={"a:b": 1}),
        "no_context": saver(input_context={}),
        "a_length_of_another_type": saver(input_length=np.int64(6)),
        "a_length_with_a_fraction": saver(input_length=6.0),
        "a_length_of_rank_one": saver(input_length=[6]),
        "a_key_of_another_type": saver(input_key=1),
        "a_key_of_rank_one": saver(input_key=["a"]),
        "no_length": saver(input_length=None),
        "a_sequence_of_unknown_rank": unknown(None),
        "a_sequence_of_unknown_steps": unknown([6, None]),
        "a_sequence_of_unknown_length": unknown([None, 2]),
        "a_state_of_unknown_shape": lambda: saver(initial_states={STATE: tf.placeholder(tf.float32, [None])})(),
        "context_of_unknown_shape": lambda: saver(input_context={"c": tf.placeholder(tf.float32)})(),
        "an_empty_state": saver(initial_states={STATE: np.zeros([0], np.float32)}),
        "a_state_that_is_not_there": saved("other", [[0.0], [0.0]]),
        "a_state_of_another_shape": saved(STATE, [[0.0, 1.0], [0.0, 1.0]]),
        "a_state_of_another_rank": saved(STATE, [0.0, 0.0]),
        "a_state_of_another_type": saved(STATE, [[1], [1]]),
        "reading_what_is_not_there": lambda: saver()().next_batch.state("other"),
        "batch_without_threads": batch(num_threads=0),
        "batch_with_little_capacity": batch(capacity=1),
        "batch_with_a_fraction": batch(num_unroll=2.5),
        "batch_of_sequences_in_a_list": batch(input_sequences=[steps]),
        "batch_of_no_sequences": batch(input_sequences={}),
        "batch_of_no_sequences_unpadded": batch(input_sequences={}, pad=False),
        "batch_named_by_a_number": batch(input_sequences={1: steps}),
        "batch_named_by_a_number_unpadded": batch(input_sequences={1: steps}, pad=False),
        "batch_of_no_states": batch(initial_states={}),
        "batch_of_states_in_a_list": batch(initial_states=[1.0]),
        "batch_of_context_in_a_list": batch(input_context=[1.0]),
        "batch_without_a_length": batch(input_length=None),
        "batch_without_a_length_unpadded": batch(input_length=None, pad=False),
        "batch_of_objects_unpadded": batch(input_sequences={"a": object()}, pad=False),
        "batch_of_objects": batch(input_sequences={"a": object()}),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}


def _prefetched(tf: Any, **other: Any) -> Any:
    given: Dict[str, Any] = dict(
        batch_size=1,
        num_unroll=UNROLL,
        input_length=tf.placeholder_with_default(6, []),
        input_key=tf.placeholder_with_default("a", []),
        input_sequences={"steps": tf.placeholder_with_default(np.zeros([6, 2], np.float32), [None, 2])},
        input_context={},
        initial_states={STATE: [0.0]},
    )
    given.update(other)
    return tf.contrib.training.SequenceQueueingStateSaver(**given)


@gold
def segments_refuse_at_the_run_what_tf1_refuses_there(tf: Any) -> Result:
    def run(build: Callable[[], Any], times: int = 1) -> Callable[[], None]:
        def call() -> None:
            with tf.Graph().as_default():
                prefetch = build().prefetch_op
                with running(tf) as session:
                    for _ in range(times):
                        session.run(prefetch)

        return call

    def steps(length: int) -> Any:
        return tf.placeholder_with_default(np.zeros([length, 2], np.float32), [None, 2])

    calls: Dict[str, Callable[[], Any]] = {
        "all_is_well": run(lambda: _prefetched(tf)),
        "a_key_twice": run(lambda: _prefetched(tf), 2),
        "no_whole_segment": run(lambda: _prefetched(tf, input_sequences={"steps": steps(5)})),
        "no_steps": run(lambda: _prefetched(tf, input_sequences={"steps": steps(0)}, input_length=0)),
        "two_lengths": run(lambda: _prefetched(tf, input_sequences={"a": steps(6), "b": steps(3)})),
        "too_long": run(lambda: _prefetched(tf, input_length=tf.placeholder_with_default(7, []))),
        "too_little_capacity": run(lambda: _prefetched(tf, batch_size=tf.placeholder_with_default(3, []), capacity=2)),
    }
    return {name: error_at_run(call) for name, call in calls.items()}


@gold
def unpadded_sequences_that_do_not_fit_are_an_invalid_argument(tf: Any) -> Result:
    return failure(tf, lambda: _batched(tf, _example(tf, (3, 4)), batch_size=1, pad=False, input_length=3))


@gold
def padded_sequences_of_two_lengths_are_an_invalid_argument(tf: Any) -> Result:
    def build() -> Any:
        example = _example(tf, (3, 4))
        example["input_sequences"]["other"] = example["input_sequences"]["steps"][1:]
        return _batched(tf, example, batch_size=1)

    return failure(tf, build)


# -- the runner that feeds -------------------------------------------------------------------


def _counted(tf: Any, placeholder: Any, numbers: Any) -> Callable[[], Dict[Any, Any]]:
    rest = iter(numbers)

    def feed() -> Dict[Any, Any]:
        for number in rest:
            return {placeholder: number}
        raise tf.errors.OutOfRangeError(None, None, "that was all")

    return feed


@gold
def a_feeding_runner_fills_a_queue_to_its_end(tf: Any) -> Result:
    def build() -> Any:
        queue = tf.FIFOQueue(3, [tf.int32], [[]])
        fed = tf.placeholder(tf.int32, [])
        runner = tf.contrib.training.FeedingQueueRunner(
            queue, [queue.enqueue([fed])], feed_fns=[_counted(tf, fed, range(7))]
        )
        tf.train.add_queue_runner(runner)
        return queue.dequeue()

    return collect(tf, build)


@gold
def threads_of_a_feeding_runner_have_functions_of_their_own(tf: Any) -> Result:
    def build() -> Any:
        queue = tf.FIFOQueue(3, [tf.int32], [[]])
        fed = tf.placeholder(tf.int32, [])
        plain = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue() + 200
        one = queue.enqueue([fed])
        feeds = [_counted(tf, fed, range(5)), _counted(tf, fed, range(100, 104)), None]
        runner = tf.contrib.training.FeedingQueueRunner(queue, [one, one, queue.enqueue([plain])], feed_fns=feeds)
        tf.train.add_queue_runner(runner)
        return queue.dequeue()

    return {"given": np.sort(collect(tf, build)["out"])}


@gold
def an_error_of_a_feeding_function_stops_the_coordinator(tf: Any) -> Result:
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(3, [tf.int32], [[]])
        fed = tf.placeholder(tf.int32, [])

        def broken() -> Any:
            raise KeyError("broken")

        runner = tf.contrib.training.FeedingQueueRunner(queue, [queue.enqueue([fed])], feed_fns=[broken])
        with tf.Session() as session:
            coordinator = tf.train.Coordinator()
            threads = runner.create_threads(session, coordinator, start=True)
            return {
                "joined": error_at_run(lambda: coordinator.join(threads, stop_grace_period_secs=20)),
                "threads": np.array(len(threads)),
            }


@gold
def feeding_runners_refuse_what_tf1_refuses(tf: Any) -> Result:
    make = tf.contrib.training.FeedingQueueRunner

    def with_queue(build: Callable[[Any, Any], Any]) -> Callable[[], Any]:
        def call() -> Any:
            queue = tf.FIFOQueue(3, [tf.int32], [[]])
            return build(queue, queue.enqueue([1]))

        return call

    calls: Dict[str, Callable[[], Any]] = {
        "nothing": make,
        "no_ops": with_queue(lambda queue, op: make(queue, [])),
        "no_functions": with_queue(lambda queue, op: make(queue, [op], feed_fns=[])),
        "too_many_functions": with_queue(lambda queue, op: make(queue, [op], feed_fns=[None, None])),
        "functions_left_out": with_queue(lambda queue, op: make(queue, [op])),
        "types_that_are_none": with_queue(lambda queue, op: make(queue, [op], queue_closed_exception_types=3)),
        "a_proto": with_queue(lambda queue, op: make(queue, [op]).to_proto()),
    }
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(3, [tf.int32], [[]], name="held")
        runner = make(queue, [queue.enqueue([1])])
        ops = [runner.name, runner.queue.name, *(op.name for op in runner.enqueue_ops)]
    given = {name: error_at_call(tf, call) for name, call in calls.items()}
    return dict(given, names=words(ops), raised=word(str(runner.exceptions_raised)))
