"""Adds runners to a saved graph for queues that its program filled itself, by ``session.run(enqueue_op, feed_dict)``.

The runners repeat the enqueue ops of these queues. Since each placeholder has one value, the same
elements are enqueued again and again. An enqueue in a branch gets no runner, since it is unknown when it was run.
"""

from __future__ import annotations

from typing import Any, Dict, List

from queuecompat._raising.saved_graphs import SavedGraph, op_of, with_more

__all__ = ["ENQUEUES", "QUEUES", "with_all_runners"]

QUEUES = ("FIFOQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2", "RandomShuffleQueueV2")
ENQUEUES = ("QueueEnqueueManyV2", "QueueEnqueueV2")


def with_all_runners(graph: SavedGraph) -> SavedGraph:
    """Returns *graph* with a runner for each queue that has enqueue ops but no runner."""
    enqueues: Dict[str, List[str]] = {}
    for node in graph.nodes.values():
        if node.op in ENQUEUES and node.input:
            enqueues.setdefault(op_of(node.input[0]), []).append(node.name)
    served = {op_of(runner.queue_name) for runner in graph.runners}
    nodes: List[Any] = []
    runners: List[Any] = []
    for name, node in graph.nodes.items():
        if node.op in QUEUES and name not in served and name in enqueues:
            closes = [_close(node, is_cancel) for is_cancel in (False, True)]
            runners.append(graph.kinds.runner(queue_name=name, enqueue_op_name=enqueues[name]))
            runners[-1].close_op_name, runners[-1].cancel_op_name = (close.name for close in closes)
            nodes += closes
    return with_more(graph, nodes, runners) if runners else graph


def _close(queue: Any, is_cancel: bool) -> Any:
    """Returns the op that closes *queue* when its runner ends, or with *is_cancel*, when it is stopped."""
    close = type(queue)(name=f"{queue.name}/queuecompat_close_{int(is_cancel)}", op="QueueCloseV2", input=[queue.name])
    close.attr["cancel_pending_enqueues"].b = is_cancel
    return close
