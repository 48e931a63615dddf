"""``generator_input_fn``: batches of what a Python generator yields."""

from __future__ import annotations

from collections.abc import Container
from types import FunctionType, GeneratorType
from typing import Any, Callable, List, Optional

import tensorflow as tf

from queuecompat._capture.array_batches import batches
from queuecompat._capture.generated_rows import blocks_of
from queuecompat._session.entry import require_graph
from queuecompat.plurals import type_of

__all__ = ["generator_input_fn"]

# TF1: min_after_dequeue is the capacity divided by this.
SHARE_KEPT = 4


def generator_input_fn(
    x: Callable[[], Any],
    target_key: Any = None,
    batch_size: int = 128,
    num_epochs: Optional[int] = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    pad_value: Any = None,
) -> Callable[[], Any]:
    """An input function that returns batches of what a generator yields.

    Args:
      x: generator function. Each call of it is an epoch, and each dict that it yields an example: from strings
        to arrays (or NumPy scalars) ``[*element]``. It is also called a few times to find out the types.
      target_key: the key, or a list of keys, of the targets; None: there are no targets.
      batch_size: examples in a batch, and taken from the generator at a time.
      num_epochs: how often *x* is called and read to its end; None: forever.
      shuffle: whether examples are drawn from a shuffle buffer of *queue_capacity*.
      queue_capacity: maximum number of examples held ahead of the consumer, not counting those just taken from the
        generator and the batch in flight.
      num_threads: at least 1; has no other effect.
      pad_value: pads shorter examples, in their last dimension, to the longest in their batch. None: all
        examples must have the same shape.
    Returns:
      A function without arguments. Called in a graph, it returns a dict of ``[batch_size, *element]``, or with
      *target_key* the pair (that dict, targets): a tensor for one key, a dict for more. The first
      dimension is None with *num_epochs*, the last with *pad_value*.
    Raises:
      TypeError: *x* is not a generator function, or does not yield dicts; *target_key* is neither a string nor a
        container of strings.
      KeyError: one of several *target_key* is not in the first example; by the input function, a single one.
      NotImplementedError: by the input function, *pad_value* and *shuffle*.
      ValueError: by the input function, ``num_threads < 1``.
      RuntimeError: QC101, QC102, QC302, by the input function.
      tf.errors.UnknownError: at run time, an example lacks a key, or the generator raised an error.
      tf.errors.InvalidArgumentError: at run time, examples of different shapes.
      tf.errors.OutOfRangeError: at run time, after the last batch, in this session and later ones.
    Differs from TF1: A run-time error (a missing file, a corrupt record, a failing op) is raised by the
      ``session.run`` that needs the element; TF1 stopped a thread and closed the queue. Running a pipeline that was
      not started is an error (QC301); TF1 waited forever. The data ends with the last epoch; TF1 continued into the
      next epoch until its block was full, once per thread. Only *pad_value* fills a batch; TF1 mixed in zeros.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_io/generator_io.py``.
    """
    first = _first_example(x)
    keys = sorted(first)
    targets = None if target_key is None else _target_keys(target_key, keys)

    def input_fn() -> Any:
        if shuffle and pad_value is not None:
            raise NotImplementedError("examples cannot be both padded and shuffled: use shuffle=False with a pad_value")
        require_graph("generator_input_fn")
        with tf.name_scope("enqueue_input") as scope:
            blocks = blocks_of(x, first, batch_size, num_epochs or None, pad_value)
        taken = batches(
            blocks,
            batch_size,
            capacity=queue_capacity,
            min_after_dequeue=int(queue_capacity / SHARE_KEPT) if shuffle else None,
            num_threads=num_threads,
            is_endless=num_epochs is None,
            scope=scope,
            enqueue_many=True,
            dynamic_pad=pad_value is not None,
        )
        features = dict(zip(keys, taken))
        if targets is None:
            return features
        given = {key: features.pop(key) for key in targets}
        return features, (given if len(targets) > 1 else given[targets[0]])

    return input_fn


def _first_example(x: Any) -> Any:
    if not isinstance(x, FunctionType):
        raise TypeError(f"x must be a generator function, not {type_of(x)}")
    generator = x()
    if not isinstance(generator, GeneratorType):
        raise TypeError(f"x must be a generator function, but it returns {type_of(generator)}")
    first = next(generator)
    if not isinstance(first, dict):
        raise TypeError(f"x must yield dicts, but it yields {type_of(first)}")
    return first


def _target_keys(target_key: Any, keys: List[str]) -> List[str]:
    if isinstance(target_key, str):
        return [target_key]
    if not isinstance(target_key, Container):
        raise TypeError(f"target_key must be a string or a container of strings, not {target_key!r}")
    for key in target_key:  # type: ignore[attr-defined]
        if not isinstance(key, str):
            raise TypeError(f"target_key must contain only strings, not {key!r}")
        if key not in keys:
            raise KeyError(f"target_key {key!r} is not among the keys that x yields: {keys}")
    return list(target_key)  # type: ignore[call-overload]
