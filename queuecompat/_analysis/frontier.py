"""Where slices end: what must be known about the stages of a graph to cut a slice out of it."""

from __future__ import annotations

from typing import Iterable, Protocol, Sequence

import tensorflow as tf

__all__ = ["Frontier", "Given"]


class Frontier(Protocol):
    """Says where slices end; the compiler's implementation is ``registry.Pipelines``."""

    def is_source(self, tensor: tf.Tensor) -> bool:
        """Whether *tensor* is an output of a compiled stage."""

    def is_captured(self, tensor: tf.Tensor) -> bool:
        """Whether *tensor* stands for an object that a slice takes by reference."""

    def is_drawn_sometimes(self, source: tf.Tensor) -> bool:
        """Whether *source* is drawn inside a branch or a loop, and so only when that runs."""

    def waits_for(self, source: tf.Tensor) -> Sequence[tf.Operation]:
        """Returns the control inputs that the user's program set for the op that outputs *source*."""

    def require_near(
        self, sources: Sequence[tf.Tensor], states: Sequence[tf.Tensor], ops: Iterable[tf.Operation]
    ) -> None:
        """Checks that *states* (variables and handles) can be reached where the elements of *sources* are computed.

        Args:
          ops: the ops that process these elements, on the task that the program names for them, if it names one.
        Raises:
          CannotCompileError: QC212, one of these is on another task of the cluster.
        """

    def adopt(self, op: tf.Operation) -> bool:
        """Makes a stage of *op*, a draw from a queue, reader or iterator of the program's own.

        Returns:
          Whether that was possible.
        """


class Given:
    """The frontier of a slice whose sources are known: *tensors*. It takes *captured* by reference."""

    def __init__(self, tensors: Sequence[tf.Tensor], captured: Sequence[tf.Tensor] = ()) -> None:
        self._names = {tensor.name for tensor in tensors}
        self._captured = {tensor.name for tensor in captured}

    def is_source(self, tensor: tf.Tensor) -> bool:
        return tensor.name in self._names

    def is_captured(self, tensor: tf.Tensor) -> bool:
        return tensor.name in self._captured

    def is_drawn_sometimes(self, source: tf.Tensor) -> bool:
        return False

    def waits_for(self, source: tf.Tensor) -> Sequence[tf.Operation]:
        return ()

    def require_near(
        self, sources: Sequence[tf.Tensor], states: Sequence[tf.Tensor], ops: Iterable[tf.Operation]
    ) -> None:
        pass

    def adopt(self, op: tf.Operation) -> bool:
        return False
