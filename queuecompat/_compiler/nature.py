"""What kind of thing a slice is: the facts on which passes decide.

One table of op types, and a walk. An op that TensorFlow calls stateful and the table does not know
has effects: the safe side. Function bodies (v2 ``cond`` and ``while_loop``) are walked too.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterable, Iterator, Optional, Sequence, Tuple

__all__ = ["Nature", "nature_of"]

# Stateful for TensorFlow, but only because they look at something that lives elsewhere.
_LOOKS = {
    "Assert",
    "CheckNumerics",
    "HashTable",
    "HashTableV2",
    "LookupTableFind",
    "LookupTableFindV2",
    "LookupTableSize",
    "LookupTableSizeV2",
    "MatchingFiles",
    "MutableHashTableV2",
    "PlaceholderWithDefault",
    "ReadFile",
    "ReadVariableOp",
    "ResourceGather",
    "ResourceGatherNd",
    "VarHandleOp",
    "VarIsInitializedOp",
    "Variable",
    "VariableV2",
}
# Made and gone within one run of a slice: what ``map_fn`` and ``while_loop`` of TensorFlow 1 gather their results in.
_OF_ONE_RUN = "TensorArray"
_EFFECTS = ("Assign", "Print", "QueueEnqueue", "Write", "Save", "ResourceScatter")
# These end the data by a count of their own runs; a Python function may end it by StopIteration.
_COUNTS = ("CountUpTo", "IteratorGetNext", "ResourceCountUpTo", "QueueDequeue", "ReaderRead")
_STATELESS_PYTHON = "PyFuncStateless"
_PYTHON = ("PyFunc", "EagerPyFunc", _STATELESS_PYTHON)
_CALLS = ("If", "StatelessIf", "While", "StatelessWhile", "Case", "PartitionedCall", "StatefulPartitionedCall")


@dataclasses.dataclass(frozen=True)
class Nature:
    """See ``ir.Body`` for what each means."""

    is_random: bool
    is_seeded: bool
    has_effects: bool
    may_end: bool
    runs_alone: bool
    calls_python: bool


def nature_of(ops: Sequence[Any], library: Optional[Any]) -> Nature:
    """The nature of the slice *ops*.

    Args:
      ops: the slice's operations.
      library: the function library that they call into, or None.
    """
    nodes = [(op.type, op.node_def.attr, op.op_def.is_stateful) for op in ops]
    nodes += list(_called(library, [op.node_def for op in ops])) if library is not None else []
    seeds = [_seed_of(attr) for _, attr, _ in nodes if "seed" in attr and "seed2" in attr]
    return Nature(
        is_random=bool(seeds),
        is_seeded=any(seed != (0, 0) for seed in seeds),
        has_effects=any(_has_effects(kind, attr, stateful) for kind, attr, stateful in nodes),
        may_end=any(kind in _PYTHON or kind.startswith(_COUNTS) for kind, _, _ in nodes),
        runs_alone=any(kind.startswith(_COUNTS) for kind, _, _ in nodes),
        calls_python=any(kind in _PYTHON for kind, _, _ in nodes),
    )


def _seed_of(attr: Any) -> Tuple[int, int]:
    return attr["seed"].i, attr["seed2"].i


def _has_effects(kind: str, attr: Any, stateful: Optional[bool]) -> bool:
    if kind in _LOOKS or kind in _CALLS or kind.startswith(_OF_ONE_RUN) or ("seed" in attr and "seed2" in attr):
        return False
    if kind == _STATELESS_PYTHON:
        return False  # it says so itself; that it may be called by several threads at once it does not say
    if kind in _PYTHON or kind.startswith(_COUNTS):
        return True
    # In a function's body only the name is known.
    return bool(stateful) or any(word in kind for word in _EFFECTS)


def _called(library: Any, node_defs: Iterable[Any]) -> Iterator[Tuple[str, Any, Optional[bool]]]:
    """Every node of every function that *node_defs* reach."""
    functions = {function.signature.name: function for function in library.function}
    waiting, seen = list(node_defs), set()
    while waiting:
        node = waiting.pop()
        for attr in node.attr.values():
            names = [attr.func.name] if attr.HasField("func") else [f.name for f in attr.list.func]
            for name in names:
                if name in functions and name not in seen:
                    seen.add(name)
                    for inner in functions[name].node_def:
                        yield inner.op, inner.attr, None
                        waiting.append(inner)
