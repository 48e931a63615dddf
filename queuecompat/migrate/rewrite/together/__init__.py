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
from typing import AbstractSet, Any, Callable, Dict, Mapping, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.program import Program
from queuecompat.migrate.rewrite.begun_in_init import with_whole_methods
from queuecompat.migrate.rewrite.imports.v1 import v1
from queuecompat.migrate.rewrite.main_function import with_main_function
from queuecompat.migrate.rewrite.newer_names import named_as_today
from queuecompat.migrate.rewrite.own_names import with_own_names
from queuecompat.migrate.rewrite.rewritten import Rewritten, Surroundings
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
    results = _with_own_names(sources, to, across, _best(program, sources, to, across))
    return {**results, **named_as_today(program, results)}


def _best(program: Program, sources: Sequence[Source], to: str, across: AbstractSet[Source]) -> Dict[Source, Rewritten]:
    """The best results for the *sources* of *program*, with each preparation that helps."""
    results = Rewriting(program, to, across).results
    for prepare in _PREPARATIONS:
        for source in sources:
            if _is_held_back(results[source]):
                results = _prepared(prepare, sources, source, to, across, results)
    return _with_own_functions(sources, to, across, results)


def _is_held_back(result: Rewritten) -> bool:
    return any(found.code in _LEFT | _KEPT for found in result.left)


def _with_own_names(
    sources: Sequence[Source], to: str, across: AbstractSet[Source], before: Dict[Source, Rewritten]
) -> Dict[Source, Rewritten]:
    """*before*; or a better result, in which functions that build pipelines are called by their own names."""
    found_copies = {one: with_own_names(one) for one in sources if one not in across and _is_held_back(before[one])}
    copies = {one: copy for one, copy in found_copies.items() if copy is not None}

    def rewritten(changed: Sequence[Source]) -> Dict[Source, Rewritten]:
        return _best(Program(changed), changed, to, across)

    return _with_copies(sources, copies, before, rewritten, _count_both)


def _with_copies(
    sources: Sequence[Source],
    copies: Mapping[Source, Source],
    before: Dict[Source, Rewritten],
    rewritten: Callable[[Sequence[Source]], Dict[Source, Rewritten]],
    count: Callable[[Dict[Source, Rewritten]], Any],
    helps: Callable[[Source, Rewritten], bool] = lambda source, result: True,
) -> Dict[Source, Rewritten]:
    """*before*; or a result with a smaller *count*, in which changed *copies* of some files are rewritten.

    Args:
      helps: whether the result of the copy of a file is better than that of the file itself; all others are dropped.
    """
    while copies:
        found = rewritten([copies.get(one, one) for one in sources])
        better = {one: copy for one, copy in copies.items() if found[copy].refusal is None and helps(one, found[copy])}
        if better == copies:
            return _of_sources(found, copies) if count(found) < count(before) else before
        copies = better
    return before


def _prepared(
    prepare: _Preparation,
    sources: Sequence[Source],
    source: Source,
    to: str,
    across: AbstractSet[Source],
    before: Dict[Source, Rewritten],
) -> Dict[Source, Rewritten]:
    """*before*; or a better result, in which *prepare* has changed *source* first.

    The new result is better if it leaves fewer pipelines and files unchanged, or as many and keeps fewer sessions.
    """
    copy = None if source in across else prepare(source)
    copies = {} if copy is None else {source: copy}
    return _with_copies(sources, copies, before, lambda changed: _rewritten(changed, to, across), _count_both)


def _rewritten(sources: Sequence[Source], to: str, across: AbstractSet[Source]) -> Dict[Source, Rewritten]:
    return Rewriting(Program(sources), to, across).results


def _with_own_functions(
    sources: Sequence[Source], to: str, across: AbstractSet[Source], before: Dict[Source, Rewritten]
) -> Dict[Source, Rewritten]:
    """*before*; or a better result, with pipelines among other lines moved into functions of their own."""
    copies: Dict[Source, Source] = {}
    taken: Set[str] = set()
    for source in sources:
        if source not in across and _count_left({source: before[source]}):
            copy = _with_own_function(source, before[source], taken)
            if copy is not None:
                copies[source] = copy

    def helps(source: Source, result: Rewritten) -> bool:
        return _count_left({source: result}) < _count_left({source: before[source]})

    return _with_copies(sources, copies, before, lambda changed: _rewritten(changed, to, across), _count_left, helps)


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


def _count_left(results: Dict[Source, Rewritten]) -> int:
    """The number of pipelines and files that stay unchanged."""
    return sum(found.code in _LEFT for one in results.values() for found in one.left)


def _count_both(results: Dict[Source, Rewritten]) -> Tuple[int, int]:
    """That number, and the number of sessions that are kept."""
    return _count_left(results), sum(found.code in _KEPT for one in results.values() for found in one.left)
