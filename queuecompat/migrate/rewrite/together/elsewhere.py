"""Tells each file of a program the facts about its other files, before any of them is rewritten.

These facts are: the names of the others' attributes and methods; which of their decorators only register a function;
whether what they define depends on the order of records; whether they may create variables from tensors; which of
their functions return batches; and which methods of its own they call only once.
"""

from __future__ import annotations

import collections
from typing import Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.attributes import attribute_names
from queuecompat.migrate.analysis.call_graph import class_of, makers_of, reachable
from queuecompat.migrate.analysis.effects import escaping_writes
from queuecompat.migrate.analysis.lists import depth_of_lists_in, is_list_of
from queuecompat.migrate.analysis.lookups import looked_up
from queuecompat.migrate.analysis.order_of_records import set_order_elsewhere
from queuecompat.migrate.analysis.program import Place, Program, Use
from queuecompat.migrate.analysis.queue_statements import is_queue_statement, may_build_part
from queuecompat.migrate.analysis.registering import registers
from queuecompat.migrate.analysis.several import PLACES, several_places
from queuecompat.migrate.rewrite.input_functions import batch_functions, is_decorated
from queuecompat.migrate.rewrite.sessions.wrappable import begins_with_tensors
from queuecompat.migrate.rewrite.single_calls import set_single_calls
from queuecompat.migrate.source.nodes import all_in
from queuecompat.migrate.source.parsing import Source

__all__ = ["Batches", "set_facts"]

# For each file, its functions that return batches.
Batches = Dict[Source, List[cst.FunctionDef]]


def set_facts(program: Program) -> Batches:
    """Sets the facts on each file of *program*; returns each file's functions that return batches."""
    _set_names(program)
    _set_registering(program)
    set_order_elsewhere(program)
    _set_beginnings(program)
    set_single_calls(program)
    return _set_batches(program)


def _set_names(program: Program) -> None:
    """Sets for each file: the others' attributes and methods, what they look up, and whether any of them imports it."""
    named = _of_others({one: _attribute_names(one) for one in program.sources})
    sought = _of_others({one: frozenset(looked_up(one)) for one in program.sources})
    imported = {other for one in program.sources for other in program.imported(one) if other is not one}
    for source in program.sources:
        source.named_elsewhere, source.looked_up_elsewhere = named[source], sought[source]
        source.is_imported = source in imported


def _of_others(names: Mapping[Source, FrozenSet[str]]) -> Dict[Source, FrozenSet[str]]:
    """For each file, the *names* that other files have."""
    files = collections.Counter(name for found in names.values() for name in found)
    everything = frozenset(files)
    return {one: everything.difference(name for name in found if files[name] == 1) for one, found in names.items()}


def _attribute_names(source: Source) -> FrozenSet[str]:
    methods = (one.name.value for one in source.every(cst.FunctionDef) if class_of(source, one) is not None)
    imports = list(source.every(cst.ImportFrom))
    found = {name.value for one in imports for alias in _aliases(one) for name in source.every(cst.Name, alias)}
    if any(isinstance(one.names, cst.ImportStar) for one in imports):
        found |= {one.value for one in source.every(cst.Name)}
    return frozenset((*attribute_names(source), *methods, *found))


def _aliases(one: cst.ImportFrom) -> Sequence[cst.ImportAlias]:
    return () if isinstance(one.names, cst.ImportStar) else one.names


def _set_registering(program: Program) -> None:
    """Sets for each file: which decorators of the others only register a function."""
    for source in program.sources:
        source.registering = frozenset(
            (source.names.full(use.node), is_called)
            for use in program.uses(source)
            for is_called in (False, True)
            if registers(use.place.node, is_called=is_called)
        )


def _set_beginnings(program: Program) -> None:
    """Sets for each file: whether the files that it imports may create variables from tensors."""
    making = {one for one in program.sources if begins_with_tensors(one, one.tree)}
    for source in program.sources:
        source.begins_with_tensors = any(one in making for one in program.reached(source))


def _set_batches(program: Program) -> Batches:
    """Finds the functions that return batches, repeatedly: a function that calls one in another file is one too."""
    found: Batches = {one: batch_functions(one) for one in program.sources}
    more = True
    while more:
        more = False
        for source in found:
            elsewhere = frozenset(_key(source, use) for use in _uses_of_batches(program, source, found))
            if elsewhere != source.batches_elsewhere:
                source.batches_elsewhere, more = elsewhere, True
                found[source] = batch_functions(source)
    for source in found:
        uses = list(_uses_of_batches(program, source, found))
        source.set_elsewhere = frozenset(_outliving(program, [use.place for use in uses]))
        source.several_elsewhere = frozenset(
            (_key(source, use), place)
            for use in uses
            for place in several_places(use.place.source, use.place.node)  # type: ignore[arg-type]
        )
    _set_lists(program, found)
    _set_parts(program)
    return found


def _set_lists(program: Program, batches: Batches) -> None:
    """Sets for each file: which parts of the others' batches are lists; repeated for files that pass batches on."""
    uses = {source: list(_uses_of_batches(program, source, batches)) for source in batches}
    more = True
    while more:
        more = False
        for source in batches:
            lists: Dict[Tuple[Optional[str], Optional[int]], Optional[bool]] = {
                (_key(source, use), place): is_list_of(use.place.source, use.place.node, place)  # type: ignore[arg-type]
                for use in uses[source]
                for place in (None, *range(PLACES))
            }
            depths: Dict[Tuple[Optional[str], Optional[int]], int] = {
                (_key(source, use), place): depth_of_lists_in(use.place.source, use.place.node, place)  # type: ignore[arg-type]
                for use in uses[source]
                for place in (None, *range(PLACES))
            }
            more = more or lists != source.lists_elsewhere or depths != source.depths_elsewhere
            source.lists_elsewhere, source.depths_elsewhere = lists, depths


def _set_parts(program: Program) -> None:
    """Sets for each file: which functions, classes and methods of the others build parts of pipelines, or may."""
    uses = {source: (*program.uses(source), *program.methods(source)) for source in program.sources}
    methods = [
        Place(source, one)
        for source in program.sources
        for one in source.every(cst.FunctionDef)
        if class_of(source, one) is not None and not one.name.value.startswith("__")
    ]
    in_tables = program.modules_in_tables
    methods += [Place(one, line) for one in in_tables for line in one.tree.body if isinstance(line, cst.FunctionDef)]
    more = True
    while more:
        more = False
        places = {*methods, *(use.place for one in uses.values() for use in one)}
        building = {place for place in places if _builds(place)}
        possible = {place for place in places if place in building or may_build_part(*place)}
        for source, found in uses.items():
            parts = {_key(source, use): _class_name(use.place) for use in found if use.place in building}
            near = (one for one in methods if one in possible and one.source is not source)
            named = {one.node.name.value for one in near if program.are_together(source, one.source)}  # type: ignore[attr-defined]
            named |= {_key(source, use) for use in found if use.place in possible - building}
            more = more or parts != source.parts_elsewhere or named != source.possible_parts
            source.parts_elsewhere, source.possible_parts = parts, frozenset(named)


def _class_name(place: Place) -> str:
    return place.node.name.value if isinstance(place.node, cst.ClassDef) else ""


def _builds(place: Place) -> bool:
    """Whether a function, or the ``__init__`` of a class, builds a part of a pipeline."""
    source, node = place
    if isinstance(node, cst.FunctionDef):
        return not is_decorated(source, node) and is_queue_statement(source, node)
    return isinstance(node, cst.ClassDef) and any(is_queue_statement(source, one) for one in makers_of(source, node))


def _uses_of_batches(program: Program, source: Source, batches: Batches) -> Iterator[Use]:
    """Where *source* names a function of another file that returns batches and is not yet a dataset."""
    for use in (*program.uses(source), *program.methods(source)):
        node = use.place.node
        is_batch = isinstance(node, cst.FunctionDef) and node in batches.get(use.place.source, ())
        if is_batch and not is_decorated(use.place.source, node):  # type: ignore[arg-type]
            yield use


def _outliving(program: Program, places: List[Place]) -> Set[str]:
    """The names that the functions set, directly or through other files, and that outlive the call."""
    found: Set[str] = set()
    for place in places:
        found |= escaping_writes(*place)
        inside = all_in(reachable(*place))
        more = (use.place for use in program.uses(place.source) if use.node in inside)
        places += [one for one in dict.fromkeys(more) if one not in places]
    return found


def _key(source: Source, use: Use) -> str:
    """The function's name, as *source* spells it."""
    return source.names.full(use.node) or source.code(use.node)
