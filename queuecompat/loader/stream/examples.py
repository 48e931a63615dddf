"""What a stream is made of: examples, the batches they are put together in, and places between two batches.

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
    """A place between two batches, from which the stream can be taken up again.

    Attributes:
      epoch, offset: the first item to load.
      skip: how many of its examples are left out, because they are in earlier batches and not needed any more.
      serial: how many examples had joined the stream before that.
      drawn: how many are in earlier batches.
      left: with buckets, how many of each are in earlier batches, of those from the first item on.
    """

    epoch: int
    offset: int = 0
    skip: int = 0
    serial: int = 0
    drawn: int = 0
    left: Tuple[int, ...] = ()


# The fields of a cursor, of which the last may be missing.
After = Tuple[Any, ...]


class Batch:
    """*count* examples in order, and where the stream goes on after them.

    Attributes:
      after: the fields of the ``Cursor`` after it. A plain tuple: of few batches is a cursor asked for.
      first: how many examples came before in the pass.
      epoch: of its first example.
      block: has the examples, once they are together in one.
      is_begun: a worker puts it together, or finishes it.
      needs_finishing: by ``Finishing``, whose result, or failure, is *value*.
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
        """Where the stream is taken up after this batch."""
        return Cursor(*self.after)

    @property
    def is_ready(self) -> bool:
        return self.block is not None and not self.needs_finishing

    def gathered_in(self, block: Block) -> None:
        """From now on *block* has the examples; the rows in which they were are free."""
        self.block = block
        self.examples = []
