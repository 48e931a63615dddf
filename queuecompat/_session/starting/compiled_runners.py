"""TensorFlow's own queue runners of one graph, and the ops that were compiled for them in place of their enqueue ops.

A runner stays the program's, with its threads and its queue (``_raising.runner_ops`` decides what of it is compiled).
This module keeps track of which runners were compiled, and of what else takes elements of the compiled stages.

Rule 1: if the program also runs the original enqueue op itself, directly or through another op, that op and the
        compiled one share the elements: each element goes to one of the two (``share_with``).
"""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Dict, Iterable, List, Mapping, NamedTuple, Set

import tensorflow as tf

from queuecompat._analysis.consumers import note_external_consumers
from queuecompat._analysis.reach import nearest_sources
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage
from queuecompat._session.starting.controls import runners_of
from queuecompat._session.starting.runners import PipelineRunner
from queuecompat._session.starting.runners_session import name_of
from queuecompat.errors import QueueCompatRuntimeError, error

__all__ = ["CompiledRunners", "FilledBy", "names_of"]


class FilledBy(NamedTuple):
    """The compiled replacement of one enqueue op of the program.

    Attributes:
      op: enqueues elements of *stage* into TensorFlow's queue.
      stage: the compiled stage.
      is_run_by_program: whether the program also runs its original op.
    """

    op: tf.Operation
    stage: Stage
    is_run_by_program: bool = False


class CompiledRunners:
    """TensorFlow's own runners in the graph of *pipelines* that have been compiled.

    Attributes:
      graph: that graph.
      compile_runner: compiles one runner; returns the replacements by the names of the original ops, none if it cannot.
    """

    compile_runner: ClassVar[Callable[[Any, Pipelines], Mapping[str, FilledBy]]] = lambda *_: {}

    def __init__(self, pipelines: Pipelines) -> None:
        self._pipelines = pipelines
        self.graph: tf.Graph = pipelines.graph
        self._runners: List[tf.compat.v1.train.QueueRunner] = []
        self._filled_by: Dict[str, FilledBy] = {}  # by the names of the program's own ops

    def __bool__(self) -> bool:
        """Whether there are any. Checked before every step of a session."""
        return bool(self._filled_by)

    def __contains__(self, runner: Any) -> bool:
        return runner in self._runners

    @property
    def stages(self) -> List[Stage]:
        """The compiled stages whose elements fill queues."""
        return [one.stage for one in self._filled_by.values()]

    def of(self, runner: tf.compat.v1.train.QueueRunner) -> Dict[str, FilledBy]:
        """The replacements of the enqueue ops of *runner*, by the names of the original ops."""
        return {name: self._filled_by[name] for name in names_of(runner.enqueue_ops)}

    def upstream_of(self, runner: tf.compat.v1.train.QueueRunner) -> List[PipelineRunner]:
        """The runners of this package's stages that *runner*, compiled or not, takes elements from.

        Upstream ones come first.
        """
        if runner in self:
            ends = [one.stage for one in self.of(runner).values()]
        else:
            ops = [self.graph.get_operation_by_name(name) for name in names_of(runner.enqueue_ops)]
            sources = nearest_sources(ops, self._pipelines)
            ends = list(dict.fromkeys(self._pipelines.place(source)[0] for source in sources))
        return [runner for end in ends for runner in runners_of(end)]

    def add(self, runner: tf.compat.v1.train.QueueRunner, is_late: bool) -> bool:
        """Compiles what *runner* puts into its queue, where that is possible.

        Returns:
          Whether plans of other stages have changed.
        Raises:
          QueueCompatRuntimeError: QC214, as for ``share_with``.
        """
        if runner in (*self._runners, *self._pipelines.native_runners):
            return False
        made = type(self).compile_runner(runner, self._pipelines)
        if not made:
            self._pipelines.native_runners.append(runner)
            return False
        self._filled_by.update(made)
        has_changed = self.share_with(_needed_elsewhere(self.graph, made.keys()), is_late)
        self._runners.append(runner)
        return has_changed

    def share_with(self, names: Iterable[str], is_late: bool) -> bool:
        """Makes the program's own ops called *names* share elements with the ops compiled in place of them.

        Args:
          is_late: whether a pipeline of the graph has started, or the graph is finalised.
        Returns:
          Whether plans have changed.
        Raises:
          QueueCompatRuntimeError: QC214, plans would have to change, and it is too late for that.
        """
        has_changed = False
        for name in self._filled_by.keys() & set(names):
            one, op = self._filled_by[name], self.graph.get_operation_by_name(name)
            if one.is_run_by_program or not nearest_sources([op], self._pipelines):
                continue  # shared already, or it draws from TensorFlow's own queues, which are shared in any case
            if is_late:
                raise error(QueueCompatRuntimeError, "QC214", op=name, queue=one.stage.name)
            note_external_consumers(self._pipelines, [op])
            self._filled_by[name] = one._replace(is_run_by_program=True)
            has_changed = True
        return has_changed


def names_of(fetches: Iterable[Any]) -> Set[str]:
    """The names of the ops of *fetches*, which are ops, tensors, or names of either."""
    return set(map(name_of, fetches))


def _needed_elsewhere(graph: tf.Graph, names: Iterable[str]) -> Set[str]:
    """The *names* of ops that are control inputs of other ops, and so run whenever those run."""
    known = set(names)
    return {one.name for op in graph.get_operations() for one in op.control_inputs if one.name in known}
