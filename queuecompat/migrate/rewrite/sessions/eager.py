"""Recognises calls that have other values in eager mode than in a graph, or that do not work there at all.

In a graph each random op has a state of its own. In eager mode all calls of an op with the same seed share one, so that
the second of two initial values differs from the first. A graph-level seed numbers ops by their position in the graph.
"""

from __future__ import annotations

from typing import AbstractSet, Iterator, Optional, Sequence, Set

import libcst as cst

from queuecompat.migrate.analysis.call_graph import makers_of, may_mean
from queuecompat.migrate.analysis.seeds import seed_of, sets_graph_seed
from queuecompat.migrate.analysis.statements import Statement
from queuecompat.migrate.analysis.templates import template_in
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import every, method
from queuecompat.migrate.source.parsing import Source

__all__ = [
    "builds_when_imported",
    "is_of_graphs",
    "is_op",
    "require_eager",
    "require_no_graph_seed",
    "require_unshared_seeds",
    "seeds_in",
    "seeds_of",
]

_OF_GRAPHS = (
    "tf.add_to_collection", "tf.assign", "tf.control_dependencies", "tf.count_up_to", "tf.get_collection",
    "tf.get_default_graph", "tf.global_variables", "tf.gradients", "tf.losses.add_loss", "tf.losses.get_",
    "tf.merge_", "tf.placeholder", "tf.py_func",
    "tf.random.set_random_seed", "tf.scatter_", "tf.set_random_seed", "tf.summary", "tf.train.ExponentialMovingAverage",
    "tf.train.MonitoredSession", "tf.train.MonitoredTrainingSession", "tf.train.Saver",
    "tf.train.SingularMonitoredSession", "tf.train.Supervisor", "tf.trainable_variables",
)  # fmt: skip
# TensorFlow names whose values are plain Python objects.
_OF_PYTHON = (
    "tf.app", "tf.flags", "tf.gfile", "tf.io.gfile", "tf.logging", "tf.train.get_checkpoint_state",
    "tf.train.latest_checkpoint",
)  # fmt: skip
# In eager mode these take effect immediately, and not when a graph is run; ``eval`` does not exist.
_METHODS = {"apply_gradients", "assign", "assign_add", "assign_sub", "compute_gradients", "eval", "minimize"}
# Code inside these may run more than once.
_AGAIN = (cst.BaseComp, cst.For, cst.While, cst.WithItem)


def require_eager(source: Source, one: Statement) -> None:
    """Requires that *one*, a statement that stays, works outside a graph.

    Raises:
      UnsupportedPatternError: it does not.
    """
    if isinstance(one, (cst.ClassDef, cst.FunctionDef)):
        return
    for call in every(one, cst.Call):
        if is_of_graphs(source, call):
            raise refused("graph-op", one, call=source.code(call.func))


def is_of_graphs(source: Source, call: cst.Call) -> bool:
    """Whether *call* works only in a graph."""
    return source.names.symbol(call.func).startswith(_OF_GRAPHS) or (method(call) == "eval" and not call.args)


def is_op(source: Source, call: cst.Call) -> bool:
    """Whether *call* may create a part of a graph."""
    symbol = source.names.symbol(call.func)
    return bool(symbol) and not symbol.startswith(_OF_PYTHON)


def builds_when_imported(source: Source) -> bool:
    """Whether the top level of *source* may create a part of a graph."""
    outside = [one for one in source.tree.body if not isinstance(one, (cst.ClassDef, cst.FunctionDef))]
    return any(is_op(source, call) for one in outside for call in source.every(cst.Call, one))


def require_no_graph_seed(source: Source) -> None:
    """Requires that the file sets no graph-level seed.

    Raises:
      UnsupportedPatternError: it sets one.
    """
    for call in source.every(cst.Call):
        if sets_graph_seed(source, call):
            raise refused("graph-op", call, call=source.code(call.func))


def require_unshared_seeds(source: Source, statements: Sequence[Statement]) -> None:
    """Requires that no two random ops in *statements*, and in functions they call, share a seed.

    Raises:
      UnsupportedPatternError: two share one, or may.
    """
    require_no_graph_seed(source)
    seeds_of(source, statements, set())


def seeds_of(source: Source, statements: Sequence[Statement], templates: Optional[Set[cst.CSTNode]]) -> Set[str]:
    """The code of the seeds of random ops in *statements*, and in functions of this file that they call.

    Args:
      templates: receives the functions that create their variables only once; None if there are no such functions.

    Raises:
      UnsupportedPatternError: two ops share a seed, or may.
    """
    taken: Set[str] = set()
    for one in statements:
        for call in _called(source, one, templates):
            seed = seed_of(source, call)
            code = "None" if seed is None or not source.names.symbol(call.func) else source.code(seed)
            if code != "None" and (code in taken or _is_used_again(source, call)):
                raise refused("shared-seed", one, seed=code)
            taken.add(code)
    return taken - {"None"}


def seeds_in(source: Source, nodes: AbstractSet[cst.CSTNode]) -> Set[str]:
    """The code of the seeds in *nodes*."""
    given = [seed_of(source, one) for one in nodes if isinstance(one, cst.Call)]
    return {source.code(one) for one in given if one is not None}


def _is_used_again(source: Source, call: cst.Call) -> bool:
    """Whether *call* is in a loop, or creates an initializer that more than one variable uses."""
    around = source.parents.get(call)
    if isinstance(around, cst.Assign) and isinstance(around.targets[0].target, cst.Name):
        name = around.targets[0].target.value
        return len([one for one in source.every(cst.Name) if one.value == name]) > 2
    return isinstance(source.around(call, (cst.FunctionDef, *_AGAIN)), _AGAIN)


def _called(source: Source, one: Statement, templates: Optional[Set[cst.CSTNode]]) -> Iterator[cst.Call]:
    """The calls of a statement, and of functions of the file that it calls, once for each time they run."""
    if isinstance(one, (cst.ClassDef, cst.FunctionDef)):
        return
    waiting = [(node, frozenset()) for node in _running(source, one)]  # type: ignore[var-annotated]
    for node, seen in waiting:
        if isinstance(node, cst.Call):
            yield node
        for called in _functions(source, node):
            if called not in seen and called not in (templates or ()):
                if templates is not None and isinstance(node, cst.Call) and template_in(source, node):
                    templates.add(called)
                waiting += [(inner, seen | {called}) for inner in _running(source, called)]


def _running(source: Source, one: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes in *one* that may run functions: calls, and attributes that may be decorated methods."""
    for node in (*every(one, cst.Call), *every(one, cst.Attribute)):
        around = source.parents.get(node)
        if isinstance(node, cst.Call) or not (isinstance(around, cst.Call) and around.func is node):
            yield node


def _functions(source: Source, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The functions of the file that *node* may run; for a class, its ``__init__``."""
    is_call = isinstance(node, cst.Call)
    for one in may_mean(source, node.func if isinstance(node, cst.Call) else node):
        if isinstance(one, cst.ClassDef):
            yield from makers_of(source, one)
        elif is_call or (isinstance(one, cst.FunctionDef) and one.decorators):
            yield one
