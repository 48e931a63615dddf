"""What is said when a ``tf.train.Checkpoint`` is restored that knows nothing of an iterator with a position.

TensorFlow restores such a checkpoint without a word, unless the program asks it whether all was matched: the iterator
begins from the beginning. ``Checkpoint.read``, by which ``restore`` and a ``CheckpointManager`` read as well, is
replaced once in a process, when the first dataset with ``checkpoint=True`` is made; it does what it did, and looks
afterwards.
"""

from __future__ import annotations

import functools
import os
import threading
from typing import Any, Callable, Iterator, List

import tensorflow as tf

from queuecompat.errors import RestartWarning, layout, warn_user

__all__ = ["tell_of_lost_positions"]

_lock = threading.Lock()
_is_told = False


def tell_of_lost_positions() -> None:
    """From now on a restored checkpoint that has no position of one of our iterators is told of (QC351)."""
    global _is_told
    with _lock:
        if not _is_told:
            tf.train.Checkpoint.read = _followed_by_a_look(tf.train.Checkpoint.read)
            _is_told = True


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
