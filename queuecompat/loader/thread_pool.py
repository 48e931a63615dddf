"""Workers that are threads: each calls ``load`` itself and writes into the batch's memory.

Rule 1: items that take microseconds are begun, and told as done, by the dozen: the lock costs more than they do.
"""

from __future__ import annotations

import collections.abc
import contextlib
import time
from typing import Any, Callable, Iterator, List

from queuecompat.errors import layout, warn_user
from queuecompat.loader.blocks import Block, BufferPool
from queuecompat.loader.calls import Call
from queuecompat.loader.epoch_run import EpochRun, NotWantedError, Work
from queuecompat.loader.failures import named
from queuecompat.loader.streams import Batch, Example
from queuecompat.loader.structures import packed

__all__ = ["ThreadPool"]


_SECONDS_AT_ONCE = 0.001  # items that take longer are loaded one by one


class ThreadPool:
    """*count* workers for one pass, in the memory of this process."""

    close_timeout = 5.0  # seconds
    kill_timeout = 0.0

    def __init__(self, call: Call, seed: int, *, count: int, batch_size: int, made_at: str) -> None:
        self._call = call
        self._seed = seed
        self._most = batch_size // (2 * count)  # items at once
        self._count = count
        self._made_at = made_at
        self._heap = BufferPool()
        self.take = self._heap.take

    def workers(self) -> List[Callable[[EpochRun], None]]:
        return [self._work] * self._count

    def interrupt(self) -> None:
        """Threads ask for more work when they are done, and get none."""

    def for_consumer(self, block: Block) -> Block:
        return block

    def begin_epoch(self, epoch: int) -> None:
        """Threads see the source itself."""

    def at_work(self, works: List[Work]) -> List[Work]:
        return works

    def force(self, works: List[Work]) -> None:
        """A thread cannot be ended from outside: the user is told, and the program goes on."""
        names = ", ".join(named(work.item, work.value) for work in works)
        text = layout("QC616", self._made_at, items=names, seconds=self.close_timeout)
        warn_user(text, RuntimeWarning)

    def _work(self, run: EpochRun) -> None:
        seconds = _SECONDS_AT_ONCE  # an item, so far
        task = run.next_work()
        while task is not None:
            if isinstance(task, Batch):
                run.gather(task)
            else:
                more = 0 if task.place is None else min(self._most, int(_SECONDS_AT_ONCE / seconds)) - 1
                works = [task, *run.more_work(more)] if more > 0 else [task]
                since = time.perf_counter()
                _load(self._call, self._seed, run, works)
                seconds = (seconds + (time.perf_counter() - since) / len(works)) / 2
            task = run.next_work()


def _load(call: Call, seed: int, run: EpochRun, works: List[Work]) -> None:
    written = []
    for work in works:
        if _is_written(call, seed, run, work):
            written.append(work)
    if written:
        run.finish(written, with_examples=True)


def _is_written(call: Call, seed: int, run: EpochRun, work: Work) -> bool:
    """Loads *work*. True: its only example is in its place, which the stream has still to be told."""
    try:
        work.value = call.fetched(work.item)
        result = call(work.item, work.value, seed=seed, out=_out(work.place) if call.out else None)
        if isinstance(result, collections.abc.Iterator):
            _put_several(call, run, work, result)
        else:
            call.check(result)
            leaves = run.learn(work, result, several=False)
            example = work.place or run.place(work)
            example.block.write(example.row, leaves)
            if work.place is not None:
                return True
            run.add(work, example)
        run.end(work)
    except NotWantedError:
        pass  # the run is closed
    except BaseException as failure:
        # SystemExit, too: a worker that ended without a word would leave the consumer waiting.
        run.fail(work, failure)
    return False


def _put_several(call: Call, run: EpochRun, work: Work, results: Iterator[Any]) -> None:
    with contextlib.ExitStack() as ends:
        if hasattr(results, "close"):
            # A generator has an end of its own, on the thread that it ran on.
            ends.callback(results.close)
        for result in results:
            call.check(result)
            leaves = run.learn(work, result, several=True)
            example = run.place(work)
            example.block.write(example.row, leaves)
            run.add(work, example)


def _out(place: Any) -> Any:
    """The example's own place in the batch, for a ``load`` that writes there itself."""
    if not isinstance(place, Example):
        return None
    return packed(place.block.spec.treedef, place.block.views(place.row))
