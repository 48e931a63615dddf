"""Decides which ops of a slice must run in the same step as its draws from the program's own queues.

TensorFlow 1 ran all ops of an element in one session step. If one of them failed or ended the data, the step was over,
and so was every dequeue of that step that still waited. Therefore an op must run in the step of the draws if it can run
before all of these have their element, and may fail, end the data or have a side effect.
"""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Optional, Sequence, Set

from queuecompat._analysis.effects import effects_of
from queuecompat._analysis.tensors import is_value

__all__ = ["can_be_cut", "ops_of_draw_step"]

# Prefixes of op types. Arithmetic is not listed: it fails when the graph is built, or never.
_MAY_FAIL = (
    "Assert",
    "Case",
    "CheckNumerics",
    "Decode",
    "Gather",
    "If",
    "LookupTable",
    "MatchingFiles",
    "Parse",
    "PartitionedCall",
    "ReadFile",
    "ReadVariableOp",
    "ResourceGather",
    "Stateful",
    "Stateless",
    "StringToNumber",
    "Variable",
    "While",
)
# These never fail on constants, but may fail on an element of one of several queues.
_MAY_FAIL_ON_ELEMENTS = ("Concat", "Crop", "EnsureShape", "ExtractGlimpse", "Pack", "Reshape", "Slice", "StridedSlice")
# An op of a loop or a branch cannot be separated from the rest of it.
_CONTROL_FLOW = (
    "Enter",
    "Exit",
    "LoopCond",
    "Merge",
    "NextIteration",
    "RefEnter",
    "RefSwitch",
    "Switch",
    "TensorArray",
)


def ops_of_draw_step(ops: Sequence[Any], draws: Sequence[Any], library: Optional[Any]) -> Set[str]:
    """Returns the names of those of *ops* that must run in one step with *draws*, and of all ops that these need.

    The draws themselves are not included.

    Args:
      ops: the operations of a slice, *draws* among them, in any order.
      draws: operations that draw from the program's queues.
      library: the functions that they call, or None.
    """
    drawn = {op.name for op in draws}
    needs = _draws_needed(ops, drawn)
    by_name = {op.name: op for op in ops}
    found: Set[str] = set()
    waiting = [
        op for op in ops if op.name not in drawn and len(needs[op.name]) < len(drawn) and _matters(op, needs, library)
    ]
    while waiting:
        op = waiting.pop()
        if op.name in found or op.name in drawn:
            continue
        found.add(op.name)
        waiting.extend(by_name[before.name] for before in _before(op) if before.name in by_name)
    return found


def can_be_cut(ops: Sequence[Any], inside: Set[str]) -> bool:
    """Whether the ops named *inside* pass only values to the others: no handles, control edges or parts of loops."""
    if any(op.type.startswith(_CONTROL_FLOW) for op in ops if op.name in inside):
        return False
    outside = [op for op in ops if op.name not in inside]
    crossing = [tensor for op in outside for tensor in op.inputs if tensor.op.name in inside]
    waits = any(before.name in inside for op in outside for before in op.control_inputs)
    return not waits and all(map(is_value, crossing))


def _matters(op: Any, needs: Dict[str, FrozenSet[str]], library: Optional[Any]) -> bool:
    if op.type.startswith(_MAY_FAIL) or (needs[op.name] and op.type.startswith(_MAY_FAIL_ON_ELEMENTS)):
        return True
    effects = effects_of([op], library)
    return effects.has_effects or effects.may_end


def _draws_needed(ops: Sequence[Any], drawn: Set[str]) -> Dict[str, FrozenSet[str]]:
    """Maps each op's name to the names of the draws that must be done before it."""
    needs = {op.name: frozenset([op.name] if op.name in drawn else []) for op in ops}
    grew = True
    while grew:  # the graph may contain loops
        grew = False
        for op in ops:
            known = needs[op.name].union(*(needs.get(before.name, frozenset()) for before in _before(op)))
            if known != needs[op.name]:
                needs[op.name], grew = known, True
    return needs


def _before(op: Any) -> List[Any]:
    return [tensor.op for tensor in op.inputs] + list(op.control_inputs)
