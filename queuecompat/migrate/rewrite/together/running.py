"""Which code of other files a statement may run: functions that it names, and methods of objects created elsewhere."""

from __future__ import annotations

import functools
from typing import AbstractSet, Dict, List, Sequence

import libcst as cst

from queuecompat.migrate.analysis.call_graph import class_of, makers_of, may_mean, reachable
from queuecompat.migrate.analysis.lookups import looks_up
from queuecompat.migrate.analysis.program import Place, Program
from queuecompat.migrate.rewrite.input_functions import blocks, runs_session
from queuecompat.migrate.source.files import is_test
from queuecompat.migrate.source.nodes import all_in
from queuecompat.migrate.source.parsing import Source

__all__ = ["Running"]


class Running:
    """Which code of *program* runs which, across its files."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._beside: Dict[Source, List[Source]] = {}

    def run_by(self, source: Source, nodes: AbstractSet[cst.CSTNode]) -> List[Place]:
        """The functions of other files that *nodes* may run, once per use; for a class, its ``__init__``."""
        found = [use.place for use in self._program.uses(source) if use.node in nodes]
        places = [one for one in found if isinstance(one.node, cst.FunctionDef)]
        for kind in found:
            places += self._makers(kind)
        for one in nodes:
            places += self.unknown(source, one)
        return places

    def unknown(self, source: Source, node: cst.CSTNode) -> Sequence[Place]:
        """The methods of other files that *node* may refer to, an attribute of an object of no class of *source*."""
        if not isinstance(node, cst.Attribute) or source.names.full(node) or may_mean(source, node):
            return ()
        return [one for one in self._methods.get(node.attr.value, ()) if one.source is not source]

    def _makers(self, kind: Place) -> List[Place]:
        """The ``__init__`` of a class, or those of its base classes in other files."""
        if not isinstance(kind.node, cst.ClassDef):
            return []
        own = [Place(kind.source, one) for one in makers_of(kind.source, kind.node)]
        bases = all_in(kind.node.bases)
        elsewhere = [use.place for use in self._program.uses(kind.source) if use.node in bases]
        return own or [one for base in elsewhere for one in self._makers(base)]

    @functools.cached_property
    def _methods(self) -> Dict[str, List[Place]]:
        """The methods of all files by name, except ``__init__``."""
        found: Dict[str, List[Place]] = {}
        for source in self._program.sources:
            for one in source.every(cst.FunctionDef):
                if class_of(source, one) is not None and one.name.value != "__init__":
                    found.setdefault(one.name.value, []).append(Place(source, one))
        return found

    def beside(self, source: Source) -> Sequence[Source]:
        """The files of programs that run the session loops of *source*, except *source* and files that it imports."""
        if source not in self._beside:
            own = {source, *self._program.reached(source)}
            running = _running_sessions(source)
            importers = self._program.importers(source) if running else ()
            users = [one for one in importers if self._may_run(one, source, running)]
            if any(is_test(one.file) for one in (source, *users)):  # one process runs all tests
                users += [one for one in self._program.sources if is_test(one.file)]
            found = dict.fromkeys(more for one in users for more in (one, *self._program.reached(one)))
            self._beside[source] = [one for one in found if one not in own]
        return self._beside[source]

    def _may_run(self, program: Source, source: Source, running: Sequence[cst.CSTNode]) -> bool:
        """Whether the file *program*, or a file that it imports, may run one of *running*, which are in *source*."""
        if source.tree in running:
            return True
        for user in (program, *self._program.reached(program)):
            if user is not source and (
                looks_up(user) or any(use.place.node in running for use in self._program.uses(user))
            ):
                return True
        return False


def _running_sessions(source: Source) -> Sequence[cst.CSTNode]:
    """The code that may run a session of *source*: the file itself, or functions and classes at its top level."""
    runners = {node for node, lines in blocks(source) if runs_session(source, lines)}
    if source.tree in runners:
        return [source.tree]
    parts = [one for one in source.tree.body if isinstance(one, (cst.ClassDef, cst.FunctionDef))]
    return [one for one in parts if not runners.isdisjoint(all_in(reachable(source, one)))]
