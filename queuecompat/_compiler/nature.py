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
_EFFECTS = ("Assign", "PyFunc", "EagerPyFunc", "Print", "Queue", "Write", "Save", "Scatter")
_ENDS = ("CountUpTo", "ResourceCountUpTo", "PyFunc", "EagerPyFunc", "QueueDequeue", "ReaderRead")
_CALLS = ("If", "StatelessIf", "While", "StatelessWhile", "Case", "PartitionedCall", "StatefulPartitionedCall")

# One run on a batch gives, row by row, what a run on each element gives. (Gather: on its indices.)
_ROW_BY_ROW = {"GatherV2", "ResourceGather", "Identity", "Cast"}


@dataclasses.dataclass(frozen=True)
class Nature:
    """See ``ir.Body`` for what each means."""

    is_random: bool
    is_seeded: bool
    has_effects: bool
    may_end: bool
    gives_rows: bool


def nature_of(ops: Sequence[Any], library: Optional[Any], sources: Sequence[Any], outputs: Sequence[Any]) -> Nature:
    """The nature of the slice *ops*.

    Args:
      ops: the slice's operations.
      library: the function library that they call into, or None.
      sources: tensors that enter it.
      outputs: tensors that leave it.
    """
    nodes = [(op.type, op.node_def.attr, op.op_def.is_stateful) for op in ops]
    nodes += list(_called(library, [op.node_def for op in ops])) if library is not None else []
    seeds = [_seed_of(attr) for _, attr, _ in nodes if "seed" in attr and "seed2" in attr]
    return Nature(
        is_random=bool(seeds),
        is_seeded=any(seed != (0, 0) for seed in seeds),
        has_effects=any(_has_effects(kind, attr, stateful) for kind, attr, stateful in nodes),
        may_end=any(kind in _ENDS or kind.startswith("QueueDequeue") for kind, _, _ in nodes),
        gives_rows=_gives_rows(ops, sources, outputs),
    )


def _seed_of(attr: Any) -> Tuple[int, int]:
    return attr["seed"].i, attr["seed2"].i


def _has_effects(kind: str, attr: Any, stateful: Optional[bool]) -> bool:
    if kind in _LOOKS or kind in _CALLS or ("seed" in attr and "seed2" in attr):
        return False
    if stateful is None:  # inside a function body, where only the name is known
        return any(word in kind for word in _EFFECTS) or kind in _ENDS
    return bool(stateful) or any(kind.startswith(word) for word in _EFFECTS if word != "PyFunc") or kind in _ENDS


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


def _gives_rows(ops: Sequence[Any], sources: Sequence[Any], outputs: Sequence[Any]) -> bool:
    """Whether the slice is lookups by index and casts, from sources to outputs, and nothing else."""
    from_source = {t.name for t in sources}
    grew = True
    while grew:
        grew = False
        for op in ops:
            touched = [number for number, t in enumerate(op.inputs) if t.name in from_source]
            if touched and not any(t.name in from_source for t in op.outputs):
                if not (op.outputs and _is_row_by_row(op, touched)):
                    return False
                from_source.update(t.name for t in op.outputs)
                grew = True
    return bool(ops) and all(t.name in from_source for t in outputs)


def _is_row_by_row(op: Any, touched: Sequence[int]) -> bool:
    if op.type not in _ROW_BY_ROW:
        return False
    if op.type in ("GatherV2", "ResourceGather"):
        is_plain = not op.get_attr("batch_dims")
        if op.type == "GatherV2":
            axis = op.inputs[2].op
            is_plain = is_plain and axis.type == "Const" and not any(_tensor_value(axis))
        return touched == [1] and is_plain
    return True


def _tensor_value(const: Any) -> Tuple[int, ...]:
    proto = const.get_attr("value")
    return tuple(proto.int_val) + tuple(proto.int64_val) + tuple(byte for byte in proto.tensor_content)
