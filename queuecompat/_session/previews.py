"""Previews: they are lowered when a step asks for them, which happens to few.

Each producer and reader of a pipeline has tensors of its own, which a program may run to see what passes. To lower them
all took a fifth of a pipeline's start.

Rule 1: no step runs a draw whose stream is empty: the fetches of every step are looked at before it (``asked_for``).
Rule 2: nothing is left undone in a graph to which nothing can be added any more, or that leaves the process (``all``).
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

import tensorflow as tf

from queuecompat._session.fetches import flat, ops_behind
from queuecompat._session.filled_streams import FilledStream

__all__ = ["Previews"]

# What a step may fetch of which it is known which ops it runs.
_KNOWN = (str, tf.Tensor, tf.Operation, tf.Variable)
# Of these what they depend on does not change once they are there; a stage that is made later is behind none of them.
_FIXED = (tf.Tensor, tf.Operation)
# A program that makes new ops in its loop has ever new fetches.
_MOST_KEPT = 1000


class Previews:
    """Those of one *graph* that have yet to be lowered.

    Args:
      filled: the streams of the graph; looked at when it matters, as there may be more by then.
    """

    def __init__(self, graph: tf.Graph, filled: Sequence[FilledStream]) -> None:
        self._graph = graph
        self._filled = filled
        self._looked_at: Dict[Any, Any] = {}  # fetches that need none, by what they are

    def all(self) -> List[FilledStream]:
        """All of them."""
        return [one for one in self._filled if one.is_deferred]

    def asked_for(self, fetches: Any) -> List[FilledStream]:
        """Those that a step needs which runs *fetches*."""
        key = _identity(fetches)
        if key in self._looked_at:
            return []
        deferred = self.all()
        if not deferred:
            return []
        single = list(flat(fetches))
        if not all(isinstance(one, _KNOWN) for one in single):
            return deferred
        if key is None:
            key = tuple(one if isinstance(one, str) else one.name for one in single)
            if key in self._looked_at:
                return []
        names = ops_behind(self._graph, single)
        found = [one for one in deferred if one.draw in names]
        if not found:
            if len(self._looked_at) >= _MOST_KEPT:
                self._looked_at.clear()
            self._looked_at[key] = single  # as long as they are kept, nothing else is at their addresses
        return found


def _identity(fetches: Any) -> Any:
    """What *fetches* is known by while it lives; None: it may be something else the next time."""
    if isinstance(fetches, _FIXED):
        return id(fetches)
    if isinstance(fetches, (list, tuple)) and all(isinstance(one, _FIXED) for one in fetches):
        return tuple(map(id, fetches))
    return None
