"""TensorFlow's own queue functions, used in two ways: as the reference and as the fallback.

``expected`` calls the native function on stand-ins in a temporary graph. What it returns is the contract: the
structure, types and static shapes. What it raises is part of the contract, too: every wrong argument raises TF1's
exception at the same call, without a second copy of TF1's checks.

``native`` calls the native function in the user's graph, because the pipeline cannot be compiled.
"""

from __future__ import annotations

import collections
import collections.abc
import contextlib
from typing import Any, Callable, Dict, Hashable, Iterator, Optional, Union

import numpy as np
import tensorflow as tf

from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat._native.originals import TRAIN

__all__ = ["expected", "native", "stand_in", "using_up"]

# Results of ``expected`` by arguments, because programs build the same pipeline again and again: for training, for
# evaluation, in each test. Only a few, as each keeps its graph of stand-ins alive.
_KEPT = 32
_known: Dict[Hashable, Any] = {}

# How TF1's two errors for a size that the graph does not know begin, and what its users had to know.
_UNKNOWN_SIZES = ("All shapes must be fully defined", "Cannot infer Tensor's rank")
_HOW_TO_FIX_SIZES = (
    ". Before the batch, crop, pad or resize such a tensor to one size; if it always has the same size, call its "
    "set_shape(). tf.train.batch and batch_join can also pad tensors whose rank is known: dynamic_pad=True"
)

# What TensorFlow takes for a list of tensors. A tensor that had no stand-in would be used in the user's graph: there
# would be a second queue, which takes elements from the compiled one.
_LISTS = (list, set, frozenset, collections.deque, collections.UserList, collections.abc.ValuesView)

# The name of a function of ``tf.compat.v1.train``, or a function that builds what TensorFlow 2 removed.
Call = Union[str, Callable[..., Any]]


def expected(call: Call, *args: Any, **kwargs: Any) -> Any:
    """The result of ``tf.compat.v1.train.<call>`` for these arguments, built on stand-ins.

    Args:
      call: the name of the function, or a function to call instead.
      args, kwargs: the user's arguments. Tensors among them are replaced by stand-ins, and the arrays among *args*,
        which are data; an array among *kwargs* is a number, or several.
    Raises:
      Whatever TensorFlow raises for these arguments. The text for a size that is not known also says what to do.
    """
    try:
        return _expected_once(call, args, kwargs)
    except ValueError as problem:
        if str(problem).startswith(_UNKNOWN_SIZES):
            problem.args = (f"{problem}{_HOW_TO_FIX_SIZES}",)
        raise


def _expected_once(call: Call, args: Any, kwargs: Any) -> Any:
    if not isinstance(call, str):
        return _expected(call, args, kwargs)
    try:
        key = (call, _seen(args), tuple((name, _seen_number(value)) for name, value in kwargs.items()))
    except TypeError:  # an argument cannot be compared by value
        return _expected(call, args, kwargs)
    if key not in _known:
        if len(_known) >= _KEPT:
            _known.pop(next(iter(_known)), None)
        _known[key] = _expected(call, args, kwargs)
    return _known[key]


@contextlib.contextmanager
def using_up(scope: str) -> Iterator[None]:
    """Wraps the checks of arguments that TF1 makes inside the name scope *scope*.

    If they fail, the scope's name is used up, as in TF1: the next call gets a different one.
    """
    try:
        yield
    except Exception:
        with tf.name_scope(scope):
            raise


def _expected(call: Call, args: Any, kwargs: Any) -> Any:
    seed = tf.compat.v1.get_default_graph().seed  # with op determinism, TensorFlow requires one
    with tf.Graph().as_default(), without_queue_deprecations():
        tf.compat.v1.set_random_seed(seed)
        args = tuple(_stand_ins(value) for value in args)
        kwargs = {name: v if isinstance(v, np.ndarray) else _stand_ins(v) for name, v in kwargs.items()}
        return _function(call)(*args, **kwargs)


def _seen(value: Any) -> Hashable:
    """A key for everything that TensorFlow's function can see of *value* in a graph of stand-ins.

    Raises:
      TypeError: *value* cannot be compared by value.
    """
    if isinstance(value, dict):
        return ("dict", tuple((key, _seen(item)) for key, item in value.items()))
    if type(value) in (list, tuple):
        return (type(value), tuple(_seen(item) for item in value))
    if isinstance(value, (tf.Tensor, tf.Variable)):
        shape = None if value.shape.rank is None else tuple(value.shape.as_list())
        return ("tensor", value.dtype.base_dtype, shape, value.op.name, _known_number(value))
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return ("array", value.dtype.str, value.shape)
    if value is None or isinstance(value, (bool, int, float, str, bytes, tf.DType)):
        return (type(value), value)
    raise TypeError(value)


def _seen_number(value: Any) -> Hashable:
    """As ``_seen``, of an argument by name: an array is no data."""
    return ("numbers", value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else _seen(value)


def native(call: Call, *args: Any, **kwargs: Any) -> Any:
    """Calls ``tf.compat.v1.train.<call>``, or the function *call*, in the current graph."""
    with without_queue_deprecations():
        return _function(call)(*args, **kwargs)


def _function(call: Call) -> Callable[..., Any]:
    return TRAIN[call] if isinstance(call, str) else call


def stand_in(value: Any) -> Any:
    """A placeholder with the type, shape and name of *value*.

    Anything but a tensor, an object that becomes one, an array or a spec is returned unchanged.

    A scalar integer whose value is known in the graph stays a constant, because TF1 derives static shapes from a batch
    size.
    """
    if isinstance(value, tf.TensorSpec):
        return tf.compat.v1.placeholder(value.dtype, value.shape)
    number = _known_number(value)
    if number is not None:
        return tf.constant(number, value.dtype, name=value.op.name)
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return tf.compat.v1.placeholder(value.dtype.base_dtype, value.shape, name=value.op.name)
    if isinstance(value, tf.SparseTensor):
        if value.shape.rank is None:
            return tf.SparseTensor(stand_in(value.indices), stand_in(value.values), stand_in(value.dense_shape))
        return tf.compat.v1.sparse_placeholder(value.dtype, value.shape)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return tf.compat.v1.placeholder(value.dtype, value.shape)
    if isinstance(getattr(value, "dtype", None), tf.DType):  # of a library: it becomes a tensor in the user's graph
        return tf.compat.v1.placeholder(value.dtype.base_dtype, getattr(value, "shape", None))
    return value


def _known_number(value: Any) -> Optional[int]:
    """The value that the scalar integer tensor *value* has in every run.

    None if it is not known, or is something else.
    """
    if not isinstance(value, tf.Tensor) or value.shape.rank != 0 or not value.dtype.is_integer:
        return None
    number = tf.get_static_value(value)
    return None if number is None else int(number)


def _stand_ins(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _stand_ins(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        # A named tuple, such as the result of a reader's read. Its tensors have to be replaced, too: they belong to the
        # user's graph.
        return type(value)(*(_stand_ins(item) for item in value))
    if isinstance(value, tuple):
        return tuple(_stand_ins(item) for item in value)
    if isinstance(value, _LISTS):
        return [_stand_ins(item) for item in value]
    return stand_in(value)
