"""What kind of thing a slice is: the facts on which passes decide.

``op_facts`` has the op types; here is the walk. An op that TensorFlow calls stateful and the table does not know
has effects: the safe side. Function bodies (v2 ``cond`` and ``while_loop``) are walked too.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from queuecompat._analysis.library import names_of_functions
from queuecompat._analysis.op_facts import COUNTS, FACTS, PYTHON, READS, REFERENCE, STATELESS_PYTHON, WRITING_WORDS

__all__ = ["Effects", "called_kinds", "effects_of"]

_LOOKS = {kind for kind, facts in FACTS.items() if facts.effect == READS}
_PYTHON = {kind for kind, facts in FACTS.items() if facts.effect == PYTHON}
# Made and gone within one run of a slice: what ``map_fn`` and ``while_loop`` of TensorFlow 1 gather their results in.
_OF_ONE_RUN = "TensorArray"
_CALLS = ("If", "StatelessIf", "While", "StatelessWhile", "Case", "PartitionedCall", "StatefulPartitionedCall")


@dataclasses.dataclass(frozen=True)
class Effects:
    """See ``bodies.Body`` for what each means."""

    is_random: bool
    is_seeded: bool
    has_effects: bool
    may_end: bool
    runs_alone: bool
    calls_python: bool


def effects_of(ops: Sequence[Any], library: Optional[Any]) -> Effects:
    """The effects of the slice *ops*.

    Args:
      ops: the slice's operations.
      library: the function library that they call into, or None.
    """
    nodes: List[Tuple[str, Any, Optional[bool]]] = [
        (op.type, op.node_def.attr, _is_stateful(op.op_def, op.type)) for op in ops
    ]
    nodes += list(_called(library, [op.node_def for op in ops])) if library is not None else []
    seeds = [_seed_of(attr) for _, attr, _ in nodes if "seed" in attr and "seed2" in attr]
    return Effects(
        is_random=bool(seeds),
        is_seeded=any(seed != (0, 0) for seed in seeds),
        has_effects=any(_has_effects(kind, attr, stateful) for kind, attr, stateful in nodes),
        may_end=any(kind in _PYTHON or kind.startswith(COUNTS) for kind, _, _ in nodes),
        runs_alone=any(kind.startswith(COUNTS) for kind, _, _ in nodes),
        calls_python=any(kind in _PYTHON for kind, _, _ in nodes),
    )


def called_kinds(ops: Sequence[Any], library: Optional[Any]) -> Set[str]:
    """The types of *ops*, and of all ops in the functions that they call."""
    called = [] if library is None else [kind for kind, _, _ in _called(library, [op.node_def for op in ops])]
    return {*(op.type for op in ops), *called}


def _seed_of(attr: Any) -> Tuple[int, int]:
    return attr["seed"].i, attr["seed2"].i


def _has_effects(kind: str, attr: Any, stateful: Optional[bool]) -> bool:
    if kind in _LOOKS or kind in _CALLS or kind.startswith(_OF_ONE_RUN) or ("seed" in attr and "seed2" in attr):
        return False
    if kind == STATELESS_PYTHON:
        return False  # it says so itself; that it may be called by several threads at once it does not say
    if kind in _PYTHON or kind.startswith(COUNTS):
        return True
    # In a function's body only the name is known.
    return bool(stateful) or any(word in kind for word in WRITING_WORDS)


def _is_stateful(definition: Any, kind: str) -> bool:
    """Also of an op that changes a reference variable, which it then hands on: TensorFlow calls no such op stateful."""
    takes, gives = (any(arg.is_ref for arg in args) for args in (definition.input_arg, definition.output_arg))
    return bool(definition.is_stateful) or (takes and gives and not kind.startswith(REFERENCE))


def _called(library: Any, node_defs: Iterable[Any]) -> Iterator[Tuple[str, Any, Optional[bool]]]:
    """Every node of every function that *node_defs* reach."""
    functions = {function.signature.name: function for function in library.function}
    waiting, seen = list(node_defs), set()
    while waiting:
        node = waiting.pop()
        for name in names_of_functions(node):
            if name in functions and name not in seen:
                seen.add(name)
                for inner in functions[name].node_def:
                    yield inner.op, inner.attr, None
                    waiting.append(inner)
