"""The memory of batches: blocks of rows that workers write and consumers hold.

Rule 1: a block is one contiguous piece of memory, in which each array of the batch starts at a multiple of 64 bytes, so
        that TensorFlow can use the array without a copy.
Rule 2: memory is reused as soon as no array refers to it: a block's arrays borrow the memory, and return it when the
        last of them, and of the views made of them, is collected. So a batch that the program keeps never changes.
Rule 3: very small blocks use new NumPy arrays each time, which costs a fifth of borrowing memory. Such a block may not
        be aligned, but if a library needs a copy then, that costs less than avoiding it.
Rule 4: allocating memory (``take``) and returning it (``returns_to``) take no lock, because arrays may be collected at
        any time, on any thread.
Rule 5: memory from the allocator of another library is returned to that allocator, which knows what still reads from
        it, and reuses it itself.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import math
import weakref
from typing import Any, Callable, ClassVar, Deque, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from queuecompat.loader.memory.structures import ExampleSpec, Leaf, packed

__all__ = ["Block", "BufferPool", "Memory", "borrowed_bytes", "bytes_needed", "owner_of", "returns_to"]

_ALIGNMENT = 64  # bytes
_VERY_SMALL = 512  # bytes
_NO_VIEWS = itertools.repeat(None)  # one None for each array


class Memory:
    """A piece of memory: *size* bytes at *address*.

    Args:
      owner: the object that keeps the memory alive.
      place: for shared memory, the name of the segment and the offset in it, in bytes, for other processes.
    """

    __slots__ = ("address", "interface", "owner", "place", "size")

    def __init__(self, owner: Any, address: int, size: int, place: Tuple[str, int] = ("", 0)) -> None:
        self.owner = owner
        self.address = address
        self.size = size
        self.place = place
        # Made once per piece of memory, since small pieces are borrowed often.
        self.interface = {"version": 3, "typestr": "|u1", "shape": (size,), "data": (address, False)}


class _Borrowed:
    """The base object of arrays in a piece of memory; when it is collected, no array uses the memory any more."""

    __slots__ = ("__array_interface__", "__weakref__", "_owner")

    def __init__(self, memory: Memory) -> None:
        self._owner = memory.owner
        self.__array_interface__ = memory.interface


class _Loan(weakref.ref):  # type: ignore[type-arg]
    """Calls *give_back* with *memory* when *borrowed* is collected: ``weakref.finalize`` at a fifth of the cost."""

    __slots__ = ("give_back", "memory")
    memory: Memory
    give_back: Callable[[Memory], None]
    running: ClassVar[Set[_Loan]] = set()  # needs no lock: adding and discarding are atomic

    def __new__(cls, borrowed: _Borrowed, memory: Memory, give_back: Callable[[Memory], None]) -> _Loan:
        loan = super().__new__(cls, borrowed, _end_loan)
        loan.memory = memory
        loan.give_back = give_back
        cls.running.add(loan)
        return loan

    def __init__(self, borrowed: _Borrowed, memory: Memory, give_back: Callable[[Memory], None]) -> None:
        super().__init__(borrowed, _end_loan)  # type: ignore[call-arg]


def _end_loan(loan: Any, running: Set[_Loan] = _Loan.running) -> None:
    # *running* is an argument, because at interpreter exit this module's names may be gone before the last arrays are.
    running.discard(loan)
    loan.give_back(loan.memory)


def borrowed_bytes(memory: Memory) -> np.ndarray:
    """Returns *memory* as a uint8 array, which keeps the memory alive."""
    return np.asarray(_Borrowed(memory))


def owner_of(array: np.ndarray) -> Any:
    """Returns the owner of the memory that *array* borrows; None if it borrows none."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base._owner if isinstance(base, _Borrowed) else None


class Block:
    """Memory for *rows* examples of one spec.

    Args:
      give_back: is called with the memory when no array borrows it any more. None if the memory's owner frees it.
      layout: where the arrays are in the memory; computed from *spec* and *rows* if it is None.

    Attributes:
      arrays: the arrays of the batch, each of shape ``[rows, *example]``.
      borrowed: an object that is alive as long as the block, or any array of it that the consumer holds.
    """

    def __init__(
        self,
        spec: ExampleSpec,
        rows: int,
        memory: Memory,
        give_back: Optional[Callable[[Memory], None]],
        layout: Optional[Layout] = None,
    ) -> None:
        self.spec = spec
        self.rows = rows
        self.memory = memory
        self.borrowed = borrowed = _Borrowed(memory)
        if give_back is not None:
            _Loan(borrowed, memory, give_back)
        self._layout = layout_of(spec, rows) if layout is None else layout
        self.arrays = _arrays_in(np.asarray(borrowed), self._layout)

    def write(self, row: int, leaves: Sequence[np.ndarray], views: Optional[Sequence[np.ndarray]] = None) -> None:
        """Writes an example into *row*. Arrays that ``load`` has written there itself are not copied.

        Args:
          leaves: the arrays of the example.
          views: the arrays that ``load`` got as ``out``, or None. A leaf that is one of these is recognized quickly.
        """
        rest = [
            (array, leaf)
            for array, leaf, view in zip(self.arrays, leaves, views or _NO_VIEWS)
            if leaf is not view and (leaf.base is None or not _is_row(leaf, array, row))
        ]
        if len(rest) > 1:
            rest = [(array, self._unaliased(leaf)) for array, leaf in rest]
        for array, leaf in rest:
            array[row, ...] = leaf

    def _unaliased(self, leaf: np.ndarray) -> np.ndarray:
        """Returns *leaf*; or a copy, if it is in the block's memory, where another leaf may be written before it is
        read."""
        is_inside = leaf.base is not None and any(np.may_share_memory(leaf, array) for array in self.arrays)
        return leaf.copy() if is_inside else leaf

    def write_objects(self, row: int, leaves: Sequence[np.ndarray]) -> None:
        """Writes those arrays of an example into *row* that hold Python objects, which shared memory cannot hold."""
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
        """Returns views of the arrays of one row, for writing."""
        return [array[row, ...] for array in self.arrays]

    def batch(self, rows: int, *, stays_valid: bool) -> Any:
        """Returns the first *rows* examples, in the structure that ``load`` returned.

        Args:
          stays_valid: whether the arrays keep the memory from being reused. Otherwise it is reused when the block is
            collected.
        """
        arrays, treedef = self.arrays if stays_valid else self._passing_arrays(), self.spec.treedef
        if treedef is None:
            return arrays[0] if rows == self.rows else arrays[0][:rows]
        whole = arrays if rows == self.rows else [array[:rows] for array in arrays]
        return packed(treedef, whole)

    def _passing_arrays(self) -> List[np.ndarray]:
        arrays = _arrays_in(borrowed_bytes(self.memory), self._layout)
        return [held if held.dtype.hasobject else array for held, array in zip(self.arrays, arrays)]


class VerySmallBlock(Block):
    """A block of ordinary NumPy arrays."""

    def __init__(self, spec: ExampleSpec, rows: int, layout: Layout) -> None:
        self.spec = spec
        self.rows = rows
        self.arrays = [np.empty(shape, dtype) for shape, dtype, _ in layout]

    def _passing_arrays(self) -> List[np.ndarray]:
        return self.arrays


def _is_row(leaf: np.ndarray, array: np.ndarray, row: int) -> bool:
    """Returns whether *leaf*, which has the shape and dtype of a row, is a view of row *row* of *array*."""
    return leaf.ctypes.data == array[row, ...].ctypes.data and leaf.strides == array.strides[1:]


# Shape, dtype and offset in bytes of each array; the offset is None for arrays of objects, which are not in the block.
Layout = List[Tuple[Tuple[int, ...], np.dtype, Optional[int]]]


def _arrays_in(raw: np.ndarray, layout: Layout) -> List[np.ndarray]:
    return [
        np.empty(shape, dtype) if offset is None else np.ndarray(shape, dtype, raw, offset)
        for shape, dtype, offset in layout
    ]


def layout_of(spec: ExampleSpec, rows: int) -> Layout:
    """Returns the layout of a block: arrays of *rows* rows, one after another, each aligned."""
    layout: Layout = []
    offset = 0
    for leaf in spec.leaves:
        layout.append(((rows, *leaf.shape), leaf.dtype, None if leaf.is_object else offset))
        offset += 0 if leaf.is_object else _aligned(_size(leaf, rows))
    return layout


def bytes_needed(spec: ExampleSpec, rows: int) -> int:
    """Returns the size in bytes of a block of *rows* examples; at least 1, since a segment cannot be empty."""
    return max(1, sum(_aligned(_size(leaf, rows)) for leaf in spec.leaves if not leaf.is_object))


def _size(leaf: Leaf, rows: int) -> int:
    return rows * math.prod(leaf.shape) * leaf.dtype.itemsize


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def returns_to(free: Deque[Memory]) -> Callable[[Memory], None]:
    """Returns a function that puts memory into *free*, if *free* still exists. The function does not keep *free* alive:
    a batch that the program keeps must not keep the memory of other batches."""
    place = weakref.ref(free)

    def give_back(memory: Memory) -> None:
        free = place()
        if free is not None:
            free.append(memory)

    return give_back


class BufferPool:
    """Makes blocks in memory of this process, for examples of one spec, and reuses their memory.

    Args:
      allocated: allocates a number of bytes, if that is done by another library; None for ordinary memory.
    """

    def __init__(self, allocated: Optional[Callable[[int], Memory]] = None) -> None:
        self._allocated = allocated
        self._sizes: Dict[int, _BlockSize] = {}  # by the number of rows

    def take(self, spec: ExampleSpec, rows: int) -> Block:
        """Returns a block for *rows* examples. *spec* must be the same in all calls."""
        size = self._sizes.get(rows)
        if size is None:
            size = self._sizes.setdefault(rows, _BlockSize(spec, rows))
        if self._allocated is not None:
            return Block(spec, rows, self._allocated(size.bytes), None, size.layout)
        if size.bytes <= _VERY_SMALL:
            return VerySmallBlock(spec, rows, size.layout)
        try:
            memory = size.free.pop()
        except IndexError:
            self._discard(size.bytes)
            memory = _allocated(size.bytes)
        return Block(spec, rows, memory, size.give_back, size.layout)

    def forget(self) -> None:
        """Frees all memory that is not borrowed now, and the rest when it is returned."""
        self._sizes = {}

    def _discard(self, size: int) -> None:
        """Frees about *size* bytes of unused memory of blocks with other numbers of rows, before more is allocated."""
        for other in list(self._sizes.values()):
            while size > 0 and other.free:
                with contextlib.suppress(IndexError):  # another thread took the last one
                    size -= other.free.pop().size


class _BlockSize:
    """What all blocks with the same number of rows share: layout, size in bytes, and *free*, the memory to reuse."""

    def __init__(self, spec: ExampleSpec, rows: int) -> None:
        self.free: Deque[Memory] = collections.deque()
        self.give_back = returns_to(self.free)
        self.layout = layout_of(spec, rows)
        self.bytes = bytes_needed(spec, rows)


def _allocated(size: int) -> Memory:
    raw = np.empty(size + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return Memory(raw, raw.ctypes.data + start, size)
