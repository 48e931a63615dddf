"""The registry of one graph: the stages made so far, and the tensors that they output.

Every call of a program looks up the stages of its graph here. The registry is also the frontier at which slices of the
user's graph end (``_analysis.frontier.Frontier``). Its ``backend`` runs the stages.
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, ClassVar, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import tensorflow as tf

from queuecompat._plan.backend import Backend
from queuecompat._plan.external import external_source
from queuecompat._plan.options import Options
from queuecompat._plan.stages import NativeStage, Stage
from queuecompat.errors import Reason

__all__ = ["BatcherWithQueue", "Pipelines"]

# The attribute of a graph that holds its Pipelines. Not a graph collection, since exporting a meta graph
# tries to export the content of every collection.
_ATTRIBUTE = "_queuecompat_pipelines"


class BatcherWithQueue(NamedTuple):
    """A batcher whose queue must be TensorFlow's own; the ops that its runner repeats are compiled when it starts.

    Attributes:
      name: the name of its stage.
      made_at: the user's line that made it.
      reason: why the queue must be TensorFlow's own; reported if these ops cannot be compiled either.
      options: the options in effect where it was made.
    """

    name: str
    made_at: str
    reason: Reason
    options: Options


class Pipelines:
    """The registry of one graph; ``Pipelines.of(graph)`` finds or makes it.

    Args:
      make_backend: makes the back end that runs the stages; None: ``default_backend``, which ``_session`` sets.
    """

    default_backend: ClassVar[Optional[Callable[[Pipelines], Backend]]] = None

    def __init__(self, graph: tf.Graph, make_backend: Optional[Callable[[Pipelines], Backend]] = None) -> None:
        self.graph = graph
        self.stages: List[Union[Stage, NativeStage]] = []
        # Runners of TensorFlow's queues that are not compiled: the reason is known already, or there is no benefit.
        self.native_runners: List[Any] = []
        # By the names of their queue ops.
        self.batchers_with_queues: Dict[str, BatcherWithQueue] = {}
        self._by_key: Dict[str, Stage] = {}
        self._places: Dict[str, Tuple[Stage, int]] = {}
        self._guards: Dict[str, str] = {}
        setattr(graph, _ATTRIBUTE, self)
        make = make_backend or type(self).default_backend
        assert make is not None, "import queuecompat.train before anything is captured"
        self.backend: Backend = make(self)

    @classmethod
    def of(cls, graph: tf.Graph) -> Pipelines:
        return cls.find(graph) or cls(graph)

    @classmethod
    def find(cls, graph: tf.Graph) -> Optional[Pipelines]:
        """Returns the registry of *graph*; None: it has none."""
        return getattr(graph, _ATTRIBUTE, None)

    @contextlib.contextmanager
    def building_natively(self) -> Iterator[None]:
        """Within the block, queue runners that are added to the graph are marked as not to be compiled."""
        with self._adding_runners() as added:
            yield
        self.native_runners += added

    @contextlib.contextmanager
    def building_queue_of(self, batcher: BatcherWithQueue) -> Iterator[None]:
        """Within the block, the queue that is made belongs to *batcher*."""
        with self._adding_runners() as added:
            yield
        self.batchers_with_queues.update((one.queue.queue_ref.op.name, batcher) for one in added)
        self.backend.changed()

    @contextlib.contextmanager
    def _adding_runners(self) -> Iterator[List[Any]]:
        """Yields a list, to which the queue runners that the block adds to the graph are appended when it ends."""
        runners = tf.compat.v1.GraphKeys.QUEUE_RUNNERS
        before = self.graph.get_collection(runners)
        added: List[Any] = []
        yield added
        added += [one for one in self.graph.get_collection(runners) if one not in before]

    def add(self, stage: Union[Stage, NativeStage]) -> None:
        """Registers *stage* and makes its key unique."""
        self.stages.append(stage)
        if isinstance(stage, Stage):
            number = 2
            while stage.key in self._by_key:
                stage.key = f"{stage.name}#{number}"
                number += 1
            self._by_key[stage.key] = stage

    def stage(self, key: str) -> Stage:
        """Returns the stage with this *key*."""
        return self._by_key[key]

    def add_sources(self, stage: Stage, tensors: Sequence[tf.Tensor]) -> None:
        """Registers *tensors* as the components of *stage*'s elements, in order."""
        self._places.update({tensor.name: (stage, number) for number, tensor in enumerate(tensors)})

    def add_guards(self, scope: str, ops: Iterable[tf.Operation]) -> None:
        """Registers *ops*, made by this package, as guards that run before each draw of the stage with this *scope*."""
        self._guards.update((op.name, scope) for op in ops)

    def guarded(self, name: str) -> str:
        """Returns the scope of the stage that the op *name* guards; *name* itself if the op is no guard."""
        return self._guards.get(name, name)

    def place(self, source: tf.Tensor) -> Tuple[Stage, int]:
        """Returns the stage that outputs *source*, and the index of the component that it is."""
        return self._places[source.name]

    def is_source(self, tensor: tf.Tensor) -> bool:
        return tensor.name in self._places

    def is_captured(self, tensor: tf.Tensor) -> bool:
        return False

    def is_drawn_sometimes(self, source: tf.Tensor) -> bool:
        # Every tensor that enters a control flow context passes through one of these ops.
        return any(given.op.type in ("Switch", "RefSwitch", "Enter", "RefEnter") for given in source.op.inputs)

    def waits_for(self, source: tf.Tensor) -> List[tf.Operation]:
        return [op for op in source.op.control_inputs if op.name not in self._guards]

    def adopt(self, op: tf.Operation) -> bool:
        stage = external_source(op)
        if stage is not None:
            self.backend.require_near([stage], [given for given in op.inputs if given.dtype == tf.resource])
            self.add(stage)
            self.add_sources(stage, op.outputs)
        return stage is not None

    def require_near(
        self, sources: Sequence[tf.Tensor], states: Sequence[tf.Tensor], ops: Iterable[tf.Operation]
    ) -> None:
        if sources or states:
            self.backend.require_near([self.place(source)[0] for source in sources], states, ops)
