"""What is said when a ``tf.train.Checkpoint`` has no position of an iterator, or that of a different pipeline.

The second is seen by the dataset, where an iterator begins: what it began with is in the checkpoint.

In the first case TensorFlow restores the checkpoint without a word, unless the program asks it whether all was matched,
and the iterator begins from the beginning. ``Checkpoint.read``, by which ``restore`` and a ``CheckpointManager`` read
as well, is replaced once in a process, when the first dataset with ``checkpoint=True`` is made; it does what it did,
and looks afterwards.
"""

from __future__ import annotations

import functools
import os
import threading
from typing import Any, Callable, Iterator, List

import numpy as np
import tensorflow as tf

from queuecompat._backends.tfdata.mapping import no_autograph
from queuecompat._native.python_functions import numpy_function
from queuecompat._plan import ir
from queuecompat.errors import RestartWarning, layout, warn_user

__all__ = ["tell_of_lost_positions", "told_if_different"]

_lock = threading.Lock()
_is_told = False


def tell_of_lost_positions() -> None:
    """From now on a restored checkpoint that has no position of one of our iterators is told of (QC351)."""
    global _is_told
    with _lock:
        if not _is_told:
            tf.train.Checkpoint.read = _followed_by_a_look(tf.train.Checkpoint.read)
            _is_told = True


def told_if_different(saved: tf.Tensor, expected: int, plan: ir.Plan) -> tf.Tensor:
    """An op that tells (QC352) if any of *saved* is not *expected*, the fingerprint of *plan*; else no Python runs."""

    def tell() -> np.bool_:
        warn_user(layout("QC352", plan.made_at, stage=plan.name), RestartWarning)
        return np.bool_(True)

    is_same = tf.reduce_all(tf.equal(saved, expected))
    return tf.cond(is_same, lambda: tf.constant(True), no_autograph(lambda: numpy_function(tell, [], tf.bool)))


def _followed_by_a_look(read: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(read)
    def read_and_look(self: tf.train.Checkpoint, save_path: Any, options: Any = None) -> Any:
        status = read(self, save_path, options)
        if save_path is not None and tf.executing_eagerly():
            for plan in _without_position(self, os.fspath(save_path)):
                warn_user(layout("QC351", plan.made_at, stage=plan.name), RestartWarning)
        return status

    return read_and_look


def _without_position(checkpoint: tf.train.Checkpoint, path: str) -> List[Any]:
    """The plans of the iterators in *checkpoint* of which that of *path* has nothing."""
    ours = list(_iterators(checkpoint))
    if not ours:
        return []
    try:
        matched = tf.train.CheckpointView(path).match(checkpoint).values()
    except ValueError:  # a checkpoint of TensorFlow 1's Saver: names and no objects
        matched = ()
    return [
        iterator._queuecompat_explained.explainer.plan
        for iterator in ours
        if not any(iterator is restored for restored in matched)
    ]


def _iterators(checkpoint: tf.train.Checkpoint) -> Iterator[Any]:
    for one in tf.train.TrackableView(checkpoint).descendants():
        known = getattr(one, "_queuecompat_explained", None) if isinstance(one, tf.data.Iterator) else None
        if known is not None and known.explainer.plan.options.checkpoint:
            yield one
