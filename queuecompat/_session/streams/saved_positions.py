"""The position of a session's pipeline in the program's own checkpoints (``options(checkpoint=True)``).

It is a saveable in the graph's ``SAVEABLE_OBJECTS`` collection, where ``tf.train.Saver``, and everything that uses it,
looks for more than variables. It holds four int64 numbers: the fingerprint of the plan, the key (two numbers) that
replaces seeds where the program sets none, and how many elements (mostly batches) the program has received. A start
begins at that position.

Rule 1: only elements that a step of the program drew count, not those that were only computed ahead.
Rule 2: before the first start, without a checkpoint, the position is the beginning; the key is drawn at the start.
Rule 3: restoring a checkpoint after the start makes the pipeline begin again at the restored position
        (``Restoring.after_step``).
"""

from __future__ import annotations

import functools
from typing import Any, List, Sequence, Tuple

import tensorflow as tf

from queuecompat._session.graph_ops.counters import Counter
from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes
from queuecompat._session.graph_ops.waits import after

__all__ = ["SavedPosition"]

# The fingerprint and the key before the first start: not set.
_NOTHING = (0, -1, -1)


class SavedPosition:
    """The position of one terminal.

    Args:
      scope: the terminal's scope, which identifies the position in a checkpoint.
    Attributes:
      name: the key of the position in checkpoints.
      restores: the names of the ops with which savers restore it.
    """

    def __init__(self, placement: Placement, scope: str) -> None:
        self._placement, self._scope = placement, scope
        self.name = f"{scope}/queuecompat_position"
        self.restores: List[str] = []
        self._received = Counter(placement, scope, "received")
        with outside_user_scopes(placement, scope):
            self._variable = placement.variable(scope, "place", tf.int64, [3])
            self._begun = self._begin()
            place = self._value_or_nothing()
            self._fingerprint = place[0]
            state = tf.concat([place, [self._received_or_none()]], 0)
        with placement.graph.as_default(), tf.control_dependencies(None), placement.devices(), tf.name_scope(""):
            saved = tf.identity(state, name=self.name)
        saveable = _saveable_of(self, saved)
        placement.graph.add_to_collection(tf.compat.v1.GraphKeys.SAVEABLE_OBJECTS, saveable)

    def begun(self) -> tf.Operation:
        """An op that draws the key, unless a checkpoint has set it."""
        return self._begun

    def key(self) -> tf.Tensor:
        """The key, int64 ``[2]``; to be read after ``begun``."""
        return tf.raw_ops.ReadVariableOp(resource=self._variable, dtype=tf.int64)[1:]

    def received(self) -> tf.Tensor:
        """How many elements the program has received, a scalar int64; to be read after ``begun``."""
        return self._received.value()

    def count(self) -> tf.Operation:
        """An op that counts one element; to be run with each draw, in the same branch or loop."""
        return self._received.add(tf.constant(1, tf.int64))

    def fingerprint(self) -> tf.Tensor:
        """The fingerprint of the plan whose position this is, a scalar int64; 0: there is no plan yet."""
        return self._fingerprint

    def note_plan(self, fingerprint: int) -> tf.Operation:
        """An op that records that this is the position of the plan with that *fingerprint*; it runs after ``begun``."""
        with after([self._begun]):
            key = self.key()
        value = tf.concat([tf.constant([fingerprint], tf.int64), key], 0)
        return tf.raw_ops.AssignVariableOp(resource=self._variable, value=value)

    def restored(self, state: tf.Tensor) -> tf.Operation:
        """An op that sets the position to *state*, int64 ``[4]``, of a checkpoint."""
        with outside_user_scopes(self._placement, self._scope):
            place = tf.raw_ops.AssignVariableOp(resource=self._variable, value=state[:3])
            op = tf.group(place, self._received.set(state[3]), name="restore")
        self.restores.append(op.name)
        return op

    def _begin(self) -> tf.Operation:
        value = self._value_or_nothing()
        key = tf.random.uniform([2], 0, tf.int64.max, tf.int64)
        drawn = tf.concat([value[:1], tf.where(value[1:] < 0, key, value[1:])], 0)
        received = self._received_or_none()
        place = tf.raw_ops.AssignVariableOp(resource=self._variable, value=drawn)
        return tf.group(place, self._received.set(received))

    def _value_or_nothing(self) -> tf.Tensor:
        return _value_or(self._variable, tf.constant(_NOTHING, tf.int64))

    def _received_or_none(self) -> tf.Tensor:
        (handle,) = self._received.handles
        return _value_or(handle, tf.constant(0, tf.int64))


def _value_or(handle: tf.Tensor, otherwise: tf.Tensor) -> tf.Tensor:
    """The value of the variable *handle*; *otherwise* if it has none yet."""
    # Switch and Merge are built by hand, as in ``counters``.
    has_value = tf.raw_ops.VarIsInitializedOp(resource=handle)
    nothing = tf.raw_ops.Switch(data=otherwise, pred=has_value).output_false
    value = tf.raw_ops.ReadVariableOp(
        resource=tf.raw_ops.Switch(data=handle, pred=has_value).output_true, dtype=otherwise.dtype
    )
    value.set_shape(otherwise.shape)
    return tf.ensure_shape(tf.raw_ops.Merge(inputs=[nothing, value]).output, otherwise.shape)


@functools.cache
def _classes() -> Tuple[Any, Any]:
    """TensorFlow's private classes for a saveable and for one of its tensors, taken from a public lookup table."""
    with tf.Graph().as_default() as graph:
        tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, 0)
        (saveable,) = graph.get_collection(tf.compat.v1.GraphKeys.SAVEABLE_OBJECTS)
    return type(saveable).__mro__[-2], type(saveable.specs[0])


def _saveable_of(saved_position: SavedPosition, saved: tf.Tensor) -> Any:
    saveable_object, save_spec = _classes()

    class PositionSaveable(saveable_object):  # type: ignore[misc, valid-type]
        """The saveable of a position.

        Its value is named by the output of an op, so that it works in an exported graph.
        """

        def restore(self, restored_tensors: Sequence[tf.Tensor], restored_shapes: Any) -> tf.Operation:
            return saved_position.restored(tf.ensure_shape(restored_tensors[0], [4]))

    return PositionSaveable(saved.op, [save_spec(saved, "", saved_position.name)], saved_position.name)
