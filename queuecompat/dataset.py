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
from typing import Any, Callable, Dict, Optional, Tuple, Union

import tensorflow as tf

from queuecompat._eager.endless import steps
from queuecompat._importing.one_call import has_tensorflow_1_names, tensorflow_1_names
from queuecompat._namespace import behaviour
from queuecompat._plan import options as plan_options
from queuecompat._raising.datasets import dataset_of
from queuecompat.errors import QueueCompatRuntimeError, QueueCompatTypeError, calling_line, error
from queuecompat.explanation import showing_itself
from queuecompat.importing import function_at

__all__ = ["as_dataset", "input_pipeline", "steps"]


def as_dataset(
    input_fn: Union[Callable[..., Any], str],
    *args: Any,
    strict: bool = False,
    options: Optional[tf.data.Options] = None,
    **kwargs: Any,
) -> tf.data.Dataset:
    """Turns an input function into a ``tf.data.Dataset`` of what it returns, element by element.

    Args:
      input_fn: TF1 code, unchanged: it calls producers, readers, image ops, batchers, and returns tensors.
        It is called once with *args* and *kwargs*, in a graph of its own (twice, if it cannot be compiled).
        If its file imports TensorFlow 2, it also finds the names that TensorFlow 2 dropped (``tf.read_file``,
        ``tf.train.batch``, ``tf.contrib``) during the call, in this thread; names that TensorFlow 2 kept mean what they
        mean there. As a string, ``"module:function"`` or ``"folder/file.py:function"``, the file is imported with all
        of TensorFlow 1's names (see ``load``).
      strict: raise an error if the pipeline cannot be compiled; otherwise a session feeds the dataset, with a warning.
      options: ``tf.data.Options`` of the dataset: determinism, threads, RAM budget.
      kwargs: for *input_fn*; a name of ``queuecompat.options`` that *input_fn* does not take sets that option. If
        *input_fn* has a parameter of that name, set the option by ``with queuecompat.options(...):`` around the call.
    Returns:
      A dataset whose elements have the structure that *input_fn* returns: any nesting of dicts, lists, tuples,
      named tuples, SparseTensors, RaggedTensors and None; lists become tuples, as everywhere in tf.data. Each
      iterator begins with TF1's first epoch. What *input_fn* computes after its batches belongs to the dataset;
      tensors from several queues are zipped. Without ``num_epochs`` the dataset has no end: pass
      ``steps_per_epoch`` to ``fit``, or pass it ``queuecompat.steps(dataset, n)``.
    Raises:
      QueueCompatRuntimeError: QC501, eager execution is off; QC305, *strict* is set and something cannot be compiled.
      QueueCompatTypeError: QC502, *input_fn* returned nothing, or something that is not a tensor; QC515, it is not a
        function; QC531, *options* is not a ``tf.data.Options``.
      QueueCompatValueError: QC515, *input_fn* is a string that names no function; QC503, it returned a tensor of eager
        mode or of a different graph; QC504, it needs a placeholder to be fed; QC507, it uses a tensor of eager mode;
        QC508, it runs its pipeline in a session.
      AttributeError, ImportError: QC511, *input_fn* uses a name of TensorFlow 1 that is not available.
    """
    made_at = calling_line()
    if not tf.executing_eagerly():
        raise error(QueueCompatRuntimeError, "QC501", call="as_dataset")
    behaviour.keep_tensorflow_2()
    function = function_at(input_fn) if isinstance(input_fn, str) else input_fn
    if not callable(function):
        raise error(QueueCompatTypeError, "QC515", given=f"an object of type {type(function).__name__}")
    arguments, chosen = plan_options.named(function, kwargs)

    def call() -> Any:
        # The function may look up TF1's names through its own import of tensorflow.
        with tensorflow_1_names():
            return function(*args, **arguments)

    with plan_options.options(**chosen):  # also for pipelines that are built from its tensors later
        return showing_itself(dataset_of(call, made_at, strict=strict, options=options))


def input_pipeline(
    input_fn: Optional[Callable[..., Any]] = None,
    *,
    strict: bool = False,
    options: Optional[tf.data.Options] = None,
) -> Callable[..., Any]:
    """A decorator that makes an input function return a dataset: ``as_dataset`` at every call.

    Use it as ``@input_pipeline`` or with arguments, as ``@input_pipeline(strict=True)``. In a graph of a session the
    decorated function returns its tensors, as it did without the decorator, so programs that run a session and
    programs that iterate over a dataset can share it. The same holds if another input function of a dataset calls it.

    Args:
      input_fn: TF1 code, unchanged, as for ``as_dataset``.
      strict: whether an input function that cannot be compiled is an error (QC305); otherwise it runs in a
        session, with a warning.
      options: ``tf.data.Options`` for each dataset.
    Returns:
      The decorated function. It takes the arguments of *input_fn*; to set options of ``queuecompat.options`` for one
      call, call it in their ``with`` block. It returns a ``tf.data.Dataset`` whose elements have the structure that
      *input_fn* returns; in a graph, what *input_fn* returns. Without *input_fn*: the decorator.
    Raises:
      As ``as_dataset``, when the decorated function is called (QC501 in a ``tf.function``); nothing when it is
      decorated.
    """
    if input_fn is None:
        return functools.partial(input_pipeline, strict=strict, options=options)
    decorated = input_fn

    @functools.wraps(decorated)
    def dataset(*args: Any, **kwargs: Any) -> Any:
        if _builds_a_graph():
            return _tensors(decorated, args, kwargs)
        return as_dataset(functools.partial(decorated, *args, **kwargs), strict=strict, options=options)

    return dataset


def _builds_a_graph() -> bool:
    """Whether the caller needs tensors: in a graph for a session, or while an input function is being traced."""
    if tf.executing_eagerly():
        return False
    return not tf.inside_function() or has_tensorflow_1_names()


def _tensors(input_fn: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    arguments, chosen = plan_options.named(input_fn, kwargs)
    with plan_options.options(**chosen), tensorflow_1_names():
        return input_fn(*args, **arguments)
