"""Compiles the ops that one of TensorFlow's queue runners repeats, as a pipeline that fills the same queue.

Functions imported before ``install()``, functions of TensorFlow's private modules, and programs that build their queues
by hand use TensorFlow's own queues, ops and runners. These all stay unchanged, so that everything the program does with
a queue works as before. Only the computation of the elements is compiled, up to the enqueue op: a tf.data iterator
outputs blocks of elements, and a new op enqueues a block where the runner's own op enqueued one element. The runner's
threads run the new op (``_session.starting.runners_session``).

    names -> queue -> ReaderRead -> parse, decode ... -> enqueue        the program's
    names -> queue -> records -> parse, decode ... -> blocks -> enqueue_many        what the runner's threads run

Rule 1: elements are taken from TensorFlow's own queues upstream, each by one consumer, so that no element is lost or
        duplicated if the program runs its own ops as well.
Rule 2: a block has one element unless all elements come from runners, files or the graph itself: otherwise an element
        could wait for the rest of its block. It also has one element if several runners fill the queue, perhaps in
        other graphs or processes (``shared_name``), unless the data are endless: the first runner that ends closes the
        queue, and the elements that the others hold are lost, which in TensorFlow 1 is one for each. The same holds if
        the runner takes an error for the end of the data, because an error loses all elements of its block.
Rule 3: if the program could observe the difference, the runner is left unchanged, and QC213 states the reason. The ops
        of a batcher are never observed, since programs do not run them themselves.
"""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, List, Mapping, NamedTuple, Sequence, Set, Tuple

import tensorflow as tf

from queuecompat._capture.fallback import record_native
from queuecompat._capture.inputs import input_branch
from queuecompat._eager.runners import FunctionQueueRunner
from queuecompat._native import own_queues
from queuecompat._native.originals import TRAIN
from queuecompat._plan import ir
from queuecompat._plan.backend import QueueSpec
from queuecompat._plan.cardinality import is_endless
from queuecompat._plan.external import ExternalSource
from queuecompat._plan.ignored_options import warn_ignored
from queuecompat._plan.options import current, options
from queuecompat._plan.queue_names import QueueNames
from queuecompat._plan.registry import BatcherWithQueue, Pipelines
from queuecompat._plan.stages import InputBranch, NativeStage, Stage, plan_of, with_upstream
from queuecompat._raising.enqueues import Enqueue, enqueue_into
from queuecompat._raising.own_draws import OwnDraws, refused
from queuecompat._session.graph_ops.placement import outside_user_scopes
from queuecompat._session.starting.compiled_runners import CompiledRunners, FilledBy
from queuecompat._session.starting.controls import control_of
from queuecompat.errors import CannotCompileError, line_of

__all__ = ["compile_runner"]

# The maximum number of elements in a block. Most of the cost of an element in TensorFlow 1 is a session step and waking
# a thread. Measured on 2 processors, TF 2.21, records of 32x32 images, microseconds an example: 142 with TensorFlow's
# runner, 48 with blocks of 16, 22 with blocks of 64, 22 with shuffle_batch compiled as a whole.
LARGEST_BLOCK = 64
# A block may have 1 / SHARE_OF_CAPACITY of the queue's capacity: one is being made while another waits for room.
SHARE_OF_CAPACITY = 4
_KINDS = ("FIFOQueueV2", "PaddingFIFOQueueV2", "RandomShuffleQueueV2")


def compile_runner(runner: Any, pipelines: Pipelines) -> Mapping[str, FilledBy]:
    """Returns the ops that *runner* has to run, by the names of its own ops; empty: it stays unchanged."""
    repeated = [] if own_queues.are_asked_for() else _repeated(runner)
    if not repeated:
        return {}
    queue, ends_by_errors = _handle(runner), _ends_by_errors(runner)
    batcher = pipelines.batchers_with_queues.get(queue.op.name)
    if batcher is not None:
        return _of_batcher(batcher, queue, repeated, ends_by_errors, pipelines)
    whose = _Whose(queue.op.name, line_of(queue.op) or "<unknown>", is_batcher=False)
    try:
        return _compiled(whose, queue, repeated, ends_by_errors, pipelines)
    except CannotCompileError as problem:
        reason = _of_runner(problem).reason(whose.name, whose.made_at)
        if reason.code == "QC213":  # no warning: it does what the program means, no slower than before
            ignored = warn_ignored(whose.name, whose.made_at, current())
            pipelines.add(NativeStage(whose.name, whose.made_at, reason, ignored))
        else:
            record_native(pipelines.graph, whose.name, whose.made_at, reason)
        return {}


CompiledRunners.compile_runner = compile_runner


class _Whose(NamedTuple):
    """What a queue belongs to.

    Attributes:
      name: the name in reports.
      made_at: the user's line.
      is_batcher: whether it is a batcher, whose ops with effects, or that call Python, may run ahead, as in batchers
        that are compiled as a whole.
    """

    name: str
    made_at: str
    is_batcher: bool


def _of_batcher(
    batcher: BatcherWithQueue,
    queue: tf.Tensor,
    repeated: Sequence[tf.Operation],
    ends_by_errors: bool,
    pipelines: Pipelines,
) -> Mapping[str, FilledBy]:
    """As ``compile_runner``, for the queue of *batcher*; if the ops cannot be compiled, warns that it is native."""
    reason = batcher.reason
    with options(**vars(batcher.options)):
        try:
            whose = _Whose(batcher.name, batcher.made_at, is_batcher=True)
            filled = _compiled(whose, queue, repeated, ends_by_errors, pipelines)
            if filled:
                return filled
        except CannotCompileError as problem:
            if _of_runner(problem).code != "QC213":
                reason = problem.reason(batcher.name, batcher.made_at)
        record_native(pipelines.graph, batcher.name, batcher.made_at, reason)
        return {}


def _of_runner(problem: CannotCompileError) -> CannotCompileError:
    """Returns *problem* as an error about runners if it is one about input functions (QC209)."""
    if problem.code != "QC209":
        return problem
    return refused(f"'{problem.fields['tensor']}' is {problem.fields['what']}")


def _compiled(
    whose: _Whose, queue: tf.Tensor, repeated: Sequence[tf.Operation], ends_by_errors: bool, pipelines: Pipelines
) -> Mapping[str, FilledBy]:
    if queue.op.type.startswith("PriorityQueue"):
        raise refused("a PriorityQueue takes elements one by one")
    if queue.op.type not in _KINDS:
        raise refused(f"it is a {queue.op.type}", "create it with the queue classes of TensorFlow 2's tf.compat.v1")
    enqueues = _enqueues_of_runners(pipelines)
    branches: List[Tuple[tf.Operation, InputBranch, OwnDraws]] = []
    for op in dict.fromkeys(repeated):
        enqueue = enqueue_into(queue.op, op)
        if enqueue is None:
            raise refused(f"'{op.name}' puts nothing into it")
        own = OwnDraws(pipelines, enqueues, may_be_watched=whose.is_batcher)
        branch = _branch(enqueue, queue, own)
        if enqueue.is_many and not branch.upstream:
            return {}  # the program enqueues many elements at once, such as the rows of a producer: no benefit
        _require_compilable(branch, whose.is_batcher)
        own.note_sources(with_upstream(branch.upstream))
        if branch.upstream:
            pipelines.backend.require_near(branch.upstream, [queue])
        branches.append((op, branch, own))
    is_alone = _fillers(queue, pipelines) == 1 and not queue.op.get_attr("shared_name")
    return {
        op.name: _FilledQueue(
            queue,
            whose,
            repeated.count(op),
            one_by_one=ends_by_errors or own.is_watched or not (is_alone or _is_endless(branch)),
            pipelines=pipelines,
        ).by(op, branch, own)
        for op, branch, own in branches
    }


def _enqueues_of_runners(pipelines: Pipelines) -> Set[str]:
    """Returns the names of the enqueue ops of runners, and of the ops (of a ``tf.cond``) that make their inputs."""
    found: List[Enqueue] = []
    for queue, repeated in _filled(pipelines):
        for op in repeated:
            with contextlib.suppress(CannotCompileError):
                found += [one for one in [enqueue_into(queue.op, op)] if one is not None]
    return {name for one in found for name in (one.op.name, *(given.op.name for given in one.op.inputs))}


def _fillers(queue: tf.Tensor, pipelines: Pipelines) -> int:
    """Returns how many runners of the graph fill *queue*."""
    return sum(one.op is queue.op for one, _ in _filled(pipelines))


def _filled(pipelines: Pipelines) -> Iterator[Tuple[tf.Tensor, Sequence[tf.Operation]]]:
    """Yields, for each runner of the graph that may be compiled, its queue and the ops that it repeats."""
    for runner in pipelines.graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS):
        repeated = _repeated(runner)
        if repeated:
            yield _handle(runner), repeated


def _repeated(runner: Any) -> List[tf.Operation]:
    """Returns the ops that *runner* repeats; empty if it does more (feeds them, calls functions), or is compiled."""
    is_of_ours = isinstance(runner, FunctionQueueRunner) and runner.repeats_its_ops
    if type(runner) is not TRAIN["QueueRunner"] and not is_of_ours:
        return []
    if not isinstance(runner.queue, (tf.compat.v1.QueueBase, tf.Operation)) and not tf.is_tensor(runner.queue):
        return []  # an object that fills itself, such as a SequenceQueueingStateSaver
    if isinstance(runner.queue, tf.Operation) and not runner.queue.outputs:
        return []  # made from the proto of a compiled pipeline, whose queue is a NoOp
    ops = [op.op if tf.is_tensor(op) else op for op in runner.enqueue_ops]
    return ops if all(isinstance(op, tf.Operation) for op in ops) else []


def _handle(runner: Any) -> tf.Tensor:
    """Returns the handle of the queue of *runner*; of a runner from a proto, the queue is a tensor or an op."""
    queue = runner.queue
    if isinstance(queue, tf.compat.v1.QueueBase):
        return queue.queue_ref
    return queue if tf.is_tensor(queue) else queue.outputs[0]


def _branch(enqueue: Enqueue, queue: tf.Tensor, own: OwnDraws) -> InputBranch:
    """Returns the input branch for the tensors of *enqueue*, which outputs single elements for *queue*."""
    is_many, waits = enqueue.is_many, enqueue.op.control_inputs
    with own.graph.as_default(), tf.control_dependencies(waits):
        tensors = [tf.identity(given) if waits else given for given in enqueue.tensors]
    shapes = queue.op.get_attr("shapes") or [t.shape[1:] if is_many else t.shape for t in tensors]
    examples = [
        tf.TensorSpec(tf.TensorShape(shape).merge_with(t.shape[1:] if is_many else t.shape), t.dtype.base_dtype)
        for shape, t in zip(shapes, tensors)
    ]
    keep_input = True if enqueue.keep_input is None else enqueue.keep_input
    with own.graph.as_default(), tf.control_dependencies(None):
        return input_branch(tensors, examples, own, is_many=is_many, keep_input=keep_input)


def _require_compilable(branch: InputBranch, is_batcher: bool) -> None:
    for step in () if is_batcher else branch.steps:
        if isinstance(step, ir.Run) and (step.body.has_effects or step.body.calls_python):
            raise refused("its ops have side effects or call Python, so how often and when they run may matter")
    for stage in with_upstream(branch.upstream):
        if stage.external is not None and not isinstance(stage, ExternalSource):
            raise refused(f"the program itself uses the queue of '{stage.name}', which it draws from")


class _FilledQueue:
    """A queue of TensorFlow's own that a compiled pipeline fills.

    Args:
      queue: the handle.
      whose: what the queue belongs to.
      threads: how many threads of the runner run the op.
      one_by_one: whether each element is enqueued as it comes, because in a block it might be lost or delayed (Rule 2).
    """

    def __init__(self, queue: tf.Tensor, whose: _Whose, threads: int, one_by_one: bool, pipelines: Pipelines) -> None:
        self._queue = queue
        self._whose = whose
        self._threads = threads
        self._one_by_one = one_by_one
        self._pipelines = pipelines
        self._graph: tf.Graph = pipelines.graph

    def by(self, op: tf.Operation, branch: InputBranch, own: OwnDraws) -> FilledBy:
        """Adds the stage and the op to the graph that enqueue the elements of *branch*, in place of *op*."""
        scope = self._graph.unique_name(f"{op.name}/blocks")
        own.register()
        stage = self._stage(scope, branch)
        with self._graph.as_default():
            tensors = self._pipelines.backend.terminal(stage, stage.components)
        stage.note_external_consumer()
        put_in = tf.raw_ops.QueueEnqueueManyV2 if _is_stacked(stage) else tf.raw_ops.QueueEnqueueV2
        with outside_user_scopes(control_of(stage).placement, scope):
            return FilledBy(put_in(handle=self._queue, components=tensors, name="enqueue"), stage)

    def _stage(self, scope: str, branch: InputBranch) -> Stage:
        names = QueueNames(f"{scope}/queue", "Queue", f"{scope}/queue", (f"{scope}/queue_enqueue",))
        size = self._block(branch)
        spec = QueueSpec(scope, names, max(size, self._threads), summary_scope=scope, has_runner=False)
        backend = self._pipelines.backend
        with self._graph.as_default(), self._graph.device(self._queue.op.device):
            control = backend.queue(spec, [branch.upstream] if branch.upstream else [])
        steps: List[ir.Step] = [ir.Queue(branch.components, spec.capacity, num_threads=self._threads)]
        if size > 1:
            rows = tuple(map(ir.rows_spec, branch.components))
            steps.append(ir.Batch(rows, size, drop_remainder=False))
        return Stage(self._whose.name, self._whose.made_at, scope=scope, control=control, inputs=[branch], steps=steps)

    def _block(self, branch: InputBranch) -> int:
        """Returns how many elements are enqueued at once."""
        if self._one_by_one or not all(spec.shape.is_fully_defined() for spec in branch.components):
            return 1
        capacity = self._queue.op.get_attr("capacity")
        room = LARGEST_BLOCK if capacity < 0 else capacity // (SHARE_OF_CAPACITY * self._threads)
        return max(1, min(LARGEST_BLOCK, room))


def _ends_by_errors(runner: Any) -> bool:
    """Whether *runner* takes errors other than the usual ones for the end of the data."""
    ends = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
    return not all(issubclass(one, ends) for one in runner.queue_closed_exception_types)


def _is_endless(branch: InputBranch) -> bool:
    ends = any(isinstance(step, ir.Run) and step.body.may_end for step in branch.steps)
    return not ends and all(is_endless(plan_of(stage)) for stage in branch.upstream)


def _is_stacked(stage: Stage) -> bool:
    return isinstance(stage.steps[-1], ir.Batch)
