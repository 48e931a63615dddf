"""Eager twins of objects that a graph only refers to: variables, tables, arrays and large constants.

A slice captures such objects instead of copying them. In a session it captures the graph's own handle. In eager mode
each object gets a twin here: it is made when a slice first asks for it, and initialised once, by the graph's own
initialiser, which is run as a slice.

Rule 1: A twin lives as long as the binding, and the binding as long as the dataset.
Rule 2: Names are never shared: two datasets of one function have separate variables and tables.
Rule 3: The counter of ``limit_epochs`` starts again with each iterator, as with each session of TF1 (``for_iterator``).
"""

from __future__ import annotations

import uuid
import weakref
from typing import Any, Callable, Dict, List, Sequence

import numpy as np
import tensorflow as tf

from queuecompat._analysis.counts import COUNT_UP_TO, begins_at_0
from queuecompat._analysis.frontier import Given
from queuecompat._analysis.op_copy import EXTERNAL_ARRAY_OP
from queuecompat._analysis.slicing import cut
from queuecompat._eager.arrays import BorrowedArray
from queuecompat._eager.own_variables import own_variable
from queuecompat.errors import CannotCompileError

__all__ = ["Binding"]

# The name with which an op makes an anonymous resource: nothing else can find it, and it is freed with its last handle.
_ANONYMOUS = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"
_TABLES = ("HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2", "MutableDenseHashTableV2")

# Tables of bindings that are gone.
_unfreed: List[tf.Tensor] = []


class Binding:
    """The eager twins for one graph.

    Args:
      arrays: the arrays that are never part of the graph, by the names of the tensors that stand for them.
    """

    def __init__(self, graph: tf.Graph, arrays: Dict[str, np.ndarray]) -> None:
        self._graph = graph
        self._arrays = arrays
        self._twins: Dict[str, Any] = {}
        self._variables: List[tf.Variable] = []
        self._names = uuid.uuid4().hex
        self._initialisers = _initialisers_by_handle(graph)
        self._counts = _counts(graph)
        # Variables are freed with their objects; tables have names, and outlive their handles.
        self._tables: List[tf.Tensor] = []
        # Not when the process ends: all are freed then, and eager mode may be off.
        weakref.finalize(self, _destroy, self._tables).atexit = False

    def __call__(self, tensor: tf.Tensor) -> Any:
        """Returns the eager twin of *tensor*, which a slice has captured; a ``BorrowedArray`` for an external array.

        Raises:
          CannotCompileError: QC202, the object exists in a session only.
        """
        if tensor.name not in self._twins:
            with tf.init_scope():
                self._twins[tensor.name] = self._made(tensor)
                self._initialise(tensor)
        return self._twins[tensor.name]

    def for_iterator(self) -> Callable[[tf.Tensor], Any]:
        """Returns this binding with counters of its own; to be called where an iterator's elements are made."""
        counts = {count.name: _count_from_0(count) for count in self._counts}
        return lambda tensor: counts[tensor.name] if tensor.name in counts else self(tensor)

    def keep(self, variable: tf.Variable) -> None:
        """Keeps *variable* alive as long as the binding."""
        self._variables.append(variable)

    def _made(self, tensor: tf.Tensor) -> Any:
        op = tensor.op
        if op.type == EXTERNAL_ARRAY_OP:
            return BorrowedArray(self._arrays[tensor.name])
        if op.type == "Const":
            return tf.convert_to_tensor(tf.make_ndarray(op.get_attr("value")), tensor.dtype)
        if op.type == "VarHandleOp":
            return self._variable(op, self._initialisers.get(tensor.name, []))
        if op.type in _TABLES:
            arguments = {name: op.get_attr(name) for name in ("key_dtype", "value_dtype")}
            table = getattr(tf.raw_ops, op.type)(**arguments, shared_name=self._name(op), container="")
            self._tables.append(table)
            return table
        raise CannotCompileError("QC202", tensor=tensor.name, kind=op.type)

    def _variable(self, op: tf.Operation, initialisers: Sequence[tf.Operation]) -> tf.Tensor:
        shape = tf.TensorShape(op.get_attr("shape"))
        if not initialisers:
            # Reading it raises the error of an uninitialised variable.
            name = self._name(op)
            return tf.raw_ops.VarHandleOp(dtype=op.get_attr("dtype"), shape=shape, shared_name=name, container="")
        # A tf.Variable, since a bare handle captured by a function has neither type nor shape.
        variable = own_variable(_value(initialisers[0].inputs[1], self), shape=shape)
        self._variables.append(variable)
        return variable.handle

    def _name(self, op: tf.Operation) -> str:
        return f"queuecompat/{self._names}/{op.name}"

    def _initialise(self, tensor: tf.Tensor) -> None:
        if tensor.op.type in _TABLES:
            for initialiser in self._initialisers.get(tensor.name, []):
                with initialiser.graph.as_default(), tf.control_dependencies([initialiser]):
                    done = tf.constant(True)
                _value(done, self)


def _count_from_0(handle: tf.Tensor) -> tf.Tensor:
    dtype = tf.as_dtype(handle.op.get_attr("dtype"))
    made = tf.raw_ops.VarHandleOp(dtype=dtype, shape=[], shared_name=_ANONYMOUS, container="")
    with tf.control_dependencies([tf.raw_ops.AssignVariableOp(resource=made, value=tf.zeros([], dtype))]):
        return tf.identity(made)


def _destroy(tables: List[tf.Tensor]) -> None:
    """Frees *tables*; the garbage collector may call it at any line, also while a graph or a function is being built.

    ``init_scope`` leaves a function, but not a graph of TensorFlow 1: in one, they are freed with the next binding.
    """
    _unfreed.extend(tables)
    with tf.init_scope():
        while tf.executing_eagerly() and _unfreed:
            tf.raw_ops.DestroyResourceOp(resource=_unfreed.pop(), ignore_lookup_error=True)


def _value(tensor: tf.Tensor, bind: Callable[[tf.Tensor], tf.Tensor]) -> tf.Tensor:
    """Returns the value of *tensor*, which is in a graph, as an eager tensor."""
    return cut([tensor], Given([])).bound(bind).function()()[0]


def _counts(graph: tf.Graph) -> List[tf.Tensor]:
    """Returns the handles of the local variables of *graph* that are only counters."""
    locals_ = graph.get_collection(tf.compat.v1.GraphKeys.LOCAL_VARIABLES)
    names = {variable.handle.name for variable in locals_ if hasattr(variable, "handle")}
    ops = [op for op in graph.get_operations() if op.type in COUNT_UP_TO and op.inputs[0].name in names]
    return [op.inputs[0] for op in ops if begins_at_0(op)]


def _initialisers_by_handle(graph: tf.Graph) -> Dict[str, List[tf.Operation]]:
    """Maps the name of each variable's or table's handle to the ops that initialise it."""
    found: Dict[str, List[tf.Operation]] = {}
    for variable in graph.get_collection(tf.compat.v1.GraphKeys.GLOBAL_VARIABLES) + graph.get_collection(
        tf.compat.v1.GraphKeys.LOCAL_VARIABLES
    ):
        handle = getattr(variable, "handle", None)
        if handle is not None:
            found.setdefault(handle.name, []).append(variable.initializer)
    for op in graph.get_collection(tf.compat.v1.GraphKeys.TABLE_INITIALIZERS):
        for tensor in op.inputs:
            if tensor.dtype == tf.resource:
                found.setdefault(tensor.name, []).append(op)
    return found
