"""Tracks names that may share a value: after ``names = files``, ``names.sort()`` also reorders ``files``."""

from __future__ import annotations

from typing import Dict, Iterator, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.effects import same_values
from queuecompat.migrate.analysis.statements import bound_by
from queuecompat.migrate.source.nodes import every

__all__ = ["Aliases"]


class Aliases:
    """Which names may share a value, after the statements that were noted so far."""

    def __init__(self) -> None:
        self._others: Dict[str, Set[str]] = {}

    def note(self, one: cst.CSTNode) -> None:
        """Processes the assignments in a statement: they may make names share a value, or stop them from sharing it."""
        for target, value in _assigned(one):
            names, held = bound_by(target), same_values(value)
            if isinstance(one, cst.SimpleStatementLine):
                for name in names - held:
                    self._part(name)
            for name in held:
                self._others.setdefault(name, set()).update(names - {name})
            for name in names:
                self._others.setdefault(name, set()).update(held - {name})

    def _part(self, name: str) -> None:
        for other in self._others.pop(name, ()):
            self._others[other].discard(name)

    def of(self, names: Set[str]) -> Set[str]:
        """*names*, and all names that may share a value with one of them."""
        found = list(names)
        for name in found:
            found += sorted(self._others.get(name, set()) - set(found))
        return set(found)


def _assigned(one: cst.CSTNode) -> Iterator[Tuple[cst.CSTNode, cst.CSTNode]]:
    """Each assignment target in *one*, with the assigned value."""
    for assign in every(one, cst.Assign):
        yield from ((target.target, assign.value) for target in assign.targets)
    for annotated in every(one, cst.AnnAssign):
        if annotated.value is not None:
            yield annotated.target, annotated.value
