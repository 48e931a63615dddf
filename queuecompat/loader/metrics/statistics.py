"""What a loader counts, and the verdict: whether the model waits or the workers.

Rule 1: counters are only written under the lock of the run that counts.
Rule 2: the time until the first batch of a pass is apart: the queue is empty then, and that says nothing.
"""

from __future__ import annotations

import collections
import dataclasses
from typing import Deque, List, Mapping, Optional, Tuple

from queuecompat.loader.metrics.stages import Span, StageTotals
from queuecompat.loader.metrics.timeline import Timeline
from queuecompat.plurals import counted

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
      stages: the seconds of all workers in each stage, the longest first: "wait" (for room, or for another worker),
        "load" (the rest of ``load``), "batch", and those that ``queuecompat.loader.stage`` names: ``ImageListLoader``
        has "read", "decode" and "augment".
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
    stages: Mapping[str, float] = dataclasses.field(default_factory=dict)

    @property
    def examples_per_second(self) -> float:
        return self.examples / self.seconds if self.seconds else 0.0

    @property
    def verdict(self) -> str:
        """Whether the model waits for data or the workers for the model, in one line."""
        if self.batches < 2 or not self.seconds:
            return "too few batches for a verdict"
        consumer = min(1.0, self.consumer_waited / self.seconds)
        workers = min(1.0, self.workers_waited / self.seconds)
        if consumer > _NOTICEABLE and consumer >= workers:
            return f"the model waits for data ({consumer:.0%} of the time)"
        return f"data waits for the model (the workers rest {workers:.0%} of the time)"

    def _stages_as_text(self) -> str:
        whole = sum(self.stages.values())
        if not whole:
            return ""
        return f"  workers: {', '.join(f'{name} {seconds / whole:.0%}' for name, seconds in self.stages.items())}\n"

    def __str__(self) -> str:
        delivered = f"{counted(self.examples, 'example')} in {counted(self.batches, 'batch', 'batches')}"
        return (
            f"{delivered}, {self.examples_per_second:.0f} examples/s\n"
            f"  consumer waited {self.consumer_waited:.2f} s, workers {self.workers_waited:.2f} s, "
            f"of {self.seconds:.2f} s; first batch after {self.seconds_to_first_batch:.2f} s\n"
            f"  queue: {counted(self.queue_now, 'example')} now, {self.queue_lowest} at the lowest, "
            f"{self.queue_mean:.0f} on average, capacity {self.capacity}; {counted(self.skipped, 'item')} skipped\n"
            f"{self._stages_as_text()}"
            f"  {self.verdict}"
        )


_MOST_BATCHES = 4000  # of a timeline


class Counters:
    """What ``Statistics`` is made of, over all passes of a loader."""

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
        self.stages = StageTotals()
        # When the consumer asked and got, and what was waiting: of the last batches.
        self.asked: Deque[Tuple[float, float, int]] = collections.deque(maxlen=_MOST_BATCHES)

    def see_fill(self, fill: int) -> None:
        """The consumer asks, and finds *fill* examples."""
        self.fills += 1
        self.fill_sum += fill
        if fill < self.fill_lowest:
            self.fill_lowest = fill

    def count(self, examples: int, fill: int, asked: float, got: float, before: Optional[float]) -> None:
        """The consumer asked, found *fill* waiting, got *examples*; *before* is when it got the last batch."""
        self.fills += 1
        self.fill_sum += fill
        if fill < self.fill_lowest:
            self.fill_lowest = fill
        self.asked.append((asked, got, fill))
        self.batches += 1
        self.examples += examples
        if before is None:
            self.seconds_to_first_batch = got - asked
        else:
            self.seconds += got - before
            self.consumer_waited += got - asked

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
            stages=self.stages.seconds(),
        )

    def timeline(self, capacity: int) -> Timeline:
        asked = list(self.asked)
        consumer: List[Span] = []
        for begin, end, _ in asked:
            if consumer:
                consumer.append(Span("use", consumer[-1].end, begin))
            consumer.append(Span("wait", begin, end))
        return Timeline(self.stages.spans(), consumer, [(begin, fill) for begin, _, fill in asked], capacity)
