"""One run over the epochs of a pass: the lock around a ``Stream``, workers on one side, the consumer on the other.

Rule 1: there is one condition variable. No thread polls or sleeps; a thread that changes a condition that others wait
        for notifies them.
Rule 2: the user's code (``load``, the source) is never called with the lock held.
Rule 3: the workers end with the pass: ``close`` waits for them. An iterator to which nothing refers any more closes its
        pass when it is collected; if that happens on a worker's own thread, that worker ends by itself.

Guarantees:
  - ``take`` returns the batches of the stream in order, then None, or raises the failure that broke the run. It never
    waits for a worker that is gone: a worker that ends with an exception breaks the run (``_run``). With
    ``worker_init`` it does not return None before every worker has called it, so a failure of any of them is raised.
  - An item is begun once, and reported as done once: by ``finish``, ``end`` or ``fail``.
  - After ``close`` nothing is added, and the memory that the run held is released, even while a traceback refers to the
    run.
  - ``close`` takes at most ``close_timeout`` plus ``kill_timeout`` seconds; later calls wait no longer than the first.
Assumes: one consumer at a time; a worker calls ``next_work`` again only when it is done with its last task.
Locks: ``_lock`` (``_changed`` is its condition) protects the stream, the lifecycle, the inferred spec, the tolerance,
the number of workers that are not prepared, and the counter of the workers' waits. It is reentrant, because a run may
be collected, and closed, on a thread that holds it. The lock of a worker pool may be taken while ``_lock`` is held,
never the other way round.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from queuecompat.errors import error, warn_user
from queuecompat.loader.failures import LoaderClosedError, LoadError, Tolerance
from queuecompat.loader.memory.structures import ExampleSpec
from queuecompat.loader.metrics.stages import stage
from queuecompat.loader.metrics.statistics import Counters
from queuecompat.loader.order.sampler import Item
from queuecompat.loader.run.feed import Feed
from queuecompat.loader.run.finishing import Finishing
from queuecompat.loader.run.lifecycle import Action, Event, Lifecycle
from queuecompat.loader.run.patience import Patience
from queuecompat.loader.run.reserve import Reserve
from queuecompat.loader.run.rows import Rows
from queuecompat.loader.run.run_errors import RunErrors, loading_text
from queuecompat.loader.run.spec_check import SpecCheck
from queuecompat.loader.run.work import InferredSpec, NotWantedError, Work, WorkerPool
from queuecompat.loader.run.worker_threads import WorkerThreads
from queuecompat.loader.stream.examples import After, Batch, Example
from queuecompat.loader.stream.streams import Stream

__all__ = ["EpochRun", "require_process"]


_AN_ITEM = object()
_FORKED = "was begun in another process, before a fork"


def require_process(process: Optional[int]) -> None:
    """Raises QC602 if this is not *process*, the process that started the loader's workers; None if there were none.

    A forked process has no worker threads, and its copies of the locks may be held forever by a thread that is missing.
    """
    if process not in (None, os.getpid()):
        raise error(LoaderClosedError, "QC602", what="loader", how=_FORKED)


class EpochRun:
    """One run over the epochs of a pass; see the module's docstring.

    Args:
      stream: the bookkeeping of the pass; no item is begun yet.
      feed: the items.
      inferred: what the first example has shown, shared by all passes of a loader.
      pool: the workers, and the memory into which they write.
      tolerance: decides about items that fail.
      counters: the statistics, shared by all passes of a loader.
      made_at: the user's line, for messages.
      timeout: the maximum number of seconds that the consumer waits for a batch; None for no limit.
      most_rows: the number of examples in the pass if each item produces one; None if it is not known.
      finish: is called with each batch once its rows are in one block; or None.
    Attributes:
      specs: with it, workers check that their examples have the same spec as the first one.
      finishes: whether the consumer gets a batch's ``value``, which *finish* has returned, instead of its block.
      for_consumer: returns the block that the consumer may keep, given one of the pool's; None if it is the same block.
      returned: ``Batch.after`` of the last batch that the consumer has received; None before the first.
    """

    def __init__(
        self,
        stream: Stream,
        feed: Feed,
        *,
        batch_size: int,
        inferred: InferredSpec,
        pool: WorkerPool,
        tolerance: Tolerance,
        counters: Counters,
        made_at: str,
        timeout: Optional[float] = None,
        most_rows: Optional[int] = None,
        finish: Optional[Finishing] = None,
    ) -> None:
        # Used with ``with`` directly, not through the condition: a lock is entered in C, so an interrupt cannot come
        # between acquiring it and entering the ``with`` block.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._lifecycle = Lifecycle()
        self._stream = stream
        self._feed = feed
        self._most_rows = most_rows
        self._inferred = inferred
        self.specs = SpecCheck(inferred, self._lock, self._wait_to_show, self._decide, made_at)
        self._pool = pool
        self._take_block = pool.take
        rows_per_block = min(batch_size, max(1, most_rows)) if most_rows is not None else batch_size
        self._rows = Rows(stream, pool.take, inferred, batch_size=batch_size, rows_per_block=rows_per_block)
        self._tolerance = tolerance
        self._counters = counters
        self._errors = RunErrors(made_at, tolerance)
        self._patience = Patience(timeout)
        self._finish = finish
        self.finishes = finish is not None
        self.for_consumer = pool.for_consumer
        self.returned: Optional[After] = None
        self._is_fetching = False
        self._unprepared = 0  # workers that have not called ``worker_init`` yet; 0 without it
        self._immediate_failure: Optional[BaseException] = None  # raised before batches that are ready
        self._threads = WorkerThreads()
        self._reserve = Reserve()
        self._begun: Dict[int, Work] = {}
        self._is_closing = False
        self._how_ended = ""  # set when it closes
        self._deadline = 0.0  # of ``time.monotonic``: until then the workers may end by themselves
        self._process = os.getpid()
        self._since: Optional[float] = None  # when the last batch was returned, by ``time.perf_counter``
        if inferred.several is not None:
            stream.decide(inferred.several, are_small=inferred.is_small)
        stream.judge_epochs(self._errors.of_epoch)

    def start(self) -> None:
        """Starts a thread for each worker of the pool."""
        workers = self._pool.workers()
        self._unprepared = len(workers) if self._pool.prepares else 0
        for number, worker in enumerate(workers):
            with self._lock:
                if self._is_closing:
                    return
                self._threads.start(number, functools.partial(self._run, number), worker)

    def _run(self, number: int, worker: Callable[[EpochRun], None]) -> None:
        try:
            with self._counters.stages.clock(number):
                worker(self)
        except BaseException as failure:
            # For example, no memory for another batch. The consumer would wait forever for a worker that ends silently.
            self.break_now(failure)

    # What workers call.

    def worker_prepared(self) -> None:
        """Reports that one more worker has called ``worker_init``, once for each worker of a pool that ``prepares``."""
        with self._lock:
            self._unprepared -= 1
            self._changed.notify_all()

    def next_work(self) -> Union[Work, Batch, None]:
        """Waits for a task, and returns it: an item to load, a batch to assemble, or None if nothing is left to do."""
        work = None
        while work is None:
            with self._lock:
                task = self._wait_for_task()
                if task is not _AN_ITEM:
                    return task
                if self._feed.is_quick:
                    work = self._begin(self._feed.next())
                    continue
                self._is_fetching = True
            item = self._feed.next()
            with self._lock:
                self._is_fetching = False
                self._changed.notify_all()
                work = self._begin(item)
        return work

    def more_work(self, most: int, workers: int) -> List[Work]:
        """Returns up to *most* further items, each with its place in a batch, without waiting; often none.

        Towards the end of the data it returns fewer items at once, so that each of the *workers* gets some.
        """
        works: List[Work] = []
        stream = self._stream
        if not self._feed.is_quick or stream.several is not False:
            return works
        with self._lock:
            if self._most_rows is not None:
                most = min(most, (self._most_rows - stream.begun) // (2 * workers))
            most = min(most, stream.free_places)
            if most <= 0 or not stream.has_next_a_row or not self._lifecycle.may(Action.CLAIM):
                return works
            items, failure = self._feed.take(most)
            now = time.perf_counter()
            works = [Work(number, item, now) for number, item in enumerate(items, stream.begin_all(items))]
            if works:
                self._begun.update(zip(range(works[0].number, stream.begun), works))
                self._rows.assign(works)
            if failure is not None:
                self._begin(failure)
        return works

    def place(self, work: Work) -> Example:
        """Returns the place (block and row) for the next example of *work*.

        Waits until there is room, and assembles batches meanwhile.

        Raises:
          NotWantedError: the run has ended.
        """
        while True:
            with self._lock:
                batch = self._wait_for_room(work)
                if batch is None:
                    return self._place(work)
            self.gather(batch)

    def add(self, work: Work, example: Example) -> None:
        """Reports that *example* of *work* is written."""
        with self._lock:
            work.examples += 1
            if self._lifecycle.may(Action.ADD):
                self._stream.add(work.number, example)
                self._notify_if_changed()

    def end(self, work: Work) -> None:
        """Reports that *work* produces no more examples."""
        self.finish([work])

    def finish(self, works: Sequence[Work], *, with_examples: bool = False) -> None:
        """Reports that *works* produce no more examples.

        Args:
          with_examples: whether each of *works* has just written its only example, in its place, and has not reported
            it with ``add``.
        """
        with self._lock:
            for work in works:
                self._begun.pop(work.number, None)
            if self._lifecycle.may(Action.ADD):
                if with_examples:
                    self._stream.add_only([(work.number, work.place) for work in works if work.place is not None])
                else:
                    for work in works:
                        self._stream.end(work.number)
            self._notify_if_changed()

    def count_stages(self, seconds: Dict[str, float]) -> None:
        """Adds the *seconds* per stage that a worker process has measured."""
        self._counters.stages.add(seconds)

    def fail(self, work: Work, failure: BaseException) -> None:
        """Reports that *work* raised *failure*: its item is skipped, or ends the pass."""
        problem: Optional[LoadError] = self._errors.of_item(work, failure)
        with self._lock:
            self._begun.pop(work.number, None)
            if problem is None or not self._lifecycle.may(Action.ADD):
                return
            problem = self._tolerance.judge(problem)
            if problem is None:
                self._stream.leave_out(work.number)
            else:
                self._stream.break_at(work.number, problem)
            self._notify_if_changed()

    def break_now(self, failure: BaseException) -> None:
        """Breaks the run, because a worker has ended or cannot go on: the consumer gets *failure* at its next call,
        before any batches that are ready."""
        with self._lock:
            if self._lifecycle.may(Action.TAKE):
                self._immediate_failure = self._immediate_failure or failure
                self._lifecycle.tell(Event.BREAKS)
                self._changed.notify_all()

    @property
    def skips(self) -> bool:
        """Whether items that fail are skipped."""
        return self._tolerance.skips

    @property
    def is_wanted(self) -> bool:
        """Whether examples are still added."""
        with self._lock:
            return self._lifecycle.may(Action.ADD)

    @property
    def spec(self) -> Optional[ExampleSpec]:
        """The spec of every example; None until the first example has shown it."""
        return self._inferred.spec

    def gather(self, batch: Batch) -> None:
        """Copies the examples of *batch* into one block, if they are not in one yet, and finishes the batch."""
        with stage("batch"):
            self._gather(batch)

    def _gather(self, batch: Batch) -> None:
        assert self._inferred.spec is not None
        if batch.block is None:
            block = self._take_block(self._inferred.spec, len(batch.examples))
            for row, example in enumerate(batch.examples):
                block.copy_row(row, example.block, example.row)
            with self._lock:
                batch.gathered_in(block)
        value = self._finished(batch)
        with self._lock:
            batch.value, batch.needs_finishing = value, False
            self._changed.notify_all()

    def _finished(self, batch: Batch) -> Any:
        """Returns the finished batch, or the error that finishing it raised; None if batches need no finishing."""
        if self._finish is None or batch.block is None:
            return None
        try:
            block = batch.block if self.for_consumer is None else self.for_consumer(batch.block)
            return self._finish(block.batch(batch.count, stays_valid=True), batch.first)
        except BaseException as failure:
            return self._errors.of_batch(batch.first, failure)

    # What the consumer calls.

    def take(self) -> Optional[Batch]:
        """Waits for the next batch, and returns it; None after the last.

        Raises:
          LoadError: an item, a worker or the source failed, or *timeout* expired.
          QueueCompatValueError: QC617 or QC636, a state, or an index of a sampler, was found to be wrong.
          LoaderClosedError: QC602, the run is closed, or was begun before a fork.
        """
        if os.getpid() != self._process:
            raise error(LoaderClosedError, "QC602", what="iteration", how=_FORKED)
        asked = time.perf_counter()
        fill = self._stream.loaded - self._reserve.unreported
        batch = None if self._is_closing or self._immediate_failure is not None else self._reserve.next()
        now = asked
        if batch is None:
            batch = self._take_from_stream(asked)
            now = time.perf_counter()
        if batch is None:
            self._counters.see_fill(fill)
        else:
            self._counters.count(batch.count, fill, asked, now, self._since)
            self._since = now
        return batch

    def _take_from_stream(self, asked: float) -> Optional[Batch]:
        with self._lock:
            self._stream.count_taken(self._reserve.take_unreported())
        while self._wait_until(self._stream.has_batch, asked):
            with self._lock:
                batch = self._take_ready()
            if batch is not None:
                return batch
        return None

    def _wait_until(self, has_come: Callable[[], bool], asked: float) -> bool:
        """Waits until *has_come* returns True; returns False if the data ends before.

        Warns, or raises, when too much time has passed since *asked*, the time of the consumer's call.
        """
        while True:
            with self._lock:
                found = self._wait_with_patience(has_come, asked)
                if found is not None:
                    return found
                is_late = self._patience.is_at_end(asked)
                self._patience.has_warned |= not is_late
                items = self._loading_text()
            if is_late:
                self.break_now(self._errors.timed_out(self._patience.timeout, items))
            else:
                # Without the lock: ``warnings.showwarning`` may be the user's code.
                warn_user(self._errors.waiting(self._patience, items), RuntimeWarning)

    def _loading_text(self) -> str:
        """Returns the text that names the items being loaded, the oldest first."""
        works = self._pool.in_progress([self._begun[number] for number in sorted(self._begun)])
        return loading_text(works, is_fetching=self._is_fetching, unprepared=self._unprepared)

    def release_lock(self) -> None:
        """Releases the lock if this thread holds it, since an interrupt may come anywhere in ``take``: otherwise
        workers would wait for the lock forever."""
        with contextlib.suppress(RuntimeError):
            while True:
                self._lock.release()  # RuntimeError: this thread does not have it

    def wait_for_spec(self) -> bool:
        """Waits until the first example has shown the spec of all; returns False if the data ends before."""
        return self._wait_until(lambda: self._inferred.spec is not None, time.perf_counter())

    def refuse_own_worker(self) -> None:
        """Raises QC602 on a worker's thread: ``load`` would begin pass after pass, without an end."""
        if self._threads.includes_this_one():
            raise error(LoaderClosedError, "QC602", what="loader", how="was iterated by one of its own workers")

    def close(self, how: str = "was closed") -> None:
        """Ends the workers, and waits for them. May be called several times, on any thread.

        Args:
          how: why the iteration ended, for the message of an iterator that is used again; the first call decides.
        """
        if os.getpid() != self._process:
            return  # a forked process has no workers, and its copy of the lock may be held forever
        with self._lock:
            is_first, self._is_closing = not self._is_closing, True
            if is_first:
                self._how_ended = how
                self._deadline = time.monotonic() + self._pool.close_timeout
            self._lifecycle.tell(Event.CLOSES)
            self._stream.forget()
            self._reserve.forget()
            self._rows.forget()
            self._changed.notify_all()
        if is_first:
            self._pool.interrupt()
        try:
            if not self._threads.have_ended(self._deadline) and is_first:
                with self._lock:
                    loading = self._loading_text()
                self._pool.force(loading)
                self._threads.have_ended(time.monotonic() + self._pool.kill_timeout)
        finally:
            # The traceback of a failure may keep this object alive for long; it must not keep the memory.
            self._begun.clear()
            self._pool.end_pass()

    @property
    def fill(self) -> int:
        """The number of examples that are loaded and that the consumer has not taken."""
        with self._lock:
            return self._stream.loaded - self._reserve.unreported

    # Called with the lock held.

    def _take_ready(self) -> Optional[Batch]:
        """Takes the next batch of the stream. None: it is gone, or is an error, which breaks the run."""
        if not self._stream.has_batch() or not self._lifecycle.may(Action.TAKE):
            return None
        batch = self._stream.take()
        if isinstance(batch.value, LoadError):
            self.break_now(batch.value)
            return None
        if self._inferred.is_small:
            most = self._reserve.worth_fetching(time.perf_counter(), self._stream.waiting)
            self._reserve.fetch(self._stream.fetched(most))
        self._changed.notify_all()
        return batch

    def _wait_with_patience(self, has_come: Callable[[], bool], asked: float) -> Optional[bool]:
        """Waits as ``_wait_until`` does, but only until it is time for the warning or the error: then returns None."""
        while self._lifecycle.may(Action.TAKE) and self._immediate_failure is None:
            if has_come():
                return True
            if self._stream.is_over and not self._unprepared:
                break
            seconds = self._patience.seconds_left(asked)
            if seconds is not None and seconds <= 0:
                return None
            self._changed.wait(seconds)
        self._raise_or_finish()
        return False

    def _wait_to_show(self, work: Work) -> None:
        """Waits until an earlier item than *work* has shown the spec of all examples, or no earlier item is left that
        could. So the spec does not depend on which item is loaded first.

        Raises:
          NotWantedError: the run has ended.
        """
        while self._inferred.spec is None and not self._stream.is_head(work.number):
            if not self._lifecycle.may(Action.ADD):
                raise NotWantedError
            self._wait_as_worker()

    def _decide(self) -> None:
        """Called when the first example has shown the spec of all: assigns rows, and wakes the threads that wait."""
        several = self._inferred.several
        assert several is not None
        self._stream.decide(several, are_small=self._inferred.is_small)
        if not several:
            # In ascending order: ``Stream.row_for`` assigns no row that is before one already assigned.
            for number in sorted(self._begun):
                self._rows.assign([self._begun[number]])
        self._changed.notify_all()

    def _wait_for_task(self) -> Any:
        """Waits for a task. Returns a batch to assemble, ``_AN_ITEM`` if an item may be begun, or None at the end."""
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

    def _wait_for_room(self, work: Work) -> Optional[Batch]:
        """Waits until *work* may add an example, and returns None; or returns a batch to assemble if that comes first.

        Raises:
          NotWantedError: the run has ended.
        """
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
            self._rows.assign([work])
        return work.place or self._rows.alone(work, work.examples)

    def _begin(self, item: Union[Item, BaseException, None]) -> Optional[Work]:
        """Begins *item*, and returns the work for it. Returns None if the run has ended, or if *item* is the end of the
        data (None) or the failure that ended it."""
        if isinstance(item, Item):
            if not self._lifecycle.may(Action.CLAIM):
                return None
            work = Work(self._stream.begin(item.epoch), item, time.perf_counter())
            self._begun[work.number] = work
            if self._stream.several is False:
                self._rows.assign([work])
            return work
        if item is None:
            self._lifecycle.tell(Event.SOURCE_ENDS)
            self._stream.end_source()
        else:
            self._stream.break_at(self._stream.begin(), item)
        self._notify_if_changed()
        return None

    def _notify_if_changed(self) -> None:
        """Notifies the waiting threads if something may have changed that one of them waits for."""
        stream = self._stream
        if stream.failure is not None:
            self._lifecycle.tell(Event.BREAKS)
        if stream.several or stream.several is None or stream.has_batch() or stream.is_over or stream.is_complete:
            self._changed.notify_all()

    def _wait_as_worker(self) -> None:
        waits_for_room = not self._is_fetching
        since = time.perf_counter()
        with stage("wait"):
            self._changed.wait()
        self._counters.workers_waited += waits_for_room * (time.perf_counter() - since)

    def _raise_or_finish(self) -> None:
        """Raises the failure that ended the run, or an error if it was closed; at the end of the data, finishes it."""
        failure = self._immediate_failure or self._stream.failure
        if failure is not None:
            raise self._errors.of_stream(failure)
        if not self._lifecycle.may(Action.TAKE):
            raise error(LoaderClosedError, "QC602", what="iteration", how=self._how_ended)
        self._lifecycle.tell(Event.EVERYTHING_TAKEN)
