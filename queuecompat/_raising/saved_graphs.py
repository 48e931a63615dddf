"""Reads a graph that TensorFlow 1 saved (``model.ckpt.meta``) into a ``SavedGraph``.

Rule 1: nothing in the file is run, imported or unpickled here. Only the collections of queue runners, variables and
        table initialisers are read.
Rule 2: a file that cannot be read, or is inconsistent, is error QC517.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from typing import Any, Dict, List, Sequence, Tuple, Union

import tensorflow as tf
from google.protobuf import message, text_format

from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat.errors import QueueCompatValueError, calling_line, error, layout

__all__ = ["SavedGraph", "malformed", "op_of", "saved_graph", "with_more"]

# The maximum size of a protocol buffer.
_MOST_BYTES = 2**31 - 1


@dataclasses.dataclass(frozen=True)
class Kinds:
    """The protocol buffer classes ``QueueRunnerDef`` and ``VariableDef``."""

    runner: Any
    variable: Any


@dataclasses.dataclass(frozen=True)
class SavedGraph:
    """One meta graph.

    Attributes:
      path: the file, for messages.
      graph_def: all ops and functions.
      nodes: the ops by name.
      runners: the queue runners (``QueueRunnerDef``).
      variables: the global and local variables (``VariableDef``) by the name of their op.
      trained: the names of the ops of the trainable variables, whose values are in a checkpoint only.
      initialisers: the names of the ops that initialise tables and iterators.
      kinds: the classes of *runners* and *variables*.
    """

    path: str
    graph_def: Any
    nodes: Dict[str, Any]
    runners: Tuple[Any, ...]
    variables: Dict[str, Any]
    trained: Tuple[str, ...]
    initialisers: Tuple[str, ...]
    kinds: Kinds


def with_more(graph: SavedGraph, nodes: Sequence[Any], runners: Sequence[Any]) -> SavedGraph:
    """Returns *graph* with additional *nodes* and *runners*."""
    graph_def = type(graph.graph_def)()
    graph_def.CopyFrom(graph.graph_def)
    graph_def.node.extend(nodes)
    return dataclasses.replace(
        graph,
        graph_def=graph_def,
        nodes={node.name: node for node in graph_def.node},
        runners=(*graph.runners, *runners),
    )


def saved_graph(source: Union[str, os.PathLike[str], Any]) -> SavedGraph:
    """Reads a saved graph.

    Args:
      source: the path of a file that ``tf.train.Saver`` or ``export_meta_graph`` wrote, binary or text; or its
        content, a ``MetaGraphDef``.
    Raises:
      FileNotFoundError: QC517, there is no such file.
      QueueCompatValueError: QC517, the file is of a different kind, or damaged.
    """
    if isinstance(source, tf.compat.v1.MetaGraphDef):
        return _taken_apart("the MetaGraphDef", source)
    path = os.fspath(source)
    return _taken_apart(f"'{path}'", _parsed(path, _content(path)))


def malformed(path: str, why: str) -> Exception:
    """Returns the error for a file that is damaged or inconsistent because of *why*."""
    return error(QueueCompatValueError, "QC517", path=path, why=why)


def _content(path: str) -> bytes:
    if not tf.io.gfile.exists(path) or tf.io.gfile.isdir(path):
        raise FileNotFoundError(layout("QC517", calling_line(), path=f"'{path}'", why="there is no such file"))
    if tf.io.gfile.stat(path).length > _MOST_BYTES:
        raise malformed(f"'{path}'", "it is larger than 2 GB")
    with tf.io.gfile.GFile(path, "rb") as file:
        content: bytes = file.read()
    return content


def _parsed(path: str, content: bytes) -> Any:
    meta_graph = tf.compat.v1.MetaGraphDef()
    try:
        meta_graph.ParseFromString(content)
        return meta_graph
    except message.DecodeError as problem:
        if b"graph_def" not in content:
            raise malformed(f"'{path}'", f"it is damaged, or of a different kind ({problem})") from problem
    try:
        # As export_meta_graph(as_text=True) writes it.
        return text_format.Parse(content.decode(), tf.compat.v1.MetaGraphDef())
    except (UnicodeDecodeError, text_format.ParseError) as problem:
        raise malformed(f"'{path}'", f"it is damaged ({problem})") from problem


def _taken_apart(path: str, meta_graph: Any) -> SavedGraph:
    nodes = {node.name: node for node in meta_graph.graph_def.node}
    if not nodes:
        raise malformed(path, "it contains no graph")
    if len(nodes) != len(meta_graph.graph_def.node):
        raise malformed(path, "two of its ops have one name")
    kinds = _kinds()
    variables = [
        variable
        for collection in (tf.compat.v1.GraphKeys.GLOBAL_VARIABLES, tf.compat.v1.GraphKeys.LOCAL_VARIABLES)
        for variable in _decoded(path, meta_graph, collection, kinds.variable)
    ]
    trained = _decoded(path, meta_graph, tf.compat.v1.GraphKeys.TRAINABLE_VARIABLES, kinds.variable)
    tables = _collection(meta_graph, tf.compat.v1.GraphKeys.TABLE_INITIALIZERS).node_list.value
    iterators = [node.name for node in nodes.values() if node.op == "MakeIterator"]
    return SavedGraph(
        path,
        meta_graph.graph_def,
        nodes,
        tuple(_decoded(path, meta_graph, tf.compat.v1.GraphKeys.QUEUE_RUNNERS, kinds.runner)),
        {op_of(variable.variable_name): variable for variable in variables},
        tuple(op_of(variable.variable_name) for variable in trained),
        tuple(dict.fromkeys([*map(op_of, tables), *iterators])),
        kinds,
    )


def op_of(name: str) -> str:
    """Returns the name of the op of the tensor, or of the control input, *name*."""
    return name.lstrip("^").partition(":")[0]


def _collection(meta_graph: Any, name: str) -> Any:
    """Returns the collection *name*; if it is missing, an empty one that is not added to the user's object."""
    there_is_one = name in meta_graph.collection_def
    return meta_graph.collection_def[name] if there_is_one else tf.compat.v1.MetaGraphDef().collection_def[name]


def _decoded(path: str, meta_graph: Any, collection: str, kind: Any) -> List[Any]:
    found = []
    for content in _collection(meta_graph, collection).bytes_list.value:
        one = kind()
        try:
            one.ParseFromString(content)
        except message.DecodeError as problem:
            raise malformed(path, f"its collection '{collection}' is damaged ({problem})") from problem
        found.append(one)
    return found


@functools.cache
def _kinds() -> Kinds:
    """Returns the two classes from objects that TensorFlow returns, since it does not export the classes."""
    with tf.Graph().as_default(), without_queue_deprecations():
        queue = tf.queue.FIFOQueue(1, [tf.bool])
        runner = tf.compat.v1.train.QueueRunner(queue, [queue.enqueue([True])])
        variable = tf.compat.v1.Variable(True)
        return Kinds(type(runner.to_proto()), type(variable.to_proto()))
