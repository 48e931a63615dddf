"""The functions inside datasets: traced once per process, and skipped by the graph optimiser where that is safe.

Most of the time that a pipeline takes to start goes into its functions: tracing one takes milliseconds, and
TensorFlow's graph optimiser takes as long again for each function that it finds in a graph. Therefore:

Rule 1: a function that captures nothing is traced once per process (``shared``), and its definition is copied into each
        graph. So is a function that captures only handles, for which the trace uses stand-ins (``shared_over``).
Rule 2: in a graph, a function without floating-point arithmetic carries the attribute by which the optimiser skips
        tf.data's own functions. A function with arithmetic does not: the optimiser turns ``x / 255.`` into
        ``x * (1 / 255.)``, and the bits have to be those that the same ops have in a session.
Rule 3: the name of a definition is a hash of its content, so that equal definitions are one, even in a graph that was
        loaded from a file.
Rule 4: such a function is also marked to run unchanged on a single device. So is a function that captures nothing, and
        whose arithmetic has the same result everywhere (``op_facts``). Otherwise TensorFlow would prepare it as if for
        several devices, and oneDNN's rewriter alone looks through all kernels for each op, which is most of a start. A
        function that an op of the graph calls (``called_function``) is not marked: TensorFlow refuses the mark where
        the call has not been inlined before it runs, as on the servers of a cluster.
Rule 5: outside of a plain graph (in eager mode, inside of another function) concrete functions are used, because their
        definitions have to be known there as well. No graph optimiser sees them, so a function with arithmetic is first
        passed through a session's optimiser (``optimised``), to have the same bits.
"""

from __future__ import annotations

import hashlib
import weakref
from typing import Any, Callable, Dict, Hashable, List, Sequence, Tuple

import tensorflow as tf

from queuecompat._analysis import op_facts
from queuecompat._analysis.library import calls_functions
from queuecompat._backends.tfdata.optimised import as_in_session

__all__ = ["NAME", "called_function", "dataset_function", "shared", "shared_over", "traced"]

# The attribute by which tf.data marks its own functions.
_MARK = "_tf_data_function"
# The name of our functions in a graph, which may be loaded where nothing else tells what they are.
NAME = "queuecompat"
# With this attribute, tf.data does not analyse on which devices a function runs. What its name says otherwise only
# concerns the memory of other devices, and datasets are on the CPU.
_ONE_DEVICE = "experimental_ints_on_device"
# Ops that may have floating-point operands but do no arithmetic with them.
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
# The number of traced functions that a process keeps; a pipeline has about ten.
_MOST_MEMOISED = 256

_memo: Dict[Hashable, Any] = {}
_ours: weakref.WeakSet[Any] = weakref.WeakSet()
_definitions: weakref.WeakKeyDictionary[Any, Dict[bool, Any]] = weakref.WeakKeyDictionary()  # by is_called


def shared(trace: Callable[[], Any], *key: Hashable) -> Any:
    """The concrete function that *trace* makes, which must not capture anything.

    Made once for each *key* per process.
    """
    return _memoised(lambda: _as_ours(trace()), key) if _is_plain_graph() else trace()


def _memoised(make: Callable[[], Any], key: Hashable) -> Any:
    """The result of *make*, which is called once for each *key* per process."""
    if key not in _memo:
        if len(_memo) >= _MOST_MEMOISED:
            _memo.pop(next(iter(_memo)))
        with tf.Graph().as_default():  # not in the user's graph, which the function would keep alive
            _memo[key] = make()
    return _memo[key]


def _as_ours(function: Any) -> Any:
    _ours.add(function)
    return function


def traced(function: Callable[..., Sequence[tf.Tensor]], specs: Sequence[tf.TensorSpec]) -> Any:
    """*function*, of tensors with these *specs* and returning several, as a concrete function.

    The concrete function does not keep *function* alive.
    """
    # TensorFlow keeps the Python function that it has traced, and *function* may refer to the graph of the first
    # program that asked for it.
    once = [function]
    return tf.compat.v1.wrap_function(lambda *components: list(once.pop()(*components)), list(specs), name=NAME)


def shared_over(
    handles: Sequence[tf.Tensor],
    function: Callable[..., Sequence[tf.Tensor]],
    specs: Sequence[tf.TensorSpec],
    *key: Hashable,
) -> Tuple[Any, List[tf.Tensor]]:
    """The concrete function of tensors with these *specs* and of *handles*.

    Traced once for each *key* and kinds of handles.

    Args:
      handles: of resources. Ops learn what they need to know of one, such as a variable's dtype, from the handle's op.
      function: takes the components and the handles; must not capture anything.
    Returns:
      The concrete function, and what to pass to it after the components.
    """
    if not _is_plain_graph():
        concrete = traced(lambda *components: function(*components, *handles), specs)
        return concrete, list(concrete.captured_inputs)

    def trace() -> Tuple[Any, List[int]]:
        stand_ins = [_stand_in(handle, number) for number, handle in enumerate(handles)]
        concrete = _as_ours(traced(lambda *components: function(*components, *stand_ins), specs))
        names = [stand_in.name for stand_in in stand_ins]
        return concrete, [names.index(captured.name) for captured in concrete.captured_inputs]

    concrete, order = _memoised(trace, (*key, tuple(handle.op.type for handle in handles), tuple(specs)))
    return concrete, [handles[number] for number in order]


def _stand_in(handle: tf.Tensor, number: int) -> tf.Tensor:
    """A handle in the current graph that tells ops the same about its resource as *handle* does."""
    graph_def = tf.compat.v1.GraphDef()
    graph_def.versions.CopyFrom(handle.graph.graph_def_versions)
    node = graph_def.node.add()
    node.CopyFrom(handle.op.node_def)
    node.name, node.device = f"handle_{number}", ""
    node.attr.pop("_class", None)
    (stand_in,) = tf.graph_util.import_graph_def(graph_def, return_elements=[f"{node.name}:0"], name="")
    return stand_in


def dataset_function(function: Any) -> Any:
    """The concrete *function* as the attribute ``f`` of a dataset's op in the current graph."""
    return _in_graph(function, is_called=False)


def called_function(function: Any) -> Any:
    """The concrete *function* as the attribute ``f`` of a call (``PartitionedCall``) in the current graph."""
    return _in_graph(function, is_called=True)


def _in_graph(function: Any, is_called: bool) -> Any:
    if not _is_plain_graph():
        return function if is_called else _in_eager_mode(function)
    known = _definitions.setdefault(function, {})
    if is_called not in known:
        known[is_called] = _definition(function, is_called)
    name, definition = known[is_called]
    tf.graph_util.import_graph_def(definition, name="")
    return name


def _in_eager_mode(function: Any) -> Any:
    name, definition = _definition(function, is_called=True)
    if all(_only_moves(one, may_call=True) for one in definition.library.function):
        return function
    return as_in_session(function, name, definition)


def _is_plain_graph() -> bool:
    return not tf.executing_eagerly() and not tf.inside_function()


def _definition(function: Any, is_called: bool) -> Any:
    """The name of *function* in graphs, and a GraphDef whose library has the definitions of it and of what it calls."""
    graph_def = tf.compat.v1.GraphDef()
    # Without the versions, the graph that imports the definition would count as an old one, in which scalars have no
    # shapes.
    graph_def.versions.CopyFrom(function.graph.graph_def_versions)
    graph_def.library.CopyFrom(function.graph.as_graph_def().library)
    nested = list(graph_def.library.function)
    definition = graph_def.library.function.add()
    definition.CopyFrom(function.function_def)
    # The functions that a user's function calls are in the graph already, and are left unchanged; those that ours calls
    # belong to it alone.
    is_ours = function in _ours
    if all(_only_moves(one, may_call=is_ours) for one in graph_def.library.function):
        for one in [definition, *(nested if is_ours else [])]:
            one.attr[_MARK].b = True
            if not is_called:
                one.attr[_ONE_DEVICE].b = True
    elif not is_called and not nested and not function.captured_inputs and _is_same_everywhere(definition):
        definition.attr[_ONE_DEVICE].b = True
    definition.signature.name = ""
    content = graph_def.SerializeToString(deterministic=True)
    definition.signature.name = f"queuecompat_{hashlib.sha1(content).hexdigest()[:16]}"
    return definition.signature.name, graph_def


def _only_moves(definition: Any, may_call: bool) -> bool:
    """Whether *definition* certainly has no floating-point arithmetic, and no calls unless *may_call*."""
    return all(
        node.op in _MOVES
        or node.op.endswith(("Dataset", "DatasetV2"))
        or not ((calls_functions(node) and not may_call) or any(_is_inexact(attr.type) for attr in node.attr.values()))
        for node in definition.node_def
    )


def _is_same_everywhere(definition: Any) -> bool:
    """Whether *definition* has the same bits however it is run, as far as is known of each of its ops."""
    return all(node.op in _MOVES or _has_one_result(node.op) for node in definition.node_def)


def _has_one_result(kind: str) -> bool:
    facts = op_facts.FACTS.get(kind)
    return facts is not None and (bool(facts.same_bits) or facts.rule == "draw")


def _is_inexact(number: int) -> bool:
    if number in (0, tf.resource.as_datatype_enum, tf.variant.as_datatype_enum):
        return False
    dtype = tf.as_dtype(number)
    return dtype.is_floating or dtype.is_complex or dtype.is_quantized
