"""Endless datasets, which ``num_epochs=None`` makes: iterating over a part of them, and a warning for Keras.

If Keras is passed an endless dataset and no number of steps, it either refuses it or trains its first epoch forever.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any, Optional, Tuple

import tensorflow as tf

from queuecompat._backends.tfdata.mapping import no_autograph
from queuecompat._backends.tfdata.options import without_tfdata_optimizer
from queuecompat._eager.derived import subclass
from queuecompat._eager.explaining import explained_as
from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError, error, layout, warn_user
from queuecompat.loader.settings import shown, whole_number

__all__ = ["steps", "warning_in_fit"]

# Keras's loops over a dataset, each with the argument that limits it.
_LOOPS = {"fit": "steps_per_epoch", "evaluate": "steps", "predict": "steps"}


def steps(dataset: tf.data.Dataset, count: int) -> tf.data.Dataset:
    """*dataset*, *count* elements at a time: each iteration continues where the one before it stopped.

    Use it for an endless dataset in a loop that needs an end: ``model.fit(queuecompat.steps(dataset, 1000),
    epochs=5)``, or ``for batch in queuecompat.steps(dataset, 1000)`` once per epoch. In contrast,
    ``dataset.take(count)`` starts again each time, with the same files.

    Args:
      dataset: any tf.data.Dataset. If it ends, its last iteration has fewer elements, and later ones have none.
      count: the number of elements (such as batches) per iteration; at least 1.
    Returns:
      A dataset with the same elements. The position belongs to the dataset, not to its iterators: it is not saved with
      them, and two iterators that run side by side share the elements. If you derive a dataset that takes elements
      ahead (``prefetch``, a parallel ``map``, a distributed dataset), iterate over it to the end: leaving it early
      loses elements, or all that follow.
    Raises:
      QueueCompatTypeError: QC516, *dataset* is not a dataset.
      QueueCompatValueError: QC516, *count* is not a whole number, or less than 1.
    """
    if not isinstance(dataset, tf.data.Dataset):
        needed = "a tf.data.Dataset, such as as_dataset returns"
        raise error(QueueCompatTypeError, "QC516", given=shown(dataset), argument="dataset", needed=needed)
    whole = whole_number(count)
    if whole is None or not 1 <= whole <= tf.int64.max:
        needed = "the number of batches in an epoch, a whole number of at least 1"
        raise error(QueueCompatValueError, "QC516", given=shown(count), argument="count", needed=needed)
    count = whole
    going_on = iter(dataset)
    some = tf.data.Dataset.range(count).map(no_autograph(lambda _: going_on.get_next_as_optional()))
    some = some.take_while(no_autograph(lambda element: element.has_value()))
    some = some.map(no_autograph(lambda element: element.get_value()))
    # tf.data's optimiser could add threads that take elements ahead; a loop that is left early would then lose them, or
    # all that follow.
    some = without_tfdata_optimizer(some)
    if dataset.cardinality() == tf.data.INFINITE_CARDINALITY:
        some = some.apply(tf.data.experimental.assert_cardinality(count))
    return explained_as(dataset, some)


def warning_in_fit(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """*dataset*; if it is endless, a Keras loop that gets it without a number of steps warns once (QC513).

    The same holds for endless datasets that are derived from it (``map``, ``prefetch``).
    """
    return _warning(dataset, _Warning())


class _Warning:
    """Whether a dataset, or one that is derived from it, has already warned."""

    is_given = False


def _warning(dataset: tf.data.Dataset, warning: _Warning) -> tf.data.Dataset:
    if dataset.cardinality() == tf.data.INFINITE_CARDINALITY:
        # Not a wrapper, which TensorFlow would not accept as a dataset; not methods on the object, which would keep it
        # alive.
        kind: Any = type(dataset)
        dataset.__class__ = _endless(kind)
        dataset._queuecompat_warning = warning
    return dataset


@functools.cache
def _endless(kind: Any) -> type:
    """Returns a subclass of *kind* for endless datasets."""

    def cardinality(self: Any) -> tf.Tensor:
        # Keras calls this before it begins.
        found = None if self._queuecompat_warning.is_given else _loop_without_steps()
        if found is not None:
            self._queuecompat_warning.is_given = True
            warn_user(layout("QC513", method=found[0], argument=found[1]), UserWarning)
        return kind.cardinality(self)

    return subclass(kind, lambda result, of, _: _warning(result, of._queuecompat_warning), cardinality=cardinality)


def _loop_without_steps() -> Optional[Tuple[str, str]]:
    """Returns the innermost running Keras loop and its limiting argument, if that argument is None; otherwise None."""
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None:
        argument = _LOOPS.get(frame.f_code.co_name)
        if argument is not None and argument in frame.f_locals:
            return None if frame.f_locals[argument] is not None else (frame.f_code.co_name, argument)
        frame = frame.f_back
    return None
