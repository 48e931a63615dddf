"""The harness of the gold cases: the register, the run, and how a result becomes arrays.

Rule 1: a case is a function of a ``tf`` namespace. Nothing here or in a case imports TensorFlow; it must run with TF
        1.15.5 on Python 3.7 and with TF 2.x alike.
Rule 2: a result is a dict of plain arrays. Values are flat, with the shape of every step beside them, so that equal
        shapes, partial batches and padded batches need no special cases.
Rule 3: error *types* are compared, never texts. A type is the nearest TensorFlow or built-in class, so that a more
        specific subclass still counts as the error that TF1 code catches.
Rule 4: nothing may hang. Every session has an operation timeout, every join a grace period.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

__all__ = [
    "CASES",
    "Result",
    "collect",
    "dtype_name",
    "error_at_call",
    "error_at_run",
    "failure",
    "gold",
    "kind_of",
    "near",
    "running",
    "static_shape",
    "temporary_directory",
    "without_directories",
    "word",
    "words",
]

Result = Dict[str, np.ndarray]

OPERATION_TIMEOUT_MS = 20000
JOIN_GRACE_SECONDS = 20
UNKNOWN_DIMENSION = -1
UNKNOWN_RANK = -2

# What is fed at a step, by tensor name, from the number of the step.
Feed = Callable[[int], Dict[str, Any]]

CASES: Dict[str, Callable[[Any], Result]] = {}


def gold(case: Callable[[Any], Result]) -> Callable[[Any], Result]:
    """Register *case* under its function name."""
    if case.__name__ in CASES:
        raise ValueError(f"two gold cases are named {case.__name__}")
    CASES[case.__name__] = case
    return case


# -- results as arrays ---------------------------------------------------------------------


def word(text: str) -> np.ndarray:
    return np.array(text.encode())


def words(texts: Sequence[str]) -> np.ndarray:
    return np.array([text.encode() for text in texts], dtype=np.bytes_)


def near(decimals: int, values: Mapping[str, Any]) -> Result:
    """*values* of which so many *decimals* are compared: sums may be in the order of the machine's vector units."""
    return {f"{name}~{decimals}": np.float64(value) for name, value in values.items()}


def static_shape(tensor: Any) -> np.ndarray:
    """The static shape: -1 for an unknown dimension, [-2] for an unknown rank."""
    if tensor.shape.ndims is None:
        return np.array([UNKNOWN_RANK], np.int64)
    dimensions = tensor.shape.as_list()
    return np.array([UNKNOWN_DIMENSION if d is None else d for d in dimensions], np.int64)


def dtype_name(dtype: Any) -> np.ndarray:
    return word(dtype.base_dtype.name)


def kind_of(error: BaseException) -> str:
    """The name of the nearest class of *error* that TF1 code could have named in an ``except``."""
    for ancestor in type(error).__mro__:
        if ancestor.__module__.split(".")[0] in ("builtins", "tensorflow", "tensorflow_core"):
            return ancestor.__name__
    raise AssertionError("unreachable: every exception is a BaseException")


def without_directories(paths: np.ndarray) -> np.ndarray:
    """``/some/where/a.records:27`` becomes ``a.records:27``."""
    return np.array([os.path.basename(path) for path in paths.tolist()], dtype=np.bytes_)


def _as_array(value: Any) -> np.ndarray:
    array = np.asarray(value)
    return array if array.dtype != object else array.astype(np.bytes_)


def _named(outputs: Any) -> Tuple[str, Dict[str, Any]]:
    """The kind of the structure *outputs*, and its tensors by key or position."""
    if isinstance(outputs, dict):
        return "dict", {str(key): tensor for key, tensor in outputs.items()}
    if isinstance(outputs, (list, tuple)):
        kind = "list" if isinstance(outputs, list) else "tuple"
        return kind, {str(position): tensor for position, tensor in enumerate(outputs)}
    return "tensor", {"out": outputs}


def _is_sparse(tensor: Any) -> bool:
    return hasattr(tensor, "dense_shape")


def _parts(named: Dict[str, Any]) -> Dict[str, Any]:
    """*named*, with the three tensors of each SparseTensor in its place: ``<name>.indices`` ..."""
    parts = {}
    for name, tensor in named.items():
        if _is_sparse(tensor):
            parts.update({f"{name}.{part}": getattr(tensor, part) for part in ("indices", "values", "dense_shape")})
        else:
            parts[name] = tensor
    return parts


# -- running -------------------------------------------------------------------------------


@contextmanager
def temporary_directory() -> Iterator[str]:
    path = tempfile.mkdtemp()
    try:
        yield path
    finally:
        shutil.rmtree(path)


def _session_config(tf: Any) -> Any:
    """A session configuration under which no run blocks for ever."""
    return tf.ConfigProto(operation_timeout_in_ms=OPERATION_TIMEOUT_MS)


@dataclasses.dataclass
class _Run:
    """One finished run: the fetched steps, and the errors of the loop and of the threads."""

    steps: List[Dict[str, Any]] = dataclasses.field(default_factory=list)
    loop_error: Optional[BaseException] = None
    thread_error: Optional[BaseException] = None


def _start(tf: Any, session: Any) -> Tuple[Any, List[Any]]:
    """Initialise all variables and start the runners: their coordinator and their threads."""
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    return coordinator, tf.train.start_queue_runners(sess=session, coord=coordinator)


@contextmanager
def running(tf: Any) -> Iterator[Any]:
    """A session of the default graph, initialised, with its runners started; the end of the block stops them.

    For cases whose steps differ from each other; the others have `collect` and `failure`.
    """
    with tf.Session(config=_session_config(tf)) as session:
        coordinator, threads = _start(tf, session)
        try:
            yield session
        finally:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=JOIN_GRACE_SECONDS)


def _drive(tf: Any, fetches: Dict[str, Any], max_steps: Optional[int], feed: Optional[Feed]) -> _Run:
    """The loop of every TF1 input program: start the runners, run until told to stop, join."""
    run = _Run()
    with tf.Session(config=_session_config(tf)) as session:
        coordinator, threads = _start(tf, session)
        try:
            while max_steps is None or len(run.steps) < max_steps:
                run.steps.append(session.run(fetches, feed_dict=feed(len(run.steps)) if feed else None))
        except tf.errors.OpError as error:
            run.loop_error = error
        finally:
            coordinator.request_stop()
            try:
                coordinator.join(threads, stop_grace_period_secs=JOIN_GRACE_SECONDS)
            except tf.errors.OpError as error:
                run.thread_error = error
    return run


def _arrays(fetches: Dict[str, Any], steps: List[Dict[str, Any]]) -> Result:
    arrays = {}
    for name, tensor in fetches.items():
        values = [_as_array(step[name]) for step in steps]
        rank = values[0].ndim if values else 0
        empty = np.zeros(0, _as_array(np.zeros(0, tensor.dtype.as_numpy_dtype)).dtype)
        arrays[name] = np.concatenate([value.ravel() for value in values] or [empty])
        arrays[name + ".shapes"] = np.array([value.shape for value in values], np.int64).reshape(len(values), rank)
        arrays[name + ".static"] = static_shape(tensor)
        arrays[name + ".dtype"] = dtype_name(tensor.dtype)
    return arrays


def collect(tf: Any, build: Callable[[], Any], max_steps: Optional[int] = None, feed: Optional[Feed] = None) -> Result:
    """Build a healthy pipeline in a graph of its own, and run it to its end or for *max_steps*.

    Returns, for every tensor of what *build* returned (named by its key, its position, or
    ``out``): all its values flat, ``.shapes`` [steps, rank], ``.static`` and ``.dtype``; and for
    the whole: ``structure``, ``keys`` in their order, ``steps``, and ``ending``, the type of the
    error that ended the loop (empty if *max_steps* did).
    A SparseTensor is its three tensors, ``<name>.indices``, ``.values`` and ``.dense_shape``, and the
    ``<name>.static`` of the whole.
    An error other than the end of data, in the loop or in a thread, is raised.
    """
    with tf.Graph().as_default():
        kind, named = _named(build())
        fetches = _parts(named)
        run = _drive(tf, fetches, max_steps, feed)
        sparse_shapes = {name + ".static": static_shape(t) for name, t in named.items() if _is_sparse(t)}
    if run.thread_error is not None:
        raise run.thread_error
    if run.loop_error is not None and not isinstance(run.loop_error, tf.errors.OutOfRangeError):
        raise run.loop_error
    whole = {
        "structure": word(kind),
        "keys": words(list(fetches)),
        "steps": np.array(len(run.steps), np.int64),
        "ending": word("" if run.loop_error is None else kind_of(run.loop_error)),
    }
    clashes = sorted(set(whole) & set(fetches))
    if clashes:
        raise ValueError(f"name the tensors otherwise: {clashes}")
    return dict(_arrays(fetches, run.steps), **sparse_shapes, **whole)


def failure(tf: Any, build: Callable[[], Any], feed: Optional[Feed] = None) -> Result:
    """Build a pipeline that breaks, run it, and say what it gave before and what broke it.

    ``real_error`` is the first error that is not an end of data. TF1 shows it from
    ``Coordinator.join`` alone, while its loop sees OutOfRangeError; a better implementation may
    show it to the loop. The batches fetched before are recorded like those of `collect`.
    """
    with tf.Graph().as_default():
        fetches = _parts(_named(build())[1])
        run = _drive(tf, fetches, None, feed)
    real = run.loop_error
    if isinstance(real, tf.errors.OutOfRangeError):
        real = run.thread_error
    result = _arrays(fetches, run.steps)
    result["real_error"] = word("" if real is None else kind_of(real))
    return result


def error_at_call(tf: Any, call: Callable[[], Any]) -> np.ndarray:
    """The type of the error that *call* raises while building a graph, or ``accepted``."""
    with tf.Graph().as_default():
        try:
            call()
        except Exception as error:
            return word(kind_of(error))
    return word("accepted")


def error_at_run(call: Callable[[], Any]) -> np.ndarray:
    """The type of the error that *call* raises in a session, or ``none``."""
    try:
        call()
    except Exception as error:
        return word(kind_of(error))
    return word("none")
