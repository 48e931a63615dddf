"""A worker that is a thread: it calls ``load`` itself and writes into the batch's memory."""

from __future__ import annotations

import collections.abc
from typing import Any, Callable, Iterator

from queuecompat.loader.calls import Call
from queuecompat.loader.passes import NotWantedError, Pass, Work
from queuecompat.loader.streams import Batch, Example
from queuecompat.loader.structures import packed

__all__ = ["thread_worker"]


def thread_worker(call: Call) -> Callable[[Pass], None]:
    """The work of one thread, as long as the pass has some."""

    def work_on(desk: Pass) -> None:
        task = desk.next_work()
        while task is not None:
            if isinstance(task, Batch):
                desk.gather(task)
            else:
                _load(desk, call, task)
            task = desk.next_work()

    return work_on


def _load(desk: Pass, call: Call, work: Work) -> None:
    try:
        work.value = call.fetched(work.item)
        result = call(work.item, work.value, _out(work.place) if call.out else None)
        if isinstance(result, collections.abc.Iterator):
            _put_several(desk, work, result)
        else:
            _put(desk, work, result, several=False)
        desk.end(work)
    except NotWantedError:
        pass  # nobody wants it any more
    except BaseException as failure:
        # SystemExit, too: a worker that ended without a word would leave the consumer waiting.
        desk.fail(work, failure)


def _put_several(desk: Pass, work: Work, results: Iterator[Any]) -> None:
    try:
        for result in results:
            _put(desk, work, result, several=True)
    finally:
        # A generator has an end of its own, on the thread that it ran on.
        getattr(results, "close", _nothing)()


def _put(desk: Pass, work: Work, result: Any, *, several: bool) -> None:
    leaves = desk.learn(work, result, several=several)
    example = desk.place(work)
    example.block.write(example.row, leaves)
    desk.add(work, example)


def _nothing() -> None:
    """An iterator that is no generator has nothing to close."""


def _out(place: Any) -> Any:
    """The example's own place in the batch, for a ``load`` that writes there itself."""
    if not isinstance(place, Example):
        return None
    return packed(place.block.form.nesting, place.block.views(place.row))
