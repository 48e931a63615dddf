"""Extracts the part of a saved graph that some tensors need: the ops that compute them and that fill their queues.

The model, the optimizer and the summaries that were saved with the input pipeline are left out, so that it does not
matter whether this TensorFlow has their ops.

Rule: the part is a graph of its own. Its ops keep their names but not their devices and colocations; reference
      variables become resource variables, and queues hold SparseTensors rather than handles of them.
"""

from __future__ import annotations

import re
from typing import Any, Collection, Dict, Iterable, Iterator, List, Sequence, Set

import tensorflow as tf

from queuecompat._analysis.library import names_of_functions
from queuecompat._raising.cycles import has_cycle
from queuecompat._raising.feeds import Feeds
from queuecompat._raising.filled_by_hand import ENQUEUES, QUEUES
from queuecompat._raising.resource_variables import with_resource_variables
from queuecompat._raising.saved_graphs import SavedGraph, malformed, op_of
from queuecompat._raising.sparse_maps import without_sparse_maps
from queuecompat._session.graph_ops.placement import OURS
from queuecompat.errors import QueueCompatValueError, error

__all__ = ["needed"]

_OF_COMPILED = re.compile(rf"(\A|/){OURS}_[0-9a-f]{{8}}/")
_PYTHON = ("EagerPyFunc", "PyFunc", "PyFuncStateless")
_PLACEHOLDERS = ("Placeholder", "PlaceholderV2")
_SWITCHES = ("RefSwitch", "Switch")


def needed(graph: SavedGraph, fetches: Collection[str], feeds: Feeds) -> Any:
    """Returns the part of *graph* that computes *fetches*, names of tensors, from *feeds*, with its queue runners.

    Returns:
      A ``MetaGraphDef``. All its variables are local variables, which a session initialises and nothing saves.
    Raises:
      QueueCompatValueError: QC517, the part needs an op that is not in the graph, or an op depends on itself; QC520, it
        calls Python; QC521, it needs a placeholder that is not fed; QC522, it needs a variable that was trained;
        QC523, it needs a queue that nothing fills.
    """
    search = _Search(graph, feeds.values)
    search.add(fetches)
    nodes = [node for node in graph.graph_def.node if node.name in search.found]
    functions = _functions_called(nodes, graph.graph_def.library)
    _refuse_compiled(graph.path, nodes)
    _refuse_python([*nodes, *(node for function in functions for node in function.node_def)])
    _refuse_unfed(nodes, feeds.values)
    _refuse_trained(graph, search.found)
    if has_cycle(nodes):
        raise malformed(graph.path, "its graph has a cycle outside of a loop")
    _refuse_empty(nodes, search.runners)
    part = tf.compat.v1.MetaGraphDef()
    part.graph_def.versions.CopyFrom(graph.graph_def.versions)
    part.graph_def.library.function.extend(functions)
    for node in nodes:
        _add_without_place(part.graph_def, node)
        if node.name in feeds.resized:
            part.graph_def.node[-1].attr.pop("_output_shapes", None)
    without_sparse_maps(part.graph_def, fetches)
    changed = set(with_resource_variables(part.graph_def))
    collections, keys = part.collection_def, tf.compat.v1.GraphKeys
    for runner in search.runners:
        collections[keys.QUEUE_RUNNERS].bytes_list.value.append(runner.SerializeToString())
    for name in (name for name in graph.variables if name in search.found):
        variable = type(graph.variables[name])()
        variable.CopyFrom(graph.variables[name])
        variable.is_resource |= name in changed
        collections[keys.LOCAL_VARIABLES].bytes_list.value.append(variable.SerializeToString())
    for name in (name for name in graph.initialisers if name in search.found):
        collections[keys.TABLE_INITIALIZERS].node_list.value.append(name)
    return part


class _Search:
    """A search for all ops that some tensors depend on.

    Attributes:
      found: the names of the ops found.
      runners: the runners of the queues among them.
    """

    def __init__(self, graph: SavedGraph, feeds: Collection[str]) -> None:
        self._graph = graph
        self._feeds = set(feeds)
        self._runners: Dict[str, List[Any]] = {}
        for runner in graph.runners:
            self._runners.setdefault(op_of(runner.queue_name), []).append(runner)
        self._initialisers: Dict[str, List[str]] = {}
        for name in graph.initialisers:
            for given in self._node(name).input:
                self._initialisers.setdefault(op_of(given), []).append(name)
        self.found: Set[str] = set()
        self.runners: List[Any] = []

    def add(self, tensors: Iterable[str]) -> None:
        """Adds the ops of *tensors*, and all ops that these depend on."""
        waiting = [name for name in tensors if self._is_computed(name)]
        while waiting:
            node = self._node(op_of(waiting.pop()))
            if node.name not in self.found:
                self.found.add(node.name)
                waiting += [name for name in node.input if self._is_computed(name)]
                waiting += self._beside(node.name)

    def _is_computed(self, name: str) -> bool:
        return (name if ":" in name else f"{name}:0") not in self._feeds

    def _beside(self, name: str) -> List[str]:
        """Returns the names of the ops that fill, initialise or close the queue, table or variable *name*."""
        runners = self._runners.get(name, [])
        self.runners += runners
        names = [op for runner in runners for op in (*runner.enqueue_op_name, runner.close_op_name)]
        names += [runner.cancel_op_name for runner in runners]
        variable = self._graph.variables.get(name)
        if variable is not None:
            names += [variable.initializer_name, variable.snapshot_name, variable.initial_value_name]
        return [one for one in names if one] + self._initialisers.get(name, [])

    def _node(self, name: str) -> Any:
        if name not in self._graph.nodes:
            raise malformed(self._graph.path, f"its graph uses the op '{name}', which it does not contain")
        return self._graph.nodes[name]


def _functions_called(nodes: Iterable[Any], library: Any) -> List[Any]:
    """Returns the functions of *library* that *nodes* call, directly or not."""
    known = {function.signature.name: function for function in library.function}
    found: Dict[str, Any] = {}
    waiting = list(nodes)
    while waiting:
        for name in names_of_functions(waiting.pop()):
            if name in known and name not in found:
                found[name] = known[name]
                waiting += known[name].node_def
    return list(found.values())


def _add_without_place(graph_def: Any, node: Any) -> None:
    copied = graph_def.node.add()
    copied.CopyFrom(node)
    copied.device = ""
    copied.attr.pop("_class", None)


def _refuse_compiled(path: str, nodes: Iterable[Any]) -> None:
    """Refuses pipelines that this package compiled: the graph has only their ends, the rest was in the process."""
    if any(_OF_COMPILED.search(node.name) for node in nodes):
        why = "its program ran under queuecompat, and compiled pipelines are not part of the graph"
        raise malformed(path, f"{why}: create the dataset from the program's input function, with as_dataset")


def _refuse_python(nodes: Iterable[Any]) -> None:
    for node in nodes:
        if node.op in _PYTHON:
            raise error(QueueCompatValueError, "QC520", op=node.name)


def _refuse_unfed(nodes: Sequence[Any], feeds: Collection[str]) -> None:
    unfed = [f"{node.name}:0" for node in nodes if node.op in _PLACEHOLDERS and f"{node.name}:0" not in feeds]
    if unfed:
        raise error(
            QueueCompatValueError, "QC521", problem=f"the program fed '{unfed[0]}', and they have no value for it"
        )


def _refuse_empty(nodes: Sequence[Any], runners: Sequence[Any]) -> None:
    """Refuses queues that nothing fills: a draw in a session would wait forever."""
    filled = {op_of(runner.queue_name) for runner in runners} | set(_queues_filled_in_branches(nodes))
    empty = [node.name for node in nodes if node.op in QUEUES and node.name not in filled]
    if empty:
        raise error(QueueCompatValueError, "QC523", queue=empty[0])


def _queues_filled_in_branches(nodes: Sequence[Any]) -> Iterator[str]:
    """Yields the names of queues that are filled in a ``tf.cond``, perhaps by the runner of a different queue."""
    switches = {node.name: op_of(node.input[0]) for node in nodes if node.op in _SWITCHES and node.input}
    for node in nodes:
        if node.op in ENQUEUES and node.input and op_of(node.input[0]) in switches:
            queue = op_of(node.input[0])
            while queue in switches:
                queue = switches[queue]
            yield queue


def _refuse_trained(graph: SavedGraph, found: Set[str]) -> None:
    trained = [name for name in graph.trained if name in found]
    if trained:
        raise error(QueueCompatValueError, "QC522", variable=trained[0])
