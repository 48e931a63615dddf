"""Previews: they are lowered when a step asks for them, which happens to few.

Each producer and reader of a pipeline has tensors of its own, which a program may run to see what passes. To lower them
all took a tenth of a pipeline's start.

Rule 1: no step runs a draw whose stream is empty: the fetches of every step are looked at before it (``asked_for``).
Rule 2: nothing is left undone in a graph to which nothing can be added any more, or that leaves the process (``all``).
"""

from __future__ import annotations

from typing import Any, List, Sequence

from queuecompat._session.steps.fetches import Draws
from queuecompat._session.streams.filled_streams import FilledStream

__all__ = ["Previews"]


class Previews:
    """Those of one graph that have yet to be lowered.

    Args:
      draws: of the graph.
      filled: its streams; looked at when it matters, as there may be more by then.
    """

    def __init__(self, draws: Draws, filled: Sequence[FilledStream]) -> None:
        self._draws = draws
        self._filled = filled

    def all(self) -> List[FilledStream]:
        """All of them."""
        return [one for one in self._filled if one.is_deferred]

    def asked_for(self, fetches: Any) -> List[FilledStream]:
        """Those that a step needs which runs *fetches*."""
        deferred = self.all()
        if not deferred:
            return []
        draws, is_certain = self._draws.behind(fetches)
        return [one for one in deferred if one.draw in draws or not is_certain]
