"""Finds cycles of ops, because TensorFlow's import of a graph with a cycle can end the process."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from queuecompat._raising.saved_graphs import op_of

__all__ = ["has_cycle"]

# The ops at which the loops of ``tf.while_loop`` close, which are legal cycles.
_CLOSES_A_LOOP = ("NextIteration", "RefNextIteration")


def has_cycle(nodes: Sequence[Any]) -> bool:
    """Whether one of *nodes* depends on its own output, apart from the loops of ``tf.while_loop``."""
    counted = [node for node in nodes if node.op not in _CLOSES_A_LOOP]
    after: Dict[str, List[str]] = {node.name: [] for node in counted}
    before = {node.name: {op_of(name) for name in node.input if op_of(name) in after} for node in counted}
    for name, needed in before.items():
        for one in needed:
            after[one].append(name)
    ready = [name for name, needed in before.items() if not needed]
    done = 0
    while ready:
        done += 1
        for name in after[ready[-1]]:
            before[name].discard(ready[-1])
        ready[-1:] = [name for name in after[ready[-1]] if not before[name]]
    return done < len(before)
