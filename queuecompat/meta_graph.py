"""Input pipelines from graphs that TensorFlow 1 saved, without the Python code that built them::

    dataset = queuecompat.dataset_from_meta_graph(
        "model.ckpt.meta", ["shuffle_batch:0", "shuffle_batch:1"], feeds={"input_producer/Const:0": files}
    )

Nothing of the program is imported or run, apart from the ops in its graph.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any, Iterator, List, Mapping, Optional, Union

import tensorflow as tf

from queuecompat._namespace import behaviour
from queuecompat._raising.datasets import dataset_of, with_options
from queuecompat._raising.feeds import feeds_of
from queuecompat._raising.filled_by_hand import with_all_runners
from queuecompat._raising.loading import load
from queuecompat._raising.names import full_name, not_found
from queuecompat._raising.needed import needed
from queuecompat._raising.saved_graphs import malformed, saved_graph
from queuecompat.errors import QueueCompatError, QueueCompatRuntimeError, calling_line, error
from queuecompat.explanation import showing_itself

__all__ = ["dataset_from_meta_graph"]


def dataset_from_meta_graph(
    path: Union[str, os.PathLike[str], Any],
    fetches: Any,
    feeds: Optional[Mapping[str, Any]] = None,
    *,
    strict: bool = False,
    options: Optional[tf.data.Options] = None,
) -> tf.data.Dataset:
    """The tensors that a TensorFlow 1 program fetched from the queues of a saved graph, as a ``tf.data.Dataset``.

    Queues, readers and producers of the graph are compiled, as ``as_dataset`` compiles the calls that build them; of
    the rest of the graph only the ops that *fetches* needs are used. Seeded, single-threaded pipelines deliver
    TensorFlow 1's bits.

    A graph is a program: its ops can read and write files. Load graphs only from sources that you trust.

    Args:
      path: a ``.meta`` file that ``tf.train.Saver`` or ``tf.train.export_meta_graph`` wrote; or a ``MetaGraphDef``.
      fetches: names of tensors (``"shuffle_batch:0"``): one, or any nesting of dicts, lists and tuples of them. A name
        without a number means ``":0"``. Usually the outputs of ``batch`` or ``shuffle_batch``.
      feeds: values to replace tensors, by the tensors' names: arrays, lists, or scalars of the same type. A list of
        file names may have any length (``"input_producer/Const:0"`` is the argument of ``string_input_producer``,
        unless it had a name); other values have the shape that the graph knows.
      strict: raise an error if the pipeline cannot be compiled; otherwise a session feeds the dataset, with a warning.
      options: ``tf.data.Options`` of the dataset: determinism, threads, RAM budget.
    Returns:
      A dataset whose elements have the structure of *fetches*; lists become tuples. Each iterator begins with the
      first epoch. Without ``num_epochs`` in the graph it has no end. Relative file names are relative to the current
      folder.
    Raises:
      FileNotFoundError: QC517, there is no such file.
      QueueCompatRuntimeError: QC501, eager execution is off; QC305, *strict*, and something cannot be compiled.
      QueueCompatValueError: QC517, the file is no meta graph, or is damaged; QC518, a name is not in the graph; QC519,
        this TensorFlow lacks one of its ops; QC520, it calls Python functions; QC521, a value of *feeds* does not fit,
        or is missing; QC522, *fetches* needs a variable that was trained; QC523, a queue that nothing fills.
    """
    made_at = calling_line()
    if not tf.executing_eagerly():
        raise error(QueueCompatRuntimeError, "QC501", call="dataset_from_meta_graph")
    behaviour.keep_tensorflow_2()
    graph = saved_graph(path)
    with _as_damage(graph.path):
        graph = with_all_runners(graph)
        names = [full_name(graph, name, "fetches") for name in tf.nest.flatten(fetches)]
    if not names:
        raise not_found(graph, repr(fetches), "fetches")
    given = feeds_of(graph, feeds or {})

    def build() -> Any:
        tensors: List[tf.Tensor] = load(graph, part, names, given.values)
        return tf.nest.pack_sequence_as(fetches, tensors)

    with _as_damage(graph.path):
        part = needed(graph, names, given)
        dataset = dataset_of(build, made_at, strict=strict, options=None)
    return showing_itself(with_options(options, dataset))


@contextlib.contextmanager
def _as_damage(path: str) -> Iterator[None]:
    """Reports an unexpected error as damage of the file, since no program builds graphs that cause one."""
    try:
        yield
    except QueueCompatError:
        raise
    except _UNEXPECTED as problem:
        raise malformed(path, f"no pipeline can be made of it ({type(problem).__name__}: {problem})") from problem


_UNEXPECTED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    tf.errors.OpError,
)
