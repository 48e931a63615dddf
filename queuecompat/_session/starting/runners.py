"""The queue runner that a compiled queue has in the QUEUE_RUNNERS collection.

TF1 code starts its queues through that collection: ``start_queue_runners``, ``Supervisor``,
``MonitoredTrainingSession`` and slim all call ``create_threads`` of the runners in it. Ours runs one op, the start op,
so the pipeline is ready when the call returns. The threads that it returns stand for TF1's (see ``activity``).

Rule 1: starting twice in one session changes nothing. The graph itself counts starts (``StartClaim``), so this also
        holds in a session that a different program made from the exported meta graph.
Rule 2: a pipeline that was not started fails with an error that says so (``guard``).
Rule 3: ops that TF1 made, and that programs may refer to by name, have TF1's names (``QueueNames``).
"""

from __future__ import annotations

import dataclasses
import functools
import sys
import threading
import weakref
from typing import Any, Callable, Dict, List, Optional, Set, Union

import numpy as np
import tensorflow as tf

from queuecompat._backends.tfdata.dispatchers import require_dispatcher
from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat._plan.queue_names import QueueNames
from queuecompat._session.graph_ops.counters import Counter, Earliest, RunCounter
from queuecompat._session.graph_ops.gates import DrawGate, SourceGate
from queuecompat._session.graph_ops.iterators import Stream
from queuecompat._session.graph_ops.phases import Phase
from queuecompat._session.graph_ops.placement import Placement, beside_draws, outside_user_scopes
from queuecompat._session.graph_ops.waits import after, gate, wait_for
from queuecompat._session.starting.activity import Activity, Ops, Work, refused, threads_of
from queuecompat._session.starting.joint_start_step import Start, StartClaim, start_alone
from queuecompat._session.steps import open_sessions, sessions
from queuecompat.errors import layout

__all__ = ["PipelineRunner"]


class PipelineRunner(tf.compat.v1.train.QueueRunner):
    """Starts the streams of one queue.

    Args:
      scope: the name scope of the runner's ops.
      names: TF1's names of the queue and its ops.
      cancel_op: run once when the coordinator stops, in place of closing the queue, as in TF1; None: there is none.
      queue_of: returns the queue object for the program, given the op that has the queue's name.
    Attributes:
      sources: the gate that elements pass on their way in; shut at a stop.
      draws: the gate that the program's own draws pass; shut once a stop has drained the pipelines.
      ending: the ops that end the pipelines.
    """

    def __init__(
        self,
        placement: Placement,
        scope: str,
        names: QueueNames,
        cancel_op: Optional[tf.Operation] = None,
        *,
        queue_of: Callable[[tf.Operation], tf.compat.v1.QueueBase],
    ) -> None:
        self._set_up(placement.graph, scope, names, cancel_op)
        self.placement = placement
        self.sources = SourceGate(placement, f"{self.scope}/sources")
        self.draws = DrawGate(placement, f"{self.scope}/draws")
        self._started = RunCounter(placement, scope, "started")
        self._claim = StartClaim(placement, self.scope, self._started, 0)
        with outside_user_scopes(placement, scope):
            # A name that ends in "/" is taken literally.
            queue, close = (tf.no_op(f"{name}/") for name in (names.queue, names.close))
            # Each of them depends on the start op, and so starts the pipeline.
            self._enqueues = {name: tf.no_op(f"{name}/") for name in dict.fromkeys(names.enqueue)}
            cancel = gate([self.sources.shut_count()], f"{names.cancel}/")
            with without_queue_deprecations():
                # The base class is initialised because to_proto, and so every saved checkpoint, needs it. From that
                # proto TensorFlow makes a plain runner, which runs an enqueue op until the data end, and then the close
                # op: so the close op is a no-op, as nothing may be closed that early.
                super().__init__(
                    queue=queue_of(queue),
                    enqueue_ops=[self._enqueues[name] for name in names.enqueue],
                    close_op=close,
                    cancel_op=cancel_op or cancel,
                    queue_closed_exception_types=(tf.errors.OutOfRangeError,),
                )
        self.ending = Ops(stop=[], close=[], drains=False, cancel=cancel_op)

    def _set_up(self, graph: tf.Graph, scope: str, names: QueueNames, cancel_op: Optional[tf.Operation] = None) -> None:
        self.graph = graph
        self.scope = scope.rstrip("/")
        self.names = names
        self.has_started = False
        # Called before a start; while the graph is not finalised, it looks for consumers that came late.
        self.before_start: Callable[[], None] = lambda: None
        # Called with the session before a start; it may start everything that the current call starts in one step.
        self.start_together: Callable[[tf.compat.v1.Session], None] = lambda session: None
        # Called with the session after a start; it starts the stall watch.
        self.after_start: Callable[[tf.compat.v1.Session], None] = lambda session: None
        self._streams: List[Stream] = []
        self._arrays: List[_Array] = []
        # Arrays and counters that the earlier starts do not initialise.
        self._new_arrays: List[_Array] = []
        self._new_counters: List[Union[Counter, Earliest]] = []
        self._earlier_starts: List[Start] = []
        # A scalar bool, whether its guards are open; None: it has no guards.
        self._is_open: Optional[tf.Tensor] = None
        # None: there is nothing to start yet.
        self._latest_start: Optional[Start] = None
        # Whether a session has seen its ops, so that their control inputs cannot be changed any more.
        self.is_known = False
        # From the names of TF1's enqueue ops to the ops that they depend on only in an exported GraphDef.
        self.late_starts: Dict[str, str] = {}
        # An op that shuts the sources at the end of the data; None: no op reads whether the queue is closed.
        self._shut_at_the_end: Optional[tf.Operation] = None
        # Whether the queue has room for all elements that will ever come.
        self.holds_everything = False
        self._programs_cancel_op = cancel_op
        self._activities: weakref.WeakKeyDictionary[Any, Activity] = weakref.WeakKeyDictionary()
        self._activities_lock = threading.Lock()
        self._failures: List[BaseException] = []
        # The addresses of the data services that have to be reachable at a start.
        self.services: Set[str] = set()
        # The initialising ops of the latest start, by the id of what they initialise; reused when the start op is
        # rebuilt.
        self._init_ops: Dict[int, tf.Operation] = {}

    @property
    def exceptions_raised(self) -> List[BaseException]:
        """The errors since the last start; empty if a coordinator was there to receive them."""
        return self._failures

    @property
    def claim_op(self) -> tf.Operation:
        """The first op of a start, which fails if that start has been run in the session."""
        return self._claim.op

    @property
    def starts(self) -> List[Start]:
        """The starts that have to be run, in this order."""
        return [*self._earlier_starts, *([] if self._latest_start is None else [self._latest_start])]

    @property
    def feeds(self) -> Dict[tf.Tensor, np.ndarray]:
        """The arrays that the starts have to be fed."""
        return {array.fed: array.value for array in self._arrays}

    def add_stream(self, stream: Stream) -> None:
        """From the next start on *stream* is started, too; streams that are running are left alone."""
        if self.has_started:
            self._earlier_starts, self._latest_start = self.starts, None
            self._streams, self._new_arrays, self._new_counters, self.has_started = [], [], [], False
            self._claim = StartClaim(self.placement, self.scope, self._started, len(self._earlier_starts))
            self._init_ops = {}
        if stream not in self._streams:
            self._streams.append(stream)

    def add_array(self, array: np.ndarray) -> tf.Tensor:
        """A tensor with the value of *array* from the start on; the array never becomes part of the graph."""
        with outside_user_scopes(self.placement, self.scope):
            one = _Array(array, f"{self.placement.scope(self.scope)}/array_{len(self._arrays)}")
        self._arrays.append(one)
        self._new_arrays.append(one)
        return one.read()

    def add_counters(self, *counters: Union[Counter, Earliest]) -> None:
        """Adds counters that a start sets to their initial values."""
        self._new_counters += counters

    def guard(self, stage: str, made_at: str) -> tf.Operation:
        """An op that fails with QC301 until the start op has run."""
        with outside_user_scopes(self.placement, self.scope):
            self._is_open = self._started.is_positive()
        with beside_draws(self.placement, self.scope):
            return tf.raw_ops.Assert(
                condition=self._is_open, data=[layout("QC301", made_at, stage=stage)], name="guard"
            )

    def has_started_in(self, sess: tf.compat.v1.Session) -> bool:
        """Whether its guards are open in *sess*; if it has no guards, whether it was started there."""
        if self._is_open is None:
            return open_sessions.state_of(sess).started.issuperset(start.op for start in self.starts)
        try:
            return bool(sessions.run_unattended(sess, self._is_open))
        except (RuntimeError, tf.errors.OpError):  # the step itself reports what is wrong with the session
            return True

    def refresh(self) -> None:
        """Builds the ops that start and end the pipelines, after streams were added or filled."""
        with outside_user_scopes(self.placement, self.scope):
            ready = [stream.initializer for stream in self._streams if stream.initializer is not None]
            with after([self.claim_op]):
                parts: List[Union[_Array, Counter, Earliest]] = [*self._new_arrays, *self._new_counters]
                for part in parts:
                    if id(part) not in self._init_ops:
                        self._init_ops[id(part)] = part.begin()
                if not self._earlier_starts and id(self.sources) not in self._init_ops:
                    self._init_ops[id(self.sources)] = self.sources.open()
            ready += self._init_ops.values()
            self._latest_start = self._claim.start(ready)
            for enqueue in () if self._earlier_starts else self._enqueues.values():
                # A program may run this op by its name, so it exists before all that it has to start is known.
                if self.is_known:
                    self.late_starts[enqueue.name] = self._latest_start.op.name
                else:
                    wait_for(enqueue, [self._latest_start.op])
            self.ending = self._make_ending()

    def _make_ending(self) -> Ops:
        with after([self._pivot("stops")]):
            has_begun, stop = self.sources.shut()
        with after([self._pivot("closes")]):
            close = self.draws.shut()
        if self.services:
            has_begun = None  # without workers, a draw after the stop would wait for one forever
        is_passed = self.sources.is_passed
        if self._shut_at_the_end is not None and not is_passed:
            stop = [*stop, self._shut_at_the_end]
        return Ops(stop=stop, has_begun=has_begun, close=close, drains=is_passed, cancel=self._programs_cancel_op)

    def _pivot(self, phase: str) -> tf.Operation:
        return Phase.of(self.placement, self.scope, phase).pivot

    def create_threads(
        self, sess: tf.compat.v1.Session, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> List[threading.Thread]:
        """Starts the pipeline in *sess*; with ``start=False``, starting the first of the threads does.

        Returns:
          TF1's threads; none while those of an earlier call for *sess* are running.
        Raises:
          tf.errors.OpError: something that the pipeline needs at its start (a constant, an array) cannot be computed.
          QueueCompatRuntimeError: QC361, the data service that computes it is not reachable.
        """
        sess = open_sessions.innermost(sess)
        if start:
            self.start_together(sess)
        with open_sessions.state_of(sess).starting, self._activities_lock:  # waits for a joint start to end
            earlier = self._activities.get(sess)
            is_begun = earlier is not None and not earlier.has_threads
            is_under_way = earlier is not None and earlier.state in ("new", "running", "stopping", "aborting")
            if earlier is not None and is_begun:
                activity, earlier.has_threads = earlier, True
            else:
                activity = Activity(sess, lambda: self.ending)
                if earlier is None or earlier.state in ("failed", "ended", "closed"):
                    self._activities[sess] = activity
        if is_under_way and not is_begun:
            if start and not self.has_started:  # starts the streams that were added since
                self._start(sess)
            return []
        if not is_begun:
            self._failures = []
        if earlier is not None and earlier.state == "stopped" and not is_begun:
            refuse = functools.partial(refused, self.names.closed(), coord, self._failures.append)
            work = Work(begin=lambda: None, enqueue=refuse, close=lambda: None)
        else:
            begin = (lambda: None) if is_begun else functools.partial(self._begin, sess, activity, coord)
            work = Work(begin, self._enqueue_work(activity), activity.close_on_stop)
        threads = threads_of(work, self.names, daemon, with_close=coord is not None)
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads

    def _enqueue_work(self, activity: Activity) -> Callable[[], None]:
        """The work of the threads that stand for enqueue ops."""
        # TF1's threads ended as soon as all elements were in the queue.
        return (lambda: None) if self.holds_everything else activity.wait_for_the_end

    def watch_end(self) -> None:
        """From now on the end of the data shuts the sources, and so does a stop, even if nothing passes their gate."""
        if self._shut_at_the_end is None:
            with outside_user_scopes(self.placement, self.scope), after([self._pivot("stops")]):
                self._shut_at_the_end = self.sources.shut_count()
            if not self.sources.is_passed:
                self.ending = dataclasses.replace(self.ending, stop=[*self.ending.stop, self._shut_at_the_end])

    def runs_in(self, sess: tf.compat.v1.Session) -> bool:
        """Whether the pipeline has been started in *sess*, and has neither failed there nor has the session closed."""
        activity = self._activities.get(sess)
        return activity is not None and activity.state not in ("new", "closed", "failed")

    def is_running_in(self, sess: tf.compat.v1.Session) -> bool:
        """Whether the pipeline runs in *sess*: its data have not ended, and it has not failed or been stopped."""
        activity = self._activities.get(sess)
        return activity is not None and activity.state == "running"

    def start_in(self, sess: tf.compat.v1.Session) -> None:
        """Starts the pipeline in *sess* without threads, for a runner of the program's own that has them."""
        self._start(sess)

    def ended(self, sess: tf.compat.v1.Session) -> None:
        """To be called when a draw in *sess* has reached the end of the data."""
        activity = self._activities.get(sess)
        if activity is None or not activity.transition("data end") or self._shut_at_the_end is None:
            return
        sessions.run_unattended(sess, self._shut_at_the_end)

    def start_late(self) -> None:
        """Starts the streams that were added since the start, in every session in which the pipelines run."""
        for session, activity in list(self._activities.items()):
            if activity.is_live:
                self._start(session)

    def failed(self, sess: tf.compat.v1.Session, error: BaseException) -> None:
        """To be called while *error*, which a draw in *sess* has raised, is being handled.

        Reports it to the coordinator, as in TF1.
        """
        activity = self._activities.get(sess)
        if activity is None or not (activity.is_live or activity.state == "ended"):
            return
        if not activity.coordinators:
            self._failures.append(error)
        elif activity.transition("failure"):
            # The error being handled is TensorFlow's own; Coordinator.join has to raise the explained one, as the step
            # does.
            reported = (type(error), error, sys.exc_info()[2])
            for coordinator in activity.coordinators:
                coordinator.request_stop(reported)

    def has_begun_in(self, sess: tf.compat.v1.Session) -> bool:
        """Whether threads have been made for *sess*, or it has been started there by a joint start."""
        return sess in self._activities

    def begin_with_others(self, sess: tf.compat.v1.Session) -> Activity:
        """Prepares a joint start in *sess*: returns the activity that records what happens from now on."""
        activity = Activity(sess, lambda: self.ending)
        activity.has_threads = False
        activity.transition("start")
        with self._activities_lock:
            self._activities[sess] = activity
        self._failures = []
        return activity

    def _begin(self, sess: tf.compat.v1.Session, activity: Activity, coord: Any) -> None:
        if not activity.transition("start"):
            return
        try:
            self._start(sess)
        except BaseException:
            activity.transition("failure")
            raise
        if coord is not None:
            activity.follow(coord)

    def _start(self, sess: tf.compat.v1.Session) -> None:
        if self.has_started and open_sessions.state_of(sess).started.issuperset(start.op for start in self.starts):
            return
        self.before_start()
        for address in sorted(self.services):
            require_dispatcher(address)
        self.has_started = True
        start_alone(sess, self.starts, self.feeds)
        self.after_start(sess)


class _Array:
    """A NumPy array that is fed once, at the start, into a variable that is in no collection."""

    def __init__(self, value: np.ndarray, name: str) -> None:
        self.value = value
        self._dtype = tf.as_dtype(value.dtype)
        # Without a fixed shape: a run that only ends pipelines is fed an empty array.
        self.fed = tf.compat.v1.placeholder(self._dtype, name="array")
        self._handle = tf.raw_ops.VarHandleOp(
            dtype=self._dtype, shape=value.shape, shared_name=name, container="", name="array_variable"
        )

    def begin(self) -> tf.Operation:
        return tf.raw_ops.AssignVariableOp(resource=self._handle, value=self.fed)

    def read(self) -> tf.Tensor:
        # Not ResourceGather, which copies the whole variable before its first lookup.
        return tf.ensure_shape(tf.raw_ops.ReadVariableOp(resource=self._handle, dtype=self._dtype), self.value.shape)
