"""Runs an input function that cannot be compiled in a session of its own, as in TF1, and feeds a dataset from it.

Each iterator builds the graph again and has its own session, coordinator and threads. They end with the iterator: at
the end of the data, at an error, or when it is dropped. If the program has set a seed, each graph gets a seed of its
own.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any, Callable, Iterator

import tensorflow as tf

from queuecompat._eager.program_seeds import program_seeds
from queuecompat._eager.tracing import trace
from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat.errors import NativePipelineWarning

__all__ = ["run_in_session"]


def run_in_session(input_fn: Callable[[], Any], structure: Any) -> tf.data.Dataset:
    """Returns the dataset of *input_fn*, whose elements have the specs of *structure*."""

    seeds, numbers = program_seeds(), itertools.count()

    def elements() -> Iterator[Any]:
        seed = None if seeds is None else (sum(seeds) + next(numbers)) % 2**31
        with warnings.catch_warnings():
            # Warned of already, when the dataset was made.
            warnings.simplefilter("ignore", NativePipelineWarning)
            traced = trace(input_fn, runs=True, seed=seed)
        return _steps(traced.graph, traced.result)

    return tf.data.Dataset.from_generator(elements, output_signature=structure)


def _steps(graph: tf.Graph, fetches: Any) -> Iterator[Any]:
    with graph.as_default():
        ready = [
            tf.compat.v1.global_variables_initializer(),
            tf.compat.v1.local_variables_initializer(),
            tf.compat.v1.tables_initializer(),
        ]
    coordinator = tf.compat.v1.train.Coordinator()
    with tf.compat.v1.Session(graph=graph) as session:
        session.run(ready)
        with graph.as_default(), without_queue_deprecations():
            threads = tf.compat.v1.train.start_queue_runners(session, coordinator)
        try:
            while True:
                yield session.run(fetches)
        except tf.errors.OutOfRangeError as ended:
            # Raises the first real error, if there was one; otherwise returns at the end of the data.
            coordinator.request_stop(ended)
            coordinator.join(threads)
        finally:
            coordinator.request_stop()
            coordinator.join(threads, ignore_live_threads=True)
