"""How many items, examples and batches a loader has, as far as that is known before they are loaded."""

from __future__ import annotations

import dataclasses
from typing import Optional, Union

from queuecompat.errors import QueueCompatTypeError, error
from queuecompat.loader.arguments import Arguments
from queuecompat.loader.calls import LoadsSeveral
from queuecompat.loader.order.sampler import is_sequence
from queuecompat.loader.positions import Kind
from queuecompat.loader.run.work import InferredSpec
from queuecompat.loader.stream.examples import Cursor

__all__ = ["Extent"]


@dataclasses.dataclass(frozen=True)
class Extent:
    """The amount of data of a loader with these *arguments*; *inferred* is what its first example has shown."""

    arguments: Arguments
    inferred: InferredSpec

    def items(self) -> Optional[int]:
        """Returns the number of items of the source, or None if it has no length."""
        source = self.arguments.call.source
        return len(source) if is_sequence(source) else None

    def items_an_epoch(self) -> Optional[int]:
        """Returns the number of items per epoch of this loader's shard; None if it is not known."""
        items = self.items()
        length = None if items is None else self.arguments.order.length(items)
        return None if length is None else self.arguments.shard.length(length)

    def examples_a_pass(self) -> Union[int, str]:
        """Returns the number of examples per pass, or a text that says why it is not known."""
        items, num_epochs = self.items_an_epoch(), self.arguments.settings.num_epochs
        if items is None:
            return "the source has no length" if self.items() is None else "the sampler has no length"
        if num_epochs is None:
            return "num_epochs=None has no end"
        if isinstance(self.arguments.call.load, LoadsSeveral):
            return items * num_epochs * self.arguments.call.load.examples_per_item
        several, each = self.inferred.several, self.arguments.each
        if several or (several is None and (self.arguments.call.is_generator or each not in (None, 1))):
            return "each item produces any number of examples"
        return items * num_epochs

    def batches_a_pass(self) -> int:
        """Returns the number of batches per pass, provided that no item is skipped.

        Raises:
          QueueCompatTypeError: QC619, the number is unknown or infinite.
        """
        examples, settings = self.examples_a_pass(), self.arguments.settings
        if isinstance(examples, str):
            raise error(QueueCompatTypeError, "QC619", what="length", why=examples)
        if self.arguments.steps.buckets:
            raise error(QueueCompatTypeError, "QC619", what="length", why="each bucket may end with a smaller batch")
        full, rest = divmod(examples, settings.batch_size)
        return full + (rest > 0 and not settings.drop_remainder)

    def rows_from(self, cursor: Cursor, end: Optional[int]) -> Optional[int]:
        """Returns the number of examples from *cursor* to the beginning of epoch *end*, on the assumption that each
        item produces one; None if it is not known."""
        items = self.items_an_epoch()
        if items is None or end is None or not self.arguments.order.is_quick:
            return None  # a sampler may return more indices than its ``len`` says
        return (end - cursor.epoch) * items - cursor.offset

    def kind(self) -> Kind:
        """Returns the properties that decide the order, in addition to the settings."""
        chosen, steps = self.arguments, self.arguments.steps
        shard = {} if chosen.shard.count == 1 else {"shard": list(chosen.shard)}
        buckets = {"boundaries": list(steps.boundaries)} if steps.buckets else {}
        apart = {} if chosen.each is None else {"examples_per_item": chosen.each}
        identity = {**chosen.order.identity(), **shard, **buckets, **apart}
        return Kind(self.items(), self.items_an_epoch(), identity)
