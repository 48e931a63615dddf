"""A map that skips, and records, the elements on which its function fails.

tf.data can ignore an error, but does not report it, and loses the whole element. So the call for one element is a
dataset of *attempts*, whose first successful one is the outcome:

    1  the call itself
    2  if an element consists of many records: each record alone, then the call on those that did not fail
    3  nothing, marked as failed

The error of an attempt is ignored, and the next attempt is made; after a success no further one is made. The end of the
data (``may_end``) ends the attempts without an outcome.

A Python function records what failed. It is only called then, with the element's components as its arguments.
"""

from __future__ import annotations

import sys
from typing import Any, List, Optional, Sequence

import numpy as np
import six
import tensorflow as tf

from queuecompat._backends.tfdata.functions import traced
from queuecompat._backends.tfdata.mapping import filtered, mapped, no_autograph, without_errors
from queuecompat._backends.tfdata.options import without_tfdata_optimizer
from queuecompat._native.python_functions import numpy_function
from queuecompat._plan import ir
from queuecompat._plan.bodies import ConcreteFunction
from queuecompat._plan.failed_run import FailedRun
from queuecompat._plan.skipped import SkipLog

__all__ = ["skipping"]

_OK, _FAILED, _ENDED = range(3)
# The longest description of a place that is kept, in characters: it may be any text of the program's list.
_LONGEST = 1000
_NUMBER = tf.TensorSpec([], tf.int64)


def skipping(dataset: tf.data.Dataset, step: ir.Run, specs: Sequence[tf.TensorSpec], log: SkipLog) -> tf.data.Dataset:
    """The results of *step* for those elements of *dataset*, with these *specs*, on which it does not fail."""
    assert step.skip is not None
    by_rows = step.skip.by_rows
    function = step.body.function(specs, step.uses, carries=step.carries)
    attempts = _AttemptsByRows(step, specs, function) if by_rows else _Attempts(step, function)

    failed_run = FailedRun()

    def outcome(number: tf.Tensor, *components: tf.Tensor) -> List[tf.Tensor]:
        *values, is_bad, status = attempts.outcome(components)
        noted = tf.cond(
            tf.reduce_any(is_bad),
            no_autograph(lambda: _noted(step, number, components, is_bad, log, failed_run)),
            no_autograph(lambda: tf.constant("")),
        )
        allowed = tf.raw_ops.Assert(condition=tf.equal(noted, ""), data=[noted])
        with tf.control_dependencies([allowed]):
            return [*values, tf.identity(status)]

    marked = (*step.components, tf.TensorSpec([], tf.int32))
    numbered, flat = tf.data.Dataset.zip((tf.data.Dataset.range(sys.maxsize), dataset)), (_NUMBER, *specs)
    numbered = tf.data.experimental.from_variant(tf.data.experimental.to_variant(numbered), flat)
    outcomes = mapped(numbered, traced(outcome, flat), marked, parallel_calls=step.parallel_calls, ordered=step.ordered)
    if step.body.may_end:
        outcomes = outcomes.take_while(no_autograph(lambda *given: tf.not_equal(given[-1], _ENDED)))
    good = filtered(outcomes, traced(lambda *given: [tf.equal(given[-1], _OK)], marked))
    return mapped(good, traced(lambda *given: list(map(tf.identity, given[:-1])), marked), step.components, inline=True)


class _Attempts:
    """The attempts at one element."""

    def __init__(self, step: ir.Run, function: ConcreteFunction) -> None:
        self._step = step
        self._function = function

    def outcome(self, components: Sequence[tf.Tensor]) -> List[tf.Tensor]:
        """The values, a bool for each row that says whether it failed, and the status."""
        attempts = [self._whole(components), *self._retries(components), self._nothing(components)]
        numbers = tf.data.Dataset.range(len(attempts))
        # The specs of all attempts: the branches and the dataset need the same shapes, as far as they are known.
        specs = (*self._step.components, tf.TensorSpec([None], tf.bool), tf.TensorSpec([], tf.int32))

        def attempt(number: tf.Tensor) -> List[tf.Tensor]:
            return _chosen(number, attempts)

        made = mapped(numbers, traced(attempt, [tf.TensorSpec([], tf.int64)]), specs, ends=self._step.body.may_end)
        ended = tf.data.Dataset.from_tensors((*_empty(self._step), tf.zeros([1], tf.bool), tf.constant(_ENDED)))
        ended = tf.data.experimental.from_variant(tf.data.experimental.to_variant(ended), specs)
        first = without_tfdata_optimizer(without_errors(made).concatenate(ended).take(1))
        return list(
            tf.raw_ops.DatasetToSingleElement(
                dataset=tf.data.experimental.to_variant(first),
                output_types=[spec.dtype for spec in specs],
                output_shapes=[spec.shape for spec in specs],
            )
        )

    def _whole(self, components: Sequence[tf.Tensor]) -> Any:
        return lambda: [*self._function(*components), self._are_bad(components, False), tf.constant(_OK)]

    def _retries(self, components: Sequence[tf.Tensor]) -> List[Any]:
        return []

    def _nothing(self, components: Sequence[tf.Tensor]) -> Any:
        return lambda: [*_empty(self._step), self._are_bad(components, True), tf.constant(_FAILED)]

    def _are_bad(self, components: Sequence[tf.Tensor], all_of_them: bool) -> tf.Tensor:
        return tf.fill([1], all_of_them)


class _AttemptsByRows(_Attempts):
    """The attempts at an element whose rows are many records."""

    def __init__(self, step: ir.Run, specs: Sequence[tf.TensorSpec], function: ConcreteFunction) -> None:
        super().__init__(step, function)
        assert step.skip is not None
        row = [tf.TensorSpec(spec.shape[1:], spec.dtype) for spec in specs]
        if step.skip.alone is None:
            of_a_row = traced(lambda *given: self._of_rows([tf.expand_dims(one, 0) for one in given]), row)
            self._of_a_row = _Attempts(step, of_a_row)
        else:
            alone = step.skip.alone
            self._of_a_row = _Attempts(alone, alone.body.function(row, alone.uses))

    def _retries(self, components: Sequence[tf.Tensor]) -> List[Any]:
        return [lambda: self._by_rows(components)]

    def _of_rows(self, components: Sequence[tf.Tensor]) -> List[tf.Tensor]:
        """The results of the slice for fewer rows than its graph may have said there are."""
        hidden = [tf.raw_ops.PlaceholderWithDefault(input=one, shape=[None, *one.shape[1:]]) for one in components]
        for one, argument in zip(hidden, self._function.inputs):  # the slice may know more of the shape
            one.set_shape(argument.shape)
        return list(self._function(*hidden))

    def _by_rows(self, components: Sequence[tf.Tensor]) -> List[tf.Tensor]:
        is_bad = tf.map_fn(
            no_autograph(lambda row: self._of_a_row.outcome(row)[-2][0]), tuple(components), fn_output_signature=tf.bool
        )
        good = tf.logical_not(is_bad)

        def of_the_good() -> List[tf.Tensor]:
            return [*self._of_rows([tf.boolean_mask(one, good) for one in components]), tf.constant(_OK)]

        *values, status = tf.cond(
            tf.reduce_any(good),
            no_autograph(of_the_good),
            no_autograph(lambda: [*_empty(self._step), tf.constant(_FAILED)]),
        )
        return [*values, is_bad, status]

    def _are_bad(self, components: Sequence[tf.Tensor], all_of_them: bool) -> tf.Tensor:
        return tf.fill([tf.shape(components[0])[0]], all_of_them)


def _chosen(number: tf.Tensor, attempts: Sequence[Any]) -> List[tf.Tensor]:
    """The results of the attempt with that *number*."""
    first, *rest = attempts
    if not rest:
        return list(first())
    chosen = tf.cond(tf.equal(number, 0), no_autograph(first), no_autograph(lambda: _chosen(number - 1, rest)))
    return list(chosen)


def _empty(step: ir.Run) -> List[tf.Tensor]:
    """Tensors with the dtypes and ranks of the results of *step*, and as few elements as possible."""
    return [_nothing_of(spec) for spec in step.components]


def _nothing_of(spec: tf.TensorSpec) -> tf.Tensor:
    shape = [n or 0 for n in spec.shape.as_list()] if spec.shape.rank is not None else []
    if spec.dtype != tf.variant:
        return tf.zeros(shape, spec.dtype)
    nothing = tf.raw_ops.EmptyTensorList(
        element_shape=tf.constant([], tf.int32), max_num_elements=0, element_dtype=tf.int32
    )
    return tf.raw_ops.Fill(dims=tf.constant(shape, tf.int32), value=nothing)


def _noted(
    step: ir.Run,
    number: tf.Tensor,
    components: Sequence[tf.Tensor],
    is_bad: tf.Tensor,
    log: SkipLog,
    failed_run: FailedRun,
) -> tf.Tensor:
    """Records the failed rows of *components* in *log*.

    Returns:
      A scalar string: the error that ends the pipeline; empty if it goes on.
    """
    assert step.skip is not None
    skip = step.skip
    run = skip.alone or step
    given = [components[use] for use in run.uses]
    has_values = all(one.dtype not in (tf.variant, tf.resource) for one in given)
    place = [] if skip.place is None else [components[skip.place]]

    def note(number: np.int64, bad: np.ndarray, *arrays: np.ndarray) -> bytes:
        values, where = (arrays[: len(given)], arrays[len(given) :]) if has_values else ((), arrays)
        rows = np.flatnonzero(bad) if skip.by_rows else [None]
        elements = [[_row(one, row, skip) for one in values] for row in rows]
        places = [_text(_row(where[0], row, skip)) if where else "" for row in rows]
        problem = log.note(run if has_values else None, elements, places)
        if not problem and bad.all():
            records = [place or _identity(element) for place, element in zip(places, elements)]
            problem = log.hopeless(failed_run.add(int(number), records), places[-1])
        return problem.encode()

    told = numpy_function(note, [number, is_bad, *(given if has_values else []), *place], tf.string)
    return tf.ensure_shape(told, [])


def _row(value: np.ndarray, number: Any, skip: ir.Skip) -> Any:
    """The part of *value* that belongs to one record, in the form that its slice takes."""
    if number is None:
        return value
    return value[number] if skip.alone is not None else value[number : number + 1]


def _identity(element: Sequence[np.ndarray]) -> Optional[int]:
    """A value by which *element* is recognised; None if it has no content."""
    values = [np.asarray(one) for one in element]
    return hash(tuple(repr(one.tolist()) for one in values)) if sum(one.size for one in values) else None


def _text(place: Any) -> str:
    one = np.asarray(place).reshape(-1)[0]
    return six.ensure_text(one, errors="replace")[:_LONGEST]
