"""Samplers: examples are kept or dropped at random, so that batches have a desired distribution."""

from __future__ import annotations

import collections.abc
import logging
from typing import Any, Callable, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._session.entry import require_graph
from queuecompat.errors import QueueCompatValueError
from queuecompat.train import batch, maybe_batch

__all__ = ["rejection_sample", "stratified_sample"]

# By how much the sum of probabilities may differ from 1.
TOLERANCE = 1e-6
# The initial count of each class.
SEEN_BEFORE = 10
# If a larger fraction of the examples is dropped, a warning is logged.
MANY_REJECTED = 0.5


def rejection_sample(
    tensors: Sequence[Any],
    accept_prob_fn: Callable[[List[tf.Tensor]], Any],
    batch_size: Any,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: Optional[str] = None,
) -> List[tf.Tensor]:
    """Batches of examples, each of which is kept with a probability that a function computes.

    Args:
      tensors: list of tensors, each ``[*example]`` (``[n, *example]`` with *enqueue_many*).
      accept_prob_fn: takes the list of one example's tensors and returns a floating point ``[]``, the probability of
        keeping it.
      batch_size: examples in a batch. With a tensor that is not constant, the queue is TensorFlow's
        own, which the compiled pipeline fills.
      queue_threads: threads of the batching queue; as ``num_threads`` of ``train.batch``.
      enqueue_many: one run of *tensors* returns several examples.
      prebatch_capacity, prebatch_threads: capacity and threads of the queue that splits examples; only with
        *enqueue_many*.
      runtime_checks: whether to check that the probability is in [0, 1].
      name: name scope.
    Returns:
      A list of tensors ``[batch_size, *example]``.
    Raises:
      TypeError: *tensors* are a dict or an iterator.
      ValueError: QC101, QC102; no tensors, unknown shapes, with *enqueue_many*, a scalar or different numbers of rows.
      RuntimeError: QC302.
      tf.errors.InvalidArgumentError: at run time, *runtime_checks* found a probability outside of [0, 1].
      tf.errors.OutOfRangeError: at run time, after the last batch.
    Differs from TF1: As ``train.batch``. A list of one tensor is accepted with *enqueue_many* too; TF1 raised an
      error.
    Source: TF 1.15.5 ``contrib/training/python/training/sampling_ops.py``.
    """
    require_graph("rejection_sample", QueueCompatValueError)
    _require_list(tensors)
    with tf.compat.v1.variable_scope(name, "rejection_sample", tensors):
        values = [tf.convert_to_tensor(tensor) for tensor in tensors]
        if enqueue_many:
            _check_same_rows(values, values[0])
            values = _one_by_one(values, prebatch_capacity, prebatch_threads)
        probability = accept_prob_fn(values)
        if runtime_checks:
            in_range = [
                tf.compat.v1.assert_less_equal(0.0, probability),
                tf.compat.v1.assert_less_equal(probability, 1.0),
            ]
            with tf.control_dependencies(in_range):
                probability = tf.identity(probability, name="prob_with_checks")
        return _kept(values, probability, batch_size, queue_threads)


def stratified_sample(
    tensors: Sequence[Any],
    labels: Any,
    target_probs: Any,
    batch_size: Any,
    init_probs: Any = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: Optional[str] = None,
) -> Tuple[List[tf.Tensor], tf.Tensor]:
    """Batches in which the classes have given proportions; examples of classes that are too frequent are dropped.

    Args:
      tensors: list of tensors, each ``[*example]`` (``[n, *example]`` with *enqueue_many*).
      labels: integer ``[]`` (``[n]``), the class of each example, in ``[0, classes)``.
      target_probs: ``[classes]``, the proportions in the batches; their sum is 1.
      batch_size: examples in a batch. With a tensor that is not constant, the queue is TensorFlow's
        own, which the compiled pipeline fills.
      init_probs: ``[classes]``, the proportions in the data. None: they are estimated from a count of each class in
        the global variable ``class_count``, which must be initialised first.
      enqueue_many: one run of *tensors* returns several examples.
      queue_capacity: in TF1, number of examples held between the source and the choice.
      threads_per_queue: as ``num_threads`` of ``train.batch``.
      name: name scope.
    Returns:
      ``(data, labels)``: a list of tensors ``[batch_size, *example]``, and ``[batch_size]``.
    Raises:
      TypeError: *tensors* are a dict or an iterator.
      ValueError: QC101, QC102; labels or data of a wrong rank, different numbers of rows, probabilities that are not
        vectors of a known length, or of different lengths.
      RuntimeError: QC302.
      tf.errors.InvalidArgumentError: at run time (for constants, partly at the call), probabilities that are
        negative or whose sum is not 1, a class in *target_probs* that does not occur in the data, labels out of range,
        no rows.
      tf.errors.OutOfRangeError: at run time, after the last batch.
    Differs from TF1: As ``train.batch``. Without *init_probs*, TF1 read the source twice, once to count and once to
      choose, and lost more than half of the examples; here each example is read once. *queue_capacity* has no effect,
      because there is no queue before the choice, and no fullness summary of it; TF1 raised ZeroDivisionError for 0.
      A warning that many examples will be dropped is logged once, while the graph is built, if both probabilities are
      constants; TF1 printed it at run time.
    Source: TF 1.15.5 ``contrib/training/python/training/sampling_ops.py``.
    """
    require_graph("stratified_sample", QueueCompatValueError)
    _require_list(tensors)
    with tf.compat.v1.name_scope(name, "stratified_sample", [*tensors, labels]):
        values = [tf.convert_to_tensor(tensor) for tensor in tensors]
        labels = tf.convert_to_tensor(labels)
        target = tf.convert_to_tensor(target_probs, tf.float32)
        known = None if init_probs is None else tf.convert_to_tensor(init_probs, tf.float32)
        classes = _number_of_classes(target, known)
        _check_ranks(values, labels, enqueue_many)
        with tf.control_dependencies(_checks(values, labels, target, known, classes, enqueue_many)):
            checked = tf.identity(labels)
        initial = _estimate(checked, classes) if known is None else known
        _warn_if_many_are_rejected(known, target)
        *data, labels = _kept(
            [*values, checked],
            tf.gather(_acceptance(initial, target), checked),
            batch_size,
            threads_per_queue,
            enqueue_many=enqueue_many,
            name="batch_1",  # TF1's second queue; the first one is not needed
        )
        return data, labels


def _one_by_one(values: Sequence[tf.Tensor], capacity: int, threads: int) -> List[tf.Tensor]:
    """Returns tensors that have one example at a time, from *values*, which have several."""
    batched = batch(values, 1, num_threads=threads, capacity=capacity, enqueue_many=True)
    return [tf.squeeze(one, [0]) for one in _as_list(batched)]


def _kept(
    values: Sequence[tf.Tensor], probability: Any, batch_size: Any, threads: int, **options: Any
) -> List[tf.Tensor]:
    """Returns batches of the examples that are kept, each with *probability*: ``[]``, or ``[n]`` for n examples."""
    keep = tf.compat.v1.random_uniform(tf.shape(probability)) < probability
    return _as_list(maybe_batch(values, keep_input=keep, batch_size=batch_size, num_threads=threads, **options))


def _require_list(tensors: Any) -> None:
    """Raises TypeError if *tensors* are a dict, whose keys would be taken, or an iterator, which is read only once."""
    if isinstance(tensors, (dict, collections.abc.Iterator)):
        raise TypeError(f"tensors must be a list, not a {type(tensors).__name__}")


def _as_list(batched: Any) -> List[tf.Tensor]:
    # For a list of one tensor, ``batch`` and ``maybe_batch`` return a tensor.
    return [batched] if tf.is_tensor(batched) else list(batched)


def _check_same_rows(values: Sequence[tf.Tensor], like: tf.Tensor) -> None:
    rows = like.shape.with_rank_at_least(1)[:1]
    for value in values:
        value.shape.with_rank_at_least(1)[:1].assert_is_compatible_with(rows)


def _number_of_classes(target: tf.Tensor, known: Optional[tf.Tensor]) -> int:
    for probabilities in (known, target):
        if probabilities is not None:
            probabilities.shape.assert_is_fully_defined()
            probabilities.shape.assert_has_rank(1)
    count = target.shape.num_elements()
    if known is not None and known.shape.num_elements() != count:
        raise ValueError(f"init_probs has {known.shape.num_elements()} classes, but target_probs has {count}")
    return int(count)


def _adds_up(probabilities: tf.Tensor) -> List[tf.Operation]:
    """Returns the run-time checks that *probabilities* are not negative and have the sum 1; none if the graph knows."""
    known = tf.get_static_value(probabilities)
    if known is not None and (known >= 0).all() and abs(float(known.sum()) - 1.0) < TOLERANCE / 2:
        return []
    total = tf.reduce_sum(probabilities)
    return [
        tf.compat.v1.assert_non_negative(probabilities),
        tf.compat.v1.assert_less(total, 1.0 + TOLERANCE),
        tf.compat.v1.assert_less(1.0 - TOLERANCE, total),
    ]


def _wishes_what_occurs(target: tf.Tensor, initial: tf.Tensor) -> List[tf.Operation]:
    """Returns the run-time check that every class in *target_probs* occurs in the data; none if the graph knows it."""
    wished, present = tf.get_static_value(target), tf.get_static_value(initial)
    if wished is not None and present is not None and ((present != 0) | (wished == 0)).all():
        return []
    occurs = tf.reduce_all(tf.not_equal(initial, 0) | tf.equal(target, 0))
    complaint = "target_probs has a class whose probability in init_probs is 0:"
    return [tf.compat.v1.Assert(occurs, [complaint, initial, target])]


def _check_ranks(values: Sequence[tf.Tensor], labels: tf.Tensor, is_many: bool) -> None:
    labels.shape.assert_has_rank(1 if is_many else 0)
    if is_many:
        _check_same_rows(values, labels)


def _checks(
    values: Sequence[tf.Tensor],
    labels: tf.Tensor,
    target: tf.Tensor,
    known: Optional[tf.Tensor],
    classes: int,
    is_many: bool,
) -> List[tf.Operation]:
    """Returns the checks made in each run: equal numbers of rows; labels in range; proportions with a sum of 1."""
    checks = (
        _adds_up(target)
        if known is None
        else [*_adds_up(known), *_adds_up(target), *_wishes_what_occurs(target, known)]
    )
    tf.debugging.assert_integer(labels)
    in_range = (labels >= 0) & (labels < tf.cast(classes, labels.dtype))
    checks.append(tf.compat.v1.Assert(tf.reduce_all(in_range), [f"labels must be in [0, {classes}):", labels]))
    if is_many:
        rows = tf.shape(labels)[0]
        checks.append(tf.compat.v1.assert_positive(rows))
        checks += [tf.compat.v1.assert_equal(tf.shape(value)[0], rows) for value in values]
    return checks


def _estimate(labels: tf.Tensor, classes: int) -> tf.Tensor:
    """Returns the proportions of the classes in the examples so far, including the current ones.

    An example is counted in the step that decides whether it is kept. In TF1, the count was a second consumer of the
    source, and the examples that it took were lost.
    """
    seen = tf.compat.v1.Variable([SEEN_BEFORE] * classes, trainable=False, name="class_count", dtype=tf.int64)
    rows = tf.reshape(tf.one_hot(labels, classes, dtype=tf.int64), [-1, classes])
    # Read once, for both the sum and the quotient, because a second thread may be counting at the same time.
    counts = tf.cast(seen.assign_add(tf.reduce_sum(rows, 0)), tf.float64)
    return tf.cast(counts / tf.reduce_sum(counts), tf.float32)


def _acceptance(initial: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    """Returns, for each class, the probability of keeping an example.

    Kept examples have the desired proportions if each class is kept with a probability proportional to
    ``target / initial``. As many as possible are kept if the largest of these probabilities is 1.
    """
    ratio = target / initial
    wished = tf.where(tf.math.is_nan(ratio), tf.zeros_like(ratio), ratio)
    return wished / tf.reduce_max(wished)


def _warn_if_many_are_rejected(known: Optional[tf.Tensor], target: tf.Tensor) -> None:
    initial, wished = (None if p is None else tf.get_static_value(p) for p in (known, target))
    if initial is None or wished is None:
        return
    # A class that does not occur has a target of 0, as ``_wishes_what_occurs`` checks, and does not matter here.
    most = max((w / i for w, i in zip(wished, initial) if i > 0), default=0.0)
    if most > 0 and 1.0 - 1.0 / most >= MANY_REJECTED:
        logging.getLogger("queuecompat").warning(
            "stratified_sample: about %d of 100 examples will be dropped", round(100 * (1.0 - 1.0 / most))
        )
