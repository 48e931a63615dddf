"""Decides which input functions of a program that keeps its sessions change, and how each is written."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Mapping, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import (
    callee,
    callers,
    calls_of,
    class_of,
    functions_around,
    reachable,
)
from queuecompat.migrate.analysis.program import Place, Program
from queuecompat.migrate.rewrite.as_dataset import Pipeline, Replacements, decorated
from queuecompat.migrate.rewrite.imports.eager_imports import tensorflow_name
from queuecompat.migrate.rewrite.input_functions import (
    batch_functions,
    is_decorated,
    is_whole,
    require_no_records_from_caller,
    runs_session,
)
from queuecompat.migrate.rewrite.kept_sessions.callers import iterated_calls
from queuecompat.migrate.rewrite.kept_sessions.iterators import (
    require_no_graph,
    require_no_names,
    require_no_runners,
    require_values_of_all_calls,
)
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.sessions.batched import require_returned_batches
from queuecompat.migrate.rewrite.tf_data import as_tf_data, in_plain_form
from queuecompat.migrate.rewrite.unread import unnamed_tensorflow, why_unread
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["Changed", "Changes"]

_CLUSTERS = ("tf.train.ClusterSpec", "tf.train.Server", "tf.train.replica_device_setter")
# Refusals about callers of an input function, or about lines after its batcher, which do not matter if it returns
# tensors as before.
_OUTSIDE_PIPELINES = {
    "graph-part", "in-method", "list-of-batch", "looked-up", "outside-batch", "returned-besides", "summary-of-batch",
    "tensorflow-of-caller", "used-elsewhere",
}  # fmt: skip


@dataclasses.dataclass
class Changed:
    """An input function that changes.

    Attributes:
      replacements: its new form, and those of helpers that change with it.
      helpers: the names of functions that were inlined into it.
      calls: for each file with an iterator, the calls whose batches it delivers; none if it is inside of the function.
    """

    replacements: Replacements
    helpers: List[str]
    calls: Mapping[Source, Sequence[cst.Call]]


class Changes:
    """The input functions of files that change together.

    Attributes:
      sources: the files.
      to: the target.
      changed: the functions that change.
      stays: for each file, why other input functions stay unchanged.
      parts: the files whose input functions are all parts of those of other files.
    """

    def __init__(self, program: Program, sources: Sequence[Source], to: str) -> None:
        self.program, self.sources, self.to = program, sources, to
        self.changed: Dict[Place, Changed] = {}
        self.parts: Set[Source] = set()
        self.stays: Dict[Source, List[UnsupportedPatternError]] = {one: [] for one in sources}
        for source in sources:
            self._change(source)

    def of_file(self, source: Source) -> Dict[Place, Changed]:
        """The functions of *source* that change."""
        return {place: one for place, one in self.changed.items() if place.source is source}

    # Which functions change.

    def _change(self, source: Source) -> None:
        """Decides on the input functions of a file, outermost first."""
        inside: Set[cst.CSTNode] = set()
        stays: Dict[cst.FunctionDef, UnsupportedPatternError] = {}
        for function in self._candidates(source):
            if function in inside and self._is_called_only_in(inside, source, function):
                continue
            try:
                self.changed[Place(source, function)] = self._new(source, function)
            except UnsupportedPatternError as problem:
                # The refused node may be in a copy of the file.
                place = problem.node if problem.node in source.parents else function
                stays[function] = problem.at(place)
                continue
            inside.add(function)
            inside.update(one for call in calls_of(source, function) if (one := callee(source, call)) is not None)
        self.stays[source] += [found for one, found in stays.items() if self._has_left(source, one)]

    def _is_called_only_in(self, functions: Set[cst.CSTNode], source: Source, function: cst.FunctionDef) -> bool:
        """Whether each use of *function* is a call in one of *functions*."""
        if self.program.users(Place(source, function)):
            return False
        return all(source.around(call, cst.FunctionDef) in functions for call in callers(source, function))

    def _has_left(self, source: Source, function: cst.FunctionDef) -> bool:
        """Whether *function* reaches a batcher without going through a function that changes."""
        changed = {one.node for one in self.of_file(source)}
        reached = reachable(source, function, calls=lambda one: () if one in changed else source.every(cst.Call, one))
        own = [call for one in reached if one not in changed for call in source.every(cst.Call, one)]
        serves = any(callee(source, call) in changed for call in own)
        return not serves or any(source.names.symbol(call.func) in BATCHERS for call in own)

    def _candidates(self, source: Source) -> List[cst.FunctionDef]:
        """The functions that return batches, outermost first: a callee comes after its callers."""
        found = [one for one in batch_functions(source) if not is_decorated(source, one)]
        found = [one for one in found if class_of(source, one) in (None, *source.tree.body)]
        found = [one for one in found if not any(around in found for around in functions_around(source, one))]
        found = [one for one in found if not runs_session(source, one.body.body) and one.name.value != "__init__"]
        called = {one: {callee(source, call) for call in calls_of(source, one)} for one in found}
        outer = [one for one in found if not any(one in called[other] for other in found if other is not one)]
        if self.to == "as-dataset":
            parts = [one for one in outer if self._is_part(source, one)]
            if parts and parts == outer:
                self.parts.add(source)
            return [one for one in outer if one not in parts]
        in_order = [*outer, *(one for one in found if one not in outer)]
        return [one for one in in_order if _has_batcher(source, one)]

    def _is_part(self, source: Source, function: cst.FunctionDef) -> bool:
        """Whether it is called only by input functions of other files."""
        users = self.program.users(Place(source, function))
        arounds = [(user, user.around(use.node, cst.FunctionDef)) for user, use in users]
        return bool(arounds) and all(one is not None and one in batch_functions(user) for user, one in arounds)

    # How each is written.

    def _new(self, source: Source, function: cst.FunctionDef) -> Changed:
        tensorflow = tensorflow_name(source)
        if tensorflow is None and (self.to != "as-dataset" or why_unread(source) is not None):
            raise unnamed_tensorflow(source, function)
        pipeline = Pipeline(function, function.name.value, list(function.body.body))  # type: ignore[arg-type]
        require_no_records_from_caller(source, function)
        self._require_whole_parts(source, function)
        kind = class_of(source, function)
        if kind is not None and not is_whole(source, function, is_eager=False):
            raise refused("in-method", function, call=function.name.value, name=kind.name.value)
        if self.to == "as-dataset":
            replacements = decorated(source, pipeline, tensorflow or "")
            require_returned_batches(source, function)
            return Changed(replacements, [], {})
        try:
            return self._with_callers(source, pipeline, tensorflow or "")
        except UnsupportedPatternError as problem:
            if problem.row.key not in _OUTSIDE_PIPELINES:
                raise
            try:
                return self._with_iterator(source, dataclasses.replace(pipeline, in_graph=True), tensorflow or "")
            except UnsupportedPatternError as other:
                raise (other if other.row.key == "graph-argument" else problem) from None

    def _with_callers(self, source: Source, pipeline: Pipeline, tensorflow: str) -> Changed:
        """The function as one that returns a dataset, from which its callers make iterators."""
        function: Any = pipeline.function
        changed = self._translated(source, pipeline, tensorflow)
        require_returned_batches(source, function)
        require_no_graph(source, function)
        self._require_of_iterator(source, function)
        return dataclasses.replace(changed, calls=iterated_calls(self.program, self.sources, source, function))

    def _with_iterator(self, source: Source, pipeline: Pipeline, tensorflow: str) -> Changed:
        """The function with an iterator inside, so that it returns tensors as before."""
        function: Any = pipeline.function
        changed = self._translated(source, pipeline, tensorflow)
        copy = source.again(source.replaced({function: changed.replacements[function]}))
        place = list(source.every(cst.FunctionDef)).index(function)
        require_no_graph(copy, list(copy.every(cst.FunctionDef))[place])
        self._require_of_iterator(source, function)
        require_values_of_all_calls(self.sources, function)
        return changed

    def _translated(self, source: Source, pipeline: Pipeline, tensorflow: str) -> Changed:
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
        return Changed(replacements, helpers, {source: []})

    def _require_of_iterator(self, source: Source, function: cst.FunctionDef) -> None:
        require_no_names(self.sources, source, function)
        require_no_runners(self.sources, function)
        self._require_this_machine(function)

    def _require_whole_parts(self, source: Source, function: cst.FunctionDef) -> None:
        """Requires that functions of other files that supply its batches return only these, and read the records."""
        inside = set(every(function, cst.CSTNode))  # type: ignore[type-abstract]
        places = [use.place for use in self.program.uses(source) if use.node in inside]
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
        for source in self.sources:
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
            if self.program.users(Place(source, helper)):
                raise refused("called-elsewhere", helper, call=helper.name.value)  # type: ignore[attr-defined]


def _has_batcher(source: Source, function: cst.FunctionDef) -> bool:
    """Whether *function*, or code of this file that it calls, has a batcher; else its batches come from other files."""
    return any(source.names.symbol(call.func) in BATCHERS for call in calls_of(source, function))
