"""Examples cut into segments that alternate with training steps: segment, step, state, next segment.

The segments of an example wait in a barrier, each under its own key. They have all components except the state. The
first segment also has the initial state from the beginning; every other segment gets the state that the training step
on the previous segment saves under its key. So a segment can be taken only after that step.

Rule 1: the state depends on a run that consumes segments, and a tf.data iterator cannot wait for that; so this runs on
        TensorFlow's own ops. The pipeline that produces the examples is compiled.
Rule 2: the number of segments of an example is not known in advance, so the barrier has no bound. What bounds memory is
        a queue with one token for each unfinished example.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional

import tensorflow as tf

from queuecompat._native.barrier import Barrier
from queuecompat._native.deprecations import without_queue_deprecations

__all__ = ["Example", "Segments", "Taken", "require_shape"]

Tensors = Dict[str, tf.Tensor]

# The number of digits of a segment's number in its key.
DIGITS = 5
# The components of every segment besides sequences, context and states; all int32 except next_key.
_NUMBERS = ("length", "total_length", "next_key", "sequence", "sequence_count")


@dataclasses.dataclass(frozen=True)
class Example:
    """One example, after all checks; every dict is sorted by its keys.

    Attributes:
      length, padded_length: scalar int32: the length of the sequences without and with padding.
      key: scalar string, different from that of every other unfinished example.
      sequences: ``[padded_length, *step]``; the length is a multiple of the segments' length.
      context, states: of any known shapes; the states are the initial ones.
    """

    length: tf.Tensor
    padded_length: tf.Tensor
    key: tf.Tensor
    sequences: Tensors
    context: Tensors
    states: Tensors


@dataclasses.dataclass(frozen=True)
class Taken:
    """A batch of segments; for the attributes see ``NextQueuedSequenceBatch``."""

    total_length: tf.Tensor
    length: tf.Tensor
    batch_size: tf.Tensor
    insertion_index: tf.Tensor
    key: tf.Tensor
    next_key: tf.Tensor
    sequence: tf.Tensor
    sequence_count: tf.Tensor
    context: Dict[str, Any]
    sequences: Dict[str, Any]
    states: Tensors

    @property
    def is_last(self) -> tf.Tensor:
        """For each segment, whether it is the last of its example."""
        return self.sequence + 1 >= self.sequence_count


class Segments:
    """The segments of all unfinished examples.

    Args:
      num_unroll: the number of steps in a segment.
      capacity: the maximum number of unfinished examples; None: no bound.
    """

    def __init__(self, example: Example, num_unroll: int, capacity: Optional[int]) -> None:
        self._example = example
        self._num_unroll = num_unroll
        self._tokens = tf.compat.v1.FIFOQueue(-1 if capacity is None else capacity, [tf.int32], [[]])
        specs = {name: tf.TensorSpec([], tf.string if name == "next_key" else tf.int32) for name in _NUMBERS}
        for name, value in example.sequences.items():
            specs[f"sequence:{name}"] = tf.TensorSpec([num_unroll, *value.shape[1:]], value.dtype)
        for kind, values in (("context", example.context), ("state", example.states)):
            specs.update((f"{kind}:{name}", tf.TensorSpec(value.shape, value.dtype)) for name, value in values.items())
        self._places = {name: place for place, name in enumerate(specs)}
        with self.beside():
            self.barrier = Barrier([spec.dtype for spec in specs.values()], [spec.shape for spec in specs.values()])

    def beside(self) -> Any:
        """Builds ops on the device of the queue of tokens, so that none of them is placed on a GPU."""
        with without_queue_deprecations():
            return tf.compat.v1.colocate_with(self._tokens.queue_ref)

    def insert(self) -> tf.Operation:
        """An op that cuts one example into segments and inserts them.

        Waits while *capacity* examples are unfinished.
        """
        example, count = self._example, self._example.padded_length // self._num_unroll
        numbers = tf.range(count)
        keys = self._keys(numbers, count)
        ends = tf.strings.join(["STOP:", example.key])
        columns = {
            "sequence": numbers,
            "length": tf.clip_by_value(example.length - self._num_unroll * numbers, 0, self._num_unroll),
            "total_length": tf.fill([count], example.length),
            "next_key": tf.concat([keys[1:], [ends]], 0),
            "sequence_count": tf.fill([count], count),
        }
        for name, value in example.sequences.items():
            columns[f"sequence:{name}"] = tf.reshape(value, [count, self._num_unroll, *value.shape[1:]])
        for name, value in example.context.items():
            columns[f"context:{name}"] = tf.tile(value[tf.newaxis], [count, *[1] * value.shape.rank])
        inserted = {name: self._set(name, keys, column) for name, column in columns.items()}
        token = self._tokens.enqueue([tf.constant(0)])
        # The barrier orders elements by the insertion that created them. So one insertion has to create all segments of
        # an example, before the first one gets its state.
        with tf.control_dependencies([inserted["sequence"], token]):
            states = [self._set(f"state:{name}", keys[:1], value[tf.newaxis]) for name, value in example.states.items()]
        return tf.group(token, *inserted.values(), *states, name="StateSaverPrefetchGroup")

    def take(self, batch_size: Any, allow_small_batch: bool) -> Taken:
        """A batch of segments whose states have been saved."""
        indices, keys, values = self.barrier.take_many(batch_size, allow_small_batch, name="BarrierTakeMany")
        named = {name: values[place] for name, place in self._places.items()}
        taken = Taken(
            **{name: named[name] for name in _NUMBERS},
            batch_size=tf.size(named["length"]),
            insertion_index=indices,
            key=keys,
            context={name: named[f"context:{name}"] for name in self._example.context},
            sequences={name: named[f"sequence:{name}"] for name in self._example.sequences},
            states={},
        )
        finished = tf.reduce_sum(tf.cast(taken.is_last, tf.int32))
        # Taking the states returns the tokens of the examples that have ended.
        with tf.control_dependencies([self._tokens.dequeue_many(finished)]):
            taken.states.update((name, tf.identity(named[f"state:{name}"])) for name in self._example.states)
        return taken

    def save(self, taken: Taken, state_name: str, value: tf.Tensor) -> tf.Operation:
        """An op that saves *value* as the state of the segments that follow *taken*; last segments have none."""
        value = require_shape(value, taken.states[state_name])
        goes_on = tf.logical_not(taken.is_last)
        keys, states = tf.boolean_mask(taken.next_key, goes_on), tf.boolean_mask(value, goes_on)
        return self._set(f"state:{state_name}", keys, states, f"BarrierInsertState_{state_name}")

    def close(self, cancel_pending_enqueues: bool, name: str) -> tf.Operation:
        if not cancel_pending_enqueues:
            with tf.control_dependencies([self._tokens.close()]):
                return tf.group(self.barrier.close(), name=name)
        with tf.control_dependencies([self.barrier.cancel_unless(self._tokens.is_closed())]):
            return tf.group(self._tokens.close(cancel_pending_enqueues=True), name=name)

    def _keys(self, numbers: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
        written = [tf.strings.as_string(number, width=DIGITS, fill="0") for number in (numbers, count)]
        return tf.strings.join([written[0], "_of_", written[1], ":", self._example.key])

    def _set(self, component: str, keys: tf.Tensor, values: tf.Tensor, name: Optional[str] = None) -> tf.Operation:
        return self.barrier.insert_many(self._places[component], keys, values, name)


def require_shape(value: Any, like: tf.Tensor) -> tf.Tensor:
    """*value*, with an InvalidArgumentError at run time unless it has the shape of *like*.

    Raises:
      ValueError: the static shapes already differ.
    """
    value = tf.convert_to_tensor(value, name="convert")
    if like.shape.is_fully_defined():
        value.shape.assert_is_compatible_with(like.shape)
    value.shape.assert_has_rank(like.shape.rank)
    shapes: List[tf.Tensor] = [tf.shape(value), tf.shape(like)]
    is_right = tf.reduce_all(tf.equal(*shapes))
    told = ["a state has to keep its shape; given and declared:", *shapes]
    with tf.control_dependencies([tf.compat.v1.Assert(is_right, told)]):
        checked = tf.identity(value)
    checked.set_shape(like.shape)
    return checked
