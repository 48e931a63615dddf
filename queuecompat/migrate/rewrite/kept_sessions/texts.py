"""Writes the new text of each file of a program that keeps its sessions, and reports what stays and why."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import functions_around
from queuecompat.migrate.analysis.mentions import mentions
from queuecompat.migrate.analysis.pipelines import is_in_a_pipeline
from queuecompat.migrate.analysis.seeds import sets_graph_seed
from queuecompat.migrate.findings import Finding
from queuecompat.migrate.rewrite.as_dataset import eager_text
from queuecompat.migrate.rewrite.imports.eager_imports import imported_too
from queuecompat.migrate.rewrite.imports.v1 import v1
from queuecompat.migrate.rewrite.input_functions import batch_functions, has_decorated, makes_sessions, runs_session
from queuecompat.migrate.rewrite.kept_sessions.changes import Changes
from queuecompat.migrate.rewrite.kept_sessions.earlier import imports_v1, is_of_queues
from queuecompat.migrate.rewrite.kept_sessions.iterators import from_iterator
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS
from queuecompat.migrate.rewrite.pipelines.plain_form import without_unused
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError
from queuecompat.migrate.rewrite.rewritten import Rewritten, Surroundings
from queuecompat.migrate.rewrite.sessions.eager import builds_when_imported
from queuecompat.migrate.rewrite.unread import why_not_rewritten, why_unread
from queuecompat.migrate.source.nodes import argument
from queuecompat.migrate.source.parsing import Source

__all__ = ["for_eager_programs", "new_text"]


def new_text(changes: Changes, held: Mapping[Source, UnsupportedPatternError], source: Source) -> Rewritten:
    """The result for *source*, one of the files of *changes*.

    Args:
      held: why files keep their sessions.
    """
    changed = changes.of_file(source)
    new: Dict[cst.CSTNode, Any] = {}
    for one in changed.values():
        new.update((old, made) for old, made in one.replacements.items() if old is not None)
    for one in changes.changed.values():
        new.update((call, from_iterator(source, call)) for call in one.calls.get(source, ()))
    text = source.replaced(new) if new else source.text
    helpers = [name for one in changed.values() for name in one.helpers]
    if helpers:
        text = without_unused(source.again(text), helpers)
    modules = ["queuecompat"] if changed and changes.to == "as-dataset" else []
    datasets = frozenset(place.node for place in changed)
    is_new = bool(changed) or source in changes.parts
    if is_new or (not imports_v1(source) and has_decorated(source)):
        eager = for_eager_programs(changes, source, text, modules)
        if eager is not None:
            return Rewritten(eager, datasets=datasets)
    with_modules = source.again(text)
    text = with_modules.with_tree(imported_too(with_modules.tree, modules))
    stays = [source.found("QC715", one.node, reason=one.reason) for one in changes.stays[source]]
    # What two pipelines share stands in the way of both.
    findings = list(
        dict.fromkeys(
            [*_remaining_sessions(held, source), *stays, *_overlooked(changes, source), *_seeds(changes, source)]
        )
    )
    return Rewritten(v1(source.again(text), Surroundings(is_tf1=True)).text, findings, datasets=datasets)


def for_eager_programs(changes: Changes, source: Source, text: str, modules: Sequence[str]) -> Optional[str]:
    """*text* with imports that also serve eager programs; None if its top-level code needs graph mode."""
    if makes_sessions(source):
        return None
    if builds_when_imported(source):
        return None
    try:
        eager = eager_text(source, source.again(text).tree, modules)
    except UnsupportedPatternError:
        return None
    is_done = source in changes.parts or why_unread(source.again(eager)) is None
    return eager if is_done else None


def _remaining_sessions(held: Mapping[Source, UnsupportedPatternError], source: Source) -> List[Finding]:
    """Reports where a session stays, and why."""
    refusal = held.get(source)
    if refusal is None or not makes_sessions(source):
        return []
    return [source.found("QC714", one.node, reason=one.reason) for one in (refusal, *refusal.others)]


def _overlooked(changes: Changes, source: Source) -> Iterator[Finding]:
    """Reports the first part of a pipeline outside functions, and batchers in functions that return no batch.

    Other parts of pipelines in functions may belong to pipelines that change.
    """
    done: Set[Optional[cst.CSTNode]] = set().union(*(one.replacements for one in changes.changed.values()))
    done.update(one for one in batch_functions(source) if not runs_session(source, one.body.body))
    for use in source.once(mentions):
        inner = (cst.ClassDef, cst.FunctionDef, cst.Import, cst.ImportFrom)
        around = source.around(use.node, inner)
        if not is_of_queues(use) or is_in_a_pipeline(source, use.node):
            continue
        if around in done or any(one in done for one in functions_around(source, use.node)):
            continue
        if around is None or source.names.symbol(use.node) in BATCHERS:
            done.add(around)
            yield source.found("QC715", use.node, reason=why_not_rewritten(source, use).reason)


def _seeds(changes: Changes, source: Source) -> Iterator[Finding]:
    """Reports where the seed of a graph is set if that graph now has an iterator."""
    calls = list(source.every(cst.Call))
    seeding = [one for one in calls if sets_graph_seed(source, one) or argument(one, "tf_random_seed") is not None]
    near = {source, *changes.program.reached(source), *changes.program.importers(source)} if seeding else set()
    if any(near & one.calls.keys() for one in changes.changed.values()):
        for call in seeding:
            yield source.found("QC747", call, call=source.code(call.func))
