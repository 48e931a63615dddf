"""What this package adds to TensorFlow's sessions, runners, graphs and coordinators, by replacing these methods:

- ``Session.run``: settles pipelines first (``Attendant.before_step``), and replaces an error that a pipeline raised by
  one that explains it (``Attendant.explained``).
- ``Session.make_callable``: settles pipelines for its fetches, too; the function that it returns waits for starts and
  explains errors as ``run`` does.
- ``Session.partial_run_setup``: settles pipelines for its fetches.
- ``Session.close``: first calls what was registered by ``open_sessions.before_close``.
- ``QueueRunner.create_threads``: what a runner of TensorFlow's puts into its queue may be compiled
  (``Attendant.session_of_runner``).
- ``Graph.finalize``: a graph without any pipelines of ours may have queue runners (``Attendant.before_finalize``).
- ``Coordinator.request_stop`` and ``join``: see ``coordinators``.

They are replaced once per process, on their classes, when the first pipeline is compiled or TensorFlow 1's names are
first used, and are never restored. Sessions without pipelines behave as before; a step that succeeds costs them a few
attribute lookups.

Locks: ``_lock`` guards the replacement of the methods. Callbacks run without it, in the thread of the step.
Forks: the child process keeps the methods and forgets the sessions (``open_sessions``). If a session has run in the
parent, none can run in the child (QC311), because TensorFlow's threads exist only in the parent.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from typing import Any, Callable, Dict, List, NoReturn, Optional, Protocol

import tensorflow as tf

from queuecompat._native.originals import TRAIN
from queuecompat._session.steps import coordinators, ending, failures, open_sessions
from queuecompat.errors import QueueCompatRuntimeError, error

__all__ = [
    "PATIENCE",
    "Attendant",
    "after_steps",
    "attend",
    "before_traced_steps",
    "close_all",
    "close_plainly",
    "filling_callable",
    "run_unattended",
]

PATIENCE = 5.0  # seconds to wait for a session that does not close


class Attendant(Protocol):
    """What ``sessions`` calls around the steps of all sessions."""

    def before_step(self, session: tf.compat.v1.Session, fetches: Any) -> None:
        """Called before a step of *session* runs *fetches*."""

    def wait_for_start(self, session: tf.compat.v1.Session, fetches: Any, feeds: Any) -> None:
        """Called before such a step in any thread but the main one; *feeds* is what it is fed. May wait for a start."""

    def session_of_runner(self, runner: tf.compat.v1.train.QueueRunner, session: Any) -> Any:
        """The session to pass to the threads of *runner*, for which the program passes *session*."""

    def before_finalize(self, graph: tf.Graph) -> None:
        """Called before *graph* is finalised."""

    def after_step(self, session: tf.compat.v1.Session, fetch: Any) -> None:
        """Called after a step of *session* has run *fetch*, a single op or a name."""

    def feeds_instead(
        self, session: tf.compat.v1.Session, error: tf.errors.OpError, feeds: Any
    ) -> Optional[Dict[Any, Any]]:
        """The feeds with which to repeat a step that failed with *error*; None: it is not repeated."""

    def delivered(self, session: tf.compat.v1.Session, fetches: Any) -> None:
        """Called when a step of *session* has run *fetches*, if an earlier step may have cut off pipelines."""

    def explained(self, session: tf.compat.v1.Session, error: tf.errors.OpError, fetches: Any) -> BaseException:
        """The error that ``session.run`` of *fetches* raises in place of *error*; may be *error* itself."""


# Called before a step that the program traces: a process has only one TensorFlow profiler.
before_traced_steps: List[Callable[[], None]] = []
# Called with the session and the fetches of each step that succeeded, in the step's thread.
after_steps: List[Callable[[Any, Any], None]] = []

_lock = threading.RLock()
_attendant: Optional[Attendant] = None
_plain_run: Callable[..., Any]
_plain_close: Callable[..., Any]
_plain_make_callable: Callable[..., Any]
_has_run = False  # whether a session has run in this process
_forked_from: Optional[int] = None  # id of the parent process, if a session had run there before the fork

ending.STEPS_FILES.add(__file__)


def attend(attendant: Attendant) -> None:
    """Makes *attendant* the attendant of all sessions; replaces the methods if that has not been done yet."""
    global _attendant, _plain_run, _plain_close, _plain_make_callable
    with _lock:
        if _attendant is None:
            run_owner, close_owner = (_owner(tf.compat.v1.Session, method) for method in ("run", "close"))
            _plain_run, _plain_close = run_owner.run, close_owner.close
            run_owner.run = _attended_run(run_owner.run)
            _plain_make_callable = _owner(tf.compat.v1.Session, "make_callable").make_callable
            prepare = {"make_callable": _attended_callables, "partial_run_setup": _preceded_by_a_look}
            for method, attended in prepare.items():
                owner = _owner(tf.compat.v1.Session, method)
                setattr(owner, method, attended(getattr(owner, method)))
            close_owner.close = _attended_close(close_owner.close)
            runner = TRAIN["QueueRunner"]
            runner.create_threads = _attended_create_threads(runner.create_threads)
            tf.Graph.finalize = _attended_finalize(tf.Graph.finalize)
            coordinator = _owner(tf.compat.v1.train.Coordinator, "request_stop")
            coordinator.request_stop = coordinators.attended_request_stop(coordinator.request_stop)
            coordinator.join = coordinators.attended_join(coordinator.join)
            if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
                os.register_at_fork(after_in_child=_start_in_child)
        _attendant = attendant


def run_unattended(session: tf.compat.v1.Session, *args: Any, **kwargs: Any) -> Any:
    """``session.run`` for this package's own ops: it is not counted as a step, and errors are not explained."""
    _require_threads()
    try:
        return _plain_run(session, *args, **kwargs)
    except UnicodeDecodeError as problem:
        failure = failures.op_error(problem, session.graph)
        if failure is None:
            raise
        raise failure from None


def filling_callable(session: tf.compat.v1.Session, op: tf.Operation, queue: str) -> Callable[[], Any]:
    """``session.make_callable`` of an op that fills the queue called *queue*, for the thread of a runner.

    It is not counted as a step of the program. Its errors have TensorFlow's types, by which the runner decides what
    they mean; all but those of a closed queue and of the end of the data name the pipeline and the record. The first of
    these is the cause of the error that a step raises when the queue has been emptied.
    """
    assert _attendant is not None
    _attendant.before_step(session, op)
    made = ending.kept(_plain_make_callable(session, op))

    def fill() -> None:
        try:
            made()
        except failures.ENDS:
            raise
        except (tf.errors.OpError, UnicodeDecodeError) as problem:
            try:
                _raise_explained(session, problem, op)
            except tf.errors.OpError as explained:
                # A copy, because the traceback of the error itself would keep the session.
                copy = failures.explained(explained, explained.message)
                open_sessions.state_of(session).failed_fills.setdefault(queue, copy)
                raise

    return fill


def _owner(kind: type, method: str) -> Any:
    return next(one for one in kind.__mro__ if method in vars(one))


def _attended_run(run: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps ``Session.run``: settles pipelines before the step, waits for starts, and explains errors."""
    kept_run = ending.kept(run)

    @functools.wraps(run)
    def attended_run(self: tf.compat.v1.Session, *args: Any, **kwargs: Any) -> Any:
        global _has_run
        assert _attendant is not None
        ending.keep_threads_if_ending()
        _require_threads()
        _has_run = True
        fetches = args[0] if args else kwargs.get("fetches")
        _attendant.before_step(self, fetches)
        if _is_in_thread() and not _has_deadline(*args, **kwargs):
            _wait_for_start(self, fetches, _feeds_of(*args, **kwargs))
        if before_traced_steps and _is_traced(*args, **kwargs):
            for callback in before_traced_steps:
                callback()
        state = open_sessions.state_if_any(self)
        if state is not None:
            state.enter()
        try:
            result = kept_run(self, *args, **kwargs)
            _note_run(self, *args, **kwargs)
            if state is not None and state.cut_off:
                _attendant.delivered(self, fetches)
        except (tf.errors.OpError, UnicodeDecodeError) as problem:
            failure = failures.op_error(problem, self.graph)
            given = _feeds_of(*args, **kwargs)
            feeds = None if failure is None else _attendant.feeds_instead(self, failure, given)
            if feeds is not None:
                return _run_again(self, feeds, *args, **kwargs)
            _raise_explained(self, problem, fetches)
        finally:
            if state is not None:
                state.leave()
        for after in after_steps:
            after(self, fetches)
        return result

    return attended_run


def _wait_for_start(session: tf.compat.v1.Session, fetches: Any, feeds: Any) -> None:
    assert _attendant is not None
    try:
        _attendant.wait_for_start(session, fetches, feeds)
    finally:
        ending.keep_threads_if_ending()


def _is_in_thread() -> bool:
    """Whether this is not the main thread; only in other threads does a step wait for the start of its pipelines."""
    return threading.current_thread() is not threading.main_thread()


def _preceded_by_a_look(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps *method* of a session, which prepares steps that are run later: settles pipelines for its fetches first."""

    @functools.wraps(method)
    def preceded(self: tf.compat.v1.Session, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        assert _attendant is not None
        _attendant.before_step(self, fetches)
        return method(self, fetches, *args, **kwargs)

    return preceded


def _attended_callables(make: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps ``make_callable`` so that what it returns waits for starts and explains errors, as ``run`` does."""

    @functools.wraps(make)
    def make_attended(self: tf.compat.v1.Session, fetches: Any, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        assert _attendant is not None
        _attendant.before_step(self, fetches)
        made = ending.kept(make(self, fetches, *args, **kwargs))
        feeds = _feeds_of_callable(*args, **kwargs)

        def attended_step(*given: Any, **options: Any) -> Any:
            assert _attendant is not None
            if _is_in_thread() and not _has_deadline(fetches, options=options.get("options")):
                _wait_for_start(self, fetches, feeds)
            try:
                result = made(*given, **options)
            except (tf.errors.OpError, UnicodeDecodeError) as problem:
                _raise_explained(self, problem, fetches)
            state = open_sessions.state_if_any(self)
            if state is not None and state.cut_off:
                _attendant.delivered(self, fetches)
            return result

        return attended_step

    return make_attended


def _explained(session: tf.compat.v1.Session, problem: Exception, fetches: Any) -> BaseException:
    """The error that a step of *session* which ran *fetches* raises in place of *problem*."""
    assert _attendant is not None
    failure = failures.op_error(problem, session.graph)
    if isinstance(failure, tf.errors.OutOfRangeError) and open_sessions.is_ending(session):
        # What waits is ended before TensorFlow closes the session (``closing``); the data have not ended.
        return failures.cancelled(failure)
    return problem if failure is None else _attendant.explained(session, failure, fetches)


def _raise_explained(session: tf.compat.v1.Session, problem: Exception, fetches: Any) -> NoReturn:
    """Raises what a step of *session* that ran *fetches* raises in place of *problem*, which is being handled."""
    explained = _explained(session, problem, fetches)
    cause = _failed_fill(session, explained)
    try:
        if cause is not None:
            raise explained from cause
        if explained is problem:
            raise
        raise explained from None
    finally:
        del cause, explained, problem  # their tracebacks refer to this frame: a reference cycle would keep the session


def _failed_fill(session: tf.compat.v1.Session, problem: BaseException) -> Optional[BaseException]:
    """The error that ended the filling of the queue from which a step could not take enough elements, if any."""
    state = open_sessions.state_if_any(session)
    op = getattr(problem, "op", None)
    if state is None or op is None or not op.inputs or not isinstance(problem, tf.errors.OutOfRangeError):
        return None
    return state.failed_fills.get(op.inputs[0].op.name)


def _require_threads() -> None:
    """Checks that TensorFlow's threads are in this process.

    Raises:
      QueueCompatRuntimeError: QC311, this process was forked, and they are in its parent.
    """
    if _forked_from is not None:
        raise error(QueueCompatRuntimeError, "QC311", parent=_forked_from)


def _note_run(session: tf.compat.v1.Session, fetches: Any, *_: Any, **__: Any) -> None:
    if isinstance(fetches, (str, tf.Operation)):  # as savers run ops; checking the type costs nothing beside a step
        assert _attendant is not None
        _attendant.after_step(session, fetches)
        state = open_sessions.state_if_any(session)
        if state is not None:  # an op that is run directly may be a start op
            state.wake_early_steps()


def _run_again(
    session: tf.compat.v1.Session,
    feeds: Dict[Any, Any],
    fetches: Any,
    feed_dict: Any = None,
    options: Any = None,
    run_metadata: Any = None,
) -> Any:
    result = _plain_run(session, fetches, feeds, options, run_metadata)
    _note_run(session, fetches)
    return result


def _feeds_of(fetches: Any = None, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
    """The feeds of a step, from the arguments of ``Session.run``."""
    return feed_dict


def _feeds_of_callable(feed_list: Any = None, accept_options: bool = False) -> Any:
    """The feeds of a callable's steps, from the arguments of ``Session.make_callable``."""
    return feed_list


def _has_deadline(fetches: Any = None, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> bool:
    """Whether a step has a timeout, from the arguments of ``Session.run``."""
    return options is not None and options.timeout_in_ms > 0


def _is_traced(fetches: Any = None, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> bool:
    """Whether a step is traced, from the arguments of ``Session.run``."""
    return options is not None and options.trace_level > tf.compat.v1.RunOptions.NO_TRACE


def _attended_close(close: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(close)
    def attended_close(self: tf.compat.v1.Session, *args: Any, **kwargs: Any) -> Any:
        if open_sessions.is_left_in_parent(self):
            return None
        may_read_ahead = open_sessions.state_if_any(self) is not None
        open_sessions.end(self)
        if may_read_ahead:
            return _with_patience(self, functools.partial(close, self, *args, **kwargs))
        return close(self, *args, **kwargs)

    return attended_close


def _with_patience(session: tf.compat.v1.Session, close: Callable[[], Any]) -> None:
    """Calls *close* in a thread, and waits at most ``PATIENCE`` seconds.

    TensorFlow waits for threads that read ahead, as long as a Python function of theirs waits for the program, say. In
    TensorFlow 1 closing did not wait. A session that is not closed by then is never deleted, which would wait, too.
    """
    is_over = False

    def close_and_note() -> None:
        nonlocal is_over
        try:
            close()
        finally:
            is_over = True

    try:
        if not ending.done_in_thread(close_and_note, PATIENCE):
            ending.give_up(session)
    finally:
        if not is_over:
            session._session = None


def close_all() -> List[tf.compat.v1.Session]:
    """Closes all open sessions, and returns them, so that they live until all are closed."""
    closing = open_sessions.all_open()
    open_sessions.end_all()
    for session in closing:
        close_plainly(session)
    return closing


def close_plainly(session: tf.compat.v1.Session) -> None:
    """Closes *session* by TensorFlow's own method; errors are ignored, as when Python deletes it."""
    with contextlib.suppress(RuntimeError, tf.errors.OpError):
        _plain_close(session)


def _start_in_child() -> None:
    """Runs in a forked process, in which none of TensorFlow's threads exists."""
    global _lock, _forked_from
    _lock = threading.RLock()  # a thread that exists only in the parent may have held it
    _forked_from = os.getppid() if _has_run else None
    coordinators.start_in_child()
    open_sessions.leave_in_parent()


def _attended_create_threads(create_threads: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(create_threads)
    def attended_create_threads(
        self: tf.compat.v1.train.QueueRunner, sess: Any, *args: Any, **kwargs: Any
    ) -> List[threading.Thread]:
        assert _attendant is not None
        given = _attendant.session_of_runner(self, sess)
        _forget_ended(self, given)
        threads: List[threading.Thread] = create_threads(self, given, *args, **kwargs)
        return threads

    return attended_create_threads


def _forget_ended(runner: tf.compat.v1.train.QueueRunner, session: Any) -> None:
    """Removes *session* from TensorFlow's table of running threads per session, if all its threads have ended.

    Of equal keys (``RunnersSession``) the table keeps the first, by a weak reference. When that one was freed in the
    middle of a second start, the entry disappeared, and the runner's threads failed with a KeyError.
    """
    with runner._lock:
        if runner._runs_per_session.get(session) == 0:
            del runner._runs_per_session[session]


def _attended_finalize(finalize: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(finalize)
    def attended_finalize(self: tf.Graph) -> None:
        assert _attendant is not None
        _attendant.before_finalize(self)
        finalize(self)

    return attended_finalize
