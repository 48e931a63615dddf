"""The queue runners of TensorFlow's in one graph: what their threads run in place of the ops that they name.

A runner stays the program's, with its threads and its queue (``_raising.runner_ops`` says what is compiled of it). Here
is known for which runners that was done, and who else takes elements of what was compiled.

Rule 1: an op that the program runs as well, itself or through another op, shares the elements with what was compiled
        in its place: each goes to one of the two (``share_with``).
"""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Dict, Iterable, List, Mapping, NamedTuple, Set

import tensorflow as tf

from queuecompat._analysis.consumers import note_external_consumers
from queuecompat._analysis.reach import sources_behind
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage
from queuecompat._session.starting.controls import runners_of
from queuecompat._session.starting.runners import PipelineRunner
from queuecompat._session.starting.runners_session import name_of
from queuecompat.errors import QueueCompatRuntimeError, error

__all__ = ["CompiledRunners", "FilledBy", "names_of"]


class FilledBy(NamedTuple):
    """What fills a queue of TensorFlow's in place of an op of the program.

    Attributes:
      op: puts elements of *stage* into the queue.
      is_run_by_program: whether the program runs its own op as well.
    """

    op: tf.Operation
    stage: Stage
    is_run_by_program: bool = False


class CompiledRunners:
    """Those of the graph of *pipelines*.

    Attributes:
      graph: that graph.
      compile_runner: returns what a runner of TensorFlow's is to run, by the names of the ops that it names.
    """

    compile_runner: ClassVar[Callable[[Any, Pipelines], Mapping[str, FilledBy]]] = lambda *_: {}

    def __init__(self, pipelines: Pipelines) -> None:
        self._pipelines = pipelines
        self.graph: tf.Graph = pipelines.graph
        self._runners: List[tf.compat.v1.train.QueueRunner] = []
        self._filled_by: Dict[str, FilledBy] = {}  # by the names of the program's own ops

    def __bool__(self) -> bool:
        """Whether there are any: asked before each step of a session."""
        return bool(self._filled_by)

    def __contains__(self, runner: Any) -> bool:
        return runner in self._runners

    @property
    def stages(self) -> List[Stage]:
        """Those whose elements fill the queues."""
        return [one.stage for one in self._filled_by.values()]

    def of(self, runner: tf.compat.v1.train.QueueRunner) -> Dict[str, FilledBy]:
        """What was compiled for *runner*, by the names of its own ops."""
        return {name: self._filled_by[name] for name in names_of(runner.enqueue_ops)}

    def upstream_of(self, runner: tf.compat.v1.train.QueueRunner) -> List[PipelineRunner]:
        """Ours that what *runner* runs takes elements of, compiled or not; the first of a pipeline come first."""
        if runner in self:
            ends = [one.stage for one in self.of(runner).values()]
        else:
            ops = [self.graph.get_operation_by_name(name) for name in names_of(runner.enqueue_ops)]
            sources = sources_behind(ops, self._pipelines)
            ends = list(dict.fromkeys(self._pipelines.place(source)[0] for source in sources))
        return [runner for end in ends for runner in runners_of(end)]

    def add(self, runner: tf.compat.v1.train.QueueRunner, is_late: bool) -> bool:
        """Compiles what *runner* fills its queue with, where that is possible.

        Returns:
          Whether plans have changed.
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
        """The ops called *names* take elements as well, those of them in whose place a compiled one is run.

        Args:
          is_late: whether a pipeline of the graph has started, or nothing can be added to the graph.
        Returns:
          Whether plans have changed.
        Raises:
          QueueCompatRuntimeError: QC214, it is too late for that.
        """
        has_changed = False
        for name in self._filled_by.keys() & set(names):
            one, op = self._filled_by[name], self.graph.get_operation_by_name(name)
            if one.is_run_by_program or not sources_behind([op], self._pipelines):
                continue  # what it draws from is TensorFlow's own, and shared in any case
            if is_late:
                raise error(QueueCompatRuntimeError, "QC214", op=name, queue=one.stage.name)
            note_external_consumers(self._pipelines, [op])
            self._filled_by[name] = one._replace(is_run_by_program=True)
            has_changed = True
        return has_changed


def names_of(fetches: Iterable[Any]) -> Set[str]:
    """The names of the ops that *fetches*, ops, tensors or names of these, stand for."""
    return set(map(name_of, fetches))


def _needed_elsewhere(graph: tf.Graph, names: Iterable[str]) -> Set[str]:
    """Those of the ops called *names* that run whenever a different op runs."""
    known = set(names)
    return {one.name for op in graph.get_operations() for one in op.control_inputs if one.name in known}
