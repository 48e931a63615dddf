"""Worker threads: each calls ``load`` itself and writes into the batch's memory.

Rule 1: items that take microseconds are begun, and reported as done, in groups, because taking the lock costs more than
        loading them. If the items of a group take longer than expected, the finished ones are reported earlier.
"""

from __future__ import annotations

import contextlib
import functools
import time
from typing import Any, Callable, Iterator, List, Optional

from queuecompat.errors import layout, warn_user
from queuecompat.loader.calls import ONE, Call, are_several
from queuecompat.loader.failures import last_line, load_error
from queuecompat.loader.memory.blocks import Block, BufferPool
from queuecompat.loader.memory.structures import packed
from queuecompat.loader.metrics.stages import stage
from queuecompat.loader.order.sampler import NOTHING
from queuecompat.loader.run.epoch_run import EpochRun
from queuecompat.loader.run.work import NotWantedError, PoolConfig, Work
from queuecompat.loader.stream.examples import Batch

__all__ = ["ThreadPool"]


_SECONDS_AT_ONCE = 0.001  # the expected duration of a group; items that take longer are loaded one by one


class ThreadPool:
    """The worker threads of one pass; they write into memory of this process."""

    for_consumer: Optional[Callable[[Block], Block]] = None
    close_timeout = 5.0  # seconds to wait for items in progress; then ``force`` warns about them
    kill_timeout = 0.0

    def __init__(self, config: PoolConfig) -> None:
        self._config = config
        self.prepares = config.call.init is not None
        self._heap = BufferPool(config.allocated)
        self.take = self._heap.take

    def workers(self) -> List[Callable[[EpochRun], None]]:
        return [functools.partial(self._work, number) for number in range(self._config.count)]

    def interrupt(self) -> None:
        """Does nothing: threads that ask for more work after the end of the pass get none."""

    def begin_epoch(self, epoch: int) -> None:
        """Does nothing: threads use the source itself, not a copy."""

    def in_progress(self, works: List[Work]) -> List[Work]:
        return works

    def end_pass(self) -> None:
        """Releases the free memory: the next pass has memory of its own, and this pool may be collected late."""
        self._heap.forget()

    def force(self, loading: str) -> None:
        """Warns the user (QC616), and goes on: a thread cannot be ended from outside."""
        text = layout("QC616", self._config.made_at, items=loading, seconds=self.close_timeout)
        warn_user(text, RuntimeWarning)

    def _work(self, number: int, run: EpochRun) -> None:
        config = self._config
        if config.call.init is not None:
            try:
                config.call.init(number)
            except BaseException as failure:
                run.break_now(load_error("QC643", config.made_at, cause=failure, raised=last_line(failure)))
                return
            run.worker_prepared()
        seconds = _SECONDS_AT_ONCE  # per item: a moving average
        while True:
            task = run.next_work()
            if task is None:
                return
            if isinstance(task, Batch):
                run.gather(task)
            else:
                seconds = (seconds + self._seconds_to_load(run, task, seconds)) / 2
            del task  # a worker that waits must not keep the memory of a batch

    def _seconds_to_load(self, run: EpochRun, work: Work, seconds: float) -> float:
        """Loads *work*, together with further items if an item takes few *seconds*; returns the seconds per item."""
        more = 0 if work.place is None else min(self._config.items_at_once, int(_SECONDS_AT_ONCE / seconds)) - 1
        works = [work, *run.more_work(more, self._config.count)] if more > 0 else [work]
        since = time.perf_counter()
        with stage("load"):
            _load(self._config.call, self._config.seed, run, works)
        return (time.perf_counter() - since) / len(works)


def _load(call: Call, seed: int, run: EpochRun, works: List[Work]) -> None:
    written: List[Work] = []
    plain = call.plain
    since = time.perf_counter()
    for work in works:
        if _is_written(call, plain, seed, run, work):
            written.append(work)
        if written and time.perf_counter() - since > 2 * _SECONDS_AT_ONCE:
            run.finish(written, with_examples=True)
            written, since = [], time.perf_counter()
    if written:
        run.finish(written, with_examples=True)


def _is_written(call: Call, plain: Optional[Callable[[Any], Any]], seed: int, run: EpochRun, work: Work) -> bool:
    """Loads the item of *work*, and reports its end or its failure, unless it returns True.

    Calls as few functions as possible, since it runs for every item, and ``load`` may take less time than this code.

    Returns:
      Whether the item's only example is written in its place, and has still to be reported (``EpochRun.finish``).
    """
    try:
        item = work.item
        work.value = value = call.source[item.index] if item.value is NOTHING else item.value
        place, views = work.place, None
        if plain is not None:
            result = plain(value)
        elif call.out and place is not None:
            # For a ``load`` that writes its example directly into the batch.
            views = place.block.views(place.row)
            result = call(item, value, seed=seed, out=packed(place.block.spec.treedef, views))
        else:
            result = call(item, value, seed=seed)
        if type(result) not in ONE and are_several(result):
            _put_several(call, run, work, result)
        else:
            if result is None or call.prepare is not None:
                result = call.prepared(result)
            leaves = run.specs.learn(work, result, several=False)
            example = place or work.place or run.place(work)
            example.block.write(example.row, leaves, views)
            if work.place is not None:
                return True
            run.add(work, example)
        run.end(work)
    except NotWantedError:
        pass  # the run is closed
    except BaseException as failure:
        # Also for SystemExit: the consumer would wait forever for a worker that ends silently.
        run.fail(work, failure)
    return False


def _put_several(call: Call, run: EpochRun, work: Work, results: Iterator[Any]) -> None:
    with contextlib.ExitStack() as ends:
        if hasattr(results, "close"):
            # Closed here, so that a generator's ``finally`` runs on the thread on which the generator ran.
            ends.callback(results.close)
        for result in results:
            leaves = run.specs.learn(work, call.prepared(result), several=True)
            example = run.place(work)
            example.block.write(example.row, leaves)
            run.add(work, example)
