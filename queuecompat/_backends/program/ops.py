"""Ops of a graph -> Python source that makes the same ops again.

Rule 1: an op without an entry in ``_FRIENDLY`` is written as ``tf.raw_ops.<its type>``, so there is nothing that
        this module has to know by name: the bits are those of the same kernels with the same seeds.
Rule 2: small constants stand where they are used; what the slice only names (arrays, variables, tables) is an
        argument of the whole program.

Left out: the control flow of TF1's graphs (Switch, Merge, ...), which no function call can express. Graphs built
in TensorFlow 2 have ``If`` and ``While`` instead, and these are written as functions of their own.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import tensorflow as tf

from queuecompat._backends.program.library import graph_of_function, output_counts
from queuecompat._backends.program.python import Names, dtype_name, literal, shape_text
from queuecompat.errors import QueueCompatValueError, error

__all__ = ["Writer"]

# A constant of more elements gets a line of its own, above everything else; one of still more is an argument.
INLINE_ELEMENTS = 16
WRITTEN_ELEMENTS = 256


@dataclasses.dataclass
class Writer:
    """What is written so far, over all functions of one program.

    Attributes:
      names: of functions, constants and arguments.
      top: lines that stand above all functions that use them: constants, and functions of branches and loops.
      arguments: from an argument's name to the tensor of the graph that it stands for.
    """

    names: Names = dataclasses.field(default_factory=Names)
    top: List[str] = dataclasses.field(default_factory=list)
    arguments: Dict[str, Any] = dataclasses.field(default_factory=dict)

    def function(
        self,
        name: str,
        parameters: Sequence[Tuple[Any, str]],
        ops: Sequence[Any],
        outputs: Sequence[Any],
        shapes: Optional[Sequence[tf.TensorShape]] = None,
        first: Sequence[Any] = (),
    ) -> List[str]:
        """The lines of ``def name(...)``.

        Args:
          parameters: tensors that come in, each with a name for it.
          ops: what lies between, in any order.
          outputs: what is returned: one value, or a tuple of several.
          shapes: the static shapes of *outputs*, to be said again where ops may have lost them.
          first: ops that have to run before anything is given.
        """
        labels = [label for _, label in parameters]
        body = _Body(self, Names([*labels, *self.names.taken]))
        body.values.update((tensor.name, label) for tensor, label in parameters)
        lines = body.lines(ops)
        results = [body.value(tensor, None) for tensor in outputs]
        if shapes is not None:
            results = [_shaped(one, shape, text, labels) for one, shape, text in zip(outputs, shapes, results)]
        waits = [name for op in first for name in body.names_of(op)]
        if waits:
            lines.append(f"with tf.control_dependencies([{', '.join(waits)}]):")
            results = [f"tf.identity({text})" for text in results]
        lines.append(f"{'    ' if waits else ''}return {_tuple(results)}")
        return [f"def {name}({', '.join(labels)}):", *(f"    {line}" for line in lines)]

    def captured(self, tensor: Any) -> str:
        """The argument that stands for *tensor*, which a slice only names."""
        for name, known in self.arguments.items():
            if known.name == tensor.name:
                return name
        # No op's own name gives an identifier like this.
        name = self.names.new(f"the_{Names().new(tensor.op.name)}")
        self.arguments[name] = tensor
        return name

    def constant(self, op: Any) -> str:
        """An expression for the constant *op*."""
        value, dtype = tf.make_ndarray(op.get_attr("value")), op.outputs[0].dtype
        if value.size > WRITTEN_ELEMENTS:
            return self.captured(op.outputs[0])
        if value.size > INLINE_ELEMENTS:
            name = self.names.new(op.name).upper()
            # An eager tensor would be copied into every function anew; an array is a constant of each.
            array = f"np.array({literal(value)}, {_numpy_type(value)!r}).reshape({list(value.shape)})"
            self.top += [f"{name} = {array}", ""]
            return f"tf.constant({name})"
        is_plain = value.size > 0 and dtype in (tf.int32, tf.float32, tf.string, tf.bool)
        text = literal(value)
        return f"tf.constant({text})" if is_plain else f"tf.constant({text}, {dtype_name(dtype)}{_shape_of(value)})"


class _Body:
    """The lines of one function."""

    def __init__(self, writer: Writer, names: Names) -> None:
        self.names = names
        self.values: Dict[str, str] = {}
        self._writer = writer
        self._inside: Dict[str, Any] = {}
        self._done: Dict[str, List[str]] = {}

    def lines(self, ops: Sequence[Any]) -> List[str]:
        self._inside = {op.name: op for op in ops}
        return [line for op in _in_order(ops) for line in self._op(op)]

    def value(self, tensor: Any, user: Optional[Any]) -> str:
        """The expression for *tensor*."""
        if tensor.name in self.values:
            return self.values[tensor.name]
        if tensor.op.name not in self._inside:
            return self._writer.captured(tensor)
        raise AssertionError(f"{tensor.name} is used before it is made")

    def names_of(self, op: Any) -> List[str]:
        """What stands for *op* among control dependencies."""
        return self._done.get(op.name, [])

    def _op(self, op: Any) -> Iterator[str]:
        waits = sorted({name for before in op.control_inputs for name in self.names_of(before)})
        if op.type == "NoOp":
            self._done[op.name] = waits
            return
        if op.type in ("Identity", "StopGradient", "PreventGradient", "Snapshot") and not waits:
            self.values[op.outputs[0].name] = self.value(op.inputs[0], op)
            self._done[op.name] = [self.values[op.outputs[0].name]]
            return
        if op.type == "Const" and not waits:
            self.values[op.outputs[0].name] = self._writer.constant(op)
            self._done[op.name] = []
            return
        name = self.names.new(op.name if len(op.outputs) else op.type)
        self._done[op.name] = [name]
        line = f"{name} = {self._expression(op)}"
        if len(op.outputs) == 1 and not _gives_list(op):
            self.values[op.outputs[0].name] = name
        else:
            self.values.update((tensor.name, place) for tensor, place in zip(op.outputs, _places(op, name)))
        if waits:
            yield f"with tf.control_dependencies([{', '.join(waits)}]):"
            line = f"    {line}"
        yield line

    def _expression(self, op: Any) -> str:
        if op.type in _CALLS:
            return _CALLS[op.type](self, op)
        inputs = [self.value(tensor, op) for tensor in op.inputs]
        friendly = _FRIENDLY.get(op.type)
        if friendly is not None:
            written = friendly(op, inputs)
            if written is not None:
                return written
        return self._raw(op, inputs)

    def _raw(self, op: Any, inputs: List[str]) -> str:
        function = getattr(tf.raw_ops, op.type, None)
        if function is None or op.type in _OF_TF1_LOOPS:
            raise error(QueueCompatValueError, "QC505", what=f"'{op.name}' ({op.type}) has no function that makes it")
        parameters = [name for name in inspect.signature(function).parameters if name != "name"]
        given = _by_parameter(dict(_inputs_by_name(op, inputs)), parameters, op)
        defaults = {attr.name: attr.default_value for attr in op.op_def.attr if attr.HasField("default_value")}
        written = []
        for parameter in parameters:
            if parameter in given:
                written.append(f"{parameter}={given[parameter]}")
            elif parameter in op.node_def.attr and op.node_def.attr[parameter] != defaults.get(parameter):
                written.append(f"{parameter}={_attribute(op, parameter)}")
        return f"tf.raw_ops.{op.type}({', '.join(written)})"

    def branch(self, op: Any, attribute: str) -> str:
        """The name of a function, written above, that is the function attribute of *op*."""
        name = self._writer.names.new(f"{op.name.rpartition('/')[2]}_{attribute}")
        graph, arguments, results = graph_of_function(op, op.get_attr(attribute).name)
        parameters = [(tensor, f"x{number}") for number, tensor in enumerate(arguments)]
        inside = [one for one in graph.get_operations() if one.type != "Placeholder"]
        lines = self._writer.function(name, parameters, inside, results)
        # A branch or a body gives as many values as the op has outputs, so also one comes in a tuple.
        self._writer.top += [*lines, ""]
        return name


def _in_order(ops: Sequence[Any]) -> List[Any]:
    """*ops*, each after those that it depends on."""
    inside = {op.name: op for op in ops}
    done: Dict[str, Any] = {}
    for root in ops:
        waiting = [root]
        while waiting:
            op = waiting[-1]
            before = [given.op for given in op.inputs] + list(op.control_inputs)
            missing = [one for one in before if one.name in inside and one.name not in done]
            if missing and op.name not in done:
                waiting.extend(missing)
            else:
                done.setdefault(waiting.pop().name, op)
    return list(done.values())


def _inputs_by_name(op: Any, inputs: List[str]) -> Iterator[Tuple[str, str]]:
    """The argument names of *op* with the expressions for them; several inputs of one name come as a list."""
    waiting = list(inputs)
    for argument in op.op_def.input_arg:
        if argument.number_attr or argument.type_list_attr:
            count = op.node_def.attr[argument.number_attr].i
            if argument.type_list_attr:
                count = len(op.node_def.attr[argument.type_list_attr].list.type)
            taken, waiting = waiting[:count], waiting[count:]
            yield argument.name, f"[{', '.join(taken)}]"
        else:
            yield argument.name, waiting.pop(0)


def _by_parameter(given: Dict[str, str], parameters: List[str], op: Any) -> Dict[str, str]:
    """*given* by the names that ``tf.raw_ops`` has for it: a few inputs have a different name in the op itself."""
    others = [name for name in parameters if name not in given and name not in op.node_def.attr]
    return {name if name in parameters else others.pop(0): text for name, text in given.items()}


def _places(op: Any, name: str) -> Iterator[str]:
    """Where each output of *op* is in what the function returns: a list, a named tuple, or a tuple of lists."""
    counts = list(output_counts(op))
    if len(counts) == 1:
        yield from (f"{name}[{number}]" for number in range(counts[0] or 0))
        return
    for argument, count in zip(op.op_def.output_arg, counts):
        if count is None:
            yield f"{name}.{argument.name}"
        else:
            yield from (f"{name}.{argument.name}[{number}]" for number in range(count))


def _gives_list(op: Any) -> bool:
    return any(count is not None for count in output_counts(op))


def _attribute(op: Any, name: str) -> str:
    value = op.get_attr(name)
    kind = op.node_def.attr[name].WhichOneof("value")
    if kind == "type":
        return dtype_name(value)
    if kind == "list" and op.node_def.attr[name].list.type:
        return f"[{', '.join(dtype_name(one) for one in value)}]"
    if kind == "shape":
        return shape_text(tf.TensorShape(value))
    if kind == "list" and op.node_def.attr[name].list.shape:
        return f"[{', '.join(shape_text(tf.TensorShape(one)) for one in value)}]"
    if isinstance(value, bytes):
        return repr(value.decode())
    return repr(value)


def _shape_of(value: np.ndarray) -> str:
    """The shape of a constant, where its elements do not say it."""
    return f", shape={list(value.shape)}" if value.size == 0 else ""


def _numpy_type(value: np.ndarray) -> str:
    return "object" if value.dtype == object else value.dtype.name


def _tuple(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"({', '.join(items)})"


_ELEMENT_BY_ELEMENT = ("AddV2", "Cast", "Maximum", "Minimum", "Mul", "RealDiv", "Sub")
# Which input says the shape of what comes out.
_SHAPED_BY = {"RandomUniform": 0, "RandomUniformInt": 0, "Reshape": 1, "Slice": 2}


def _shaped(tensor: Any, shape: tf.TensorShape, text: str, labels: Sequence[str]) -> str:
    if text in labels or tensor.shape.rank is None or _has_its_shape(tensor, labels):
        return text
    return f"tf.ensure_shape({text}, {shape_text(shape)})"


def _has_its_shape(tensor: Any, labels: Sequence[str]) -> bool:
    """Whether the ops before *tensor* infer its shape when built again, and it is not only from ``set_shape``."""
    kind = tensor.op.type
    if kind in _SHAPED_BY:
        return tensor.op.inputs[_SHAPED_BY[kind]].op.type == "Const"
    if kind in _ELEMENT_BY_ELEMENT:
        return all(_has_its_shape(given, labels) for given in tensor.op.inputs)
    return kind in ("Const", "ParseExampleV2", "ParseSingleExample")


# Ways to write an op that people know; None where a raw op says it better.

Friendly = Callable[[Any, List[str]], Optional[str]]


def _infix(sign: str) -> Friendly:
    return lambda op, given: f"({given[0]} {sign} {given[1]})"


def _call(function: str, *attributes: str) -> Friendly:
    def write(op: Any, given: List[str]) -> str:
        return f"{function}({', '.join([*given, *(_attribute(op, name) for name in attributes)])})"

    return write


def _gather(op: Any, given: List[str]) -> Optional[str]:
    is_plain = tf.get_static_value(op.inputs[2]) == 0 and not op.get_attr("batch_dims")
    return f"tf.gather({given[0]}, {given[1]})" if is_plain else None


def _pack(op: Any, given: List[str]) -> str:
    axis = op.get_attr("axis")
    return f"tf.stack([{', '.join(given)}]{f', axis={axis}' if axis else ''})"


_FRIENDLY: Dict[str, Friendly] = {
    "AddV2": _infix("+"),
    "Cast": _call("tf.cast", "DstT"),
    "GatherV2": _gather,
    "Mul": _infix("*"),
    "Pack": _pack,
    "ReadFile": _call("tf.io.read_file"),
    "RealDiv": _infix("/"),
    "Reshape": _call("tf.reshape"),
    "Shape": lambda op, given: f"tf.shape({given[0]}, {_attribute(op, 'out_type')})",
    "Slice": _call("tf.slice"),
    "Sub": _infix("-"),
}


def _if(body: _Body, op: Any) -> str:
    condition, *given = [body.value(tensor, op) for tensor in op.inputs]
    ways = [f"lambda: {body.branch(op, name)}({', '.join(given)})" for name in ("then_branch", "else_branch")]
    return _as_list(op, f"tf.cond({condition}, {', '.join(ways)})")


def _while(body: _Body, op: Any) -> str:
    given = [body.value(tensor, op) for tensor in op.inputs]
    shapes = ", ".join(f"tf.TensorShape({shape_text(tf.TensorShape(one))})" for one in op.get_attr("output_shapes"))
    invariants = f", shape_invariants=[{shapes}]" if shapes else ""
    loop = f"tf.while_loop({body.branch(op, 'cond')}, {body.branch(op, 'body')}, [{', '.join(given)}]{invariants})"
    return loop


def _called(body: _Body, op: Any) -> str:
    given = [body.value(tensor, op) for tensor in op.inputs]
    return _as_list(op, f"{body.branch(op, 'f')}({', '.join(given)})")


def _as_list(op: Any, text: str) -> str:
    return f"[{text}]" if len(op.outputs) == 1 else text


_CALLS: Dict[str, Callable[[_Body, Any], str]] = {
    "If": _if,
    "PartitionedCall": _called,
    "StatefulPartitionedCall": _called,
    "StatelessIf": _if,
    "StatelessWhile": _while,
    "While": _while,
}
_OF_TF1_LOOPS = ("Enter", "Exit", "LoopCond", "Merge", "NextIteration", "RefSwitch", "Switch")
