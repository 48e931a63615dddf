"""tf.data iterators inside the user's graph.

Rule 1: an iterator is made before its dataset is known (``draw`` returns tensors at once), and may be
        filled again, with another dataset, until the graph is finalised.
Rule 2: everything here is built apart (``placement``); only the draw itself stands in the user's control
        dependencies and loops.
"""

from __future__ import annotations

import copy
from typing import Any, List, Optional, Sequence

import tensorflow as tf

from queuecompat._session.graph_ops import waits
from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes

__all__ = ["Stream"]


class Stream:
    """One iterator. *scope*: the name that its ops stand below; *components*: its elements' specs."""

    def __init__(self, placement: Placement, scope: str, components: Sequence[Any]) -> None:
        self._placement = placement
        self.scope = scope
        self._types = [spec.dtype for spec in components]
        self._shapes = [spec.shape for spec in components]
        self.initializer: Optional[tf.Operation] = None
        self.rewinder: Optional[tf.Operation] = None  # begins again, even after a start
        with outside_user_scopes(placement, scope):
            self._handle = tf.raw_ops.IteratorV2(
                # A shared one could not call functions that call others.
                shared_name="",
                container="",
                output_types=self._types,
                output_shapes=self._shapes,
                name="iterator",
            )

    @property
    def queues(self) -> Sequence[tf.Tensor]:
        """None: only our own plans put anything in."""
        return ()

    @property
    def handles(self) -> Sequence[tf.Tensor]:
        return [self._handle]

    @property
    def waits_inline(self) -> bool:
        return True

    def over(self, handles: Sequence[tf.Tensor]) -> Stream:
        other = copy.copy(self)
        (other._handle,) = handles
        return other

    def draw(self, name: Optional[str] = None, *, inline: bool = False) -> List[tf.Tensor]:
        """Tensors of the next element; each run of them takes one."""
        op = tf.raw_ops.IteratorGetNextSync if inline else tf.raw_ops.IteratorGetNext
        return op(iterator=self._handle, output_types=self._types, output_shapes=self._shapes, name=name)

    def fill(
        self,
        dataset: tf.data.Dataset,
        after: Sequence[tf.Operation],
        rewinds_after: Optional[Sequence[tf.Operation]] = None,
    ) -> None:
        """From the next start on the elements come from *dataset*.

        Args:
          after: ops that have to run before, at each start.
          rewinds_after: the same for a ``rewinder``; None: it can begin once.
        """
        # After an earlier one: an op that starts both, as one that is called by its name, ends with this.
        earlier = [] if self.initializer is None else [self.initializer]
        with outside_user_scopes(self._placement, self.scope), waits.after([*after, *earlier]):
            variant = tf.data.experimental.to_variant(dataset)
            self.initializer = tf.raw_ops.MakeIterator(dataset=variant, iterator=self._handle, name="make_iterator")
        if rewinds_after is not None:
            with outside_user_scopes(self._placement, self.scope), waits.after(rewinds_after):
                self.rewinder = tf.raw_ops.MakeIterator(dataset=variant, iterator=self._handle, name="rewind")
