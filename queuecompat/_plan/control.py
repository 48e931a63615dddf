"""The handle of one of TF1's queues that a back end hands to stages and capture, as a protocol."""

from __future__ import annotations

from typing import ContextManager, Optional, Protocol

import numpy as np
import tensorflow as tf

__all__ = ["QueueControl"]


class QueueControl(Protocol):
    """A back end's handle of one of TF1's queues."""

    @property
    def graph(self) -> tf.Graph:
        """The user's graph."""

    @property
    def is_running(self) -> bool:
        """Whether a session has started the queue, so that it can no longer be replaced."""

    def array(self, array: np.ndarray) -> tf.Tensor:
        """Returns a tensor that stands for *array*, whose content is never copied into the graph."""

    def summarise(self, tag: Optional[str] = None) -> None:
        """Adds the summary of how full the queue is, below the current name scope; *tag* replaces TF1's usual tag."""

    def summarise_size(self, tag: str) -> None:
        """Adds a summary of the queue's size as a number of elements, not as a fraction of the capacity."""

    def size(self, name: str) -> tf.Tensor:
        """Returns the number of elements that the queue holds, a scalar int32; for a queue that is running."""

    def is_closed(self, name: Optional[str] = None) -> tf.Tensor:
        """Returns whether no more elements can enter the queue, a scalar bool; for a queue that is running."""

    def replaced(self) -> ContextManager[None]:
        """Within the block, TensorFlow's own queue is made in place of this one, on its device and with its summary."""
