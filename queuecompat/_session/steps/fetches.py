"""What a step of a session runs: its fetches, the ops that they depend on, and the draws among these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Collection, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

import tensorflow as tf

__all__ = ["Draws", "RequiredDraws", "flat", "ops_required_by"]

# Fetches of these types name the ops that they run.
_KNOWN = (str, tf.Tensor, tf.Operation, tf.Variable)
# The dependencies of these do not change once they are made: ops that are made later are not among them.
_FIXED = (tf.Tensor, tf.Operation)
# A limit, since a program that makes new ops in its loop has new fetches in every step.
_MOST_KEPT = 1000


class RequiredDraws(NamedTuple):
    """The draws that fetches run.

    Attributes:
      draws: the names of the draws.
      is_certain: whether there are no others.
    """

    draws: FrozenSet[str]
    is_certain: bool


class Draws:
    """The ops of one *graph* that take elements from pipelines, and which of them a step runs.

    Args:
      names: the names of these ops; more may be added later.

    Rule 1: the same fetches are analysed once, however many steps run them, because this happens before each step.
    """

    def __init__(self, graph: tf.Graph, names: Collection[str]) -> None:
        self._graph = graph
        self._names = names
        # By the identity of the fetches, which are kept as well: while they live, no other object has their ids.
        self._known: Dict[Any, Tuple[RequiredDraws, List[Any]]] = {}

    def required_by(self, fetches: Any) -> RequiredDraws:
        """The draws that run with *fetches*."""
        key = _identity(fetches)
        single = [] if key in self._known else list(flat(fetches))
        if key is None:
            key = tuple(str(getattr(one, "name", one)) for one in single)
        if key not in self._known:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            try:
                draws = frozenset(ops_required_by(self._graph, single).intersection(self._names))
            except (KeyError, ValueError):  # the graph has no such op, or not yet: the step itself raises the error
                return RequiredDraws(frozenset(), True)
            self._known[key] = RequiredDraws(draws, all(isinstance(one, _KNOWN) for one in single)), single
        return self._known[key][0]


def _identity(fetches: Any) -> Any:
    """A key for *fetches* while they live; None: the same key could mean something else later."""
    if isinstance(fetches, _FIXED):
        return id(fetches)
    if isinstance(fetches, (list, tuple)) and all(isinstance(one, _FIXED) for one in fetches):
        return tuple(map(id, fetches))
    return None


def ops_required_by(graph: tf.Graph, fetches: Any, fed: Collection[str] = ()) -> Set[str]:
    """The names of all ops that have to run for *fetches* if the tensors called *fed* are fed."""
    waiting = [_op(graph, fetch) for fetch in flat(fetches) if getattr(fetch, "name", fetch) not in fed]
    seen: Set[str] = set()
    while waiting:
        op = waiting.pop()
        if op is not None and op.name not in seen:
            seen.add(op.name)
            waiting += [given.op for given in op.inputs if given.name not in fed] + list(op.control_inputs)
    return seen


def flat(fetches: Any) -> Iterator[Any]:
    """The single fetches in the structure *fetches*."""
    # A session accepts dicts whose keys cannot be sorted, such as those of a MonitoredSession; tf.nest.flatten refuses
    # them.
    if isinstance(fetches, Mapping):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        for fetch in fetches:
            yield from flat(fetch)
    else:
        yield from tf.nest.flatten(fetches, expand_composites=True)


def _op(graph: tf.Graph, fetch: Any) -> Optional[tf.Operation]:
    if isinstance(fetch, _KNOWN):
        element = graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        return element.op if isinstance(element, tf.Tensor) else element
    return None
