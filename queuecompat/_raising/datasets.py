"""Makes a dataset from a function that builds a pipeline: compiled, or if that is impossible, run in a session.

Called by ``as_dataset`` and ``dataset_from_meta_graph``.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import tensorflow as tf

from queuecompat._eager.compiled import DatasetInfo, compiled
from queuecompat._eager.endless import warning_in_fit
from queuecompat._eager.native import run_in_session
from queuecompat._eager.tracing import Trace, end_of, first_reason, trace
from queuecompat._plan.ignored_options import warn_ignored
from queuecompat._plan.options import current
from queuecompat._plan.service import warn_local
from queuecompat._raising.run_queues import compile_run_queues
from queuecompat._session.steps.fetches import ops_required_by
from queuecompat.errors import (
    CannotCompileError,
    NativePipelineWarning,
    QueueCompatRuntimeError,
    QueueCompatTypeError,
    QueueCompatValueError,
    Reason,
    error,
    warn_user,
)
from queuecompat.plurals import type_of

__all__ = ["dataset_of", "with_options"]


def dataset_of(
    build: Callable[[], Any], made_at: str, *, strict: bool, options: Optional[tf.data.Options]
) -> tf.data.Dataset:
    """Returns a dataset whose elements are the values that the tensors of *build* have at each step.

    Args:
      build: makes a pipeline in the current graph and returns a structure of tensors. It is called once; if the dataset
        is run in a session, once more for each iterator.
      made_at: the user's line.
      strict: whether a pipeline that cannot be compiled is an error.
      options: the tf.data options of the dataset; None: the defaults.
    Raises:
      QueueCompatRuntimeError: QC305, *strict*, and the pipeline cannot be compiled.
      QueueCompatTypeError, QueueCompatValueError: QC502 or QC503, *build* returned something that is not supported;
        QC504, the pipeline needs a placeholder to be fed.
    """
    traced = trace(build, runs=False)
    reason = first_reason(traced)
    if reason is None:
        try:
            end = end_of(traced, made_at)
            compile_run_queues(traced.pipelines)
            made = compiled(traced, end)
            if made._queuecompat.local_reason is not None:
                warn_local(made._queuecompat.local_reason, strict)
            return warning_in_fit(with_options(options, made))
        except CannotCompileError as problem:
            reason = problem.reason("dataset", made_at)
    _refuse(reason, strict, traced)
    warn_user(reason.text, NativePipelineWarning)
    native = run_in_session(build, traced.structure)
    native._queuecompat = DatasetInfo(reason=reason, ignored=warn_ignored("dataset", made_at, current()))
    return with_options(options, native)


def with_options(options: Optional[tf.data.Options], dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Returns *dataset* with these *options*.

    Raises:
      QueueCompatTypeError: QC531, *options* are not tf.data options (but options of this package, say).
    """
    if options is None:
        return dataset
    if not isinstance(options, tf.data.Options):
        wanted = "a tf.data.Options; an option of queuecompat's is a keyword of its own, as in shuffle='global'"
        raise error(QueueCompatTypeError, "QC531", name="options", given=type_of(options), wanted=wanted)
    chosen = dataset.with_options(options)
    chosen._queuecompat = dataset._queuecompat
    return chosen


def _refuse(reason: Reason, strict: bool, traced: Trace) -> None:
    """Raises an error if *reason*, for which *traced* is not compiled, also prevents a session, or if *strict*."""
    what = reason.text.partition("\n")[0]
    if reason.code == "QC201" or (reason.code == "QC203" and _is_fed(traced)):
        raise error(QueueCompatValueError, "QC504", reason=what)
    if strict:
        raise error(QueueCompatRuntimeError, "QC305", reason=what, instead=reason.instead)


def _is_fed(traced: Trace) -> bool:
    """Whether the tensors of *traced* need a placeholder, other than those of the resources that a trace draws from."""
    ops = map(traced.graph.get_operation_by_name, ops_required_by(traced.graph, traced.tensors))
    return any(op.type == "Placeholder" and op.outputs[0].dtype != tf.resource for op in ops)
