"""Counters of a session: numbers that the ops of a pipeline change, 0 at first.

They are not variables of the program: none is in a graph collection, and no batch depends on one, because tools that
freeze a model treat the variables that its inputs depend on as part of the model.
"""

from __future__ import annotations

import copy
import math
from typing import List, Sequence, TypeVar

import tensorflow as tf

from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes

__all__ = ["Counter", "Earliest", "RunCounter"]


_Variable = TypeVar("_Variable", bound="_OneVariable")


class _OneVariable:
    """Something that is kept in one resource variable."""

    _handle: tf.Tensor

    @property
    def handles(self) -> List[tf.Tensor]:
        """The handles of the resources that it uses.

        A function that takes them as arguments, and uses ``with_handles``, captures nothing.
        """
        return [self._handle]

    def with_handles(self: _Variable, handles: Sequence[tf.Tensor]) -> _Variable:
        """The same on other *handles*: the arguments of such a function."""
        other = copy.copy(self)
        (other._handle,) = handles
        return other


class Counter(_OneVariable):
    """A count of elements in a session: 0 before the start, and set to *initial* at the start.

    With a *dtype* other than int64 it holds a number of another kind, such as seconds.
    """

    def __init__(self, placement: Placement, scope: str, name: str, dtype: tf.DType = tf.int64) -> None:
        self.initial = 0
        self._placement, self._scope, self._dtype = placement, scope, dtype
        with outside_user_scopes(placement, scope):
            self._handle = placement.variable(scope, name, dtype)

    def begin(self) -> tf.Operation:
        return self.set(self._placement.constant(self._scope, self.initial, self._dtype))

    def add(self, count: tf.Tensor) -> tf.Operation:
        """Adds *count*, a scalar of the counter's dtype."""
        return tf.raw_ops.AssignAddVariableOp(resource=self._handle, value=count)

    def set(self, count: tf.Tensor) -> tf.Operation:
        """Sets the count to *count*, a scalar of the counter's dtype."""
        return tf.raw_ops.AssignVariableOp(resource=self._handle, value=count)

    def value(self) -> tf.Tensor:
        """The count, a scalar; FailedPreconditionError before the start."""
        return tf.raw_ops.ReadVariableOp(resource=self._handle, dtype=self._dtype)

    def minus(self, other: Counter) -> tf.Tensor:
        """The difference to *other*, a scalar int64; 0 before the start, which is the same for both."""
        # Switch and Merge are built by hand: a tf.cond would trace two functions for each summary of each queue.
        is_counting = tf.raw_ops.VarIsInitializedOp(resource=self._handle)
        zero = tf.constant(0, tf.int64)
        nothing = tf.raw_ops.Switch(data=zero, pred=is_counting).output_false
        handles = [tf.raw_ops.Switch(data=one, pred=is_counting).output_true for one in (self._handle, other._handle)]
        counts = [tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.int64) for handle in handles]
        return tf.raw_ops.Merge(inputs=[nothing, counts[0] - counts[1]]).output


class Earliest(_OneVariable):
    """The earliest of the times passed to ``add`` in a session, in seconds; infinity if there was none."""

    def __init__(self, placement: Placement, scope: str, name: str) -> None:
        self._placement, self._scope = placement, scope
        with outside_user_scopes(placement, scope):
            # A vector of one: ResourceScatterMin, the cheapest way to keep a minimum, needs a dimension to index.
            self._handle = placement.variable(scope, name, tf.float64, [1])

    def begin(self) -> tf.Operation:
        never = tf.constant([math.inf], tf.float64)
        return tf.raw_ops.AssignVariableOp(resource=self._handle, value=never)

    def add(self, seconds: tf.Tensor) -> tf.Operation:
        """Takes *seconds*, a time, into account."""
        return tf.raw_ops.ResourceScatterMin(resource=self._handle, indices=tf.constant(0), updates=seconds)

    def value(self) -> tf.Tensor:
        """The earliest time, a scalar; FailedPreconditionError before the start."""
        return tf.raw_ops.ReadVariableOp(resource=self._handle, dtype=tf.float64)[0]


class RunCounter:
    """Counts how often an op has run in a session.

    It is a gradient accumulator, which counts the gradients that it receives: this needs no initialisation, and
    ``convert_variables_to_constants`` does not take it for a variable of the model.
    """

    def __init__(self, placement: Placement, scope: str, name: str) -> None:
        self._placement, self._scope = placement, scope
        with outside_user_scopes(placement, scope):
            self._handle = tf.raw_ops.ResourceConditionalAccumulator(
                dtype=tf.float32, shape=[], reduction_type="SUM", name=name
            )

    def count(self, name: str) -> tf.Operation:
        """An op called *name*; each of its runs is counted."""
        return tf.raw_ops.ResourceAccumulatorApplyGradient(
            handle=self._handle,
            local_step=self._placement.constant(self._scope, 0, tf.int64),
            gradient=self._placement.constant(self._scope, 0.0, tf.float32),
            name=name,
        )

    def is_positive(self) -> tf.Tensor:
        """Whether the op has run, a scalar bool."""
        none = self._placement.constant(self._scope, 0, tf.int32)
        return tf.raw_ops.Greater(x=self.count_so_far(), y=none)

    def count_so_far(self) -> tf.Tensor:
        """How often the op has run, a scalar int32."""
        return tf.raw_ops.ResourceAccumulatorNumAccumulated(handle=self._handle)

    def read(self) -> tf.Tensor:
        return tf.cast(self.count_so_far(), tf.int64)
