"""The loader's arguments about batches, checked: one that has no effect or contradicts another raises an error."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional, Sequence, Tuple, Union

import numpy as np

from queuecompat.errors import QueueCompatTypeError, error
from queuecompat.loader.memory.blocks import Memory
from queuecompat.loader.memory.boxes import Preparation
from queuecompat.loader.memory.pinned import pinned_memory
from queuecompat.loader.outputs import Convert, converter, imported
from queuecompat.loader.run.finishing import Finishing
from queuecompat.loader.settings import flag_of, refuse, whole_number

__all__ = ["BatchSteps"]


@dataclasses.dataclass(frozen=True)
class BatchSteps:
    """The steps from examples to batches, and from batches to what the consumer receives.

    Attributes:
      prepare: what workers do with each example that ``load`` returned, or None.
      collate: makes a batch from a list of examples, or None.
      transform: the user's ``batch_transform``, or None.
      convert: converts a NumPy array to an array of the output library, or None.
      allocated: allocates pinned memory for batches, or None for ordinary memory.
      buckets: the number of buckets; 0 without ``bucket_by``.
      has_variable_shapes: whether sizes other than the first axis of a batch's arrays may differ from batch to batch.
    """

    prepare: Optional[Preparation]
    collate: Optional[Callable[..., Any]]
    transform: Optional[Callable[..., Any]]
    convert: Optional[Convert]
    allocated: Optional[Callable[[int], Memory]] = None

    @classmethod
    def checked(
        cls,
        *,
        collate: Any,
        pad_to: Any,
        pad_value: Any,
        bucket_by: Any,
        bucket_boundaries: Any,
        batch_transform: Any,
        output: Union[str, Convert],
        pin_memory: bool,
        made_at: str,
    ) -> BatchSteps:
        """Checks these arguments of ``BackgroundLoader``.

        Raises:
          QueueCompatValueError: QC601, an argument would have no effect, or contradicts the others.
          QueueCompatTypeError: QC601, an argument is not a function.
          QueueCompatRuntimeError: QC638, the package for *output* is missing.
        """
        for name, given in (("collate", collate), ("bucket_by", bucket_by), ("batch_transform", batch_transform)):
            if given is not None and not callable(given):
                raise error(QueueCompatTypeError, "QC601", argument=name, given=repr(given), needed="a function")
        if collate is not None and pad_to is not None:
            refuse("pad_to", pad_to, "pad_to=None with collate=, which gets the examples as load returned them")
        if pad_to is None and not (np.isscalar(pad_value) and pad_value == 0):
            refuse("pad_value", pad_value, "pad_to=, too: it says what is padded")
        if pad_to is not None:
            _check_shapes(pad_to, pad_to)
        boundaries = _boundaries(bucket_by, bucket_boundaries)
        prepares = collate is not None or pad_to is not None or bucket_by is not None
        prepare = Preparation(collate is not None, pad_to, pad_value, bucket_by, boundaries) if prepares else None
        pin_memory = flag_of("pin_memory", pin_memory)
        if pin_memory and output != "torch":
            refuse("pin_memory", pin_memory, "output='torch', too: pinned memory is PyTorch's")
        pinned = pinned_memory(imported("torch", "torch"), made_at) if pin_memory else None
        allocated = None if pinned is None else pinned.allocated
        return cls(prepare, collate, batch_transform, converter(output, pinned=pinned), allocated)

    @property
    def buckets(self) -> int:
        has_buckets = self.prepare is not None and self.prepare.bucket_by is not None
        return len(self.boundaries) + 1 if has_buckets else 0

    @property
    def boundaries(self) -> Tuple[float, ...]:
        return self.prepare.boundaries if self.prepare is not None else ()

    @property
    def has_variable_shapes(self) -> bool:
        return self.prepare is not None

    def finishing(self, seed: int, pass_number: int) -> Optional[Finishing]:
        """Returns the function that finishes each batch of a pass; None if batches need no finishing."""
        finishing = Finishing(seed, pass_number, self.prepare is not None, self.collate, self.transform)
        return finishing if finishing.is_needed else None


def _check_shapes(pad_to: Any, whole: Any) -> None:
    """Raises QC601 unless *pad_to*, a part of *whole*, is a nesting whose leaves are shapes or None."""
    if isinstance(pad_to, dict):
        for part in pad_to.values():
            _check_shapes(part, whole)
        return
    if isinstance(pad_to, (list, tuple)) and any(isinstance(part, (dict, list, tuple)) for part in pad_to):
        for part in pad_to:
            _check_shapes(part, whole)
        return
    if pad_to is None:
        return
    sizes = pad_to if isinstance(pad_to, (list, tuple)) else [0]
    if any(size is not None and (whole_number(size) or 0) < 1 for size in sizes):
        needed = "a shape, such as (None,), or examples' nesting with a shape for each array: sizes from 1, or None"
        refuse("pad_to", whole, needed)


def _boundaries(bucket_by: Any, boundaries: Optional[Sequence[float]]) -> Tuple[float, ...]:
    if bucket_by is None:
        if boundaries is not None:
            refuse("bucket_boundaries", boundaries, "bucket_by=, too: the function whose results are compared")
        return ()
    try:
        numbers = tuple(float(boundary) for boundary in boundaries or ())
    except (TypeError, ValueError):
        numbers = ()
    if not numbers or any(not one < two for one, two in zip(numbers, numbers[1:])) or np.isnan(numbers).any():
        refuse("bucket_boundaries", boundaries, "ascending numbers: [10, 20] makes three buckets")
    return numbers
