"""Divides a loader's capacity among the places where examples are held: loading, shuffle buffer, batches."""

from __future__ import annotations

import dataclasses

__all__ = ["Limits"]


@dataclasses.dataclass(frozen=True)
class Limits:
    """The maximum number of examples in each place.

    Attributes:
      window: if items produce one example each: examples begun and not taken by the consumer. If they produce several:
        items begun that have not joined the stream as a whole.
      pool: examples in the shuffle buffer, if items produce several.
      pending: examples that are loaded, and wait for earlier items, if items produce several.
      batches: the number of complete batches not taken by the consumer, at which a full shuffle buffer accepts no
        further example, if items produce several.
      waiting: examples in buckets.
      window_of_small: replaces *window* if each item produces one example that takes little memory.
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
        """The maximum number of examples in all places together, if items produce several."""
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
        """Divides *capacity*. The shuffle buffer gets what three batches leave, but at least *min_after_dequeue*.

        At least *ahead* examples may be loaded before earlier items are, so that all workers are busy; at least
        *ahead_if_small*, if each item produces one small example.

        Not counted are the batch that is being filled (or copied) and the batch that the consumer holds; with
        *buckets*, one batch being filled in each bucket; and *delayed* examples, those in a delay line, which takes the
        place of the shuffle buffer.
        """
        pool = min(capacity, max(1, min_after_dequeue, capacity - 3 * batch_size)) if shuffle else 0
        rest = max(0, capacity - batch_size - pool)
        pool = delayed or pool
        batches = max(1, rest // batch_size - 1)
        # A whole number of batches, because memory is allocated in blocks of a whole batch.
        window = max(1, capacity // batch_size, -(-ahead // batch_size)) * batch_size
        window_of_small = max(window, -(-ahead_if_small // batch_size) * batch_size)
        waiting = buckets * batch_size
        pending = max(ahead, rest - batches * batch_size)
        return cls(batch_size, window, pool, pending, batches, waiting, window_of_small)
