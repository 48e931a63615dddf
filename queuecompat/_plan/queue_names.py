"""TF1's names of a queue and its ops: programs and logs call them by these."""

from __future__ import annotations

import dataclasses
from typing import Sequence, Tuple

__all__ = ["QueueNames"]


@dataclasses.dataclass(frozen=True)
class QueueNames:
    """The names of one queue's ops.

    Attributes:
      queue: of the queue itself.
      kind: its class in TensorFlow's error messages.
      prefix: what the names of its other ops begin with: their name scope, and the last part of *queue*.
      enqueue: of its enqueue ops, one a thread; the same one several times if several threads run it.
    """

    queue: str
    kind: str
    prefix: str
    enqueue: Tuple[str, ...]

    @classmethod
    def of(cls, queue: str, scope: str, kind: str, enqueue: Sequence[str]) -> QueueNames:
        """The names of the queue *queue* that was made below the name scope *scope*.

        Args:
          enqueue: what is added to the prefix: ``_enqueue``, ``_EnqueueMany``.
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
        """TensorFlow's words for an enqueue into a queue that was closed."""
        return f"{self.kind} '_0_{self.queue}' is closed."

    def exhausted(self, requested: int, held: int) -> str:
        """TensorFlow's words for a dequeue from a queue that was closed and holds too little."""
        return (
            f"{self.kind} '_0_{self.queue}' is closed and has insufficient elements "
            f"(requested {requested}, current size {held})"
        )
