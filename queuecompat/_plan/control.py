"""What a back end keeps for one of TF1's queues, as far as stages and capture may know it."""

from __future__ import annotations

from typing import ContextManager, Optional, Protocol

import numpy as np
import tensorflow as tf

__all__ = ["QueueControl"]


class QueueControl(Protocol):
    """What a back end keeps for one of TF1's queues."""

    @property
    def graph(self) -> tf.Graph:
        """The user's."""

    @property
    def is_running(self) -> bool:
        """Whether a session has started it, so that it can become nothing else."""

    def array(self, array: np.ndarray) -> tf.Tensor:
        """A tensor that is *array*, which never enters the graph."""

    def summarise(self, tag: Optional[str] = None) -> None:
        """Adds the summary of how full the queue is, below the current name scope; *tag*: in place of TF1's usual."""

    def summarise_size(self, tag: str) -> None:
        """The same as a number of elements, not as a share of the capacity."""

    def size(self, name: str) -> tf.Tensor:
        """How many elements the queue holds, a scalar int32; for a queue that is running."""

    def is_closed(self, name: Optional[str] = None) -> tf.Tensor:
        """Whether nothing more can come into the queue, a scalar bool; for a queue that is running."""

    def replaced(self) -> ContextManager[None]:
        """Around what makes TensorFlow's own queue in place of this one: it takes this one's device and summary."""
