"""Compiled where that is possible, on TensorFlow's own queues where it is not; the second is never silent."""

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
from queuecompat._plan.ignored_options import tell_ignored
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
# Reasons why a queue has to be TensorFlow's that say nothing of how its elements are made.
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
    """What *compiled* builds; where it raises CannotCompileError, which it does first of all, what *native* builds.

    Args:
      consumed: the tensors whose elements the native stage takes.
      is_one_queue: *native* builds one queue that is filled. Where the reason is what is taken from it, or who, what is
        put into it is compiled all the same, when its runner starts (``_raising.runner_ops``).
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
    """Raises where the program is run on TensorFlow's own queues, to be compared with.

    Raises:
      CannotCompileError: QC540.
    """
    if own_queues.are_asked_for():
        raise CannotCompileError("QC540")


def record_native(graph: tf.Graph, name: str, made_at: str, reason: Reason, chosen: Optional[Options] = None) -> None:
    """Warns, once and immediately, that a stage runs on TensorFlow's own queues, and records it for ``explain()``.

    No warning where that was asked for (QC540).

    Args:
      chosen: the options of the stage; None: those of here and now.
    Raises:
      QueueCompatRuntimeError: QC305, strict mode is on.
    """
    if is_strict():
        what = reason.text.partition("\n")[0]
        # The compiler's own exception, which may be being handled here, adds nothing.
        raise error(QueueCompatRuntimeError, "QC305", reason=what, instead=reason.instead) from None
    if not own_queues.are_asked_for():
        warn_user(reason.text, NativePipelineWarning)
    ignored = tell_ignored(name, made_at, chosen or current())
    Pipelines.of(graph).add(NativeStage(name, made_at, reason, ignored))


def watched(call: str) -> Callable[..., Any]:
    """``tf.compat.v1.train.<call>``, on TensorFlow's own queues; stages that it consumes are told at once."""
    original = inspect.unwrap(TRAIN[call])

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        built = native(call, *args, **kwargs)
        Pipelines.of(tf.compat.v1.get_default_graph()).backend.changed()
        return built

    return function
