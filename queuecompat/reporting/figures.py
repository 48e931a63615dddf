"""The figures of one pipeline, and what they say: whether the model waits for its data, and what would help.

Rule 1: the time to the first batch, in which buffers fill, is told apart: all shares are of the time after it.
Rule 2: what is advised follows from what was measured and from the plan; where nothing is to be gained, that is said.
        What was not measured is called unknown.
"""

from __future__ import annotations

import dataclasses
from typing import Mapping, Optional, Tuple

from queuecompat import processors
from queuecompat._session.streams.throughput import Stats
from queuecompat.reporting import sampling, stages
from queuecompat.reporting.caching import Keepable
from queuecompat.reporting.stages import Stage

__all__ = ["LEAST", "SINGULAR", "Look", "Native", "Pipeline", "duration"]

# What pipelines deliver.
SINGULAR = {"batches": "batch", "elements": "element", "examples": "example"}

# A training loop that waits for more than this share of its time is kept back by its data,
_INPUT_BOUND = 0.3
# and one that waits for less than this is not.
_COMPUTE_BOUND = 0.1
# Who waits so many times as long as all work on a batch takes, on one core, does not wait for that work.
_UNEXPLAINED = 2
# Below this, in seconds after the first batch, the figures are those of the start.
LEAST = 0.5
# What would help, by the stage that most of the work is.
_REMEDIES = {
    stages.READ: "store the files without compression or on a faster disk, or read several at once (a _join batcher)",
    stages.PARSE: "parse only the features that are used, or store examples in a form that needs less parsing",
    stages.DECODE: "use more cores, smaller images, or images that are stored decoded",
    stages.ON_ELEMENTS: "use more cores, cheaper ops, or do this work once, before the data are written",
    stages.SHUFFLE: "shuffle smaller elements: file names, or records before they are decoded",
    stages.BATCH: "make elements smaller, for instance cast them to floating point after the batch",
    stages.ON_BATCHES: "use more cores or cheaper ops, or run them as a part of the model",
}
# What a cache makes cheaper; a record that is only parsed is copied in the same time.
_CACHED = (stages.READ, stages.DECODE, stages.ON_ELEMENTS)


@dataclasses.dataclass(frozen=True)
class Look:
    """What a pipeline had done at one moment, *when* seconds after the first look.

    Attributes:
      count: how much it had delivered; *waited*: how many seconds the training loop had waited, after the first batch.
      held: how many elements the buffers of each queue held, by its name.
    """

    when: float
    count: int
    waited: float
    held: Mapping[str, int]


@dataclasses.dataclass(frozen=True)
class Pipeline:
    """One that was compiled.

    Attributes:
      made_at: the user's line.
      unit: what is counted, in the plural.
      steps: of its plan, in words.
      feeds_queue: it fills a queue of the program's own, whose threads wait for room in it as well.
      why_nothing: why its data ended before it delivered anything; empty: that is not known.
      has_python: a function of the program's runs for each element.
      is_seeded: op seeds and one thread keep its ops to one element at a time.
      stages: their work while it was recorded, which was for *recorded* seconds; empty: none was seen.
      keepable: what ``--cache`` would keep; None: nothing, or it does already.
      looks: how it went on; *capacities*: of the queues in them, in elements.
    """

    name: str
    made_at: str
    unit: str
    stats: Stats
    steps: Tuple[str, ...]
    feeds_queue: bool = False
    why_nothing: str = ""
    has_python: bool = False
    is_seeded: bool = False
    stages: Tuple[Stage, ...] = ()
    recorded: float = 0.0
    keepable: Optional[Keepable] = None
    looks: Tuple[Look, ...] = ()
    capacities: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def work(self) -> float:
        """Seconds of work of all stages, while it was recorded."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def cores(self) -> float:
        """How many cores worked for it, on average, while it was recorded."""
        return self.work / self.recorded if self.recorded else 0.0

    def share(self, stage: Stage) -> float:
        """The part of the work that *stage* is."""
        return stage.seconds / self.work if self.work else 0.0

    @property
    def each(self) -> Optional[float]:
        """Seconds of work of all stages for one batch, or for what one answer is; None: not known."""
        known = [stage.each for stage in self.stages if stage.each is not None]
        return sum(known) if known else None

    @property
    def waited_each(self) -> float:
        """Seconds that the training loop waited for one answer, after the first."""
        return self.stats.waited / max(1, self.stats.answers - 1)

    @property
    def answer(self) -> str:
        """What one answer is, in the singular: ``batch``, ``example`` or ``element``."""
        return "batch" if self.batches is not None else SINGULAR[self.unit]

    @property
    def batches(self) -> Optional[int]:
        """How many batches it delivered; None where each answer was one element."""
        if self.unit == "batches":
            return self.stats.count
        is_batched = self.unit == "examples" and 0 < self.stats.answers < self.stats.count
        return self.stats.answers if is_batched else None

    @property
    def is_measured(self) -> bool:
        """Whether it ran for long enough to say more than how much it delivered."""
        return not self.feeds_queue and self.stats.count > 0 and self.stats.seconds >= LEAST

    @property
    def share_waited(self) -> float:
        """The part of the time after the first batch in which the training loop waited."""
        return min(1.0, self.stats.waited / self.stats.seconds) if self.is_measured else 0.0

    @property
    def verdict(self) -> str:
        """``input-bound``, ``balanced`` or ``compute-bound``; empty: it was not measured."""
        if not self.is_measured:
            return ""
        if self.share_waited > _INPUT_BOUND:
            return "input-bound"
        return "balanced" if self.share_waited > _COMPUTE_BOUND else "compute-bound"

    @property
    def advice(self) -> Optional[str]:
        """What to do; None where nothing can be said."""
        if self.verdict == "compute-bound":
            own = 1 - self.share_waited
            return f"your loop computes {own:.0%} of the time: a faster input pipeline would gain nothing"
        if not self.verdict:
            return None
        if self.has_python and self._most_is(stages.ON_ELEMENTS):
            return "a Python function runs for each element, one call at a time: write it in TensorFlow ops"
        if self.is_seeded and self._most_is(stages.ON_ELEMENTS, stages.DECODE, stages.PARSE):
            return "its op seeds keep one thread to one element at a time: without them its ops run in parallel"
        if not self.stages:
            return f"your loop waited {self.share_waited:.0%} of the time; {self._why_unknown}"
        if self.each is not None and self.waited_each > _UNEXPLAINED * self.each:
            words = f"your loop waited {duration(self.waited_each)} for each {self.answer}, whose work is"
            return (
                f"{words} {duration(self.each)}: the wait is not for this work, but for processors that are busy with "
                "something else, such as the model, or for what feeds the pipeline from outside"
            )
        cores = processors.usable()
        most = max(self.stages, key=lambda stage: stage.seconds)
        words = f"{_words(most)} is {self.share(most):.0%} of its work, on {self.cores:.1f} of {cores} cores"
        is_spared = most.kind in _CACHED and self.keepable is not None and self.keepable.spares(most)
        cache = f"{self.keepable.advice}, or " if is_spared and self.keepable is not None else ""
        return f"{words}: {cache}{_REMEDIES[most.kind]}"

    @property
    def _why_unknown(self) -> str:
        """Why it is not known what takes the pipeline's time."""
        if self.recorded:
            return (
                f"where the pipeline's time goes is not known: none of its work was seen in the {self.recorded:.2f} s "
                "that were recorded"
            )
        if sampling.may_be_too_short(self.stats.seconds):
            return (
                "the run was too short to say where the pipeline's time goes, which is first recorded "
                f"{sampling.FIRST:.0f} s after the first batch"
            )
        return "where the pipeline's time goes is not known: nothing was recorded"

    def _most_is(self, *kinds: str) -> bool:
        """Whether most of the work is of one of *kinds*, as far as is known."""
        return not self.stages or max(self.stages, key=lambda stage: stage.seconds).kind in kinds


def duration(seconds: float) -> str:
    """*seconds* with two or three digits and their unit."""
    value, unit = next(
        ((seconds * factor, unit) for factor, unit in ((1, "s"), (1e3, "ms")) if seconds * factor >= 0.9995),
        (seconds * 1e6, "us"),
    )
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"


def _words(stage: Stage) -> str:
    """*stage*, or its most expensive op where that is known, and the user's line."""
    if not stage.op:
        return f"'{stage.kind}'"
    return f"{stage.kind} ({stage.op}{', ' if stage.made_at else ''}{stage.made_at})"


@dataclasses.dataclass(frozen=True)
class Native:
    """One that runs on TensorFlow's own queues; *code* and *reason* say why."""

    name: str
    made_at: str
    code: str
    reason: str
