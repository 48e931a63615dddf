"""A view of the registry for one enqueue op of a runner, in which each draw is a stage of this op alone.

In the registry of a graph, a draw is one stage that all its consumers share. But each op of a runner draws its
elements by itself: two ops that use the same reader read different records. So each op has its own stages, which draw
from TensorFlow's queue, and that queue divides its elements among them.

Rule 1: more elements are taken from a queue at once than the runner's thread took, so nothing may depend on how many
        are left in it: only runners may enqueue elements, and only summaries may read its size.
Rule 2: batchers that are compiled as a whole take elements ahead from any queue, so batchers with a queue of
        TensorFlow's may do so too (*may_be_watched*). But if the program uses the queue itself, or one further upstream
        (``is_watched``), no element may wait for a next one that the program has not enqueued yet.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Set, Tuple, Union

import tensorflow as tf

from queuecompat._plan.external import element_source, external_source
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import NativeStage, Stage, with_upstream
from queuecompat._raising.reads import READS, read_step
from queuecompat._session.graph_ops.placement import OURS
from queuecompat._session.steps.fetches import ops_required_by
from queuecompat.errors import CannotCompileError

__all__ = ["OwnDraws", "refused"]

_DEQUEUES = ("QueueDequeueManyV2", "QueueDequeueUpToV2", "QueueDequeueV2")
_CHANGE_NOTHING = ("QueueCloseV2", "QueueIsClosedV2", *_DEQUEUES, *READS)


def refused(
    why: str, instead: str = "build the input with tf.train.batch or tf.train.shuffle_batch"
) -> CannotCompileError:
    """Returns the error QC213: the runner is left unchanged because of *why*."""
    return CannotCompileError("QC213", why=why, instead=instead)


class OwnDraws(Pipelines):
    """The registry *whole* as one enqueue op sees it (an ``_analysis.frontier.Frontier``).

    Args:
      enqueues: the names of the enqueue ops of runners.
      may_be_watched: whether the program may itself use the queues that the op draws from; otherwise that is QC213.
    Attributes:
      is_watched: whether the program uses one of these queues itself, or one that their elements come from.
    """

    def __init__(self, whole: Pipelines, enqueues: Set[str], *, may_be_watched: bool) -> None:
        # Does not call the base class, which would register itself with the graph.
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
        """Adds the stages that were found to the registry of the graph."""
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

    def note_sources(self, stages: Sequence[Stage]) -> None:
        """Records whether the program itself uses a queue that *stages*, upstream of the op, draw from."""
        self.is_watched |= any(self._is_upstream_watched(queue, set()) for queue in _queues_of(stages))

    def _note_onlookers(self, queue: tf.Tensor) -> None:
        """Records, or raises (QC213), that the program itself uses *queue*, so that the number of elements matters."""
        why = self._why_watched(queue)
        if why is not None and not self._may_be_watched:
            raise why
        self.is_watched |= why is not None

    def _why_watched(self, queue: tf.Tensor) -> Optional[CannotCompileError]:
        """The error QC213 that says how the program itself uses *queue*; None: it does not."""
        try:
            self._require_no_onlooker(queue)
        except CannotCompileError as why:
            return why
        return None

    def _is_upstream_watched(self, queue: tf.Tensor, seen: Set[str]) -> bool:
        """Whether the program itself uses *queue*, or one that the elements in it come from.

        Args:
          seen: the names of the queues that need not be examined again; *queue* is added.
        """
        if queue.op.name in seen:
            return False
        seen.add(queue.op.name)
        if self._why_watched(queue) is not None:
            return True
        fills = [op for op in queue.consumers() if op.name in self._enqueues]
        drawn = [self.graph.get_operation_by_name(name) for name in ops_required_by(self.graph, fills)]
        return any(self._is_upstream_watched(one, seen) for op in drawn for one in self._drawn_from(op))

    def _drawn_from(self, op: tf.Operation) -> List[tf.Tensor]:
        """The queues that *op* takes elements from, if it is a draw of the program's or of a compiled pipeline."""
        if op.type in _DEQUEUES:
            return [op.inputs[0]]
        if op.type in READS:
            return [op.inputs[1]]
        if op.outputs and self._whole.is_source(op.outputs[0]):
            return _queues_of(with_upstream([self._whole.place(op.outputs[0])[0]]))
        return []

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


def _queues_of(stages: Sequence[Stage]) -> List[tf.Tensor]:
    """The queues of TensorFlow's own that *stages* draw from."""
    return [queue for stage in stages if stage.external is not None for queue in stage.external.queues]


def _is_only_summarised(op: tf.Operation) -> bool:
    """Whether the results of *op* are only used in summaries, such as those of how full a queue is."""
    consumers = [consumer for output in op.outputs for consumer in output.consumers()]
    return all(map(_is_only_summarised, consumers)) if consumers else op.type.endswith("Summary")


def _is_of_ours(op: tf.Operation) -> bool:
    return f"/{OURS}_" in op.name
