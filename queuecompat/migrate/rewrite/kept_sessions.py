"""Rewrites programs whose sessions stay: only their input functions change, and the session code is kept.

    --to as-dataset    @queuecompat.input_pipeline on each input function: in a graph it returns tensors, as before
    --to tf-data       each input function returns a dataset, and its callers take its batches from an iterator:
                       images, labels = tf.data.make_one_shot_iterator(inputs(files)).get_next()
                       or, if not all callers are known, takes them from that iterator itself (``graph_iterators``)

Rule 1: only files that could not become eager are handled here; ``together`` decides which these are, and why.
Rule 2: files that import each other change together. They import ``queuecompat.v1``, so that their programs run without
        a command. A file that has only input functions imports ``tensorflow.compat.v1``, which serves eager programs
        too.
Rule 3: a pipeline that cannot change stays on queues, which such a program may use next to datasets; QC715 says why.
Rule 4: an iterator of a graph lives on the CPU of this process, so a program that uses a cluster is refused;
        ``graph_iterators`` says what the iterator may depend on.
Rule 5: an iterator has other ops than a queue, which changes the op seeds that later ops derive from a graph's seed;
        QC747 reports this.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.attributes import is_asked_for
from queuecompat.migrate.analysis.call_graph import callee, callers, calls_of, class_of, definition, reachable
from queuecompat.migrate.analysis.lists import depth_of_lists_in
from queuecompat.migrate.analysis.lookups import is_value, may_look_up
from queuecompat.migrate.analysis.mentions import Mention, mentions
from queuecompat.migrate.analysis.pipelines import is_in_a_pipeline
from queuecompat.migrate.analysis.program import Place, Program
from queuecompat.migrate.analysis.seeds import sets_graph_seed
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.rewrite.as_dataset import Pipeline, Replacements, decorated, eager_text
from queuecompat.migrate.rewrite.graph_iterators import (
    from_iterator,
    is_unpacked,
    may_be_a_list,
    require_no_graph,
    require_no_names,
    require_no_runners,
    require_values,
    require_values_of_all_calls,
)
from queuecompat.migrate.rewrite.imports.eager_imports import imported_too, tensorflow_name
from queuecompat.migrate.rewrite.imports.v1 import v1
from queuecompat.migrate.rewrite.input_functions import (
    batch_functions,
    has_decorated,
    is_decorated,
    is_whole,
    makes_sessions,
    require_no_records_from_caller,
    runs_session,
)
from queuecompat.migrate.rewrite.newer_names import name_by_hand
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS
from queuecompat.migrate.rewrite.pipelines.plain_form import without_unused
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.rewritten import Rewritten, Surroundings
from queuecompat.migrate.rewrite.sessions.batched import require_returned_batches
from queuecompat.migrate.rewrite.sessions.eager import builds_when_imported
from queuecompat.migrate.rewrite.tf_data import as_tf_data, in_plain_form
from queuecompat.migrate.rewrite.unread import unnamed_tensorflow, why_not_rewritten, why_unread
from queuecompat.migrate.source.files import path_from
from queuecompat.migrate.source.nodes import argument, every
from queuecompat.migrate.source.parsing import Source

__all__ = ["is_done", "is_of_graphs", "keeping_sessions", "serves_sessions"]

_OF_QUEUES = {"QC701", "QC702", "QC704", "QC706"}
_CLUSTERS = ("tf.train.ClusterSpec", "tf.train.Server", "tf.train.replica_device_setter")
# Refusals about callers of an input function, or about lines after its batcher, which do not matter if it returns
# tensors as before.
_OUTSIDE_PIPELINES = {
    "graph-part", "in-method", "list-of-batch", "looked-up", "outside-batch", "returned-besides", "summary-of-batch",
    "tensorflow-of-caller", "used-elsewhere",
}  # fmt: skip
_EAGER = {"tf.enable_eager_execution", "tf.enable_v2_behavior"}


def keeping_sessions(
    program: Program, held: Mapping[Source, UnsupportedPatternError], to: str, decorating: Sequence[Source] = ()
) -> Tuple[Dict[Source, Rewritten], Dict[Source, Sequence[UnsupportedPatternError]]]:
    """Rewrites the input functions of those *held* files whose sessions can stay.

    Args:
      held: the TensorFlow 1 files that stay in graph mode, with the reasons.
      decorating: files of input functions only, which are decorated by this rewrite and so return tensors in a graph.

    Returns:
      The new forms of the files that can change; and for each other file where no input function can, why each cannot.
    """
    found: Dict[Source, Rewritten] = {}
    reasons: Dict[Source, Sequence[UnsupportedPatternError]] = {}
    for group in _groups(program, list(held)):
        one = _Group(program, group, held, to, decorating)
        if one.is_possible():
            found.update(one.results())
        else:
            reasons.update(one.reasons())
    return found, reasons


def is_done(program: Program, source: Source) -> bool:
    """Whether *source* has been rewritten like this: it has no queue left, and a file of its program makes datasets."""
    if not is_of_graphs(source) or source.batches_elsewhere:
        return False
    if any(_is_of_queues(use) and not is_in_a_pipeline(source, use.node) for use in source.once(mentions)):
        return False
    return any(_makes_datasets(one) for one in program.sources if one is source or program.are_together(source, one))


def _is_of_queues(use: Mention) -> bool:
    """Whether the name is a part of a pipeline."""
    return use.row.code in _OF_QUEUES and not use.is_beside_pipelines


def serves_sessions(program: Program, source: Source) -> Optional[cst.FunctionDef]:
    """The first decorated function of *source* whose tensors a graph-mode file uses, or None."""
    for function in source.every(cst.FunctionDef):
        if is_decorated(source, function):
            users = [source, *(user for user, _ in program.users(Place(source, function)))]
            if class_of(source, function) is not None:
                users += _may_call(program, source, function.name.value)
            if any(is_of_graphs(one) for one in users):
                return function
    return None


def _may_call(program: Program, source: Source, method: str) -> Iterator[Source]:
    """The files that may call a *method* of a class of *source*: by its name, whatever its object is called."""
    by_itself = method.startswith("__")
    for one in program.importers(source):
        if by_itself or any(part.attr.value == method for part in one.every(cst.Attribute)):
            yield one


def is_of_graphs(source: Source) -> bool:
    """Whether *source* imports ``queuecompat.v1``, which turns TensorFlow 2 behaviour off."""
    nodes = (one for kind in (cst.Attribute, cst.Name) for one in source.every(kind))
    found = (source.names.tensorflow(one) for one in nodes)
    return any(one is not None and one.spelling == "queuecompat" and one.symbol == "tf" for one in found)


def _makes_datasets(source: Source) -> bool:
    return has_decorated(source) or any(
        source.names.symbol(one) == "tf.data.make_one_shot_iterator" for one in source.every(cst.Attribute)
    )


def _groups(program: Program, sources: Sequence[Source]) -> Iterator[List[Source]]:
    """Partitions *sources* into groups of files that belong to a common program."""
    left = list(sources)
    while left:
        group = [left.pop(0)]
        for one in group:
            joined = [other for other in left if program.are_together(one, other)]
            group += joined
            left = [other for other in left if other not in joined]
        yield [one for one in sources if one in group]


@dataclasses.dataclass
class _Changed:
    """An input function that changes.

    Attributes:
      replacements: its new form, and those of helpers that change with it.
      helpers: the names of functions that were inlined into it.
      calls: for each file with an iterator, the calls whose batches it delivers; none if it is inside of the function.
    """

    replacements: Replacements
    helpers: List[str]
    calls: Dict[Source, List[cst.Call]]


class _Group:
    """Files that change together."""

    def __init__(
        self,
        program: Program,
        sources: List[Source],
        held: Mapping[Source, UnsupportedPatternError],
        to: str,
        decorating: Sequence[Source],
    ) -> None:
        self._program, self._sources, self._held, self._to = program, sources, held, to
        self._decorating = decorating
        self._changed: Dict[Place, _Changed] = {}
        self._of_parts: Set[Source] = set()  # files whose input functions are all parts of those of other files
        self._stays: Dict[Source, List[UnsupportedPatternError]] = {one: [] for one in sources}
        for source in sources:
            self._change(source)

    def is_possible(self) -> bool:
        """Whether the change helps and breaks nothing: no TensorFlow 2 program may get to import ``queuecompat.v1``."""
        if any(one in self._program.in_tensorflow_2 and not self._serves_both(one) for one in self._sources):
            return False
        if any(self._program.reexporting(one) - self._program.tf1 for one in self._sources):
            return False
        if any(found.code == "QC741" for one in self._sources for found in v1(one, Surroundings(is_tf1=True)).left):
            return False
        # ``queuecompat.v1`` brings these names back, but files of input functions alone do not import it.
        reached = {other for one in self._sources for other in (one, *self._program.reached(one))}
        if not any(map(makes_sessions, self._sources)) and any(map(name_by_hand, reached)):
            return False
        has_eager = any(
            source.names.symbol(call.func) in _EAGER for source in self._sources for call in source.every(cst.Call)
        )
        # A second run finds the files next to these already done.
        done = any(map(is_of_graphs, self._sources)) and any(map(_makes_datasets, self._with_neighbours()))
        return not has_eager and (bool(self._changed) or done or self._looks_up())

    def _serves_both(self, source: Source) -> bool:
        """Whether an earlier run decorated *source*, it does not change now, and eager programs may import it."""
        if is_of_graphs(source) or not has_decorated(source) or any(one.source is source for one in self._changed):
            return False
        return self._for_eager_programs(source, source.text, ()) is not None

    def _looks_up(self) -> bool:
        """Whether sessions may get batches from decorated functions of other files."""
        if not any(map(makes_sessions, self._sources)):
            return False
        return any(other in self._decorating for one in self._sources for other in self._program.reached(one))

    def _with_neighbours(self) -> Iterator[Source]:
        """The files, the files that one of them imports, and the files that import one of these."""
        for own in self._sources:
            for one in (own, *self._program.reached(own)):
                yield from (one, *self._program.importers(one))

    def results(self) -> Dict[Source, Rewritten]:
        return {one: self._result(one) for one in self._sources}

    def reasons(self) -> Dict[Source, Sequence[UnsupportedPatternError]]:
        """Why each input function stays unchanged, if all of them do."""
        return {} if self._changed else {one: found for one, found in self._stays.items() if found}

    # Which functions change.

    def _change(self, source: Source) -> None:
        """Decides on the input functions of a file, outermost first."""
        inside: Set[cst.CSTNode] = set()
        stays: Dict[cst.FunctionDef, UnsupportedPatternError] = {}
        for function in self._candidates(source):
            if function in inside and self._is_called_only_in(inside, source, function):
                continue
            try:
                self._changed[Place(source, function)] = self._new(source, function)
            except UnsupportedPatternError as problem:
                # The refused node may be in a copy of the file.
                place = problem.node if problem.node in source.parents else function
                stays[function] = problem.at(place)
                continue
            inside.add(function)
            inside.update(one for call in calls_of(source, function) if (one := callee(source, call)) is not None)
        self._stays[source] += [found for one, found in stays.items() if self._has_left(source, one)]

    def _is_called_only_in(self, functions: Set[cst.CSTNode], source: Source, function: cst.FunctionDef) -> bool:
        """Whether each use of *function* is a call in one of *functions*."""
        if self._program.users(Place(source, function)):
            return False
        return all(source.around(call, cst.FunctionDef) in functions for call in callers(source, function))

    def _has_left(self, source: Source, function: cst.FunctionDef) -> bool:
        """Whether *function* reaches a batcher without going through a function that changes."""
        changed = {one.node for one in self._changed if one.source is source}
        reached = reachable(source, function, calls=lambda one: () if one in changed else source.every(cst.Call, one))
        own = [call for one in reached if one not in changed for call in source.every(cst.Call, one)]
        serves = any(callee(source, call) in changed for call in own)
        return not serves or any(source.names.symbol(call.func) in BATCHERS for call in own)

    def _candidates(self, source: Source) -> List[cst.FunctionDef]:
        """The functions that return batches, outermost first: a callee comes after its callers."""
        found = [one for one in batch_functions(source) if not is_decorated(source, one)]
        found = [one for one in found if class_of(source, one) in (None, *source.tree.body)]
        found = [one for one in found if not any(around in found for around in _functions_around(source, one))]
        found = [one for one in found if not runs_session(source, one.body.body) and one.name.value != "__init__"]
        called = {one: {callee(source, call) for call in calls_of(source, one)} for one in found}
        outer = [one for one in found if not any(one in called[other] for other in found if other is not one)]
        if self._to == "as-dataset":
            parts = [one for one in outer if self._is_part(source, one)]
            if parts and parts == outer:
                self._of_parts.add(source)
            return [one for one in outer if one not in parts]
        in_order = [*outer, *(one for one in found if one not in outer)]
        return [one for one in in_order if _has_batcher(source, one)]

    def _is_part(self, source: Source, function: cst.FunctionDef) -> bool:
        """Whether it is called only by input functions of other files."""
        users = self._program.users(Place(source, function))
        arounds = [(user, user.around(use.node, cst.FunctionDef)) for user, use in users]
        return bool(arounds) and all(one is not None and one in batch_functions(user) for user, one in arounds)

    def _new(self, source: Source, function: cst.FunctionDef) -> _Changed:
        tensorflow = tensorflow_name(source)
        if tensorflow is None and (self._to != "as-dataset" or why_unread(source) is not None):
            raise unnamed_tensorflow(source, function)
        pipeline = Pipeline(function, function.name.value, list(function.body.body))  # type: ignore[arg-type]
        require_no_records_from_caller(source, function)
        self._require_whole_parts(source, function)
        if class_of(source, function) is not None and not is_whole(source, function, is_eager=False):
            raise refused("in-method", function, call=function.name.value, name=_class_name(source, function))
        if self._to == "as-dataset":
            replacements = decorated(source, pipeline, tensorflow or "")
            require_returned_batches(source, function)
            return _Changed(replacements, [], {})
        try:
            return self._with_callers(source, pipeline, tensorflow or "")
        except UnsupportedPatternError as problem:
            if problem.row.key not in _OUTSIDE_PIPELINES:
                raise
            try:
                return self._with_iterator(source, dataclasses.replace(pipeline, in_graph=True), tensorflow or "")
            except UnsupportedPatternError as other:
                raise (other if other.row.key == "graph-argument" else problem) from None

    def _with_callers(self, source: Source, pipeline: Pipeline, tensorflow: str) -> _Changed:
        """The function as one that returns a dataset, from which its callers make iterators."""
        function: Any = pipeline.function
        changed = self._translated(source, pipeline, tensorflow)
        require_returned_batches(source, function)
        require_no_graph(source, function)
        self._require_of_iterator(source, function)
        return dataclasses.replace(changed, calls=self._iterated(source, function))

    def _with_iterator(self, source: Source, pipeline: Pipeline, tensorflow: str) -> _Changed:
        """The function with an iterator inside, so that it returns tensors as before."""
        function: Any = pipeline.function
        changed = self._translated(source, pipeline, tensorflow)
        copy = source.again(source.replaced({function: changed.replacements[function]}))
        place = list(source.every(cst.FunctionDef)).index(function)
        require_no_graph(copy, list(copy.every(cst.FunctionDef))[place])
        self._require_of_iterator(source, function)
        require_values_of_all_calls(self._sources, function)
        return changed

    def _translated(self, source: Source, pipeline: Pipeline, tensorflow: str) -> _Changed:
        """The pipeline in tf.data, with helpers that it alone uses."""
        helpers: List[str] = []
        replacements = as_tf_data(helpers, source, pipeline, tensorflow)
        function: Any = pipeline.function
        try:
            self._require_unshared_helpers(source, function, replacements)
        except UnsupportedPatternError:
            plain = in_plain_form(helpers, source, pipeline, tensorflow)
            if plain is None:
                raise
            replacements = plain
            self._require_unshared_helpers(source, function, replacements)
        return _Changed(replacements, helpers, {source: []})

    def _require_of_iterator(self, source: Source, function: cst.FunctionDef) -> None:
        require_no_names(self._sources, source, function)
        require_no_runners(self._sources, function)
        self._require_this_machine(function)

    def _require_whole_parts(self, source: Source, function: cst.FunctionDef) -> None:
        """Requires that functions of other files that supply its batches return only these, and read the records."""
        inside = set(every(function, cst.CSTNode))  # type: ignore[type-abstract]
        places = [use.place for use in self._program.uses(source) if use.node in inside]
        for user, part in places:
            if not isinstance(part, cst.FunctionDef) or is_decorated(user, part) or part not in batch_functions(user):
                continue
            try:
                require_no_records_from_caller(user, part)
                require_returned_batches(user, part)
            except UnsupportedPatternError as problem:
                raise problem.at(function) from None

    def _require_this_machine(self, function: cst.FunctionDef) -> None:
        """Refuses programs that choose a device on which the ops of a dataset might be missing."""
        for source in self._sources:
            for call in source.every(cst.Call):
                symbol = source.names.symbol(call.func)
                written = source.code(call.args[0].value).lower() if call.args else ""
                if symbol.startswith(_CLUSTERS) or (symbol == "tf.device" and "cpu" not in written):
                    raise refused("device-of-iterator", function, call=source.code(call))

    def _require_unshared_helpers(self, source: Source, function: cst.FunctionDef, replacements: Replacements) -> None:
        """Requires that the helpers that change with *function* are used by it alone."""
        for helper in replacements:
            if helper is None or helper is function:
                continue
            for call in callers(source, helper):
                if source.around(call, cst.FunctionDef) not in replacements:
                    raise refused("called-elsewhere", call, call=source.code(call.func))
            if self._program.users(Place(source, helper)):
                raise refused("called-elsewhere", helper, call=helper.name.value)  # type: ignore[attr-defined]

    # Their callers, for --to tf-data.

    def _iterated(self, source: Source, function: cst.FunctionDef) -> Dict[Source, List[cst.Call]]:
        """The calls of *function* whose batches an iterator will deliver."""
        found: Dict[Source, List[cst.Call]] = {}
        for user, node in self._uses(source, function):
            call = user.parents.get(node)
            if user not in self._sources or not isinstance(call, cst.Call) or call.func is not node:
                file = path_from(source.file, user.file)
                raise refused("used-elsewhere", function, function=function.name.value, file=file)
            if tensorflow_name(user) is None:
                file = path_from(source.file, user.file)
                raise refused("tensorflow-of-caller", function, function=function.name.value, file=file)
            require_values(user, call, function)
            if not is_unpacked(user, call) and may_be_a_list(source, function):
                raise refused("list-of-batch", function, call=user.code(call.func))
            if not is_unpacked(user, call) and depth_of_lists_in(source, function, None):
                raise refused("list-in-batch", function, name=user.code(call.func))
            found.setdefault(user, []).append(call)
        return found

    def _uses(self, source: Source, function: cst.FunctionDef) -> Iterator[Tuple[Source, cst.CSTNode]]:
        """Each place where the program names *function*."""
        name = function.name.value
        if class_of(source, function) is not None:
            yield from self._uses_of_method(source, function)
            return
        if is_value(source, function) or any(may_look_up(other, name) for other in self._program.sources):
            raise refused("looked-up", function, function=name)
        own = set(every(function, cst.Name))
        for one in source.every(cst.Name):
            if one.value == name and one not in own and definition(source, one) is function:
                yield source, one
        for user, use in self._program.users(Place(source, function)):
            yield user, use.node

    def _uses_of_method(self, source: Source, function: cst.FunctionDef) -> Iterator[Tuple[Source, cst.CSTNode]]:
        name = function.name.value
        elsewhere = {use.node for _, use in self._program.users(Place(source, function))}
        for user in self._program.sources:
            # Methods that Python calls implicitly, as in ``Pipeline(files)()``, are not named where they are called.
            is_known = not name.startswith("__") and not is_asked_for(user, name)
            named = [one for one in user.every(cst.Attribute) if one.attr.value == name]
            for attribute in [one for one in named if one in elsewhere or self._may_be_method(user, one)]:
                call = user.parents.get(attribute)
                is_call = isinstance(call, cst.Call) and call.func is attribute
                is_own = user is source and is_call and callee(source, call) is function  # type: ignore[arg-type]
                is_known = is_known and is_call and (is_own or attribute in elsewhere)
                if is_known:
                    yield user, attribute
            if not is_known:
                raise refused("in-method", function, call=name, name=_class_name(source, function))

    def _may_be_method(self, user: Source, node: cst.Attribute) -> bool:
        """Whether *node*, which is not known to be a certain method, may be one of the program."""
        return user.names.full(node) is None or self._program.is_unknown_member(user, node)

    # The new texts.

    def _result(self, source: Source) -> Rewritten:
        changed = {place: one for place, one in self._changed.items() if place.source is source}
        new: Dict[cst.CSTNode, Any] = {}
        for one in changed.values():
            new.update((old, made) for old, made in one.replacements.items() if old is not None)
        for one in self._changed.values():
            new.update((call, from_iterator(source, call)) for call in one.calls.get(source, ()))
        text = source.replaced(new) if new else source.text
        helpers = [name for one in changed.values() for name in one.helpers]
        if helpers:
            text = without_unused(source.again(text), helpers)
        modules = ["queuecompat"] if changed and self._to == "as-dataset" else []
        datasets = frozenset(place.node for place in changed)
        is_new = bool(changed) or source in self._of_parts
        if is_new or (not is_of_graphs(source) and has_decorated(source)):
            eager = self._for_eager_programs(source, text, modules)
            if eager is not None:
                return Rewritten(eager, datasets=datasets)
        with_modules = source.again(text)
        text = with_modules.with_tree(imported_too(with_modules.tree, modules))
        stays = [source.found("QC715", one.node, reason=one.reason) for one in self._stays[source]]
        # What two pipelines share stands in the way of both.
        findings = list(
            dict.fromkeys([*self._remaining_sessions(source), *stays, *self._overlooked(source), *self._seeds(source)])
        )
        return Rewritten(v1(source.again(text), Surroundings(is_tf1=True)).text, findings, datasets=datasets)

    def _overlooked(self, source: Source) -> Iterator[Finding]:
        """Reports the first part of a pipeline outside functions, and batchers in functions that return no batch.

        Other parts of pipelines in functions may belong to pipelines that change.
        """
        done: Set[Optional[cst.CSTNode]] = set().union(*(one.replacements for one in self._changed.values()))
        done.update(one for one in batch_functions(source) if not runs_session(source, one.body.body))
        for use in source.once(mentions):
            inner = (cst.ClassDef, cst.FunctionDef, cst.Import, cst.ImportFrom)
            around = source.around(use.node, inner)
            if not _is_of_queues(use) or is_in_a_pipeline(source, use.node):
                continue
            if around in done or any(one in done for one in _functions_around(source, use.node)):
                continue
            if around is None or source.names.symbol(use.node) in BATCHERS:
                done.add(around)
                yield source.found("QC715", use.node, reason=why_not_rewritten(source, use).reason)

    def _seeds(self, source: Source) -> Iterator[Finding]:
        """Reports where the seed of a graph is set if that graph now has an iterator."""
        calls = list(source.every(cst.Call))
        seeding = [one for one in calls if sets_graph_seed(source, one) or argument(one, "tf_random_seed") is not None]
        near = {source, *self._program.reached(source), *self._program.importers(source)} if seeding else set()
        if any(near & one.calls.keys() for one in self._changed.values()):
            for call in seeding:
                yield source.found("QC747", call, call=source.code(call.func))

    def _remaining_sessions(self, source: Source) -> List[Finding]:
        """Reports where a session stays, and why."""
        refusal = self._held.get(source)
        if refusal is None or not makes_sessions(source):
            return []
        return [source.found("QC714", one.node, reason=one.reason) for one in (refusal, *refusal.others)]

    def _for_eager_programs(self, source: Source, text: str, modules: Sequence[str]) -> Optional[str]:
        """*text* with imports that also serve eager programs; None if its top-level code needs graph mode."""
        if makes_sessions(source):
            return None
        if builds_when_imported(source):
            return None
        try:
            eager = eager_text(source, source.again(text).tree, modules)
        except UnsupportedPatternError:
            return None
        is_done = source in self._of_parts or why_unread(source.again(eager)) is None
        return eager if is_done else None


def _functions_around(source: Source, node: cst.CSTNode) -> Iterator[cst.FunctionDef]:
    """The functions in which *node* is nested."""
    around = source.around(node, cst.FunctionDef)
    while around is not None:
        yield around
        around = source.around(around, cst.FunctionDef)


def _has_batcher(source: Source, function: cst.FunctionDef) -> bool:
    """Whether *function*, or code of this file that it calls, has a batcher; else its batches come from other files."""
    return any(source.names.symbol(call.func) in BATCHERS for call in calls_of(source, function))


def _class_name(source: Source, function: cst.FunctionDef) -> str:
    kind = class_of(source, function)
    return "" if kind is None else kind.name.value
