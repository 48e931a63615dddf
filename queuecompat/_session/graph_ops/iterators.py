"""tf.data iterators inside the user's graph.

Rule 1: an iterator is made before its dataset is known, so that ``draw`` can return tensors at once. It may be filled
        again, with a different dataset, until the graph is finalised.
Rule 2: all ops are built outside the user's scopes (``placement``), except the draw itself, which is subject to the
        user's control dependencies and loops.
"""

from __future__ import annotations

import copy
from typing import Any, List, Optional, Sequence

import tensorflow as tf

from queuecompat._session.graph_ops import waits
from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes

__all__ = ["Stream"]


class Stream:
    """One iterator.

    Args:
      scope: the name scope of its ops.
      components: the specs of its elements.
    """

    def __init__(self, placement: Placement, scope: str, components: Sequence[Any]) -> None:
        self._placement = placement
        self.scope = scope
        self._types = [spec.dtype for spec in components]
        self._shapes = [spec.shape for spec in components]
        self.initializer: Optional[tf.Operation] = None
        self.rewinder: Optional[tf.Operation] = None  # starts the dataset again, even after a start
        with outside_user_scopes(placement, scope):
            self._handle = tf.raw_ops.IteratorV2(
                # With a shared name, the iterator could not call functions that call other functions.
                shared_name="",
                container="",
                output_types=self._types,
                output_shapes=self._shapes,
                name="iterator",
            )

    @property
    def queues(self) -> Sequence[tf.Tensor]:
        """Empty: only plans of this package fill it, so no draw waits in a queue of the program's."""
        return ()

    @property
    def handles(self) -> Sequence[tf.Tensor]:
        return [self._handle]

    @property
    def waits_inline(self) -> bool:
        return True

    def with_handles(self, handles: Sequence[tf.Tensor]) -> Stream:
        other = copy.copy(self)
        (other._handle,) = handles
        return other

    def draw(self, name: Optional[str] = None, *, inline: bool = False) -> List[tf.Tensor]:
        """The tensors of the next element; each run of them takes one element."""
        op = tf.raw_ops.IteratorGetNextSync if inline else tf.raw_ops.IteratorGetNext
        return op(iterator=self._handle, output_types=self._types, output_shapes=self._shapes, name=name)

    def fill(
        self,
        dataset: tf.data.Dataset,
        after: Sequence[tf.Operation],
        rewinds_after: Optional[Sequence[tf.Operation]] = None,
    ) -> None:
        """From the next start on, the elements come from *dataset*.

        Args:
          after: ops that have to run before, at each start.
          rewinds_after: ops that have to run before a ``rewinder``; None: none is made, and the iterator is started
            only once.
        """
        # It runs after the earlier initialiser: where one op, such as one that a program runs by name, starts both, the
        # iterator ends up with this dataset.
        earlier = [] if self.initializer is None else [self.initializer]
        with outside_user_scopes(self._placement, self.scope), waits.after([*after, *earlier]):
            variant = tf.data.experimental.to_variant(dataset)
            self.initializer = tf.raw_ops.MakeIterator(dataset=variant, iterator=self._handle, name="make_iterator")
        if rewinds_after is not None:
            with outside_user_scopes(self._placement, self.scope), waits.after(rewinds_after):
                self.rewinder = tf.raw_ops.MakeIterator(dataset=variant, iterator=self._handle, name="rewind")
