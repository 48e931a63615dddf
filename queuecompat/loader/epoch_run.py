"""One run over the epochs of a pass: the lock around a ``Stream``, workers on one side, the consumer on the other.

Rule 1: one condition variable. No thread polls or sleeps; a thread that changes what others wait for notifies them.
Rule 2: the user's code (``load``, the source) is never called with the lock held.
Rule 3: the workers end with the pass: ``close`` waits for them. A consumer that was forgotten closes its pass when
        it is collected; should that happen on a worker's own thread, that worker ends by itself.

Guarantees:
  - ``take`` returns the batches of the stream in order, then None, or raises what broke the run. It never waits for a
    worker that is gone: a worker that ends in an exception breaks the run (``_run``).
  - An item is begun once, and told as done once: by ``finish``, ``end`` or ``fail``.
  - After ``close`` nothing is added, and what the run held is released, even while a traceback refers to the run.
  - ``close`` takes ``close_timeout`` and ``kill_timeout`` seconds at most; further calls wait no longer than the first.
Assumes: one consumer at a time; a worker calls ``next_work`` again only when it is done with its last task.
Locks: ``_lock`` (``_changed`` is its condition) is for the stream, the lifecycle, the inferred spec, the tolerance and
the counters. It is reentrant, because a run may be collected, and closed, on a thread that holds it. A pool's own lock
may be taken inside of it, never the other way round.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Protocol, Sequence, Union

import numpy as np

from queuecompat.errors import error, layout, warn_user
from queuecompat.loader.blocks import Block
from queuecompat.loader.failures import (
    LoaderClosedError,
    LoadError,
    NothingReturnedError,
    Tolerance,
    last_line,
    load_error,
    named,
)
from queuecompat.loader.lifecycle import Action, Event, Lifecycle
from queuecompat.loader.sampler import NOTHING, Item
from queuecompat.loader.statistics import Counters
from queuecompat.loader.streams import Batch, Example, Stream
from queuecompat.loader.structures import ExampleSpec, leaves_of, objects_of, spec_of

__all__ = ["EpochRun", "InferredSpec", "NotWantedError", "Work", "WorkerPool"]


_AN_ITEM = object()
FORKED = "was begun in another process, before a fork"
_WARN_SECONDS = 60.0  # that a consumer waits without a word
_NAMED = 4  # items, in a message


class NotWantedError(Exception):
    """Raised in a worker that wants to add an example to a pass that has ended."""


class WorkerPool(Protocol):
    """Workers of one kind."""

    close_timeout: float  # seconds for items that are not needed any more
    kill_timeout: float  # seconds for workers to end after ``force``

    def workers(self) -> List[Callable[[EpochRun], None]]:
        """What the thread of each worker does."""

    def take(self, spec: ExampleSpec, rows: int) -> Block:
        """Memory for *rows* examples."""

    def interrupt(self) -> None:
        """The pass has ended; nothing new will be wanted of it."""

    def for_consumer(self, block: Block) -> Block:
        """*block*, or a copy of it: what the consumer gets for good."""

    def begin_epoch(self, epoch: int) -> None:
        """The items of *epoch* are begun from here on."""

    def at_work(self, works: List[Work]) -> List[Work]:
        """Of *works*, which were begun, those that are being loaded now."""

    def force(self, works: List[Work]) -> None:
        """The close timeout expired while *works* were still being loaded."""


@dataclasses.dataclass
class InferredSpec:
    """What the first example has shown, for all passes of a loader: *model* is the name of that example's item,
    and *objects* are those of its arrays that hold Python objects."""

    spec: Optional[ExampleSpec] = None
    several: Optional[bool] = None
    model: str = ""
    objects: List[np.ndarray] = dataclasses.field(default_factory=list)


class Work:
    """An item that a worker has begun with.

    Attributes:
      place: the row its example goes to, where that is known.
      examples: that it gave so far.
      value: what the source has for it.
      since: when it was begun.
    """

    __slots__ = ("examples", "item", "number", "place", "since", "value")

    def __init__(self, number: int, item: Item) -> None:
        self.number = number
        self.item = item
        self.place: Optional[Example] = None
        self.examples = 0
        self.value: Any = NOTHING
        self.since = time.perf_counter()


class EpochRun:
    """See the module.

    Args:
      stream: the bookkeeping, with nothing begun.
      sampled: the items; *quick* says that it may be asked with the lock held.
      is_endless: whether items that end are a failure.
      pool: the workers, and the memory that they write into.
      tolerance: decides about items that fail.
      made_at: the user's line, for messages.
      timeout: most seconds that the consumer waits for a batch.
      most_rows: the examples of the pass, where items give one each; None where that is not known.
    """

    def __init__(
        self,
        stream: Stream,
        sampled: Iterator[Item],
        *,
        quick: bool,
        is_endless: bool,
        batch_size: int,
        inferred: InferredSpec,
        pool: WorkerPool,
        tolerance: Tolerance,
        counters: Counters,
        made_at: str,
        timeout: Optional[float] = None,
        most_rows: Optional[int] = None,
    ) -> None:
        # Entered in C, unlike the condition: an interrupt cannot come between taking it and having taken it.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._lifecycle = Lifecycle()
        self._stream = stream
        self._sampler = sampled
        self._is_quick = quick
        self._is_endless = is_endless
        self._batch_size = batch_size
        self._rows_a_block = min(batch_size, max(1, most_rows)) if most_rows is not None else batch_size
        self._inferred = inferred
        self._pool = pool
        self._take_block = pool.take
        self._tolerance = tolerance
        self._counters = counters
        self._made_at = made_at
        self._timeout = timeout
        self._has_warned = False
        self._rows: Optional[Block] = None  # whose rows are given away
        self._rows_number = -1
        self._is_fetching = False
        self._sudden: Optional[BaseException] = None  # a failure that waits for no batch before it
        self._threads: List[threading.Thread] = []
        self._begun: Dict[int, Work] = {}
        self._is_closing = False
        self._deadline = 0.0  # for the workers to end
        self._process = os.getpid()
        self._since: Optional[float] = None  # the consumer's last call came back then
        if inferred.several is not None:
            stream.decide(inferred.several)
        stream.judge_epochs(self._without_examples)

    def start(self) -> None:
        """Starts a thread for each worker of the pool."""
        for number, worker in enumerate(self._pool.workers()):
            thread = threading.Thread(
                target=self._run, args=(worker,), name=f"queuecompat-loader-{number}", daemon=True
            )
            with self._lock:
                if self._is_closing:
                    return
                thread.start()
                self._threads.append(thread)

    def _run(self, worker: Callable[[EpochRun], None]) -> None:
        try:
            worker(self)
        except BaseException as failure:
            # No memory for another batch, say. A worker that ended without a word would be waited for.
            self.break_now(failure)

    # What workers call.

    def next_work(self) -> Union[Work, Batch, None]:
        """An item to load, a batch to put together, or None: there is nothing left to do."""
        work = None
        while work is None:
            with self._lock:
                task = self._wait_for_task()
                if task is not _AN_ITEM:
                    return task
                if self._is_quick:
                    work = self._begin(self._next_item())
                    continue
                self._is_fetching = True
            item = self._next_item()
            with self._lock:
                self._is_fetching = False
                self._changed.notify_all()
                work = self._begin(item)
        return work

    def more_work(self, most: int) -> List[Work]:
        """Other items, as far as they may be begun now, without waiting. Only the last may have no place."""
        works: List[Work] = []
        with self._lock:
            while (
                len(works) < most
                and self._is_quick
                and self._lifecycle.may(Action.CLAIM)
                and self._stream.may_begin()
                and not (works and works[-1].place is None)
            ):
                work = self._begin(self._next_item())
                works += [work] if work else []
        return works

    def place(self, work: Work) -> Example:
        """Where the next example of *work* goes. Waits for room, and puts batches together meanwhile."""
        while True:
            with self._lock:
                batch = self._wait_for_room(work)
                if batch is None:
                    return self._place(work)
            self.gather(batch)

    def add(self, work: Work, example: Example) -> None:
        """*example* is written."""
        with self._lock:
            work.examples += 1
            if self._lifecycle.may(Action.ADD):
                self._stream.add(work.number, example)
                self._tell()

    def end(self, work: Work) -> None:
        """*work* gives no more."""
        self.finish([work])

    def finish(self, works: Sequence[Work], *, with_examples: bool = False) -> None:
        """Each of *works* gives no more; *with_examples*: than the one that is in its place now."""
        with self._lock:
            for work in works:
                self._begun.pop(work.number, None)
            if self._lifecycle.may(Action.ADD):
                if with_examples:
                    self._stream.add_only((work.number, work.place) for work in works if work.place is not None)
                else:
                    for work in works:
                        self._stream.end(work.number)
            self._tell()

    def fail(self, work: Work, failure: BaseException) -> None:
        """*work* raised *failure*."""
        problem: Optional[LoadError] = self._problem(work, failure)
        with self._lock:
            self._begun.pop(work.number, None)
            if problem is None or not self._lifecycle.may(Action.ADD):
                return
            problem = self._tolerance.judge(problem)
            if problem is None:
                self._stream.leave_out(work.number)
            else:
                self._stream.break_at(work.number, problem)
            self._tell()

    def _problem(self, work: Work, failure: BaseException) -> LoadError:
        if isinstance(failure, LoadError):
            return failure
        if isinstance(failure, NothingReturnedError):
            return load_error("QC635", self._made_at, item=work.item, value=work.value, where=failure.where)
        return load_error(
            "QC605", self._made_at, item=work.item, value=work.value, cause=failure, raised=last_line(failure)
        )

    def _without_examples(self, epoch: int, items: int) -> LoadError:
        """The failure of an epoch of so many *items*."""
        skipped = list(self._tolerance.skipped.values())
        why = f"; {len(skipped)} failed, the last with {skipped[-1].error}" if skipped else ""
        return load_error("QC620", self._made_at, count=items, epoch=epoch, why=why)

    def break_now(self, failure: BaseException) -> None:
        """A worker is gone: the consumer is told at once, whatever was ready before."""
        with self._lock:
            if self._lifecycle.may(Action.TAKE):
                self._sudden = self._sudden or failure
                self._lifecycle.tell(Event.BREAKS)
                self._changed.notify_all()

    def learn(self, work: Work, value: Any, *, several: bool) -> List[np.ndarray]:
        """The arrays of one example; the first one shows what all have to look like."""
        treedef, leaves = leaves_of(value)
        inferred = self._inferred
        if inferred.spec is None or inferred.several != several or not inferred.spec.is_of(treedef, leaves):
            self.check(work, spec_of(treedef, leaves), objects_of(leaves), several=several)
        return leaves

    def check(self, work: Work, spec: ExampleSpec, objects: List[np.ndarray], *, several: bool) -> None:
        """Raises if *form* is not that of the others; *objects* are those arrays that hold Python objects."""
        inferred = self._inferred
        if inferred.spec == spec and inferred.several == several:
            return
        with self._lock:
            if inferred.spec is None:
                inferred.spec, inferred.several, inferred.model = spec, several, named(work.item, work.value)
                inferred.objects = objects
                self._stream.decide(several)
                self._changed.notify_all()
        if inferred.spec != spec or inferred.several != several:
            raise self.misfit(work, str(spec), several=several)

    def misfit(self, work: Work, spec: str, *, several: bool) -> LoadError:
        """*work* gave something else than the others did."""
        kinds = {True: "several examples (an iterator)", False: "one example"}
        code, given, other = "QC607", spec, str(self._inferred.spec)
        if several != self._inferred.several:
            code, given, other = "QC608", kinds[several], kinds[not several]
        model = self._inferred.model
        return load_error(code, self._made_at, item=work.item, value=work.value, given=given, model=model, other=other)

    @property
    def skips(self) -> bool:
        """Whether items that fail are left out."""
        return self._tolerance.skips

    @property
    def is_wanted(self) -> bool:
        """Whether examples are still added."""
        with self._lock:
            return self._lifecycle.may(Action.ADD)

    @property
    def spec(self) -> Optional[ExampleSpec]:
        """What every example looks like, as soon as that is known."""
        return self._inferred.spec

    def gather(self, batch: Batch) -> None:
        """Puts the examples of *batch* together."""
        assert self._inferred.spec is not None
        block = self._take_block(self._inferred.spec, len(batch.examples))
        for row, example in enumerate(batch.examples):
            block.copy_row(row, example.block, example.row)
        with self._lock:
            batch.gathered_in(block)
            self._changed.notify_all()

    # What the consumer calls.

    def take(self) -> Optional[Batch]:
        """The next batch, or None after the last. Waits."""
        if os.getpid() != self._process:
            raise error(LoaderClosedError, "QC602", what="iteration", how=FORKED)
        asked = time.perf_counter()
        with self._lock:
            self._counters.see_fill(self._stream.loaded)
        while self._wait_until(self._stream.has_batch, asked):
            with self._lock:
                if self._stream.has_batch() and self._lifecycle.may(Action.TAKE):
                    return self._hand_over(self._stream.take(), asked)
        return None

    def _wait_until(self, has_come: Callable[[], bool], asked: float) -> bool:
        """Whether *has_come*; False at the end of the data. Warns, or raises, where *asked* is too long ago."""
        while True:
            with self._lock:
                while self._lifecycle.may(Action.TAKE) and self._sudden is None:
                    if has_come():
                        return True
                    if self._stream.is_over:
                        break
                    seconds = self._seconds_to_wait(asked)
                    if seconds is not None and seconds <= 0:
                        break
                    self._changed.wait(seconds)
                else:
                    self._say_last_words()
                    return False
                if self._stream.is_over:
                    self._say_last_words()
                    return False
                is_late = self._timeout is not None and time.perf_counter() - asked >= self._timeout
                self._has_warned = self._has_warned or not is_late
                items = self._in_work()
            if is_late:
                self.break_now(load_error("QC632", self._made_at, seconds=self._timeout, items=items))
            else:
                # Without the lock: what shows warnings is the user's code.
                text = layout("QC633", self._made_at, seconds=f"{_WARN_SECONDS:g}", items=items)
                warn_user(text, RuntimeWarning)

    def _seconds_to_wait(self, asked: float) -> Optional[float]:
        """Until the consumer is told something; None for as long as it takes."""
        limits = [limit for limit in (self._timeout, None if self._has_warned else _WARN_SECONDS) if limit is not None]
        return asked + min(limits) - time.perf_counter() if limits else None

    def _in_work(self) -> str:
        """What is being loaded, the oldest first."""
        now = time.perf_counter()
        works = self._pool.at_work([self._begun[number] for number in sorted(self._begun)])
        names = [f"{named(work.item, work.value)} for {now - work.since:.0f} s" for work in works[:_NAMED]]
        names += [f"{len(works) - _NAMED} more"] if len(works) > _NAMED else []
        names += ["the source's next item"] if self._is_fetching else []
        return ", ".join(names) or "no item"

    def let_go(self) -> None:
        """Leaves the lock, wherever in ``take`` an interrupt has come: workers must not wait for it forever."""
        with contextlib.suppress(RuntimeError):
            while True:
                self._lock.release()  # RuntimeError: this thread does not have it

    def wait_for_spec(self) -> bool:
        """Waits until the first example has shown what all look like; False if none comes."""
        return self._wait_until(lambda: self._inferred.spec is not None, time.perf_counter())

    def close(self) -> None:
        """Ends the workers, and waits for them. May be called often, by anyone."""
        if os.getpid() != self._process:
            return  # a fork has no workers, and a lock that one of them may have held forever
        with self._lock:
            is_first, self._is_closing = not self._is_closing, True
            if is_first:
                self._deadline = time.monotonic() + self._pool.close_timeout
            self._lifecycle.tell(Event.CLOSES)
            self._stream.forget()
            self._rows = None
            self._changed.notify_all()
        if is_first:
            self._pool.interrupt()
        try:
            if not self._have_ended(self._deadline) and is_first:
                with self._lock:
                    works = list(self._begun.values())
                self._pool.force(works)
                self._have_ended(time.monotonic() + self._pool.kill_timeout)
        finally:
            # A failure's traceback may keep this pass for long; it must not keep the memory.
            self._begun.clear()

    def _have_ended(self, limit: float) -> bool:
        """Waits for the workers, until *limit* at most."""
        # A pass may be collected on a worker's own thread, which ends by itself.
        thread_pool = [thread for thread in self._threads if thread is not threading.current_thread()]
        for thread in thread_pool:
            thread.join(max(0.0, limit - time.monotonic()))
        return not any(thread.is_alive() for thread in thread_pool)

    def for_consumer(self, block: Block) -> Block:
        """What the consumer gets of *block* for good."""
        return self._pool.for_consumer(block)

    @property
    def fill(self) -> int:
        """Examples that are loaded and were not taken."""
        with self._lock:
            return self._stream.loaded

    # With the lock held.

    def _wait_for_task(self) -> Any:
        """A batch to put together, ``_AN_ITEM`` if one may be begun, or None."""
        while self._lifecycle.may(Action.GATHER):
            batch = self._stream.batch_to_gather()
            if batch is not None:
                return batch
            if self._stream.is_complete:
                break
            if self._lifecycle.may(Action.CLAIM) and self._stream.may_begin() and not self._is_fetching:
                return _AN_ITEM
            self._wait_as_worker()
        return None

    def _next_item(self) -> Union[Item, BaseException, None]:
        try:
            return next(self._sampler, None)
        except BaseException as failure:
            if getattr(failure, "code", "") == "QC617":
                return failure  # a state that is not of this source
            return load_error("QC606", self._made_at, cause=failure, raised=last_line(failure))

    def _wait_for_room(self, work: Work) -> Optional[Batch]:
        """None as soon as *work* may add an example; a batch to put together, if that comes first."""
        while self._lifecycle.may(Action.ADD):
            if self._stream.may_add(work.number):
                return None
            batch = self._stream.batch_to_gather()
            if batch is not None:
                return batch
            self._wait_as_worker()
        raise NotWantedError

    def _place(self, work: Work) -> Example:
        if work.place is None and not self._stream.several:
            work.place = self._row(work)
        if work.place is not None:
            return work.place
        assert self._inferred.spec is not None
        return Example(work.item, work.examples, self._take_block(self._inferred.spec, 1), 0)

    def _begin(self, item: Union[Item, BaseException, None]) -> Optional[Work]:
        """The work for *item*; None if there is none."""
        if isinstance(item, Item):
            if not self._lifecycle.may(Action.CLAIM):
                return None
            work = Work(self._stream.begin(item.epoch), item)
            self._begun[work.number] = work
            work.place = self._row(work) if self._stream.several is False else None
            return work
        if item is None and self._is_endless:
            item = load_error("QC603", self._made_at)
        if item is None:
            self._lifecycle.tell(Event.SOURCE_ENDS)
            self._stream.end_source()
        else:
            self._stream.break_at(self._stream.begin(), item)
        self._tell()
        return None

    def _row(self, work: Work) -> Optional[Example]:
        """The example's row in a batch, while no item before it was left out."""
        row = self._stream.row_for(work.number)
        if row is None or self._inferred.spec is None:
            return None
        number, within = divmod(row, self._batch_size)
        if number != self._rows_number:
            self._rows, self._rows_number = self._take_block(self._inferred.spec, self._rows_a_block), number
        assert self._rows is not None
        return Example(work.item, 0, self._rows, within)

    def _tell(self) -> None:
        """Notifies, if something changed that a thread may wait for."""
        stream = self._stream
        if stream.failure is not None:
            self._lifecycle.tell(Event.BREAKS)
        if stream.several or stream.several is None or stream.has_batch() or stream.is_over or stream.is_complete:
            self._changed.notify_all()

    def _wait_as_worker(self) -> None:
        waits_for_room = not self._is_fetching
        since = time.perf_counter()
        self._changed.wait()
        self._counters.workers_waited += waits_for_room * (time.perf_counter() - since)

    def _hand_over(self, batch: Batch, asked: float) -> Batch:
        now = time.perf_counter()
        self._counters.batches += 1
        self._counters.examples += batch.count
        if self._since is None:
            self._counters.seconds_to_first_batch = now - asked
        else:
            self._counters.seconds += now - self._since
            self._counters.consumer_waited += now - asked
        self._since = now
        self._changed.notify_all()
        return batch

    def _say_last_words(self) -> None:
        """Raises what there is instead of a batch; nothing, at the end of the data."""
        failure = self._sudden or self._stream.failure
        if failure is not None:
            raise failure
        if not self._lifecycle.may(Action.TAKE):
            raise error(LoaderClosedError, "QC602", what="iteration", how="was closed")
        self._lifecycle.tell(Event.EVERYTHING_TAKEN)
