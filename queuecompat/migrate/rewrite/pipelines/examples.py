"""The tensors of one example, as a batcher gets them, written as the return value of a mapped function.

    tf.train.batch([image, label], 8)                              return image, label
    tf.train.batch(features, 8)                                    return features
    tf.train.batch_join([read(queue) for _ in range(4)], 8)        return read(record)
    a, b = tf.train.batch(tf.decode_csv(line, defaults), 8)        return tuple(tf.decode_csv(line, defaults))

A list becomes a tuple, because tf.data would stack it into one tensor. A list of one tensor becomes that tensor, as in
TensorFlow 1.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Optional, Sequence, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition
from queuecompat.migrate.analysis.statements import lines_of, names_of
from queuecompat.migrate.rewrite.pipelines.batchers import Batcher
from queuecompat.migrate.rewrite.pipelines.filled import filled_length
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import argument, every
from queuecompat.migrate.source.parsing import Source

__all__ = ["Example", "example"]

# They return dicts of tensors.
_PARSERS = ("tf.parse_example", "tf.parse_single_example", "tf.io.parse_example", "tf.io.parse_single_example")
# They return a list with one tensor for each column of a line.
_COLUMNS = {"tf.decode_csv", "tf.io.decode_csv"}


@dataclasses.dataclass(frozen=True)
class Example:
    """The tensors of one example.

    Attributes:
      code: the expression that the mapped function returns.
      count: the number of tensors in the list; None for a dict.
      parts: the code of each tensor, if they are written out.
      first: the code of one tensor; "" if none is written out.
    """

    code: str
    count: Optional[int]
    parts: Sequence[str] = ()
    first: str = ""

    def shaped(self, source: Source, tf: str, batcher: Batcher) -> Example:
        """The example with the batcher's ``shapes`` checked at run time, as the queue checked them.

        Raises:
          UnsupportedPatternError: it is unknown which shape belongs to which tensor.
        """
        shapes = batcher.shapes
        if shapes is None:
            return self
        if not isinstance(shapes, (cst.List, cst.Tuple)) or len(shapes.elements) != len(self.parts):
            raise refused("unknown-shapes", batcher.call)
        codes = [_shape(source, tf, element.value, batcher.enqueue_many) for element in shapes.elements]
        parts = [f"{tf}.ensure_shape({part}, {shape})" for part, shape in zip(self.parts, codes)]
        return Example(", ".join(parts), self.count, parts, parts[0])


def _shape(source: Source, tf: str, shape: cst.BaseExpression, several: bool) -> str:
    """The shape of one example, or of several."""
    if not several:
        return source.code(shape)
    if isinstance(shape, (cst.List, cst.Tuple)):
        sizes = ["None", *(source.code(element.value) for element in shape.elements)]
        return f"[{', '.join(sizes)}]"
    # The shape may be a number, a list of numbers, or a TensorShape.
    return f"{tf}.TensorShape([None]).concatenate({source.code(shape)})"


def example(
    source: Source,
    node: cst.BaseExpression,
    new: cst.BaseExpression,
    statements: Sequence[Any],
    batched: Optional[int] = None,
) -> Example:
    """The example that *node*, the argument of a batcher or one of its lists, stands for.

    Args:
      new: the expression to write for it.
      statements: the statements around it, which may assign its name.
      batched: the number of names that are assigned the batch, one each; 0: the function returns the batch as it is;
        None: neither. They matter for the columns of a line, whose number may be unknown.

    Raises:
      UnsupportedPatternError: the number of its tensors is unknown.
    """
    if isinstance(new, (cst.List, cst.Tuple)):
        if not new.elements or any(isinstance(element, cst.StarredElement) for element in new.elements):
            raise refused("tensors-not-listed", node)
        parts = [source.code(element.value) for element in new.elements]
        return Example(", ".join(parts), len(parts), parts, parts[0])
    if isinstance(new, cst.Dict) and new.elements and isinstance(new.elements[0], cst.DictElement):
        return Example(source.code(new), None, first=source.code(new.elements[0].value))
    code, (display, more) = source.code(new), _display(source, node, statements)
    if isinstance(display, cst.Dict):
        return Example(code, None)
    if isinstance(display, (cst.List, cst.Tuple)) and more is not None and more + len(display.elements) > 0:
        count = len(display.elements) + more
        whole = f"tuple({code})" if isinstance(display, cst.List) else code
        return Example(f"{code}[0]" if count == 1 else whole, count)
    if batched is not None and isinstance(node, cst.Name) and _are_columns(source, node.value, statements):
        if batched > 1:
            return Example(f"tuple({code})", batched)
        return Example(f"tuple({code}) if len({code}) > 1 else {code}[0]", None)
    raise refused("tensors-not-listed", node)


# A list, tuple or dict display, and how many elements are appended to it; each None if unknown.
_Display = Tuple[Optional[cst.CSTNode], Optional[int]]


def _display(source: Source, node: cst.CSTNode, statements: Sequence[Any]) -> _Display:
    """The display that *node* evaluates to, if it can be found."""
    if isinstance(node, cst.DictComp):
        return cst.Dict([]), 0
    if isinstance(node, (cst.Dict, cst.List, cst.Tuple)):
        return node, 0
    if isinstance(node, cst.Name):
        value, appended = _assigned(node.value, statements), filled_length(source, node.value, statements)
        found, more = (None, None) if value is None else _display(source, value, statements)
        return found, None if more is None or appended is None else more + appended
    if not isinstance(node, cst.Call):
        return None, None
    symbol = source.names.symbol(node.func)
    if symbol in _PARSERS or (not symbol and source.code(node.func) == "dict"):
        return cst.Dict([]), 0
    if symbol == "tf.train.slice_input_producer":
        return argument(node, "tensor_list", 0), 0
    function = definition(source, node.func)
    if not isinstance(function, cst.FunctionDef) or not isinstance(function.body, cst.IndentedBlock):
        return None, None
    returned = list(every(function.body, cst.Return))
    if len(returned) != 1 or returned[0].value is None:
        return None, None
    return _display(source, returned[0].value, function.body.body)


def _are_columns(source: Source, name: str, statements: Sequence[Any]) -> bool:
    """Whether *name* is the list of the columns of a line, to which nothing is appended."""
    value = _assigned(name, statements)
    is_of_line = isinstance(value, cst.Call) and source.names.symbol(value.func) in _COLUMNS
    return is_of_line and filled_length(source, name, statements) == 0


def _assigned(name: str, statements: Sequence[Any]) -> Optional[cst.BaseExpression]:
    """The value assigned to *name*, if a single plain assignment in *statements* assigns it."""
    lines = [line for one in statements for line in lines_of(one)]
    found = [one for one in lines if name in names_of(one)]
    statement = found[0].body[0] if len(found) == 1 and isinstance(found[0], cst.SimpleStatementLine) else None
    if isinstance(statement, cst.Assign) and isinstance(statement.targets[0].target, cst.Name):
        return statement.value
    return None
