"""``tf.numpy_function`` for Python functions that datasets call.

TensorFlow only has a weak reference to such a function; the graph in which it is called keeps it alive. Up to 2.22 that
was the outermost graph; since then it is the graph of the innermost function. But a dataset made of a concrete function
does not keep that function's graph alive, nor does a function whose dataset calls a different one.

Rule: in every version, the outermost graph keeps the function: the session's graph, or that of eager mode.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

import tensorflow as tf

__all__ = ["numpy_function"]

_ATTRIBUTE = "_queuecompat_python_functions"


def numpy_function(function: Callable[..., Any], inputs: Sequence[Any], types: Any) -> Any:
    """``tf.numpy_function`` of a *function* that lives as long as the outermost graph."""

    # A new function for each call: TensorFlow makes a wrapper each time, and ties its lifetime to the last function
    # that it was made for.
    def call(*values: Any) -> Any:
        return function(*values)

    result = tf.numpy_function(call, inputs, types)
    if not tf.executing_eagerly():
        graph = _outermost_graph()
        if not hasattr(graph, _ATTRIBUTE):
            setattr(graph, _ATTRIBUTE, [])
        getattr(graph, _ATTRIBUTE).append(call)
    return result


def _outermost_graph() -> tf.Graph:
    graph = tf.compat.v1.get_default_graph()
    while getattr(graph, "outer_graph", None) is not None:  # the graph of a function
        graph = graph.outer_graph
    return graph
