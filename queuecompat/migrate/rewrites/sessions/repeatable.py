"""What may be done anew for each batch, and in eager mode: it makes no variables, and has no state.

A statement on a batch goes into the loop. All that it calls is followed into the functions of the file; of what is
neither TensorFlow's nor of the file, only what is known to calculate and nothing else may stand there.
"""

from __future__ import annotations

from typing import FrozenSet, Set

import libcst as cst

from queuecompat.migrate.pipelines import definition
from queuecompat.migrate.rewrites.sessions.templates import OF_TEMPLATES, template_in
from queuecompat.migrate.rewrites.statements import OtherShapeError
from queuecompat.migrate.sources import Source
from queuecompat.migrate.uses import dotted_name
from queuecompat.migrate.walking import every, method

__all__ = ["is_harmless", "require_repeatable"]

_ONCE = (
    "tf.Variable", "tf.assign", "tf.contrib", "tf.get_", "tf.global_", "tf.image.random_", "tf.image_summary",
    "tf.layers", "tf.losses.add_loss", "tf.losses.get_", "tf.make_template", "tf.merge_", "tf.metrics",
    "tf.placeholder", "tf.random", "tf.scalar_summary", "tf.summary", "tf.train", "tf.truncated_normal", "tf.variable",
)  # fmt: skip
# Modules whose functions do nothing but calculate, and methods of tensors.
_HARMLESS = {"math", "numpy"}
_BUILTINS = {
    "abs", "bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list", "max", "min", "range", "repr",
    "reversed", "round", "set", "sorted", "str", "sum", "tuple", "type", "zip",
}  # fmt: skip
_OF_TENSORS = {"as_list", "get_shape", "items", "set_shape", "values"}


def require_repeatable(
    source: Source,
    line: cst.CSTNode,
    node: cst.CSTNode,
    *,
    tensors: Set[str],
    seen: FrozenSet[cst.CSTNode] = frozenset(),
    in_template: bool = False,
) -> None:
    """Whether *node*, which is or is called by *line*, may be done anew for each batch.

    Args:
      tensors: names of them.
      seen: functions that are looked at already.
      in_template: *node* is in a function that gets variables and becomes a template.

    Raises:
      OtherShapeError: it may not, or nobody knows.
    """
    for call in every(node, cst.Call):
        symbol, called = source.names.symbol(call.func), definition(source, call.func)
        if symbol.startswith(_ONCE) and not (in_template and symbol in OF_TEMPLATES):
            raise OtherShapeError(line, f"'{source.code(call.func)}' cannot be done anew for each batch")
        if called is not None and called not in seen:
            inner = in_template or (not seen and template_in(source, call))
            require_repeatable(source, line, called, tensors=tensors, seen=seen | {called}, in_template=inner)
        elif not symbol and called is None and not is_harmless(source, call, tensors):
            raise OtherShapeError(line, f"nobody knows here what '{source.code(call.func)}' does")


def is_harmless(source: Source, call: cst.Call, tensors: Set[str]) -> bool:
    """Whether a function that is neither TensorFlow's nor of this file does nothing but calculate."""
    dotted = source.names.full(call.func)
    if dotted is not None:
        return dotted.partition(".")[0] in _HARMLESS
    if isinstance(call.func, cst.Name):
        return call.func.value in _BUILTINS and not source.names.definitions(call.func)
    if isinstance(call.func, cst.Attribute):
        root = dotted_name(call.func).partition(".")[0]
        return not root or root in tensors or method(call) in _OF_TENSORS
    return False
