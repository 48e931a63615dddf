"""Whether a graph that a function builds may include what functions of other files add to it."""

from __future__ import annotations

from typing import Any, List, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import may_reach
from queuecompat.migrate.analysis.program import Place, Program
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.rewritten import Rewritten
from queuecompat.migrate.rewrite.sessions.eager import seeds_in
from queuecompat.migrate.rewrite.sessions.graph_functions import random_seed
from queuecompat.migrate.rewrite.sessions.wrappable import optimizers_in, require_unshared_states, require_wrappable
from queuecompat.migrate.rewrite.together.running import Running
from queuecompat.migrate.source.nodes import all_in, every
from queuecompat.migrate.source.parsing import Source

__all__ = ["Graphs"]


class Graphs:
    """What the graphs of rewritten functions of *program* contain, across its files."""

    def __init__(self, program: Program, running: Running) -> None:
        self._program, self._running = program, running

    def require_wrappable(self, place: Place, seen: Set[Place]) -> None:
        """Requires that a function's graph may include what *place* creates, and what that calls in other files."""
        seen.add(place)
        require_wrappable(*place)
        inside = all_in(may_reach(*place))
        named = [use.place for use in self._program.uses(place.source) if use.node in inside]
        for other in (*named, *self._running.run_by(place.source, inside)):
            if other not in seen:
                self.require_wrappable(other, seen)

    def require_unshared_states(self, source: Source, result: Rewritten) -> None:
        """Requires that functions of other files which build the graph of *source* share no seeds and no optimizers.

        Raises:
          UnsupportedPatternError: they do; the node is in the file that has to change.
        """
        own = result.in_graphs
        taken, trained = set(seeds_in(source, own)), optimizers_in(source, own)
        waiting, seen = self._running.run_by(source, own), set()
        while waiting:
            place = waiting.pop()
            lines: List[Any] = list(place.node.body.body)  # type: ignore[attr-defined]
            seeds = require_unshared_states(place.source, lines)
            if seeds & taken:
                raise refused("shared-seed", place.node, seed=min(seeds & taken))
            taken |= seeds
            calls = (call for line in lines for one in may_reach(place.source, line) for call in every(one, cst.Call))
            seed = random_seed(place.source, calls) if result.has_several_parts else ""
            if seed:
                raise refused("seed-of-parts", place.node, seed=seed)
            nodes = set() if place in seen else all_in(may_reach(place.source, *lines))
            trained += optimizers_in(place.source, nodes)
            waiting += self._running.run_by(place.source, nodes)
            seen.add(place)
        if len(trained) > 1:
            raise refused("second-training", trained[1])
