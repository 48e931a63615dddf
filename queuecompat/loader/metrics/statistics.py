"""A loader's counters, and the verdict: whether the model or the workers wait.

Rule 1: each counter is written by the consumer's thread only, or with the lock of the run held.
Rule 2: the time until the first batch of a pass is counted separately: the queue is empty then, so a wait says nothing.
"""

from __future__ import annotations

import collections
import dataclasses
from typing import Deque, List, Mapping, Optional, Tuple

from queuecompat.loader.metrics.stages import Span, StageTotals
from queuecompat.loader.metrics.timeline import Timeline
from queuecompat.plurals import counted

__all__ = ["Counters", "Statistics"]

# The share of its time from which a consumer's waiting matters for the verdict.
_NOTICEABLE = 0.05


@dataclasses.dataclass(frozen=True)
class Statistics:
    """What a loader has done so far, over all passes.

    Attributes:
      examples, batches: the numbers of examples and batches that the consumer has received.
      skipped: the number of failures whose items were skipped.
      seconds: the time of iterating, without the time until the first batch of each pass.
      seconds_to_first_batch: the time until the first batch of the last pass.
      consumer_waited: the seconds for which the consumer waited for batches, other than the first ones.
      workers_waited: the seconds for which a worker waited for room, on average over the workers.
      queue_now: the number of examples that are loaded and waiting now.
      queue_lowest, queue_mean: the minimum and the mean of that number whenever the consumer asked for a batch.
      capacity: the capacity of the queue, in examples.
      stages: the seconds of all workers in each stage, the longest first: "wait" (for room, or for another worker),
        "load" (the part of ``load`` that is in no other stage), "batch" (assembling and finishing batches), and the
        stages that ``queuecompat.loader.stage`` names: ``ImageListLoader`` has "read", "decode" and "augment".
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
        """One line that says whether the model waits for data, or the workers for the model."""
        if self.batches < 2 or not self.seconds:
            return "too few batches for a verdict"
        consumer = min(1.0, self.consumer_waited / self.seconds)
        workers = min(1.0, self.workers_waited / self.seconds)
        if consumer > _NOTICEABLE and consumer >= workers:
            return f"the model waits for data ({consumer:.0%} of the time)"
        return f"data waits for the model (the workers are idle {workers:.0%} of the time)"

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


_MOST_BATCHES = 4000  # the number of batches in a timeline


class Counters:
    """The counters from which ``Statistics`` and ``Timeline`` are made, over all passes of a loader."""

    def __init__(self) -> None:
        self.examples = 0
        self.batches = 0
        self.seconds = 0.0
        self.seconds_to_first_batch = 0.0
        self.consumer_waited = 0.0
        self.workers_waited = 0.0  # seconds, summed over workers
        self.fills = 0  # how often the fill of the queue was seen
        self.fill_sum = 0
        self.fill_lowest: float = float("inf")
        self.stages = StageTotals()
        # For the last batches: when the consumer asked, when it got the batch, and how many examples were waiting.
        self.asked: Deque[Tuple[float, float, int]] = collections.deque(maxlen=_MOST_BATCHES)

    def see_fill(self, fill: int) -> None:
        """Counts a request of the consumer that found *fill* waiting examples, and got no batch."""
        self.fills += 1
        self.fill_sum += fill
        if fill < self.fill_lowest:
            self.fill_lowest = fill

    def count(self, examples: int, fill: int, asked: float, got: float, before: Optional[float]) -> None:
        """Counts a batch.

        Args:
          examples: the number of examples in the batch.
          fill: the number of examples that were waiting when the consumer asked.
          asked, got: when the consumer asked for the batch, and when it got it.
          before: when it got the batch before; None for the first batch of a pass.
        """
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
