"""How a loader's capacity is shared out between what is loaded, mixed, waiting and put together."""

from __future__ import annotations

import dataclasses

__all__ = ["Limits"]


@dataclasses.dataclass(frozen=True)
class Limits:
    """How many examples may be where.

    Attributes:
      window: begun and not taken, where items produce one example each. Where they produce several, items begun.
      pool: in the shuffle buffer, where items produce several.
      pending: complete, and waiting for items before theirs.
      batches: complete, and neither taken nor put together. More than those wait for the consumer.
      waiting: in buckets.
      window_of_small: *window* where examples take little memory.
    """

    batch_size: int
    window: int
    pool: int
    pending: int
    batches: int
    waiting: int = 0
    window_of_small: int = 0

    @property
    def loaded(self) -> int:
        """All of them, where items produce several."""
        return self.pool + self.pending + self.batches * self.batch_size + self.waiting

    @classmethod
    def within(
        cls,
        capacity: int,
        batch_size: int,
        min_after_dequeue: int,
        *,
        shuffle: bool,
        ahead: int = 0,
        ahead_if_small: int = 0,
        buckets: int = 0,
        delayed: int = 0,
    ) -> Limits:
        """Shares *capacity* out. The shuffle buffer gets what two more batches leave, at least *min_after_dequeue*.

        Of those that wait for items before theirs, there may be *ahead* at least, so that all workers are busy, and
        *ahead_if_small*, where each item produces one that is.
        Not counted are the batch that is filled (or being copied from) and the one that the consumer has; with
        *buckets*, one that is filled in each of these; *delayed* examples, which then are in the place of the shuffle
        buffer.
        """
        pool = min(capacity, max(1, min_after_dequeue, capacity - 3 * batch_size)) if shuffle else 0
        rest = max(0, capacity - batch_size - pool)
        pool = delayed or pool
        batches = max(1, rest // batch_size - 1)
        # Memory is there by the batch: a part of one would be a whole one.
        window = max(1, capacity // batch_size, -(-ahead // batch_size)) * batch_size
        window_of_small = max(window, -(-ahead_if_small // batch_size) * batch_size)
        waiting = buckets * batch_size
        pending = max(ahead, rest - batches * batch_size)
        return cls(batch_size, window, pool, pending, batches, waiting, window_of_small)
