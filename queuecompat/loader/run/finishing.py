"""Finishes a batch once its rows are in one block: opens boxes, and calls ``collate`` and ``batch_transform``.

Rule 1: workers do this, so that the consumer does not wait for it. Only the conversion to another library's arrays,
        which copies nothing, is done by the consumer (``outputs.py``).
Rule 2: the random numbers of a batch are a function of the seed, the number of the pass and the number of examples
        before the batch, so a batch is the same after a resume and with any number of workers.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, List, Optional, Sequence

import numpy as np

from queuecompat.loader.calls import takes_rng
from queuecompat.loader.memory.boxes import Boxed, Bucketed, filled
from queuecompat.loader.memory.structures import leaves_of, packed
from queuecompat.loader.order import randomness

__all__ = ["Finishing"]


@dataclasses.dataclass(frozen=True)
class Finishing:
    """Finishes the batches of one pass; see the module's docstring.

    Attributes:
      seed, pass_number: decide the random numbers.
      opens: whether batches may contain boxes (``Boxed``) or bucket numbers (``Bucketed``), which are removed.
      collate: makes a batch from a list of examples, or None.
      transform: the user's ``batch_transform``, or None.
    """

    seed: int
    pass_number: int
    opens: bool
    collate: Optional[Callable[[List[Any]], Any]]
    transform: Optional[Callable[..., Any]]

    @property
    def is_needed(self) -> bool:
        return self.opens or self.transform is not None

    def __call__(self, batch: Any, first: int) -> Any:
        """Returns *batch* finished; *first* is the number of examples of the pass before it."""
        if isinstance(batch, Bucketed):
            batch = batch.example
        if self.collate is not None:
            batch = self.collate([box.value for box in batch])
        elif self.opens:
            treedef, leaves = leaves_of(batch)
            batch = packed(treedef, [_opened(leaf) for leaf in leaves])
        if self.transform is None:
            return batch
        how = takes_rng(self.transform)
        if how is None:
            return self.transform(batch)
        rng = randomness.batch_rng(self.seed, self.pass_number, first)
        return self.transform(batch, rng=rng) if how == "by name" else self.transform(batch, rng)


def _opened(leaf: np.ndarray) -> np.ndarray:
    """Returns one array of the batch; if it holds boxes, the arrays in them, padded to one shape and stacked."""
    if not leaf.dtype.hasobject or leaf.ndim != 1 or not all(isinstance(box, Boxed) for box in leaf):
        return leaf
    return _stacked([box.value for box in leaf], leaf[0])


def _stacked(arrays: Sequence[np.ndarray], model: Boxed) -> np.ndarray:
    # An array without elements does not show its dtype: NumPy makes an empty list float64, whatever it would have held.
    typed = [array for array in arrays if array.size] or arrays
    dtypes = sorted({str(array.dtype) for array in typed})
    if len(dtypes) > 1:
        raise TypeError(f"the arrays to pad have different dtypes in one batch: {', '.join(dtypes)}")
    assert model.shape is not None
    longest = np.max([array.shape for array in arrays], axis=0).tolist()
    shape = [most if size is None else size for size, most in zip(model.shape, longest)]
    out = filled((len(arrays), *shape), model.fill, typed[0].dtype)
    for row, array in zip(out, arrays):
        row[tuple(map(slice, array.shape))] = array
    return out
