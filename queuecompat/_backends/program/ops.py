"""Ops of a graph -> Python source that makes the same ops again.

Rule 1: an op without a public form is written as ``tf.raw_ops.<its type>``, so this module does not have to know op
        types by name. The bits are the same, since the kernels and the seeds are the same.
Rule 2: small constants are written where they are used, and ops that depend on constants alone are folded into one;
        larger constants become expressions if they follow a rule. Resources that the slice captures (arrays, variables,
        tables) are arguments of the whole program, except the result of ``match_filenames_once``: the program looks for
        the files itself.
Rule 3: a value has the name that it has in the user's program, or else that of its op. The comments of a user's
        statement are written above the first line that comes from it, once per program. If each output of an op has a
        name in the user's program, the outputs are unpacked where they are made.
Rule 4: conditions and loops are written as functions of their own, whether they were built by TensorFlow 2 (``If``,
        ``While``) or by TensorFlow 1 (``Switch``, ``Enter``, ...; see ``regions``).
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, Union

import numpy as np
import tensorflow as tf

from queuecompat._analysis.batched.folding import static_value
from queuecompat._analysis.effects import effects_of
from queuecompat._analysis.library import graph_of_function, output_counts
from queuecompat._analysis.matched_files import patterns_of
from queuecompat._analysis.regions import Condition, Loop, Region, is_pivot, structured
from queuecompat._analysis.statements import NO_NOTES, Comment, SourceNotes
from queuecompat._backends.program.calls import Called, with_calls, with_windows
from queuecompat._backends.program.public_forms import public_form, public_places
from queuecompat._backends.program.python import Names, dtype_name, literal, shape_text
from queuecompat._backends.program.regular import regular_array
from queuecompat.errors import QueueCompatValueError, error

__all__ = ["Writer"]

# A constant with more elements than the first number gets a line of its own, above all functions; one with more than
# the second is an argument, unless a short expression makes it.
INLINE_ELEMENTS = 16
WRITTEN_ELEMENTS = 256
# The name of a value that is not used.
_UNUSED = "_"


@dataclasses.dataclass
class Writer:
    """What has been written so far, over all functions of one program.

    Attributes:
      names: the names of functions, constants and arguments.
      top: lines above all functions that use them: constants, and functions of branches and loops.
      arguments: from the name of an argument to the tensor of the graph that it stands for.
      files: from the expression for a list of files to its name; evaluated once, where the program begins.
      helpers: the names of the helper functions to put above all that; see ``helpers``.
    """

    names: Names = dataclasses.field(default_factory=Names)
    top: List[str] = dataclasses.field(default_factory=list)
    arguments: Dict[str, Any] = dataclasses.field(default_factory=dict)
    files: Dict[str, str] = dataclasses.field(default_factory=dict)
    helpers: Set[str] = dataclasses.field(default_factory=set)
    _commented: Set[Comment] = dataclasses.field(default_factory=set)
    _arrays: Dict[str, str] = dataclasses.field(default_factory=dict)  # from an expression to its name

    def function(
        self,
        name: str,
        parameters: Sequence[Tuple[Any, str]],
        ops: Sequence[Any],
        outputs: Sequence[Any],
        shapes: Optional[Sequence[tf.TensorShape]] = None,
        first: Sequence[Any] = (),
        notes: SourceNotes = NO_NOTES,
        stands_for: Optional[Mapping[str, Any]] = None,
    ) -> List[str]:
        """The lines of ``def name(...)``.

        Args:
          parameters: the tensors that are passed in, each with its parameter's name; several may share one parameter.
          ops: the ops to write, in any order.
          outputs: the tensors to return, as one value or as a tuple.
          shapes: the static shapes of *outputs*, written again where the ops may have lost them.
          first: ops that have to run before anything is returned.
          notes: the names and comments of the user's program for the ops.
          stands_for: the tensors of the user's graph for which tensors of *ops* stand, by the names of the latter.
        """
        labels = list(dict.fromkeys(label for _, label in parameters))
        body = _Body(self, Names(labels, within=self.names), notes, stands_for or {})
        body.values.update((tensor.name, label) for tensor, label in parameters)
        lines = body.lines(ops, [*outputs, *first])
        results = [body.value(tensor, None) for tensor in outputs]
        if shapes is not None:
            results = [_shaped(one, shape, text, labels) for one, shape, text in zip(outputs, shapes, results)]
        waits = [name for op in first for name in body.names_of(op)]
        if waits:
            lines.append(f"with tf.control_dependencies([{', '.join(waits)}]):")
            results = [f"tf.identity({text})" for text in results]
        lines.append(f"{'    ' if waits else ''}return {_tuple(results)}")
        return [f"def {name}({', '.join(labels)}):", *(f"    {line}" for line in lines)]

    def comments(self, notes: SourceNotes, ops: Sequence[Any]) -> List[str]:
        """The comments of the statements that made *ops*, except those that have been written already."""
        new = [one for op in ops for one in notes.comments.get(op.name, ()) if one not in self._commented]
        self._commented.update(new)
        return [line for one in dict.fromkeys(new) for line in one.lines]

    def captured(self, tensor: Any) -> str:
        """An expression for *tensor*, which a slice captures: an argument, or an array that follows a rule."""
        if tensor.op.type == "Const":
            text = regular_array(np.asarray(tf.make_ndarray(tensor.op.get_attr("value"))))
            if text is not None:
                return self._array(tensor, text)
        return self._argument(tensor)

    def _argument(self, tensor: Any) -> str:
        for name, known in self.arguments.items():
            if known.name == tensor.name:
                return name
        name = self.names.new(f"the_{Names().new(tensor.op.name)}")
        self.arguments[name] = tensor
        return name

    def _array(self, tensor: Any, text: str) -> str:
        """An expression for the array that *text* evaluates to; the array gets a line and a name like *tensor*'s."""
        if text not in self._arrays:
            self._arrays[text] = self.names.like(Names().new(tensor.op.name).upper())
            self.top += [f"{self._arrays[text]} = {text}", ""]
        # An eager tensor would be copied into every function again; an array is a constant of each function.
        return f"tf.constant({self._arrays[text]})"

    def matched(self, handle: Any) -> Optional[str]:
        """The expression for the list of files in the variable of *handle*.

        None if it is a different kind of variable.
        """
        patterns = patterns_of(handle)
        if patterns is None:
            return None
        # The op sorts the matches of all patterns together, and lists a file twice if two of them match.
        text = f"sorted(tf.io.gfile.glob({patterns[0] if len(patterns) == 1 else patterns!r}))"
        if text not in self.files:
            self.files[text] = self.names.new(handle.op.name)
        return f"tf.constant({self.files[text]}, tf.string)"

    def constant(self, tensor: Any, value: np.ndarray) -> str:
        """An expression for *tensor*, a constant with this *value*."""
        dtype = tensor.dtype
        if value.size > INLINE_ELEMENTS:
            text = regular_array(value)
            if text is not None:
                return self._array(tensor, text)
            if value.size > WRITTEN_ELEMENTS:
                return self._argument(tensor)
            array = f"np.array({literal(value)}, {_numpy_type(value)!r}).reshape({list(value.shape)})"
            return self._array(tensor, array)
        is_plain = value.size > 0 and dtype in (tf.int32, tf.float32, tf.string, tf.bool)
        text = literal(value)
        return f"tf.constant({text})" if is_plain else f"tf.constant({text}, {dtype_name(dtype)}{_shape_of(value)})"


class _Body:
    """The lines of one function."""

    def __init__(self, writer: Writer, names: Names, notes: SourceNotes, stands_for: Mapping[str, Any]) -> None:
        self.names = names
        self._notes = notes
        self._stands_for = stands_for
        self.values: Dict[str, str] = {}
        self._writer = writer
        self._inside: Dict[str, Any] = {}
        self._used: Set[str] = set()  # names of tensors
        self._done: Dict[str, List[str]] = {}
        self._known: Dict[str, np.ndarray] = {}  # values of constants, by tensor name

    def lines(self, ops: Sequence[Any], results: Sequence[Any]) -> List[str]:
        self._inside = {op.name: op for op in ops}
        self._used = {one.name for one in [*results, *(tensor for op in ops for tensor in op.inputs)]}
        ordered = structured(with_windows(ops, results), results)
        if ordered is None:
            raise error(
                QueueCompatValueError, "QC505", what=f"the loop around '{ops[-1].name}' was not built by tf.while_loop"
            )
        return [line for op in with_calls(ordered, results, self._notes.calls) for line in self._op(op)]

    def value(self, tensor: Any, user: Optional[Any]) -> str:
        """The expression for *tensor*."""
        if tensor.name in self.values:
            return self.values[tensor.name]
        if tensor.op.name not in self._inside:
            return self._writer.captured(self._stands_for.get(tensor.name, tensor))
        raise AssertionError(f"{tensor.name} is used before it is made")

    def _captured_by(self, op: Any) -> Optional[Any]:
        """The tensor of the user's graph that is the only input of *op*.

        None if the input is made, or passed in, here.
        """
        (tensor,) = op.inputs
        is_outside = tensor.name not in self.values and tensor.op.name not in self._inside
        return self._stands_for.get(tensor.name, tensor) if is_outside else None

    def names_of(self, op: Any) -> List[str]:
        """The names that stand for *op* in control dependencies."""
        return self._done.get(op.name, [])

    def _op(self, op: Any) -> Iterator[str]:
        waits = sorted({name for one in op.control_inputs if not is_pivot(one) for name in self.names_of(one)})
        if isinstance(op, (Called, Condition, Loop)):
            yield from self._writer.comments(self._notes, op.replaces)
            yield from _waiting(waits, self._structured(op))
            return
        if op.type == "NoOp" or (op.type == "Assert" and self._holds(op.inputs[0])):
            self._done[op.name] = waits
            return
        if self._changes_nothing(op) and not waits:
            self.values[op.outputs[0].name] = self.value(op.inputs[0], op)
            self._done[op.name] = [self.values[op.outputs[0].name]]
            if op.inputs[0].name in self._known:
                self._known[op.outputs[0].name] = self._known[op.inputs[0].name]
                self._done[op.name] = []
            return
        constant = None if waits else self._constant(op)  # an op with control dependencies is written at its place
        if constant is not None:
            self._known[op.outputs[0].name] = constant
            self.values[op.outputs[0].name] = self._writer.constant(op.outputs[0], constant)
            self._done[op.name] = []
            return
        yield from self._writer.comments(self._notes, [op])
        if effects_of([op], None).calls_python:
            yield (
                "# (this token stands for a function of the process that wrote this; elsewhere, use tf.numpy_function)"
            )
        yield from _waiting(waits, self._assigned(op))

    def _assigned(self, op: Any) -> str:
        """The line for *op*; records the names of its outputs."""
        if op.name in self._notes.outputs and _has_one_list_output(op):
            names = [self._name_of_output(*one) for one in zip(op.outputs, self._notes.outputs[op.name])]
            self.values.update((tensor.name, name) for tensor, name in zip(op.outputs, names))
            self._done[op.name] = [name for name in names if name != _UNUSED][:1]
            return f"{', '.join(names)}{',' if len(names) == 1 else ''} = {self._expression(op)}"
        name = self._name_of([op], op.name if len(op.outputs) else op.type)
        self._done[op.name] = [name]
        if len(op.outputs) == 1 and not _has_list_output(op):
            self.values[op.outputs[0].name] = name
        else:
            places = public_places(op, name, [self._known.get(tensor.name) for tensor in op.inputs])
            self.values.update((tensor.name, place) for tensor, place in zip(op.outputs, places or _places(op, name)))
        return f"{name} = {self._expression(op)}"

    def _name_of_output(self, tensor: Any, users: str) -> str:
        """A name for *tensor*, whose name in the user's program is *users*; empty: it has none there."""
        if users:
            return self.names.like(users)
        return self.names.new(tensor.op.name) if tensor.name in self._used else _UNUSED

    def _name_of(self, ops: Sequence[Any], otherwise: str) -> str:
        """A name for the result of *ops*: the one in the user's program, or one like *otherwise*."""
        users = next((self._notes.names[op.name] for op in ops if op.name in self._notes.names), None)
        return self.names.new(otherwise) if users is None else self.names.like(users)

    def _constant(self, op: Any) -> Optional[np.ndarray]:
        """The value of *op*, if it depends on constants alone; else None."""
        if op.type == "Const":
            return np.asarray(tf.make_ndarray(op.get_attr("value")))
        if len(op.outputs) != 1 or not op.inputs or not all(given.name in self._known for given in op.inputs):
            return None
        value = static_value(op.outputs[0], floats=True)
        return value if value is not None and value.size <= INLINE_ELEMENTS else None

    def _changes_nothing(self, op: Any) -> bool:
        """Whether the output of *op* equals its first input."""
        if op.type == "Pad":
            paddings = self._known.get(op.inputs[1].name)
            return paddings is not None and not paddings.any()
        return op.type in ("Identity", "StopGradient", "PreventGradient", "Snapshot")

    def _holds(self, condition: Any) -> bool:
        return condition.name in self._known and bool(self._known[condition.name].all())

    def _structured(self, node: Union[Called, Condition, Loop]) -> str:
        """The line for a call, or for a condition or loop of TensorFlow 1."""
        otherwise = node.function if isinstance(node, Called) else node.name.rpartition("/")[0] or node.name
        name = self._name_of(node.replaces, otherwise)
        self._done.update((op.name, [name]) for op in node.replaces)
        is_list = isinstance(node, Loop) or len(node.outputs) > 1
        places = node.exits if isinstance(node, Loop) else range(len(node.outputs))
        values = [f"{name}[{place}]" for place in places] if is_list else [name]
        self.values.update((tensor.name, value) for tensor, value in zip(node.outputs, values))
        if isinstance(node, Called):
            self._writer.helpers.add(node.function)
            inputs = ", ".join(self.value(tensor, None) for tensor in node.inputs)
            return f"{name} = {node.function}({inputs}{node.arguments})"
        return f"{name} = {self._loop(node, name) if isinstance(node, Loop) else self._condition(node, name)}"

    def _condition(self, node: Condition, name: str) -> str:
        ways = []
        for region, what in ((node.if_true, "if_true"), (node.if_false, "if_false")):
            function, given = self._function(region, f"{name}_{what}")
            ways.append(f"lambda: {function}({', '.join(given)})")
        return f"tf.cond({self.value(node.predicate, None)}, {', '.join(ways)})"

    def _loop(self, node: Loop, name: str) -> str:
        functions = []
        for region, what in ((node.test, "test"), (node.body, "body")):
            function, given = self._function(region, f"{name}_{what}", len(node.first))
            turn = self.names.new("turn")
            functions.append(f"lambda *{turn}: {function}(*{turn}, {', '.join(given)})" if given else function)
        first = ", ".join(self.value(tensor, None) for tensor in node.first)
        shapes = ", ".join(f"tf.TensorShape({shape_text(shape)})" for shape in node.shapes)
        at_once = f", parallel_iterations={node.parallel_iterations}" if node.parallel_iterations != 10 else ""
        return f"tf.while_loop({', '.join(functions)}, [{first}], shape_invariants=[{shapes}]{at_once})"

    def _function(self, region: Region, name: str, variables: int = 0) -> Tuple[str, List[str]]:
        """Writes *region* as a function above; returns its name, and the arguments to call it with.

        Args:
          variables: the number of leading parameters whose arguments are not returned: the loop variables.
        """
        function = self._writer.names.new(name)
        parameters = [(tensor, f"x{number}") for tensor, number in sorted(region.inside, key=lambda one: one[1])]
        lines = self._writer.function(
            function, parameters, region.ops, region.results, notes=self._notes, stands_for=self._stands_for
        )
        self._writer.top += ["", *lines, ""]
        numbers = sorted({number for _, number in region.inside if number >= variables})
        return function, [self.value(region.given[number], None) for number in numbers]

    def _expression(self, op: Any) -> str:
        if op.type in _CALLS:
            return _CALLS[op.type](self, op)
        if op.type == "Const":
            return self._writer.constant(op.outputs[0], np.asarray(tf.make_ndarray(op.get_attr("value"))))
        if op.type == "ReadVariableOp":
            handle = self._captured_by(op)
            files = None if handle is None else self._writer.matched(handle)
            if files is not None:
                return files
        inputs = [self.value(tensor, op) for tensor in op.inputs]
        return public_form(op, inputs, [self._known.get(tensor.name) for tensor in op.inputs]) or self._raw(op, inputs)

    def _raw(self, op: Any, inputs: List[str]) -> str:
        function = getattr(tf.raw_ops, op.type, None)
        if function is None or op.type in _OF_TF1_LOOPS:
            raise error(
                QueueCompatValueError, "QC505", what=f"no function of TensorFlow creates '{op.name}' ({op.type})"
            )
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
        """Writes the function in the *attribute* of *op* above, and returns its name."""
        name = self._writer.names.new(f"{op.name.rpartition('/')[2]}_{attribute}")
        library = tf.Graph.as_graph_def(op.graph).library
        graph, arguments, results = graph_of_function(library, op.get_attr(attribute).name)
        parameters = [(tensor, f"x{number}") for number, tensor in enumerate(arguments)]
        inside = [one for one in graph.get_operations() if one.type != "Placeholder"]
        lines = self._writer.function(name, parameters, inside, results)
        # A branch or a loop body returns as many values as the op has outputs. A single value is returned without a
        # tuple; the caller puts it into a list.
        self._writer.top += ["", *lines, ""]
        return name


def _waiting(waits: Sequence[str], line: str) -> List[str]:
    """The lines of *line* after the control dependencies *waits*, given by name."""
    return [f"with tf.control_dependencies([{', '.join(waits)}]):", f"    {line}"] if waits else [line]


def _inputs_by_name(op: Any, inputs: List[str]) -> Iterator[Tuple[str, str]]:
    """The argument names of *op* with their expressions; several inputs of one argument become a list."""
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
    """*given* by the parameter names of ``tf.raw_ops``, which for a few inputs differ from those of the op itself."""
    others = [name for name in parameters if name not in given and name not in op.node_def.attr]
    return {name if name in parameters else others.pop(0): text for name, text in given.items()}


def _places(op: Any, name: str) -> Iterator[str]:
    """An expression for each output of *op*, where the result of its raw function is called *name*.

    The function returns a list, a named tuple, or a named tuple of lists.
    """
    counts = list(output_counts(op))
    if len(counts) == 1:
        yield from (f"{name}[{number}]" for number in range(counts[0] or 0))
        return
    for argument, count in zip(op.op_def.output_arg, counts):
        if count is None:
            yield f"{name}.{argument.name}"
        else:
            yield from (f"{name}.{argument.name}[{number}]" for number in range(count))


def _has_one_list_output(op: Any) -> bool:
    return len(op.op_def.output_arg) == 1 and _has_list_output(op)


def _has_list_output(op: Any) -> bool:
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
    """The shape argument of a constant, where its elements do not determine the shape."""
    return f", shape={list(value.shape)}" if value.size == 0 else ""


def _numpy_type(value: np.ndarray) -> str:
    return "object" if value.dtype == object else value.dtype.name


def _tuple(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"({', '.join(items)})"


_ELEMENT_BY_ELEMENT = ("AddV2", "Cast", "Maximum", "Minimum", "Mul", "RealDiv", "Sub")
# The index of the input that determines the shape of the output.
_SHAPED_BY = {"RandomUniform": 0, "RandomUniformInt": 0, "Reshape": 1, "Slice": 2}


def _shaped(tensor: Any, shape: tf.TensorShape, text: str, labels: Sequence[str]) -> str:
    if text in labels or tensor.shape.rank is None or _has_its_shape(tensor, labels):
        return text
    return f"tf.ensure_shape({text}, {shape_text(shape)})"


def _has_its_shape(tensor: Any, labels: Sequence[str]) -> bool:
    """Whether the ops before *tensor* infer its shape when they are built again, so that no ``set_shape`` is lost."""
    kind = tensor.op.type
    if kind in _SHAPED_BY:
        return tensor.op.inputs[_SHAPED_BY[kind]].op.type == "Const"
    if kind in _ELEMENT_BY_ELEMENT:
        return all(_has_its_shape(given, labels) for given in tensor.op.inputs)
    return kind in ("Const", "ParseExampleV2", "ParseSingleExample")


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
