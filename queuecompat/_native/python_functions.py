"""``tf.numpy_function`` for what datasets call in Python.

TensorFlow refers to such a function weakly, and the graph in which it is called keeps it. Up to 2.22 that was the
outermost graph; since then it is that of the innermost function. A dataset that is made of a concrete function does not
keep its graph, nor does a function whose dataset calls a different one.

Rule: the outermost graph keeps the function, whatever the version: that of the session, or the one of eager mode.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

import tensorflow as tf

__all__ = ["numpy_function"]

_ATTRIBUTE = "_queuecompat_python_functions"


def numpy_function(function: Callable[..., Any], inputs: Sequence[Any], types: Any) -> Any:
    """``tf.numpy_function`` with a *function* that lives as long as the outermost graph."""

    # One for each call: TensorFlow makes a wrapper each time, and ties its life to the last function that it was for.
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
    while getattr(graph, "outer_graph", None) is not None:  # it is that of a function
        graph = graph.outer_graph
    return graph
