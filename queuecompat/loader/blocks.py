"""The memory of batches: blocks of rows that workers write into and that consumers hold.

Rule 1: one block is one piece of memory; each array of the batch starts at a multiple of 64 bytes in it, so that
        TensorFlow takes it over without a copy.
Rule 2: memory is used again as soon as no array shows it: it is lent to the block's arrays, and comes back when
        the last of them, or of the views that were made of them, is gone. So a batch that is kept stays as it is.
Rule 3: whatever gives memory (``take``) and gets it back (``returns_to``) takes no lock: arrays die anywhere.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import weakref
from typing import Any, Callable, Deque, Dict, List, Sequence, Tuple

import numpy as np

from queuecompat.loader.structures import ExampleSpec, Leaf, packed

__all__ = ["Block", "BufferPool", "Memory", "bytes_needed", "lent_bytes", "returns_to"]

_ALIGNMENT = 64  # bytes


@dataclasses.dataclass(frozen=True)
class Memory:
    """*owner* keeps the bytes at *address* alive; *place* is how another process finds them."""

    owner: Any
    address: int
    size: int
    place: Tuple[str, int] = ("", 0)


class _Lent:
    """What arrays hold on to while they look at a piece of memory."""

    def __init__(self, memory: Memory) -> None:
        self._owner = memory.owner
        self.__array_interface__ = {
            "version": 3,
            "typestr": "|u1",
            "shape": (memory.size,),
            "data": (memory.address, False),
        }


def lent_bytes(memory: Memory) -> np.ndarray:
    """The bytes of *memory*, which stays as long as the array does."""
    return np.asarray(_Lent(memory))


class Block:
    """*rows* examples of one form, in memory of its own.

    Attributes:
      lent: lives as long as the block, or any array that the consumer has of it.
    """

    def __init__(self, spec: ExampleSpec, rows: int, memory: Memory, give_back: Callable[[Memory], None]) -> None:
        self.spec = spec
        self.rows = rows
        self.memory = memory
        self.lent = lent = _Lent(memory)
        weakref.finalize(lent, give_back, memory).atexit = False
        self.arrays = arrays_in(np.asarray(lent), spec.leaves, rows)

    def write(self, row: int, leaves: Sequence[np.ndarray]) -> None:
        """Puts an example into *row*; what was written there by ``load`` itself is left alone."""
        for array, leaf in zip(self.arrays, leaves):
            if leaf.base is None or not _is_row(leaf, array, row):
                array[row, ...] = leaf

    def write_objects(self, row: int, leaves: Sequence[np.ndarray]) -> None:
        """Puts those arrays of an example into *row* that no shared memory can hold."""
        for array, leaf in zip([array for array in self.arrays if array.dtype.hasobject], leaves):
            array[row, ...] = leaf

    def copy_row(self, row: int, source: Block, source_row: int) -> None:
        for here, there in zip(self.arrays, source.arrays):
            here[row, ...] = there[source_row, ...]

    def copied_to(self, other: Block) -> Block:
        for here, there in zip(self.arrays, other.arrays):
            there[...] = here
        return other

    def views(self, row: int) -> List[np.ndarray]:
        """The arrays of one row, to be written into."""
        return [array[row, ...] for array in self.arrays]

    def batch(self, rows: int, *, holds: bool) -> Any:
        """The first *rows* examples as the consumer sees them.

        Args:
          holds: whether the arrays hold on to the memory. Otherwise it is used again as soon as the block is gone.
        """
        arrays = self.arrays if holds else self._passing_arrays()
        return packed(self.spec.treedef, [array[:rows] for array in arrays])

    def _passing_arrays(self) -> List[np.ndarray]:
        arrays = arrays_in(lent_bytes(self.memory), self.spec.leaves, self.rows)
        return [held if held.dtype.hasobject else array for held, array in zip(self.arrays, arrays)]


def _is_row(leaf: np.ndarray, array: np.ndarray, row: int) -> bool:
    """Whether *leaf*, which has the row's shape and dtype, is that row of *array*."""
    return leaf.ctypes.data == array[row, ...].ctypes.data and leaf.strides == array.strides[1:]


def arrays_in(raw: np.ndarray, leaves: Sequence[Leaf], rows: int) -> List[np.ndarray]:
    """Arrays of *rows* rows, one after another in *raw*; those of objects elsewhere."""
    arrays, offset = [], 0
    for leaf in leaves:
        shape = (rows, *leaf.shape)
        if leaf.is_object:
            arrays.append(np.empty(shape, leaf.dtype))
            continue
        size = _size(leaf, rows)
        arrays.append(raw[offset : offset + size].view(leaf.dtype).reshape(shape))
        offset += _aligned(size)
    return arrays


def bytes_needed(spec: ExampleSpec, rows: int) -> int:
    """For *rows* examples; at least one byte, since memory of none is no memory."""
    return max(1, sum(_aligned(_size(leaf, rows)) for leaf in spec.leaves if not leaf.is_object))


def _size(leaf: Leaf, rows: int) -> int:
    return rows * int(np.prod(leaf.shape, dtype=np.int64)) * leaf.dtype.itemsize


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def returns_to(free: Deque[Memory]) -> Callable[[Memory], None]:
    """Puts memory into *free*, as long as that is in use: a batch that is kept must not keep the memory of others."""
    place = weakref.ref(free)

    def give_back(memory: Memory) -> None:
        free = place()
        if free is not None:
            free.append(memory)

    return give_back


class BufferPool:
    """Blocks in the memory of this process, for examples of one form."""

    def __init__(self) -> None:
        # Memory that was lent and came back, by the number of rows it is for.
        self._free: Dict[int, Deque[Memory]] = {}

    def take(self, spec: ExampleSpec, rows: int) -> Block:
        """Memory for *rows* examples of *form*, which is always the same."""
        free = self._free.setdefault(rows, collections.deque())
        try:
            memory = free.pop()
        except IndexError:
            size = bytes_needed(spec, rows)
            self._discard(size)
            memory = _allocated(size)
        return Block(spec, rows, memory, returns_to(free))

    def _discard(self, size: int) -> None:
        """Gives up free memory of *size* bytes, which is for other numbers of rows, in return for what is taken."""
        for free in list(self._free.values()):
            while size > 0 and free:
                with contextlib.suppress(IndexError):  # another worker was faster
                    size -= free.pop().size


def _allocated(size: int) -> Memory:
    raw = np.empty(size + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return Memory(raw, raw.ctypes.data + start, size)
