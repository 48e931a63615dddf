"""The back end that is used while an input function is traced for a dataset: it builds nothing (``backend.Backend``).

The input function gets placeholders in a temporary graph. They have the types and shapes that TF1 would have inferred,
but no op computes them: the dataset is lowered from the plan.
"""

from __future__ import annotations

import contextlib
from typing import ContextManager, Dict, Iterable, List, Optional, Sequence

import numpy as np
import tensorflow as tf

from queuecompat._analysis.op_copy import EXTERNAL_ARRAY_OP
from queuecompat._plan.backend import Lowered, QueueSpec
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage

__all__ = ["NOTHING", "TraceBackend"]

# The end of the names of the placeholders that stand for iterators in a trace.
NOTHING = "queuecompat/nothing"


class TraceBackend:
    """The back end of the graph of one trace.

    Attributes:
      arrays: the arrays that stay outside of the graph, by the names of the tensors that stand for them.
      failures: by the key of a stage, the message of the InvalidArgumentError that each run of that stage must raise.
    """

    compiles_runners = False

    def __init__(self, pipelines: Pipelines) -> None:
        self._pipelines = pipelines
        self.arrays: Dict[str, np.ndarray] = {}
        self.failures: Dict[str, str] = {}

    def queue(self, spec: QueueSpec, upstreams: Sequence[Sequence[Stage]] = ()) -> TracedQueue:
        return TracedQueue(self._pipelines.graph, spec.scope, self.arrays)

    def require_near(
        self, stages: Sequence[Stage], states: Sequence[tf.Tensor], ops: Iterable[tf.Operation] = ()
    ) -> None:
        """Does nothing: the dataset, and all that it needs, is in this process."""

    def beside(self, tensor: tf.Tensor) -> ContextManager[None]:
        return contextlib.nullcontext()

    def add_queue(self, stage: Stage) -> None:
        self._pipelines.add(stage)

    def terminal(self, stage: Stage, components: Sequence[tf.TensorSpec], fails: str = "") -> List[tf.Tensor]:
        self._pipelines.add(stage)
        if fails:
            self.failures[stage.key] = fails
        graph = self._pipelines.graph
        with graph.as_default(), tf.control_dependencies(None), graph.colocate_with(None, ignore_existing=True):
            drawn = tf.raw_ops.IteratorGetNext(
                # An iterator that does not exist: the op only provides several tensors with the name of one op, as a
                # real draw has.
                iterator=tf.compat.v1.placeholder(tf.resource, [], name=f"{stage.scope}/{NOTHING}/"),
                output_types=[spec.dtype for spec in components],
                output_shapes=[spec.shape for spec in components],
                name=f"{stage.scope}/",
            )
        tensors = list(drawn)
        self._pipelines.add_sources(stage, tensors)
        return tensors

    def late_draw(self, stage: Stage, name: str) -> Optional[List[tf.Tensor]]:
        return None

    def close(self, stage: Stage, name: str) -> tf.Operation:
        raise NotImplementedError(f"'{stage.name}' is closed, but nothing runs in a trace")

    def plans(self) -> List[Lowered]:
        return []

    def changed(self) -> None:
        """Does nothing: plans are made only after the function has returned."""


class TracedQueue:
    """The ``backend.QueueControl`` of one queue in a trace. It only records where the queue's arrays are."""

    is_running = False

    def __init__(self, graph: tf.Graph, scope: str, arrays: Dict[str, np.ndarray]) -> None:
        self.graph = graph
        self._scope = scope
        self._arrays = arrays

    def array(self, array: np.ndarray) -> tf.Tensor:
        with tf.control_dependencies(None), tf.name_scope(f"{self._scope.rstrip('/')}/queuecompat/"):
            tensor = tf.raw_ops.ImmutableConst(
                dtype=tf.as_dtype(array.dtype), shape=array.shape, memory_region_name="array", name="array"
            )
        assert tensor.op.type == EXTERNAL_ARRAY_OP
        self._arrays[tensor.name] = array
        return tensor

    def summarise(self, tag: Optional[str] = None) -> None:
        """Does nothing: no queue runs that could be full."""

    def summarise_size(self, tag: str) -> None:
        """Does nothing: no queue runs that could be full."""

    def size(self, name: str) -> tf.Tensor:
        raise NotImplementedError("nothing runs in a trace")

    def is_closed(self, name: Optional[str] = None) -> tf.Tensor:
        raise NotImplementedError("nothing runs in a trace")

    def replaced(self) -> ContextManager[None]:
        return contextlib.nullcontext()
