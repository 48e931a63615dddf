"""Finds chains of dataset methods: ``tf.data.Dataset.from_tensor_slices(x).map(f).cache()``, also over several lines.

A chain is followed from its last call back to its first, through assigned names: a name stands for the last value that
it was assigned, in the order of the text.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Tuple, Union

import libcst as cst

from queuecompat.migrate.analysis.call_graph import reachable
from queuecompat.migrate.source.nodes import argument, children, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = ["Chain", "Function", "chains", "function_of", "is_dataset", "random_calls"]

# The calls of a chain, from the first to the last.
Chain = Tuple[cst.Call, ...]
Function = Union[cst.FunctionDef, cst.Lambda]

# Methods that identify a dataset, because no other object with chained calls has them.
_OF_DATASETS = {
    "batch", "flat_map", "interleave", "padded_batch", "prefetch", "repeat", "shard", "with_options",
}  # fmt: skip
# The Python code that is passed to these runs again for each element.
_RUN_EACH_TIME = {"tf.numpy_function", "tf.py_func", "tf.py_function"}
_RANDOM = ("tf.image.random_", "tf.random.", "tf.random_", "tf.image.sample_distorted", "numpy.random.", "random.")
_NOT_DRAWN = {"tf.random.set_seed", "tf.random.Generator", "tf.random.shuffle"}


def chains(source: Source) -> Iterator[Chain]:
    """For each method call of the file, the chain that ends with it."""
    known: Dict[str, Chain] = {}
    for node in source.parents:
        if isinstance(node, cst.FunctionDef):
            known = {}
        elif isinstance(node, cst.Assign) and isinstance(node.targets[0].target, cst.Name):
            # The calls on the right are evaluated before the assignment, and so see the name's previous value.
            yield from _below(node.value, known)
            known[node.targets[0].target.value] = _chain(node.value, known)
        elif isinstance(node, (cst.Return, cst.Expr, cst.For, cst.With)):
            yield from _below(_expression(node), known)


def _expression(node: cst.CSTNode) -> cst.CSTNode:
    if isinstance(node, cst.For):
        return node.iter
    if isinstance(node, cst.With):
        return cst.Tuple([cst.Element(item.item) for item in node.items])
    return getattr(node, "value", None) or node


def _below(root: cst.CSTNode, known: Dict[str, Chain]) -> Iterator[Chain]:
    for call in every(root, cst.Call):
        if method(call):
            yield _chain(call, known)


def _chain(node: cst.CSTNode, known: Dict[str, Chain]) -> Chain:
    calls: List[cst.Call] = []
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        calls.append(node)
        node = node.func.value
    before = known.get(node.value, ()) if isinstance(node, cst.Name) else ()
    return (*before, *reversed(calls))


def is_dataset(source: Source, chain: Chain) -> bool:
    """Whether the object is certainly a dataset, and not a table or list that also has a ``map`` method."""
    if any(source.names.symbol(call.func).startswith("tf.data.") for call in chain):
        return True
    return any(method(call) in _OF_DATASETS or argument(call, "num_parallel_calls") is not None for call in chain)


def function_of(source: Source, node: Optional[cst.BaseExpression]) -> Optional[Function]:
    """The function that *node* is, or that it names in this file."""
    if isinstance(node, cst.Lambda):
        return node
    if isinstance(node, cst.Name):
        found = source.names.definitions(node)
        return next((one for one in found if isinstance(one, cst.FunctionDef)), None)
    return None


def random_calls(source: Source, function: Function, *, python_only: bool) -> Iterator[cst.Call]:
    """The calls that draw random numbers, in *function* and in the functions of this file that it calls."""
    for one in reachable(source, function, kind=cst.FunctionDef, calls=lambda node: _calls_of_the_graph(source, node)):
        yield from (call for call in _calls_of_the_graph(source, one) if _draws(source, call, python_only))


def _calls_of_the_graph(source: Source, root: cst.CSTNode) -> Iterator[cst.Call]:
    """The calls below *root*, except those inside Python code that runs for each element."""
    waiting: List[cst.CSTNode] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, cst.Call):
            if source.names.symbol(node.func) in _RUN_EACH_TIME:
                continue
            yield node
        waiting.extend(reversed(children(node)))


def _draws(source: Source, call: cst.Call, python_only: bool) -> bool:
    dotted = source.names.full(call.func) or ""
    name = dotted if dotted.startswith(("numpy.random.", "random.")) else source.names.symbol(call.func)
    if dotted.endswith((".seed", ".RandomState", ".default_rng", ".Random")) or name in _NOT_DRAWN:
        return False
    return name.startswith(("numpy.random.", "random.") if python_only else _RANDOM)
