"""Rewrites all files of a program together: whether a file can be rewritten also depends on the files that use it.

Rule 1: a function becomes one that returns a dataset only if each use of it in another file is rewritten too, or is in
        a function that is a pipeline itself.
Rule 2: a file becomes eager only if no TensorFlow 1 file that it imports stays in graph mode, no file that stays in
        graph mode calls a function of it that ran a session, and no program that calls such a function has such files.
Rule 3: a file that is held back by another file keeps its text, except for one comment that names the other file and
        the reason.
Rule 4: a file that is held back keeps its sessions, but still gets new input functions where that is possible
        (``kept_sessions``).
Rule 5: files that are not TensorFlow 1 code are not changed.

    elsewhere    tells each file the facts about the other files
    rewriting    rewrites each file by itself, then undoes the rewrites that do not fit together
    holds        why a file is held back
    graphs       whether a function's graph may include what functions of other files add to it
    running      which statements of one file may be run by other files
"""

from __future__ import annotations

import dataclasses
from typing import AbstractSet, Callable, Dict, Iterator, Mapping, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.program import Program
from queuecompat.migrate.rewrite.begun_in_init import with_whole_methods
from queuecompat.migrate.rewrite.imports.v1 import v1
from queuecompat.migrate.rewrite.main_function import with_main_function
from queuecompat.migrate.rewrite.moved_functions import moves
from queuecompat.migrate.rewrite.newer_names import named_as_today
from queuecompat.migrate.rewrite.own_names import with_own_names
from queuecompat.migrate.rewrite.rewritten import Rewritten, Surroundings
from queuecompat.migrate.rewrite.together.elsewhere import set_facts
from queuecompat.migrate.rewrite.together.rewriting import CODES, Rewriting, in_old_text
from queuecompat.migrate.rewrite.within_others import with_own_functions
from queuecompat.migrate.source.parsing import Source

__all__ = ["rewritten_together"]

# What may make a pipeline of a file rewritable; each returns a changed copy of the file, or None.
_Preparation = Callable[[Source], Optional[Source]]
_PREPARATIONS: Sequence[_Preparation] = (with_main_function, with_whole_methods)
# Codes of findings about pipelines that stay on queues, and about sessions that are kept for rewritten ones.
_LEFT, _KEPT = {"QC715", *CODES.values()}, {"QC714"}


def rewritten_together(
    sources: Sequence[Source], to: str, across: AbstractSet[Source] = frozenset()
) -> Dict[Source, Rewritten]:
    """Rewrites each of *sources* for the target *to*.

    Args:
      across: notebooks in which the rewrite would move code from one cell to another; they are left unchanged.
    """
    program = Program(sources)
    if to == "v1":
        return {one: v1(one, Surroundings(is_tf1=one in program.tf1)) for one in sources}
    results = _named_and_best(sources, to, across)
    results = _with_moved_functions(program, to, across, results) if to == "tf-data" else results
    return {**results, **named_as_today(program, results)}


@dataclasses.dataclass(frozen=True)
class _State:
    """Results, keyed by file, and the changed copies of files that they are results of."""

    copies: Mapping[Source, Source]
    results: Dict[Source, Rewritten]

    def changed(self, source: Source) -> Source:
        """*source*, or the copy of it that was rewritten."""
        return self.copies.get(source, source)


def _named_and_best(sources: Sequence[Source], to: str, across: AbstractSet[Source]) -> Dict[Source, Rewritten]:
    """The best results for *sources*, with functions that build pipelines called by their own names if that helps."""
    return _with_own_names(sources, to, across, _best(Program(sources), sources, to, across))


def _best(program: Program, sources: Sequence[Source], to: str, across: AbstractSet[Source]) -> Dict[Source, Rewritten]:
    """The best results for the *sources* of *program*, with each preparation that helps."""

    def rewritten(changed: Sequence[Source]) -> Dict[Source, Rewritten]:
        return Rewriting(Program(changed), to, across).results

    state = _State({}, Rewriting(program, to, across).results)
    for prepare in _PREPARATIONS:
        held = [one for one in sources if one not in across and _is_held_back(state.results[one])]
        state = _with_copies(sources, _copies(held, prepare, state), state, rewritten)
    return _with_own_functions(sources, across, state, rewritten).results


def _is_held_back(result: Rewritten) -> bool:
    return any(found.code in _LEFT | _KEPT for found in result.left)


def _with_own_names(
    sources: Sequence[Source], to: str, across: AbstractSet[Source], before: Dict[Source, Rewritten]
) -> Dict[Source, Rewritten]:
    """*before*; or a better result, in which functions that build pipelines are called by their own names."""
    held = [one for one in sources if one not in across and _is_held_back(before[one])]
    state = _State({}, before)

    def rewritten(changed: Sequence[Source]) -> Dict[Source, Rewritten]:
        return _best(Program(changed), changed, to, across)

    return _with_copies(sources, _copies(held, with_own_names, state), state, rewritten).results


def _with_moved_functions(
    program: Program, to: str, across: AbstractSet[Source], before: Dict[Source, Rewritten]
) -> Dict[Source, Rewritten]:
    """*before*; or a better result, with functions that read from a queue moved to where the queue is built."""
    state = _State({}, before)
    for source in program.sources:
        for copies in _attempts(program, source, before, across):
            all_copies = {**state.copies, **copies}
            is_free = state.copies.keys().isdisjoint(copies) and _is_held_back(state.results[source])
            if is_free and len(all_copies) > len(state.copies):
                changed = [all_copies.get(one, one) for one in program.sources]
                results = _of_sources(_named_and_best(changed, to, across), all_copies)
                if _count(results) < _count(state.results) and results[source].refusal is None:
                    state = _State(all_copies, results)
    return state.results


def _attempts(
    program: Program, source: Source, before: Mapping[Source, Rewritten], across: AbstractSet[Source]
) -> Iterator[Mapping[Source, Source]]:
    """Copies of files in which one such function is moved into *source*; at last, copies in which all are."""
    if source in across or not _is_held_back(before[source]):
        return
    found = [move for move in moves(program, source) if across.isdisjoint(move)]
    yield from found
    copies: Dict[Source, Source] = {}
    while found:
        files = {copies.get(one, one): one for one in program.sources}
        changed = Program(list(files))
        set_facts(changed)
        found = [move for move in moves(changed, copies.get(source, source)) if across.isdisjoint(move)]
        copies.update({files[old]: new for old, new in found[0].items()} if found else {})
    yield copies


def _copies(sources: Sequence[Source], prepare: _Preparation, state: _State) -> Dict[Source, Source]:
    """The changed copies of those *sources* that *prepare* changes."""
    found = ((one, prepare(state.changed(one))) for one in sources)
    return {one: copy for one, copy in found if copy is not None}


def _with_copies(
    sources: Sequence[Source],
    copies: Mapping[Source, Source],
    before: _State,
    rewritten: Callable[[Sequence[Source]], Dict[Source, Rewritten]],
) -> _State:
    """*before*; or a better result, in which changed *copies* of some files are rewritten.

    A copy is used if it leaves fewer pipelines of its file unchanged, or as many and keeps fewer sessions.
    """

    def helps(source: Source, result: Rewritten) -> bool:
        return result.refusal is None and _count({source: result}) < _count({source: before.results[source]})

    while copies:
        all_copies = {**before.copies, **copies}
        found = rewritten([all_copies.get(one, one) for one in sources])
        better = {one: copy for one, copy in copies.items() if helps(one, found[copy])}
        if better == copies:
            results = _of_sources(found, all_copies)
            return _State(all_copies, results) if _count(results) < _count(before.results) else before
        copies = better
    return before


def _with_own_functions(
    sources: Sequence[Source],
    across: AbstractSet[Source],
    before: _State,
    rewritten: Callable[[Sequence[Source]], Dict[Source, Rewritten]],
) -> _State:
    """*before*; or a better result, with pipelines among other lines moved into functions of their own."""
    copies: Dict[Source, Source] = {}
    taken: Set[str] = set()
    for source in sources:
        result = before.results[source]
        if source not in across and any(found.code in _LEFT for found in result.left):
            copy = _with_own_function(before.changed(source), result, taken)
            if copy is not None:
                copies[source] = copy
    return _with_copies(sources, copies, before, rewritten)


def _with_own_function(source: Source, before: Rewritten, taken: Set[str]) -> Optional[Source]:
    """A copy of *source* with such functions; of ``if __name__ == "__main__":`` only if that becomes one as well."""
    copy = with_own_functions(source, before.datasets, taken)
    base = with_main_function(source) if copy is None else None
    if base is None:
        return copy
    known = {one.name.value for one in before.datasets if isinstance(one, cst.FunctionDef)}
    whole = frozenset(one for one in base.every(cst.FunctionDef) if one.name.value in known)
    return with_own_functions(base, whole, taken)


def _of_sources(results: Dict[Source, Rewritten], copies: Mapping[Source, Source]) -> Dict[Source, Rewritten]:
    """*results*, with the entries of copies moved to the sources that they are copies of."""
    found = dict(results)
    for source, copy in copies.items():
        result = found.pop(copy)
        left = [in_old_text(source, copy, one) for one in result.left]
        found[source] = dataclasses.replace(result, left=left)
    return found


def _count(results: Dict[Source, Rewritten]) -> Tuple[int, int]:
    """The numbers of pipelines and files that stay unchanged, and of sessions that are kept."""
    codes = [found.code for one in results.values() for found in one.left]
    return sum(code in _LEFT for code in codes), sum(code in _KEPT for code in codes)
