"""The functions in the library of a graph, each as a graph of its own."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

import tensorflow as tf

__all__ = [
    "called_functions",
    "calls_functions",
    "graph_of_function",
    "library_of",
    "names_of_functions",
    "output_counts",
]


def graph_of_function(
    library: Any, name: str, shapes: Optional[Sequence[tf.TensorShape]] = None, scope: str = ""
) -> Tuple[tf.Graph, List[Any], List[Any]]:
    """The function *name* of *library*, that of a graph, as a graph of its own, its arguments and its results.

    Node by node, since only an op that has been made says how its outputs are called.

    Args:
      shapes: of its arguments, where they are known.
      scope: what the names of its ops stand below.
    """
    function = next(one for one in library.function if one.signature.name == name)
    graph = tf.Graph()
    tensors: Dict[str, Any] = {}
    with graph.as_default():
        arguments = [
            tf.compat.v1.placeholder(tf.as_dtype(argument.type), shapes and shapes[number], name=argument.name)
            for number, argument in enumerate(function.signature.input_arg)
        ]
        tensors.update((argument.name, tensor) for argument, tensor in zip(function.signature.input_arg, arguments))
        for node in _nodes_in_order(function):
            for tensor_name, tensor in _imported(node, tensors, library, scope):
                tensors[tensor_name] = tensor
    results = [tensors[function.ret[argument.name]] for argument in function.signature.output_arg]
    return graph, arguments, results


def _nodes_in_order(function: Any) -> List[Any]:
    nodes = {node.name: node for node in function.node_def}
    done: Dict[str, Any] = {}

    def visit(node: Any) -> None:
        for given in node.input:
            before = given.lstrip("^").partition(":")[0]
            if before in nodes and before not in done:
                visit(nodes[before])
        done[node.name] = node

    for node in function.node_def:
        if node.name not in done:
            visit(node)
    return list(done.values())


def called_functions(node: Any) -> Iterator[Any]:
    """What the attributes of *node*, a NodeDef, name functions of a library by; a name can be changed there."""
    for attr in node.attr.values():
        if attr.HasField("func"):
            yield attr.func
        yield from attr.list.func


def names_of_functions(node: Any) -> Iterator[str]:
    """The names of what *node*, a NodeDef, may call: by an attribute, or by its type, as ``function.Defun`` does."""
    yield from (function.name for function in called_functions(node))
    if not hasattr(tf.raw_ops, node.op):
        yield node.op  # or an op out of a library in C++, which no library of functions has


def calls_functions(node: Any) -> bool:
    """Whether *node*, a NodeDef, may call functions of a library."""
    return any(True for _ in names_of_functions(node))


def _imported(node: Any, tensors: Dict[str, Any], library: Any, scope: str) -> Iterator[Tuple[str, Any]]:
    # Few nodes call functions, and a library is large.
    graph_def = tf.compat.v1.GraphDef(library=library if calls_functions(node) else None)
    copied = graph_def.node.add()
    copied.CopyFrom(node)
    copied.attr.pop("_class", None)
    given = {}
    before = []
    del copied.input[:]
    for number, name in enumerate(node.input):
        if name.startswith("^"):
            before.append(tensors.get(f"{name[1:]}:op"))
            continue
        stand_in = f"given_{number}"
        graph_def.node.add(name=stand_in, op="Placeholder").attr["dtype"].type = tensors[name].dtype.as_datatype_enum
        copied.input.append(stand_in)
        given[f"{stand_in}:0"] = tensors[name]
    with tf.control_dependencies([op for op in before if op is not None]):
        (op,) = tf.graph_util.import_graph_def(graph_def, input_map=given, return_elements=[node.name], name=scope)
    yield f"{node.name}:op", op
    waiting = list(op.outputs)
    for argument, count in zip(op.op_def.output_arg, output_counts(op)):
        for number in range(1 if count is None else count):
            yield f"{node.name}:{argument.name}:{number}", waiting.pop(0)


def output_counts(op: Any) -> Iterator[Optional[int]]:
    for argument in op.op_def.output_arg:
        if argument.number_attr:
            yield op.node_def.attr[argument.number_attr].i
        elif argument.type_list_attr:
            yield len(op.node_def.attr[argument.type_list_attr].list.type)
        else:
            yield None


def library_of(ops: Sequence[tf.Operation]) -> Optional[Any]:
    """The graph's functions that *ops* call, directly or not; None if they call none."""
    called = _functions_called(op.node_def for op in ops)
    if not called:
        return None  # to serialise a graph is expensive
    library = tf.Graph.as_graph_def(ops[0].graph).library
    known = {function.signature.name: function for function in library.function}
    reached: Set[str] = set()
    while called:
        name = called.pop()
        if name in known and name not in reached:
            reached.add(name)
            called |= _functions_called(known[name].node_def)
    # No others: a definition that was imported comes back with other attributes, and a graph takes a name but once.
    for number in reversed(range(len(library.function))):
        if library.function[number].signature.name not in reached:
            del library.function[number]
    return library


def _functions_called(node_defs: Iterable[Any]) -> Set[str]:
    return {name for node in node_defs for name in names_of_functions(node)}
