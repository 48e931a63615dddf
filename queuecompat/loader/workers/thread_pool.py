"""Workers that are threads: each calls ``load`` itself and writes into the batch's memory.

Rule 1: items that take microseconds are begun, and told as done, by the dozen: the lock costs more than they do. Where
        they take longer than those before them, what is done is told after each.
"""

from __future__ import annotations

import contextlib
import functools
import time
from typing import Any, Callable, Iterator, List, Optional

from queuecompat.errors import layout, warn_user
from queuecompat.loader.calls import ONE, Call, are_several
from queuecompat.loader.failures import last_line, load_error, named
from queuecompat.loader.memory.blocks import Block, BufferPool
from queuecompat.loader.memory.structures import packed
from queuecompat.loader.metrics.stages import stage
from queuecompat.loader.order.sampler import NOTHING
from queuecompat.loader.run.epoch_run import EpochRun
from queuecompat.loader.run.work import NotWantedError, PoolConfig, Work
from queuecompat.loader.stream.examples import Batch

__all__ = ["ThreadPool"]


_SECONDS_AT_ONCE = 0.001  # items that take longer are loaded one by one


class ThreadPool:
    """Workers for one pass, in the memory of this process."""

    for_consumer: Optional[Callable[[Block], Block]] = None
    close_timeout = 5.0  # seconds
    kill_timeout = 0.0

    def __init__(self, config: PoolConfig) -> None:
        self._config = config
        self._heap = BufferPool(config.allocated)
        self.take = self._heap.take

    def workers(self) -> List[Callable[[EpochRun], None]]:
        return [functools.partial(self._work, number) for number in range(self._config.count)]

    def interrupt(self) -> None:
        """Threads ask for more work when they are done, and get none."""

    def begin_epoch(self, epoch: int) -> None:
        """Threads see the source itself."""

    def at_work(self, works: List[Work]) -> List[Work]:
        return works

    def end_pass(self) -> None:
        """The next pass has memory of its own. What refers to this pool may be collected late."""
        self._heap.forget()

    def force(self, works: List[Work]) -> None:
        """A thread cannot be ended from outside: the user is told, and the program goes on."""
        names = ", ".join(named(work.item, work.value) for work in works)
        text = layout("QC616", self._config.made_at, items=names, seconds=self.close_timeout)
        warn_user(text, RuntimeWarning)

    def _work(self, number: int, run: EpochRun) -> None:
        config = self._config
        if config.call.init is not None:
            try:
                config.call.init(number)
            except BaseException as failure:
                run.break_now(load_error("QC643", config.made_at, cause=failure, raised=last_line(failure)))
                return
        seconds = _SECONDS_AT_ONCE  # an item, so far
        while True:
            task = run.next_work()
            if task is None:
                return
            if isinstance(task, Batch):
                run.gather(task)
            else:
                seconds = (seconds + self._seconds_to_load(run, task, seconds)) / 2
            del task  # while this worker waits, it must not keep the memory of a batch

    def _seconds_to_load(self, run: EpochRun, work: Work, seconds: float) -> float:
        """Loads *work*, and more where an item takes few *seconds*; returns what one took."""
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
    """Loads *work*. True: its only example is in its place, which the stream has still to be told.

    Calls as few functions as it can: every item comes here, and they may take less time than what is done for them.
    """
    try:
        item = work.item
        work.value = value = call.source[item.index] if item.value is NOTHING else item.value
        place, views = work.place, None
        if plain is not None:
            result = plain(value)
        elif call.out and place is not None:
            # For a ``load`` that writes its example where that belongs.
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
        # SystemExit, too: a worker that ended silently would leave the consumer waiting.
        run.fail(work, failure)
    return False


def _put_several(call: Call, run: EpochRun, work: Work, results: Iterator[Any]) -> None:
    with contextlib.ExitStack() as ends:
        if hasattr(results, "close"):
            # A generator has an end of its own, on the thread that it ran on.
            ends.callback(results.close)
        for result in results:
            leaves = run.specs.learn(work, call.prepared(result), several=True)
            example = run.place(work)
            example.block.write(example.row, leaves)
            run.add(work, example)
