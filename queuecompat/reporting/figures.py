"""The figures of one pipeline, and what they mean: whether the model waits for its data, and what would help.

Rule 1: The time to the first batch, in which buffers fill, is reported separately: all shares refer to the time after
        it.
Rule 2: Advice follows from the measurements and the plan. Where nothing can be gained, it says so; what was not
        measured is called unknown.
"""

from __future__ import annotations

import dataclasses
from typing import Mapping, Optional, Tuple

from queuecompat import processors
from queuecompat._session.streams.throughput import Stats
from queuecompat.reporting import sampling, stages
from queuecompat.reporting.caching import Cacheable
from queuecompat.reporting.stages import Stage

__all__ = ["LEAST", "SINGULAR", "Look", "Native", "Pipeline", "duration"]

# The singular of each unit that pipelines deliver.
SINGULAR = {"batches": "batch", "elements": "element", "examples": "example"}

# A training loop that waits for more than this share of its time is limited by its data,
_INPUT_BOUND = 0.3
# and one that waits for less than this is not.
_COMPUTE_BOUND = 0.1
# If the loop waits this many times longer than all work on a batch takes on one core, it is not that work that it waits
# for.
_UNEXPLAINED = 2
# In seconds after the first batch. Figures of a shorter run only reflect the start.
LEAST = 0.5
# What would help, by the stage with most of the work.
_REMEDIES = {
    stages.READ: "store the files without compression or on a faster disk, or read several at once (a _join batcher)",
    stages.PARSE: "parse only the features that are used, or store examples in a form that needs less parsing",
    stages.DECODE: "use more cores, smaller images, or images that are stored decoded",
    stages.ON_ELEMENTS: "use more cores, cheaper ops, or do this work once, before the data are written",
    stages.SHUFFLE: "shuffle smaller elements: file names, or records before they are decoded",
    stages.BATCH: "make elements smaller, for instance cast them to floating point after the batch",
    stages.ON_BATCHES: "use more cores or cheaper ops, or run them as a part of the model",
}
# Stages that a cache makes cheaper. Parsing is not among them: copying a cached record takes as long as parsing it.
_CACHED = (stages.READ, stages.DECODE, stages.ON_ELEMENTS)


@dataclasses.dataclass(frozen=True)
class Look:
    """The state of a pipeline at one moment.

    Attributes:
      when: seconds since the first look.
      count: how much it had delivered.
      waited: the seconds that the training loop had waited, after the first batch.
      held: the number of elements in the buffers of each queue, by the queue's name.
    """

    when: float
    count: int
    waited: float
    held: Mapping[str, int]


@dataclasses.dataclass(frozen=True)
class Pipeline:
    """A pipeline that was compiled.

    Attributes:
      made_at: the user's line.
      unit: what is counted, in the plural.
      steps: the steps of its plan, in words.
      feeds_queue: whether it fills a queue of the program's own; then the queue's threads also wait for room in it.
      why_nothing: why its data ended before it delivered anything; empty: not known.
      has_python: whether a function of the program's runs for each element.
      is_seeded: whether op seeds and a single thread limit its ops to one element at a time.
      stages: their work during the *recorded* seconds; empty: none was seen.
      cacheable: what ``--cache`` would keep; None: nothing, or it has a cache already.
      looks: its state over time.
      capacities: the capacities of the queues in *looks*, in elements.
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
    cacheable: Optional[Cacheable] = None
    looks: Tuple[Look, ...] = ()
    capacities: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def work(self) -> float:
        """Seconds of work of all stages during the recordings."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def cores(self) -> float:
        """The average number of cores that worked for it during the recordings."""
        return self.work / self.recorded if self.recorded else 0.0

    def share(self, stage: Stage) -> float:
        """Returns the share of *stage* in the work."""
        return stage.seconds / self.work if self.work else 0.0

    @property
    def seconds_each(self) -> Optional[float]:
        """Seconds of work of all stages for one batch (or example, or element; see ``answer``); None: not known."""
        known = [stage.seconds_each for stage in self.stages if stage.seconds_each is not None]
        return sum(known) if known else None

    @property
    def seconds_waited_each(self) -> float:
        """Seconds that the training loop waited per answer, after the first."""
        return self.stats.waited / max(1, self.stats.answers - 1)

    @property
    def answer(self) -> str:
        """The singular of what one request returns: ``batch``, ``example`` or ``element``."""
        return "batch" if self.batches is not None else SINGULAR[self.unit]

    @property
    def batches(self) -> Optional[int]:
        """The number of batches that it delivered; None if each request returned one element."""
        if self.unit == "batches":
            return self.stats.count
        is_batched = self.unit == "examples" and 0 < self.stats.answers < self.stats.count
        return self.stats.answers if is_batched else None

    @property
    def is_measured(self) -> bool:
        """Whether it ran long enough to report more than how much it delivered."""
        return not self.feeds_queue and self.stats.count > 0 and self.stats.seconds >= LEAST

    @property
    def share_waited(self) -> float:
        """The share of the time after the first batch in which the training loop waited."""
        return min(1.0, self.stats.waited / self.stats.seconds) if self.is_measured else 0.0

    @property
    def verdict(self) -> str:
        """``input-bound``, ``balanced`` or ``compute-bound``; empty if it was not measured."""
        if not self.is_measured:
            return ""
        if self.share_waited > _INPUT_BOUND:
            return "input-bound"
        return "balanced" if self.share_waited > _COMPUTE_BOUND else "compute-bound"

    @property
    def advice(self) -> Optional[str]:
        """What to do; None if there is no advice."""
        if self.verdict == "compute-bound":
            own = 1 - self.share_waited
            return f"your loop computes {own:.0%} of the time: a faster input pipeline would gain nothing"
        if not self.verdict:
            return None
        if self.has_python and self._most_is(stages.ON_ELEMENTS):
            return "a Python function runs for each element, one call at a time: write it in TensorFlow ops"
        if self.is_seeded and self._most_is(stages.ON_ELEMENTS, stages.DECODE, stages.PARSE):
            return "its ops have seeds and so run on one element at a time: without the seeds they run in parallel"
        if not self.stages:
            return f"your loop waited {self.share_waited:.0%} of the time; {self._why_unknown}"
        if self.seconds_each is not None and self.seconds_waited_each > _UNEXPLAINED * self.seconds_each:
            words = f"your loop waited {duration(self.seconds_waited_each)} for each {self.answer}, but its work takes"
            return (
                f"{words} {duration(self.seconds_each)}: the processors are busy with something else, such as the "
                "model, or the pipeline waits for input from outside"
            )
        cores = processors.usable()
        most = max(self.stages, key=lambda stage: stage.seconds)
        words = f"{_words(most)} is {self.share(most):.0%} of its work, on {self.cores:.1f} of {cores} cores"
        is_spared = most.kind in _CACHED and self.cacheable is not None and self.cacheable.spares(most)
        cache = f"{self.cacheable.advice}, or " if is_spared and self.cacheable is not None else ""
        return f"{words}: {cache}{_REMEDIES[most.kind]}"

    @property
    def _why_unknown(self) -> str:
        """Why it is not known where the pipeline's time goes."""
        if self.recorded:
            return (
                f"it is unknown where the pipeline's time goes: none of its work was seen in the {self.recorded:.2f} "
                "s that were recorded"
            )
        if sampling.may_be_too_short(self.stats.seconds):
            return (
                "the run was too short to show where the pipeline's time goes: the first recording is "
                f"{sampling.FIRST:.0f} s after the first batch"
            )
        return "it is unknown where the pipeline's time goes: nothing was recorded"

    def _most_is(self, *kinds: str) -> bool:
        """Whether most of the work is in one of the stages *kinds*, or could be because no stages are known."""
        return not self.stages or max(self.stages, key=lambda stage: stage.seconds).kind in kinds


def duration(seconds: float) -> str:
    """Returns *seconds* with two or three digits and a unit."""
    value, unit = next(
        ((seconds * factor, unit) for factor, unit in ((1, "s"), (1e3, "ms")) if seconds * factor >= 0.9995),
        (seconds * 1e6, "us"),
    )
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"


def _words(stage: Stage) -> str:
    """Names *stage* with its most expensive op and the user's line, where these are known."""
    if not stage.op:
        return f"'{stage.kind}'"
    return f"{stage.kind} ({stage.op}{', ' if stage.made_at else ''}{stage.made_at})"


@dataclasses.dataclass(frozen=True)
class Native:
    """A pipeline that runs on TensorFlow's own queues; *code* and *reason* say why."""

    name: str
    made_at: str
    code: str
    reason: str
