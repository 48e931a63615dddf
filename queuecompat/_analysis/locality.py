"""Finds what ties a slice to this process, so that no other machine can run it.

A copy of an op computes the same on any machine if it depends only on its inputs. Python functions, variables, tables,
arrays outside of the graph, and states that ops keep between runs exist in this process only.
"""

from __future__ import annotations

from typing import Any, Iterable, List, Optional, Sequence

from queuecompat._analysis.effects import effects_of
from queuecompat._analysis.op_facts import FACTS, PYTHON
from queuecompat._analysis.tensors import is_reference
from queuecompat.errors import line_of

__all__ = ["may_change", "what_belongs_here"]

# The end of the name of a variable that holds a NumPy array for a session.
_ARRAY = "/array_variable"
_ASSIGNS = ("Assign", "AssignVariableOp")
_ONLY_LOOKS = ("Identity", "IsVariableInitialized", "ReadVariableOp", "Switch", "VarIsInitializedOp")


def what_belongs_here(ops: Sequence[Any], captured: Sequence[Any], library: Optional[Any], array: str) -> str:
    """Describes the first op or tensor that ties the slice to this process, with the user's line; empty if none does.

    Args:
      ops: the ops of the slice.
      captured: the tensors that it takes by reference.
      library: the functions that it calls; None: it calls none.
      array: the type of the ops that stand for arrays outside of the graph.
    """
    for tensor in captured:
        if tensor.op.type == array or tensor.op.name.endswith(_ARRAY):
            return "it reads a NumPy array that this process keeps"
        if tensor.op.type == "VarHandleOp":
            return f"it reads the variable '{tensor.op.name}'{_made_at(tensor.op)}"
        if "Table" in tensor.op.type:
            return f"it looks up values in the table '{tensor.op.name}'{_made_at(tensor.op)}"
        if tensor.op.type != "Const":
            return f"it uses '{tensor.op.name}' ({tensor.op.type}){_made_at(tensor.op)}"
    for op in ops:
        if is_reference(op):
            return f"it reads the variable '{op.name}'{_made_at(op)}"
        if FACTS[op.type].effect == PYTHON if op.type in FACTS else False:
            return f"'{op.name}' ({op.type}) calls a Python function{_made_at(op)}"
        effects = effects_of([op], library)
        if effects.calls_python:
            return f"'{op.name}' ({op.type}) calls a Python function{_made_at(op)}"
        if effects.has_effects or effects.may_end:
            return f"'{op.name}' ({op.type}) keeps or changes state{_made_at(op)}"
        if effects.is_random and effects.is_seeded:
            return f"'{op.name}' ({op.type}) has a seed, so its numbers must come in one order{_made_at(op)}"
    return ""


def may_change(ops: Iterable[Any], captured: Iterable[Any]) -> bool:
    """Whether a variable that the slice reads may be written after its initialisation."""
    handles = [tensor.op for tensor in captured if tensor.op.type == "VarHandleOp"]
    return any(map(_is_written, [*handles, *filter(is_reference, ops)]))


def _is_written(variable: Any) -> bool:
    takers: List[Any] = [one for tensor in variable.outputs for one in tensor.consumers()]
    assigns = [one for one in takers if one.type in _ASSIGNS]
    return len(assigns) > 1 or any(one.type not in (*_ASSIGNS, *_ONLY_LOOKS) for one in takers)


def _made_at(op: Any) -> str:
    line = line_of(op)
    return f", made at {line}" if line else ""
