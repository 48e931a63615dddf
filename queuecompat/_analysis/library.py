"""The functions in a graph's function library: which ops call which, and each as a graph of its own."""

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
    """Converts the function *name* of *library*, a graph's function library, to a graph of its own.

    It is imported node by node, since only an existing op tells the names of its outputs.

    Args:
      shapes: the shapes of its arguments, where they are known.
      scope: name scope for its ops.
    Returns:
      The graph, the arguments and the results.
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
    """Yields the attribute values of *node*, a NodeDef, that name library functions; they can be edited."""
    for attr in node.attr.values():
        if attr.HasField("func"):
            yield attr.func
        yield from attr.list.func


def names_of_functions(node: Any) -> Iterator[str]:
    """Yields the names of functions that *node*, a NodeDef, calls: by an attribute or (``function.Defun``) its type."""
    yield from (function.name for function in called_functions(node))
    if not hasattr(tf.raw_ops, node.op):
        yield node.op  # or it is an op from a custom C++ library; no function has its name


def calls_functions(node: Any) -> bool:
    """Whether *node*, a NodeDef, may call library functions."""
    return any(True for _ in names_of_functions(node))


def _imported(node: Any, tensors: Dict[str, Any], library: Any, scope: str) -> Iterator[Tuple[str, Any]]:
    # Only a few nodes call functions, and a library is large.
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
    """Returns the library functions that *ops* call, directly or indirectly; None if they call none."""
    called = _functions_called(op.node_def for op in ops)
    if not called:
        return None  # because serialising a graph is slow
    library = tf.Graph.as_graph_def(ops[0].graph).library
    known = {function.signature.name: function for function in library.function}
    reached: Set[str] = set()
    while called:
        name = called.pop()
        if name in known and name not in reached:
            reached.add(name)
            called |= _functions_called(known[name].node_def)
    # Unused functions are dropped: a re-imported definition may have different attributes, and then a graph refuses to
    # add a second function of that name.
    for number in reversed(range(len(library.function))):
        if library.function[number].signature.name not in reached:
            del library.function[number]
    return library


def _functions_called(node_defs: Iterable[Any]) -> Set[str]:
    return {name for node in node_defs for name in names_of_functions(node)}
