"""Runs an input function that cannot be compiled in a session of its own, as in TF1, and feeds a dataset from it.

Each iterator builds the graph again and has its own session, coordinator and threads. They end with the iterator: at
the end of the data, at an error, or when it is dropped. If the program has set a seed, each graph gets a seed of its
own.

tf.data would raise an UnknownError for every error of the session. A loop of the program over the dataset, or over one
derived from it, raises the session's own error.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any, Callable, Iterator, Optional

import tensorflow as tf

from queuecompat._eager.explaining import Explainer, explaining
from queuecompat._eager.program_seeds import program_seeds
from queuecompat._eager.tracing import trace
from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat._session.steps import failures
from queuecompat.errors import NativePipelineWarning

__all__ = ["run_in_session"]


def run_in_session(input_fn: Callable[[], Any], structure: Any) -> tf.data.Dataset:
    """Returns the dataset of *input_fn*, whose elements have the specs of *structure*."""

    seeds, numbers, explainer = program_seeds(), itertools.count(), _SessionExplainer()

    def elements() -> Iterator[Any]:
        seed = None if seeds is None else (sum(seeds) + next(numbers)) % 2**31
        with warnings.catch_warnings():
            # Warned of already, when the dataset was made.
            warnings.simplefilter("ignore", NativePipelineWarning)
            traced = trace(input_fn, runs=True, seed=seed)
        return explainer.noting(_steps(traced.graph, traced.result))

    return explaining(tf.data.Dataset.from_generator(elements, output_signature=structure), explainer)


class _SessionExplainer(Explainer):
    """Knows the last error that a session raised."""

    plan = None

    def __init__(self) -> None:
        self._raised: Optional[tf.errors.OpError] = None

    def noting(self, steps: Iterator[Any]) -> Iterator[Any]:
        """Returns *steps*, and notes the error that they raise."""
        try:
            yield from steps
        except tf.errors.OpError as error:
            self._raised = error
            raise

    def explained(self, error: tf.errors.OpError, is_derived: bool) -> tf.errors.OpError:
        raised = self._raised
        if raised is None or failures.cause(raised) not in error.message:
            return error
        return failures.explained(raised, raised.message)

    def at_the_end(self) -> Optional[tf.errors.OpError]:
        return None  # TensorFlow's own readers check that, or do not, as in TensorFlow 1

    def watch(self, iterator: Any) -> None:
        """The session's own watch reports what it waits for."""

    def check_saving(self) -> None:
        """A Python function makes the elements: TensorFlow refuses to save the iterator."""


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
