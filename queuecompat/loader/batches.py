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
    """The loader of an iterator; the iterator reports to it that it has come to its end."""

    def came_to_end(self, run: EpochRun) -> None:
        """Called when the consumer of *run* has received all batches."""


class Batches:
    """The batches of one pass, in order: an iterator.

    It closes itself at its end, when it raises an exception, when its loader is closed, and when nothing refers to it
    any more. So a ``for`` loop that is left by ``break`` or an exception needs no clean-up.

    Args:
      closers: the functions to call, in this order, when the iterator is closed.
      stays_valid: whether batches stay valid as long as the program holds them, as in ``Block.batch``.
      progress_bar: a progress bar, or None.
      convert: converts each array for the output library, or None.
      epochs: is told the epoch in which each batch begins, and calls ``on_epoch_end``; or None.
    """

    def __init__(
        self,
        loader: Loader,
        run: EpochRun,
        closers: List[Callable[[], None]],
        *,
        stays_valid: bool,
        progress_bar: Optional[Any],
        convert: Optional[Convert] = None,
        epochs: Optional[EpochEnds] = None,
    ) -> None:
        self._loader = loader  # must not be collected before its batches are
        self._run = run
        self._stays_valid = stays_valid
        self._bar = progress_bar
        self._convert = convert
        self._epochs = epochs
        self._last: Optional[Block] = None
        if progress_bar is not None:
            closers.append(progress_bar.close)
        self._finalizer = weakref.finalize(self, _call_all, closers, os.getpid())

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
            # As the last step: a batch whose conversion failed, or was interrupted, does not count as returned.
            run.returned = batch.after
            return value
        except BaseException:
            # Explicitly, not when this object is collected: the failure's traceback keeps this object alive.
            run.release_lock()
            self.close()
            raise

    def _value(self, batch: Batch) -> Any:
        run, block = self._run, batch.block
        assert block is not None
        if run.finishes:
            value = batch.value
        elif self._stays_valid:
            if run.for_consumer is not None:
                block = run.for_consumer(block)
            value = block.batch(batch.count, stays_valid=True)
        else:
            self._last = block
            value = block.batch(batch.count, stays_valid=False)
        return value if self._convert is None else converted(value, self._convert)

    def close(self) -> None:
        """Ends the workers of this pass, and waits for them. Does nothing when called again."""
        self._finalizer()


def _call_all(closers: List[Callable[[], None]], process: int) -> None:
    if os.getpid() != process:
        return  # a forked process: the workers belong to its parent
    with contextlib.ExitStack() as stack:
        for closer in reversed(closers):
            stack.callback(closer)
