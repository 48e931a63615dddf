"""Cuts a slice in two: a head that runs for each element, and a tail that runs once for each batch.

The head contains every op that cannot be in the tail, and all ops that these need. Among the possible cuts, a minimum
cut of a network is chosen. A tensor that crosses the cut costs its bytes, since these are copied into the batch. Each
op in the head costs as much as copying ``OP_BYTES``.
"""

from __future__ import annotations

import collections
from typing import Any, Callable, Dict, List, Sequence, Set, Tuple

__all__ = ["OP_BYTES", "Network", "head_of"]

# The cost of running one more op for each element, in copied bytes: 1 us at 10 GB/s, TF 2.21.
OP_BYTES = 8 * 1024
_NEVER = 1 << 60

Node = Tuple[str, str]
_HEAD: Node = ("end", "head")
_TAIL: Node = ("end", "tail")


class Network:
    """A flow network, and its minimum cut between the head and the tail."""

    def __init__(self) -> None:
        self._left: Dict[Node, Dict[Node, int]] = collections.defaultdict(dict)

    def add(self, start: Node, end: Node, capacity: int) -> None:
        self._left[start][end] = min(_NEVER, self._left[start].get(end, 0) + capacity)
        self._left[end].setdefault(start, 0)

    def cut(self) -> Set[Node]:
        """Returns the nodes on the side of the head."""
        while True:
            before = self._search()
            if _TAIL not in before:
                return set(before)
            self._push(before)

    def _search(self) -> Dict[Node, Node]:
        """Returns every node that remaining capacity reaches, with the node before it on the shortest path."""
        before = {_HEAD: _HEAD}
        waiting = collections.deque([_HEAD])
        while waiting and _TAIL not in before:
            here = waiting.popleft()
            for there, capacity in self._left[here].items():
                if capacity > 0 and there not in before:
                    before[there] = here
                    waiting.append(there)
        return before

    def _push(self, before: Dict[Node, Node]) -> None:
        path = [_TAIL]
        while path[-1] != _HEAD:
            path.append(before[path[-1]])
        steps = list(zip(path[1:], path))
        flow = min(self._left[start][end] for start, end in steps)
        for start, end in steps:
            self._left[start][end] -= flow
            self._left[end][start] += flow


def head_of(
    ops: Sequence[Any],
    outputs: Sequence[Any],
    must: Set[str],
    size: Callable[[Any], int],
) -> Set[str]:
    """Returns the names of those of *ops* that run for each element.

    Args:
      ops: the ops of a slice whose results differ between elements.
      outputs: the results of the slice.
      must: the names of the ops that cannot run on batches.
      size: returns the bytes of a tensor's element; negative if the tensor cannot be batched.
    """
    network, inside = Network(), {op.name for op in ops}
    for op in ops:
        here: Node = ("op", op.name)
        network.add(here, _TAIL, OP_BYTES)
        if op.name in must:
            network.add(_HEAD, here, _NEVER)
        for tensor in op.inputs:
            if tensor.op.name in inside:
                network.add(here, ("op", tensor.op.name), _NEVER)
                network.add(("tensor", tensor.name), here, _NEVER)
        for before in op.control_inputs:
            if before.name in inside:  # a check stays in the same part as the ops that wait for it
                network.add(here, ("op", before.name), _NEVER)
                network.add(("op", before.name), here, _NEVER)
    for tensor in _tensors(ops, outputs, inside):
        bytes_each = size(tensor)
        network.add(("op", tensor.op.name), ("tensor", tensor.name), _NEVER if bytes_each < 0 else bytes_each)
    for tensor in outputs:
        network.add(("tensor", tensor.name), _TAIL, _NEVER)
    return {name for kind, name in network.cut() if kind == "op"}


def _tensors(ops: Sequence[Any], outputs: Sequence[Any], inside: Set[str]) -> List[Any]:
    used = [tensor for op in ops for tensor in op.inputs] + list(outputs)
    return list({tensor.name: tensor for tensor in used if tensor.op.name in inside}.values())
