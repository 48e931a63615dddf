"""Compiled where that is possible, on TensorFlow's own queues where it is not; the second is never silent."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Sequence, TypeVar

import tensorflow as tf

from queuecompat._analysis.consumers import note_external_use
from queuecompat._native.originals import TRAIN
from queuecompat._native.reference import native
from queuecompat._native.strictness import is_strict
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import NativeStage
from queuecompat.errors import (
    CannotCompileError,
    NativePipelineWarning,
    QueueCompatRuntimeError,
    Reason,
    error,
    warn_user,
)

__all__ = ["compiled_or_native", "record_native", "watched"]

Result = TypeVar("Result")


def compiled_or_native(
    pipelines: Pipelines,
    stage_name: str,
    made_at: str,
    consumed: Sequence[tf.Tensor],
    compiled: Callable[[], Result],
    native: Callable[[], Result],
) -> Result:
    """What *compiled* builds; where it raises CannotCompileError, which it does first of all, what *native* builds.

    Args:
      consumed: the tensors whose elements the native stage takes.
    """
    try:
        return compiled()
    except CannotCompileError as problem:
        built = native()
        note_external_use(pipelines, consumed)
        record_native(pipelines.graph, stage_name, made_at, problem.reason(stage_name, made_at))
        return built


def record_native(graph: tf.Graph, name: str, made_at: str, reason: Reason) -> None:
    """Warns, once and immediately, that a stage runs on TensorFlow's own queues, and records it for ``explain()``.

    Raises:
      QueueCompatRuntimeError: QC305, strict mode is on.
    """
    if is_strict():
        what = reason.text.partition("\n")[0]
        # The compiler's own exception, which may be being handled here, adds nothing.
        raise error(QueueCompatRuntimeError, "QC305", reason=what, instead=reason.instead) from None
    Pipelines.of(graph).add(NativeStage(name, made_at, reason))
    warn_user(reason.text, NativePipelineWarning)


def watched(call: str) -> Callable[..., Any]:
    """``tf.compat.v1.train.<call>``, on TensorFlow's own queues; stages that it consumes are told at once."""
    original = inspect.unwrap(TRAIN[call])

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        built = native(call, *args, **kwargs)
        Pipelines.of(tf.compat.v1.get_default_graph()).backend.changed()
        return built

    return function
