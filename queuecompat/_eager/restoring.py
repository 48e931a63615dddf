"""Warns when a ``tf.train.Checkpoint`` has no position for an iterator, or the position of a different pipeline.

No position (QC351): TensorFlow restores such a checkpoint silently, unless the program asks whether everything was
matched, and the iterator starts from the beginning. So ``Checkpoint.read``, which ``restore`` and ``CheckpointManager``
use as well, is replaced once per process, when the first dataset with ``checkpoint=True`` is made. The replacement
calls the original and checks afterwards.

A different pipeline (QC352): the dataset detects that when an iterator begins, since the checkpoint contains what the
iterator began with.
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

__all__ = ["warned_if_different", "watch_for_lost_positions"]

_lock = threading.Lock()
_is_watching = False


def watch_for_lost_positions() -> None:
    """From now on, warns (QC351) when a restored checkpoint has no position for one of our iterators."""
    global _is_watching
    with _lock:
        if not _is_watching:
            tf.train.Checkpoint.read = _followed_by_a_look(tf.train.Checkpoint.read)
            _is_watching = True


def warned_if_different(saved: tf.Tensor, expected: int, plan: ir.Plan) -> tf.Tensor:
    """Returns an op that warns (QC352) if any of *saved* differs from *expected*, the fingerprint of *plan*.

    Python runs only in that case.
    """

    def warn() -> np.bool_:
        warn_user(layout("QC352", plan.made_at, stage=plan.name), RestartWarning)
        return np.bool_(True)

    is_same = tf.reduce_all(tf.equal(saved, expected))
    return tf.cond(is_same, lambda: tf.constant(True), no_autograph(lambda: numpy_function(warn, [], tf.bool)))


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
    """Returns the plans of those iterators in *checkpoint* that the file at *path* has no position for."""
    ours = list(_iterators(checkpoint))
    if not ours:
        return []
    try:
        matched = tf.train.CheckpointView(path).match(checkpoint).values()
    except ValueError:  # a checkpoint of TensorFlow 1's Saver, which has names and no objects
        matched = ()
    return [
        iterator._queuecompat_explained.explainer.plan
        for iterator in ours
        if not any(iterator is restored for restored in matched)
    ]


def _iterators(checkpoint: tf.train.Checkpoint) -> Iterator[Any]:
    for one in tf.train.TrackableView(checkpoint).descendants():
        known = getattr(one, "_queuecompat_explained", None) if isinstance(one, tf.data.Iterator) else None
        plan = None if known is None else known.explainer.plan
        if plan is not None and plan.options.checkpoint:
            yield one
