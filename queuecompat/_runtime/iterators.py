"""tf.data iterators inside the user's graph.

Rule 1: an iterator is made before its dataset is known (``draw`` gives tensors at once), and may be
        filled again, with another dataset, until the graph is finalised.
Rule 2: everything here lives on the CPU and outside the user's control dependencies and loops;
        only the draw itself stands where the user's call stood.
"""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, List, Optional, Sequence

import tensorflow as tf

__all__ = ["NativeStream", "Stream", "apart"]


@contextlib.contextmanager
def apart(graph: tf.Graph, scope: str) -> Iterator[None]:
    """Builds in *graph*, below the name *scope*, on the CPU, depending on nothing."""
    name_scope = tf.name_scope(scope.rstrip("/") + "/")
    with graph.as_default(), tf.control_dependencies(None), tf.device("/cpu:0"), name_scope:
        yield


class Stream:
    """One iterator. *scope*: the name that its ops stand below; *components*: its elements' specs."""

    def __init__(self, graph: tf.Graph, scope: str, components: Sequence[Any]) -> None:
        self._graph = graph
        self._scope = scope
        self._types = [spec.dtype for spec in components]
        self._shapes = [spec.shape for spec in components]
        self.initializer: Optional[tf.Operation] = None
        with apart(graph, scope):
            self._handle = tf.raw_ops.IteratorV2(
                shared_name="", container="", output_types=self._types, output_shapes=self._shapes, name="iterator"
            )

    def draw(self, name: Optional[str] = None) -> List[tf.Tensor]:
        """Tensors of the next element; each run of them takes one."""
        return tf.raw_ops.IteratorGetNext(
            iterator=self._handle, output_types=self._types, output_shapes=self._shapes, name=name
        )

    def fill(self, dataset: tf.data.Dataset, after: Sequence[tf.Operation]) -> None:
        """From the next start on the elements come from *dataset*.

        Args:
          after: ops that have to run before, at each start.
        """
        with apart(self._graph, self._scope), tf.control_dependencies(after):
            self.initializer = tf.raw_ops.MakeIterator(
                dataset=tf.data.experimental.to_variant(dataset), iterator=self._handle, name="make_iterator"
            )


class NativeStream:
    """The same interface over a queue or a reader that TensorFlow runs itself.

    Args:
      draw: makes the op that takes one element, and gives its tensors.
      queues: handles of the queues that a draw may wait in.
    """

    def __init__(self, draw: Any, queues: Sequence[tf.Tensor] = ()) -> None:
        self._draw = draw
        self.queues = tuple(queues)

    def draw(self, name: Optional[str] = None) -> List[tf.Tensor]:
        return self._draw(name)
