"""Why a file of a program is held back: each way in which another file, or a test, may need its old form."""

from __future__ import annotations

import dataclasses
from typing import AbstractSet, Dict, Iterator, Mapping, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import calls_of, class_of, functions_around, may_mean, may_reach, reachable
from queuecompat.migrate.analysis.collected import collected
from queuecompat.migrate.analysis.effects import direct_escaping_writes, names_in
from queuecompat.migrate.analysis.lookups import replaced_names
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.program import Place, Program, Use
from queuecompat.migrate.rewrite.as_dataset import with_eager_imports
from queuecompat.migrate.rewrite.input_functions import blocks, makes_sessions, runs_session
from queuecompat.migrate.rewrite.newer_names import name_by_hand
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.rewritten import Rewritten
from queuecompat.migrate.rewrite.sessions.eager import builds_when_imported, is_of_graphs
from queuecompat.migrate.rewrite.together.elsewhere import Batches
from queuecompat.migrate.rewrite.together.graphs import Graphs
from queuecompat.migrate.rewrite.together.running import Running
from queuecompat.migrate.rewrite.unread import why_unread
from queuecompat.migrate.source.files import path_from
from queuecompat.migrate.source.nodes import all_in
from queuecompat.migrate.source.parsing import Source

__all__ = ["Holds", "is_in_batches"]


@dataclasses.dataclass(frozen=True)
class _Hold:
    """Why a file is held back: the file that causes it, the reason, and the node for the comment in the file itself."""

    root: Source
    refusal: UnsupportedPatternError
    node: cst.CSTNode


class Holds:
    """The files of a program that are held back.

    Args:
      to: the target, ``"as-dataset"`` or ``"tf-data"``.
      candidates: the files that may be rewritten.
      results: for each file, the result of rewriting it by itself.
      batches: for each file, its functions that return batches.
    """

    def __init__(
        self,
        program: Program,
        to: str,
        candidates: Sequence[Source],
        results: Mapping[Source, Rewritten],
        batches: Batches,
    ) -> None:
        self._program, self._to, self._candidates = program, to, candidates
        self._results, self._batches = results, batches
        self._running = Running(program)
        self._graphs = Graphs(program, self._running)
        # Keyed by the names that they replace; if several files replace a name, the first file.
        self._replacing = {name: one for one in reversed(program.sources) for name in replaced_names(one)}
        self._imported: Dict[Source, str] = {}
        self._joined: Dict[Source, Set[Source]] = {}  # the files of objects whose methods a file's graph calls
        self._held: Dict[Source, _Hold] = {}
        self._libraries: Dict[Source, bool] = {}
        self._hold_back()

    def __iter__(self) -> Iterator[Source]:
        return iter(self._held)

    def __contains__(self, source: Source) -> bool:
        return source in self._held

    def reason(self, source: Source) -> UnsupportedPatternError:
        """Why *source*, one of these files, is held back; at a place in *source*."""
        hold = self._held[source]
        if hold.root is source:
            return hold.refusal.at(hold.node)
        return refused("held-back", hold.node, file=path_from(source.file, hold.root.file), reason=hold.refusal.reason)

    def imported_eagerly(self) -> Iterator[Tuple[Source, str]]:
        """The files that only need eager imports, for the sake of rewritten files; and their new text."""
        for source, text in self._imported.items():
            if source in self._held or self._results[source].text != source.text:
                continue
            if self.serves_eager_programs(source):
                yield source, text

    def serves_eager_programs(self, source: Source) -> bool:
        """Whether a file that becomes eager needs *source* to work in eager mode."""
        return any(self.is_rewritten(one) and source in self._needed(one) for one in self._program.sources)

    def is_rewritten(self, source: Source) -> bool:
        """Whether the file becomes eager; False if only its imports change."""
        result = self._results[source]
        return source not in self._held and result.refusal is None and result.text != source.text

    def _hold_back(self) -> None:
        """Holds files back until every remaining file can be rewritten."""
        before = -1
        while before != len(self._held):
            before = len(self._held)
            for source in self._candidates:
                hold = self._hold_of(source) if self.is_rewritten(source) else None
                if hold is not None:
                    self._held[source] = hold
        for source, old in list(self._held.items()):
            hold = None if self._is_own(source, old) else self._hold_of(source)
            self._held[source] = old if hold is None or not self._is_own(source, hold) else hold

    def _hold_of(self, source: Source) -> Optional[_Hold]:
        """Why *source* is held back; if it runs a session, preferably a reason in its own program."""
        ways = (
            self._held_by_users,
            self._held_by_inputs,
            self._held_by_replacements,
            self._held_by_imports,
            self._held_by_graphs,
            self._held_by_programs,
            self._held_by_collections,
            self._held_by_names,
        )
        found = [hold for way in ways for hold in way(source)]
        return next((hold for hold in found if self._is_own(source, hold)), found[0] if found else None)

    def _is_own(self, source: Source, hold: _Hold) -> bool:
        """Whether the reason is in the program that *source* starts; a file without a session is part of several."""
        return not makes_sessions(source) or hold.root is source or hold.root in self._program.reached(source)

    def _held_by_users(self, source: Source) -> Iterator[_Hold]:
        for function in self._results[source].datasets:
            for user, use in self._program.users(Place(source, function)):
                if self._stays_in_graph_mode(user):
                    if not self._serves(source, user):
                        yield self._because_of(user, function)
                    continue
                if user.parents.get(use.node) in self._results[user].consumed or (
                    self._to == "as-dataset" and is_in_batches(self._batches, user, use)
                ):
                    continue
                name = function.name.value  # type: ignore[attr-defined]
                found = refused("used-elsewhere", function, function=name, file=path_from(source.file, user.file))
                if self._serves(source, user):
                    self._held[user] = _Hold(user, found, use.node)
                else:
                    yield _Hold(source, found, function)

    def _serves(self, source: Source, user: Source) -> bool:
        """Whether decorated functions of *source* serve *user*, a program of its own, if that stays in graph mode."""
        if self._to != "as-dataset" or user not in self._candidates or user in self._program.in_tensorflow_2:
            return False
        if source not in self._libraries:
            is_library = not makes_sessions(source) and not builds_when_imported(source)
            # Its other pipelines need ``queuecompat.v1``.
            self._libraries[source] = is_library and why_unread(source.again(self._results[source].text)) is None
        return self._libraries[source]

    def _held_by_inputs(self, source: Source) -> Iterator[_Hold]:
        """Holds *source* back if a function that it iterates over does not return a dataset."""
        for use in (*self._program.uses(source), *self._program.methods(source)):
            call, place, result = source.parents.get(use.node), use.place, self._results[source]
            if call in result.consumed - result.within and (
                not self.is_rewritten(place.source) or place.node not in self._results[place.source].datasets
            ):
                yield self._because_of(place.source, use.node)

    def _held_by_replacements(self, source: Source) -> Iterator[_Hold]:
        """Holds *source* back if a test may replace a function that it iterates over."""
        result = self._results[source]
        named = {call: dotted_name(call.func).rpartition(".")[2] for call in result.consumed}  # type: ignore[attr-defined]
        if makes_sessions(source):
            named.update((one, one.name.value) for one in result.datasets)  # type: ignore[attr-defined]
        for node, name in named.items():
            if name in self._replacing:
                file = path_from(source.file, self._replacing[name].file)
                yield _Hold(source, refused("replaced", node, function=name, file=file), node)

    def _held_by_imports(self, source: Source) -> Iterator[_Hold]:
        for other in self._program.reached(source):
            if other not in self._candidates or self.is_rewritten(other):
                continue
            first = source.tree.body[0]
            if self._stays_in_graph_mode(other):
                yield self._because_of(other, first)
                continue
            try:
                self._import_eagerly(other)
            except UnsupportedPatternError as problem:
                yield _Hold(other, problem, first)
        own = self._results[source].in_graphs
        yield from self._held_by_objects(source, own)
        yield from self._held_by_order(source, own)
        for use in self._program.uses(source):
            if use.node in own:
                try:
                    self._graphs.require_wrappable(use.place, set())
                    self._graphs.require_unshared_states(source, self._results[source])
                except UnsupportedPatternError as problem:
                    yield _of_graph(source, use.place.source, problem, use.node)
                continue
            in_graph = is_in_batches(self._batches, source, use) or use.place.node in self._batches.get(
                use.place.source, ()
            )
            if not in_graph and any(is_of_graphs(use.place.source, one) for one in calls_of(*use.place)):
                found = refused("graph-at-import", use.node, file=path_from(source.file, use.place.source.file))
                yield _Hold(source, found, use.node)

    def _held_by_objects(self, source: Source, own: AbstractSet[cst.CSTNode]) -> Iterator[_Hold]:
        """Holds *source* back for objects from elsewhere, ``self.model.build(images)``: checks methods by name."""
        for node in source.every(cst.Attribute):
            found = self._running.unknown(source, node) if node in own else ()
            if node in self._results[source].methods and not found and not may_mean(source, node):
                yield _Hold(source, refused("unknown-call", node, call=source.code(node)), node)
            for place in found:
                other = place.source
                if self._stays_in_graph_mode(other):
                    yield self._because_of(other, node)
                    continue
                try:
                    self._graphs.require_wrappable(place, set())
                    self._graphs.require_unshared_states(source, self._results[source])
                    if other in self._candidates and not self.is_rewritten(other):
                        self._import_eagerly(other)
                        self._joined.setdefault(source, set()).add(other)
                except UnsupportedPatternError as problem:
                    yield _of_graph(source, other, problem, node)

    def _held_by_order(self, source: Source, own: AbstractSet[cst.CSTNode]) -> Iterator[_Hold]:
        """Holds *source* back if a statement moved before the model is built reads a name that building it sets."""
        places = self._running.run_by(source, own) if self._results[source].in_front else []
        written: Set[str] = set()
        for place in places:
            reached = list(may_reach(*place))
            for function in reached:
                if isinstance(function, cst.FunctionDef):
                    written |= direct_escaping_writes(
                        place.source, function, is_new=class_of(place.source, function) is not None
                    )
            places += [one for one in self._running.run_by(place.source, all_in(reached)) if one not in places]
        for one in self._results[source].in_front:
            both = set() if isinstance(one, (cst.ClassDef, cst.FunctionDef)) else names_in(source, one) & written
            if both:
                yield _Hold(source, refused("changed-by-graph", one, name=min(both)), one)

    def _held_by_graphs(self, source: Source) -> Iterator[_Hold]:
        """Holds *source* back if a program whose graph stays calls its loop: a loop over a dataset needs eager mode."""
        runners = {node for node, lines in blocks(source) if runs_session(source, lines)}
        if source.tree in runners:
            kept = next(filter(self._stays_in_graph_mode, self._program.importers(source)), None)
            if kept is not None:
                yield self._because_of(kept, source.tree.body[0])
            return
        for function in source.every(cst.FunctionDef):
            if not runners.isdisjoint(reachable(source, function)):
                kept = self._graph_mode_caller(Place(source, function), set())
                if kept is not None:
                    yield self._because_of(kept, function)

    def _held_by_programs(self, source: Source) -> Iterator[_Hold]:
        """Holds *source* back if other files of a program that runs its loop need graph mode."""
        first = source.tree.body[0]
        for other in self._running.beside(source):
            if other not in self._candidates or self.is_rewritten(other):
                continue
            if self._stays_in_graph_mode(other):
                yield self._because_of(other, first)
                continue
            try:
                self._import_eagerly(other)
                is_eager = not makes_sessions(other) and not any(
                    _needs_graph(other, one) for one in other.every(cst.Call)
                )
            except UnsupportedPatternError:
                is_eager = False
            if not is_eager:
                yield _Hold(source, refused("graph-beside", first, file=path_from(source.file, other.file)), first)

    def _held_by_collections(self, source: Source) -> Iterator[_Hold]:
        """Holds *source* back if its program reads from the graph what an input function adds besides its batch."""
        for function in self._results[source].datasets:
            users = [source, *self._users(Place(source, function))]
            readers = [*users, *(other for user in users for other in self._program.reached(user))]
            for place in self._called(Place(source, function)):
                found = collected(place.source, place.node, dict.fromkeys(readers))
                if found is not None:
                    call, reader = found
                    node = call if place.source is source else function
                    refusal = refused("collected", node, call=place.source.code(call.func), reader=reader)
                    yield _Hold(source, refusal, node)
                    break

    def _called(self, place: Place) -> Sequence[Place]:
        """*place*, and the functions of other files that it reaches, directly or indirectly."""
        found = [place]
        for one in found:
            inside = all_in(reachable(*one))
            more = (use.place for use in self._program.uses(one.source) if use.node in inside)
            found += [other for other in dict.fromkeys(more) if other not in found]
        return found

    def _users(self, place: Place) -> Sequence[Source]:
        """The other files that call the function *place*, and files that import one whose functions call it."""
        found: Dict[Source, None] = {}
        for user, use in self._program.users(place):
            found[user] = None
            if user.around(use.node, cst.FunctionDef) is not None:
                found.update(dict.fromkeys(self._program.importers(user)))
        return list(found)

    def _held_by_names(self, source: Source) -> Iterator[_Hold]:
        """Holds *source* back for an older name without an equivalent, which only ``run`` could bring back."""
        for other in (source, *self._program.reached(source)):
            found = name_by_hand(other)
            if found is not None:
                refusal = refused("older-name", found.node, owner=found.owner, call=found.written)
                yield _Hold(other, refusal, found.node if other is source else source.tree.body[0])

    def _needed(self, source: Source) -> Sequence[Source]:
        """The files that must be eager for *source*: its imports, the files of its objects and what these import.

        The other files of programs that run its loops are included.
        """
        joined = self._joined.get(source, ())
        return [
            *self._program.reached(source),
            *joined,
            *(more for one in joined for more in self._program.reached(one)),
            *self._running.beside(source),
        ]

    def _import_eagerly(self, source: Source) -> None:
        """Records the text of *source* with eager imports.

        Raises:
          UnsupportedPatternError: it cannot have them.
        """
        if source not in self._imported:
            self._imported[source] = with_eager_imports(source)

    def _graph_mode_caller(self, place: Place, seen: Set[Place]) -> Optional[Source]:
        """Another file that stays in graph mode and calls the function *place*, directly or indirectly."""
        seen.add(place)
        for user, use in self._program.users(place):
            if self._stays_in_graph_mode(user):
                return user
            around = Place(user, user.around(use.node, cst.FunctionDef) or user.tree)
            found = None if around in seen else self._graph_mode_caller(around, seen)
            if found is not None:
                return found
        return None

    def _stays_in_graph_mode(self, source: Source) -> bool:
        """Whether the file stays in graph mode, as far as is known."""
        return source in self._held or self._results[source].refusal is not None

    def _because_of(self, other: Source, node: cst.CSTNode) -> _Hold:
        if other in self._held:
            return dataclasses.replace(self._held[other], node=node)
        refusal = self._results[other].refusal
        return _Hold(other, refused("never-run", node) if refusal is None else refusal, node)


def _of_graph(source: Source, other: Source, problem: UnsupportedPatternError, use: cst.CSTNode) -> _Hold:
    """Why the graph of *source* cannot be that of a function: code of its own, or of *other*, which its *use* calls."""
    is_own = problem.node in source.parents
    return _Hold(source, problem, problem.node) if is_own else _Hold(other, problem.at(use), use)


def is_in_batches(batches: Batches, source: Source, use: Use) -> bool:
    """Whether a use is in a function that returns batches itself."""
    return any(one in batches.get(source, ()) for one in functions_around(source, use.node))


def _needs_graph(source: Source, call: cst.Call) -> bool:
    """Whether *call* works only in a graph, or creates one."""
    return is_of_graphs(source, call) or source.names.symbol(call.func) == "tf.Graph"
