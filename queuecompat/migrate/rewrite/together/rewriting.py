"""Rewrites a program file by file, then takes back the rewrites that do not fit together."""

from __future__ import annotations

import dataclasses
import functools
from typing import AbstractSet, Dict, FrozenSet, List, Mapping, Optional, Sequence

import libcst as cst

from queuecompat.migrate.analysis.call_graph import class_of
from queuecompat.migrate.analysis.lookups import is_value, may_look_up
from queuecompat.migrate.analysis.pipelines import INPUT_PIPELINE, pipelines
from queuecompat.migrate.analysis.program import Place, Program
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.rewrite.as_dataset import has_pipelines, with_eager_imports
from queuecompat.migrate.rewrite.imports.eager_imports import reexported_tensorflow
from queuecompat.migrate.rewrite.imports.v1 import v1
from queuecompat.migrate.rewrite.input_functions import first_session, has_decorated, is_decorated, makes_sessions
from queuecompat.migrate.rewrite.kept_sessions import imports_v1, is_done, keeping_sessions, serves_sessions
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, is_of_pipeline, refused
from queuecompat.migrate.rewrite.rewritten import Rewritten, Surroundings
from queuecompat.migrate.rewrite.targets import TARGETS
from queuecompat.migrate.rewrite.todo_comments import commented
from queuecompat.migrate.rewrite.together.elsewhere import set_facts
from queuecompat.migrate.rewrite.together.holds import Holds, is_in_batches
from queuecompat.migrate.rewrite.unread import unnamed_tensorflow, why_unread
from queuecompat.migrate.source.files import path_from
from queuecompat.migrate.source.names import meaning
from queuecompat.migrate.source.parsing import Source

__all__ = ["CODES", "Rewriting", "in_old_text"]

CODES = {"as-dataset": "QC743", "tf-data": "QC744"}

# Refusals about the code that runs a pipeline, not about how the pipeline is built.
_OF_RUNS = {"graph-name", "graph-op", "session-argument", "session-passed", "session-use", "supervisor"}


class Rewriting:
    """One attempt to rewrite the files of *program* for the target *to*.

    Args:
      across: notebooks in which the rewrite would move code from one cell to another.

    Attributes:
      results: the result for each file.
    """

    def __init__(self, program: Program, to: str, across: AbstractSet[Source]) -> None:
        self._program, self._to, self._across = program, to, across
        self._batches = set_facts(program)
        self.results = {one: self._alone(one) for one in program.sources}
        self._holds = Holds(program, to, self._candidates, self.results, self._batches)
        for source, text in self._holds.imported_eagerly():
            self.results[source] = dataclasses.replace(self.results[source], text=text)
        in_graphs = self._in_graphs()
        kept, reasons = keeping_sessions(program, in_graphs, to, self._decorating() if to == "as-dataset" else ())
        for source in self._holds:
            self.results[source] = self._comment(source)
        for source, found in reasons.items():
            if makes_sessions(source) and not is_of_pipeline(in_graphs[source]):  # else it has been reported already
                said = {one.reason for one in found}
                others = [one for one in (in_graphs[source], *in_graphs[source].others) if one.reason not in said]
                all_of_them = UnsupportedPatternError.of_all([*found, *others])
                self.results[source] = commented(source, CODES[to], all_of_them)
        self.results.update(kept)
        for source in self._candidates:
            if source not in kept and not self._is_part(source):
                self._comment_on_unhandled(source)

    @functools.cached_property
    def _candidates(self) -> List[Source]:
        """The files that are TensorFlow 1 code, and those with input functions that are already decorated."""
        return [one for one in self._program.sources if one in self._program.tf1 or has_pipelines(one)]

    def _alone(self, source: Source) -> Rewritten:
        if source in self._across:
            refusal = refused("across-cells", source.tree.body[0])
            return Rewritten(source.text, [source.found("QC745", refusal.node)], refusal=refusal)
        shared = serves_sessions(self._program, source) if self._to == "tf-data" else None
        if shared is not None:
            found = refused("serves-sessions", shared, function=shared.name.value)
            return Rewritten(source.text, [source.found("QC715", shared, reason=found.reason)])
        if source not in self._candidates or is_done(self._program, source):
            return Rewritten(source.text)
        if self._has_name_of_tensorflow_2(source):
            refusal = unnamed_tensorflow(source, source.tree.body[0])
            return commented(source, CODES[self._to], refusal)
        users = {one: self._program.users(Place(source, one)) for one in self._batches[source]}
        outer = frozenset(one for one in users if users[one])
        inner = frozenset(one for one in outer if all(is_in_batches(self._batches, *user) for user in users[one]))
        result = TARGETS[self._to](source, Surroundings(True, inner, outer, self._looked_up(source)))
        return Rewritten(source.text) if result.only_imports else result

    def _has_name_of_tensorflow_2(self, source: Source) -> bool:
        """Whether *source* gets its name for TensorFlow from a file that keeps importing TensorFlow 2's."""
        brought = reexported_tensorflow(source)
        found = None if brought is None else meaning(brought.full)
        if brought is None or found is None or found.spelling == "compat":
            return False
        return all(one.file != brought.file for one in self._program.tf1)

    def _looked_up(self, source: Source) -> FrozenSet[cst.CSTNode]:
        """The functions of *source* that return batches, and that a session may reach without a call of their name."""
        if not self._has_sessions:
            return frozenset()
        functions = [
            *self._batches[source],
            *(one for one in source.every(cst.FunctionDef) if is_decorated(source, one)),
        ]
        return frozenset(one for one in functions if is_value(source, one) or self._may_be_looked_up(source, one))

    def _may_be_looked_up(self, source: Source, function: cst.FunctionDef) -> bool:
        is_method = class_of(source, function) is not None
        known = {use.node for _, use in self._program.users(Place(source, function))} if is_method else set()
        return any(may_look_up(other, function.name.value, known) for other in self._program.sources)

    @functools.cached_property
    def _has_sessions(self) -> bool:
        return any(map(makes_sessions, self._program.sources))

    def _in_graphs(self) -> Dict[Source, UnsupportedPatternError]:
        """The files that stay in graph mode, and why: held-back files, and unchanged files in a program with one."""
        found = {one: self._holds.reason(one) for one in self._holds}
        for source in self._candidates:
            refusal = self.results[source].refusal
            if refusal is not None and source not in found:
                found[source] = refusal
        before = -1
        while before != len(found):
            before = len(found)
            for source in self._candidates:
                is_same = source not in found and self.results[source].text == source.text
                is_same = is_same and not self._is_done_part(source) and not self._holds.serves_eager_programs(source)
                near = [one for one in found if is_same and self._program.are_together(source, one)]
                uses_parts = is_same and makes_sessions(source) and self._uses_parts(source)
                stays = near or uses_parts
                if stays and not any(one.code == "QC741" for one in v1(source, Surroundings(is_tf1=True)).left):
                    found[source] = self._because_near(source, near, found)
        return found

    def _uses_parts(self, source: Source) -> bool:
        """Whether *source* has a pipeline of its own and imports files that this rewrite decorates."""
        rewritten = self._decorating() if self._to == "as-dataset" and has_pipelines(source) else ()
        return any(one in rewritten for one in self._program.reached(source))

    def _is_done_part(self, source: Source) -> bool:
        """Whether an earlier run wrote the eager imports of *source* that decorated functions of other files need."""
        if imports_v1(source) or makes_sessions(source) or has_decorated(source):
            return False
        if not any(has_decorated(one) and not imports_v1(one) for one in self._program.importers(source)):
            return False
        try:
            return with_eager_imports(source) == source.text
        except UnsupportedPatternError:
            return False

    def _because_near(
        self, source: Source, near: Sequence[Source], found: Mapping[Source, UnsupportedPatternError]
    ) -> UnsupportedPatternError:
        """Why *source* stays in graph mode, given that its program includes the files *near*."""
        place = first_session(source) or source.tree.body[0]
        if makes_sessions(source) and not has_pipelines(source):
            return refused("no-queues", place)
        unread = None if near else why_unread(source)
        if unread is not None:
            return unread
        other = next((one for one in near if one not in self._holds), near[0])
        return refused("held-back", place, file=path_from(source.file, other.file), reason=found[other].reason)

    def _decorating(self) -> List[Source]:
        """The rewritten files that run no session: those with input functions, and those of their parts."""
        found = [one for one in self._candidates if one not in self._holds and self.results[one].text != one.text]
        return [one for one in found if self.results[one].refusal is None and not makes_sessions(one)]

    def _comment_on_unhandled(self, source: Source) -> None:
        """Adds a comment on a pipeline that the rewrite did not handle."""
        result = self.results[source]
        if result.refusal is not None:
            return
        is_new = result.text != source.text
        new = source.again(result.text) if is_new else source
        refusal = why_unread(new)
        if refusal is not None:
            refusal = self._because_of_user(source, refusal)
            said = commented(new, CODES[self._to], refusal)
            left = [*result.left, *(in_old_text(source, new, one) for one in said.left)]
            self.results[source] = dataclasses.replace(result if is_new else said, text=said.text, left=left)

    def _because_of_user(self, source: Source, refusal: UnsupportedPatternError) -> UnsupportedPatternError:
        """The obstacle in a file that runs the session, if it is what keeps a class of *source* from being a part.

        ``--to as-dataset`` handles classes whose objects build a pipeline, but only together with the code around.
        """
        if self._to == "as-dataset" and refusal.row.key == "in-method":
            for user in self._program.importers(source):
                other = self.results[user].refusal
                if other is not None and other.row.key in _OF_RUNS:
                    file = path_from(source.file, user.file)
                    return refused("held-back", refusal.node, file=file, reason=other.reason)
        return refusal

    def _is_part(self, source: Source) -> bool:
        """Whether *source* only supplies parts to input functions: it has none, but a file that imports it has."""
        if self._has_input_functions(source):
            return False
        return any(source in self._program.reached(one) for one in self._candidates if self._has_input_functions(one))

    def _has_input_functions(self, source: Source) -> bool:
        """Whether *source*, or its new text, has input functions (the new text also has those made from loops)."""
        result = self.results[source]
        if source.once(pipelines) or result.datasets:
            return True
        return result.text != source.text and f"@{INPUT_PIPELINE}" in result.text

    def _comment(self, source: Source) -> Rewritten:
        if not has_pipelines(source):
            return Rewritten(source.text)
        return commented(source, CODES[self._to], self._holds.reason(source))


def in_old_text(source: Source, new: Source, found: Finding) -> Finding:
    """Moves a finding from the *new* text of *source* to the same line of the old text, or the nearest one after it."""
    lines = [line.strip() for line in source.text.split("\n")]
    written = [line.strip() for line in new.text.split("\n")[found.line - 1 :]]
    places = (_old_place(lines, line) for line in written if line)
    place = next((one for one in places if one is not None), 0)
    return dataclasses.replace(found, line=place + 1)


def _old_place(lines: Sequence[str], written: str) -> Optional[int]:
    """The index in *lines* of the line *written*, or of the assignment that became this line of a new function."""
    if written in lines:
        return lines.index(written)
    target, _, _ = written.partition(" = ")
    returned = written[len("return") :] if written.startswith("return ") else None
    for place, line in enumerate(lines):
        if line.startswith(f"{target} = ") or (returned is not None and line.endswith(f" ={returned}")):
            return place
    return None
