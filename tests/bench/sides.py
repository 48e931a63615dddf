"""The sides that are compared, and how one of them is run.

Rule 1: sides do the same wherever they need not differ: one graph, one session with the default configuration, one
        callable that takes a batch.
Rule 2: a batch is taken by fetching the first element of each of its tensors. This forces every tensor to be computed,
        and copies none of them to NumPy, which would cost every side the same and blur the ratios. (If ``tensor.op``
        were fetched, Grappler could drop work that a side does after its iterator.)
Rule 3: a side has ended when its block ends: threads joined, session closed.
Rule 4: a process has one entry point. With "session", every side has a session. With "dataset", every side is a
        ``tf.data.Dataset`` in eager mode: ours is the result of ``as_dataset``, and ``program`` is the program that
        ``explain(code=True)`` prints for it, the same pipeline written by hand.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from .workload import Workload

__all__ = ["Side", "first_elements", "prepare", "running", "sides_for"]

QUEUE_NAMESPACES = {"ours": "queuecompat.v1", "native": "tensorflow.compat.v1"}


@dataclasses.dataclass(frozen=True)
class Side:
    """One way to run a workload.

    Attributes:
      kind: ``ours``, ``native``, ``program``, ``tf.data`` or ``best``.
      num_threads: what the TensorFlow 1 function is given; None where there is no such function.
    """

    kind: str
    num_threads: int | None = None

    @property
    def name(self) -> str:
        return self.kind if self.num_threads is None else f"{self.kind}/{self.num_threads}"

    @classmethod
    def from_name(cls, name: str) -> Side:
        kind, _, num_threads = name.partition("/")
        return cls(kind, int(num_threads) if num_threads else None)


def sides_for(thread_counts: list[int], entry_point: str = "session") -> list[Side]:
    """Every side of an entry point: those that are TF1 functions once for each number of threads."""
    kinds = QUEUE_NAMESPACES if entry_point == "session" else ("ours", "program")
    return [*(Side(kind, count) for count in thread_counts for kind in kinds), Side("tf.data"), Side("best")]


def prepare(sides: list[Side], entry_point: str = "session") -> None:
    """Pay once, before anything is timed, for what a process pays once: imports and devices."""
    import tensorflow

    if entry_point == "dataset":
        importlib.import_module("queuecompat.dataset")
        next(iter(tensorflow.data.Dataset.range(1)))
        return
    tensorflow.compat.v1.disable_v2_behavior()
    importlib.import_module("tests.natively")
    for kind in {side.kind for side in sides} & set(QUEUE_NAMESPACES):
        importlib.import_module(QUEUE_NAMESPACES[kind])
    with tensorflow.Graph().as_default(), tensorflow.compat.v1.Session() as session:
        session.run(tensorflow.constant(0))


def first_elements(tf: Any, tensors: list[Any]) -> list[Any]:
    return [tf.reshape(tensor, [-1])[0] for tensor in tensors]


@contextlib.contextmanager
def running(
    side: Side,
    workload: Workload,
    loaded: Any,
    *,
    num_epochs: int | None = None,
    fetch: Callable[[Any, list[Any]], list[Any]] = first_elements,
) -> Iterator[Callable[[], list[Any]]]:
    """Build and start *side*; give a function that takes one batch and returns what *fetch* chose.

    Call ``prepare`` first, once in the process.
    """
    import tensorflow

    if tensorflow.executing_eagerly():
        iterator = iter(_eager_dataset(side, workload, loaded, num_epochs))
        yield lambda: next(iterator)
        return
    open_side = _running_queues if side.kind in QUEUE_NAMESPACES else _running_dataset
    opened = open_side(side, workload, loaded, num_epochs, fetch)  # nothing runs before its block
    with contextlib.ExitStack() as stack:
        if side.kind == "native":
            stack.enter_context(importlib.import_module("tests.natively").natively())
        stack.enter_context(tensorflow.Graph().as_default())
        yield stack.enter_context(opened)


@contextlib.contextmanager
def _running_queues(
    side: Side, workload: Workload, loaded: Any, num_epochs: int | None, fetch: Any
) -> Iterator[Callable[[], list[Any]]]:
    tf = importlib.import_module(QUEUE_NAMESPACES[side.kind])
    tensors = workload.queues(tf, loaded, num_threads=side.num_threads, num_epochs=num_epochs)
    fetches = fetch(tf, tensors)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            yield session.make_callable(fetches)
        finally:
            coordinator.request_stop()
            coordinator.join(threads)


@contextlib.contextmanager
def _running_dataset(
    side: Side, workload: Workload, loaded: Any, num_epochs: int | None, fetch: Any
) -> Iterator[Callable[[], list[Any]]]:
    import tensorflow as tf

    make = workload.tf_data if side.kind == "tf.data" else workload.best_tf_data
    iterator = tf.compat.v1.data.make_initializable_iterator(make(tf, loaded, num_epochs))
    fetches = fetch(tf, list(iterator.get_next()))
    with tf.compat.v1.Session() as session:
        session.run(iterator.initializer)
        yield session.make_callable(fetches)


def _eager_dataset(side: Side, workload: Workload, loaded: Any, num_epochs: int | None) -> Any:
    import tensorflow as tf

    if side.num_threads is None:
        return (workload.tf_data if side.kind == "tf.data" else workload.best_tf_data)(tf, loaded, num_epochs)
    import queuecompat

    # Inside of as_dataset these are our functions.
    ours = queuecompat.as_dataset(
        workload.queues, tf.compat.v1, loaded, num_threads=side.num_threads, num_epochs=num_epochs, strict=True
    )
    return ours if side.kind == "ours" else queuecompat.explain(ours, code=True).build()
