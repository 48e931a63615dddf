"""Previews: streams that are lowered only when a step needs them; most are never needed.

Each producer and reader of a pipeline has tensors of its own, which a program may run to see what passes there.
Lowering all of them used to take a tenth of a pipeline's start.

Rule 1: no step runs a draw whose stream is not filled: before each step, its fetches are looked at (``asked_for``).
Rule 2: before a graph is finalised or leaves the process, all previews are filled (``all``).
"""

from __future__ import annotations

from typing import Any, List, Sequence

from queuecompat._session.steps.fetches import Draws
from queuecompat._session.streams.filled_streams import FilledStream

__all__ = ["Previews"]


class Previews:
    """The previews of one graph that have not been lowered yet.

    Args:
      draws: the draws of the graph.
      filled: the streams of the graph; more may be added later.
    """

    def __init__(self, draws: Draws, filled: Sequence[FilledStream]) -> None:
        self._draws = draws
        self._filled = filled

    def all(self) -> List[FilledStream]:
        """All previews that have not been lowered yet."""
        return [one for one in self._filled if one.is_deferred]

    def asked_for(self, fetches: Any) -> List[FilledStream]:
        """Those that a step running *fetches* needs."""
        deferred = self.all()
        if not deferred:
            return []
        draws, is_certain = self._draws.required_by(fetches)
        return [one for one in deferred if one.draw in draws or not is_certain]
