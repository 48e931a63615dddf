"""Settles a graph at two of the moments that need it (``backend``, Rule 1): before it is finalised and exported.

``Supervisor`` and ``MonitoredTrainingSession`` finalise a graph before they start anything; everything that saves,
freezes or displays a graph makes a GraphDef of it. Both are methods of the graph: they are replaced on this one object,
and disappear with it. ``tf.compat.v1.train.export_meta_graph`` reads the ops one by one if it has to leave out devices
or scopes; that function is replaced once per process. A program that imported it by name before its first pipeline
keeps the original.
"""

from __future__ import annotations

import functools
import inspect
import threading
from typing import Any, Callable, Dict

import tensorflow as tf

__all__ = ["settle_before_export"]

_ATTRIBUTE = "_queuecompat_settle"
_lock = threading.Lock()


def settle_before_export(
    graph: tf.Graph, settle: Callable[[], None], late_starts: Callable[[], Dict[str, str]]
) -> None:
    """Calls *settle* each time before *graph* is finalised or made into a GraphDef.

    ``tf.Graph.as_graph_def(graph)``, the method of the class, still returns the GraphDef unchanged.

    Args:
      late_starts: returns control inputs to add in GraphDefs: from the name of an op that a session has seen, and that
        therefore cannot be changed, to the name of the op that it has to wait for.
    """
    setattr(graph, _ATTRIBUTE, settle)
    graph.finalize = _preceded(graph.finalize, settle)
    graph.as_graph_def = _with_late_starts(_preceded(graph.as_graph_def, settle), late_starts)
    with _lock:
        if not hasattr(tf.compat.v1.train.export_meta_graph, _ATTRIBUTE):
            tf.compat.v1.train.export_meta_graph = _settled_export(tf.compat.v1.train.export_meta_graph)


def _settled_export(export: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(export)

    @functools.wraps(export)
    def export_meta_graph(*args: Any, **kwargs: Any) -> Any:
        graph = signature.bind(*args, **kwargs).arguments.get("graph") or tf.compat.v1.get_default_graph()
        getattr(graph, _ATTRIBUTE, lambda: None)()
        return export(*args, **kwargs)

    setattr(export_meta_graph, _ATTRIBUTE, True)
    return export_meta_graph


def _preceded(method: Callable[..., Any], settle: Callable[[], None]) -> Callable[..., Any]:
    @functools.wraps(method)
    def preceded(*args: Any, **kwargs: Any) -> Any:
        settle()
        return method(*args, **kwargs)

    return preceded


def _with_late_starts(
    as_graph_def: Callable[..., Any], late_starts: Callable[[], Dict[str, str]]
) -> Callable[..., Any]:
    @functools.wraps(as_graph_def)
    def with_late_starts(*args: Any, **kwargs: Any) -> Any:
        graph_def = as_graph_def(*args, **kwargs)
        starts = late_starts()
        for node in graph_def.node if starts else ():
            if node.name in starts:
                node.input.append(f"^{starts[node.name]}")
        return graph_def

    return with_late_starts
