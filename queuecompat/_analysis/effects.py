"""Side-effect analysis of slices: the facts that passes decide on.

``op_facts`` has the facts about op types; this module applies them to all ops of a slice and of the functions that they
call (v2 ``cond`` and ``while_loop``). An op that TensorFlow calls stateful and that is missing from the table is
assumed to have effects.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from queuecompat._analysis.library import names_of_functions
from queuecompat._analysis.op_facts import COUNTS, FACTS, PYTHON, READS, REFERENCE, STATELESS_PYTHON, WRITING_WORDS

__all__ = ["Effects", "called_kinds", "effects_of"]

_LOOKS = {kind for kind, facts in FACTS.items() if facts.effect == READS}
_PYTHON = {kind for kind, facts in FACTS.items() if facts.effect == PYTHON}
# A TensorArray exists only during one run of a slice: TensorFlow 1's ``map_fn`` and ``while_loop`` collect results in
# it.
_OF_ONE_RUN = "TensorArray"
_CALLS = ("If", "StatelessIf", "While", "StatelessWhile", "Case", "PartitionedCall", "StatefulPartitionedCall")


@dataclasses.dataclass(frozen=True)
class Effects:
    """The effects of a slice; ``bodies.Body`` documents each attribute."""

    is_random: bool
    is_seeded: bool
    has_effects: bool
    may_end: bool
    runs_alone: bool
    calls_python: bool


def effects_of(ops: Sequence[Any], library: Optional[Any]) -> Effects:
    """Returns the effects of the slice *ops*.

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
    """Returns the types of *ops* and of all ops in the functions that they call."""
    called = [] if library is None else [kind for kind, _, _ in _called(library, [op.node_def for op in ops])]
    return {*(op.type for op in ops), *called}


def _seed_of(attr: Any) -> Tuple[int, int]:
    return attr["seed"].i, attr["seed2"].i


def _has_effects(kind: str, attr: Any, stateful: Optional[bool]) -> bool:
    if kind in _LOOKS or kind in _CALLS or kind.startswith(_OF_ONE_RUN) or ("seed" in attr and "seed2" in attr):
        return False
    if kind == STATELESS_PYTHON:
        return False  # declared stateless; that does not mean that it is thread-safe
    if kind in _PYTHON or kind.startswith(COUNTS):
        return True
    # Of a node in a function's body, only the type's name is known.
    return bool(stateful) or any(word in kind for word in WRITING_WORDS)


def _is_stateful(definition: Any, kind: str) -> bool:
    """Whether an op is stateful, or changes a reference variable and passes it on.

    TensorFlow does not call the latter stateful.
    """
    takes_reference, returns_reference = (
        any(arg.is_ref for arg in args) for args in (definition.input_arg, definition.output_arg)
    )
    return bool(definition.is_stateful) or (takes_reference and returns_reference and not kind.startswith(REFERENCE))


def _called(library: Any, node_defs: Iterable[Any]) -> Iterator[Tuple[str, Any, Optional[bool]]]:
    """Yields type, attributes and None (for unknown statefulness) of all nodes in functions that *node_defs* reach."""
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
