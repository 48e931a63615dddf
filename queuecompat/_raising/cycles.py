"""Whether ops wait for each other: TensorFlow's own import of such a graph can end the process."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from queuecompat._raising.saved_graphs import op_of

__all__ = ["has_cycle"]

# Where the loops of TensorFlow 1 close.
_CLOSES_A_LOOP = ("NextIteration", "RefNextIteration")


def has_cycle(nodes: Sequence[Any]) -> bool:
    """Whether one of *nodes* needs its own output, not counting the loops of ``tf.while_loop``."""
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
