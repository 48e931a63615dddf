"""Running a pipeline to its end, the way a TF1 program does."""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, List, Sequence

import tensorflow as tf

import queuecompat
from queuecompat import v1

__all__ = ["ENOUGH", "drain", "drain_built", "queue_of", "started", "write_records"]

# More steps than any finite pipeline of these tests takes.
ENOUGH = 10_000


class started:  # noqa: N801 - reads as a statement
    """``with started() as sess:`` a session whose pipelines run; stopped and joined at the end.

    No runner's error is swallowed: ``join`` raises what a runner's thread met, unless a step has raised it before.

    Attributes:
      coord: the coordinator of the runners' threads.
    """

    def __init__(self, graph: Any = None, *, threads: int = 0) -> None:
        self._graph = graph
        self._raised_by_steps: List[BaseException] = []
        # For ops, 0: as many as there are processors; each Python function that waits takes one.
        self._threads = threads

    def __enter__(self) -> tf.compat.v1.Session:
        # Nothing here may wait for ever: a hang becomes DeadlineExceededError.
        config = tf.compat.v1.ConfigProto(operation_timeout_in_ms=30_000, inter_op_parallelism_threads=self._threads)
        self.session = tf.compat.v1.Session(graph=self._graph, config=config)
        with self.session.graph.as_default():
            init = [tf.compat.v1.global_variables_initializer(), tf.compat.v1.local_variables_initializer()]
            self.session.run([*init, tf.compat.v1.tables_initializer()])
            self._note_errors_of_steps()
            self.coord = tf.compat.v1.train.Coordinator()
            try:
                self._threads = tf.compat.v1.train.start_queue_runners(sess=self.session, coord=self.coord)
            except BaseException:
                self.coord.request_stop()
                self.session.close()
                raise
        return self.session

    def __exit__(self, *_: Any) -> None:
        self.coord.request_stop()
        try:
            self.coord.join(self._threads, stop_grace_period_secs=10)
        except tf.errors.OpError as error:
            if not any(error is one for one in self._raised_by_steps):
                raise
        finally:
            self.session.close()

    def _note_errors_of_steps(self) -> None:
        run = self.session.run

        @functools.wraps(run)
        def noting(*args: Any, **kwargs: Any) -> Any:
            try:
                return run(*args, **kwargs)
            except tf.errors.OpError as error:
                self._raised_by_steps.append(error)
                raise

        self.session.run = noting


def drain(fetches: Any, steps: int = ENOUGH) -> List[Any]:
    """What *fetches* give, step by step, to the end of the data or for *steps* steps."""
    given = []
    with started() as sess:
        try:
            for _ in range(steps):
                given.append(sess.run(fetches))
        except tf.errors.OutOfRangeError:
            pass
    return given


def drain_built(build: Callable[[], Any], **options: Any) -> List[Any]:
    """What the pipeline that *build* builds, in a graph of its own, with *options*, gives step by step to its end."""
    with tf.Graph().as_default():
        with queuecompat.options(**options):
            fetches = build()
        return drain(fetches)


def queue_of(element: Any, capacity: int = 100) -> Any:
    """A queue of the program's own, which its runner fills with *element*, a scalar."""
    queue = v1.FIFOQueue(capacity, [element.dtype], [[]])
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue(element)]))
    return queue


def write_records(path: Any, records: Sequence[bytes]) -> str:
    with tf.io.TFRecordWriter(os.fspath(path)) as writer:
        for record in records:
            writer.write(record)
    return os.fspath(path)
