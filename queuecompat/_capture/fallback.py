"""The fallback to TensorFlow's own queues for calls that cannot be compiled: never without a warning."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Optional, Sequence, TypeVar

import tensorflow as tf

from queuecompat._analysis.consumers import note_external_use
from queuecompat._native import own_queues
from queuecompat._native.originals import TRAIN
from queuecompat._native.reference import native
from queuecompat._native.strictness import is_strict
from queuecompat._plan.ignored_options import warn_ignored
from queuecompat._plan.options import Options, current
from queuecompat._plan.registry import BatcherWithQueue, Pipelines
from queuecompat._plan.stages import NativeStage
from queuecompat.errors import (
    CannotCompileError,
    NativePipelineWarning,
    QueueCompatRuntimeError,
    Reason,
    error,
    warn_user,
)

__all__ = ["compiled_or_native", "record_native", "require_wanted", "watched"]

Result = TypeVar("Result")
# Reasons for TensorFlow's own queue that are in its consumers or in sharing it, not in how its elements are made.
_OF_CONSUMERS = ("QC203", "QC204")


def compiled_or_native(
    pipelines: Pipelines,
    stage_name: str,
    made_at: str,
    consumed: Sequence[tf.Tensor],
    compiled: Callable[[], Result],
    native: Callable[[], Result],
    *,
    is_one_queue: bool = False,
) -> Result:
    """Returns the result of *compiled*; or, if that raises CannotCompileError, of *native*.

    Args:
      consumed: the tensors that the native stage takes.
      compiled: builds the compiled stage; raises the error before it builds anything relevant.
      native: builds the stage on TensorFlow's own queues.
      is_one_queue: whether *native* builds exactly one queue that a runner fills. If the reason for the fallback is in
        how the queue is dequeued or shared, the ops that fill it are still compiled, when its runner starts
        (``_raising.runner_ops``).
    """
    try:
        require_wanted()
        return compiled()
    except CannotCompileError as problem:
        if is_one_queue and problem.code in _OF_CONSUMERS and pipelines.backend.compiles_runners:
            reason = problem.reason(stage_name, made_at)
            with pipelines.building_queue_of(BatcherWithQueue(stage_name, made_at, reason, current())):
                return native()
        with pipelines.building_natively():
            built = native()
        note_external_use(pipelines, consumed)
        record_native(pipelines.graph, stage_name, made_at, problem.reason(stage_name, made_at))
        return built


def require_wanted() -> None:
    """Checks that the program is not run on TensorFlow's own queues for a comparison (``run --compare``).

    Raises:
      CannotCompileError: QC540, it is.
    """
    if own_queues.are_asked_for():
        raise CannotCompileError("QC540")


def record_native(graph: tf.Graph, name: str, made_at: str, reason: Reason, chosen: Optional[Options] = None) -> None:
    """Warns, once and immediately, that a stage runs on TensorFlow's own queues, and records it for ``explain()``.

    There is no warning if the user asked for these queues (QC540).

    Args:
      chosen: the options of the stage; None: those in effect now.
    Raises:
      QueueCompatRuntimeError: QC305, strict mode is on.
    """
    if is_strict():
        what = reason.text.partition("\n")[0]
        # ``from None``: a CannotCompileError that is being handled would add nothing.
        raise error(QueueCompatRuntimeError, "QC305", reason=what, instead=reason.instead) from None
    if not own_queues.are_asked_for():
        warn_user(reason.text, NativePipelineWarning)
    ignored = warn_ignored(name, made_at, chosen or current())
    Pipelines.of(graph).add(NativeStage(name, made_at, reason, ignored))


def watched(call: str) -> Callable[..., Any]:
    """Returns ``tf.compat.v1.train.<call>``, which also tells the back end that it may have become a consumer."""
    original = inspect.unwrap(TRAIN[call])

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        built = native(call, *args, **kwargs)
        Pipelines.of(tf.compat.v1.get_default_graph()).backend.changed()
        return built

    return function
