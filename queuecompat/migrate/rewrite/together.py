"""A whole program rewritten: what files have to do with each other decides which of them are.

Rule 1: a function becomes one that returns a dataset only if each use of it in another file is rewritten too, or is in
        a function that is a pipeline itself.
Rule 2: a file that becomes eager imports no TensorFlow 1 file that stays one of graphs, no such file calls a function
        of it that ran a session, and no program that does so has such files.
Rule 3: a file that a different one holds back keeps its text, but for one comment that names that file and the reason.
Rule 4: what is held back keeps its sessions and gets new input functions all the same, where that can be
        (``kept_sessions``).
Rule 5: files that are not TensorFlow 1 code are not changed.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import os
from typing import AbstractSet, Any, Dict, FrozenSet, Iterable, Iterator, List, Mapping, Optional, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.attributes import attribute_names
from queuecompat.migrate.analysis.call_graph import calls_of, class_of, makers_of, may_mean, may_reach, reachable
from queuecompat.migrate.analysis.collected import collected
from queuecompat.migrate.analysis.effects import lasting, names_in, outliving
from queuecompat.migrate.analysis.lookups import is_value, looked_up, looks_up, may_look_up, replaced_names
from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.order_of_records import set_order_elsewhere
from queuecompat.migrate.analysis.pipelines import pipelines
from queuecompat.migrate.analysis.program import Place, Program, Use
from queuecompat.migrate.analysis.registering import registers
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.rewrite.as_dataset import has_pipelines, with_eager_imports
from queuecompat.migrate.rewrite.begun_in_init import with_whole_methods
from queuecompat.migrate.rewrite.imports.eager_imports import reexported_tensorflow
from queuecompat.migrate.rewrite.imports.v1 import v1
from queuecompat.migrate.rewrite.input_functions import (
    batch_functions,
    blocks,
    is_decorated,
    makes_sessions,
    runs_session,
)
from queuecompat.migrate.rewrite.kept_sessions import is_done, keeping_sessions, serves_sessions
from queuecompat.migrate.rewrite.newer_names import named_as_today
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.rewritten import Rewritten, Surroundings
from queuecompat.migrate.rewrite.sessions.eager import is_of_graphs, seeds_in
from queuecompat.migrate.rewrite.sessions.graph_functions import random_seed
from queuecompat.migrate.rewrite.sessions.wrappable import (
    begins_with_tensors,
    optimizers_in,
    require_own_states,
    require_wrappable,
)
from queuecompat.migrate.rewrite.targets import TARGETS
from queuecompat.migrate.rewrite.todo_comments import commented
from queuecompat.migrate.rewrite.unread import unnamed_tensorflow, why_unread
from queuecompat.migrate.source.names import meaning
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["rewritten_together"]

_CODES = {"as-dataset": "QC743", "tf-data": "QC744"}
# What says that a pipeline stays on queues.
_LEFT = {"QC715", *_CODES.values()}


def rewritten_together(
    sources: Sequence[Source], to: str, across: AbstractSet[Source] = frozenset()
) -> Dict[Source, Rewritten]:
    """The new text of each of *sources*, by the target *to*; code of the notebooks *across* would leave its cell."""
    program = Program(sources)
    if to == "v1":
        return {one: v1(one, Surroundings(is_tf1=one in program.tf1)) for one in sources}
    results = _Together(program, to, across).results
    for source in sources:
        if any(found.code in _LEFT for found in results[source].left):
            results = _with_whole_methods(sources, source, to, across, results)
    return {**results, **named_as_today(program, results)}


def _with_whole_methods(
    sources: Sequence[Source], source: Source, to: str, across: AbstractSet[Source], before: Dict[Source, Rewritten]
) -> Dict[Source, Rewritten]:
    """The same with what ``__init__`` begins in *source* moved into its methods, where less is left so."""
    copy = None if source in across else with_whole_methods(source)
    if copy is None:
        return before
    found = _Together(Program([copy if one is source else one for one in sources]), to, across).results
    found[source] = found.pop(copy)
    if found[source].refusal is not None or _count_left(found) >= _count_left(before):
        return before
    left = [_in_old_text(source, copy, one) for one in found[source].left]
    found[source] = dataclasses.replace(found[source], left=left)
    return found


def _count_left(results: Dict[Source, Rewritten]) -> int:
    """How many pipelines and files stay what they were."""
    return sum(found.code in _LEFT for one in results.values() for found in one.left)


@dataclasses.dataclass(frozen=True)
class _Hold:
    """Why a file is held back: the file where the reason is, the reason, and where to say so in the file itself."""

    root: Source
    refusal: UnsupportedPatternError
    node: cst.CSTNode


class _Together:
    """The rewriting of a program, file by file, and then what has to be taken back."""

    def __init__(self, program: Program, to: str, across: AbstractSet[Source]) -> None:
        self._program, self._to, self._across = program, to, across
        _set_names_elsewhere(program)
        _set_registering(program)
        set_order_elsewhere(program)
        _set_beginnings(program)
        # By the names that they replace; of several files, the first.
        self._replacing = {name: one for one in reversed(program.sources) for name in replaced_names(one)}
        self._batches = self._find_batches()
        self._held: Dict[Source, _Hold] = {}
        self.results = {one: self._alone(one) for one in program.sources}
        self._imported: Dict[Source, str] = {}
        self._besides: Dict[Source, List[Source]] = {}
        self._joined: Dict[Source, Set[Source]] = {}  # files of objects that a graph calls methods of
        self._hold_back()
        for source, text in self._imported.items():
            if not any(self._is_rewritten(one) and source in self._needed(one) for one in program.sources):
                continue
            if source not in self._held and self.results[source].text == source.text:
                self.results[source] = dataclasses.replace(self.results[source], text=text)
        kept = keeping_sessions(program, self._in_graphs(), to, self._decorating() if to == "as-dataset" else ())
        for source, hold in self._held.items():
            self.results[source] = self._comment(source, hold)
        self.results.update(kept)
        for source in self._taken:
            if source not in kept and not self._is_part(source):
                self._say_what_is_left(source)

    # Functions that return batches.

    def _find_batches(self) -> Dict[Source, List[cst.FunctionDef]]:
        """Of each file; files that call those of others make some of their own."""
        found: Dict[Source, List[cst.FunctionDef]] = {one: batch_functions(one) for one in self._program.sources}
        more = True
        while more:
            more = False
            for source in found:
                elsewhere = frozenset(_key(source, use) for use in self._uses_of_batches(source, found))
                if elsewhere != source.batches_elsewhere:
                    source.batches_elsewhere, more = elsewhere, True
                    found[source] = batch_functions(source)
        for source in found:
            places = [use.place for use in self._uses_of_batches(source, found)]
            source.set_elsewhere = frozenset(self._outliving(places))
        return found

    def _outliving(self, places: List[Place]) -> Set[str]:
        """The names that functions set, with those that they call in other files, and that outlive them."""
        found: Set[str] = set()
        for place in places:
            found |= outliving(*place)
            inside = _all_in(reachable(*place))
            more = (use.place for use in self._program.uses(place.source) if use.node in inside)
            places += [one for one in dict.fromkeys(more) if one not in places]
        return found

    @functools.cached_property
    def _taken(self) -> List[Source]:
        """The files that are TensorFlow 1 code, and those with input functions that are decorated already."""
        return [one for one in self._program.sources if one in self._program.tf1 or has_pipelines(one)]

    def _uses_of_batches(self, source: Source, batches: Dict[Source, List[cst.FunctionDef]]) -> Iterator[Use]:
        """Where *source* names a function of another file that returns batches, and no dataset yet."""
        for use in (*self._program.uses(source), *self._program.methods(source)):
            node = use.place.node
            is_batch = isinstance(node, cst.FunctionDef) and node in batches.get(use.place.source, ())
            if is_batch and not is_decorated(use.place.source, node):  # type: ignore[arg-type]
                yield use

    def _alone(self, source: Source) -> Rewritten:
        if source in self._across:
            refusal = refused("across-cells", source.tree.body[0])
            return Rewritten(source.text, [source.found("QC745", refusal.node)], refusal=refusal)
        shared = serves_sessions(self._program, source) if self._to == "tf-data" else None
        if shared is not None:
            found = refused("serves-sessions", shared, function=shared.name.value)
            return Rewritten(source.text, [source.found("QC715", shared, reason=found.reason)])
        if source not in self._taken or is_done(self._program, source):
            return Rewritten(source.text)
        if self._has_name_of_tensorflow_2(source):
            refusal = unnamed_tensorflow(source, source.tree.body[0])
            return commented(source, _CODES[self._to], refusal)
        users = {one: self._program.users(Place(source, one)) for one in self._batches[source]}
        outer = frozenset(one for one in users if users[one])
        inner = frozenset(one for one in outer if all(self._is_in_batches(*user) for user in users[one]))
        result = TARGETS[self._to](source, Surroundings(True, inner, outer, self._looked_up(source)))
        return Rewritten(source.text) if result.only_imports else result

    def _has_name_of_tensorflow_2(self, source: Source) -> bool:
        """Whether *source* has its name for TensorFlow from a file that goes on importing TensorFlow 2's."""
        brought = reexported_tensorflow(source)
        found = None if brought is None else meaning(brought.full)
        if brought is None or found is None or found.spelling == "compat":
            return False
        return all(one.file != brought.file for one in self._program.tf1)

    def _looked_up(self, source: Source) -> FrozenSet[cst.CSTNode]:
        """The functions of *source* that return batches, and that a session may find by other means than their name."""
        if not self._has_sessions:
            return frozenset()
        functions = [
            *self._batches[source],
            *(one for one in source.every(cst.FunctionDef) if is_decorated(source, one)),
        ]
        return frozenset(
            one
            for one in functions
            if is_value(source, one) or any(may_look_up(other, one.name.value) for other in self._program.sources)
        )

    @functools.cached_property
    def _has_sessions(self) -> bool:
        return any(map(makes_sessions, self._program.sources))

    def _is_in_batches(self, source: Source, use: Use) -> bool:
        """Whether a use is in a function that returns batches itself."""
        around = source.around(use.node, cst.FunctionDef)
        while around is not None and around not in self._batches.get(source, ()):
            around = source.around(around, cst.FunctionDef)
        return around is not None

    # What is held back.

    def _hold_back(self) -> None:
        """Takes files back until each one that is left can be rewritten."""
        before = -1
        while before != len(self._held):
            before = len(self._held)
            for source in self._taken:
                hold = self._hold_of(source) if self._is_rewritten(source) else None
                if hold is not None:
                    self._held[source] = hold
        for source, old in list(self._held.items()):
            hold = None if self._is_own(source, old) else self._hold_of(source)
            self._held[source] = old if hold is None or not self._is_own(source, hold) else hold

    def _in_graphs(self) -> Dict[Source, UnsupportedPatternError]:
        """The files that stay those of graphs, and why: what is held back, and unchanged files of the same programs."""
        found = {one: self._reason(one, hold) for one, hold in self._held.items()}
        for source in self._taken:
            refusal = self.results[source].refusal
            if refusal is not None and source not in found:
                found[source] = refusal
        before = -1
        while before != len(found):
            before = len(found)
            for source in self._taken:
                is_same = source not in found and self.results[source].text == source.text
                near = [one for one in found if is_same and self._program.are_together(source, one)]
                if near and not any(one.code == "QC741" for one in v1(source, Surroundings(is_tf1=True)).left):
                    found[source] = self._because_near(source, near, found)
        return found

    def _because_near(
        self, source: Source, near: Sequence[Source], found: Mapping[Source, UnsupportedPatternError]
    ) -> UnsupportedPatternError:
        """Why *source* stays one of graphs, which is in a program with the files *near*."""
        place = source.tree.body[0]
        if makes_sessions(source) and not has_pipelines(source):
            return refused("no-queues", place)
        other = next((one for one in near if one not in self._held), near[0])
        return refused("held-back", place, file=_shown(source, other), reason=found[other].reason)

    def _decorating(self) -> List[Source]:
        """The rewritten files that are input functions, and run no session."""
        found = [one for one in self._taken if self._is_rewritten(one) and self.results[one].datasets]
        return [one for one in found if not makes_sessions(one)]

    def _is_rewritten(self, source: Source) -> bool:
        """Whether the file becomes an eager one; not where only its imports change."""
        result = self.results[source]
        return source not in self._held and result.refusal is None and result.text != source.text

    def _hold_of(self, source: Source) -> Optional[_Hold]:
        """Why *source* is held back; where a session stays, it is a reason in its own program, if there is one."""
        ways = (
            self._held_by_users,
            self._held_by_inputs,
            self._held_by_replacements,
            self._held_by_imports,
            self._held_by_graphs,
            self._held_by_programs,
            self._held_by_collections,
        )
        found = [hold for way in ways for hold in way(source)]
        return next((hold for hold in found if self._is_own(source, hold)), found[0] if found else None)

    def _is_own(self, source: Source, hold: _Hold) -> bool:
        """Whether the reason is in the program that *source* is; a file without a session is a part of several."""
        return not makes_sessions(source) or hold.root is source or hold.root in self._program.reached(source)

    def _held_by_users(self, source: Source) -> Iterator[_Hold]:
        for function in self.results[source].datasets:
            for user, use in self._program.users(Place(source, function)):
                if self._is_kept(user):
                    yield self._because_of(user, function)
                    continue
                if self._is_consumed(user, use) or (self._to == "as-dataset" and self._is_in_batches(user, use)):
                    continue
                name = function.name.value  # type: ignore[attr-defined]
                found = refused("used-elsewhere", function, function=name, file=_shown(source, user))
                yield _Hold(source, found, function)

    def _held_by_inputs(self, source: Source) -> Iterator[_Hold]:
        """A function that is iterated over has to return a dataset."""
        for use in (*self._program.uses(source), *self._program.methods(source)):
            call, place = source.parents.get(use.node), use.place
            if call in self.results[source].consumed and (
                not self._is_rewritten(place.source) or place.node not in self.results[place.source].datasets
            ):
                yield self._because_of(place.source, use.node)

    def _held_by_replacements(self, source: Source) -> Iterator[_Hold]:
        """A function that is iterated over is the program's own, and not what a test puts in its place."""
        result = self.results[source]
        named = {call: dotted_name(call.func).rpartition(".")[2] for call in result.consumed}  # type: ignore[attr-defined]
        if makes_sessions(source):
            named.update((one, one.name.value) for one in result.datasets)  # type: ignore[attr-defined]
        for node, name in named.items():
            if name in self._replacing:
                file = _shown(source, self._replacing[name])
                yield _Hold(source, refused("replaced", node, function=name, file=file), node)

    def _held_by_collections(self, source: Source) -> Iterator[_Hold]:
        """What a function puts into the graph beside its batch would not be in the graph that its program asks."""
        for function in self.results[source].datasets:
            users = [source, *(user for user, _ in self._program.users(Place(source, function)))]
            readers = [*users, *(other for user in users for other in self._program.reached(user))]
            found = collected(source, function, dict.fromkeys(readers))
            if found is not None:
                call, reader = found
                refusal = refused("collected", call, call=source.code(call.func), reader=reader)
                yield _Hold(source, refusal, call)

    def _held_by_imports(self, source: Source) -> Iterator[_Hold]:
        for other in self._program.reached(source):
            if other not in self._taken or self._is_rewritten(other):
                continue
            first = source.tree.body[0]
            if self._is_kept(other):
                yield self._because_of(other, first)
                continue
            try:
                self._import_eagerly(other)
            except UnsupportedPatternError as problem:
                yield _Hold(other, problem, first)
        own = self.results[source].in_graphs
        yield from self._held_by_objects(source, own)
        yield from self._held_by_order(source, own)
        for use in self._program.uses(source):
            if use.node in own:
                try:
                    self._require_wrappable(use.place, set())
                    self._require_own_states(source)
                except UnsupportedPatternError as problem:
                    yield _Hold(use.place.source, problem.at(use.node), use.node)
                continue
            in_graph = self._is_in_batches(source, use) or use.place.node in self._batches.get(use.place.source, ())
            if not in_graph and any(is_of_graphs(use.place.source, one) for one in calls_of(*use.place)):
                found = refused("graph-at-import", use.node, file=_shown(source, use.place.source))
                yield _Hold(source, found, use.node)

    def _held_by_objects(self, source: Source, own: AbstractSet[cst.CSTNode]) -> Iterator[_Hold]:
        """A file whose objects come from elsewhere: ``self.model.build(images)``; which they are, their methods say."""
        for node in source.every(cst.Attribute):
            found = self._unknown(source, node) if node in own else ()
            if node in self.results[source].methods and not found and not may_mean(source, node):
                yield _Hold(source, refused("unknown-call", node, call=source.code(node)), node)
            for place in found:
                other = place.source
                if self._is_kept(other):
                    yield self._because_of(other, node)
                    continue
                try:
                    self._require_wrappable(place, set())
                    self._require_own_states(source)
                    if other in self._taken and not self._is_rewritten(other):
                        self._import_eagerly(other)
                        self._joined.setdefault(source, set()).add(other)
                except UnsupportedPatternError as problem:
                    yield _Hold(other, problem.at(node), node)

    def _import_eagerly(self, source: Source) -> None:
        """Notes the text of *source* with imports for eager mode.

        Raises:
          UnsupportedPatternError: it cannot have them.
        """
        if source not in self._imported:
            self._imported[source] = with_eager_imports(source)

    def _held_by_order(self, source: Source, own: AbstractSet[cst.CSTNode]) -> Iterator[_Hold]:
        """A statement that has come in front of what builds the graph, and reads what that sets in other files."""
        places = self._run_by(source, own) if self.results[source].in_front else []
        written: Set[str] = set()
        for place in places:
            reached = list(may_reach(*place))
            for function in reached:
                if isinstance(function, cst.FunctionDef):
                    written |= lasting(place.source, function, is_new=class_of(place.source, function) is not None)
            places += [one for one in self._run_by(place.source, _all_in(reached)) if one not in places]
        for one in self.results[source].in_front:
            both = set() if isinstance(one, (cst.ClassDef, cst.FunctionDef)) else names_in(source, one) & written
            if both:
                yield _Hold(source, refused("changed-by-graph", one, name=min(both)), one)

    def _needed(self, source: Source) -> Sequence[Source]:
        """The files that *source* imports, and those of its objects, with all that these import.

        So are the other files of programs that run its loops.
        """
        joined = self._joined.get(source, ())
        return [
            *self._program.reached(source),
            *joined,
            *(more for one in joined for more in self._program.reached(one)),
            *self._beside(source),
        ]

    def _held_by_graphs(self, source: Source) -> Iterator[_Hold]:
        """A loop over a dataset needs eager mode, which a program whose graph stays does not have."""
        runners = {node for node, lines in blocks(source) if runs_session(source, lines)}
        if source.tree in runners:
            kept = next(filter(self._is_kept, self._program.importers(source)), None)
            if kept is not None:
                yield self._because_of(kept, source.tree.body[0])
            return
        for function in source.every(cst.FunctionDef):
            if not runners.isdisjoint(reachable(source, function)):
                kept = self._kept_caller(Place(source, function), set())
                if kept is not None:
                    yield self._because_of(kept, function)

    def _held_by_programs(self, source: Source) -> Iterator[_Hold]:
        """A loop over a dataset needs eager mode, which files in a program with it may turn off, or have no use for."""
        first = source.tree.body[0]
        for other in self._beside(source):
            if other not in self._taken or self._is_rewritten(other):
                continue
            if self._is_kept(other):
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
                yield _Hold(source, refused("graph-beside", first, file=_shown(source, other)), first)

    def _beside(self, source: Source) -> Sequence[Source]:
        """The files of the programs that run the loops of *source*, but for those that it needs itself."""
        if source not in self._besides:
            own = {source, *self._program.reached(source)}
            running = _running_sessions(source)
            importers = self._program.importers(source) if running else ()
            users = [one for one in importers if self._may_run(one, source, running)]
            found = dict.fromkeys(more for one in users for more in (one, *self._program.reached(one)))
            self._besides[source] = [one for one in found if one not in own]
        return self._besides[source]

    def _may_run(self, program: Source, source: Source, running: Sequence[cst.CSTNode]) -> bool:
        """Whether the file *program*, or what it imports, may run one of *running*, which are in *source*."""
        if source.tree in running:
            return True
        for user in (program, *self._program.reached(program)):
            if user is not source and (
                looks_up(user) or any(use.place.node in running for use in self._program.uses(user))
            ):
                return True
        return False

    def _kept_caller(self, place: Place, seen: Set[Place]) -> Optional[Source]:
        """A different file that stays one of graphs, and calls the function *place*, directly or not."""
        seen.add(place)
        for user, use in self._program.users(place):
            if self._is_kept(user):
                return user
            around = Place(user, user.around(use.node, cst.FunctionDef) or user.tree)
            found = None if around in seen else self._kept_caller(around, seen)
            if found is not None:
                return found
        return None

    def _require_wrappable(self, place: Place, seen: Set[Place]) -> None:
        """Whether the graph of a function may have what *place* makes, and what that calls in other files."""
        seen.add(place)
        require_wrappable(*place)
        inside = _all_in(may_reach(*place))
        named = [use.place for use in self._program.uses(place.source) if use.node in inside]
        for other in (*named, *self._run_by(place.source, inside)):
            if other not in seen:
                self._require_wrappable(other, seen)

    def _require_own_states(self, source: Source) -> None:
        """Whether no two functions of other files that build the graph of *source* share seeds or optimizers."""
        own = self.results[source].in_graphs
        taken, trained = set(seeds_in(source, own)), optimizers_in(source, own)
        waiting, seen = self._run_by(source, own), set()
        while waiting:
            place = waiting.pop()
            lines: List[Any] = list(place.node.body.body)  # type: ignore[attr-defined]
            seeds = require_own_states(place.source, lines)
            if seeds & taken:
                raise refused("shared-seed", place.node, seed=min(seeds & taken))
            taken |= seeds
            calls = (call for line in lines for one in may_reach(place.source, line) for call in every(one, cst.Call))
            seed = random_seed(place.source, calls) if self.results[source].has_several_parts else ""
            if seed:
                raise refused("seed-of-parts", place.node, seed=seed)
            nodes = set() if place in seen else _all_in(may_reach(place.source, *lines))
            trained += optimizers_in(place.source, nodes)
            waiting += self._run_by(place.source, nodes)
            seen.add(place)
        if trained > 1:
            raise refused("second-training", source.tree)

    def _run_by(self, source: Source, nodes: AbstractSet[cst.CSTNode]) -> List[Place]:
        """The functions of other files that *nodes* may run, one for each time: of a class what makes an object."""
        found = [use.place for use in self._program.uses(source) if use.node in nodes]
        places = [one for one in found if isinstance(one.node, cst.FunctionDef)]
        for kind in found:
            places += self._makers(kind)
        for one in nodes:
            places += self._unknown(source, one)
        return places

    def _unknown(self, source: Source, node: cst.CSTNode) -> Sequence[Place]:
        """The methods of other files that an attribute of an object may mean, which is of no class of *source*."""
        if not isinstance(node, cst.Attribute) or source.names.full(node) or may_mean(source, node):
            return ()
        return [one for one in self._methods.get(node.attr.value, ()) if one.source is not source]

    def _makers(self, kind: Place) -> List[Place]:
        """What makes an object of a class: its own method, or those of classes of other files that it is made of."""
        if not isinstance(kind.node, cst.ClassDef):
            return []
        own = [Place(kind.source, one) for one in makers_of(kind.source, kind.node)]
        bases = _all_in(kind.node.bases)
        elsewhere = [use.place for use in self._program.uses(kind.source) if use.node in bases]
        return own or [one for base in elsewhere for one in self._makers(base)]

    @functools.cached_property
    def _methods(self) -> Dict[str, List[Place]]:
        """The methods of all files by their names, but for those that make objects."""
        found: Dict[str, List[Place]] = {}
        for source in self._program.sources:
            for one in source.every(cst.FunctionDef):
                if class_of(source, one) is not None and one.name.value != "__init__":
                    found.setdefault(one.name.value, []).append(Place(source, one))
        return found

    def _is_kept(self, source: Source) -> bool:
        """Whether the file stays one of graphs, for a reason that was found."""
        return source in self._held or self.results[source].refusal is not None

    def _is_consumed(self, source: Source, use: Use) -> bool:
        return source.parents.get(use.node) in self.results[source].consumed

    def _because_of(self, other: Source, node: cst.CSTNode) -> _Hold:
        if other in self._held:
            return dataclasses.replace(self._held[other], node=node)
        refusal = self.results[other].refusal
        return _Hold(other, refused("never-run", node) if refusal is None else refusal, node)

    def _say_what_is_left(self, source: Source) -> None:
        """Adds a comment on a pipeline that nothing of the rewrite was about."""
        result = self.results[source]
        if result.refusal is not None:
            return
        is_new = result.text != source.text
        new = source.again(result.text) if is_new else source
        refusal = why_unread(new)
        if refusal is not None:
            said = commented(new, _CODES[self._to], refusal)
            left = [*result.left, *(_in_old_text(source, new, one) for one in said.left)]
            self.results[source] = dataclasses.replace(result if is_new else said, text=said.text, left=left)

    def _is_part(self, source: Source) -> bool:
        """Whether *source* has no input function, and a file with some imports it, for parts of them."""
        if self._has_input_functions(source):
            return False
        return any(source in self._program.reached(one) for one in self._taken if self._has_input_functions(one))

    def _has_input_functions(self, source: Source) -> bool:
        return bool(source.once(pipelines) or self.results[source].datasets)

    def _comment(self, source: Source, hold: _Hold) -> Rewritten:
        if not has_pipelines(source):
            return Rewritten(source.text)
        return commented(source, _CODES[self._to], self._reason(source, hold))

    def _reason(self, source: Source, hold: _Hold) -> UnsupportedPatternError:
        """Why *source* is held back, at a place of its own."""
        if hold.root is source:
            return hold.refusal.at(hold.node)
        return refused("held-back", hold.node, file=_shown(source, hold.root), reason=hold.refusal.reason)


def _running_sessions(source: Source) -> Sequence[cst.CSTNode]:
    """What may run a session of *source*: the file itself, or else functions and classes at its top."""
    runners = {node for node, lines in blocks(source) if runs_session(source, lines)}
    if source.tree in runners:
        return [source.tree]
    parts = [one for one in source.tree.body if isinstance(one, (cst.ClassDef, cst.FunctionDef))]
    return [one for one in parts if not runners.isdisjoint(_all_in(reachable(source, one)))]


def _needs_graph(source: Source, call: cst.Call) -> bool:
    """Whether *call* means something in a graph alone, or makes one."""
    return is_of_graphs(source, call) or source.names.symbol(call.func) == "tf.Graph"


def _set_names_elsewhere(program: Program) -> None:
    """For each file: which names of attributes and methods the others have, what they import, and what they look up."""
    named = _of_others({one: _attribute_names(one) for one in program.sources})
    sought = _of_others({one: frozenset(looked_up(one)) for one in program.sources})
    for source in program.sources:
        source.named_elsewhere, source.looked_up_elsewhere = named[source], sought[source]


def _of_others(names: Mapping[Source, FrozenSet[str]]) -> Dict[Source, FrozenSet[str]]:
    """For each file, the *names* that others have."""
    files = collections.Counter(name for found in names.values() for name in found)
    everything = frozenset(files)
    return {one: everything.difference(name for name in found if files[name] == 1) for one, found in names.items()}


def _all_in(nodes: Iterable[cst.CSTNode]) -> Set[cst.CSTNode]:
    """*nodes*, and everything in them."""
    return {part for one in nodes for part in every(one, cst.CSTNode)}  # type: ignore[type-abstract]


def _set_beginnings(program: Program) -> None:
    """For each file: whether those that it imports may make variables of tensors."""
    making = {one for one in program.sources if begins_with_tensors(one, one.tree)}
    for source in program.sources:
        source.begins_with_tensors = any(one in making for one in program.reached(source))


def _set_registering(program: Program) -> None:
    """For each file: which decorators of the others only note a function."""
    for source in program.sources:
        source.registering = frozenset(
            (source.names.full(use.node), is_called)
            for use in program.uses(source)
            for is_called in (False, True)
            if registers(use.place.node, is_called=is_called)
        )


def _attribute_names(source: Source) -> FrozenSet[str]:
    methods = (one.name.value for one in source.every(cst.FunctionDef) if class_of(source, one) is not None)
    imports = list(source.every(cst.ImportFrom))
    found = {name.value for one in imports for alias in _aliases(one) for name in source.every(cst.Name, alias)}
    if any(isinstance(one.names, cst.ImportStar) for one in imports):
        found |= {one.value for one in source.every(cst.Name)}
    return frozenset((*attribute_names(source), *methods, *found))


def _aliases(one: cst.ImportFrom) -> Sequence[cst.ImportAlias]:
    return () if isinstance(one.names, cst.ImportStar) else one.names


def _in_old_text(source: Source, new: Source, found: Finding) -> Finding:
    """A finding in the *new* text of *source*, at the same line of the old one."""
    lines = [line.strip() for line in source.text.split("\n")]
    written = new.text.split("\n")[found.line - 1].strip()
    return dataclasses.replace(found, line=lines.index(written) + 1 if written in lines else 1)


def _key(source: Source, use: Use) -> str:
    """The function as *source* names it."""
    return source.names.full(use.node) or source.code(use.node)


def _shown(source: Source, other: Source) -> str:
    """The path of *other*, from the folder of *source*."""
    folder = os.path.dirname(os.path.abspath(source.file))
    return os.path.relpath(os.path.abspath(other.file), folder).replace(os.sep, "/")
