"""What a loader counts, and the verdict: who waits for whom.

Rule 1: counters are only written under the lock of the run that counts.
Rule 2: the time until the first batch of a pass is apart: the queue is empty then, and that says nothing.
"""

from __future__ import annotations

import dataclasses

__all__ = ["Counters", "Statistics"]

# A consumer that waits for more of its time than this is held up.
_NOTICEABLE = 0.05


@dataclasses.dataclass(frozen=True)
class Statistics:
    """What a loader did so far.

    Attributes:
      examples, batches: handed to the consumer.
      skipped: items left out.
      seconds: of iterating, without the time until the first batch.
      seconds_to_first_batch: of the last pass.
      consumer_waited: seconds in which the consumer waited for a batch.
      workers_waited: seconds in which all workers waited for room, on average over the workers.
      queue_now, queue_lowest, queue_mean: examples loaded and waiting, seen whenever the consumer asked.
      capacity: of the queue, in examples.
    """

    examples: int
    batches: int
    skipped: int
    seconds: float
    seconds_to_first_batch: float
    consumer_waited: float
    workers_waited: float
    queue_now: int
    queue_lowest: int
    queue_mean: float
    capacity: int

    @property
    def examples_per_second(self) -> float:
        return self.examples / self.seconds if self.seconds else 0.0

    @property
    def verdict(self) -> str:
        """Who waits for whom, in one line."""
        if self.batches < 2 or not self.seconds:
            return "too few batches for a verdict"
        consumer = min(1.0, self.consumer_waited / self.seconds)
        workers = min(1.0, self.workers_waited / self.seconds)
        if consumer > _NOTICEABLE and consumer >= workers:
            return f"the model waits for data ({consumer:.0%} of the time)"
        return f"data waits for the model (the workers rest {workers:.0%} of the time)"

    def __str__(self) -> str:
        return (
            f"{self.examples} examples in {self.batches} batches, {self.examples_per_second:.0f} examples/s\n"
            f"  consumer waited {self.consumer_waited:.2f} s, workers {self.workers_waited:.2f} s, "
            f"of {self.seconds:.2f} s; first batch after {self.seconds_to_first_batch:.2f} s\n"
            f"  queue: {self.queue_now} examples now, {self.queue_lowest} at the lowest, {self.queue_mean:.0f} on "
            f"average, capacity {self.capacity}; {self.skipped} items skipped\n"
            f"  {self.verdict}"
        )


class Counters:
    """The counters behind ``Statistics``, over all passes of a loader."""

    def __init__(self) -> None:
        self.examples = 0
        self.batches = 0
        self.seconds = 0.0
        self.seconds_to_first_batch = 0.0
        self.consumer_waited = 0.0
        self.workers_waited = 0.0  # summed over workers
        self.fills = 0
        self.fill_sum = 0
        self.fill_lowest: float = float("inf")

    def see_fill(self, fill: int) -> None:
        """The consumer asks, and finds *fill* examples."""
        self.fills += 1
        self.fill_sum += fill
        self.fill_lowest = min(self.fill_lowest, fill)

    def report(self, *, fill: int, skipped: int, workers: int, capacity: int) -> Statistics:
        return Statistics(
            examples=self.examples,
            batches=self.batches,
            skipped=skipped,
            seconds=self.seconds,
            seconds_to_first_batch=self.seconds_to_first_batch,
            consumer_waited=self.consumer_waited,
            workers_waited=self.workers_waited / workers,
            queue_now=fill,
            queue_lowest=int(self.fill_lowest) if self.fills else 0,
            queue_mean=self.fill_sum / self.fills if self.fills else 0.0,
            capacity=capacity,
        )
