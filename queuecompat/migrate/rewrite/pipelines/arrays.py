"""``tf.train.batch([images, labels], 8, enqueue_many=True)`` on arrays: the dataset that repeats their rows.

    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).repeat()

A graph computed the tensors again for each pass, whereas here they are computed once; so their computation must not
depend on anything that changes between passes.
"""

from __future__ import annotations

import builtins
from typing import Iterator, List, Optional

import libcst as cst

from queuecompat.migrate.analysis.call_graph import definition
from queuecompat.migrate.analysis.statements import uses
from queuecompat.migrate.rewrite.pipelines.calls import InputCall
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["row_lines"]

_CONSTANT = {
    "tf.cast", "tf.constant", "tf.convert_to_tensor", "tf.expand_dims", "tf.one_hot", "tf.ones", "tf.range",
    "tf.reshape", "tf.squeeze", "tf.to_float", "tf.to_int32", "tf.to_int64", "tf.transpose", "tf.zeros",
}  # fmt: skip
# Modules whose functions return arrays and not tensors.
_OF_ARRAYS = {
    "PIL", "csv", "cv2", "glob", "gzip", "h5py", "json", "math", "numpy", "os", "pandas", "pickle",
    "random", "scipy", "six", "sklearn", "struct",
}  # fmt: skip
# Nodes that assign values to names, and nodes at which the search for one ends.
_ASSIGNING = (cst.AnnAssign, cst.Assign, cst.AugAssign, cst.CompFor, cst.For, cst.NamedExpr, cst.WithItem)
_ENDS = (cst.BaseSuite, cst.ClassDef, cst.FunctionDef, cst.Module, cst.Param)
# Methods that return a different tensor each time.
_MOVES_ON = {"dequeue", "dequeue_many", "dequeue_up_to", "get_next"}


def row_lines(source: Source, tf: str, given: InputCall) -> List[str]:
    """The dataset of the rows of a batcher's tensors.

    Raises:
      UnsupportedPatternError: a tensor may not be a constant array.
    """
    tensors = given.listed("tensors")
    reached: List[cst.CSTNode] = list(tensors)
    for node in reached:
        more = [*_assigned(source, node), *_called(source, node)]
        reached += [one for one in more if one not in reached]
    codes = [source.code(one) for one in tensors]
    rows = f"({', '.join(codes)})" if len(codes) > 1 else codes[0]
    return [f"dataset = {tf}.data.Dataset.from_tensor_slices({rows}).repeat()"]


def _assigned(source: Source, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The values assigned to the names in *node*, inside or outside this function; also by ``for`` and ``with``."""
    names = uses(node)
    for name in every(node, cst.Name):
        for one in source.names.definitions(name) if name.value in names else ():
            around: Optional[cst.CSTNode] = one
            while around is not None and not isinstance(around, _ASSIGNING):
                around = None if isinstance(around, _ENDS) else source.parents.get(around)
            found = around and next(
                getattr(around, part) for part in ("value", "iter", "item") if hasattr(around, part)
            )
            if found is not None:
                yield found


def _called(source: Source, node: cst.CSTNode) -> List[cst.CSTNode]:
    """The functions of this file that *node* calls.

    Raises:
      UnsupportedPatternError: it calls a function that may return a different tensor each time.
    """
    found: List[cst.CSTNode] = []
    for call in every(node, cst.Call):
        symbol, function = source.names.symbol(call.func), definition(source, call.func)
        dotted = source.names.full(call.func) or ""
        if isinstance(function, cst.FunctionDef):
            found.append(function)
        elif symbol not in _CONSTANT and dotted.partition(".")[0] not in _OF_ARRAYS and not _is_harmless(call, dotted):
            raise refused("not-an-array", call, call=source.code(call.func))
    return found


def _is_harmless(call: cst.Call, dotted: str) -> bool:
    """Whether it is a Python builtin, or a method of an object of the program."""
    if isinstance(call.func, cst.Name):
        return not dotted and hasattr(builtins, call.func.value)
    return not dotted and method(call) not in _MOVES_ON
