"""How much the program requested from a pipeline, and how much was delivered: for the stall watch and the report.

A draw counts one request before it waits. The last step of the plan counts what is delivered and, if a report was asked
for (``measure``), reads a clock. All of this is done by ops; no step calls Python.
"""

from __future__ import annotations

import copy
import dataclasses
import logging
import math
import threading
from typing import Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

import tensorflow as tf

from queuecompat._backends import text
from queuecompat._plan import ir, resources
from queuecompat._session.graph_ops.counters import Counter, Earliest, RunCounter
from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes
from queuecompat._session.steps import sessions

__all__ = ["Stats", "Throughput", "measure"]

_reporting = threading.Lock()  # steps of several threads may reach the end of the data at the same time

# Whether the time that consumers wait is measured, too. Set before the first pipeline is built.
_is_measured = False


def measure(on: bool) -> None:
    """Whether pipelines that are built from now on measure how long their consumers wait."""
    global _is_measured
    _is_measured = on


@dataclasses.dataclass(frozen=True)
class Stats:
    """What one pipeline delivered, in one session or in several.

    Attributes:
      count: how much was delivered, in the pipeline's unit.
      requests: how often the program asked for something.
      answers: how often something was delivered; less than *requests* if the data have ended.
      first: seconds from the first request to the first answer.
      seconds: from the first answer to the last one; *waited* seconds of them passed between requests and answers.
    """

    count: int = 0
    requests: int = 0
    first: float = 0.0
    seconds: float = 0.0
    waited: float = 0.0
    answers: int = 0

    def __add__(self, other: Stats) -> Stats:
        pairs = zip(dataclasses.astuple(self), dataclasses.astuple(other))
        return Stats(*(ours + theirs for ours, theirs in pairs))


class Throughput:
    """The figures of one terminal.

    Args:
      stage: TF1's name of it.
      key: its key in plans.
      made_at: the user's line.
      scope: the name scope of its ops.
    Attributes:
      counter: counts its elements if no other step of the plan counts what is delivered.
      why_nothing: why it delivered nothing in a session in which its data ended; empty: there was no such session.
      until_end: how much it had delivered when its data ended, in the last session in which they did; None: in none.
    """

    def __init__(self, placement: Placement, stage: str, key: str, made_at: str, scope: str) -> None:
        self.stage = stage
        self.key = key
        self.made_at = made_at
        self.op_name = scope
        self.queues: Set[str] = set()  # the program's own queues, by the names of their ops
        self.unit = "examples"  # what is counted, in the plural
        self.why_nothing = ""
        self.until_end: Optional[int] = None
        self._placement = placement
        self._plan: Optional[ir.Plan] = None
        self._whole: Optional[ir.Plan] = None
        self._rows = 1
        self._asked = RunCounter(placement, scope, "asked")
        self._clock = _Clock(placement, scope) if _is_measured else None
        self._examples: Optional[ir.Count] = None
        self.counter = Counter(placement, scope, "delivered")
        self._reads: List[tf.Tensor] = []
        self._shuffles: List[Tuple[ir.Shuffle, ir.Count]] = []
        self._read: List[resources.Counter] = []  # the counters that _reads reads, after the requests
        self._held: Dict[str, List[tf.Tensor]] = {}  # reads of what entered and left each queue, by its key

    @property
    def counters(self) -> List[Union[Counter, Earliest]]:
        """The counters that have to be reset at a start."""
        return [self.counter, *(self._clock.counters if self._clock else [])]

    def count_request(self) -> tf.Operation:
        """An op that counts one request; to be run before each draw, after the pipeline's start."""
        asked = self._asked.count("ask")
        return asked if self._clock is None else tf.group(asked, self._clock.count_request())

    def counted(self, plan: ir.Plan, whole: ir.Plan, named: resources.Resources) -> ir.Plan:
        """*plan* with a step that counts what it delivers, if that may be asked for.

        Args:
          whole: the same plan from its sources on, if *plan* begins with a stream that several plans share.
          named: the streams and counters that the plan refers to.
        """
        self.unit = _unit(whole.steps)
        self._plan, self._whole = plan, whole
        streams = [named.stream(key, is_native=True) for key in text.native_streams(plan)]
        self.queues = {queue.op.name for stream in streams for queue in stream.queues}
        last = plan.steps[-1]
        if isinstance(last, ir.Count) and last.every == 1:
            sizes = [step.size for step in plan.steps if isinstance(step, ir.Batch)]
            self._rows = sizes[-1] if last.batched else 1
            self.unit = "examples" if last.batched else self.unit
            self._examples = last
            steps = plan.steps[:-1]
        elif self._clock is not None or text.may_stall(plan):
            last = self._examples = ir.Count(plan.components, self.key, "delivered", batched=False)
            steps = plan.steps
        else:
            self._examples = None
            return plan
        self._make_reads(named.counter)
        if self._clock is not None:
            self._clock.make_reads()
            self._make_reads_of_queues(plan, named.counter)
            last = dataclasses.replace(last, is_timed=True)
        return plan.with_steps((*steps, last))

    def timed(self, counter: resources.Counter) -> resources.Counter:
        """*counter*, extended so that it records the time of each count."""
        assert self._clock is not None
        return _TimedCounter(counter, self._clock)

    def is_awaited(self, session: tf.compat.v1.Session) -> bool:
        """Whether a step of *session* is waiting for an element at this moment."""
        if self._examples is None:
            return False
        asked, examples = _counts(session, self._reads[:2])
        return bool(asked > -(-examples // self._rows))

    def asked(self, session: tf.compat.v1.Session) -> int:
        """How many requests there were in *session*."""
        return _counts(session, self._reads[:1])[0] if self._reads else 0

    def examples(self, session: tf.compat.v1.Session) -> int:
        """How many examples were delivered in *session*."""
        return _counts(session, self._reads[1:2])[0] if self._reads else 0

    def ended(self, session: tf.compat.v1.Session) -> None:
        """To be called when the data have ended in *session*.

        If nothing was delivered, logs a warning that says so, once.

        It is not an error, because a program may expect that its input is empty.
        """
        if self._whole is None or self.why_nothing:
            return
        try:
            asked, examples = _counts(session, self._reads[:2]) or (0, 0)
        except (RuntimeError, tf.errors.OpError):  # the session has been closed meanwhile, or is broken
            return
        if asked:
            self.until_end = examples
        if not asked or examples:
            return
        with _reporting:
            is_reported, self.why_nothing = bool(self.why_nothing), _why_nothing(self._whole.steps)
        if not is_reported:
            logging.getLogger("queuecompat").warning(
                "'%s', made at %s, delivered nothing: %s", self.stage, self.made_at, self.why_nothing
            )

    def figures(self, session: tf.compat.v1.Session) -> Tuple[Stats, Dict[str, int]]:
        """What was measured in *session*, and how many elements each queue's buffers hold, by the key of its stage.

        All 0 if nothing was started or measured. Everything is read in one step, because a step costs more than what it
        reads.
        """
        if self._clock is None or self._examples is None:
            return Stats(), {}
        of_queues = [read for reads in self._held.values() for read in reads]
        own = [*self._reads[:2], *self._clock.reads()]
        values = _values(session, [*own, *of_queues])
        if of_queues and not any(values):  # perhaps because of queues whose runner has not started
            values = [*_values(session, own), *values[len(own) :]]
        counts = [int(count) for count in values[len(own) :]]
        held = {key: max(0, came - left) for key, came, left in zip(self._held, counts[::2], counts[1::2])}
        return _stats(*values[: len(own)]), held

    def waits_for(self, session: tf.compat.v1.Session) -> List[str]:
        """What *session* waits for, in words: shuffle buffers that are still filling, and the sources of the plan."""
        if self._plan is None or self._whole is None:
            return []
        counts = _counts(session, self._reads[2:])
        filling = [text.filling(one, count) for (one, _), count in zip(self._shuffles, counts) if count < one.needed]
        # A shared stream is itself waiting for its sources, so those are named.
        return [*filling, *text.sources(self._whole if text.draws_from_stream(self._plan) else self._plan)]

    def _make_reads(self, counter_of: Callable[[ir.Count], resources.Counter]) -> None:
        # Made now, because the graph may be finalised when they are needed; and only once, although a plan may be
        # lowered again.
        assert self._examples is not None and self._plan is not None
        self._shuffles = list(text.counted_shuffles(self._plan))
        counters = [counter_of(count) for count in (self._examples, *(count for _, count in self._shuffles))]
        if self._read == counters:
            return
        self._read = counters
        with outside_user_scopes(self._placement, self.op_name):
            self._reads = [self._asked.read(), *(_value(counter) for counter in counters)]

    def _make_reads_of_queues(self, plan: ir.Plan, counter_of: Callable[[ir.Count], resources.Counter]) -> None:
        counts: Dict[Tuple[str, str], ir.Count] = {}
        for step in ir.all_steps(plan):
            if isinstance(step, ir.Count):
                counts.setdefault((step.queue, step.event), step)
        both = [key for key, event in counts if event == "entered" and (key, "left") in counts]
        with outside_user_scopes(self._placement, self.op_name):
            self._held = {
                key: [_value(counter_of(counts[key, event])) for event in ("entered", "left")] for key in both
            }


def _stats(
    requests: float,
    examples: float,
    first_question: float,
    first_answer: float,
    last: float,
    waited: float,
    answers: float,
) -> Stats:
    if not examples or not math.isfinite(first_answer):
        return Stats(int(examples), int(requests))
    first = first_answer - first_question
    return Stats(int(examples), int(requests), first, last - first_answer, waited - first, int(answers))


def _unit(steps: Sequence[ir.Step]) -> str:
    """What the elements of a plan are, in the plural."""
    for step in reversed(steps):
        if isinstance(step, (ir.Batch, ir.Bucket)):
            return "batches"
        if isinstance(step, ir.Unbatch):
            return "examples"
        if isinstance(step, ir.Merge):
            return _unit(step.branches[0].steps)
        if isinstance(step, ir.Pull) and step.is_native:
            return "elements"  # the program's own queue may hold examples or batches
    return "examples"


def _why_nothing(steps: Sequence[ir.Step]) -> str:
    """Why a plan of *steps* that reached the end of its data may have delivered nothing."""
    last = next((step for step in reversed(steps) if isinstance(step, (ir.Batch, ir.Bucket, ir.Unbatch))), None)
    if isinstance(last, ir.Batch) and last.drop_remainder and last.size > 1:
        return f"its data ended before there were {last.size} elements, which a batch needs"
    if isinstance(last, ir.Bucket) and last.drop_remainder:
        return "its data ended before there were enough elements for a batch"
    return "its data ended before the first element"


class _Clock:
    """The times, in seconds, of the first request, the first answer and the last answer, and the total time waited.

    The answers are counted as well: there are fewer than requests if the data end, and the last one may be a small
    batch.

    Rule 1: ten ops per batch, whatever its size: three with the request, seven with the answer.
    """

    def __init__(self, placement: Placement, scope: str) -> None:
        self._placement, self._scope = placement, scope
        self._first = Earliest(placement, scope, "first_question")
        self._first_answer = Earliest(placement, scope, "first_answer")
        self._question = Counter(placement, scope, "question", tf.float64)
        self._answer = Counter(placement, scope, "answer", tf.float64)
        self._waited = Counter(placement, scope, "waited", tf.float64)
        self._answers = Counter(placement, scope, "answers")
        self._reads: List[tf.Tensor] = []

    @property
    def counters(self) -> List[Union[Counter, Earliest]]:
        return [self._first, self._first_answer, self._question, self._answer, self._waited, self._answers]

    def count_request(self) -> tf.Operation:
        now = tf.timestamp()
        return tf.group(self._first.add(now), self._question.set(now))

    def make_reads(self) -> None:
        """Makes the ops of ``reads`` once, before the graph is finalised."""
        if not self._reads:
            with outside_user_scopes(self._placement, self._scope):
                counters = (self._first, self._first_answer, self._answer, self._waited, self._answers)
                self._reads = [counter.value() for counter in counters]

    def reads(self) -> List[tf.Tensor]:
        return self._reads

    def with_handles(self, handles: Sequence[tf.Tensor]) -> _Clock:
        """The same on other *handles*: those of its counters, in their order."""
        other = copy.copy(self)
        first, first_answer, question, answer, waited, answers = ([handle] for handle in handles)
        other._first, other._first_answer = (
            self._first.with_handles(first),
            self._first_answer.with_handles(first_answer),
        )
        other._question, other._answer = self._question.with_handles(question), self._answer.with_handles(answer)
        other._waited, other._answers = self._waited.with_handles(waited), self._answers.with_handles(answers)
        return other

    def answer(self) -> tf.Operation:
        now = tf.timestamp()
        waited = self._waited.add(now - self._question.value())
        one = self._answers.add(tf.constant(1, tf.int64))
        return tf.group(self._first_answer.add(now), self._answer.set(now), waited, one)


class _TimedCounter:
    """*counter*; *clock* records an answer with each count."""

    def __init__(self, counter: resources.Counter, clock: _Clock) -> None:
        self._counter, self._clock = counter, clock

    @property
    def handles(self) -> List[tf.Tensor]:
        return [handle for one in (self._counter, *self._clock.counters) for handle in one.handles]

    def with_handles(self, handles: Sequence[tf.Tensor]) -> _TimedCounter:
        own = len(self._counter.handles)
        return _TimedCounter(self._counter.with_handles(handles[:own]), self._clock.with_handles(handles[own:]))

    def add(self, count: tf.Tensor) -> tf.Operation:
        return tf.group(self._counter.add(count), self._clock.answer())

    def set(self, count: tf.Tensor) -> tf.Operation:
        return self._counter.set(count)


def _value(counter: resources.Counter) -> tf.Tensor:
    assert isinstance(counter, Counter)
    return counter.value()


def _counts(session: tf.compat.v1.Session, reads: List[tf.Tensor]) -> List[int]:
    """The values of *reads* in *session*; all 0 if their counters have not been started there."""
    return [int(count) for count in _values(session, reads)]


def _values(session: tf.compat.v1.Session, reads: List[tf.Tensor]) -> List[float]:
    try:
        return [value.item() for value in sessions.run_unattended(session, reads)]
    except tf.errors.FailedPreconditionError:
        return [0] * len(reads)
