"""Assigns the row of a block into which an item's example will be written, before the example is loaded.

The caller holds the lock.
"""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from queuecompat.loader.memory.blocks import Block
from queuecompat.loader.memory.structures import ExampleSpec
from queuecompat.loader.run.work import InferredSpec, Work
from queuecompat.loader.stream.examples import Example
from queuecompat.loader.stream.streams import Stream

__all__ = ["Rows"]


class Rows:
    """Assigns the rows of one pass.

    Args:
      take: allocates a block with a number of rows.
      rows_per_block: the batch size, or the number of examples in the pass if that is smaller.
    """

    def __init__(
        self,
        stream: Stream,
        take: Callable[[ExampleSpec, int], Block],
        inferred: InferredSpec,
        *,
        batch_size: int,
        rows_per_block: int,
    ) -> None:
        self._stream = stream
        self._is_bucketed = stream.is_bucketed
        self._take = take
        self._inferred = inferred
        self._batch_size = batch_size
        self._rows_per_block = rows_per_block
        self._block: Optional[Block] = None  # the block whose rows are being assigned
        self._number = -1  # the number of that block's batch

    def assign(self, works: Sequence[Work]) -> None:
        """Sets the places of *works*, which are consecutive items, to their examples' rows in their batches.

        Does nothing if the rows are not known, or are no longer the right ones since an earlier item was left out.
        """
        spec = self._inferred.spec
        if spec is None:
            return
        if self._is_bucketed:
            for work in works:
                # If they shared a block, one example that waits in its bucket would keep the memory of all of them.
                work.place = self.alone(work, 0)
            return
        row = self._stream.row_for(works[0].number, len(works))
        if row is None:
            return
        for work in works:
            number, within = divmod(row, self._batch_size)
            if number != self._number:
                self._block, self._number = self._take(spec, self._rows_per_block), number
            assert self._block is not None
            work.place = Example(work.item, 0, self._block, within)
            row += 1

    def alone(self, work: Work, number: int) -> Example:
        """Returns a place in a new block of one row, for the *number*-th example of *work*."""
        assert self._inferred.spec is not None
        return Example(work.item, number, self._take(self._inferred.spec, 1), 0)

    def forget(self) -> None:
        """Releases the block whose rows were being assigned. No more rows will be assigned."""
        self._block = None
