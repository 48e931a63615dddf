"""TF1 input functions as ``tf.data.Dataset`` for TensorFlow 2::

    dataset = queuecompat.as_dataset(input_fn, files, batch_size=64)
    model.fit(dataset, epochs=5, steps_per_epoch=100)

or, once and for all::

    @queuecompat.input_pipeline
    def training_data(files, batch_size): ...

    model.fit(training_data(files, batch_size=64))
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional, Union

import tensorflow as tf

from queuecompat._capture.run_queues import compile_run_queues
from queuecompat._eager.compiled import DatasetInfo, compiled
from queuecompat._eager.endless import steps, warning_in_fit
from queuecompat._eager.native import run_in_session
from queuecompat._eager.tracing import end_of, first_reason, trace
from queuecompat._importing.one_call import tensorflow_1_names
from queuecompat._namespace import behaviour
from queuecompat.errors import (
    CannotCompileError,
    NativePipelineWarning,
    QueueCompatRuntimeError,
    QueueCompatValueError,
    Reason,
    calling_line,
    error,
    warn_user,
)
from queuecompat.importing import function_at

__all__ = ["as_dataset", "input_pipeline", "steps"]


def as_dataset(
    input_fn: Union[Callable[..., Any], str],
    *args: Any,
    strict: bool = False,
    options: Optional[tf.data.Options] = None,
    **kwargs: Any,
) -> tf.data.Dataset:
    """What *input_fn* returns, element by element, as a ``tf.data.Dataset``.

    Args:
      input_fn: TF1 code, unchanged: it calls producers, readers, image ops, batchers, and returns tensors.
        It is called once, in a graph of its own (twice, if it has to run natively), with *args* and *kwargs*.
        If its file imports TensorFlow 2, the names that TensorFlow 2 dropped are found there during the call, in this
        thread (``tf.read_file``, ``tf.train.batch``, ``tf.contrib``); names that it kept mean what they mean in
        TensorFlow 2. As a string, ``"module:function"`` or ``"folder/file.py:function"``, the file is imported with all
        of TensorFlow 1's names (see ``load``).
      strict: what cannot be compiled is an error; otherwise a session feeds the dataset, with a warning.
      options: for the dataset: determinism, threads, RAM budget.
    Returns:
      A dataset whose elements have the structure that *input_fn* returns: any nesting of dicts, lists, tuples,
      named tuples, SparseTensors, RaggedTensors and None; lists come as tuples, as everywhere in tf.data. Each
      iterator begins with TF1's first epoch. What *input_fn* computes after its batches belongs to the dataset;
      tensors from several queues are zipped. Without ``num_epochs`` it has no end: give ``fit`` a
      ``steps_per_epoch``, or ``queuecompat.steps(dataset, n)``.
    Raises:
      QueueCompatRuntimeError: QC501, eager execution is off; QC305, *strict*, and something cannot be compiled.
      QueueCompatTypeError: QC502, *input_fn* returned something that is not a tensor, or nothing.
      QueueCompatValueError: QC503, it returned a tensor of eager mode or of another graph.
      AttributeError, ImportError: QC511, it uses a name of TensorFlow 1 that is not here.
    """
    made_at = calling_line()
    if not tf.executing_eagerly():
        raise error(QueueCompatRuntimeError, "QC501", call="as_dataset")
    behaviour.keep_tensorflow_2()
    function = function_at(input_fn) if isinstance(input_fn, str) else input_fn

    def call() -> Any:
        # The function may reach TF1's names through its own import of tensorflow.
        with tensorflow_1_names():
            return function(*args, **kwargs)

    traced = trace(call, made_at, runs=False)
    reason = first_reason(traced)
    if reason is None:
        try:
            end = end_of(traced, made_at)
            compile_run_queues(traced.pipelines)
            return warning_in_fit(_with(options, compiled(traced, end)))
        except CannotCompileError as problem:
            reason = problem.reason("dataset", made_at)
    _refuse(reason, strict)
    warn_user(reason.text, NativePipelineWarning)
    native = run_in_session(call, traced.structure, made_at)
    native._queuecompat = DatasetInfo(reason=reason)
    return _with(options, native)


def _with(options: Optional[tf.data.Options], dataset: tf.data.Dataset) -> tf.data.Dataset:
    if options is None:
        return dataset
    chosen = dataset.with_options(options)
    chosen._queuecompat = dataset._queuecompat
    return chosen


def _refuse(reason: Reason, strict: bool) -> None:
    """Raises where *reason* is more than a reason to be slow."""
    what = reason.text.partition("\n")[0]
    if reason.code in _FED:
        raise error(QueueCompatValueError, "QC504", reason=what)
    if strict:
        raise error(QueueCompatRuntimeError, "QC305", reason=what, instead=reason.instead)


# What is known only at each step has to be fed.
_FED = ("QC201", "QC203")


def input_pipeline(
    input_fn: Optional[Callable[..., Any]] = None,
    *,
    strict: bool = False,
    options: Optional[tf.data.Options] = None,
) -> Callable[..., Any]:
    """A decorator that makes an input function return a dataset: ``as_dataset`` at every call.

    Use it as ``@input_pipeline`` or with arguments, as ``@input_pipeline(strict=True)``.

    Args:
      input_fn: TF1 code, unchanged, as for ``as_dataset``.
      strict: whether an input function that cannot be compiled is an error (QC305); otherwise it runs in a
        session, with a warning.
      options: ``tf.data.Options`` for each dataset.
    Returns:
      The decorated function. It takes the arguments of *input_fn* and returns a ``tf.data.Dataset`` whose elements
      have the structure that *input_fn* returns. Without *input_fn*: the decorator.
    Raises:
      As ``as_dataset``, when the decorated function is called; nothing when it is decorated.
    """
    if input_fn is None:
        return functools.partial(input_pipeline, strict=strict, options=options)
    decorated = input_fn

    @functools.wraps(decorated)
    def dataset(*args: Any, **kwargs: Any) -> tf.data.Dataset:
        return as_dataset(functools.partial(decorated, *args, **kwargs), strict=strict, options=options)

    return dataset
