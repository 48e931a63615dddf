"""What a step of a session runs: its fetches as ops, and the ops that they depend on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Iterator, Optional, Set

import tensorflow as tf

__all__ = ["flat", "ops_behind"]


def ops_behind(graph: tf.Graph, fetches: Any) -> Set[str]:
    """The names of all ops that have to run for *fetches*."""
    waiting = [_op(graph, fetch) for fetch in flat(fetches)]
    seen: Set[str] = set()
    while waiting:
        op = waiting.pop()
        if op is not None and op.name not in seen:
            seen.add(op.name)
            waiting += [given.op for given in op.inputs] + list(op.control_inputs)
    return seen


def flat(fetches: Any) -> Iterator[Any]:
    """The single fetches in *fetches*."""
    # A session takes dicts whose keys have no order, as those of a MonitoredSession are; tf.nest.flatten refuses them.
    if isinstance(fetches, Mapping):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        for fetch in fetches:
            yield from flat(fetch)
    else:
        yield from tf.nest.flatten(fetches, expand_composites=True)


def _op(graph: tf.Graph, fetch: Any) -> Optional[tf.Operation]:
    if isinstance(fetch, (str, tf.Tensor, tf.Operation, tf.Variable)):
        element = graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        return element.op if isinstance(element, tf.Tensor) else element
    return None
