"""The draws of one enqueue op, each as a stage that no other op has.

The registry of a graph knows a draw once, for all that take its elements. A runner's op takes its elements by itself:
two ops that read with one reader read different records. So each has stages of its own, which draw from TensorFlow's
queue, and that queue shares its elements among them.

Rule 1: more is taken from a queue at once than the runner's thread took, so nothing may depend on what is left in it.
        Only the runners may put elements in, and nothing but a summary may look at its size.
Rule 2: batchers that are compiled as a whole take ahead from any queue, and so may those whose queue is TensorFlow's
        (*may_be_watched*). But no element may wait for a next one that the program has yet to put in (``is_watched``).
"""

from __future__ import annotations

from typing import Dict, List, Optional, Set, Tuple, Union

import tensorflow as tf

from queuecompat._plan.external import element_source, external_source
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import NativeStage, Stage
from queuecompat._raising.reads import READS, read_step
from queuecompat._session.graph_ops.placement import OURS
from queuecompat.errors import CannotCompileError

__all__ = ["OwnDraws", "refused"]

_DEQUEUES = ("QueueDequeueManyV2", "QueueDequeueUpToV2", "QueueDequeueV2")
_CHANGE_NOTHING = ("QueueCloseV2", "QueueIsClosedV2", *_DEQUEUES, *READS)


def refused(
    why: str, instead: str = "build the input with tf.train.batch or tf.train.shuffle_batch"
) -> CannotCompileError:
    """QC213: what a runner does is left as it is, and *why*."""
    return CannotCompileError("QC213", why=why, instead=instead)


class OwnDraws(Pipelines):
    """The registry *whole* as one enqueue op sees it (a ``slicing.Frontier``).

    Args:
      enqueues: the names of the ops by which runners put elements into queues.
      may_be_watched: whether the program may use the queues that it draws from.
    Attributes:
      is_watched: it does so.
    """

    def __init__(self, whole: Pipelines, enqueues: Set[str], *, may_be_watched: bool) -> None:
        # Not that of the base class: nothing is registered for the graph.
        self.graph, self.backend, self.stages = whole.graph, whole.backend, list(whole.stages)
        self._whole = whole
        self._enqueues = enqueues
        self._may_be_watched = may_be_watched
        self.is_watched = False
        self._own: List[Union[Stage, NativeStage]] = []
        self._places: Dict[str, Tuple[Stage, int]] = {}

    def add(self, stage: Union[Stage, NativeStage]) -> None:
        self._own.append(stage)
        self.stages.append(stage)

    def register(self) -> None:
        """The stages that were found are part of the graph from now on."""
        for stage in self._own:
            self._whole.add(stage)

    def is_source(self, tensor: tf.Tensor) -> bool:
        if tensor.op.type in (*_DEQUEUES, *READS):
            return tensor.name in self._places
        return self._whole.is_source(tensor)

    def place(self, source: tf.Tensor) -> Tuple[Stage, int]:
        return self._places.get(source.name) or self._whole.place(source)

    def guarded(self, name: str) -> str:
        return self._whole.guarded(name)

    def waits_for(self, source: tf.Tensor) -> List[tf.Operation]:
        return self._whole.waits_for(source)

    def adopt(self, op: tf.Operation) -> bool:
        if op.type in READS:
            stage = self._read(op)
        elif op.type in _DEQUEUES:
            stage = external_source(op)
            self._note_onlookers(op.inputs[0])
        else:
            is_adopted = self._whole.adopt(op)
            self.stages = [*self._whole.stages, *self._own]
            return is_adopted
        if stage is None:
            return False
        self.add(stage)
        self.add_sources(stage, op.outputs)
        return True

    def _read(self, op: tf.Operation) -> Optional[Stage]:
        reader, queue = op.inputs[0], op.inputs[1]
        others = [one for one in reader.consumers() if one.type not in READS]
        if others:
            raise refused(f"the program itself uses its reader ('{others[0].name}')")
        self._note_onlookers(queue)
        names = element_source(queue, op)
        if names is None:
            return None
        self.add(names)
        return Stage(op.name, names.made_at, scope=op.name, upstream=[names], steps=[read_step(op)])

    def _note_onlookers(self, queue: tf.Tensor) -> None:
        """Notes, or raises, that the program could tell how much is left in *queue*, or depends on it."""
        try:
            self._require_no_onlooker(queue)
        except CannotCompileError:
            if not self._may_be_watched:
                raise
            self.is_watched = True

    def _require_no_onlooker(self, queue: tf.Tensor) -> None:
        if queue.op.type.endswith("QueueV2") and queue.op.get_attr("shared_name"):
            raise refused(f"other sessions and graphs can use the queue '{queue.op.name}' that it draws from")
        for op in queue.consumers():
            if _is_of_ours(op):
                continue
            if op.type == "QueueSizeV2" and not _is_only_summarised(op):
                raise refused(f"the program itself looks at the size of '{queue.op.name}', which it draws from")
            if op.type.startswith("QueueEnqueue") or op.type == "Switch":
                if op.name not in self._enqueues:
                    raise refused(f"the program itself puts elements into '{queue.op.name}', which it draws from")
            elif op.type not in (*_CHANGE_NOTHING, "QueueSizeV2"):
                raise refused(f"'{op.name}' uses the queue '{queue.op.name}' that it draws from")


def _is_only_summarised(op: tf.Operation) -> bool:
    """Whether all that comes of *op* are summaries, such as those of how full a queue is."""
    consumers = [consumer for output in op.outputs for consumer in output.consumers()]
    return all(map(_is_only_summarised, consumers)) if consumers else op.type.endswith("Summary")


def _is_of_ours(op: tf.Operation) -> bool:
    return f"/{OURS}_" in op.name
