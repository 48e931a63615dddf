"""TF1's names of a queue and its ops, by which programs and logs refer to them."""

from __future__ import annotations

import dataclasses
from typing import Sequence, Tuple

__all__ = ["QueueNames"]


@dataclasses.dataclass(frozen=True)
class QueueNames:
    """The names of one queue's ops.

    Attributes:
      queue: the name of the queue op itself.
      kind: the class of the queue in TensorFlow's error messages.
      prefix: what the names of its other ops begin with: their name scope and the last part of *queue*.
      enqueue: the names of its enqueue ops, one for each thread; a name is repeated if several threads run that op.
    """

    queue: str
    kind: str
    prefix: str
    enqueue: Tuple[str, ...]

    @classmethod
    def of(cls, queue: str, scope: str, kind: str, enqueue: Sequence[str]) -> QueueNames:
        """Returns the names of the queue *queue* that was made in the name scope *scope*.

        Args:
          enqueue: the suffixes of the names of the enqueue ops: ``_enqueue``, ``_EnqueueMany``.
        """
        prefix = f"{scope.rstrip('/')}/{queue.rpartition('/')[2]}".lstrip("/")
        return cls(queue, kind, prefix, tuple(prefix + one for one in enqueue))

    @property
    def close(self) -> str:
        return self.prefix + "_Close"

    @property
    def cancel(self) -> str:
        return self.prefix + "_Close_1"

    @property
    def size(self) -> str:
        return self.prefix + "_Size"

    def closed(self) -> str:
        """Returns TensorFlow's message for an enqueue to a closed queue."""
        return f"{self.kind} '_0_{self.queue}' is closed."

    def exhausted(self, requested: int, held: int) -> str:
        """Returns TensorFlow's message for a dequeue from a closed queue that holds too few elements."""
        return (
            f"{self.kind} '_0_{self.queue}' is closed and has insufficient elements "
            f"(requested {requested}, current size {held})"
        )
