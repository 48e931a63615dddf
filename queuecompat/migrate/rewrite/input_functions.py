"""Finds the input functions of a file: those that return batches and create their own records."""

from __future__ import annotations

from typing import Any, Iterator, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.attributes import attribute_names, is_named_elsewhere
from queuecompat.migrate.analysis.call_graph import callee, callers, calls_of, class_of, may_mean
from queuecompat.migrate.analysis.pipelines import INPUT_PIPELINE
from queuecompat.migrate.analysis.queue_statements import (
    BUCKETS,
    creates_record_source,
    is_batch_elsewhere,
    takes_batch,
)
from queuecompat.migrate.analysis.statements import bound_by, defs, uses
from queuecompat.migrate.rewrite.pipelines.batchers import BATCHERS
from queuecompat.migrate.rewrite.refusals import UnsupportedPatternError, refused
from queuecompat.migrate.rewrite.rewritten import Surroundings
from queuecompat.migrate.rewrite.sessions.objects import require_unshared_attributes
from queuecompat.migrate.source.nodes import argument, children, every, method
from queuecompat.migrate.source.parsing import Source

__all__ = [
    "batch_functions",
    "blocks",
    "first_session",
    "has_decorated",
    "input_functions",
    "is_decorated",
    "is_whole",
    "makes_sessions",
    "require_no_records_from_caller",
    "runs_session",
]

_SESSIONS = (
    "tf.InteractiveSession", "tf.Session", "tf.train.MonitoredSession", "tf.train.MonitoredTrainingSession",
    "tf.train.SingularMonitoredSession", "tf.train.Supervisor", "tf.train.start_queue_runners",
)  # fmt: skip

# Methods of tf.test.TestCase that create a session.
_OF_TESTS = {"cached_session", "test_session"}
# Decorators of methods.
_OF_METHODS = {"classmethod", "staticmethod"}
# Methods that take elements from a reader or a queue.
_READING = {"dequeue", "dequeue_many", "dequeue_up_to", "read", "read_up_to"}


def blocks(source: Source) -> List[Tuple[cst.CSTNode, Sequence[Any]]]:
    """The module and each of its functions, with their statements; the bodies of classes are left out."""
    functions = [one for one in source.every(cst.FunctionDef) if isinstance(one.body, cst.IndentedBlock)]
    return [(source.tree, source.tree.body), *((one, one.body.body) for one in functions)]


def runs_session(source: Source, statements: Sequence[cst.CSTNode]) -> bool:
    """Whether *statements* themselves create a session, not counting functions defined in them."""
    calls = (node for one in statements for node in own_nodes(one) if isinstance(node, cst.Call))
    return any(source.names.symbol(one.func) in _SESSIONS or method(one) in _OF_TESTS for one in calls)


def makes_sessions(source: Source) -> bool:
    """Whether the top level of *source*, or any of its functions, creates a session."""
    return any(runs_session(source, statements) for _, statements in blocks(source))


def first_session(source: Source) -> Optional[cst.Call]:
    """The first call that makes a session, or starts queues in one."""
    return next((one for one in source.every(cst.Call) if source.names.symbol(one.func) in _SESSIONS), None)


def own_nodes(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """*root* and everything below it, without the bodies of functions."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, cst.FunctionDef):
            waiting.extend(children(node))


def input_functions(source: Source, around: Surroundings) -> List[cst.FunctionDef]:
    """The functions without sessions that return batches, and that no other function calls to build its own batches."""
    functions = [
        one
        for one in batch_functions(source)
        if one in source.tree.body or _is_input_method(source, one, one in around.outer)
    ]
    functions = [one for one in functions if not runs_session(source, one.body.body)]
    functions = [one for one in functions if one not in around.inner and not is_decorated(source, one)]
    return [
        one for one in functions if one in around.outer or all(_is_kept(source, call) for call in callers(source, one))
    ]


def _is_kept(source: Source, call: cst.Call) -> bool:
    """Whether *call* is inside a ``lambda``, which is a value: ``INPUTS = {"train": lambda: inputs(32)}``."""
    return source.around(call, cst.Lambda) is not None


def _is_input_method(source: Source, function: cst.FunctionDef, is_outer: bool) -> bool:
    """Whether a function is a method that may return a dataset: the program calls no other method of that name.

    Args:
      is_outer: whether its uses in other files are known.
    """
    kind, name = class_of(source, function), function.name.value
    if kind is None or kind not in source.tree.body or (is_named_elsewhere(source, name) and not is_outer):
        return False
    known = all(isinstance(one.decorator, cst.Name) for one in function.decorators)
    kinds = {one.decorator.value for one in function.decorators if isinstance(one.decorator, cst.Name)}
    if not known or kinds - _OF_METHODS or name.startswith("__"):
        return False
    return name not in attribute_names(source) and is_whole(source, function)


def is_whole(source: Source, function: cst.FunctionDef, *, is_eager: bool = True) -> bool:
    """Whether a method builds its whole pipeline itself, so that its object neither receives nor keeps a part of it.

    Args:
      is_eager: whether its objects will be created in an eager program.
    """
    try:
        require_unshared_attributes(source, function, are_eager=is_eager)
        require_no_records_from_caller(source, function)
    except UnsupportedPatternError:
        return False
    return True


def require_no_records_from_caller(source: Source, function: cst.FunctionDef) -> None:
    """Refuses a function that batches or reads what its caller passes to it: the caller is then the whole pipeline.

    Rows of arrays may come from the caller: ``tf.train.batch([images, labels], 8, enqueue_many=True)``. A method may
    get records from other methods of its object, also from those of derived classes.
    """
    parameters = {one.name.value for one in every(function.params, cst.Param)}
    own = _calls_of_own_object(source, function)
    methods = [one for call in own for one in may_mean(source, call.func)]
    if any(creates_record_source(source, call) for call in calls_of(source, function, *methods)):
        return
    if any(call.func.attr.value in source.possible_parts for call in own):  # type: ignore[attr-defined]
        return
    for call in source.every(cst.Call, function.body):
        is_batcher = source.names.symbol(call.func) in BATCHERS
        if not is_batcher and method(call) not in _READING:
            continue
        many = argument(call, "enqueue_many")
        if is_batcher and many is not None and source.code(many) != "False":
            continue
        passed = sorted(parameters & _origins(function, call))
        if passed:
            called, caller = source.code(call.func), function.name.value
            raise refused("passed-by-caller", function, call=called, name=passed[0], function=caller)


def _calls_of_own_object(source: Source, function: cst.FunctionDef) -> List[cst.Call]:
    """The calls ``self.read()`` in a method."""
    if class_of(source, function) is None or not function.params.params:
        return []
    own = function.params.params[0].name.value
    calls = source.every(cst.Call, function.body)
    return [one for one in calls if isinstance(one.func, cst.Attribute) and source.code(one.func.value) == own]


def _origins(function: cst.FunctionDef, call: cst.Call) -> Set[str]:
    """The names from which the statements of *function* compute the first argument of *call*."""
    found = set(uses(call.args[0])) if call.args else set()
    for line in reversed(list(every(function.body, cst.Assign))):
        if any(defs(target) & found for target in line.targets):
            found |= uses(line.value)
    return found


def batch_functions(source: Source) -> List[cst.FunctionDef]:
    """The functions that return batches: their own, or those of another such function of the program."""
    functions = list(source.every(cst.FunctionDef))
    found: List[cst.FunctionDef] = []
    more = True
    while more:
        before = len(found)
        found += [one for one in functions if one not in found and _returns_batches(source, one, found)]
        more = len(found) > before
    return [one for one in functions if one in found]


def _returns_batches(source: Source, function: cst.FunctionDef, others: Sequence[cst.FunctionDef]) -> bool:
    """Whether *function* has a batcher and returns a value, or returns the result of one of *others*."""
    nodes = list(own_nodes(function.body))
    returned = [one.value for one in nodes if isinstance(one, cst.Return) and one.value is not None]
    calls = [one for one in nodes if isinstance(one, cst.Call)]
    symbols = [source.names.symbol(one.func) for one in calls]
    if any((symbol.startswith("tf.train.") and "batch" in symbol) or symbol in BUCKETS for symbol in symbols):
        return bool(returned)
    if any(takes_batch(source, one) for one in calls):
        return bool(returned)
    given = {one for one in calls if callee(source, one) in others or is_batch_elsewhere(source, one)}
    names = {name for one in nodes if isinstance(one, cst.Assign) and one.value in given for name in defs(one)}
    return any(one in given or (bool(_named(one)) and _named(one) <= names) for one in returned)


def _named(returned: cst.BaseExpression) -> Set[str]:
    """The names in a list, tuple or dict of names; empty if it contains anything else."""
    if isinstance(returned, cst.Dict):
        values = [one.value for one in returned.elements]
        return bound_by(cst.Tuple([cst.Element(one) for one in values])) if all(map(bound_by, values)) else set()
    return bound_by(returned)


def is_decorated(source: Source, function: cst.FunctionDef) -> bool:
    return any(source.names.full(one.decorator) == INPUT_PIPELINE for one in function.decorators)


def has_decorated(source: Source) -> bool:
    return any(is_decorated(source, one) for one in source.every(cst.FunctionDef))
