"""Rewrites programs whose sessions stay: only their input functions change, and the session code is kept.

    --to as-dataset    @queuecompat.input_pipeline on each input function: in a graph it returns tensors, as before
    --to tf-data       each input function returns a dataset, and its callers take its batches from an iterator:
                       images, labels = tf.data.make_one_shot_iterator(inputs(files)).get_next()
                       or, if not all callers are known, takes them from that iterator itself (``iterators``)

Rule 1: only files that could not become eager are handled here; ``together`` decides which these are, and why.
Rule 2: files that import each other change together. They import ``queuecompat.v1``, so that their programs run without
        a command. A file that has only input functions imports ``tensorflow.compat.v1``, which serves eager programs
        too.
Rule 3: a pipeline that cannot change stays on queues, which such a program may use next to datasets; QC715 says why.
Rule 4: an iterator of a graph lives on the CPU of this process, so a program that uses a cluster is refused;
        ``iterators`` says what the iterator may depend on.
Rule 5: an iterator has other ops than a queue, which changes the op seeds that later ops derive from a graph's seed;
        QC747 reports this.

    changes     which input functions change, and how each is written
    callers     for --to tf-data: the calls of such a function, which take its batches from an iterator
    iterators   the iterator, and what stands in its way
    texts       the new text of each file, and what is reported about it
    earlier     what an earlier run left
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Mapping, Sequence, Tuple

import libcst as cst

from queuecompat.migrate.analysis.program import Program
from queuecompat.migrate.rewrite.imports.v1 import v1
from queuecompat.migrate.rewrite.input_functions import first_session, has_decorated, makes_sessions
from queuecompat.migrate.rewrite.kept_sessions.changes import Changes
from queuecompat.migrate.rewrite.kept_sessions.earlier import imports_v1, is_done, makes_datasets, serves_sessions
from queuecompat.migrate.rewrite.kept_sessions.texts import for_eager_programs, new_text
from queuecompat.migrate.rewrite.newer_names import name_by_hand
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, is_of_pipeline, refused
from queuecompat.migrate.rewrite.rewritten import Rewritten, Surroundings
from queuecompat.migrate.source.files import path_from
from queuecompat.migrate.source.parsing import Source

__all__ = ["imports_v1", "is_done", "keeping_sessions", "serves_sessions"]

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
        changes = Changes(program, group, to)
        if _Group(program, changes, decorating).can_change():
            found.update((one, new_text(changes, held, one)) for one in group)
        elif not changes.changed:
            reasons.update(_reasons(program, changes))
    return found, reasons


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


def _reasons(program: Program, changes: Changes) -> Dict[Source, Sequence[UnsupportedPatternError]]:
    """Why no input function of *changes* can change; for a file that has only sessions, what is wrong in an import."""
    found = {one: why for one, why in changes.stays.items() if why}
    of_sessions: Dict[Source, Sequence[UnsupportedPatternError]] = {}
    for source in changes.sources:
        reached = program.reached(source) if source not in found and makes_sessions(source) else ()
        obstacle = next(((one, why) for one in reached for why in found.get(one, ()) if is_of_pipeline(why)), None)
        if obstacle is not None:
            place, file = first_session(source) or source.tree.body[0], path_from(source.file, obstacle[0].file)
            of_sessions[source] = [refused("held-back", place, file=file, reason=obstacle[1].reason)]
    return {**found, **of_sessions}


class _Group:
    """Files that change together."""

    def __init__(self, program: Program, changes: Changes, decorating: Sequence[Source]) -> None:
        self._program, self._changes, self._decorating = program, changes, decorating
        self._sources = changes.sources

    def can_change(self) -> bool:
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
        done = any(map(imports_v1, self._sources)) and any(map(makes_datasets, self._with_neighbours()))
        return not has_eager and (bool(self._changes.changed) or done or self._looks_up())

    def _serves_both(self, source: Source) -> bool:
        """Whether an earlier run decorated *source*, it does not change now, and eager programs may import it."""
        if imports_v1(source) or not has_decorated(source) or self._changes.of_file(source):
            return False
        return for_eager_programs(self._changes, source, source.text, ()) is not None

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
