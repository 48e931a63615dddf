"""Indexes a tree in one walk, for fast queries: nodes by kind, parents, and descendants.

The nodes are numbered in the order of the text, so the descendants of a node have consecutive numbers, and those of one
kind are found by bisection.
"""

from __future__ import annotations

import bisect
from typing import Any, Dict, Iterator, List, Optional, Type, TypeVar

import libcst as cst

from queuecompat.migrate.source.nodes import children, every

__all__ = ["Index"]

_Node = TypeVar("_Node", bound=cst.CSTNode)


class Index:
    """The nodes of *tree*.

    Attributes:
      parents: from each node to its parent, in the order of the text; the tree itself has no entry.
    """

    def __init__(self, tree: cst.CSTNode) -> None:
        self._nodes: List[cst.CSTNode] = []
        self._places: Dict[cst.CSTNode, int] = {}
        self._kinds: Dict[type, List[int]] = {}
        self._concrete: Dict[Any, List[type]] = {}
        self.parents: Dict[cst.CSTNode, cst.CSTNode] = {}
        self._read(tree)
        self._ends = self._ends_of()

    def _read(self, tree: cst.CSTNode) -> None:
        nodes, places, parents, kinds = self._nodes, self._places, self.parents, self._kinds
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            place = places[node] = len(nodes)
            nodes.append(node)
            kinds.setdefault(type(node), []).append(place)
            below = children(node)
            for child in below:
                parents[child] = node
            below.reverse()
            waiting += below

    def _ends_of(self) -> List[int]:
        """For each node, by its number, the first number after its descendants."""
        sizes = [1] * len(self._nodes)
        for place in range(len(sizes) - 1, 0, -1):
            sizes[self._places[self.parents[self._nodes[place]]]] += sizes[place]
        return [place + size for place, size in enumerate(sizes)]

    def place(self, node: cst.CSTNode) -> int:
        """The number of a node of the tree."""
        return self._places[node]

    def every(self, root: cst.CSTNode, kind: Type[_Node]) -> Iterator[_Node]:
        """*root* and its descendants that are of *kind*; a *root* that is not in the tree is walked."""
        place = self._places.get(root)
        if place is None:
            return every(root, kind)
        return iter(self._range(place, self._ends[place], kind))

    def assigned_value(self, target: cst.CSTNode) -> Optional[cst.BaseExpression]:
        """The value in ``target = value``: in ``a, b = Reader(files), 3``, for *a* only its part of the value.

        Returns: None if *target* is bound in any other way, or if its part of the value is not written out.
        """
        around = self.parents.get(target)
        if isinstance(around, cst.Element):
            return self._part_of_value(around)
        line = self.parents.get(around) if isinstance(around, cst.AssignTarget) else None
        return line.value if isinstance(line, cst.Assign) else None

    def _part_of_value(self, element: cst.Element) -> Optional[cst.BaseExpression]:
        targets = self.parents[element]
        values = self.assigned_value(targets)
        if not isinstance(targets, (cst.List, cst.Tuple)) or not isinstance(values, (cst.List, cst.Tuple)):
            return None
        parts = [*targets.elements, *values.elements]
        if len(targets.elements) != len(values.elements) or any(isinstance(one, cst.StarredElement) for one in parts):
            return None
        return values.elements[targets.elements.index(element)].value

    def _range(self, first: int, end: int, kind: Any) -> List[Any]:
        if kind not in self._concrete:
            self._concrete[kind] = [one for one in self._kinds if issubclass(one, kind)]
        found: List[int] = []
        for one in self._concrete[kind]:
            places = self._kinds[one]
            found += places[bisect.bisect_left(places, first) : bisect.bisect_left(places, end)]
        if len(self._concrete[kind]) > 1:
            found.sort()
        return [self._nodes[place] for place in found]
