"""The functions inside of datasets: traced once in a process, and left alone by the graph's optimiser.

A pipeline's start is mostly the work on its functions: tracing one takes milliseconds, and TensorFlow's graph optimiser
takes as long again for each one that it finds in a graph. So

Rule 1: what captures nothing is traced once in a process (``shared``), and each graph is given its definition.
Rule 2: in a graph, a function without floating-point arithmetic carries the mark that tf.data sets on its own, by
        which the optimiser passes it by. With arithmetic it does not: ``x / 255.`` becomes ``x * (1 / 255.)``, and
        the bits have to be those of the same ops in a session.
Rule 3: a definition is named by what it says, so that equal ones are one, also in a graph that was loaded from a file.
Rule 4: such a function is also marked to run on its one device as it is. TensorFlow would prepare it as if for several,
        and oneDNN's rewrite alone looks through all kernels for each of its ops, which is most of a start.
Rule 5: outside of a plain graph (in eager mode, inside of another function) the concrete functions themselves are
        used: their definitions have to be known there, too.
"""

from __future__ import annotations

import hashlib
import weakref
from typing import Any, Callable, Dict, Hashable

import tensorflow as tf

__all__ = ["dataset_function", "shared"]

# By this tf.data marks its own functions.
_MARK = "_tf_data_function"
# Of a function with this one tf.data does not ask on which devices it runs. The rest of what the name says is about
# the memory of other devices, and datasets are on the CPU.
_ONE_DEVICE = "experimental_ints_on_device"
# What may have floating-point operands and yet only moves them about.
_MOVES = frozenset(
    [
        "Assert",
        "AsString",
        "Cast",
        "Concat",
        "ConcatV2",
        "Const",
        "Enter",
        "EnsureShape",
        "Exit",
        "ExpandDims",
        "GatherV2",
        "Identity",
        "IdentityN",
        "LoopCond",
        "Merge",
        "NextIteration",
        "Pack",
        "PlaceholderWithDefault",
        "Reshape",
        "ReverseV2",
        "Shape",
        "ShapeN",
        "Size",
        "Slice",
        "Split",
        "Squeeze",
        "StridedSlice",
        "Switch",
        "Tile",
        "Transpose",
        "Unpack",
    ]
)
# How many traced functions a process keeps; a pipeline has about ten.
_KEPT = 256

_known: Dict[Hashable, Any] = {}
_ours: weakref.WeakSet[Any] = weakref.WeakSet()
_definitions: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def shared(trace: Callable[[], Any], *key: Hashable) -> Any:
    """The concrete function that *trace* makes, which captures nothing; once for each *key* in a process."""
    if not _is_plain_graph():
        return trace()
    if key not in _known:
        if len(_known) >= _KEPT:
            _known.pop(next(iter(_known)))
        with tf.Graph().as_default():  # not in the user's, which the function would keep alive
            _known[key] = trace()
            _ours.add(_known[key])
    return _known[key]


def dataset_function(function: Any) -> Any:
    """The concrete *function* as the attribute ``f`` of a dataset's op in the current graph."""
    if not _is_plain_graph():
        return function
    if function not in _definitions:
        _definitions[function] = _definition(function)
    name, definition = _definitions[function]
    tf.graph_util.import_graph_def(definition, name="")
    return name


def _is_plain_graph() -> bool:
    return not tf.executing_eagerly() and not tf.inside_function()


def _definition(function: Any) -> Any:
    """The name of *function* in graphs, and a GraphDef whose library has its definition and those that it calls."""
    graph_def = tf.compat.v1.GraphDef()
    # Without it the whole graph that takes the definition would count as an old one, whose scalars have no shapes.
    graph_def.versions.CopyFrom(function.graph.graph_def_versions)
    graph_def.library.CopyFrom(function.graph.as_graph_def().library)
    nested = list(graph_def.library.function)
    definition = graph_def.library.function.add()
    definition.CopyFrom(function.function_def)
    # What the user's function calls is in the graph already, as it is; what ours calls belongs to it alone.
    is_ours = function in _ours
    if all(_only_moves(one, may_call=is_ours) for one in graph_def.library.function):
        for one in [definition, *(nested if is_ours else [])]:
            one.attr[_MARK].b = one.attr[_ONE_DEVICE].b = True
    definition.signature.name = ""
    content = graph_def.SerializeToString(deterministic=True)
    definition.signature.name = f"queuecompat_{hashlib.sha1(content).hexdigest()[:16]}"
    return definition.signature.name, graph_def


def _only_moves(definition: Any, may_call: bool) -> bool:
    """Whether nothing in *definition* is floating-point arithmetic, as far as can be seen, or a call."""
    return all(
        node.op in _MOVES
        or node.op.endswith(("Dataset", "DatasetV2"))
        or not any((attr.HasField("func") and not may_call) or _is_inexact(attr.type) for attr in node.attr.values())
        for node in definition.node_def
    )


def _is_inexact(number: int) -> bool:
    if number in (0, tf.resource.as_datatype_enum, tf.variant.as_datatype_enum):
        return False
    dtype = tf.as_dtype(number)
    return dtype.is_floating or dtype.is_complex or dtype.is_quantized
