"""The parts of a stream: examples, batches, and cursors, which are places between two batches.

No threads and no locks: the caller holds the lock.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple

from queuecompat.loader.memory.blocks import Block
from queuecompat.loader.order.sampler import Item

__all__ = ["After", "Batch", "Cursor", "Example"]


class Example:
    """One example: the *number*-th of its item, in *row* of *block*."""

    __slots__ = ("block", "item", "number", "row")

    def __init__(self, item: Item, number: int, block: Block, row: int) -> None:
        self.item = item
        self.number = number
        self.block = block
        self.row = row


class Cursor(NamedTuple):
    """A place between two batches, from which the stream can be resumed.

    Attributes:
      epoch, offset: the first item to load: its epoch, and its place in that epoch.
      skip: how many examples of that item are skipped, because they are in earlier batches and not needed any more.
      serial: how many examples had joined the stream before the first example that is not skipped.
      drawn: how many examples are in earlier batches.
      released: with buckets, how many examples of each bucket are in earlier batches, counted from the one with number
        *serial* on.
    """

    epoch: int
    offset: int = 0
    skip: int = 0
    serial: int = 0
    drawn: int = 0
    released: Tuple[int, ...] = ()


# The fields of a ``Cursor`` as a plain tuple; the last one may be missing.
After = Tuple[Any, ...]


class Batch:
    """*count* examples in order, and the cursor after them.

    Attributes:
      after: the fields of the ``Cursor`` after this batch. A plain tuple, because few batches are asked for a cursor.
      first: the number of examples of the pass before this batch.
      epoch: the epoch of the first example.
      examples: the examples, until they are in one block.
      block: the block with all examples; None until they are in one block.
      is_begun: whether a worker assembles or finishes the batch.
      needs_finishing: whether ``Finishing`` has still to be called.
      value: the result of ``Finishing``, or the ``LoadError`` if it failed; otherwise None.
    """

    __slots__ = ("after", "block", "count", "epoch", "examples", "first", "is_begun", "needs_finishing", "value")

    def __init__(self, examples: List[Example], after: After, first: int = 0, needs_finishing: bool = False) -> None:
        self.examples = examples
        self.after = after
        self.first = first
        self.needs_finishing = needs_finishing
        self.count = len(examples)
        self.epoch = examples[0].item.epoch
        self.block: Optional[Block] = None
        self.is_begun = False
        self.value: Any = None
        block = examples[0].block
        for row, example in enumerate(examples):
            if example.block is not block or example.row != row:
                return
        self.block, self.examples = block, []

    @property
    def cursor(self) -> Cursor:
        """The place after this batch, from which the stream can be resumed."""
        return Cursor(*self.after)

    @property
    def is_ready(self) -> bool:
        return self.block is not None and not self.needs_finishing

    def gathered_in(self, block: Block) -> None:
        """Notes that *block* now has all examples; the rows from which they were copied are no longer needed."""
        self.block = block
        self.examples = []
