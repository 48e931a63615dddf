"""Finds code whose results depend on the order in which records are processed: seeded ops and Python functions.

Rule 1: a function that is called or only named is followed, in this file and in others of the program, because it may
        be passed to ``tf.map_fn``.
Rule 2: a Python function may keep state, unless its call says ``stateful=False``.
"""

from __future__ import annotations

import re
from typing import Dict, FrozenSet, Iterator, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.call_graph import reachable
from queuecompat.migrate.analysis.program import Place, Program, Use
from queuecompat.migrate.analysis.seeds import seed_of
from queuecompat.migrate.source.nodes import argument
from queuecompat.migrate.source.parsing import Source

__all__ = ["PYTHON", "SEEDED", "order_needed", "set_order_elsewhere"]

SEEDED, PYTHON = "seeded numbers", "functions of Python"
_PYTHON = {"tf.numpy_function", "tf.py_func", "tf.py_function"}
# A file without any of these has nothing to find.
_WORTH_A_LOOK = re.compile("seed|random|dropout|multinomial|truncated|distorted|py_func|numpy_function")


def order_needed(source: Source, *roots: cst.CSTNode) -> FrozenSet[str]:
    """Which of ``SEEDED`` and ``PYTHON`` occur in *roots*, and in everything that they call or name."""
    found: Set[str] = set()
    for node in reachable(source, *roots, named=True):
        for call in source.every(cst.Call, node):
            found |= set(_kinds(source, call))
        for named in _named(source, node) if source.order_elsewhere else ():
            found |= source.order_elsewhere.get(named, frozenset())
    return frozenset(found)


def _named(source: Source, root: cst.CSTNode) -> Iterator[str]:
    """The names in *root* that may be keys of ``Source.order_elsewhere``."""
    for name in source.every(cst.Name, root):
        yield source.names.full(name) or name.value
    ends = {name.rpartition(".")[2] for name in source.order_elsewhere}
    for attribute in source.every(cst.Attribute, root):
        full = source.names.full(attribute)
        if full is not None:
            yield full
        elif attribute.attr.value in ends:  # generating the text of the other attributes would be too slow
            yield source.code(attribute)


def set_order_elsewhere(program: Program) -> None:
    """Sets ``Source.order_elsewhere`` of every file: repeats until calls through any number of files are covered."""
    more = any(_WORTH_A_LOOK.search(source.text) for source in program.sources)
    while more:
        more = False
        needed: Dict[Place, FrozenSet[str]] = {}  # cache for one round
        for source in program.sources:
            found = dict(_needed_elsewhere(source, program.uses(source), needed))
            if found != source.order_elsewhere:
                source.order_elsewhere, more = found, True


def _needed_elsewhere(
    source: Source, uses: Sequence[Use], needed: Dict[Place, FrozenSet[str]]
) -> Iterator[Tuple[str, FrozenSet[str]]]:
    for use in uses:
        if use.place not in needed:
            needed[use.place] = order_needed(*use.place)
        if needed[use.place]:
            yield source.names.full(use.node) or source.code(use.node), needed[use.place]


def _kinds(source: Source, call: cst.Call) -> Iterator[str]:
    symbol = source.names.symbol(call.func)
    if seed_of(source, call) is not None:
        yield SEEDED
    if symbol in _PYTHON:
        stateful = argument(call, "stateful", 3 if symbol == "tf.py_func" else None)
        if stateful is None or source.code(stateful) != "False":
            yield PYTHON
