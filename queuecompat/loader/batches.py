"""One pass as its consumer sees it: an iterator of batches."""

from __future__ import annotations

import contextlib
import os
import weakref
from typing import Any, Callable, List, Optional, Protocol

from queuecompat.loader.memory.blocks import Block
from queuecompat.loader.outputs import Convert, converted
from queuecompat.loader.run.epoch_ends import EpochEnds
from queuecompat.loader.run.epoch_run import EpochRun
from queuecompat.loader.stream.examples import Batch

__all__ = ["Batches", "Loader"]


class Loader(Protocol):
    """What an iterator tells that it has come to its end."""

    def came_to_end(self, run: EpochRun) -> None:
        """The consumer of *run* has got everything."""


class Batches:
    """The batches of one pass, in order.

    It is closed at its end, by an exception that it raises, with its loader, and when nothing refers to it any more: a
    ``for`` loop that is left by ``break`` or an exception needs no further care.

    Args:
      ends: called in this order when it is closed.
      holds: as in ``Block.batch``.
      told: a progress bar, or None.
      convert: from an array to that of another library, or None.
      epochs: is told where the batches begin, or None.
    """

    def __init__(
        self,
        loader: Loader,
        run: EpochRun,
        ends: List[Callable[[], None]],
        *,
        holds: bool,
        told: Optional[Any],
        convert: Optional[Convert] = None,
        epochs: Optional[EpochEnds] = None,
    ) -> None:
        self._loader = loader  # must not go before its batches do
        self._run = run
        self._holds = holds
        self._bar = told
        self._convert = convert
        self._epochs = epochs
        self._last: Optional[Block] = None
        if told is not None:
            ends.append(told.close)
        self._finalizer = weakref.finalize(self, _call_all, ends, os.getpid())

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> Any:
        self._last = None  # its memory may be used again from here on
        run = self._run
        try:
            batch = run.take()
            if self._epochs is not None:
                self._epochs.reach(None if batch is None else batch.epoch)
            if batch is None:
                self._loader.came_to_end(run)
                raise StopIteration
            value = self._value(batch)
            if self._bar is not None:
                self._bar.update(batch.count)
            # Last: a batch that could not be converted, or was interrupted here, has not been returned.
            run.returned = batch.after
            return value
        except BaseException:
            # Now, and not when this is collected: the failure's own traceback holds on to this.
            run.release_lock()
            self.close()
            raise

    def _value(self, batch: Batch) -> Any:
        run, block = self._run, batch.block
        assert block is not None
        if run.finishes:
            value = batch.value
        elif self._holds:
            if run.for_consumer is not None:
                block = run.for_consumer(block)
            value = block.batch(batch.count, holds=True)
        else:
            self._last = block
            value = block.batch(batch.count, holds=False)
        return value if self._convert is None else converted(value, self._convert)

    def close(self) -> None:
        """Ends the workers of this pass, and waits for them. A second call does nothing."""
        self._finalizer()


def _call_all(ends: List[Callable[[], None]], process: int) -> None:
    if os.getpid() != process:
        return  # a fork, which has none of what would be ended
    with contextlib.ExitStack() as stack:
        for end in reversed(ends):
            stack.callback(end)
