"""What stands in the QUEUE_RUNNERS collection for a compiled queue.

TF1 code starts its queues through that collection: ``start_queue_runners``, ``Supervisor``,
``MonitoredTrainingSession`` and slim all call ``create_threads`` of what they find there. Ours runs
one op, the start op, and needs no thread: by the time that the call returns the pipeline is ready.

Rule 1: starting twice in one session changes nothing. The graph itself keeps count (``_once``), so
        this holds for a session that another program made from the exported meta graph, too.
Rule 2: what was not started says so when it is run (``guard``).
"""

from __future__ import annotations

import contextlib
import logging
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

import numpy as np
import tensorflow as tf

from queuecompat._compiler.lowering.functions import dataset_function, shared
from queuecompat._runtime.fullness import Counter
from queuecompat._runtime.iterators import Stream, apart
from queuecompat.errors import layout

__all__ = ["PipelineRunner", "quietly"]


class PipelineRunner(tf.compat.v1.train.QueueRunner):
    """Starts the streams of one queue.

    Args:
      scope: the name that the runner's ops stand below.
      cancel_op: run once when the coordinator stops, as TF1 did on error; None: nothing.
    """

    def __init__(self, graph: tf.Graph, scope: str, cancel_op: Optional[tf.Operation] = None) -> None:
        self.graph = graph
        self.has_started = False
        # Called before a start while the graph is open; the pipelines look about for late consumers.
        self.before_start: Callable[[], None] = lambda: None
        # Called with the session after a start; the stall watch begins.
        self.after_start: Callable[[tf.compat.v1.Session], None] = lambda session: None
        self.scope = scope.rstrip("/")
        self._streams: List[Stream] = []
        self._arrays: List[_Array] = []
        self._counters: List[Counter] = []
        self._earlier_starts: List[tf.Operation] = []
        self._beginnings: Dict[int, tf.Operation] = {}
        self._on_cancel = cancel_op
        with apart(graph, scope):
            self.once = _once()
            self._started = tf.raw_ops.VarHandleOp(
                dtype=tf.bool, shape=[], shared_name=f"{self.scope}/started", container="", name="started"
            )
            # A runner's proto names ops, and an imported one looks them up: they have to exist.
            nothing = tf.no_op("queue")
            with quietly():
                # The base class is what to_proto, and so every saved checkpoint, expects.
                super().__init__(
                    queue=nothing,
                    enqueue_ops=[self.once],  # until there is something to start
                    close_op=nothing,
                    cancel_op=cancel_op or nothing,
                    queue_closed_exception_types=(tf.errors.OutOfRangeError,),
                )

    def add_stream(self, stream: Stream) -> None:
        """From the next start on *stream* is started too; what runs already is left alone."""
        if self.has_started:
            self._earlier_starts.append(self.enqueue_ops[0])
            self._streams, self.has_started = [], False
            with apart(self.graph, self.scope):
                self.once = _once()
            self._beginnings = {}
        self._streams.append(stream)

    def add_array(self, array: np.ndarray) -> tf.Tensor:
        """A tensor that is *array* from the start on; it never enters the graph."""
        with apart(self.graph, self.scope):
            one = _Array(array, f"{self.scope}/array_{len(self._arrays)}")
        self._arrays.append(one)
        return one.read()

    def add_counters(self, *counters: Counter) -> None:
        """They begin at 0 at the start."""
        self._counters += counters

    def guard(self, stage: str, made_at: str) -> tf.Operation:
        """An op that fails with QC301 until the start op has run."""
        with apart(self.graph, self.scope):
            is_started = tf.raw_ops.VarIsInitializedOp(resource=self._started)
            return tf.raw_ops.Assert(condition=is_started, data=[layout("QC301", made_at, stage=stage)], name="guard")

    def refresh(self) -> None:
        """Makes the start op anew, after streams were added or filled."""
        with apart(self.graph, self.scope):
            ready = [stream.initializer for stream in self._streams if stream.initializer is not None]
            with tf.control_dependencies([self.once]):
                # Made once, though a start op may be made again and again.
                parts: List[Union[_Array, Counter]] = [*self._arrays, *self._counters]
                for part in parts:
                    if id(part) not in self._beginnings:
                        self._beginnings[id(part)] = part.begin()
            ready += self._beginnings.values()
            with tf.control_dependencies([self.once, *ready]):
                start = tf.raw_ops.AssignVariableOp(resource=self._started, value=True, name="start")
        self.enqueue_ops[:] = [start]

    def create_threads(
        self, sess: tf.compat.v1.Session, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> List[threading.Thread]:
        """Starts the pipeline in *sess*; with ``start=False`` gives a thread that does it when it is started.

        Raises:
          tf.errors.OpError: what the pipeline needs at once (a constant, an array) could not be had.
        """
        threads: List[threading.Thread] = []
        if start:
            self._start(sess)
        else:
            threads.append(_StartingThread(lambda: self._start(sess), daemon=daemon))
        if coord is not None and self._on_cancel is not None:
            threads.append(threading.Thread(target=self._cancel_on_stop, args=(sess, coord), daemon=daemon))
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads

    def _start(self, sess: tf.compat.v1.Session) -> None:
        if not self.graph.finalized:
            self.before_start()
        self.has_started = True
        feed: Dict[tf.Tensor, np.ndarray] = {array.fed: array.value for array in self._arrays}
        for start in [*self._earlier_starts, self.enqueue_ops[0]]:
            # OutOfRange is _once saying that this session's pipeline has been started before.
            with contextlib.suppress(tf.errors.OutOfRangeError):
                sess.run(start, feed_dict=feed)
        self.after_start(sess)

    def _cancel_on_stop(self, sess: tf.compat.v1.Session, coord: Any) -> None:
        coord.wait_for_stop()
        try:
            sess.run(self._on_cancel)
        except Exception as problem:  # as in TF1: the program is stopping anyway
            logging.getLogger("queuecompat").info("cancel_op failed: %s", problem)


class _StartingThread(threading.Thread):
    """A thread whose work is done when ``start`` returns, so that no run can come too early."""

    def __init__(self, begin: Callable[[], None], daemon: bool) -> None:
        super().__init__(name="QueueRunnerThread-start", daemon=daemon)
        self._begin = begin

    def start(self) -> None:
        self._begin()
        super().start()


def _once() -> tf.Operation:
    """An op that runs once in each session, and is out of range ever after."""

    def one_element() -> List[tf.Tensor]:
        return [tf.data.experimental.to_variant(tf.data.Dataset.range(1))]

    of_number = {"output_types": [tf.int64], "output_shapes": [[]]}
    factory = shared(lambda: tf.compat.v1.wrap_function(one_element, []), "once")
    handle = tf.raw_ops.OneShotIterator(dataset_factory=dataset_function(factory), **of_number)
    return tf.raw_ops.IteratorGetNext(iterator=handle, **of_number, name="once")[0].op


class _Array:
    """A NumPy array that is fed once, at the start, into a variable without collections."""

    def __init__(self, value: np.ndarray, name: str) -> None:
        self.value = value
        self._dtype = tf.as_dtype(value.dtype)
        self.fed = tf.compat.v1.placeholder(self._dtype, value.shape, name="array")
        self._handle = tf.raw_ops.VarHandleOp(
            dtype=self._dtype, shape=value.shape, shared_name=name, container="", name="array_variable"
        )

    def begin(self) -> tf.Operation:
        return tf.raw_ops.AssignVariableOp(resource=self._handle, value=self.fed)

    def read(self) -> tf.Tensor:
        # Not ResourceGather: that copies the whole variable before its first lookup.
        return tf.ensure_shape(tf.raw_ops.ReadVariableOp(resource=self._handle, dtype=self._dtype), self.value.shape)


@contextlib.contextmanager
def quietly(without: Sequence[str] = ("Queue-based input pipelines", "tf.data", "deprecated")) -> Iterator[None]:
    """Silences TensorFlow's advice to leave queues while we call its queue functions ourselves."""

    def is_wanted(record: logging.LogRecord) -> bool:
        return not any(words in record.getMessage() for words in without)

    logger = tf.get_logger()
    logger.addFilter(is_wanted)
    try:
        yield
    finally:
        logger.removeFilter(is_wanted)
