"""Methods that are called at most once for each object, so that what the object creates may move into the method.

Rule 1: a file calls the method in at most one place, outside of loops, on an object that the same function creates.
Rule 2: the arguments of the calls that create objects have the same values when the method is called.
Rule 3: where a graph's seed is set, ops without a seed derive theirs from the number of ops before them, so no call
        may come between the creation of the object and the call of the method.
Rule 4: in doubt it is called more often.
"""

from __future__ import annotations

from typing import Callable, Iterator, List, Set

import libcst as cst

from queuecompat.migrate.analysis.attributes import is_asked_for
from queuecompat.migrate.analysis.call_graph import callee, callers, class_of, definition, makers_of
from queuecompat.migrate.analysis.program import Program
from queuecompat.migrate.analysis.queue_statements import is_queue_statement
from queuecompat.migrate.analysis.seeds import sets_graph_seed
from queuecompat.migrate.analysis.statements import may_write, uses
from queuecompat.migrate.source.nodes import every
from queuecompat.migrate.source.parsing import Source

__all__ = ["is_called_once", "is_seeded", "set_single_calls", "writes"]

_LOOPS = (cst.BaseComp, cst.For, cst.Lambda, cst.While)


def is_called_once(source: Source, kind: cst.ClassDef, method: cst.FunctionDef) -> bool:
    """Whether the file of *kind* calls its *method* at most once for each object."""
    return _is_called_once(
        source,
        method.name.value,
        lambda call: callee(source, call) is method,
        lambda call: definition(source, call.func) is kind,
    ) and all(_keeps_arguments(source, call) for call in callers(source, kind))


def set_single_calls(program: Program) -> None:
    """Sets for each file: which of its methods other files call at most once for each object."""
    seeded = any(map(is_seeded, program.sources))
    for source in program.sources:
        source.is_seeded = seeded
    for source in program.sources:
        others = [one for one in program.sources if one is not source]
        source.called_once_elsewhere = frozenset(
            (kind.name.value, method.name.value)
            for kind in _beginning(source)
            for method in source.every(cst.FunctionDef, kind)
            if class_of(source, method) is kind
            and all(_is_called_once_in(program, other, kind, method) for other in others)
        )


def _beginning(source: Source) -> Iterator[cst.ClassDef]:
    """The classes whose ``__init__`` builds a part of a pipeline."""
    for kind in source.tree.body:
        if isinstance(kind, cst.ClassDef) and any(is_queue_statement(source, one) for one in makers_of(source, kind)):
            yield kind


def is_seeded(source: Source) -> bool:
    """Whether the program of *source* sets the seed of a graph."""
    return source.is_seeded or any(sets_graph_seed(source, call) for call in source.every(cst.Call))


def _is_called_once_in(program: Program, other: Source, kind: cst.ClassDef, method: cst.FunctionDef) -> bool:
    """Whether the file *other* uses *kind*, a class of another file, only to create objects, and calls *method* once
    for each of them."""
    calls: List[cst.Call] = []
    for use in program.uses(other):
        if use.place.node is kind and other.around(use.node, (cst.Import, cst.ImportFrom)) is None:
            call = other.parents.get(use.node)
            if not isinstance(call, cst.Call) or call.func is not use.node:
                return False  # the class is passed on, or derived from
            calls.append(call)
    known = {use.node for use in program.methods(other) if use.place.node is method}
    is_once = _is_called_once(
        other,
        method.name.value,
        lambda call: call.func in known,
        lambda call: call in calls,
    )
    return is_once and all(_keeps_arguments(other, call) for call in calls)


def _is_called_once(
    source: Source,
    name: str,
    is_of_method: Callable[[cst.Call], bool],
    creates: Callable[[cst.Call], bool],
) -> bool:
    """Whether *source* calls the method *name* at most once, on an object that the same function creates.

    Args:
      is_of_method: whether a call of a method of that name certainly calls this one.
      creates: whether a call certainly creates an object of its class.
    """
    found = [one for one in source.every(cst.Attribute) if one.attr.value == name and not source.names.symbol(one)]
    if not found:
        return not is_asked_for(source, name)
    call = source.parents.get(found[0])
    if len(found) > 1 or not isinstance(call, cst.Call) or call.func is not found[0] or is_asked_for(source, name):
        return False
    owner, around = found[0].value, source.around(call, cst.FunctionDef)
    if source.around(call, _LOOPS) is not None:
        return False
    if isinstance(owner, cst.Call):
        return creates(owner)
    made = source.names.definitions(owner) if isinstance(owner, cst.Name) else []
    if len(made) != 1 or source.around(made[0], cst.FunctionDef) is not around or not is_of_method(call):
        return False
    return not is_seeded(source) or not _calls_between(source, made[0], call)


def _calls_between(source: Source, first: cst.CSTNode, last: cst.CSTNode) -> bool:
    """Whether there is a call in the lines between those of *first* and *last*."""
    lines = range(source.line(first) + 1, source.line(last))
    return any(source.line(call) in lines for call in source.every(cst.Call))


def _keeps_arguments(source: Source, call: cst.Call) -> bool:
    """Whether no code after *call* changes its arguments, and it is in no loop."""
    names = uses(call) - uses(call.func)
    function = source.around(call, cst.FunctionDef)
    block: List[cst.CSTNode] = list(source.tree.body if function is None else function.body.body)
    after = [one for one in block if source.line(one) > source.line(call)]
    return source.around(call, _LOOPS) is None and not any(writes(source, one, names) for one in after)


def writes(source: Source, node: cst.CSTNode, names: Set[str]) -> bool:
    """Whether *node* may assign one of *names*, modify it in place, or pass it to a function that may."""
    if names & may_write(source, node):
        return True
    calls = (call for call in every(node, cst.Call) if not source.names.symbol(call.func))
    return any(names & uses(arg) for call in calls for arg in call.args if isinstance(arg.value, cst.Name))
