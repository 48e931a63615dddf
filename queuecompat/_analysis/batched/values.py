"""What the rules of ``batched.rules`` work on: an op of the user's graph, and its inputs in the new graph."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import tensorflow as tf

__all__ = [
    "Call",
    "LengthVector",
    "NoRuleError",
    "Ragged",
    "SparseIndices",
    "Value",
    "by_name",
    "made",
    "name_of",
]


# The most numbers in a constant that only counts; more are computed at run time.
LONGEST_CONSTANT = 1024


class NoRuleError(Exception):
    """The op has no batched form, or none that keeps the bits and the errors; the message says why."""


class Value:
    """A tensor of the new graph.

    Attributes:
      tensor: the tensor; its first dimension is the batch if *is_row*.
      is_row: whether it has a row for each element; otherwise it is the same for all elements.
    """

    __slots__ = ("_tensor", "is_row")

    def __init__(self, tensor: Any, is_row: bool) -> None:
        self._tensor = tensor
        self.is_row = is_row

    @property
    def tensor(self) -> Any:
        return self._tensor

    @property
    def made_by(self) -> Any:
        """The op that others wait for if they wait for this value."""
        return self.tensor.op

    @property
    def shape(self) -> tf.TensorShape:
        """The static shape of one element."""
        return self.tensor.shape[1:] if self.is_row and self.tensor.shape.rank is not None else self.tensor.shape

    @property
    def rank(self) -> int:
        if self.shape.rank is None:
            raise NoRuleError("the rank of an input is unknown")
        return int(self.shape.rank)

    @property
    def dimensions(self) -> List[int]:
        """The shape of one element; raises ``NoRuleError`` if it is not fully known."""
        if not self.shape.is_fully_defined():
            raise NoRuleError(f"an input has the shape {self.shape}")
        return [int(n) for n in self.shape.as_list()]

    @property
    def constant(self) -> np.ndarray:
        """The static value; raises ``NoRuleError`` if it is not known or differs between elements."""
        found = None if self.is_row else tf.get_static_value(self.tensor)
        if found is None:
            raise NoRuleError("an input that must be a constant is computed")
        return np.asarray(found)


class Ragged(Value):
    """A value whose elements differ in their first dimension, as in ``tf.RaggedTensor``.

    Attributes:
      flat: the items of all elements, one after the other.
      splits: the position in *flat* of each element's begin, and of the last one's end; int64 ``[batch + 1]``.
    """

    __slots__ = ("flat", "splits")

    def __init__(self, flat: Any, splits: Any) -> None:
        self.flat = flat
        self.splits = splits
        self.is_row = True

    @property
    def tensor(self) -> Any:
        """Raises ``NoRuleError``, since rows would differ in length; so a rule unaware of this class has no form."""
        raise NoRuleError("its elements differ in length")

    @property
    def made_by(self) -> Any:
        return self.flat.op

    @property
    def shape(self) -> tf.TensorShape:
        return tf.TensorShape([None]).concatenate(self.flat.shape[1:])

    @property
    def lengths(self) -> Any:
        """The length of each element."""
        return self.splits[1:] - self.splits[:-1]

    def padded(self) -> Any:
        """Returns a row for each element, padded with zeros (or empty strings) to the longest."""
        zero = tf.zeros([], self.flat.dtype)
        return tf.raw_ops.RaggedTensorToTensor(
            shape=tf.constant([-1, -1, *self.flat.shape[1:].as_list()], tf.int64),
            values=self.flat,
            default_value=zero,
            row_partition_tensors=[self.splits],
            row_partition_types=["ROW_SPLITS"],
        )


class SparseIndices(Ragged):
    """The ``indices`` of SparseTensors that are vectors without omitted items."""

    __slots__ = ()


class LengthVector(Value):
    """The shapes of vectors that differ in length: for each, a vector of one number."""

    __slots__ = ("splits",)

    def __init__(self, ragged: Ragged, dtype: Any) -> None:
        super().__init__(tf.cast(tf.expand_dims(ragged.lengths, 1), dtype), True)
        self.splits = ragged.splits


class Call:
    """One op that is rewritten.

    Attributes:
      op: the op, in the user's graph.
      inputs: its inputs in the new graph.
      size: the number of elements in every batch; None: it differs.
      rows: the number of elements in the batch, as a tensor.
      length: the number of bytes of each string of the first input; None: it may differ.
      pads: whether outputs may differ in length (``Ragged``).
    """

    def __init__(
        self,
        op: Any,
        inputs: Sequence[Value],
        rows: Callable[[], tf.Tensor],
        length: Optional[int] = None,
        size: Optional[int] = None,
        pads: bool = False,
    ) -> None:
        self.op = op
        self.inputs = list(inputs)
        self.length = length
        self.size = size
        self.pads = pads
        self._rows = rows

    @property
    def rows(self) -> tf.Tensor:
        return self._rows()

    def numbers(self, dtype: Any, step: int = 1, count: int = 1) -> tf.Tensor:
        """Returns the numbers 0, *step*, 2 * *step* and so on: *count* of them for each element of the batch."""
        if self.size is not None:
            # Long constants would make the graph too large.
            if self.size * count <= LONGEST_CONSTANT:
                return tf.constant(np.arange(self.size * count) * step, dtype)
            end = tf.constant(self.size * count * step, dtype)
        else:
            end = tf.cast(self.rows, dtype) * (count * step)
        return tf.range(tf.constant(0, dtype), end, tf.constant(step, dtype))

    def attribute(self, name: str) -> Any:
        return self.op.get_attr(name)

    def stacked(self, number: int) -> tf.Tensor:
        """Returns input *number* with a row for each element, even if it is the same for all elements."""
        value = self.inputs[number]
        return value.tensor if value.is_row else repeated(value, self.rows)

    def require_fixed(self, *numbers: int) -> None:
        if any(self.inputs[number].is_row for number in numbers):
            raise NoRuleError("an input differs from element to element")

    def copied(self, inputs: Optional[Sequence[Any]] = None, **attributes: Any) -> List[Any]:
        """Returns the outputs of the same op on *inputs* (None: its own), with changed *attributes*."""
        given = [value.tensor for value in self.inputs] if inputs is None else map(tf.convert_to_tensor, inputs)
        return made(self.op, list(given), attributes)


def repeated(value: Value, rows: tf.Tensor) -> tf.Tensor:
    """Returns *value*, which is the same for all elements, as a tensor with a row for each of them."""
    # Tile, and so ``tf.repeat``, does not take uint16 or the variants of stored SparseTensors, and is slower.
    alone = tf.reshape(value.tensor, tf.concat([[1], tf.shape(value.tensor)], 0))
    return tf.gather(alone, tf.zeros(tf.reshape(rows, [1]), tf.int32))


def made(op: Any, inputs: Sequence[Any], attributes: Optional[Dict[str, Any]] = None) -> List[Any]:
    """Adds an op like *op* to the current graph, on *inputs* and with changed *attributes*, and returns its outputs."""
    function, parameters = _raw(op.type)
    changed = attributes or {}
    given = {name: changed.get(name, _attribute(op, name)) for name in parameters if name in op.node_def.attr}
    given.update(by_name(op, inputs, [name for name in parameters if name not in given]))
    result = function(**given, name=name_of(op))
    if isinstance(result, tf.Operation):
        return []
    return list(tf.nest.flatten(result))


def name_of(op: Any) -> str:
    """Returns the name of the user's *op*; if that is taken, a name in the current scope (``origins.IN_BATCHES``)."""
    try:
        tf.compat.v1.get_default_graph().get_operation_by_name(op.name)
    except KeyError:
        return f"{op.name}/"  # the trailing slash makes TensorFlow ignore the current name scope
    return str(op.type)


def by_name(op: Any, inputs: Sequence[Any], parameters: Sequence[str]) -> Dict[str, Any]:
    """Returns *inputs* of an op like *op* by their names in ``tf.raw_ops``; several inputs of one name as a list."""
    waiting, named = list(inputs), {}
    for argument in op.op_def.input_arg:
        if argument.number_attr:
            count = op.get_attr(argument.number_attr)
        elif argument.type_list_attr:
            count = len(op.get_attr(argument.type_list_attr))
        else:
            named[argument.name] = waiting.pop(0)
            continue
        named[argument.name], waiting = waiting[:count], waiting[count:]
    # tf.raw_ops names a few inputs differently from the op definition.
    others = [name for name in parameters if name not in named]
    return {name if name in parameters else others.pop(0): given for name, given in named.items()}


@functools.cache
def _raw(kind: str) -> Tuple[Any, Tuple[str, ...]]:
    function = getattr(tf.raw_ops, kind, None)
    if function is None:
        raise NoRuleError(f"no function makes a {kind}")
    return function, tuple(name for name in inspect.signature(function).parameters if name != "name")


def _attribute(op: Any, name: str) -> Any:
    value = op.get_attr(name)
    return tf.TensorShape(value) if op.node_def.attr[name].HasField("shape") else value
