"""All the pipelines of one graph: the stages made so far, and the tensors that come out of them.

It is where slices end (``slicing.Frontier``), and what every call of a program finds its graph's stages in. What they
are run with is the business of its ``backend``.
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

# Where a graph keeps its Pipelines. An attribute and not a graph collection: whatever is in a
# collection is offered to every exported meta graph.
_ATTRIBUTE = "_queuecompat_pipelines"


class BatcherWithQueue(NamedTuple):
    """A batcher whose queue has to be TensorFlow's; what its runner repeats is compiled when that starts.

    Attributes:
      reason: why; it is told where that cannot be compiled either.
      options: those that were chosen where it was made.
    """

    name: str
    made_at: str
    reason: Reason
    options: Options


class Pipelines:
    """The registry of one graph; ``Pipelines.of(graph)`` finds or makes it.

    Args:
      make_backend: makes what the stages are run with; None: ``default_backend``, which a session's back end sets.
    """

    default_backend: ClassVar[Optional[Callable[[Pipelines], Backend]]] = None

    def __init__(self, graph: tf.Graph, make_backend: Optional[Callable[[Pipelines], Backend]] = None) -> None:
        self.graph = graph
        self.stages: List[Union[Stage, NativeStage]] = []
        # Runners of TensorFlow's queues that stay as they are: why is known already, or nothing would be gained.
        self.native_runners: List[Any] = []
        # By the names of their queues.
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
        """That of *graph*, if it has one."""
        return getattr(graph, _ATTRIBUTE, None)

    @contextlib.contextmanager
    def building_natively(self) -> Iterator[None]:
        """The runners that the block adds to the graph stay as they are."""
        with self._adding_runners() as added:
            yield
        self.native_runners += added

    @contextlib.contextmanager
    def building_queue_of(self, batcher: BatcherWithQueue) -> Iterator[None]:
        """The queue that the block makes is that of *batcher*."""
        with self._adding_runners() as added:
            yield
        self.batchers_with_queues.update((one.queue.queue_ref.op.name, batcher) for one in added)
        self.backend.changed()

    @contextlib.contextmanager
    def _adding_runners(self) -> Iterator[List[Any]]:
        """A list of the runners that the block adds to the graph, when it has ended."""
        runners = tf.compat.v1.GraphKeys.QUEUE_RUNNERS
        before = self.graph.get_collection(runners)
        added: List[Any] = []
        yield added
        added += [one for one in self.graph.get_collection(runners) if one not in before]

    def add(self, stage: Union[Stage, NativeStage]) -> None:
        """Registers a stage, which from now on has a key of its own."""
        self.stages.append(stage)
        if isinstance(stage, Stage):
            number = 2
            while stage.key in self._by_key:
                stage.key = f"{stage.name}#{number}"
                number += 1
            self._by_key[stage.key] = stage

    def stage(self, key: str) -> Stage:
        """The stage of that *key*."""
        return self._by_key[key]

    def add_sources(self, stage: Stage, tensors: Sequence[tf.Tensor]) -> None:
        """*tensors* are the elements of *stage*, component by component."""
        self._places.update({tensor.name: (stage, number) for number, tensor in enumerate(tensors)})

    def add_guards(self, scope: str, ops: Iterable[tf.Operation]) -> None:
        """*ops*, which are ours, run before each draw of the stage whose ops stand below *scope*."""
        self._guards.update((op.name, scope) for op in ops)

    def guarded(self, name: str) -> str:
        """The scope of the stage that the op called *name* guards; *name* where it guards none."""
        return self._guards.get(name, name)

    def place(self, source: tf.Tensor) -> Tuple[Stage, int]:
        """The stage that *source* comes out of, and its number there."""
        return self._places[source.name]

    def is_source(self, tensor: tf.Tensor) -> bool:
        return tensor.name in self._places

    def is_captured(self, tensor: tf.Tensor) -> bool:
        return False

    def is_drawn_sometimes(self, source: tf.Tensor) -> bool:
        # Inside a control flow context whatever comes from outside passes one of these.
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
