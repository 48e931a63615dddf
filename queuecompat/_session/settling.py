"""Two of the moments at which a graph is settled (``backend``, Rule 1): before it is finalised or exported.

``Supervisor`` and ``MonitoredTrainingSession`` finalise a graph before they start anything; whatever saves, freezes or
shows it makes a GraphDef. Both are methods of the graph, which are replaced on that one object and go with it.
``tf.compat.v1.train.export_meta_graph`` reads the ops one by one where it leaves out devices or scopes; that function
is replaced once in a process. A program that imported it by name before its first pipeline keeps the plain one.
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
    """*settle* is called each time before *graph* is finalised, or made into a GraphDef.

    ``tf.Graph.as_graph_def(graph)``, the method of the class, is the GraphDef as it is.

    Args:
      late_starts: returns, by the names of ops that a session knows and which therefore stay as they are, the names of
        the ops that they have to wait for in a GraphDef.
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
